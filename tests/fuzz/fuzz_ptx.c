/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random PTX through the reader, the parser, lower/ and pass/: whatever comes in, there is an answer or an error, soon, and
 * nothing leaks. With -DHW_LIBFUZZER this is a libFuzzer target; else a program that mutates the golden tests: every run with one
 * seed does the same things in the same order, for as long as it may.
 */
#include "base/os.h"
#include "lower/lower.h"
#include "pass/explain.h"
#include "pass/plan.h"

#include <glob.h>
#include <stdio.h>

/* Not strstr: libFuzzer watches it and writes what is looked for into its inputs, which errors quote. */
static bool says(const char *text, const char *what)
{
    size_t n = strlen(what), k;
    for (; text && *text; text++) {
        for (k = 0; k < n && text[k] == what[k]; k++) {}
        if (k == n)
            return true;
    }
    return false;
}

/* Plans of all kinds, for blocks of several shapes, and what there is to say about them. */
static void plan_all(const struct ir_module *ir, const struct ir_func *f, struct diag *diag)
{
    enum { LARGE = 3000 };       /* instructions: under sanitizers that takes seconds */
    static const struct plan_options kinds[] = {
        { .ntid = { 64, 1, 1 }, .width = 16, .chunks = 2 },
        { .ntid = { 33, 2, 1 }, .width = 8, .chunks = 4 },
        { .ntid = { 16, 16, 1 }, .width = 16, .chunks = 8, .stream = true },
        { .ntid = { 32, 1, 1 }, .width = 1, .chunks = 1, .fair = true },
        { .ntid = { 128, 1, 1 }, .width = 16, .chunks = 2, .turns = true },
        { .ntid = { 96, 1, 1 }, .width = 16, .chunks = 2, .counted = true },
    };
    size_t n = 0;
    for (size_t b = 0; b < f->blocks.n; b++)
        n += f->blocks.v[b]->insts.n;
    for (size_t k = 0; k < HW_LEN(kinds) && n < LARGE && !f->callees.n; k++) {
        struct hw_str out = { 0 };
        struct plan *p = plan_new(f, &kinds[k], diag);
        if (p)
            explain_plan(&out, p, ir);
        hw_str_fini(&out);
        plan_free(p);
    }
}

static void run_one(const char *data, size_t bytes)
{
    struct diag diag = { 0 };
    struct ptx_module *ptx = NULL;
    struct ir_module *ir = NULL;
    char *text = NULL;
    size_t text_bytes = 0;
    static const uint32_t wrapper = 0x466243b1u;
    if (bytes >= 4 && memcmp(data, &wrapper, 4) == 0)
        return;                  /* holds a pointer, which a program's own compiler made: no input to guard against */
    enum ptx_status rc = ptx_image_text(data, bytes, 80, &diag, &text, &text_bytes);
    if (!rc)
        rc = ptx_parse(text, text_bytes, &diag, &ptx);
    if (!rc)
        rc = lower_module(ptx, &diag, &ir);
    if (!rc) {
        struct hw_str out = { 0 };
        for (size_t i = 0; i < ir->funcs.n; i++)
            ir_print_func(&out, ir->funcs.v[i]);
        for (size_t i = 0; i < ir->funcs.n; i++)
            plan_all(ir, ir->funcs.v[i], &diag);
        hw_str_fini(&out);
    }
    /* An error says what it is about, and never that our own IR is wrong. */
    if ((rc != PTX_OK) != (diag.n_errors > 0) || (ptx && says(diag.text.s, "error: bad IR in "))) {
        fprintf(stderr, "status %d with %d errors: %s\n", rc, diag.n_errors, diag.text.s ? diag.text.s : "");
        fwrite(data, 1, bytes, stderr);
        abort();
    }
    ir_module_free(ir);
    ptx_module_free(ptx);
    hw_free(text);
    diag_fini(&diag);
}

#ifdef HW_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    run_one((const char *)data, bytes);
    return 0;
}
#else
#include "fuzz.h"

struct sample {
    char *data;
    size_t n;
};
enum { MAX_SAMPLES = 256, MAX_INPUT = 1 << 16 };
static struct sample samples[MAX_SAMPLES];
static size_t n_samples;
static struct fuzz_random rng;

static uint64_t next(uint64_t below) { return fuzz_below(&rng, (uint32_t)below); }

static const char *const words[] = {
    "%r1", "%rd1", "%f1", "%p1", "%r4000000", "0x", "-1", "0", "4294967296", "18446744073709551615", "0f3F800000", "1e99", "{", "}", "[", "]",
    "(", ")", ";", ",", ":", "|", "!", "@%p1", "@!%p2", ".reg .b32 %r<9999999>;", ".shared .b8 s[1099511627776];", ".local .b8 l[2147483647];",
    ".param .b64 q;", "call.uni (r), twice, (p);", ".func f() { call f; ret; }", "bra L;", "L:", "ret;", "exit;", "trap;", ".sat", ".ftz", ".v4", ".v2",
    ".cc", ".wide", ".u64", ".s8", ".f16", ".pred", ".b128", ".global .u64 g[] = {g, generic(g)+1, 0xff(g)};", "mov.b64 {%r1, %r2}, %rd1;",
    "\"", "/*", "*/", "//", "\\", "\n", "$", "%", "_", "WARP_SZ", "%tid.x", "%envreg3", ".version 99.9", ".target sm_121", ".loc 1 2 3",
    ".file 1 \"x\"", ".section .debug_str {", ".entry k2() {", "atom.global.add.f64 %rd1, [%rd1], %rd2;", "ld.param.u8 %r1, [p+3];", "?", "<<", "~",
};

