/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as whole programs have them: ciphers, searches, series, dynamic programming, layers of networks, particles, graphs. */
#include "bench.h"
#define G(n) BLOCKS(n, 256), 256

/* two-point correlation: all pairs, bins in shared memory */
PLAIN(pair_bins);
__global__ void pair_bins_shared(struct data x, int n)
{
    __shared__ int bin[64];
    if (threadIdx.x < 64) bin[threadIdx.x] = 0;
    __syncthreads();
    int i = I;
    for (int k = i + 1; k < n; k++) {
        float u = x.a[i] - x.a[k], v = x.b[i] - x.b[k], w = x.c[i] - x.c[k], d = sqrtf(u * u + v * v + w * w);
        atomicAdd(&bin[(int)(d * 32)], 1);
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&x.num[threadIdx.x], bin[threadIdx.x]);
}
__global__ void pair_bins_tile(struct data x, int n)
{
    __shared__ int bin[64];
    __shared__ float p[128], q[128], r[128];
    if (threadIdx.x < 64) bin[threadIdx.x] = 0;
    int i = I;
    float a = x.a[i], b = x.b[i], c = x.c[i];
    for (int t = 0; t < n; t += blockDim.x) {
        __syncthreads();
        p[threadIdx.x] = x.a[t + threadIdx.x]; q[threadIdx.x] = x.b[t + threadIdx.x]; r[threadIdx.x] = x.c[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++)
            if (t + k > i) {
                float u = a - p[k], v = b - q[k], w = c - r[k];
                atomicAdd(&bin[(int)(sqrtf(u * u + v * v + w * w) * 32)], 1);
            }
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&x.num[threadIdx.x], bin[threadIdx.x]);
}

/* ChaCha20: 64 bytes of key stream for each thread */
PLAIN(chacha);
#define QUARTER(a, b, c, d) a += b; d ^= a; d = d << 16 | d >> 16; c += d; b ^= c; b = b << 12 | b >> 20; a += b; d ^= a; d = d << 8 | d >> 24; c += d; b ^= c; b = b << 7 | b >> 25
__global__ void chacha_array(struct data x, int n)
{
    int i = I;
    if (i >= n) return;
    uint32_t s[16], t[16];
    for (int k = 0; k < 16; k++) s[k] = 0x61707865u * (k + 1);
    s[12] = i;
    for (int k = 0; k < 16; k++) t[k] = s[k];
    for (int r = 0; r < 10; r++) {
        QUARTER(t[0], t[4], t[8], t[12]); QUARTER(t[1], t[5], t[9], t[13]); QUARTER(t[2], t[6], t[10], t[14]); QUARTER(t[3], t[7], t[11], t[15]);
        QUARTER(t[0], t[5], t[10], t[15]); QUARTER(t[1], t[6], t[11], t[12]); QUARTER(t[2], t[7], t[8], t[13]); QUARTER(t[3], t[4], t[9], t[14]);
    }
    for (int k = 0; k < 16; k++) x.num[16 * i + k] = x.key[16 * i + k] ^ (int)(s[k] + t[k]);
}

/* XTEA on pairs of words, in place as ciphers do */
PLAIN(xtea);
__global__ void xtea_pair(struct data x, int n)
{
    for (int i = I; i < n; i += gridDim.x * blockDim.x) {
        uint32_t a = x.key[2 * i], b = x.key[2 * i + 1], sum = 0;
        const uint32_t k[4] = { 1, 22, 333, 4444 };
        for (int r = 0; r < 32; r++) { a += ((b << 4 ^ b >> 5) + b) ^ (sum + k[sum & 3]); sum += 0x9e3779b9u; b += ((a << 4 ^ a >> 5) + a) ^ (sum + k[sum >> 11 & 3]); }
        x.num[2 * i] = a; x.num[2 * i + 1] = b;
    }
}
__global__ void xtea_vector(struct data x, int n)
{
    int i = I;
    if (i >= n) return;
    uint2 v = ((const uint2 *)x.key)[i];
    uint32_t sum = 0;
    for (int r = 0; r < 32; r++) { v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + ((sum & 3) == 0 ? 1 : (sum & 3) == 1 ? 22 : (sum & 3) == 2 ? 333 : 4444)); sum += 0x9e3779b9u;
        uint32_t q = sum >> 11 & 3; v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + (q == 0 ? 1 : q == 1 ? 22 : q == 2 ? 333 : 4444)); }
    ((uint2 *)x.num)[i] = v;
}

/* RC4: a permutation of bytes for each thread */
PLAIN(rc4);
__global__ void rc4_local(struct data x, int n)
{
    int i = I;
    if (i >= n) return;
    unsigned char s[256];
    for (int k = 0; k < 256; k++) s[k] = k;
    for (int k = 0, j = 0; k < 256; k++) { j = (j + s[k] + x.byte[16 * i + k % 16]) & 255; unsigned char t = s[k]; s[k] = s[j]; s[j] = t; }
    unsigned sum = 0;
    for (int k = 1, a = 0, b = 0; k <= 64; k++) { a = (a + 1) & 255; b = (b + s[a]) & 255; unsigned char t = s[a]; s[a] = s[b]; s[b] = t; sum = sum * 31 + s[(s[a] + s[b]) & 255]; }
    x.num[i] = sum;
}

