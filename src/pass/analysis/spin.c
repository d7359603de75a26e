/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that wait for other threads: a lock, a flag.  Such a loop ends when somebody else has done something, so running
 * one side of a branch, one warp or one lane to its end before the others can wait for ever.
 *
 * A loop spins when its end depends, through data or control, on an atomic or a volatile or ordered load inside it.  A
 * compare-and-swap that only retries with the value it just got back does not wait for anybody: it succeeds in the end.
 *
 * With plain loads (ld.cg between fences, as CUB's scans poll) a loop spins when it changes nothing that others see and one of its exits
 * is decided by values that are the same in every round, but for what it loads from the same places again: nothing that it does by itself
 * could ever end it there.
 *
 * Such a loop may give up: after so many rounds, or some time. Its yields say so, for those rounds are meant to be time in which others get on.
 */
#include "pass/plan.h"

#include "kabi/kabi.h"

struct spin {
    struct plan *p;
    const struct plan_loop *loop;
    bool *tainted;               /* by register */
    int *n_defs;
    const struct ir_inst **def;  /* by register: its last definition in the loop */
    bool *more;                  /* by register: it has others */
    signed char *round;          /* by register: enum round, 0 when not yet known */
};

bool plan_waits_on_memory(const struct ir_inst *i)
{
    return i->op == IR_ATOM || i->op == IR_ATOM2 || (i->op == IR_LD && ((i->flags & IR_VOLATILE) || i->order != IR_WEAK));
}

static bool add(struct spin *s, const struct ir_reg *r)
{
    if (!r || s->tainted[r->id])
        return false;
    s->tainted[r->id] = true;
    return true;
}

/* What one edge of a branch leads to in this iteration, and the other perhaps does not. True: some of it is new. */
static bool control(const struct spin *s, int branch, int to, bool *controlled)
{
    const int first = s->loop->header, *ipdom = s->loop->ipdom;
    bool grew = false;
    for (int c = bits_has(s->loop->blocks, (size_t)to) && to != first ? to : -1; c >= 0 && c != ipdom[branch - first]; c = ipdom[c - first]) {
        grew |= !controlled[c];
        controlled[c] = true;
    }
    return grew;
}

/* Where a branch leads in this iteration, and which exits it decides about. leaving: who stays in the loop depends on the branches out of it, too. */
static bool branch_spreads(const struct spin *s, int b, bool leaving, bool *controlled, bool *found)
{
    const struct plan_block *blk = &s->p->blocks[b];
    bool grew = false, leaves = false;
    for (int e = 0; e < 2; e++)
        leaves |= !bits_has(s->loop->blocks, (size_t)blk->succ[e]);
    for (int e = 0; e < 2 && (leaving || !leaves); e++)
        grew |= control(s, b, blk->succ[e], controlled);
    *found |= leaves;
    return grew;
}

/* From the registers that are tainted on; returns whether an exit of the loop depends on them. With `leaving` the first that does is the end. */
static bool spread(struct spin *s, bool leaving)
{
    const struct plan *p = s->p;
    bool *controlled = hw_alloc((size_t)p->n_blocks), found = false;
    for (bool again = true; again && !(found && leaving);) {
        again = false;
        for (int b = 0; b < p->n_blocks; b++) {
            if (!bits_has(s->loop->blocks, (size_t)b))
                continue;
            const struct plan_block *blk = &p->blocks[b];
            for (size_t j = 0; j < blk->ir->insts.n; j++) {
                const struct ir_inst *i = blk->ir->insts.v[j];
                bool hit = false;
                for (int k = 0; k < i->n_src; k++)
                    hit |= i->src[k].kind == IR_REG && s->tainted[i->src[k].reg->id];
                for (int k = 0; k < i->n_dst; k++)
                    if (i->dst[k] && (hit || (controlled[b] && s->n_defs[i->dst[k]->id] > 1)))
                        again |= add(s, i->dst[k]);
                if (i->op == IR_CBR && hit)
                    again |= branch_spreads(s, b, leaving, controlled, &found);
            }
            /* a branch out of the loop that a tainted branch decides whether to reach */
            for (int e = 0; controlled[b] && e < blk->n_succ; e++)
                found |= !bits_has(s->loop->blocks, (size_t)blk->succ[e]);
        }
    }
    hw_free(controlled);
    return found;
}

/* Does an exit of the loop depend on this access? */
static bool reaches_exit(struct spin *s, const struct ir_inst *source)
{
    memset(s->tainted, 0, s->p->func->regs.n);
    for (int k = 0; k < source->n_dst; k++)
        add(s, source->dst[k]);
    return spread(s, true);
}

/* compare-and-swap whose expected value comes from its own last answer */
static bool only_retries(struct spin *s, const struct ir_inst *i)
{
    if (i->op == IR_ATOM2)
        return i->n_src == 5 && i->src[1].kind == IR_REG && s->tainted[i->src[1].reg->id];
    return i->op == IR_ATOM && i->atom == IR_ATOM_CAS && i->src[1].kind == IR_REG && s->tainted[i->src[1].reg->id];
}

/* ---- loops that look at the same places again and again ---- */

/* A value in every round of the loop. */
enum round { UNKNOWN, CHANGES, STAYS, LOOKED_AT };      /* LOOKED_AT: only if what it was loaded from does */

static void find_definitions(struct spin *s)
{
    const struct plan *p = s->p;
    memset(s->def, 0, p->func->regs.n * sizeof *s->def);
    memset(s->more, 0, p->func->regs.n);
    memset(s->round, STAYS, p->func->regs.n);
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; bits_has(s->loop->blocks, (size_t)b) && j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k]) {
                    s->round[i->dst[k]->id] = UNKNOWN;
                    s->more[i->dst[k]->id] = s->def[i->dst[k]->id] != NULL;
                    s->def[i->dst[k]->id] = i;
                }
        }
}

