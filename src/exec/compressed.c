/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texels of compressed blocks. BC6H and BC7 are exact formats; what lies between the end points of the older ones is left to the hardware,
 * and is here what an H200 makes of it (tests/oracle/probes/bc_texels.cu).
 */
#include "exec/compressed.h"

/* --- BC1 to BC3: two colours of 5, 6 and 5 bits and what lies between them --- */

static uint32_t bits_at(const uint8_t *p, unsigned at, unsigned n)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++, at++)
        v |= (uint32_t)(p[at / 8] >> at % 8 & 1) << i;
    return v;
}

/* share: thirds of the second colour; 0 to 3, or HALF. */
enum { HALF = 4 };

static uint32_t mixed_5(uint32_t a, uint32_t b, unsigned share)
{
    switch (share) {
    case 0: return a << 3 | a >> 2;
    case 1: return (2 * a + b) * 22 / 8;
    case 2: return (a + 2 * b) * 22 / 8;
    case 3: return b << 3 | b >> 2;
    default: return (a + b) * 33 / 8;
    }
}

static uint32_t mixed_6(uint32_t a, uint32_t b, unsigned share)
{
    int32_t from = (int32_t)(share == 2 || share == 3 ? b : a), to = (int32_t)(share == 2 || share == 3 ? a : b);
    from = from << 2 | from >> 4;
    to = to << 2 | to >> 4;
    if (share == 0 || share == 3)
        return (uint32_t)from;
    return (uint32_t)(256 * from + (to - from) / 4 + 128 + (to - from) * (share == HALF ? 128 : 80)) >> 8;
}

/* opaque: always four colours; else three and nothing where the first is not the larger. Without that, alpha is 255. */
static void colour(const uint8_t *p, unsigned texel, bool opaque, uint32_t out[4])
{
    static const uint8_t four[4] = { 0, 3, 1, 2 }, three[3] = { 0, 3, HALF };
    uint32_t a = bits_at(p, 0, 16), b = bits_at(p, 16, 16), index = bits_at(p, 32 + 2 * texel, 2);
    if (!opaque && a <= b && index == 3) {
        memset(out, 0, 4 * sizeof *out);
        return;
    }
    unsigned share = opaque || a > b ? four[index] : three[index];
    out[0] = mixed_5(a >> 11, b >> 11, share);
    out[1] = mixed_6(a >> 5 & 63, b >> 5 & 63, share);
    out[2] = mixed_5(a & 31, b & 31, share);
    out[3] = 255;
}

/* --- one channel: two bytes and what lies between them --- */

/* Which end point an index begins at, and how many steps it goes to the other one. Seven steps lead there where the first is the larger;
   else five, and the last two indices are the lowest and the highest value. */
static const struct way {
    uint8_t end, steps;
} sevenths[8] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 2 }, { 1, 4 }, { 0, 4 }, { 1, 2 }, { 1, 1 } },
  fifths[6] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 2 }, { 1, 2 }, { 1, 1 } };

/* NULL: the lowest or the highest value. */
static const struct way *way_of(const uint8_t *p, const int32_t ends[2], unsigned texel, bool *highest)
{
    unsigned index = bits_at(p, 16 + 3 * texel, 3);
    *highest = index == 7;
    return ends[0] > ends[1] ? &sevenths[index] : index < 6 ? &fifths[index] : NULL;
}

static uint32_t alpha(const uint8_t *p, unsigned texel)
{
    const int32_t ends[2] = { p[0], p[1] };
    bool highest;
    const struct way *w = way_of(p, ends, texel, &highest);
    if (!w)
        return highest ? 255 : 0;
    int32_t step = ends[0] > ends[1] ? 289 : 385;                /* 2048ths */
    int32_t from = ends[w->end], far = ends[!w->end] - from, part = (abs(far) * w->steps * step + 1024) >> 11;
    return (uint32_t)(far < 0 ? from - part : from + part);
}

