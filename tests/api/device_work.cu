// SPDX-License-Identifier: Apache-2.0
// run: -rdc=true -lcudadevrt
// What a kernel queues besides kernels, in order with them: fills and copies of rows and boxes, events; and what it may ask about kernels and limits.
#include "runtime_check.h"

enum { WIDTH = 40, PITCH = 64, ROWS = 5, SLICES = 3, BYTES = PITCH * ROWS * SLICES };

static __global__ void add_one(unsigned char *p, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        p[i]++;
}

// The fills and kernels of a stream come in the order of the calls.
static __global__ void fills(unsigned char *a, unsigned char *b, unsigned char *c, int *rc)
{
    cudaStream_t s;
    rc[0] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    rc[1] = cudaMemsetAsync(a, 7, BYTES, s);
    add_one<<<(BYTES + 63) / 64, 64, 0, s>>>(a, BYTES);
    rc[2] = cudaMemsetAsync(a, 9, 16, s);
    rc[3] = cudaMemset2DAsync(b, PITCH, 5, WIDTH, ROWS, s);
    rc[4] = cudaMemset3DAsync(cudaPitchedPtr{ c, PITCH, WIDTH, ROWS }, 6, cudaExtent{ WIDTH, ROWS - 1, SLICES }, s);
    rc[5] = cudaMemset2DAsync(b, 8, 5, WIDTH, ROWS, s) == cudaErrorInvalidPitchValue ? 0 : 1;
    rc[6] = cudaStreamDestroy(s);
}

static __global__ void copies(unsigned char *box, const unsigned char *from, unsigned char *rows, int *rc)
{
    cudaEvent_t e;
    rc[0] = cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    rc[1] = cudaMemcpy2DAsync(rows, WIDTH, from, PITCH, WIDTH, ROWS, cudaMemcpyDeviceToDevice, 0);
    rc[2] = cudaEventRecord(e, 0);
    rc[3] = cudaStreamWaitEvent(cudaStreamFireAndForget, e, 0);
    cudaMemcpy3DParms p = {};
    p.srcPtr = cudaPitchedPtr{ (void *)from, PITCH, PITCH, ROWS };
    p.srcPos = cudaPos{ 3, 1, 0 };
    p.dstPtr = cudaPitchedPtr{ box, PITCH, PITCH, ROWS };
    p.dstPos = cudaPos{ 0, 0, 1 };
    p.extent = cudaExtent{ 10, 2, 2 };
    p.kind = cudaMemcpyDeviceToDevice;
    rc[4] = cudaMemcpy3DAsync(&p, 0);
    rc[5] = cudaEventDestroy(e);
    rc[6] = 0;
}

static __global__ void first(int *list, int *n) { list[atomicAdd(n, 1)] = 1; }
static __global__ void last(int *list, int *n) { list[atomicAdd(n, 1)] = 2; }
static __global__ void streams(int *list, int *n)
{
    last<<<1, 1, 0, cudaStreamTailLaunch>>>(list, n);
    for (int k = 0; k < 3; k++)
        first<<<1, 1, 0, cudaStreamFireAndForget>>>(list, n);
}

static __global__ void __launch_bounds__(256) measured(float *p)
{
    __shared__ float room[1000];
    room[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = room[255 - threadIdx.x];
}

struct answers {
    int blocks[4], rc[8];
    cudaFuncAttributes attributes;
    size_t heap, stack;
};
static __global__ void ask(answers *a, float *p)
{
    const int threads[4] = { 32, 100, 256, 512 };
    for (int k = 0; k < 4; k++)
        a->rc[k] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a->blocks[k], measured, threads[k], k == 1 ? 20000 : 0);
    a->rc[4] = cudaFuncGetAttributes(&a->attributes, measured);
    a->rc[5] = cudaDeviceGetLimit(&a->heap, cudaLimitMallocHeapSize);
    a->rc[6] = cudaDeviceGetLimit(&a->stack, cudaLimitStackSize);
    a->rc[7] = cudaDeviceGetLimit(&a->stack, (cudaLimit)77) == cudaErrorUnsupportedLimit ? 0 : 1;
    if (p)
        measured<<<1, 256>>>(p);
}

static bool all_zero(const int *rc, int n)
{
    for (int k = 0; k < n; k++) {
        if (rc[k])
            printf("# call %d answers %d\n", k, rc[k]);
        if (rc[k])
            return false;
    }
    return true;
}

