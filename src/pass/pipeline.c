/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the passes, and the manager that runs them by what passes.def says of each. */
#include "pass/analysis/origin.h"
#include "pass/plan.h"

#include <strings.h>

enum pass {
#define ANALYSIS(id, function, needs) PASS_##id,
#define TRANSFORM(id, function, needs, keeps) PASS_##id,
#include "pass/passes.def"
#undef ANALYSIS
#undef TRANSFORM
    PASS_COUNT
};

/* Sets of analyses, as the table names them. */
enum {
#define ANALYSIS(id, function, needs) id = 1 << PASS_##id,
#define TRANSFORM(id, function, needs, keeps)
#include "pass/passes.def"
#undef ANALYSIS
#undef TRANSFORM
};

static const struct pass_info {
    const char *name;
    void (*analyse)(struct plan *p);
    bool (*transform)(struct plan *p);
    unsigned needs, keeps;
} passes[] = {
#define ANALYSIS(id, function, needs) [PASS_##id] = { #id, function, NULL, needs, 0 },
#define TRANSFORM(id, function, needs, keeps) [PASS_##id] = { #id, NULL, function, needs, keeps },
#include "pass/passes.def"
#undef ANALYSIS
#undef TRANSFORM
};

struct manager {
    struct plan *p;
    unsigned valid;              /* analyses that hold */
    struct diag *diag;
    bool ok;
};

static void look(struct manager *m, enum pass id)
{
    if (m->p->opt.after)
        m->p->opt.after(m->p->opt.user, passes[id].name, m->p);
#ifndef NDEBUG
    if (passes[id].transform && m->ok && !ir_verify(m->p->func, m->diag)) {
        diag_internal(m->diag, 0, "after pass %s", passes[id].name);
        m->ok = false;
    }
#endif
}

static void need(struct manager *m, unsigned analyses)
{
    for (unsigned id = 0; id < PASS_COUNT; id++) {
        if (!(analyses >> id & 1) || m->valid >> id & 1)
            continue;
        need(m, passes[id].needs);
        passes[id].analyse(m->p);
        m->valid |= 1u << id;
        look(m, (enum pass)id);
    }
}

/* True when it changed something. */
static bool run_pass(struct manager *m, enum pass id)
{
    need(m, passes[id].needs);
    if (!m->ok || !passes[id].transform(m->p))
        return false;
    m->valid &= passes[id].keeps;
    look(m, id);
    return true;
}

/* A step of the pipeline: a pass, and those that clean up after it where it changed something. */
struct step {
    enum pass pass;
    unsigned n;
    enum pass then[2];
};

/* What the emitter cannot do without. */
static const struct step plain[] = { { .pass = PASS_FOLD }, { .pass = PASS_WEBS }, { .pass = PASS_FOLD } };

static const struct step good[] = {
    { .pass = PASS_FOLD },
    { .pass = PASS_WEBS },
    { PASS_MEM2REG, 1, { PASS_WEBS } },
    { .pass = PASS_INTERLEAVE_LOCAL },
    { .pass = PASS_FOLD },       /* webs turn reused registers into single definitions: more folds */
    { .pass = PASS_PRIVATE_RED },        /* before passes that depend on how many warps go together: all plans of a kernel must say the same */
    { .pass = PASS_TEST_RED },
    { PASS_UNROLL, 2, { PASS_WEBS, PASS_FOLD } },
    { .pass = PASS_SINK },
    { PASS_GRID_STRIDE, 2, { PASS_WEBS, PASS_FOLD } },
    { PASS_DIV_BYPASS, 2, { PASS_WEBS, PASS_FOLD } },
    { PASS_GROUP_VERSION, 2, { PASS_WEBS, PASS_FOLD } },
    { PASS_TAIL_DUP, 2, { PASS_WEBS, PASS_FOLD } },
    { PASS_SHARED_TRANSPOSE, 1, { PASS_FOLD } },
    { PASS_NARROW_SHARED, 1, { PASS_FOLD } },
    { PASS_POINTER_INDUCTION, 1, { PASS_FOLD } },
    { PASS_INDUCTION_SPLIT, 1, { PASS_FOLD } },
    { PASS_FULL_LOOP, 2, { PASS_WEBS, PASS_FOLD } },
    { .pass = PASS_NON_TEMPORAL },
};

