// SPDX-License-Identifier: Apache-2.0
// The functions of __half and __nv_bfloat16 in kernels (half_intrinsics.def) against doubles that are rounded once.
#include "device_rows.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class H> struct format;
template <> struct format<__half> {
    typedef __half2 pair;
    static constexpr int digits = 11, least = -14;
    static constexpr double most = 65504;
};
template <> struct format<__nv_bfloat16> {
    typedef __nv_bfloat162 pair;
    static constexpr int digits = 8, least = -126;
    static constexpr double most = 0x1.fep127;
};

// ---- the host's side ----

static long double clamped(long double v) { return v != v || v <= 0 ? 0 : v >= 1 ? 1 : v; }
// A product of short numbers is exact; what a sum loses is put back as an odd last bit, so that rounding it once more does no harm.
static long double sum_of_product(double x, double y, double z)
{
    const double p = x * y;
    volatile long double s;
    feclearexcept(FE_INEXACT);
    fesetround(FE_TOWARDZERO);
    s = (long double)p + z;
    fesetround(FE_TONEAREST);
    long double odd = s;
    if (fetestexcept(FE_INEXACT) && std::isfinite(odd))
        *(unsigned char *)&odd |= 1;
    return odd;
}
static long double floored(long double v) { return v > 0 || v != v ? v : 0; }

template <class H> static double step(long double v)
{
    int e;
    frexpl(v, &e);
    return ldexp(1, (e - 1 < format<H>::least ? format<H>::least : e - 1) - format<H>::digits + 1);
}

template <class H> static double nearest(long double v)
{
    if (v != v || std::isinf(v))
        return (double)v;
    const double unit = step<H>(v);
    const double r = (double)(rintl(v / unit) * unit);
    return fabs(r) > format<H>::most ? copysign(INFINITY, r) : r;
}

template <class H> static bool close(unsigned long long bits, long double want, double ulps)
{
    unsigned short low = (unsigned short)bits;
    H h;
    memcpy(&h, &low, sizeof h);
    const double got = (float)h, rounded = nearest<H>(want);
    if (got != got || rounded != rounded)
        return got != got && rounded != rounded;
    return got == rounded || fabs(got - rounded) <= ulps * step<H>(rounded);
}

// ---- rows ----

__device__ unsigned long long pattern(__half h) { return __half_as_ushort(h); }
__device__ unsigned long long pattern(__nv_bfloat16 h) { return __bfloat16_as_ushort(h); }
template <class H> __device__ bool equal(H a, H b) { return pattern(a) == pattern(b) || (__hisnan(a) && __hisnan(b)); }