/* queens on a board of 9x9, the first two placed by the thread's number */
PLAIN(queens);
__device__ int queens_from(int row, unsigned cols, unsigned left, unsigned right)
{
    unsigned stack[10], l[10], r[10], c[10];
    int depth = row, count = 0;
    l[depth] = left; r[depth] = right; c[depth] = cols; stack[depth] = ~(cols | left | right) & 511u;
    while (depth >= row) {
        unsigned free = stack[depth];
        if (!free) { depth--; continue; }
        unsigned bit = free & -free;
        stack[depth] = free ^ bit;
        if (depth == 8) { count++; continue; }
        c[depth + 1] = c[depth] | bit; l[depth + 1] = (l[depth] | bit) << 1; r[depth + 1] = (r[depth] | bit) >> 1;
        depth++;
        stack[depth] = ~(c[depth] | l[depth] | r[depth]) & 511u;
    }
    return count;
}
__global__ void queens_stack(struct data x)
{
    int i = I, p = i % 9, q = i / 9 % 9, count = 0;
    if (i >= 9 * 81) return;
    int s = i / 81;
    unsigned a = 1u << p, b = 1u << q, c = 1u << s;
    if (!(b & (a | a << 1 | a >> 1))) {
        unsigned l = ((a << 1 | b) << 1), r = ((a >> 1 | b) >> 1);
        if (!(c & (a | b | l | r))) count = queens_from(3, a | b | c, (l | c) << 1, (r | c) >> 1);
    }
    x.num[i] = count;
}

/* an exponential mean along a series for each thread, which lies in a row or in a column */
PLAIN(series_rows);
__global__ void series_rows_row(struct data x, int n, int len) { int i = I; if (i < n) { float m = x.a[i * len]; for (int k = 1; k < len; k++) { m = 0.9f * m + 0.1f * x.a[i * len + k]; x.out[i * len + k] = m; } } }
PLAIN(series_columns);
__global__ void series_columns_column(struct data x, int n, int len) { int i = I; if (i < n) { float m = x.a[i]; for (int k = 1; k < len; k++) { m = 0.9f * m + 0.1f * x.a[k * n + i]; x.out[k * n + i] = m; } } }

/* CRC-32 by a table, a message for each thread */
PLAIN(crc_table);
__global__ void crc_table_shared(struct data x, int n)
{
    __shared__ uint32_t t[256];
    uint32_t v = threadIdx.x;
    for (int k = 0; k < 8; k++) v = v & 1 ? v >> 1 ^ 0xedb88320u : v >> 1;
    t[threadIdx.x] = v;
    __syncthreads();
    int i = I;
    if (i >= n) return;
    uint32_t c = ~0u;
    for (int k = 0; k < LENGTH; k++) c = t[(c ^ x.byte[i * LENGTH + k]) & 255] ^ c >> 8;
    x.num[i] = ~c;
}

/* FNV-1a of words of different length, given by their starts */
PLAIN(fnv_words);
__global__ void fnv_words_offsets(struct data x, int n)
{
    int i = I;
    if (i >= n) return;
    int from = 16 * i, to = from + 3 + (x.key[i] & 7);
    uint32_t h = 2166136261u;
    for (int k = from; k < to; k++) h = (h ^ x.byte[k]) * 16777619u;
    x.num[i] = h;
}

/* in place: bits of the index reversed, halves exchanged, a square transposed */
PLAIN(bit_reverse);
__global__ void bit_reverse_swap(struct data x, int bits) { unsigned i = I, j = __brev(i) >> (32 - bits); if (i < j) { x.out[i] = x.a[j]; x.out[j] = x.a[i]; } else if (i == j) x.out[i] = x.a[i]; }
PLAIN(shift_halves);
__global__ void shift_halves_flat(struct data x) { int i = I, c = i % W, r = i / W; if (r < H / 2) { int q = (r + H / 2) * W + (c + W / 2) % W; x.out[i] = x.a[q]; x.out[q] = x.a[i]; } }
__global__ void shift_halves_grid(struct data x) { int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y; if (r >= H / 2) return; int q = (r + H / 2) * W + (c < W / 2 ? c + W / 2 : c - W / 2); x.out[r * W + c] = x.a[q]; x.out[q] = x.a[r * W + c]; }

/* each row compared with the next one: how many differ by more than a limit */
PLAIN(row_compare);
__global__ void row_compare_reduce(struct data x)
{
    __shared__ int part[COLS];
    int t = threadIdx.x, r = blockIdx.x, q = (r + 1) % ROWS;
    part[t] = fabsf(x.a[r * COLS + t] - x.a[q * COLS + t]) > 0.25f;
    for (int h = COLS / 2; h > 0; h /= 2) { __syncthreads(); if (t < h) part[t] += part[t + h]; }
    if (t == 0) x.num[r] = part[0];
}
__global__ void row_compare_count(struct data x) { int t = threadIdx.x, r = blockIdx.x, q = (r + 1) % ROWS; int n = __syncthreads_count(fabsf(x.a[r * COLS + t] - x.a[q * COLS + t]) > 0.25f); if (t == 0) x.num[r] = n; }

