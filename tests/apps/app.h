/* SPDX-License-Identifier: Apache-2.0 */
/* For the small programs: stop at the first call that fails, random numbers that are the same everywhere. */
#ifndef APP_H
#define APP_H

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA(call)                                                                                      \
    do {                                                                                                \
        cudaError_t rc_ = (call);                                                                       \
        if (rc_ != cudaSuccess) {                                                                       \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc_));              \
            exit(1);                                                                                    \
        }                                                                                               \
    } while (0)

__host__ __device__ inline uint32_t app_random(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

inline uint64_t app_hash(const void *data, size_t bytes)
{
    uint64_t h = 1469598103934665603ull;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
    return h;
}

#endif
