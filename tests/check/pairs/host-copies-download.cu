// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <algorithm>
static volatile int sink;
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }

int main()
{
    const int n = 5000;
    int *h, *d, mine[n];
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&h, n * sizeof(int));
    cudaMalloc(&d, n * sizeof(int));
    cudaMemset(d, 1, n * sizeof(int));
    cudaLaunchHostFunc(s, nap, nullptr);
    cudaMemcpyAsync(h, d, n * sizeof(int), cudaMemcpyDeviceToHost, s); /*THERE*/
#ifndef BUG
    while (cudaStreamQuery(s) == cudaErrorNotReady) std::this_thread::yield();
#endif
    std::copy(h, h + n, mine); /*HERE*/
    sink = mine[7];
    cudaStreamSynchronize(s);
    cudaFreeHost(h);
    cudaFree(d);
    cudaStreamDestroy(s);
    return 0;
}