PLAIN(hyperbolic);
__global__ void hyperbolic_all(struct data x, int n) { int i = I; if (i < n) x.out[i] = sinhf(x.a[i]) + coshf(x.b[i]) * atanhf(0.9f * x.c[i]) + asinhf(x.a[i]) - acoshf(1 + x.b[i]); }
PLAIN(tanh_double);
__global__ void tanh_double_one(struct data x, int n) { int i = I; if (i < n) x.out[i] = (float)tanh(x.d[i] - 1); }

/* longest common subsequence of two strings for each thread, a row of the table in local memory */
PLAIN(lcs);
__global__ void lcs_local(struct data x, int n)
{
    int i = I;
    if (i >= n) return;
    const unsigned char *p = x.byte + 64 * i, *q = p + 32;
    unsigned char row[33];
    for (int k = 0; k <= 32; k++) row[k] = 0;
    for (int a = 0; a < 32; a++) {
        int diagonal = 0;
        for (int b = 1; b <= 32; b++) { int up = row[b]; int v = (p[a] & 3) == (q[b - 1] & 3) ? diagonal + 1 : max(up, (int)row[b - 1]); row[b] = v; diagonal = up; }
    }
    x.num[i] = row[32];
}

/* where a pattern stands in a text */
PLAIN(find_text);
__global__ void find_text_naive(struct data x, int n) { int i = I; if (i >= n - 8) return; int k = 0; while (k < 4 && (x.byte[i + k] & 15) == (k * 5 & 15)) k++; x.num[i] = k == 4; }

/* the eight nearest of a set, kept sorted by insertion */
PLAIN(nearest8);
__global__ void nearest8_local(struct data x, int n, int m)
{
    int i = I;
    if (i >= n) return;
    float best[8];
    for (int k = 0; k < 8; k++) best[k] = 1e30f;
    for (int j = 0; j < m; j++) {
        float u = x.a[i] - x.b[j], v = x.c[i] - x.c[j], d = u * u + v * v;
        if (d >= best[7]) continue;
        int k = 7;
        while (k > 0 && best[k - 1] > d) { best[k] = best[k - 1]; k--; }
        best[k] = d;
    }
    for (int k = 0; k < 8; k++) x.out[8 * i + k] = best[k];
}

/* scans of a block's 512 elements: doubling, and a tree up and down */
PLAIN(block_scan);
__global__ void block_scan_doubling(struct data x)
{
    __shared__ float s[2][512];
    int t = threadIdx.x, from = 0;
    s[0][t] = x.a[blockIdx.x * 512 + t];
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) { s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t]; from = 1 - from; __syncthreads(); }
    x.out[blockIdx.x * 512 + t] = s[from][t];
}
__global__ void block_scan_tree(struct data x)
{
    __shared__ float s[512];
    int t = threadIdx.x, d = 1;
    float a = x.a[blockIdx.x * 512 + 2 * t], b = x.a[blockIdx.x * 512 + 2 * t + 1];
    s[2 * t] = a; s[2 * t + 1] = b;
    for (int h = 256; h > 0; h >>= 1) { __syncthreads(); if (t < h) s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1]; d *= 2; }
    if (t == 0) s[511] = 0;
    for (int h = 1; h < 512; h *= 2) { d >>= 1; __syncthreads(); if (t < h) { float v = s[d * (2 * t + 1) - 1]; s[d * (2 * t + 1) - 1] = s[d * (2 * t + 2) - 1]; s[d * (2 * t + 2) - 1] += v; } }
    __syncthreads();
    x.out[blockIdx.x * 512 + 2 * t] = s[2 * t] + a; x.out[blockIdx.x * 512 + 2 * t + 1] = s[2 * t + 1] + b;
}
__global__ void block_scan_shuffle(struct data x)
{
    __shared__ float part[16];
    int t = threadIdx.x, l = t & 31;
    float v = x.a[blockIdx.x * 512 + t];
    for (int d = 1; d < 32; d *= 2) { float u = __shfl_up_sync(~0u, v, d); if (l >= d) v += u; }
    if (l == 31) part[t / 32] = v;
    __syncthreads();
    if (t < 16) { float p = part[t]; for (int d = 1; d < 16; d *= 2) { float u = __shfl_up_sync(0xffffu, p, d); if (t >= d) p += u; } part[t] = p; }
    __syncthreads();
    x.out[blockIdx.x * 512 + t] = t >= 32 ? v + part[t / 32 - 1] : v;
}

/* one step of a bitonic sort in global memory; all steps of 1024 keys in shared memory */
PLAIN(bitonic_step);
__global__ void bitonic_step_xor(struct data x, unsigned d, unsigned size) { unsigned i = I, j = i ^ d; if (j > i) { int a = x.key[i], b = x.key[j]; bool up = (i & size) == 0; x.num[i] = (a > b) == up ? b : a; x.num[j] = (a > b) == up ? a : b; } }
PLAIN(sort_block);
__global__ void sort_block_bitonic(struct data x)
{
    __shared__ int s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    s[t] = x.key[base + t];
    for (int size = 2; size <= 1024; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) { __syncthreads(); int p = t ^ d; if (p > t) { int a = s[t], b = s[p]; if ((a > b) == ((t & size) == 0)) { s[t] = b; s[p] = a; } } }
    __syncthreads();
    x.num[base + t] = s[t];
}

