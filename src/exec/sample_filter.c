/* SPDX-License-Identifier: Apache-2.0 */
/* Filters: weighted sums of texels, to the bit as an H200 makes them. */
#include "exec/sample.h"

/* To the nearest float, halves away from 0; what is too small for a normal one is 0. */
static uint32_t round_float(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    uint32_t sign = (uint32_t)(u >> 32) & 0x80000000;
    u = (u & ~((uint64_t)1 << 63)) + ((uint64_t)1 << 28);
    if (d != d)
        return 0x7fffffff;
    if (u < (uint64_t)(1023 - 126) << 52)
        return d == 0 ? sign : 0;
    if (u >= (uint64_t)(1023 + 128) << 52)
        return sign | 0x7f800000;
    return sign | (uint32_t)((u >> 29) - ((uint64_t)(1023 - 127) << 23));
}

/* To the nearest half, halves away from 0, as a float. */
static uint32_t round_half(double d)
{
    int e;
    frexp(d, &e);
    double unit = ldexp(1, (e < -13 ? -13 : e) - 11), n = floor(fabs(d) / unit + 0.5) * unit;
    return float_bits((float)(d < 0 ? -n : n));
}

static double flushed(uint32_t bits)
{
    float f = bits_float(bits);
    return f > -0x1p-126f && f < 0x1p-126f && f != 0 ? 0 : f;
}

static uint32_t filter_float(const uint32_t *raw, const struct taps *taps)
{
    double sum = -0.0;
    for (unsigned k = 0; k < taps->n; k++)
        sum += flushed(raw[k]) * taps->v[k].weight;
    return round_float(sum / 256);
}

/* A sum of texels from first to last, each cut off to whole units of its plane's. */
static double sum_of_units(const float *texels, const struct taps *taps, unsigned first, unsigned last, double unit)
{
    double sum = 0;
    for (unsigned k = first; k < last; k++)
        sum += trunc(texels[k] / unit) * unit * taps->v[k].weight;
    return sum;
}

static unsigned end_of_plane(const struct taps *taps, unsigned k)
{
    unsigned plane = taps->v[k].plane;
    while (k < taps->n && taps->v[k].plane == plane)
        k++;
    return k;
}

static int exponent(float f)
{
    int e;
    frexpf(f, &e);
    return e;
}

/* Halves are aligned with the largest one of their plane and keep 15 bits before they are weighted. */
static uint32_t filter_half(const uint32_t *raw, const struct taps *taps)
{
    float texels[MAX_TAPS];
    double sum = 0;
    memcpy(texels, raw, taps->n * sizeof *texels);
    for (unsigned first = 0, last; first < taps->n; first = last) {
        float most = 0;
        last = end_of_plane(taps, first);
        for (unsigned k = first; k < last; k++)
            most = fmaxf(most, fabsf(texels[k]));
        if (!(most < INFINITY))
            return filter_float(raw, taps);
        sum += sum_of_units(texels, taps, first, last, ldexp(1, exponent(most) - 15));
    }
    return round_half(sum / 256);
}

/* sRGB keeps 8 bits, and eight values that follow each other are aligned as the largest of them. */
static uint32_t filter_srgb(const uint32_t *raw, const struct taps *taps)
{
    float texels[MAX_TAPS];
    double sum = 0;
    for (unsigned first = 0, last; first < taps->n; first = last) {
        uint32_t most = 0;
        last = end_of_plane(taps, first);
        for (unsigned k = first; k < last; k++) {
            texels[k] = texel_from_srgb(raw[k]);
            most = raw[k] > most ? raw[k] : most;
        }
        sum += sum_of_units(texels, taps, first, last, ldexp(1, exponent(texel_from_srgb(most | 7)) - 8));
    }
    return round_half(sum / 256);
}

/*
 * Integers between 0 or -1 and 1 are filtered with 16 bits, halves go up. Bytes are made wider after they were summed up: unsigned ones
 * exactly, of signed ones an H200 takes a 128th of the sum with three of its bits once more (tests/oracle/probes/texture_lod.cu).
 */
static uint32_t filter_norm(const struct exec_texture *t, const uint32_t *raw, const struct taps *taps)
{
    int64_t sum = 0;
    for (unsigned k = 0; k < taps->n; k++)
        sum += (int64_t)(int32_t)raw[k] * taps->v[k].weight;
    switch ((enum exec_format)t->format) {
    case EXEC_U8: return float_bits((float)((sum * 257 + 128) >> 8) / 65535);
    case EXEC_S8: sum += (sum + (sum >> 12) * 16 + 64) >> 7; break;
    case EXEC_U16: return float_bits((float)((sum + 128) >> 8) / 65535);
    default: sum = (sum + 128) >> 8; break;
    }
    return float_bits((float)(sum < -32767 ? -32767 : sum) / 32767);
}

static uint32_t filtered(const struct exec_texture *t, unsigned c, const uint32_t *raw, const struct taps *taps)
{
    if (t->format == EXEC_F32)
        return filter_float(raw, taps);
    if (texel_is_srgb(t, c))
        return filter_srgb(raw, taps);
    return t->format == EXEC_F16 ? filter_half(raw, taps) : filter_norm(t, raw, taps);
}

void sample_filter(const struct exec_texture *t, const struct taps *taps, union texel *out)
{
    uint32_t texels[MAX_TAPS][4], raw[MAX_TAPS];
    const char *p[MAX_TAPS];
    bool single = taps->n == 1 && !t->linear_filter;
    texel_clear(t, out);
    for (unsigned k = 0; k < taps->n; k++) {
        p[k] = texel_address(t, taps->v[k].level, taps->v[k].at);
        if (t->blocks)                           /* whole texels at once; else channels, as they are needed */
            texel_read(t, taps->v[k].level, taps->v[k].at, texels[k]);
    }
    for (unsigned c = 0; c < t->channels; c++) {
        for (unsigned k = 0; k < taps->n; k++) {
            raw[k] = t->blocks ? texels[k][c] : texel_channel_or_border(t, p[k], c);
            if (single)
                raw[k] = texel_unfiltered(t, raw[k], c);
        }
        out->u[c] = single ? raw[0] : filtered(t, c, raw, taps);
    }
}
