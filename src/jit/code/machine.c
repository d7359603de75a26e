/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GPU's compiler would make of a basic block, roughly: instructions by the unit that they occupy, and the longest chain of those that
 * need each other's results. Addresses and constants are mostly folded into other instructions there.
 */
#include "jit/emit/instrument.h"

#include "jit/emit.h"

/* Instructions of one operation, by unit, in halves. */
struct cost {
    uint16_t work[DETAILS_WORK_COUNT];
};

static struct cost one(enum details_work unit, unsigned n)
{
    struct cost c = { { 0 } };
    c.work[unit] = (uint16_t)(2 * n);
    return c;
}

static struct cost two(enum details_work a, unsigned n, enum details_work b, unsigned m)
{
    struct cost c = one(a, n);
    c.work[b] = (uint16_t)(c.work[b] + 2 * m);
    return c;
}

static struct cost of_float(const struct ir_inst *i)
{
    bool wide = i->type == IR_F64;
    enum details_work unit = wide ? DETAILS_WORK_DOUBLE : DETAILS_WORK_FLOAT;
    switch (i->op) {
    case IR_FNEG: case IR_FABS: return one(unit, 0);             /* part of who uses it */
    case IR_FDIV: return two(unit, wide ? 9 : 8, DETAILS_WORK_SPECIAL, 1);
    case IR_FSQRT: return two(unit, wide ? 9 : 6, DETAILS_WORK_SPECIAL, 1);
    case IR_DIV_A: return two(unit, 3, DETAILS_WORK_SPECIAL, 1);
    case IR_RCP_A: case IR_SQRT_A: case IR_RSQRT_A: case IR_SIN_A: case IR_COS_A: case IR_EX2_A: case IR_LG2_A: case IR_TANH_A:
        return two(unit, 2, DETAILS_WORK_SPECIAL, 1);
    case IR_MATH: return two(unit, wide ? 24 : 14, DETAILS_WORK_SPECIAL, 1);
    default: return one(unit, 1);
    }
}

static struct cost cost_of(const struct ir_inst *i)
{
    unsigned parts = ir_type_bits(i->type) > 32 ? 2 : 1;
    switch (i->op) {
    case IR_SREG: return i->imm >= IR_SREG_CLOCK && i->imm <= IR_SREG_GLOBALTIMER_HI ? one(DETAILS_WORK_SPECIAL, 1) : one(DETAILS_WORK_INTEGER, 1);
    case IR_MOV: case IR_PARAM: case IR_PARAMADDR: case IR_VARADDR: case IR_PACK: case IR_EXTRACT: case IR_ZEXT: case IR_TRUNC: case IR_BR: case IR_YIELD:
    case IR_ENTER: case IR_MORE: case IR_SHARED_TO_GENERIC: case IR_GENERIC_TO_SHARED: case IR_LOCAL_TO_GENERIC: case IR_GENERIC_TO_LOCAL: return one(DETAILS_WORK_INTEGER, 0);
    case IR_FADD: case IR_FSUB: case IR_FMUL: case IR_FMA: case IR_FDIV: case IR_FSQRT: case IR_FNEG: case IR_FABS: case IR_FMIN: case IR_FMAX: case IR_COPYSIGN:
    case IR_RCP_A: case IR_DIV_A: case IR_SQRT_A: case IR_RSQRT_A: case IR_SIN_A: case IR_COS_A: case IR_EX2_A: case IR_LG2_A: case IR_TANH_A: case IR_MATH:
        return of_float(i);
    case IR_FTOI_S: case IR_FTOI_U: case IR_ITOF_S: case IR_ITOF_U: case IR_FTOF: case IR_FRINT: case IR_POPC: case IR_CLZ: case IR_CTZ: case IR_BREV:
        return one(DETAILS_WORK_SPECIAL, 1);
    case IR_DIV_S: case IR_DIV_U: case IR_REM_S: case IR_REM_U: return two(DETAILS_WORK_INTEGER, parts > 1 ? 70 : 18, DETAILS_WORK_SPECIAL, 2);
    case IR_MUL: return one(DETAILS_WORK_INTEGER, parts > 1 ? 2 : 1);
    case IR_ADD: case IR_SUB: return one(DETAILS_WORK_INTEGER, 1);               /* of 64 bits: mostly the end of an address, one with its multiplication */
    case IR_LD: case IR_ST: case IR_ATOM: case IR_ATOM2: case IR_TEX:
        return one(i->op == IR_LD && (i->space == IR_CONST || i->space == IR_PARAM_SPACE) ? DETAILS_WORK_INTEGER : DETAILS_WORK_MEMORY,
                   i->space == IR_CONST || i->space == IR_PARAM_SPACE ? 0 : 1);
    case IR_TILE_LD: case IR_TILE_ST: return one(DETAILS_WORK_MEMORY, 8);
    case IR_SHFL: case IR_VOTE: case IR_MATCH: case IR_REDUX: case IR_ACTIVEMASK: return one(DETAILS_WORK_WARP, 1);
    case IR_WARPOP: return i->imm >= KABI_WARP_MMA ? one(DETAILS_WORK_MATRIX, 1) : one(DETAILS_WORK_WARP, 1);
    case IR_MMA: return one(DETAILS_WORK_MATRIX, 1);
    case IR_CBR: case IR_RET: case IR_TRAP: case IR_WARPSYNC: case IR_FENCE: case IR_NANOSLEEP: return one(DETAILS_WORK_CONTROL, 1);
    case IR_BAR: case IR_BAR_RED: return one(DETAILS_WORK_CONTROL, 1);
    case IR_CALL: case IR_VPRINTF: case IR_MALLOC: case IR_FREE: case IR_ASSERTFAIL: return one(DETAILS_WORK_CONTROL, 20);
    case IR_AND: case IR_OR: case IR_XOR: case IR_NOT: case IR_SHL: case IR_SHR_U: case IR_SHR_S: {      /* two at a time: three-input logic, rotations */
        struct cost c = one(DETAILS_WORK_INTEGER, parts);
        c.work[DETAILS_WORK_INTEGER] /= 2;
        return c;
    }
    default: return one(DETAILS_WORK_INTEGER, parts);
    }
}

