/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays in shared memory that the lanes of a warp cross: along a column of a tile, or its diagonal, as wavefronts do. Each such access would gather
 * or scatter. Where most of an array's accesses go by one power of two from lane to lane, the array is laid out the other way round: places that
 * far apart become neighbours, and what were rows is what is gathered.
 *
 *     place a of the array  ->  a % step * rows + a / step * bytes of an element       (backward where lanes go backward)
 *
 * Nobody may notice: addresses stay as the program computes them, and each access to the array turns its own into the place where it lies. So
 * all accesses must be known: one through an address that is not known to lead to one certain variable, or of another size, ends it, and so does
 * a generic address of shared memory, or a call. (That an address leads to the variable it was made from is what compilers take for granted, too.)
 */
#include "pass/plan.h"

enum where { UNSEEN, NUMBER, MIXED, VARIABLE };      /* VARIABLE + k: an address in variable k */

struct across {
    struct plan *p;
    unsigned *where;             /* by register */
};

/* What accesses to one variable look like. */
struct accesses {
    bool fits;                   /* all of them are plain, and of one size */
    unsigned bytes;
    HW_VEC(int64_t) strides;     /* of each one; VARIES: no stride */
    HW_VEC(unsigned) times;
};
#define VARIES INT64_MAX

static unsigned join(unsigned a, unsigned b)
{
    return a == UNSEEN ? b : b == UNSEEN || a == b ? a : MIXED;
}

static unsigned where_is(const struct across *x, const struct ir_operand *o)
{
    if (o->kind == IR_REG)
        return o->reg->id < x->p->n_regs ? x->where[o->reg->id] : MIXED;     /* a register of our own: this access is done */
    return o->kind == IR_IMM && o->var ? VARIABLE + o->var - 1 : NUMBER;
}

static unsigned result_of(const struct across *x, const struct ir_inst *i)
{
    unsigned all = UNSEEN, a = i->n_src > 0 ? where_is(x, &i->src[0]) : NUMBER, b = i->n_src > 1 ? where_is(x, &i->src[1]) : NUMBER;
    switch (i->op) {
    case IR_MOV: case IR_ZEXT: case IR_SEXT: case IR_TRUNC: return a;
    case IR_ADD: case IR_OR: return a == UNSEEN || b == UNSEEN ? UNSEEN : a == NUMBER ? b : b == NUMBER ? a : MIXED;
    case IR_SUB: return a == UNSEEN || b == UNSEEN ? UNSEEN : b == NUMBER ? a : MIXED;
    case IR_SELECT: return join(b, where_is(x, &i->src[2]));
    case IR_LD: case IR_CMP: return NUMBER;
    default:
        for (int k = 0; k < i->n_src; k++)
            all = join(all, where_is(x, &i->src[k]));
        return i->n_src == 0 ? NUMBER : all >= VARIABLE ? MIXED : all;
    }
}

static void find_addresses(struct across *x)
{
    for (bool again = true; again;) {
        again = false;
        for (int b = 0; b < x->p->n_blocks; b++)
            for (size_t j = 0; j < x->p->blocks[b].ir->insts.n; j++) {
                const struct ir_inst *i = x->p->blocks[b].ir->insts.v[j];
                unsigned to = result_of(x, i);
                for (int k = 0; k < i->n_dst; k++) {
                    unsigned *at = i->dst[k] ? &x->where[i->dst[k]->id] : NULL, now = at ? join(*at, to) : 0;
                    if (at && *at != now) {
                        *at = now;
                        again = true;
                    }
                }
            }
    }
}

/* The variable it leads to, or -1. A constant address says by itself where it is. */
static int variable_of(const struct across *x, const struct ir_inst *i)
{
    const struct ir_func *f = x->p->func;
    unsigned at = where_is(x, &i->src[0]);
    if (i->src[0].kind == IR_REG)
        return at >= VARIABLE ? (int)(at - VARIABLE) : -1;
    uint64_t place = i->src[0].imm + (uint64_t)i->imm;
    for (size_t k = 0; k < f->shared.n; k++)
        if (place >= f->shared.v[k].offset && place - f->shared.v[k].offset < f->shared.v[k].bytes)
            return (int)k;
    return -1;
}

static bool touches_shared(const struct ir_inst *i)
{
    return (ir_op_info[i->op].props & IR_PROP_MEM) && i->space == IR_SHARED && i->op != IR_FENCE;
}

/* false: shared memory may be reached in a way that is not understood */
static bool look_at(const struct across *x, const struct ir_inst *i, int block, struct accesses *all)
{
    if (i->op == IR_SHARED_TO_GENERIC || i->op == IR_CALL)
        return false;
    if (!touches_shared(i))
        return true;
    int v = variable_of(x, i);
    if (v < 0)
        return false;
    struct accesses *a = &all[v];
    unsigned bytes = ir_type_bits(i->type) / 8, n = i->op == IR_LD ? i->n_dst : i->n_src - 1u;
    struct shape s = plan_operand_shape(x->p, &i->src[0]);
    a->fits &= (i->op == IR_LD || i->op == IR_ST) && n == 1 && i->order == IR_WEAK && (a->bytes == 0 || a->bytes == bytes);
    a->bytes = bytes;
    hw_vec_push(&a->strides, s.kind == SHAPE_AFFINE ? s.stride : VARIES);
    hw_vec_push(&a->times, plan_times(x->p, block));
    return true;
}

