/* SPDX-License-Identifier: Apache-2.0 */
/* Indices, counting, searching, simulation: the plain loops. */
#include "common.h"
#define EACH _Pragma("omp parallel for") for (int i = 0; i < N; i++)
PLAIN(gather) { EACH x->out[i] = x->a[x->idx[i]]; }
PLAIN(scatter) { EACH x->out[x->idx[i]] = x->a[i]; }
PLAIN(table_lookup) { EACH x->num[i] = x->key[x->byte[i]]; }
PLAIN(histogram) { static int h[BINS]; memset(h, 0, sizeof h); _Pragma("omp parallel for reduction(+:h[:BINS])") for (int i = 0; i < N; i++) h[x->byte[i]]++; memcpy(x->num, h, sizeof h); }
PLAIN(binary_search) { EACH if (i < N / 4) { int want = x->key[i] % 65536, lo = 0, hi = 65536; while (lo < hi) { int m = (lo + hi) / 2; if (m * 2 + (m & 1) < want) lo = m + 1; else hi = m; } x->num[i] = lo; } }
PLAIN(mandelbrot) { _Pragma("omp parallel for schedule(dynamic)") for (int y = 0; y < 256; y++) for (int i = 0; i < 256; i++) { float cr = -2 + 3 * i / 256.0f, ci = -1.5f + 3 * y / 256.0f, p = 0, q = 0; int k = 0; for (; k < 64 && p * p + q * q < 4; k++) { float t = p * p - q * q + cr; q = 2 * p * q + ci; p = t; } x->num[y * 256 + i] = k; } }
PLAIN(collatz) { EACH if (i < N / 8) { uint32_t v = (uint32_t)i + 1; int k = 0; while (v != 1 && k < 200) { v = v & 1 ? 3 * v + 1 : v >> 1; k++; } x->num[i] = k; } }
PLAIN(random_walk) { EACH if (i < N / 16) { uint32_t s = (uint32_t)i * 747796405u + 1; int p = 0; for (int k = 0; k < 64; k++) { s = s * 1664525u + 1013904223u; p += s >> 31 ? 1 : -1; } x->num[i] = p; } }
PLAIN(particles) { EACH if (i < N / 8) { float *p = x->out + 8 * i; const float *a = x->a + 8 * i; float vy = a[4] - 0.098f, px = a[0] + a[3] * 0.01f, py = a[1] + vy * 0.01f; p[0] = px > 1 ? px - 1 : px; p[1] = py < 0 ? -py : py; p[2] = a[2] + a[5] * 0.01f; p[3] = a[3]; p[4] = py < 0 ? -0.9f * vy : vy; p[5] = a[5]; p[6] = a[6]; p[7] = a[7] - 0.01f; } }
PLAIN(nbody) { _Pragma("omp parallel for") for (int i = 0; i < 1024; i++) { float s = 0; for (int k = 0; k < 1024; k++) { float u = x->a[k] - x->a[i], v = x->b[k] - x->b[i], w = x->c[k] - x->c[i]; s += 1 / sqrtf(u * u + v * v + w * w + 0.01f); } x->out[i] = s; } }
PLAIN(sparse_rows) { _Pragma("omp parallel for") for (int r = 0; r < N / 16; r++) { float s = 0; for (int k = 16 * r; k < 16 * r + 4 + r % 12; k++) s += x->a[k] * x->b[x->key[k]]; x->out[r] = s; } }
PLAIN(black_scholes) { EACH { float s = 50 + 50 * x->a[i], k = 50 + 50 * x->b[i], t = 0.1f + x->c[i], v = 0.3f, q = sqrtf(t), d = (logf(s / k) + (0.02f + 0.5f * v * v) * t) / (v * q), e = d - v * q; x->out[i] = s * 0.5f * erfcf(-d * 0.70710678f) - k * expf(-0.02f * t) * 0.5f * erfcf(-e * 0.70710678f); } }