/* layers of networks: batch of 8, 16 channels of 32x32, 16 filters of 3x3; pooling; normalisation; an optimizer's step */
PLAIN(conv_layer);
__global__ void conv_layer_naive(struct data x)
{
    int c = threadIdx.x, r = blockIdx.x * blockDim.y + threadIdx.y, f = blockIdx.y, b = blockIdx.z;
    float s = 0;
    for (int k = 0; k < 16; k++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int yy = r + dy, xx = c + dx;
                if (yy >= 0 && yy < 32 && xx >= 0 && xx < 32) s += x.a[((b * 16 + k) * 32 + yy) * 32 + xx] * x.b[((f * 16 + k) * 3 + dy + 1) * 3 + dx + 1];
            }
    x.out[((b * 16 + f) * 32 + r) * 32 + c] = s > 0 ? s : 0;
}
__global__ void conv_layer_flat(struct data x, int n)
{
    int i = I;
    if (i >= n) return;
    int c = i % 32, r = i / 32 % 32, f = i / 1024 % 16, b = i / 16384;
    float s = 0;
    for (int k = 0; k < 16; k++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int yy = r + dy, xx = c + dx;
                if (yy >= 0 && yy < 32 && xx >= 0 && xx < 32) s += x.a[((b * 16 + k) * 32 + yy) * 32 + xx] * x.b[((f * 16 + k) * 3 + dy + 1) * 3 + dx + 1];
            }
    x.out[i] = s > 0 ? s : 0;
}
PLAIN(max_pool);
__global__ void max_pool_flat(struct data x, int n) { int i = I; if (i >= n) return; int c = i % (W / 2), r = i / (W / 2); const float *p = x.a + 2 * r * W + 2 * c; x.out[i] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[W], p[W + 1])); }
PLAIN(layer_norm);
__global__ void layer_norm_warp(struct data x)
{
    int r = I / 32, l = threadIdx.x & 31;
    float s = 0, q = 0;
    for (int k = l; k < COLS; k += 32) { float v = x.a[r * COLS + k]; s += v; q += v * v; }
    for (int d = 16; d > 0; d /= 2) { s += __shfl_xor_sync(~0u, s, d); q += __shfl_xor_sync(~0u, q, d); }
    float m = s / COLS, f = rsqrtf(q / COLS - m * m + 1e-5f);
    for (int k = l; k < COLS; k += 32) x.out[r * COLS + k] = (x.a[r * COLS + k] - m) * f * x.b[k] + x.c[k];
}
__global__ void layer_norm_block(struct data x)
{
    __shared__ float s[COLS], q[COLS];
    int t = threadIdx.x, r = blockIdx.x;
    float v = x.a[r * COLS + t];
    s[t] = v; q[t] = v * v;
    for (int h = COLS / 2; h > 0; h /= 2) { __syncthreads(); if (t < h) { s[t] += s[t + h]; q[t] += q[t + h]; } }
    __syncthreads();
    float m = s[0] / COLS, f = rsqrtf(q[0] / COLS - m * m + 1e-5f);
    x.out[r * COLS + t] = (v - m) * f * x.b[t] + x.c[t];
}
PLAIN(adam);
__global__ void adam_step(struct data x, int n) { int i = I; if (i >= n) return; float g = x.a[i] - 0.5f, m = 0.9f * x.b[i] + 0.1f * g, v = 0.999f * x.c[i] + 0.001f * g * g; x.out[i] = x.a[i] - 0.001f * (m / 0.1f) / (sqrtf(v / 0.001f) + 1e-8f); }
PLAIN(embedding);
__global__ void embedding_rows(struct data x, int n) { int r = blockIdx.x, t = threadIdx.x; x.out[r * 64 + t] = x.a[(x.key[r] & 4095) * 64 + t] + x.b[r % 128 * 64 + t]; }
PLAIN(attention);
__global__ void attention_row(struct data x, int n, int d)
{
    int i = I;
    if (i >= n) return;
    float top = -1e30f, sum = 0, acc[16];
    for (int k = 0; k < 16; k++) acc[k] = 0;
    for (int j = 0; j <= i; j++) {
        float s = 0;
        for (int k = 0; k < 16; k++) s += x.a[i * 16 + k] * x.b[j * 16 + k];
        float m = fmaxf(top, s), f = expf(top - m), e = expf(s - m);
        for (int k = 0; k < 16; k++) acc[k] = acc[k] * f + e * x.c[j * 16 + k];
        sum = sum * f + e; top = m;
    }
    for (int k = 0; k < 16; k++) x.out[i * 16 + k] = acc[k] / sum;
}