/* The power of two that would have to lie side by side for half the cost or less, with its sign; or 0. */
static int64_t best_step(const struct accesses *a, uint32_t variable_bytes)
{
    enum { ROW = 1, SINGLY = 8, MOST = 4096, ROWS = 4 };
    int64_t best = 0;
    uint64_t least = 0;
    for (size_t c = 0; a->fits && c < a->strides.n; c++) {
        int64_t step = a->strides.v[c], size = a->bytes;
        uint64_t now = 0, then = 0, far = (uint64_t)(step < 0 ? -step : step);
        if (step == VARIES || !hw_is_pow2(far) || far <= a->bytes || far > MOST || variable_bytes < ROWS * far)
            continue;
        for (size_t k = 0; k < a->strides.n; k++) {
            int64_t s = a->strides.v[k];
            now += a->times.v[k] * (uint64_t)(s == 0 || s == size || s == -size ? ROW : SINGLY);
            then += a->times.v[k] * (uint64_t)(s == 0 || s == step || s == -step ? ROW : SINGLY);
        }
        if (2 * then <= now && (!best || then < least)) {
            best = step;
            least = then;
        }
    }
    return best;
}

static struct ir_operand put(struct plan *p, struct ir_block *b, size_t *at, enum ir_op op, struct ir_operand a, uint64_t k, const struct ir_inst *from)
{
    enum ir_type t = a.reg->type;
    struct ir_inst *i = ir_inst_for(p->func, op, t, from);
    ir_inst_dst(i, ir_reg_new(p->func, t, a.reg->name));
    ir_inst_src(i, a);
    ir_inst_src(i, ir_imm_operand(t == IR_I32 ? (uint32_t)k : k));
    ir_block_insert(b, (*at)++, i);
    return ir_reg_operand(i->dst[0]);
}

struct turned {
    uint64_t from, at, step, rows, bytes;
    bool back;
};

/* The access at *at goes to where its place lies now. */
static void turn(struct plan *p, struct ir_block *b, size_t *at, const struct turned *v)
{
    struct ir_inst *i = b->insts.v[*at];
    unsigned k = (unsigned)__builtin_ctzll(v->step), size = (unsigned)__builtin_ctzll(v->bytes);
    uint64_t first = v->at + (v->back ? (v->rows - 1) * v->bytes : 0);
    if (i->src[0].kind == IR_IMM) {
        uint64_t place = i->src[0].imm + (uint64_t)i->imm - v->from, row = place >> k << size;
        i->src[0] = ir_imm_operand(first + (place & (v->step - 1)) * v->rows + (v->back ? -row : row));
        i->imm = 0;
        return;
    }
    struct shape s = plan_operand_shape(p, &i->src[0]);
    if (s.kind == SHAPE_AFFINE && s.stride && s.stride != (int64_t)v->step && s.stride != -(int64_t)v->step)
        i->flags |= IR_CROSSES;
    struct ir_operand place = put(p, b, at, IR_ADD, i->src[0], (uint64_t)i->imm - v->from, i);
    struct ir_operand column = put(p, b, at, IR_AND, place, v->step - 1, i);
    b->insts.v[*at - 1]->flags |= IR_PLACE;
    column = put(p, b, at, IR_MUL, column, v->rows, i);
    struct ir_operand row = put(p, b, at, IR_SHR_S, place, k, i);
    b->insts.v[*at - 1]->flags |= IR_PLACE;
    row = put(p, b, at, IR_SHL, row, size, i);
    i->src[0] = put(p, b, at, v->back ? IR_SUB : IR_ADD, column, 0, i);
    b->insts.v[*at - 1]->src[1] = row;
    i->imm = (int64_t)first;
}

static void turn_all(struct across *x, int variable, const struct turned *v)
{
    for (int b = 0; b < x->p->n_blocks; b++) {
        struct ir_block *blk = x->p->blocks[b].ir;
        for (size_t j = 0; j < blk->insts.n; j++) {
            const struct ir_inst *i = blk->insts.v[j];
            if (touches_shared(i) && variable_of(x, i) == variable)
                turn(x->p, blk, &j, v);
        }
    }
}

bool plan_shared_transpose(struct plan *p)
{
    struct ir_func *f = p->func;
    bool all = p->lanes > 1 && !p->opt.function && !p->opt.counted && f->shared.n > 0;
    if (!all)
        return false;
    struct across x = { .p = p, .where = hw_alloc(p->n_regs * sizeof *x.where + 1) };
    struct accesses *of = hw_alloc(f->shared.n * sizeof *of);
    for (size_t v = 0; v < f->shared.n; v++)
        of[v].fits = true;
    find_addresses(&x);
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; all && j < p->blocks[b].ir->insts.n; j++)
            all = look_at(&x, p->blocks[b].ir->insts.v[j], b, of);
    for (size_t v = 0; v < f->shared.n; v++) {
        int64_t step = all ? best_step(&of[v], f->shared.v[v].bytes) : 0;
        if (step) {
            struct turned t = { .from = f->shared.v[v].offset, .at = hw_align_up(p->shared_room, 64), .step = (uint64_t)(step < 0 ? -step : step),
                                .bytes = of[v].bytes, .back = step < 0 };
            t.rows = (f->shared.v[v].bytes + t.step - 1) / t.step;
            p->shared_room = (uint32_t)(t.at + t.step * t.rows);
            p->n_across++;
            turn_all(&x, (int)v, &t);
        }
        hw_vec_fini(&of[v].strides);
        hw_vec_fini(&of[v].times);
    }
    hw_free(of);
    hw_free(x.where);
    return p->n_across > 0;
}
