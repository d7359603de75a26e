/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over one or two arrays, laid out as compilers do: with an index or with pointers that step, unrolled by four with a rest or not. */
#include <stdio.h>

#include "gen_shape.h"

enum { IN_BYTES = 4 * GEN_INPUT_WORDS };

/* An array of which each turn reads one word: `first` and then every `stride` words. */
struct stream {
    bool shared, is_float, steps;            /* steps: a pointer; otherwise the index is computed in each turn */
    bool sign;
    struct val first, stride;
    struct word base, at, step;              /* base: of the array; at: the pointer; step: in bytes, or empty */
    struct address a;
};

/* Where it is in each turn, as bytes from its base. We are in the loop. */
static bool stream_span(struct shape *g, struct stream *s, const struct val *turn, int64_t *off, int64_t *lo, int64_t *hi)
{
    *lo = INT64_MAX, *hi = INT64_MIN;
    for (unsigned i = 0; i < g->here->n; i++) {
        uint32_t e = val_at(g, &s->first, i), k = val_at(g, turn, i), w = e + k * s->stride.c;
        if (s->steps)
            off[i] = 4 * (s->sign ? (int64_t)(int32_t)e : (int64_t)e) + 4 * (int64_t)k * (int32_t)s->stride.c;
        else
            off[i] = 4 * (s->sign ? (int64_t)(int32_t)w : (int64_t)w);
        if (s->shared)
            off[i] = (int32_t)off[i];
        *lo = off[i] < *lo ? off[i] : *lo, *hi = off[i] + 4 > *hi ? off[i] + 4 : *hi;
    }
    if (!g->here->n)
        *lo = *hi = 0;
    return *hi - *lo <= IN_BYTES;
}

static bool stream_open(struct shape *g, struct stream *s, const struct val *turn)
{
    int64_t *off = shape_alloc(g, 8ul * g->here->n + 8), lo, hi, at;
    uint32_t *places = shape_alloc(g, 4ul * g->here->n + 4);
    if (!stream_span(g, s, turn, off, &lo, &hi))
        return false;
    if (s->shared) {
        struct val words;
        const struct fill *f = &g->fills[pick(g, g->n_fills)];
        s->is_float = f->is_float;
        if (!offset_uniform(g, lo, hi, f->lo, f->hi, 4, &words))
            return false;
        at = 4 * (int64_t)(int32_t)words.c;
        struct word m = reg(g);
        s->base = reg(g);
        put(g, "\tmov.u32 %s, dyn;\n\tshl.b32 %s, %s, 2;\n\tadd.s32 %s, %s, %s;\n", s->base.s, m.s, words.s, s->base.s, s->base.s, m.s);
    } else {
        s->base = pointer_for(g, GEN_INPUT, lo, hi, s->is_float ? IN_BYTES / 2 : 0, s->is_float ? IN_BYTES / 4 * 3 : IN_BYTES / 2, 4, &at);
        if (!s->base.s[0])
            return false;
    }
    for (unsigned i = 0; i < g->here->n; i++)
        places[i] = (uint32_t)(off[i] + at);
    s->a.at = places;
    if (!s->steps)
        return true;
    struct word m = s->shared ? reg(g) : wide(g);
    s->at = s->shared ? reg(g) : wide(g), s->step.s[0] = 0;
    if (s->shared)
        put(g, "\tshl.b32 %s, %s, 2;\n\tadd.s32 %s, %s, %s;\n", m.s, s->first.s, s->at.s, s->base.s, m.s);
    else
        put(g, "\tmul.wide.%s32 %s, %s, 4;\n\tadd.s64 %s, %s, %s;\n", s->sign ? "s" : "u", m.s, s->first.s, s->at.s, s->base.s, m.s);
    if (s->stride.s[0] == '%') {
        s->step = s->shared ? reg(g) : wide(g);
        put(g, s->shared ? "\tshl.b32 %s, %s, 2;\n" : "\tmul.wide.s32 %s, %s, 4;\n", s->step.s, s->stride.s);
    }
    return true;
}

/* Copy k of the turn whose counter is `i`; the pointer steps behind the last one. */
static struct word stream_load(struct shape *g, struct stream *s, const char *i, unsigned k, bool last)
{
    struct word x = s->is_float ? freg(g) : reg(g), t, u, w;
    const char *type = s->is_float ? "f32" : "u32", *space = s->shared ? "shared" : pick(g, 2) ? "global.nc" : "global", *bits = s->shared ? "s32" : "s64";
    if (s->steps && s->step.s[0]) {                          /* step by step */
        put(g, "\tld.%s.%s %s, [%s];\n\tadd.%s %s, %s, %s;\n", space, type, x.s, s->at.s, bits, s->at.s, s->at.s, s->step.s);
    } else if (s->steps) {
        put(g, "\tld.%s.%s %s, [%s+%d];\n", space, type, x.s, s->at.s, 4 * (int)k * (int)s->stride.c);
        if (last)
            put(g, "\tadd.%s %s, %s, %d;\n", bits, s->at.s, s->at.s, 4 * (int)(k + 1) * (int)s->stride.c);
    } else {
        t = reg(g), u = reg(g);
        put(g, "\tadd.s32 %s, %s, %u;\n\tmad.lo.s32 %s, %s, %s, %s;\n", t.s, i, k, u.s, t.s, s->stride.s, s->first.s);
        w = s->shared ? reg(g) : wide(g);
        if (s->shared)
            put(g, "\tshl.b32 %s, %s, 2;\n", w.s, u.s);
        else
            put(g, "\tmul.wide.%s32 %s, %s, 4;\n", s->sign ? "s" : "u", w.s, u.s);
        put(g, "\tadd.%s %s, %s, %s;\n\tld.%s.%s %s, [%s];\n", bits, w.s, s->base.s, w.s, space, type, x.s, w.s);
    }
    return x;
}

