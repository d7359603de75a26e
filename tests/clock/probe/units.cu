// SPDX-License-Identifier: Apache-2.0
// One resource of a GPU each: what its units, caches and memory do alone. The numbers of a profile follow from these.
#include "probe.h"

#define I (blockIdx.x * blockDim.x + threadIdx.x)
static char text[128];
template <class... A> static const char *p(const char *f, A... a) { std::snprintf(text, sizeof text, f, a...); return text; }

__global__ void empty() {}
__global__ void chase(const int *next, int *out, int steps) { int q = 0; for (int k = 0; k < steps; k++) q = next[q]; *out = q; }
__global__ void chase_shared(int *out, int steps) { __shared__ int t[256]; t[threadIdx.x] = (threadIdx.x * 5 + 1) & 255; __syncthreads(); int q = threadIdx.x; for (int k = 0; k < steps; k++) q = t[q]; *out = q; }
__global__ void chain_fma(float *out, int n, float a) { float v = a; for (int k = 0; k < n; k++) v = v * a + 1.0f; out[I] = v; }
__global__ void chain_special(float *out, int n, float a) { float v = a; for (int k = 0; k < n; k++) v = __expf(v); out[I] = v; }
__global__ void chain_double(double *out, int n, double a) { double v = a; for (int k = 0; k < n; k++) v = v * a + 1.0; out[I] = v; }
__global__ void chain_int(int *out, int n, int a) { int v = a; for (int k = 0; k < n; k++) v = v * a + 7; out[I] = v; }
__global__ void chain_shuffle(int *out, int n) { int v = threadIdx.x; for (int k = 0; k < n; k++) v = __shfl_xor_sync(~0u, v, 1) + 1; out[I] = v; }
__global__ void chain_divide(float *out, int n, float a) { float v = a; for (int k = 0; k < n; k++) v = 1.0f + a / v; out[I] = v; }
__global__ void chain_modulo(unsigned *out, int n, unsigned m) { unsigned v = I; for (int k = 0; k < n; k++) v = (v * 31 + 7) % m; out[I] = v; }
__global__ void chain_barrier(int *out, int n) { for (int k = 0; k < n; k++) __syncthreads(); if (n < 0) *out = 1; }
__global__ void chain_atomic(int *out, int n) { int v = 0; for (int k = 0; k < n; k++) v = atomicAdd(out + (v & 1), 1); if (v == -1) *out = 1; }
template <int U> __global__ void rate_fma(float *out, int n, float a) { float v[U]; for (int u = 0; u < U; u++) v[u] = a + u; for (int k = 0; k < n; k++) for (int u = 0; u < U; u++) v[u] = v[u] * a + 1.0f; float s = 0; for (int u = 0; u < U; u++) s += v[u]; out[I] = s; }
template <int U> __global__ void rate_int(int *out, int n, int a) { int v[U]; for (int u = 0; u < U; u++) v[u] = a + u; for (int k = 0; k < n; k++) for (int u = 0; u < U; u++) v[u] = v[u] * a + k; int s = 0; for (int u = 0; u < U; u++) s += v[u]; out[I] = s; }
template <int U> __global__ void rate_logic(unsigned *out, int n, unsigned a) { unsigned v[U]; for (int u = 0; u < U; u++) v[u] = a + u; for (int k = 0; k < n; k++) for (int u = 0; u < U; u++) v[u] = (v[u] << 5 | v[u] >> 27) ^ a; unsigned s = 0; for (int u = 0; u < U; u++) s += v[u]; out[I] = s; }
template <int U> __global__ void rate_minmax(int *out, int n, int a) { int v[U]; for (int u = 0; u < U; u++) v[u] = a + u + threadIdx.x; for (int k = 0; k < n; k++) for (int u = 0; u < U; u++) v[u] = max(v[u] + k, a) - u; int s = 0; for (int u = 0; u < U; u++) s += v[u]; out[I] = s; }
template <int U> __global__ void rate_double(double *out, int n, double a) { double v[U]; for (int u = 0; u < U; u++) v[u] = a + u; for (int k = 0; k < n; k++) for (int u = 0; u < U; u++) v[u] = v[u] * a + 1.0; double s = 0; for (int u = 0; u < U; u++) s += v[u]; out[I] = s; }
template <int U> __global__ void rate_special(float *out, int n, float a) { float v[U]; for (int u = 0; u < U; u++) v[u] = a + u; for (int k = 0; k < n; k++) for (int u = 0; u < U; u++) v[u] = __sinf(v[u]); float s = 0; for (int u = 0; u < U; u++) s += v[u]; out[I] = s; }
template <int U> __global__ void rate_convert(float *out, int n, float a) { float v[U]; for (int u = 0; u < U; u++) v[u] = a + u; for (int k = 0; k < n; k++) for (int u = 0; u < U; u++) v[u] = (float)(int)v[u]; float s = 0; for (int u = 0; u < U; u++) s += v[u]; out[I] = s; }
__global__ void rate_shared(float *out, int n, int stride) { __shared__ float t[2048]; for (int k = threadIdx.x; k < 2048; k += blockDim.x) t[k] = k; __syncthreads(); float s = 0; int at = threadIdx.x * stride; for (int k = 0; k < n; k++) { s += t[at & 2047]; at += 32; } out[I] = s; }
__global__ void rate_shared4(float4 *out, int n) { __shared__ float4 t[512]; for (int k = threadIdx.x; k < 512; k += blockDim.x) t[k] = make_float4(k, 0, 0, 0); __syncthreads(); float s = 0; int at = threadIdx.x; for (int k = 0; k < n; k++) { float4 q = t[at & 511]; s += q.x + q.y + q.z + q.w; at += 32; } if (s == -1) out[I].x = s; }
__global__ void rate_l1(const float *x, float *out, int n) { float s = 0; int at = threadIdx.x; for (int k = 0; k < n; k++) { s += x[at]; at = (at + 32) & 2047; } out[I] = s; }
__global__ void rate_broadcast(const float *x, float *out, int n) { float s = 0; for (int k = 0; k < n; k++) s += x[k & 1023]; out[I] = s; }
__global__ void rate_constant(float *out, int n, int spread);
__constant__ float constants[1024];
__global__ void rate_constant(float *out, int n, int spread) { float s = 0; for (int k = 0; k < n; k++) s += constants[(k + (threadIdx.x % spread)) & 1023]; out[I] = s; }
__global__ void read_all(const float4 *x, float *out, size_t n, int times) { float s = 0; for (int t = 0; t < times; t++) for (size_t i = I; i < n; i += (size_t)gridDim.x * blockDim.x) { float4 q = x[i]; s += q.x + q.y + q.z + q.w; } if (s == -1) *out = s; }
__global__ void read_narrow(const float *x, float *out, size_t n, int times) { float s = 0; for (int t = 0; t < times; t++) for (size_t i = I; i < n; i += (size_t)gridDim.x * blockDim.x) s += x[i]; if (s == -1) *out = s; }
__global__ void write_all(float4 *x, size_t n) { for (size_t i = I; i < n; i += (size_t)gridDim.x * blockDim.x) x[i] = make_float4(1, 2, 3, 4); }
__global__ void copy_all(const float4 *x, float4 *y, size_t n) { for (size_t i = I; i < n; i += (size_t)gridDim.x * blockDim.x) y[i] = x[i]; }
__global__ void read_strided(const float *x, float *out, int n, int stride) { int i = I; if (i < n) { float v = x[(size_t)i * stride]; if (v == -1) *out = v; } }
__global__ void write_strided(float *x, int n, int stride) { int i = I; if (i < n) x[(size_t)i * stride] = 1; }
__global__ void atomic_one(int *out, int n) { int i = I; if (i < n) atomicAdd(out, i); }
__global__ void atomic_one_float(float *out, int n) { int i = I; if (i < n) atomicAdd(out, 1.0f); }
__global__ void atomic_one_result(int *out, int n) { int i = I; if (i < n && atomicAdd(out, 1) == -5) out[1] = 1; }
__global__ void atomic_lanes(int *out, int n) { int i = I; if (i < n) atomicAdd(out + threadIdx.x % 32, 1); }
__global__ void atomic_spread(int *out, int n) { int i = I; if (i < n) atomicAdd(out + i, 1); }
__global__ void atomic_random(int *out, int n, unsigned mask) { int i = I; if (i < n) atomicAdd(out + ((i * 2654435761u >> 7) & mask), 1); }
__global__ void atomic_random_result(int *out, int n, unsigned mask) { int i = I; if (i < n && atomicAdd(out + ((i * 2654435761u >> 7) & mask), 1) == -5) out[0] = 1; }
__global__ void atomic_double(double *out, int n, unsigned mask) { int i = I; if (i < n) atomicAdd(out + ((i * 2654435761u >> 7) & mask), 1.0); }
__global__ void atomic_cas(unsigned *out, int n, unsigned mask) { int i = I; if (i < n) atomicCAS(out + ((i * 2654435761u >> 7) & mask), 0u, 1u); }
__global__ void atomic_shared(int *out, int n, unsigned mask) { __shared__ int t[1024]; t[threadIdx.x] = 0; __syncthreads(); for (int k = 0; k < n; k++) atomicAdd(&t[(threadIdx.x * 2654435761u >> 7) & mask], 1); __syncthreads(); out[I] = t[threadIdx.x]; }
__global__ void atomic_shared_float(float *out, int n, unsigned mask) { __shared__ float t[1024]; t[threadIdx.x] = 0; __syncthreads(); for (int k = 0; k < n; k++) atomicAdd(&t[(threadIdx.x * 2654435761u >> 7) & mask], 1.0f); __syncthreads(); out[I] = t[threadIdx.x]; }
__global__ void local_array(const int *in, int *out, int n) { int a[64]; for (int k = 0; k < 64; k++) a[k] = in[k]; for (int k = 0; k < n; k++) a[(a[k & 63] + k) & 63] += k; int s = 0; for (int k = 0; k < 64; k++) s += a[k]; out[I] = s; }
__global__ void diverge(float *out, int n, int ways) { float v = threadIdx.x; switch (threadIdx.x % ways) {
#define WAY(w, c) case w: for (int k = 0; k < n; k++) v = v * c + 1.0f; break;
    WAY(0, .1f) WAY(1, .2f) WAY(2, .3f) WAY(3, .4f) WAY(4, .5f) WAY(5, .6f) WAY(6, .7f) WAY(7, .8f) } out[I] = v; }