/* As alpha(), with 16 bits. */
static uint32_t channel_16(const uint8_t *p, unsigned texel, bool is_signed)
{
    int32_t ends[2] = { is_signed ? (int8_t)p[0] : p[0], is_signed ? (int8_t)p[1] : p[1] };
    for (unsigned i = 0; i < 2 && is_signed; i++)
        ends[i] = ends[i] < -127 ? -127 : ends[i];
    bool highest;
    const struct way *w = way_of(p, ends, texel, &highest);
    if (!w)
        return highest ? is_signed ? 32767 : 65535 : is_signed ? (uint32_t)-32767 : 0;
    int32_t step = ends[0] > ends[1] ? 36 : 48;                  /* 257ths, of signed ones 258ths */
    int32_t from = ends[w->end], wide = is_signed ? from * 258 + (from >= 64) - (from <= -64) : from * 257;
    return (uint32_t)(wide + (ends[!w->end] - from) * w->steps * step);
}

/* --- BC6H and BC7: parts of a block with end points of their own --- */

/* Two parts: a bit for each texel. Three parts: two bits. */
static const uint16_t two_parts[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000,
    0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c,
    0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
    0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
};
static const uint32_t three_parts[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050, 0xaa550000, 0xaa555500, 0xaaaa5500,
    0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040,
    0xa4a45000, 0x1a1a0500, 0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200, 0xa9a58000,
    0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50, 0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0,
    0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600, 0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414,
    0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
};
/* Whose index has a bit less: the first texel of the block, and one of each further part. */
static const uint8_t anchor_of_two[64] = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
    15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
};
static const uint8_t anchors_of_three[2][64] = {
    { 3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
      8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3 },
    { 15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
      15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8 },
};

static unsigned part_of(unsigned n_parts, unsigned partition, unsigned texel)
{
    return n_parts == 2 ? two_parts[partition] >> texel & 1 : n_parts == 3 ? three_parts[partition] >> 2 * texel & 3 : 0;
}

static bool is_anchor(unsigned n_parts, unsigned partition, unsigned texel)
{
    return texel == 0 || (n_parts == 2 && texel == anchor_of_two[partition])
        || (n_parts == 3 && (texel == anchors_of_three[0][partition] || texel == anchors_of_three[1][partition]));
}

/* A texel's index; at: where the block's indices begin. */
static uint32_t index_of(const uint8_t *p, unsigned at, unsigned width, unsigned n_parts, unsigned partition, unsigned texel)
{
    for (unsigned i = 0; i < texel; i++)
        at += width - is_anchor(n_parts, partition, i);
    return bits_at(p, at, width - is_anchor(n_parts, partition, texel));
}

/* Shares of the second end point in 64ths, by the bits of an index. */
static const uint8_t shares[5][16] = {
    { 0 }, { 0 }, { 0, 21, 43, 64 }, { 0, 9, 18, 27, 37, 46, 55, 64 }, { 0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64 },
};

static int32_t between(int32_t a, int32_t b, unsigned width, uint32_t index)
{
    int32_t share = shares[width][index];
    return (a * (64 - share) + b * share + 32) >> 6;
}

/* --- BC7 --- */

/* low_bits: one more bit below each end point's, its own or one for both of a part. */
enum { NO_LOW_BITS, OWN_LOW_BITS, SHARED_LOW_BITS };
static const struct bc7_mode {
    uint8_t parts, partition_bits, rotation_bits, selector_bits, colour_bits, alpha_bits, low_bits, index_bits, second_index_bits;
} bc7_modes[8] = {
    { 3, 4, 0, 0, 4, 0, OWN_LOW_BITS, 3, 0 },
    { 2, 6, 0, 0, 6, 0, SHARED_LOW_BITS, 3, 0 },
    { 3, 6, 0, 0, 5, 0, NO_LOW_BITS, 2, 0 },
    { 2, 6, 0, 0, 7, 0, OWN_LOW_BITS, 2, 0 },
    { 1, 0, 2, 1, 5, 6, NO_LOW_BITS, 2, 3 },
    { 1, 0, 2, 0, 7, 8, NO_LOW_BITS, 2, 2 },
    { 1, 0, 0, 0, 7, 7, OWN_LOW_BITS, 4, 0 },
    { 2, 6, 0, 0, 5, 5, OWN_LOW_BITS, 2, 0 },
};

