// SPDX-License-Identifier: Apache-2.0
// What atomics on few words, waits of single warps, scattered accesses and matrix units take: the numbers of the model of a kernel's time.
#include "probe.h"
#include <cuda_fp16.h>
#include <mma.h>

#define I (blockIdx.x * blockDim.x + threadIdx.x)
static char text[128];
template <class... A> static const char *p(const char *f, A... a) { std::snprintf(text, sizeof text, f, a...); return text; }
__device__ unsigned mix(unsigned h) { h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; return h ^ h >> 16; }

// --- atomics: words of a table, `apart` words from each other
__global__ void few_int(int *t, int n, unsigned mask, int apart) { int i = I; if (i < n) atomicAdd(t + (mix(i) & mask) * apart, 1); }
__global__ void few_float(float *t, int n, unsigned mask, int apart) { int i = I; if (i < n) atomicAdd(t + (mix(i) & mask) * apart, 1.0f); }
__global__ void few_max(int *t, int n, unsigned mask) { int i = I; if (i < n) atomicMax(t + (mix(i) & mask), i); }
__global__ void few_exchange(int *t, int n, unsigned mask) { int i = I; if (i < n) atomicExch(t + (mix(i) & mask), i); }
__global__ void few_cas_loop(float *t, int n, unsigned mask)
{
    int i = I;
    if (i >= n) return;
    int *at = (int *)t + (mix(i) & mask), old = *at, seen;
    do { seen = old; old = atomicCAS(at, seen, __float_as_int(fmaxf(__int_as_float(seen), (float)(i & 1023)))); } while (old != seen);
}
__global__ void few_long(unsigned long long *t, int n, unsigned mask) { int i = I; if (i < n) atomicAdd(t + (mix(i) & mask), 1ull); }
__global__ void per_block(int *t, int n) { if (threadIdx.x == 0) atomicAdd(t + blockIdx.x % n, 1); }
__global__ void shared_int(int *out, int n, unsigned mask) { __shared__ int t[4096]; for (int k = threadIdx.x; k < 4096; k += blockDim.x) t[k] = 0; __syncthreads(); unsigned s = mix(I); for (int k = 0; k < n; k++) { s = s * 1664525u + 1013904223u; atomicAdd(&t[s >> 10 & mask], 1); } __syncthreads(); out[I] = t[threadIdx.x]; }
__global__ void shared_float(float *out, int n, unsigned mask) { __shared__ float t[4096]; for (int k = threadIdx.x; k < 4096; k += blockDim.x) t[k] = 0; __syncthreads(); unsigned s = mix(I); for (int k = 0; k < n; k++) { s = s * 1664525u + 1013904223u; atomicAdd(&t[s >> 10 & mask], 1.0f); } __syncthreads(); out[I] = t[threadIdx.x]; }

