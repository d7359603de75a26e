/* SPDX-License-Identifier: Apache-2.0 */
/* What is before and behind the statements of gen_shape.c: parameters, registers, who the thread is. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_shape.h"

static bool mentions(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += n)
        if (!isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    return false;
}

/* A value of each thread, from its number in the block and the block's. */
static struct val own(struct shape *g, const char *fmt, const uint32_t *v)
{
    struct val r = { .v = v };
    snprintf(r.s, sizeof r.s, "%s", define(g, "%t", "%s", fmt).s);
    return r;
}

static void make_ids(struct shape *g)
{
    const unsigned *b = g->k->block, *d = g->k->grid, n = g->threads * g->n_blocks;
    uint32_t *v[9];
    for (unsigned k = 0; k < 9; k++)
        v[k] = shape_alloc(g, 4ul * n);
    for (unsigned t = 0; t < n; t++) {
        unsigned in = t % g->threads, block = t / g->threads;
        v[0][t] = in % b[0], v[1][t] = in / b[0] % b[1], v[2][t] = in / b[0] / b[1];
        v[3][t] = block % d[0], v[4][t] = block / d[0] % d[1], v[5][t] = block / d[0] / d[1];
        v[6][t] = in, v[7][t] = t, v[8][t] = in % 32;
    }
    static const char *const texts[] = { "\tmov.u32 $, %tid.x;\n", "\tmov.u32 $, %tid.y;\n", "\tmov.u32 $, %tid.z;\n", "\tmov.u32 $, %ctaid.x;\n", "\tmov.u32 $, %ctaid.y;\n", "\tmov.u32 $, %ctaid.z;\n" };
    struct val *ids[] = { &g->tx, &g->ty, &g->tz, &g->bx, &g->by, &g->bz };
    for (unsigned k = 0; k < 6; k++)
        *ids[k] = own(g, texts[k], v[k]);
    char text[200];
    /* with one dimension as real kernels do it, otherwise from all */
    if (b[1] * b[2] == 1) {
        g->lin = g->tx;
    } else {
        snprintf(text, sizeof text, "\tmad.lo.s32 %%lin, %s, %u, %s;\n\tmad.lo.s32 $, %%lin, %u, %s;\n", g->tz.s, b[1], g->ty.s, b[0], g->tx.s);
        g->lin = own(g, text, v[6]);
    }
    if (d[1] * d[2] == 1)
        snprintf(text, sizeof text, "\tmov.u32 %%lin, %s;\n\tmad.lo.s32 $, %s, %%lin, %s;\n", b[1] * b[2] == 1 && pick(g, 2) ? "%ntid.x" : word("%u", g->threads).s, g->bx.s, g->lin.s);
    else
        snprintf(text, sizeof text, "\tmad.lo.s32 %%lin, %s, %u, %s;\n\tmad.lo.s32 %%lin, %%lin, %u, %s;\n\tmad.lo.s32 $, %%lin, %u, %s;\n", g->bz.s, d[1], g->by.s, d[0], g->bx.s, g->threads, g->lin.s);
    g->gid = own(g, text, v[7]);
    g->lane = own(g, "\tmov.u32 $, %laneid;\n", v[8]);
}

/* Blocks that belong together: which group, which part of it. Conditions that are asked more than once. */
static void make_common(struct shape *g)
{
    unsigned n = g->threads * g->n_blocks;
    struct val parts = val_param(g, 1 + pick(g, 4));
    uint32_t *group = shape_alloc(g, 4ul * n), *part = shape_alloc(g, 4ul * n);
    char text[200];
    for (unsigned t = 0; t < n; t++)
        group[t] = g->bx.v[t] / parts.c, part[t] = g->bx.v[t] % parts.c;
    snprintf(text, sizeof text, "\tdiv.%s $, %s, %s;\n", pick(g, 2) ? "u32" : "s32", g->bx.s, parts.s);
    g->group = own(g, text, group);
    if (pick(g, 2))
        snprintf(text, sizeof text, "\trem.u32 $, %s, %s;\n", g->bx.s, parts.s);
    else
        snprintf(text, sizeof text, "\tmul.lo.s32 %%lin, %s, %s;\n\tsub.s32 $, %s, %%lin;\n", g->group.s, parts.s, g->bx.s);
    g->part = own(g, text, part);
    for (unsigned k = pick(g, SHAPE_CONDITIONS + 1); k > 0; k--) {
        static const char *const ops[] = { "lt.u32", "ge.u32", "lt.s32", "ge.s32" };
        const struct val *of = pick(g, 3) ? &g->lin : &g->gid;
        uint32_t limit = pick(g, of == &g->lin ? g->threads + 1 : n + 1);
        struct val most = pick(g, 2) ? val_param(g, limit) : val_quotient(g, limit);
        unsigned op = pick(g, 4) ? 2 * pick(g, 2) : 1 + 2 * pick(g, 2);      /* most often those at the front go on */
        uint32_t *v = shape_alloc(g, 4ul * n);
        for (unsigned t = 0; t < n; t++)
            v[t] = (of->v[t] < most.c) == (op % 2 == 0);
        struct val c = { .v = v };
        snprintf(c.s, sizeof c.s, "%s", define(g, "%c", "\tsetp.%s $, %s, %s;\n", ops[op], of->s, most.s).s);
        g->conditions[g->n_conditions++] = c;
    }
}

