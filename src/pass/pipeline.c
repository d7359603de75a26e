/* SPDX-License-Identifier: Apache-2.0 */
/* The ordered list of passes. */
#include "pass/plan.h"

static void analyse(struct plan *p)
{
    plan_live(p);
    plan_spins(p);
    plan_regions(p);
    plan_apart(p);
    plan_shapes(p);
}

/* What the emitter cannot do without. */
static void plan_plainly(struct plan *p)
{
    plan_fold(p);
    plan_cfg(p);
    plan_webs(p);
    plan_fold(p);
    plan_cfg(p);
    analyse(p);
    plan_lockstep(p);
    plan_masks(p);
}

static void plan_well(struct plan *p)
{
    plan_fold(p);
    plan_cfg(p);
    plan_webs(p);
    if (plan_locals(p)) {
        plan_cfg(p);
        plan_webs(p);
    }
    plan_interleave(p);
    plan_fold(p);                /* webs turn reused registers into single definitions: more folds */
    plan_cfg(p);
    if (plan_unroll(p)) {
        plan_cfg(p);
        plan_webs(p);
        plan_fold(p);
        plan_cfg(p);
    }
    plan_live(p);
    if (plan_sink(p))
        plan_cfg(p);
    analyse(p);
    if (plan_across(p)) {
        plan_fold(p);
        plan_cfg(p);
        analyse(p);
    }
    if (plan_narrow(p)) {
        plan_fold(p);
        plan_cfg(p);
        analyse(p);
    }
    if (plan_walking(p)) {
        plan_fold(p);
        plan_cfg(p);
        analyse(p);
    }
    plan_lockstep(p);
    if (plan_carried(p)) {
        plan_fold(p);
        plan_cfg(p);
        analyse(p);
        plan_lockstep(p);
    }
    plan_streaming(p);
    plan_masks(p);
    if (p->opt.turns)
        plan_turns(p);
}

struct plan *plan_new(const struct ir_func *func, const struct plan_options *opt, struct diag *diag)
{
    struct plan *p = hw_alloc(sizeof *p);
    p->opt = *opt;
    p->threads = opt->ntid[0] * opt->ntid[1] * opt->ntid[2];
    uint32_t lanes = p->lanes = opt->width * opt->chunks;
    p->row = opt->width > 1 && opt->ntid[0] == opt->width && lanes > opt->width ? opt->width : PLAN_LANES;
    p->groups = (p->threads + lanes - 1) / lanes;
    p->partial = p->threads % lanes != 0 || opt->function;

    plan_clone(p, func);
    plan_cfg(p);
    if (plan_abreast(p))
        plan_cfg(p);
    if (opt->fair || opt->turns) {
        if (p->func->local_bytes) {      /* a loop may keep there what it waits for */
            plan_fold(p);
            plan_cfg(p);
            if (plan_locals(p))
                plan_cfg(p);
        }
        plan_spins(p);
        plan_yields(p);
        plan_cfg(p);
    }
    if (opt->plain)
        plan_plainly(p);
    else
        plan_well(p);
#ifndef NDEBUG
    if (!ir_verify(p->func, diag)) {
        plan_free(p);
        return NULL;
    }
#else
    (void)diag;
#endif
    return p;
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
