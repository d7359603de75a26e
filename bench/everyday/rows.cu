/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, reductions and strings: a thread, a warp or a block per row; indices or pointers; shared memory, shuffles or atomics. */
#include "bench.h"
#define T BLOCKS(ROWS, 128), 128
#define S BLOCKS(STRINGS, 128), 128
/* A fold over each row: init, one step with the element v at k, result */
#define FOLD(name, type, init, step, result) PLAIN(name); \
    __global__ void name##_thread(struct data x, int rows, int cols) { int r = I; if (r < rows) { type s = init; for (int k = 0; k < cols; k++) { float v = x.a[r * cols + k]; step; } result; } } \
    __global__ void name##_pointer(struct data x, int rows, int cols) { int r = I; if (r >= rows) return; const float *p = x.a + (size_t)r * cols; type s = init; for (int k = 0; k < cols; k++) { float v = *p++; step; } result; }
#define COMBINE(name, init, step, join, result) \
    __global__ void name##_warp(struct data x, int rows, int cols) { int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32; if (r >= rows) return; float s = init; \
        for (int k = lane; k < cols; k += 32) { float v = x.a[r * cols + k]; step; } for (int o = 16; o; o /= 2) { float t = __shfl_down_sync(~0u, s, o); join; } if (!lane) { result; } } \
    __global__ void name##_block(struct data x, int cols) { __shared__ float m[128]; int r = blockIdx.x, l = threadIdx.x; float s = init; for (int k = l; k < cols; k += blockDim.x) { float v = x.a[r * cols + k]; step; } \
        m[l] = s; __syncthreads(); for (int o = 64; o; o >>= 1) { if (l < o) { float t = m[l + o]; s = m[l]; join; m[l] = s; } __syncthreads(); } if (!l) { s = m[0]; result; } }