static uint32_t take(const uint8_t *p, unsigned *at, unsigned n)
{
    uint32_t v = bits_at(p, *at, n);
    *at += n;
    return v;
}

/* Reads the end points of all parts, as bytes. */
static void bc7_ends(const struct bc7_mode *m, const uint8_t *p, unsigned *at, uint32_t ends[6][4])
{
    unsigned n = 2 * m->parts, low = m->low_bits != NO_LOW_BITS;
    for (unsigned c = 0; c < 4; c++)
        for (unsigned e = 0; e < n; e++)
            ends[e][c] = take(p, at, c < 3 ? m->colour_bits : m->alpha_bits) << low;
    for (unsigned e = 0; e < n && low; e++) {
        uint32_t bit = m->low_bits == OWN_LOW_BITS || e % 2 == 0 ? take(p, at, 1) : ends[e - 1][0] & 1;
        for (unsigned c = 0; c < 4; c++)
            ends[e][c] |= bit;
    }
    for (unsigned e = 0; e < n; e++) {
        for (unsigned c = 0; c < (m->alpha_bits ? 4 : 3); c++) {
            unsigned width = (c < 3 ? m->colour_bits : m->alpha_bits) + low;
            ends[e][c] = ends[e][c] << (8 - width) | ends[e][c] >> (2 * width - 8);
        }
        if (!m->alpha_bits)
            ends[e][3] = 255;
    }
}

static void bc7(const uint8_t *p, unsigned texel, uint32_t out[4])
{
    uint32_t ends[6][4] = { { 0 } };
    if (p[0] == 0) {
        memset(out, 0, 4 * sizeof *out);
        return;
    }
    unsigned mode = (unsigned)__builtin_ctz(p[0]), at = mode + 1;
    const struct bc7_mode *m = &bc7_modes[mode];
    unsigned partition = take(p, &at, m->partition_bits), rotation = take(p, &at, m->rotation_bits), selector = take(p, &at, m->selector_bits);
    bc7_ends(m, p, &at, ends);
    const uint32_t *a = ends[2 * part_of(m->parts, partition, texel)], *b = a + 4;
    unsigned width = m->index_bits, alpha_width = width;
    uint32_t index = index_of(p, at, width, m->parts, partition, texel), alpha_index = index;
    if (m->second_index_bits) {
        unsigned second = at + 16 * width - m->parts;
        alpha_width = m->second_index_bits;
        alpha_index = index_of(p, second, alpha_width, m->parts, partition, texel);
        if (selector) {
            uint32_t t = index;
            index = alpha_index;
            alpha_index = t;
            width = m->second_index_bits;
            alpha_width = m->index_bits;
        }
    }
    for (unsigned c = 0; c < 4; c++)
        out[c] = (uint32_t)between((int32_t)a[c], (int32_t)b[c], c < 3 ? width : alpha_width, c < 3 ? index : alpha_index);
    if (rotation) {
        uint32_t t = out[3];
        out[3] = out[rotation - 1];
        out[rotation - 1] = t;
    }
}

/* --- BC6H --- */

/* End points: two of each part, in red, green and blue. */
enum { R0, R1, R2, R3, G0, G1, G2, G3, B0, B1, B2, B3, N_ENDS };

