// SPDX-License-Identifier: Apache-2.0
// Kernels whose counts are known by hand: 4 blocks of 8 warps each unless said otherwise. run.py has the answers.
#include <cstdio>
#include <cstdlib>

template <int PAD> __global__ void transpose(float *out, const float *in)
{
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * 128 + x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(blockIdx.x * 32 + threadIdx.y + j) * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void copy_stride2(float *out, const float *in)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = in[i];
}

__global__ void copy_float4(float4 *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(v.y, v.x, v.w, v.z);
}

__global__ void halves(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (threadIdx.x % 32 < 16)
        asm volatile("add.f32 %0, %0, 0f3F800000;\n\tadd.f32 %0, %0, 0f3F800000;" : "+f"(x));
    else
        asm volatile("mul.f32 %0, %0, 0f3F800000;\n\tmul.f32 %0, %0, 0f3F800000;" : "+f"(x));
    out[i] = x;
}

__global__ void broadcast(float *out, const float *in)
{
    __shared__ float one[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    one[threadIdx.x % 64] = in[0];
    __syncthreads();
    out[i] = one[threadIdx.x / 32];
}

__global__ void gather(float *out, const float *in, const int *where)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[where[i]];
}

__global__ void wide_shared(double2 *out, const double2 *in)
{
    __shared__ double2 s[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double2 v = in[i];
    s[threadIdx.x] = make_double2(v.y, v.x);
    __syncthreads();
    v = s[2 * threadIdx.x % 512];
    out[i] = make_double2(v.y, v.x);
}

__device__ float through(const float *p) { return *(const volatile float *)p; }

__global__ void generic(float *out, const float *in)
{
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = through(in[0] >= 0 ? s + threadIdx.x : in + i);
}

__global__ void count(int *n)
{
    if (threadIdx.x % 4 == 0)
        atomicAdd(n, 1);
}

// Threads that wait for each other: each takes a lock of its own warp's number.
__global__ void turns(int *locks, int *sums)
{
    int w = threadIdx.x / 32, done = 0;
    while (!done) {
        if (atomicCAS(&locks[w], 0, 1) == 0) {
            ((volatile int *)sums)[w] += 1;
            __threadfence();
            atomicExch(&locks[w], 0);
            done = 1;
        }
    }
}

int main(int argc, char **argv)
{
    float *a, *b;
    int *where;
    int host[1024];
    cudaMalloc(&a, 1 << 16);
    cudaMalloc(&b, 1 << 16);
    cudaMalloc(&where, sizeof host);
    for (int i = 0; i < 1024; i++)
        host[i] = i * 8 % 1024 + i / 128 * 3 % 8 + (i % 3 == 0 ? 8 : 0);
    cudaMemset(a, 0, 1 << 16);
    cudaMemset(b, 0, 1 << 16);
    cudaMemcpy(where, host, sizeof host, cudaMemcpyHostToDevice);
    transpose<0><<<4, dim3(32, 8)>>>(b, a);
    transpose<1><<<4, dim3(32, 8)>>>(b, a);
    copy_stride2<<<4, 256>>>(b, a);
    copy_float4<<<4, 256>>>((float4 *)b, (float4 *)a);
    halves<<<4, 256>>>(b, a);
    broadcast<<<4, 256>>>(b, a);
    gather<<<4, 256>>>(b, a, where);
    wide_shared<<<4, 256>>>((double2 *)b, (double2 *)a);
    generic<<<4, 256>>>(b, a);
    cudaMemset(where, 0, sizeof host);
    count<<<4, 256>>>(where);
    if (argc > 1)
        turns<<<1, 64>>>(where + 8, where + 16);
    return cudaDeviceSynchronize() != cudaSuccess;
}
