/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of kernels that are a soup of all instructions, with every index masked. random_gen.h says what they must be. */
#include <stdio.h>
#include <string.h>

#include "gen_soup.h"

/* ---- values ---- */

static struct word var(struct gen *g) { return word("%%v%u", pick(g, N_INT)); }
static struct word fvar(struct gen *g) { return word("%%f%u", pick(g, N_FLOAT)); }
static struct word fresh(struct gen *g) { return word("%%r%u", g->n_reg++); }
static struct word fresh_pred(struct gen *g) { return word("%%p%u", g->n_pred++); }

static struct word constant(struct gen *g)
{
    static const unsigned odd[] = { 0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 64, 255, 256, 0x7fffffff, 0x80000000u, 0xffffffffu, 0xfffffffeu };
    return word("%u", pick(g, 3) ? odd[pick(g, sizeof odd / sizeof odd[0])] : pick(g, 1u << 30) * 5u);
}

/* Something to read: mostly variables, sometimes constants and what the thread knows of itself. */
static struct word value(struct gen *g)
{
    static const char *const own[] = { "lin", "gid", "lane", "tx", "ty", "cta", "n" };
    unsigned r = pick(g, 10);
    if (r < 6)
        return var(g);
    if (r < 8)
        return constant(g);
    struct word w;
    snprintf(w.s, sizeof w.s, "%%%s", own[pick(g, sizeof own / sizeof own[0])]);
    return w;
}

static struct word uniform(struct gen *g)
{
    return pick(g, 2) ? (struct word){ "%cta" } : pick(g, 2) ? (struct word){ "%n" } : word("%u", pick(g, 4));
}

/* A predicate; who says over whom it must be the same. */
static struct word condition(struct gen *g, enum together who)
{
    static const char *const cmps[] = { "eq", "ne", "lt", "le", "gt", "ge" };
    static const char *const types[] = { "u32", "s32" };
    struct word p = fresh_pred(g), t = fresh(g);
    if (who == BLOCK) {
        put(g, "\tadd.u32 %s, %%cta, %u;\n\tand.b32 %s, %s, %u;\n", t.s, pick(g, 8), t.s, t.s, 1 + pick(g, 3));
        put(g, "\tsetp.%s.u32 %s, %s, %u;\n", cmps[pick(g, 6)], p.s, t.s, pick(g, 3));
    } else if (who == WARP) {
        put(g, "\tshr.u32 %s, %%lin, 5;\n\tsetp.%s.u32 %s, %s, %u;\n", t.s, cmps[pick(g, 6)], p.s, t.s, pick(g, 3));
    } else if (pick(g, 5) == 0) {
        put(g, "\tsetp.%s%s.f32 %s, %s, %s;\n", cmps[pick(g, 6)], pick(g, 2) ? "u" : "", p.s, fvar(g).s, fvar(g).s);
    } else if (pick(g, 2)) {
        put(g, "\tand.b32 %s, %s, %u;\n\tsetp.%s.u32 %s, %s, %u;\n", t.s, value(g).s, 1 + pick(g, 7), cmps[pick(g, 6)], p.s, t.s, pick(g, 5));
    } else {
        struct word a = value(g), b = value(g);
        put(g, "\tsetp.%s.%s %s, %s, %s;\n", cmps[pick(g, 6)], types[pick(g, 2)], p.s, a.s, b.s);
    }
    return p;
}

/* ---- statements ---- */