static void run_steps(struct manager *m, const struct step *steps, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (run_pass(m, steps[k].pass))
            for (unsigned c = 0; c < steps[k].n; c++)
                run_pass(m, steps[k].then[c]);
}

/* Builds in which threads or warps take turns at loops that wait for others: those are found before anything is changed. */
static void prepare_turns(struct manager *m)
{
    if (m->p->func->local_bytes) {       /* a loop may keep there what it waits for */
        run_pass(m, PASS_FOLD);
        run_pass(m, PASS_MEM2REG);
    }
    run_pass(m, PASS_YIELDS);
}

/* Blocks whose rows are shorter than a warp and made of whole vectors: 16x16 threads, also where a vector has 8 lanes. Else a warp's lanes are one row. */
static uint32_t row_lanes(const struct plan_options *opt)
{
    uint32_t n = opt->ntid[0];
    bool whole = opt->width > 1 && n % opt->width == 0 && (n & (n - 1)) == 0;
    return whole && n < PLAN_LANES && n < opt->width * opt->chunks ? n : PLAN_LANES;
}

static struct plan *begin(const struct ir_func *func, const struct plan_options *opt)
{
    struct plan *p = hw_alloc(sizeof *p);
    p->opt = *opt;
    p->threads = opt->ntid[0] * opt->ntid[1] * opt->ntid[2];
    uint32_t lanes = p->lanes = opt->width * opt->chunks;
    p->row = row_lanes(opt);
    p->groups = (p->threads + lanes - 1) / lanes;
    p->partial = p->threads % lanes != 0 || opt->function;
    plan_clone(p, func);
    if (opt->counted && !opt->function)
        origin_locals(p->func);
    return p;
}

static struct plan *finish(struct manager *m)
{
    if (m->ok)
        return m->p;
    plan_free(m->p);
    return NULL;
}

struct plan *plan_new(const struct ir_func *func, const struct plan_options *opt, struct diag *diag)
{
    struct manager m = { .p = begin(func, opt), .diag = diag, .ok = true };
    run_pass(&m, PASS_ATOMIC_ORDER);
    if (opt->fair || opt->turns)
        prepare_turns(&m);
    if (opt->plain)
        run_steps(&m, plain, HW_LEN(plain));
    else
        run_steps(&m, good, HW_LEN(good));
    if (m.ok)
        need(&m, MASKS);
    if (opt->turns && !opt->plain)
        run_pass(&m, PASS_WARP_SPLIT);
    return finish(&m);
}

static int pass_by_name(const char *name, size_t n)
{
    for (int id = 0; id < PASS_COUNT; id++)
        if (strlen(passes[id].name) == n && strncasecmp(passes[id].name, name, n) == 0)
            return id;
    return -1;
}

struct plan *plan_only(const struct ir_func *func, const struct plan_options *opt, const char *names, struct diag *diag)
{
    struct manager m = { .p = begin(func, opt), .diag = diag, .ok = true };
    need(&m, CFG);
    while (m.ok && *names) {
        size_t n = strcspn(names, " ");
        int id = n ? pass_by_name(names, n) : -1;
        if (n && id < 0) {
            diag_error(diag, 0, 0, "there is no pass %.*s", (int)n, names);
            m.ok = false;
        } else if (n && passes[id].analyse) {
            need(&m, 1u << id);
        } else if (n) {
            run_pass(&m, (enum pass)id);
        }
        names += n + (names[n] == ' ');
    }
    if (m.ok)
        need(&m, CFG);
    return finish(&m);
}

void plan_free(struct plan *p)
{
    if (!p)
        return;
    plan_free(p->wide);
    for (int i = 0; i < p->n_blocks; i++)
        hw_vec_fini(&p->blocks[i].preds);
    hw_vec_fini(&p->loops);
    hw_vec_fini(&p->regions);
    ir_module_free(p->home);
    hw_arena_fini(&p->arena);
    hw_free(p);
}