#define TWO(name, f, q, tol) SPELL(name, thread, f, q, tol, name##_thread<<<T>>>(x, ROWS, COLS)), SPELL(name, pointer, f, q, tol, name##_pointer<<<T>>>(x, ROWS, COLS))
#define FOUR(name, f, q, tol) TWO(name, f, q, tol), SPELL(name, warp, f, q, tol, name##_warp<<<ROWS / 4, 128>>>(x, ROWS, COLS)), SPELL(name, block, f, q, tol, name##_block<<<ROWS, 128>>>(x, COLS))
FOLD(row_sum, float, 0, s += v, x.out[r] = s)
COMBINE(row_sum, 0, s += v, s += t, x.out[r] = s)
FOLD(row_max, float, 0, s = fmaxf(s, v), x.out[r] = s)
COMBINE(row_max, 0, s = fmaxf(s, v), s = fmaxf(s, t), x.out[r] = s)
FOLD(row_norm, float, 0, s += v * v, x.out[r] = sqrtf(s))
COMBINE(row_norm, 0, s += v * v, s += t, x.out[r] = sqrtf(s))
FOLD(row_dot, float, 0, s += v * x.b[k], x.out[r] = s)
COMBINE(row_dot, 0, s += v * x.b[k], s += t, x.out[r] = s)
FOLD(recurrence, float, x.b[r], s = 0.9f * s + 0.1f * v, x.out[r] = s)
PLAIN(row_argmin);
__global__ void argmin_branch(struct data x, int rows, int cols) { int r = I; if (r >= rows) return; float m = x.a[r * cols]; int s = 0; for (int k = 1; k < cols; k++) { float v = x.a[r * cols + k]; if (v < m) { m = v; s = k; } } x.num[r] = s; }
__global__ void argmin_select(struct data x, int rows, int cols) { int r = I; if (r >= rows) return; float m = x.a[r * cols]; int s = 0; for (int k = 1; k < cols; k++) { float v = x.a[r * cols + k]; s = v < m ? k : s; m = v < m ? v : m; } x.num[r] = s; }
PLAIN(row_variance);
__global__ void variance_thread(struct data x, int rows, int cols) { int r = I; if (r >= rows) return; float s = 0, q = 0; for (int k = 0; k < cols; k++) s += x.a[r * cols + k]; s /= cols; for (int k = 0; k < cols; k++) { float v = x.a[r * cols + k] - s; q += v * v; } x.out[r] = q / cols; }
__global__ void variance_block(struct data x, int cols) { __shared__ float m[128]; int r = blockIdx.x, l = threadIdx.x; float s = 0; for (int k = l; k < cols; k += 128) s += x.a[r * cols + k]; m[l] = s; __syncthreads(); for (int o = 64; o; o >>= 1) { if (l < o) m[l] += m[l + o]; __syncthreads(); } float mean = m[0] / cols; __syncthreads(); s = 0; for (int k = l; k < cols; k += 128) { float v = x.a[r * cols + k] - mean; s += v * v; } m[l] = s; __syncthreads(); for (int o = 64; o; o >>= 1) { if (l < o) m[l] += m[l + o]; __syncthreads(); } if (!l) x.out[r] = m[0] / cols; }
PLAIN(softmax);
__global__ void softmax_thread(struct data x, int rows, int cols) { int r = I; if (r >= rows) return; const float *p = x.a + r * cols; float m = 0, s = 0; for (int k = 0; k < cols; k++) m = fmaxf(m, p[k]); for (int k = 0; k < cols; k++) s += expf(p[k] - m); for (int k = 0; k < cols; k++) x.out[r * cols + k] = expf(p[k] - m) / s; }
__global__ void softmax_block(struct data x, int cols) { __shared__ float t[128]; int r = blockIdx.x, l = threadIdx.x; const float *p = x.a + r * cols; float m = 0, s = 0; for (int k = l; k < cols; k += 128) m = fmaxf(m, p[k]); t[l] = m; __syncthreads(); for (int o = 64; o; o >>= 1) { if (l < o) t[l] = fmaxf(t[l], t[l + o]); __syncthreads(); } m = t[0]; __syncthreads(); for (int k = l; k < cols; k += 128) s += expf(p[k] - m); t[l] = s; __syncthreads(); for (int o = 64; o; o >>= 1) { if (l < o) t[l] += t[l + o]; __syncthreads(); } s = t[0]; for (int k = l; k < cols; k += 128) x.out[r * cols + k] = expf(p[k] - m) / s; }
PLAIN(prefix_rows);
__global__ void prefix_thread(struct data x, int rows, int cols) { int r = I; if (r >= rows) return; float s = 0; for (int k = 0; k < cols; k++) { s += x.a[r * cols + k]; x.out[r * cols + k] = s; } }
__global__ void prefix_block(struct data x) { __shared__ float t[2][COLS]; int r = blockIdx.x, l = threadIdx.x, p = 0; t[0][l] = x.a[r * COLS + l]; __syncthreads(); for (int o = 1; o < COLS; o *= 2) { t[1 - p][l] = l >= o ? t[p][l] + t[p][l - o] : t[p][l]; p = 1 - p; __syncthreads(); } x.out[r * COLS + l] = t[p][l]; }
PLAIN(column_sum);
__global__ void column_thread(struct data x, int rows, int cols) { int c = I; if (c >= cols) return; float s = 0; for (int k = 0; k < rows; k++) s += x.a[k * cols + c]; x.out[c] = s; }
__global__ void column_block(struct data x, int rows, int cols) { __shared__ float m[8][32]; int c = blockIdx.x * 32 + threadIdx.x; float s = 0; for (int k = threadIdx.y; k < rows; k += 8) s += x.a[k * cols + c]; m[threadIdx.y][threadIdx.x] = s; __syncthreads(); if (threadIdx.y == 0) { for (int k = 1; k < 8; k++) s += m[k][threadIdx.x]; x.out[c] = s; } }
/* A fold over the bytes of each string */
#define STRING(name, type, init, step, result) PLAIN(name); \
    __global__ void name##_index(struct data x, int n, int length) { int r = I; if (r < n) { type s = init; for (int k = 0; k < length; k++) { unsigned v = x.byte[r * length + k]; step; } result; } } \
    __global__ void name##_pointer(struct data x, int n, int length) { int r = I; if (r >= n) return; type s = init; int k = 0; for (const unsigned char *p = x.byte + (size_t)r * length, *e = p + length; p < e; p++, k++) { unsigned v = *p; step; } (void)k; result; } \
    __global__ void name##_fixed(struct data x) { int r = I; type s = init; for (int k = 0; k < LENGTH; k++) { unsigned v = x.byte[r * LENGTH + k]; step; } result; }