static void integer(struct gen *g)
{
    static const char *const two[] = { "add.u32", "sub.u32", "mul.lo.u32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32", "shl.b32",
        "shr.u32", "shr.s32", "mul.hi.u32", "mul.hi.s32", "div.u32", "rem.u32", "div.s32", "rem.s32", "add.sat.s32" };
    static const char *const one[] = { "not.b32", "neg.s32", "abs.s32", "brev.b32", "popc.b32", "clz.b32", "cvt.u32.u8", "cvt.s32.s16", "cvt.u32.u16", "bfind.u32" };
    struct word d = var(g), a = value(g), b = value(g), c = value(g);
    switch (pick(g, 13)) {
    case 7: put(g, "\tmul.hi.u32 %%x, %s, %s;\n\tmul.lo.u32 %s, %s, %s;\n\txor.b32 %s, %s, %%x;\n", a.s, b.s, d.s, b.s, a.s, d.s, pick(g, 2) ? d.s : var(g).s); break;
    case 0: put(g, "\t%s %s, %s;\n", one[pick(g, sizeof one / sizeof one[0])], d.s, var(g).s); break;
    case 1: put(g, "\tmad.lo.u32 %s, %s, %s, %s;\n", d.s, a.s, b.s, c.s); break;
    case 2: put(g, "\tlop3.b32 %s, %s, %s, %s, %u;\n", d.s, a.s, b.s, c.s, pick(g, 256)); break;
    case 3: put(g, "\tselp.b32 %s, %s, %s, %s;\n", d.s, a.s, b.s, condition(g, ALONE).s); break;
    case 4: put(g, "\t@%s%s %s %s, %s, %s;\n", pick(g, 2) ? "!" : "", condition(g, ALONE).s, two[pick(g, 8)], d.s, a.s, b.s); break;
    case 5: put(g, "\tprmt.b32 %s, %s, %s, %s;\n", d.s, a.s, b.s, c.s); break;
    case 6: put(g, "\tmul.wide.%s %%w0, %s, %s;\n\tshr.u64 %%w0, %%w0, %u;\n\tcvt.u32.u64 %s, %%w0;\n", pick(g, 2) ? "u32" : "s32", a.s, b.s, pick(g, 40), d.s); break;
    default: put(g, "\t%s %s, %s, %s;\n", two[pick(g, sizeof two / sizeof two[0])], d.s, a.s, b.s); break;
    }
}

/* Floats become integers only by way of one NaN: which NaN an operation gives is nobody's promise. */
static void floating(struct gen *g)
{
    /* Always with a rounding: without one a GPU may make one multiply-add of two instructions, and does. */
    static const char *const two[] = { "add.rn.f32", "sub.rn.f32", "mul.rn.f32", "min.f32", "max.f32", "add.rz.f32", "mul.rn.ftz.f32", "div.rn.f32" };
    struct word d = fvar(g), a = fvar(g), b = fvar(g), t, p;
    switch (pick(g, 8)) {
    case 0: put(g, "\tfma.rn.f32 %s, %s, %s, %s;\n", d.s, a.s, b.s, fvar(g).s); break;
    case 1: put(g, "\tcvt.rn.f32.%s %s, %s;\n", pick(g, 2) ? "s32" : "u32", d.s, var(g).s); break;
    case 2: put(g, "\tcvt.rzi.%s.f32 %s, %s;\n", pick(g, 2) ? "s32" : "u32", var(g).s, a.s); break;
    case 3: put(g, "\tselp.f32 %s, %s, %s, %s;\n", d.s, a.s, b.s, condition(g, ALONE).s); break;
    case 4:
        t = fresh(g), p = fresh_pred(g);
        put(g, "\tmov.b32 %s, %s;\n\tsetp.nan.f32 %s, %s, %s;\n\tselp.b32 %s, 0x7fffffff, %s, %s;\n", t.s, a.s, p.s, a.s, a.s, var(g).s, t.s, p.s);
        break;
    default: put(g, "\t%s %s, %s, %s;\n", two[pick(g, sizeof two / sizeof two[0])], d.s, a.s, b.s); break;
    }
}

/* A load of the input: contiguous, strided or anywhere; all sizes. */
static void load(struct gen *g)
{
    static const char *const narrow[] = { "u8", "s8", "u16", "s16" };
    struct word t = fresh(g), d = var(g);
    unsigned scale = 1 + pick(g, 3);
    switch (pick(g, 4)) {
    case 0: put(g, "\tadd.u32 %s, %%lin, %u;\n", t.s, pick(g, 9)); break;
    case 1: put(g, "\tmad.lo.u32 %s, %%tx, %u, %s;\n", t.s, scale, uniform(g).s); break;
    case 2: put(g, "\tmad.lo.u32 %s, %%lin, %u, %%cta;\n", t.s, scale); break;
    default: put(g, "\tmov.u32 %s, %s;\n", t.s, value(g).s); break;
    }
    put(g, "\tand.b32 %s, %s, %u;\n\tmul.wide.u32 %%w0, %s, 4;\n\tadd.s64 %%w0, %%w0, %%in;\n", t.s, t.s, GEN_IN_WORDS - 8, t.s);
    switch (pick(g, 4)) {
    case 0: put(g, "\tld.global.%s %s, [%%w0+%u];\n", narrow[pick(g, 4)], d.s, 2 * pick(g, 4)); break;
    case 1: put(g, "\tand.b64 %%w0, %%w0, -16;\n\tld.global.v2.u32 {%s, %%x}, [%%w0+8];\n", d.s); break;
    default: put(g, "\tld.global.u32 %s, [%%w0+%u];\n", d.s, 4 * pick(g, 4)); break;
    }
}

