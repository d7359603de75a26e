/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of copies: in stream order as one; when the source is read; what is refused. The calls as CUDA 13 has them, which are
   looked up by name: older headers do not declare them. */
#include "driver_check.h"

#include <dlfcn.h>
#include <unistd.h>

typedef CUresult batch_fn(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t, CUstream);
typedef CUresult batch_3d_fn(size_t, CUDA_MEMCPY3D_BATCH_OP *, unsigned long long, CUstream);

static batch_fn *batch;
static batch_3d_fn *batch_3d;
static CUstream s;
static volatile int gate;

static void CUDA_CB wait_for_gate(void *arg)
{
    (void)arg;
    while (!gate)
        usleep(100);
}

enum { N = 4, BYTES = 1024 };

static CUdeviceptr at(const void *p) { return (CUdeviceptr)(size_t)p; }

static void order(void)
{
    CUmemcpyAttributes attrs[2];
    CUdeviceptr d, dsts[N], srcs[N];
    size_t sizes[N], first[2] = {0, 2};
    char *pinned, back[N];
    static char pageable[N * BYTES];

    NEED(cuMemAlloc(&d, N * BYTES));
    NEED(cuMemAllocHost((void **)&pinned, N * BYTES));
    memset(attrs, 0, sizeof attrs);
    for (int i = 0; i < N; i++) {
        dsts[i] = d + (size_t)i * BYTES;
        srcs[i] = at((i == 1 || i == 3 ? pageable : pinned) + i * BYTES);
        sizes[i] = BYTES;
    }
    memset(pinned, 1, N * BYTES);
    memset(pageable, 1, sizeof pageable);
    attrs[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    attrs[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    gate = 0;
    NEED(cuLaunchHostFunc(s, wait_for_gate, NULL));
    check_result("a batch is queued behind other work", batch(dsts, srcs, sizes, N, attrs, first, 2, s), CUDA_SUCCESS);
    check_result("and waits for it", cuStreamQuery(s), CUDA_ERROR_NOT_READY);
    memset(pinned, 2, N * BYTES);
    memset(pageable, 2, sizeof pageable);
    gate = 1;
    NEED(cuStreamSynchronize(s));
    for (int i = 0; i < N; i++)
        NEED(cuMemcpyDtoH(&back[i], dsts[i] + BYTES - 1, 1));
    check_true("in stream order: page-locked memory is read when the turn comes", back[0] == 2);
    check_true("in stream order: pageable memory too", back[1] == 2);
    check_true("during the call: page-locked memory is read before it returns", back[2] == 1);
    check_true("during the call: pageable memory too", back[3] == 1);

    for (int i = 0; i < N; i++) {                /* and back, into memory of both kinds */
        CUdeviceptr other = dsts[i];
        dsts[i] = srcs[i];
        srcs[i] = other;
    }
    first[1] = 1;
    attrs[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
    check_result("a batch of copies to the host", batch(dsts, srcs, sizes, N, attrs, first, 2, s), CUDA_SUCCESS);
    NEED(cuStreamSynchronize(s));
    check_true("brings it there", pinned[BYTES - 1] == 2 && pageable[2 * BYTES - 1] == 2 && pinned[3 * BYTES - 1] == 1
               && pageable[4 * BYTES - 1] == 1);
    NEED(cuMemFreeHost(pinned));
    NEED(cuMemFree(d));
}

static void refused(void)
{
    CUmemcpyAttributes good[2], bad_order[1], bad_flag[1];
    size_t sizes[2] = {8, 8}, with_0[2] = {8, 0}, from_0[2] = {0, 1}, from_1[2] = {1, 2}, twice[2] = {0, 0}, behind[2] = {0, 2};
    CUdeviceptr d, dsts[2], srcs[2], wild[2];

    NEED(cuMemAlloc(&d, 64));
    dsts[0] = d;
    dsts[1] = d + 8;
    srcs[0] = d + 16;
    srcs[1] = d + 24;
    wild[0] = d;
    wild[1] = d + 60;                            /* 4 of the 8 bytes are inside */
    memset(good, 0, sizeof good);
    good[0].srcAccessOrder = good[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    memcpy(bad_order, good, sizeof bad_order);
    memcpy(bad_flag, good, sizeof bad_flag);
    bad_order[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    bad_flag[0].flags = 8;
    const struct { const char *why; CUdeviceptr *to; size_t n; CUmemcpyAttributes *a; size_t *first; size_t n_attrs; } cases[] = {
        {"no copies", dsts, 0, good, from_0, 1},
        {"no destinations", NULL, 2, good, from_0, 1},
        {"no attributes", dsts, 2, good, from_0, 0},
        {"more attributes than copies", dsts, 1, good, from_0, 2},
        {"attributes that do not begin with the first copy", dsts, 2, good, from_1, 1},
        {"two attributes for the same copies", dsts, 2, good, twice, 2},
        {"attributes behind the last copy", dsts, 2, good, behind, 2},
        {"an unknown order", dsts, 2, bad_order, from_0, 1},
        {"an unknown flag", dsts, 2, bad_flag, from_0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_result(cases[i].why, batch(cases[i].to, srcs, sizes, cases[i].n, cases[i].a, cases[i].first, cases[i].n_attrs, s),
                     CUDA_ERROR_INVALID_VALUE);
    check_result("a copy of no bytes", batch(dsts, srcs, with_0, 2, good, from_0, 1, s), CUDA_ERROR_INVALID_VALUE);
    NEED(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_result("a capture", batch(dsts, srcs, sizes, 2, good, from_0, 1, s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUgraph graph = NULL;
    check_result("which goes on", cuStreamEndCapture(s, &graph), CUDA_SUCCESS);
    NEED(cuGraphDestroy(graph));
    check_result("the legacy stream", batch(dsts, srcs, sizes, 2, good, from_0, 1, CU_STREAM_LEGACY), CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemsetD8(d, 1, 64));
    NEED(cuMemsetD8(srcs[0], 9, 8));
    check_result("a copy past the end of the memory", batch(wild, srcs, sizes, 2, good, from_0, 1, s), CUDA_ERROR_INVALID_VALUE);
    char back = 0;
    NEED(cuStreamSynchronize(s));
    NEED(cuMemcpyDtoH(&back, d, 1));
    check_true("and then none of the batch takes place", back == 1);
    NEED(cuMemFree(d));
}

static void boxes(void)
{
    enum { W = 8, H = 4, D = 2 };
    CUDA_ARRAY3D_DESCRIPTOR desc;
    CUDA_MEMCPY3D_BATCH_OP ops[2];
    CUarray array;
    CUdeviceptr d;
    int *in, out[W * H * D];

    memset(&desc, 0, sizeof desc);
    desc.Width = W;
    desc.Height = H;
    desc.Depth = D;
    desc.Format = CU_AD_FORMAT_SIGNED_INT32;
    desc.NumChannels = 1;
    NEED(cuArray3DCreate(&array, &desc));
    NEED(cuMemAlloc(&d, sizeof out));
    NEED(cuMemAllocHost((void **)&in, sizeof out));
    for (int i = 0; i < W * H * D; i++)
        in[i] = i;
    memset(ops, 0, sizeof ops);
    ops[0].src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    ops[0].src.op.ptr.ptr = at(in);
    ops[0].src.op.ptr.rowLength = W;
    ops[0].src.op.ptr.layerHeight = H;
    ops[0].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    ops[0].dst.op.array.array = array;
    ops[0].extent.width = W;
    ops[0].extent.height = H;
    ops[0].extent.depth = D;
    ops[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    ops[1] = ops[0];                             /* memory to memory: sizes are bytes */
    ops[1].dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    ops[1].dst.op.ptr.ptr = d;
    ops[1].dst.op.ptr.rowLength = 0;
    ops[1].dst.op.ptr.layerHeight = 0;
    ops[1].src.op.ptr.rowLength = W * 4;
    ops[1].extent.width = 2 * 4;
    check_result("a batch of boxes", batch_3d(2, ops, 0, s), CUDA_SUCCESS);
    NEED(cuStreamSynchronize(s));
    NEED(cuMemcpyDtoH(out, d, 2 * H * D * 4));
    check_true("leaves no gaps where none are asked for", out[0] == 0 && out[1] == 1 && out[2] == W && out[2 * H] == W * H);
    memset(out, 0, sizeof out);
    ops[0].src = ops[0].dst;                     /* the array's middle, and back */
    ops[0].src.op.array.offset.x = 2;
    ops[0].src.op.array.offset.y = 1;
    ops[0].src.op.array.offset.z = 1;
    ops[0].dst = ops[1].dst;
    ops[0].extent.width = 3;
    ops[0].extent.height = 2;
    ops[0].extent.depth = 1;
    check_result("a box of an array", batch_3d(1, ops, 0, s), CUDA_SUCCESS);
    NEED(cuStreamSynchronize(s));
    NEED(cuMemcpyDtoH(out, d, 3 * 2 * 4));
    check_true("counts texels", out[0] == W * H + W + 2 && out[3] == W * H + 2 * W + 2 && out[5] == W * H + 2 * W + 4);
    ops[0].src.op.array.offset.x = W - 2;
    check_result("a box that leaves the array", batch_3d(1, ops, 0, s), CUDA_ERROR_INVALID_VALUE);
    check_result("no boxes", batch_3d(0, ops, 0, s), CUDA_ERROR_INVALID_VALUE);
    NEED(cuArrayDestroy(array));
    NEED(cuMemFreeHost(in));
    NEED(cuMemFree(d));
}

/* The runtime of CUDA 13, whatever this program is linked with. */
static void runtime(void)
{
    typedef int runtime_fn(const void **, const void **, const size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t, CUstream);
    void *lib = dlopen("libcudart.so.13", RTLD_NOW);
    runtime_fn *call = lib ? (runtime_fn *)dlsym(lib, "cudaMemcpyBatchAsync") : NULL;
    CUmemcpyAttributes attr;
    CUdeviceptr d;
    size_t size = 4, first = 0;
    int *in, back = 0;

    if (!check_true("the runtime of CUDA 13 has batches", call != NULL))
        return;
    memset(&attr, 0, sizeof attr);
    attr.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    NEED(cuMemAlloc(&d, 4));
    NEED(cuMemAllocHost((void **)&in, 4));
    *in = 77;
    const void *to = (const void *)(size_t)d, *from = in;
    check_value("which succeed", call(&to, &from, &size, 1, &attr, &first, 1, s), 0);
    NEED(cuStreamSynchronize(s));
    NEED(cuMemcpyDtoH(&back, d, 4));
    check_value("and copy", back, 77);
    check_value("and answer what is wrong", call(&to, &from, &size, 0, &attr, &first, 1, s), 1);
    NEED(cuMemFreeHost(in));
    NEED(cuMemFree(d));
}

int main(void)
{
    CUdriverProcAddressQueryResult found;

    check_start();
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    NEED(cuGetProcAddress("cuMemcpyBatchAsync", (void **)&batch, 13000, 0, &found));
    NEED(cuGetProcAddress("cuMemcpy3DBatchAsync", (void **)&batch_3d, 13000, 0, &found));
    order();
    refused();
    boxes();
    runtime();
    return n_failed != 0;
}