static void make_states(struct shape *g)
{
    static struct check_byte shared[2][SHAPE_BLOCKS * SHAPE_SHARED], out[2][4 * GEN_OUTPUT_WORDS];
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < SHAPE_BLOCKS * SHAPE_SHARED; i++)
            shared[k][i] = (struct check_byte){ -1, -1, false };
        for (unsigned i = 0; i < 4 * GEN_OUTPUT_WORDS; i++)
            out[k][i] = (struct check_byte){ -1, -1, true };
    }
    g->full = (struct check_state){ shared[0], out[0] };
    g->small = (struct check_state){ shared[1], out[1] };
}

/* Words of shared memory that a loop over all threads has set. */
static void prefill(struct shape *g)
{
    struct word i = reg(g), a = reg(g), p = pred(g), v = reg(g);
    put(g, "\tmov.u32 %s, %s;\nF0:\n\tsetp.ge.u32 %s, %s, %u;\n\t@%s bra F1;\n\tshl.b32 %s, %s, 2;\n\tmov.u32 %s, dyn;\n\tadd.s32 %s, %s, %s;\n", i.s, g->lin.s, p.s, i.s, g->shared / 4, p.s, v.s, i.s,
        a.s, a.s, a.s, v.s);
    put(g, "\tst.shared.u32 [%s], %s;\n\tadd.s32 %s, %s, %u;\n\tbra.uni F0;\nF1:\n\tbar.sync 0;\n", a.s, i.s, i.s, i.s, g->threads);
    for (unsigned k = 0; k < g->n_blocks * SHAPE_SHARED; k++)
        g->full.shared[k].written = g->small.shared[k].written = true;
    g->fills[g->n_fills++] = (struct fill){ 0, g->ints, false };
    if (g->ints < g->shared)
        g->fills[g->n_fills++] = (struct fill){ g->ints, g->shared, true };
}

/* The lines before the body that it, or one of them, needs. */
static void put_defs(struct shape *g, struct gen_text *out, const char *text)
{
    static bool needed[SHAPE_DEFS];
    for (unsigned k = g->n_defs; k-- > 0;) {
        needed[k] = mentions(text, g->defs[k].name.s);
        for (unsigned j = k + 1; j < g->n_defs && !needed[k]; j++)
            needed[k] = needed[j] && mentions(g->defs[j].text, g->defs[k].name.s);
    }
    for (unsigned k = 0; k < g->n_defs; k++)
        if (needed[k])
            text_put(out, "%s", g->defs[k].text);
}

static void put_variables(struct shape *g, struct gen_text *out, const char *text)
{
    for (unsigned k = 0; k < 4; k++)
        if (mentions(text, word("%%a%u", k).s))
            text_put(out, "\tmov.u32 %%a%u, %u;\n", k, k * 77 + 5);
    for (unsigned k = 0; k < 3; k++)
        if (mentions(text, word("%%x%u", k).s))
            text_put(out, "\tmov.f32 %%x%u, 0f%08x;\n", k, k << 30);
    if (mentions(text, "own"))
        for (unsigned k = 0; k < 16; k++)
            text_put(out, "\tst.local.u32 [own+%u], %u;\n", 4 * k, k * k);
    (void)g;
}

/* The kernel around the text of its body. */
static void finish(struct shape *g, const char *text)
{
    struct gen_kernel *k = g->k;
    struct gen_text out = { k->text, 0, GEN_TEXT, 0 };
    text_put(&out, ".version 7.5\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dyn[];\n");
    if (mentions(text, "table")) {
        text_put(&out, ".const .align 4 .u32 table[%u] = {", SHAPE_TABLE);
        for (unsigned i = 0; i < SHAPE_TABLE; i++)
            text_put(&out, "%s%u", i ? ", " : "", gen_input(7 * i));
        text_put(&out, "};\n");
    }
    text_put(&out, ".visible .entry random(\n\t.param .align 4 .b8 p_0[%u]", 4 * SHAPE_STRUCT);
    for (unsigned i = 1; i < k->n_params; i++)
        text_put(&out, ",\n\t.param .u%u p_%u", k->params[i].pointer ? 64 : 32, i);
    text_put(&out, ")\n{\n");
    if (mentions(text, "own"))
        text_put(&out, "\t.local .align 8 .b8 own[64];\n");
    text_put(&out, "\t.reg .pred %%p<%u>, %%c<%u>;\n\t.reg .f32 %%f<%u>, %%x<3>;\n\t.reg .b32 %%r<%u>, %%a<4>, %%n<%u>, %%t<%u>, %%lin;\n\t.reg .b64 %%rd<%u>, %%ptr<16>;\n", g->n_pred + 1, SHAPE_DEFS, g->n_float + 1, g->n_reg + 1,
        SHAPE_DEFS, SHAPE_DEFS, g->n_wide + 1);
    put_defs(g, &out, text);
    put_variables(g, &out, text);
    text_put(&out, "%s\tret;\n}\n", text);
}

