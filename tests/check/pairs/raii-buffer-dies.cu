// SPDX-License-Identifier: Apache-2.0
// A class frees its page-locked buffer when it goes out of scope, with the copy pending.
#include <cstdio>
__global__ void slow(char *p) {
    long long t0 = clock64();
    while (clock64() - t0 < 10000000) continue;
    p[threadIdx.x] = 1;
}
struct Pinned {
    char *p = nullptr;
    explicit Pinned(size_t n) { cudaMallocHost(&p, n); }
    ~Pinned() { cudaFreeHost(p); } /*HERE*/
};
static void upload(char *d, size_t n, cudaStream_t s) {
    Pinned h(n);
    for (size_t i = 0; i < n; i++) h.p[i] = i;
    cudaMemcpyAsync(d, h.p, n, cudaMemcpyHostToDevice, s); /*THERE*/
#ifndef BUG
    cudaStreamSynchronize(s);
#endif
}
int main() {
    char *d;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&d, 4096);
    slow<<<1, 32, 0, s>>>(d);
    upload(d, 4096, s);
    cudaStreamSynchronize(s);
    cudaFree(d);
    cudaStreamDestroy(s);
    puts("done");
    return 0;
}
