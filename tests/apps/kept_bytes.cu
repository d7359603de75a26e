// SPDX-License-Identifier: Apache-2.0
// Bytes, halves and predicates of every thread that are kept across barriers, in pieces smaller than a vector register.
#include <cstdio>

__global__ void mix(unsigned *out, int rounds)
{
    __shared__ unsigned word[96];
    unsigned char *byte = (unsigned char *)word;
    unsigned short *half = (unsigned short *)word;
    int t = threadIdx.x, n = blockDim.x;
    word[t] = t * 0x01020304u + blockIdx.x;
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < rounds; i++) {
        unsigned char x = byte[(t * 7 + i) % (4 * n)];
        unsigned short y = half[(t * 5 + i) % (2 * n)];
        bool odd = (x ^ y) & 1;
        __syncthreads();
        byte[4 * t + 3] = x;
        half[2 * t] ^= y;
        __syncthreads();
        sum = sum * 31 + word[(t + 1) % n] + x + y + odd;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = sum;
}

int main()
{
    const int blocks = 5;
    unsigned *out, host[blocks * 96];
    cudaMalloc(&out, sizeof host);
    for (int threads : {32, 40, 96}) {
        mix<<<blocks, threads>>>(out, 9);
        cudaError_t e = cudaMemcpy(host, out, sizeof(unsigned) * blocks * threads, cudaMemcpyDeviceToHost);
        unsigned long long sum = 0;
        for (int i = 0; i < blocks * threads; i++)
            sum = sum * 1000003 + host[i];
        printf("%d threads: %016llx, %s\n", threads, sum, cudaGetErrorString(e));
    }
}
