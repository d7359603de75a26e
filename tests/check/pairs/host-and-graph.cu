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
    const size_t n = 100000;
    char *h, *d;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamCreate(&s);
    cudaMallocHost(&h, n);
    cudaMalloc(&d, n);
    memset(h, 1, n);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaLaunchHostFunc(s, nap, nullptr);
    cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    for (int k = 0; k < 2; k++) {
        memset(h, k, n); /*HERE*/
        cudaGraphLaunch(x, s); /*THERE*/
#ifndef BUG
        cudaStreamSynchronize(s);
#endif
    }
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    cudaFreeHost(h);
    cudaFree(d);
    cudaStreamDestroy(s);
    return 0;
}
