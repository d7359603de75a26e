/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far on the next turn of a loop reads. Where a loop goes through memory in large steps (each warp its own part of a large array, as in
 * i += gridDim.x * blockDim.x), the hardware does not see what comes: the code has it fetched a turn ahead, if there is another turn.
 * A hint: a wrong answer only costs time.
 */
#include "pass/plan.h"

#include <stdlib.h>

enum { MAX_DEPTH = 12, SMALL = 1024 };           /* SMALL: bytes that the hardware follows by itself */

struct walk {
    const struct plan *p;
    const struct plan_loop *loop;
};

static bool inside(const struct walk *w, int block) { return bits_has(w->loop->blocks, (size_t)block); }

/* The only instruction of the loop that writes the register; *out_n: how many there are. */
static const struct ir_inst *written(const struct walk *w, const struct ir_reg *r, int *out_n, int *out_block)
{
    const struct plan_reg *reg = &w->p->regs[r->id];
    const struct ir_inst *found = NULL;
    *out_n = 0;
    if (reg->def) {
        *out_n = inside(w, reg->def_block);
        *out_block = reg->def_block;
        return *out_n ? reg->def : NULL;
    }
    for (int b = 0; b < w->p->n_blocks; b++)
        for (size_t j = 0; inside(w, b) && j < w->p->blocks[b].ir->insts.n; j++)
            if (ir_defines(w->p->blocks[b].ir->insts.v[j], r)) {
                found = w->p->blocks[b].ir->insts.v[j];
                *out_block = b;
                ++*out_n;
            }
    return found;
}

static bool invariant(const struct walk *w, const struct ir_operand *o)
{
    int n = 0, block;
    if (o->kind == IR_REG)
        written(w, o->reg, &n, &block);
    return n == 0;
}

/* r = r + step, once a turn: what is added. */
static const struct ir_operand *counted(const struct walk *w, const struct ir_reg *r, int *out_block, const struct ir_inst **out_def)
{
    int n;
    const struct ir_inst *i = written(w, r, &n, out_block);
    *out_def = i;
    for (int k = 0; i && n == 1 && i->op == IR_ADD && k < 2; k++)
        if (i->src[k].kind == IR_REG && i->src[k].reg == r && invariant(w, &i->src[1 - k]))
            return &i->src[1 - k];
    return NULL;
}

/* How much the value grows in a turn: scale * *by, or scale alone where by is NULL. */
struct growth {
    const struct ir_operand *by;
    const struct ir_inst *def;   /* and where it does */
    int block;
    enum ir_type type;
    int64_t scale;
};

static bool growth_of(const struct walk *w, const struct ir_operand *o, int depth, struct growth *out)
{
    struct growth a, b;
    int n, block;
    *out = (struct growth){ 0 };
    if (invariant(w, o))
        return true;
    const struct ir_inst *i = written(w, o->reg, &n, &block), *def;
    const struct ir_operand *by = counted(w, o->reg, &block, &def);
    if (by) {
        *out = (struct growth){ by, def, block, i->type, 1 };
        if (by->kind == IR_IMM) {
            out->by = NULL;
            out->scale = i->type == IR_I32 ? (int32_t)by->imm : (int64_t)by->imm;
        }
        return true;
    }
    if (n != 1 || depth > MAX_DEPTH)
        return false;
    switch (i->op) {
    case IR_MOV: case IR_ZEXT: case IR_SEXT: return growth_of(w, &i->src[0], depth + 1, out);
    case IR_ADD:
        if (!growth_of(w, &i->src[0], depth + 1, &a) || !growth_of(w, &i->src[1], depth + 1, &b) || (a.scale && b.scale))
            return false;
        *out = a.scale ? a : b;
        return true;
    case IR_MUL: case IR_SHL:
        if (i->src[1].kind != IR_IMM || (i->op == IR_SHL && i->src[1].imm > 31) || !growth_of(w, &i->src[0], depth + 1, out))
            return false;
        out->scale *= i->op == IR_MUL ? (int64_t)(int32_t)i->src[1].imm : (int64_t)1 << i->src[1].imm;
        return true;
    default: return false;
    }
}

static bool scalar(const struct plan *p, const struct ir_operand *o)
{
    struct shape s = plan_operand_shape(p, o);
    return s.kind == SHAPE_AFFINE;
}

