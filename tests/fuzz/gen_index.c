/* SPDX-License-Identifier: Apache-2.0 */
/* Indices as kernels have them: of threads and blocks, parameters and loops, with 32 bits that may wrap. */
#include <stdio.h>
#include <string.h>

#include "gen_shape.h"

/* What a thread knows of itself, what it was given, what it counts. */
struct val index_leaf(struct shape *g)
{
    const struct val own[] = { g->lin, g->gid, g->tx, g->ty, g->part, g->group, g->bx, g->by, g->tz, g->bz, g->lane };
    unsigned r = pick(g, 12);
    if (g->n_hoisted && pick(g, 4) == 0)
        return g->hoisted[pick(g, g->n_hoisted)];
    if (g->n_counters && r < 5)
        return g->counters[g->n_counters - 1 - pick(g, 2) % g->n_counters];
    if (r < 9)
        return own[pick(g, pick(g, 3) ? 6 : COUNT(own))];
    if (r < 11 && g->n_uniforms)
        return g->uniforms[pick(g, g->n_uniforms)];
    return val_const(pick(g, 3) ? 1 + pick(g, 8) : 1u << pick(g, 8));
}

struct val index_uniform(struct shape *g, uint32_t most)
{
    for (unsigned tries = 0; tries < 4 && g->n_uniforms; tries++) {
        struct val u = g->uniforms[pick(g, g->n_uniforms)];
        if (u.c >= 1 && u.c <= most)
            return u;
    }
    if (pick(g, 6) == 0)
        return val_const(1 + pick(g, most));
    return val_param(g, 1 + pick(g, most));
}

static struct val two(struct shape *g, const char *op, struct val a, struct val b) { return val_two(g, op, &a, &b); }

/* Runs of `gap` words, each followed by a hole as long: 2 * t - (t & (gap - 1)). */
static struct val pairs(struct shape *g, struct val t)
{
    struct val gap = pick(g, 4) ? val_param(g, 1u << pick(g, 8)) : val_const(1u << pick(g, 8));
    struct val less = two(g, "add.s32", gap, val_const(UINT32_MAX)), in_run = two(g, "and.b32", less, t);
    struct val twice = pick(g, 2) ? two(g, "shl.b32", t, val_const(1)) : two(g, "add.s32", t, t);
    return two(g, pick(g, 2) ? "sub.s32" : "sub.u32", twice, in_run);
}

/* The same number in another order: blocks of `n` side by side, or turned around. */
static struct val reordered(struct shape *g, struct val t)
{
    struct val n = index_uniform(g, 16);
    const char *rem = pick(g, 2) ? "rem.u32" : "rem.s32", *div = rem[4] == 'u' ? "div.u32" : "div.s32";
    struct val q = two(g, div, t, n), r = two(g, rem, t, n);
    if (pick(g, 2))                                          /* rem as compilers make it of div */
        r = two(g, "sub.s32", t, two(g, "mul.lo.s32", q, n));
    struct val pitch = index_uniform(g, 64);
    return pick(g, 2) ? two(g, "add.s32", two(g, "mul.lo.s32", q, pitch), r) : two(g, "add.s32", two(g, "mul.lo.s32", r, pitch), q);
}

struct val index_own(struct shape *g, bool of_block)
{
    struct val t = of_block ? g->lin : g->gid;
    switch (pick(g, 10)) {
    case 0: case 9: return two(g, "xor.b32", t, val_const(UINT32_MAX));
    case 1: return two(g, "sub.s32", pick(g, 2) ? index_uniform(g, 512) : val_const(pick(g, 512)), t);
    case 2: return pairs(g, t);
    case 3: return two(g, "mul.lo.s32", t, index_uniform(g, 6));
    case 4: return reordered(g, t);
    case 5: return two(g, "add.s32", t, pick(g, 2) ? index_uniform(g, 64) : val_const(0u - pick(g, 64)));
    case 6: return two(g, "xor.b32", t, pick(g, 2) ? index_uniform(g, 31) : val_const(1u << pick(g, 6)));
    default: return t;
    }
}

void index_hoist(struct shape *g)
{
    for (unsigned n = pick(g, 3); n > 0 && g->n_hoisted < SHAPE_HOISTED; n--) {
        struct val v = pick(g, 2) ? index_own(g, pick(g, 2)) : index_any(g);
        if (v.s[0] != '%')
            continue;
        if (pick(g, 2))
            val_widen(g, &v);
        g->hoisted[g->n_hoisted++] = v;
    }
}

/* Rows and columns of something with a pitch, or a short random sum. */
struct val index_any(struct shape *g)
{
    static const char *const ops[] = { "add.s32", "add.s32", "sub.s32", "mul.lo.s32", "and.b32", "xor.b32", "or.b32", "min.u32", "max.s32", "min.s32",
        "div.u32", "rem.u32", "div.s32", "rem.s32", "shr.u32", "shr.s32" };
    struct val a = index_leaf(g), b;
    if (g->n_hoisted && pick(g, 3) == 0)
        return g->hoisted[pick(g, g->n_hoisted)];
    switch (pick(g, 6)) {
    case 0: return index_own(g, pick(g, 2));
    case 1:
        b = two(g, "mul.lo.s32", a, index_uniform(g, 40));
        return two(g, "add.s32", b, index_leaf(g));
    case 2:
        b = index_leaf(g);
        a = two(g, "mul.lo.s32", a, index_uniform(g, 12)), b = two(g, "mul.lo.s32", b, index_uniform(g, 12));
        return two(g, pick(g, 3) ? "add.s32" : "sub.s32", a, b);
    default:
        for (unsigned k = 0, n = pick(g, 4); k < n; k++) {
            const char *op = ops[pick(g, COUNT(ops))];
            b = strncmp(op, "shr", 3) ? index_leaf(g) : val_const(pick(g, 5));
            a = two(g, op, a, b);
        }
        return a;
    }
}

/* What real kernels ask before they touch memory. */
struct val index_condition(struct shape *g)
{
    static const char *const ops[] = { "lt.s32", "lt.u32", "ge.u32", "ge.s32", "le.u32", "gt.s32", "ne.s32", "eq.s32" };
    char op[24];
    struct val a, b;
    uint32_t lo, hi;
    if (g->n_conditions && pick(g, 2))
        return g->conditions[pick(g, g->n_conditions)];
    a = pick(g, 3) ? index_leaf(g) : index_any(g);
    snprintf(op, sizeof op, "setp.%s", ops[pick(g, pick(g, 2) ? 4 : COUNT(ops))]);
    val_range(g, &a, &lo, &hi);
    if (hi - lo < 2048 && lo < hi && pick(g, 4))
        b = pick(g, 3) ? val_param(g, lo + pick(g, hi - lo + 1)) : val_const(lo + pick(g, hi - lo + 1));
    else
        b = pick(g, 2) ? index_uniform(g, 256) : index_leaf(g);
    return val_compare(g, op, &a, &b);
}
