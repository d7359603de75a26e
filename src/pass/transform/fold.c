/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants, copies and dead code.  LLVM would find most of it again; it is done here because shapes need it: a
 * multiplication keeps an affine shape only when its factor is a known constant.
 */
#include "pass/plan.h"

struct fold {
    struct plan *p;
    struct ir_inst **def;        /* by register: its only definition, or NULL */
    struct ir_block **def_block;
    int *n_defs;
    int *order;                  /* by block id: place in plan->blocks */
    bool changed;
};

static uint64_t truncate_bits(uint64_t x, enum ir_type t)
{
    unsigned bits = ir_type_bits(t);
    return bits >= 64 ? x : x & (((uint64_t)1 << bits) - 1);
}

static int64_t sign_extend(uint64_t x, enum ir_type t)
{
    unsigned bits = ir_type_bits(t);
    return bits >= 64 ? (int64_t)x : (int64_t)(x << (64 - bits)) >> (64 - bits);
}

static bool fold_cmp(const struct ir_inst *i, uint64_t a, uint64_t b, uint64_t *out)
{
    int64_t sa = sign_extend(a, i->type), sb = sign_extend(b, i->type);
    switch (i->cmp) {
    case IR_EQ: *out = a == b; return true;
    case IR_NE: *out = a != b; return true;
    case IR_SLT: *out = sa < sb; return true;
    case IR_SLE: *out = sa <= sb; return true;
    case IR_SGT: *out = sa > sb; return true;
    case IR_SGE: *out = sa >= sb; return true;
    case IR_ULT: *out = a < b; return true;
    case IR_ULE: *out = a <= b; return true;
    case IR_UGT: *out = a > b; return true;
    case IR_UGE: *out = a >= b; return true;
    default: return false;
    }
}

bool plan_value(const struct ir_inst *i, const uint64_t *v, uint64_t *out)
{
    if (i->n_src > PLAN_VALUE_SRC || ir_type_bits(i->type) > 64)
        return false;
    unsigned bits = ir_type_bits(i->type);
    uint64_t a = truncate_bits(v[0], i->type), b = truncate_bits(v[1], i->type), count = (uint32_t)v[1], r;
    switch (i->op) {
    case IR_MOV: r = a; break;
    case IR_ADD: r = a + b; break;
    case IR_SUB: r = a - b; break;
    case IR_MUL: r = a * b; break;
    case IR_DIV_U: if (!b) return false; r = a / b; break;
    case IR_REM_U: if (!b) return false; r = a % b; break;
    case IR_AND: r = a & b; break;
    case IR_OR: r = a | b; break;
    case IR_XOR: r = a ^ b; break;
    case IR_NOT: r = ~a; break;
    case IR_NEG: r = -a; break;
    case IR_SHL: r = count >= bits ? 0 : a << count; break;
    case IR_SHR_U: r = count >= bits ? 0 : a >> count; break;
    case IR_SHR_S: r = (uint64_t)(sign_extend(a, i->type) >> (count >= bits ? bits - 1 : count)); break;
    case IR_MIN_U: r = a < b ? a : b; break;
    case IR_MAX_U: r = a > b ? a : b; break;
    case IR_MIN_S: r = sign_extend(a, i->type) < sign_extend(b, i->type) ? a : b; break;
    case IR_MAX_S: r = sign_extend(a, i->type) > sign_extend(b, i->type) ? a : b; break;
    case IR_ZEXT: r = truncate_bits(v[0], i->type2); break;
    case IR_SEXT: r = (uint64_t)sign_extend(truncate_bits(v[0], i->type2), i->type2); break;
    case IR_TRUNC: r = v[0]; break;
    case IR_SELECT: r = v[0] & 1 ? v[1] : v[2]; break;
    case IR_CMP:
        if (!fold_cmp(i, a, b, &r))
            return false;
        *out = r;
        return true;
    default: return false;
    }
    *out = truncate_bits(r, i->type);
    return true;
}

