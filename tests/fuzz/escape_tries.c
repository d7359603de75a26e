/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile kernels: single accesses, sweeps over memory, loops whose pointers walk away, images. */
#include "escape_gen.h"

#include <stdio.h>
#include <string.h>

static const struct access {
    const char *spaces;
    unsigned bytes;
    const char *text;
} accesses[] = {
#define ACCESS(spaces, bytes, text) { spaces, bytes, text },
#include "escape.def"
#undef ACCESS
};

/* Puts the space and the address into an instruction. */
static void put_access(struct escape_gen *g, const char *text, char space, const char *address)
{
    text_put(&g->t, " ");
    for (; *text; text++) {
        if (text[0] == '$' && text[1] == 's') {
            text_put(&g->t, "%s", escape_space(space));
            text++;
        } else if (text[0] == '$' && text[1] == 'a') {
            text_put(&g->t, "%s", address);
            text++;
        } else {
            text_put(&g->t, "%c", *text);
        }
    }
    text_put(&g->t, "\n");
}

static const struct access *any_access(struct escape_gen *g, char *out_space)
{
    const struct access *a = &accesses[escape_pick(g, sizeof accesses / sizeof accesses[0])];
    *out_space = a->spaces[escape_pick(g, (unsigned)strlen(a->spaces))];
    return a;
}

static void name_access(struct escape_gen *g, const struct access *a, char space)
{
    escape_label(g, "%.*s%s", (int)strcspn(a->text, " $"), a->text, escape_space(space));
}

static void memory_barrier(struct escape_gen *g, const char *text)
{
    if (strstr(text, "%gm"))
        text_put(&g->t, " setp.eq.u32 %%p2, %%tx, 0; @%%p2 mbarrier.init.shared.b64 [%%gm], 1000;\n");
}

void escape_access(struct escape_gen *g)
{
    char space, address[48];
    const struct access *a = any_access(g, &space);
    escape_target(g);
    escape_address(g, space, a->bytes, address);
    memory_barrier(g, a->text);
    put_access(g, a->text, space, address);
    escape_save(g, a->text);
    name_access(g, a, space);
}

/* Memory from a target on, word after word, to the output; or over it. */
void escape_sweep(struct escape_gen *g)
{
    static const char reads[] = "...gslcp", writes[] = "..gsl";
    bool write = escape_pick(g, 2);
    char space = write ? writes[escape_pick(g, 5)] : reads[escape_pick(g, 8)], address[48];
    unsigned label = g->labels++, bytes = 1u << (4 + escape_pick(g, 13)), step = 8, from = escape_pick(g, 3);
    if (escape_pick(g, 4) == 0) {                /* far, and not everything */
        bytes = 1u << (16 + escape_pick(g, 8));
        step = 8u << escape_pick(g, 6);
    }
    if (from == 0) {                             /* from what is the kernel's own, on and on */
        static const char spaces[] = "slcpgp";
        char own = spaces[escape_pick(g, 6)];
        static const char *const names[] = { ['s'] = "S", ['l'] = "L", ['c'] = "C", ['p'] = "big", ['g'] = "G" };
        text_put(&g->t, " mov.u64 %%x0, %s; cvta%s.u64 %%T, %%x0;\n", names[(int)own], escape_space(own));
        escape_label(g, "own %c ", own);
    } else if (from == 1) {
        escape_near(g);
    } else {
        escape_target(g);
    }
    escape_address(g, space, 8, address);
    address[strcspn(address, "+")] = 0;
    text_put(&g->t, " mov.u64 %%i1, 0; setp.ne.u32 %%p4, %%tx, 0;%s\nB%u:\n", escape_pick(g, 4) ? "" : " setp.eq.u32 %p4, %tx, 999;", label);
    if (address[1] == 'a')
        text_put(&g->t, " cvt.u32.u64 %%y4, %%i1; add.u32 %%y4, %%y4, %%a;\n");
    else
        text_put(&g->t, " add.u64 %%x4, %%A, %%i1;\n");
    const char *at = address[1] == 'a' ? "%y4" : "%x4";
    if (write) {
        text_put(&g->t, " @!%%p4 st%s%s.u64 [%s], %%V;\n", escape_pick(g, 2) && space != 'l' ? ".volatile" : "", escape_space(space), at);
    } else {
        text_put(&g->t, " @!%%p4 ld%s.u64 %%x5, [%s];\n", escape_space(space), at);
        text_put(&g->t, " and.b64 %%x6, %%i1, %u; add.u64 %%x6, %%x6, %%o; @!%%p4 st.global.u64 [%%x6+%u], %%x5;\n",
            (ESCAPE_SWEEPS >> 1) - 1, ESCAPE_SWEEPS);
    }
    text_put(&g->t, " add.u64 %%i1, %%i1, %u; setp.lt.s64 %%p5, %%i1, %u; @%%p5 bra B%u;\n", step, bytes, label);
    escape_label(g, "sweep-%s%s %u", write ? "write" : "read", escape_space(space), bytes);
}

