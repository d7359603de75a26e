/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several warps at a time. Long chains of arithmetic wait for themselves: two vectors of 16 lanes do not fill the CPU's units, four do. That pays
 * where a kernel computes much more than it loads and stores, has few values to keep at a time (there are 32 vector registers) and nothing
 * in it knows what a warp is: no atomics or warp operations. With barriers and shared memory too, where all groups stop at the same ones, if
 * most of the work is one chain that is longer than what the CPU looks at at a time, and the warps of a group take the same branches: in the whole
 * kernel, or in the regions with that chain; then the others are made for single warps, by a plan of their own. And without barriers where a
 * loop adds up: sum += a[k] * b[k].
 */
#include "pass/plan.h"

static bool knows_no_warps(const struct plan *p, const struct ir_inst *i)
{
    bool stops = p->regions.n > 1;
    switch (i->op) {
    case IR_BR: case IR_CBR: case IR_RET: return true;
    case IR_BAR: return stops && plan_plain_barrier(p, i);
    case IR_SREG: return i->imm <= IR_SREG_NCTAID_Z;             /* threads, blocks and their numbers */
    case IR_LD: case IR_ST: {
        bool of_all = i->space == IR_GLOBAL || i->space == IR_CONST || i->space == IR_PARAM_SPACE || (stops && i->space == IR_SHARED);
        return of_all && !(i->flags & IR_VOLATILE) && i->order == IR_WEAK;
    }
    default: return ir_op_info[i->op].props & IR_PROP_PURE;
    }
}

/* How long a chain it makes, in cycles or so; of float arithmetic only: integers are mostly addresses. */
static unsigned chain_of(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_MATH: return 60;
    case IR_FDIV: case IR_FSQRT: case IR_RCP_A: case IR_DIV_A: case IR_SQRT_A: case IR_RSQRT_A: return 16;
    case IR_SIN_A: case IR_COS_A: case IR_EX2_A: case IR_LG2_A: case IR_TANH_A: return 60;
    default: return ir_type_is_float(i->type) && (ir_op_info[i->op].props & IR_PROP_PURE) && i->op != IR_MOV && i->op != IR_CMP && i->op != IR_SELECT ? 4 : 0;
    }
}

static bool computes(const struct plan *p)
{
    enum { PER_ACCESS = 40 };
    uint64_t work = 0, accesses = 0;
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            bool scalar = i->n_dst && i->dst[0] && p->regs[i->dst[0]->id].shape.kind == SHAPE_AFFINE;
            if (!knows_no_warps(p, i))
                return false;
            work += scalar ? 0 : (uint64_t)chain_of(i) * plan_times(p, b);
            accesses += scalar || (i->op != IR_LD && i->op != IR_ST) ? 0 : plan_times(p, b);
        }
    return work >= PER_ACCESS * accesses && work > 0;
}

static unsigned vectors(const struct plan_reg *r)
{
    return r->shape.kind != SHAPE_VARYING || r->reg->type == IR_PRED ? 0 : ir_type_bits(r->reg->type) > 32 ? 2 : 1;
}

/* The most vectors that are alive at a time, of one chunk. */
static unsigned most_alive(struct plan *p)
{
    unsigned most = 0;
    bits_word *alive = bits_new(&p->arena, p->n_regs);
    for (int b = 0; b < p->n_blocks; b++) {
        const struct plan_block *blk = &p->blocks[b];
        unsigned n = 0;
        memset(alive, 0, bits_words(p->n_regs) * sizeof *alive);
        for (int s = 0; s < blk->n_succ; s++)
            bits_or(alive, p->blocks[blk->succ[s]].live_in, p->n_regs);
        for (size_t r = 0; r < p->n_regs; r++)
            n += bits_has(alive, r) ? vectors(&p->regs[r]) : 0;
        most = n > most ? n : most;
        for (size_t j = blk->ir->insts.n; j-- > 0;) {
            const struct ir_inst *i = blk->ir->insts.v[j];
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k] && bits_has(alive, i->dst[k]->id)) {
                    bits_del(alive, i->dst[k]->id);
                    n -= vectors(&p->regs[i->dst[k]->id]);
                }
            for (int k = 0; k < i->n_src; k++)
                if (i->src[k].kind == IR_REG && !bits_has(alive, i->src[k].reg->id)) {
                    bits_add(alive, i->src[k].reg->id);
                    n += vectors(&p->regs[i->src[k].reg->id]);
                }
            most = n > most ? n : most;
        }
    }
    return most;
}

