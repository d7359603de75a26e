// SPDX-License-Identifier: Apache-2.0
// Levels of detail, exactly: the least gradient that gives each level in 256ths, found by halving intervals of floats; anisotropy; floats
// stored as normalised integers.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <vector>

// What a question is about: six components of two gradients, each base + slope * t, where t is sought between 0 and 1.
struct question { int dims; float base[6], slope[6]; };
__device__ int level(cudaTextureObject_t t, const question &q, float at) {
    float v[6]; for (int i = 0; i < 6; i++) v[i] = __fadd_rn(q.base[i], __fmul_rn(q.slope[i], at)); float r;
    if (q.dims == 1) r = tex1DGrad<float>(t, 0.4f, v[0], v[3]);
    else if (q.dims == 2) r = tex2DGrad<float>(t, 0.4f, 0.4f, make_float2(v[0], v[1]), make_float2(v[3], v[4]));
    else r = tex3DGrad<float>(t, 0.4f, 0.4f, 0.4f, make_float4(v[0], v[1], v[2], 0), make_float4(v[3], v[4], v[5], 0));
    return (int)(r * 256);
}
// Thread n: the least t (in 2^-23) for which the level is at least first + n, where first is the level of t = 0. bounds: levels at both ends.
__global__ void thresholds(cudaTextureObject_t t, question q, int *out, int *bounds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; const int one = 1 << 23; int first = level(t, q, 0), last = level(t, q, 1), want = first + 1 + i, low = 0, high = one;
    if (i == 0) { bounds[0] = first; bounds[1] = last; }
    if (want > last) { out[i] = -1; return; }
    while (high - low > 1) { int mid = (low + high) / 2; if (level(t, q, (float)mid / one) >= want) high = mid; else low = mid; }
    out[i] = high;
}
__global__ void levels(cudaTextureObject_t t, question q, int n, float *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float at = (float)i / n, v[6]; for (int k = 0; k < 6; k++) v[k] = __fadd_rn(q.base[k], __fmul_rn(q.slope[k], at)); out[i] = tex2DGrad<float>(t, 0.4f, 0.4f, make_float2(v[0], v[1]), make_float2(v[3], v[4])); }
__global__ void spots(cudaTextureObject_t t, const float4 *g, int n, float *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = tex2DGrad<float>(t, 0.40625f, 0.59375f, make_float2(g[i].x, g[i].y), make_float2(g[i].z, g[i].w)); }
__global__ void stores(cudaSurfaceObject_t s, const float *f, int n, int clamp) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) asm volatile("sust.p.2d.b32.trap [%0, {%1, %2}], {%3};" :: "l"(s), "r"(i), "r"(0), "f"(f[i])); (void)clamp; }

