// SPDX-License-Identifier: Apache-2.0
// Pools: what is reserved and used for which sizes, thresholds, trimming, where pieces lie, destroying.
#include "pools.h"
#include <cstdint>

static void usage(const char *key, cudaMemPool_t p) {
    printf("%s = reserved %llu high %llu used %llu high %llu\n", key, attr(p, cudaMemPoolAttrReservedMemCurrent), attr(p, cudaMemPoolAttrReservedMemHigh), attr(p, cudaMemPoolAttrUsedMemCurrent), attr(p, cudaMemPoolAttrUsedMemHigh));
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
int main() { limit_time(); cudaFree(nullptr); amounts(); R("end.sync", cudaDeviceSynchronize()); }