/* Does b's instruction come before the access, or the block's beginning where access is NULL, in a turn? */
static bool before(const struct plan *p, int b, const struct ir_inst *what, int block, const struct ir_inst *access)
{
    if (b != block)
        return b < block;
    for (size_t j = 0; access && j < p->blocks[b].ir->insts.n; j++)
        if (p->blocks[b].ir->insts.v[j] == what || p->blocks[b].ir->insts.v[j] == access)
            return p->blocks[b].ir->insts.v[j] == what;
    return false;
}

/* The comparison that ends the loop, and for which answer it goes on. A loop of full iterations (full_loop.c) is left to a test that decides for each lane
   whether it goes on in the remainder. */
static const struct ir_inst *end_test(const struct walk *w, int b, bool *out_stays_if)
{
    const struct plan *p = w->p;
    const struct ir_inst *end = ir_block_term(p->blocks[b].ir);
    bool stays[2];
    for (int k = 0; k < 2; k++)
        stays[k] = inside(w, p->blocks[b].succ[k]);
    if (stays[0] == stays[1])
        return NULL;
    const struct ir_inst *cmp = p->regs[end->src[0].reg->id].def;
    *out_stays_if = stays[0];
    if (cmp && cmp->op == IR_AND && cmp->type == IR_PRED) {
        const struct plan_block *rest = &p->blocks[p->blocks[b].succ[stays[0] ? 1 : 0]];
        const struct ir_inst *decides = ir_block_term(rest->ir);
        if (rest->ir->insts.n != 1 || decides->op != IR_CBR || decides->src[0].kind != IR_REG)
            return NULL;
        cmp = p->regs[decides->src[0].reg->id].def;
        *out_stays_if = p->blocks[rest->succ[0]].loop >= 0;
    }
    return cmp && cmp->op == IR_CMP && !ir_type_is_float(cmp->type) ? cmp : NULL;
}

/* The loop's end: a comparison of a number that grows with one that stays. */
static bool end_of(const struct walk *w, int block, const struct ir_inst *access, struct plan_prefetch_loop *out)
{
    const struct plan *p = w->p;
    for (int b = p->n_blocks - 1; b >= 0; b--) {
        const struct ir_inst *end = inside(w, b) ? ir_block_term(p->blocks[b].ir) : NULL;
        if (!end || end->op != IR_CBR || end->src[0].kind != IR_REG || p->blocks[b].n_succ != 2)
            continue;
        bool stays_if;
        const struct ir_inst *cmp = end_test(w, b, &stays_if);
        if (!cmp)
            continue;
        for (int k = 0; k < 2; k++) {
            int at;
            const struct ir_inst *def;
            const struct ir_operand *by = cmp->src[k].kind == IR_REG ? counted(w, cmp->src[k].reg, &at, &def) : NULL;
            if (!by || !invariant(w, &cmp->src[1 - k]) || !scalar(p, &cmp->src[k]) || !scalar(p, &cmp->src[1 - k]) || !scalar(p, by))
                continue;
            out->cmp = cmp;
            out->counter = k;
            out->by = before(p, at, def, block, access) ? NULL : by;
            out->stays_if = stays_if;
            return true;
        }
    }
    return false;
}

/* Between barriers the block's other warps read what lies beside, and the next turn is far away: see plan_rest(). */
static bool has_stops(const struct walk *w)
{
    for (int b = 0; b < w->p->n_blocks; b++)
        if (inside(w, b) && plan_stops(ir_block_term(w->p->blocks[b].ir)))
            return true;
    return false;
}

static bool far_enough(const struct plan *p, const struct growth *g) { return g->by ? g->scale != 0 && scalar(p, g->by) : llabs(g->scale) > SMALL; }

static bool may_fetch(const struct plan *p, const struct ir_inst *i, int block)
{
    return p->blocks[block].loop >= 0 && i->src[0].kind == IR_REG && (i->space == IR_GENERIC || i->space == IR_GLOBAL);
}

/*
 * A block goes through memory with all its warps side by side, i = threadIdx.x; i += blockDim.x (or the grid's size), but here one warp makes all its
 * iterations before the next one begins: it reads a piece of every row and leaves the others', to which the next warps come much later. The first
 * one has whole rows fetched: memory is gone through once, in pieces as large as the block's. Bytes of such a row; 0: not that.
 */
