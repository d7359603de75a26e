// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static volatile int sink;
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }

int main()
{
    char *h, *d, little[10];
    cudaStream_t s;
    FILE *in = fopen("/dev/zero", "rb");
    if (!in) return 1;
    cudaStreamCreate(&s);
    cudaMallocHost(&h, 100000);
    cudaMalloc(&d, 100000);
    memset(h, 0, 100000);
    cudaLaunchHostFunc(s, nap, nullptr);
    cudaMemcpyAsync(d, h, 50000, cudaMemcpyHostToDevice, s); /*THERE*/
    if (fread(h + 50000, 1, 50000, in) != 50000 || fread(little, 1, 10, in) != 10) return 2;
#ifndef BUG
    cudaStreamSynchronize(s);
#endif
    if (fread(h, 1, 50000, in) != 50000) return 3; /*HERE*/
    cudaStreamSynchronize(s);
    fclose(in);
    cudaFreeHost(h);
    cudaFree(d);
    cudaStreamDestroy(s);
    return 0;
}
