/* SPDX-License-Identifier: Apache-2.0 */
/* Test vectors: the .tv files of this folder (README.md describes them) in memory. */
#ifndef OP_TV_H
#define OP_TV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tv_nan { TV_PLAIN, TV_NAN_F32, TV_NAN_F64, TV_NAN_F16, TV_NAN_BF16, TV_NAN_F16X2, TV_NAN_BF16X2 };
struct tv_type {
    const char *name, *reg;      /* as the file spells it; the PTX register type */
    unsigned bytes;
    enum tv_nan nan;
};

enum { TV_MAX_ARGS = 4, TV_MAX_TEXT = 4096, TV_SWEEP = 8192 };

struct tv_row {
    uint64_t arg[TV_MAX_ARGS], want;
    unsigned line;
};

struct tv_case {
    char name[96];
    unsigned line;
    const struct tv_type *result, *arg[TV_MAX_ARGS];
    unsigned n_args;
    char head[TV_MAX_TEXT], body[TV_MAX_TEXT];   /* PTX outside and inside of the kernel */
    char callee[64];             /* of a call line */
    unsigned sm;                 /* .target; 80 unless the file says otherwise */
    double ulp;                  /* 0: bit-exact */
    double relative, absolute;   /* the other bound that approximate instructions have; 0: none */
    bool has_todo;
    bool has_sweep;
    uint64_t sweep_seed, sweep_hash;
    struct tv_row *rows;
    size_t n_rows;
    struct tv_case *next;
};

/* The cases of a file in order; ends the process with file and line when the file is malformed. */
struct tv_case *tv_read(const char *path);
void tv_free(struct tv_case *first);

/* A module with one kernel, `case`: element i of a, b, c, e through the case's PTX to element i of d, for i < n. */
enum { TV_MAX_KERNEL = 3 * TV_MAX_TEXT };
void tv_kernel_text(const struct tv_case *c, char *out, size_t size);

/* The inputs of a sweep for argument k: special values, then pseudo-random ones. */
void tv_sweep_fill(uint64_t *rng, const struct tv_type *type, int k, void *out);
void tv_sweep_seed(uint64_t seed, uint64_t *rng);
/*
 * The hash of a sweep's results, NaNs made alike. Seeds below TV_OWN_SEEDS are those of the oracle's `ops` probe, which hashes
 * whole values: an even number of wrong top bits of 64-bit values goes unnoticed there. Ours takes such values in halves.
 */
enum { TV_OWN_SEEDS = 1000 };
uint64_t tv_hash(const struct tv_type *type, const void *results, size_t n, uint64_t seed);
uint64_t tv_canonical(const struct tv_type *type, uint64_t bits);

uint64_t tv_load(const struct tv_type *type, const void *array, size_t i);
/* Distance in units in the last place, 0 when both are NaN. */
double tv_ulps(const struct tv_type *type, uint64_t a, uint64_t b);
double tv_value(const struct tv_type *type, uint64_t bits);

#endif
