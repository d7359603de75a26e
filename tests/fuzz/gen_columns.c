/* SPDX-License-Identifier: Apache-2.0 */
/* Several arrays at the same few indices: keys and values that are put in order, parts of vectors kept apart, copies. */
#include <stdio.h>

#include "gen_shape.h"

enum { MAX_INDICES = 3, MAX_ARRAYS = 4 };

struct columns {
    unsigned indices, in, out;
    bool sorts;
    struct val index[MAX_INDICES];
    struct offset offset[MAX_INDICES];
    struct word x[MAX_ARRAYS][MAX_INDICES];
};

/* Runs of `gap` with holes as long, and the words in the holes: a step of a sorting network; or any index and its neighbours. */
static void choose_indices(struct shape *g, struct columns *c)
{
    c->indices = 1 + pick(g, MAX_INDICES);
    if (c->sorts || pick(g, 3) == 0) {
        struct val gap = val_param(g, 1u << (pick(g, 4) ? 2 + pick(g, 7) : pick(g, 9))), minus = val_const(UINT32_MAX), one = val_const(1);
        struct val less = val_two(g, "add.s32", &gap, &minus), in_run = val_two(g, "and.b32", &less, &g->gid), twice = val_two(g, "shl.b32", &g->gid, &one);
        c->index[0] = val_two(g, "sub.s32", &twice, &in_run);
        c->index[1] = val_two(g, "add.s32", &c->index[0], &gap);
        c->indices = c->sorts || pick(g, 3) ? 2 : 1;
        return;
    }
    c->index[0] = pick(g, 3) ? index_own(g, false) : index_any(g);
    for (unsigned k = 1; k < c->indices; k++) {
        struct val by = pick(g, 2) ? index_uniform(g, 512) : val_const(1 + pick(g, 64));
        c->index[k] = val_two(g, pick(g, 3) ? "add.s32" : "sub.s32", &c->index[k - 1], &by);
    }
}

static bool load_columns(struct shape *g, struct columns *c)
{
    const char *nc = pick(g, 2) ? ".nc" : "";
    for (unsigned a = 0; a < c->in; a++)
        for (unsigned k = 0; k < c->indices; k++) {
            struct address at;
            g->new_pointers = k == 0;
            bool ok = address_at(g, GEN_INPUT, 0, 4 * GEN_INPUT_WORDS, &c->offset[k], 4, &at);
            g->new_pointers = false;
            if (!ok)
                return false;
            c->x[a][k] = reg(g);
            put(g, "\tld.global%s.u32 %s, %s;\n", nc, c->x[a][k].s, at.s);
        }
    return true;
}

/* The same with a branch around the moves. */
static void exchange_by_branch(struct shape *g, struct columns *c, struct word p)
{
    unsigned l = g->n_label++;
    struct word new[MAX_ARRAYS][2];
    for (unsigned a = 0; a < c->in; a++)
        for (unsigned k = 0; k < 2; k++) {
            new[a][k] = reg(g);
            put(g, "\tmov.u32 %s, %s;\n", new[a][k].s, c->x[a][k].s);
        }
    put(g, "\t@%s bra X%u;\n", p.s, l);
    for (unsigned a = 0; a < c->in; a++)
        for (unsigned k = 0; k < 2; k++)
            put(g, "\tmov.u32 %s, %s;\n", new[a][k].s, c->x[a][1 - k].s);
    put(g, "X%u:\n", l);
    for (unsigned a = 0; a < c->in; a++)
        c->x[a][0] = new[a][0], c->x[a][1] = new[a][1];
}

/* The words at two of the indices change places in all arrays where the first array says so. */
static void exchange_columns(struct shape *g, struct columns *c)
{
    struct word p = pred(g);
    put(g, "\tsetp.%s.%s %s, %s, %s;\n", pick(g, 2) ? "gt" : "le", pick(g, 2) ? "u32" : "s32", p.s, c->x[0][0].s, c->x[0][1].s);
    if (pick(g, 3)) {
        exchange_by_branch(g, c, p);
        return;
    }
    for (unsigned a = 0; a < c->in; a++) {
        struct word low = reg(g), high = reg(g);
        put(g, "\tselp.b32 %s, %s, %s, %s;\n\tselp.b32 %s, %s, %s, %s;\n", low.s, c->x[a][1].s, c->x[a][0].s, p.s, high.s, c->x[a][0].s, c->x[a][1].s, p.s);
        c->x[a][0] = low, c->x[a][1] = high;
    }
}

static bool store_columns(struct shape *g, struct columns *c)
{
    for (unsigned a = 0; a < c->out; a++) {
        unsigned from = g->out_used;
        for (unsigned k = 0; k < c->indices; k++) {
            struct address at;
            g->new_pointers = k == 0;
            bool ok = address_at(g, GEN_OUTPUT, from, 4 * GEN_OUTPUT_WORDS, &c->offset[k], 4, &at);
            g->new_pointers = false;
            if (!ok)
                return false;
            put(g, "\tst.global.u32 %s, %s;\n", at.s, c->x[a % c->in][k].s);
            note_access(g, NOTE_STORE, SPACE_OUT, &at, 4, 0);
            for (unsigned i = 0; i < g->here->n; i++)
                g->out_used = at.at[i] + 4 > g->out_used ? (at.at[i] + 19) & ~15u : g->out_used;
        }
    }
    return true;
}

/* The same way to widen for all; from what has been widened before, or not. */
static void make_offsets(struct shape *g, struct columns *c, bool from_wide)
{
    uint64_t rng = g->t.rng;
    for (unsigned k = 0; k < c->indices; k++) {
        struct val index = c->index[k];
        if (!from_wide)
            index.wide.s[0] = 0;
        g->t.rng = rng;
        offset_of(g, &index, 4, &c->offset[k]);
    }
}

bool columns(struct shape *g)
{
    struct columns c = { .in = 1 + pick(g, MAX_ARRAYS), .out = pick(g, MAX_ARRAYS), .sorts = pick(g, 2) };
    if (c.sorts)                                             /* a step of a sorting network */
        c.in = c.out = 1 + pick(g, 3);
    if (g->here->turns)                                      /* the places would be written again in every turn */
        c.out = 0;
    choose_indices(g, &c);
    uint64_t rng = g->t.rng;
    if (pick(g, 3))
        for (unsigned k = 0; k < c.indices; k++) {
            g->t.rng = rng;
            val_widen(g, &c.index[k]);
        }
    make_offsets(g, &c, pick(g, 4) == 0);
    if (!load_columns(g, &c))
        return false;
    if (c.sorts || (c.indices > 1 && pick(g, 3)))
        exchange_columns(g, &c);
    else
        for (unsigned a = 0; a < c.in; a++)
            data_mix(g, c.x[a][c.indices - 1].s);
    if (pick(g, 3))                                          /* computed again behind the branch */
        make_offsets(g, &c, true);
    return store_columns(g, &c);
}
