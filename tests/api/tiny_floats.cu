// SPDX-License-Identifier: Apache-2.0
// Floats of 8, 6 and 4 bits: conversions give the nearest of all values that a format has, host and device agree, pairs and fours hold what one does.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdio>
#include <cstring>

// What there is to know of a format; the values themselves come from the formula.
struct format {
    const char *name;
    int exponent, fraction, last;
};
static const format formats[] = {{"e4m3", 4, 3, 0x7e}, {"e5m2", 5, 2, 0x7b}, {"e3m2", 3, 2, 0x1f}, {"e2m3", 2, 3, 0x1f}, {"e2m1", 2, 1, 0x07}};
enum { FORMATS = sizeof formats / sizeof *formats };

static double value(const format &f, int code)
{
    int bias = (1 << (f.exponent - 1)) - 1, e = code >> f.fraction, m = code & ((1 << f.fraction) - 1);
    return e ? ldexp(1 + ldexp(m, -f.fraction), e - bias) : ldexp(m, 1 - bias - f.fraction);
}

static int nearest(const format &f, float x)
{
    int best = 0;
    for (int code = 0; code <= f.last; code++) {
        double d = fabs(value(f, code) - fabs((double)x)), least = fabs(value(f, best) - fabs((double)x));
        if (d < least || (d == least && !(code & 1)))
            best = code;
    }
    return best | (std::signbit(x) ? 1 << (f.exponent + f.fraction) : 0);
}

struct results {
    unsigned char one[FORMATS], power;
    float back[FORMATS];
    unsigned int four[FORMATS];
    int whole;
};

__host__ __device__ inline void convert(float x, results *r)
{
    const float4 v = make_float4(x, -x, 1.0f, x);
#define FORMAT(k, T, T4)            \
    r->one[k] = T(x).__x;           \
    r->back[k] = (float)T(x);       \
    r->four[k] = T4(v).__x;
    FORMAT(0, __nv_fp8_e4m3, __nv_fp8x4_e4m3)
    FORMAT(1, __nv_fp8_e5m2, __nv_fp8x4_e5m2)
    FORMAT(2, __nv_fp6_e3m2, __nv_fp6x4_e3m2)
    FORMAT(3, __nv_fp6_e2m3, __nv_fp6x4_e2m3)
    FORMAT(4, __nv_fp4_e2m1, __nv_fp4x4_e2m1)
    r->power = __nv_fp8_e8m0(x).__x;
    r->whole = (int)__nv_fp8_e5m2(x);
}

__global__ void convert_all(const float *x, results *r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        convert(x[i], r + i);
}

static int check(float x, const results &r)
{
    int bad = 0;
    for (int k = 0; k < FORMATS; k++) {
        const format &f = formats[k];
        const int want = nearest(f, x), sign = 1 << (f.exponent + f.fraction), step = k == 4 ? 4 : 8;
        const unsigned one = nearest(f, 1.0f), all = want | (want ^ sign) << step | one << 2 * step | want << 3 * step;
        bad += r.one[k] != want || r.back[k] != (float)copysign(value(f, want & (sign - 1)), x) || r.four[k] != all;
    }
    const float power = ldexpf(1, r.power - 127), magnitude = fabsf(x);
    bad += x != 0 && r.power != 0xfe && !(power >= magnitude && (r.power == 0 || power / 2 < magnitude));
    bad += r.whole != (int)value(formats[1], r.one[1] & 0x7f) * (x < 0 ? -1 : 1);
    return bad;
}

int main()
{
    const int n = 8000;
    float *x;
    results *r;
    int bad = 0;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&r, n * sizeof *r);
    for (int i = 0; i < n; i++)              // all exponents of interest, and fractions with many ties
        x[i] = (i % 2 ? -1.0f : 1.0f) * ldexpf(1 + (i * 37 % 64) / 64.0f, i % 40 - 25);
    x[0] = 0;
    convert_all<<<(n + 127) / 128, 128>>>(x, r, n);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < n; i++) {
        results host;
        memset(&host, 0, sizeof host);
        convert(x[i], &host);
        if (check(x[i], r[i]) || check(x[i], host))
            if (bad++ < 5)
                printf("%a: device %d, host %d wrong\n", x[i], check(x[i], r[i]), check(x[i], host));
    }
    // Beyond all numbers: the largest, unless infinity is asked for.
    bad += __nv_fp4_e2m1(NAN).__x != 7 || __nv_fp6_e2m3(-INFINITY).__x != 0x3f || __nv_fp8_e8m0(INFINITY).__x != 0xfe || __nv_fp8_e8m0(NAN).__x != 0xff;
    bad += __nv_cvt_float_to_fp8(INFINITY, __NV_NOSAT, __NV_E5M2) != 0x7c || __nv_cvt_float_to_fp8(465, __NV_NOSAT, __NV_E4M3) != 0x7f;
    bad += __nv_cvt_float_to_fp8(464, __NV_NOSAT, __NV_E4M3) != 0x7e || __nv_cvt_float_to_e8m0(3, __NV_NOSAT, cudaRoundZero) != 128;
    bad += __nv_cvt_float_to_fp4(0.75f, __NV_E2M1, cudaRoundZero) != 1 || __nv_cvt_float_to_fp4(0.75f, __NV_E2M1, cudaRoundNearest) != 2;
    printf("%s\n", bad ? "bad" : "good");
    return bad != 0;
}