void plan_thread_at(const struct plan *p, uint32_t index, uint32_t tid[3])
{
    const uint32_t *n = p->opt.ntid;
    tid[0] = index % n[0];
    tid[1] = index / n[0] % n[1];
    tid[2] = index / n[0] / n[1];
}

bool plan_thread_value(struct plan_thread *t, const struct ir_inst *i, uint64_t *out)
{
    uint64_t v[PLAN_VALUE_SRC] = { 0 };
    if (i->op == IR_SREG) {
        unsigned axis = (unsigned)(i->imm - IR_SREG_TID_X);
        if (i->imm < IR_SREG_TID_X || axis >= 3)
            return false;
        t->uses[axis] = true;
        *out = t->tid[axis];
        return true;
    }
    if (!(ir_op_info[i->op].props & IR_PROP_PURE) || i->n_dst != 1 || i->n_src == 0 || i->n_src > PLAN_VALUE_SRC)
        return false;
    for (int k = 0; k < i->n_src; k++) {
        v[k] = i->src[k].imm;
        if (i->src[k].kind != IR_IMM && (i->src[k].kind != IR_REG || !t->operand(t, &i->src[k], &v[k])))
            return false;
    }
    return plan_value(i, v, out);
}

/* The value of an integer operation on constants; false when it is not one we fold. */
static bool fold_value(const struct ir_inst *i, uint64_t *out)
{
    uint64_t v[PLAN_VALUE_SRC] = { 0 };
    if (i->n_src > PLAN_VALUE_SRC)
        return false;
    for (int k = 0; k < i->n_src; k++) {
        if (i->src[k].kind != IR_IMM)
            return false;
        v[k] = i->src[k].imm;
    }
    return plan_value(i, v, out);
}

/* The variable whose address a sum or a difference of constants is. */
static uint32_t leads_to(const struct ir_inst *i)
{
    if (i->op == IR_ADD && !(i->src[0].var && i->src[1].var))
        return i->src[0].var + i->src[1].var;
    bool same = i->op == IR_MOV || i->op == IR_ZEXT || i->op == IR_SEXT || i->op == IR_TRUNC || (i->op == IR_SUB && !i->src[1].var);
    return same ? i->src[0].var : 0;
}

/* Registers of the block's shape are constants. */
static bool fold_sreg(const struct plan *p, const struct ir_inst *i, uint64_t *out)
{
    switch (i->imm) {
    case IR_SREG_NTID_X: case IR_SREG_NTID_Y: case IR_SREG_NTID_Z: *out = p->opt.ntid[i->imm - IR_SREG_NTID_X]; return true;
    case IR_SREG_TID_X: case IR_SREG_TID_Y: case IR_SREG_TID_Z: *out = 0; return p->opt.ntid[i->imm - IR_SREG_TID_X] == 1;
    default: return false;
    }
}

/* Does the definition come before this use on every way?  A register that is written once may still be read "before":
   a loop that uses last round's value behind a condition, whose first value was undefined. */
static bool comes_before(const struct fold *f, const struct ir_inst *def, const struct ir_reg *reg, const struct ir_inst *use, const struct ir_block *at)
{
    const struct ir_block *db = f->def_block[reg->id];
    if (db != at)
        return plan_dominates(f->p, f->order[db->id], f->order[at->id]);
    for (size_t j = 0; j < at->insts.n; j++)
        if (at->insts.v[j] == def || at->insts.v[j] == use)
            return at->insts.v[j] == def;
    return false;
}

/* Is the register written once, before this definition of another one? Else that one may have it from the turn before. */
static bool written_before(const struct fold *f, const struct ir_reg *from, const struct ir_inst *def, const struct ir_reg *reg)
{
    return f->def[from->id] && comes_before(f, f->def[from->id], from, def, f->def_block[reg->id]);
}