/* matrices: small ones for each thread, doubles, bytes */
PLAIN(inverse3);
__global__ void inverse3_one(struct data x, int n)
{
    int i = I;
    if (i >= n) return;
    const float *m = x.a + 9 * i;
    float a = m[0] + 2, b = m[1], c = m[2], d = m[3], e = m[4] + 2, f = m[5], g = m[6], h = m[7], k = m[8] + 2;
    float p = e * k - f * h, q = f * g - d * k, r = d * h - e * g, t = 1 / (a * p + b * q + c * r);
    float *o = x.out + 9 * i;
    o[0] = p * t; o[1] = (c * h - b * k) * t; o[2] = (b * f - c * e) * t; o[3] = q * t; o[4] = (a * k - c * g) * t; o[5] = (c * d - a * f) * t; o[6] = r * t; o[7] = (b * g - a * h) * t; o[8] = (a * e - b * d) * t;
}
PLAIN(multiply4);
__global__ void multiply4_one(struct data x, int n)
{
    int i = I;
    if (i >= n) return;
    const float4 *a = (const float4 *)x.a + 4 * i, *b = (const float4 *)x.b + 4 * i;
    float4 *o = (float4 *)x.out + 4 * i, b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
    for (int r = 0; r < 4; r++) { float4 v = a[r]; o[r] = make_float4(v.x * b0.x + v.y * b1.x + v.z * b2.x + v.w * b3.x, v.x * b0.y + v.y * b1.y + v.z * b2.y + v.w * b3.y, v.x * b0.z + v.y * b1.z + v.z * b2.z + v.w * b3.z, v.x * b0.w + v.y * b1.w + v.z * b2.w + v.w * b3.w); }
}
PLAIN(dgemm);
__global__ void dgemm_tile(struct data x, int n)
{
    __shared__ double s[16][16], t[16][17];
    int c = threadIdx.x, r = threadIdx.y, col = blockIdx.x * 16 + c, row = blockIdx.y * 16 + r;
    double v = 0;
    for (int k = 0; k < n; k += 16) {
        s[r][c] = x.d[row * n + k + c]; t[r][c] = x.d[(k + r) * n + col];
        __syncthreads();
        for (int q = 0; q < 16; q++) v += s[r][q] * t[q][c];
        __syncthreads();
    }
    x.out[row * n + col] = (float)v;
}
PLAIN(dot_bytes);
__global__ void dot_bytes_dp4a(struct data x, int n, int len) { int i = I; if (i >= n) return; int s = 0; const int *p = (const int *)x.byte + i * (len / 4), *q = (const int *)x.byte; for (int k = 0; k < len / 4; k++) s = __dp4a(p[k], q[k], s); x.num[i] = s; }

/* random numbers: pi, the Ising model on a chessboard, an option by a tree */
PLAIN(pi);
__global__ void pi_xorshift(struct data x, int n, int rounds) { int i = I; if (i >= n) return; uint32_t s = i * 2654435761u + 1, hits = 0; for (int k = 0; k < rounds; k++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; float u = (s >> 8) * 0x1p-24f; s ^= s << 13; s ^= s >> 17; s ^= s << 5; float v = (s >> 8) * 0x1p-24f; hits += u * u + v * v < 1; } x.num[i] = hits; }
PLAIN(ising);
__global__ void ising_board(struct data x, int colour)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    int v = x.byte[r * W + c] & 1 ? 1 : -1;
    if (((r + c) & 1) != colour) { x.num[r * W + c] = v; return; }
    int up = x.byte[(r + H - 1) % H * W + c] & 1, down = x.byte[(r + 1) % H * W + c] & 1, left = x.byte[r * W + (c + W - 1) % W] & 1, right = x.byte[r * W + (c + 1) % W] & 1;
    int sum = 2 * (up + down + left + right) - 4;
    float p = 1 / (1 + expf(-2 * 0.44f * v * sum));
    x.num[r * W + c] = x.a[r * W + c] > p ? -v : v;
}
PLAIN(binomial);
__global__ void binomial_shared(struct data x, int steps)
{
    __shared__ float v[257];
    int t = threadIdx.x;
    float s = 80 + 40 * x.a[blockIdx.x], up = 1.01f;
    v[t] = fmaxf(s * powf(up, 2.0f * t - steps) - 100, 0);
    if (t == 0) v[steps] = fmaxf(s * powf(up, (float)steps) - 100, 0);
    for (int k = steps; k > 0; k--) { __syncthreads(); float q = 0; if (t < k) q = 0.999f * (0.51f * v[t + 1] + 0.49f * v[t]); __syncthreads(); if (t < k) v[t] = q; }
    if (t == 0) x.out[blockIdx.x] = v[0];
}