static uint32_t rows_together(const struct plan *p, const struct ir_inst *i, const struct growth *g)
{
    enum { MOST = 4096 };
    struct shape s = plan_operand_shape(p, &i->src[0]);
    int64_t row = (int64_t)i->n_dst * ir_type_bits(i->type) / 8 * p->lanes, all = row * p->groups;
    bool line = p->opt.ntid[1] == 1 && p->opt.ntid[2] == 1 && p->threads % p->lanes == 0;
    if (i->op != IR_LD || !line || p->groups < 2 || all > MOST || s.kind != SHAPE_AFFINE || s.stride * p->lanes != row)
        return 0;
    return g->by || g->scale >= all ? (uint32_t)all : 0;
}

bool plan_prefetch_loop(const struct plan *p, const struct ir_inst *i, int block, struct plan_prefetch_loop *out)
{
    if (!may_fetch(p, i, block))
        return false;
    struct walk w = { p, &p->loops.v[p->blocks[block].loop] };
    struct growth g;
    if (has_stops(&w) || !growth_of(&w, &i->src[0], 0, &g))
        return false;
    out->together = rows_together(p, i, &g);
    if (!out->together && !far_enough(p, &g))
        return false;
    out->step = g.by;
    out->step_type = g.type;
    out->scale = g.scale;
    return end_of(&w, block, i, out);
}

/*
 * A loop with barriers that reads tiles and computes with them: while a region computes, memory has nothing to do, and what the next turn
 * reads can come. The region of the loop that computes most and leaves memory alone, or -1.
 */
static int rest_of(const struct plan *p, int loop)
{
    enum { LEAST = 16 };
    unsigned most = LEAST - 1;
    int found = -1;
    for (size_t k = 1; k < p->regions.n; k++) {
        unsigned work;
        if (p->blocks[p->regions.v[k].entry].loop == loop && plan_leaves_memory(p, k, &work) && work > most) {
            most = work;
            found = (int)k;
        }
    }
    return found;
}

bool plan_rest(const struct plan *p, const struct ir_inst *i, int block, int region, struct plan_prefetch_loop *out)
{
    int entry = p->regions.v[region].entry;
    if (!may_fetch(p, i, block) || p->blocks[entry].loop != p->blocks[block].loop || block >= entry || rest_of(p, p->blocks[block].loop) != region)
        return false;
    struct walk w = { p, &p->loops.v[p->blocks[block].loop] };
    struct growth g;
    if (!growth_of(&w, &i->src[0], 0, &g) || !far_enough(p, &g))
        return false;
    out->together = 0;
    bool grown = !before(p, g.block, g.def, block, i) && before(p, g.block, g.def, entry, NULL);
    out->step = grown ? NULL : g.by;
    out->step_type = g.type;
    out->scale = grown ? 0 : g.scale;
    return end_of(&w, entry, NULL, out);
}

/* Loads of varying addresses: a gather fills the CPU's window with its many parts. */
static bool gathers(const struct walk *w)
{
    for (int b = 0; b < w->p->n_blocks; b++)
        for (size_t j = 0; inside(w, b) && j < w->p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = w->p->blocks[b].ir->insts.v[j];
            if (i->op == IR_LD && (i->space == IR_GENERIC || i->space == IR_GLOBAL) && !scalar(w->p, &i->src[0]))
                return true;
        }
    return false;
}

/*
 * value[k] * table[index[k]]: the hardware follows such a stream, but not far enough ahead, for between two of its loads gathers keep the CPU
 * from looking on. What the loop's end is does not matter: the next row often begins where this one ends.
 */
bool plan_stream_ahead(const struct plan *p, const struct ir_inst *i, int block, int64_t bytes)
{
    if (p->blocks[block].loop < 0 || i->src[0].kind != IR_REG || (i->space != IR_GENERIC && i->space != IR_GLOBAL))
        return false;
    struct walk w = { p, &p->loops.v[p->blocks[block].loop] };
    struct growth g;
    return gathers(&w) && !has_stops(&w) && growth_of(&w, &i->src[0], 0, &g) && !g.by && g.scale == bytes;
}
