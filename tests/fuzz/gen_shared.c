/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory: arrays behind each other at offsets that are parameters; integers below, floats above. */
#include <stdio.h>

#include "gen_shape.h"

bool barrier(struct shape *g)
{
    if (!g->here->blocks)
        return false;
    put(g, "\tbar.sync 0;\n");
    note_plain(g, NOTE_BARRIER);
    return true;
}

static void filled(struct shape *g, unsigned lo, unsigned hi, bool is_float)
{
    struct fill f = { lo, hi, is_float };
    if (g->n_fills < SHAPE_FILLS)
        g->fills[g->n_fills++] = f;
    else
        g->fills[pick(g, SHAPE_FILLS)] = f;
}

/* A fill of that kind, or NULL. */
static const struct fill *some_fill(struct shape *g, bool is_float, unsigned bytes)
{
    for (unsigned tries = 0; tries < 8 && g->n_fills; tries++) {
        const struct fill *f = &g->fills[pick(g, g->n_fills)];
        if (f->is_float == is_float && f->hi - f->lo >= bytes)
            return f;
    }
    return NULL;
}

/* Everybody writes words of their own: now and then two or four. */
bool shared_store(struct shape *g)
{
    bool is_float = pick(g, 3) && g->ints < g->shared;
    unsigned lo = is_float ? g->ints : 0, hi = is_float ? g->shared : g->ints, parts = pick(g, 4) ? 1 : 2, first = UINT32_MAX, last = 0;
    struct val i = index_own(g, true);
    struct address a;
    if (g->here->turns && g->n_counters && pick(g, 2))
        i = g->counters[g->n_counters - 1];
    if (!address_shared(g, lo, hi, &i, 4 * parts, 4 * parts, &a))
        return false;
    if (is_float)
        parts == 1 ? put(g, "\tst.shared.f32 %s, %s;\n", a.s, data_float(g).s) : put(g, "\tst.shared.v2.f32 %s, {%s, %s};\n", a.s, data_float(g).s, data_float(g).s);
    else
        parts == 1 ? put(g, "\tst.shared.u32 %s, %s;\n", a.s, data_int(g).s) : put(g, "\tst.shared.v2.u32 %s, {%s, %s};\n", a.s, data_int(g).s, data_int(g).s);
    note_access(g, NOTE_STORE, SPACE_SHARED, &a, 4 * parts, 0);
    for (unsigned k = 0; k < g->here->n; k++)
        first = a.at[k] < first ? a.at[k] : first, last = a.at[k] + 4 * parts > last ? a.at[k] + 4 * parts : last;
    if (last > first)
        filled(g, first, last, is_float);
    return true;
}

bool shared_load(struct shape *g)
{
    bool is_float = pick(g, 2);
    const struct fill *f = some_fill(g, is_float, 4);
    struct val i = pick(g, 2) ? index_own(g, true) : index_any(g);
    unsigned parts = pick(g, 5) ? 1 : 2;
    struct address a;
    struct word x = is_float ? freg(g) : reg(g), y = is_float ? freg(g) : reg(g);
    if (pick(g, 2))
        barrier(g);
    if (!f || !address_shared(g, f->lo, f->hi, &i, 4 * parts, 4 * parts, &a))
        return false;
    const char *type = is_float ? "f32" : "u32";
    if (parts == 1)
        put(g, "\tld.shared.%s %s, %s;\n", type, x.s, a.s);
    else
        put(g, "\tld.shared.v2.%s {%s, %s}, %s;\n", type, x.s, y.s, a.s);
    note_access(g, NOTE_LOAD, SPACE_SHARED, &a, 4 * parts, 0);
    for (unsigned k = 0; k < parts; k++)
        is_float ? data_mix_float(g, k ? y.s : x.s) : data_mix(g, k ? y.s : x.s);
    return true;
}

/* for (s = half; s > 0; s /= 2) { if (t < s) a[t] += a[t + s]; barrier } */
bool shared_tree(struct shape *g)
{
    bool is_float = pick(g, 2);
    const struct fill *f = some_fill(g, is_float, 8);
    if (!f || !g->here->blocks)
        return false;
    unsigned log = pick(g, 7);
    while (log && 8u << log > f->hi - f->lo)
        log--;
    unsigned label = g->n_label++, lo = f->lo, hi = f->hi;
    struct val half = pick(g, 2) ? val_param(g, 1u << log) : val_const(1u << log), turns = val_const(log + 1), turn = { .s = "" }, s, cond, other;
    struct word r = reg(g), p = pred(g), x = is_float ? freg(g) : reg(g), y = is_float ? freg(g) : reg(g);
    const char *type = is_float ? "f32" : "u32", *add = is_float ? "add.rn.f32" : "add.s32";
    struct address a, b;
    barrier(g);
    put(g, "\tmov.u32 %s, %s;\n", r.s, half.s);
    if (!place_loop(g, &turns, &turn))
        return false;
    uint32_t *v = shape_alloc(g, 4ul * g->here->n + 4);
    for (unsigned i = 0; i < g->here->n; i++)
        v[i] = half.c >> val_at(g, &turn, i);
    s = (struct val){ .depth = g->here->depth, .v = v };
    snprintf(s.s, sizeof s.s, "%s", r.s);
    put(g, "T%u:\n", label);
    cond = val_compare(g, pick(g, 2) ? "setp.lt.u32" : "setp.lt.s32", &g->lin, &s);
    put(g, "\t@!%s bra U%u;\n", cond.s, label);
    bool ok = place_branch(g, &cond, true);
    if (ok) {
        other = val_two(g, "add.s32", &g->lin, &s);
        ok = address_shared(g, lo, lo + (8u << log) <= hi ? lo + (8u << log) : hi, &g->lin, 4, 4, &a) && address_shared(g, lo, hi, &other, 4, 4, &b);
        if (ok) {
            put(g, "\tld.shared.%s %s, %s;\n\tld.shared.%s %s, %s;\n\t%s %s, %s, %s;\n\tst.shared.%s %s, %s;\n", type, x.s, a.s, type, y.s, b.s, add, x.s, x.s, y.s, type, a.s, x.s);
            note_access(g, NOTE_LOAD, SPACE_SHARED, &a, 4, 0);
            note_access(g, NOTE_LOAD, SPACE_SHARED, &b, 4, 0);
            note_access(g, NOTE_STORE, SPACE_SHARED, &a, 4, 0);
        }
        place_leave(g);
    }
    put(g, "U%u:\n", label);
    ok &= barrier(g);
    put(g, "\tshr.u32 %s, %s, 1;\n\tsetp.ne.s32 %s, %s, 0;\n\t@%s bra T%u;\n", r.s, r.s, p.s, r.s, p.s, label);
    place_leave(g);
    return ok;
}