/* The low half of a widened number is that number. Compilers widen an index once, for addresses, and compare what they cut off that. */
static bool narrows_back(const struct fold *f, const struct ir_inst *i, const struct ir_block *at)
{
    if (i->op != IR_TRUNC || i->src[0].kind != IR_REG)
        return false;
    const struct ir_reg *wide = i->src[0].reg;
    const struct ir_inst *d = f->def[wide->id];
    if (!d || (d->op != IR_ZEXT && d->op != IR_SEXT) || d->src[0].kind != IR_REG || d->src[0].reg->type != i->dst[0]->type || d->type2 != i->dst[0]->type)
        return false;
    const struct ir_reg *from = d->src[0].reg;
    return written_before(f, from, d, wide) && comes_before(f, d, wide, i, at);
}

/* Compilers write p + 4 as an address of its own for atomics, which have offsets as loads do. */
static void fold_address(struct fold *f, struct ir_inst *i, const struct ir_block *at)
{
    struct ir_operand *o = &i->src[0];
    struct ir_inst *d = i->op == IR_ATOM && i->space == IR_SHARED && o->kind == IR_REG ? f->def[o->reg->id] : NULL;
    if (!d || d->op != IR_ADD || d->type != IR_I32 || d->src[0].kind != IR_REG || d->src[1].kind != IR_IMM)
        return;
    if (!written_before(f, d->src[0].reg, d, o->reg) || !comes_before(f, d, o->reg, i, at))
        return;
    i->imm += (int32_t)d->src[1].imm;
    *o = d->src[0];
    f->changed = true;
}

/* The definition of an operand, where it is the address of a parameter's byte. */
static const struct ir_inst *param_address(const struct fold *f, const struct ir_operand *o, const struct ir_inst *use, const struct ir_block *at)
{
    const struct ir_inst *d = o->kind == IR_REG ? f->def[o->reg->id] : NULL;
    return d && d->op == IR_PARAMADDR && comes_before(f, d, o->reg, use, at) ? d : NULL;
}

/* Structures that are passed by value are read through their address, a field each: those at known places are parameters as any other. */
static void fold_param(struct fold *f, struct ir_inst *i, struct ir_block *at, size_t place)
{
    const struct ir_inst *d = i->op == IR_ADD && i->type == IR_I64 && i->src[1].kind == IR_IMM ? param_address(f, &i->src[0], i, at) : NULL;
    if (d) {
        i->op = IR_PARAMADDR;
        i->imm = d->imm + (int64_t)i->src[1].imm;
        i->n_src = 0;
        f->changed = true;
        return;
    }
    d = i->op == IR_LD && i->space == IR_GENERIC ? param_address(f, &i->src[0], i, at) : NULL;
    uint64_t bytes = ir_type_bits(i->type) / 8, from = d ? (uint64_t)(d->imm + i->imm) : 0, all = bytes * i->n_dst, size = f->p->func->param_bytes;
    if (!d || from % all || from > size || all > size - from)
        return;
    for (unsigned k = 1; k < i->n_dst; k++) {
        struct ir_inst *more = ir_inst_new(f->p->func, IR_PARAM, i->type);
        more->imm = (int64_t)(from + k * bytes);
        ir_inst_dst(more, i->dst[k]);
        ir_block_insert(at, place + k, more);
    }
    i->op = IR_PARAM;
    i->imm = (int64_t)from;
    i->n_dst = 1;
    i->n_src = 0;
    i->flags = 0;
    i->order = IR_WEAK;
    f->changed = true;
}