static int *ring(size_t bytes, size_t stride)
{
    size_t n = bytes / stride, words = stride / 4;
    std::vector<int> order(n), h(bytes / 4, 0);
    for (size_t k = 0; k < n; k++) order[k] = (int)k;
    for (size_t k = n - 1; k > 0; k--) std::swap(order[k], order[next_random() % (k + 1)]);
    for (size_t k = 0; k < n; k++) h[order[k] * words] = (int)(order[(k + 1) % n] * words);
    int at0 = order[0], *d;
    for (size_t k = 0; k < n; k++) if (order[k] == 0) at0 = (int)k;
    (void)at0;
    CHECK(cudaMalloc((void **)&d, bytes));
    CHECK(cudaMemcpy(d, h.data(), bytes, cudaMemcpyHostToDevice));
    return d;
}

int main(int argc, char **argv)
{
    probe_begin(argc, argv);
    const size_t big = (size_t)128 << 20;
    float *x = zeros<float>(big / 4), *y = zeros<float>(big / 4);
    int *xi = (int *)x, *yi = (int *)y;
    row("empty", "1x32", [&] { empty<<<1, 32>>>(); });
    row("empty", "132x256", [&] { empty<<<132, 256>>>(); });
    row("empty", "16384x256", [&] { empty<<<16384, 256>>>(); });
    row("empty", "131072x64", [&] { empty<<<131072, 64>>>(); });
    for (size_t kib : {16, 128, 1024, 8192, 32768, 131072}) {
        int *r = ring(kib << 10, 128);
        row("chase", p("KiB=%zu steps=4096", kib), [&] { chase<<<1, 1>>>(r, yi, 4096); });
        CHECK(cudaFree(r));
    }
    row("chase_shared", "steps=4096", [&] { chase_shared<<<1, 256>>>(yi, 4096); });
    row("chain_fma", "n=8192", [&] { chain_fma<<<1, 32>>>(y, 8192, 0.5f); });
    row("chain_special", "n=8192", [&] { chain_special<<<1, 32>>>(y, 8192, -0.5f); });
    row("chain_double", "n=8192", [&] { chain_double<<<1, 32>>>((double *)y, 8192, 0.5); });
    row("chain_int", "n=8192", [&] { chain_int<<<1, 32>>>(yi, 8192, 5); });
    row("chain_shuffle", "n=4096", [&] { chain_shuffle<<<1, 32>>>(yi, 4096); });
    row("chain_divide", "n=2048", [&] { chain_divide<<<1, 32>>>(y, 2048, 3.0f); });
    row("chain_modulo", "n=2048", [&] { chain_modulo<<<1, 32>>>((unsigned *)y, 2048, 1000003); });
    for (int t : {32, 256, 1024}) row("chain_barrier", p("n=2048 threads=%d", t), [&] { chain_barrier<<<1, t>>>(yi, 2048); });
    row("chain_atomic", "n=1024", [&] { chain_atomic<<<1, 1>>>(yi, 1024); });
    const int full = 132 * 8;
    row("rate_fma", "n=512 u=8", [&] { rate_fma<8><<<full, 256>>>(y, 512, 0.5f); });
    row("rate_int", "n=512 u=8", [&] { rate_int<8><<<full, 256>>>(yi, 512, 5); });
    row("rate_logic", "n=512 u=8", [&] { rate_logic<8><<<full, 256>>>((unsigned *)y, 512, 0x12345); });
    row("rate_minmax", "n=512 u=8", [&] { rate_minmax<8><<<full, 256>>>(yi, 512, 5); });
    row("rate_double", "n=256 u=8", [&] { rate_double<8><<<full, 256>>>((double *)y, 256, 0.5); });
    row("rate_special", "n=256 u=8", [&] { rate_special<8><<<full, 256>>>(y, 256, 0.5f); });
    row("rate_convert", "n=256 u=8", [&] { rate_convert<8><<<full, 256>>>(y, 256, 0.5f); });
    row("rate_fma", "n=4096 u=1 blocks=132 threads=32", [&] { rate_fma<1><<<132, 32>>>(y, 4096, 0.5f); });
    row("rate_fma", "n=4096 u=1 blocks=132 threads=256", [&] { rate_fma<1><<<132, 256>>>(y, 4096, 0.5f); });
    row("rate_fma", "n=4096 u=1 blocks=133 threads=1024", [&] { rate_fma<1><<<133, 1024>>>(y, 4096, 0.5f); });
    row("rate_fma", "n=4096 u=1 blocks=265 threads=1024", [&] { rate_fma<1><<<265, 1024>>>(y, 4096, 0.5f); });
    for (int s : {1, 2, 4, 8, 32, 33}) row("rate_shared", p("n=1024 stride=%d", s), [&] { rate_shared<<<full, 256>>>(y, 1024, s); });
    row("rate_shared4", "n=1024", [&] { rate_shared4<<<full, 256>>>((float4 *)y, 1024); });
    row("rate_l1", "n=1024", [&] { rate_l1<<<full, 256>>>(x, y, 1024); });
    row("rate_broadcast", "n=1024", [&] { rate_broadcast<<<full, 256>>>(x, y, 1024); });
    row("rate_constant", "n=1024 spread=1", [&] { rate_constant<<<full, 256>>>(y, 1024, 1); });
    row("rate_constant", "n=128 spread=32", [&] { rate_constant<<<full, 256>>>(y, 128, 32); });
    for (size_t mib : {1, 4, 16, 32, 48, 64, 128}) row("read_all", p("MiB=%zu times=1", mib), [&] { read_all<<<1056, 256>>>((float4 *)x, y, mib << 16, 1); });
    for (size_t mib : {1, 16, 32, 128}) row("read_all", p("MiB=%zu times=8", mib), [&] { read_all<<<1056, 256>>>((float4 *)x, y, mib << 16, 8); });
    row("read_narrow", "MiB=128 times=1", [&] { read_narrow<<<1056, 256>>>(x, y, big / 4, 1); });
    row("read_narrow", "MiB=16 times=8", [&] { read_narrow<<<1056, 256>>>(x, y, big / 32, 8); });
    for (size_t mib : {4, 16, 32, 64, 128}) row("write_all", p("MiB=%zu", mib), [&] { write_all<<<1056, 256>>>((float4 *)x, mib << 16); });
    for (size_t mib : {4, 16, 32, 64, 128}) row("copy_all", p("MiB=%zu", mib), [&] { copy_all<<<1056, 256>>>((float4 *)x, (float4 *)y, mib << 16); });
    for (int s : {1, 2, 4, 8, 16, 32}) row("read_strided", p("n=1048576 stride=%d", s), [&] { read_strided<<<4096, 256>>>(x, y, 1 << 20, s); });
    for (int s : {1, 2, 8, 32}) row("write_strided", p("n=1048576 stride=%d", s), [&] { write_strided<<<4096, 256>>>(x, 1 << 20, s); });
    row("atomic_one", "n=1048576", [&] { atomic_one<<<4096, 256>>>(yi, 1 << 20); });
    row("atomic_one_float", "n=262144", [&] { atomic_one_float<<<1024, 256>>>(y, 1 << 18); });
    row("atomic_one_result", "n=262144", [&] { atomic_one_result<<<1024, 256>>>(yi, 1 << 18); });
    row("atomic_lanes", "n=1048576", [&] { atomic_lanes<<<4096, 256>>>(yi, 1 << 20); });
    row("atomic_spread", "n=1048576", [&] { atomic_spread<<<4096, 256>>>(yi, 1 << 20); });
    row("atomic_spread", "n=8388608", [&] { atomic_spread<<<32768, 256>>>(yi, 1 << 23); });
    for (unsigned bits : {4, 8, 12, 16, 20, 24}) row("atomic_random", p("n=1048576 of=%u", 1u << bits), [&] { atomic_random<<<4096, 256>>>(yi, 1 << 20, (1u << bits) - 1); });
    row("atomic_random_result", "n=1048576 of=65536", [&] { atomic_random_result<<<4096, 256>>>(yi, 1 << 20, 65535); });
    row("atomic_double", "n=1048576 of=65536", [&] { atomic_double<<<4096, 256>>>((double *)y, 1 << 20, 65535); });
    row("atomic_cas", "n=1048576 of=65536", [&] { atomic_cas<<<4096, 256>>>((unsigned *)y, 1 << 20, 65535); });
    for (unsigned m : {0u, 15u, 255u, 1023u}) row("atomic_shared", p("n=256 of=%u", m + 1), [&] { atomic_shared<<<132 * 4, 256>>>(yi, 256, m); });
    for (unsigned m : {0u, 255u}) row("atomic_shared_float", p("n=64 of=%u", m + 1), [&] { atomic_shared_float<<<132 * 4, 256>>>(y, 64, m); });
    row("local_array", "n=512 blocks=132", [&] { local_array<<<132, 256>>>(xi, yi, 512); });
    row("local_array", "n=512 blocks=1056", [&] { local_array<<<1056, 256>>>(xi, yi, 512); });
    for (int w : {1, 2, 8}) row("diverge", p("n=1024 ways=%d", w), [&] { diverge<<<full, 256>>>(y, 1024, w); });
    return 0;
}
