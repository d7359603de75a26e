/* SPDX-License-Identifier: Apache-2.0 */
/* Images and matrices: the plain loops. */
#include "common.h"
#define ROWS_OF(y0, y1) _Pragma("omp parallel for") for (int y = y0; y < y1; y++)
#define A(y, x_) x->a[(y) * W + (x_)]
static int at(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }
PLAIN(jacobi) { ROWS_OF(1, H - 1) for (int i = 1; i < W - 1; i++) x->out[y * W + i] = 0.25f * (A(y, i - 1) + A(y, i + 1) + A(y - 1, i) + A(y + 1, i)); }
PLAIN(border_stencil) { ROWS_OF(0, H) for (int i = 0; i < W; i++) { int k = y * W + i; if (i == 0 || y == 0 || i == W - 1 || y == H - 1) x->out[k] = x->a[k]; else x->out[k] = 0.2f * (x->a[k] + x->a[k - 1] + x->a[k + 1] + x->a[k - W] + x->a[k + W]); } }
PLAIN(blur3) { ROWS_OF(0, H) for (int i = 0; i < W; i++) { float s = 0; for (int v = -1; v <= 1; v++) for (int u = -1; u <= 1; u++) s += A(at(y + v, H), at(i + u, W)); x->out[y * W + i] = s / 9; } }
PLAIN(sobel) { ROWS_OF(1, H - 1) for (int i = 1; i < W - 1; i++) { float p = A(y - 1, i + 1) + 2 * A(y, i + 1) + A(y + 1, i + 1) - A(y - 1, i - 1) - 2 * A(y, i - 1) - A(y + 1, i - 1), q = A(y + 1, i - 1) + 2 * A(y + 1, i) + A(y + 1, i + 1) - A(y - 1, i - 1) - 2 * A(y - 1, i) - A(y - 1, i + 1); x->out[y * W + i] = sqrtf(p * p + q * q); } }
PLAIN(transpose) { ROWS_OF(0, H) for (int i = 0; i < W; i++) x->out[y * W + i] = x->a[i * W + y]; }
PLAIN(flip) { ROWS_OF(0, H) for (int i = 0; i < W; i++) x->out[y * W + i] = x->a[y * W + W - 1 - i]; }
PLAIN(rotate) { ROWS_OF(0, H) for (int i = 0; i < W; i++) x->out[y * W + i] = x->a[(W - 1 - i) * W + y]; }
PLAIN(gray) { ROWS_OF(0, H) for (int i = 0; i < W / 4; i++) { const unsigned char *p = x->byte + 4 * (y * W / 4 + i); x->num[y * W / 4 + i] = (77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8; } }
PLAIN(threshold2d) { ROWS_OF(0, H) for (int i = 0; i < W; i++) x->num[y * W + i] = A(y, i) > x->b[y] ? 1 : 0; }
PLAIN(add_row) { ROWS_OF(0, H) for (int i = 0; i < W; i++) x->out[y * W + i] = A(y, i) + x->b[i]; }
PLAIN(add_column) { ROWS_OF(0, H) for (int i = 0; i < W; i++) x->out[y * W + i] = A(y, i) * x->b[y]; }
PLAIN(half_size) { ROWS_OF(0, H / 2) for (int i = 0; i < W / 2; i++) x->out[y * W / 2 + i] = 0.25f * (A(2 * y, 2 * i) + A(2 * y, 2 * i + 1) + A(2 * y + 1, 2 * i) + A(2 * y + 1, 2 * i + 1)); }
PLAIN(life) { ROWS_OF(1, H - 1) for (int i = 1; i < W - 1; i++) { int s = 0; for (int v = -1; v <= 1; v++) for (int u = -1; u <= 1; u++) if (u || v) s += x->byte[(y + v) * W + i + u] & 1; x->num[y * W + i] = s == 3 || (s == 2 && (x->byte[y * W + i] & 1)); } }
PLAIN(heat_periodic) { ROWS_OF(0, H) for (int i = 0; i < W; i++) { int l = i ? i - 1 : W - 1, r = i < W - 1 ? i + 1 : 0, u = y ? y - 1 : H - 1, d = y < H - 1 ? y + 1 : 0; x->out[y * W + i] = A(y, i) + 0.1f * (A(y, l) + A(y, r) + A(u, i) + A(d, i) - 4 * A(y, i)); } }
PLAIN(matmul) { memset(x->out, 0, 256 * 256 * 4); _Pragma("omp parallel for") for (int y = 0; y < 256; y++) for (int k = 0; k < 256; k++) for (int i = 0; i < 256; i++) x->out[y * 256 + i] += x->a[y * 256 + k] * x->b[k * 256 + i]; }
