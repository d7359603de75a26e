/* SPDX-License-Identifier: Apache-2.0 */
/* Element by element: guarded or exact, grid-stride loops, several elements per thread, vectors, size_t and int indices, templates. */
#include "bench.h"
#define G BLOCKS(N, 256), 256
#define EACH(name, ...) PLAIN(name); \
    __global__ void name##_guard(struct data x, int n) { int i = I; if (i < n) { __VA_ARGS__; } } \
    __global__ void name##_stride(struct data x, size_t n) { for (size_t i = I; i < n; i += (size_t)gridDim.x * blockDim.x) { __VA_ARGS__; } } \
    __global__ void name##_four(struct data x, int n) { for (int k = 0; k < 4; k++) { int i = blockIdx.x * blockDim.x * 4 + k * blockDim.x + threadIdx.x; if (i < n) { __VA_ARGS__; } } }
#define ROWS3(name, f, q, tol) SPELL(name, guard, f, q, tol, name##_guard<<<G>>>(x, N)), SPELL(name, stride, f, q, tol, name##_stride<<<256, 256>>>(x, N)), \
    SPELL(name, four, f, q, tol, name##_four<<<BLOCKS(N, 1024), 256>>>(x, N))
EACH(saxpy, x.out[i] = 2.5f * x.a[i] + x.b[i])
EACH(triad, x.out[i] = x.a[i] + x.b[i] * x.c[i])
EACH(relu, x.out[i] = x.a[i] > 0.5f ? x.a[i] : 0)
EACH(clamp, x.out[i] = fminf(fmaxf(x.a[i] * 3 - 1, 0.0f), 1.0f))
EACH(sigmoid, x.out[i] = 1 / (1 + expf(-x.a[i])))
EACH(gelu, float v = x.a[i]; x.out[i] = 0.5f * v * (1 + tanhf(0.7978846f * (v + 0.044715f * v * v * v))))
EACH(polynomial, float v = x.a[i], s = 0; for (int k = 0; k < 16; k++) s = s * v + 0.25f * (float)k; x.out[i] = s)
EACH(reverse, x.out[i] = x.a[N - 1 - i])
EACH(shift, if (i < N - 3) x.out[i] = x.a[i + 3]; else x.out[i] = x.a[N - 1])
EACH(integer_hash, unsigned h = (unsigned)x.key[i]; h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16; x.num[i] = (int)h)
EACH(divide_modulo, x.num[i] = x.key[i] / 7 * 3 + x.key[i] % 13)
EACH(bit_count, x.num[i] = __popc((unsigned)x.key[i] * 2654435761u))
EACH(threshold_bytes, x.num[i] = x.byte[i] > 100 ? 255 : x.byte[i] >> 1)
EACH(double_to_float, x.out[i] = (float)(x.d[i] * x.d[i] - 0.25))
EACH(exp_log, x.out[i] = logf(1 + expf(x.a[i])))
EACH(sine_wave, x.out[i] = sinf(x.a[i] * 6.2831853f) * cosf(x.b[i]))
EACH(power, x.out[i] = powf(x.a[i] + 0.5f, 1.7f))
EACH(lerp, x.out[i] = x.a[i] + (x.b[i] - x.a[i]) * x.c[i])
PLAIN(complex_mul);
__global__ void complex_scalar(struct data x) { int i = I; float p = x.a[2 * i], q = x.a[2 * i + 1], r = x.b[2 * i], s = x.b[2 * i + 1]; x.out[2 * i] = p * r - q * s; x.out[2 * i + 1] = p * s + q * r; }
__global__ void complex_float2(const float2 *a, const float2 *b, float2 *o, int n) { int i = I; if (i < n) { float2 p = a[i], q = b[i]; o[i] = make_float2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x); } }
PLAIN(distance3);
struct point { float x, y, z; };
__global__ void distance_record(const point *p, float *o, int n) { int i = I; if (i < n) { point q = p[i]; o[i] = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z); } }
__global__ void distance_loop(struct data x, int n) { int i = I; if (i < n) { float s = 0; for (int k = 0; k < 3; k++) s += x.a[3 * i + k] * x.a[3 * i + k]; x.out[i] = sqrtf(s); } }
static const struct spelling table[] = {
    ROWS3(saxpy, N, 0, 1e-5f),
    ROWS3(triad, N, 0, 1e-5f), ROWS3(relu, N, 0, 0), ROWS3(clamp, N, 0, 1e-5f), ROWS3(sigmoid, N, 0, 1e-5f), ROWS3(gelu, N, 0, 1e-5f), ROWS3(polynomial, N, 0, 1e-4f),
    ROWS3(reverse, N, 0, 0), ROWS3(shift, N, 0, 0), ROWS3(integer_hash, 0, N, 0), ROWS3(divide_modulo, 0, N, 0), ROWS3(bit_count, 0, N, 0), ROWS3(threshold_bytes, 0, N, 0),
    ROWS3(double_to_float, N, 0, 1e-5f), ROWS3(exp_log, N, 0, 1e-5f), ROWS3(sine_wave, N, 0, 1e-5f), ROWS3(power, N, 0, 1e-5f), ROWS3(lerp, N, 0, 1e-5f),
    SPELL(complex_mul, scalars, N, 0, 1e-5f, complex_scalar<<<N / 512, 256>>>(x)), SPELL(complex_mul, float2, N, 0, 1e-5f, complex_float2<<<N / 512, 256>>>((float2 *)x.a, (float2 *)x.b, (float2 *)x.out, N / 2)),
    SPELL(distance3, record, N / 4, 0, 1e-5f, distance_record<<<N / 1024, 256>>>((point *)x.a, x.out, N / 4)), SPELL(distance3, loop, N / 4, 0, 1e-5f, distance_loop<<<N / 1024, 256>>>(x, N / 4)),
};
MAIN(table)
