/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding of doubles to 16-bit floats by integer arithmetic, the same on host and device. Part of cuda_fp16.h and cuda_bf16.h. */
#ifndef HOSTWARP_NARROW_BITS_H
#define HOSTWARP_NARROW_BITS_H

#include "cuda_runtime.h"

#include <math.h>
#include <string.h>

#if defined(__CUDACC__)
#define HW_HD static __inline__ __host__ __device__
#define HW_D  static __inline__ __device__
#else
#define HW_HD static inline
#endif

#if defined(__cplusplus)

namespace hostwarp {

enum round_mode { round_nearest, round_zero, round_down, round_up };

template <class To, class From> HW_HD To bits_of(From from)
{
    static_assert(sizeof(To) == sizeof(From), "same size");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

/* d as a float of 1 sign bit, `exponent` exponent bits and `fraction` fraction bits, subnormals and infinities as in IEEE 754. */
template <int exponent, int fraction> HW_HD unsigned short round_double(double d, round_mode mode)
{
    unsigned long long u = bits_of<unsigned long long>(d), magnitude = u & 0x7fffffffffffffffull;
    unsigned short sign = (unsigned short)(u >> 63 << 15);
    const int bias = (1 << (exponent - 1)) - 1;
    const unsigned short infinity = (unsigned short)(((1 << exponent) - 1) << fraction);
    if (magnitude > 0x7ff0000000000000ull)
        return 0x7fff;
    if (magnitude == 0x7ff0000000000000ull)
        return (unsigned short)(sign | infinity);
    int e = (int)(magnitude >> 52) - 1023;
    unsigned long long m = magnitude & 0xfffffffffffffull;
    if (magnitude >> 52)
        m |= 1ull << 52;
    else
        e = -1022;
    bool away = (mode == round_up && !sign) || (mode == round_down && sign);
    if (e > bias)                        /* beyond every finite number, before rounding even */
        return (unsigned short)(sign | (mode == round_nearest || away ? infinity : infinity - 1));
    int drop = 52 - fraction, e_out = e + bias;
    if (e_out < 1) {                     /* subnormal: the exponent stays, bits go */
        drop += 1 - e_out;
        e_out = 0;
    }
    if (drop > 62)
        return (unsigned short)(sign | (m && away ? 1 : 0));
    unsigned long long kept = m >> drop, rest = m & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    bool up = mode == round_nearest ? rest > half || (rest == half && (kept & 1)) : away && rest;
    /* The hidden bit adds one to the exponent of normal numbers; a carry out of the fraction does the same. */
    unsigned long long out = kept + (e_out ? (unsigned long long)(e_out - 1) << fraction : 0) + up;
    return (unsigned short)(sign | (out >= infinity ? (mode == round_nearest || away ? infinity : infinity - 1) : out));
}

/* Integers of 64 bits as doubles that later roundings to fewer bits cannot tell from the exact value (rounded to odd). */
HW_HD double double_of(unsigned long long v)
{
    if (v >> 53) {
        unsigned long long low = v & 0xfff;
        v = (v & ~0xfffull) | (low ? 0x1000 : 0) | (v & 0x1000);
    }
    return (double)v;
}
HW_HD double double_of(long long v) { return v < 0 ? -double_of(0ull - (unsigned long long)v) : double_of((unsigned long long)v); }

/* a * b + c such that rounding it to fewer bits later gives what rounding the exact sum would: a product of two such short
   numbers is exact in double, and what the sum loses is put back as an odd last bit. */
HW_HD double fma_for_rounding(double a, double b, double c)
{
    double p = a * b, s = p + c, from_p = s - c, lost = (p - from_p) + (c - (s - from_p));
    unsigned long long u = bits_of<unsigned long long>(s);
    if (!(lost != 0) || (u & 0x7ff0000000000000ull) == 0x7ff0000000000000ull || (u & 1))
        return s;
    return bits_of<double>((s > 0) == (lost > 0) ? u + 1 : u - 1);
}

/* What conversions to integers give: NaN is 0, what does not fit becomes the nearest that does. */
template <class Int> HW_HD Int integer_of(float f, round_mode mode)
{
    const bool is_signed = Int(-1) < Int(0);
    const double limit = (double)(1ull << (sizeof(Int) * 8 - 1)) * (is_signed ? 1 : 2);
    double d = f, r = mode == round_zero ? trunc(d) : mode == round_down ? floor(d) : mode == round_up ? ceil(d) : rint(d);
    if (d != d)
        return 0;
    if (r >= limit)
        return (Int)~(is_signed ? (Int)((Int)1 << (sizeof(Int) * 8 - 1)) : (Int)0);
    if (r < (is_signed ? -limit : 0))
        return is_signed ? (Int)((Int)1 << (sizeof(Int) * 8 - 1)) : (Int)0;
    return (Int)r;
}

}

#endif
#endif