static void load_field(struct gen *g, unsigned bytes, const char *base, unsigned at, bool pairs)
{
    static const char *const types[][2] = { { "u8", "s8" }, { "u16", "s16" }, { "u32", "s32" } };
    struct word d = var(g);
    if (bytes == 8)
        put(g, "\tld.global.u64 %%w1, [%s+%u];\n\tshr.u64 %%w1, %%w1, %u;\n\tcvt.u32.u64 %s, %%w1;\n", base, at, 4 * pick(g, 8), d.s);
    else if (bytes < 4 && pairs && at % (2 * bytes) == 0 && pick(g, 4) == 0)
        put(g, "\tld.global.v2.%s {%s, %%x}, [%s+%u];\n\txor.b32 %s, %s, %%x;\n", types[bytes / 2][pick(g, 2)], d.s, base, at, d.s, d.s);
    else
        put(g, "\tld.global.%s %s, [%s+%u];\n", types[bytes / 2][pick(g, 2)], d.s, base, at);
}

/* Fields of records that threads read side by side: colours of pixels, parts of a structure. */
static void fields(struct gen *g)
{
    unsigned bytes = 1u << pick(g, 4), per = 2 + pick(g, 8), most = 4 * GEN_IN_WORDS - 256;
    while (per * bytes * g->threads > most && bytes > 1)
        bytes /= 2;
    put(g, "\tmad.lo.u32 %%x, %%lin, %u, %u;\n\tcvt.u64.u32 %%w0, %%x;\n\tadd.s64 %%w0, %%w0, %%in;\n", per * bytes, 8 * pick(g, 4));
    for (unsigned k = 0, n = 1 + pick(g, 4); k < n; k++) {
        load_field(g, bytes, "%w0", bytes * pick(g, per), per % 2 == 0);
    }
}

/* The thread's own record in global memory: all fields are stored, one, or some are read. */
static void own_record(struct gen *g)
{
    static const char *const types[] = { "u8", "u16", "u32" };
    unsigned all = pick(g, 3), first = pick(g, g->fields), down = pick(g, 2), bytes = g->field_bytes;
    for (unsigned k = 0, n = all ? g->fields : 1; k < n; k++) {
        unsigned at = bytes * ((first + (down ? g->fields - k : k)) % g->fields);
        if (pick(g, 8) == 0)
            load_field(g, bytes, "%rec", bytes * pick(g, g->fields), g->fields % 2 == 0);
        if (bytes == 8)
            put(g, "\tmov.b64 %%w1, {%s, %s};\n\tst.global.u64 [%%rec+%u], %%w1;\n", var(g).s, var(g).s, at);
        else
            put(g, "\tst.global.%s [%%rec+%u], %s;\n", types[bytes / 2], at, var(g).s);
    }
    for (unsigned k = 0, n = pick(g, 4); k < n; k++)
        load_field(g, bytes, "%rec", bytes * pick(g, g->fields), g->fields % 2 == 0);
}

/* A number that all threads of a block, a warp or a part of a warp share: 0, 1, 2, ... less than `most`, a power of two. */
static struct word part(struct gen *g, unsigned most)
{
    struct word t = fresh(g);
    switch (pick(g, 4)) {
    case 0: put(g, "\tadd.u32 %s, %s, %u;\n", t.s, uniform(g).s, pick(g, 4)); break;
    case 1: put(g, "\tadd.u32 %s, %%ty, %u;\n", t.s, pick(g, 3)); break;
    default: put(g, "\tshr.u32 %s, %%lin, %u;\n", t.s, 2 + pick(g, 5)); break;
    }
    put(g, "\tand.b32 %s, %s, %u;\n", t.s, t.s, most - 1);
    return t;
}

/* A word of a table of one of those parts: the address is a base they share and an index of each thread's own. */
static void table(struct gen *g)
{
    struct word base = part(g, 8), index = fresh(g);
    put(g, "\tand.b32 %s, %s, %u;\n\tmul.wide.u32 %%w0, %s, %u;\n\tadd.s64 %%w0, %%w0, %%in;\n", index.s, value(g).s, (8u << pick(g, 4)) - 1, base.s, 64u << pick(g, 4));
    put(g, "\tmul.wide.u32 %%w1, %s, 4;\n\tadd.s64 %%w0, %%w0, %%w1;\n", index.s);
    if (pick(g, 4))
        put(g, "\tld.global.u32 %s, [%%w0+%u];\n", var(g).s, 4 * pick(g, 4));
    else
        put(g, "\tld.global.u16 %s, [%%w0+%u];\n", var(g).s, 2 * pick(g, 4));
}