/* images of bytes */
PLAIN(gauss5);
__constant__ int gauss_row[5] = { 1, 4, 6, 4, 1 };
__global__ void gauss5_bytes(struct data x)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 2 || r < 2 || c >= W - 2 || r >= H - 2) return;
    int s = 0;
    for (int dy = -2; dy <= 2; dy++) for (int dx = -2; dx <= 2; dx++) s += gauss_row[dy + 2] * gauss_row[dx + 2] * x.byte[(r + dy) * W + c + dx];
    ((unsigned char *)x.num)[r * W + c] = s >> 8;
}
PLAIN(dilate);
__global__ void dilate_bytes(struct data x) { int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y; int m = 0; for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) { int yy = min(max(r + dy, 0), H - 1), xx = min(max(c + dx, 0), W - 1); m = max(m, (int)x.byte[yy * W + xx]); } ((unsigned char *)x.num)[r * W + c] = m; }
PLAIN(rotate_bilinear);
__global__ void rotate_bilinear_float(struct data x)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    float u = 0.98f * (c - W / 2) - 0.2f * (r - H / 2) + W / 2, v = 0.2f * (c - W / 2) + 0.98f * (r - H / 2) + H / 2;
    int p = (int)floorf(u), q = (int)floorf(v);
    if (p < 0 || q < 0 || p >= W - 1 || q >= H - 1) { x.out[r * W + c] = 0; return; }
    float f = u - p, g = v - q;
    const float *s = x.a + q * W + p;
    x.out[r * W + c] = (1 - g) * ((1 - f) * s[0] + f * s[1]) + g * ((1 - f) * s[W] + f * s[W + 1]);
}
PLAIN(to_hsv);
__global__ void to_hsv_uchar3(struct data x, int n)
{
    int i = I;
    if (i >= n) return;
    uchar3 p = ((const uchar3 *)x.byte)[i];
    float r = p.x / 255.0f, g = p.y / 255.0f, b = p.z / 255.0f, top = fmaxf(r, fmaxf(g, b)), low = fminf(r, fminf(g, b)), d = top - low, h = 0;
    if (d > 0) { if (top == r) h = (g - b) / d; else if (top == g) h = 2 + (b - r) / d; else h = 4 + (r - g) / d; if (h < 0) h += 6; }
    x.out[3 * i] = h * 60; x.out[3 * i + 1] = top > 0 ? d / top : 0; x.out[3 * i + 2] = top;
}
PLAIN(box_columns);
__global__ void box_columns_running(struct data x) { int c = I; if (c >= W) return; float s = 0; for (int r = 0; r < 9; r++) s += x.a[r * W + c]; for (int r = 9; r < H; r++) { x.out[(r - 5) * W + c] = s / 9; s += x.a[r * W + c] - x.a[(r - 9) * W + c]; } }

/* sparse matrices and graphs: rows of key (their length from byte) */
PLAIN(csr_warp);
__global__ void csr_warp_shuffle(struct data x, int rows) { int r = I / 32, l = threadIdx.x & 31; if (r >= rows) return; int from = 64 * r, to = from + 8 + x.byte[r] % 56; float s = 0; for (int k = from + l; k < to; k += 32) s += x.a[k] * x.b[x.key[k]]; for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d); if (l == 0) x.out[r] = s; }
PLAIN(ell);
__global__ void ell_columns(struct data x, int rows) { int r = I; if (r >= rows) return; float s = 0; for (int k = 0; k < 16; k++) { int c = x.key[k * rows + r]; if (c & 7) s += x.a[k * rows + r] * x.b[c]; } x.out[r] = s; }
PLAIN(page_rank);
__global__ void page_rank_pull(struct data x, int n) { int v = I; if (v >= n) return; float s = 0; int deg = 2 + x.byte[v] % 14; for (int k = 0; k < deg; k++) { int u = x.key[16 * v + k] & (n - 1); s += x.a[u] / (2 + x.byte[u] % 14); } x.out[v] = 0.15f / n + 0.85f * s; }
PLAIN(relax);
__global__ void relax_min(struct data x, int n) { int v = I; if (v >= n) return; int deg = x.byte[v] & 15, mine = x.key[v] & 1023; for (int k = 0; k < deg; k++) atomicMin(&x.num[x.idx[16 * v + k] & (n - 1)], mine + k); }
PLAIN(coo_add);
__global__ void coo_add_atomic(struct data x, int n) { int i = I; if (i < n) atomicAdd(&x.num[x.key[i] & 16383], (int)(x.a[i] * 16)); }

