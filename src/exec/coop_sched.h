/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose threads or warps take turns: a thread has several blocks at hand and goes round them. Private to exec/. */
#ifndef EXEC_ROUNDS_H
#define EXEC_ROUNDS_H

#include "base/list.h"
#include "exec/internal.h"
#include "exec/warp_split.h"

/* A block at hand. */
struct resident {
    struct hw_list link;
    struct kabi_block block;
    struct exec_areas *areas;
    struct turns turns;
    unsigned idle;               /* rounds in which no group came to another place */
};

/*
 * The blocks that a thread has at hand.
 * Lifetime  One call of run(), on its stack; a fault leaves blocks behind, for rounds_fini().
 */
struct rounds {
    struct exec_launch *launch;
    struct hw_list residents;
    unsigned n;
    uint64_t begun, over;        /* how many blocks in all */
    uint64_t still_since;        /* when it was first seen that every block only spins; 0: not so */
    uint64_t last_begun;         /* when, in ns */
    bool said;                   /* that all of them only spin, at that state of the grid */
    uint64_t said_at;
    unsigned looks, steps;       /* that are left of a step; steps in vain */
    bool impatient;              /* one of them was seen in a loop that gives up */
};

bool rounds_init(struct rounds *all, struct exec_launch *launch, uint64_t first);     /* false: no memory */
void rounds_run(struct rounds *all, struct exec_scope *scope);
void rounds_fini(struct rounds *all);

#endif
