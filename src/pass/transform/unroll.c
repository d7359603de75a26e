/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops whose turns the shape of the block tells: for (i = threadIdx.x; i < 38; i += blockDim.x) has, in a block of 32 threads, one turn for all and one
 * for six of them. The compiler that made the PTX did not know the block's shape; here it is a constant. Small loops of this kind are written out: the
 * turns that all threads make need no masks, the masks of the others are constants, and where all make as many there is nothing to decide. (Loops in which
 * the lanes of a warp stay together are left as they are.)
 */
#include "pass/plan.h"

enum { MOST_TURNS = 8, MOST_INSTS = 128, MOST_STEPS = 16, MOST_DEPTH = 12 };

/* Where a register is written; more than two are only counted. */
struct defs {
    const struct ir_inst *inst[2];
    int block[2];
    int n;
};

/* What decides about the loop's end, in the order in which each turn does it. */
struct count {
    struct plan_thread thread;
    const struct plan *p;
    const struct defs *defs;     /* by register */
    int loop, test;              /* test: the block that decides */
    const struct ir_inst *step[MOST_STEPS];
    uint64_t value[MOST_STEPS];  /* of its result */
    bool valid[MOST_STEPS];
    unsigned n, before;          /* steps; those before the test */
    int depth;                   /* 0: in the loop, else how far before it */
};

/* The only place before the loop where it is written. It always comes by there. */
static bool made_before(struct count *c, const struct defs *d, int k, uint64_t *out)
{
    if (c->depth == MOST_DEPTH || !plan_dominates(c->p, d->block[k], c->p->loops.v[c->loop].header))
        return false;
    c->depth++;
    bool ok = plan_thread_value(&c->thread, d->inst[k], out);
    c->depth--;
    return ok;
}

/* Before the loop nothing is known of what changes in it: that may be from the last time. */
static bool known(struct plan_thread *t, const struct ir_operand *o, uint64_t *out)
{
    struct count *c = hw_container_of(t, struct count, thread);
    for (unsigned k = 0; k < c->n; k++)
        if (c->step[k]->dst[0] == o->reg) {
            *out = c->value[k];
            return c->valid[k] && c->depth == 0;
        }
    const struct defs *d = &c->defs[o->reg->id];
    return d->n == 1 && made_before(c, d, 0, out);
}

static int inside(const struct count *c, const struct defs *d)
{
    int n = 0;
    for (int k = 0; k < d->n && k < 2; k++)
        n += plan_in_loop(c->p, d->block[k], c->loop);
    return n;
}

/* Marks what the operand is made of in the loop: once in every turn, by the same instruction. */
static bool collect(const struct count *c, const struct ir_operand *o, bool *wanted, unsigned *n)
{
    if (o->kind != IR_REG || wanted[o->reg->id])
        return o->kind != IR_NONE;
    const struct defs *d = &c->defs[o->reg->id];
    if (d->n > 2 || inside(c, d) != 1)
        return d->n == 1;
    int k = plan_in_loop(c->p, d->block[0], c->loop) ? 0 : 1;
    const struct plan_loop *loop = &c->p->loops.v[c->loop];
    if (!plan_dominates(c->p, d->block[k], loop->latch) || ++*n > MOST_STEPS)
        return false;
    wanted[o->reg->id] = true;
    for (int s = 0; s < d->inst[k]->n_src; s++)
        if (!collect(c, &d->inst[k]->src[s], wanted, n))
            return false;
    return true;
}

static bool find_steps(struct count *c)
{
    const struct plan *p = c->p;
    bool *wanted = hw_alloc(p->func->regs.n * sizeof *wanted + 1);
    unsigned n = 0;
    bool ok = collect(c, &ir_block_term(p->blocks[c->test].ir)->src[0], wanted, &n);
    c->n = 0;
    for (int b = 0; b < p->n_blocks && ok; b++) {
        for (size_t j = 0; plan_in_loop(p, b, c->loop) && j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            if (i->n_dst == 1 && i->dst[0] && wanted[i->dst[0]->id])
                c->step[c->n++] = i;
        }
        if (b == c->test)
            c->before = c->n;
    }
    hw_free(wanted);
    return ok && c->n == n;
}