/* --- two operations that are one instruction --- */

static unsigned uses_of(const struct ir_block *b, const struct ir_reg *r)
{
    unsigned n = 0;
    for (size_t j = 0; j < b->insts.n; j++)
        for (unsigned s = 0; s < b->insts.v[j]->n_src; s++)
            n += b->insts.v[j]->src[s].kind == IR_REG && b->insts.v[j]->src[s].reg == r;
    return n;
}

/* Integers: a sum takes in a product, a shift or another sum; so does the least or greatest of a sum. */
static void fuse(const struct ir_block *b, size_t from, size_t to, struct cost *costs)
{
    enum { BACK = 24 };                          /* how far back the other one may be */
    for (size_t j = from; j < to; j++) {
        const struct ir_inst *i = b->insts.v[j];
        bool sum = i->op == IR_ADD || i->op == IR_SUB, least = i->op == IR_MIN_S || i->op == IR_MAX_S || i->op == IR_MIN_U || i->op == IR_MAX_U;
        for (unsigned s = 0; (sum || least) && s < i->n_src; s++) {
            size_t k = j;
            while (i->src[s].kind == IR_REG && k > from && j - k < BACK && !(b->insts.v[k - 1]->n_dst && b->insts.v[k - 1]->dst[0] == i->src[s].reg))
                k--;
            if (i->src[s].kind != IR_REG || k == from || j - k >= BACK)
                continue;
            const struct ir_inst *other = b->insts.v[k - 1];
            bool fits = sum ? other->op == IR_MUL || other->op == IR_SHL || other->op == IR_ADD || other->op == IR_SUB : other->op == IR_ADD || other->op == IR_SUB;
            if (!fits || other->type != i->type || uses_of(b, i->src[s].reg) != 1 || costs[k - 1].work[DETAILS_WORK_INTEGER] > 4)
                continue;
            memset(&costs[k - 1], 0, sizeof *costs);
            break;
        }
    }
}

/* --- the longest chain --- */

/* A chain so far: how long it is with the latencies of an ordinary GPU, and what is in it. */
struct chain {
    uint32_t cycles;
    uint16_t path[DETAILS_PATH_COUNT];
};
static const uint16_t ordinary[DETAILS_PATH_COUNT] = {
    [DETAILS_PATH_ALU] = 4, [DETAILS_PATH_SPECIAL] = 24, [DETAILS_PATH_SHARED] = 29, [DETAILS_PATH_GLOBAL] = 500, [DETAILS_PATH_ATOMIC] = 500,
    [DETAILS_PATH_WARP] = 24, [DETAILS_PATH_BARRIER] = 30, [DETAILS_PATH_STREAM] = 500,
};

