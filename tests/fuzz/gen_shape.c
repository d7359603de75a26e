/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of kernels with the shape of real ones: guards, loops, branches, what warps do together. */
#include <stdio.h>
#include <string.h>

#include "gen_shape.h"

enum { MAX_NESTING = 3 };

static void body(struct shape *g, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        shape_statement(g);
}

/* if (known) { ... } else { ... } */
static bool guard(struct shape *g)
{
    unsigned l = g->n_label++;
    index_hoist(g);
    struct val c = index_condition(g), not_c = c;
    bool other = pick(g, 4) == 0;
    put(g, "\t@!%s bra G%u;\n", c.s, l);
    if (!place_branch(g, &c, true))
        return false;
    body(g, 1 + pick(g, 3));
    place_leave(g);
    if (!other) {
        put(g, "G%u:\n", l);
        return true;
    }
    put(g, "\tbra.uni H%u;\nG%u:\n", l, l);
    uint32_t *v = shape_alloc(g, 4ul * g->here->n + 4);
    for (unsigned i = 0; i < g->here->n; i++)
        v[i] = !val_at(g, &c, i);
    not_c.v = v, not_c.depth = g->here->depth;
    if (place_branch(g, &not_c, true)) {
        body(g, 1 + pick(g, 2));
        place_leave(g);
    }
    put(g, "H%u:\n", l);
    return true;
}

static bool data_branch(struct shape *g)
{
    unsigned l = g->n_label++;
    bool other = pick(g, 2);
    put(g, "\t@%s bra I%u;\n", data_condition(g).s, l);
    if (!place_branch(g, NULL, false))
        return false;
    body(g, 1 + pick(g, 2));
    if (other)
        put(g, "\tbra.uni J%u;\n", l);
    put(g, "I%u:\n", l);
    if (other) {
        body(g, 1 + pick(g, 2));
        put(g, "J%u:\n", l);
    }
    place_leave(g);
    return true;
}

static bool many_ways(struct shape *g)
{
    unsigned l = g->n_label++, ways = 2 + pick(g, 3);
    struct val i = index_any(g), n = val_const(ways), which = val_two(g, "rem.u32", &i, &n);
    if (pick(g, 2)) {
        put(g, "Q%u: .branchtargets", l);
        for (unsigned k = 0; k < ways; k++)
            put(g, "%s S%u_%u", k ? "," : "", l, k);
        put(g, ";\n\tbrx.idx %s, Q%u;\n", which.s, l);
    } else {
        for (unsigned k = 0; k + 1 < ways; k++) {
            struct word p = pred(g);
            put(g, "\tsetp.eq.s32 %s, %s, %u;\n\t@%s bra S%u_%u;\n", p.s, which.s, k, p.s, l, k);
        }
        put(g, "\tbra.uni S%u_%u;\n", l, ways - 1);
    }
    for (unsigned k = 0; k < ways; k++) {
        struct val here = { .depth = g->here->depth };
        uint32_t *v = shape_alloc(g, 4ul * g->here->n + 4);
        for (unsigned j = 0; j < g->here->n; j++)
            v[j] = val_at(g, &which, j) == k;
        here.v = v;
        put(g, "S%u_%u:\n", l, k);
        if (!place_branch(g, &here, true))
            return false;
        body(g, 1);
        place_leave(g);
        if (k + 1 < ways)
            put(g, "\tbra.uni V%u;\n", l);
    }
    put(g, "V%u:\n", l);
    return true;
}

/* How often `for (i = start; i < n; i += step)` turns, unsigned or signed. */
static struct val turns_of(struct shape *g, const struct val *start, const struct val *n, const struct val *step, bool is_signed)
{
    struct val r = { .depth = g->here->depth };
    uint32_t *v = shape_alloc(g, 4ul * g->here->n + 4);
    for (unsigned i = 0; i < g->here->n; i++) {
        uint32_t a = val_at(g, start, i), b = val_at(g, n, i), s = val_at(g, step, i);
        v[i] = (is_signed ? (int32_t)a < (int32_t)b : a < b) ? (b - a + s - 1) / s : 0;
    }
    r.v = v;
    return r;
}

