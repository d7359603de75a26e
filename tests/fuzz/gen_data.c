/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels compute: variables %a0 ... and %x0 ... whose values nobody knows here. Floats reach memory with one NaN. */
#include <stdio.h>

#include "gen_shape.h"

enum { INTS = 4, FLOATS = 3, IN_BYTES = 4 * GEN_INPUT_WORDS };

struct word data_int(struct shape *g) { return word("%%a%u", pick(g, INTS)); }
struct word data_float(struct shape *g) { return word("%%x%u", pick(g, FLOATS)); }

void data_mix(struct shape *g, const char *with)
{
    static const char *const ops[] = { "add.s32", "sub.s32", "xor.b32", "max.s32", "min.u32", "add.u32" };
    struct word d = data_int(g);
    if (pick(g, 3) == 0)
        put(g, "\tmad.lo.s32 %s, %s, %u, %s;\n", d.s, d.s, 3 + 2 * pick(g, 9), with);
    else
        put(g, "\t%s %s, %s, %s;\n", ops[pick(g, COUNT(ops))], d.s, d.s, with);
}

void data_mix_float(struct shape *g, const char *with)
{
    static const char *const ops[] = { "add.rn.f32", "sub.rn.f32", "max.f32", "min.f32", "mul.rn.f32" };
    struct word d = data_float(g);
    if (pick(g, 2))
        put(g, "\tfma.rn.f32 %s, %s, %s, %s;\n", d.s, data_float(g).s, with, d.s);
    else
        put(g, "\t%s %s, %s, %s;\n", ops[pick(g, COUNT(ops))], d.s, d.s, with);
}

struct word data_condition(struct shape *g)
{
    static const char *const ops[] = { "lt.u32", "gt.u32", "lt.s32", "ge.s32", "eq.s32", "le.u32" };
    struct word p = pred(g), t = reg(g);
    switch (pick(g, 3)) {
    case 0: put(g, "\tsetp.%s.f32 %s, %s, %s;\n", pick(g, 2) ? "lt" : "geu", p.s, data_float(g).s, data_float(g).s); break;
    case 1: put(g, "\tand.b32 %s, %s, %u;\n\tsetp.eq.s32 %s, %s, %u;\n", t.s, data_int(g).s, 1 + pick(g, 3), p.s, t.s, pick(g, 2)); break;
    default: put(g, "\tsetp.%s %s, %s, %s;\n", ops[pick(g, COUNT(ops))], p.s, data_int(g).s, data_int(g).s); break;
    }
    return p;
}

void data_step(struct shape *g)
{
    static const char *const ops[] = { "add.s32", "sub.s32", "mul.lo.s32", "and.b32", "xor.b32", "min.s32", "max.u32", "mul.hi.u32" };
    switch (pick(g, 6)) {
    case 0: put(g, "\tfma.rn.f32 %s, %s, %s, %s;\n", data_float(g).s, data_float(g).s, data_float(g).s, data_float(g).s); break;
    case 1: put(g, "\tselp.b32 %s, %s, %s, %s;\n", data_int(g).s, data_int(g).s, data_int(g).s, data_condition(g).s); break;
    case 2: put(g, "\tcvt.rn.f32.%s %s, %s;\n", pick(g, 2) ? "s32" : "u32", data_float(g).s, data_int(g).s); break;
    case 3: put(g, "\tshr.u32 %s, %s, %u;\n", data_int(g).s, data_int(g).s, 1 + pick(g, 9)); break;
    case 4: put(g, "\tadd.s32 %s, %s, %s;\n", data_int(g).s, data_int(g).s, index_leaf(g).s); break;
    default: put(g, "\t%s %s, %s, %s;\n", ops[pick(g, COUNT(ops))], data_int(g).s, data_int(g).s, data_int(g).s); break;
    }
}

static const char *cached(struct shape *g) { return pick(g, 3) ? "" : pick(g, 2) ? ".nc" : ".cg"; }

