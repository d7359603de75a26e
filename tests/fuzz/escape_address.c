/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile kernels: addresses, and the ways in which code may come to them. */
#include "escape_gen.h"

#include <stdio.h>
#include <string.h>

const char *escape_space(char space)
{
    switch (space) {
    case 'g': return ".global";
    case 's': return ".shared";
    case 'l': return ".local";
    case 'c': return ".const";
    case 'p': return ".param";
    default: return "";
    }
}

static const char *variable(char space)
{
    return space == 's' ? "S" : space == 'l' ? "L" : space == 'c' ? "C" : space == 'p' ? "big" : "G";
}

/* The generic address of a variable: near it there may be what belongs to others. */
void escape_near(struct escape_gen *g)
{
    static const char spaces[] = "slcpg";
    static const char *const far[] = { "1024", "4096", "16384", "65536", "1048576", "4194304", "536870912", "0x7ffffff0", "0x80000000",
        "0x100000000", "2684354560", "0x1000000000" };
    char s = spaces[escape_pick(g, 5)];
    text_put(&g->t, " mov.u64 %%x0, %s; cvta%s.u64 %%T, %%x0;\n", variable(s), escape_space(s));
    text_put(&g->t, " %s.u64 %%T, %%T, %s;\n", escape_pick(g, 2) ? "add" : "sub", far[escape_pick(g, sizeof far / sizeof far[0])]);
    if (escape_pick(g, 2))
        text_put(&g->t, " add.u64 %%T, %%T, %u;\n", 16 * escape_pick(g, 4096));
    escape_label(g, "near %c ", s);
}

static void forged(struct escape_gen *g)
{
    static const char *const values[] = { "0", "16", "-16", "0x7ffffffffff0", "0x8000000000000000", "0x1ffffffffff0", "0x200000000000",
        "0x2ffffffffff0", "0x300000000000",
                                          "0x400000", "0x555555554000", "0x4141414141414140", "0xffffffff80000000", "0x100000000",
                                              "0xffffffffff600000" };
    text_put(&g->t, " mov.u64 %%T, %s;\n", values[escape_pick(g, sizeof values / sizeof values[0])]);
    escape_label(g, "forged ");
}

void escape_target(struct escape_gen *g)
{
    static const char *const names[TARGETS] = { "static", "heap", "stack", "under", "over", "before", "behind", "code" };
    unsigned kind = escape_pick(g, 16);
    if (kind == 0) {
        forged(g);
        return;
    }
    if (kind < 4) {
        escape_near(g);
        return;
    }
    unsigned t = escape_pick(g, TARGETS);
    text_put(&g->t, " ld.param.u64 %%T, [h%u];\n", t);
    if (escape_pick(g, 3) == 0)
        text_put(&g->t, " add.u64 %%T, %%T, %u;\n", 128 * escape_pick(g, ESCAPE_SPAN / 256));
    escape_label(g, "%s ", names[t]);
}

/* A good address of the space, for lanes that shall not be noticed. */
static void good(struct escape_gen *g, char space, const char *reg)
{
    if (space == 'g' || space == '.')
        text_put(&g->t, " mov.u64 %s, %%%s;\n", reg, escape_pick(g, 3) ? "in" : "i0");
    else
        text_put(&g->t, " mov.u64 %s, %s;\n", reg, variable(space));
}

/* %A: the address %T in the space's own terms. */
static void translate(struct escape_gen *g, char space)
{
    bool windowed = space == 's' || space == 'l' || space == 'c' || space == 'p';
    switch (windowed ? escape_pick(g, 4) : 4 + escape_pick(g, 2)) {
    case 0: text_put(&g->t, " mov.u64 %%A, %%T;\n"); escape_label(g, "raw "); break;
    case 1: text_put(&g->t, " cvta.to%s.u64 %%A, %%T;\n", escape_space(space)); escape_label(g, "cvta "); break;
    case 2: case 3:
        text_put(&g->t, " mov.u64 %%x0, %s; cvta%s.u64 %%x1, %%x0; sub.u64 %%x1, %%T, %%x1; add.u64 %%A, %%x0, %%x1;\n", variable(space),
            escape_space(space));
        escape_label(g, "relative ");
        break;
    case 4: text_put(&g->t, " mov.u64 %%A, %%T;\n"); break;
    default: text_put(&g->t, " sub.u64 %%x1, %%T, %%in; add.u64 %%A, %%in, %%x1;\n"); break;
    }
}

