/* SPDX-License-Identifier: Apache-2.0 */
/* Element by element: the plain loops. */
#include "common.h"
#define EACH _Pragma("omp parallel for simd") for (int i = 0; i < N; i++)
PLAIN(saxpy) { EACH x->out[i] = 2.5f * x->a[i] + x->b[i]; }
PLAIN(triad) { EACH x->out[i] = x->a[i] + x->b[i] * x->c[i]; }
PLAIN(relu) { EACH x->out[i] = x->a[i] > 0.5f ? x->a[i] : 0; }
PLAIN(clamp) { EACH { float v = x->a[i] * 3 - 1; x->out[i] = v < 0 ? 0 : v > 1 ? 1 : v; } }
PLAIN(sigmoid) { EACH x->out[i] = 1 / (1 + expf(-x->a[i])); }
PLAIN(gelu) { EACH { float v = x->a[i]; x->out[i] = 0.5f * v * (1 + tanhf(0.7978846f * (v + 0.044715f * v * v * v))); } }
PLAIN(polynomial) { EACH { float v = x->a[i], s = 0; for (int k = 0; k < 16; k++) s = s * v + 0.25f * (float)k; x->out[i] = s; } }
PLAIN(reverse) { EACH x->out[i] = x->a[N - 1 - i]; }
PLAIN(shift) { EACH x->out[i] = x->a[i < N - 3 ? i + 3 : N - 1]; }
PLAIN(complex_mul) { EACH if (i < N / 2) { float p = x->a[2 * i], q = x->a[2 * i + 1], r = x->b[2 * i], s = x->b[2 * i + 1]; x->out[2 * i] = p * r - q * s; x->out[2 * i + 1] = p * s + q * r; } }
PLAIN(distance3) { EACH if (i < N / 4) { float p = x->a[3 * i], q = x->a[3 * i + 1], r = x->a[3 * i + 2]; x->out[i] = sqrtf(p * p + q * q + r * r); } }
PLAIN(integer_hash) { EACH { uint32_t h = (uint32_t)x->key[i]; h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16; x->num[i] = (int)h; } }
PLAIN(divide_modulo) { EACH x->num[i] = x->key[i] / 7 * 3 + x->key[i] % 13; }
PLAIN(bit_count) { EACH x->num[i] = __builtin_popcount((unsigned)x->key[i] * 2654435761u); }
PLAIN(threshold_bytes) { EACH x->num[i] = x->byte[i] > 100 ? 255 : x->byte[i] >> 1; }
PLAIN(double_to_float) { EACH x->out[i] = (float)(x->d[i] * x->d[i] - 0.25); }
PLAIN(exp_log) { EACH x->out[i] = logf(1 + expf(x->a[i])); }
PLAIN(sine_wave) { EACH x->out[i] = sinf(x->a[i] * 6.2831853f) * cosf(x->b[i]); }
PLAIN(power) { EACH x->out[i] = powf(x->a[i] + 0.5f, 1.7f); }
PLAIN(lerp) { EACH x->out[i] = x->a[i] + (x->b[i] - x->a[i]) * x->c[i]; }
