// SPDX-License-Identifier: Apache-2.0
// Textures: the level of detail that follows from gradients, in 256ths; signed and unsigned bytes and words under a filter.
#include "probe.h"
#include <cmath>
#include <cstdint>
#include <vector>

struct grad { float dx[3], dy[3]; };
__global__ void levels(cudaTextureObject_t t, int dims, const grad *g, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; grad c = g[i];
    if (dims == 1) out[i] = tex1DGrad<float>(t, 0.4f, c.dx[0], c.dy[0]);
    else if (dims == 2) out[i] = tex2DGrad<float>(t, 0.4f, 0.4f, make_float2(c.dx[0], c.dx[1]), make_float2(c.dy[0], c.dy[1]));
    else out[i] = tex3DGrad<float>(t, 0.4f, 0.4f, 0.4f, make_float4(c.dx[0], c.dx[1], c.dx[2], 0), make_float4(c.dy[0], c.dy[1], c.dy[2], 0));
}
__global__ void fetches(cudaTextureObject_t t, const float2 *at, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = tex2D<float>(t, at[i].x, at[i].y); }

static uint32_t seed; static float unit() { seed = seed * 1664525u + 1013904223u; return (float)(seed >> 8) / 16777216.0f; }
// Every level holds its own number, so a fetch gives the level.
static cudaTextureObject_t numbered(int w, int h, int d) {
    cudaChannelFormatDesc f = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat); cudaMipmappedArray_t m; int n = 1; for (int s = w > h ? (w > d ? w : d) : (h > d ? h : d); s > 1; s /= 2) n++;
    cudaMallocMipmappedArray(&m, &f, make_cudaExtent(w, h, d), n, 0);
    for (int l = 0; l < n; l++) { cudaArray_t a; cudaGetMipmappedArrayLevel(&a, m, l); size_t x = w >> l ? w >> l : 1, y = h >> l ? h >> l : 1, z = d >> l ? d >> l : 1; std::vector<float> v(x * y * z, (float)l); cudaMemcpy3DParms p; memset(&p, 0, sizeof p); p.srcPtr = make_cudaPitchedPtr(v.data(), x * 4, x, y); p.dstArray = a; p.extent = make_cudaExtent(x, y, z); p.kind = cudaMemcpyHostToDevice; cudaMemcpy3D(&p); }
    cudaResourceDesc r; memset(&r, 0, sizeof r); r.resType = cudaResourceTypeMipmappedArray; r.res.mipmap.mipmap = m; cudaTextureDesc t; memset(&t, 0, sizeof t); t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = cudaAddressModeClamp; t.filterMode = t.mipmapFilterMode = cudaFilterModeLinear; t.normalizedCoords = 1; t.maxMipmapLevelClamp = 99; cudaTextureObject_t o = 0; cudaCreateTextureObject(&o, &r, &t, nullptr); return o;
}
static void ask(const char *key, cudaTextureObject_t t, int dims, const std::vector<grad> &g) {
    grad *d; float *o; size_t n = g.size(); std::vector<float> h(n); cudaMalloc((void **)&d, n * sizeof(grad)); cudaMalloc((void **)&o, n * 4); cudaMemcpy(d, g.data(), n * sizeof(grad), cudaMemcpyHostToDevice); levels<<<(unsigned)(n + 63) / 64, 64>>>(t, dims, d, o, (int)n); cudaMemcpy(h.data(), o, n * 4, cudaMemcpyDeviceToHost); cudaFree(d); cudaFree(o);
    for (size_t i = 0; i < n; i += 32) { printf("%s.%zu =", key, i / 32); for (size_t j = i; j < i + 32 && j < n; j++) printf(" %d", (int)(h[j] * 256)); printf("\n"); }
}
static grad of(float a, float b = 0, float c = 0, float d = 0) { return {{a, b, 0}, {c, d, 0}}; }
static void lod() {
    const float u = 1.0f / 256, pi = 3.14159265358979f; cudaTextureObject_t t = numbered(256, 256, 0), flat = numbered(256, 32, 0), line = numbered(256, 0, 0), box = numbered(64, 64, 64); std::vector<grad> g;
    for (int i = 0; i < 1024; i++) g.push_back(of((1 + i / 1024.0f) * 4 * u)); ask("octave", t, 2, g);
    g.clear(); for (int i = 0; i < 64; i++) g.push_back(of(0, 0, 0, (1 + i / 64.0f) * 4 * u)); ask("octave_y", t, 2, g);
    g.clear(); for (int i = 0; i < 256; i++) { float a = i * pi / 512; g.push_back(of(cosf(a) * 8 * u, sinf(a) * 8 * u)); } ask("one_turned", t, 2, g);
    g.clear(); for (int i = 0; i < 256; i++) g.push_back(of(8 * u, i * 8 * u / 256)); ask("one_slope", t, 2, g);
    g.clear(); for (int i = 0; i < 256; i++) g.push_back(of(8 * u, 0, 0, i * 8 * u / 256)); ask("cross", t, 2, g);
    g.clear(); for (int i = 0; i < 256; i++) g.push_back(of(8 * u, 0, i * 8 * u / 256, 0)); ask("parallel", t, 2, g);
    g.clear(); for (int i = 0; i < 256; i++) { float a = i * pi / 256; g.push_back(of(8 * u, 0, cosf(a) * 8 * u, sinf(a) * 8 * u)); } ask("skew", t, 2, g);
    g.clear(); for (int i = 0; i < 256; i++) { float a = i * pi / 256; g.push_back(of(8 * u, 0, cosf(a) * 4 * u, sinf(a) * 4 * u)); } ask("skew_half", t, 2, g);
    g.clear(); for (int i = 0; i < 256; i++) { float a = i * pi / 256; g.push_back(of(cosf(a) * 8 * u, sinf(a) * 8 * u, -sinf(a) * 8 * u, cosf(a) * 8 * u)); } ask("square_turned", t, 2, g);
    g.clear(); for (int i = 0; i < 256; i++) { float a = i * pi / 256; g.push_back(of(cosf(a) * 8 * u, sinf(a) * 8 * u, -sinf(a) * 4 * u, cosf(a) * 4 * u)); } ask("box_turned", t, 2, g);
    g.clear(); seed = 1; for (int i = 0; i < 1024; i++) { float a = unit() * 0.2f - 0.1f, b = unit() * 0.2f - 0.1f, c = unit() * 0.2f - 0.1f, d = unit() * 0.2f - 0.1f; g.push_back(of(a, b, c, d)); } ask("random", t, 2, g); ask("random_flat", flat, 2, g);
    g.clear(); for (int i = 0; i < 128; i++) g.push_back({{8 * u, 0.3f, 0.7f}, {i * 8 * u / 128, 0.9f, 0.1f}}); ask("line", line, 1, g);
    g.clear(); for (int i = 0; i < 128; i++) g.push_back({{8 / 64.f, i * 8 / 64.f / 128, 0}, {0, 0, 0}}); ask("box_slope_y", box, 3, g); for (auto &x : g) { x.dx[2] = x.dx[1]; x.dx[1] = 0; } ask("box_slope_z", box, 3, g); for (auto &x : g) { x.dx[1] = x.dx[2]; } ask("box_slope_yz", box, 3, g);
    g.clear(); for (int i = 0; i < 128; i++) g.push_back({{8 / 64.f, 0, 0}, {0, i * 8 / 64.f / 128, 0}}); ask("box_cross", box, 3, g); for (auto &x : g) { x.dy[2] = x.dy[1]; } ask("box_cross_yz", box, 3, g);
    g.clear(); for (int i = 0; i < 512; i++) { grad x; for (float &v : x.dx) v = unit() * 0.4f - 0.2f; for (float &v : x.dy) v = unit() * 0.4f - 0.2f; g.push_back(x); } ask("box_random", box, 3, g);
}
// Pairs of texels and weights: what a filter makes of them, bit for bit. The second row is there for four texels at a time.
template <class T> static void filtered(const char *key, cudaChannelFormatKind kind) {
    enum { W = 64 }; T v[2][W]; seed = 4; for (auto &row : v) for (T &x : row) x = (T)(unit() * 65536); v[0][0] = 127; v[0][1] = (T)-127; v[0][2] = (T)-128; v[0][3] = 1; v[0][4] = (T)-1; v[0][5] = 0;
    cudaChannelFormatDesc f = cudaCreateChannelDesc(8 * sizeof(T), 0, 0, 0, kind); cudaArray_t a; cudaMallocArray(&a, &f, W, 2, 0); cudaMemcpy2DToArray(a, 0, 0, v, sizeof v[0], sizeof v[0], 2, cudaMemcpyHostToDevice);
    cudaResourceDesc r; memset(&r, 0, sizeof r); r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaTextureDesc d; memset(&d, 0, sizeof d); d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp; d.filterMode = cudaFilterModeLinear; d.readMode = cudaReadModeNormalizedFloat; cudaTextureObject_t t = 0; cudaCreateTextureObject(&t, &r, &d, nullptr);
    std::vector<float2> at; for (int i = 0; i < W - 1; i++) for (int w = 0; w < 256; w += 1 + 2 * (i % 8)) at.push_back(make_float2(i + 0.5f + w / 256.0f, 0.5f)); size_t pairs = at.size(); for (int i = 0; i < 1024; i++) { float x = unit() * W, y = unit() * 2; at.push_back(make_float2(x, y)); }
    float2 *c; float *o; size_t n = at.size(); std::vector<float> h(n); cudaMalloc((void **)&c, n * 8); cudaMalloc((void **)&o, n * 4); cudaMemcpy(c, at.data(), n * 8, cudaMemcpyHostToDevice); fetches<<<(unsigned)(n + 63) / 64, 64>>>(t, c, o, (int)n); cudaMemcpy(h.data(), o, n * 4, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; i += 32) { printf("%s.%s%zu =", key, i < pairs ? "" : "four_", i / 32); for (size_t j = i; j < i + 32 && j < n; j++) { uint32_t b; memcpy(&b, &h[j], 4); printf(" %08x", b); } printf("\n"); }
}
int main() { limit_time(); cudaFree(nullptr); lod(); filtered<int8_t>("snorm8", cudaChannelFormatKindSigned); filtered<int16_t>("snorm16", cudaChannelFormatKindSigned); filtered<uint16_t>("unorm16", cudaChannelFormatKindUnsigned); R("end.sync", cudaDeviceSynchronize()); }
