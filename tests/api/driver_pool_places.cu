// SPDX-License-Identifier: Apache-2.0
// Pools of places: devices, the host and its NUMA nodes, pinned and managed; and memory of 0 bytes. The answers are an H200's.
#include "runtime_check.h"
#include <cuda.h>
#include <string.h>

static CUstream stream;

static void defaults(int type, int place, int id, CUresult expected)
{
    CUmemLocation where = { (CUmemLocationType)place, id };
    CUmemoryPool p = NULL, q = NULL, again = NULL;
    CUmemAllocationType t = (CUmemAllocationType)type;
    CUresult rc = cuMemGetDefaultMemPool(&p, &where, t);
    printf("# type %d, place %d %d: %d\n", type, place, id, (int)rc);
    CHECK("a_place_has_a_default_pool_or_says_why_not", rc == expected && cuMemGetMemPool(&q, &where, t) == expected);
    if (rc)
        return;
    CUdeviceptr x = 0;
    unsigned kind = 0;
    int managed = 9;
    CHECK("it_is_the_current_one_and_stays", p == q && cuMemGetDefaultMemPool(&again, &where, t) == CUDA_SUCCESS && again == p);
    CHECK("it_has_memory", cuMemAllocFromPoolAsync(&x, 4096, p, stream) == CUDA_SUCCESS && cuStreamSynchronize(stream) == CUDA_SUCCESS);
    cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, x);
    cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, x);
    CHECK("of_its_kind", managed == (type == 2) && kind == (type == 2 || place == 1 ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST));
    if (type == 2 || place != 1)
        memset((void *)x, 1, 4096);
    CHECK("that_is_freed", cuMemFreeAsync(x, stream) == CUDA_SUCCESS);
    CHECK("and_is_never_destroyed", cuMemPoolDestroy(p) == CUDA_ERROR_INVALID_VALUE);

    CUmemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = t;
    props.location = where;
    CHECK("a_pool_of_the_place", cuMemPoolCreate(&q, &props) == CUDA_SUCCESS);
    CHECK("becomes_its_current_one", cuMemSetMemPool(&where, t, q) == CUDA_SUCCESS && cuMemGetMemPool(&again, &where, t) == CUDA_SUCCESS && again == q);
    CHECK("until_it_is_destroyed", cuMemPoolDestroy(q) == CUDA_SUCCESS && cuMemGetMemPool(&again, &where, t) == CUDA_SUCCESS && again == p);
}

static void nothing(void)
{
    CUdeviceptr x = 77;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = NULL;
    size_t n = 9;
    CHECK("0_bytes_are_no_error_and_no_address", cuMemAllocAsync(&x, 0, stream) == CUDA_SUCCESS && x == 0);
    CHECK("and_can_be_freed", cuMemFreeAsync(0, stream) == CUDA_SUCCESS);
    CHECK("only_in_stream_order", cuMemAlloc(&x, 0) == CUDA_ERROR_INVALID_VALUE && cuMemAllocManaged(&x, 0, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_INVALID_VALUE);
    cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    x = 77;
    CHECK("also_in_a_capture", cuMemAllocAsync(&x, 0, stream) == CUDA_SUCCESS && x == 0 && cuMemFreeAsync(x, stream) == CUDA_SUCCESS);
    CHECK("which_goes_on", cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CHECK("and_has_no_node_of_it", cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS && cuGraphGetNodes(graph, NULL, &n) == CUDA_SUCCESS && n == 0);
    cuGraphDestroy(graph);
}

static void node(int type, int place, int id, size_t bytes, CUresult expected)
{
    CUDA_MEM_ALLOC_NODE_PARAMS a;
    CUgraph graph;
    CUgraphNode n;
    memset(&a, 0, sizeof a);
    a.poolProps.allocType = (CUmemAllocationType)type;
    a.poolProps.location.type = (CUmemLocationType)place;
    a.poolProps.location.id = id;
    a.bytesize = bytes;
    cuGraphCreate(&graph, 0);
    CUresult rc = cuGraphAddMemAllocNode(&n, graph, NULL, 0, &a);
    printf("# node of type %d, place %d %d, %zu bytes: %d\n", type, place, id, bytes, (int)rc);
    CHECK("a_node_allocates_memory_of_a_device_only", rc == expected);
    cuGraphDestroy(graph);
}

int main()
{
    CUdevice device;
    CUcontext ctx;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&ctx, device);
    cuCtxSetCurrent(ctx);
    cuStreamCreate(&stream, 0);
    const CUresult none = CUDA_ERROR_NOT_SUPPORTED, bad = CUDA_ERROR_INVALID_VALUE;
    defaults(1, 1, 0, CUDA_SUCCESS);
    defaults(1, 2, 0, CUDA_SUCCESS);
    defaults(1, 3, 0, CUDA_SUCCESS);
    defaults(1, 3, 1 << 20, bad);
    defaults(1, 4, 0, none);
    defaults(1, 0, 0, bad);
    defaults(1, 1, 99, bad);
    defaults(2, 1, 0, CUDA_SUCCESS);
    defaults(2, 2, 0, CUDA_SUCCESS);
    defaults(2, 3, 0, CUDA_SUCCESS);
    defaults(2, 4, 0, none);
    defaults(2, 0, 0, CUDA_SUCCESS);
    defaults(2, 1, 99, bad);
    defaults(0, 1, 0, bad);
    defaults(0, 4, 0, none);
    nothing();
    node(1, 1, 0, 0, bad);
    node(1, 1, 0, 4096, CUDA_SUCCESS);
    node(1, 2, 0, 4096, none);
    node(1, 3, 0, 0, none);
    node(1, 4, 0, 4096, bad);
    node(1, 0, 0, 4096, bad);
    node(2, 1, 0, 4096, CUDA_SUCCESS);
    node(2, 2, 0, 4096, none);
    node(2, 4, 0, 4096, none);
    node(2, 0, 0, 4096, none);
    node(2, 1, 99, 4096, bad);
    return check_failures != 0;
}