/* A row of each thread's own, with a pointer that steps, as far as the thread wants to go. */
static void walk(struct gen *g)
{
    struct word n = fresh(g), to = var(g), x = fresh(g), p = fresh_pred(g), q = fresh_pred(g);
    unsigned l = g->n_label++, step = 1 + pick(g, 2);
    bool top = pick(g, 2);
    put(g, "\tand.b32 %s, %s, %u;\n\tmul.wide.u32 %%w0, %s, 4;\n\tadd.s64 %%w0, %%w0, %%in;\n", n.s, value(g).s, GEN_IN_WORDS / 2 - 1, n.s);
    put(g, "\tand.b32 %s, %s, 31;\n", n.s, pick(g, 4) ? value(g).s : uniform(g).s);
    if (top)
        put(g, "\tsetp.eq.u32 %s, %s, 0;\n\t@%s bra D%u;\n", p.s, n.s, p.s, l);
    put(g, "W%u:\n\tld.global.u32 %s, [%%w0+%u];\n\tmad.lo.u32 %s, %s, 3, %s;\n", l, x.s, 4 * pick(g, 3), to.s, to.s, x.s);
    if (pick(g, 3) == 0)
        put(g, "\tsetp.eq.u32 %s, %s, %u;\n\t@%s bra D%u;\n", q.s, x.s, pick(g, 50), q.s, l);
    put(g, "\tadd.s64 %%w0, %%w0, %u;\n\tsub.u32 %s, %s, 1;\n\tsetp.gt.s32 %s, %s, 0;\n\t@%s bra W%u;\nD%u:\n", 4 * step, n.s, n.s, p.s, n.s, p.s, l, l);
}

/* Counting: bins of one of those parts, in shared or global memory, that are only added to; in shared memory also several in a row. */
static void bin(struct gen *g)
{
    struct word base = part(g, 4), index = fresh(g), by = pick(g, 2) ? value(g) : (struct word){ "1" };
    unsigned row = pick(g, 3) ? 1 : 2 + pick(g, 7);
    put(g, "\tand.b32 %s, %s, %u;\n", index.s, value(g).s, (N_BINS / 4 - 1) >> (row > 1 ? 1 : pick(g, 3)));
    if (pick(g, 2)) {
        put(g, "\tmul.wide.u32 %%w0, %s, %u;\n\tadd.s64 %%w0, %%w0, %%atoms;\n\tmul.wide.u32 %%w1, %s, 4;\n\tadd.s64 %%w0, %%w0, %%w1;\n", base.s, GEN_TABLE, index.s);
        put(g, "\tred.global.add.u32 [%%w0+%u], %s;\n", 4 * GEN_ATOMS, by.s);
    } else {
        put(g, "\tshl.b32 %s, %s, 7;\n\tmov.u32 %%x, bins;\n\tadd.u32 %%x, %%x, %s;\n\tshl.b32 %s, %s, 2;\n\tadd.u32 %%x, %%x, %s;\n", base.s, base.s, base.s, index.s, index.s, index.s);
        for (unsigned k = 0; k < row; k++)
            put(g, "\t%s [%%x+%u], %s;\n", pick(g, 2) ? "red.shared.add.u32" : "atom.shared.add.u32 %r899,", 4 * k, k ? value(g).s : by.s);
    }
}

/* A thread's own part of the tile, `pitch` words in a row: known places, one that data say, or all of them in a loop. */
static void column(struct gen *g)
{
    struct word at = fresh(g), end = fresh(g), p = fresh_pred(g), to = var(g);
    unsigned l = g->n_label++;
    switch (pick(g, 3)) {
    case 0:
        put(g, "\tld.shared.u32 %s, [%%own+%u];\n\tadd.u32 %s, %s, %s;\n", at.s, 4 * pick(g, g->pitch), to.s, to.s, at.s);
        put(g, "\tst.shared.u32 [%%own+%u], %s;\n", 4 * pick(g, g->pitch), value(g).s);
        break;
    case 1:
        put(g, "\tand.b32 %s, %s, %u;\n\tshl.b32 %s, %s, 2;\n\tadd.u32 %s, %%own, %s;\n", at.s, pick(g, 2) ? value(g).s : uniform(g).s, g->pitch - 1, at.s, at.s, at.s, at.s);
        put(g, pick(g, 2) ? "\tst.shared.u32 [%2$s], %1$s;\n" : "\tld.shared.u32 %1$s, [%2$s];\n", to.s, at.s);
        break;
    default:
        put(g, "\tmov.u32 %s, %%own;\n\tadd.u32 %s, %%own, %u;\nC%u:\n\tld.shared.u32 %%x, [%s];\n\tmad.lo.u32 %s, %s, 5, %%x;\n", at.s, end.s, 4 * (g->pitch - 1), l, at.s, to.s, to.s);
        put(g, "\tst.shared.u32 [%s+4], %s;\n\tadd.u32 %s, %s, 4;\n\tsetp.lt.u32 %s, %s, %s;\n\t@%s bra C%u;\n", at.s, to.s, at.s, at.s, p.s, at.s, end.s, p.s, l);
        break;
    }
}