/* Copies n bytes to out at most; returns how many. */
static size_t append(char *out, size_t used, const char *data, size_t n)
{
    n = hw_min_u64(n, MAX_INPUT - used);
    memcpy(out + used, data, n);
    return used + n;
}

static size_t mutate(char *out)
{
    const struct sample *a = &samples[next(n_samples)];
    size_t n = append(out, 0, a->data, a->n);
    for (uint64_t times = 1 + next(6); times; times--) {
        size_t at = next(n + 1), len = hw_min_u64(1 + next(1 + next(200)), n - at);
        const struct sample *b = &samples[next(n_samples)];
        const char *word = words[next(HW_LEN(words))];
        char piece[512];
        switch (next(7)) {
        case 0: if (at < n) out[at] = (char)next(256); break;
        case 1: if (at < n) out[at] = (char)(out[at] ^ 1 << next(8)); break;
        case 2: memmove(out + at, out + at + len, n - at - len); n -= len; break;
        case 3:                                  /* a piece again, elsewhere */
            len = hw_min_u64(len, sizeof piece);
            memcpy(piece, out + at, len);
            at = next(n + 1);
            if (n + len <= MAX_INPUT) {
                memmove(out + at + len, out + at, n - at);
                memcpy(out + at, piece, len);
                n += len;
            }
            break;
        case 4: case 5:                          /* a word */
            len = strlen(word);
            if (n + len + 2 <= MAX_INPUT) {
                memmove(out + at + len, out + at, n - at);
                memcpy(out + at, word, len);
                n += len;
            }
            break;
        default: n = append(out, at, b->data + b->n / 2, b->n - b->n / 2); break;
        }
    }
    return n;
}

static void add_sample(const char *data, size_t n)
{
    if (n_samples < MAX_SAMPLES && n && n < MAX_INPUT)
        samples[n_samples++] = (struct sample){ memcpy(hw_alloc(n), data, n), n };
}

/* The same text in a fatbin: 16 bytes of container, 64 of entry. */
static void add_fatbin(const char *text, size_t n)
{
    size_t padded = (n + 8) & ~(size_t)7, total = 80 + padded;
    char *image = hw_alloc(total);
    uint32_t magic = 0xba55ed50u, one = 1 | 16u << 16, sm = 80, header = 64;
    uint64_t follow = total - 16, size = padded;
    uint16_t kind = 1;
    memcpy(image, &magic, 4);
    memcpy(image + 4, &one, 4);
    memcpy(image + 8, &follow, 8);
    memcpy(image + 16, &kind, 2);
    memcpy(image + 20, &header, 4);
    memcpy(image + 24, &size, 8);
    memcpy(image + 44, &sm, 4);
    memcpy(image + 80, text, n);
    add_sample(image, total);
    hw_free(image);
}

static void read_samples(void)
{
    glob_t found = { 0 };
    if (glob("tests/golden/*.ptx", 0, NULL, &found)) {
        fprintf(stderr, "no tests/golden/*.ptx: run in the top folder\n");
        exit(2);
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t n;
        char *text = hw_file_read(found.gl_pathv[i], &n);
        if (text)
            add_sample(text, n);
        if (text && i % 4 == 0)
            add_fatbin(text, n);
        hw_free(text);
    }
    globfree(&found);
}

int main(int argc, char **argv)
{
    uint64_t slowest = 0, number;
    static char input[MAX_INPUT];
    fuzz_begin((struct fuzz_plan){ .name = "fuzz_ptx", .seed = 1, .seconds = 8 }, argc, argv, NULL);
    read_samples();
    for (size_t i = 0; i < n_samples; i++)
        run_one(samples[i].data, samples[i].n);
    while (fuzz_more(&number)) {
        rng = fuzz_random(fuzz_plan.seed, number);
        size_t n = mutate(input);
        char *exact = memcpy(hw_alloc(n + 1), input, n);       /* so that a byte too far is noticed */
        exact = hw_realloc(exact, n ? n : 1);
        uint64_t t = hw_now_ns();
        run_one(exact, n);
        t = hw_now_ns() - t;
        slowest = t > slowest ? t : slowest;
        hw_free(exact);
        if (t > 5000000000ull) {
            fuzz_bad("case %llu took %.1f s:", (unsigned long long)number, (double)t / 1e9);
            fwrite(input, 1, n, stdout);
        }
    }
    for (size_t i = 0; i < n_samples; i++)
        hw_free(samples[i].data);
    printf("# the slowest input took %.3f s\n", (double)slowest / 1e9);
    return fuzz_end();
}
#endif