/* What a register holds: the chain that made it. */
struct made {
    const struct ir_reg *reg;
    struct chain chain;
    bool carried;
};
struct chains {
    HW_VEC(struct made) made;
    const bool *loaded;                          /* by register, in the whole kernel: some load leads to it */
};

static void extend(struct chain *c, enum details_path kind, unsigned n)
{
    c->path[kind] = (uint16_t)hw_min_u64(UINT16_MAX, c->path[kind] + n);
    c->cycles += n * ordinary[kind];
}

static bool off_chip(const struct ir_inst *i)
{
    return i->space != IR_SHARED && i->space != IR_CONST && i->space != IR_PARAM_SPACE && i->space != IR_LOCAL;
}

static void extend_by(struct chain *c, const struct ir_inst *i, const struct cost *cost, bool indirect)
{
    bool shared = i->space == IR_SHARED;
    extend(c, DETAILS_PATH_ALU, (cost->work[DETAILS_WORK_FLOAT] + cost->work[DETAILS_WORK_INTEGER] + 2u * cost->work[DETAILS_WORK_DOUBLE] + 1) / 2);
    extend(c, DETAILS_PATH_SPECIAL, cost->work[DETAILS_WORK_SPECIAL] / 2u);
    extend(c, DETAILS_PATH_WARP, (cost->work[DETAILS_WORK_WARP] + cost->work[DETAILS_WORK_MATRIX]) / 2u);
    switch (i->op) {
    case IR_LD: case IR_TEX: case IR_TILE_LD:
        if (i->op == IR_LD && !off_chip(i))
            extend(c, shared || i->space == IR_LOCAL ? DETAILS_PATH_SHARED : DETAILS_PATH_ALU, 1);
        else
            extend(c, indirect ? DETAILS_PATH_GLOBAL : DETAILS_PATH_STREAM, 1);
        break;
    case IR_ATOM: case IR_ATOM2: extend(c, shared ? DETAILS_PATH_SHARED : i->n_dst ? DETAILS_PATH_ATOMIC : DETAILS_PATH_ALU, shared ? 2 : 1); break;
    case IR_BAR: case IR_BAR_RED: extend(c, DETAILS_PATH_BARRIER, 1); break;
    case IR_ST: case IR_CBR: extend(c, DETAILS_PATH_ALU, 1); break;
    default: break;
    }
}

static const struct made *made_by(const struct chains *m, const struct ir_operand *o)
{
    for (size_t k = m->made.n; o->kind == IR_REG && k-- > 0;)
        if (m->made.v[k].reg == o->reg)
            return &m->made.v[k];
    return NULL;
}

static bool comes_from_load(const struct chains *m, const struct ir_operand *o)
{
    return o->kind == IR_REG && m->loaded && m->loaded[o->reg->id];
}

/* The longest chain of the block; from: of those that begin with its value of the round before and end with the one for the next. */
static struct chain block_chain(const struct ir_block *b, size_t first, size_t end, const struct cost *costs, const bool *loaded, const struct ir_reg *from)
{
    struct chains m = { .loaded = loaded };
    struct chain longest = { 0 };
    for (size_t j = first; j < end; j++) {
        const struct ir_inst *i = b->insts.v[j];
        struct chain c = { 0 };
        bool carried = from == NULL;
        for (unsigned s = 0; s < i->n_src; s++) {
            const struct made *d = made_by(&m, &i->src[s]);
            if (from && !d && i->src[s].kind == IR_REG && i->src[s].reg == from)
                carried = true;
            if (d && d->carried) {
                carried = true;
                c = d->chain.cycles > c.cycles ? d->chain : c;
            }
        }
        if (carried)
            extend_by(&c, i, &costs[j], i->n_src && comes_from_load(&m, &i->src[0]));
        for (unsigned d = 0; d < i->n_dst; d++)
            if (i->dst[d] && m.made.n < 2048) {
                struct made now = { .reg = i->dst[d], .chain = c, .carried = carried };
                hw_vec_push(&m.made, now);
            }
        if (carried && (!from || (i->n_dst && i->dst[0] == from)) && c.cycles > longest.cycles)
            longest = c;
    }
    hw_vec_fini(&m.made);
    return longest;
}

