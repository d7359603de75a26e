/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile kernels: the frame around what they try, and what is true of all tries. */
#include "escape_gen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

unsigned escape_pick(struct escape_gen *g, unsigned n) { return text_pick(&g->t, n); }

void escape_label(struct escape_gen *g, const char *fmt, ...)
{
    size_t n = strlen(g->k->label);
    va_list args;
    va_start(args, fmt);
    vsnprintf(g->k->label + n, sizeof g->k->label - n, fmt, args);
    va_end(args);
}

static const struct {
    unsigned decl;
    const char *text;
} decls[] = {
    { DECL_PRINTF, ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n" },
    { DECL_ASSERT, ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n" },
    { DECL_HEAP, ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" },
    { DECL_COPY, ".extern .func (.param .b32 r) __cudaCDP2MemcpyAsync(.param .b64 to, .param .b64 from, .param .b64 bytes, .param .b32 kind, .param .b64 stream);\n" },
    { DECL_LAUNCH, ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
                   ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream);\n" },
    { DECL_LIST, ".visible .global .align 8 .u64 hostwarp_device_launches;\n" },
    { DECL_CALLEE, ".func (.param .b64 r) callee(.param .b64 a) { .reg .b64 %x<3>; ld.param.u64 %x1, [a]; ld.global.u64 %x2, [%x1]; "
        "st.param.b64 [r], %x2; ret; }\n"
                   ".func plain() { ret; }\n" },
    { DECL_FORMATS, ".global .align 1 .b8 FS[8] = {37, 115, 10, 0};\n.global .align 1 .b8 FX[24] = {37, 108, 108, 120, 32, 37, 108, 108, 120, 32, 37, 108, 108, 120, 10, 0};\n"
                    ".global .align 1 .b8 FW[16] = {37, 50, 49, 52, 55, 52, 56, 51, 54, 52, 55, 100, 10, 0};\n.global .align 1 .b8 FP[16] = {37, 42, 46, 42, 102, 32, 37, 42, 115, 10, 0};\n"
                    ".global .align 1 .b8 FN[16] = {97, 37, 110, 37, 104, 104, 110, 37, 108, 110, 0};\n.global .align 1 .b8 FU[2] = {37, 45};\n" },
};

void escape_declare(struct escape_gen *g, unsigned decl)
{
    for (unsigned i = 0; i < sizeof decls / sizeof decls[0]; i++)
        if ((decl & decls[i].decl) && !(g->declared & decls[i].decl))
            text_put(&g->decls, "%s", decls[i].text);
    g->declared |= decl;
}

/* Names %w0...%w7, %q0, %q1 that the text mentions as results: all that are in it. Some are sources; that does no harm. */
void escape_save(struct escape_gen *g, const char *text)
{
    unsigned at = g->slots++ % 8 * 64;
    for (unsigned k = 0; k < 8; k++)
        if (strstr(text, word("%%w%u", k).s))
            text_put(&g->t, " st.global.u32 [%%slot+%u], %%w%u;\n", at + 4 * k, k);
    for (unsigned k = 0; k < 2; k++)
        if (strstr(text, word("%%q%u", k).s))
            text_put(&g->t, " st.global.u64 [%%slot+%u], %%q%u;\n", at + 32 + 8 * k, k);
}

typedef void escape_fn(struct escape_gen *g);

static const struct {
    const char *name;
    escape_fn *fn;
    unsigned weight;
} tries[] = {
    { "access", escape_access, 50 }, { "sweep", escape_sweep, 12 }, { "walk", escape_walk, 12 }, { "image", escape_image, 5 },
        { "call", escape_call, 4 },
    { "service", escape_service, 8 }, { "launch", escape_launch, 5 }, { "stack", escape_stack, 2 }, { "barrier", escape_barrier, 2 },
};
static const char *only;

bool escape_only(const char *name)
{
    only = name;
    for (unsigned i = 0; i < sizeof tries / sizeof tries[0]; i++)
        if (!strcmp(tries[i].name, name))
            return true;
    return false;
}

static void one_try(struct escape_gen *g)
{
    unsigned sum = 0, n = 0;
    for (unsigned i = 0; i < sizeof tries / sizeof tries[0]; i++)
        sum += tries[i].weight;
    for (unsigned at = escape_pick(g, sum); at >= tries[n].weight; n++)
        at -= tries[n].weight;
    for (unsigned i = 0; only && i < sizeof tries / sizeof tries[0]; i++)
        if (!strcmp(tries[i].name, only))
            n = i;
    escape_label(g, "%s", g->k->label[0] ? " + " : "");
    tries[n].fn(g);
}

/* Who tries: all threads, some, or those that come around in a loop; and what happens before. */
static void guarded_try(struct escape_gen *g)
{
    static const char *const conditions[] = { "setp.lt.u32 %p0, %tx, 7", "setp.eq.u32 %p0, %ln, 31", "setp.ne.u32 %p0, %ln, 0",
        "setp.gt.u32 %p0, %tx, 16", "setp.eq.u64 %p0, %arg, 77" };
    unsigned label = g->labels++, kind = escape_pick(g, 8);
    if (escape_pick(g, 4) == 0)
        text_put(&g->t, " bar.sync 0;\n");
    if (kind == 0)
        text_put(&g->t, " %s; @%%p0 bra A%u;\n", conditions[escape_pick(g, 5)], label);
    else if (kind == 1)
        text_put(&g->t, " mov.u32 %%turn%u, 0;\nA%u:\n", label % 4, label);
    one_try(g);
    if (kind == 0)
        text_put(&g->t, "A%u:\n", label);
    else if (kind == 1)
        text_put(&g->t, " add.u32 %%turn%u, %%turn%u, 1; setp.lt.u32 %%p0, %%turn%u, %u; @%%p0 bra A%u;\n", label % 4, label % 4,
            label % 4, 2 + escape_pick(g, 3), label);
    if (escape_pick(g, 4) == 0)
        text_put(&g->t, " bar.sync 0;\n");
}

static const char head[] =
    " .reg .b64 %o, %in, %arg, %T, %A, %x<8>, %q<4>, %V, %gg, %slot, %i<8>;\n"
    " .reg .b32 %tx, %ln, %w<8>, %v, %a, %y<8>, %turn<4>, %gs, %gm;\n"
    " .reg .f32 %f<4>;\n .reg .f64 %d<4>;\n .reg .b16 %h<4>;\n .reg .b128 %b<2>;\n .reg .pred %p<8>;\n"
    " .local .align 16 .b8 L[256];\n"
    " .shared .align 128 .b8 S[1024];\n"
    " ld.param.u64 %o, [out];\n"
    " ld.param.u64 %in, [in];\n"
    " ld.param.u64 %arg, [arg];\n"
    " mov.u32 %tx, %tid.x; mov.u32 %ln, %laneid;\n"
    " mad.lo.u32 %y0, %tx, 512, 65536; cvt.u64.u32 %slot, %y0; add.u64 %slot, %slot, %o;\n"
    " mov.u32 %v, 0x3b3b3b3b; mov.u64 %V, 0x3b3b3b3b3b3b3b3b; mov.b32 %f1, %v; mov.b64 %d1, %V; mov.u16 %h1, 0x3b3b;\n"
    " mul.wide.u32 %gg, %tx, 64; add.u64 %gg, %gg, %in; and.b64 %gg, %gg, -64;\n"
    " mov.u32 %gs, S; mov.u32 %gm, S; add.u32 %gm, %gm, 512;\n"
    " mov.u32 %w0, 0; mov.u32 %w1, 0; mov.u32 %w2, 0; mov.u32 %w3, 0; mov.u32 %w4, 0; mov.u32 %w5, 0; mov.u32 %w6, 0; mov.u32 %w7, 16; "
        "mov.u64 %q0, 0; mov.u64 %q1, 0;\n";

static void choose_launch(struct escape_gen *g, unsigned width)
{
    static const unsigned threads[] = { 1, 2, 7, 31, 32, 32, 33, 64, 96 }, widths[] = { 1, 4, 8, 16 };
    struct escape_kernel *k = g->k;
    memcpy(k->block, (unsigned[3]){ threads[escape_pick(g, 9)], 1, 1 }, sizeof k->block);
    memcpy(k->grid, (unsigned[3]){ 1 + escape_pick(g, 2) * escape_pick(g, 3), 1, 1 }, sizeof k->grid);
    k->shared = escape_pick(g, 3) ? 0 : 16u << escape_pick(g, 12);
    k->width = width ? width : widths[escape_pick(g, 4)];
}

void escape_kernel(uint64_t seed, uint64_t number, unsigned width, struct escape_kernel *out)
{
    static char body[ESCAPE_TEXT / 2], declared[ESCAPE_TEXT / 8];
    struct fuzz_random r = fuzz_random(seed, number);
    struct escape_gen g = { .t = { body, 0, sizeof body, fuzz_u64(&r) }, .decls = { declared, 0, sizeof declared, 0 }, .k = out };
    memset(out, 0, sizeof *out);
    body[0] = declared[0] = 0;
    choose_launch(&g, width);
    for (unsigned n = 1 + (escape_pick(&g, 3) == 0) * (1 + escape_pick(&g, 2)); n; n--)
        guarded_try(&g);
    struct gen_text t = { out->text, 0, sizeof out->text, 0 };
    text_put(&t, "// block %u %u %u grid %u %u %u shared %u width %u\n// %s\n", out->block[0], out->block[1], out->block[2], out->grid[0],
        out->grid[1], out->grid[2], out->shared, out->width, out->label);
    text_put(&t, ".version 8.4\n.target sm_90\n.address_size 64\n%s.global .align 16 .b8 G[4096];\n.const .align 16 .b8 C[256] = {17, 17};\n", declared);
    text_put(&t, ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 h0, .param .u64 h1, .param .u64 h2, .param .u64 h3, .param .u64 h4, .param .u64 h5, .param .u64 h6, .param .u64 h7, .param .u64 reg, .param .u64 arg, .param .align 16 .b8 big[64])\n{\n%s%s ret;\n}\n",
             head, body);
}
