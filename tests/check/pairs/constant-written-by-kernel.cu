// SPDX-License-Identifier: Apache-2.0
// A kernel writes a __constant__ variable through its address while one of another stream reads it as a constant.
#include <cstdio>
#ifdef BUG
enum { FIRST = 16 };
#else
enum { FIRST = 32 };             // what nobody reads
#endif
__constant__ int table[64];
__global__ void reads(int *out) { out[threadIdx.x] = table[(threadIdx.x * 7) & 31]; } /*HERE*/
__global__ void writes(int *t) { t[threadIdx.x + FIRST] = 3; } /*THERE*/
int main()
{
    int *out, *t, zeros[64] = { 0 };
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaMalloc(&out, 256);
    cudaMemcpyToSymbol(table, zeros, sizeof zeros);
    cudaGetSymbolAddress(reinterpret_cast<void **>(&t), table);
    cudaDeviceSynchronize();
    reads<<<1, 64, 0, a>>>(out);
    writes<<<1, 16, 0, b>>>(t);
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    puts("done");
    return 0;
}