/* The longest chain of the block's arithmetic, in cycles; *out_n: how many vector instructions the block has. */
static unsigned chain_in(const struct plan *p, int block, unsigned *cycles, unsigned *out_n)
{
    unsigned most = 0;
    *out_n = 0;
    memset(cycles, 0, p->n_regs * sizeof *cycles);
    for (size_t j = 0; j < p->blocks[block].ir->insts.n; j++) {
        const struct ir_inst *i = p->blocks[block].ir->insts.v[j];
        unsigned before = 0;
        for (int k = 0; k < i->n_src; k++)
            if (i->src[k].kind == IR_REG && cycles[i->src[k].reg->id] > before)
                before = cycles[i->src[k].reg->id];
        if (!i->n_dst || !i->dst[0] || p->regs[i->dst[0]->id].shape.kind == SHAPE_AFFINE)
            continue;
        ++*out_n;
        cycles[i->dst[0]->id] = before + chain_of(i);
        most = cycles[i->dst[0]->id] > most ? cycles[i->dst[0]->id] : most;
    }
    return most;
}

/* Made of nothing but where the thread is and what the launch says. seen: registers that were asked about already. */
static bool by_place(const struct plan *p, const struct ir_operand *o, bits_word *seen)
{
    bool good = true;
    if (o->kind != IR_REG || bits_has(seen, o->reg->id))
        return true;
    bits_add(seen, o->reg->id);
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; good && j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            if (!ir_defines(i, o->reg))
                continue;
            good = i->op == IR_SREG || i->op == IR_PARAM || (ir_op_info[i->op].props & IR_PROP_PURE);
            for (int k = 0; good && k < i->n_src; k++)
                good = by_place(p, &i->src[k], seen);
        }
    return good;
}

/* Rows; and lanes that are off are so at borders, not by what was read: then most often none is. */
static bool straight(struct plan *p)
{
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        bool good = !p->blocks[b].divergent || by_place(p, &t->src[0], bits_new(&p->arena, p->n_regs));
        for (size_t j = 0; good && j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            bool access = i->op == IR_LD || i->op == IR_ST;
            good = knows_no_warps(p, i) && (!access || plan_operand_shape(p, &i->src[0]).kind == SHAPE_AFFINE);
        }
        if (!good)
            return false;
    }
    return true;
}

/*
 * Between barriers: sum += a[k] * b[k], unrolled. A CPU that looks at WINDOW instructions at a time sees WINDOW * LATENCY / chain such chains, of as many
 * groups (or turns of a loop) as that takes; it needs two units' worth, else the chains of several groups must lie side by side.
 */
static int longest_chain(const struct plan *p)
{
    enum { WINDOW = 96, UNITS = 2, LARGE = 600 };                /* LARGE: takes long to compile as it is */
    unsigned n, all = 0, longest = 0, n_there = 0, *cycles = hw_alloc(p->n_regs * sizeof *cycles + 1);
    int at = -1;
    for (int b = 0; b < p->n_blocks; b++) {
        unsigned chain = chain_in(p, b, cycles, &n);
        bool turns = p->blocks[b].loop >= 0 && !plan_stops(ir_block_term(p->blocks[b].ir)) && n * p->opt.chunks <= WINDOW;   /* the next one is there to look at */
        all += n;
        if (!turns && chain > longest) {
            longest = chain;
            n_there = n;
            at = b;
        }
    }
    hw_free(cycles);
    return longest <= WINDOW / UNITS || 2 * n_there < all || all > LARGE ? -1 : at;
}

