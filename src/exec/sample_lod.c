/* SPDX-License-Identifier: Apache-2.0 */
/* Which level of detail a sample takes. */
#include "exec/sample.h"

/*
 * The level of detail that gradients ask for, as an H200 estimates it (tests/oracle/probes/lod_steps.cu), in 256ths: that of the longest of
 * both gradients, and of their sum and difference with 11/16 for the root of a half. A length is the longest component and 11/32 of the
 * next and a quarter of the third. Numbers have 10 bits.
 */
static double cut(double v)
{
    int e;
    double n = trunc(ldexp(frexp(v, &e), 10));
    return ldexp(n, e - 10);
}

/* A factor from 1 to 2 and a power of two. What the factor adds below v's last bit is rounded, halves go up. */
static double product(double v, double factor, int power)
{
    int e;
    double n = ldexp(frexp(v, &e), 10);
    return cut(ldexp(floor(n * factor + 0.5), e - 10 + power));
}

static double sum_of(double a, double b)
{
    int e;
    frexp(fmax(fabs(a), fabs(b)), &e);
    double unit = ldexp(1, e - 11);
    return cut(trunc(a / unit) * unit + trunc(b / unit) * unit);
}

static void sort_lengths(double v[3])
{
    for (unsigned i = 0; i < 3; i++) {
        v[i] = fabs(v[i]);
        for (unsigned k = i; k > 0 && v[k - 1] < v[k]; k--) {
            double t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
    }
}

static double gradient_length(const double g[3])
{
    double v[3] = { g[0], g[1], g[2] };
    sort_lengths(v);
    return v[0] + product(v[1], 11.0 / 8, -2) + v[2] / 4;
}

static double diagonal_length(const double a[3], const double b[3], int sign)
{
    double v[3] = { sum_of(a[0], sign * b[0]), sum_of(a[1], sign * b[1]), sum_of(a[2], sign * b[2]) };
    sort_lengths(v);
    return product(v[0], 11.0 / 8, -1) + product(v[1], 121.0 / 64, -3) + product(v[2], 11.0 / 8, -3);
}

static int64_t log2_256ths(double x)
{
    int e, i = (int)(512 * frexp(x, &e)) - 256;
    return 256 * (int64_t)(e - 1) + (i ? (int64_t)fmin(floor(256 * log2(1 + (i + 0.5) / 256) + 0.47), 255) : 0);
}

/* In texels. In three dimensions gradients are differences of coordinates, and lose what those cannot tell. */
static double gradient_texels(float v, const struct sample *s, unsigned axis, uint32_t size)
{
    int e, scale;
    if (s->dims == 3) {
        float moved = s->at[axis] + v;
        v = moved - s->at[axis];
    }
    double n = trunc(ldexp(frexp(v != v ? 0 : fmin(fabs((double)v), 1e30), &e), 10)), factor = 2 * frexp(s->normalised ? size : 1, &scale);
    return copysign(cut(ldexp(floor(n * factor + 7.0 / 8), e - 10 + scale - 1)), v);
}

/* Far below 0 where there is no gradient. */
static int64_t gradient_level(const struct exec_texture *t, const struct sample *s, const uint32_t *args)
{
    const uint32_t size[3] = { t->levels[0].width, t->levels[0].height, t->levels[0].depth };
    double g[2][3] = { { 0 } };
    for (unsigned i = 0; i < 2; i++) {
        float v[TEX_AXES];
        memcpy(v, args + i * TEX_AXES, sizeof v);
        for (unsigned d = 0; d < s->dims; d++)
            g[i][d] = gradient_texels(v[d], s, d, size[d]);
    }
    double length = fmax(gradient_length(g[0]), gradient_length(g[1]));
    length = fmax(length, fmax(diagonal_length(g[0], g[1], 1), diagonal_length(g[0], g[1], -1)));
    return length > 0 ? log2_256ths(length) : -64 * 256;
}

/* Levels of detail have 8 bits behind the point, and more is cut off. */
static int64_t fixed_level(float lod)
{
    return lod != lod ? 0 : (int64_t)floor(fmin(fmax((double)lod, -64), 64) * 256);
}

int64_t sample_lod(const struct exec_texture *t, const struct sample *s, struct tex_op op, const uint32_t *args)
{
    float given = bits_float(args[TEX_COORDS]), lod = op.integer ? (float)(int32_t)args[TEX_COORDS] : given;
    int64_t low = fixed_level(t->min_level), high = fixed_level(t->max_level), last = 256 * ((int64_t)t->n_levels - 1), fixed = 0;
    if (op.level || op.gradients)                /* without any, the bias does not count either */
        fixed = (op.gradients ? gradient_level(t, s, args + TEX_COORDS) : fixed_level(lod)) + (t->bias < 0 ? -fixed_level(-t->bias) : fixed_level(t->bias));
    fixed = fixed > high ? high : fixed;
    fixed = fixed < low ? low : fixed;
    return fixed < 0 ? 0 : fixed > last ? last : fixed;
}
