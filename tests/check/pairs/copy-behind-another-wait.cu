// SPDX-License-Identifier: Apache-2.0
// A copy waits in its stream while the host waits for a kernel of another stream that writes what it reads, and runs more.
#include <chrono>
#include <cstdio>
#include <thread>
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }
__global__ void fill(int *p) { p[2 * threadIdx.x] = 1; } /*THERE*/
__global__ void other(int *q) { q[threadIdx.x]++; }
int main()
{
    int *p, *q;
    cudaStream_t a, b, c;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
    cudaMalloc(&p, 512);
    cudaMalloc(&q, 512);
    cudaMemset(p, 0, 512);
    cudaMemset(q, 0, 512);
    cudaDeviceSynchronize();
    cudaLaunchHostFunc(b, nap, nullptr);
    fill<<<1, 64, 0, a>>>(p);
#ifdef BUG
    cudaMemcpyAsync(q + 64, p + 10, 4, cudaMemcpyDeviceToDevice, b); /*HERE*/
#else
    cudaMemcpyAsync(q + 64, p + 11, 4, cudaMemcpyDeviceToDevice, b);     // not one of those
#endif
    cudaStreamSynchronize(a);
    for (int k = 0; k < 4; k++) {
        other<<<1, 64, 0, c>>>(q);
        cudaStreamSynchronize(c);
    }
    cudaDeviceSynchronize();
    cudaFree(p);
    cudaFree(q);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaStreamDestroy(c);
    puts("done");
    return 0;
}
