/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads that are the same for all groups of a block are done once, before the loop over groups: roots of an FFT, coefficients. Those that repeat
 * after a few groups are done for these and kept in a table.
 */
#include "jit/emit.h"
#include "jit/emit/frame.h"

static LLVMValueRef table_entry(struct emit *e, size_t load, int k, LLVMValueRef group, unsigned chunk)
{
    const struct ir_reg *r = e->common_load[load].inst->dst[k];
    LLVMValueRef within = LLVMBuildAnd(e->b, group, k_int(e, 32, 1, e->common_load[load].groups - 1), "");
    LLVMValueRef at = LLVMBuildAdd(e->b, LLVMBuildMul(e->b, within, k_int(e, 32, 1, slot_count(e, r)), ""), k_int(e, 32, 1, chunk), "");
    return LLVMBuildGEP2(e->b, slot_type(e, r), e->common_table[load][k], &at, 1, "");
}

/* The results of one group go to the table, or come from it. */
static void move_results(struct emit *e, size_t load, LLVMValueRef group, bool save)
{
    const struct ir_inst *i = e->common_load[load].inst;
    for (int k = 0; k < i->n_dst; k++)
        for (unsigned c = 0; i->dst[k] && c < slot_count(e, i->dst[k]); c++) {
            LLVMValueRef entry = table_entry(e, load, k, group, c), slot = slot_of(e, i->dst[k], c);
            LLVMTypeRef t = slot_type(e, i->dst[k]);
            LLVMBuildStore(e->b, LLVMBuildLoad2(e->b, t, save ? slot : entry, ""), save ? entry : slot);
        }
}

bool common_done(const struct emit *e, const struct ir_inst *i)
{
    for (size_t n = 0; n < e->n_common; n++)
        if (e->common_load[n].inst == i)
            return true;
    return false;
}

void common_take(struct emit *e, const struct ir_inst *i)
{
    for (size_t n = 0; n < e->n_common; n++)
        if (e->common_load[n].inst == i && e->common_load[n].groups > 1)
            move_results(e, n, e->warp, false);
    for (int k = 0; k < i->n_dst; k++)
        if (i->dst[k])
            e->available[i->dst[k]->id] = true;
}

/* When chunks are the same too, the first one's value is that of all. */
static void load_once(struct emit *e, const struct ir_inst *i)
{
    unsigned chunks = e->C;
    bool same = plan_block_invariant(e->p, &i->src[0], e->W);
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

static void load_table(struct emit *e, size_t load)
{
    const struct ir_inst *i = e->common_load[load].inst;
    for (int k = 0; k < i->n_dst; k++)
        if (i->dst[k])
            e->common_table[load][k] = entry_alloca(e, LLVMArrayType2(slot_type(e, i->dst[k]), e->common_load[load].groups * slot_count(e, i->dst[k])), "table");
    for (uint32_t g = 0; g < e->common_load[load].groups; g++) {
        e->warp = k_int(e, 32, 1, g);
        load_once(e, i);
        move_results(e, load, e->warp, true);
    }
    e->warp = k_int(e, 32, 1, 0);
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
    for (size_t k = 0; k < n; k++) {
        if (e->common_load[k].groups > 1)
            load_table(e, k);
        else
            load_once(e, e->common_load[k].inst);
    }
    e->n_common = n;
    e->warp = warp;
    e->b = saved;
}
