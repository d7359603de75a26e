// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static volatile int sink;
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }
#include <atomic>
static std::atomic<int> ready;
static void tell(void *) { ready = 1; }
int main()
{
    int *h, *d;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&h, 4000);
    cudaMalloc(&d, 4000);
    cudaMemset(d, 0, 4000);
    cudaLaunchHostFunc(s, nap, nullptr);
#ifdef BUG
    cudaLaunchHostFunc(s, tell, nullptr);
    cudaLaunchHostFunc(s, nap, nullptr);
    cudaMemcpyAsync(h, d, 4000, cudaMemcpyDeviceToHost, s); /*THERE*/
#else
    cudaMemcpyAsync(h, d, 4000, cudaMemcpyDeviceToHost, s);
    cudaLaunchHostFunc(s, tell, nullptr);
#endif
    while (!ready) continue;
    sink = h[5]; /*HERE*/
    cudaStreamSynchronize(s);
    cudaFreeHost(h);
    cudaFree(d);
    cudaStreamDestroy(s);
    return 0;
}
