// SPDX-License-Identifier: Apache-2.0
// Registered memory is unregistered while a copy from it is queued.
#include <cstdio>
#include <vector>
__global__ void slow(char *p) {
    long long t0 = clock64();
    while (clock64() - t0 < 10000000) continue;
    p[threadIdx.x] = 1;
}
int main() {
    std::vector<char> v(1 << 16, 3);
    char *d;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&d, v.size());
    cudaHostRegister(v.data(), v.size(), cudaHostRegisterDefault);
    slow<<<1, 32, 0, s>>>(d);
    cudaMemcpyAsync(d, v.data(), v.size(), cudaMemcpyHostToDevice, s); /*THERE*/
#ifndef BUG
    cudaStreamSynchronize(s);
#endif
    cudaHostUnregister(v.data()); /*HERE*/
    cudaStreamSynchronize(s);
    cudaFree(d);
    cudaStreamDestroy(s);
    puts("done");
    return 0;
}
