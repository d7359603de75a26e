// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static volatile int sink;
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }

__global__ void produce(int *data, volatile int *flag)
{
    *data = 7; /*THERE*/
#ifndef BUG
    __threadfence_system();
    *flag = 1;
    long long t0 = clock64();
    while (*flag == 1 && clock64() - t0 < 2000000000) continue;
#endif
}
int main()
{
    int *h;
    cudaHostAlloc(&h, 8192, cudaHostAllocMapped);
    h[0] = h[1000] = 0;
    produce<<<1, 1>>>(h, h + 1000); /*THERE*/
#ifndef BUG
    while (static_cast<volatile int *>(h)[1000] == 0) continue;
#endif
    sink = h[0]; /*HERE*/ /*AT ONCE*/
    h[1000] = 2;
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    return 0;
}
