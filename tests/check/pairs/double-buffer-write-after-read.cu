// SPDX-License-Identifier: Apache-2.0
// The upload of the next chunk overwrites a buffer whose kernel still reads it.
#include <cstdio>
__global__ void use(const float *in, float *out) {
    long long t0 = clock64();
    while (clock64() - t0 < 5000000) continue;
    out[threadIdx.x] += in[threadIdx.x]; /*THERE*/
}
int main() {
    float *h, *in, *out;
    cudaStream_t up, work;
    cudaEvent_t ready, used;
    cudaStreamCreateWithFlags(&up, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
    cudaEventCreate(&ready); cudaEventCreate(&used);
    cudaMallocHost(&h, 256);
    for (int i = 0; i < 64; i++) h[i] = i;
    cudaMalloc(&in, 256); cudaMalloc(&out, 256);
    cudaMemset(out, 0, 256);
    cudaDeviceSynchronize();
    for (int i = 0; i < 3; i++) {
#ifndef BUG
        cudaStreamWaitEvent(up, used, 0);
#endif
        cudaMemcpyAsync(in, h, 256, cudaMemcpyHostToDevice, up); /*HERE*/
        cudaEventRecord(ready, up);
        cudaStreamWaitEvent(work, ready, 0);
        use<<<1, 64, 0, work>>>(in, out); /*THERE*/
        cudaEventRecord(used, work);
    }
    cudaDeviceSynchronize();
    cudaFreeHost(h); cudaFree(in); cudaFree(out);
    cudaEventDestroy(ready); cudaEventDestroy(used);
    cudaStreamDestroy(up); cudaStreamDestroy(work);
    puts("done");
    return 0;
}
