/* SPDX-License-Identifier: Apache-2.0 */
/* A texel: where it lies, and how its bits become channels. */
#ifndef EXEC_TEXEL_H
#define EXEC_TEXEL_H

#include "exec/internal.h"
#include "exec/texture.h"

#include <math.h>

union texel {
    uint32_t u[4];
    float f[4];
};

extern const uint16_t texel_srgb[256];           /* the upper half of each byte's float */

static inline float bits_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31)
        return bits_float(sign | 0x7f800000 | m << 13);
    if (e)
        return bits_float(sign | (e + 112) << 23 | m << 13);
    return bits_float(float_bits((float)m * 0x1p-24f) | sign);
}

static inline bool texel_gives_floats(const struct exec_texture *t)
{
    return t->as_float || t->format == EXEC_F16 || t->format == EXEC_F32;
}

/* The largest integer of a format: what reads as 1. */
static inline int32_t format_max(const struct exec_texture *t)
{
    return t->format == EXEC_U8 ? 255 : t->format == EXEC_S8 ? 127 : t->format == EXEC_U16 ? 65535 : 32767;
}

static inline bool texel_is_srgb(const struct exec_texture *t, unsigned c)
{
    return t->srgb && t->as_float && t->format == EXEC_U8 && c < 3;
}

static inline float texel_from_srgb(uint32_t byte)
{
    return bits_float((uint32_t)texel_srgb[byte & 255] << 16);
}

/* A float in [low, 1] as an integer of so many bits and a sign, as an H200 makes it. */
int32_t texel_from_norm(float f, float low, unsigned bits);
/* A channel of the border's colour, as a texel would hold it. */
uint32_t texel_border(const struct exec_texture *t, unsigned c);

/* A channel as it lies in memory: the integer, or the float's bits. */
static inline uint32_t texel_channel(const struct exec_texture *t, const char *p, unsigned c)
{
    uint16_t h;
    int16_t s;
    uint32_t u;
    switch ((enum exec_format)t->format) {
    case EXEC_U8: return ((const uint8_t *)p)[c];
    case EXEC_S8: return (uint32_t)((const int8_t *)p)[c];
    case EXEC_U16: memcpy(&h, p + 2 * c, 2); return h;
    case EXEC_S16: memcpy(&s, p + 2 * c, 2); return (uint32_t)s;
    case EXEC_F16: memcpy(&h, p + 2 * c, 2); return float_bits(half_to_float(h));
    default: memcpy(&u, p + 4 * c, 4); return u;
    }
}

/* Memory of the program's may be smaller than it said. Within the window there is nothing but kernels' memory; outside there is everything. */
static inline void check_address(const char *p, size_t bytes)
{
    exec_must_read(NULL, (uint64_t)(uintptr_t)p, bytes);
}

/* NULL: outside, where the border's colour is. Of compressed texels, the block. */
static const char *texel_address(const struct exec_texture *t, const struct exec_level *l, const int64_t at[3])
{
    if (at[0] < 0)
        return NULL;
    if (t->blocks)
        return l->base + (size_t)at[2] * l->slice + (size_t)at[1] / BLOCK_SIDE * l->pitch
            + (size_t)at[0] / BLOCK_SIDE * blocks_bytes((enum exec_blocks)t->blocks);
    unsigned bytes = t->channels * exec_format_bytes((enum exec_format)t->format);
    const char *p = l->base + (size_t)at[2] * l->slice + (size_t)at[1] * l->pitch + (size_t)at[0] * bytes;
    if (hw_unlikely(t->leaves_window))
        check_address(p, bytes);
    return p;
}

static inline uint32_t texel_channel_or_border(const struct exec_texture *t, const char *p, unsigned c)
{
    return p ? texel_channel(t, p, c) : texel_border(t, c);
}

/* The channels of a texel as they lie in memory, or as they come out of a block. */
static inline void texel_read(const struct exec_texture *t, const struct exec_level *l, const int64_t at[3], uint32_t out[4])
{
    const char *p = texel_address(t, l, at);
    if (p && t->blocks)
        blocks_texel((enum exec_blocks)t->blocks, p, at[0] % BLOCK_SIDE, at[1] % BLOCK_SIDE, out);
    for (unsigned c = 0; c < t->channels; c++) {
        if (!p || !t->blocks)
            out[c] = texel_channel_or_border(t, p, c);
        else if (t->format == EXEC_F16)
            out[c] = float_bits(half_to_float((uint16_t)out[c]));
    }
}

/* What the channels are that a format does not have. */
static inline void texel_clear(const struct exec_texture *t, union texel *out)
{
    memset(out, 0, sizeof *out);
    if (t->blocks)
        out->f[3] = 1;
}

/* What a fetch without a filter gives for a channel. */
static inline uint32_t texel_unfiltered(const struct exec_texture *t, uint32_t raw, unsigned c)
{
    if (!t->as_float)
        return raw;
    if (texel_is_srgb(t, c))
        return float_bits(texel_from_srgb(raw));
    return float_bits(fmaxf((float)(int32_t)raw / (float)format_max(t), -1));
}

#endif
