// SPDX-License-Identifier: Apache-2.0
// Textures of block-compressed arrays: every mode, partition and pair of end points, as hashes and, for some blocks, as values; filters,
// borders, levels, layers, faces, gathers; arrays of integers seen as compressed blocks.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <vector>

struct format { const char *name; int kind; unsigned bytes; int x, y, z, w, view, words; bool srgb, half; };
static const format F[] = {
    {"bc1", 17, 8, 8, 8, 8, 8, 0x19, 2, false, false},  {"bc1s", 18, 8, 8, 8, 8, 8, 0x19, 2, true, false},
    {"bc2", 19, 16, 8, 8, 8, 8, 0x1a, 4, false, false}, {"bc3", 21, 16, 8, 8, 8, 8, 0x1b, 4, false, false}, {"bc3s", 22, 16, 8, 8, 8, 8, 0x1b, 4, true, false},
    {"bc4u", 23, 8, 8, 0, 0, 0, 0x1c, 2, false, false}, {"bc4s", 24, 8, 8, 0, 0, 0, 0x1d, 2, false, false},
    {"bc5u", 25, 16, 8, 8, 0, 0, 0x1e, 4, false, false}, {"bc5s", 26, 16, 8, 8, 0, 0, 0x1f, 4, false, false},
    {"bc6u", 27, 16, 16, 16, 16, 0, 0x20, 4, false, true}, {"bc6s", 28, 16, 16, 16, 16, 0, 0x21, 4, false, true},
    {"bc7", 29, 16, 8, 8, 8, 8, 0x22, 4, false, false}, {"bc7s", 30, 16, 8, 8, 8, 8, 0x22, 4, true, false}};
static uint32_t seed;
static uint32_t next() { seed = seed * 1664525u + 1013904223u; return seed >> 8; }
typedef std::vector<unsigned char> bytes;
static void noise(bytes &b, size_t from, size_t n) { for (size_t i = 0; i < n; i++) b[from + i] = (unsigned char)(next() >> 8); }
static void put(unsigned char *block, unsigned at, unsigned n, unsigned v) { for (unsigned i = 0; i < n; i++, at++) block[at / 8] = (unsigned char)((block[at / 8] & ~(1u << at % 8)) | (v >> i & 1) << at % 8); }
static const char *err(cudaError_t e) { cudaGetLastError(); return cudaGetErrorName(e); }

__global__ void texels(cudaTextureObject_t t, int w, int h, float4 *out) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y; if (x < w && y < h) out[y * w + x] = tex2D<float4>(t, x + 0.5f, y + 0.5f); }
enum { PLAIN, LAYERED, CUBE, VOLUME, LOD, GATHER };
__global__ void places(cudaTextureObject_t t, int how, const float4 *at, int n, float4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float4 p = at[i];
    if (how == PLAIN) out[i] = tex2D<float4>(t, p.x, p.y); else if (how == LAYERED) out[i] = tex2DLayered<float4>(t, p.x, p.y, (int)p.z); else if (how == CUBE) out[i] = texCubemap<float4>(t, p.x, p.y, p.z);
    else if (how == VOLUME) out[i] = tex3D<float4>(t, p.x, p.y, p.z); else if (how == LOD) out[i] = tex2DLod<float4>(t, p.x, p.y, p.z); else out[i] = i % 2 ? tex2Dgather<float4>(t, p.x, p.y, 1) : tex2Dgather<float4>(t, p.x, p.y, 0);
}
static cudaChannelFormatDesc desc(const format &f) { return cudaCreateChannelDesc(f.x, f.y, f.z, f.w, (cudaChannelFormatKind)f.kind); }
static cudaTextureDesc usual(const format &f, bool linear) { cudaTextureDesc t; memset(&t, 0, sizeof t); t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = cudaAddressModeClamp; t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint; t.readMode = f.half ? cudaReadModeElementType : cudaReadModeNormalizedFloat; t.sRGB = f.srgb; t.maxMipmapLevelClamp = 16; return t; }
static cudaTextureObject_t texture(cudaArray_t a, const cudaTextureDesc &t) { cudaResourceDesc r; memset(&r, 0, sizeof r); r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaTextureObject_t o = 0; cudaError_t e = cudaCreateTextureObject(&o, &r, &t, nullptr); if (e) printf("texture.failed = %s\n", err(e)); return o; }
static cudaArray_t array_of(const format &f, int columns, int rows, const bytes &b) { cudaChannelFormatDesc d = desc(f); cudaArray_t a = nullptr; cudaMallocArray(&a, &d, columns * 4, rows * 4, 0); cudaError_t e = cudaMemcpy2DToArray(a, 0, 0, b.data(), columns * f.bytes, columns * f.bytes, rows, cudaMemcpyHostToDevice); if (e) printf("%s.copy_failed = %s\n", f.name, err(e)); return a; }
static void value(const float4 &v, unsigned channels) { const uint32_t *u = (const uint32_t *)&v; for (unsigned c = 0; c < channels; c++) printf(c ? ",%x" : " %x", u[c]); }

