/* SPDX-License-Identifier: Apache-2.0 */
/* Indices, counting, searching, simulation: branch or select, records or arrays, privatised or not, while or for. */
#include "bench.h"
#define G(n) BLOCKS(n, 256), 256
#define EACH(name, n, f, q, tol, ...) PLAIN(name); \
    __global__ void name##_guard(struct data x, int m) { int i = I; if (i < m) { __VA_ARGS__; } } \
    __global__ void name##_stride(struct data x, size_t m) { for (size_t i = I; i < m; i += (size_t)gridDim.x * blockDim.x) { __VA_ARGS__; } }
#define TWO(name, n, f, q, tol) SPELL(name, guard, f, q, tol, name##_guard<<<G(n)>>>(x, n)), SPELL(name, stride, f, q, tol, name##_stride<<<128, 256>>>(x, n))
EACH(gather, N, N, 0, 0, x.out[i] = x.a[x.idx[i]])
EACH(scatter, N, N, 0, 0, x.out[x.idx[i]] = x.a[i])
EACH(table_lookup, N, 0, N, 0, x.num[i] = x.key[x.byte[i]])
EACH(binary_search, N / 4, 0, N / 4, 0, int want = x.key[i] % 65536; int lo = 0; int hi = 65536; while (lo < hi) { int t = (lo + hi) / 2; if (t * 2 + (t & 1) < want) lo = t + 1; else hi = t; } x.num[i] = lo)
EACH(collatz, N / 8, 0, N / 8, 0, unsigned v = (unsigned)i + 1; int k = 0; while (v != 1 && k < 200) { v = v & 1 ? 3 * v + 1 : v >> 1; k++; } x.num[i] = k)
EACH(random_walk, N / 16, 0, N / 16, 0, unsigned s = (unsigned)i * 747796405u + 1; int p = 0; for (int k = 0; k < 64; k++) { s = s * 1664525u + 1013904223u; p += s >> 31 ? 1 : -1; } x.num[i] = p)
EACH(sparse_rows, N / 16, N / 16, 0, 1e-4f, float s = 0; int first = 16 * (int)i; int last = first + 4 + (int)i % 12; for (int k = first; k < last; k++) s += x.a[k] * x.b[x.key[k]]; x.out[i] = s)
EACH(black_scholes, N, N, 0, 1e-4f, float s = 50 + 50 * x.a[i]; float k = 50 + 50 * x.b[i]; float t = 0.1f + x.c[i]; float v = 0.3f; float q = sqrtf(t); float d = (logf(s / k) + (0.02f + 0.5f * v * v) * t) / (v * q); float e = d - v * q; x.out[i] = s * 0.5f * erfcf(-d * 0.70710678f) - k * expf(-0.02f * t) * 0.5f * erfcf(-e * 0.70710678f))
PLAIN(histogram);
__global__ void histogram_global(struct data x, int n) { int i = I; if (i < n) atomicAdd(&x.num[x.byte[i]], 1); }
__global__ void histogram_shared(struct data x, int n) { __shared__ int h[BINS]; h[threadIdx.x] = 0; __syncthreads(); for (int i = I; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[x.byte[i]], 1); __syncthreads(); atomicAdd(&x.num[threadIdx.x], h[threadIdx.x]); }
PLAIN(mandelbrot);
__global__ void mandelbrot_for(struct data x) { int i = I % 256, y = I / 256; float cr = -2 + 3 * i / 256.0f, ci = -1.5f + 3 * y / 256.0f, p = 0, q = 0; int k = 0; for (; k < 64 && p * p + q * q < 4; k++) { float t = p * p - q * q + cr; q = 2 * p * q + ci; p = t; } x.num[y * 256 + i] = k; }
__global__ void mandelbrot_break(struct data x) { int i = I, y = blockIdx.y; float cr = -2 + 3 * i / 256.0f, ci = -1.5f + 3 * y / 256.0f, p = 0, q = 0; int n = 64; for (int k = 0; k < 64; k++) { if (p * p + q * q >= 4) { n = k; break; } float t = p * p - q * q + cr; q = 2 * p * q + ci; p = t; } x.num[y * 256 + i] = n; }
PLAIN(particles);
struct particle { float x, y, z, vx, vy, vz, m, life; };
__global__ void particles_record(const particle *a, particle *o, int n) { int i = I; if (i >= n) return; particle p = a[i]; p.vy -= 0.098f; p.x += p.vx * 0.01f; p.y += p.vy * 0.01f; p.z += p.vz * 0.01f; if (p.x > 1) p.x -= 1; if (p.y < 0) { p.y = -p.y; p.vy = -0.9f * p.vy; } p.life -= 0.01f; o[i] = p; }
__global__ void particles_fields(const particle *a, particle *o, int n) { int i = I; if (i >= n) return; float vy = a[i].vy - 0.098f, px = a[i].x + a[i].vx * 0.01f, py = a[i].y + vy * 0.01f; o[i].x = px > 1 ? px - 1 : px; o[i].y = py < 0 ? -py : py; o[i].z = a[i].z + a[i].vz * 0.01f; o[i].vx = a[i].vx; o[i].vy = py < 0 ? -0.9f * vy : vy; o[i].vz = a[i].vz; o[i].m = a[i].m; o[i].life = a[i].life - 0.01f; }
PLAIN(nbody);
__global__ void nbody_global(struct data x, int n) { int i = I; float p = x.a[i], q = x.b[i], r = x.c[i], s = 0; for (int k = 0; k < n; k++) { float u = x.a[k] - p, v = x.b[k] - q, w = x.c[k] - r; s += 1 / sqrtf(u * u + v * v + w * w + 0.01f); } x.out[i] = s; }
__global__ void nbody_tile(struct data x, int n) { __shared__ float3 t[128]; int i = I; float p = x.a[i], q = x.b[i], r = x.c[i], s = 0; for (int b = 0; b < n; b += 128) { int k = b + threadIdx.x; t[threadIdx.x] = make_float3(x.a[k], x.b[k], x.c[k]); __syncthreads(); for (int j = 0; j < 128; j++) { float u = t[j].x - p, v = t[j].y - q, w = t[j].z - r; s += rsqrtf(u * u + v * v + w * w + 0.01f); } __syncthreads(); } x.out[i] = s; }
static const struct spelling table[] = {
    TWO(gather, N, N, 0, 0), TWO(scatter, N, N, 0, 0), TWO(table_lookup, N, 0, N, 0), TWO(binary_search, N / 4, 0, N / 4, 0), TWO(collatz, N / 8, 0, N / 8, 0), TWO(random_walk, N / 16, 0, N / 16, 0),
    TWO(sparse_rows, N / 16, N / 16, 0, 1e-4f), TWO(black_scholes, N, N, 0, 1e-4f),
    SPELL(histogram, global, 0, BINS, 0, cudaMemsetAsync(x.num, 0, 4 * BINS); histogram_global<<<G(N)>>>(x, N)), SPELL(histogram, shared, 0, BINS, 0, cudaMemsetAsync(x.num, 0, 4 * BINS); histogram_shared<<<64, BINS>>>(x, N)),
    SPELL(mandelbrot, for, 0, 65536, 0, mandelbrot_for<<<256, 256>>>(x)), SPELL(mandelbrot, break, 0, 65536, 0, mandelbrot_break<<<dim3(2, 256), 128>>>(x)),
    SPELL(particles, record, N, 0, 1e-5f, particles_record<<<G(N / 8)>>>((particle *)x.a, (particle *)x.out, N / 8)), SPELL(particles, fields, N, 0, 1e-5f, particles_fields<<<G(N / 8)>>>((particle *)x.a, (particle *)x.out, N / 8)),
    SPELL(nbody, global, 1024, 0, 1e-4f, nbody_global<<<8, 128>>>(x, 1024)), SPELL(nbody, tile, 1024, 0, 1e-4f, nbody_tile<<<8, 128>>>(x, 1024)),
};
MAIN(table)
