/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random trees of launches by kernels. Each kernel counts its threads, adds up a parameter and launches others, in all kinds of streams, with all shapes, and copies; a model says
 * how often each must have run when the first launch is over. Now and then a launch cannot be: that is an error of the launching call, and changes nothing else.
 */
#include "fuzz_driver.h"
#include "gen_text.h"

#include <stdio.h>
#include <string.h>

enum { NODES = 4, LAUNCHES = 3, MOST_BLOCKS = 600, TEXT = 1 << 15, WORDS = 64 };

/* Node i launches only nodes below it. */
struct launch {
    unsigned child, grid[3], block[3], value, stream;
    bool bad;                    /* of a shape that cannot be */
};
struct node {
    unsigned n;
    struct launch launches[LAUNCHES];
    bool copies;                 /* its first thread copies a word of `marks` to `copied` */
};

static struct node nodes[NODES];
static uint64_t blocks[NODES], threads[NODES], sums[NODES];  /* expected */
static CUdeviceptr out;          /* counts, sums, marks, copied: NODES words each */
static struct fuzz_random r;

static unsigned pick(unsigned n) { return fuzz_below(&r, n); }

static void make_tree(void)
{
    memset(nodes, 0, sizeof nodes);
    for (unsigned i = 0; i < NODES; i++) {
        nodes[i].copies = pick(3) == 0;
        nodes[i].n = i ? pick(LAUNCHES + 1) : 0;
        for (unsigned k = 0; k < nodes[i].n; k++) {
            static const unsigned streams[] = { 0, 0, 2, 3, 16 };        /* the block's own, fire and forget, tail, one that was made */
            struct launch *l = &nodes[i].launches[k];
            *l = (struct launch){ pick(i), { 1 + pick(2), 1 + pick(2), 1 }, { 1 + 39 * pick(2), 1 + pick(2), 1 }, pick(1000), FUZZ_ANY(&r, streams), pick(10) == 0 };
            if (l->bad)
                *(pick(2) ? &l->grid[pick(3)] : &l->block[pick(3)]) = 0;
        }
    }
}

/* From the top down. False: too much. */
static bool expect(unsigned grid, unsigned block, unsigned value)
{
    memset(blocks, 0, sizeof blocks);
    memset(threads, 0, sizeof threads);
    memset(sums, 0, sizeof sums);
    blocks[NODES - 1] = grid;
    threads[NODES - 1] = (uint64_t)grid * block;
    sums[NODES - 1] = threads[NODES - 1] * value;
    for (unsigned i = NODES; i-- > 0;)
        for (unsigned k = 0; k < nodes[i].n; k++) {
            const struct launch *l = &nodes[i].launches[k];
            uint64_t b = blocks[i] * l->grid[0] * l->grid[1] * l->grid[2], t = b * l->block[0] * l->block[1] * l->block[2];
            if (l->bad)
                continue;
            blocks[l->child] += b;
            threads[l->child] += t;
            sums[l->child] += t * l->value;
            if (blocks[l->child] > MOST_BLOCKS)
                return false;
        }
    return true;
}

/* --- PTX --- */

static void put_launch(struct gen_text *t, const struct launch *l, unsigned label)
{
    text_put(t, " mov.u64 %%d5, node%u;\n { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; "
        ".param .b64 q; st.param.b64 [f], %%d5;", l->child);
    for (unsigned k = 0; k < 3; k++)
        text_put(t, " st.param.b32 [g+%u], %u; st.param.b32 [b+%u], %u;", 4 * k, l->grid[k], 4 * k, l->block[k]);
    text_put(t, " st.param.b32 [s], 0; call (q), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %%d6, [q]; }\n");
    text_put(t, " setp.eq.u64 %%p2, %%d6, 0; @%%p2 bra none%u;\n st.u64 [%%d6], %%d1; st.u32 [%%d6+8], %u;\n", label, l->value);
    text_put(t, " { .param .b64 e; .param .b64 m; .param .b32 z; st.param.b64 [e], %%d6; st.param.b64 [m], %u; "
        "call (z), __cudaCDP2LaunchDeviceV2, (e, m); ld.param.b32 %%r4, [z]; }\nnone%u:\n", l->stream, label);
}

