/* SPDX-License-Identifier: Apache-2.0 */
/* A 16-bit float type, its pair, conversions and operators. Included by cuda_fp16.h and cuda_bf16.h, which say what HW_T is. */

struct HW_OTHER;

struct __align__(2) HW_T {
    unsigned short __x;

    HW_T() = default;
    __host__ __device__ constexpr HW_T(const HW_RAW &raw) : __x(raw.x) {}
    __host__ __device__ explicit HW_T(const HW_OTHER &f);                /* its body is where both are known: cuda_bf16.h */
    __host__ __device__ HW_T(float f) : __x(HW_SPACE::narrow(f)) {}
    __host__ __device__ HW_T(double d) : __x(HW_SPACE::narrow(d)) {}
    __host__ __device__ HW_T(short v) : __x(HW_SPACE::narrow((float)v)) {}
    __host__ __device__ HW_T(unsigned short v) : __x(HW_SPACE::narrow((float)v)) {}
    __host__ __device__ HW_T(int v) : __x(HW_SPACE::narrow((double)v)) {}
    __host__ __device__ HW_T(unsigned int v) : __x(HW_SPACE::narrow((double)v)) {}
    __host__ __device__ HW_T(long v) : __x(HW_SPACE::narrow(hostwarp::double_of((long long)v))) {}
    __host__ __device__ HW_T(unsigned long v) : __x(HW_SPACE::narrow(hostwarp::double_of((unsigned long long)v))) {}
    __host__ __device__ HW_T(long long v) : __x(HW_SPACE::narrow(hostwarp::double_of(v))) {}
    __host__ __device__ HW_T(unsigned long long v) : __x(HW_SPACE::narrow(hostwarp::double_of(v))) {}
    __host__ __device__ operator float() const { return HW_SPACE::widen(__x); }
    /* Explicit, so that an operand that may become a float or an integer becomes a float; with these, each can be called by its name. */
    __host__ __device__ explicit operator bool() const { return (__x & 0x7fff) != 0; }
#define HW_TO(Int, Same) \
    __host__ __device__ explicit operator Int() const { return (Int)hostwarp::integer_of<Same>(HW_SPACE::widen(__x), hostwarp::round_zero); }
    HW_TO(char, signed char)
    HW_TO(signed char, signed char)
    HW_TO(unsigned char, unsigned char)
    HW_TO(short, short)
    HW_TO(unsigned short, unsigned short)
    HW_TO(int, int)
    HW_TO(unsigned int, unsigned int)
    HW_TO(long, long long)
    HW_TO(unsigned long, unsigned long long)
    HW_TO(long long, long long)
    HW_TO(unsigned long long, unsigned long long)
#undef HW_TO
    __host__ __device__ operator HW_RAW() const
    {
        HW_RAW raw = {__x};
        return raw;
    }
    /* A volatile one is read and written through its bits: a constructor of a volatile reference would make the type one that is not trivially copied. */
    __host__ __device__ operator HW_RAW() const volatile
    {
        HW_RAW raw = {__x};
        return raw;
    }
    __host__ __device__ HW_T &operator=(const HW_RAW &raw)
    {
        __x = raw.x;
        return *this;
    }
    __host__ __device__ volatile HW_T &operator=(const HW_RAW &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    __host__ __device__ volatile HW_T &operator=(const volatile HW_RAW &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    template <class Number> __host__ __device__ HW_T &operator=(Number number)
    {
        __x = HW_T(number).__x;
        return *this;
    }
};

struct __align__(4) HW_T2 {
    HW_T x, y;

    HW_T2() = default;
    HW_T2(const HW_T2 &) = default;
    HW_T2(HW_T2 &&) = default;
    HW_T2 &operator=(const HW_T2 &) = default;
    HW_T2 &operator=(HW_T2 &&) = default;
    __host__ __device__ HW_T2(const HW_T &a, const HW_T &b) : x(a), y(b) {}
    __host__ __device__ HW_T2(const HW_RAW2 &raw)
    {
        x.__x = raw.x;
        y.__x = raw.y;
    }
    __host__ __device__ operator HW_RAW2() const
    {
        HW_RAW2 raw = {x.__x, y.__x};
        return raw;
    }
};

/* ---- bits ---- */

HW_HD unsigned short HW_NAME(__, _as_ushort)(const HW_T h) { return h.__x; }
HW_HD short HW_NAME(__, _as_short)(const HW_T h) { return (short)h.__x; }
HW_HD HW_T HW_NAME(__ushort_as_, )(const unsigned short bits)
{
    HW_T h;
    h.__x = bits;
    return h;
}
HW_HD HW_T HW_NAME(__short_as_, )(const short bits) { return HW_NAME(__ushort_as_, )((unsigned short)bits); }

/* ---- to and from float, double and integers ---- */

HW_HD float HW_NAME(__, 2float)(const HW_T h) { return HW_SPACE::widen(h.__x); }
HW_HD HW_T HW_NAME(__float2, )(const float f) { return HW_NAME(__ushort_as_, )(HW_SPACE::narrow(f)); }
HW_HD HW_T HW_NAME(__float2, _rn)(const float f) { return HW_NAME(__float2, )(f); }
HW_HD HW_T HW_NAME(__float2, _rz)(const float f) { return HW_NAME(__ushort_as_, )(HW_SPACE::narrow(f, hostwarp::round_zero)); }
HW_HD HW_T HW_NAME(__float2, _rd)(const float f) { return HW_NAME(__ushort_as_, )(HW_SPACE::narrow(f, hostwarp::round_down)); }
HW_HD HW_T HW_NAME(__float2, _ru)(const float f) { return HW_NAME(__ushort_as_, )(HW_SPACE::narrow(f, hostwarp::round_up)); }
HW_HD HW_T HW_NAME(__double2, )(const double d) { return HW_NAME(__ushort_as_, )(HW_SPACE::narrow(d)); }

#define HW_INTEGER_ONE(Int, name, suffix, mode, wide)                                                                       \
    HW_HD Int HW_NAME(__, 2##name##suffix)(const HW_T h) { return hostwarp::integer_of<Int>(HW_SPACE::widen(h.__x), hostwarp::mode); } \
    HW_HD HW_T HW_NAME(__##name##2, suffix)(const Int v) { return HW_NAME(__ushort_as_, )(HW_SPACE::narrow(wide, hostwarp::mode)); }
#define HW_INTEGER(Int, name, wide)                       \
    HW_INTEGER_ONE(Int, name, _rn, round_nearest, wide)   \
    HW_INTEGER_ONE(Int, name, _rz, round_zero, wide)      \
    HW_INTEGER_ONE(Int, name, _rd, round_down, wide)      \
    HW_INTEGER_ONE(Int, name, _ru, round_up, wide)
HW_INTEGER(short, short, (double)v)
HW_INTEGER(unsigned short, ushort, (double)v)
HW_INTEGER(int, int, (double)v)
HW_INTEGER(unsigned int, uint, (double)v)
HW_INTEGER(long long, ll, hostwarp::double_of(v))
HW_INTEGER(unsigned long long, ull, hostwarp::double_of(v))
#undef HW_INTEGER
#undef HW_INTEGER_ONE
HW_HD signed char HW_NAME(__, 2char_rz)(const HW_T h) { return hostwarp::integer_of<signed char>((float)h, hostwarp::round_zero); }
HW_HD unsigned char HW_NAME(__, 2uchar_rz)(const HW_T h) { return hostwarp::integer_of<unsigned char>((float)h, hostwarp::round_zero); }

/* ---- pairs ---- */

HW_HD HW_T2 HW_NAME2(__halves2, )(const HW_T a, const HW_T b) { return HW_T2(a, b); }
HW_HD HW_T2 HW_NAME2(make_, )(const HW_T a, const HW_T b) { return HW_T2(a, b); }
HW_HD HW_T2 HW_TWICE()(const HW_T a) { return HW_T2(a, a); }
HW_HD HW_T2 HW_NAME2(__float2, _rn)(const float f) { return HW_T2(HW_T(f), HW_T(f)); }
HW_HD HW_T2 HW_NAME2(__floats2, _rn)(const float a, const float b) { return HW_T2(HW_T(a), HW_T(b)); }
HW_HD HW_T2 HW_NAME2(__float22, _rn)(const float2 f) { return HW_T2(HW_T(f.x), HW_T(f.y)); }
HW_HD float2 HW_NAME2(__, 2float2)(const HW_T2 h) { return make_float2((float)h.x, (float)h.y); }
HW_HD HW_T HW_NAME(__low2, )(const HW_T2 h) { return h.x; }
HW_HD HW_T HW_NAME(__high2, )(const HW_T2 h) { return h.y; }
HW_HD HW_T2 HW_NAME2(__low2, )(const HW_T2 h) { return HW_T2(h.x, h.x); }
HW_HD HW_T2 HW_NAME2(__high2, )(const HW_T2 h) { return HW_T2(h.y, h.y); }
HW_HD HW_T2 HW_NAME2(__lows2, )(const HW_T2 a, const HW_T2 b) { return HW_T2(a.x, b.x); }
HW_HD HW_T2 HW_NAME2(__highs2, )(const HW_T2 a, const HW_T2 b) { return HW_T2(a.y, b.y); }
HW_HD HW_T2 __lowhigh2highlow(const HW_T2 h) { return HW_T2(h.y, h.x); }
HW_HD float __low2float(const HW_T2 h) { return (float)h.x; }
HW_HD float __high2float(const HW_T2 h) { return (float)h.y; }

/* ---- arithmetic ---- */

namespace hostwarp {
HW_HD HW_T clamp01(const HW_T h)
{
    float f = (float)h;
    return f != f || f <= 0 ? HW_T(0.0f) : f >= 1 ? HW_T(1.0f) : h;
}
HW_HD HW_T relu(const HW_T h)
{
    float f = (float)h;
    return f != f ? HW_NAME(__ushort_as_, )(0x7fff) : f > 0 ? h : HW_T(0.0f);
}
}

HW_HD HW_T __hadd(const HW_T a, const HW_T b) { return HW_T((float)a + (float)b); }
HW_HD HW_T __hsub(const HW_T a, const HW_T b) { return HW_T((float)a - (float)b); }
HW_HD HW_T __hmul(const HW_T a, const HW_T b) { return HW_T((float)a * (float)b); }
HW_HD HW_T __hdiv(const HW_T a, const HW_T b) { return HW_T((float)a / (float)b); }
HW_HD HW_T __hadd_rn(const HW_T a, const HW_T b) { return __hadd(a, b); }
HW_HD HW_T __hsub_rn(const HW_T a, const HW_T b) { return __hsub(a, b); }
HW_HD HW_T __hmul_rn(const HW_T a, const HW_T b) { return __hmul(a, b); }
HW_HD HW_T __hadd_sat(const HW_T a, const HW_T b) { return hostwarp::clamp01(__hadd(a, b)); }
HW_HD HW_T __hsub_sat(const HW_T a, const HW_T b) { return hostwarp::clamp01(__hsub(a, b)); }
HW_HD HW_T __hmul_sat(const HW_T a, const HW_T b) { return hostwarp::clamp01(__hmul(a, b)); }
HW_HD HW_T __hneg(const HW_T a) { return HW_NAME(__ushort_as_, )((unsigned short)(a.__x ^ 0x8000)); }
HW_HD HW_T __habs(const HW_T a) { return HW_NAME(__ushort_as_, )((unsigned short)(a.__x & 0x7fff)); }
HW_HD HW_T __hfma(const HW_T a, const HW_T b, const HW_T c)
{
#if defined(__CUDA_ARCH__) && HW_HAS_FMA
    unsigned short r;
    __asm__("fma.rn." HW_PTX " %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return HW_NAME(__ushort_as_, )(r);
#else
    return HW_T(hostwarp::fma_for_rounding((float)a, (float)b, (float)c));
#endif
}
HW_HD HW_T __hfma_sat(const HW_T a, const HW_T b, const HW_T c) { return hostwarp::clamp01(__hfma(a, b, c)); }
HW_HD HW_T __hfma_relu(const HW_T a, const HW_T b, const HW_T c) { return hostwarp::relu(__hfma(a, b, c)); }

/* ---- comparisons ---- */

HW_HD bool __hisnan(const HW_T a) { return (float)a != (float)a; }
HW_HD int __hisinf(const HW_T a) { return (float)a == 1.0f / 0.0f ? 1 : (float)a == -1.0f / 0.0f ? -1 : 0; }
#define HW_COMPARE(name, op)                                                                                          \
    HW_HD bool __h##name(const HW_T a, const HW_T b) { return (float)a op (float)b; }                                 \
    HW_HD bool __h##name##u(const HW_T a, const HW_T b) { return __hisnan(a) || __hisnan(b) || (float)a op (float)b; }
HW_COMPARE(eq, ==)
HW_COMPARE(lt, <)
HW_COMPARE(le, <=)
HW_COMPARE(gt, >)
HW_COMPARE(ge, >=)
#undef HW_COMPARE
HW_HD bool __hne(const HW_T a, const HW_T b) { return !__hisnan(a) && !__hisnan(b) && (float)a != (float)b; }
HW_HD bool __hneu(const HW_T a, const HW_T b) { return (float)a != (float)b; }

/* NaN loses against a number; of two zeros the minimum is the negative one. */
HW_HD HW_T __hmax(const HW_T a, const HW_T b)
{
    if (__hisnan(a))
        return __hisnan(b) ? HW_NAME(__ushort_as_, )(0x7fff) : b;
    if (__hisnan(b) || (float)a > (float)b)
        return a;
    return (float)a < (float)b || (a.__x & 0x8000) ? b : a;
}
HW_HD HW_T __hmin(const HW_T a, const HW_T b)
{
    if (__hisnan(a))
        return __hisnan(b) ? HW_NAME(__ushort_as_, )(0x7fff) : b;
    if (__hisnan(b) || (float)a < (float)b)
        return a;
    return (float)a > (float)b || (b.__x & 0x8000) ? b : a;
}
HW_HD HW_T __hmax_nan(const HW_T a, const HW_T b)
{
    return __hisnan(a) || __hisnan(b) ? HW_NAME(__ushort_as_, )(0x7fff) : __hmax(a, b);
}
HW_HD HW_T __hmin_nan(const HW_T a, const HW_T b)
{
    return __hisnan(a) || __hisnan(b) ? HW_NAME(__ushort_as_, )(0x7fff) : __hmin(a, b);
}

/* ---- the same for pairs ---- */

#define HW_PAIR1(name) HW_HD HW_T2 name##2(const HW_T2 a) { return HW_T2(name(a.x), name(a.y)); }
#define HW_PAIR2_AS(name2, name) \
    HW_HD HW_T2 name2(const HW_T2 a, const HW_T2 b) { return HW_T2(name(a.x, b.x), name(a.y, b.y)); }
#define HW_PAIR3_AS(name2, name) \
    HW_HD HW_T2 name2(const HW_T2 a, const HW_T2 b, const HW_T2 c) { return HW_T2(name(a.x, b.x, c.x), name(a.y, b.y, c.y)); }
HW_PAIR2_AS(__hadd2, __hadd)
HW_PAIR2_AS(__hsub2, __hsub)
HW_PAIR2_AS(__hmul2, __hmul)
HW_PAIR2_AS(__h2div, __hdiv)
HW_PAIR2_AS(__hadd2_rn, __hadd)
HW_PAIR2_AS(__hsub2_rn, __hsub)
HW_PAIR2_AS(__hmul2_rn, __hmul)
HW_PAIR2_AS(__hadd2_sat, __hadd_sat)
HW_PAIR2_AS(__hsub2_sat, __hsub_sat)
HW_PAIR2_AS(__hmul2_sat, __hmul_sat)
HW_PAIR2_AS(__hmax2, __hmax)
HW_PAIR2_AS(__hmin2, __hmin)
HW_PAIR2_AS(__hmax2_nan, __hmax_nan)
HW_PAIR2_AS(__hmin2_nan, __hmin_nan)
HW_PAIR3_AS(__hfma2, __hfma)
HW_PAIR3_AS(__hfma2_sat, __hfma_sat)
HW_PAIR3_AS(__hfma2_relu, __hfma_relu)
HW_PAIR1(__hneg)
HW_PAIR1(__habs)
HW_HD HW_T2 __hisnan2(const HW_T2 a) { return HW_T2(HW_T(__hisnan(a.x) ? 1.0f : 0.0f), HW_T(__hisnan(a.y) ? 1.0f : 0.0f)); }
HW_HD HW_T2 __hcmadd(const HW_T2 a, const HW_T2 b, const HW_T2 c)
{
    return HW_T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}
#define HW_COMPARE2(name)                                                                                                         \
    HW_HD HW_T2 __h##name##2(const HW_T2 a, const HW_T2 b)                                                                        \
    {                                                                                                                             \
        return HW_T2(HW_NAME(__ushort_as_, )(__h##name(a.x, b.x) ? HW_ONE : 0), HW_NAME(__ushort_as_, )(__h##name(a.y, b.y) ? HW_ONE : 0)); \
    }                                                                                                                             \
    HW_HD unsigned __h##name##2_mask(const HW_T2 a, const HW_T2 b)                                                                \
    {                                                                                                                             \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);                                   \
    }                                                                                                                             \
    HW_HD bool __hb##name##2(const HW_T2 a, const HW_T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
HW_COMPARE2(eq)
HW_COMPARE2(ne)
HW_COMPARE2(lt)
HW_COMPARE2(le)
HW_COMPARE2(gt)
HW_COMPARE2(ge)
HW_COMPARE2(equ)
HW_COMPARE2(neu)
HW_COMPARE2(ltu)
HW_COMPARE2(leu)
HW_COMPARE2(gtu)
HW_COMPARE2(geu)
#undef HW_COMPARE2

/* ---- operators ---- */

#ifndef HW_NO_OPERATORS
#define HW_OPERATOR(op, T, name)                                                   \
    HW_HD T operator op(const T &a, const T &b) { return name(a, b); }             \
    HW_HD T &operator op##=(T &a, const T &b) { return a = name(a, b); }
HW_OPERATOR(+, HW_T, __hadd)
HW_OPERATOR(-, HW_T, __hsub)
HW_OPERATOR(*, HW_T, __hmul)
HW_OPERATOR(/, HW_T, __hdiv)
HW_OPERATOR(+, HW_T2, __hadd2)
HW_OPERATOR(-, HW_T2, __hsub2)
HW_OPERATOR(*, HW_T2, __hmul2)
HW_OPERATOR(/, HW_T2, __h2div)
#undef HW_OPERATOR
HW_HD HW_T operator+(const HW_T &a) { return a; }
HW_HD HW_T operator-(const HW_T &a) { return __hneg(a); }
HW_HD HW_T2 operator+(const HW_T2 &a) { return a; }
HW_HD HW_T2 operator-(const HW_T2 &a) { return __hneg2(a); }
HW_HD HW_T &operator++(HW_T &a) { return a = __hadd(a, HW_T(1.0f)); }
HW_HD HW_T &operator--(HW_T &a) { return a = __hsub(a, HW_T(1.0f)); }
HW_HD HW_T operator++(HW_T &a, int)
{
    HW_T old = a;
    ++a;
    return old;
}
HW_HD HW_T operator--(HW_T &a, int)
{
    HW_T old = a;
    --a;
    return old;
}
#define HW_OPERATOR(op, name)                                                      \
    HW_HD bool operator op(const HW_T &a, const HW_T &b) { return __h##name(a, b); } \
    HW_HD bool operator op(const HW_T2 &a, const HW_T2 &b) { return __hb##name##2(a, b); }
HW_OPERATOR(==, eq)
HW_OPERATOR(!=, neu)
HW_OPERATOR(<, lt)
HW_OPERATOR(<=, le)
HW_OPERATOR(>, gt)
HW_OPERATOR(>=, ge)
#undef HW_OPERATOR
#endif

/* ---- functions ---- */

#define HW_FUNCTION(name, expression)                             \
    HW_HD HW_T h##name(const HW_T h)                              \
    {                                                             \
        float f = (float)h;                                       \
        return HW_T(expression);                                  \
    }                                                             \
    HW_HD HW_T2 h2##name(const HW_T2 h) { return HW_T2(h##name(h.x), h##name(h.y)); }
HW_FUNCTION(sqrt, sqrtf(f))
HW_FUNCTION(rsqrt, 1.0f / sqrtf(f))
HW_FUNCTION(rcp, 1.0f / f)
HW_FUNCTION(sin, sinf(f))
HW_FUNCTION(cos, cosf(f))
HW_FUNCTION(exp, expf(f))
HW_FUNCTION(exp2, exp2f(f))
HW_FUNCTION(exp10, powf(10.0f, f))
HW_FUNCTION(log, logf(f))
HW_FUNCTION(log2, log2f(f))
HW_FUNCTION(log10, log10f(f))
HW_FUNCTION(tanh, tanhf(f))
HW_FUNCTION(ceil, ceilf(f))
HW_FUNCTION(floor, floorf(f))
HW_FUNCTION(trunc, truncf(f))
HW_FUNCTION(rint, rintf(f))
#undef HW_FUNCTION
#undef HW_PAIR1
#undef HW_PAIR2_AS
#undef HW_PAIR3_AS
