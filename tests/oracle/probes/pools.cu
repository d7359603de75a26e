// Stream-ordered memory and its pools: attributes, what is reserved and used, reuse, trim, sharing, right and wrong uses.
#include "probe.h"
#include <cstdint>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long long attr(cudaMemPool_t pool, cudaMemPoolAttr which) {
    unsigned long long v = 0; if (which <= cudaMemPoolReuseAllowInternalDependencies) { int i = -1; if (cudaMemPoolGetAttribute(pool, which, &i)) return 999; return (unsigned)i; }
    if (cudaMemPoolGetAttribute(pool, which, &v)) { cudaGetLastError(); return 999; } return v;
}
static void usage(const char *key, cudaMemPool_t p) {
    printf("%s = reserved %llu high %llu used %llu high %llu\n", key, attr(p, cudaMemPoolAttrReservedMemCurrent), attr(p, cudaMemPoolAttrReservedMemHigh), attr(p, cudaMemPoolAttrUsedMemCurrent), attr(p, cudaMemPoolAttrUsedMemHigh));
}
static cudaMemPoolProps props(cudaMemAllocationHandleType h = cudaMemHandleTypeNone) {
    cudaMemPoolProps p; memset(&p, 0, sizeof p); p.allocType = cudaMemAllocationTypePinned; p.handleTypes = h; p.location.type = cudaMemLocationTypeDevice; p.location.id = 0; return p;
}
static void attributes() {
    cudaMemPool_t pool = nullptr, other = nullptr; void *p = nullptr;
    R("default.get", cudaDeviceGetDefaultMemPool(&pool, 0)); R("default.get_bad_device", cudaDeviceGetDefaultMemPool(&other, 7)); R("default.get_negative", cudaDeviceGetDefaultMemPool(&other, -1)); R("default.get_null", cudaDeviceGetDefaultMemPool(nullptr, 0));
    R("current.get", cudaDeviceGetMemPool(&other, 0)); V("current.is_default", "%d", other == pool);
    for (int a = 1; a <= 8; a++) { char k[64]; snprintf(k, 64, "default.attr_%d", a); V(k, "%llu", attr(pool, (cudaMemPoolAttr)a)); }
    unsigned long long v = 5; int i = 1;
    R("getattr.bad", cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &v)); R("getattr.zero", cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)0, &v)); R("getattr.null_value", cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, nullptr)); R("getattr.null_pool", cudaMemPoolGetAttribute(nullptr, cudaMemPoolAttrReleaseThreshold, &v));
    R("setattr.used_current", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &v)); R("setattr.reserved_current", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &v));
    R("setattr.used_high_5", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &v)); v = 0; R("setattr.used_high_0", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &v)); R("setattr.reserved_high_0", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &v));
    R("setattr.bad", cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)99, &v)); 
    i = 7; R("setattr.reuse_7", cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &i)); V("setattr.reuse_7_reads", "%llu", attr(pool, cudaMemPoolReuseAllowOpportunistic)); i = 1; cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &i); cudaGetLastError();
    v = 12345; R("setattr.threshold", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v)); V("setattr.threshold_reads", "%llu", attr(pool, cudaMemPoolAttrReleaseThreshold)); v = 0; cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v);
    R("malloc.ok", cudaMallocAsync(&p, 100, 0)); V("malloc.aligned_256", "%d", ((size_t)p & 255) == 0); V("malloc.aligned_512", "%d", ((size_t)p & 511) == 0); cudaFreeAsync(p, 0);
    R("malloc.zero", cudaMallocAsync(&p, 0, 0)); V("malloc.zero_is_null", "%d", p == nullptr); R("malloc.huge", cudaMallocAsync(&p, (size_t)1 << 46, 0)); R("malloc.huge_63", cudaMallocAsync(&p, (size_t)1 << 63, 0));
    R("malloc.after_huge", cudaMallocAsync(&p, 64, 0)); R("free.interior", cudaFreeAsync((char *)p + 16, 0)); R("free.ok", cudaFreeAsync(p, 0)); R("free.twice", cudaFreeAsync(p, 0)); R("free.null", cudaFreeAsync(nullptr, 0));
    cudaMallocAsync(&p, 64, cudaStreamPerThread); R("free.legacy_of_ptds", cudaFreeAsync(p, cudaStreamLegacy)); cudaDeviceSynchronize();
    int stack = 0; R("free.stack", cudaFreeAsync(&stack, 0)); void *m = nullptr; cudaMalloc(&m, 64); R("free.of_cudamalloc", cudaFreeAsync(m, 0)); R("free.of_cudamalloc_again", cudaFree(m));
    cudaMallocHost(&m, 64); R("free.of_host", cudaFreeAsync(m, 0)); cudaFreeHost(m); cudaMallocManaged(&m, 64); R("free.of_managed", cudaFreeAsync(m, 0)); R("free.of_managed_again", cudaFree(m));
    cudaMallocAsync(&p, 64, 0); R("cudafree.of_pool", cudaFree(p)); R("cudafree.of_pool_twice", cudaFree(p)); R("freeasync.after_cudafree", cudaFreeAsync(p, 0));
    cudaDeviceSynchronize();
}
static void amounts() {
    cudaMemPool_t pool = nullptr; cudaMemPoolProps pr = props(); R("create.ok", cudaMemPoolCreate(&pool, &pr)); usage("amount.fresh", pool);
    for (int a = 1; a <= 4; a++) { char k[64]; snprintf(k, 64, "created.attr_%d", a); V(k, "%llu", attr(pool, (cudaMemPoolAttr)a)); }
    size_t sizes[] = {1, 256, 511, 512, 513, 4096, 65536, 1 << 20, (1 << 20) + 1, 2 << 20, (2 << 20) + 1, 31 << 20, 32 << 20, (32 << 20) + 1, 33 << 20, 100 << 20};
    for (size_t s : sizes) { void *p = nullptr; char k[64]; snprintf(k, 64, "amount.of_%zu", s); if (cudaMallocFromPoolAsync(&p, s, pool, 0)) { V(k, "%s", "error"); cudaGetLastError(); continue; } usage(k, pool);
        cudaFreeAsync(p, 0); cudaStreamSynchronize(0); snprintf(k, 64, "amount.freed_%zu", s); usage(k, pool); cudaMemPoolTrimTo(pool, 0); unsigned long long z = 0; cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &z); cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &z); }
    unsigned long long all = UINT64_MAX; cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all); V("threshold.max_reads", "%llu", attr(pool, cudaMemPoolAttrReleaseThreshold));
    void *a = nullptr, *b = nullptr, *c = nullptr; cudaMallocFromPoolAsync(&a, 20 << 20, pool, 0); usage("keep.a", pool); cudaMallocFromPoolAsync(&b, 20 << 20, pool, 0); usage("keep.ab", pool); cudaMallocFromPoolAsync(&c, 5 << 20, pool, 0); usage("keep.abc", pool);
    cudaFreeAsync(a, 0); usage("keep.free_a_unsynced_used", pool); cudaDeviceSynchronize(); usage("keep.free_a", pool); cudaFreeAsync(b, 0); cudaDeviceSynchronize(); usage("keep.free_b", pool);
    R("trim.to_1gib", cudaMemPoolTrimTo(pool, 1 << 30)); usage("trim.to_1gib_left", pool); R("trim.to_40mib", cudaMemPoolTrimTo(pool, 40 << 20)); usage("trim.to_40mib_left", pool); R("trim.to_zero", cudaMemPoolTrimTo(pool, 0)); usage("trim.to_zero_left", pool);
    cudaFreeAsync(c, 0); cudaDeviceSynchronize(); R("trim.all", cudaMemPoolTrimTo(pool, 0)); usage("trim.all_left", pool); 
    cudaMallocFromPoolAsync(&a, 1 << 20, pool, 0); cudaMallocFromPoolAsync(&b, 1 << 20, pool, 0); V("place.adjacent", "%ld", (long)((char *)b - (char *)a)); cudaMallocFromPoolAsync(&c, 100, pool, 0); V("place.small_after", "%ld", (long)((char *)c - (char *)a)); void *d; cudaMallocFromPoolAsync(&d, 100, pool, 0); V("place.small_apart", "%ld", (long)((char *)d - (char *)c));
    R("destroy.with_live_memory", cudaMemPoolDestroy(pool)); R("destroy.then_memset", cudaMemsetAsync(a, 1, 16, 0)); R("destroy.then_free", cudaFreeAsync(a, 0)); cudaFreeAsync(b, 0); cudaFreeAsync(c, 0); cudaFreeAsync(d, 0); R("destroy.sync", cudaDeviceSynchronize());
    cudaMemPool_t def; cudaDeviceGetDefaultMemPool(&def, 0); R("destroy.default", cudaMemPoolDestroy(def));
}
static void created() {
    cudaMemPool_t pool = nullptr; cudaMemPoolProps p = props();
    
    p.allocType = cudaMemAllocationTypeInvalid; R("create.alloc_invalid", cudaMemPoolCreate(&pool, &p)); p.allocType = (cudaMemAllocationType)2; R("create.alloc_2", cudaMemPoolCreate(&pool, &p)); p = props(); p.location.id = 5; R("create.bad_device", cudaMemPoolCreate(&pool, &p));
    p = props(); p.location.id = -1; R("create.negative_device", cudaMemPoolCreate(&pool, &p)); p = props(); p.location.type = cudaMemLocationTypeInvalid; R("create.location_invalid", cudaMemPoolCreate(&pool, &p)); p = props(); p.location.type = (cudaMemLocationType)55; R("create.location_55", cudaMemPoolCreate(&pool, &p));
    p = props((cudaMemAllocationHandleType)0x40); R("create.handle_64", cudaMemPoolCreate(&pool, &p)); p = props(cudaMemHandleTypeWin32); R("create.handle_win32", cudaMemPoolCreate(&pool, &p)); p = props(); p.reserved[3] = 1; R("create.reserved", cudaMemPoolCreate(&pool, &p));
    p = props(); p.location.type = cudaMemLocationTypeHost; p.location.id = 0; R("create.host", cudaMemPoolCreate(&pool, &p)); if (pool) cudaMemPoolDestroy(pool); cudaGetLastError(); pool = nullptr;
    p = props(); p.location.type = cudaMemLocationTypeHostNuma; p.location.id = 0; R("create.host_numa", cudaMemPoolCreate(&pool, &p)); void *q = nullptr; if (pool) { R("host_numa.malloc", cudaMallocFromPoolAsync(&q, 4096, pool, 0)); cudaDeviceSynchronize(); cudaPointerAttributes at; cudaPointerGetAttributes(&at, q); V("host_numa.type", "%d", (int)at.type); V("host_numa.device", "%d", at.device); if (q) { memset(q, 7, 4096); V("host_numa.host_reads", "%d", ((char *)q)[4095]); } cudaFreeAsync(q, 0); cudaDeviceSynchronize(); cudaMemPoolDestroy(pool); } cudaGetLastError(); pool = nullptr;
#if CUDART_VERSION >= 12040
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
static void access() {
    cudaMemPool_t pool; cudaMemPoolProps p = props(); cudaMemPoolCreate(&pool, &p); cudaMemAccessDesc d; d.location.type = cudaMemLocationTypeDevice; d.location.id = 0; d.flags = cudaMemAccessFlagsProtReadWrite; cudaMemAccessFlags f = (cudaMemAccessFlags)9;
    R("access.get", cudaMemPoolGetAccess(&f, pool, &d.location)); V("access.get_value", "%d", (int)f); R("access.set_rw", cudaMemPoolSetAccess(pool, &d, 1)); d.flags = cudaMemAccessFlagsProtNone; R("access.set_none_for_owner", cudaMemPoolSetAccess(pool, &d, 1)); d.flags = cudaMemAccessFlagsProtRead; R("access.set_read", cudaMemPoolSetAccess(pool, &d, 1)); cudaMemPoolGetAccess(&f, pool, &d.location); V("access.after_read", "%d", (int)f);
    d.flags = cudaMemAccessFlagsProtReadWrite; R("access.count_zero", cudaMemPoolSetAccess(pool, &d, 0)); d.location.id = 4; R("access.bad_device", cudaMemPoolSetAccess(pool, &d, 1)); R("access.get_bad_device", cudaMemPoolGetAccess(&f, pool, &d.location)); d.location.id = 0; d.location.type = cudaMemLocationTypeHost; R("access.host", cudaMemPoolSetAccess(pool, &d, 1)); R("access.get_host", cudaMemPoolGetAccess(&f, pool, &d.location)); 
    cudaMemPoolDestroy(pool);
}
static void reuse() {
    int *flag, *dflag; cudaHostAlloc(&flag, 4, cudaHostAllocMapped); cudaHostGetDevicePointer((void **)&dflag, flag, 0); cudaStream_t a, b; cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking); cudaEvent_t ev; cudaEventCreate(&ev);
    for (int mode = 0; mode < 4; mode++) {
        cudaMemPool_t pool; cudaMemPoolProps pr = props(); cudaMemPoolCreate(&pool, &pr); int follow = mode & 1, chance = 0, inner = mode >> 1; cudaMemPoolSetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &follow); cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &chance); cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &inner);
        unsigned long long keep = UINT64_MAX; cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep); char k[80]; void *p, *q, *r, *s;
        *flag = 0; spin_until<<<1, 1, 0, a>>>(dflag); cudaMallocFromPoolAsync(&p, 1 << 20, pool, a); cudaFreeAsync(p, a); cudaMallocFromPoolAsync(&q, 1 << 20, pool, a); snprintf(k, 80, "reuse.same_stream_%d", mode); V(k, "%d", p == q);
        cudaFreeAsync(q, a); if (!inner) { cudaMallocFromPoolAsync(&r, 1 << 20, pool, b); snprintf(k, 80, "reuse.other_stream_busy_%d", mode); V(k, "%d", r == q); cudaFreeAsync(r, b); cudaStreamSynchronize(b); }
        cudaMallocFromPoolAsync(&s, 1 << 20, pool, a); cudaFreeAsync(s, a); cudaEventRecord(ev, a); cudaStreamWaitEvent(b, ev, 0); cudaMallocFromPoolAsync(&r, 1 << 20, pool, b); snprintf(k, 80, "reuse.after_event_%d", mode); V(k, "%d", r == s); *(volatile int *)flag = 1; cudaDeviceSynchronize(); cudaFreeAsync(r, b); cudaDeviceSynchronize();
        cudaMallocFromPoolAsync(&p, 3 << 20, pool, a); cudaFreeAsync(p, a); cudaStreamSynchronize(a); cudaMallocFromPoolAsync(&q, 3 << 20, pool, b); snprintf(k, 80, "reuse.other_stream_synced_%d", mode); V(k, "%d", p == q); cudaFreeAsync(q, b); cudaDeviceSynchronize(); cudaMemPoolDestroy(pool);
    }
    cudaStreamDestroy(a); cudaStreamDestroy(b); cudaEventDestroy(ev); cudaFreeHost(flag);
}
static void sharing() {
    cudaMemPool_t plain, pool, in = nullptr; cudaMemPoolProps p = props(), e = props(cudaMemHandleTypePosixFileDescriptor); cudaMemPoolCreate(&plain, &p); R("export.create", cudaMemPoolCreate(&pool, &e)); int fd = -1; R("export.plain", cudaMemPoolExportToShareableHandle(&fd, plain, cudaMemHandleTypePosixFileDescriptor, 0)); R("export.ok", cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0)); V("export.fd_is_open", "%d", fd >= 0);
    R("export.bad_type", cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypeNone, 0)); R("export.bad_flags", cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 1)); 
    R("import.bad_fd", cudaMemPoolImportFromShareableHandle(&in, (void *)(intptr_t)999, cudaMemHandleTypePosixFileDescriptor, 0)); R("import.same_process", cudaMemPoolImportFromShareableHandle(&in, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 0));
    void *a = nullptr, *b = nullptr, *out = nullptr; cudaMallocFromPoolAsync(&a, 4096, pool, 0); cudaMallocFromPoolAsync(&b, 4096, plain, 0); cudaMemsetAsync(a, 0x5a, 4096, 0); cudaStreamSynchronize(0); cudaMemPoolPtrExportData data, junk; memset(&junk, 0x33, sizeof junk); memset(&data, 0, sizeof data);
    R("pointer.export", cudaMemPoolExportPointer(&data, a)); R("pointer.export_interior", cudaMemPoolExportPointer(&junk, (char *)a + 8)); R("pointer.export_plain", cudaMemPoolExportPointer(&junk, b)); void *m; cudaMalloc(&m, 64); R("pointer.export_malloc", cudaMemPoolExportPointer(&junk, m)); cudaFree(m);
    if (in) { R("import.malloc_from", cudaMallocFromPoolAsync(&m, 64, in, 0)); R("import.set_attr", [&] { unsigned long long v = 1; return cudaMemPoolSetAttribute(in, cudaMemPoolAttrReleaseThreshold, &v); }()); R("import.export_again", cudaMemPoolExportToShareableHandle(&fd, in, cudaMemHandleTypePosixFileDescriptor, 0)); R("pointer.import_same_process", cudaMemPoolImportPointer(&out, in, &data)); V("pointer.import_differs", "%d", out != a); unsigned char got = 0; if (out) { R("pointer.import_read", cudaMemcpy(&got, out, 1, cudaMemcpyDeviceToHost)); V("pointer.import_value", "%d", got); R("pointer.import_free", cudaFreeAsync(out, 0)); cudaDeviceSynchronize(); } R("import.destroy", cudaMemPoolDestroy(in)); }
    R("pointer.import_wrong_pool", cudaMemPoolImportPointer(&m, plain, &data)); cudaFreeAsync(a, 0); cudaFreeAsync(b, 0); cudaDeviceSynchronize(); cudaMemPoolDestroy(plain); cudaMemPoolDestroy(pool); if (fd >= 0) close(fd);
}
// What a broken export record gives may be a crash: in a process of its own.
static int junk_import() {
    cudaMemPoolProps e = props(cudaMemHandleTypePosixFileDescriptor); cudaMemPool_t pool, in = nullptr; cudaMemPoolCreate(&pool, &e); int fd = -1; void *m = nullptr; cudaMemPoolPtrExportData junk; memset(&junk, 0x33, sizeof junk); cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0); cudaMemPoolImportFromShareableHandle(&in, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 0); R("pointer.import_junk", cudaMemPoolImportPointer(&m, in, &junk)); return 0;
}
static void captured() {
    cudaStream_t s; cudaStreamCreate(&s); cudaGraph_t g = nullptr; void *p = nullptr, *q = nullptr; int h[4] = {0};
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); R("capture.malloc", cudaMallocAsync(&p, 4096, s)); V("capture.pointer_at_once", "%d", p != nullptr); R("capture.memset", cudaMemsetAsync(p, 3, 16, s)); R("capture.copy", cudaMemcpyAsync(h, p, 16, cudaMemcpyDeviceToHost, s)); R("capture.free", cudaFreeAsync(p, s)); R("capture.end", cudaStreamEndCapture(s, &g));
    size_t n = 0; cudaGraphGetNodes(g, nullptr, &n); V("capture.nodes", "%zu", n); cudaGraphNode_t nodes[8]; n = 8; cudaGraphGetNodes(g, nodes, &n); int types[16] = {0}; for (size_t i = 0; i < n; i++) { cudaGraphNodeType t; cudaGraphNodeGetType(nodes[i], &t); if ((int)t < 16) types[t]++; } V("capture.alloc_nodes", "%d", types[cudaGraphNodeTypeMemAlloc]); V("capture.free_nodes", "%d", types[cudaGraphNodeTypeMemFree]);
    for (size_t i = 0; i < n; i++) { cudaGraphNodeType t; cudaGraphNodeGetType(nodes[i], &t); if (t == cudaGraphNodeTypeMemAlloc) { cudaMemAllocNodeParams ap; memset(&ap, 0, sizeof ap); R("capture.alloc_params", cudaGraphMemAllocNodeGetParams(nodes[i], &ap)); V("capture.alloc_bytes", "%zu", ap.bytesize); V("capture.alloc_ptr_same", "%d", ap.dptr == p); V("capture.alloc_pool_type", "%d", (int)ap.poolProps.allocType); V("capture.alloc_location", "%d", (int)ap.poolProps.location.type); V("capture.alloc_access_count", "%zu", ap.accessDescCount); } if (t == cudaGraphNodeTypeMemFree) { void *fp = nullptr; R("capture.free_params", cudaGraphMemFreeNodeGetParams(nodes[i], &fp)); V("capture.free_ptr_same", "%d", fp == p); } }
    cudaGraphExec_t x = nullptr; R("capture.instantiate", cudaGraphInstantiateWithFlags(&x, g, 0)); R("capture.launch", cudaGraphLaunch(x, s)); R("capture.sync", cudaStreamSynchronize(s)); V("capture.result", "%08x", h[3]); R("capture.launch_again", cudaGraphLaunch(x, s)); R("capture.sync_again", cudaStreamSynchronize(s)); cudaGraph_t clone = nullptr; R("capture.clone", cudaGraphClone(&clone, g)); cudaGraphExec_t x2 = nullptr; R("capture.instantiate_twice", cudaGraphInstantiateWithFlags(&x2, g, 0)); if (x2) cudaGraphExecDestroy(x2);
    unsigned long long v = 0; R("graphmem.used", cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &v)); V("graphmem.used_value", "%llu", v); R("graphmem.reserved", cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &v)); V("graphmem.reserved_value", "%llu", v); cudaGraphExecDestroy(x); R("graphmem.trim", cudaDeviceGraphMemTrim(0)); cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &v); V("graphmem.reserved_trimmed", "%llu", v); v = 0; R("graphmem.set_high", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &v)); R("graphmem.set_current", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &v)); R("graphmem.trim_bad", cudaDeviceGraphMemTrim(9)); cudaGraphDestroy(g);
    cudaMallocAsync(&q, 64, s); cudaStreamSynchronize(s); cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); R("capture.free_of_outside", cudaFreeAsync(q, s)); g = nullptr; R("capture.end_of_outside", cudaStreamEndCapture(s, &g)); if (g) cudaGraphDestroy(g); cudaGetLastError();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); cudaMallocAsync(&p, 64, s); g = nullptr; R("capture.leaked_end", cudaStreamEndCapture(s, &g)); x = nullptr; R("capture.leaked_instantiate", cudaGraphInstantiateWithFlags(&x, g, 0)); if (x) { R("capture.leaked_launch", cudaGraphLaunch(x, s)); cudaStreamSynchronize(s); R("capture.leaked_memset", cudaMemset(p, 1, 64)); R("capture.leaked_relaunch", cudaGraphLaunch(x, s)); cudaStreamSynchronize(s); R("capture.leaked_free", cudaFreeAsync(p, s)); cudaStreamSynchronize(s); R("capture.leaked_relaunch_freed", cudaGraphLaunch(x, s)); cudaStreamSynchronize(s); R("capture.leaked_cudafree", cudaFree(p)); cudaGraphExecDestroy(x); }
    if (g) cudaGraphDestroy(g); cudaStreamDestroy(s); cudaGetLastError();
}
int main(int argc, char **) {
    limit_time(); if (argc > 1) return junk_import(); fflush(stdout); pid_t c = fork(); if (!c) { execl("/proc/self/exe", "pools", "junk", nullptr); _exit(9); } int st; waitpid(c, &st, 0); if (!WIFEXITED(st)) printf("pointer.import_junk_end = signal\n");
    cudaFree(nullptr); attributes(); amounts(); created(); access(); sharing(); captured(); reuse(); R("end.sync", cudaDeviceSynchronize()); }
