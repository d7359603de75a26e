// SPDX-License-Identifier: Apache-2.0
// Reductions in global memory whose old value nobody wants: small tables and wide ones, several tables in one kernel, memory that is read as well, variables, two
// streams at once. Each is compared with the same loop on the host.
#include "app.h"

#include <climits>
#include <cstring>
#include <vector>

enum { N = 200000, THREADS = 256 };
static int wrong, cases;

struct add { template <class T> static __device__ void device(T *p, T x) { atomicAdd(p, x); } template <class T> static T host(T a, T x) { return a + x; } };
struct bit_and { template <class T> static __device__ void device(T *p, T x) { atomicAnd(p, x); } template <class T> static T host(T a, T x) { return a & x; } };
struct bit_or { template <class T> static __device__ void device(T *p, T x) { atomicOr(p, x); } template <class T> static T host(T a, T x) { return a | x; } };
struct bit_xor { template <class T> static __device__ void device(T *p, T x) { atomicXor(p, x); } template <class T> static T host(T a, T x) { return a ^ x; } };
struct least { template <class T> static __device__ void device(T *p, T x) { atomicMin(p, x); } template <class T> static T host(T a, T x) { return x < a ? x : a; } };
struct most { template <class T> static __device__ void device(T *p, T x) { atomicMax(p, x); } template <class T> static T host(T a, T x) { return x > a ? x : a; } };

static __host__ __device__ uint32_t where(uint32_t i, uint32_t bins) { return app_random(i) % bins; }
template <class T> static __host__ __device__ T what(uint32_t i) { return (T)((uint64_t)app_random(i + 77u) << (sizeof(T) == 8 ? 27 : 0) ^ (uint64_t)app_random(i + 99u)); }

template <class OP, class T> __global__ void reduce(T *t, uint32_t bins, uint32_t n, uint32_t some)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (app_random(i + 5u) & some) == 0) OP::device(&t[where(i, bins)], what<T>(i));
}

template <class T> static bool compare(const char *name, const T *device, const std::vector<T> &expect)
{
    std::vector<T> got(expect.size());
    CUDA(cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDefault));
    cases++;
    for (size_t k = 0; k < got.size(); k++)
        if (got[k] != expect[k]) {
            printf("%s: element %zu is %lld, not %lld\n", name, k, (long long)got[k], (long long)expect[k]);
            wrong++;
            return false;
        }
    return true;
}

/* A table of `bins` elements in an allocation of `all`, which begins with any numbers. */
template <class OP, class T> static void test(const char *name, uint32_t bins, size_t all, size_t from, uint32_t some)
{
    T *d;
    std::vector<T> expect(all);
    for (size_t k = 0; k < all; k++) expect[k] = what<T>((uint32_t)k + 12345u);
    CUDA(cudaMalloc(&d, all * sizeof(T)));
    CUDA(cudaMemcpy(d, expect.data(), all * sizeof(T), cudaMemcpyDefault));
    for (uint32_t i = 0; i < N; i++)
        if ((app_random(i + 5u) & some) == 0) { T &e = expect[from + where(i, bins)]; e = OP::template host<T>(e, what<T>(i)); }
    reduce<OP, T><<<(N + THREADS - 1) / THREADS, THREADS>>>(d + from, bins, N, some);
    CUDA(cudaDeviceSynchronize());
    compare(name, d, expect);
    CUDA(cudaFree(d));
}

template <class OP, class T> static void sizes(const char *name)
{
    test<OP, T>(name, 1000, 1000, 0, 0);
    test<OP, T>(name, 777, 3001, 1013, 0);       /* in the middle of an allocation */
    test<OP, T>(name, 77, 77, 0, 7);             /* lanes that are off */
    test<OP, T>(name, 100000, 100000, 0, 0);     /* more than a copy holds */
    test<OP, T>(name, 1, 1, 0, 1);
}

__device__ unsigned variable[300];
__global__ void to_variable(uint32_t n) { uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(&variable[where(i, 300)], 3u); }
__global__ void zero_variable() { variable[threadIdx.x] = 0; }
__global__ void counters(unsigned *odd, unsigned long long *sum, int *top, uint32_t n)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(odd, i & 1u);
        atomicAdd(sum, (unsigned long long)i);
        atomicMax(top, (int)app_random(i));
    }
}
/* the table lies behind what is read, in the same allocation, and is read by its last thread's own eyes */
__global__ void neighbours(const unsigned *in, unsigned *t, unsigned *seen, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { atomicAdd(&t[i], in[i]); seen[i] = t[i]; }
}
__global__ void same_table(unsigned *t, unsigned *also, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { atomicAdd(&t[i % 64], 5u); atomicMax(&also[i % 64], 3u); }
}
__global__ void records(unsigned *t, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { uint32_t k = where(i, 50); atomicAdd(&t[3 * k], 1u); atomicAdd(&t[3 * k + 1], i); atomicAdd(&t[3 * k + 2], i >> 4); }
}
/* by a signed index below the pointer */
__global__ void below(unsigned *end, uint32_t n) { int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); if (i < (int)n) atomicAdd(&end[-1 - i % 100], 1u); }

