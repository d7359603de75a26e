// SPDX-License-Identifier: Apache-2.0
// Programs for the tests of HOSTWARP_VERIFY; the first argument says which.
#include <cuda_fp16.h>
#include <cstdio>
#include <cstring>
#include <thread>
#include <chrono>

__device__ int launches;
__device__ int *kept;

__global__ void right(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = out[i] * 3 + i;
    if (i == 0) {
        printf("launch %d\n", ++launches);
        kept = (int *)malloc(sizeof *kept);
        *kept = launches;
    }
    if (i == n - 1)
        atomicAdd(out + n, 1);
}

// The value of a lane that is no member: nobody promises anything, and scalar code has another one than vector code.
__global__ void undefined(int *out)
{
    int v = threadIdx.x * 3 + 1;
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(0xffff, v, 20);
}

__global__ void race(int *out) { out[threadIdx.x / 8] = blockIdx.x * blockDim.x + threadIdx.x; }

// Without a barrier between them: right only where threads go in step.
__global__ void neighbours(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}

// The rows of a block all add to the same places: scalar code gives the same in either order.
__global__ void rows(const float *a, float *x, const float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 64)
        for (int j = 0; j < 64; j++)
            x[i] += a[i * 64 + j] * y[j];
}

__global__ void uninitialised(int *out)
{
    __shared__ int s[64];
    if (out[0] > 1000)
        s[threadIdx.x] = 1;
    out[threadIdx.x] = s[threadIdx.x];
}

__global__ void places(int *out, int *n) { out[atomicAdd(n, 1)] = threadIdx.x + blockIdx.x * blockDim.x; }
__global__ void total(float *sum) { atomicAdd(sum, 1.0f / (1 + threadIdx.x + blockIdx.x * blockDim.x)); }
__global__ void wait_for(volatile int *flag) { while (!*flag) {} }
/* NaNs of functions and of halves: for floats and halves a GPU's one NaN, for doubles one and the same at every width. */
__global__ void nans(unsigned *out)
{
    float x = threadIdx.x % 2 ? -1.0f - threadIdx.x : __int_as_float(0x7fc00000 + threadIdx.x), zero = 0.0f * threadIdx.x;
    double wide = x;
    __half half = __float2half(x), infinite = __ushort_as_half(0x7c00 | !out), other = __hsub(infinite, infinite); /* which no compiler knows */
    float all[] = {logf(x), log2f(x), fmodf(x, zero), remainderf(x, zero), acosf(x * 2), powf(x, 0.5f), tgammaf(x), lgammaf(x / zero * zero)};
    double doubles[] = {log(wide), fmod(wide, (double)zero), remainder(wide, (double)zero), lgamma(wide / zero * zero)};
    for (int k = 0; k < 8; k++)
        out[k * 64 + threadIdx.x] = __float_as_uint(all[k]);
    for (int k = 0; k < 4; k++)
        ((unsigned long long *)out)[(4 + k) * 64 + threadIdx.x] = __double_as_longlong(doubles[k]);
    out[16 * 64 + threadIdx.x] = __half_as_ushort(__hfma(half, other, half)) | (unsigned)__half_as_ushort(__hadd(other, half)) << 16;
}
__global__ void wild(int *out) { out[threadIdx.x * 1000000000LL] = 1; }

static int rights(int *d)
{
    const int n = 1000;
    int sum = 0, h[n + 1], heap;
    cudaMemset(d, 0, (n + 1) * sizeof *d);
    for (int k = 0; k < 3; k++)
        right<<<4, 256>>>(d, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDefault);
    for (int v : h)
        sum += v;
    int *p;
    cudaMemcpyFromSymbol(&p, kept, sizeof p);
    cudaMemcpy(&heap, p, sizeof heap, cudaMemcpyDefault);
    printf("sum %d heap %d\n", sum, heap);
    return cudaDeviceSynchronize();
}

static int flags(void)
{
    int *flag;
    cudaMallocManaged(&flag, sizeof *flag);
    *flag = 0;
    std::thread other([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        *(volatile int *)flag = 1;
    });
    wait_for<<<1, 1>>>(flag);
    int rc = cudaDeviceSynchronize();
    other.join();
    printf("over\n");
    return rc;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *d;
    cudaMalloc(&d, 1 << 20);
    cudaMemset(d, 0, 1 << 20);
    if (!strcmp(what, "right"))
        return rights(d);
    if (!strcmp(what, "flag"))
        return flags();
    if (!strcmp(what, "undefined"))
        undefined<<<2, 32>>>(d + 10);
    if (!strcmp(what, "race"))
        race<<<8, 64>>>(d);
    if (!strcmp(what, "neighbours"))
        neighbours<<<2, 64>>>(d);
    if (!strcmp(what, "rows")) {
        float *a, *y;
        cudaMallocManaged(&a, 64 * 64 * sizeof *a);
        cudaMallocManaged(&y, 64 * sizeof *y);
        for (int k = 0; k < 64 * 64; k++)
            a[k] = y[k % 64] = 1;
        rows<<<2, dim3(32, 8)>>>(a, (float *)d, y);
    }
    if (!strcmp(what, "uninitialised"))
        uninitialised<<<8, 64>>>(d);
    if (!strcmp(what, "places"))
        places<<<8, 64>>>(d + 1, d);
    if (!strcmp(what, "total"))
        total<<<64, 64>>>((float *)d);
    if (!strcmp(what, "wild"))
        wild<<<1, 64>>>(d);
    if (!strcmp(what, "nans")) {
        nans<<<1, 64>>>((unsigned *)d);
        unsigned seen[17 * 64];
        cudaMemcpy(seen, d, sizeof seen, cudaMemcpyDefault);
        for (int k = 0; k < 8 * 64; k++)
            if ((seen[k] & 0x7fffffff) > 0x7f800000 && seen[k] != 0x7fffffff)
                printf("float %d of thread %d: 0x%08x\n", k / 64, k % 64, seen[k]);
        for (int k = 0; k < 64; k++)
            if (seen[16 * 64 + k] != 0x7fff7fff)
                printf("halves of thread %d: 0x%08x\n", k, seen[16 * 64 + k]);
    }
    if (!strcmp(what, "many"))
        for (int k = 0; k < 50; k++)
            race<<<1, 8>>>(d);
    cudaError_t rc = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(rc));
    return 0;
}