/* Before the first turn. */
static void start(struct count *c)
{
    for (unsigned k = 0; k < c->n; k++) {
        const struct defs *d = &c->defs[c->step[k]->dst[0]->id];
        c->valid[k] = d->n == 2 && made_before(c, d, plan_in_loop(c->p, d->block[0], c->loop) ? 1 : 0, &c->value[k]);
    }
}

static bool do_steps(struct count *c, unsigned from, unsigned to)
{
    for (unsigned k = from; k < to; k++)
        if (!(c->valid[k] = plan_thread_value(&c->thread, c->step[k], &c->value[k])))
            return false;
    return true;
}

/* How often the thread stays in the loop; MOST_TURNS: unknown, or too often. */
static unsigned stays(struct count *c)
{
    const struct plan_block *test = &c->p->blocks[c->test];
    const struct ir_inst *t = ir_block_term(test->ir);
    start(c);
    for (unsigned n = 0; n < MOST_TURNS; n++) {
        uint64_t v;
        if (t->src[0].kind != IR_REG || !do_steps(c, 0, c->before) || !known(&c->thread, &t->src[0], &v))
            return MOST_TURNS;
        if (!plan_in_loop(c->p, test->succ[v & 1 ? 0 : 1], c->loop))
            return n;
        if (!do_steps(c, c->before, c->n))
            return MOST_TURNS;
    }
    return MOST_TURNS;
}

/* Of all threads. apart: those of a warp differ. */
struct turns {
    unsigned least, most;
    bool apart;
};

static bool count_turns(struct count *c, struct turns *out)
{
    const uint32_t *n = c->p->opt.ntid;
    uint32_t *tid = c->thread.tid;
    uint8_t *of = hw_alloc(c->p->threads);       /* turns, by the coordinates that matter; 0: not known yet */
    unsigned first = 0;
    *out = (struct turns){ .least = stays(c), .most = 0 };
    for (uint32_t t = 0; t < c->p->threads && out->most < MOST_TURNS; t++) {
        plan_thread_at(c->p, t, tid);
        for (int k = 0; k < 3; k++)
            tid[k] = c->thread.uses[k] ? tid[k] : 0;
        uint8_t *turns = &of[(tid[2] * n[1] + tid[1]) * n[0] + tid[0]];
        if (!*turns)
            *turns = (uint8_t)(stays(c) + 1);
        first = t % PLAN_LANES ? first : *turns;
        out->apart |= *turns != first;
        out->least = *turns - 1u < out->least ? *turns - 1u : out->least;
        out->most = *turns - 1u > out->most ? *turns - 1u : out->most;
    }
    hw_free(of);
    return out->most < MOST_TURNS;
}

/* --- writing out --- */

static bool small(const struct plan *p, int loop, unsigned turns)
{
    size_t n = 0;
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_block *blk = p->blocks[b].ir;
        for (size_t j = 0; plan_in_loop(p, b, loop) && j < blk->insts.n; j++) {
            if (ir_op_info[blk->insts.v[j]->op].props & IR_PROP_CONV || plan_stops(blk->insts.v[j]))
                return false;
            n++;
        }
    }
    return n * turns <= MOST_INSTS;
}

static struct ir_block *image(struct ir_block *const *map, struct ir_block *b)
{
    return map && b && map[b->id] ? map[b->id] : b;
}

/* One more turn: copies of the loop's blocks, by the id of the first one's. */
static void copy_turn(const struct plan *p, int loop, struct ir_block **map, size_t n_ids)
{
    memset(map, 0, n_ids * sizeof *map);
    for (int b = 0; b < p->n_blocks; b++)
        if (plan_in_loop(p, b, loop))
            map[p->blocks[b].ir->id] = ir_block_new(p->func, p->blocks[b].ir->label);
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_block *from = p->blocks[b].ir;
        for (size_t j = 0; plan_in_loop(p, b, loop) && j < from->insts.n; j++) {
            struct ir_inst *copy = ir_inst_new(p->func, from->insts.v[j]->op, from->insts.v[j]->type);
            *copy = *from->insts.v[j];
            for (int k = 0; k < 2; k++)
                copy->target[k] = image(map, copy->target[k]);
            ir_block_add(map[from->id], copy);
        }
    }
}

