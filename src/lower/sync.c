/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers and operations of a warp. */
#include "lower/lower_internal.h"

/* A barrier ends its block: what follows goes on in a new one. */
static void end_with_barrier(struct lower_ctx *c, struct ir_inst *i)
{
    struct ir_block *next = lower_new_block(c, NULL);
    i->target[0] = next;
    c->block = next;
}

static bool barrier(struct lower_ctx *c, enum ir_bar kind)
{
    struct ir_operand id = lower_src(c, 0, PTX_U32), n = lower_imm(0);
    bool counted = lower_has_op(c, 1);
    if (counted)
        n = lower_src(c, 1, PTX_U32);
    struct ir_inst *i = lower_emit(c, IR_BAR, IR_VOID);
    i->imm = kind;
    ir_inst_src(i, id);
    if (counted)
        ir_inst_src(i, n);
    end_with_barrier(c, i);
    return true;
}

bool lower_BAR_SYNC(struct lower_ctx *c) { return barrier(c, IR_BAR_SYNC); }
bool lower_BARRIER_SYNC(struct lower_ctx *c) { return barrier(c, IR_BAR_SYNC); }
bool lower_BAR_ARRIVE(struct lower_ctx *c) { return barrier(c, IR_BAR_ARRIVE); }
bool lower_BARRIER_ARRIVE(struct lower_ctx *c) { return barrier(c, IR_BAR_ARRIVE); }

/* A cluster is one block. Nobody sees that an arrival is only noticed when the thread waits: between the two it must not arrive again. */
bool lower_BARRIER_CLUSTER_ARRIVE(struct lower_ctx *c)
{
    (void)c;
    return true;
}

bool lower_BARRIER_CLUSTER_WAIT(struct lower_ctx *c)
{
    struct ir_inst *i = lower_emit(c, IR_BAR, IR_VOID);
    i->imm = IR_BAR_SYNC;
    ir_inst_src(i, lower_imm(0));
    end_with_barrier(c, i);
    return true;
}

static bool barrier_red(struct lower_ctx *c, enum ir_barred kind)
{
    struct ir_operand id = lower_src(c, 1, PTX_U32), n = lower_imm(0), p = lower_src(c, 3, PTX_PRED);
    bool counted = lower_has_op(c, 2);
    if (counted)
        n = lower_src(c, 2, PTX_U32);
    struct ir_inst *i = lower_emit(c, IR_BAR_RED, kind == IR_BAR_POPC ? IR_I32 : IR_PRED);
    i->imm = kind;
    ir_inst_src(i, p);
    ir_inst_src(i, id);
    if (counted)
        ir_inst_src(i, n);
    ir_inst_dst(i, lower_dst(c, 0, kind == IR_BAR_POPC ? PTX_U32 : PTX_PRED));
    end_with_barrier(c, i);
    return true;
}

static bool barrier_bool(struct lower_ctx *c)
{
    if (lower_has(c, PTX_M_XOR))
        return lower_fail(c, "barriers reduce with .and, .or and .popc");
    return barrier_red(c, lower_has(c, PTX_M_AND) ? IR_BAR_AND : IR_BAR_OR);
}

bool lower_BAR_RED_POPC(struct lower_ctx *c) { return barrier_red(c, IR_BAR_POPC); }
bool lower_BARRIER_RED_POPC(struct lower_ctx *c) { return barrier_red(c, IR_BAR_POPC); }
bool lower_BAR_RED(struct lower_ctx *c) { return barrier_bool(c); }
bool lower_BARRIER_RED(struct lower_ctx *c) { return barrier_bool(c); }

bool lower_BAR_WARP(struct lower_ctx *c)
{
    struct ir_operand mask = lower_src(c, 0, PTX_B32);
    ir_inst_src(lower_emit(c, IR_WARPSYNC, IR_VOID), mask);
    return true;
}