/* A word of the array, two of them or a part of one, at a place that everybody can see; also by a generic address. */
static void known_local(struct gen *g)
{
    unsigned at = 4 * pick(g, 8);
    struct word a = var(g), b = var(g);
    if (pick(g, 16) == 0) {
        put(g, "\tld.local.u16 %s, [array+%u];\n", a.s, at + 2);
    } else if (pick(g, 3) == 0) {
        put(g, "\tmov.u64 %%w0, array;\n\tcvta.local.u64 %%w0, %%w0;\n\tadd.u64 %%w1, %%w0, %u;\n", at);
        if (pick(g, 2))
            put(g, "\tst.u32 [%%w1], %s;\n", a.s);
        else
            put(g, "\tld.u32 %s, [%%w1];\n", a.s);
    } else if (pick(g, 4) == 0) {
        if (pick(g, 2) || strcmp(a.s, b.s) == 0)
            put(g, "\tst.local.v2.u32 [array+%u], {%s, %s};\n", at & ~7u, a.s, b.s);
        else
            put(g, "\tld.local.v2.u32 {%s, %s}, [array+%u];\n", a.s, b.s, at & ~7u);
    } else {
        if (pick(g, 2))
            put(g, "\tst.local.u32 [array+%u], %s;\n", at, a.s);
        else
            put(g, "\tld.local.u32 %s, [array+%u];\n", a.s, at);
    }
}

static void local(struct gen *g)
{
    if (g->known_places) {
        known_local(g);
        return;
    }
    struct word t = fresh(g);
    put(g, "\tand.b32 %s, %s, 7;\n\tshl.b32 %s, %s, 2;\n\tmov.u32 %%x, array;\n\tadd.u32 %%x, %%x, %s;\n", t.s, value(g).s, t.s, t.s, t.s);
    if (pick(g, 2))
        put(g, "\tst.local.u32 [%%x], %s;\n", var(g).s);
    else
        put(g, "\tld.local.u32 %s, [%%x];\n", var(g).s);
}

/* Word k of the atoms only ever sees one operation, and the old value goes nowhere. */
static void atomic(struct gen *g)
{
    static const char *const ops[GEN_ATOMS] = { "add.u32", "max.s32", "min.u32", "xor.b32", "or.b32", "and.b32", "max.u32", "add.u32" };
    unsigned k = pick(g, GEN_ATOMS);
    if (pick(g, 2))
        put(g, "\tred.global.%s [%%atoms+%u], %s;\n", ops[k], 4 * k, value(g).s);
    else
        put(g, "\tatom.shared.%s %%x, [counts+%u], %s;\n", ops[k], 4 * k, value(g).s);
}

static void exchange(struct gen *g)
{
    static const char *const kinds[] = { "up", "down", "bfly", "idx" }, *const redux[] = { "add.u32", "min.s32", "max.u32", "xor.b32" };
    struct word t = fresh(g), p = fresh_pred(g);
    if (!g->gone && g->threads % 32 == 0 && pick(g, 2)) {
        unsigned kind = pick(g, 4);
        g->shuffles |= g->n_loops > 0;
        put(g, "\tshfl.sync.%s.b32 %s|%s, %s, %s, %u, -1;\n", kinds[kind], var(g).s, p.s, var(g).s, pick(g, 2) ? value(g).s : word("%u", pick(g, 32)).s, kind == 0 ? 0u : 31u);
        put(g, "\t@%s add.u32 %s, %s, 1;\n", p.s, t.s, var(g).s);
        put(g, "\t@%s mov.u32 %s, %s;\n", p.s, var(g).s, t.s);
        return;
    }
    switch (pick(g, 4)) {
    case 0: put(g, "\tvote.sync.ballot.b32 %s, %s, -1;\n", var(g).s, condition(g, ALONE).s); break;
    case 1:
        put(g, "\tvote.sync.%s.pred %s, %s, -1;\n", pick(g, 2) ? "any" : "all", p.s, condition(g, ALONE).s);
        put(g, "\t@%s add.u32 %s, %s, 1;\n", p.s, var(g).s, var(g).s);
        break;
    case 2: put(g, "\tmatch.any.sync.b32 %s, %s, -1;\n", var(g).s, var(g).s); break;
    default: put(g, "\tredux.sync.%s %s, %s, -1;\n", redux[pick(g, 4)], var(g).s, var(g).s); break;
    }
}