/* How many warps fill the units, if a chunk has so many chains; as far as their vectors fit into registers. */
static unsigned side_by_side(struct plan *p, unsigned chains)
{
    enum { LATENCY = 4, UNITS = 2, MOST = 4, REGISTERS = 32 };
    unsigned m = 1, alive = most_alive(p) * p->opt.chunks;
    while (m < MOST && m * p->opt.chunks * chains < LATENCY * UNITS && 2 * m * alive < REGISTERS && p->threads % (2 * m * PLAN_LANES) == 0)
        m *= 2;
    return m;
}

/*
 * A loop that adds up: every turn waits for the one before, while the units could do all of a turn's arithmetic for several warps meanwhile.
 * *out_chains: how many such chains there are side by side as it is, in one chunk.
 */
static bool adds_up(const struct plan *p, int block, unsigned *depth, unsigned *out_chains)
{
    const struct plan_block *blk = &p->blocks[block];
    unsigned longest = 0, work = 0;
    if (blk->loop < 0 || p->loops.v[blk->loop].header != block || p->loops.v[blk->loop].latch != block)
        return false;
    for (size_t r = 0; r < p->n_regs; r++)       /* 0: does not depend on what the turn before left */
        depth[r] = bits_has(blk->live_in, r) && vectors(&p->regs[r]) ? 1 : 0;
    for (size_t j = 0; j < blk->ir->insts.n; j++) {
        const struct ir_inst *i = blk->ir->insts.v[j];
        unsigned before = 0;
        if (!i->n_dst || !i->dst[0] || p->regs[i->dst[0]->id].shape.kind == SHAPE_AFFINE)
            continue;
        for (int k = 0; k < i->n_src; k++)
            if (i->src[k].kind == IR_REG && depth[i->src[k].reg->id] > before)
                before = depth[i->src[k].reg->id];
        work += chain_of(i);
        depth[i->dst[0]->id] = before ? before + chain_of(i) : 0;
    }
    for (size_t r = 0; r < p->n_regs; r++)
        if (bits_has(blk->live_in, r) && depth[r] > 1 && depth[r] - 1 > longest)
            longest = depth[r] - 1;
    *out_chains = longest ? (work + longest - 1) / longest : 0;
    return longest > 0;
}

/* Without barriers: the chains of the loop that runs most often, if that one adds up; else 0. */
static unsigned sums(struct plan *p)
{
    enum { LARGE = 300 };                        /* takes long to compile as it is */
    unsigned all = 0, chains = 0, c, *depth = hw_alloc(p->n_regs * sizeof *depth + 1);
    uint64_t most = 0;
    for (int b = 0; b < p->n_blocks; b++) {
        all += (unsigned)p->blocks[b].ir->insts.n;
        if (p->blocks[b].loop >= 0 && plan_times(p, b) >= most) {
            most = plan_times(p, b);
            chains = adds_up(p, b, depth, &c) ? c : 0;
        }
    }
    hw_free(depth);
    return all <= LARGE ? chains : 0;
}

/* Is it a comparison with a number that the launch gives? Groups at that border part there, and others do not: one comparison tells (jit/emit/first_last_lane.c). */
static bool at_border(const struct plan *p, const struct ir_operand *predicate)
{
    const struct ir_inst *cmp = p->regs[predicate->reg->id].def;
    if (!cmp || cmp->op != IR_CMP || cmp->src[0].kind != IR_REG || cmp->src[1].kind != IR_REG)
        return false;
    struct shape a = plan_operand_shape(p, &cmp->src[0]), b = plan_operand_shape(p, &cmp->src[1]);
    return shape_group_uniform(&a) || shape_group_uniform(&b);
}

