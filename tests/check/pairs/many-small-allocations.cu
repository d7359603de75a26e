// SPDX-License-Identifier: Apache-2.0
// Two kernels go through a table of pointers to many allocations, here and there and by elements of several sizes. In one allocation they meet.
#include <cstdio>
enum { N = 700 };
template <typename T> __global__ void step(T **p, int first, int by, int at)
{
    int i = first + by * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N)
        p[i][(i * 5 + at) % 16] = 1; /*HERE*/ /*THERE*/
}
template <typename T> static void both(cudaStream_t a, cudaStream_t b, int meets)
{
    static T *h[N], **p;
    cudaMalloc(&p, sizeof h);
    for (T *&x : h) {
        cudaMalloc(&x, 16 * sizeof(T));
        cudaMemset(x, 0, 16 * sizeof(T));
    }
    cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    step<<<3, 128, 0, a>>>(p, 0, 2, 0);
    step<<<3, 128, 0, b>>>(p, 1, 2, 0);
    step<<<1, 1, 0, b>>>(p, 400, 1, meets ? 0 : 1);      // the neighbour of what the first one writes
    cudaDeviceSynchronize();
    for (T *x : h)
        cudaFree(x);
    cudaFree(p);
}
int main()
{
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
#ifdef BUG
    const int meets = 1;
#else
    const int meets = 0;
#endif
    both<char>(a, b, 0);
    both<short>(a, b, meets);
    both<int>(a, b, 0);
    both<double>(a, b, 0);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    puts("done");
    return 0;
}