/* Runs of `run` threads' words, each followed by a gap as long; run: a power of two that only the running kernel knows, or we do. */
static void spread(struct gen *g, struct word to)
{
    struct word run = fresh(g);
    if (pick(g, 2))
        put(g, "\tmov.u32 %s, %u;\n", run.s, 1u << pick(g, 6));
    else
        put(g, "\tadd.u32 %s, %s, %u;\n\tand.b32 %s, %s, 3;\n\tshl.b32 %s, 1, %s;\n", run.s, "%n", pick(g, 3), run.s, run.s, run.s, run.s);
    put(g, "\tsub.u32 %s, %s, 1;\n\tand.b32 %s, %s, %%lin;\n\tadd.u32 %s, %%lin, %%lin;\n\tsub.u32 %s, %s, %s;\n", run.s, run.s, run.s, run.s, to.s, to.s, to.s, run.s);
}

/* The address of a word of an array, from its index, with 32 or 64 bits; name: what the access takes. */
static struct word shared_address(struct gen *g, const char *array, struct word index)
{
    if (pick(g, 2)) {
        put(g, "\tmov.u32 %%x, %s;\n\tshl.b32 %s, %s, 2;\n\tadd.u32 %%x, %%x, %s;\n", array, index.s, index.s, index.s);
        return (struct word){ "%x" };
    }
    put(g, "\tmov.u64 %%w0, %s;\n\tmul.wide.u32 %%w1, %s, 4;\n\tadd.u64 %%w1, %%w0, %%w1;\n", array, index.s);
    return (struct word){ "%w1" };
}

/* Each thread writes a word of its own, all wait, each reads another's, all wait. */
static void share(struct gen *g)
{
    struct word t = fresh(g), p = fresh_pred(g), from = fresh(g);
    bool apart = pick(g, 2);
    const char *array = apart ? "gaps" : "words";
    if (apart) {
        spread(g, t);
        put(g, "\tst.shared.u32 [%s], %s;\n\tbar.sync 0;\n", shared_address(g, array, t).s, var(g).s);
    } else {
        put(g, "\tst.shared.u32 [%%mine], %s;\n\tbar.sync 0;\n", var(g).s);
    }
    switch (pick(g, 3)) {
    case 0: put(g, "\txor.b32 %s, %%lin, %u;\n", from.s, pick(g, 64)); break;
    case 1: apart ? spread(g, from) : put(g, "\txor.b32 %s, %%lin, %%n;\n", from.s); break;
    default: put(g, "\tadd.u32 %s, %s, %u;\n", from.s, pick(g, 2) ? "%lin" : value(g).s, pick(g, 40)); break;
    }
    if (!apart || pick(g, 4))
        put(g, "\trem.u32 %s, %s, %u;\n", from.s, from.s, apart ? 2 * g->threads : g->threads);
    else
        put(g, "\tand.b32 %s, %s, %u;\n", from.s, from.s, (1u << (31 - __builtin_clz(2 * g->threads))) - 1);
    put(g, "\tld.shared.u32 %s, [%s];\n", var(g).s, shared_address(g, array, from).s);
    if (pick(g, 3) == 0) {                                /* of the tile: a row, or a place that data say */
        put(g, "\tadd.u32 %s, %s, %u;\n\trem.u32 %s, %s, %u;\n", from.s, pick(g, 2) ? "%lin" : value(g).s, pick(g, 99), from.s, from.s, g->threads * g->pitch);
        put(g, "\tld.shared.u32 %s, [%s];\n", var(g).s, shared_address(g, "tile", from).s);
    }
    switch (pick(g, 4)) {
    case 0: put(g, "\tbar.red.popc.u32 %s, 0, %s;\n", var(g).s, condition(g, ALONE).s); break;
    case 1: put(g, "\tbar.red.or.pred %s, 0, %s;\n\t@%s add.u32 %s, %s, 7;\n", p.s, condition(g, ALONE).s, p.s, var(g).s, var(g).s); break;
    case 2: put(g, "\tld.shared.u32 %s, [counts+%u];\n\tbar.sync 0;\n", var(g).s, 4 * pick(g, GEN_ATOMS)); break;
    default: put(g, "\tbar.sync 0;\n"); break;
    }
}

