// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static volatile int sink;
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }

struct Job { int *values; int n; };
__global__ void work(Job *j)
{
    long long t0 = clock64();
    while (clock64() - t0 < 10000000) continue;
    for (int i = threadIdx.x; i < j->n; i += blockDim.x) j->values[i] = i; /*THERE*/
}
int main()
{
    Job *j;
    cudaMallocManaged(&j, sizeof *j);
    cudaMallocManaged(&j->values, 1000 * sizeof(int));
    j->n = 1000;
    work<<<1, 64>>>(j); /*THERE*/
#ifndef BUG
    cudaDeviceSynchronize();
#endif
    int sum = 0;
    for (int i = 0; i < 1000; i++) sum += j->values[i]; /*HERE*/
    sink = sum;
    cudaDeviceSynchronize();
    cudaFree(j->values);
    cudaFree(j);
    return 0;
}