static void fills_come_in_order(unsigned char *p, int *rc)
{
    unsigned char *a = p, *b = p + BYTES, *c = p + 2 * BYTES;
    memset(p, 1, 3 * BYTES);
    fills<<<1, 1>>>(a, b, c, rc);
    CHECK_OK("fills end well", cudaDeviceSynchronize());
    CHECK("their calls succeed", all_zero(rc, 7));
    bool right = true;
    for (int k = 0; k < BYTES; k++) {
        int x = k % PITCH, y = k / PITCH % ROWS, z = k / PITCH / ROWS;
        right &= a[k] == (k < 16 ? 9 : 8);
        right &= b[k] == (x < WIDTH && z == 0 ? 5 : 1);
        right &= c[k] == (x < WIDTH && y < ROWS - 1 ? 6 : 1);
    }
    CHECK("cudaMemset, 2D and 3D in kernels, in order with launches", right);
}

static void copies_of_rows_and_boxes(unsigned char *p, int *rc)
{
    unsigned char *box = p, *from = p + BYTES, *rows = p + 2 * BYTES;
    memset(p, 0, 3 * BYTES);
    for (int k = 0; k < BYTES; k++)
        from[k] = (unsigned char)(k * 7 + k / 256);
    copies<<<1, 1>>>(box, from, rows, rc);
    CHECK_OK("copies end well", cudaDeviceSynchronize());
    CHECK("their calls and those of events succeed", all_zero(rc, 7));
    bool right = true;
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < WIDTH; x++)
            right &= rows[y * WIDTH + x] == from[y * PITCH + x];
    for (int k = 0; k < BYTES; k++) {
        int x = k % PITCH, y = k / PITCH % ROWS, z = k / PITCH / ROWS;
        bool inside = x < 10 && y < 2 && z >= 1 && z < 3;
        right &= box[k] == (inside ? from[(z - 1) * PITCH * ROWS + (y + 1) * PITCH + x + 3] : 0);
    }
    CHECK("cudaMemcpy2DAsync and 3DAsync in kernels", right);
}

static void the_tail_is_last(int *p)
{
    memset(p, 0, 8 * sizeof(int));
    streams<<<1, 1>>>(p + 1, p);
    CHECK_OK("launches in named streams end well", cudaDeviceSynchronize());
    CHECK("the tail launch is last", p[0] == 4 && p[1] == 1 && p[2] == 1 && p[3] == 1 && p[4] == 2);
}

static void figures_are_the_hosts(answers *a)
{
    const int threads[4] = { 32, 100, 256, 512 };
    cudaFuncAttributes want;
    size_t heap = 0, stack = 0;
    bool right = true;
    ask<<<1, 1>>>(a, nullptr);
    CHECK_OK("questions end well", cudaDeviceSynchronize());
    NEED(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    ask<<<1, 1>>>(a, nullptr);
    CHECK_OK("and again", cudaDeviceSynchronize());
    CHECK("their calls succeed", all_zero(a->rc, 8));
    for (int k = 0; k < 4; k++) {
        int blocks = -1;
        NEED(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, measured, threads[k], k == 1 ? 20000 : 0));
        right &= a->blocks[k] == blocks;
    }
    CHECK("occupancy is what the host says", right);
    NEED(cudaFuncGetAttributes(&want, measured));
    CHECK("so are a kernel's attributes", a->attributes.sharedSizeBytes == want.sharedSizeBytes && want.sharedSizeBytes >= 4000 &&
                                              a->attributes.maxThreadsPerBlock == want.maxThreadsPerBlock && a->attributes.numRegs == want.numRegs &&
                                              a->attributes.ptxVersion == want.ptxVersion && a->attributes.binaryVersion == want.binaryVersion);
    NEED(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    NEED(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CHECK("and limits, as they are now", a->heap == heap && a->stack == stack && stack == 4096);
}

int main()
{
    unsigned char *p;
    int *rc;
    answers *a;
    NEED(cudaMallocManaged(&p, 3 * BYTES));
    NEED(cudaMallocManaged(&rc, 16 * sizeof(int)));
    NEED(cudaMallocManaged(&a, sizeof *a));
    fills_come_in_order(p, rc);
    copies_of_rows_and_boxes(p, rc);
    the_tail_is_last(rc);
    figures_are_the_hosts(a);
    return check_failures != 0;
}
