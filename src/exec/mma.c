/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products of threads that run one by one; jit/emit/mma.c writes the same sums as vector code. */
#include "exec/warpop.h"

#include <math.h>

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static float half_of(uint32_t h)
{
    uint32_t exponent = h >> 10 & 31, fraction = h & 1023, sign = (h & 0x8000) << 16;
    if (exponent == 31)
        return float_of(sign | 0x7f800000u | fraction << 13);
    float value = exponent ? ldexpf((float)(fraction | 1024), (int)exponent - 25) : ldexpf((float)fraction, -24);
    return sign ? -value : value;
}

static float float_element(unsigned type, uint32_t reg, unsigned e)
{
    uint32_t half = reg >> 16 * e & 0xffff;
    return type == KABI_MMA_F16 ? half_of(half) : type == KABI_MMA_BF16 ? float_of(half << 16) : float_of(reg & 0xffffe000u);
}

static int32_t int_element(unsigned type, uint32_t reg, unsigned e)
{
    switch (type) {
    case KABI_MMA_S8: return (int8_t)(reg >> 8 * e);
    case KABI_MMA_U8: return (uint8_t)(reg >> 8 * e);
    case KABI_MMA_S4: return (int32_t)(reg >> 4 * e << 28) >> 28;
    default: return (int32_t)(reg >> 4 * e & 15);
    }
}

/* The product of one register of A and one of B, element by element, on top of sum; all as the bits of their types. */
static uint64_t multiply(struct kabi_mma m, uint64_t a, uint64_t b, uint64_t sum)
{
    unsigned n = kabi_mma_per_reg(m.a);
    uint32_t a32 = (uint32_t)a, b32 = (uint32_t)b, s32 = (uint32_t)sum;
    double x, y, z;
    float f;
    switch (m.a) {
    case KABI_MMA_F64:
        memcpy(&x, &a, 8), memcpy(&y, &b, 8), memcpy(&z, &sum, 8);
        z = fma(x, y, z);
        memcpy(&sum, &z, 8);
        return sum;
    case KABI_MMA_F16: case KABI_MMA_BF16: case KABI_MMA_TF32:
        f = float_of(s32);
        for (unsigned e = 0; e < n; e++)
            f = fmaf(float_element(m.a, a32, e), float_element(m.b, b32, e), f);
        memcpy(&s32, &f, 4);
        return s32;
    case KABI_MMA_B1_XOR: return s32 + (uint32_t)__builtin_popcount(a32 ^ b32);
    case KABI_MMA_B1_AND: return s32 + (uint32_t)__builtin_popcount(a32 & b32);
    default:
        for (unsigned e = 0; e < n; e++)
            s32 += (uint32_t)(int_element(m.a, a32, e) * int_element(m.b, b32, e));
        return s32;
    }
}

void exec_mma(struct kabi_warpop *ops, unsigned members, struct kabi_mma m)
{
    uint64_t d[32][KABI_MMA_MAX_C];
    unsigned n_a = m.halves * m.n_k, n_c = 2 * m.halves;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned r = 0; r < n_c; r++) {
            uint64_t sum = members >> lane & 1 ? ops[lane].matrix[n_a + m.n_k + r] : 0;
            for (unsigned k = 0; k < 4u * m.n_k; k++) {
                unsigned a_lane = (lane & 28) + k % 4, b_lane = (lane & 3) * 8 + r % 2 * 4 + k % 4;
                uint64_t a = members >> a_lane & 1 ? ops[a_lane].matrix[k / 4 * m.halves + r / 2] : 0;
                uint64_t b = members >> b_lane & 1 ? ops[b_lane].matrix[n_a + k / 4] : 0;
                sum = multiply(m, a, b, sum);
            }
            d[lane][r] = sum;
        }
    for (unsigned lane = 0; lane < 32; lane++)
        if (members >> lane & 1)
            memcpy(ops[lane].matrix, d[lane], n_c * sizeof d[0][0]);
}
