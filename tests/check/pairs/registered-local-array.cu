// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static volatile int sink;
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }

static void upload(int *d, cudaStream_t s)
{
    int local[1000];
    for (int i = 0; i < 1000; i++) local[i] = i;
    cudaHostRegister(local, sizeof local, cudaHostRegisterDefault); /*THERE*/
    cudaMemcpyAsync(d, local, sizeof local, cudaMemcpyHostToDevice, s);
    cudaStreamSynchronize(s);
#ifndef BUG
    cudaHostUnregister(local);
#endif
}
int main()
{
    int *d;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&d, 1000 * sizeof(int));
    upload(d, s);
    cudaFree(d); /*HERE*/
    cudaStreamDestroy(s);
    return 0;
}
