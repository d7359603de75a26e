/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as whole programs have them: the plain loops. */
#include "common.h"
#define OMP _Pragma("omp parallel for")
static inline int at_least(int a, int b) { return a > b ? a : b; }
static inline int at_most(int a, int b) { return a < b ? a : b; }

PLAIN(pair_bins)
{
    static int bin[64];
    memset(bin, 0, sizeof bin);
    _Pragma("omp parallel for schedule(dynamic, 16) reduction(+:bin[:64])")
    for (int i = 0; i < 2048; i++)
        for (int k = i + 1; k < 2048; k++) { float u = x->a[i] - x->a[k], v = x->b[i] - x->b[k], w = x->c[i] - x->c[k]; bin[(int)(sqrtf(u * u + v * v + w * w) * 32)]++; }
    memcpy(x->num, bin, sizeof bin);
}
#define QUARTER(a, b, c, d) a += b; d ^= a; d = d << 16 | d >> 16; c += d; b ^= c; b = b << 12 | b >> 20; a += b; d ^= a; d = d << 8 | d >> 24; c += d; b ^= c; b = b << 7 | b >> 25
PLAIN(chacha)
{
    OMP for (int i = 0; i < N / 64; i++) {
        uint32_t s[16], t[16];
        for (int k = 0; k < 16; k++) s[k] = 0x61707865u * (k + 1);
        s[12] = i;
        memcpy(t, s, sizeof t);
        for (int r = 0; r < 10; r++) {
            QUARTER(t[0], t[4], t[8], t[12]); QUARTER(t[1], t[5], t[9], t[13]); QUARTER(t[2], t[6], t[10], t[14]); QUARTER(t[3], t[7], t[11], t[15]);
            QUARTER(t[0], t[5], t[10], t[15]); QUARTER(t[1], t[6], t[11], t[12]); QUARTER(t[2], t[7], t[8], t[13]); QUARTER(t[3], t[4], t[9], t[14]);
        }
        for (int k = 0; k < 16; k++) x->num[16 * i + k] = x->key[16 * i + k] ^ (int)(s[k] + t[k]);
    }
}
PLAIN(xtea)
{
    static const uint32_t k[4] = { 1, 22, 333, 4444 };
    OMP for (int i = 0; i < N / 8; i++) {
        uint32_t a = x->key[2 * i], b = x->key[2 * i + 1], sum = 0;
        for (int r = 0; r < 32; r++) { a += ((b << 4 ^ b >> 5) + b) ^ (sum + k[sum & 3]); sum += 0x9e3779b9u; b += ((a << 4 ^ a >> 5) + a) ^ (sum + k[sum >> 11 & 3]); }
        x->num[2 * i] = a; x->num[2 * i + 1] = b;
    }
}
PLAIN(rc4)
{
    OMP for (int i = 0; i < 4096; i++) {
        unsigned char s[256];
        for (int k = 0; k < 256; k++) s[k] = k;
        for (int k = 0, j = 0; k < 256; k++) { j = (j + s[k] + x->byte[16 * i + k % 16]) & 255; unsigned char t = s[k]; s[k] = s[j]; s[j] = t; }
        unsigned sum = 0;
        for (int k = 1, a = 0, b = 0; k <= 64; k++) { a = (a + 1) & 255; b = (b + s[a]) & 255; unsigned char t = s[a]; s[a] = s[b]; s[b] = t; sum = sum * 31 + s[(s[a] + s[b]) & 255]; }
        x->num[i] = sum;
    }
}
static int place(int row, unsigned cols, unsigned left, unsigned right)
{
    if (row == 9) return 1;
    int count = 0;
    for (unsigned free = ~(cols | left | right) & 511u; free; free &= free - 1) { unsigned bit = free & -free; count += place(row + 1, cols | bit, (left | bit) << 1, (right | bit) >> 1); }
    return count;
}
PLAIN(queens)
{
    _Pragma("omp parallel for schedule(dynamic)")
    for (int i = 0; i < 729; i++) {
        unsigned a = 1u << i % 9, b = 1u << i / 9 % 9, c = 1u << i / 81;
        int count = 0;
        if (!(b & (a | a << 1 | a >> 1))) { unsigned l = (a << 1 | b) << 1, r = (a >> 1 | b) >> 1; if (!(c & (a | b | l | r))) count = place(3, a | b | c, (l | c) << 1, (r | c) >> 1); }
        x->num[i] = count;
    }
}
PLAIN(series_rows) { OMP for (int i = 0; i < 1024; i++) { float m = x->a[i * 512]; for (int k = 1; k < 512; k++) { m = 0.9f * m + 0.1f * x->a[i * 512 + k]; x->out[i * 512 + k] = m; } } }
PLAIN(series_columns) { OMP for (int t = 0; t < 16; t++) { float m[64]; for (int i = 0; i < 64; i++) m[i] = x->a[64 * t + i]; for (int k = 1; k < 512; k++) for (int i = 0; i < 64; i++) { m[i] = 0.9f * m[i] + 0.1f * x->a[k * 1024 + 64 * t + i]; x->out[k * 1024 + 64 * t + i] = m[i]; } } }
PLAIN(crc_table)
{
    uint32_t t[256];
    for (uint32_t i = 0; i < 256; i++) { uint32_t v = i; for (int k = 0; k < 8; k++) v = v & 1 ? v >> 1 ^ 0xedb88320u : v >> 1; t[i] = v; }
    OMP for (int i = 0; i < STRINGS; i++) { uint32_t c = ~0u; for (int k = 0; k < LENGTH; k++) c = t[(c ^ x->byte[i * LENGTH + k]) & 255] ^ c >> 8; x->num[i] = ~c; }
}
PLAIN(fnv_words) { OMP for (int i = 0; i < N / 16; i++) { int from = 16 * i, to = from + 3 + (x->key[i] & 7); uint32_t h = 2166136261u; for (int k = from; k < to; k++) h = (h ^ x->byte[k]) * 16777619u; x->num[i] = h; } }
PLAIN(bit_reverse) { OMP for (int i = 0; i < N; i++) { uint32_t j = i; j = (j >> 1 & 0x55555555u) | (j & 0x55555555u) << 1; j = (j >> 2 & 0x33333333u) | (j & 0x33333333u) << 2; j = (j >> 4 & 0x0f0f0f0fu) | (j & 0x0f0f0f0fu) << 4; j = __builtin_bswap32(j) >> 12; if ((uint32_t)i < j) { x->out[i] = x->a[j]; x->out[j] = x->a[i]; } else if ((uint32_t)i == j) x->out[i] = x->a[i]; } }
PLAIN(shift_halves) { OMP for (int r = 0; r < H / 2; r++) for (int c = 0; c < W; c++) { int q = (r + H / 2) * W + (c < W / 2 ? c + W / 2 : c - W / 2); x->out[r * W + c] = x->a[q]; x->out[q] = x->a[r * W + c]; } }
PLAIN(row_compare) { OMP for (int r = 0; r < ROWS; r++) { int s = 0, q = (r + 1) % ROWS; for (int t = 0; t < COLS; t++) s += fabsf(x->a[r * COLS + t] - x->a[q * COLS + t]) > 0.25f; x->num[r] = s; } }
PLAIN(hyperbolic) { OMP for (int i = 0; i < N / 4; i++) x->out[i] = sinhf(x->a[i]) + coshf(x->b[i]) * atanhf(0.9f * x->c[i]) + asinhf(x->a[i]) - acoshf(1 + x->b[i]); }
PLAIN(tanh_double) { OMP for (int i = 0; i < N / 4; i++) x->out[i] = (float)tanh(x->d[i] - 1); }
PLAIN(lcs)
{
    OMP for (int i = 0; i < 4096; i++) {
        const unsigned char *p = x->byte + 64 * i, *q = p + 32;
        unsigned char row[33] = { 0 };
        for (int a = 0; a < 32; a++) { int diagonal = 0; for (int b = 1; b <= 32; b++) { int up = row[b], v = (p[a] & 3) == (q[b - 1] & 3) ? diagonal + 1 : at_least(up, row[b - 1]); row[b] = v; diagonal = up; } }
        x->num[i] = row[32];
    }
}
PLAIN(find_text) { OMP for (int i = 0; i < N - 8; i++) { int k = 0; while (k < 4 && (x->byte[i + k] & 15) == (k * 5 & 15)) k++; x->num[i] = k == 4; } }
PLAIN(nearest8)
{
    OMP for (int i = 0; i < 512; i++) {
        float best[8];
        for (int k = 0; k < 8; k++) best[k] = 1e30f;
        for (int j = 0; j < 4096; j++) { float u = x->a[i] - x->b[j], v = x->c[i] - x->c[j], d = u * u + v * v; if (d >= best[7]) continue; int k = 7; while (k > 0 && best[k - 1] > d) { best[k] = best[k - 1]; k--; } best[k] = d; }
        memcpy(x->out + 8 * i, best, sizeof best);
    }
}
PLAIN(block_scan) { OMP for (int b = 0; b < N / 512; b++) { float s = 0; for (int t = 0; t < 512; t++) x->out[b * 512 + t] = s += x->a[b * 512 + t]; } }
PLAIN(bitonic_step) { OMP for (int i = 0; i < N; i++) { int j = i ^ 64; if (j > i) { int a = x->key[i], b = x->key[j], up = (i & 1024) == 0; x->num[i] = (a > b) == up ? b : a; x->num[j] = (a > b) == up ? a : b; } } }
static int by_value(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }
PLAIN(sort_block) { OMP for (int b = 0; b < N / 8192; b++) { memcpy(x->num + b * 1024, x->key + b * 1024, 4096); qsort(x->num + b * 1024, 1024, 4, by_value); } }
PLAIN(conv_layer)
{
    _Pragma("omp parallel for collapse(3)")
    for (int b = 0; b < 8; b++) for (int f = 0; f < 16; f++) for (int r = 0; r < 32; r++) {
        float s[32] = { 0 };
        for (int k = 0; k < 16; k++) for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) {
            int yy = r + dy;
            if (yy < 0 || yy >= 32) continue;
            float w = x->b[((f * 16 + k) * 3 + dy + 1) * 3 + dx + 1];
            for (int c = at_least(0, -dx); c < at_most(32, 32 - dx); c++) s[c] += x->a[((b * 16 + k) * 32 + yy) * 32 + c + dx] * w;
        }
        for (int c = 0; c < 32; c++) x->out[((b * 16 + f) * 32 + r) * 32 + c] = s[c] > 0 ? s[c] : 0;
    }
}
PLAIN(max_pool) { OMP for (int r = 0; r < H / 2; r++) for (int c = 0; c < W / 2; c++) { const float *p = x->a + 2 * r * W + 2 * c; x->out[r * (W / 2) + c] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[W], p[W + 1])); } }
PLAIN(layer_norm) { OMP for (int r = 0; r < ROWS; r++) { float s = 0, q = 0; for (int k = 0; k < COLS; k++) { float v = x->a[r * COLS + k]; s += v; q += v * v; } float m = s / COLS, f = 1 / sqrtf(q / COLS - m * m + 1e-5f); for (int k = 0; k < COLS; k++) x->out[r * COLS + k] = (x->a[r * COLS + k] - m) * f * x->b[k] + x->c[k]; } }
PLAIN(adam) { OMP for (int i = 0; i < N; i++) { float g = x->a[i] - 0.5f, m = 0.9f * x->b[i] + 0.1f * g, v = 0.999f * x->c[i] + 0.001f * g * g; x->out[i] = x->a[i] - 0.001f * (m / 0.1f) / (sqrtf(v / 0.001f) + 1e-8f); } }
PLAIN(embedding) { OMP for (int r = 0; r < N / 64; r++) for (int t = 0; t < 64; t++) x->out[r * 64 + t] = x->a[(x->key[r] & 4095) * 64 + t] + x->b[r % 128 * 64 + t]; }
PLAIN(attention)
{
    _Pragma("omp parallel for schedule(dynamic, 8)")
    for (int i = 0; i < 512; i++) {
        float top = -1e30f, sum = 0, acc[16] = { 0 };
        for (int j = 0; j <= i; j++) {
            float s = 0;
            for (int k = 0; k < 16; k++) s += x->a[i * 16 + k] * x->b[j * 16 + k];
            float m = fmaxf(top, s), f = expf(top - m), e = expf(s - m);
            for (int k = 0; k < 16; k++) acc[k] = acc[k] * f + e * x->c[j * 16 + k];
            sum = sum * f + e; top = m;
        }
        for (int k = 0; k < 16; k++) x->out[i * 16 + k] = acc[k] / sum;
    }
}
PLAIN(inverse3)
{
    OMP for (int i = 0; i < 65536; i++) {
        const float *m = x->a + 9 * i;
        float a = m[0] + 2, b = m[1], c = m[2], d = m[3], e = m[4] + 2, f = m[5], g = m[6], h = m[7], k = m[8] + 2;
        float p = e * k - f * h, q = f * g - d * k, r = d * h - e * g, t = 1 / (a * p + b * q + c * r);
        float *o = x->out + 9 * i;
        o[0] = p * t; o[1] = (c * h - b * k) * t; o[2] = (b * f - c * e) * t; o[3] = q * t; o[4] = (a * k - c * g) * t; o[5] = (c * d - a * f) * t; o[6] = r * t; o[7] = (b * g - a * h) * t; o[8] = (a * e - b * d) * t;
    }
}
PLAIN(multiply4) { OMP for (int i = 0; i < N / 16; i++) { const float *a = x->a + 16 * i, *b = x->b + 16 * i; float *o = x->out + 16 * i; for (int r = 0; r < 4; r++) for (int c = 0; c < 4; c++) o[4 * r + c] = a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c] + a[4 * r + 3] * b[12 + c]; } }
PLAIN(dgemm) { OMP for (int r = 0; r < 256; r++) { double s[256] = { 0 }; for (int k = 0; k < 256; k++) for (int c = 0; c < 256; c++) s[c] += x->d[r * 256 + k] * x->d[k * 256 + c]; for (int c = 0; c < 256; c++) x->out[r * 256 + c] = (float)s[c]; } }
PLAIN(dot_bytes) { OMP for (int i = 0; i < 4096; i++) { int s = 0; for (int k = 0; k < 256; k++) s += (signed char)x->byte[i * 256 + k] * (signed char)x->byte[k]; x->num[i] = s; } }
PLAIN(pi) { OMP for (int i = 0; i < 16384; i++) { uint32_t s = i * 2654435761u + 1, hits = 0; for (int k = 0; k < 64; k++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; float u = (s >> 8) * 0x1p-24f; s ^= s << 13; s ^= s >> 17; s ^= s << 5; float v = (s >> 8) * 0x1p-24f; hits += u * u + v * v < 1; } x->num[i] = hits; } }
PLAIN(ising)
{
    OMP for (int r = 0; r < H; r++) for (int c = 0; c < W; c++) {
        int v = x->byte[r * W + c] & 1 ? 1 : -1;
        if (((r + c) & 1) != 1) { x->num[r * W + c] = v; continue; }
        int up = x->byte[(r + H - 1) % H * W + c] & 1, down = x->byte[(r + 1) % H * W + c] & 1, left = x->byte[r * W + (c + W - 1) % W] & 1, right = x->byte[r * W + (c + 1) % W] & 1;
        float p = 1 / (1 + expf(-2 * 0.44f * v * (2 * (up + down + left + right) - 4)));
        x->num[r * W + c] = x->a[r * W + c] > p ? -v : v;
    }
}
PLAIN(binomial) { OMP for (int b = 0; b < 512; b++) { float v[257], s = 80 + 40 * x->a[b]; for (int t = 0; t <= 256; t++) v[t] = fmaxf(s * powf(1.01f, 2.0f * t - 256) - 100, 0); for (int k = 256; k > 0; k--) for (int t = 0; t < k; t++) v[t] = 0.999f * (0.51f * v[t + 1] + 0.49f * v[t]); x->out[b] = v[0]; } }
PLAIN(gauss5)
{
    static const int g[5] = { 1, 4, 6, 4, 1 };
    unsigned char *out = (unsigned char *)x->num;
    OMP for (int r = 2; r < H - 2; r++) for (int c = 2; c < W - 2; c++) { int s = 0; for (int dy = -2; dy <= 2; dy++) for (int dx = -2; dx <= 2; dx++) s += g[dy + 2] * g[dx + 2] * x->byte[(r + dy) * W + c + dx]; out[r * W + c] = s >> 8; }
}
PLAIN(dilate) { unsigned char *out = (unsigned char *)x->num; OMP for (int r = 0; r < H; r++) for (int c = 0; c < W; c++) { int m = 0; for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) { int yy = at_most(at_least(r + dy, 0), H - 1), xx = at_most(at_least(c + dx, 0), W - 1); m = at_least(m, x->byte[yy * W + xx]); } out[r * W + c] = m; } }
PLAIN(rotate_bilinear)
{
    OMP for (int r = 0; r < H; r++) for (int c = 0; c < W; c++) {
        float u = 0.98f * (c - W / 2) - 0.2f * (r - H / 2) + W / 2, v = 0.2f * (c - W / 2) + 0.98f * (r - H / 2) + H / 2;
        int p = (int)floorf(u), q = (int)floorf(v);
        if (p < 0 || q < 0 || p >= W - 1 || q >= H - 1) { x->out[r * W + c] = 0; continue; }
        float f = u - p, g = v - q;
        const float *s = x->a + q * W + p;
        x->out[r * W + c] = (1 - g) * ((1 - f) * s[0] + f * s[1]) + g * ((1 - f) * s[W] + f * s[W + 1]);
    }
}
PLAIN(to_hsv)
{
    OMP for (int i = 0; i < 262144; i++) {
        const unsigned char *p = x->byte + 3 * i;
        float r = p[0] / 255.0f, g = p[1] / 255.0f, b = p[2] / 255.0f, top = fmaxf(r, fmaxf(g, b)), low = fminf(r, fminf(g, b)), d = top - low, h = 0;
        if (d > 0) { if (top == r) h = (g - b) / d; else if (top == g) h = 2 + (b - r) / d; else h = 4 + (r - g) / d; if (h < 0) h += 6; }
        x->out[3 * i] = h * 60; x->out[3 * i + 1] = top > 0 ? d / top : 0; x->out[3 * i + 2] = top;
    }
}
PLAIN(box_columns) { OMP for (int t = 0; t < 16; t++) { float s[64] = { 0 }; for (int r = 0; r < 9; r++) for (int c = 0; c < 64; c++) s[c] += x->a[r * W + 64 * t + c]; for (int r = 9; r < H; r++) for (int c = 0; c < 64; c++) { x->out[(r - 5) * W + 64 * t + c] = s[c] / 9; s[c] += x->a[r * W + 64 * t + c] - x->a[(r - 9) * W + 64 * t + c]; } } }
PLAIN(csr_warp) { OMP for (int r = 0; r < 16384; r++) { float s = 0; for (int k = 64 * r; k < 64 * r + 8 + x->byte[r] % 56; k++) s += x->a[k] * x->b[x->key[k]]; x->out[r] = s; } }
PLAIN(ell) { OMP for (int r = 0; r < 65536; r++) { float s = 0; for (int k = 0; k < 16; k++) { int c = x->key[k * 65536 + r]; if (c & 7) s += x->a[k * 65536 + r] * x->b[c]; } x->out[r] = s; } }
PLAIN(page_rank) { OMP for (int v = 0; v < 65536; v++) { float s = 0; int deg = 2 + x->byte[v] % 14; for (int k = 0; k < deg; k++) { int u = x->key[16 * v + k] & 65535; s += x->a[u] / (2 + x->byte[u] % 14); } x->out[v] = 0.15f / 65536 + 0.85f * s; } }
PLAIN(relax)
{
    memset(x->num, 0x7f, 4 * 65536);
    OMP for (int v = 0; v < 65536; v++) {
        int deg = x->byte[v] & 15, mine = x->key[v] & 1023;
        for (int k = 0; k < deg; k++) { int *p = &x->num[x->idx[16 * v + k] & 65535], old = __atomic_load_n(p, __ATOMIC_RELAXED); while (old > mine + k && !__atomic_compare_exchange_n(p, &old, mine + k, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} }
    }
}
PLAIN(coo_add) { static int h[16384]; memset(h, 0, sizeof h); _Pragma("omp parallel for reduction(+:h[:16384])") for (int i = 0; i < N; i++) h[x->key[i] & 16383] += (int)(x->a[i] * 16); memcpy(x->num, h, sizeof h); }
PLAIN(lattice)
{
    enum { M = 65536 };
    static const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }, cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    OMP for (int i = 0; i < M; i++) {
        float f[9], rho = 0;
        for (int k = 0; k < 9; k++) { f[k] = x->a[k * M + i] + 0.1f; rho += f[k]; }
        float u = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho, v = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / rho;
        for (int k = 0; k < 9; k++) { float w = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36, cu = 3 * (cx[k] * u + cy[k] * v); x->out[k * M + i] = f[k] + 0.6f * (w * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (u * u + v * v)) - f[k]); }
    }
}
PLAIN(wave3d) { enum { M = 96 }; OMP for (int z = 1; z < M - 1; z++) for (int r = 1; r < M - 1; r++) for (int c = 1; c < M - 1; c++) { int q = (z * M + r) * M + c; x->out[q] = 0.5f * x->a[q] + 0.08f * (x->a[q - M * M] + x->a[q + M * M] + x->a[q - 1] + x->a[q + 1] + x->a[q - M] + x->a[q + M]); } }
PLAIN(plate) { OMP for (int r = 0; r < H; r++) for (int c = 0; c < W; c++) { int i = r * W + c; float t = x->a[i], l = c > 0 ? x->a[i - 1] : t, e = c < W - 1 ? x->a[i + 1] : t, u = r > 0 ? x->a[i - W] : t, d = r < H - 1 ? x->a[i + W] : t; x->out[i] = t + 0.1f * (l + e + u + d - 4 * t) + 0.01f * x->b[i]; } }
PLAIN(advect) { OMP for (int r = 0; r < H; r++) for (int c = 0; c < W; c++) { int i = r * W + c; float u = fminf(fmaxf(c - 4 * (x->b[i] - 0.5f), 0), W - 1.001f), v = fminf(fmaxf(r - 4 * (x->c[i] - 0.5f), 0), H - 1.001f); int p = (int)u, q = (int)v; float f = u - p, g = v - q; const float *s = x->a + q * W + p; x->out[i] = (1 - g) * ((1 - f) * s[0] + f * s[1]) + g * ((1 - f) * s[W] + f * s[W + 1]); } }
PLAIN(keep_some) { int n = 0; memset(x->out, 0, 4 * N); OMP for (int i = 0; i < N; i++) if (x->a[i] > 0.75f) { int q; _Pragma("omp atomic capture") q = n++; x->out[q] = 1; } x->num[0] = n; }