/* for (i = start; i < n; i += step), tested at the top or behind; sometimes data end it early. */
static bool counted_loop(struct shape *g)
{
    unsigned l = g->n_label++;
    bool is_signed = pick(g, 2), at_top = pick(g, 2), breaks = pick(g, 4) == 0;
    struct val start = val_const(0), step = val_const(1), n = index_uniform(g, 10), turn = { .s = "" }, turns, i;
    const char *type = is_signed ? "s32" : "u32";
    struct word r = reg(g), p = pred(g);
    uint32_t lo, hi;
    switch (pick(g, 4)) {
    case 0: start = pick(g, 2) ? g->lin : g->tx, step = pick(g, 2) ? val_param(g, g->threads) : val_const(g->threads), n = index_uniform(g, 3 * g->threads); break;
    case 1: start = index_leaf(g), step = index_uniform(g, 4), n = index_uniform(g, 40); break;
    default: break;
    }
    if (g->n_counters == SHAPE_COUNTERS)
        return false;
    index_hoist(g);
    turns = turns_of(g, &start, &n, &step, is_signed);
    val_range(g, &turns, &lo, &hi);
    if (hi > 40)
        return false;
    if (breaks && !place_branch(g, NULL, false))
        return false;
    put(g, "\tmov.u32 %s, %s;\n", r.s, start.s);
    if (!at_top)
        put(g, "\tsetp.ge.%s %s, %s, %s;\n\t@%s bra D%u;\n", type, p.s, r.s, n.s, p.s, l);
    if (!place_loop(g, &turns, &turn))
        return false;
    uint32_t *v = shape_alloc(g, 4ul * g->here->n + 4);
    for (unsigned k = 0; k < g->here->n; k++)
        v[k] = val_at(g, &start, k) + turn.v[k] * val_at(g, &step, k);
    i = (struct val){ .depth = g->here->depth, .v = v };
    snprintf(i.s, sizeof i.s, "%s", r.s);
    g->counters[g->n_counters++] = i;
    put(g, "L%u:\n", l);
    if (at_top)
        put(g, "\tsetp.ge.%s %s, %s, %s;\n\t@%s bra D%u;\n", type, p.s, r.s, n.s, p.s, l);
    body(g, 1 + pick(g, 2));
    if (breaks)
        put(g, "\t@%s bra %s%u;\n", data_condition(g).s, pick(g, 3) ? "D" : "N", l);
    body(g, pick(g, 3));
    put(g, "N%u:\n\tadd.s32 %s, %s, %s;\n", l, r.s, r.s, step.s);
    if (at_top)
        put(g, "\tbra.uni L%u;\nD%u:\n", l, l);
    else
        put(g, "\tsetp.lt.%s %s, %s, %s;\n\t@%s bra L%u;\nD%u:\n", type, p.s, r.s, n.s, p.s, l, l);
    g->n_counters--;
    place_leave(g);
    if (breaks)
        place_leave(g);
    return true;
}

/* Sums over a warp, in a loop or laid out, and votes. */
static bool warp_work(struct shape *g)
{
    static const char *const kinds[] = { "down", "bfly", "up" }, *const ops[] = { "add.s32", "max.s32", "xor.b32", "min.u32" };
    if (!g->here->warps || g->threads % 32)
        return false;
    struct word x = data_int(g), y = reg(g), o = reg(g), p = pred(g), q = pred(g);
    unsigned l = g->n_label++, kind = pick(g, 3), from = 1u << pick(g, 5);
    const char *op = ops[pick(g, COUNT(ops))];
    switch (pick(g, 4)) {
    case 0:
        put(g, "\tmov.u32 %s, %u;\nK%u:\n\tshfl.sync.%s.b32 %s|%s, %s, %s, %u, -1;\n\t%s %s, %s, %s;\n", o.s, from, l, kinds[kind], y.s, p.s, x.s, o.s, kind == 2 ? 0 : 31, op, x.s, x.s, y.s);
        put(g, "\tshr.u32 %s, %s, 1;\n\tsetp.ne.s32 %s, %s, 0;\n\t@%s bra K%u;\n", o.s, o.s, q.s, o.s, q.s, l);
        break;
    case 1:
        for (; from; from /= 2)
            put(g, "\tshfl.sync.%s.b32 %s|%s, %s, %u, %u, -1;\n\t%s %s, %s, %s;\n", kinds[kind], y.s, p.s, x.s, from, kind == 2 ? 0 : 31, op, x.s, x.s, y.s);
        break;
    case 2:
        put(g, "\tvote.sync.ballot.b32 %s, %s, -1;\n", y.s, data_condition(g).s);
        put(g, "\tpopc.b32 %s, %s;\n\tadd.s32 %s, %s, %s;\n", y.s, y.s, x.s, x.s, y.s);
        break;
    default:
        put(g, "\tvote.sync.%s.pred %s, %s, -1;\n", pick(g, 2) ? "any" : "all", p.s, data_condition(g).s);
        put(g, "\t@%s add.s32 %s, %s, 17;\n", p.s, x.s, x.s);
        break;
    }
    return true;
}