static bool stays_in_step(const struct plan *p, int b)
{
    const struct ir_operand *o = &ir_block_term(p->blocks[b].ir)->src[0];
    return !p->blocks[b].divergent || plan_operand_shape(p, o).kind != SHAPE_AFFINE || at_border(p, o);
}

bool plan_in_step(const struct plan *wide)
{
    for (int b = 0; b < wide->n_blocks && wide->regions.n > 1; b++)
        if (!stays_in_step(wide, b))
            return false;
    return true;
}

static bool same_code(const struct plan *a, const struct plan *b)
{
    struct hw_str ta = { 0 }, tb = { 0 };
    ir_print_code(&ta, a->func);
    ir_print_code(&tb, b->func);
    bool same = a->n_regs == b->n_regs && a->n_blocks == b->n_blocks && a->regions.n == b->regions.n && ta.n == tb.n && memcmp(ta.s, tb.s, ta.n) == 0;
    hw_str_fini(&ta);
    hw_str_fini(&tb);
    return same;
}

/* No masks are kept at the barriers. */
static bool meets_whole(const struct plan *p)
{
    for (int b = 0; b < p->n_blocks; b++) {
        if (plan_stops(ir_block_term(p->blocks[b].ir)) && !bits_empty(p->blocks[b].pending, (size_t)p->n_blocks))
            return false;
        for (size_t k = 1; k < p->regions.n; k++)
            if (p->blocks[b].masked && plan_dominates(p, b, p->regions.v[k].entry))
                return false;
    }
    return true;
}

/* Are the registers that live across barriers kept in the same way, apart from where their bases come from? */
static bool keep_the_same(const struct plan *one, const struct plan *wide)
{
    for (size_t r = 0; r < one->n_regs; r++) {
        const struct plan_reg *a = &one->regs[r], *b = &wide->regs[r];
        bool kept = false;
        for (size_t k = 1; k < one->regions.n; k++)
            kept |= bits_has(one->blocks[one->regions.v[k].entry].live_in, r);
        bool vector = a->shape.kind == SHAPE_VARYING;
        if (a->remat != b->remat || (kept && (a->common != b->common || a->shape.kind != b->shape.kind || a->is_float != b->is_float || (vector && a->reg->type == IR_PRED))))
            return false;
    }
    return true;
}

bool plan_mixes(struct plan *one, struct plan *wide)
{
    int chain = longest_chain(one);
    uint64_t regions = 0;
    if (chain < 0 || one->regions.n > 64 || !one->lockstep || !wide->lockstep || !same_code(one, wide) || !meets_whole(one) || !meets_whole(wide) || !keep_the_same(one, wide))
        return false;
    for (size_t k = 0; k < one->regions.n; k++)
        regions |= (uint64_t)bits_has(one->regions.v[k].blocks, (size_t)chain) << k;
    for (int b = 0; b < wide->n_blocks; b++)
        for (size_t k = 0; k < wide->regions.n; k++)
            if (regions >> k & 1 && bits_has(wide->regions.v[k].blocks, (size_t)b) && !stays_in_step(wide, b))
                return false;
    one->wide = wide;
    one->wide_regions = regions;
    return true;
}

unsigned plan_warp_coarsen(struct plan *p)
{
    enum { MOST_ALIVE = 8 };
    if (p->opt.width != 16 || p->lanes != PLAN_LANES || p->opt.function || p->opt.fair || p->opt.turns)
        return 1;
    if (p->regions.n > 1)
        return p->lockstep && straight(p) && longest_chain(p) >= 0 ? side_by_side(p, 1) : 1;
    if (p->threads % (2 * PLAN_LANES) == 0 && computes(p) && most_alive(p) <= MOST_ALIVE)
        return 2;
    unsigned chains = sums(p);
    return chains && straight(p) ? side_by_side(p, chains) : 1;
}
