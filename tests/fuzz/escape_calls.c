/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile kernels: pointers to functions, what the engine does for kernels, launches, stacks and barriers. */
#include "escape_gen.h"

#include <stdio.h>
#include <string.h>

void escape_call(struct escape_gen *g)
{
    unsigned label = g->labels++;
    escape_declare(g, DECL_CALLEE);
    if (escape_pick(g, 2)) {
        escape_target(g);
    } else {
        text_put(&g->t, " mov.u64 %%T, %s; add.u64 %%T, %%T, %d;\n", escape_pick(g, 2) ? "callee" : "plain", (int)escape_pick(g, 16) - 8);
        escape_label(g, "beside ");
    }
    text_put(&g->t, " mov.u64 %%x7, callee; setp.eq.u32 %%p3, %%ln, %u;\n", escape_pick(g, 4));
    if (escape_pick(g, 3) == 0)                  /* lanes go different ways */
        text_put(&g->t, " selp.b64 %%T, %%T, %%x7, %%p3;\n");
    if (escape_pick(g, 2))
        text_put(&g->t, " { P%u: .callprototype _ (); call %%T, (), P%u; }\n", label, label);
    else
        text_put(&g->t, " { .param .b64 a; .param .b64 r; st.param.b64 [a], %%in; P%u: .callprototype (.param .b64 _) _ (.param .b64 _); "
            "call (r), %%T, (a), P%u; ld.param.b64 %%q0, [r]; }\n", label, label);
    escape_save(g, "%q0");
    escape_label(g, "call");
}

/* A pointer that the engine will look at: hostile, good, or none. */
static const char *pointer(struct escape_gen *g)
{
    static const char *const names[] = { "%T", "%T", "%T", "%in", "%A", "%V", "0" };
    return names[escape_pick(g, 7)];
}

static void print(struct escape_gen *g)
{
    static const char *const formats[] = { "FS", "FX", "FW", "FP", "FN", "FU" };
    escape_declare(g, DECL_PRINTF | DECL_FORMATS);
    text_put(&g->t, " st.global.u64 [%%slot+384], %s; st.global.u64 [%%slot+392], %s; st.global.u64 [%%slot+400], %s;\n", pointer(g),
        pointer(g), pointer(g));
    text_put(&g->t, " mov.u64 %%x0, %s; cvta.global.u64 %%x0, %%x0; add.u64 %%x1, %%slot, 384;\n", formats[escape_pick(g, 6)]);
    text_put(&g->t, " { .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %s; st.param.b64 [y], %s; call (z), vprintf, (x, y); "
        "ld.param.b32 %%w0, [z]; }\n",
             escape_pick(g, 4) ? "%x0" : pointer(g), escape_pick(g, 4) ? "%x1" : pointer(g));
    escape_label(g, "vprintf");
}

static void assertion(struct escape_gen *g)
{
    escape_declare(g, DECL_ASSERT);
    text_put(&g->t, " { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], %s; "
        "st.param.b64 [b], %s; st.param.b32 [c], 7; st.param.b64 [d], %s; st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e); }\n",
             pointer(g), pointer(g), pointer(g));
    escape_label(g, "__assertfail");
}

static void heap(struct escape_gen *g)
{
    static const char *const sizes[] = { "1", "64", "100", "4096", "1048576", "0x7fffffff", "0x7fffffffffffffff", "0xffffffffffffffff",
        "0xfffffffffffffff0", "0" };
    escape_declare(g, DECL_HEAP);
    for (unsigned n = 1 + escape_pick(g, 3); n; n--)
        text_put(&g->t, " { .param .b64 n; .param .b64 m; st.param.b64 [n], %s; call (m), malloc, (n); ld.param.b64 %%i%u, [m]; }\n",
            sizes[escape_pick(g, 10)], 3 + n);
    if (escape_pick(g, 2))                       /* before a piece, or behind it, a heap may keep what it knows */
        text_put(&g->t, " st.u64 [%%i4+%d], %%T; st.u64 [%%i4+%d], %s;\n", -8 * (int)escape_pick(g, 8), 64 + 8 * (int)escape_pick(g, 8), pointer(g));
    for (unsigned n = 1 + escape_pick(g, 3); n; n--)
        text_put(&g->t, " { .param .b64 n; st.param.b64 [n], %s; call free, (n); }\n", escape_pick(g, 2) ? "%i4" : pointer(g));
    text_put(&g->t, " { .param .b64 n; .param .b64 m; st.param.b64 [n], 64; call (m), malloc, (n); ld.param.b64 %%i4, [m]; "
        "}\n st.u64 [%%i4], %%V;\n");
    escape_label(g, "malloc free");
}

void escape_service(struct escape_gen *g)
{
    escape_target(g);
    text_put(&g->t, " sub.u64 %%A, %%T, 1;\n");
    switch (escape_pick(g, 5)) {
    case 0: case 1: print(g); break;
    case 2: assertion(g); break;
    default: heap(g); break;
    }
}

static void copy(struct escape_gen *g)
{
    static const char *const sizes[] = { "8", "64", "4096", "0", "0xffffffffffffffff", "0x100000000" };
    const char *to = escape_pick(g, 2) ? "%o" : "%T", *from = to[1] == 'o' ? "%T" : "%in";
    escape_declare(g, DECL_COPY);
    text_put(&g->t, " { .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 d; .param .b64 e; .param .b32 z; st.param.b64 [a], %s; "
        "st.param.b64 [b], %s; st.param.b64 [c], %s; st.param.b32 [d], %u; st.param.b64 [e], %u; "
        "call (z), __cudaCDP2MemcpyAsync, (a, b, c, d, e); ld.param.b32 %%w0, [z]; }\n",
             to, from, sizes[escape_pick(g, 6)], escape_pick(g, 6), escape_pick(g, 5));
    escape_label(g, "device copy %s", to[1] == 'o' ? "from" : "to");
}

