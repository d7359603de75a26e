/* SPDX-License-Identifier: Apache-2.0 */
/* What the three variants of a benchmark share: a clock, memory, and the generator of inputs. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static inline void *host_alloc(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) {
        perror("host_alloc");
        exit(1);
    }
    return p;
}

/* Input generator, the same in the three variants: xorshift32. */
static uint32_t seed = 2463534242u;
static inline uint32_t rnd_u32(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}
static inline float rnd(void)                   /* [0, 1) */
{
    return (rnd_u32() >> 8) * (1.0f / 16777216.0f);
}

#ifdef __CUDACC__
#include <cuda_runtime.h>

#define CHECK(call)                                                                              \
    do {                                                                                         \
        cudaError_t err_ = (call);                                                               \
        if (err_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(err_)); \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)
#endif

#endif
