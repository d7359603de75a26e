// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static volatile int sink;
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }

static void CUDART_CB look(cudaStream_t, cudaError_t, void *p) { sink = static_cast<volatile int *>(p)[100]; /*HERE*/ }
int main()
{
    int *h, *d;
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaMallocHost(&h, 4096);
    cudaMalloc(&d, 4096);
    cudaMemset(d, 0, 4096);
    cudaDeviceSynchronize();
    cudaLaunchHostFunc(a, nap, nullptr);
    cudaMemcpyAsync(h, d, 4096, cudaMemcpyDeviceToHost, a); /*THERE*/
#ifdef BUG
    cudaStreamAddCallback(b, look, h, 0);
#else
    cudaStreamAddCallback(a, look, h, 0);
    cudaMemcpyAsync(h, d, 4096, cudaMemcpyDeviceToHost, a);
#endif
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    cudaFree(d);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    return 0;
}