static void always(struct ir_block *b, struct ir_block *to)
{
    struct ir_inst *t = ir_block_term(b);
    t->op = IR_BR;
    t->n_src = 0;
    t->target[0] = to;
    t->target[1] = NULL;
}

/* From the last one to the first: what is copied is still the loop as it was. */
static void write_out(struct plan *p, int loop, int test, const struct turns *turns)
{
    size_t n_ids = p->func->blocks.n;
    struct ir_block **map = hw_alloc(n_ids * sizeof *map), *header = p->blocks[p->loops.v[loop].header].ir, *latch = p->blocks[p->loops.v[loop].latch].ir;
    struct ir_block *decides = p->blocks[test].ir, *next = NULL;
    int out = plan_in_loop(p, p->blocks[test].succ[0], loop) ? 1 : 0;
    struct ir_block *leave = p->blocks[p->blocks[test].succ[out]].ir, *stay = p->blocks[p->blocks[test].succ[1 - out]].ir;
    for (unsigned turn = turns->most;; turn--) {
        struct ir_block *const *at = turn ? map : NULL;
        if (turn)
            copy_turn(p, loop, map, n_ids);
        struct ir_inst *back = ir_block_term(image(at, latch));
        for (int k = 0; k < 2 && next; k++)
            if (back->target[k] == image(at, header))
                back->target[k] = next;
        if (turn == turns->most)
            always(image(at, decides), leave);
        else if (turn < turns->least)
            always(image(at, decides), stay == header ? next : image(at, stay));
        next = image(at, header);
        if (!turn)
            break;
    }
    hw_free(map);
}

static void note_defs(const struct plan *p, struct defs *defs)
{
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            for (int k = 0; k < i->n_dst; k++) {
                struct defs *d = i->dst[k] ? &defs[i->dst[k]->id] : NULL;
                if (d && d->n < 2) {
                    d->inst[d->n] = i;
                    d->block[d->n] = b;
                }
                if (d)
                    d->n++;
            }
        }
}

/* Tries every block of the loop that may end it. */
static bool unroll_loop(struct plan *p, const struct defs *defs, int loop)
{
    for (int b = 0; b < p->n_blocks; b++) {
        const struct plan_block *blk = &p->blocks[b];
        struct count c = { .thread.operand = known, .p = p, .defs = defs, .loop = loop, .test = b };
        struct turns turns;
        if (blk->loop != loop || ir_block_term(blk->ir)->op != IR_CBR || !plan_dominates(p, b, p->loops.v[loop].latch)
            || plan_in_loop(p, blk->succ[0], loop) == plan_in_loop(p, blk->succ[1], loop))
            continue;
        if (find_steps(&c) && count_turns(&c, &turns) && (turns.apart || turns.most == 0) && small(p, loop, turns.most + 1)) {
            write_out(p, loop, b, &turns);
            return true;
        }
    }
    return false;
}

bool plan_unroll(struct plan *p)
{
    bool changed = false;
    if (p->opt.function || p->opt.fair || p->opt.turns || p->loops.n == 0)
        return false;
    struct defs *defs = hw_alloc(p->func->regs.n * sizeof *defs + 1);
    bool *outer = hw_alloc(p->loops.n * sizeof *outer);
    note_defs(p, defs);
    for (size_t l = 0; l < p->loops.n; l++)
        if (p->loops.v[l].parent >= 0)
            outer[p->loops.v[l].parent] = true;
    for (size_t l = 0; l < p->loops.n; l++)
        changed |= !outer[l] && unroll_loop(p, defs, (int)l);
    if (changed)
        plan_drop_unreachable(p->func);
    hw_free(outer);
    hw_free(defs);
    return changed;
}