/* Bits of an end point as they follow each other in a block: from low up to high, or down where low is the larger. */
struct run {
    uint8_t end, high, low;
};
#define RUNS(...) (const struct run[]){ __VA_ARGS__, { N_ENDS, 0, 0 } }
static const struct bc6_mode {
    uint8_t code, parts, bits, delta[3]; /* delta: of the other end points, which are given as differences; 0: they are not */
    const struct run *runs;
} bc6_modes[] = {
    { 0x00, 2, 10, { 5, 5, 5 },
      RUNS({ G2, 4, 4 }, { B2, 4, 4 }, { B3, 4, 4 }, { R0, 9, 0 }, { G0, 9, 0 }, { B0, 9, 0 }, { R1, 4, 0 }, { G3, 4, 4 }, { G2, 3, 0 },
           { G1, 4, 0 }, { B3, 0, 0 }, { G3, 3, 0 }, { B1, 4, 0 }, { B3, 1, 1 }, { B2, 3, 0 }, { R2, 4, 0 }, { B3, 2, 2 }, { R3, 4, 0 },
           { B3, 3, 3 }) },
    { 0x01, 2, 7, { 6, 6, 6 },
      RUNS({ G2, 5, 5 }, { G3, 5, 4 }, { R0, 6, 0 }, { B3, 1, 0 }, { B2, 4, 4 }, { G0, 6, 0 }, { B2, 5, 5 }, { B3, 2, 2 }, { G2, 4, 4 },
           { B0, 6, 0 }, { B3, 3, 3 }, { B3, 5, 5 }, { B3, 4, 4 }, { R1, 5, 0 }, { G2, 3, 0 }, { G1, 5, 0 }, { G3, 3, 0 }, { B1, 5, 0 },
           { B2, 3, 0 }, { R2, 5, 0 }, { R3, 5, 0 }) },
    { 0x02, 2, 11, { 5, 4, 4 },
      RUNS({ R0, 9, 0 }, { G0, 9, 0 }, { B0, 9, 0 }, { R1, 4, 0 }, { R0, 10, 10 }, { G2, 3, 0 }, { G1, 3, 0 }, { G0, 10, 10 }, { B3, 0, 0 },
           { G3, 3, 0 }, { B1, 3, 0 }, { B0, 10, 10 }, { B3, 1, 1 }, { B2, 3, 0 }, { R2, 4, 0 }, { B3, 2, 2 }, { R3, 4, 0 }, { B3, 3, 3 }) },
    { 0x06, 2, 11, { 4, 5, 4 },
      RUNS({ R0, 9, 0 }, { G0, 9, 0 }, { B0, 9, 0 }, { R1, 3, 0 }, { R0, 10, 10 }, { G3, 4, 4 }, { G2, 3, 0 }, { G1, 4, 0 }, { G0, 10, 10 },
           { G3, 3, 0 }, { B1, 3, 0 }, { B0, 10, 10 }, { B3, 1, 1 }, { B2, 3, 0 }, { R2, 3, 0 }, { B3, 0, 0 }, { B3, 2, 2 }, { R3, 3, 0 },
           { G2, 4, 4 }, { B3, 3, 3 }) },
    { 0x0a, 2, 11, { 4, 4, 5 },
      RUNS({ R0, 9, 0 }, { G0, 9, 0 }, { B0, 9, 0 }, { R1, 3, 0 }, { R0, 10, 10 }, { B2, 4, 4 }, { G2, 3, 0 }, { G1, 3, 0 }, { G0, 10, 10 },
           { B3, 0, 0 }, { G3, 3, 0 }, { B1, 4, 0 }, { B0, 10, 10 }, { B2, 3, 0 }, { R2, 3, 0 }, { B3, 2, 1 }, { R3, 3, 0 }, { B3, 4, 4 },
           { B3, 3, 3 }) },
    { 0x0e, 2, 9, { 5, 5, 5 },
      RUNS({ R0, 8, 0 }, { B2, 4, 4 }, { G0, 8, 0 }, { G2, 4, 4 }, { B0, 8, 0 }, { B3, 4, 4 }, { R1, 4, 0 }, { G3, 4, 4 }, { G2, 3, 0 },
           { G1, 4, 0 }, { B3, 0, 0 }, { G3, 3, 0 }, { B1, 4, 0 }, { B3, 1, 1 }, { B2, 3, 0 }, { R2, 4, 0 }, { B3, 2, 2 }, { R3, 4, 0 },
           { B3, 3, 3 }) },
    { 0x12, 2, 8, { 6, 5, 5 },
      RUNS({ R0, 7, 0 }, { G3, 4, 4 }, { B2, 4, 4 }, { G0, 7, 0 }, { B3, 2, 2 }, { G2, 4, 4 }, { B0, 7, 0 }, { B3, 4, 3 }, { R1, 5, 0 },
           { G2, 3, 0 }, { G1, 4, 0 }, { B3, 0, 0 }, { G3, 3, 0 }, { B1, 4, 0 }, { B3, 1, 1 }, { B2, 3, 0 }, { R2, 5, 0 }, { R3, 5, 0 }) },
    { 0x16, 2, 8, { 5, 6, 5 },
      RUNS({ R0, 7, 0 }, { B3, 0, 0 }, { B2, 4, 4 }, { G0, 7, 0 }, { G2, 5, 5 }, { G2, 4, 4 }, { B0, 7, 0 }, { G3, 5, 5 }, { B3, 4, 4 },
           { R1, 4, 0 }, { G3, 4, 4 }, { G2, 3, 0 }, { G1, 5, 0 }, { G3, 3, 0 }, { B1, 4, 0 }, { B3, 1, 1 }, { B2, 3, 0 }, { R2, 4, 0 },
           { B3, 2, 2 }, { R3, 4, 0 }, { B3, 3, 3 }) },
    { 0x1a, 2, 8, { 5, 5, 6 },
      RUNS({ R0, 7, 0 }, { B3, 1, 1 }, { B2, 4, 4 }, { G0, 7, 0 }, { B2, 5, 5 }, { G2, 4, 4 }, { B0, 7, 0 }, { B3, 5, 5 }, { B3, 4, 4 },
           { R1, 4, 0 }, { G3, 4, 4 }, { G2, 3, 0 }, { G1, 4, 0 }, { B3, 0, 0 }, { G3, 3, 0 }, { B1, 5, 0 }, { B2, 3, 0 }, { R2, 4, 0 },
           { B3, 2, 2 }, { R3, 4, 0 }, { B3, 3, 3 }) },
    { 0x1e, 2, 6, { 0, 0, 0 },
      RUNS({ R0, 5, 0 }, { G3, 4, 4 }, { B3, 1, 0 }, { B2, 4, 4 }, { G0, 5, 0 }, { G2, 5, 5 }, { B2, 5, 5 }, { B3, 2, 2 }, { G2, 4, 4 },
           { B0, 5, 0 }, { G3, 5, 5 }, { B3, 3, 3 }, { B3, 5, 5 }, { B3, 4, 4 }, { R1, 5, 0 }, { G2, 3, 0 }, { G1, 5, 0 }, { G3, 3, 0 },
           { B1, 5, 0 }, { B2, 3, 0 }, { R2, 5, 0 }, { R3, 5, 0 }) },
    { 0x03, 1, 10, { 0, 0, 0 }, RUNS({ R0, 9, 0 }, { G0, 9, 0 }, { B0, 9, 0 }, { R1, 9, 0 }, { G1, 9, 0 }, { B1, 9, 0 }) },
    { 0x07, 1, 11, { 9, 9, 9 },
      RUNS({ R0, 9, 0 }, { G0, 9, 0 }, { B0, 9, 0 }, { R1, 8, 0 }, { R0, 10, 10 }, { G1, 8, 0 }, { G0, 10, 10 }, { B1, 8, 0 }, { B0, 10, 10 }) },
    { 0x0b, 1, 12, { 8, 8, 8 },
      RUNS({ R0, 9, 0 }, { G0, 9, 0 }, { B0, 9, 0 }, { R1, 7, 0 }, { R0, 10, 11 }, { G1, 7, 0 }, { G0, 10, 11 }, { B1, 7, 0 }, { B0, 10, 11 }) },
    { 0x0f, 1, 16, { 4, 4, 4 },
      RUNS({ R0, 9, 0 }, { G0, 9, 0 }, { B0, 9, 0 }, { R1, 3, 0 }, { R0, 10, 15 }, { G1, 3, 0 }, { G0, 10, 15 }, { B1, 3, 0 }, { B0, 10, 15 }) },
};

