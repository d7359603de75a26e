// SPDX-License-Identifier: Apache-2.0
// bug: class=hazard-stream line=/*HERE*/ second=/*THERE*/ kind=non-blocking-and-legacy what="a cudaMemcpy in the legacy default stream is taken to wait for a stream made with cudaStreamNonBlocking"
#include <cstdio>
#include <vector>

__global__ void slow(int *p, int n) {
    long long t0 = clock64();
    while (clock64() - t0 < 20000000) continue;
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i; /*THERE*/
}

int main() {
    const int n = 4096;
    std::vector<int> h(n);
    int *d;
    cudaStream_t s;
#ifdef BUG
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
#else
    cudaStreamCreate(&s); // the legacy stream waits for blocking streams
#endif
    cudaMalloc(&d, n * sizeof(int));
    cudaMemset(d, 0, n * sizeof(int));
    cudaDeviceSynchronize();
    slow<<<1, 128, 0, s>>>(d, n); /*THERE*/
    cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost); /*HERE*/
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d);
    cudaStreamDestroy(s);
    puts("done");
    return e != cudaSuccess;
}
