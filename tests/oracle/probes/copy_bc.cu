// SPDX-License-Identifier: Apache-2.0
// Block-compressed arrays: which exist, what copies of them are, what textures of them answer (every texel of 12 blocks of each format).
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include <unistd.h>
static const char *name(CUresult r) { const char *n = "?"; cuGetErrorName(r, &n); return n; }
#define D(key, call) (printf("%s = %s\n", key, name(call)), fflush(stdout))
#define R(key, call) (printf("%s = %s\n", key, cudaGetErrorName(call)), fflush(stdout), cudaGetLastError())
static unsigned char src[1 << 16], dst[1 << 16];
static struct { const char *n; int fmt; unsigned ch; unsigned bytes; int kind; int x, y, z, w; } F[] = {
    {"bc1", 0x91, 4, 8, 17, 8, 8, 8, 8}, {"bc1s", 0x92, 4, 8, 18, 8, 8, 8, 8}, {"bc2", 0x93, 4, 16, 19, 8, 8, 8, 8}, {"bc2s", 0x94, 4, 16, 20, 8, 8, 8, 8}, {"bc3", 0x95, 4, 16, 21, 8, 8, 8, 8}, {"bc3s", 0x96, 4, 16, 22, 8, 8, 8, 8}, {"bc4u", 0x97, 1, 8, 23, 8, 0, 0, 0}, {"bc4s", 0x98, 1, 8, 24, 8, 0, 0, 0}, {"bc5u", 0x99, 2, 16, 25, 8, 8, 0, 0}, {"bc5s", 0x9a, 2, 16, 26, 8, 8, 0, 0}, {"bc6u", 0x9b, 3, 16, 27, 16, 16, 16, 0}, {"bc6s", 0x9c, 3, 16, 28, 16, 16, 16, 0}, {"bc7", 0x9d, 4, 16, 29, 8, 8, 8, 8}, {"bc7s", 0x9e, 4, 16, 30, 8, 8, 8, 8}};