// --- waits: loops of loads by few warps
__global__ void walk_rows(const float *x, float *out, int n, int pitch) { const float *q = x + (size_t)I * pitch; float s = 0; for (int k = 0; k < n; k++) s += q[k]; out[I] = s; }
__global__ void walk_together(const float *x, float *out, int n) { float s = 0; for (int k = 0; k < n; k++) s += x[k]; out[I] = s; }
__global__ void walk_branch(const float *x, float *out, int n) { float s = 0; for (int k = 0; k < n; k++) { float v = x[k]; if (v > 0.5f) s += sqrtf(v); else s -= 1 / (v + 2); } out[I] = s; }
__global__ void walk_strided(const float *x, float *out, int n, int stride) { float s = 0; for (int k = 0; k < n; k++) s += x[(size_t)k * stride + I]; out[I] = s; }
__global__ void walk_grid(const float *x, float *out, int n) { float s = 0; for (int i = I; i < n; i += gridDim.x * blockDim.x) s += x[i]; out[I] = s; }
__global__ void walk_grid4(const float4 *x, float *out, int n) { float s = 0; for (int i = I; i < n; i += gridDim.x * blockDim.x) { float4 q = x[i]; s += q.x + q.y + q.z + q.w; } out[I] = s; }
__global__ void map_grid(const float *x, float *y, int n) { for (int i = I; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * 2 + 1; }
__global__ void walk_written(float *x, int n, int stride) { for (int k = 0; k < n; k++) x[(size_t)k * stride + I] += 1; }

// --- scattered accesses
__global__ void random_read(const float *x, float *out, int n, unsigned mask) { int i = I; if (i < n) { float v = x[mix(i) & mask]; if (v == -1) *out = v; } }
__global__ void random_write(float *x, int n, unsigned mask) { int i = I; if (i < n) x[mix(i) & mask] = i; }
__global__ void random_write8(float4 *x, int n, unsigned mask) { int i = I; if (i < n) { unsigned k = (mix(i / 2) & mask) * 2 + i % 2; x[k] = make_float4(i, 1, 2, 3); } }
__global__ void random_add(float *x, int n, unsigned mask) { int i = I; if (i < n) x[mix(i) & mask] += 1; }
__global__ void column_write(float *x, int n) { int i = I; x[(size_t)(i % n) * n + i / n] = i; }
__global__ void column_read(const float *x, float *y, int n) { int i = I; y[i] = x[(size_t)(i % n) * n + i / n]; }
__global__ void odd_write(float *x, int n) { int i = I; if (i < n) x[2 * i + 1] = i; }
__global__ void byte_write(unsigned char *x, int n) { int i = I; if (i < n) x[i] = (unsigned char)i; }
__global__ void shifted_copy(const float *x, float *y, int n) { int i = I; if (i < n) y[i + 1] = x[i + 3]; }

// --- matrix units
__global__ void wmma_rate(float *out, int n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c[4];
    fill_fragment(a, __float2half(0.5f)); fill_fragment(b, __float2half(0.25f));
    for (int u = 0; u < 4; u++) fill_fragment(c[u], (float)u);
    for (int k = 0; k < n; k++) for (int u = 0; u < 4; u++) mma_sync(c[u], a, b, c[u]);
    for (int u = 1; u < 4; u++) for (int e = 0; e < c[0].num_elements; e++) c[0].x[e] += c[u].x[e];
    store_matrix_sync(out + I / 32 * 256, c[0], 16, mem_row_major);
}
__global__ void wmma_chain(float *out, int n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c;
    fill_fragment(a, __float2half(0.5f)); fill_fragment(b, __float2half(0.25f)); fill_fragment(c, 0.0f);
    for (int k = 0; k < n; k++) mma_sync(c, a, b, c);
    store_matrix_sync(out + I / 32 * 256, c, 16, mem_row_major);
}
__global__ void wmma_load(const __half *x, float *out, int n, int pitch)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    float s = 0;
    for (int k = 0; k < n; k++) { load_matrix_sync(a, x + k * 16, pitch); for (int e = 0; e < a.num_elements; e++) s += __half2float(a.x[e]); }
    out[I] = s;
}

// --- computing: what a compiler makes of common expressions
template <class F> __device__ void rate(float *out, int n, F f) { float v[4]; for (int u = 0; u < 4; u++) v[u] = 0.25f + 0.125f * u + 1e-3f * threadIdx.x; for (int k = 0; k < n; k++) for (int u = 0; u < 4; u++) v[u] = f(v[u]); out[I] = v[0] + v[1] + v[2] + v[3]; }
#define RATE(name, e) __global__ void rate_##name(float *out, int n) { rate(out, n, [](float v) { return e; }); }
RATE(expf, expf(v) * 0.3f) RATE(logf, logf(v + 1.5f)) RATE(sinf, sinf(v) + 0.5f) RATE(powf, powf(v + 0.5f, 1.7f)) RATE(sqrtf, sqrtf(v + 0.5f)) RATE(divf, 0.7f / (v + 0.5f)) RATE(tanhf, tanhf(v) + 0.1f)
RATE(erff, erff(v)) RATE(floorf, v - floorf(v * 1.5f) + 0.2f) RATE(fminmax, fminf(fmaxf(v * 1.01f, 0.1f), 0.9f)) RATE(rsqrtf, rsqrtf(v + 0.5f)) RATE(atan2f, atan2f(v, 0.5f)) RATE(fmodf, fmodf(v * 3.7f, 1.0f))
template <class T, class F> __device__ void rate_of(T *out, int n, F f) { T v[4]; for (int u = 0; u < 4; u++) v[u] = (T)(I * 7 + u * 3 + 1); for (int k = 0; k < n; k++) for (int u = 0; u < 4; u++) v[u] = f(v[u]); out[I] = v[0] + v[1] + v[2] + v[3]; }
#define RATE_OF(name, T, e) __global__ void rate_##name(T *out, int n) { rate_of(out, n, [](T v) -> T { return e; }); }
RATE_OF(div_const, unsigned, v / 7 + 12345u) RATE_OF(mod_const, unsigned, v % 1000 + v * 3) RATE_OF(abs_diff, int, abs(v - 77) + 3) RATE_OF(select, int, (v & 4) ? v * 3 : v + 9) RATE_OF(popcount, unsigned, v + __popc(v))
RATE_OF(bytes, unsigned, (v >> 8 & 255) * 3 + (v & 255)) RATE_OF(mul64, unsigned long long, v * 6364136223846793005ull + 1442695040888963407ull) RATE_OF(add64, unsigned long long, (v + 12345) ^ v >> 7) RATE_OF(min3, int, min(min(v + 3, v * 5), 100000))
RATE_OF(exp_double, double, exp(-v * 0.01) + 0.5) RATE_OF(div_double, double, 1.0 / (v + 0.5)) RATE_OF(sqrt_double, double, sqrt(v + 0.5))
RATE_OF(div_var, unsigned, (v | 0x80000000u) / (v % 61 + 3)) RATE_OF(short_ops, short, (short)(v * 3 + (v >> 2)))
__global__ void rate_half2(__half2 *out, int n) { __half2 v[4], a = __float2half2_rn(0.99f); for (int u = 0; u < 4; u++) v[u] = __float2half2_rn(0.1f * u); for (int k = 0; k < n; k++) for (int u = 0; u < 4; u++) v[u] = __hfma2(v[u], a, a); out[I] = __hadd2(__hadd2(v[0], v[1]), __hadd2(v[2], v[3])); }

