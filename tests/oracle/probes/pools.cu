// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory and its pools: attributes, right and wrong frees. pools_*.cu have the rest.
#include "pools.h"
#include <cstdint>
#include <sys/wait.h>
#include <unistd.h>

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
    int stack = 0; R("free.stack", cudaFreeAsync(&stack, 0)); void *m = nullptr; cudaMalloc(&m, 64); R("free.of_cudamalloc", cudaFreeAsync(m, 0));
    cudaMallocHost(&m, 64); R("free.of_host", cudaFreeAsync(m, 0)); cudaFreeHost(m); cudaMallocManaged(&m, 64); R("free.of_managed", cudaFreeAsync(m, 0)); R("free.of_managed_again", cudaFree(m));
    cudaMallocAsync(&p, 64, 0); R("cudafree.of_pool", cudaFree(p)); R("cudafree.of_pool_twice", cudaFree(p)); R("freeasync.after_cudafree", cudaFreeAsync(p, 0));
    cudaDeviceSynchronize();
}
// What a broken export record gives may be a crash: in a process of its own.
static int junk_import() {
    cudaMemPoolProps e = props(cudaMemHandleTypePosixFileDescriptor); cudaMemPool_t pool, in = nullptr; cudaMemPoolCreate(&pool, &e); int fd = -1; void *m = nullptr; cudaMemPoolPtrExportData junk; memset(&junk, 0x33, sizeof junk); cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0); cudaMemPoolImportFromShareableHandle(&in, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 0); R("pointer.import_junk", cudaMemPoolImportPointer(&m, in, &junk)); return 0;
}
int main(int argc, char **) {
    limit_time(); if (argc > 1) return junk_import(); fflush(stdout); pid_t c = fork(); if (!c) { execl("/proc/self/exe", "pools", "junk", nullptr); _exit(9); } int st; waitpid(c, &st, 0); if (!WIFEXITED(st)) printf("pointer.import_junk_end = signal\n");
    cudaFree(nullptr); attributes(); }