static bool only_looks(const struct spin *s)
{
    const struct plan *p = s->p;
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        if (!bits_has(s->loop->blocks, (size_t)b))
            continue;
        if (t->op != IR_BR && t->op != IR_CBR && t->op != IR_YIELD)
            return false;
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            bool quiet = i->op == IR_LD || i->op == IR_FENCE || i->op == IR_NANOSLEEP || i->op == IR_ENTER;
            if ((ir_op_info[i->op].props & IR_PROP_MEM) && !quiet)
                return false;
        }
    }
    return true;
}

static enum round round_of(struct spin *s, const struct ir_operand *o);

static enum round inst_round(struct spin *s, const struct ir_inst *i)
{
    enum round r = STAYS;
    bool clock = i->op == IR_SREG && i->imm >= IR_SREG_CLOCK && i->imm <= IR_SREG_GLOBALTIMER_HI;
    if (clock || i->op == IR_ACTIVEMASK)
        return CHANGES;
    for (int k = 0; k < i->n_src; k++) {
        enum round of = round_of(s, &i->src[k]);
        if (of == CHANGES)
            return of;
        r = of > r ? of : r;
    }
    bool others_write = i->op == IR_LD && (i->space == IR_GENERIC || i->space == IR_GLOBAL || i->space == IR_SHARED) && !(i->flags & IR_NONCOHERENT);
    return others_write ? LOOKED_AT : r;
}

/* Of a register that the ways through the loop define differently: what it gets on each, and which way is taken. */
static enum round joined_round(struct spin *s, const struct ir_reg *reg)
{
    const struct plan *p = s->p;
    enum round r = STAYS;
    for (int b = 0; b < p->n_blocks && r != CHANGES; b++) {
        const struct plan_block *blk = &p->blocks[b];
        if (!bits_has(s->loop->blocks, (size_t)b))
            continue;
        for (size_t j = 0; j < blk->ir->insts.n && r != CHANGES; j++) {
            const struct ir_inst *i = blk->ir->insts.v[j];
            enum round of = STAYS;
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k] == reg)
                    of = inst_round(s, i);
            if (i->op == IR_CBR && bits_has(s->loop->blocks, (size_t)blk->succ[0]) && bits_has(s->loop->blocks, (size_t)blk->succ[1]))
                of = round_of(s, &i->src[0]);
            r = of == CHANGES || of > r ? of : r;
        }
    }
    return r;
}

static enum round round_of(struct spin *s, const struct ir_operand *o)
{
    if (o->kind != IR_REG)
        return STAYS;
    signed char *known = &s->round[o->reg->id];
    if (*known == UNKNOWN) {
        *known = CHANGES;                                 /* what is made of its own last value */
        *known = (signed char)(s->more[o->reg->id] ? joined_round(s, o->reg) : inst_round(s, s->def[o->reg->id]));
    }
    return (enum round)*known;
}

/* Might the loop end because of what it looked at, and of nothing else? A limit on the rounds does not change that. */
static bool ends_by_look(struct spin *s, const struct ir_operand *condition) { return round_of(s, condition) == LOOKED_AT; }

