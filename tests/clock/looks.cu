// SPDX-License-Identifier: Apache-2.0
// What lies between two looks at a kernel's clock: chains of arithmetic, shared and global memory, barriers, launches one after the other.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t rc_ = (call); if (rc_ != cudaSuccess) { std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(rc_)); std::exit(1); } } while (0)

__device__ unsigned long long globaltimer() { unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }

// out: cycles of n dependent multiply-adds; of the same again; of n shared loads that need each other; of n global ones
__global__ void looks(long long *out, float *value, const int *next, int n)
{
    __shared__ int ring[64];
    ring[threadIdx.x % 64] = (threadIdx.x + 1) % 64;
    __syncthreads();
    float v = *value;
    long long a = clock64();
    for (int k = 0; k < n; k++)
        v = v * 0.5f + 1.0f;
    long long b = clock64();
    v = v * 0.25f + 2.0f; v = v * 0.25f + 2.0f; v = v * 0.25f + 2.0f; v = v * 0.25f + 2.0f;          // in one basic block
    v = v * 0.25f + 2.0f; v = v * 0.25f + 2.0f; v = v * 0.25f + 2.0f; v = v * 0.25f + 2.0f;
    long long c = clock64();
    int at = threadIdx.x % 64;
    for (int k = 0; k < n; k++)
        at = ring[at];
    long long d = clock64();
    for (int k = 0; k < n; k++)
        at = next[at];
    long long e = clock64();
    *value = v + at;
    if (threadIdx.x == 0) {
        long long *to = out + 4 * blockIdx.x;
        to[0] = b - a; to[1] = c - b; to[2] = d - c; to[3] = e - d;
    }
}

// Warp 0 works, the others meet it at the barrier: all have waited.
__global__ void meets(long long *out, float *value, int n)
{
    float v = *value;
    long long a = clock64();
    if (threadIdx.x < 32)
        for (int k = 0; k < n; k++)
            v = v * 0.5f + 1.0f;
    __syncthreads();
    long long b = clock64();
    *value = v;
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = b - a;
}

__global__ void times(unsigned long long *out, float *value, int n)
{
    float v = *value;
    out[0] = globaltimer();
    for (int k = 0; k < n; k++)
        v = v * 0.5f + 1.0f;
    *value = v;
    out[1] = globaltimer();
}

int main()
{
    long long *out;
    float *value;
    int *next;
    CHECK(cudaMallocManaged((void **)&out, 4096));
    CHECK(cudaMallocManaged((void **)&value, 64));
    CHECK(cudaMalloc((void **)&next, 1 << 22));
    static int ring[1 << 20];
    for (int k = 0; k < 1 << 20; k++)
        ring[k] = (k + 64) % (1 << 20);
    CHECK(cudaMemcpy(next, ring, sizeof ring, cudaMemcpyHostToDevice));
    for (int n : {100, 1000, 1000}) {
        looks<<<2, 64>>>(out, value, next, n);
        CHECK(cudaDeviceSynchronize());
        for (int b = 0; b < 2; b++)
            std::printf("looks n=%d block=%d fma=%lld eight=%lld shared=%lld global=%lld\n", n, b, out[4 * b], out[4 * b + 1], out[4 * b + 2], out[4 * b + 3]);
    }
    meets<<<1, 128>>>(out, value, 1000);
    CHECK(cudaDeviceSynchronize());
    std::printf("meets %lld %lld %lld %lld\n", out[0], out[1], out[2], out[3]);
    for (int k = 0; k < 3; k++)
        times<<<1, 32>>>((unsigned long long *)out + 2 * k, value, 1000);
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < 3; k++)
        std::printf("times took=%lld since=%lld\n", out[2 * k + 1] - out[2 * k], k ? out[2 * k] - out[2 * k - 1] : 0);
    return 0;
}