/* physics: lattice Boltzmann, waves in a box, plates with a tile, a fluid's advection */
PLAIN(lattice);
__global__ void lattice_collide(struct data x, int n)
{
    int i = I;
    if (i >= n) return;
    float f[9], rho = 0, u, v;
    for (int k = 0; k < 9; k++) { f[k] = x.a[k * n + i] + 0.1f; rho += f[k]; }
    u = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho; v = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / rho;
    const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }, cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    for (int k = 0; k < 9; k++) { float w = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36, cu = 3 * (cx[k] * u + cy[k] * v); x.out[k * n + i] = f[k] + 0.6f * (w * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (u * u + v * v)) - f[k]); }
}
PLAIN(wave3d);
__global__ void wave3d_planes(struct data x, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 1 || r < 1 || c >= n - 1 || r >= n - 1) return;
    float below = x.a[r * n + c], here = x.a[(n + r) * n + c];
    for (int z = 1; z < n - 1; z++) { int q = (z * n + r) * n + c; float above = x.a[q + n * n]; x.out[q] = 0.5f * here + 0.08f * (below + above + x.a[q - 1] + x.a[q + 1] + x.a[q - n] + x.a[q + n]); below = here; here = above; }
}
__global__ void wave3d_points(struct data x, int n) { int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z; if (c < 1 || r < 1 || z < 1 || c >= n - 1 || r >= n - 1 || z >= n - 1) return; int q = (z * n + r) * n + c; x.out[q] = 0.5f * x.a[q] + 0.08f * (x.a[q - n * n] + x.a[q + n * n] + x.a[q - 1] + x.a[q + 1] + x.a[q - n] + x.a[q + n]); }
PLAIN(plate);
__global__ void plate_tile(struct data x)
{
    __shared__ float t[18][18];
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y, i = threadIdx.x + 1, j = threadIdx.y + 1;
    t[j][i] = x.a[r * W + c];
    if (threadIdx.x == 0) t[j][0] = c > 0 ? x.a[r * W + c - 1] : t[j][i];
    if (threadIdx.x == 15) t[j][17] = c < W - 1 ? x.a[r * W + c + 1] : t[j][i];
    if (threadIdx.y == 0) t[0][i] = r > 0 ? x.a[(r - 1) * W + c] : t[j][i];
    if (threadIdx.y == 15) t[17][i] = r < H - 1 ? x.a[(r + 1) * W + c] : t[j][i];
    __syncthreads();
    x.out[r * W + c] = t[j][i] + 0.1f * (t[j][i - 1] + t[j][i + 1] + t[j - 1][i] + t[j + 1][i] - 4 * t[j][i]) + 0.01f * x.b[r * W + c];
}
PLAIN(advect);
__global__ void advect_back(struct data x) { int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, i = r * W + c; float u = fminf(fmaxf(c - 4 * (x.b[i] - 0.5f), 0), W - 1.001f), v = fminf(fmaxf(r - 4 * (x.c[i] - 0.5f), 0), H - 1.001f); int p = (int)u, q = (int)v; float f = u - p, g = v - q; const float *s = x.a + q * W + p; x.out[i] = (1 - g) * ((1 - f) * s[0] + f * s[1]) + g * ((1 - f) * s[W] + f * s[W + 1]); }

/* a warp keeps what passes a test, with one atomic for all of it */
PLAIN(keep_some);
__global__ void keep_some_ballot(struct data x, int n) { int i = I, l = threadIdx.x & 31; bool keep = i < n && x.a[i] > 0.75f; unsigned all = __ballot_sync(~0u, keep); int base = 0; if (l == 0 && all) base = atomicAdd(&x.num[0], __popc(all)); base = __shfl_sync(~0u, base, 0); if (keep) x.out[base + __popc(all & ((1u << l) - 1))] = 1; }