static struct ir_operand active_mask(struct lower_ctx *c)
{
    struct ir_inst *i = lower_emit(c, IR_ACTIVEMASK, IR_I32);
    ir_inst_dst(i, lower_tmp(c, IR_I32));
    return lower_reg(i->dst[0]);
}

static bool shuffle(struct lower_ctx *c, struct ir_operand mask)
{
    struct ir_operand v = lower_src(c, 2, PTX_B32), lane = lower_src(c, 3, PTX_B32), clamp = lower_src(c, 4, PTX_B32);
    struct ir_inst *i = lower_emit(c, IR_SHFL, IR_I32);
    switch (lower_mod(c, PTX_C_SHFL)) {
    case PTX_M_UP: i->imm = IR_SHFL_UP; break;
    case PTX_M_DOWN: i->imm = IR_SHFL_DOWN; break;
    case PTX_M_BFLY: i->imm = IR_SHFL_BFLY; break;
    default: i->imm = IR_SHFL_IDX; break;
    }
    ir_inst_src(i, v);
    ir_inst_src(i, lane);
    ir_inst_src(i, clamp);
    ir_inst_src(i, mask);
    ir_inst_dst(i, lower_dst(c, 0, PTX_B32));
    ir_inst_dst(i, lower_has_op(c, 1) ? lower_dst(c, 1, PTX_PRED) : lower_tmp(c, IR_PRED));
    return true;
}

bool lower_SHFL_SYNC(struct lower_ctx *c) { return shuffle(c, lower_src(c, 5, PTX_B32)); }
/* Without .sync the members are whoever is here. */
bool lower_SHFL(struct lower_ctx *c) { return shuffle(c, active_mask(c)); }

static bool vote(struct lower_ctx *c, enum ir_vote kind, struct ir_operand mask)
{
    struct ir_operand p = lower_src(c, 1, PTX_PRED);
    bool ballot = kind == IR_VOTE_BALLOT;
    struct ir_inst *i = lower_emit(c, IR_VOTE, ballot ? IR_I32 : IR_PRED);
    i->imm = kind;
    ir_inst_src(i, p);
    ir_inst_src(i, mask);
    ir_inst_dst(i, lower_dst(c, 0, ballot ? PTX_B32 : PTX_PRED));
    return true;
}

static enum ir_vote vote_kind(struct lower_ctx *c)
{
    return lower_has(c, PTX_M_ALL) ? IR_VOTE_ALL : lower_has(c, PTX_M_ANY) ? IR_VOTE_ANY : IR_VOTE_UNI;
}

bool lower_VOTE_SYNC(struct lower_ctx *c) { return vote(c, vote_kind(c), lower_src(c, 2, PTX_B32)); }
bool lower_BALLOT_SYNC(struct lower_ctx *c) { return vote(c, IR_VOTE_BALLOT, lower_src(c, 2, PTX_B32)); }
bool lower_VOTE(struct lower_ctx *c) { return vote(c, vote_kind(c), active_mask(c)); }
bool lower_BALLOT(struct lower_ctx *c) { return vote(c, IR_VOTE_BALLOT, active_mask(c)); }

bool lower_MATCH(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand v = lower_src(c, 1, t), mask = lower_src(c, 2, PTX_B32);
    struct ir_inst *i = lower_emit(c, IR_MATCH, lower_type(t));
    ir_inst_src(i, v);
    ir_inst_src(i, mask);
    ir_inst_dst(i, lower_dst(c, 0, PTX_B32));
    return true;
}

bool lower_MATCH_ALL(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand v = lower_src(c, 2, t), mask = lower_src(c, 3, PTX_B32);
    struct ir_inst *i = lower_emit(c, IR_MATCH, lower_type(t));
    i->imm = 1;
    ir_inst_src(i, v);
    ir_inst_src(i, mask);
    ir_inst_dst(i, lower_dst(c, 0, PTX_B32));
    ir_inst_dst(i, lower_has_op(c, 1) ? lower_dst(c, 1, PTX_PRED) : lower_tmp(c, IR_PRED));
    return true;
}