static bool local_array(struct shape *g)
{
    struct val i = index_any(g), most = val_const(15), t = val_two(g, "and.b32", &i, &most);
    struct word m = reg(g), b = reg(g), x = reg(g);
    put(g, "\tshl.b32 %s, %s, 2;\n\tmov.u32 %s, own;\n\tadd.s32 %s, %s, %s;\n", m.s, t.s, b.s, b.s, b.s, m.s);
    if (pick(g, 2)) {
        put(g, "\tst.local.u32 [%s], %s;\n", b.s, data_int(g).s);
    } else {
        put(g, "\tld.local.u32 %s, [%s];\n", x.s, b.s);
        data_mix(g, x.s);
    }
    return true;
}

static bool global_atomic(struct shape *g)
{
    struct word t = reg(g);
    struct val i = { .depth = g->here->depth };
    uint32_t *v = shape_alloc(g, 4ul * g->here->n + 4);
    struct address a;
    unsigned last = GEN_TABLE - 1;
    for (unsigned k = 0; k < g->here->n; k++)                /* any of them: it is enough to know the ends */
        v[k] = k % 2 ? last : 0;
    i.v = v;
    snprintf(i.s, sizeof i.s, "%s", t.s);
    put(g, "\tand.b32 %s, %s, %u;\n", t.s, data_int(g).s, last);
    if (g->here->n < 2 || !address_global(g, GEN_ATOMIC, 4 * GEN_ATOMS, 4 * GEN_ATOMIC_WORDS, &i, 4, 4, &a))
        return false;
    put(g, "\tred.global.add.u32 %s, %s;\n", a.s, data_int(g).s);
    return true;
}

/* if (known) return; only where all statements to come are told. */
static bool leave_early(struct shape *g)
{
    unsigned l = g->n_label++;
    if (g->nesting > 1)
        return false;
    if (pick(g, 4) == 0) {
        put(g, "\t@%s bra O%u;\n\tret;\nO%u:\n", data_condition(g).s, l, l);
        g->gone = true;
        g->here->warps = false;
        return true;
    }
    struct val stay = index_condition(g);
    uint32_t lo, hi;
    val_range(g, &stay, &lo, &hi);
    if (!hi)
        return false;
    if (g->muted)                                            /* those that do not leave are not told to later statements */
        g->k->valid = false;
    put(g, "\t@%s bra O%u;\n\tret;\nO%u:\n", stay.s, l, l);
    place_return(g, &stay);
    return true;
}

typedef bool make_fn(struct shape *g);
static bool step(struct shape *g) { data_step(g); return true; }

/* Simple statements come first: the only ones where nesting is deep. A kernel's theme is what it has more of. */
static make_fn *const all[] = { data_load, data_load, data_load, data_store, data_store, step, shared_load, shared_load, shared_store, shared_store, barrier, warp_work,
    local_array, global_atomic, shared_atomic, stream_loop, stream_loop, columns, columns, shared_tree, shared_list, guard, guard, guard, data_branch, many_ways, counted_loop,
    counted_loop, leave_early };
enum { N_SIMPLE = 16 };
static make_fn *const themes[][4] = { { data_load, data_store, columns, columns }, { shared_load, shared_store, barrier, guard }, { stream_loop, shared_store, barrier, guard },
    { counted_loop, guard, data_load, many_ways }, { shared_tree, warp_work, shared_atomic, shared_store }, { stream_loop, data_store, guard, leave_early } };

static bool make(struct shape *g)
{
    bool deep = g->nesting > MAX_NESTING || g->k->n_statements > SHAPE_STATEMENTS - 40;
    if (g->theme < COUNT(themes) && !deep && pick(g, 2))
        return themes[g->theme][pick(g, 4)](g);
    return all[pick(g, deep ? N_SIMPLE : COUNT(all))](g);
}

/* One statement; one that cannot be is taken back, and another tried. */
void shape_statement(struct shape *g)
{
    if (!g->k->n_statements)
        g->theme = pick(g, COUNT(themes) + 2);
    if (g->k->n_statements >= SHAPE_STATEMENTS)
        return;
    unsigned number = g->k->n_statements++, start = g->t.used, notes = g->n_notes, fills = g->n_fills, counters = g->n_counters, hoisted = g->n_hoisted, out_used = g->out_used;
    bool left_out = g->skip && g->skip[number], ok = false;
    struct place *here = g->here;
    g->muted += left_out;
    g->nesting++;
    for (unsigned tries = 0; tries < 4 && !ok; tries++) {
        ok = make(g);
        if (ok && g->nesting == 1)
            ok = check_notes(g);
        if (!ok) {
            g->n_hoisted = hoisted;
            g->t.used = start, g->n_notes = notes, g->n_fills = fills, g->n_counters = counters, g->out_used = out_used;
            g->here = here;
        }
    }
    g->n_hoisted = hoisted;
    g->nesting--;
    g->muted -= left_out;
    if (left_out)
        g->t.used = start;
    g->t.text[g->t.used] = 0;
}