/* --- loops --- */

static const struct ir_inst *loop_end(const struct ir_block *b)
{
    const struct ir_inst *end = b->insts.n ? b->insts.v[b->insts.n - 1] : NULL;
    return end && end->op == IR_CBR && (end->target[0] == b || end->target[1] == b) ? end : NULL;
}

static const struct ir_inst *made_in(const struct ir_block *b, const struct ir_operand *o)
{
    for (size_t j = b->insts.n; o->kind == IR_REG && j-- > 0;)
        if (b->insts.v[j]->n_dst && b->insts.v[j]->dst[0] == o->reg)
            return b->insts.v[j];
    return NULL;
}

/* A loop of one block whose rounds are counted: something grows by a number that is known, until it has reached what does not change. Such loops are unrolled; one that goes on by
   the size of the grid is not. */
static bool is_counted(const struct ir_block *b, const struct ir_inst *end)
{
    const struct ir_inst *compares = end->n_src ? made_in(b, &end->src[0]) : NULL;
    if (!compares || compares->op != IR_CMP || compares->n_src < 2)
        return false;
    for (int side = 0; side < 2; side++) {
        const struct ir_inst *i = made_in(b, &compares->src[side]);
        while (i && (i->op == IR_TRUNC || i->op == IR_MOV || i->op == IR_ZEXT) && made_in(b, &i->src[0]) != i)
            i = made_in(b, &i->src[0]);
        if (i && (i->op == IR_ADD || i->op == IR_SUB) && (i->src[1].kind == IR_IMM || i->src[0].kind == IR_IMM) && !made_in(b, &compares->src[!side]))
            return true;
    }
    return false;
}

static bool read_before_written(const struct ir_block *b, const struct ir_reg *r)
{
    for (size_t j = 0; j < b->insts.n; j++) {
        const struct ir_inst *i = b->insts.v[j];
        for (unsigned s = 0; s < i->n_src; s++)
            if (i->src[s].kind == IR_REG && i->src[s].reg == r)
                return true;
        for (unsigned d = 0; d < i->n_dst; d++)
            if (i->dst[d] == r)
                return false;
    }
    return false;
}

/* What one round makes the next wait for. */
static struct chain carried_chain(const struct ir_block *b, const struct cost *costs, const bool *loaded)
{
    struct chain longest = { 0 };
    unsigned tried = 0;
    for (size_t j = 0; j < b->insts.n && tried < 32; j++)
        for (unsigned d = 0; d < b->insts.v[j]->n_dst; d++) {
            const struct ir_reg *r = b->insts.v[j]->dst[d];
            if (!r || !read_before_written(b, r))
                continue;
            tried++;
            struct chain c = block_chain(b, 0, b->insts.n, costs, loaded, r);
            longest = c.cycles > longest.cycles ? c : longest;
        }
    return longest;
}

/* Which registers hold something that a load led to: until nothing changes any more, or as often as a chain of pointers is worth following. */
static bool *find_loaded(const struct ir_func *f)
{
    bool *loaded = hw_alloc(f->regs.n + 1);
    bool changed = true;
    for (int round = 0; changed && round < 8; round++) {
        changed = false;
        for (size_t k = 0; k < f->blocks.n; k++)
            for (size_t j = 0; j < f->blocks.v[k]->insts.n; j++) {
                const struct ir_inst *i = f->blocks.v[k]->insts.v[j];
                bool is = (i->op == IR_LD && off_chip(i)) || i->op == IR_ATOM || i->op == IR_ATOM2;
                for (unsigned s = 0; s < i->n_src && !is; s++)
                    is = i->src[s].kind == IR_REG && loaded[i->src[s].reg->id];
                for (unsigned d = 0; is && d < i->n_dst; d++)
                    if (i->dst[d] && !loaded[i->dst[d]->id])
                        loaded[i->dst[d]->id] = changed = true;
            }
    }
    return loaded;
}

/* Rounds that a compiler makes one of: as long as code stays short, and loads are few enough to be on their way together. */
static unsigned unrolled(const uint32_t *halves, unsigned loads)
{
    enum { INSTRUCTIONS = 40, LOADS = 16 };      /* as single threads on an H200 wait: tests/clock/probe, one_thread_sum, knn */
    unsigned n = 1, work = 0;
    for (int k = 0; k < DETAILS_WORK_COUNT; k++)
        work += halves[k];
    while (n < 16 && 2 * n * work <= 2 * INSTRUCTIONS && 2 * n * loads <= LOADS)
        n *= 2;
    return n;
}

