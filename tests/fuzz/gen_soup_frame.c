/* SPDX-License-Identifier: Apache-2.0 */
/* What is before and behind the statements of gen_soup.c. */
#include <string.h>

#include "gen_soup.h"

static void head(struct gen *g)
{
    const unsigned *b = g->k->block;
    put(g, ".version 7.5\n.target sm_80\n.address_size 64\n.visible .entry random(.param .u64 p_in, .param .u64 p_out, .param .u64 p_atoms)\n{\n");
    put(g, "\t.shared .align 4 .b8 words[%u], counts[%u], gaps[%u], bins[%u], tile[%u];\n\t.local .align 8 .b8 array[32];\n", 4 * g->threads, 4 * GEN_ATOMS, 8 * g->threads, 4 * N_BINS,
        4 * g->threads * g->pitch);
    put(g, "\t.reg .pred %%p<900>;\n\t.reg .b32 %%v<%u>, %%r<900>, %%lin, %%gid, %%lane, %%tx, %%ty, %%cta, %%n, %%x, %%mine, %%own;\n", N_INT);
    put(g, "\t.reg .f32 %%f<%u>;\n\t.reg .b64 %%w<2>, %%in, %%out, %%atoms, %%rec;\n", N_FLOAT);
    put(g, "\tld.param.u64 %%in, [p_in];\n\tld.param.u64 %%out, [p_out];\n\tld.param.u64 %%atoms, [p_atoms];\n");
    put(g, "\tcvta.to.global.u64 %%in, %%in;\n\tcvta.to.global.u64 %%out, %%out;\n\tcvta.to.global.u64 %%atoms, %%atoms;\n");
    put(g, "\tmov.u32 %%tx, %%tid.x;\n\tmov.u32 %%ty, %%tid.y;\n\tmov.u32 %%lin, %%tid.z;\n\tmov.u32 %%cta, %%ctaid.x;\n\tmov.u32 %%lane, %%laneid;\n");
    put(g, "\tmad.lo.u32 %%lin, %%lin, %u, %%ty;\n\tmad.lo.u32 %%lin, %%lin, %u, %%tx;\n\tmad.lo.u32 %%gid, %%cta, %u, %%lin;\n", b[1], b[0], g->threads);
    put(g, "\tmul.wide.u32 %%rec, %%gid, %u;\n\tadd.s64 %%rec, %%rec, %%out;\n\tadd.s64 %%rec, %%rec, %u;\n", g->fields * g->field_bytes, 4 * GEN_WORDS * g->threads * g->k->grid[0] + 4 * (g->threads * g->k->grid[0] % 2));
    put(g, "\tmul.wide.u32 %%w0, %%gid, %u;\n\tadd.s64 %%out, %%out, %%w0;\n", 4 * GEN_WORDS);
    put(g, "\tand.b32 %%x, %%gid, %u;\n\tmul.wide.u32 %%w0, %%x, 4;\n\tadd.s64 %%w0, %%in, %%w0;\n\tld.global.u32 %%n, [%%in];\n\tand.b32 %%n, %%n, 3;\n", GEN_IN_WORDS / 2 - 1);
    for (unsigned k = 0; k < N_INT; k++)
        put(g, "\tld.global.u32 %%v%u, [%%w0+%u];\n", k, 64 * k);
    for (unsigned k = 0; k < N_FLOAT; k++)
        put(g, "\tcvt.rn.f32.s32 %%f%u, %%v%u;\n", k, k);
    put(g, "\tmov.u32 %%mine, words;\n\tshl.b32 %%x, %%lin, 2;\n\tadd.u32 %%mine, %%mine, %%x;\n\tst.shared.u32 [%%mine], %%lin;\n");
    put(g, "\tadd.u32 %%x, %%x, %%x;\n\tmov.u32 %%r899, gaps;\n\tadd.u32 %%x, %%x, %%r899;\n\tst.shared.u32 [%%x], %%lin;\n\tst.shared.u32 [%%x+4], %%lane;\n");
    if (pick(g, 2))                                       /* the tile's parts, from the first thread on or from the last */
        put(g, "\tsub.u32 %%own, %u, %%lin;\n\tmul.lo.u32 %%own, %%own, %u;\n", g->threads - 1, 4 * g->pitch);
    else
        put(g, "\tmul.lo.u32 %%own, %%lin, %u;\n", 4 * g->pitch);
    put(g, "\tmov.u32 %%x, tile;\n\tadd.u32 %%own, %%own, %%x;\n");
    for (unsigned k = 0; k < g->pitch; k++)
        put(g, "\tst.shared.u32 [%%own+%u], %%v%u;\n", 4 * k, k % N_INT);
    for (unsigned k = 0; k < 8; k++)
        put(g, "\tst.local.u32 [array+%u], %%v%u;\n", 4 * k, k % N_INT);
    for (unsigned k = 0; k < GEN_ATOMS; k++)
        put(g, "\tst.shared.u32 [counts+%u], %%n;\n", 4 * k);
    put(g, "\tmov.u32 %%x, %%lin;\nB0:\n\tsetp.ge.u32 %%p899, %%x, %u;\n\t@%%p899 bra B1;\n\tshl.b32 %%r899, %%x, 2;\n\tmov.u32 %%r898, bins;\n\tadd.u32 %%r899, %%r899, %%r898;\n", N_BINS);
    put(g, "\tst.shared.u32 [%%r899], 0;\n\tadd.u32 %%x, %%x, %u;\n\tbra B0;\nB1:\n\tbar.sync 0;\n", g->threads);
}