/* Which lanes are sent there, and by which route. */
static void spread(struct escape_gen *g, char space)
{
    unsigned n = 1 + escape_pick(g, 31);
    switch (escape_pick(g, 9)) {
    case 0:                                      /* one lane among good ones */
        good(g, space, "%x2");
        text_put(&g->t, " setp.eq.u32 %%p1, %%ln, %u; selp.b64 %%A, %%A, %%x2, %%p1;\n", escape_pick(g, 8));
        escape_label(g, "one-lane ");
        break;
    case 1:                                      /* a row that leads there */
        good(g, space, "%x2");
        text_put(&g->t, " sub.u64 %%x3, %%A, %%x2; div.s64 %%x3, %%x3, %u; and.b64 %%x3, %%x3, -16;\n", n);
        text_put(&g->t, " cvt.u64.u32 %%x4, %%ln; mul.lo.u64 %%x3, %%x3, %%x4; add.u64 %%A, %%x2, %%x3;\n");
        escape_label(g, "row/%u ", n);
        break;
    case 2:                                      /* lane after lane, from there on */
        text_put(&g->t, " mul.wide.u32 %%x3, %%ln, %u; add.u64 %%A, %%A, %%x3;\n", 4u << escape_pick(g, 4));
        escape_label(g, "from ");
        break;
    case 3:                                      /* through memory: nobody can know it */
        text_put(&g->t, " st.volatile.global.u64 [%%slot+504], %%A; ld.volatile.global.u64 %%A, [%%slot+504]; "
            "st.volatile.global.u64 [%%slot+504], 0;\n");
        escape_label(g, "opaque ");
        break;
    case 4:                                      /* a 32-bit index, wide enough for what is near */
        good(g, space, "%x2");
        text_put(&g->t, " sub.u64 %%x3, %%A, %%x2; shr.s64 %%x3, %%x3, 4; cvt.u32.u64 %%y1, %%x3; mad.wide.s32 %%A, %%y1, 16, %%x2;\n");
        escape_label(g, "index ");
        break;
    case 5:                                      /* a neighbour's check must not serve */
        good(g, space, "%x2");
        if (space != 'p')
            text_put(&g->t, " ld%s.u32 %%y2, [%%x2]; add.u32 %%y3, %%y3, %%y2;\n", escape_space(space));
        break;
    default: break;
    }
}

void escape_address(struct escape_gen *g, char space, unsigned bytes, char out[48])
{
    bool windowed = space == 's' || space == 'l' || space == 'c';
    const char *reg = "%A";
    text_put(&g->t, " ld.param.u64 %%i0, [reg];\n");
    translate(g, space);
    spread(g, space);
    if (escape_pick(g, 4))
        text_put(&g->t, " and.b64 %%A, %%A, -%u;\n", bytes);
    long long imm = escape_pick(g, 3) ? 0 : (long long)bytes * escape_pick(g, 64);
    if (escape_pick(g, 8) == 0) {
        static const long long large[] = { 65536, -65536, 0x7fffff80, -0x7fffff80, 1 << 20, 0x20000000, -0x20000000 };
        imm = large[escape_pick(g, 7)];
        text_put(&g->t, " sub.u64 %%A, %%A, %lld;\n", imm);
    }
    if (windowed && escape_pick(g, 4) == 0) {
        text_put(&g->t, " cvt.u32.u64 %%a, %%A;\n");
        reg = "%a";
        escape_label(g, "32-bit ");
    }
    if (imm)
        snprintf(out, 48, "%s+%lld", reg, imm);
    else
        snprintf(out, 48, "%s", reg);
}