static void simplify_inst(struct fold *f, struct ir_block *at, size_t place)
{
    struct ir_inst *i = at->insts.v[place];
    for (int k = 0; k < i->n_src; k++) {
        struct ir_operand *o = &i->src[k];
        struct ir_inst *d = o->kind == IR_REG ? f->def[o->reg->id] : NULL;
        if (!d || d == i || d->op != IR_MOV)
            continue;
        struct ir_operand *from = &d->src[0];
        /* A copy of a register that is written once, and before it: both always hold the same value where the copy is defined. */
        if (from->kind == IR_IMM || (from->kind == IR_REG && from->reg->type == d->dst[0]->type && written_before(f, from->reg, d, o->reg) &&
                                     comes_before(f, d, o->reg, i, at))) {
            *o = *from;
            f->changed = true;
        }
    }
    fold_address(f, i, at);
    fold_param(f, i, at, place);
    uint64_t value;
    bool constant = false;
    if (i->op == IR_SREG)
        constant = fold_sreg(f->p, i, &value);
    else if ((ir_op_info[i->op].props & IR_PROP_PURE) && i->n_dst == 1 && i->n_src > 0 && i->op != IR_MOV)
        constant = fold_value(i, &value);
    if (narrows_back(f, i, at)) {
        i->op = IR_MOV;
        i->type = i->dst[0]->type;
        i->src[0] = f->def[i->src[0].reg->id]->src[0];
        f->changed = true;
    }
    if (constant) {
        struct ir_operand k = ir_imm_operand(value);
        k.var = leads_to(i);
        i->op = IR_MOV;
        i->type = i->dst[0]->type;
        i->n_src = 0;
        ir_inst_src(i, k);
        f->changed = true;
    }
    if (i->op == IR_CBR && i->src[0].kind == IR_IMM) {
        i->target[0] = i->target[i->src[0].imm & 1 ? 0 : 1];
        i->op = IR_BR;
        f->changed = true;
    } else if (i->op == IR_CBR && i->target[0] == i->target[1]) {
        i->op = IR_BR;
        f->changed = true;
    }
    if (i->op == IR_BR && (i->target[1] || i->n_src)) {
        i->target[1] = NULL;
        i->n_src = 0;
    }
}

static void count_defs(struct fold *f)
{
    struct ir_func *fn = f->p->func;
    memset(f->n_defs, 0, fn->regs.n * sizeof *f->n_defs);
    memset(f->def, 0, fn->regs.n * sizeof *f->def);
    for (size_t b = 0; b < fn->blocks.n; b++)
        for (size_t j = 0; j < fn->blocks.v[b]->insts.n; j++) {
            struct ir_inst *i = fn->blocks.v[b]->insts.v[j];
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k]) {
                    f->def[i->dst[k]->id] = ++f->n_defs[i->dst[k]->id] == 1 ? i : NULL;
                    f->def_block[i->dst[k]->id] = fn->blocks.v[b];
                }
        }
}

static void remove_dead(struct ir_func *fn)
{
    int *uses = hw_alloc(fn->regs.n * sizeof *uses + 1);
    for (bool again = true; again;) {
        again = false;
        memset(uses, 0, fn->regs.n * sizeof *uses);
        for (size_t b = 0; b < fn->blocks.n; b++)
            for (size_t j = 0; j < fn->blocks.v[b]->insts.n; j++) {
                struct ir_inst *i = fn->blocks.v[b]->insts.v[j];
                for (int k = 0; k < i->n_src; k++)
                    if (i->src[k].kind == IR_REG)
                        uses[i->src[k].reg->id]++;
            }
        for (size_t b = 0; b < fn->blocks.n; b++) {
            struct ir_block *blk = fn->blocks.v[b];
            size_t kept = 0;
            for (size_t j = 0; j < blk->insts.n; j++) {
                struct ir_inst *i = blk->insts.v[j];
                bool dead = ir_op_info[i->op].props & IR_PROP_PURE || (i->op == IR_LD && !(i->flags & IR_VOLATILE) && i->order == IR_WEAK);
                for (int k = 0; k < i->n_dst; k++)
                    dead = dead && (!i->dst[k] || !uses[i->dst[k]->id]);
                if (dead)
                    again = true;
                else
                    blk->insts.v[kept++] = i;
            }
            blk->insts.n = kept;
        }
    }
    hw_free(uses);
}

void plan_drop_unreachable(struct ir_func *fn)
{
    bool *seen = hw_alloc(fn->blocks.n);
    HW_VEC(struct ir_block *) stack = { 0 };
    hw_vec_push(&stack, fn->blocks.v[0]);
    seen[0] = true;
    while (stack.n) {
        struct ir_inst *t = ir_block_term(hw_vec_pop(&stack));
        for (int i = 0; i < 2; i++)
            if (t->target[i] && !seen[t->target[i]->id]) {
                seen[t->target[i]->id] = true;
                hw_vec_push(&stack, t->target[i]);
            }
    }
    size_t kept = 0;
    for (size_t b = 0; b < fn->blocks.n; b++) {
        if (seen[b]) {
            fn->blocks.v[b]->id = (uint32_t)kept;
            fn->blocks.v[kept++] = fn->blocks.v[b];
        } else {
            hw_vec_fini(&fn->blocks.v[b]->insts);
        }
    }
    fn->blocks.n = kept;
    hw_vec_fini(&stack);
    hw_free(seen);
}

