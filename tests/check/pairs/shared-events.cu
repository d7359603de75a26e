// SPDX-License-Identifier: Apache-2.0
// An event that other processes may open orders streams of this one too; the bug is that nobody waits for it.
#include <cuda_runtime.h>

__global__ void fill(int *p, int by) { p[threadIdx.x] = by; /*HERE*/ }
__global__ void add(const int *p, int *q) { q[threadIdx.x] += p[threadIdx.x]; /*THERE*/ }

int main()
{
    int *p, *q, host[64];
    cudaStream_t a, b;
    cudaEvent_t filled, added;
    cudaIpcEventHandle_t handle;
    cudaMalloc(&p, 256);
    cudaMalloc(&q, 256);
    cudaMemset(q, 0, 256);
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&filled, cudaEventDisableTiming | cudaEventInterprocess);
    cudaEventCreateWithFlags(&added, cudaEventDisableTiming | cudaEventInterprocess);
    cudaIpcGetEventHandle(&handle, filled);
    for (int i = 0; i < 3; i++) {
        fill<<<1, 64, 0, a>>>(p, i);
        cudaEventRecord(filled, a);
#ifndef BUG
        cudaStreamWaitEvent(b, filled, 0);
#endif
        add<<<1, 64, 0, b>>>(p, q);
        cudaEventRecord(added, b);
        cudaStreamWaitEvent(a, added, 0);
    }
    cudaEventSynchronize(added);
    cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost);
    cudaEventDestroy(filled);
    cudaEventDestroy(added);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(p);
    cudaFree(q);
    return 0;
}
