/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces as kernels see them: a table of them, and reading and writing through it. */
#ifndef EXEC_TEXTURE_H
#define EXEC_TEXTURE_H

#include "base/base.h"
#include "exec/compressed.h"

enum exec_format { EXEC_U8, EXEC_U16, EXEC_U32, EXEC_S8, EXEC_S16, EXEC_S32, EXEC_F16, EXEC_F32 };
enum exec_address { EXEC_WRAP, EXEC_CLAMP, EXEC_MIRROR, EXEC_BORDER };
enum { EXEC_MAX_LEVELS = 17 };

struct exec_level {
    char *base;
    size_t pitch, slice;         /* bytes from row to row, from slice (or layer) to slice */
    uint32_t width, height, depth;               /* in texels; at least 1 */
};

struct exec_texture {
    struct exec_level levels[EXEC_MAX_LEVELS];
    uint32_t n_levels, layers;   /* layers 0: not layered */
    uint8_t format, channels, address[3];
    uint8_t blocks;              /* enum exec_blocks: texels are compressed, pitches and slices are those of blocks; format: what they become */
    bool cube, seamless, surface;
    bool linear_filter, mip_linear, normalised;  /* normalised: coordinates count from 0 to 1 */
    bool as_float;               /* integers are read as floats in [0, 1] or [-1, 1] */
    bool srgb;
    bool leaves_window;          /* it says more memory than there is in the window: every address is to be looked up */
    float border[4], bias, min_level, max_level;
};

/* A handle for kernels: never 0. */
uint64_t exec_texture_add(const struct exec_texture *t);
bool exec_texture_remove(uint64_t handle);
/* Borrowed; NULL: no such handle. Contents stay readable after removal. */
const struct exec_texture *exec_texture_peek(uint64_t handle);

static inline unsigned exec_format_bytes(enum exec_format f)
{
    return f == EXEC_U8 || f == EXEC_S8 ? 1 : f == EXEC_U16 || f == EXEC_S16 || f == EXEC_F16 ? 2 : 4;
}

#endif