struct stream_loop {
    struct stream s[2];
    unsigned n, how;
    struct word acc, facc, i;
};

/* What a turn does: with floats a product is added, with integers something like it. */
static void stream_turn(struct shape *g, struct stream_loop *l, unsigned k, bool last)
{
    struct word x[2];
    for (unsigned j = 0; j < l->n; j++)
        x[j] = stream_load(g, &l->s[j], l->i.s, k, last);
    if (l->n == 2 && l->s[0].is_float && l->s[1].is_float) {
        put(g, "\tfma.rn.f32 %s, %s, %s, %s;\n", l->facc.s, x[0].s, x[1].s, l->facc.s);
        return;
    }
    for (unsigned j = 0; j < l->n; j++)
        if (l->s[j].is_float)
            put(g, "\t%s %s, %s, %s;\n", l->how % 2 ? "add.rn.f32" : "max.f32", l->facc.s, l->facc.s, x[j].s);
        else
            put(g, l->how % 2 ? "\tmad.lo.s32 %s, %s, 31, %s;\n" : "\tmax.s32 %s, %s, %s;\n", l->acc.s, l->acc.s, x[j].s);
}

/* The loop's text around its turns; n: how many. */
static void stream_text(struct shape *g, struct stream_loop *l, const struct val *n)
{
    unsigned label = g->n_label++, form = pick(g, 5);
    struct word p = pred(g), q = pred(g), left = reg(g), c = reg(g), less = reg(g), few = pred(g);
    put(g, "\tmov.u32 %s, 0;\n", l->i.s);
    if (form == 0) {
        put(g, "L%u:\n\tsetp.ge.%s %s, %s, %s;\n\t@%s bra D%u;\n", label, pick(g, 2) ? "s32" : "u32", p.s, l->i.s, n->s, p.s, label);
        stream_turn(g, l, 0, true);
        put(g, "\tadd.s32 %s, %s, 1;\n\tbra.uni L%u;\nD%u:\n", l->i.s, l->i.s, label, label);
        return;
    }
    put(g, "\tsetp.lt.s32 %s, %s, 1;\n\t@%s bra D%u;\n", p.s, n->s, p.s, label);
    if (form == 1) {
        put(g, "L%u:\n", label);
        stream_turn(g, l, 0, true);
        put(g, "\tadd.s32 %s, %s, 1;\n\tsetp.lt.s32 %s, %s, %s;\n\t@%s bra L%u;\nD%u:\n", l->i.s, l->i.s, q.s, l->i.s, n->s, q.s, label, label);
        return;
    }
    put(g, "\tand.b32 %s, %s, 3;\n\tadd.s32 %s, %s, -1;\n\tsetp.lt.u32 %s, %s, 3;\n\t@%s bra M%u;\n", left.s, n->s, less.s, n->s, few.s, less.s, few.s, label);
    put(g, "\tsub.s32 %s, %s, %s;\nL%u:\n", c.s, n->s, left.s, label);
    for (unsigned k = 0; k < 4; k++)
        stream_turn(g, l, k, k == 3);
    put(g, "\tadd.s32 %s, %s, 4;\n\tadd.s32 %s, %s, -4;\n\tsetp.ne.s32 %s, %s, 0;\n\t@%s bra L%u;\n", l->i.s, l->i.s, c.s, c.s, q.s, c.s, q.s, label);
    put(g, "M%u:\n\tsetp.eq.s32 %s, %s, 0;\n\t@%s bra D%u;\nR%u:\n", label, q.s, left.s, q.s, label, label);
    stream_turn(g, l, 0, true);
    put(g, "\tadd.s32 %s, %s, 1;\n\tadd.s32 %s, %s, -1;\n\tsetp.ne.s32 %s, %s, 0;\n\t@%s bra R%u;\nD%u:\n", l->i.s, l->i.s, left.s, left.s, q.s, left.s, q.s, label, label);
}

static void stream_choose(struct shape *g, struct stream *s)
{
    *s = (struct stream){ .shared = g->n_fills && pick(g, 2), .is_float = pick(g, 3) > 0, .steps = pick(g, 2), .sign = pick(g, 2) };
    if (s->shared && pick(g, 2))
        s->first = pick(g, 2) ? val_const(0) : index_uniform(g, 32), s->stride = val_const(1);
    else
        s->first = index_any(g), s->stride = pick(g, 2) ? val_const(1) : pick(g, 4) ? index_uniform(g, 64) : val_const(0u - 1 - pick(g, 3));
}

bool stream_loop(struct shape *g)
{
    struct stream_loop l = { .n = 1 + pick(g, 2), .how = pick(g, 2), .acc = data_int(g), .facc = data_float(g), .i = reg(g) };
    struct val turn = { .s = "" }, n = index_uniform(g, 20), mask = val_const((1u << pick(g, 5)) - 1), x;
    bool ok = true;
    if (pick(g, 4) == 0) {                                   /* each thread as often as it likes */
        x = index_any(g);
        n = val_two(g, "and.b32", &x, &mask);
    }
    for (unsigned j = 0; j < l.n; j++)
        stream_choose(g, &l.s[j]);
    if (!place_loop(g, &n, &turn))
        return false;
    for (unsigned j = 0; j < l.n && ok; j++) {
        ok = stream_open(g, &l.s[j], &turn);
        if (ok && l.s[j].shared)
            note_access(g, NOTE_LOAD, SPACE_SHARED, &l.s[j].a, 4, 0);
    }
    place_leave(g);
    if (ok)
        stream_text(g, &l, &n);
    return ok;
}
