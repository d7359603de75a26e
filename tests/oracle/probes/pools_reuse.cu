// SPDX-License-Identifier: Apache-2.0
// Pools: which freed memory an allocation in a stream gets again. Each setting in a process of its own, which ends by itself.
#include "pools.h"
#include <cstdint>
#include <string>
#include <sys/wait.h>

static int reuse(int mode) {
    int *flag, *dflag; cudaHostAlloc(&flag, 4, cudaHostAllocMapped); cudaHostGetDevicePointer((void **)&dflag, flag, 0); cudaStream_t a, b; cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking); cudaEvent_t ev; cudaEventCreate(&ev);
    cudaMemPool_t pool; cudaMemPoolProps pr = props(); cudaMemPoolCreate(&pool, &pr); int follow = mode & 1, chance = 0, inner = mode >> 1; cudaMemPoolSetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &follow); cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &chance); cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &inner);
    unsigned long long keep = UINT64_MAX; cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep); char k[80]; void *p, *q, *r, *s;
    *flag = 0; spin_until<<<1, 1, 0, a>>>(dflag); cudaMallocFromPoolAsync(&p, 1 << 20, pool, a); cudaFreeAsync(p, a); cudaMallocFromPoolAsync(&q, 1 << 20, pool, a); snprintf(k, 80, "reuse.same_stream_%d", mode); V(k, "%d", p == q);
    cudaFreeAsync(q, a); if (!inner) { cudaMallocFromPoolAsync(&r, 1 << 20, pool, b); snprintf(k, 80, "reuse.other_stream_busy_%d", mode); V(k, "%d", r == q); cudaFreeAsync(r, b); cudaStreamSynchronize(b); }
    cudaMallocFromPoolAsync(&s, 1 << 20, pool, a); cudaFreeAsync(s, a); cudaEventRecord(ev, a); cudaStreamWaitEvent(b, ev, 0); cudaMallocFromPoolAsync(&r, 1 << 20, pool, b); snprintf(k, 80, "reuse.after_event_%d", mode); V(k, "%d", r == s); *(volatile int *)flag = 1; cudaDeviceSynchronize(); cudaFreeAsync(r, b); cudaDeviceSynchronize();
    cudaMallocFromPoolAsync(&p, 3 << 20, pool, a); cudaFreeAsync(p, a); cudaStreamSynchronize(a); cudaMallocFromPoolAsync(&q, 3 << 20, pool, b); snprintf(k, 80, "reuse.other_stream_synced_%d", mode); V(k, "%d", p == q); cudaFreeAsync(q, b); cudaDeviceSynchronize(); cudaMemPoolDestroy(pool);
    cudaStreamDestroy(a); cudaStreamDestroy(b); cudaEventDestroy(ev); cudaFreeHost(flag); return 0;
}
int main(int argc, char **argv) {
    limit_time(); if (argc > 1) { alarm(8); return reuse(atoi(argv[1])); }
    for (int mode = 0; mode < 4; mode++) { fflush(stdout); pid_t c = fork(); if (!c) { execl("/proc/self/exe", argv[0], std::to_string(mode).c_str(), (char *)nullptr); _exit(9); } int st; waitpid(c, &st, 0); if (!WIFEXITED(st)) printf("reuse.end_%d = signal\n", mode); }
}
