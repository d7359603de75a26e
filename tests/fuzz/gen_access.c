/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses: from 32-bit indices in all the ways compilers know, and parameters that put them in bounds. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gen_shape.h"

enum { FAR = 1 << 30 };

/* A register that is set before the body, if something uses it; its name is prefix and a number, and stands for $ in the text. */
struct word define(struct shape *g, const char *prefix, const char *fmt, ...)
{
    struct def *d = &g->defs[g->n_defs < SHAPE_DEFS ? g->n_defs++ : SHAPE_DEFS - 1];
    char rest[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(rest, sizeof rest, fmt, args);
    va_end(args);
    snprintf(d->name.s, sizeof d->name.s, "%s%u", prefix, g->n_defs - 1);
    char *at = strchr(rest, '$');                            /* $ stands for the register */
    if (at)
        *at++ = 0;
    snprintf(d->text, sizeof d->text, "%s%s%s", rest, at ? d->name.s : "", at ? at : "");
    return d->name;
}

static unsigned param_new(struct shape *g)
{
    return g->k->n_params < GEN_MAX_PARAMS ? g->k->n_params++ : GEN_MAX_PARAMS - 1;
}

/* A quotient of two parameters: the width of a part. */
struct val val_quotient(struct shape *g, uint32_t c)
{
    if (g->n_defs + 8 >= SHAPE_DEFS || g->k->n_params + 12 >= GEN_MAX_PARAMS)
        return val_const(c);
    struct val r = { .c = c };
    uint32_t parts = 1 + pick(g, 16), all = c * parts + pick(g, parts);
    struct word n[2];
    for (unsigned k = 0; k < 2; k++) {
        unsigned p = param_new(g);
        g->k->params[p] = (struct gen_param){ .words = { k ? parts : all } };
        n[k] = define(g, "%n", "\tld.param.u32 $, [p_%u];\n", p);
    }
    strcpy(r.s, define(g, "%n", "\tdiv.%s $, %s, %s;\n", pick(g, 2) ? "s32" : "u32", n[0].s, n[1].s).s);
    return r;
}

struct val val_param(struct shape *g, uint32_t c)
{
    if (g->n_defs + 8 >= SHAPE_DEFS || g->k->n_params + 12 >= GEN_MAX_PARAMS)
        return val_const(c);
    struct val r = { .c = c };
    if (pick(g, 6) == 0 && c < 1 << 20) {
        r = val_quotient(g, c);
    } else {
        unsigned p = param_new(g);
        g->k->params[p] = (struct gen_param){ .words = { c } };
        strcpy(r.s, define(g, "%n", "\tld.param.u32 $, [p_%u];\n", p).s);
    }
    if (g->n_uniforms < SHAPE_UNIFORMS)
        g->uniforms[g->n_uniforms++] = r;
    return r;
}

/* An offset that is a multiple of align with from <= it + lo and it + hi <= to; 0 if that will do. */
static bool fit(struct shape *g, int64_t lo, int64_t hi, int64_t from, int64_t to, unsigned align, int64_t *offset)
{
    int64_t least = (from - lo + (int64_t)align - 1) & -(int64_t)align, most = (to - hi) & -(int64_t)align;
    if (least > most)
        return false;
    if (least <= 0 && most >= 0 && pick(g, 4))
        *offset = 0;
    else
        *offset = pick(g, 2) ? least : least + (int64_t)align * pick(g, (unsigned)((most - least) / (int64_t)align) + 1);
    return true;
}

/* The pointer in a buffer that bytes lo to hi from it are in its part from ... to; an empty name if none is. */
struct word pointer_for(struct shape *g, enum gen_buffer buffer, int64_t lo, int64_t hi, unsigned from, unsigned to, unsigned align, int64_t *offset)
{
    for (unsigned j = 0; j < g->n_pointers && !(g->new_pointers && g->n_pointers < COUNT(g->pointers)); j++) {
        unsigned k = (j + g->last_pointer) % g->n_pointers;      /* the one used last is as good as any */
        int64_t at = g->pointers[k].offset;
        if (g->pointers[k].buffer == buffer && at + lo >= from && at + hi <= to && at % align == 0) {
            *offset = at;
            g->last_pointer = k;
            return word("%%ptr%u", k);
        }
    }
    bool inside = fit(g, lo, hi, from, to, align, offset);
    if (!inside || g->n_pointers == COUNT(g->pointers) || ((*offset < 0 || *offset >= to) && !g->far))
        return (struct word){ "" };
    unsigned p = param_new(g), k = g->last_pointer = g->n_pointers++;
    g->k->params[p] = (struct gen_param){ .pointer = true, .buffer = buffer, .offset = *offset };
    g->pointers[k].param = p, g->pointers[k].buffer = buffer, g->pointers[k].offset = *offset;
    struct def *d = &g->defs[g->n_defs++];
    d->name = word("%%ptr%u", k);
    snprintf(d->text, sizeof d->text, "\tld.param.u64 %%ptr%u, [p_%u];\n\tcvta.to.global.u64 %%ptr%u, %%ptr%u;\n", k, p, k, k);
    return d->name;
}

/* The index times scale as 64 bits, into a register; off: what it is for each instance. */
static struct word offset64(struct shape *g, const struct val *index, unsigned scale, int64_t *off)
{
    struct word d = wide(g), t;
    unsigned n = g->here->n, form = pick(g, 9) % 7, log = (unsigned)__builtin_ctz(scale);
    bool is_signed = form % 2, power = !(scale & (scale - 1)), ready = index->wide.s[0] && pick(g, 4);
    if (ready)
        form = 7, is_signed = index->wide_signed;
    const char *x = is_signed ? "s" : "u";
    for (unsigned i = 0; i < n; i++) {
        uint32_t v = val_at(g, index, i), m = v * scale;
        off[i] = form >= 4 && form < 6 ? (is_signed ? (int64_t)(int32_t)m : (int64_t)m) : (is_signed ? (int64_t)(int32_t)v : (int64_t)v) * scale;
    }
    switch (form) {
    case 7: put(g, power ? "\tshl.b64 %s, %s, %u;\n" : "\tmul.lo.s64 %s, %s, %u;\n", d.s, index->wide.s, power ? log : scale); break;
    case 2: case 3:
        put(g, "\tcvt.%s64.%s32 %s, %s;\n", x, x, d.s, index->s);
        put(g, power ? "\tshl.b64 %s, %s, %u;\n" : "\tmul.lo.s64 %s, %s, %u;\n", d.s, d.s, power ? log : scale);
        break;
    case 4: case 5:
        t = reg(g);
        put(g, power ? "\tshl.b32 %s, %s, %u;\n" : "\tmul.lo.s32 %s, %s, %u;\n", t.s, index->s, power ? log : scale);
        put(g, "\tcvt.%s64.%s32 %s, %s;\n", x, x, d.s, t.s);
        break;
    default: put(g, "\tmul.wide.%s32 %s, %s, %u;\n", x, d.s, index->s, scale); break;
    }
    return d;
}

static void span(const struct shape *g, const int64_t *off, unsigned bytes, int64_t *lo, int64_t *hi)
{
    *lo = INT64_MAX, *hi = INT64_MIN;
    for (unsigned i = 0; i < g->here->n; i++)
        *lo = off[i] < *lo ? off[i] : *lo, *hi = off[i] + bytes > *hi ? off[i] + bytes : *hi;
}

static void placed(struct shape *g, const int64_t *off, int64_t by, struct address *out)
{
    uint32_t *at = shape_alloc(g, 4ul * g->here->n + 4);
    for (unsigned i = 0; i < g->here->n; i++)
        at[i] = (uint32_t)(off[i] + by);
    out->at = at;
}

void offset_of(struct shape *g, const struct val *index, unsigned scale, struct offset *out)
{
    out->off = shape_alloc(g, 8ul * g->here->n + 8);
    out->reg = offset64(g, index, scale, out->off);
}

/* lo, hi: the bytes of the buffer that are allowed. */
bool address_at(struct shape *g, enum gen_buffer buffer, unsigned lo, unsigned hi, const struct offset *o, unsigned bytes, struct address *out)
{
    int64_t first, last, at;
    int imm = pick(g, 3) ? 0 : ((int)pick(g, 17) - 8) * (int)bytes;
    span(g, o->off, bytes, &first, &last);
    if (!g->here->n)
        first = last = 0;
    if (last - first > (int64_t)hi - lo)
        return false;
    struct word p = pointer_for(g, buffer, first + imm, last + imm, lo, hi, bytes, &at), sum = wide(g);
    if (!p.s[0])
        return false;
    for (unsigned i = 0; i < g->here->n; i++)
        if (o->off[i] % bytes)
            return false;
    bool turned = pick(g, 4) == 0;
    put(g, "\tadd.s64 %s, %s, %s;\n", sum.s, turned ? o->reg.s : p.s, turned ? p.s : o->reg.s);
    snprintf(out->s, sizeof out->s, imm ? "[%s+%d]" : "[%s]", sum.s, imm);
    placed(g, o->off, at + imm, out);
    return true;
}

bool address_global(struct shape *g, enum gen_buffer buffer, unsigned lo, unsigned hi, const struct val *index, unsigned scale, unsigned bytes, struct address *out)
{
    struct offset o;
    offset_of(g, index, scale, &o);
    return address_at(g, buffer, lo, hi, &o, bytes, out);
}

/* A number of words such that it plus lo ... hi (bytes) is in from ... to: one of the kernel's uniforms, or a new parameter. */
bool offset_uniform(struct shape *g, int64_t lo, int64_t hi, unsigned from, unsigned to, unsigned align, struct val *words)
{
    int64_t at;
    for (unsigned k = 0; k < g->n_uniforms; k++) {
        const struct val *u = &g->uniforms[(k + g->n_reg) % g->n_uniforms];
        int64_t b = 4 * (int64_t)u->c;
        if (b + lo >= from && b + hi <= to && b % align == 0 && pick(g, 2)) {
            *words = *u;
            return true;
        }
    }
    if (!fit(g, lo, hi, from, to, align < 4 ? 4 : align, &at))
        return false;
    *words = pick(g, 3) ? val_param(g, (uint32_t)(at / 4)) : val_const((uint32_t)(at / 4));
    return true;
}

/* Shared memory has addresses of 32 bits: what is computed with 64 may wrap. The array: `dyn` and a number of words behind it. */
bool address_shared(struct shape *g, unsigned lo, unsigned hi, const struct val *index, unsigned scale, unsigned bytes, struct address *out)
{
    unsigned n = g->here->n;
    int64_t *off = shape_alloc(g, 8ul * n + 8), first, last;
    bool is_wide = pick(g, 2), power = !(scale & (scale - 1));
    struct val base;
    struct word d, b, sum;
    if (is_wide) {
        d = offset64(g, index, scale, off);
    } else {
        d = reg(g);
        put(g, power ? "\tshl.b32 %s, %s, %u;\n" : "\tmul.lo.s32 %s, %s, %u;\n", d.s, index->s, power ? (unsigned)__builtin_ctz(scale) : scale);
        for (unsigned i = 0; i < n; i++)
            off[i] = (int32_t)(val_at(g, index, i) * scale);
    }
    for (unsigned i = 0; i < n; i++) {
        off[i] = (int32_t)off[i];
        if (off[i] % (int)bytes)
            return false;
    }
    span(g, off, bytes, &first, &last);
    if (!n)
        first = last = 0;
    if (last - first > (int64_t)hi - lo || first < -FAR || last > FAR || !offset_uniform(g, first, last, lo, hi, bytes, &base))
        return false;
    b = is_wide ? wide(g) : reg(g), sum = is_wide ? wide(g) : reg(g);
    const char *bits = is_wide ? "64" : "32";
    put(g, "\tmov.u%s %s, dyn;\n", bits, b.s);
    if (base.s[0] == '%') {
        struct word m = is_wide ? wide(g) : reg(g);
        if (is_wide)
            put(g, "\tmul.wide.%s32 %s, %s, 4;\n", pick(g, 2) || (int)base.c < 0 ? "s" : "u", m.s, base.s);
        else
            put(g, "\tshl.b32 %s, %s, 2;\n", m.s, base.s);
        put(g, "\tadd.s%s %s, %s, %s;\n", bits, b.s, b.s, m.s);
    }
    put(g, "\tadd.s%s %s, %s, %s;\n", bits, sum.s, b.s, d.s);
    snprintf(out->s, sizeof out->s, base.s[0] == '%' || !base.c ? "[%s]" : "[%s+%d]", sum.s, 4 * (int)base.c);
    placed(g, off, 4 * (int64_t)(int32_t)base.c, out);
    return true;
}