static void choose_shape(struct shape *g)
{
    static const unsigned shapes[][3] = { { 32, 1, 1 }, { 64, 1, 1 }, { 16, 16, 1 }, { 8, 8, 1 }, { 5, 7, 1 }, { 33, 1, 1 }, { 7, 3, 3 }, { 128, 1, 1 }, { 4, 8, 2 }, { 32, 2, 1 }, { 17, 2, 1 },
        { 96, 1, 1 }, { 256, 1, 1 }, { 32, 4, 1 }, { 100, 1, 1 },
        { 128, 1, 1 }, { 256, 1, 1 }, { 64, 1, 1 }, { 128, 1, 1 } };
    struct gen_kernel *k = g->k;
    memcpy(k->block, shapes[pick(g, COUNT(shapes))], sizeof k->block);
    g->threads = k->block[0] * k->block[1] * k->block[2];
    k->grid[0] = 1 + pick(g, 4), k->grid[1] = pick(g, 3) ? 1 : 2, k->grid[2] = pick(g, 8) ? 1 : 2;
    while ((g->n_blocks = k->grid[0] * k->grid[1] * k->grid[2]) * g->threads > SHAPE_THREADS || g->n_blocks > SHAPE_BLOCKS)
        k->grid[k->grid[2] > 1 ? 2 : k->grid[1] > 1 ? 1 : 0] -= 1;
    g->shared = 16 * (8 + pick(g, SHAPE_SHARED / 16 - 8));
    g->ints = pick(g, 4) ? g->shared / 32 * 16 : pick(g, 2) ? g->shared : 16;
    k->shared_bytes = g->shared;
    for (unsigned b = 0; b < g->n_blocks; b++)
        g->alive[b] = (uint16_t)g->threads;
}

/* The end of many kernels: what was shared is read again, and those that have something to say store it. */
static bool guarded_end(struct shape *g)
{
    struct val c = index_condition(g);
    if (pick(g, 2))
        barrier(g);
    put(g, "\t@!%s bra Z0;\n", c.s);
    if (!place_branch(g, &c, true))
        return false;
    bool ok = (pick(g, 4) == 0 || stream_loop(g)) && data_store(g);
    place_leave(g);
    put(g, "Z0:\n");
    return ok;
}

static bool last_store(struct shape *g, bool (*store)(struct shape *))
{
    unsigned start = g->t.used, out_used = g->out_used;
    struct place *here = g->here;
    if (store(g) && check_notes(g))
        return true;
    g->t.used = start, g->out_used = out_used, g->n_notes = 0;
    g->here = here;
    g->t.text[start] = 0;
    return false;
}

void gen_shape(uint64_t seed, const bool *skip, struct gen_kernel *out)
{
    static char text[GEN_TEXT];
    static struct shape shape;
    struct shape *g = &shape;
    struct place all = { .sure = true, .blocks = true };
    *g = (struct shape){ .t = { text, 0, GEN_TEXT / 2, seed * 0x2545f4914f6cdd1du + 1 }, .k = out, .skip = skip };
    text[0] = 0;
    choose_shape(g);
    g->far = pick(g, 8) == 0;
    all.n = g->threads * g->n_blocks;
    all.thread = shape_alloc(g, 4ul * all.n);
    all.warps = true;
    for (unsigned t = 0; t < all.n; t++)
        all.thread[t] = t;
    g->here = &all;
    make_ids(g);
    make_states(g);
    out->params[out->n_params++] = (struct gen_param){ .pointer = false };
    make_common(g);
    for (unsigned k = 0; k < SHAPE_STRUCT; k++)
        out->params[0].words[k] = gen_struct(k);
    if (pick(g, 3) == 0)
        prefill(g);
    for (unsigned k = 0, n = 1 + pick(g, pick(g, 3) ? 4 : 10); k < n; k++)
        shape_statement(g);
    bool ended = pick(g, 2) && last_store(g, guarded_end);
    for (unsigned k = 0; k < 3 && !ended; k++)                /* at least something comes out */
        last_store(g, data_store);
    finish(g, text);
}