/* ---- control ---- */

static enum together inner(struct gen *g, enum together who)
{
    unsigned r = pick(g, 6);
    return who == BLOCK && r == 0 ? BLOCK : who != ALONE && r <= 1 ? WARP : ALONE;
}

static void branch(struct gen *g, enum together who, unsigned depth)
{
    enum together in = inner(g, who);
    unsigned l = g->n_label++;
    struct word p = condition(g, in);
    bool other = pick(g, 2);
    put(g, "\t@%s%s bra E%u;\n", pick(g, 2) ? "!" : "", p.s, l);
    soup_body(g, in, depth + 1, 1 + pick(g, 3));
    if (other)
        put(g, "\tbra J%u;\n", l);
    put(g, "E%u:\n", l);
    if (other) {
        soup_body(g, in, depth + 1, 1 + pick(g, 3));
        put(g, "J%u:\n", l);
    }
}

/* if (a || b) X else Y with one copy of X: two branches into one block. */
static void shortcut(struct gen *g, enum together who, unsigned depth)
{
    unsigned l = g->n_label++;
    (void)who;
    put(g, "\t@%s bra X%u;\n", condition(g, ALONE).s, l);
    soup_body(g, ALONE, depth + 1, 1 + pick(g, 2));
    put(g, "\t@%s bra X%u;\n", condition(g, ALONE).s, l);
    soup_body(g, ALONE, depth + 1, 1 + pick(g, 2));
    put(g, "\tbra Y%u;\nX%u:\n", l, l);
    soup_body(g, ALONE, depth + 1, 1 + pick(g, 2));
    put(g, "Y%u:\n", l);
}

static void loop(struct gen *g, enum together who, unsigned depth)
{
    enum together in = inner(g, who);
    unsigned l = g->n_label++;
    struct word i = fresh(g), n = fresh(g), p = fresh_pred(g);
    bool breaks = g->loop_breaks, at_top = pick(g, 2), by_thread = in == ALONE && pick(g, 3) == 0;
    unsigned step = by_thread ? (pick(g, 2) ? g->threads : 4u << pick(g, 5)) : 1;
    put(g, "\tmov.u32 %s, %s;\n", i.s, !by_thread ? "0" : pick(g, 2) ? "%lin" : "%tx");
    if (by_thread)                               /* turns that the block's shape tells */
        put(g, "\tmov.u32 %s, %u;\n", n.s, 1 + pick(g, 3 * step < 300 ? 3 * step : 300));
    else if (in == BLOCK)
        put(g, "\tadd.u32 %s, %%cta, %u;\n", n.s, 1 + pick(g, 3));
    else if (in == WARP)
        put(g, "\tshr.u32 %s, %%lin, 5;\n\tadd.u32 %s, %s, 1;\n\tmin.u32 %s, %s, 4;\n", n.s, n.s, n.s, n.s, n.s);
    else
        put(g, "\tand.b32 %s, %s, %u;\n", n.s, value(g).s, 1 + pick(g, 7));
    snprintf(g->exits[g->n_loops], 16, "D%u", l);
    snprintf(g->nexts[g->n_loops], 16, "N%u", l);
    g->n_loops++;
    g->loop_breaks = in == ALONE && (who == ALONE ? breaks || g->n_loops == 1 : true);
    put(g, "L%u:\n", l);
    if (at_top)
        put(g, "\tsetp.ge.u32 %s, %s, %s;\n\t@%s bra D%u;\n", p.s, i.s, n.s, p.s, l);
    soup_body(g, in, depth + 1, 1 + pick(g, 4));
    put(g, "N%u:\n\tadd.u32 %s, %s, %u;\n", l, i.s, i.s, step);
    if (pick(g, 2))
        put(g, "\tadd.u32 %s, %s, %s;\n", var(g).s, var(g).s, i.s);
    if (at_top)
        put(g, "\tbra L%u;\nD%u:\n", l, l);
    else
        put(g, "\tsetp.lt.u32 %s, %s, %s;\n\t@%s bra L%u;\nD%u:\n", p.s, i.s, n.s, p.s, l, l);
    g->n_loops--;
    g->shuffles &= g->n_loops > 0;
    g->loop_breaks = breaks;
}

