// SPDX-License-Identifier: Apache-2.0
// Atomics on words side by side in shared memory, as sums of several coordinates have: whole rows at a time give what single words would, lane
// after lane (a GPU promises no order; the rows of floating-point numbers here have one warp, and words that are in one place of a row only).
#include "app.h"
#include <string.h>
#include <vector>

enum { ROWS = 7, WORDS = 160, THREADS = 96 };

struct add { static __host__ __device__ void act(unsigned *p, unsigned x) {
#ifdef __CUDA_ARCH__
    atomicAdd(p, x);
#else
    *p += x;
#endif
} };
struct most { static __host__ __device__ void act(unsigned *p, unsigned x) {
#ifdef __CUDA_ARCH__
    atomicMax(p, x);
#else
    *p = *p > x ? *p : x;
#endif
} };
struct toggle { static __host__ __device__ void act(unsigned *p, unsigned x) {
#ifdef __CUDA_ARCH__
    atomicXor(p, x);
#else
    *p ^= x;
#endif
} };

__host__ __device__ static float number(unsigned t, unsigned k)
{
    return (float)(app_random(t * 64 + k) >> 8) * (app_random(t + 99) % 3 ? 1e-6f : 3e3f);
}

/* N coordinates of rows STRIDE words apart; where `some`, of every third thread none. */
template <int N, int STRIDE> __global__ void sums(float *out, int some)
{
    __shared__ __align__(64) float s[WORDS];
    for (int k = threadIdx.x; k < WORDS; k += blockDim.x)
        s[k] = 0;
    __syncthreads();
    float *row = &s[app_random(threadIdx.x) % ROWS * STRIDE];
    if (!some || threadIdx.x % 3)
#pragma unroll
        for (int k = 0; k < N; k++)
            atomicAdd(row + k, number(threadIdx.x, k));
    __syncthreads();
    for (int k = threadIdx.x; k < WORDS; k += blockDim.x)
        out[k] = s[k];
}

template <int N, int STRIDE> static bool sums_agree(float *d, int threads, int some)
{
    std::vector<float> want(WORDS), got(WORDS);
    sums<N, STRIDE><<<1, threads>>>(d, some);
    CUDA(cudaMemcpy(got.data(), d, WORDS * sizeof(float), cudaMemcpyDeviceToHost));
    for (int k = 0; k < N; k++)
        for (int t = 0; t < threads; t++)
            if (!some || t % 3)
                want[app_random(t) % ROWS * STRIDE + k] += number(t, k);
    return memcmp(want.data(), got.data(), WORDS * sizeof(float)) == 0;
}

template <class A, class B> struct same { enum { value = 0 }; };
template <class A> struct same<A, A> { enum { value = 1 }; };

/* Rows of two kinds, which overlap: the order of whole numbers' sums does not show, that of different operations does (there all
   threads take part: warps and lanes that part may go in any order). */
template <int N, class FIRST, class SECOND> __global__ void mixed(unsigned *out, int turns)
{
    __shared__ unsigned s[WORDS];
    for (int k = threadIdx.x; k < WORDS; k += blockDim.x)
        s[k] = k;
    __syncthreads();
    for (int turn = 0; turn < turns; turn++) {
        unsigned r = app_random(threadIdx.x + turn * THREADS), *a = &s[r % 100], *b = &s[r / 128 % 100];
        __syncthreads();
        if (r % 5 || !same<FIRST, SECOND>::value)
#pragma unroll
            for (int k = 0; k < N; k++) {
                FIRST::act(a + k, r >> (k % 16));
                SECOND::act(b + k, r >> (k % 13));
            }
        __syncthreads();
    }
    for (int k = threadIdx.x; k < WORDS; k += blockDim.x)
        out[k] = s[k];
}

template <int N, class FIRST, class SECOND> static bool mixed_agree(unsigned *d, int threads)
{
    enum { TURNS = 5 };
    std::vector<unsigned> want(WORDS), got(WORDS);
    mixed<N, FIRST, SECOND><<<1, threads>>>(d, TURNS);
    CUDA(cudaMemcpy(got.data(), d, WORDS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int k = 0; k < WORDS; k++)
        want[k] = k;
    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < N; k++)
            for (int second = 0; second < 2; second++)
                for (int t = 0; t < threads; t++) {
                    unsigned r = app_random(t + turn * THREADS);
                    if (r % 5 == 0 && same<FIRST, SECOND>::value)
                        continue;
                    if (!second)
                        FIRST::act(&want[r % 100 + k], r >> (k % 16));
                    else
                        SECOND::act(&want[r / 128 % 100 + k], r >> (k % 13));
                }
    return want == got;
}

int main()
{
    float *f;
    unsigned *u;
    CUDA(cudaMalloc(&f, WORDS * sizeof *f));
    CUDA(cudaMalloc(&u, WORDS * sizeof *u));
#define SUMS(n, stride) printf("%d of %d: %d %d\n", n, stride, sums_agree<n, stride>(f, 32, 0), sums_agree<n, stride>(f, 29, 1))
    SUMS(1, 1);
    SUMS(2, 2);
    SUMS(2, 20);
    SUMS(3, 4);
    SUMS(4, 4);
    SUMS(5, 8);
    SUMS(8, 8);
    SUMS(11, 16);
    SUMS(16, 16);
    SUMS(20, 20);
#define MIXED(n, first, second) \
    printf("%d, %s and %s: %d %d\n", n, #first, #second, mixed_agree<n, first, second>(u, 32), mixed_agree<n, first, second>(u, THREADS))
    MIXED(1, add, add);
    MIXED(3, add, add);
    MIXED(4, add, most);
    MIXED(8, toggle, toggle);
    MIXED(7, most, most);
    MIXED(16, add, add);
    MIXED(17, toggle, add);
    return 0;
}
