// Pools: which properties can be asked for, the current pool, what UVA knows of their memory.
#include "probe.h"
#include <cstdint>

static unsigned long long attr(cudaMemPool_t pool, cudaMemPoolAttr which) {
    unsigned long long v = 0; if (which <= cudaMemPoolReuseAllowInternalDependencies) { int i = -1; if (cudaMemPoolGetAttribute(pool, which, &i)) return 999; return (unsigned)i; }
    if (cudaMemPoolGetAttribute(pool, which, &v)) { cudaGetLastError(); return 999; } return v;
}
static cudaMemPoolProps props(cudaMemAllocationHandleType h = cudaMemHandleTypeNone) {
    cudaMemPoolProps p; memset(&p, 0, sizeof p); p.allocType = cudaMemAllocationTypePinned; p.handleTypes = h; p.location.type = cudaMemLocationTypeDevice; p.location.id = 0; return p;
}
static void created() {
    cudaMemPool_t pool = nullptr; cudaMemPoolProps p = props();
    
    p.allocType = cudaMemAllocationTypeInvalid; R("create.alloc_invalid", cudaMemPoolCreate(&pool, &p)); p.allocType = (cudaMemAllocationType)2; R("create.alloc_2", cudaMemPoolCreate(&pool, &p)); p = props(); p.location.id = 5; R("create.bad_device", cudaMemPoolCreate(&pool, &p));
    p = props(); p.location.id = -1; R("create.negative_device", cudaMemPoolCreate(&pool, &p)); p = props(); p.location.type = cudaMemLocationTypeInvalid; R("create.location_invalid", cudaMemPoolCreate(&pool, &p)); p = props(); p.location.type = (cudaMemLocationType)55; R("create.location_55", cudaMemPoolCreate(&pool, &p));
    p = props((cudaMemAllocationHandleType)0x40); R("create.handle_64", cudaMemPoolCreate(&pool, &p)); p = props(cudaMemHandleTypeWin32); R("create.handle_win32", cudaMemPoolCreate(&pool, &p)); p = props(); p.reserved[3] = 1; R("create.reserved", cudaMemPoolCreate(&pool, &p));
    p = props(); p.location.type = cudaMemLocationTypeHost; p.location.id = 0; R("create.host", cudaMemPoolCreate(&pool, &p)); if (pool) cudaMemPoolDestroy(pool); cudaGetLastError(); pool = nullptr;
    p = props(); p.location.type = cudaMemLocationTypeHostNuma; p.location.id = 0; R("create.host_numa", cudaMemPoolCreate(&pool, &p)); void *q = nullptr; if (pool) { R("host_numa.malloc", cudaMallocFromPoolAsync(&q, 4096, pool, 0)); cudaDeviceSynchronize(); cudaPointerAttributes at; cudaPointerGetAttributes(&at, q); V("host_numa.type", "%d", (int)at.type); V("host_numa.device", "%d", at.device); if (q) { memset(q, 7, 4096); V("host_numa.host_reads", "%d", ((char *)q)[4095]); } cudaFreeAsync(q, 0); cudaDeviceSynchronize(); cudaMemPoolDestroy(pool); } cudaGetLastError(); pool = nullptr;
#if CUDART_VERSION >= 12030
    p = props(); p.maxSize = 64 << 20; R("max.create", cudaMemPoolCreate(&pool, &p)); q = nullptr; R("max.malloc_32m", cudaMallocFromPoolAsync(&q, 32 << 20, pool, 0)); void *q2 = nullptr; R("max.malloc_40m", cudaMallocFromPoolAsync(&q2, 40 << 20, pool, 0)); cudaFreeAsync(q, 0); cudaDeviceSynchronize(); R("max.malloc_65m", cudaMallocFromPoolAsync(&q, 65 << 20, pool, 0)); R("max.malloc_64m", cudaMallocFromPoolAsync(&q, 64 << 20, pool, 0)); cudaFreeAsync(q, 0); cudaDeviceSynchronize(); cudaMemPoolDestroy(pool); cudaGetLastError();
#endif
    p = props(); cudaMemPoolCreate(&pool, &p); cudaMemPool_t now = nullptr, def = nullptr; cudaDeviceGetDefaultMemPool(&def, 0); R("set.ok", cudaDeviceSetMemPool(0, pool)); cudaDeviceGetMemPool(&now, 0); V("set.is_current", "%d", now == pool); R("set.bad_device", cudaDeviceSetMemPool(3, pool));
    cudaMallocAsync(&q, 1000, 0); V("set.used_from_it", "%llu", attr(pool, cudaMemPoolAttrUsedMemCurrent)); CUmemoryPool h = nullptr; D("pointer.pool", cuPointerGetAttribute(&h, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, (CUdeviceptr)q)); V("pointer.pool_is_it", "%d", (void *)h == (void *)pool);
    R("set.destroy_current", cudaMemPoolDestroy(pool)); cudaDeviceGetMemPool(&now, 0); V("set.current_after_destroy_is_default", "%d", now == def); cudaFreeAsync(q, 0); cudaDeviceSynchronize(); cudaGetLastError();
    R("frompool.null", cudaMallocFromPoolAsync(&q, 16, nullptr, 0)); cudaMallocAsync(&q, 5000, 0); cudaStreamSynchronize(0); cudaPointerAttributes a; R("pointer.attributes", cudaPointerGetAttributes(&a, q)); V("pointer.type", "%d", (int)a.type); V("pointer.device", "%d", a.device); V("pointer.device_same", "%d", a.devicePointer == q); V("pointer.host_null", "%d", a.hostPointer == nullptr);
    size_t size = 0; CUdeviceptr start = 0; int i = -1; D("pointer.range_size", cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, (CUdeviceptr)q)); V("pointer.range_size_value", "%zu", size); D("pointer.range_start", cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, (CUdeviceptr)q + 9)); V("pointer.range_start_same", "%d", start == (CUdeviceptr)q);
    D("pointer.address_range", cuMemGetAddressRange(&start, &size, (CUdeviceptr)q + 5)); V("pointer.address_range_size", "%zu", size); D("pointer.legacy_ipc", cuPointerGetAttribute(&i, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, (CUdeviceptr)q)); V("pointer.legacy_ipc_value", "%d", i); unsigned long long ah = 9; D("pointer.handle_types", cuPointerGetAttribute(&ah, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, (CUdeviceptr)q)); V("pointer.handle_types_value", "%llu", ah);
    i = -1; D("pointer.memory_type", cuPointerGetAttribute(&i, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)q)); V("pointer.memory_type_value", "%d", i); i = -1; D("pointer.mapped", cuPointerGetAttribute(&i, CU_POINTER_ATTRIBUTE_MAPPED, (CUdeviceptr)q)); V("pointer.mapped_value", "%d", i); cudaFreeAsync(q, 0); cudaDeviceSynchronize(); i = -1; D("pointer.freed", cuPointerGetAttribute(&i, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)q)); 
    void *m; cudaMalloc(&m, 64); h = (CUmemoryPool)1; D("pointer.pool_of_malloc", cuPointerGetAttribute(&h, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, (CUdeviceptr)m)); V("pointer.pool_of_malloc_null", "%d", h == nullptr); cudaFree(m);
    CUstream bad = nullptr; cudaStreamCreate((cudaStream_t *)&bad); cudaMallocAsync(&q, 64, bad); R("stream.destroy_with_memory", cudaStreamDestroy(bad)); R("stream.free_elsewhere", cudaFreeAsync(q, 0)); cudaDeviceSynchronize();
}
int main() { limit_time(); cudaFree(nullptr); created(); R("end.sync", cudaDeviceSynchronize()); }
