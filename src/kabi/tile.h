/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fragments of wmma: where the registers of a tile lie in its matrix. How a fragment lies in registers is ours to choose: its parts are
 * those of mma (kabi/mma.h), one after the other. m8n32k16 is computed as its transpose, with B on the left.
 *
 * In a fragment of the left or right side x runs along k and y along m or n; in C and D x runs along the n of the product that is
 * computed and y along its m. Lane l's first element is at x + (l % 4) * tile_lane_step(), y + l / 4.
 */
#ifndef KABI_TILE_H
#define KABI_TILE_H

#include "base/base.h"

enum tile_part { TILE_A, TILE_B, TILE_C };
enum tile_shape_id { TILE_M16N16K16, TILE_M32N8K16, TILE_M8N32K16, TILE_M16N16K8, TILE_M8N8K4, TILE_M8N8K32, TILE_M8N8K128, TILE_SHAPES };
enum { TILE_MAX_REGS = 8 };

struct tile_shape {
    uint8_t m, n, k;
    uint8_t left, right;         /* products along m and n, after the transposition */
    bool transposed;
};
static const struct tile_shape tile_shapes[TILE_SHAPES] = {
    { 16, 16, 16, 1, 2, false }, { 32, 8, 16, 2, 1, false }, { 8, 32, 16, 2, 1, true }, { 16, 16, 8, 1, 2, false },
    { 8, 8, 4, 1, 1, false },    { 8, 8, 32, 1, 1, false },  { 8, 8, 128, 1, 1, false },
};

/* What one load or store moves: the imm of IR_TILE_LD and IR_TILE_ST. */
struct tile_access {
    uint8_t shape, part, bits;   /* bits: of an element */
    bool along_x;                /* elements that follow each other in x are neighbours in memory */
};

static inline int64_t tile_pack(struct tile_access a)
{
    return a.shape | a.part << 4 | a.along_x << 8 | a.bits << 12;
}

static inline struct tile_access tile_unpack(int64_t imm)
{
    return (struct tile_access){ imm & 15, imm >> 4 & 15, imm >> 12 & 255, imm >> 8 & 1 };
}

struct tile_fragment {
    unsigned n;                  /* registers */
    unsigned per_reg;            /* elements in one, along x */
    struct { uint8_t x, y; } at[TILE_MAX_REGS];   /* first element of lane 0 */
};

static inline unsigned tile_halves(const struct tile_shape *s)
{
    return s->m == 8 && s->n == 8 ? 1 : 2;
}

static inline struct tile_fragment tile_fragment_of(struct tile_access a)
{
    const struct tile_shape *s = &tile_shapes[a.shape];
    struct tile_fragment f = { .per_reg = a.bits >= 32 ? 1 : 32u / a.bits };
    unsigned halves = tile_halves(s);
    if (a.part == TILE_C) {
        for (unsigned l = 0; l < s->left; l++)
            for (unsigned r = 0; r < s->right; r++)
                for (unsigned h = 0; h < halves; h++)
                    for (unsigned e = 0; e < 2; e += f.per_reg) {
                        f.at[f.n].x = (uint8_t)(8 * r + e);
                        f.at[f.n++].y = (uint8_t)(16 * l + 8 * h);
                    }
        return f;
    }
    bool is_left = a.part == (s->transposed ? TILE_B : TILE_A);
    unsigned n_k = s->k / (4 * f.per_reg), tiles = is_left ? s->left : s->right, n_y = is_left ? halves : 1;
    for (unsigned tile = 0; tile < tiles; tile++)
        for (unsigned k = 0; k < n_k; k++)
            for (unsigned h = 0; h < n_y; h++) {
                f.at[f.n].x = (uint8_t)(4 * k * f.per_reg);
                f.at[f.n++].y = (uint8_t)(8 * n_y * tile + 8 * h);
            }
    return f;
}

/* How far apart, along x, neighbouring lanes begin. */
static inline unsigned tile_lane_step(struct tile_access a, const struct tile_fragment *f)
{
    return a.part == TILE_C ? 2 : f->per_reg;
}

/* Lines of the tile: rows, or columns where those are contiguous. */
static inline void tile_extent(struct tile_access a, unsigned *out_lines, unsigned *out_elements)
{
    const struct tile_shape *s = &tile_shapes[a.shape];
    unsigned along_m = a.part == TILE_B ? s->n : s->m, along_n = a.part == TILE_C ? s->n : s->k;
    if (a.part == TILE_C && s->transposed)
        along_m = s->n, along_n = s->m;
    *out_lines = a.along_x ? along_m : along_n;
    *out_elements = a.along_x ? along_n : along_m;
}

#endif
