/* SPDX-License-Identifier: Apache-2.0 */
/* Replays what kernels do to memory: two threads may not meet at a byte between two barriers, nor one read what nobody wrote. */
#include <limits.h>
#include <string.h>

#include "gen_shape.h"

enum { NOBODY = -1, MANY = -2, ATOMS = -16 };    /* ATOMS - op: only atomics of that kind */

static struct note *note(struct shape *g, enum note_kind kind)
{
    static struct note lost;
    struct note *n = g->n_notes < SHAPE_NOTES ? &g->notes[g->n_notes++] : &lost;
    *n = (struct note){ .kind = kind, .place = g->here, .left_out = g->muted > 0, .sure = g->here->sure && !g->gone };
    return n;
}

void note_plain(struct shape *g, enum note_kind kind) { note(g, kind); }

void note_access(struct shape *g, enum note_kind kind, int space, const struct address *a, unsigned bytes, unsigned op)
{
    struct note *n = note(g, kind);
    n->space = space, n->at = a->at, n->bytes = bytes, n->op = op;
}

/* Somewhere in these bytes of shared memory. */
void note_range(struct shape *g, enum note_kind kind, unsigned lo, unsigned hi, unsigned op)
{
    struct note *n = note(g, kind);
    n->lo = lo, n->hi = hi, n->op = op;
}

static bool touch(struct check_byte *b, const struct note *n, int16_t who)
{
    int16_t atoms = (int16_t)(ATOMS - (int)n->op);
    switch (n->kind) {
    case NOTE_LOAD:
        if (!b->written || (b->writer != NOBODY && b->writer != who))
            return false;
        b->reader = b->reader == NOBODY || b->reader == who ? who : MANY;
        return true;
    case NOTE_STORE:
        if ((b->writer != NOBODY && b->writer != who) || (b->reader != NOBODY && b->reader != who))
            return false;
        b->writer = who, b->written |= n->sure;
        return true;
    default:
        if (!b->written || (b->writer != NOBODY && b->writer != atoms) || b->reader != NOBODY)
            return false;
        b->writer = atoms;
        return true;
    }
}

/* Is this instance in the turns that are replayed? */
static bool in_turn(const struct place *p, const unsigned *turn, unsigned i)
{
    for (; p->up; i = p->parent[i], p = p->up)
        if (p->turns && p->turn[i] != turn[p->depth])
            return false;
    return true;
}

static bool replay_one(struct shape *g, const struct note *n, const unsigned *turn, struct check_state *st)
{
    const struct place *p = n->place;
    unsigned last = UINT_MAX;                     /* threads come in order: a block's are a row */
    bool ok = true;
    for (unsigned i = 0; i < p->n && ok; i++) {
        unsigned block = p->thread[i] / g->threads;
        struct check_byte *shared = st->shared + (size_t)block * SHAPE_SHARED;
        if (!in_turn(p, turn, i))
            continue;
        if (n->kind == NOTE_BARRIER) {
            if (block != last)
                for (unsigned k = 0; k < g->shared; k++)
                    shared[k].writer = shared[k].reader = NOBODY;
        } else if (n->at) {
            for (unsigned k = 0; k < n->bytes; k++)
                ok &= touch(&(n->space == SPACE_OUT ? st->out : shared)[n->at[i] + k], n, (int16_t)p->thread[i]);
        } else if (block != last || n->kind != NOTE_ATOM) {
            for (unsigned k = n->lo; k < n->hi; k++)
                ok &= touch(&shared[k], n, (int16_t)p->thread[i]);
        }
        last = block;
    }
    return ok;
}

/* notes from...; returns behind the end of the loop that they are in. */
static unsigned replay(struct shape *g, unsigned from, unsigned *turn, struct check_state *st, bool small, bool *ok)
{
    unsigned i = from;
    while (i < g->n_notes && g->notes[i].kind != NOTE_END && *ok) {
        const struct note *n = &g->notes[i];
        if (n->kind != NOTE_LOOP) {
            if (!small || !n->left_out)
                *ok &= replay_one(g, n, turn, st);
            i++;
            continue;
        }
        unsigned end = i + 1;
        for (unsigned k = 0; k < n->place->turns && *ok; k++) {
            turn[n->place->depth] = k;
            end = replay(g, i + 1, turn, st, small, ok);
        }
        i = end;
    }
    return i + 1;
}

static bool check_state(struct shape *g, struct check_state *st, bool small)
{
    static struct check_byte shared[SHAPE_BLOCKS * SHAPE_SHARED], out[4 * GEN_OUTPUT_WORDS];
    size_t n = (size_t)g->n_blocks * SHAPE_SHARED * sizeof *shared;
    unsigned turn[SHAPE_PLACES] = { 0 };
    bool ok = true;
    memcpy(shared, st->shared, n);
    memcpy(out, st->out, sizeof out);
    replay(g, 0, turn, st, small, &ok);
    if (!ok) {
        memcpy(st->shared, shared, n);
        memcpy(st->out, out, sizeof out);
    }
    return ok;
}

bool check_notes(struct shape *g)
{
    bool ok = g->n_notes < SHAPE_NOTES && check_state(g, &g->full, false);
    if (ok && g->skip && !check_state(g, &g->small, true))
        g->k->valid = false;
    g->n_notes = 0;
    return ok;
}