static void tail(struct gen *g)
{
    put(g, "\tbar.sync 0;\n");
    for (unsigned k = 0; k < g->pitch; k++)
        put(g, "\tld.shared.u32 %%x, [%%own+%u];\n\tmad.lo.u32 %%v%u, %%v%u, 3, %%x;\n", 4 * k, k % N_INT, k % N_INT);
    soup_store_all(g);
    for (unsigned k = 0; k < N_FLOAT; k++)
        put(g, "\tmov.b32 %%x, %%f%u;\n\tsetp.nan.f32 %%p899, %%f%u, %%f%u;\n\tselp.b32 %%x, 0x7fffffff, %%x, %%p899;\n\tst.global.u32 [%%out+%u], %%x;\n", k, k, k, 4 * (N_INT + k));
    put(g, "\tand.b32 %%x, %%lin, %u;\n\tshl.b32 %%x, %%x, 2;\n\tmov.u32 %%r899, counts;\n\tadd.u32 %%x, %%x, %%r899;\n\tld.shared.u32 %%x, [%%x];\n\tst.global.u32 [%%out+%u], %%x;\n",
        GEN_ATOMS - 1, 4 * (N_INT + N_FLOAT));
    /* Threads that returned look after no bins: all are everybody's. */
    put(g, "\tmov.u32 %%x, 0;\n\tmov.u32 %%v0, 0;\n\tmov.u32 %%r899, bins;\nB2:\n\tld.shared.u32 %%v1, [%%r899];\n\tmad.lo.u32 %%v0, %%v0, 31, %%v1;\n\tadd.u32 %%r899, %%r899, 4;\n");
    put(g, "\tadd.u32 %%x, %%x, 1;\n\tsetp.lt.u32 %%p899, %%x, %u;\n\t@%%p899 bra B2;\n\tst.global.u32 [%%out+%u], %%v0;\n\tret;\n}\n", N_BINS, 4 * (N_INT + N_FLOAT + 1));
}

void gen_soup(uint64_t seed, const bool *skip, struct gen_kernel *out)
{
    static const unsigned shapes[][3] = { { 32, 1, 1 }, { 64, 1, 1 }, { 16, 16, 1 }, { 8, 8, 1 }, { 5, 7, 1 }, { 33, 1, 1 }, { 1, 1, 1 },
        { 7, 3, 3 }, { 128, 1, 1 }, { 4, 8, 2 }, { 32, 2, 1 }, { 17, 2, 1 }, { 96, 1, 1 }, { 2, 16, 1 } };
    struct gen g = { .k = out, .skip = skip, .t = { out->text, 0, GEN_TEXT, seed * 0x2545f4914f6cdd1du + 1 } };
    const unsigned *shape = shapes[pick(&g, sizeof shapes / sizeof shapes[0])];
    memcpy(out->block, shape, sizeof out->block);
    out->grid[0] = 1 + pick(&g, 3), out->grid[1] = out->grid[2] = 1;
    for (unsigned k = 0; k < GEN_BUFFERS; k++)
        out->params[out->n_params++] = (struct gen_param){ .pointer = true, .buffer = k };
    g.threads = shape[0] * shape[1] * shape[2];
    g.pitch = 4u << pick(&g, 3);
    g.known_places = pick(&g, 2);
    g.fields = 2 + pick(&g, 7);
    g.field_bytes = 1u << pick(&g, 4);
    head(&g);
    soup_body(&g, BLOCK, 0, pick(&g, 2) ? 2 + pick(&g, 4) : 5 + pick(&g, 9));    /* short ones are more regular */
    tail(&g);
}
