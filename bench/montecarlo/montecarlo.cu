/* SPDX-License-Identifier: Apache-2.0 */
/*
 * montecarlo: the price of an Asian call option, the mean of 16 prices on each of 2^18 paths.  Random numbers from Philox
 * 4x32-10, keyed by path and step, made normal by Box and Muller; a thread for each path, then sums over the block.
 * Work counts the steps.
 *
 * CUDA variant.
 */
#include "../common.h"

enum { PATHS = 1 << 18, STEPS = 16, BLOCK = 256, BLOCKS = PATHS / BLOCK };
static const float spot = 100.0f, strike = 102.0f, rate = 0.03f, volatility = 0.25f, years = 1.0f;

/* What a step multiplies the price with is exp(drift + spread * normal). */
static float drift(void)
{
    return (rate - 0.5f * volatility * volatility) * years / STEPS;
}
static float spread(void)
{
    return volatility * sqrtf(years / STEPS);
}

/* The reference: the same random numbers, all else in double precision. */
static double reference(void)
{
    const double two_pi = 6.283185307179586;
    double total = 0;
    for (uint32_t path = 0; path < PATHS; path++) {
        double price = spot, mean = 0;
        for (uint32_t step = 0; step < STEPS; step += 4) {
            uint32_t c[4] = { path, step, 0, 0 }, k[2] = { 0x12345678u, 0x9abcdef0u };
            for (int r = 0; r < 10; r++) {
                uint64_t p = (uint64_t)0xd2511f53u * c[0], q = (uint64_t)0xcd9e8d57u * c[2];
                c[0] = (uint32_t)(q >> 32) ^ c[1] ^ k[0];
                c[1] = (uint32_t)q;
                c[2] = (uint32_t)(p >> 32) ^ c[3] ^ k[1];
                c[3] = (uint32_t)p;
                k[0] += 0x9e3779b9u;
                k[1] += 0xbb67ae85u;
            }
            for (int i = 0; i < 4; i += 2) {
                double u = ((c[i] >> 8) + 1) / 16777216.0, v = (c[i + 1] >> 8) / 16777216.0, radius = sqrt(-2 * log(u));
                price *= exp(drift() + spread() * radius * cos(two_pi * v));
                mean += price;
                price *= exp(drift() + spread() * radius * sin(two_pi * v));
                mean += price;
            }
        }
        total += fmax(mean / STEPS - strike, 0);
    }
    return exp(-rate * years) * total / PATHS;
}

static int report(const char *variant, double seconds, const float *sum)
{
    double total = 0, want = reference();
    for (int b = 0; b < BLOCKS; b++)
        total += sum[b];
    double price = exp(-rate * years) * total / PATHS;
    printf("montecarlo %s seconds=%.9f check=%.6e work=%.0f unit=Gsteps/s\n", variant, seconds, price, (double)PATHS * STEPS);
    if (!(fabs(price - want) <= 1e-4 * want)) {
        fprintf(stderr, "montecarlo %s: price %.6f, want %.6f\n", variant, price, want);
        return 1;
    }
    return 0;
}

__device__ uint4 philox(uint4 c, uint2 k)
{
#pragma unroll
    for (int r = 0; r < 10; r++) {
        uint32_t high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
        uint32_t high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
        c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}

__device__ float2 normal(uint32_t a, uint32_t b)
{
    float u = ((a >> 8) + 1) * (1.0f / 16777216.0f), v = (b >> 8) * (1.0f / 16777216.0f);
    float radius = sqrtf(-2.0f * logf(u)), s, c;
    sincosf(6.28318531f * v, &s, &c);
    return make_float2(radius * c, radius * s);
}

__device__ float block_sum(float x)
{
    __shared__ float part[BLOCK / 32];
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_down_sync(~0u, x, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = threadIdx.x < BLOCK / 32 ? part[threadIdx.x] : 0.0f;
        for (int d = BLOCK / 64; d > 0; d /= 2)
            x += __shfl_down_sync(~0u, x, d);
    }
    return x;
}

__global__ void asian_call(float *sum, float spot, float strike, float drift, float spread)
{
    uint32_t path = blockIdx.x * BLOCK + threadIdx.x;
    float price = spot, mean = 0.0f;
    for (int step = 0; step < STEPS; step += 4) {
        uint4 bits = philox(make_uint4(path, step, 0, 0), make_uint2(0x12345678u, 0x9abcdef0u));
        float2 a = normal(bits.x, bits.y), b = normal(bits.z, bits.w);
        price *= expf(drift + spread * a.x);
        mean += price;
        price *= expf(drift + spread * a.y);
        mean += price;
        price *= expf(drift + spread * b.x);
        mean += price;
        price *= expf(drift + spread * b.y);
        mean += price;
    }
    float total = block_sum(fmaxf(mean / STEPS - strike, 0.0f));
    if (threadIdx.x == 0)
        sum[blockIdx.x] = total;
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *sum = (float *)host_alloc(BLOCKS * sizeof(float)), *d_sum;
    CHECK(cudaMalloc(&d_sum, BLOCKS * sizeof(float)));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        asian_call<<<BLOCKS, BLOCK>>>(d_sum, spot, strike, drift(), spread());
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(sum, d_sum, BLOCKS * sizeof(float), cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, sum);
    CHECK(cudaFree(d_sum));
    return rc;
}