/* A jump to a block that only jumps on goes there at once. */
static void thread_jumps(struct ir_func *fn)
{
    for (size_t b = 0; b < fn->blocks.n; b++) {
        struct ir_inst *t = ir_block_term(fn->blocks.v[b]);
        if (plan_stops(t))
            continue;
        for (int i = 0; i < 2; i++)
            for (int hops = 0; hops < 16 && t->target[i] && t->target[i]->insts.n == 1 && ir_block_term(t->target[i])->op == IR_BR; hops++)
                t->target[i] = ir_block_term(t->target[i])->target[0];
        if (t->op == IR_CBR && t->target[0] == t->target[1]) {
            t->op = IR_BR;
            t->target[1] = NULL;
            t->n_src = 0;
        }
    }
}

/* A block whose only predecessor falls straight into it becomes part of that one: fewer masks, fewer edges. */
static void merge_blocks(struct ir_func *fn)
{
    int *preds = hw_alloc(fn->blocks.n * sizeof *preds + 1);
    for (size_t b = 0; b < fn->blocks.n; b++) {
        struct ir_inst *t = ir_block_term(fn->blocks.v[b]);
        for (int i = 0; i < 2; i++)
            if (t->target[i])
                preds[t->target[i]->id]++;
    }
    for (size_t b = 0; b < fn->blocks.n; b++) {
        struct ir_block *blk = fn->blocks.v[b];
        if (!blk->insts.n)
            continue;
        for (;;) {
            struct ir_inst *t = ir_block_term(blk);
            struct ir_block *next = t->op == IR_BR ? t->target[0] : NULL;
            if (!next || next == blk || next->id == 0 || preds[next->id] != 1)
                break;
            blk->insts.n--;
            for (size_t j = 0; j < next->insts.n; j++)
                ir_block_add(blk, next->insts.v[j]);
            next->insts.n = 0;
        }
    }
    size_t kept = 0;
    for (size_t b = 0; b < fn->blocks.n; b++)
        if (fn->blocks.v[b]->insts.n) {
            fn->blocks.v[b]->id = (uint32_t)kept;
            fn->blocks.v[kept++] = fn->blocks.v[b];
        } else {
            hw_vec_fini(&fn->blocks.v[b]->insts);
        }
    fn->blocks.n = kept;
    hw_free(preds);
}

bool plan_fold(struct plan *p)
{
    struct ir_func *fn = p->func;
    struct fold f = { .p = p };
    assert((size_t)p->n_blocks == fn->blocks.n);          /* plan_cfg() after each: blocks may be gone */
    f.def = hw_alloc(fn->regs.n * sizeof *f.def + 1);
    f.n_defs = hw_alloc(fn->regs.n * sizeof *f.n_defs + 1);
    f.def_block = hw_alloc(fn->regs.n * sizeof *f.def_block + 1);
    f.order = hw_alloc(fn->blocks.n * sizeof *f.order + 1);
    for (int k = 0; k < p->n_blocks; k++)
        f.order[p->blocks[k].ir->id] = k;
    do {
        f.changed = false;
        count_defs(&f);
        for (size_t b = 0; b < fn->blocks.n; b++)
            for (size_t j = 0; j < fn->blocks.v[b]->insts.n; j++)
                simplify_inst(&f, fn->blocks.v[b], j);
    } while (f.changed);
    hw_free(f.def);
    hw_free(f.n_defs);
    hw_free(f.def_block);
    hw_free(f.order);
    thread_jumps(fn);
    plan_drop_unreachable(fn);
    merge_blocks(fn);
    remove_dead(fn);
    return true;
}
