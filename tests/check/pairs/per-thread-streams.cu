// SPDX-License-Identifier: Apache-2.0
// Two threads use their own default streams on one buffer.
#include <cstdio>
#include <thread>
__global__ void add(int *p, int v) {
    long long t0 = clock64();
    while (clock64() - t0 < 5000000) continue;
    p[threadIdx.x] = v; /*HERE*/ /*THERE*/
}
int main() {
    int *p;
    cudaMalloc(&p, 512);
    auto work = [=](int *q, int v) {
        add<<<1, 64, 0, cudaStreamPerThread>>>(q, v); /*HERE*/ /*THERE*/
        cudaStreamSynchronize(cudaStreamPerThread);
    };
#ifdef BUG
    std::thread a(work, p, 1), b(work, p, 2);
#else
    std::thread a(work, p, 1), b(work, p + 64, 2);
#endif
    a.join();
    b.join();
    cudaFree(p);
    puts("done");
    return 0;
}