static unsigned loads_of(const struct ir_block *b)
{
    unsigned n = 0;
    for (size_t j = 0; j < b->insts.n; j++)
        n += b->insts.v[j]->op == IR_LD && off_chip(b->insts.v[j]);
    return n;
}

/* In an unrolled loop: what is only a sum of counters and of what does not change becomes a constant part of addresses, or is computed once for all its rounds. */
static bool *find_affine(const struct ir_func *f, const struct ir_block *b)
{
    bool *known = hw_alloc(f->regs.n + 1), *made = hw_alloc(f->regs.n + 1), *affine = hw_alloc(b->insts.n + 1);
    for (size_t j = 0; j < b->insts.n; j++)
        for (unsigned d = 0; d < b->insts.v[j]->n_dst; d++)
            if (b->insts.v[j]->dst[d])
                made[b->insts.v[j]->dst[d]->id] = true;
    for (int round = 0; round < 2; round++)
        for (size_t j = 0; j < b->insts.n; j++) {
            const struct ir_inst *i = b->insts.v[j];
            bool counts = i->op == IR_ADD || i->op == IR_SUB, is = counts || i->op == IR_SHL || i->op == IR_SEXT || i->op == IR_ZEXT || i->op == IR_TRUNC || i->op == IR_MOV || i->op == IR_MUL || i->op == IR_CMP;
            for (unsigned s = 0; s < i->n_src && is; s++) {
                bool self = counts && i->src[s].kind == IR_REG && i->src[s].reg == i->dst[0] && (i->src[!s].kind == IR_IMM || (i->src[!s].kind == IR_REG && !made[i->src[!s].reg->id]));
                is = i->src[s].kind != IR_REG || self || known[i->src[s].reg->id] || !made[i->src[s].reg->id];
            }
            affine[j] = is || i->op == IR_CBR;
            if (i->n_dst && i->dst[0])
                known[i->dst[0]->id] = is;
        }
    hw_free(known);
    hw_free(made);
    return affine;
}

void details_machine(const struct ir_func *f, const struct ir_block *b, size_t from, size_t to, struct details_site *site)
{
    uint32_t halves[DETAILS_WORK_COUNT] = { 0 }, shared[DETAILS_WORK_COUNT] = { 0 };     /* shared: by the rounds that are one */
    struct cost *costs = hw_alloc((b->insts.n + 1) * sizeof *costs);
    bool *loaded = find_loaded(f);
    const struct ir_inst *end = from == 0 && to == b->insts.n ? loop_end(b) : NULL;
    bool counted = end && is_counted(b, end), *affine = counted ? find_affine(f, b) : NULL;
    for (size_t j = from; j < to; j++)
        costs[j] = cost_of(b->insts.v[j]);
    fuse(b, from, to, costs);
    for (size_t j = from; j < to; j++) {
        site->meets |= b->insts.v[j]->op == IR_BAR || b->insts.v[j]->op == IR_BAR_RED;
        for (int k = 0; k < DETAILS_WORK_COUNT; k++)
            *(affine && affine[j] ? &shared[k] : &halves[k]) += costs[j].work[k];
    }
    unsigned rounds = counted ? unrolled(halves, loads_of(b)) : 1;
    for (int k = 0; k < DETAILS_WORK_COUNT; k++)
        site->work[k] = halves[k] * (DETAILS_WORK_UNIT / 2) + shared[k] * (DETAILS_WORK_UNIT / 2) / rounds;
    struct chain c = block_chain(b, from, to, costs, loaded, NULL), carried = rounds > 1 ? carried_chain(b, costs, loaded) : c;
    for (int k = 0; k < DETAILS_PATH_COUNT; k++) {               /* what a round makes the next wait for, and the rest once for all that are one */
        unsigned rest = c.path[k] > carried.path[k] ? c.path[k] - carried.path[k] : 0;
        site->path[k] = carried.path[k] * DETAILS_PATH_UNIT + rest * DETAILS_PATH_UNIT / rounds;
    }
    hw_free(affine);
    hw_free(costs);
    hw_free(loaded);
}
