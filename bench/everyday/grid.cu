/* SPDX-License-Identifier: Apache-2.0 */
/* Images and matrices: blocks of 32x8, 16x16 and lines of 256; branch or select at borders; tiles in shared memory. */
#include "bench.h"
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define CELL(name, ...) PLAIN(name); \
    __global__ void name##_2d(struct data x, int w, int h) { int i = I, y = Y; if (i < w && y < h) { __VA_ARGS__; } } \
    __global__ void name##_flat(struct data x, int w, int h) { int k = I; if (k < w * h) { int i = k % w, y = k / w; __VA_ARGS__; } }
#define SHAPES(name, f, q, tol, w, h) SPELL(name, wide, f, q, tol, name##_2d<<<dim3(BLOCKS(w, 32), BLOCKS(h, 8)), dim3(32, 8)>>>(x, w, h)), \
    SPELL(name, square, f, q, tol, name##_2d<<<dim3(BLOCKS(w, 16), BLOCKS(h, 16)), dim3(16, 16)>>>(x, w, h)), SPELL(name, line, f, q, tol, name##_2d<<<dim3(BLOCKS(w, 256), h), 256>>>(x, w, h)), \
    SPELL(name, flat, f, q, tol, name##_flat<<<BLOCKS((w) * (h), 256), 256>>>(x, w, h))
#define A(y, x_) x.a[(y) * W + (x_)]
CELL(jacobi, if (i > 0 && y > 0 && i < w - 1 && y < h - 1) x.out[y * W + i] = 0.25f * (A(y, i - 1) + A(y, i + 1) + A(y - 1, i) + A(y + 1, i)))
CELL(border_stencil, int c = y * W + i; if (i == 0 || y == 0 || i == w - 1 || y == h - 1) x.out[c] = x.a[c]; else x.out[c] = 0.2f * (x.a[c] + x.a[c - 1] + x.a[c + 1] + x.a[c - W] + x.a[c + W]))
CELL(blur3, float s = 0; for (int v = -1; v <= 1; v++) for (int u = -1; u <= 1; u++) s += A(min(max(y + v, 0), h - 1), min(max(i + u, 0), w - 1)); x.out[y * W + i] = s / 9)
CELL(sobel, if (i < 1 || y < 1 || i >= w - 1 || y >= h - 1) return; float p = A(y - 1, i + 1) + 2 * A(y, i + 1) + A(y + 1, i + 1) - A(y - 1, i - 1) - 2 * A(y, i - 1) - A(y + 1, i - 1); float q = A(y + 1, i - 1) + 2 * A(y + 1, i) + A(y + 1, i + 1) - A(y - 1, i - 1) - 2 * A(y - 1, i) - A(y - 1, i + 1); x.out[y * W + i] = sqrtf(p * p + q * q))
CELL(transpose, x.out[y * W + i] = x.a[i * W + y])
CELL(flip, x.out[y * W + i] = x.a[y * W + w - 1 - i])
CELL(rotate, x.out[y * W + i] = x.a[(w - 1 - i) * W + y])
CELL(gray, uchar4 p = ((uchar4 *)x.byte)[y * w + i]; x.num[y * w + i] = (77 * p.x + 150 * p.y + 29 * p.z) >> 8)
CELL(threshold2d, x.num[y * W + i] = A(y, i) > x.b[y] ? 1 : 0)
CELL(add_row, x.out[y * W + i] = A(y, i) + x.b[i])
CELL(add_column, x.out[y * W + i] = A(y, i) * x.b[y])
CELL(half_size, x.out[y * w + i] = 0.25f * (A(2 * y, 2 * i) + A(2 * y, 2 * i + 1) + A(2 * y + 1, 2 * i) + A(2 * y + 1, 2 * i + 1)))
CELL(life, if (i < 1 || y < 1 || i >= w - 1 || y >= h - 1) return; int s = 0; for (int v = -1; v <= 1; v++) for (int u = -1; u <= 1; u++) if (u || v) s += x.byte[(y + v) * W + i + u] & 1; x.num[y * W + i] = s == 3 || (s == 2 && (x.byte[y * W + i] & 1)))
CELL(heat_periodic, int l = i ? i - 1 : w - 1; int r = i < w - 1 ? i + 1 : 0; int u = y ? y - 1 : h - 1; int d = y < h - 1 ? y + 1 : 0; x.out[y * W + i] = A(y, i) + 0.1f * (A(y, l) + A(y, r) + A(u, i) + A(d, i) - 4 * A(y, i)))
CELL(matmul, float s = 0; for (int k = 0; k < w; k++) s += x.a[y * w + k] * x.b[k * w + i]; x.out[y * w + i] = s)
__global__ void matmul_tile(struct data x, int n) { __shared__ float p[16][16], q[16][16]; int i = I, y = Y; float s = 0; for (int t = 0; t < n; t += 16) { p[threadIdx.y][threadIdx.x] = x.a[y * n + t + threadIdx.x]; q[threadIdx.y][threadIdx.x] = x.b[(t + threadIdx.y) * n + i]; __syncthreads(); for (int k = 0; k < 16; k++) s += p[threadIdx.y][k] * q[k][threadIdx.x]; __syncthreads(); } x.out[y * n + i] = s; }
__global__ void transpose_tile(struct data x) { __shared__ float t[32][33]; int i = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = x.a[(y + k) * W + i]; __syncthreads(); i = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y; for (int k = 0; k < 32; k += 8) x.out[(y + k) * W + i] = t[threadIdx.x][threadIdx.y + k]; }
static const struct spelling table[] = {
    SHAPES(jacobi, N, 0, 1e-5f, W, H), SHAPES(border_stencil, N, 0, 1e-5f, W, H), SHAPES(blur3, N, 0, 1e-5f, W, H), SHAPES(sobel, N, 0, 1e-4f, W, H), SHAPES(transpose, N, 0, 0, W, H),
    SPELL(transpose, tile, N, 0, 0, transpose_tile<<<dim3(W / 32, H / 32), dim3(32, 8)>>>(x)),
    SHAPES(flip, N, 0, 0, W, H), SHAPES(rotate, N, 0, 0, W, H), SHAPES(gray, 0, N / 4, 0, W / 4, H), SHAPES(threshold2d, 0, N, 0, W, H), SHAPES(add_row, N, 0, 1e-5f, W, H),
    SHAPES(add_column, N, 0, 1e-5f, W, H), SHAPES(half_size, N / 4, 0, 1e-5f, W / 2, H / 2), SHAPES(life, 0, N, 0, W, H), SHAPES(heat_periodic, N, 0, 1e-5f, W, H),
    SHAPES(matmul, 256 * 256, 0, 1e-4f, 256, 256), SPELL(matmul, tile, 256 * 256, 0, 1e-4f, matmul_tile<<<dim3(16, 16), dim3(16, 16)>>>(x, 256)),
};
MAIN(table)
