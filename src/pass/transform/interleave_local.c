/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local memory word by word: the same word of all lanes of a group lies side by side, so that an array that all index alike is read and
 * written as vectors. Thread by thread, as it lies otherwise, each access would be as many scalar ones.
 *
 * Nobody may notice: no address of local memory is made into a generic one or handed to a function, and all accesses are to whole words. Those of
 * 8 bytes and vectors become accesses to words, and the offset of word k becomes that of row k.
 */
#include "pass/plan.h"

enum { WORD = 4 };

static bool fits(const struct ir_inst *i)
{
    if (i->op == IR_LOCAL_TO_GENERIC || i->op == IR_GENERIC_TO_LOCAL || i->op == IR_CALL)
        return false;
    if (i->space != IR_LOCAL || !(ir_op_info[i->op].props & IR_PROP_MEM))
        return true;
    bool plain = (i->op == IR_LD || i->op == IR_ST) && i->order == IR_WEAK && !(i->flags & (IR_VOLATILE | IR_OUTGOING));
    bool words = ir_type_bits(i->type) == 32 || ir_type_bits(i->type) == 64;
    return plain && words && i->imm % WORD == 0 && (i->src[0].kind != IR_IMM || i->src[0].imm % WORD == 0);
}

static struct ir_inst *put(struct plan *p, struct ir_block *b, enum ir_op op, enum ir_type type, struct ir_reg *dst, const struct ir_inst *from)
{
    struct ir_inst *i = ir_inst_for(p->func, op, type, from);
    if (dst)
        ir_inst_dst(i, dst);
    ir_block_add(b, i);
    return i;
}

/* One word of an access. */
static struct ir_inst *put_word(struct plan *p, struct ir_block *b, const struct ir_inst *old, struct ir_operand row, int64_t offset, struct ir_reg *dst)
{
    struct ir_inst *i = put(p, b, old->op, IR_I32, dst, old);
    i->space = IR_LOCAL;
    i->imm = (old->imm + offset) * (int64_t)p->lanes;
    ir_inst_src(i, row);
    return i;
}

static void put_load(struct plan *p, struct ir_block *b, const struct ir_inst *old, struct ir_operand row, int64_t offset, struct ir_reg *dst)
{
    if (ir_type_bits(old->type) == 32) {
        put_word(p, b, old, row, offset, dst);
        return;
    }
    struct ir_reg *half[2];
    for (int k = 0; k < 2; k++)
        put_word(p, b, old, row, offset + k * WORD, half[k] = ir_reg_new(p->func, IR_I32, NULL));
    struct ir_inst *pack = put(p, b, IR_PACK, IR_I64, dst, old);
    pack->type2 = IR_I32;
    for (int k = 0; k < 2; k++)
        ir_inst_src(pack, ir_reg_operand(half[k]));
}

static void put_store(struct plan *p, struct ir_block *b, const struct ir_inst *old, struct ir_operand row, int64_t offset, struct ir_operand value)
{
    if (ir_type_bits(old->type) == 32) {
        ir_inst_src(put_word(p, b, old, row, offset, NULL), value);
        return;
    }
    for (int k = 0; k < 2; k++) {
        struct ir_operand half = ir_imm_operand((uint32_t)(value.imm >> 32 * k));
        if (value.kind == IR_REG) {
            struct ir_reg *r = ir_reg_new(p->func, IR_I32, NULL);
            struct ir_inst *extract = put(p, b, IR_EXTRACT, IR_I32, r, old);
            extract->type2 = IR_I64;
            extract->imm = k;
            ir_inst_src(extract, value);
            half = ir_reg_operand(r);
        }
        ir_inst_src(put_word(p, b, old, row, offset + k * WORD, NULL), half);
    }
}

static void rewrite(struct plan *p, struct ir_block *b, const struct ir_inst *old)
{
    struct ir_operand row = old->src[0];
    int64_t bytes = ir_type_bits(old->type) / 8;
    if (row.kind == IR_REG) {
        struct ir_reg *r = ir_reg_new(p->func, row.reg->type, NULL);
        struct ir_inst *scale = put(p, b, IR_MUL, row.reg->type, r, old);
        ir_inst_src(scale, row);
        ir_inst_src(scale, ir_imm_operand(p->lanes));
        row = ir_reg_operand(r);
    } else {
        row.imm *= p->lanes;
    }
    for (int k = 0; k < old->n_dst; k++)
        if (old->dst[k])
            put_load(p, b, old, row, k * bytes, old->dst[k]);
    for (int k = 1; old->op == IR_ST && k < old->n_src; k++)
        put_store(p, b, old, row, (k - 1) * bytes, old->src[k]);
}

bool plan_interleave_local(struct plan *p)
{
    bool any = false;
    if (p->lanes == 1 || p->opt.function || p->opt.counted || p->func->callees.n || !p->func->local_bytes)
        return false;
    for (size_t b = 0; b < p->func->blocks.n; b++)
        for (size_t j = 0; j < p->func->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = p->func->blocks.v[b]->insts.v[j];
            any |= i->op == IR_LD && i->space == IR_LOCAL;
            if (!fits(i))
                return false;
        }
    if (!any)
        return false;
    for (size_t b = 0; b < p->func->blocks.n; b++) {
        struct ir_block *blk = p->func->blocks.v[b];
        struct ir_block all = *blk;
        memset(&blk->insts, 0, sizeof blk->insts);
        for (size_t j = 0; j < all.insts.n; j++) {
            if ((all.insts.v[j]->op == IR_LD || all.insts.v[j]->op == IR_ST) && all.insts.v[j]->space == IR_LOCAL)
                rewrite(p, blk, all.insts.v[j]);
            else
                ir_block_add(blk, all.insts.v[j]);
        }
        hw_vec_fini(&all.insts);
    }
    p->interleaved = true;
    return true;
}

int64_t plan_local_step(const struct plan *p)
{
    return p->interleaved ? WORD : (int64_t)p->func->local_bytes;
}
