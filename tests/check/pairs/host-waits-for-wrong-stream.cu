// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static volatile int sink;
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }

__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }
int main()
{
    int *h, *d;
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMallocHost(&h, 256 * sizeof(int));
    cudaMalloc(&d, 256 * sizeof(int));
    fill<<<1, 256, 0, a>>>(d);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    cudaMemcpyAsync(h, d, 256 * sizeof(int), cudaMemcpyDeviceToHost, b); /*THERE*/
#ifdef BUG
    cudaStreamSynchronize(a);
#else
    cudaStreamSynchronize(b);
#endif
    nap(nullptr); // the copy is over: that nobody waited for it is the mistake
    sink = h[3]; /*HERE*/
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    cudaFree(d);
    cudaEventDestroy(e);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    return 0;
}