static uint32_t seed; static float unit() { seed = seed * 1664525u + 1013904223u; return (float)(seed >> 8) / 16777216.0f; }
static cudaMipmappedArray_t chain(int w, int h, int d, bool numbered, int levels) {
    cudaChannelFormatDesc f = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat); cudaMipmappedArray_t m; cudaMallocMipmappedArray(&m, &f, make_cudaExtent(w, h, d), levels, 0);
    for (int l = 0; l < levels; l++) { cudaArray_t a; if (cudaGetMipmappedArrayLevel(&a, m, l)) { cudaGetLastError(); break; } size_t x = w >> l ? w >> l : 1, y = h >> l ? h >> l : 1, z = d >> l ? d >> l : 1; std::vector<float> v(x * y * z, (float)l); if (!numbered) for (size_t i = 0; i < v.size(); i++) v[i] = l * 100.f + (i * 7919 % 97); cudaMemcpy3DParms p; memset(&p, 0, sizeof p); p.srcPtr = make_cudaPitchedPtr(v.data(), x * 4, x, y); p.dstArray = a; p.extent = make_cudaExtent(x, y, z); p.kind = cudaMemcpyHostToDevice; cudaMemcpy3D(&p); }
    return m;
}
static cudaTextureObject_t texture(cudaMipmappedArray_t m, int anisotropy, float bias = 0) {
    cudaResourceDesc r; memset(&r, 0, sizeof r); r.resType = cudaResourceTypeMipmappedArray; r.res.mipmap.mipmap = m; cudaTextureDesc t; memset(&t, 0, sizeof t); t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = cudaAddressModeClamp; t.filterMode = t.mipmapFilterMode = cudaFilterModeLinear; t.normalizedCoords = 1; t.maxMipmapLevelClamp = 16; t.maxAnisotropy = anisotropy; t.mipmapLevelBias = bias; cudaTextureObject_t o = 0; cudaError_t e = cudaCreateTextureObject(&o, &r, &t, nullptr); if (e) { printf("texture.failed = %s\n", cudaGetErrorName(e)); cudaGetLastError(); } return o;
}
static void ask(const char *key, cudaTextureObject_t t, const question &q) {
    int n = 512, *d, *b, h[512], hb[2]; cudaMalloc((void **)&d, n * 4); cudaMalloc((void **)&b, 8); thresholds<<<n / 64, 64>>>(t, q, d, b, n); cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost); cudaMemcpy(hb, b, 8, cudaMemcpyDeviceToHost); cudaFree(d); cudaFree(b);
    printf("%s.ends = %d %d\n", key, hb[0], hb[1]); for (int i = 0; i < n && h[i] >= 0; i += 32) { printf("%s.%d =", key, i / 32); for (int k = i; k < i + 32 && h[k] >= 0 && k < n; k++) printf(" %x", h[k]); printf("\n"); }
}
static void stored(const char *key, int bits, cudaChannelFormatKind kind) {
    enum { N = 4096 }; std::vector<float> v(N); seed = 5; for (int i = 0; i < N; i++) { uint32_t u; if (i < 2048) v[i] = (i < 1024 ? 1 : -1) * (i % 1024 + (i & 1 ? 0.53f : 0.47f)) / (bits == 8 ? 255.f : 65535.f); else { v[i] = (unit() * 2 - 1) * (i % 3 ? 1.0f : 0.01f); } memcpy(&u, &v[i], 4); }
    cudaChannelFormatDesc f = cudaCreateChannelDesc(bits, 0, 0, 0, kind); cudaArray_t a = nullptr; cudaError_t e = cudaMallocArray(&a, &f, N, 1, cudaArraySurfaceLoadStore); printf("%s.array = %s\n", key, cudaGetErrorName(e)); cudaGetLastError(); if (!a) return;
    cudaResourceDesc r; memset(&r, 0, sizeof r); r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaSurfaceObject_t s = 0; cudaCreateSurfaceObject(&s, &r); float *d; cudaMalloc((void **)&d, N * 4); cudaMemcpy(d, v.data(), N * 4, cudaMemcpyHostToDevice); stores<<<N / 64, 64>>>(s, d, N, 0); std::vector<unsigned char> o(N * bits / 8); e = cudaMemcpy2DFromArray(o.data(), N * bits / 8, a, 0, 0, N * bits / 8, 1, cudaMemcpyDeviceToHost); if (e) printf("%s.copy = %s\n", key, cudaGetErrorName(e));
    for (int i = 0; i < N; i += 64) { printf("%s.%d =", key, i / 64); for (int k = i; k < i + 64; k++) printf(" %x", bits == 8 ? o[k] : o[2 * k] | o[2 * k + 1] << 8); printf("\n"); }
}
int main() {
    alarm(50); setvbuf(stdout, nullptr, _IOLBF, 0); cudaFree(nullptr); const float u = 1.0f / 256; char key[64];
    cudaMipmappedArray_t square = chain(256, 256, 0, true, 9), odd = chain(200, 100, 0, true, 8), cube = chain(64, 64, 64, true, 7); cudaTextureObject_t t = texture(square, 0), box = texture(cube, 0);
    // one component
    ask("one", t, {2, {4 * u}, {4 * u}}); ask("one_y", t, {2, {0, 4 * u}, {0, 4 * u}}); ask("one_dy", t, {2, {0, 0, 0, 0, 4 * u}, {0, 0, 0, 0, 4 * u}}); ask("one_small", t, {2, {1.5f * u}, {1.5f * u}}); ask("one_negative", t, {2, {-4 * u}, {-4 * u}}); ask("line", texture(chain(256, 0, 0, true, 9), 0), {1, {4 * u}, {4 * u}}); ask("odd", texture(odd, 0), {2, {4 / 200.f}, {4 / 200.f}}); ask("odd_y", texture(odd, 0), {2, {0, 4 / 100.f}, {0, 4 / 100.f}}); ask("box_one", box, {3, {4 / 64.f}, {4 / 64.f}}); ask("box_z", box, {3, {0, 0, 4 / 64.f}, {0, 0, 4 / 64.f}}); ask("biased", texture(square, 0, 0.3f), {2, {4 * u}, {4 * u}});
    // two components of one gradient; a: the longer one
    float a[] = {8, 8 + 8 / 1024.f, 8 + 8 / 512.f, 8 + 3 * 8 / 512.f, 9, 10.3f, 11.7f, 12, 14.2f, 15.5f, 15.99f};
    for (int i = 0; i < 11; i++) { snprintf(key, sizeof key, "slope_%d", i); ask(key, t, {2, {a[i] * u}, {0, a[i] * u}}); snprintf(key, sizeof key, "box_slope_%d", i); ask(key, box, {3, {a[i] / 64}, {0, 0, a[i] / 64}}); snprintf(key, sizeof key, "box_third_%d", i); ask(key, box, {3, {a[i] / 64, a[i] * 0.8f / 64}, {0, 0, a[i] / 64}}); }
    // two gradients: the same direction, across, and skew
    for (int i = 0; i < 11; i++) { snprintf(key, sizeof key, "along_%d", i); ask(key, t, {2, {a[i] * u}, {0, 0, 0, a[i] * u}}); snprintf(key, sizeof key, "across_%d", i); ask(key, t, {2, {a[i] * u}, {0, 0, 0, 0, a[i] * u}}); snprintf(key, sizeof key, "skew_%d", i); ask(key, t, {2, {a[i] * u}, {0, 0, 0, a[i] * u, a[i] * 0.37f * u}}); snprintf(key, sizeof key, "against_%d", i); ask(key, t, {2, {a[i] * u, 0.2f * a[i] * u}, {0, 0, 0, -a[i] * u, a[i] * 0.37f * u}}); snprintf(key, sizeof key, "box_across_%d", i); ask(key, box, {3, {a[i] / 64}, {0, 0, 0, 0, a[i] / 64}}); snprintf(key, sizeof key, "box_skew_%d", i); ask(key, box, {3, {a[i] / 64, 0, a[i] * 0.3f / 64}, {0, 0, 0, a[i] * 0.9f / 64, a[i] * 0.5f / 64, a[i] / 64}}); }
    seed = 9; for (int i = 0; i < 24; i++) { question q; memset(&q, 0, sizeof q); q.dims = i < 16 ? 2 : 3; float w = i < 16 ? 256 : 64; for (int k = 0; k < 6; k++) { q.base[k] = (unit() * 16 - 8) / w; q.slope[k] = q.base[k] * (0.5f + unit()); } snprintf(key, sizeof key, "any_%d", i); ask(key, i < 16 ? t : box, q); }
    // anisotropy: levels, and what is read where
    int most[] = {1, 2, 3, 4, 8, 16}; for (int n : most) { cudaTextureObject_t o = texture(square, n); float *d, h[64]; cudaMalloc((void **)&d, 256); question qs[] = {{2, {16 * u}, {0, 0, 0, 0, 16 * u}}, {2, {0, 16 * u}, {0, 0, 0, 16 * u}}, {2, {8 * u, 8 * u}, {0, 0, 0, 12 * u, -12 * u}}, {2, {2 * u}, {64 * u, 0, 0, 0, 2 * u}}, {2, {16 * u, 4 * u, 0, 2 * u, u}, {0, 0, 0, 16 * u, 5 * u}}}; int i = 0; for (auto &q : qs) { levels<<<1, 64>>>(o, q, 64, d); cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost); printf("anisotropy_%d.levels_%d =", n, i++); for (float v : h) printf(" %g", v * 256); printf("\n"); } cudaFree(d); }
    cudaMipmappedArray_t pattern = chain(64, 64, 0, false, 7); seed = 10; std::vector<float4> g; for (int i = 0; i < 64; i++) { float s = 1 / 64.f; if (i < 16) g.push_back(make_float4((1 + i) * s, 0, 0, 1 * s)); else if (i < 32) g.push_back(make_float4(0, 1 * s, (i - 15) * s, 0)); else { float w = (unit() * 4 - 2) * s, z = (unit() * 4 - 2) * s, y = (unit() * 16 - 8) * s, x = (unit() * 16 - 8) * s; g.push_back(make_float4(x, y, z, w)); } }
    for (int n : most) { cudaTextureObject_t o = texture(pattern, n); float4 *c; float *d, h[64]; cudaMalloc((void **)&d, 256); cudaMalloc((void **)&c, 1024); cudaMemcpy(c, g.data(), 1024, cudaMemcpyHostToDevice); spots<<<1, 64>>>(o, c, 64, d); cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost); for (int i = 0; i < 64; i += 16) { printf("anisotropy_%d.spots_%d =", n, i / 16); for (int k = i; k < i + 16; k++) { uint32_t b; memcpy(&b, &h[k], 4); printf(" %08x", b); } printf("\n"); } }
    stored("unorm8", 8, cudaChannelFormatKindUnsignedNormalized8X1); stored("snorm8", 8, cudaChannelFormatKindSignedNormalized8X1); stored("unorm16", 16, cudaChannelFormatKindUnsignedNormalized16X1); stored("snorm16", 16, cudaChannelFormatKindSignedNormalized16X1); stored("half", 16, cudaChannelFormatKindFloat);
    printf("end = %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