/* Parts of a structure of `size` bytes: fields of several sizes. */
static bool load_fields(struct shape *g)
{
    static const char *const types[] = { "u8", "s8", "u16", "s16", "u32", "f32", "u64" };
    static const unsigned sizes[] = { 1, 1, 2, 2, 4, 4, 8 };
    unsigned size = 8 * (1 + pick(g, 6));
    struct address a;
    struct val i = pick(g, 3) ? index_own(g, pick(g, 2)) : index_any(g);
    if (!address_global(g, GEN_INPUT, 128, IN_BYTES - 256, &i, size, 8, &a))
        return false;
    char *end = a.s;
    while (*end && *end != '+' && *end != ']')
        end++;
    *end = 0;
    for (unsigned k = 0, n = 2 + pick(g, 3); k < n; k++) {
        unsigned t = pick(g, COUNT(types)), at = sizes[t] * pick(g, 48 / sizes[t]);
        struct word w = wide(g), r = reg(g), f = freg(g);
        if (sizes[t] == 8)
            put(g, "\tld.global.u64 %s, %s+%u];\n\tcvt.u32.u64 %s, %s;\n", w.s, a.s, at, r.s, w.s);
        else
            put(g, "\tld.global.%s %s, %s+%u];\n", types[t], t == 5 ? f.s : r.s, a.s, at);
        t == 5 ? data_mix_float(g, f.s) : data_mix(g, r.s);
    }
    return true;
}

static bool load_vector(struct shape *g)
{
    static const struct { const char *type; unsigned parts, bytes; bool is_float; } kinds[] = { { "v2.f32", 2, 8, true }, { "v4.f32", 4, 16, true }, { "v2.u32", 2, 8, false },
        { "v4.u32", 4, 16, false }, { "v4.u8", 4, 4, false }, { "v2.u8", 2, 2, false }, { "v2.s16", 2, 4, false }, { "v4.u16", 4, 8, false }, { "v4.s8", 4, 4, false } };
    unsigned k = pick(g, COUNT(kinds));
    struct address a;
    struct word r[4];
    struct val i = pick(g, 2) ? index_own(g, pick(g, 2)) : index_any(g);
    if (!address_global(g, GEN_INPUT, 0, IN_BYTES, &i, kinds[k].bytes * (pick(g, 3) ? 1 : 1 + pick(g, 4)), kinds[k].bytes, &a))
        return false;
    for (unsigned j = 0; j < 4; j++)
        r[j] = kinds[k].is_float ? freg(g) : reg(g);
    if (kinds[k].parts == 2)
        put(g, "\tld.global%s.%s {%s, %s}, %s;\n", cached(g), kinds[k].type, r[0].s, r[1].s, a.s);
    else
        put(g, "\tld.global%s.%s {%s, %s, %s, %s}, %s;\n", cached(g), kinds[k].type, r[0].s, r[1].s, r[2].s, r[3].s, a.s);
    for (unsigned j = 0; j < kinds[k].parts; j++)
        kinds[k].is_float ? data_mix_float(g, r[j].s) : data_mix(g, r[j].s);
    return true;
}

/* A table of constants, or the words of a structure that is a parameter, by an index that a thread computes. */
static bool load_table(struct shape *g)
{
    struct val i = index_any(g), most = val_const(SHAPE_STRUCT - 1), t = val_two(g, pick(g, 2) ? "and.b32" : "min.u32", &i, &most);
    struct word w = wide(g), b = wide(g), r = reg(g);
    put(g, "\tmul.wide.u32 %s, %s, 4;\n", w.s, t.s);
    if (pick(g, 2)) {
        put(g, "\tmov.u64 %s, table;\n\tadd.s64 %s, %s, %s;\n\tld.const.u32 %s, [%s+%u];\n", b.s, b.s, b.s, w.s, r.s, b.s, 4 * pick(g, SHAPE_TABLE - SHAPE_STRUCT));
    } else {
        put(g, "\tmov.b64 %s, p_0;\n\tadd.s64 %s, %s, %s;\n\tld.param.u32 %s, [%s];\n", b.s, b.s, b.s, w.s, r.s, b.s);
    }
    data_mix(g, r.s);
    return true;
}

/* An index from memory, and what is there: rows of a sparse matrix, lists. */
static bool load_gathered(struct shape *g)
{
    struct val i = pick(g, 2) ? index_own(g, pick(g, 2)) : index_any(g), to = { .depth = g->here->depth }, sum;
    struct address a;
    struct word r = reg(g), x = reg(g);
    if (!address_global(g, GEN_INPUT, IN_BYTES / 4 * 3, IN_BYTES, &i, 4, 4, &a))
        return false;
    uint32_t *v = shape_alloc(g, 4ul * g->here->n + 4);
    for (unsigned k = 0; k < g->here->n; k++)
        v[k] = gen_input(a.at[k] / 4);
    put(g, "\tld.global%s.u32 %s, %s;\n", cached(g), r.s, a.s);
    to.v = v;
    snprintf(to.s, sizeof to.s, "%s", r.s);
    sum = to;
    if (pick(g, 2)) {
        struct val other = index_any(g);
        sum = val_two(g, "add.s32", &to, &other);
    }
    if (!address_global(g, GEN_INPUT, 0, IN_BYTES, &sum, 4, 4, &a))
        return false;
    put(g, "\tld.global%s.u32 %s, %s;\n", cached(g), x.s, a.s);
    data_mix(g, x.s);
    return true;
}