static void test_variable()
{
    unsigned *d;
    std::vector<unsigned> expect(300);
    CUDA(cudaGetSymbolAddress((void **)&d, variable));
    zero_variable<<<1, 300>>>();
    to_variable<<<(N + 127) / 128, 128>>>(N);
    for (uint32_t i = 0; i < N; i++) expect[where(i, 300)] += 3;
    CUDA(cudaDeviceSynchronize());
    compare("variable", d, expect);
}

static void test_counters()
{
    struct { unsigned odd, none; unsigned long long sum; int top; } *d, h = {};
    int top = INT_MIN;
    CUDA(cudaMalloc(&d, sizeof h));
    unsigned *odd; int *far;
    CUDA(cudaMalloc(&odd, 4)); CUDA(cudaMalloc(&far, 4));
    CUDA(cudaMemset(d, 0, sizeof h)); CUDA(cudaMemset(odd, 0, 4));
    CUDA(cudaMemcpy(far, &top, 4, cudaMemcpyDefault));
    counters<<<64, 128>>>(odd, &d->sum, far, N);
    counters<<<16, 256>>>(&d->odd, &d->sum, &d->top, N);         /* all three in one allocation */
    for (uint32_t i = 0; i < N; i++) top = (int)app_random(i) > top ? (int)app_random(i) : top;
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDefault));
    compare("odd", odd, std::vector<unsigned>(1, N / 2));
    compare("top", far, std::vector<int>(1, top));
    cases++;
    if (h.odd != N / 2 || h.sum != 2ull * N * (N - 1) / 2 || h.top != (top > 0 ? top : 0)) { printf("counters: %u %llu %d\n", h.odd, h.sum, h.top); wrong++; }
}

static void test_neighbours()
{
    unsigned *d, *seen;
    std::vector<unsigned> expect(N);
    CUDA(cudaMalloc(&d, 2 * N * 4)); CUDA(cudaMalloc(&seen, N * 4));
    std::vector<unsigned> in(2 * N);
    for (uint32_t i = 0; i < N; i++) { in[i] = app_random(i); in[N + i] = i; expect[i] = in[i] + i; }
    CUDA(cudaMemcpy(d, in.data(), 2 * N * 4, cudaMemcpyDefault));
    neighbours<<<(N + 255) / 256, 256>>>(d, d + N, seen, N);
    CUDA(cudaDeviceSynchronize());
    compare("seen", seen, expect);
    compare("neighbours", d + N, expect);
    CUDA(cudaMemset(d, 0, 256));
    same_table<<<(N + 255) / 256, 256>>>(d, d, N);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(in.data(), d, 256, cudaMemcpyDefault));
    cases++;
    for (uint32_t k = 0; k < 64; k++) if (in[k] != 5 * ((N - k + 63) / 64)) { printf("same table: %u is %u\n", k, in[k]); wrong++; break; }
}

static void test_streams()
{
    cudaStream_t s[2];
    unsigned *d, *b;
    std::vector<unsigned> expect(150), down(100);
    CUDA(cudaMalloc(&d, 600)); CUDA(cudaMemset(d, 0, 600)); CUDA(cudaMalloc(&b, 400)); CUDA(cudaMemset(b, 0, 400));
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < 2; k++) CUDA(cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking));
    for (int round = 0; round < 20; round++)
        for (int k = 0; k < 2; k++) records<<<(N + 255) / 256, 256, 0, s[k]>>>(d, N);
    below<<<(N + 255) / 256, 256, 0, s[0]>>>(b + 100, N);
    for (uint32_t i = 0; i < N; i++) { uint32_t k = where(i, 50); expect[3 * k] += 40; expect[3 * k + 1] += 40 * i; expect[3 * k + 2] += 40 * (i >> 4); down[99 - i % 100]++; }
    CUDA(cudaDeviceSynchronize());
    compare("streams", d, expect);
    compare("below", b, down);
}

int main()
{
    sizes<add, unsigned>("add 32"); sizes<add, unsigned long long>("add 64");
    sizes<bit_and, unsigned>("and 32"); sizes<bit_and, unsigned long long>("and 64");
    sizes<bit_or, unsigned>("or 32"); sizes<bit_or, unsigned long long>("or 64");
    sizes<bit_xor, unsigned>("xor 32"); sizes<bit_xor, unsigned long long>("xor 64");
    sizes<least, int>("min s32"); sizes<least, unsigned>("min u32"); sizes<least, long long>("min s64"); sizes<least, unsigned long long>("min u64");
    sizes<most, int>("max s32"); sizes<most, unsigned>("max u32"); sizes<most, long long>("max s64"); sizes<most, unsigned long long>("max u64");
    test_variable();
    test_counters();
    test_neighbours();
    test_streams();
    printf("%d cases, %d wrong\n", cases, wrong);
    return wrong != 0;
}
