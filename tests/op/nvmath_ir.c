/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lower/ makes of each __nv_* function, run by the interpreter here and compared with the recorded results of a GPU
 * (tests/op/nv_*.tv): tells errors in lower/nvmath*.c from errors in jit/. Every function of nvmath.def must have a case.
 */
#include <stdio.h>

#include <glob.h>
#include <math.h>

#include "base/str.h"
#include "interpret.h"
#include "lower/lower_internal.h"
#include "tv.h"

struct lowered {
    struct ir_module *module;
    struct ir_func *f;
    struct ir_reg *args[TV_MAX_ARGS], *result;
    uint64_t *regs;
};

static bool lower_case(const struct tv_case *c, struct lowered *l)
{
    struct diag diag = { 0 };
    struct lower_ctx ctx = { 0 };
    struct ir_operand src[TV_MAX_ARGS];

    l->module = ir_module_new();
    ctx.module = l->module;
    ctx.f = l->f = ir_func_new(l->module, c->name);
    ctx.diag = &diag;
    ctx.block = ir_block_new(l->f, NULL);
    for (unsigned k = 0; k < c->n_args; k++) {
        l->args[k] = ir_reg_new(l->f, ir_type_of_bits(c->arg[k]->bytes * 8), NULL);
        src[k] = ir_reg_operand(l->args[k]);
    }
    l->result = ir_reg_new(l->f, ir_type_of_bits(c->result->bytes * 8), NULL);
    if (!lower_nvmath(&ctx, c->callee, l->result, src, (int)c->n_args))
        return false;
    lower_emit(&ctx, IR_RET, IR_VOID);
    l->regs = calloc(l->f->regs.n, sizeof *l->regs);
    if (!ir_verify(l->f, &diag)) {
        struct hw_str text = { 0 };

        ir_print_func(&text, l->f);
        printf("# %s", text.s);
        hw_str_fini(&text);
        return false;
    }
    return true;
}

static uint64_t run_once(const struct tv_case *c, struct lowered *l, const uint64_t *args)
{
    for (unsigned k = 0; k < c->n_args; k++)
        l->regs[l->args[k]->id] = args[k];
    if (!interpret(l->f, l->regs)) {
        printf("not ok %s uses an operation that the interpreter does not know\n", c->name);
        exit(1);
    }
    return l->regs[l->result->id];
}

static bool close_enough(const struct tv_case *c, uint64_t got, uint64_t want)
{
    double g = tv_value(c->result, got), w = tv_value(c->result, want);

    return tv_ulps(c->result, got, want) <= c->ulp || ((c->relative > 0 || c->absolute > 0) && fabs(g - w) <= c->relative * fabs(w) + c->absolute);
}

static uint64_t sweep(const struct tv_case *c, struct lowered *l)
{
    static uint64_t in[TV_MAX_ARGS][TV_SWEEP], out[TV_SWEEP];
    uint64_t rng;

    tv_sweep_seed(c->sweep_seed, &rng);
    for (unsigned k = 0; k < c->n_args; k++)
        tv_sweep_fill(&rng, c->arg[k], (int)k, in[k]);
    for (size_t i = 0; i < TV_SWEEP; i++) {
        uint64_t args[TV_MAX_ARGS], r;

        for (unsigned k = 0; k < c->n_args; k++)
            args[k] = tv_load(c->arg[k], in[k], i);
        r = run_once(c, l, args);
        memcpy((char *)out + i * c->result->bytes, &r, c->result->bytes);
    }
    return tv_hash(c->result, out, TV_SWEEP, c->sweep_seed);
}

static bool check_case(const struct tv_case *c)
{
    struct lowered l = { 0 };
    unsigned n_bad = 0;

    if (!lower_case(c, &l)) {
        printf("not ok %s is not lowered\n", c->name);
        return false;
    }
    for (size_t i = 0; i < c->n_rows; i++) {
        uint64_t got = run_once(c, &l, c->rows[i].arg);

        if (!close_enough(c, got, c->rows[i].want) && n_bad++ < 3)
            printf("not ok %s(0x%llx, 0x%llx) line %u: got 0x%llx (%.9g), want 0x%llx (%.9g)\n", c->name, (unsigned long long)c->rows[i].arg[0],
                   (unsigned long long)c->rows[i].arg[1], c->rows[i].line, (unsigned long long)got, tv_value(c->result, got),
                   (unsigned long long)c->rows[i].want, tv_value(c->result, c->rows[i].want));
    }
    if (c->has_sweep && sweep(c, &l) != c->sweep_hash) {
        printf("not ok %s: the sweep has another hash\n", c->name);
        n_bad++;
    }
    if (!n_bad)
        printf("ok %s\n", c->name);
    free(l.regs);
    ir_module_free(l.module);
    return !n_bad;
}

static unsigned check_file(const char *path, const char *only, unsigned *n)
{
    struct tv_case *first = tv_read(path);
    unsigned n_bad = 0;

    for (struct tv_case *c = first; c; c = c->next)
        if (*c->callee && (!only || !strcmp(only, c->name)))
            ++*n, n_bad += !check_case(c);
    tv_free(first);
    return n_bad;
}

/* usage: nvmath_ir [FILE.tv [NAME]] */
int main(int argc, char **argv)
{
    glob_t found = { 0 };
    unsigned n_bad = 0, n = 0;

    if (argc > 1)
        n_bad = check_file(argv[1], argc > 2 ? argv[2] : NULL, &n);
    else
        glob("tests/op/nv_*.tv", 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        n_bad += check_file(found.gl_pathv[i], NULL, &n);
    globfree(&found);
    printf("# %u of %u functions wrong\n", n_bad, n);
    return n_bad != 0 || n == 0;
}
