/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of a texture: its texels with their weights, its level of detail, and the filters. */
#ifndef EXEC_SAMPLE_H
#define EXEC_SAMPLE_H

#include "exec/texel.h"
#include "kabi/texture.h"

/* What a sample is about, apart from the level. */
struct sample {
    unsigned dims;
    float at[3];
    int64_t layer;
    bool normalised;
};

/* What is filtered: texels of one or two levels with weights that sum up to 256. plane: those of one slice of one level follow each other. */
struct tap {
    const struct exec_level *level;
    int64_t at[3];
    unsigned weight, plane;
};
enum { MAX_TAPS = 32 };
struct taps {
    unsigned n, plane;           /* plane: which one texels are added to */
    bool seamless;               /* indices may lie beyond the edges of a face: the next face is there */
    struct tap v[MAX_TAPS];      /* the first n have contents: clearing all would take longer than most samples */
};
void exec_sample(const struct exec_texture *t, struct tex_op op, const uint32_t *args, union texel *out);
void exec_gather(const struct exec_texture *t, struct tex_op op, const uint32_t *args, union texel *out);
/* The level of detail in 256ths, within the texture's levels. */
int64_t sample_lod(const struct exec_texture *t, const struct sample *s, struct tex_op op, const uint32_t *args);
/* The taps' texels, weighted as the format has it. */
void sample_filter(const struct exec_texture *t, const struct taps *taps, union texel *out);

#endif
