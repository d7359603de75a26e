/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that only compute, each step waiting for the one before it: how the engine shares blocks out to threads. Few and many
 * blocks, short and long. Prints a line `NAME seconds=S` each, the best of many launches that are waited for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cuda_runtime.h>

static void check(cudaError_t err)
{
    if (err != cudaSuccess) {
        fprintf(stderr, "counting: %s\n", cudaGetErrorString(err));
        exit(1);
    }
}

__global__ void count(float *out, int steps)
{
    float a = threadIdx.x;
    for (int i = 0; i < steps; i++)
        a = a * 0.5f + 0.25f;
    if (a == 12345)
        *out = a;
}

static double now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main()
{
    static const struct { const char *name; int blocks, steps; } cases[] = {
        { "blocks_64_short", 64, 50000 },
        { "blocks_64_long", 64, 200000 },
        { "blocks_4096_short", 4096, 750 },
        { "blocks_4096_long", 4096, 3000 },
        { "blocks_65536_short", 65536, 45 },
        { "blocks_65536_long", 65536, 180 },
    };
    float *out;
    check(cudaMalloc(&out, sizeof *out));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double best = 1e9;
        for (int round = 0; round < 40; round++) {
            double begin = now();
            count<<<cases[k].blocks, 32>>>(out, cases[k].steps);
            check(cudaDeviceSynchronize());
            double s = now() - begin;
            best = s < best ? s : best;
        }
        printf("%s seconds=%.9f\n", cases[k].name, best);
    }
    check(cudaFree(out));
    return 0;
}