int main(int argc, char **argv)
{
    probe_begin(argc, argv);
    const size_t big = (size_t)256 << 20;
    float *x = zeros<float>(big / 4), *y = zeros<float>((64 << 20) / 4);
    int *xi = (int *)x, *yi = (int *)y;
    const int m = 1 << 19, full = 132 * 8;
    for (unsigned words : {1, 2, 8, 32, 128, 512, 2048, 8192}) {
        row("few_int", p("n=524288 of=%u", words), [&] { few_int<<<m / 256, 256>>>(xi, m, words - 1, 1); });
        row("few_float", p("n=524288 of=%u", words), [&] { few_float<<<m / 256, 256>>>(x, m, words - 1, 1); });
    }
    for (int apart : {8, 32, 128, 1024, 8192}) row("few_int", p("n=524288 of=32 apart=%d", apart), [&] { few_int<<<m / 256, 256>>>(xi, m, 31, apart); });
    for (int apart : {8, 128}) row("few_float", p("n=524288 of=32 apart=%d", apart), [&] { few_float<<<m / 256, 256>>>(x, m, 31, apart); });
    row("few_max", "n=524288 of=64", [&] { few_max<<<m / 256, 256>>>(xi, m, 63); });
    row("few_exchange", "n=524288 of=64", [&] { few_exchange<<<m / 256, 256>>>(xi, m, 63); });
    row("few_cas_loop", "n=65536 of=64", [&] { few_cas_loop<<<256, 256>>>(x, 1 << 16, 63); });
    row("few_long", "n=524288 of=64", [&] { few_long<<<m / 256, 256>>>((unsigned long long *)x, m, 63); });
    row("per_block", "8192 blocks of=1", [&] { per_block<<<8192, 128>>>(xi, 1); });
    for (unsigned words : {1, 8, 64, 512, 4096}) {
        row("shared_int", p("n=128 of=%u", words), [&] { shared_int<<<132 * 4, 256>>>(yi, 128, words - 1); });
        row("shared_float", p("n=32 of=%u", words), [&] { shared_float<<<132 * 4, 256>>>(y, 32, words - 1); });
    }
    for (int t : {1, 32}) row("walk_together", p("n=8192 1x%d", t), [&] { walk_together<<<1, t>>>(x, y, 8192); });
    row("walk_together", "n=8192 132x256", [&] { walk_together<<<132, 256>>>(x, y, 8192); });
    row("walk_together", "n=8192 1056x256", [&] { walk_together<<<1056, 256>>>(x, y, 8192); });
    row("walk_branch", "n=4096 1x1", [&] { walk_branch<<<1, 1>>>(x, y, 4096); });
    row("walk_branch", "n=4096 132x128", [&] { walk_branch<<<132, 128>>>(x, y, 4096); });
    row("walk_rows", "n=512 32x128", [&] { walk_rows<<<32, 128>>>(x, y, 512, 1024); });
    row("walk_rows", "n=512 132x256", [&] { walk_rows<<<132, 256>>>(x, y, 512, 512); });
    row("walk_rows", "n=64 1056x256", [&] { walk_rows<<<1056, 256>>>(x, y, 64, 64); });
    for (int b : {1, 33, 132, 528}) row("walk_strided", p("n=512 %dx128", b), [&] { walk_strided<<<b, 128>>>(x, y, 512, 67584); });
    row("walk_written", "n=128 132x128", [&] { walk_written<<<132, 128>>>(x, 128, 16896); });
    for (int b : {1, 132, 264, 1056}) {
        row("walk_grid", p("%dx256 256 each", b), [&] { walk_grid<<<b, 256>>>(x, y, b * 256 * 64); });
        row("walk_grid4", p("%dx256 256 each", b), [&] { walk_grid4<<<b, 256>>>((float4 *)x, y, b * 256 * 32); });
        row("map_grid", p("%dx256 256 each", b), [&] { map_grid<<<b, 256>>>(x, x + (32 << 20), b * 256 * 64); });
    }
    for (unsigned mib : {1, 8, 24, 48, 128, 256}) {
        row("random_read", p("n=1048576 MiB=%u", mib), [&] { random_read<<<4096, 256>>>(x, y, 1 << 20, (mib << 18) - 1); });
        row("random_write", p("n=1048576 MiB=%u", mib), [&] { random_write<<<4096, 256>>>(x, 1 << 20, (mib << 18) - 1); });
    }
    row("random_read", "n=4194304 MiB=128", [&] { random_read<<<16384, 256>>>(x, y, 1 << 22, (1 << 25) - 1); });
    row("random_write", "n=4194304 MiB=128", [&] { random_write<<<16384, 256>>>(x, 1 << 22, (1 << 25) - 1); });
    row("random_write8", "n=1048576 MiB=128", [&] { random_write8<<<4096, 256>>>((float4 *)x, 1 << 20, (1 << 22) - 1); });
    row("random_add", "n=1048576 MiB=16", [&] { random_add<<<4096, 256>>>(x, 1 << 20, (1 << 22) - 1); });
    row("column_write", "n=2048", [&] { column_write<<<16384, 256>>>(x, 2048); });
    row("column_read", "n=2048", [&] { column_read<<<16384, 256>>>(x, y, 2048); });
    row("odd_write", "n=4194304", [&] { odd_write<<<16384, 256>>>(x, 1 << 22); });
    row("byte_write", "n=16777216", [&] { byte_write<<<65536, 256>>>((unsigned char *)x, 1 << 24); });
    row("shifted_copy", "n=8388608", [&] { shifted_copy<<<32768, 256>>>(x, x + (32 << 20), 1 << 23); });
    row("wmma_rate", "n=256 132x256", [&] { wmma_rate<<<132, 256>>>(y, 256); });
    row("wmma_rate", "n=256 528x256", [&] { wmma_rate<<<528, 256>>>(y, 256); });
    row("wmma_chain", "n=1024 1x32", [&] { wmma_chain<<<1, 32>>>(y, 1024); });
    row("wmma_load", "n=256 1x32", [&] { wmma_load<<<1, 32>>>((__half *)x, y, 256, 4096); });
    row("wmma_load", "n=256 132x256", [&] { wmma_load<<<132, 256>>>((__half *)x, y, 256, 4096); });
#define R(name) row("rate_" #name, "n=64", [&] { rate_##name<<<full, 256>>>(y, 64); });
#define RO(name, T) row("rate_" #name, "n=64", [&] { rate_##name<<<full, 256>>>((T *)y, 64); });
    R(expf) R(logf) R(sinf) R(powf) R(sqrtf) R(divf) R(tanhf) R(erff) R(floorf) R(fminmax) R(rsqrtf) R(atan2f) R(fmodf)
    RO(div_const, unsigned) RO(mod_const, unsigned) RO(abs_diff, int) RO(select, int) RO(popcount, unsigned) RO(bytes, unsigned) RO(mul64, unsigned long long) RO(add64, unsigned long long) RO(min3, int)
    RO(exp_double, double) RO(div_double, double) RO(sqrt_double, double) RO(div_var, unsigned) RO(short_ops, short) RO(half2, __half2)
    return 0;
}
