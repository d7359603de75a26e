// SPDX-License-Identifier: Apache-2.0
// Half and bfloat16: conversions round as IEEE 754 says, arithmetic is rounded once, host and device agree.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstring>

static int bad;
#define CHECK(what)                                                  \
    do {                                                             \
        if (!(what)) {                                               \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #what);        \
            bad++;                                                   \
        }                                                            \
    } while (0)

// These are the device's alone: in NVIDIA's headers, a program that calls them on the host ends there with status 1.
#ifdef __CUDA_ARCH__
#define ONLY_ON_DEVICE(call, otherwise) (call)
#else
#define ONLY_ON_DEVICE(call, otherwise) (otherwise)
#endif

// The product is exact in a double; the sum is rounded to odd, so that the one rounding that counts is the last.
__host__ inline double fused(double a, double b, double c)
{
    double p = a * b, s = p + c, part = s - p, rest = (p - (s - part)) + (c - part);
    unsigned long long bits;
    memcpy(&bits, &s, 8);
    if (std::isfinite(s) && rest != 0 && !(bits & 1))
        bits += (rest > 0) == (s > 0) ? 1 : -1;
    memcpy(&s, &bits, 8);
    return s;
}
__host__ inline void narrow(double v, __half *out) { *out = __double2half(v); }
__host__ inline void narrow(double v, __nv_bfloat16 *out) { *out = __double2bfloat16(v); }
template <class H> __host__ H host_fma(H a, H b, H c)
{
    H r;
    narrow(fused(float(a), float(b), float(c)), &r);
    return r;
}

// Every half pattern goes through these; the host does the same.
template <class H> __host__ __device__ void work(H a, H b, H c, unsigned short *out)
{
    H r[] = {a + b, a - b, a * b, a / b, __hmax(a, b), __hmin(a, b), __hneg(a), __habs(b), H(__hlt(a, b) ? 1 : 0),
             H(__hgeu(a, b) ? 1 : 0), ONLY_ON_DEVICE(hfloor(a), H(floorf(float(a)))),
             ONLY_ON_DEVICE(hrint(b), H(rintf(float(b)))), ONLY_ON_DEVICE(hsqrt(__habs(a)), H(sqrtf(fabsf(float(a))))), __hadd_sat(a, c),
             ONLY_ON_DEVICE(__hfma(a, b, c), host_fma(a, b, c))};
    for (int i = 0; i < 15; i++) {
        memcpy(out + i, r + i, 2);
        if (__hisnan(r[i]))
            out[i] = 0x7fff;
    }
}

template <class H> __global__ void many(const unsigned short *in, unsigned short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    H v[3];
    if (i >= n)
        return;
    memcpy(v, in + 3 * i, sizeof v);
    work(v[0], v[1], v[2], out + 15 * i);
}

template <class H> static void agree(const char *name)
{
    const int n = 20000;
    unsigned short *in, *out, want[15];
    cudaMallocManaged(&in, n * 6);
    cudaMallocManaged(&out, n * 30);
    unsigned seed = 1;
    for (int i = 0; i < 3 * n; i++)
        in[i] = (unsigned short)((seed = seed * 1664525 + 1013904223) >> 13);
    many<H><<<(n + 127) / 128, 128>>>(in, out, n);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    int different = 0;
    for (int i = 0; i < n; i++) {
        H v[3];
        memcpy(v, in + 3 * i, sizeof v);
        work(v[0], v[1], v[2], want);
        for (int k = 0; k < 15; k++)
            if (want[k] != out[15 * i + k] && different++ < 5)
                printf("%s: result %d of %04x %04x %04x is %04x, host %04x\n", name, k, in[3 * i], in[3 * i + 1], in[3 * i + 2],
                       out[15 * i + k], want[k]);
    }
    bad += different != 0;
}

// A volatile one is copied, written and taken for its bits; the type stays one that is trivially copied.
template <class H, class Raw> __host__ __device__ bool volatile_works(const volatile H *in)
{
    static_assert(__is_trivially_copyable(H), "");
    H copy = *in;
    volatile H v;
    v = copy;
    Raw raw = v;
    const volatile Raw again = raw;
    v = again;
    H last = v;
    return raw.x == Raw(copy).x && Raw(last).x == raw.x && (float)last == 2.5f;
}
__global__ void device_volatile(const volatile __half *h, const volatile __nv_bfloat16 *b, int *ok)
{
    *ok = volatile_works<__half, __half_raw>(h) + 2 * volatile_works<__nv_bfloat16, __nv_bfloat16_raw>(b);
}