template <class H> __global__ void all(const row_arguments<float> *in, unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
    if (i >= n)
        return;
    const H a = H(in[i].a), b = H(in[i].b), c = H(in[i].c);
    const typename format<H>::pair p(a, b), q(b, a), r(c, c);
#define STORE(value) out[(size_t)row++ * n + i] = (value);
#define H(name, arguments, value, ulps) STORE(pattern(name arguments))
    // The second of the pair has a and b exchanged.
#define P(name2, pairs, name, arguments)                                                     \
    {                                                                                        \
        const typename format<H>::pair got = name2 pairs;                                    \
        const H first = name arguments;                                                      \
        const H second = [&](const H &a, const H &b) { (void)b; return name arguments; }(b, a); \
        STORE(equal(got.x, first) + 2 * equal(got.y, second))                                \
    }
#define B(name, value)                                                                       \
    STORE(__h##name(a, b) + 2 * (pattern(__h##name##2(p, q).x) != 0) + 4 * (__h##name##2_mask(p, q) & 1) + 8 * (__hb##name##2(p, q)))
#define I(name, Int)
#include "half_intrinsics.def"
#undef STORE
}

template <class H> static bool want(int wanted, const row_arguments<float> &in, unsigned long long got)
{
    const double x = nearest<H>(in.a), y = nearest<H>(in.b), z = nearest<H>(in.c);
    int row = 0;
    (void)z;
#define H(name, arguments, value, ulps) if (row++ == wanted) return close<H>(got, value, ulps);
#define P(name2, pairs, name, arguments) if (row++ == wanted) return got == 3;
#define B(name, value)                                                                       \
    if (row++ == wanted) {                                                                   \
        auto f = [](double x, double y) -> bool { return value; };                           \
        return got == (unsigned)(7 * f(x, y) + 8 * (f(x, y) && f(y, x)));                    \
    }
#define I(name, Int)
#include "half_intrinsics.def"
    return false;
}

static const char *const names[] = {
#define H(name, arguments, value, ulps) #name,
#define P(name2, pairs, name, arguments) #name2,
#define B(name, value) "__h" #name,
#define I(name, Int)
#include "half_intrinsics.def"
};

// ---- conversions ----

// An integer that all of them can be made of.
__host__ __device__ long long whole(float v) { return v > -1e18f && v < 1e18f ? (long long)v * 3 : 12345; }

template <class H> static double directed(long double v, int mode)
{
    const double most = format<H>::most, unit = step<H>(v);
    const long double q = v / unit;
    const long double r = (mode == FE_TOWARDZERO ? truncl(q) : mode == FE_UPWARD ? ceill(q) : floorl(q)) * unit;
    if (mode == FE_TONEAREST)
        return nearest<H>(v);
    if (r > most)
        return mode == FE_UPWARD ? INFINITY : most;
    if (r < -most)
        return mode == FE_DOWNWARD ? -INFINITY : -most;
    return (double)r;
}

__global__ void integers(const row_arguments<float> *in, unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
    if (i >= n)
        return;
    const __half h = __half(in[i].a);
    const __nv_bfloat16 f = __nv_bfloat16(in[i].a);
#define H(name, arguments, value, ulps)
#define P(name2, pairs, name, arguments)
#define B(name, value)
#define ONE(name, mode)                                                        \
    out[(size_t)row++ * n + i] = bits64(__half2##name##_##mode(h));            \
    out[(size_t)row++ * n + i] = bits64(__bfloat162##name##_##mode(f));        \
    out[(size_t)row++ * n + i] = pattern(__##name##2half_##mode(v));           \
    out[(size_t)row++ * n + i] = pattern(__##name##2bfloat16_##mode(v));
#define I(name, Int)                                                           \
    {                                                                          \
        const Int v = (Int)whole(in[i].a);                                     \
        ONE(name, rn) ONE(name, rz) ONE(name, ru) ONE(name, rd)                \
    }
#include "half_intrinsics.def"
#undef ONE
}

static bool want_integer(int wanted, const row_arguments<float> &in, unsigned long long got)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    const double v = wanted % 2 ? nearest<__nv_bfloat16>(in.a) : nearest<__half>(in.a);
    const int mode = modes[wanted / 4 % 4];
    int row = 0;
    if (wanted % 4 < 2 && v != v)            // what becomes of NaN is half_types.cu's
        return true;
#define H(name, arguments, value, ulps)
#define P(name2, pairs, name, arguments)
#define B(name, value)
#define I(name, Int)                                                                                 \
    if (wanted < (row += 16)) {                                                                      \
        const long double w = (Int)whole(in.a);                                                      \
        switch (wanted % 4) {                                                                        \
        case 2: return close<__half>(got, directed<__half>(w, mode), 0);                             \
        case 3: return close<__nv_bfloat16>(got, directed<__nv_bfloat16>(w, mode), 0);               \
        default: return got == bits64(to_integer<Int>(v, mode));                                     \
        }                                                                                            \
    }
#include "half_intrinsics.def"
    return false;
}

static const char *const integer_names[] = {
#define H(name, arguments, value, ulps)
#define P(name2, pairs, name, arguments)
#define B(name, value)
#define ONE(name, mode) "__half2" #name "_" #mode, "__bfloat162" #name "_" #mode, "__" #name "2half_" #mode, "__" #name "2bfloat16_" #mode,
#define I(name, Int) ONE(name, rn) ONE(name, rz) ONE(name, ru) ONE(name, rd)
#include "half_intrinsics.def"
};

int main()
{
    std::vector<float> v = {0, -0.0f, 1, -1, 0.5f, 1.5f, 2.5f, -2.5f, 0.1f, 0.333f, 3.14159f, -7.7f, INFINITY, -INFINITY, NAN, 65504, 65000, 6e-8f, 1e-5f, 100, 2049,
                            -1000.5f, 10.25f, 1e-3f, 123457, 1e9f, -3.3e12f, 7e17f};
    for (int i = 0; i < 16; i++)
        v.push_back(ldexpf(1 + (i * 37 % 64) / 67.0f, i * 5 % 20 - 10) * (i % 3 ? 1 : -1));
    const int rows = sizeof names / sizeof *names, conversions = sizeof integer_names / sizeof *integer_names;
    run_rows("half", v, rows, names, all<__half>, want<__half>);
    run_rows("bfloat16", v, rows, names, all<__nv_bfloat16>, want<__nv_bfloat16>);
    run_rows("to integers", v, conversions, integer_names, integers, want_integer);
    printf("%s: %d functions\n", rows_bad ? "bad" : "good", 2 * rows + conversions);
    return rows_bad != 0;
}
