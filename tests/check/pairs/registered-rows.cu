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
    const int width = 100, rows = 50, pitch = 160;
    char *h = static_cast<char *>(malloc(rows * pitch)), *d;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&d, rows * width);
    memset(h, 0, rows * pitch);
    cudaHostRegister(h, rows * pitch, cudaHostRegisterDefault);
    cudaLaunchHostFunc(s, nap, nullptr);
    cudaMemcpy2DAsync(d, width, h, pitch, width, rows, cudaMemcpyHostToDevice, s); /*THERE*/
    for (int y = 0; y < rows; y++)
#ifdef BUG
        h[y * pitch + width - 1] = 1; /*HERE*/
#else
        h[y * pitch + width] = 1;
#endif
    cudaStreamSynchronize(s);
    cudaHostUnregister(h);
    free(h);
    cudaFree(d);
    cudaStreamDestroy(s);
    return 0;
}