/* Counting in some words: the order of additions does not matter. */
bool shared_atomic(struct shape *g)
{
    const struct fill *f = some_fill(g, false, 64);
    if (!f)
        return false;
    unsigned words = 8u << pick(g, 4);
    while (4 * words > f->hi - f->lo)
        words /= 2;
    struct word t = reg(g), b = reg(g);
    if (pick(g, 2))
        barrier(g);
    put(g, "\tand.b32 %s, %s, %u;\n\tshl.b32 %s, %s, 2;\n\tmov.u32 %s, dyn;\n\tadd.s32 %s, %s, %s;\n", t.s, data_int(g).s, words - 1, t.s, t.s, b.s, b.s, b.s, t.s);
    if (pick(g, 2))
        put(g, "\tatom.shared.add.u32 %s, [%s+%u], %s;\n", t.s, b.s, f->lo, pick(g, 2) ? "1" : data_int(g).s);
    else
        put(g, "\tred.shared.add.u32 [%s+%u], %s;\n", b.s, f->lo, pick(g, 2) ? "1" : data_int(g).s);
    note_range(g, NOTE_ATOM, f->lo, f->lo + 4 * words, 0);
    return true;
}

/* Some threads append a word to a list; then everybody adds up all of it. */
bool shared_list(struct shape *g)
{
    const struct fill *f = some_fill(g, false, 4 * (g->threads + 1));
    if (!f || !g->here->blocks || g->here->depth > 1 || g->here->turns)
        return false;
    unsigned l = g->n_label++, lo = f->lo, end = f->lo + 4 * (g->threads + 1);
    struct word slot = reg(g), at = reg(g), i = reg(g), n = reg(g), p = pred(g), x = reg(g), to = data_int(g);
    put(g, "\tbar.sync 0;\n\tmov.u32 %s, dyn;\n\tst.shared.u32 [%s+%u], 0;\n\tbar.sync 0;\n", at.s, at.s, lo);
    put(g, "\t@%s bra list%u;\n", data_condition(g).s, l);
    put(g, "\tatom.shared.add.u32 %s, [%s+%u], 1;\n\tshl.b32 %s, %s, 2;\n\tadd.s32 %s, %s, %s;\n\tst.shared.u32 [%s+%u], %s;\nlist%u:\n\tbar.sync 0;\n", slot.s, at.s, lo, slot.s, slot.s, slot.s,
        slot.s, at.s, slot.s, lo + 4, to.s, l);
    put(g, "\tld.shared.u32 %s, [%s+%u];\n\tmov.u32 %s, 0;\nB%u:\n\tsetp.ge.u32 %s, %s, %s;\n\t@%s bra C%u;\n", n.s, at.s, lo, i.s, l, p.s, i.s, n.s, p.s, l);
    put(g, "\tld.shared.u32 %s, [%s+%u];\n\tadd.s32 %s, %s, %s;\n\tadd.s32 %s, %s, 4;\n\tadd.s32 %s, %s, 1;\n\tbra.uni B%u;\nC%u:\n", x.s, at.s, lo + 4, to.s, to.s, x.s, at.s, at.s, i.s, i.s, l, l);
    /* The list is in another order each time: nobody else may look at it. */
    put(g, "\tbar.sync 0;\n\tmov.u32 %s, dyn;\n\tmov.u32 %s, 0;\nE%u:\n\tst.shared.u32 [%s+%u], %s;\n\tadd.s32 %s, %s, 4;\n\tadd.s32 %s, %s, 1;\n\tsetp.lt.u32 %s, %s, %u;\n\t@%s bra E%u;\n\tbar.sync 0;\n",
        at.s, i.s, l, at.s, lo, i.s, at.s, at.s, i.s, i.s, p.s, i.s, g->threads + 1, p.s, l);
    note_plain(g, NOTE_BARRIER);
    note_range(g, NOTE_ATOM, lo, end, 1);
    note_plain(g, NOTE_BARRIER);
    return true;
}
