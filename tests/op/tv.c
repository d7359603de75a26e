/* SPDX-License-Identifier: Apache-2.0 */
/* Reads .tv files, makes the inputs of sweeps, compares values. */
#include "tv.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tv_type types[] = {
    { "s16", "s16", 2, TV_PLAIN },       { "u16", "u16", 2, TV_PLAIN },       { "b16", "b16", 2, TV_PLAIN },
    { "s32", "s32", 4, TV_PLAIN },       { "u32", "u32", 4, TV_PLAIN },       { "b32", "b32", 4, TV_PLAIN },
    { "s64", "s64", 8, TV_PLAIN },       { "u64", "u64", 8, TV_PLAIN },       { "b64", "b64", 8, TV_PLAIN },
    { "f32", "f32", 4, TV_NAN_F32 },     { "f64", "f64", 8, TV_NAN_F64 },     { "f16", "b16", 2, TV_NAN_F16 },
    { "bf16", "b16", 2, TV_NAN_BF16 },   { "f16x2", "b32", 4, TV_NAN_F16X2 }, { "bf16x2", "b32", 4, TV_NAN_BF16X2 },
};

/* ---- reading ---- */

struct reader {
    const char *path;
    unsigned line;
    char *at;
};

__attribute__((format(printf, 2, 3), noreturn)) static void bad(const struct reader *r, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fprintf(stderr, "%s:%u: ", r->path, r->line);
    vfprintf(stderr, fmt, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(2);
}

static char *word(struct reader *r)
{
    char *start;

    while (isspace((unsigned char)*r->at))
        r->at++;
    if (!*r->at)
        return NULL;
    start = r->at;
    while (*r->at && !isspace((unsigned char)*r->at))
        r->at++;
    if (*r->at)
        *r->at++ = 0;
    return start;
}

static const struct tv_type *type_named(struct reader *r, const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (name && !strcmp(types[i].name, name))
            return &types[i];
    bad(r, "'%s' is not a type", name ? name : "");
}

/* 0x... is bits; floats may be written as floats (1.5, -inf, nan), integers as integers. */
static uint64_t value(struct reader *r, const struct tv_type *type, const char *text)
{
    char *end = NULL;
    uint64_t bits;

    if (!text)
        bad(r, "a value is missing");
    if ((type->nan == TV_NAN_F32 || type->nan == TV_NAN_F64) && strncmp(text, "0x", 2)) {
        double d = strtod(text, &end);
        float f = (float)d;

        bits = 0;
        if (type->bytes == 4)
            memcpy(&bits, &f, 4);
        else
            memcpy(&bits, &d, 8);
    } else {
        bits = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    }
    if (*end)
        bad(r, "'%s' is not a value of type %s", text, type->name);
    return type->bytes == 8 ? bits : bits & ((1ull << type->bytes * 8) - 1);
}

static void append(struct reader *r, char *to, const char *text)
{
    if (strlen(to) + strlen(text) + 2 > TV_MAX_TEXT)
        bad(r, "too much PTX for one case");
    strcat(to, text);
    strcat(to, "\n");
}

static void read_op(struct reader *r, struct tv_case *c)
{
    char *w = word(r);

    if (!w)
        bad(r, "op NAME RESULT ARGUMENTS...");
    snprintf(c->name, sizeof c->name, "%s", w);
    c->line = r->line;
    c->result = type_named(r, word(r));
    while ((w = word(r))) {
        if (c->n_args == TV_MAX_ARGS)
            bad(r, "at most %d arguments", TV_MAX_ARGS);
        c->arg[c->n_args++] = type_named(r, w);
    }
}

/* An external function with one parameter for each argument: its declaration and the call. */
static void read_call(struct reader *r, struct tv_case *c)
{
    char *name = word(r), text[1024], *at = text, *end = text + sizeof text;

    if (!name)
        bad(r, "call NAME");
    snprintf(c->callee, sizeof c->callee, "%s", name);
    at += snprintf(at, end - at, ".extern .func (.param .b%u r) %s(", c->result->bytes * 8, name);
    for (unsigned k = 0; k < c->n_args; k++)
        at += snprintf(at, end - at, "%s.param .b%u p%u", k ? ", " : "", c->arg[k]->bytes * 8, k);
    snprintf(at, end - at, ");");
    append(r, c->head, text);
    at = text;
    at += snprintf(at, end - at, "{ .param .b%u r0; ", c->result->bytes * 8);
    for (unsigned k = 0; k < c->n_args; k++)
        at += snprintf(at, end - at, ".param .b%u q%u; st.param.b%u [q%u], %c; ", c->arg[k]->bytes * 8, k, c->arg[k]->bytes * 8, k, "abce"[k]);
    at += snprintf(at, end - at, "call (r0), %s, (", name);
    for (unsigned k = 0; k < c->n_args; k++)
        at += snprintf(at, end - at, "%sq%u", k ? ", " : "", k);
    snprintf(at, end - at, "); ld.param.b%u d, [r0]; }", c->result->bytes * 8);
    append(r, c->body, text);
}

static void read_row(struct reader *r, struct tv_case *c)
{
    struct tv_row *row;
    char *w;

    if ((c->n_rows & (c->n_rows + 1)) == 0)       /* grow at 0, 1, 3, 7, ... */
        c->rows = realloc(c->rows, (2 * c->n_rows + 1) * sizeof *c->rows);
    row = &c->rows[c->n_rows++];
    *row = (struct tv_row){ .line = r->line };
    for (unsigned k = 0; k < c->n_args; k++)
        row->arg[k] = value(r, c->arg[k], word(r));
    w = word(r);
    if (!w || strcmp(w, "="))
        bad(r, "row ARGUMENTS... = RESULT, and %s has %u arguments", c->name, c->n_args);
    row->want = value(r, c->result, word(r));
}

static void read_line(struct reader *r, struct tv_case *c, const char *keyword)
{
    char *w;

    if (!strcmp(keyword, "ptx")) {
        append(r, c->body, r->at);
    } else if (!strcmp(keyword, "head")) {
        append(r, c->head, r->at);
    } else if (!strcmp(keyword, "call")) {
        read_call(r, c);
    } else if (!strcmp(keyword, "row")) {
        read_row(r, c);
    } else if (!strcmp(keyword, "ulp")) {
        c->ulp = (w = word(r)) ? strtod(w, NULL) : 0;
    } else if (!strcmp(keyword, "relative")) {
        c->relative = (w = word(r)) ? strtod(w, NULL) : 0;
    } else if (!strcmp(keyword, "absolute")) {
        c->absolute = (w = word(r)) ? strtod(w, NULL) : 0;
    } else if (!strcmp(keyword, "target")) {
        w = word(r);
        if (!w || sscanf(w, "sm_%u", &c->sm) != 1)
            bad(r, "target sm_NN");
    } else if (!strcmp(keyword, "todo")) {
        c->has_todo = true;
    } else if (!strcmp(keyword, "sweep")) {
        char *seed = word(r), *equals = word(r), *hash = word(r);

        if (!hash || strcmp(equals, "="))
            bad(r, "sweep SEED = HASH");
        c->has_sweep = true;
        c->sweep_seed = strtoull(seed, NULL, 0);
        c->sweep_hash = strtoull(hash, NULL, 16);
    } else {
        bad(r, "unknown keyword '%s'", keyword);
    }
}

struct tv_case *tv_read(const char *path)
{
    FILE *f = fopen(path, "r");
    struct tv_case *first = NULL, **tail = &first, *c = NULL;
    struct reader r = { path, 0, NULL };
    char text[4096];

    if (!f)
        bad(&r, "cannot be opened");
    while (fgets(text, sizeof text, f)) {
        char *keyword;

        r.line++;
        r.at = text;
        text[strcspn(text, "#\n")] = 0;
        keyword = word(&r);
        if (!keyword)
            continue;
        if (!strcmp(keyword, "op")) {
            c = calloc(1, sizeof *c);
            c->sm = 80;
            read_op(&r, c);
            *tail = c;
            tail = &c->next;
        } else if (!c) {
            bad(&r, "the first line must be an op");
        } else {
            read_line(&r, c, keyword);
        }
    }
    fclose(f);
    return first;
}

void tv_free(struct tv_case *first)
{
    while (first) {
        struct tv_case *next = first->next;

        free(first->rows);
        free(first);
        first = next;
    }
}

void tv_kernel_text(const struct tv_case *c, char *out, size_t size)
{
    static const char regs[] = "abce";
    char *at = out, *end = out + size;

    at += snprintf(at, end - at, ".version %s\n.target sm_%u\n.address_size 64\n%s", c->sm >= 100 ? "8.8" : "8.3", c->sm, c->head);
    at += snprintf(at, end - at, ".visible .entry case(.param .u64 pd, .param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pe, .param .u32 pn)\n{\n");
    at += snprintf(at, end - at, ".reg .u64 addr; .reg .u32 i, n, t; .reg .pred out;\n.reg .%s d;\n", c->result->reg);
    for (unsigned k = 0; k < c->n_args; k++)
        at += snprintf(at, end - at, ".reg .%s %c;\n", c->arg[k]->reg, regs[k]);
    at += snprintf(at, end - at, "ld.param.u32 n, [pn];\nmov.u32 i, %%ctaid.x;\nmov.u32 t, %%ntid.x;\nmul.lo.u32 i, i, t;\nmov.u32 t, %%tid.x;\n"
                                 "add.u32 i, i, t;\nsetp.ge.u32 out, i, n;\n@out bra DONE;\n");
    for (unsigned k = 0; k < c->n_args; k++)
        at += snprintf(at, end - at, "ld.param.u64 addr, [p%c];\nmad.wide.u32 addr, i, %u, addr;\nld.global.%s %c, [addr];\n", regs[k],
                       c->arg[k]->bytes, c->arg[k]->reg, regs[k]);
    snprintf(at, end - at, "%sld.param.u64 addr, [pd];\nmad.wide.u32 addr, i, %u, addr;\nst.global.%s [addr], d;\nDONE:\nret;\n}\n", c->body,
             c->result->bytes, c->result->reg);
}

/* ---- sweeps ---- */

static const uint32_t specials[22] = {
    0, 0x80000000u, 0x3f800000u, 0xbf800000u, 1, 0x80000001u, 0x007fffffu, 0x00800000u, 0x7f7fffffu, 0xff7fffffu, 0x7f800000u,
    0xff800000u, 0x7fc00000u, 0x3f000000u, 0x4b000000u, 0x4b7fffffu, 0xcf000000u, 0x4f000000u, 0x4effffffu, 0x5f000000u,
    0x33800000u, 0x40490fdbu,
};

void tv_sweep_seed(uint64_t seed, uint64_t *rng)
{
    *rng = 88172645463325252u + seed;
}

static uint64_t special(unsigned i, int k, unsigned bytes)
{
    uint64_t s = specials[(i * (unsigned)(k * 2 + 1) + (i >> 5 * k)) % 22];

    if (bytes == 8) {
        uint32_t u = (uint32_t)s;
        float f;
        double d;

        memcpy(&f, &u, 4);
        d = f;
        memcpy(&s, &d, 8);
        if (i & 1)
            s = (uint64_t)(int64_t)(int32_t)u;
    } else if (bytes == 2) {
        s = (s >> 16) ^ (i & 256 ? 0x8000 : 0);
    }
    return s;
}

/* Odd ones are floats of moderate size, every eighth is a small integer, the others are any bits. */
static uint64_t ordinary(uint64_t r, unsigned i, unsigned bytes)
{
    if (i & 1) {
        if (bytes == 4)
            r = (r & 0x807fffffu) | (96 + (r >> 32) % 64) << 23;
        else if (bytes == 8)
            r = (r & 0x800fffffffffffffu) | (960 + (r >> 53) % 128) << 52;
        else
            r = (r & 0x83ff) | (4 + (r >> 20) % 22) << 10;
    }
    return (i & 7) == 2 ? (uint64_t)((int64_t)r % 70) : r;
}

void tv_sweep_fill(uint64_t *rng, const struct tv_type *type, int k, void *out)
{
    for (unsigned i = 0; i < TV_SWEEP; i++) {
        uint64_t x;

        *rng ^= *rng << 13;
        *rng ^= *rng >> 7;
        *rng ^= *rng << 17;
        x = i < 1024 ? special(i, k, type->bytes) : ordinary(*rng, i, type->bytes);
        memcpy((char *)out + (size_t)i * type->bytes, &x, type->bytes);
    }
}

/* ---- values ---- */

static uint64_t canonical_half(uint64_t x, unsigned exponent)
{
    return (x & exponent) == exponent && (x & 0x7fff & ~(uint64_t)exponent) ? 0x7fff : x;
}

uint64_t tv_canonical(const struct tv_type *type, uint64_t b)
{
    unsigned exponent = type->nan == TV_NAN_F16 || type->nan == TV_NAN_F16X2 ? 0x7c00 : 0x7f80;

    switch (type->nan) {
    case TV_NAN_F32:
        return (b & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : b;
    case TV_NAN_F64:
        return (b & INT64_MAX) > 0x7ff0000000000000u ? INT64_MAX : b;
    case TV_NAN_F16:
    case TV_NAN_BF16:
        return canonical_half(b, exponent);
    case TV_NAN_F16X2:
    case TV_NAN_BF16X2:
        return canonical_half(b & 0xffff, exponent) | canonical_half(b >> 16, exponent) << 16;
    default:
        return b;
    }
}

uint64_t tv_load(const struct tv_type *type, const void *array, size_t i)
{
    uint64_t bits = 0;

    memcpy(&bits, (const char *)array + i * type->bytes, type->bytes);
    return bits;
}

uint64_t tv_hash(const struct tv_type *type, const void *results, size_t n, uint64_t seed)
{
    uint64_t h = 1469598103934665603u;            /* FNV-1a, over values instead of bytes */

    for (size_t i = 0; i < n; i++) {
        uint64_t x = tv_canonical(type, tv_load(type, results, i));

        if (type->bytes == 8 && seed >= TV_OWN_SEEDS) {
            h = (h ^ x >> 32) * 1099511628211u;
            x = (uint32_t)x;
        }
        h = (h ^ x) * 1099511628211u;
    }
    return h;
}

double tv_value(const struct tv_type *type, uint64_t bits)
{
    float f;
    double d;

    if (type->nan == TV_NAN_F32) {
        memcpy(&f, &bits, 4);
        return f;
    }
    if (type->nan == TV_NAN_F64) {
        memcpy(&d, &bits, 8);
        return d;
    }
    return (double)bits;
}

/* Floats as integers that count them in order. */
static int64_t ordinal(const struct tv_type *type, uint64_t bits)
{
    int64_t x = type->bytes == 4 ? (int32_t)bits : (int64_t)bits;
    int64_t low = type->bytes == 4 ? INT32_MIN : INT64_MIN;

    return x < 0 ? low - x : x;
}

double tv_ulps(const struct tv_type *type, uint64_t a, uint64_t b)
{
    a = tv_canonical(type, a);
    b = tv_canonical(type, b);
    if (a == b)
        return 0;
    if (type->nan != TV_NAN_F32 && type->nan != TV_NAN_F64)
        return INFINITY;
    if (isnan(tv_value(type, a)) || isnan(tv_value(type, b)))
        return INFINITY;
    return fabs((double)ordinal(type, a) - (double)ordinal(type, b));
}
