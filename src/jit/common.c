/* SPDX-License-Identifier: Apache-2.0 */
/* Loads that are the same for all groups of a block are done once, before the loop over groups: roots of an FFT, coefficients. */
#include "jit/emit.h"
#include "jit/frame.h"

bool common_done(const struct emit *e, const struct ir_inst *i)
{
    for (size_t k = 0; k < e->n_common; k++)
        if (e->common_load[k] == i)
            return true;
    return false;
}

/* When chunks are the same too, the first one's value is that of all. */
static void load_once(struct emit *e, const struct ir_inst *i)
{
    unsigned chunks = e->C;
    bool same = plan_common(e->p, &i->src[0], e->W);
    memset(e->rematerialised, 0, e->p->n_regs);
    if (same)
        e->C = 1;
    frame_rematerialise(e, i->src[0].reg);
    emit_load(e, i);
    e->C = chunks;
    for (int k = 0; same && k < i->n_dst; k++)
        for (unsigned c = 1; i->dst[k] && c < slot_count(e, i->dst[k]); c++)
            LLVMBuildStore(e->b, LLVMBuildLoad2(e->b, slot_type(e, i->dst[k]), slot_of(e, i->dst[k], 0), ""), slot_of(e, i->dst[k], c));
}

void emit_common(struct emit *e)
{
    LLVMBuilderRef saved = e->b;
    LLVMValueRef warp = e->warp;
    size_t n = e->details ? 0 : plan_common_loads(e->p, (size_t)e->region, e->common_load, HW_LEN(e->common_load));
    e->n_common = 0;
    if (!n)
        return;
    env(e, ENV_SERVICES);                                 /* a check's cold side must not be the first to ask for it */
    e->b = e->eb;
    e->warp = k_int(e, 32, 1, 0);
    e->m[0] = NULL;
    e->at = e->p->regions.v[e->region].entry;
    e->guards.n = 0;
    for (size_t k = 0; k < n; k++)
        load_once(e, e->common_load[k]);
    e->n_common = n;
    e->warp = warp;
    e->b = saved;
}
