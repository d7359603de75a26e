/* SPDX-License-Identifier: Apache-2.0 */
/* What all families share: the data, the sizes, and the declaration of each kernel's plain C loop. */
#ifndef EVERYDAY_COMMON_H
#define EVERYDAY_COMMON_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20, W = 1024, H = 1024, ROWS = 4096, COLS = 256, STRINGS = 16384, LENGTH = 64, BINS = 256 };

/* Inputs a, b, c (0 to 1), idx (a permutation of 0..N-1), key (0..N-1, any), byte; outputs out and num. On the host, or on the device. */
struct data {
    float *a, *b, *c, *out;
    double *d;
    int *idx, *key, *num;
    unsigned char *byte;
};

#ifdef __cplusplus
#define PLAIN(name) extern "C" void omp_##name(const struct data *x)
#else
#define PLAIN(name) void omp_##name(const struct data *x); void omp_##name(const struct data *x)
#endif

#endif
