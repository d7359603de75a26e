// SPDX-License-Identifier: Apache-2.0
// bug: class=hazard-stream line=/*HERE*/ second=/*THERE*/ kind=upload-then-kernel what="a kernel in one stream reads what a copy in another stream is still uploading"
#include <chrono>
#include <cstdio>
#include <thread>

static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

__global__ void twice(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i]; /*HERE*/
}

int main() {
    const int n = 1 << 16;
    float *h, *in, *out;
    cudaStream_t copy, work;
    cudaEvent_t up;
    cudaStreamCreate(&copy);
    cudaStreamCreate(&work);
    cudaEventCreateWithFlags(&up, cudaEventDisableTiming);
    cudaMallocHost(&h, n * sizeof(float));
    for (int i = 0; i < n; i++) h[i] = i;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    cudaDeviceSynchronize();
    cudaLaunchHostFunc(copy, nap, nullptr);
    cudaMemcpyAsync(in, h, n * sizeof(float), cudaMemcpyHostToDevice, copy); /*THERE*/
    cudaEventRecord(up, copy);
#ifndef BUG
    cudaStreamWaitEvent(work, up, 0);
#endif
    twice<<<n / 256, 256, 0, work>>>(in, out, n); /*HERE*/
    cudaError_t e = cudaDeviceSynchronize();
    cudaFreeHost(h);
    cudaFree(in);
    cudaFree(out);
    cudaEventDestroy(up);
    cudaStreamDestroy(copy);
    cudaStreamDestroy(work);
    puts("done");
    return e != cudaSuccess;
}