bool lower_REDUX(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    bool is_bits = t == PTX_B32, is_signed = t == PTX_S32;
    struct ir_operand v = lower_src(c, 1, t), mask = lower_src(c, 2, PTX_B32);
    enum ptx_mod op = lower_mod(c, PTX_C_REDUXOP);
    bool logic = op == PTX_M_AND || op == PTX_M_OR || op == PTX_M_XOR;
    if (logic != is_bits)
        return lower_fail(c, "this reduction does not exist for .%s", ptx_type_info[t].text);
    struct ir_inst *i = lower_emit(c, IR_REDUX, IR_I32);
    switch (op) {
    case PTX_M_AND: i->imm = IR_ATOM_AND; break;
    case PTX_M_OR: i->imm = IR_ATOM_OR; break;
    case PTX_M_XOR: i->imm = IR_ATOM_XOR; break;
    case PTX_M_MIN: i->imm = is_signed ? IR_ATOM_MIN_S : IR_ATOM_MIN_U; break;
    case PTX_M_MAX: i->imm = is_signed ? IR_ATOM_MAX_S : IR_ATOM_MAX_U; break;
    default: i->imm = IR_ATOM_ADD; break;
    }
    ir_inst_src(i, v);
    ir_inst_src(i, mask);
    ir_inst_dst(i, lower_dst(c, 0, t));
    return true;
}

/*
 * Floats as integers of the same order: min and max of those do. A NaN becomes the one that always loses, or with .NaN always wins, and
 * what it leaves as a result is a NaN again.
 */
bool lower_REDUX_F(struct lower_ctx *c)
{
    enum ptx_mod op = lower_mod(c, PTX_C_REDUXOP);
    bool min = op == PTX_M_MIN;
    if (!min && op != PTX_M_MAX)
        return lower_fail(c, "this reduction does not exist for .f32");
    const struct ir_operand flip = lower_imm(0x7fffffff), zero = lower_imm(0);
    struct ir_operand v = lower_src(c, 1, PTX_F32), mask = lower_src(c, 2, PTX_B32);
    struct ir_operand is_nan = lower_cmp(c, IR_FNAN, IR_F32, v, v);
    if (lower_has(c, PTX_M_ABS))
        v = lower_op2(c, IR_AND, IR_I32, v, flip);
    v = lower_select(c, IR_I32, lower_cmp(c, IR_SLT, IR_I32, v, zero), lower_op2(c, IR_XOR, IR_I32, v, flip), v);
    v = lower_select(c, IR_I32, is_nan, lower_imm(min != lower_has(c, PTX_M_NANPROP) ? 0x7fffffffu : 0x80000000u), v);
    struct ir_inst *i = lower_emit(c, IR_REDUX, IR_I32);
    i->imm = min ? IR_ATOM_MIN_S : IR_ATOM_MAX_S;
    ir_inst_src(i, v);
    ir_inst_src(i, mask);
    ir_inst_dst(i, lower_tmp(c, IR_I32));
    v = lower_reg(i->dst[0]);
    is_nan = lower_cmp(c, IR_EQ, IR_I32, v, lower_imm(0x80000000u));
    v = lower_select(c, IR_I32, lower_cmp(c, IR_SLT, IR_I32, v, zero), lower_op2(c, IR_XOR, IR_I32, v, flip), v);
    lower_set(c, 0, PTX_F32, lower_select(c, IR_I32, is_nan, flip, v));
    return true;
}

bool lower_ACTIVEMASK(struct lower_ctx *c)
{
    ir_inst_dst(lower_emit(c, IR_ACTIVEMASK, IR_I32), lower_dst(c, 0, PTX_B32));
    return true;
}

bool lower_NANOSLEEP(struct lower_ctx *c)
{
    struct ir_operand ns = lower_src(c, 0, PTX_U32);
    ir_inst_src(lower_emit(c, IR_NANOSLEEP, IR_I32), ns);
    return true;
}
