/* SPDX-License-Identifier: Apache-2.0 */
/* Floats of 8, 6 and 4 bits: rounding to them and widening, the same on host and device. Part of cuda_fp8.h, cuda_fp6.h and cuda_fp4.h. */
#ifndef HOSTWARP_TINY_BITS_H
#define HOSTWARP_TINY_BITS_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"

#if defined(__cplusplus)

namespace hostwarp {

/* How float and double are laid out. */
template <class F> struct wide_format;
template <> struct wide_format<float> {
    typedef unsigned int bits;
    static constexpr int fraction = 23, bias = 127;
};
template <> struct wide_format<double> {
    typedef unsigned long long bits;
    static constexpr int fraction = 52, bias = 1023;
};

/*
 * The magnitude of f (not NaN) as a pattern of `exponent` and `fraction` bits. No pattern stands for infinity: they go on as if there were
 * more exponent bits, and the caller knows the last one that its format has. Anything above is `last + 1`.
 */
template <int exponent, int fraction, class F> HW_HD unsigned int tiny_magnitude(F f, unsigned int last, round_mode mode = round_nearest)
{
    typedef wide_format<F> wide;
    typedef typename wide::bits bits;
    const bits magnitude = bits_of<bits>(f) & (~(bits)0 >> 1), hidden = (bits)1 << wide::fraction;
    const int bias = (1 << (exponent - 1)) - 1, e = (int)(magnitude >> wide::fraction) - wide::bias + bias;
    bits m = (magnitude & (hidden - 1)) | hidden;
    if (e > (1 << exponent))
        return last + 1;
    int drop = wide::fraction - fraction;
    if (e < 1)                               /* subnormal there: the exponent stays, bits go */
        drop += 1 - e;
    if (drop > wide::fraction + 1)           /* less than half of the smallest; subnormals of F too */
        return 0;
    const bits kept = m >> drop, rest = m & (((bits)1 << drop) - 1), half = (bits)1 << (drop - 1);
    const bool up = mode == round_nearest && (rest > half || (rest == half && (kept & 1)));
    const unsigned int code = (unsigned int)kept + (e > 1 ? (unsigned int)(e - 1) << fraction : 0) + up;
    return code > last ? last + 1 : code;
}

/* The number that a pattern without infinities and NaNs stands for. */
template <int exponent, int fraction> HW_HD float tiny_value(unsigned int code)
{
    const int bias = (1 << (exponent - 1)) - 1;
    const unsigned int sign = code >> (exponent + fraction) & 1, e = code >> fraction & ((1u << exponent) - 1), m = code & ((1u << fraction) - 1);
    /* The step of the smallest numbers, 2^(1 - bias - fraction), is a normal float in all these formats. */
    const float step = bits_of<float>((unsigned int)(127 + 1 - bias - fraction) << 23);
    const float magnitude = e ? bits_of<float>((e - bias + 127) << 23 | m << (23 - fraction)) : (float)m * step;
    return sign ? -magnitude : magnitude;
}

template <class F> HW_HD bool sign_of(F f)
{
    typedef typename wide_format<F>::bits bits;
    return bits_of<bits>(f) >> (sizeof(bits) * 8 - 1) != 0;
}

HW_HD round_mode round_mode_of(enum cudaRoundMode mode)
{
    return mode == cudaRoundNearest ? round_nearest : mode == cudaRoundPosInf ? round_up : mode == cudaRoundMinInf ? round_down : round_zero;
}

}

#endif
#endif
