/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products of a warp: D = A * B + C, with n = 8. What lower/ asks for, jit/ writes as vector code and exec/ computes for threads
 * that run one by one.
 *
 * With g = lane / 4, t = lane % 4, h a half of m and e elements in a register:
 *   A: register k * halves + h holds row g + 8h, columns (4k + t) * e + 0 .. e-1
 *   B: register k holds rows (4k + t) * e + 0 .. e-1 of column g
 *   C and D: registers 2h and 2h + 1 hold columns 2t and 2t + 1 of row g + 8h
 * A sum begins with C and takes the products by rising row of B, each added with one rounding (fma), or modulo 2^32.
 */
#ifndef KABI_MMA_H
#define KABI_MMA_H

#include "base/base.h"

enum kabi_mma_type {
    KABI_MMA_F16, KABI_MMA_BF16, KABI_MMA_TF32, KABI_MMA_F64, KABI_MMA_S8, KABI_MMA_U8, KABI_MMA_S4, KABI_MMA_U4, KABI_MMA_B1_XOR, KABI_MMA_B1_AND,
    KABI_MMA_TYPES
};

struct kabi_mma {
    uint8_t a, b;                /* enum kabi_mma_type; both of one size and kind */
    uint8_t halves;              /* of m: 1 for 8 rows, 2 for 16 */
    uint8_t n_k;                 /* registers of B */
};
/* Registers: halves * n_k of A, n_k of B, 2 * halves of C; those of f64 have 64 bits. */
enum { KABI_MMA_MAX_A = 4, KABI_MMA_MAX_B = 4, KABI_MMA_MAX_C = 4, KABI_MMA_OPERANDS = 10 };

static inline int64_t kabi_mma_pack(struct kabi_mma m)
{
    return m.a | m.b << 4 | m.halves << 8 | m.n_k << 12;
}

static inline struct kabi_mma kabi_mma_unpack(int64_t imm)
{
    return (struct kabi_mma){ imm & 15, imm >> 4 & 15, imm >> 8 & 15, imm >> 12 & 15 };
}

/* Elements in a register. */
static inline unsigned kabi_mma_per_reg(unsigned type)
{
    static const uint8_t per_reg[KABI_MMA_TYPES] = { 2, 2, 1, 1, 4, 4, 8, 8, 32, 32 };
    return per_reg[type];
}

#endif