// Reads every texel. values: how often a block is printed in full; per: how many blocks a key has.
static void read_all(const format &f, const char *what, int columns, int rows, const bytes &b, int per, int values) {
    cudaArray_t a = array_of(f, columns, rows, b); cudaTextureObject_t o = texture(a, usual(f, false)); int w = columns * 4, h = rows * 4; float4 *d; cudaMalloc((void **)&d, (size_t)w * h * 16); cudaMemset(d, 0, (size_t)w * h * 16);
    texels<<<dim3((w + 63) / 64, h), 64>>>(o, w, h, d); std::vector<float4> v((size_t)w * h); cudaError_t e = cudaMemcpy(v.data(), d, v.size() * 16, cudaMemcpyDeviceToHost); if (e) printf("%s.%s_failed = %s\n", f.name, what, err(e));
    unsigned channels = 1 + (f.y != 0) + (f.z != 0) + (f.w != 0), n = columns * rows, line = 0; uint32_t hash = 0;
    for (unsigned i = 0; i < n; i++) {
        if (i % per == 0) hash = 2166136261u;
        for (int k = 0; k < 16; k++) { const uint32_t *u = (const uint32_t *)&v[((i / columns) * 4 + k / 4) * (size_t)w + (i % columns) * 4 + k % 4]; for (int c = 0; c < 4; c++) hash = (hash ^ u[c]) * 16777619u; }
        if (i % per == (unsigned)per - 1) { if (line % 8 == 0) printf("%s%s.%s_%u =", line ? "\n" : "", f.name, what, i / per); printf(" %08x", hash); line++; }
    }
    printf("\n");
    for (unsigned i = 0; values && i < n; i += values) { printf("%s.%s_block_%u =", f.name, what, i); for (int k = 0; k < 16; k++) value(v[((i / columns) * 4 + k / 4) * (size_t)w + (i % columns) * 4 + k % 4], channels); printf("\n"); }
    cudaDestroyTextureObject(o); cudaFreeArray(a); cudaFree(d);
}
static void ask(const char *name, const char *what, cudaTextureObject_t o, int how, const std::vector<float4> &at, unsigned channels) {
    float4 *p, *d; size_t n = at.size(); cudaMalloc((void **)&p, n * 16); cudaMalloc((void **)&d, n * 16); cudaMemset(d, 0, n * 16); cudaMemcpy(p, at.data(), n * 16, cudaMemcpyHostToDevice);
    places<<<(unsigned)(n + 63) / 64, 64>>>(o, how, p, (int)n, d); std::vector<float4> v(n); cudaError_t e = cudaMemcpy(v.data(), d, n * 16, cudaMemcpyDeviceToHost); if (e) printf("%s.%s_failed = %s\n", name, what, err(e));
    for (size_t i = 0; i < n; i += 16) { printf("%s.%s_%zu =", name, what, i / 16); for (size_t k = i; k < i + 16 && k < n; k++) value(v[k], channels); printf("\n"); }
    cudaFree(p); cudaFree(d); cudaDestroyTextureObject(o);
}
static std::vector<float4> random_places(int n, float w, float h, float d, float low = 0) { std::vector<float4> v; for (int i = 0; i < n; i++) { float x = low + (next() & 65535) * (w - low) / 65536, y = low + (next() & 65535) * (h - low) / 65536, z = (next() & 65535) * d / 65536; v.push_back(make_float4(x, y, z, 0)); } return v; }