__global__ void fetch(cudaTextureObject_t t, float4 *out) { int x = threadIdx.x, y = threadIdx.y; out[y * 48 + x] = tex2D<float4>(t, x + 0.5f, y + 0.5f); }
__global__ void between(cudaTextureObject_t t, float4 *out) { int x = threadIdx.x; out[x] = tex2D<float4>(t, 1.0f + x * 0.37f, 1.6f); }
int main() {
    alarm(50); cudaFree(0); unsigned seed = 1; for (auto &b : src) b = (unsigned char)((seed = seed * 1664525u + 1013904223u) >> 24); char k[96];
    for (auto &f : F) {
        CUarray a = nullptr; CUDA_ARRAY3D_DESCRIPTOR t;
        for (unsigned ch = 1; ch <= 4; ch++) { memset(&t, 0, sizeof t); t.Width = 16; t.Height = 16; t.Format = (CUarray_format)f.fmt; t.NumChannels = ch; snprintf(k, 96, "%s.channels_%u", f.n, ch); a = nullptr; D(k, cuArray3DCreate(&a, &t)); if (a) cuArrayDestroy(a); }
        cudaChannelFormatDesc d = cudaCreateChannelDesc(f.x, f.y, f.z, f.w, (cudaChannelFormatKind)f.kind); cudaArray_t r = nullptr;
        struct { const char *n; size_t w, h, d; unsigned fl; } sh[] = {{"1d", 16, 0, 0, 0}, {"odd", 13, 7, 0, 0}, {"small", 1, 1, 0, 0}, {"3d", 16, 16, 4, 0}, {"layered", 16, 16, 3, cudaArrayLayered}, {"cube", 16, 16, 6, cudaArrayCubemap}, {"surface", 16, 16, 0, cudaArraySurfaceLoadStore}, {"gather", 16, 16, 0, cudaArrayTextureGather}, {"sparse", 256, 256, 0, cudaArraySparse}};
        for (auto &s : sh) { r = nullptr; snprintf(k, 96, "%s.shape_%s", f.n, s.n); R(k, cudaMalloc3DArray(&r, &d, make_cudaExtent(s.w, s.h, s.d), s.fl)); if (r) { cudaChannelFormatDesc g; cudaExtent e; unsigned fl; cudaArrayGetInfo(&g, &e, &fl, r); printf("%s.info_%s = %d %d %d %d kind %d extent %zu %zu %zu flags %u\n", f.n, s.n, g.x, g.y, g.z, g.w, (int)g.f, e.width, e.height, e.depth, fl); cudaFreeArray(r); } }
        cudaMipmappedArray_t m = nullptr; snprintf(k, 96, "%s.mip", f.n); R(k, cudaMallocMipmappedArray(&m, &d, make_cudaExtent(16, 16, 0), 5, 0)); if (m) { for (int i = 0; i < 6; i++) { cudaArray_t l = nullptr; cudaChannelFormatDesc g; cudaExtent e; unsigned fl; if (cudaGetMipmappedArrayLevel(&l, m, i) == cudaSuccess && cudaArrayGetInfo(&g, &e, &fl, l) == cudaSuccess) printf("%s.mip_%d = %zu %zu\n", f.n, i, e.width, e.height); } cudaFreeMipmappedArray(m); } cudaGetLastError();
        r = nullptr; snprintf(k, 96, "%s.create", f.n); R(k, cudaMallocArray(&r, &d, 48, 4)); if (!r) continue;
        cudaArrayMemoryRequirements q; memset(&q, 0, sizeof q); cudaArrayGetMemoryRequirements(&q, r, 0); cudaGetLastError();
        struct { const char *n; size_t x, y, w, h; } c[] = {{"row", 0, 0, 12 * f.bytes, 1}, {"four_rows", 0, 0, 12 * f.bytes, 4}, {"two_rows", 0, 0, 12 * f.bytes, 2}, {"five_rows", 0, 0, 12 * f.bytes, 5}, {"wide", 0, 0, 12 * f.bytes + 1, 1}, {"wider", 0, 0, 13 * f.bytes, 1}, {"texels", 0, 0, 48 * f.bytes, 1}, {"texels_4", 0, 0, 48 * f.bytes, 4}, {"texels_wider", 0, 0, 49 * f.bytes, 1}, {"odd_width", 0, 0, f.bytes + 3, 1}, {"odd_offset", 3, 0, f.bytes, 1}, {"offset", f.bytes, 0, f.bytes, 1}, {"offset_row", 0, 1, f.bytes, 1}};
        for (auto &s : c) { snprintf(k, 96, "%s.copy_%s", f.n, s.n); R(k, cudaMemcpy2DToArray(r, s.x, s.y, src, 2048, s.w, s.h, cudaMemcpyHostToDevice)); memset(dst, 0, sizeof dst); cudaError_t e = cudaMemcpy2DFromArray(dst, 2048, r, s.x, s.y, s.w, s.h, cudaMemcpyDeviceToHost); cudaGetLastError(); unsigned same = 0; for (size_t y = 0; y < s.h; y++) same += memcmp(dst + y * 2048, src + y * 2048, s.w) == 0; printf("%s.back_%s = %s %u\n", f.n, s.n, cudaGetErrorName(e), same); }
        cudaMemcpy3DParms p; memset(&p, 0, sizeof p); p.srcPtr = make_cudaPitchedPtr(src, 2048, 48, 4); p.dstArray = r; p.kind = cudaMemcpyHostToDevice; size_t ex[][2] = {{48, 4}, {12, 1}, {48, 1}, {12, 4}, {49, 4}, {13, 1}, {46, 3}}; for (auto &e : ex) { p.extent = make_cudaExtent(e[0], e[1], 1); snprintf(k, 96, "%s.copy3d_%zu_%zu", f.n, e[0], e[1]); R(k, cudaMemcpy3D(&p)); }
        /* whichever of the two ways works */
        cudaMemcpy2DToArray(r, 0, 0, src, 2048, 12 * f.bytes, 1, cudaMemcpyHostToDevice); cudaGetLastError();
        for (int mode = 0; mode < 2; mode++) for (int filter = 0; filter < 2; filter++) for (int srgb = 0; srgb < 2; srgb++) {
            cudaResourceDesc rd; memset(&rd, 0, sizeof rd); rd.resType = cudaResourceTypeArray; rd.res.array.array = r; cudaTextureDesc td; memset(&td, 0, sizeof td); td.readMode = mode ? cudaReadModeNormalizedFloat : cudaReadModeElementType; td.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint; td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp; td.sRGB = srgb;
            cudaTextureObject_t o = 0; snprintf(k, 96, "%s.texture_%d%d%d", f.n, mode, filter, srgb); R(k, cudaCreateTextureObject(&o, &rd, &td, nullptr)); if (!o) continue; float4 *v; cudaMallocManaged(&v, 48 * 4 * sizeof *v); memset(v, 0, 48 * 4 * sizeof *v);
            if (!filter) fetch<<<1, dim3(48, 4)>>>(o, v); else between<<<1, 48>>>(o, v); snprintf(k, 96, "%s.run_%d%d%d", f.n, mode, filter, srgb); R(k, cudaDeviceSynchronize());
            for (int b = 0; b < 12; b++) { if (filter && b > 2) break; printf("%s.values_%d%d%d.%d =", f.n, mode, filter, srgb, b); for (int i = 0; i < 16; i++) { unsigned *u = (unsigned *)&v[filter ? b * 16 + i : (i / 4) * 48 + b * 4 + i % 4]; printf(" %x,%x,%x,%x", u[0], u[1], u[2], u[3]); } printf("\n"); }
            cudaDestroyTextureObject(o); cudaFree(v);
        }
        cudaFreeArray(r);
    }
}