static void put_node(struct gen_text *t, unsigned i)
{
    const struct node *n = &nodes[i];
    text_put(t, ".visible .entry node%u(.param .u64 o, .param .u32 v)\n{\n .reg .b64 %%d<8>; .reg .b32 %%r<8>; "
        ".reg .pred %%p<4>;\n ld.param.u64 %%d1, [o]; ld.param.u32 %%r1, [v];\n", i);
    text_put(t, " red.global.add.u32 [%%d1+%u], 1; red.global.add.u32 [%%d1+%u], %%r1;\n", 4 * i, 4 * (NODES + i));
    text_put(t, " mov.u32 %%r2, %%tid.x; mov.u32 %%r3, %%tid.y; or.b32 %%r2, %%r2, %%r3; setp.ne.u32 %%p1, %%r2, 0; @%%p1 ret;\n");
    if (n->copies)
        text_put(t, " add.u64 %%d2, %%d1, %u; add.u64 %%d3, %%d1, %u; { .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 d; "
            ".param .b64 e; .param .b32 z; st.param.b64 [a], %%d2; st.param.b64 [b], %%d3; st.param.b64 [c], 4; st.param.b32 [d], 3; "
            "st.param.b64 [e], 0; call (z), __cudaCDP2MemcpyAsync, (a, b, c, d, e); }\n",
                 4 * (3 * NODES + i), 4 * (2 * NODES + i));
    for (unsigned k = 0; k < n->n; k++)
        put_launch(t, &n->launches[k], k);
    text_put(t, " ret;\n}\n");
}

static void make_text(char *text)
{
    struct gen_text t = { text, 0, TEXT, 0 };
    text_put(&t, ".version 8.0\n.target sm_80\n.address_size 64\n"
                 ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
                 ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream);\n"
                 ".extern .func (.param .b32 r) __cudaCDP2MemcpyAsync(.param .b64 to, .param .b64 from, .param .b64 bytes, .param .b32 kind, .param .b64 stream);\n");
    for (unsigned i = 0; i < NODES; i++)
        put_node(&t, i);
}

/* --- cases --- */

static void check(uint64_t number)
{
    uint32_t got[4 * NODES];
    if (!GOOD(number, cuMemcpyDtoH(got, out, sizeof got)))
        fuzz_fresh();
    for (unsigned i = 0; i < NODES; i++) {
        uint32_t copied = nodes[i].copies && blocks[i] ? 1000 + i : 0;
        if (got[i] != (uint32_t)threads[i] || got[NODES + i] != (uint32_t)sums[i] || got[3 * NODES + i] != copied)
            fuzz_bad_in(number, "node %u: %u threads, sum %u, copied %u; not %u, %u, %u", i, got[i], got[NODES + i], got[3 * NODES + i],
                (uint32_t)threads[i], (uint32_t)sums[i], copied);
    }
}

static void one(uint64_t number)
{
    static char text[TEXT];
    CUmodule m;
    CUfunction f;
    unsigned grid, block, value;
    r = fuzz_random(fuzz_plan.seed, number);
    do {
        make_tree();
        grid = 1 + pick(4), block = 1 + 39 * pick(2), value = pick(1000);
    } while (!expect(grid, block, value));
    make_text(text);
    if (!GOOD(number, cuModuleLoadData(&m, text)) || !GOOD(number, cuModuleGetFunction(&f, m, "node3")))
        return;
    for (unsigned times = 1 + pick(2); times; times--) {
        uint32_t zero[4 * NODES] = { 0 };
        void *params[] = { &out, &value };
        for (unsigned i = 0; i < NODES; i++)
            zero[2 * NODES + i] = 1000 + i;
        NEED(cuMemcpyHtoD(out, zero, sizeof zero));
        if (!GOOD(number, cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, NULL, params, NULL)) || !GOOD(number, cuCtxSynchronize()))
            fuzz_fresh();
        check(number);
        for (unsigned i = 0; i < NODES; i++)
            fuzz_count(blocks[i]);
    }
    GOOD(number, cuModuleUnload(m));
}

static void before(void)
{
    driver_start();
    NEED(cuMemAlloc(&out, 4 * WORDS));
}

int main(int argc, char **argv)
{
    driver_settings(argv);
    fuzz_begin((struct fuzz_plan){ .name = "device_launches", .seed = 1, .seconds = 4, .things = "blocks" }, argc, argv, NULL);
    return fuzz_cases(before, one, 4, 60);
}