static const struct bc6_mode *bc6_mode_of(uint8_t first)
{
    uint8_t code = (first & 3) < 2 ? first & 3 : first & 31;
    for (size_t i = 0; i < HW_LEN(bc6_modes); i++)
        if (bc6_modes[i].code == code)
            return &bc6_modes[i];
    return NULL;
}

static int32_t sign_extended(int32_t v, unsigned bits)
{
    int32_t top = 1 << (bits - 1);
    return ((v & (2 * top - 1)) ^ top) - top;
}

/* An end point as one of 16 bits. */
static int32_t unquantised(int32_t v, unsigned bits, bool is_signed)
{
    int32_t magnitude = abs(v), most = is_signed ? (1 << (bits - 1)) - 1 : (int32_t)((1u << bits) - 1);
    if (bits >= (is_signed ? 16 : 15) || v == 0)
        return v;
    if (magnitude >= most)
        magnitude = is_signed ? 0x7fff : 0xffff;
    else
        magnitude = is_signed ? ((magnitude << 15) + 0x4000) >> (bits - 1) : ((magnitude << 16) + 0x8000) >> bits;
    return v < 0 ? -magnitude : magnitude;
}

static void bc6_ends(const struct bc6_mode *m, const uint8_t *p, bool is_signed, unsigned *at, int32_t ends[N_ENDS])
{
    *at = m->code < 2 ? 2 : 5;
    for (const struct run *r = m->runs; r->end != N_ENDS; r++)
        for (int bit = r->low, step = r->low > r->high ? -1 : 1; bit != r->high + step; bit += step)
            ends[r->end] |= (int32_t)take(p, at, 1) << bit;
    for (unsigned c = 0; c < 3; c++) {
        int32_t *e = &ends[4 * c];
        for (unsigned k = 0; k < 2u * m->parts; k++) {
            if (k > 0 && m->delta[c])
                e[k] = (e[0] + sign_extended(e[k], m->delta[c])) & (int32_t)((1u << m->bits) - 1);
            if (is_signed)
                e[k] = sign_extended(e[k], m->bits);
        }
        for (unsigned k = 0; k < 2u * m->parts; k++)
            e[k] = unquantised(e[k], m->bits, is_signed);
    }
}