#define BYTES(name) SPELL(name, index, 0, STRINGS, 0, name##_index<<<S>>>(x, STRINGS, LENGTH)), SPELL(name, pointer, 0, STRINGS, 0, name##_pointer<<<S>>>(x, STRINGS, LENGTH)), SPELL(name, fixed, 0, STRINGS, 0, name##_fixed<<<S>>>(x))
STRING(string_hash, unsigned, 2166136261u, s = (s ^ v) * 16777619u, x.num[r] = (int)s)
STRING(count_letter, int, 0, s += v == 'e', x.num[r] = s)
STRING(checksum, uint2, make_uint2(1, 0), s.x += v; s.y += s.x, x.num[r] = (int)(s.y % 65521u << 16 | s.x % 65521u))
STRING(hamming, int, 0, s += v != x.byte[k], x.num[r] = s)
/* The whole array to one number */
#define WHOLE(name, e) PLAIN(name); \
    __global__ void name##_shuffle(struct data x, int n) { float s = 0; for (int i = I; i < n; i += gridDim.x * blockDim.x) s += e; for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o); if (threadIdx.x % 32 == 0) atomicAdd(x.out, s); } \
    __global__ void name##_shared(struct data x, int n) { __shared__ float m[256]; float s = 0; for (int i = I; i < n; i += gridDim.x * blockDim.x) s += e; m[threadIdx.x] = s; __syncthreads(); for (int o = 128; o; o >>= 1) { if (threadIdx.x < o) m[threadIdx.x] += m[threadIdx.x + o]; __syncthreads(); } if (!threadIdx.x) atomicAdd(x.out, m[0]); } \
    __global__ void name##_part(struct data x, int n) { __shared__ float m[256]; int i = I; m[threadIdx.x] = i < n ? e : 0; __syncthreads(); for (int o = 128; o; o >>= 1) { if (threadIdx.x < o) m[threadIdx.x] += m[threadIdx.x + o]; __syncthreads(); } if (!threadIdx.x) atomicAdd(x.out, m[0]); }
#define ALL(name) SPELL(name, shuffle, 1, 0, 1e-3f, cudaMemsetAsync(x.out, 0, 4); name##_shuffle<<<64, 256>>>(x, N)), SPELL(name, shared, 1, 0, 1e-3f, cudaMemsetAsync(x.out, 0, 4); name##_shared<<<64, 256>>>(x, N)), \
    SPELL(name, part, 1, 0, 1e-3f, cudaMemsetAsync(x.out, 0, 4); name##_part<<<N / 256, 256>>>(x, N))
WHOLE(total, x.a[i])
WHOLE(dot, x.a[i] * x.b[i])
static const struct spelling table[] = {
    FOUR(row_sum, ROWS, 0, 1e-4f), FOUR(row_max, ROWS, 0, 0), FOUR(row_norm, ROWS, 0, 1e-4f), FOUR(row_dot, ROWS, 0, 1e-4f), TWO(recurrence, ROWS, 0, 1e-4f),
    SPELL(row_argmin, branch, 0, ROWS, 0, argmin_branch<<<T>>>(x, ROWS, COLS)), SPELL(row_argmin, select, 0, ROWS, 0, argmin_select<<<T>>>(x, ROWS, COLS)),
    SPELL(row_variance, thread, ROWS, 0, 1e-4f, variance_thread<<<T>>>(x, ROWS, COLS)), SPELL(row_variance, block, ROWS, 0, 1e-4f, variance_block<<<ROWS, 128>>>(x, COLS)),
    SPELL(softmax, thread, N, 0, 1e-4f, softmax_thread<<<T>>>(x, ROWS, COLS)), SPELL(softmax, block, N, 0, 1e-4f, softmax_block<<<ROWS, 128>>>(x, COLS)),
    SPELL(prefix_rows, thread, N, 0, 1e-4f, prefix_thread<<<T>>>(x, ROWS, COLS)), SPELL(prefix_rows, block, N, 0, 1e-4f, prefix_block<<<ROWS, COLS>>>(x)),
    SPELL(column_sum, thread, COLS, 0, 1e-3f, column_thread<<<2, 128>>>(x, ROWS, COLS)), SPELL(column_sum, block, COLS, 0, 1e-3f, column_block<<<COLS / 32, dim3(32, 8)>>>(x, ROWS, COLS)),
    BYTES(string_hash), BYTES(count_letter), BYTES(checksum), BYTES(hamming), ALL(total), ALL(dot),
};
MAIN(table)