bool soup_enters_loops = true;

/* for (;;) with `continue` past the only place where it ends, perhaps entered in the middle (irreducible). Iterations are counted, so that it does end. */
static void odd_loop(struct gen *g, unsigned depth)
{
    unsigned l = g->n_label++;
    struct word i = fresh(g), n = fresh(g), done = fresh(g), p = fresh_pred(g);
    bool breaks = g->loop_breaks, enters = pick(g, 3) == 0 && soup_enters_loops;
    put(g, "\tmov.u32 %s, 0;\n\tmov.u32 %s, 0;\n\tand.b32 %s, %s, %u;\n", i.s, done.s, n.s, value(g).s, 1 + pick(g, 4));
    g->loop_breaks = false;
    if (enters)
        put(g, "\t@%s bra I%u;\n", condition(g, ALONE).s, l);
    put(g, "L%u:\n\tadd.u32 %s, %s, 1;\n", l, i.s, i.s);
    soup_body(g, ALONE, depth + 1, 1 + pick(g, 2));
    put(g, "\tsetp.lt.and.u32 %s, %s, %u, %s;\n\t@%s bra L%u;\n", p.s, i.s, 3 + pick(g, 9), condition(g, ALONE).s, p.s, l);
    if (enters)
        put(g, "I%u:\n", l);
    soup_body(g, ALONE, depth + 1, 1 + pick(g, 2));
    put(g, "\tadd.u32 %s, %s, 1;\n\tsetp.le.u32 %s, %s, %s;\n\t@%s bra L%u;\n", done.s, done.s, p.s, done.s, n.s, p.s, l);
    if (pick(g, 2))
        put(g, "\tadd.u32 %s, %s, %s;\n", var(g).s, var(g).s, i.s);
    g->loop_breaks = breaks;
}

/* break and continue, of this loop or of the one around it if that one's threads need not stay together either. */
static void leave(struct gen *g)
{
    unsigned at = g->n_loops - 1;
    put(g, "\t@%s bra %s;\n", condition(g, ALONE).s, pick(g, 2) ? g->exits[at] : g->nexts[at]);
}

void soup_store_all(struct gen *g)
{
    for (unsigned k = 0; k < N_INT; k++)
        put(g, "\tst.global.u32 [%%out+%u], %%v%u;\n", 4 * k, k);
}

static void quit(struct gen *g)
{
    unsigned l = g->n_label++;
    put(g, "\t@!%s bra R%u;\n", condition(g, ALONE).s, l);
    if (pick(g, 2))
        soup_store_all(g);
    put(g, "\tret;\nR%u:\n", l);
    g->gone = true;
}

static void statement(struct gen *g, enum together who, unsigned depth)
{
    unsigned r = pick(g, 26), start = g->t.used, number = g->k->n_statements++;
    if (g->k->n_statements >= MAX_STATEMENTS || depth >= MAX_DEPTH)
        r = 25 - r % 10;
    switch (r) {
    case 0: case 1: case 2: case 3: branch(g, who, depth); break;
    case 4: case 5: if (pick(g, 5) == 0) odd_loop(g, depth); else loop(g, who, depth); break;
    case 6: shortcut(g, who, depth); break;
    case 7: case 8: if (g->n_loops && g->loop_breaks) leave(g); else integer(g); break;
    case 9: case 10: if (who == BLOCK) share(g); else local(g); break;
    case 11: case 12: if (who != ALONE) exchange(g); else load(g); break;
    case 13: if (pick(g, 3) == 0 && !g->shuffles) quit(g); else atomic(g); break;
    case 14: load(g); break;
    case 15: if (pick(g, 2)) table(g); else walk(g); break;
    case 16: if (pick(g, 2)) atomic(g); else bin(g); break;
    case 17: if (pick(g, 2)) local(g); else column(g); break;
    case 18: case 19: floating(g); break;
    case 20: fields(g); break;
    case 21: own_record(g); break;
    default: integer(g); break;
    }
    if (g->skip && g->skip[number])
        g->t.used = start;
}

void soup_body(struct gen *g, enum together who, unsigned depth, unsigned n)
{
    for (unsigned i = 0; i < n && g->k->n_statements < MAX_STATEMENTS; i++)
        statement(g, who, depth);
}