// Rows of blocks, or else of texels: whichever height of a slice is taken.
static void copy_slices(const char *name, const char *what, cudaMemcpy3DParms &p) { cudaError_t e = cudaSuccess; for (size_t h : {2, 8}) { p.srcPtr.ysize = h; e = cudaMemcpy3D(&p); printf("%s.%s_copy_%zu = %s\n", name, what, h, err(e)); if (!e) break; } p.srcPtr.ysize = 2; }

// Colours: green takes all pairs of 6 bits, red and blue all pairs of 5 bits; the indices are all four.
static void colours(const format &f) {
    bytes b((size_t)64 * 64 * f.bytes); seed = 11; noise(b, 0, b.size());
    for (unsigned i = 0; i < 64 * 64; i++) { unsigned char *p = &b[i * f.bytes + f.bytes - 8]; unsigned g0 = i / 64, g1 = i % 64, r0 = g0 % 32, r1 = g1 % 32, b0 = (g0 + 7) % 32, b1 = (g1 * 3) % 32; put(p, 0, 16, b0 | g0 << 5 | r0 << 11); put(p, 16, 16, b1 | g1 << 5 | r1 << 11); put(p, 32, 8, 0xe4); }
    for (unsigned i = 0; i < 64; i++) memcpy(&b[(i * 64 + i) * f.bytes + f.bytes - 6], &b[(i * 64 + i) * f.bytes + f.bytes - 8], 2);
    read_all(f, "colours", 64, 64, b, 64, 237);
}
// One channel: all pairs of end points, each with all eight indices.
static void pairs(const format &f) {
    bytes b((size_t)256 * 256 * f.bytes); seed = 12; noise(b, 0, b.size());
    for (unsigned i = 0; i < 256 * 256; i++) for (unsigned half = 0; half < f.bytes; half += 8) { unsigned char *p = &b[i * f.bytes + half]; p[0] = (unsigned char)(half ? i % 256 : i / 256); p[1] = (unsigned char)(half ? i / 256 : i % 256); for (unsigned k = 0; k < 8; k++) put(p, 16 + 3 * k, 3, k); }
    read_all(f, "pairs", 256, 256, b, 256, 4099);
}
static void modes_bc7(const format &f) {
    bytes b((size_t)64 * 40 * 16); seed = 13; noise(b, 0, b.size());
    static const int parts[8] = {4, 6, 6, 6, 0, 0, 0, 6};
    for (unsigned i = 0; i < 64 * 40; i++) { unsigned mode = i / 64 % 10; unsigned char *p = &b[i * 16]; if (mode >= 8) { p[0] = 0; continue; } put(p, 0, mode + 1, 1u << mode); if (parts[mode]) put(p, mode + 1, parts[mode], i % 64); else put(p, mode + 1, mode == 6 ? 0 : 3, i); }
    read_all(f, "modes", 64, 40, b, 4, f.srgb ? 0 : 29);
}
static void modes_bc6(const format &f) {
    static const unsigned char codes[18] = {0, 1, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31};   // two bits where the first two say enough
    bytes b((size_t)64 * 36 * 16); seed = 14; noise(b, 0, b.size());
    for (unsigned i = 0; i < 64 * 36; i++) { unsigned mode = i / 64 % 18; unsigned char *p = &b[i * 16]; put(p, 0, codes[mode] < 2 ? 2 : 5, codes[mode]); if (mode < 10) put(p, 77, 5, i % 32); if (i % 64 >= 60) memset(p + 1, i & 1 ? 255 : 0, 8); }
    read_all(f, "modes", 64, 36, b, 4, 29);
}
static void shapes(const format &f) {
    unsigned channels = 4; bytes b(1 << 15); seed = 15; noise(b, 0, b.size()); cudaChannelFormatDesc d = desc(f); char key[64];
    if (f.kind == 23 || f.kind == 24) channels = 2;
    if (f.half) for (size_t i = 0; i < b.size(); i += 16) put(&b[i], 0, 5, 3);   // one region, ten bits: nothing infinite
    // linear, odd sizes: 13 x 7 texels in 4 x 2 blocks
    cudaArray_t a = nullptr; cudaMallocArray(&a, &d, 13, 7, 0); printf("%s.odd_copy = %s\n", f.name, err(cudaMemcpy2DToArray(a, 0, 0, b.data(), 4 * f.bytes, 4 * f.bytes, 2, cudaMemcpyHostToDevice))); seed = 16; ask(f.name, "odd", texture(a, usual(f, false)), PLAIN, random_places(32, 16, 9, 0, -2), channels); ask(f.name, "odd_linear", texture(a, usual(f, true)), PLAIN, random_places(64, 16, 9, 0, -2), channels);
    for (int sign = 0; sign < 2; sign++) { cudaTextureDesc t = usual(f, true); t.addressMode[0] = t.addressMode[1] = cudaAddressModeBorder; float c[4] = {0.3f, 0.7f, 0.123f, 0.9f}; for (int i = 0; i < 4; i++) t.borderColor[i] = sign ? -c[i] * 3 : c[i]; snprintf(key, sizeof key, "border_%d", sign); ask(f.name, key, texture(a, t), PLAIN, random_places(32, 16, 9, 0, -2), channels); t.filterMode = cudaFilterModePoint; snprintf(key, sizeof key, "border_point_%d", sign); ask(f.name, key, texture(a, t), PLAIN, {make_float4(-2, 0, 0, 0), make_float4(1, 1, 0, 0)}, channels); }
    for (int mode = 0; mode < 3; mode += 2) { cudaTextureDesc t = usual(f, true); t.normalizedCoords = 1; t.addressMode[0] = t.addressMode[1] = mode ? cudaAddressModeMirror : cudaAddressModeWrap; snprintf(key, sizeof key, "mode_%d", mode); ask(f.name, key, texture(a, t), PLAIN, random_places(32, 2, 2, 0, -1), channels); }
    cudaFreeArray(a);
    // layers, faces, depth
    a = nullptr; cudaMalloc3DArray(&a, &d, make_cudaExtent(8, 8, 3), cudaArrayLayered); cudaMemcpy3DParms p; memset(&p, 0, sizeof p); p.srcPtr = make_cudaPitchedPtr(b.data(), 2 * f.bytes, 8, 2); p.dstArray = a; p.kind = cudaMemcpyHostToDevice; p.extent = make_cudaExtent(8, 8, 3); copy_slices(f.name, "layered", p); ask(f.name, "layered", texture(a, usual(f, true)), LAYERED, random_places(32, 8, 8, 3), channels); cudaFreeArray(a);
    a = nullptr; cudaMalloc3DArray(&a, &d, make_cudaExtent(8, 8, 6), cudaArrayCubemap); p.dstArray = a; p.extent = make_cudaExtent(8, 8, 6); copy_slices(f.name, "cube", p); for (int seamless = 0; seamless < 2; seamless++) { cudaTextureDesc t = usual(f, true); t.normalizedCoords = 1; t.seamlessCubemap = seamless; std::vector<float4> v; seed = 17; for (int i = 0; i < 64; i++) { float x = (next() & 255) / 128.f - 1, y = (next() & 255) / 128.f - 1, z = (next() & 255) / 128.f - 1; v.push_back(make_float4(x, y, z, 0)); } ask(f.name, seamless ? "cube_seamless" : "cube", texture(a, t), CUBE, v, channels); } cudaFreeArray(a);
    a = nullptr; cudaMalloc3DArray(&a, &d, make_cudaExtent(8, 8, 4), 0); p.dstArray = a; p.extent = make_cudaExtent(8, 8, 4); copy_slices(f.name, "volume", p); ask(f.name, "volume", texture(a, usual(f, true)), VOLUME, random_places(32, 8, 8, 4), channels); cudaFreeArray(a);
    a = nullptr; cudaMallocArray(&a, &d, 16, 16, cudaArrayTextureGather); cudaMemcpy2DToArray(a, 0, 0, b.data(), 4 * f.bytes, 4 * f.bytes, 4, cudaMemcpyHostToDevice); ask(f.name, "gather", texture(a, usual(f, false)), GATHER, random_places(32, 16, 16, 0), 4); cudaFreeArray(a);
    // levels: 16, 8, 4, 2, 1
    cudaMipmappedArray_t m = nullptr; cudaMallocMipmappedArray(&m, &d, make_cudaExtent(16, 16, 0), 5, 0); for (int l = 0; l < 5; l++) { cudaArray_t x; cudaGetMipmappedArrayLevel(&x, m, l); int n = l < 2 ? 4 >> l : 1; printf("%s.level_copy_%d = %s\n", f.name, l, err(cudaMemcpy2DToArray(x, 0, 0, b.data() + 1024 * l, n * f.bytes, n * f.bytes, n, cudaMemcpyHostToDevice))); }
    for (int linear = 0; linear < 2; linear++) { cudaTextureDesc t = usual(f, linear); t.normalizedCoords = 1; t.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint; cudaResourceDesc r; memset(&r, 0, sizeof r); r.resType = cudaResourceTypeMipmappedArray; r.res.mipmap.mipmap = m; cudaTextureObject_t o = 0; printf("%s.levels_texture_%d = %s\n", f.name, linear, err(cudaCreateTextureObject(&o, &r, &t, nullptr))); if (o) ask(f.name, linear ? "levels_linear" : "levels", o, LOD, random_places(48, 1, 1, 5), channels); }
    cudaFreeMipmappedArray(m);
    // integers seen as blocks
    cudaChannelFormatDesc ints = f.words == 2 ? cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindUnsigned) : cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindUnsigned); a = nullptr; cudaMallocArray(&a, &ints, 4, 4, 0); cudaMemcpy2DToArray(a, 0, 0, b.data(), 4 * f.bytes, 4 * f.bytes, 4, cudaMemcpyHostToDevice); cudaResourceDesc r; memset(&r, 0, sizeof r); r.resType = cudaResourceTypeArray; r.res.array.array = a;
    struct { const char *key; size_t w, h; int read; } views[] = {{"view_element", 16, 16, 0}, {"view_blocks", 4, 4, 1}, {"view_15", 15, 15, 1}, {"view_17", 17, 16, 1}, {"view", 16, 16, 1}};
    for (auto &x : views) { cudaResourceViewDesc w; memset(&w, 0, sizeof w); w.format = (cudaResourceViewFormat)f.view; w.width = x.w; w.height = x.h; cudaTextureDesc t = usual(f, true); t.readMode = x.read ? cudaReadModeNormalizedFloat : cudaReadModeElementType; cudaTextureObject_t o = 0; printf("%s.%s = %s\n", f.name, x.key, err(cudaCreateTextureObject(&o, &r, &t, &w))); if (o) { seed = 18; ask(f.name, x.key, o, PLAIN, random_places(16, (float)x.w, (float)x.h, 0), channels); } }
    cudaFreeArray(a);
    // a compressed array seen as another compressed format of its size, and as integers
    a = array_of(f, 4, 4, b); r.res.array.array = a; int others[] = {f.bytes == 8 ? 0x1c : 0x22, f.view, f.bytes == 8 ? 0x0e : 0x0f, f.bytes == 8 ? 0x22 : 0x19};
    for (int i = 0; i < 4; i++) { cudaResourceViewDesc w; memset(&w, 0, sizeof w); w.format = (cudaResourceViewFormat)others[i]; w.width = i == 2 ? 4 : 16; w.height = w.width; cudaTextureDesc t = usual(f, false); cudaTextureObject_t o = 0; snprintf(key, sizeof key, "as_other_%d", i); printf("%s.%s = %s\n", f.name, key, err(cudaCreateTextureObject(&o, &r, &t, &w))); if (o) { seed = 18; ask(f.name, key, o, PLAIN, random_places(8, (float)w.width, (float)w.height, 0), channels); } }
    cudaFreeArray(a);
}
int main() {
    alarm(50); setvbuf(stdout, nullptr, _IOLBF, 0); cudaFree(nullptr);
    for (const format &f : F) {
        if (f.kind <= 22) colours(f);
        else if (f.kind <= 26) pairs(f);
        else if (f.half) modes_bc6(f);
        else modes_bc7(f);
        if (f.kind == 21) { bytes b((size_t)64 * 64 * 16); seed = 19; noise(b, 0, b.size()); read_all(f, "random", 64, 64, b, 64, 509); }
        shapes(f);
    }
    printf("end = %s\n", err(cudaDeviceSynchronize()));
}