static void launch(struct escape_gen *g)
{
    static const char *const functions[] = { "1", "0", "0x100000001", "0x14000000001", "0xffffffffffffffff", "0x800000002", "0x7fffffff00000001" };
    unsigned odd[6];
    escape_declare(g, DECL_LAUNCH);
    for (unsigned k = 0; k < 6; k++)
        odd[k] = escape_pick(g, 8) ? 1 : 1u << escape_pick(g, 32);
    text_put(&g->t, " { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r; "
        "st.param.b64 [f], %s;", escape_pick(g, 4) ? functions[escape_pick(g, 7)] : "%T");
    for (unsigned k = 0; k < 6; k++)
        text_put(&g->t, " st.param.b32 [%c+%u], %u;", k < 3 ? 'g' : 'b', k % 3 * 4, odd[k]);
    text_put(&g->t, " st.param.b32 [s], %u; call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %%x5, [r]; }\n",
        escape_pick(g, 3) ? 0 : 1u << escape_pick(g, 32));
    if (escape_pick(g, 3) == 0)                  /* what was filled in is written over */
        text_put(&g->t, " st.u64 [%%x5+%d], %%T;\n", 8 * (int)escape_pick(g, 20) - 64);
    else if (escape_pick(g, 3) == 0)
        text_put(&g->t, " mov.u64 %%x5, %%T;\n");
    text_put(&g->t, " { .param .b64 p; .param .b64 t; .param .b32 z; st.param.b64 [p], %%x5; st.param.b64 [t], %u; "
        "call (z), __cudaCDP2LaunchDeviceV2, (p, t); ld.param.b32 %%w0, [z]; }\n", escape_pick(g, 5));
    escape_label(g, "device launch");
}

/* The list of launches, by the name that the engine gives it. */
static void list(struct escape_gen *g)
{
    if (escape_pick(g, 2)) {
        escape_declare(g, DECL_COPY);
        text_put(&g->decls, ".extern .global .align 8 .u64 hostwarp_device_launches;\n");
    } else {
        escape_declare(g, DECL_LIST);
    }
    if (escape_pick(g, 3) == 0)                  /* a list without an end */
        text_put(&g->t, " st.global.u64 [%%in], %%in; mov.u64 %%T, %%in;\n");
    text_put(&g->t, " st.global.u64 [hostwarp_device_launches], %%T;\n");
    escape_label(g, "list of launches");
}

void escape_launch(struct escape_gen *g)
{
    escape_target(g);
    text_put(&g->t, " setp.ne.u32 %%p3, %%tx, 0;\n");
    switch (g->declared & (DECL_LIST | DECL_COPY | DECL_LAUNCH) ? escape_pick(g, 2) : escape_pick(g, 3)) {
    case 0: copy(g); break;
    case 1: launch(g); break;
    default: list(g); break;
    }
}

void escape_stack(struct escape_gen *g)
{
    static const char *const sizes[] = { "16", "1024", "65536", "0x7fffffffffffff00", "0xffffffffffff0000", "0x100000000", "0xfffffffffffffff0" };
    if (escape_pick(g, 2)) {
        text_put(&g->t, " mov.u64 %%x0, %s; alloca.u64 %%x1, %%x0; st.local.u64 [%%x1], %%V; ld.local.u64 %%q0, [%%x1+8];\n",
            sizes[escape_pick(g, 7)]);
    } else {
        escape_target(g);
        text_put(&g->t, " stackrestore.u64 %%T; mov.u64 %%x0, 64; alloca.u64 %%x1, %%x0; ld.local.u64 %%q0, [%%x1]; st.local.u64 [%%x1], %%V;\n");
    }
    escape_save(g, "%q0");
    escape_label(g, "alloca");
}

void escape_barrier(struct escape_gen *g)
{
    static const char *const uses[] = { "bar.sync %y1;", "bar.sync %y1, %y2;", "bar.arrive %y1, %y2;", "barrier.sync %y1, %y2;",
        "bar.red.popc.u32 %w0, %y1, %y2, %p3;", "bar.warp.sync %y1;", "shfl.sync.idx.b32 %w0, %v, %y1, %y2, %y3;",
                                        "vote.sync.ballot.b32 %w0, %p3, %y1;", "match.any.sync.b32 %w0, %v, %y1;" };
    unsigned use = escape_pick(g, sizeof uses / sizeof uses[0]);
    for (unsigned k = 1; k < 4; k++)
        text_put(&g->t, " mov.u32 %%y%u, %u;\n", k, escape_pick(g, 2) ? escape_pick(g, 70) : 1u << escape_pick(g, 32));
    text_put(&g->t, " setp.ne.u32 %%p3, %%tx, %u;\n", escape_pick(g, 4));
    text_put(&g->t, " %s%s\n", escape_pick(g, 3) ? "" : "@%p3 ", uses[use]);
    escape_save(g, uses[use]);
    escape_label(g, "%.*s", (int)strcspn(uses[use], " "), uses[use]);
}