/* Because of a count, or of the time, whatever it sees: no access has tainted it. */
static bool ends_by_count(struct spin *s, const struct ir_operand *condition)
{
    return condition->kind == IR_REG && !s->tainted[condition->reg->id] && round_of(s, condition) == CHANGES;
}

static bool ends_by(struct spin *s, const struct ir_operand *condition, bool (*which)(struct spin *s, const struct ir_operand *condition), int depth)
{
    const struct ir_inst *i = condition->kind == IR_REG && !s->more[condition->reg->id] ? s->def[condition->reg->id] : NULL;
    if (which(s, condition))
        return true;
    return i && (i->op == IR_AND || i->op == IR_OR) && depth < 4 && (ends_by(s, &i->src[0], which, depth + 1) || ends_by(s, &i->src[1], which, depth + 1));
}

static bool has_exit(struct spin *s, bool (*which)(struct spin *s, const struct ir_operand *condition))
{
    const struct plan *p = s->p;
    for (int b = 0; b < p->n_blocks; b++) {
        const struct plan_block *blk = &p->blocks[b];
        const struct ir_inst *t = ir_block_term(blk->ir);
        if (!bits_has(s->loop->blocks, (size_t)b) || t->op != IR_CBR)
            continue;
        bool leaves = !bits_has(s->loop->blocks, (size_t)blk->succ[0]) || !bits_has(s->loop->blocks, (size_t)blk->succ[1]);
        if (leaves && ends_by(s, &t->src[0], which, 0))
            return true;
    }
    return false;
}

static bool polls(struct spin *s) { return only_looks(s) && has_exit(s, ends_by_look); }

/* Does it give up some time? */
static bool gives_up(struct spin *s)
{
    const struct plan *p = s->p;
    memset(s->tainted, 0, p->func->regs.n);
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; bits_has(s->loop->blocks, (size_t)b) && j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            for (int k = 0; k < i->n_dst && (ir_op_info[i->op].props & IR_PROP_MEM); k++)
                add(s, i->dst[k]);
        }
    spread(s, false);
    return has_exit(s, ends_by_count);
}

void plan_spins(struct plan *p)
{
    struct spin s = { .p = p };
    s.tainted = hw_alloc(p->func->regs.n + 1);
    s.def = hw_alloc(p->func->regs.n * sizeof *s.def + 1);
    s.more = hw_alloc(p->func->regs.n + 1);
    s.round = hw_alloc(p->func->regs.n + 1);
    s.n_defs = hw_alloc(p->func->regs.n * sizeof *s.n_defs + 1);
    for (size_t b = 0; b < p->func->blocks.n; b++)
        for (size_t j = 0; j < p->func->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = p->func->blocks.v[b]->insts.v[j];
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k])
                    s.n_defs[i->dst[k]->id]++;
        }
    for (size_t l = 0; l < p->loops.n; l++) {
        s.loop = &p->loops.v[l];
        bool spin = false, lock = false;
        for (int b = 0; b < p->n_blocks && !lock; b++) {
            if (!bits_has(s.loop->blocks, (size_t)b))
                continue;
            for (size_t j = 0; j < p->blocks[b].ir->insts.n && !lock; j++) {
                const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
                if (!plan_waits_on_memory(i) || (spin && i->op == IR_LD) || !reaches_exit(&s, i) || only_retries(&s, i))
                    continue;
                spin = true;
                lock = i->op != IR_LD;
            }
        }
        find_definitions(&s);
        p->loops.v[l].spin = spin || polls(&s);
        p->loops.v[l].lock = lock;
        p->loops.v[l].gives_up = p->loops.v[l].spin && gives_up(&s);
    }
    hw_free(s.tainted);
    hw_free(s.def);
    hw_free(s.more);
    hw_free(s.round);
    hw_free(s.n_defs);
}

/* ---- fair builds ---- */

static void redirect(struct ir_block *from, const struct ir_block *to, struct ir_block *instead)
{
    struct ir_inst *t = ir_block_term(from);
    for (int k = 0; k < 2; k++)
        if (t->target[k] == to)
            t->target[k] = instead;
}

/* Who comes to the loop says so: the engine tells threads that get somewhere from those that only spin. The kernel may begin with the loop:
   then what it begins with is no longer a place to go on at after a yield. */
