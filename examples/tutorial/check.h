// SPDX-License-Identifier: Apache-2.0
// CHECK(call): ends the program with the place and the error's text when a CUDA call fails.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                            \
    do {                                                                                       \
        cudaError_t rc_ = (call);                                                              \
        if (rc_ != cudaSuccess) {                                                              \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc_)); \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)
