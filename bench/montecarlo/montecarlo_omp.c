/* SPDX-License-Identifier: Apache-2.0 */
/*
 * montecarlo: the price of an Asian call option, the mean of 16 prices on each of 2^18 paths.  Random numbers from Philox
 * 4x32-10, keyed by path and step, made normal by Box and Muller; a thread for each path, then sums over the block.
 * Work counts the steps.
 *
 * Plain C with OpenMP.  A piece of the paths at a time; their loop is inside the loop over steps, where it
 * becomes vectors.  The functions are redeclared with "declare simd", which makes gcc call glibc's vector versions (libmvec, at
 * most 4 ulp) although -ffast-math is off; sine and cosine have a loop each, for together they become a call of sincosf.
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

#pragma omp declare simd notinbranch
float expf(float);
#pragma omp declare simd notinbranch
float logf(float);
#pragma omp declare simd notinbranch
float sinf(float);
#pragma omp declare simd notinbranch
float cosf(float);

/* Sums of the paths from b * BLOCK on. */
static float asian_call(uint32_t b, float up, float wide)
{
    float price[BLOCK], mean[BLOCK], sum = 0.0f;
    for (int l = 0; l < BLOCK; l++) {
        price[l] = spot;
        mean[l] = 0.0f;
    }
    for (uint32_t step = 0; step < STEPS; step += 4) {
        uint32_t bits[4][BLOCK];
#pragma omp simd
        for (int l = 0; l < BLOCK; l++) {
            uint32_t c0 = b * BLOCK + l, c1 = step, c2 = 0, c3 = 0, k0 = 0x12345678u, k1 = 0x9abcdef0u;
#pragma GCC unroll 10
            for (int r = 0; r < 10; r++) {
                uint64_t p = (uint64_t)0xd2511f53u * c0, q = (uint64_t)0xcd9e8d57u * c2;
                c0 = (uint32_t)(q >> 32) ^ c1 ^ k0;
                c1 = (uint32_t)q;
                c2 = (uint32_t)(p >> 32) ^ c3 ^ k1;
                c3 = (uint32_t)p;
                k0 += 0x9e3779b9u;
                k1 += 0xbb67ae85u;
            }
            bits[0][l] = c0;
            bits[1][l] = c1;
            bits[2][l] = c2;
            bits[3][l] = c3;
        }
        for (int i = 0; i < 4; i += 2) {
            float radius[BLOCK], angle[BLOCK];
#pragma omp simd
            for (int l = 0; l < BLOCK; l++) {
                radius[l] = wide * sqrtf(-2.0f * logf(((bits[i][l] >> 8) + 1) * (1.0f / 16777216.0f)));
                angle[l] = 6.28318531f * ((bits[i + 1][l] >> 8) * (1.0f / 16777216.0f));
                price[l] *= expf(up + radius[l] * cosf(angle[l]));
                mean[l] += price[l];
            }
#pragma omp simd
            for (int l = 0; l < BLOCK; l++) {
                price[l] *= expf(up + radius[l] * sinf(angle[l]));
                mean[l] += price[l];
            }
        }
    }
    for (int l = 0; l < BLOCK; l++)
        sum += fmaxf(mean[l] / STEPS - strike, 0.0f);
    return sum;
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *sum = host_alloc(BLOCKS * sizeof(float));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
#pragma omp parallel for schedule(static)
        for (int b = 0; b < BLOCKS; b++)
            sum[b] = asian_call(b, drift(), spread());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, sum);
}
