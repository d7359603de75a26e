// SPDX-License-Identifier: Apache-2.0
// Ways in which the lanes of a warp reach memory and each other: neighbours that only show at run time, known steps, pairs and
// quadruples out of order, one address for many lanes, exchanges by constants, comparisons at the edge of a warp.
#include "app.h"

enum { N = 256 };

struct pair {
    unsigned a, b;
};

/* Reads and writes at t ^ flip and at t with its bits below `span` turned round: neighbours for some flips, not for others. */
__global__ void neighbours(const unsigned *in, unsigned *out, unsigned flip, unsigned span, unsigned limit)
{
    unsigned t = threadIdx.x, r = t - (t & (span - 1)) + (span - 1 - (t & (span - 1)));
    if (t % 7 < limit)
        out[t ^ flip] = in[r] * 3 + in[t ^ flip];
}

template<int STEP>
__global__ void steps(const uint2 *in, uint2 *out, const uint4 *four, uint4 *four_out)
{
    unsigned t = threadIdx.x;
    uint2 v = in[t * STEP];
    out[t * STEP] = make_uint2(v.y + 1, v.x);
    uint4 q = four[t * 37 % N];
    four_out[t * 37 % N] = make_uint4(q.w, q.z, q.y, q.x + t);
}

__global__ void one_address(unsigned *out, unsigned lane)
{
    if (threadIdx.x % 32 == lane)
        out[threadIdx.x / 32] = threadIdx.x * 5 + 1;
}

template<int D>
__global__ void exchanges(unsigned *out)
{
    unsigned t = threadIdx.x, x = t * t + 7;
    out[t] = __shfl_xor_sync(~0u, x, D) + 3 * __shfl_up_sync(~0u, x, D) + 5 * __shfl_down_sync(~0u, x, D, 16) + 7 * __shfl_sync(~0u, x, D, 8);
}

template<int K>
__global__ void edges(unsigned *out)
{
    unsigned t = threadIdx.x, r = 0;
    if (t < K)
        r += 1;
    if (t > K)
        r += 2;
    if (t <= K - 1)
        r += 4;
    if (K <= (int)t)
        r += 8;
    out[t] = r;
}

static unsigned *in, *out;

static void say(const char *name, int wrong)
{
    printf("%s: %d wrong\n", name, wrong);
}

static int test_neighbours(unsigned flip, unsigned span, unsigned limit)
{
    int wrong = 0;
    for (unsigned t = 0; t < N; t++)
        out[t] = 9;
    neighbours<<<1, N>>>(in, out, flip, span, limit);
    cudaDeviceSynchronize();
    for (unsigned t = 0; t < N; t++) {
        unsigned r = t - (t & (span - 1)) + (span - 1 - (t & (span - 1)));
        wrong += out[t ^ flip] != (t % 7 < limit ? in[r] * 3 + in[t ^ flip] : 9);
    }
    return wrong;
}

template<int STEP>
static int test_steps()
{
    int wrong = 0;
    const struct pair *p = (const struct pair *)in;
    const unsigned *q = in;
    unsigned *quads = out + 2 * N * STEP;
    steps<STEP><<<1, N>>>((const uint2 *)in, (uint2 *)out, (const uint4 *)in, (uint4 *)quads);
    cudaDeviceSynchronize();
    for (unsigned t = 0; t < N; t++) {
        wrong += out[2 * t * STEP] != p[t * STEP].b + 1 || out[2 * t * STEP + 1] != p[t * STEP].a;
        unsigned k = t * 37 % N;
        wrong += quads[4 * k] != q[4 * k + 3] || quads[4 * k + 1] != q[4 * k + 2] || quads[4 * k + 3] != q[4 * k] + t;
    }
    return wrong;
}

template<int D>
static int test_exchanges()
{
    int wrong = 0;
    exchanges<D><<<1, N>>>(out);
    cudaDeviceSynchronize();
    for (unsigned t = 0; t < N; t++) {
        unsigned up = t % 32 >= D ? t - D : t, down = t % 16 + D < 16 ? t + D : t, other = t ^ D, from = t / 8 * 8 + D % 8;
        wrong += out[t] != other * other + 7 + 3 * (up * up + 7) + 5 * (down * down + 7) + 7 * (from * from + 7);
    }
    return wrong;
}

template<int K>
static int test_edges()
{
    int wrong = 0;
    edges<K><<<1, N>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < N; t++)
        wrong += out[t] != (unsigned)((t < K) + 2 * (t > K) + 4 * (t <= K - 1) + 8 * (K <= t));
    return wrong;
}

int main(void)
{
    int wrong = 0;
    cudaMallocManaged(&in, 16 * N * sizeof *in);
    cudaMallocManaged(&out, 16 * N * sizeof *out);
    for (unsigned i = 0; i < 16 * N; i++)
        in[i] = i * 2654435761u >> 7;
    for (unsigned flip = 0; flip < N; flip += 5)
        for (unsigned span = 1; span <= N; span *= 2)
            for (unsigned limit = 3; limit <= 7; limit += 4)
                wrong += test_neighbours(flip, span, limit);
    say("neighbours", wrong);
    say("steps", test_steps<1>() + test_steps<2>() + test_steps<3>());
    wrong = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        one_address<<<1, N>>>(out, lane);
        cudaDeviceSynchronize();
        for (unsigned w = 0; w < N / 32; w++)
            wrong += out[w] != (32 * w + lane) * 5 + 1;
    }
    say("one address", wrong);
    say("exchanges", test_exchanges<1>() + test_exchanges<3>() + test_exchanges<8>() + test_exchanges<15>() + test_exchanges<16>() +
                         test_exchanges<31>());
    say("edges", test_edges<1>() + test_edges<15>() + test_edges<16>() + test_edges<31>() + test_edges<32>() + test_edges<33>() +
                     test_edges<48>() + test_edges<64>() + test_edges<256>());
    return 0;
}
