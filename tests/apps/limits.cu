// SPDX-License-Identifier: Apache-2.0
// Indices that are compared with limits, in every kind of comparison: near zero, near the largest numbers of both kinds, where they wrap around
// inside of a warp; limits everywhere around; conditions joined by and, or and not; with work behind them that has versions without masks.
#include "app.h"
#include <climits>
#include <cstring>

enum { THREADS = 96, KINDS = 14, BASES = 12, LIMITS = 11 };

/* These wrap around in signed numbers too. */
template <class T> static __host__ __device__ T sum(T a, unsigned long long b) { return (T)((unsigned long long)a + b); }
template <class T> static __host__ __device__ T times(T a, unsigned b) { return (T)((unsigned long long)a * b); }

template <class T> static __host__ __device__ bool holds(int kind, T i, T limit, T low)
{
    switch (kind) {
    case 0: return i < limit;
    case 1: return i <= limit;
    case 2: return i > limit;
    case 3: return i >= limit;
    case 4: return !(i < limit);
    case 5: return i >= low && i < limit;
    case 6: return i < low || i >= limit;
    case 7: return limit > i;
    case 8: return limit <= i;
    case 9: return times<T>(i, 2) < limit;
    case 10: return (i > low) && (i != limit) && (i < limit);
    case 11: return !(i > low && i < limit);
    case 12: return sum<T>(limit, 0 - (unsigned long long)i) > low;
    default: return i == limit;
    }
}

template <class T, int KIND> __global__ void one_test(T base, T limit, T low, const unsigned *in, unsigned *out)
{
    T i = sum<T>(base, threadIdx.x);
    unsigned v = 7;
    if (holds<T>(KIND, i, limit, low))
        v = in[threadIdx.x] + 3;
    out[threadIdx.x] = v;
}

/* The same with a base of which it is known that it is a multiple of the block's size. */
template <class T, int KIND> __global__ void one_test_aligned(T blocks, T limit, T low, const unsigned *in, unsigned *out)
{
    T i = sum<T>(times<T>(blocks, 32), threadIdx.x);
    if (holds<T>(KIND, i, limit, low)) {
        unsigned v = in[threadIdx.x];
        if (v & 1)
            out[threadIdx.x] = v + 3;
        else
            out[threadIdx.x] = v + 5;
    } else {
        out[threadIdx.x] = 7;
    }
}

/* Round and round while it holds, 50 times at most. */
template <class T, int KIND> __global__ void turns(T base, T limit, T low, const unsigned *in, unsigned *out)
{
    T i = sum<T>(base, threadIdx.x);
    unsigned x = 0, n = 0;
    while (holds<T>(KIND, i, limit, low) && n < 50) {
        x = x * 3 + in[(threadIdx.x + n) % THREADS];
        i = sum<T>(i, 32);
        n++;
    }
    out[threadIdx.x] = x;
}

static unsigned *d_in, *d_out, in[THREADS], out[THREADS];
static int n_wrong;

template <class T, int KIND> static void check(T base, T limit, T low)
{
    for (int which = 0; which < 3; which++) {
        T start = which == 1 ? times<T>((T)(base / 32), 32) : base;
        if (which == 0)
            one_test<T, KIND><<<1, THREADS>>>(base, limit, low, d_in, d_out);
        else if (which == 1)
            one_test_aligned<T, KIND><<<1, THREADS>>>((T)(base / 32), limit, low, d_in, d_out);
        else
            turns<T, KIND><<<1, THREADS>>>(base, limit, low, d_in, d_out);
        CUDA(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
        for (unsigned t = 0; t < THREADS; t++) {
            T i = sum<T>(start, t);
            unsigned want = 7, n = 0;
            bool ok = holds<T>(KIND, i, limit, low);
            if (ok)
                want = in[t] + (which == 1 ? (in[t] & 1 ? 3 : 5) : 3);
            if (which == 2)
                for (want = 0; holds<T>(KIND, i, limit, low) && n < 50; i = sum<T>(i, 32), n++)
                    want = want * 3 + in[(t + n) % THREADS];
            if (out[t] != want && n_wrong++ < 5)
                printf("kind %d base %lld limit %lld low %lld, program %d, thread %u: %u instead of %u\n", KIND, (long long)base, (long long)limit, (long long)low, which, t, out[t], want);
        }
    }
}

template <class T, int KIND> static void all(T least, T most)
{
    const T bases[BASES] = { 0, 1, (T)(most - 200), (T)(most - 95), (T)(most - 94), (T)(most - 40), most, least, (T)(least + 10), sum<T>(0, 0ull - 40), sum<T>(0, 0ull - 96), 1000 };
    for (int b = 0; b < BASES; b++) {
        const T limits[LIMITS] = { bases[b], sum<T>(bases[b], 31), sum<T>(bases[b], 32), sum<T>(bases[b], 40),
                                   sum<T>(bases[b], 96), sum<T>(bases[b], 0ull - 1), 0, 1, least, most, 20 };
        for (int l = 0; l < LIMITS; l++)
            check<T, KIND>(bases[b], limits[l], l & 1 ? 0 : sum<T>(bases[b], 8));
    }
    if constexpr (KIND + 1 < KINDS)
        all<T, KIND + 1>(least, most);
}

int main()
{
    for (unsigned t = 0; t < THREADS; t++)
        in[t] = app_random(t);
    CUDA(cudaMalloc(&d_in, sizeof in));
    CUDA(cudaMalloc(&d_out, sizeof out));
    CUDA(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    all<int, 0>(INT_MIN, INT_MAX);
    all<unsigned, 0>(0, UINT_MAX);
    all<long long, 0>(LLONG_MIN, LLONG_MAX);
    all<unsigned long long, 0>(0, ULLONG_MAX);
    printf(n_wrong ? "%d wrong\n" : "all limits right\n", n_wrong);
    return n_wrong != 0;
}