__global__ void device_only(float *out, __half *sum, __half2 *sum2, __nv_bfloat16 *bsum)
{
    int lane = threadIdx.x;
    __half v = __int2half_rn(lane);
    for (int d = 16; d; d /= 2)
        v = v + __shfl_xor_sync(~0u, v, d);
    __half2 w = __halves2half2(__float2half(1.0f), __float2half(0.5f));
    w = __shfl_down_sync(~0u, w, 1);
    atomicAdd(sum, __float2half(0.25f));
    atomicAdd(sum2, w);
    atomicAdd(bsum, __float2bfloat16(0.5f));
    if (lane == 0) {
        out[0] = __half2float(v);
        out[1] = __high2float(w);
        out[2] = __half2float(__ldg(sum + 1));
        out[3] = __half2int_rn(__float2half(2.5f)) * 10 + __half2int_ru(__float2half(2.25f));
        out[4] = __half2short_rn(__ushort_as_half(0x7c00));
    }
}

int main()
{
    CHECK(__half_as_ushort(__float2half(1.0f)) == 0x3c00);
    CHECK(__half_as_ushort(__float2half(65504.0f)) == 0x7bff);
    CHECK(__half_as_ushort(__float2half(65520.0f)) == 0x7c00);
    CHECK(__half_as_ushort(__float2half_rz(1e9f)) == 0x7bff);
    CHECK(__half_as_ushort(__float2half(0x1p-24f)) == 1);
    CHECK(__half_as_ushort(__float2half(0x1p-25f)) == 0);
    CHECK(__half_as_ushort(__float2half_ru(0x1p-30f)) == 1);
    CHECK(__half_as_ushort(__float2half_rd(-0x1p-30f)) == 0x8001);
    CHECK(__half_as_ushort(__double2half(1.0 + 0x1p-11 + 0x1p-40)) == 0x3c01);
    CHECK(__half_as_ushort(__float2half(1.0f + 0x1p-11f)) == 0x3c00);
    CHECK(__bfloat16_as_ushort(__float2bfloat16(1.0f + 0x1p-8f)) == 0x3f80);
    CHECK(__bfloat16_as_ushort(__float2bfloat16(1.0f + 0x1.8p-7f)) == 0x3f82);
    CHECK(__half2int_rz(__float2half(-2.75f)) == -2 && __half2uint_rz(__float2half(-3.0f)) == 0);
    // conversions by their names, as generated bindings call them, and from one 16-bit type to the other
    __nv_bfloat16 b = 3.75f, none = 0.0f;
    CHECK(b.operator short() == 3 && b.operator unsigned char() == 3 && b.operator long long() == 3 && b.operator bool() && !none.operator bool());
    CHECK(__half(-2.75f).operator int() == -2 && __half(-3.0f).operator unsigned int() == 0 && (int)b == 3 && (float)__half(b) == 3.75f);
    CHECK(__bfloat16_as_ushort(__nv_bfloat16(__ushort_as_half(0x3c03))) == 0x3f80);
    CHECK((float)__ll2half_rn(2049) == 2048.0f && (float)__ull2bfloat16_rn(~0ull) == 0x1p64f);
    for (unsigned b = 0; b < 0x10000; b++) {
        __half h = __ushort_as_half((unsigned short)b);
        CHECK(__hisnan(h) || __half_as_ushort(__float2half(__half2float(h))) == b);
        __nv_bfloat16 f = __ushort_as_bfloat16((unsigned short)b);
        CHECK(__hisnan(f) || __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(f))) == b);
    }
    __half2 p = __floats2half2_rn(1.0f, 2.0f), q = __hadd2(p, __half2half2(__float2half(3.0f)));
    CHECK(__low2float(q) == 4 && __high2float(q) == 5 && __hbgt2(q, p) && __heq2_mask(p, __half2(p.x, q.y)) == 0xffffu);

    agree<__half>("half");
    agree<__nv_bfloat16>("bfloat16");

    float *out;
    __half *sum;
    __half2 *sum2;
    __nv_bfloat16 *bsum;
    cudaMallocManaged(&out, 64);
    cudaMallocManaged(&sum, 64);
    cudaMallocManaged(&sum2, 64);
    cudaMallocManaged(&bsum, 64);
    memset(sum, 0, 64);
    memset(sum2, 0, 64);
    memset(bsum, 0, 64);
    sum[1] = 7.0f;
    device_only<<<1, 32>>>(out, sum, sum2, bsum);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out[0] == 496 && out[1] == 0.5f && out[2] == 7 && out[3] == 23 && out[4] == 32767);
    CHECK((float)sum[0] == 8 && (float)sum2->x == 32 && (float)sum2->y == 16 && (float)bsum[0] == 16);
    sum[0] = 2.5f;
    bsum[0] = 2.5f;
    CHECK((volatile_works<__half, __half_raw>(sum) && volatile_works<__nv_bfloat16, __nv_bfloat16_raw>(bsum)));
    device_volatile<<<1, 1>>>(sum, bsum, (int *)out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && *(int *)out == 3);
    printf("%s\n", bad ? "bad" : "good");
    return bad != 0;
}