#define B328 dim3(W / 32, H / 8), dim3(32, 8)
#define B16 dim3(W / 16, H / 16), dim3(16, 16)
static const struct spelling table[] = {
    SPELL(pair_bins, shared, 0, 64, 0, cudaMemsetAsync(x.num, 0, 256); pair_bins_shared<<<16, 128>>>(x, 2048)), SPELL(pair_bins, tile, 0, 64, 0, cudaMemsetAsync(x.num, 0, 256); pair_bins_tile<<<16, 128>>>(x, 2048)),
    SPELL(chacha, array, 0, N / 4, 0, chacha_array<<<G(N / 64)>>>(x, N / 64)),
    SPELL(xtea, pair, 0, N / 4, 0, xtea_pair<<<64, 256>>>(x, N / 8)), SPELL(xtea, vector, 0, N / 4, 0, xtea_vector<<<G(N / 8)>>>(x, N / 8)),
    SPELL(rc4, local, 0, 4096, 0, rc4_local<<<G(4096)>>>(x, 4096)),
    SPELL(queens, stack, 0, 729, 0, queens_stack<<<BLOCKS(729, 128), 128>>>(x)),
    SPELL(series_rows, row, N / 2, 0, 1e-5f, series_rows_row<<<G(1024)>>>(x, 1024, 512)), SPELL(series_columns, column, N / 2, 0, 1e-5f, series_columns_column<<<G(1024)>>>(x, 1024, 512)),
    SPELL(crc_table, shared, 0, STRINGS, 0, crc_table_shared<<<G(STRINGS)>>>(x, STRINGS)),
    SPELL(fnv_words, offsets, 0, N / 16, 0, fnv_words_offsets<<<G(N / 16)>>>(x, N / 16)),
    SPELL(bit_reverse, swap, N, 0, 0, bit_reverse_swap<<<G(N)>>>(x, 20)),
    SPELL(shift_halves, flat, N, 0, 0, shift_halves_flat<<<G(N)>>>(x)), SPELL(shift_halves, grid, N, 0, 0, shift_halves_grid<<<B328>>>(x)),
    SPELL(row_compare, reduce, 0, ROWS, 0, row_compare_reduce<<<ROWS, COLS>>>(x)), SPELL(row_compare, count, 0, ROWS, 0, row_compare_count<<<ROWS, COLS>>>(x)),
    SPELL(hyperbolic, all, N / 4, 0, 1e-4f, hyperbolic_all<<<G(N / 4)>>>(x, N / 4)), SPELL(tanh_double, one, N / 4, 0, 1e-5f, tanh_double_one<<<G(N / 4)>>>(x, N / 4)),
    SPELL(lcs, local, 0, 4096, 0, lcs_local<<<G(4096)>>>(x, 4096)),
    SPELL(find_text, naive, 0, N - 8, 0, find_text_naive<<<G(N)>>>(x, N)),
    SPELL(nearest8, local, 4096, 0, 1e-5f, nearest8_local<<<4, 128>>>(x, 512, 4096)),
    SPELL(block_scan, doubling, N, 0, 1e-3f, block_scan_doubling<<<N / 512, 512>>>(x)), SPELL(block_scan, tree, N, 0, 1e-3f, block_scan_tree<<<N / 512, 256>>>(x)), SPELL(block_scan, shuffle, N, 0, 1e-3f, block_scan_shuffle<<<N / 512, 512>>>(x)),
    SPELL(bitonic_step, xor, 0, N, 0, bitonic_step_xor<<<G(N)>>>(x, 64, 1024)), SPELL(sort_block, bitonic, 0, N / 8, 0, sort_block_bitonic<<<N / 8192, 1024>>>(x)),
    SPELL(conv_layer, naive, 131072, 0, 1e-4f, conv_layer_naive<<<dim3(4, 16, 8), dim3(32, 8)>>>(x)), SPELL(conv_layer, flat, 131072, 0, 1e-4f, conv_layer_flat<<<G(131072)>>>(x, 131072)),
    SPELL(max_pool, flat, N / 4, 0, 0, max_pool_flat<<<G(N / 4)>>>(x, N / 4)),
    SPELL(layer_norm, warp, N, 0, 1e-3f, layer_norm_warp<<<ROWS / 8, 256>>>(x)), SPELL(layer_norm, block, N, 0, 1e-3f, layer_norm_block<<<ROWS, COLS>>>(x)),
    SPELL(adam, step, N, 0, 1e-5f, adam_step<<<G(N)>>>(x, N)), SPELL(embedding, rows, N, 0, 0, embedding_rows<<<N / 64, 64>>>(x, N)),
    SPELL(attention, row, 8192, 0, 1e-3f, attention_row<<<4, 128>>>(x, 512, 16)),
    SPELL(inverse3, one, 9 * 65536, 0, 1e-4f, inverse3_one<<<G(65536)>>>(x, 65536)), SPELL(multiply4, one, N, 0, 1e-5f, multiply4_one<<<G(N / 16)>>>(x, N / 16)),
    SPELL(dgemm, tile, 65536, 0, 1e-4f, dgemm_tile<<<dim3(16, 16), dim3(16, 16)>>>(x, 256)),
    SPELL(dot_bytes, dp4a, 0, 4096, 0, dot_bytes_dp4a<<<G(4096)>>>(x, 4096, 256)),
    SPELL(pi, xorshift, 0, 16384, 0, pi_xorshift<<<G(16384)>>>(x, 16384, 64)), SPELL(ising, board, 0, N, 0, ising_board<<<B328>>>(x, 1)),
    SPELL(binomial, shared, 512, 0, 1e-3f, binomial_shared<<<512, 256>>>(x, 256)),
    SPELL(gauss5, bytes, 0, N / 4, 0, gauss5_bytes<<<B328>>>(x)), SPELL(dilate, bytes, 0, N / 4, 0, dilate_bytes<<<B328>>>(x)),
    SPELL(rotate_bilinear, float, N, 0, 1e-3f, rotate_bilinear_float<<<B16>>>(x)), SPELL(to_hsv, uchar3, 3 * 262144, 0, 1e-4f, to_hsv_uchar3<<<G(262144)>>>(x, 262144)),
    SPELL(box_columns, running, N, 0, 1e-4f, box_columns_running<<<BLOCKS(W, 128), 128>>>(x)),
    SPELL(csr_warp, shuffle, 16384, 0, 1e-4f, csr_warp_shuffle<<<G(16384 * 32)>>>(x, 16384)), SPELL(ell, columns, 65536, 0, 1e-4f, ell_columns<<<G(65536)>>>(x, 65536)),
    SPELL(page_rank, pull, 65536, 0, 1e-4f, page_rank_pull<<<G(65536)>>>(x, 65536)), SPELL(relax, min, 0, 65536, 0, cudaMemsetAsync(x.num, 0x7f, 4 * 65536); relax_min<<<G(65536)>>>(x, 65536)),
    SPELL(coo_add, atomic, 0, 16384, 0, cudaMemsetAsync(x.num, 0, 65536); coo_add_atomic<<<G(N)>>>(x, N)),
    SPELL(lattice, collide, 9 * 65536, 0, 1e-4f, lattice_collide<<<G(65536)>>>(x, 65536)),
    SPELL(wave3d, planes, 884736, 0, 1e-5f, wave3d_planes<<<dim3(3, 12), dim3(32, 8)>>>(x, 96)), SPELL(wave3d, points, 884736, 0, 1e-5f, wave3d_points<<<dim3(3, 12, 96), dim3(32, 8)>>>(x, 96)),
    SPELL(plate, tile, N, 0, 1e-5f, plate_tile<<<B16>>>(x)), SPELL(advect, back, N, 0, 1e-3f, advect_back<<<B328>>>(x)),
    SPELL(keep_some, ballot, N, 1, 0, cudaMemsetAsync(x.num, 0, 4); cudaMemsetAsync(x.out, 0, 4 * N); keep_some_ballot<<<G(N)>>>(x, N)),
};
MAIN(table)
