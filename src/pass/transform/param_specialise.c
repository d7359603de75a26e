/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters that a kernel with barriers compares with: mostly sizes, as in `for (i = threadIdx.x; i < n; ...) { ... __syncthreads() }`.
 * In general the threads of a warp may part at the comparison, and each has to wait at the barrier for itself, which is slow. When n is
 * a multiple of 32, as it mostly is, whole warps meet the barrier: that case gets code of its own.
 */
#include "pass/plan.h"

static bool compared(const struct ir_func *f, const struct ir_reg *r, int depth)
{
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = f->blocks.v[b]->insts.v[j];
            bool uses = false;
            for (int k = 0; k < i->n_src; k++)
                uses |= i->src[k].kind == IR_REG && i->src[k].reg == r;
            if (!uses)
                continue;
            if (i->op == IR_CMP)
                return true;
            if ((i->op == IR_MOV || i->op == IR_SEXT || i->op == IR_ZEXT) && i->dst[0] && depth < 3 && compared(f, i->dst[0], depth + 1))
                return true;
        }
    return false;
}

unsigned plan_param_specialise(const struct ir_func *f, struct plan_size *out, unsigned most)
{
    unsigned n = 0;
    bool barriers = false;
    for (size_t b = 0; b < f->blocks.n; b++) {
        const struct ir_inst *t = ir_block_term(f->blocks.v[b]);
        barriers |= t && plan_stops(t);
    }
    for (size_t b = 0; barriers && b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = f->blocks.v[b]->insts.v[j];
            if (i->op != IR_PARAM || (i->type != IR_I32 && i->type != IR_I64) || !i->dst[0] || n == most)
                continue;
            struct plan_size s = { (uint32_t)i->imm, ir_type_bits(i->type) / 8 };
            bool known = false;
            for (unsigned k = 0; k < n; k++)
                known |= out[k].offset == s.offset;
            if (!known && compared(f, i->dst[0], 0))
                out[n++] = s;
        }
    return n;
}
