/* SPDX-License-Identifier: Apache-2.0 */
/* How an instruction that uses a texture or surface is described: lower/ makes the number, exec/ reads it. */
#ifndef KABI_TEXTURE_H
#define KABI_TEXTURE_H

#include <stdint.h>

enum tex_kind { TEX_SAMPLE, TEX_GATHER, TEX_QUERY, TEX_LOAD, TEX_STORE, TEX_REDUCE };
enum tex_geometry { TEX_1D, TEX_2D, TEX_3D, TEX_A1D, TEX_A2D, TEX_CUBE, TEX_ACUBE };
enum tex_boundary { TEX_TRAP, TEX_CLAMP, TEX_ZERO };
enum tex_query { TEX_WIDTH, TEX_HEIGHT, TEX_DEPTH, TEX_LAYERS, TEX_LEVELS, TEX_NORMALISED, TEX_SAMPLES };
enum tex_reduction { TEX_ADD, TEX_MIN, TEX_MAX, TEX_AND, TEX_OR };

/*
 * Arguments are words: 4 coordinates in PTX's order (a layer comes first), then the level of detail, or the two gradients with
 * TEX_AXES words each, or what is stored.
 * Results are up to 4 words.
 */
enum { TEX_COORDS = 4, TEX_AXES = 3, TEX_ARGS = 10, TEX_RESULTS = 4 };

struct tex_op {
    uint32_t kind : 3, geometry : 3, boundary : 2, query : 3;
    uint32_t integer : 1;        /* coordinates are integers */
    uint32_t level : 1;          /* a level of detail is given */
    uint32_t component : 2;      /* TEX_GATHER */
    uint32_t bytes : 5;          /* TEX_LOAD, TEX_STORE, TEX_REDUCE: of the whole access */
    uint32_t gradients : 1;      /* the level of detail follows from two gradients */
    uint32_t formatted : 1;      /* x counts texels, and values are converted to the surface's format */
    uint32_t reduction : 3;      /* TEX_REDUCE */
    uint32_t is_signed : 1;      /* TEX_REDUCE */
};

static inline uint32_t tex_pack(struct tex_op op)
{
    return op.kind | op.geometry << 3 | op.boundary << 6 | op.query << 8 | op.integer << 11 | op.level << 12 | op.component << 13
        | (uint32_t)op.bytes << 15 | (uint32_t)op.gradients << 20 | (uint32_t)op.formatted << 21 | (uint32_t)op.reduction << 22
        | (uint32_t)op.is_signed << 25;
}

static inline struct tex_op tex_unpack(uint32_t v)
{
    return (struct tex_op){ .kind = v & 7, .geometry = v >> 3 & 7, .boundary = v >> 6 & 3, .query = v >> 8 & 7, .integer = v >> 11 & 1,
                            .level = v >> 12 & 1, .component = v >> 13 & 3, .bytes = v >> 15 & 31, .gradients = v >> 20 & 1,
                            .formatted = v >> 21 & 1, .reduction = v >> 22 & 7, .is_signed = v >> 25 & 1 };
}

#endif
