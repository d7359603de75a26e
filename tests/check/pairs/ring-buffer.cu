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
    const int part = 1000, parts = 4;
    int *h, *d;
    cudaStream_t s;
    cudaEvent_t over[parts];
    cudaStreamCreate(&s);
    cudaMallocHost(&h, parts * part * sizeof(int));
    cudaMalloc(&d, part * sizeof(int));
    for (auto &e : over) cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    for (int k = 0; k < 12; k++) {
        int at = k % parts;
#ifdef BUG
        if (k >= parts && k != 9) cudaEventSynchronize(over[at]);
#else
        if (k >= parts) cudaEventSynchronize(over[at]);
#endif
        for (int i = 0; i < part; i++) h[at * part + i] = k; /*HERE*/
        cudaMemcpyAsync(d, h + at * part, part * sizeof(int), cudaMemcpyHostToDevice, s); /*THERE*/
        cudaEventRecord(over[at], s);
    }
    cudaStreamSynchronize(s);
    for (auto &e : over) cudaEventDestroy(e);
    cudaFreeHost(h);
    cudaFree(d);
    cudaStreamDestroy(s);
    return 0;
}