bool data_load(struct shape *g)
{
    static const char *const types[] = { "u8", "s8", "u16", "s16" };
    struct address a;
    struct word r = reg(g), f = freg(g);
    struct val i;
    unsigned kind = pick(g, 10), narrow = pick(g, 4);
    switch (kind) {
    case 0: return load_fields(g);
    case 1: case 2: return load_vector(g);
    case 3: return load_table(g);
    case 4: return load_gathered(g);
    default: break;
    }
    i = pick(g, 3) ? index_any(g) : index_own(g, pick(g, 2));
    if (kind == 5) {
        if (!address_global(g, GEN_INPUT, 0, IN_BYTES, &i, narrow < 2 ? 1 : 2, narrow < 2 ? 1 : 2, &a))
            return false;
        put(g, "\tld.global%s.%s %s, %s;\n", cached(g), types[narrow], r.s, a.s);
        data_mix(g, r.s);
    } else if (kind < 8) {
        if (!address_global(g, GEN_INPUT, IN_BYTES / 2, IN_BYTES / 4 * 3, &i, 4, 4, &a))
            return false;
        put(g, "\tld.global%s.f32 %s, %s;\n", cached(g), f.s, a.s);
        data_mix_float(g, f.s);
    } else {
        if (!address_global(g, GEN_INPUT, 0, IN_BYTES / 2, &i, 4, 4, &a))
            return false;
        put(g, "\tld.global%s.u32 %s, %s;\n", cached(g), r.s, a.s);
        data_mix(g, r.s);
    }
    return true;
}

/* A float as a word. */
static struct word float_bits(struct shape *g, struct word f)
{
    struct word t = reg(g), p = pred(g), r = reg(g);
    put(g, "\tmov.b32 %s, %s;\n\tsetp.nan.f32 %s, %s, %s;\n\tselp.b32 %s, 0x7fffffff, %s, %s;\n", t.s, f.s, p.s, f.s, f.s, r.s, t.s, p.s);
    return r;
}

/* Each store has a part of the output for itself. */
bool data_store(struct shape *g)
{
    struct val i = index_own(g, false);
    struct address a;
    unsigned parts = pick(g, 4) ? 1 : 2 << pick(g, 2), room = 4 * GEN_OUTPUT_WORDS - g->out_used;
    if (g->n_counters && g->here->turns) {                   /* one for each turn */
        struct val n = val_const(g->threads * g->n_blocks), part = val_two(g, "mul.lo.s32", &g->counters[g->n_counters - 1], &n);
        i = val_two(g, "add.s32", &g->gid, &part);
    }
    if (!address_global(g, GEN_OUTPUT, g->out_used, 4 * GEN_OUTPUT_WORDS, &i, 4 * parts, 4 * parts, &a))
        return false;
    unsigned last = g->out_used;
    for (unsigned k = 0; k < g->here->n; k++)
        last = a.at[k] + 4 * parts > last ? a.at[k] + 4 * parts : last;
    if (last - g->out_used > room / 2 && g->out_used)
        return false;
    g->out_used = (last + 15) & ~15u;
    struct word w = pick(g, 2) ? data_int(g) : float_bits(g, data_float(g));
    if (parts == 1)
        put(g, "\tst.global.u32 %s, %s;\n", a.s, w.s);
    else if (parts == 2)
        put(g, "\tst.global.v2.u32 %s, {%s, %s};\n", a.s, w.s, data_int(g).s);
    else
        put(g, "\tst.global.v4.u32 %s, {%s, %s, %s, %s};\n", a.s, w.s, data_int(g).s, float_bits(g, data_float(g)).s, data_int(g).s);
    note_access(g, NOTE_STORE, SPACE_OUT, &a, 4 * parts, 0);
    return true;
}
