/* SPDX-License-Identifier: Apache-2.0 */
/*
 * montecarlo: the price of an Asian call option, the mean of 16 prices on each of 2^18 paths.  Random numbers from Philox
 * 4x32-10, keyed by path and step, made normal by Box and Muller; a thread for each path, then sums over the block.
 * Work counts the steps.
 *
 * OpenCL variant, on the CPU device (POCL).
 */
#include "../ocl.h"

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

static const char *text = TEXT(
uint4 philox(uint4 c, uint2 k)
{
    __attribute__((opencl_unroll_hint(10)))
    for (int r = 0; r < 10; r++) {
        uint high0 = mul_hi(0xd2511f53u, c.x);
        uint low0 = 0xd2511f53u * c.x;
        uint high1 = mul_hi(0xcd9e8d57u, c.z);
        uint low1 = 0xcd9e8d57u * c.z;
        c = (uint4)(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}

float2 normal(uint a, uint b)
{
    float u = ((a >> 8) + 1) * (1.0f / 16777216.0f);
    float v = (b >> 8) * (1.0f / 16777216.0f);
    float radius = sqrt(-2.0f * log(u));
    float c;
    float s = sincos(6.28318531f * v, &c);
    return (float2)(radius * c, radius * s);
}

__kernel void asian_call(__global float *sum, float spot, float strike, float drift, float spread)
{
    __local float part[BLOCK];
    int tid = get_local_id(0);
    float price = spot;
    float mean = 0.0f;
    for (int step = 0; step < STEPS; step += 4) {
        uint4 bits = philox((uint4)(get_global_id(0), step, 0, 0), (uint2)(0x12345678u, 0x9abcdef0u));
        float2 a = normal(bits.x, bits.y);
        float2 b = normal(bits.z, bits.w);
        price *= exp(drift + spread * a.x);
        mean += price;
        price *= exp(drift + spread * a.y);
        mean += price;
        price *= exp(drift + spread * b.x);
        mean += price;
        price *= exp(drift + spread * b.y);
        mean += price;
    }
    part[tid] = fmax(mean / STEPS - strike, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (tid < d)
            part[tid] += part[tid + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        sum[get_group_id(0)] = part[0];
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *sum = host_alloc(BLOCKS * sizeof(float));
    char options[64];
    ocl_open();
    snprintf(options, sizeof options, "-DBLOCK=%d -DSTEPS=%d", BLOCK, STEPS);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "asian_call");
    cl_mem d_sum = ocl_buffer(BLOCKS * sizeof(float), NULL);
    cl_float up = drift(), wide = spread();
    ARG(kernel, 0, d_sum);
    ARG(kernel, 1, spot);
    ARG(kernel, 2, strike);
    ARG(kernel, 3, up);
    ARG(kernel, 4, wide);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        ocl_launch(kernel, 1, PATHS, 1, BLOCK, 1);
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_sum, sum, BLOCKS * sizeof(float));
    return report("ocl", best, sum);
}