/* A loop whose pointer begins in good memory and comes to the target in its last turn, or passes it. */
void escape_walk(struct escape_gen *g)
{
    static const char *const uses[] = { "", " add.u64 %q1, %q1, %q0;", " st.global.u64 [%slot+448], %q0;", " max.u64 %q1, %q1, %q0;" };
    static const char *const loads[] = { "ld.global.u64 %q0, [%x2];", "ld.global.nc.u64 %q0, [%x2];", "ld.u64 %q0, [%x2];",
        "ld.global.v2.u64 {%q0, %q1}, [%x2];",
                                         "st.global.u64 [%x2], %V;", "atom.global.exch.b64 %q0, [%x2], %V;",
                                             "@%p6 ld.global.u64 %q0, [%x2];", "@%p6 st.global.u64 [%x2], %V;" };
    unsigned label = g->labels++, turns = 1 + escape_pick(g, 60), load = escape_pick(g, 8), kind = escape_pick(g, 4);
    escape_target(g);
    text_put(&g->t, " and.b64 %%T, %%T, -16; ld.param.u64 %%x2, [%s];\n", escape_pick(g, 4) ? "in" : "reg");
    if (escape_pick(g, 4) == 0)                  /* from lower in the window, a round step */
        text_put(&g->t, " and.b64 %%x3, %%T, 0x1ffffffff; add.u64 %%x2, %%x3, 0x210000000000; mov.u64 %%x3, 0x200000000; "
            "sub.u64 %%x4, %%T, %%x2; shr.s64 %%x4, %%x4, 33;\n");
    else
        text_put(&g->t, " sub.u64 %%x3, %%T, %%x2; div.s64 %%x3, %%x3, %u; and.b64 %%x3, %%x3, -16; mul.lo.u64 %%x5, %%x3, %u; "
            "sub.u64 %%x2, %%T, %%x5; mov.u64 %%x4, %u;\n", turns, turns, turns);
    text_put(&g->t, " mov.u64 %%i2, 0; add.u64 %%x6, %%T, %%x3; setp.ge.u32 %%p6, %%tx, %u;\n", escape_pick(g, 3));
    text_put(&g->t, "C%u:\n", label);
    if (kind == 3)                               /* the access is only made in the last turns */
        text_put(&g->t, " setp.ge.s64 %%p6, %%i2, %%x4;\n");
    text_put(&g->t, " %s%s\n", loads[load], uses[escape_pick(g, 4)]);
    text_put(&g->t, " add.u64 %%x2, %%x2, %%x3; add.u64 %%i2, %%i2, 1;\n");
    if (kind == 0)
        text_put(&g->t, " setp.le.s64 %%p5, %%i2, %%x4; @%%p5 bra C%u;\n", label);
    else
        text_put(&g->t, " setp.ne.u64 %%p5, %%x2, %%x6; @%%p5 bra C%u;\n", label);
    escape_save(g, "%q0 %q1");
    escape_label(g, "walk %.*s", (int)strcspn(loads[load], "%["), loads[load]);
}

/* Handles that nobody gave out; coordinates of all sizes. */
void escape_image(struct escape_gen *g)
{
    static const char *const handles[] = { "0xffffffffffffffff", "1", "0x100000001", "0x1ffffffff", "0x200000000", "0x7fffffff7fffffff",
        "0", "2", "0x10000" };
    static const char *const uses[] = {
        "tex.1d.v4.u32.s32 {%w0, %w1, %w2, %w3}, [%T, {%y1}];", "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%T, {%f1, %f1}];",
            "tex.3d.v4.u32.f32 {%w0, %w1, %w2, %w3}, [%T, {%f1, %f1, %f1, %f1}];",
        "tex.level.2d.v4.u32.f32 {%w0, %w1, %w2, %w3}, [%T, {%f1, %f1}], %f1;",
            "tld4.r.2d.v4.u32.f32 {%w0, %w1, %w2, %w3}, [%T, {%f1, %f1}];", "txq.width.b32 %w0, [%T];", "suq.height.b32 %w0, [%T];",
        "suld.b.1d.b32.trap %w0, [%T, {%y1}];", "suld.b.2d.v4.b32.clamp {%w0, %w1, %w2, %w3}, [%T, {%y1, %y1}];",
            "sust.b.1d.b32.trap [%T, {%y1}], %v;", "sust.b.2d.v4.b32.zero [%T, {%y1, %y1}], {%v, %v, %v, %v};",
        "sust.p.1d.b32.trap [%T, {%y1}], %v;", "sured.b.add.1d.u32.trap [%T, {%y1}], %v;", "suld.b.3d.b64.zero %q0, [%T, {%y1, %y1, %y1, %y1}];",
    };
    unsigned use = escape_pick(g, sizeof uses / sizeof uses[0]);
    if (escape_pick(g, 2))
        escape_target(g);
    else
        text_put(&g->t, " mov.u64 %%T, %s;\n", handles[escape_pick(g, 9)]);
    text_put(&g->t, " mov.u32 %%y1, %u;\n", escape_pick(g, 2) ? escape_pick(g, 64) : 1u << escape_pick(g, 32));
    text_put(&g->t, " %s\n", uses[use]);
    escape_save(g, uses[use]);
    escape_label(g, "%.*s", (int)strcspn(uses[use], " "), uses[use]);
}
