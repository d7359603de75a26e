/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files that make kernels of random statements share. */
#ifndef GEN_SOUP_H
#define GEN_SOUP_H

#include "gen_text.h"
#include "random_gen.h"

enum { N_INT = 6, N_FLOAT = 3, N_BINS = 128, MAX_DEPTH = 4, MAX_STATEMENTS = GEN_MAX_SKIP - 1 };

/* Who is sure to be here together: the whole block, the whole warp, or nobody. */
enum together { BLOCK, WARP, ALONE };

struct gen {
    struct gen_text t;
    struct gen_kernel *k;
    const bool *skip;
    unsigned n_reg, n_pred, n_label, threads, budget, pitch, fields, field_bytes;
    bool gone;                   /* some threads may have returned: their values must not be asked for */
    bool shuffles;               /* the loops that are open have shuffles: who leaves would be missed in the next turn */
    char exits[MAX_DEPTH + 1][16], nexts[MAX_DEPTH + 1][16];   /* labels of the loops around */
    unsigned n_loops;
    bool loop_breaks;            /* leaving a loop early is allowed where we are */
    bool known_places;           /* of local memory, always: a compiler may keep it in registers */
};

#define pick(g, n) text_pick(&(g)->t, n)
#define put(g, ...) text_put(&(g)->t, __VA_ARGS__)

/* Loops that are entered in the middle. NVIDIA's compiler (13.0, driver 580) makes wrong code of some, at every level but 0: not where a GPU is asked. */
extern bool soup_enters_loops;

void soup_body(struct gen *g, enum together who, unsigned depth, unsigned n);
void soup_store_all(struct gen *g);

#endif
