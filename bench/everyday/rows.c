/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, reductions and strings: the plain loops. */
#include "common.h"
#define EACH_ROW _Pragma("omp parallel for") for (int r = 0; r < ROWS; r++)
#define ROW (x->a + r * COLS)
#define EACH_STRING _Pragma("omp parallel for") for (int r = 0; r < STRINGS; r++)
PLAIN(row_sum) { EACH_ROW { float s = 0; for (int k = 0; k < COLS; k++) s += ROW[k]; x->out[r] = s; } }
PLAIN(row_max) { EACH_ROW { float s = 0; for (int k = 0; k < COLS; k++) s = ROW[k] > s ? ROW[k] : s; x->out[r] = s; } }
PLAIN(row_argmin) { EACH_ROW { int s = 0; for (int k = 1; k < COLS; k++) s = ROW[k] < ROW[s] ? k : s; x->num[r] = s; } }
PLAIN(row_norm) { EACH_ROW { float s = 0; for (int k = 0; k < COLS; k++) s += ROW[k] * ROW[k]; x->out[r] = sqrtf(s); } }
PLAIN(row_dot) { EACH_ROW { float s = 0; for (int k = 0; k < COLS; k++) s += ROW[k] * x->b[k]; x->out[r] = s; } }
PLAIN(row_variance) { EACH_ROW { float s = 0, q = 0; for (int k = 0; k < COLS; k++) s += ROW[k]; s /= COLS; for (int k = 0; k < COLS; k++) q += (ROW[k] - s) * (ROW[k] - s); x->out[r] = q / COLS; } }
PLAIN(softmax) { EACH_ROW { float m = 0, s = 0; for (int k = 0; k < COLS; k++) m = ROW[k] > m ? ROW[k] : m; for (int k = 0; k < COLS; k++) s += expf(ROW[k] - m); for (int k = 0; k < COLS; k++) x->out[r * COLS + k] = expf(ROW[k] - m) / s; } }
PLAIN(prefix_rows) { EACH_ROW { float s = 0; for (int k = 0; k < COLS; k++) { s += ROW[k]; x->out[r * COLS + k] = s; } } }
PLAIN(recurrence) { EACH_ROW { float s = x->b[r]; for (int k = 0; k < COLS; k++) s = 0.9f * s + 0.1f * ROW[k]; x->out[r] = s; } }
PLAIN(column_sum) { memset(x->out, 0, COLS * 4); for (int r = 0; r < ROWS; r++) for (int k = 0; k < COLS; k++) x->out[k] += ROW[k]; }
PLAIN(string_hash) { EACH_STRING { uint32_t h = 2166136261u; for (int k = 0; k < LENGTH; k++) h = (h ^ x->byte[r * LENGTH + k]) * 16777619u; x->num[r] = (int)h; } }
PLAIN(count_letter) { EACH_STRING { int n = 0; for (int k = 0; k < LENGTH; k++) n += x->byte[r * LENGTH + k] == 'e'; x->num[r] = n; } }
PLAIN(checksum) { EACH_STRING { uint32_t a = 1, b = 0; for (int k = 0; k < LENGTH; k++) { a += x->byte[r * LENGTH + k]; b += a; } x->num[r] = (int)(b % 65521u << 16 | a % 65521u); } }
PLAIN(hamming) { EACH_STRING { int n = 0; for (int k = 0; k < LENGTH; k++) n += x->byte[r * LENGTH + k] != x->byte[k]; x->num[r] = n; } }
PLAIN(total) { float s = 0; _Pragma("omp parallel for simd reduction(+:s)") for (int i = 0; i < N; i++) s += x->a[i]; x->out[0] = s; }
PLAIN(dot) { float s = 0; _Pragma("omp parallel for simd reduction(+:s)") for (int i = 0; i < N; i++) s += x->a[i] * x->b[i]; x->out[0] = s; }