static void enter_loop(struct plan *p, const struct plan_loop *loop)
{
    struct ir_block *header = p->blocks[loop->header].ir, *enter = ir_block_new(p->func, NULL);
    struct ir_inst *go = ir_inst_new(p->func, IR_BR, IR_VOID);
    go->target[0] = header;
    ir_block_add(enter, ir_inst_new(p->func, IR_ENTER, IR_VOID));
    ir_block_add(enter, go);
    for (int b = 0; b < p->n_blocks; b++)
        if (!bits_has(loop->blocks, (size_t)b))
            redirect(p->blocks[b].ir, header, enter);
    if (p->func->blocks.v[0] == header)
        plan_put_first(p->func, enter);
}

static void yield_in_loop(struct plan *p, const struct plan_loop *loop)
{
    struct ir_block *header = p->blocks[loop->header].ir, *stop = ir_block_new(p->func, NULL);
    struct ir_inst *yield = ir_inst_new(p->func, IR_YIELD, IR_VOID);
    yield->imm = loop->gives_up;
    yield->target[0] = header;
    ir_block_add(stop, yield);
    redirect(p->blocks[loop->latch].ir, header, stop);
    enter_loop(p, loop);
}

static int kind_of(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_SHFL: return KABI_WARP_SHFL_UP + (int)i->imm;
    case IR_VOTE: return KABI_WARP_VOTE_ALL + (int)i->imm;
    case IR_MATCH: return i->imm ? KABI_WARP_MATCH_ALL : KABI_WARP_MATCH_ANY;
    case IR_ACTIVEMASK: return KABI_WARP_ACTIVEMASK;
    case IR_WARPSYNC: return KABI_WARP_SYNC;
    case IR_MMA: return KABI_WARP_MMA + (int)i->imm;
    default: break;
    }
    switch (i->imm) {
    case IR_ATOM_AND: return KABI_WARP_REDUX_AND;
    case IR_ATOM_OR: return KABI_WARP_REDUX_OR;
    case IR_ATOM_XOR: return KABI_WARP_REDUX_XOR;
    case IR_ATOM_MIN_S: return KABI_WARP_REDUX_MIN_S;
    case IR_ATOM_MIN_U: return KABI_WARP_REDUX_MIN_U;
    case IR_ATOM_MAX_S: return KABI_WARP_REDUX_MAX_S;
    case IR_ATOM_MAX_U: return KABI_WARP_REDUX_MAX_U;
    default: return KABI_WARP_REDUX_ADD;
    }
}

/* The block ends at its first warp operation; the rest goes on in a new one. */
static void stop_at_warp_op(struct plan *p, struct ir_block *blk)
{
    for (size_t j = 0; j < blk->insts.n; j++) {
        struct ir_inst *i = blk->insts.v[j];
        if (!(ir_op_info[i->op].props & IR_PROP_CONV))
            continue;
        struct ir_block *rest = plan_split(p, blk, j + 1);
        i->imm = kind_of(i);
        i->op = IR_WARPOP;
        i->target[0] = rest;
        return;                                           /* the new block is at the end of the list: its turn comes */
    }
}

/* Stops before the store; what follows is in a new block, whose turn comes. stopped: the block is such a one. */
static bool stop_at_store(struct plan *p, struct ir_block *blk, bool stopped)
{
    for (size_t j = 0; j < blk->insts.n; j++) {
        const struct ir_inst *i = blk->insts.v[j];
        if (i->op != IR_ST || i->space == IR_LOCAL || (j == 0 && stopped))
            continue;
        struct ir_block *rest = plan_split(p, blk, j);
        struct ir_inst *yield = ir_inst_new(p->func, IR_YIELD, IR_VOID);
        yield->target[0] = rest;
        ir_block_add(blk, yield);
        return true;
    }
    return false;
}

bool plan_yields(struct plan *p)
{
    enum { MOST_STOPS = 64 };    /* each is a region: a function of its own */

    for (size_t l = 0; l < p->loops.n; l++)
        if (p->loops.v[l].spin)
            yield_in_loop(p, &p->loops.v[l]);
    for (size_t b = 0; p->opt.fair && b < p->func->blocks.n; b++)
        stop_at_warp_op(p, p->func->blocks.v[b]);
    unsigned stops = 0;
    for (size_t b = 0, n = p->func->blocks.n; p->opt.steps && b < p->func->blocks.n && stops < MOST_STOPS; b++)
        stops += stop_at_store(p, p->func->blocks.v[b], b >= n);
    return true;
}