static void bc6(const uint8_t *p, unsigned texel, bool is_signed, uint32_t out[4])
{
    const struct bc6_mode *m = bc6_mode_of(p[0]);
    int32_t ends[N_ENDS] = { 0 };
    unsigned at;
    if (!m) {
        memset(out, 0, 3 * sizeof *out);
        return;
    }
    bc6_ends(m, p, is_signed, &at, ends);
    unsigned partition = m->parts == 2 ? take(p, &at, 5) : 0, width = m->parts == 2 ? 3 : 4;
    unsigned first = 2 * part_of(m->parts, partition, texel);
    uint32_t index = index_of(p, at, width, m->parts, partition, texel);
    for (unsigned c = 0; c < 3; c++) {
        int32_t v = between(ends[4 * c + first], ends[4 * c + first + 1], width, index);
        int32_t half = is_signed ? (abs(v) * 31) >> 5 : (v * 31) >> 6;
        out[c] = (uint32_t)half | (v < 0 ? 0x8000 : 0);
    }
}

void blocks_texel(enum exec_blocks kind, const void *block, unsigned x, unsigned y, uint32_t out[4])
{
    const uint8_t *p = block;
    unsigned texel = y * BLOCK_SIDE + x;
    switch (kind) {
    case EXEC_NO_BLOCKS: return;
    case EXEC_BC1: colour(p, texel, false, out); return;
    case EXEC_BC2:
        colour(p + 8, texel, true, out);
        out[3] = bits_at(p, 4 * texel, 4) * 17;
        return;
    case EXEC_BC3:
        colour(p + 8, texel, true, out);
        out[3] = alpha(p, texel);
        return;
    case EXEC_BC4U:
    case EXEC_BC4S: out[0] = channel_16(p, texel, kind == EXEC_BC4S); return;
    case EXEC_BC5U:
    case EXEC_BC5S:
        out[0] = channel_16(p, texel, kind == EXEC_BC5S);
        out[1] = channel_16(p + 8, texel, kind == EXEC_BC5S);
        return;
    case EXEC_BC6U:
    case EXEC_BC6S: bc6(p, texel, kind == EXEC_BC6S, out); return;
    case EXEC_BC7: bc7(p, texel, out); return;
    }
}
