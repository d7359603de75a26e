/* SPDX-License-Identifier: Apache-2.0 */
/* What is seldom asked of a texel: the border's colour, and floats that become integers. */
#include "exec/texel.h"

const uint16_t texel_srgb[256] = {
#include "exec/srgb.def"
};

/* A float in [low, 1] as an integer of so many bits and a sign, as an H200 makes it: four bits more are kept, what is more is cut off, and
   of these 16ths nine go up. */
int32_t texel_from_norm(float f, float low, unsigned bits)
{
    f = f != f ? 0 : fminf(fmaxf(f, low), 1);
    int32_t y = (int32_t)(fabsf(f) * (float)(1 << (bits + 4))), n = (y - (y >> bits) + 7) >> 4;
    return f < 0 ? -n : n;
}

static float to_srgb(float f)
{
    return f <= 0.0031308f ? f * 12.92f : 1.055f * powf(f, 1 / 2.4f) - 0.055f;
}

/* The border's colour takes the texels' format: what would not fit is cut off as the hardware does it. */
uint32_t texel_border(const struct exec_texture *t, unsigned c)
{
    float b = t->border[c];
    uint32_t u = float_bits(b);
    if (t->format == EXEC_F16)
        return u & ~(uint32_t)0x1fff;            /* half has 10 bits of mantissa */
    if (t->format == EXEC_F32 || exec_format_bytes((enum exec_format)t->format) == 4)
        return u;
    if (!t->as_float)
        return t->format == EXEC_U8 ? (uint8_t)u : t->format == EXEC_U16 ? (uint16_t)u
            : t->format == EXEC_S8 ? (uint32_t)(int8_t)u : (uint32_t)(int16_t)u;
    bool is_signed = t->format == EXEC_S8 || t->format == EXEC_S16;
    if (texel_is_srgb(t, c))
        b = to_srgb(b);
    return (uint32_t)texel_from_norm(b, is_signed ? -1 : 0, 8 * exec_format_bytes((enum exec_format)t->format) - is_signed);
}
