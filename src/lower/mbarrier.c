/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers in memory. The object is one word that is changed by compare-and-swap:
 *   bits  0..19  arrivals that are missing in this phase
 *   bits 20..39  arrivals that a phase takes
 *   bits 40..61  bytes that are still to come, modulo 2^22
 *   bit  63      the phase
 * A phase ends when neither arrivals nor bytes are missing. The state that an arrival returns is the word before it.
 *
 * Waiting is an ordered load, and PTX loops around it: such a kernel runs with turns (pass/analysis/spin.c).
 */
#include "lower/frame.h"

enum { COUNT_BITS = 20, TX_AT = 40, PHASE = 63 };
#define COUNT_MASK ((uint64_t)(1 << COUNT_BITS) - 1)
#define TX_MASK ((uint64_t)((1 << 22) - 1) << TX_AT)

static struct ir_operand op2(struct lower_ctx *c, enum ir_op op, struct ir_operand a, struct ir_operand b) { return lower_op2(c, op, IR_I64, a, b); }

static bool place_of(struct lower_ctx *c, int k, struct lower_place *at)
{
    if (!lower_find_place(c, k, at))
        return false;
    return (!at->param && (at->space == IR_SHARED || at->space == IR_GENERIC)) || lower_fail(c, "a barrier is in shared memory");
}

void lower_note(struct lower_ctx *c, enum note_kind kind, uint32_t constant, const struct lower_place *at, const struct ir_operand *number)
{
    struct ir_inst *i = lower_emit(c, IR_NOTE, IR_I64);
    i->imm = note_pack(kind, constant, at ? at->offset : 0);
    if (at) {
        i->space = (uint8_t)at->space;
        ir_inst_src(i, at->addr);
    }
    if (at && number)
        ir_inst_src(i, *number);
}

static struct ir_inst *access_word(struct lower_ctx *c, enum ir_op op, const struct lower_place *at)
{
    struct ir_inst *i = lower_emit(c, op, IR_I64);
    i->space = (uint8_t)at->space;
    i->imm = at->offset;
    i->scope = IR_CTA;
    ir_inst_src(i, at->addr);
    return i;
}

/* Arrivals and bytes that change the word; all I64. drop: later phases take that many arrivals fewer. */
struct change {
    struct ir_operand arrive, drop, tx;      /* kind IR_NONE: nothing */
};

static struct ir_operand changed(struct lower_ctx *c, const struct change *ch, struct ir_operand word)
{
    if (ch->tx.kind)
        word = op2(c, IR_OR, op2(c, IR_AND, word, lower_imm(~TX_MASK)),
                   op2(c, IR_AND, op2(c, IR_ADD, word, op2(c, IR_SHL, ch->tx, lower_imm(TX_AT))), lower_imm(TX_MASK)));
    if (ch->drop.kind)
        word = op2(c, IR_SUB, word, op2(c, IR_SHL, ch->drop, lower_imm(COUNT_BITS)));
    if (ch->arrive.kind)
        word = op2(c, IR_SUB, word, ch->arrive);
    /* the next phase: all arrivals are missing again */
    struct ir_operand left = op2(c, IR_AND, word, lower_imm(COUNT_MASK | TX_MASK));
    struct ir_operand next = op2(c, IR_OR, word, op2(c, IR_AND, op2(c, IR_SHR_U, word, lower_imm(COUNT_BITS)), lower_imm(COUNT_MASK)));
    next = op2(c, IR_XOR, next, lower_imm((uint64_t)1 << PHASE));
    return lower_select(c, IR_I64, lower_cmp(c, IR_EQ, IR_I64, left, lower_imm(0)), next, word);
}

/* Returns the word as it was. */
static struct ir_operand change_word(struct lower_ctx *c, const struct lower_place *at, const struct change *ch)
{
    struct ir_reg *seen = lower_tmp(c, IR_I64), *got = lower_tmp(c, IR_I64);
    struct ir_block *again = lower_new_block(c, NULL), *retry = lower_new_block(c, NULL), *done = lower_new_block(c, NULL);
    struct ir_inst *ld = access_word(c, IR_LD, at);
    ir_inst_dst(ld, seen);
    ld->order = IR_RELAXED;
    lower_br(c, again);
    c->block = again;
    struct ir_operand word = changed(c, ch, lower_reg(seen));
    struct ir_inst *cas = access_word(c, IR_ATOM, at);
    cas->atom = IR_ATOM_CAS;
    cas->order = IR_RELEASE;     /* who waits acquires */
    ir_inst_src(cas, lower_reg(seen));
    ir_inst_src(cas, word);
    ir_inst_dst(cas, got);
    lower_cbr(c, lower_cmp(c, IR_EQ, IR_I64, lower_reg(got), lower_reg(seen)), done, retry);
    c->block = retry;
    lower_mov(c, seen, lower_reg(got));
    lower_br(c, again);
    c->block = done;
    return lower_reg(got);
}

bool lower_MBARRIER_INIT(struct lower_ctx *c)
{
    struct lower_place at;
    if (!place_of(c, 0, &at))
        return false;
    struct ir_operand n = lower_resize(c, IR_I64, IR_I32, false, lower_src(c, 1, PTX_U32));
    lower_note(c, NOTE_MBARRIER_INIT, 0, &at, &n);
    n = op2(c, IR_AND, n, lower_imm(COUNT_MASK));
    n = op2(c, IR_OR, n, op2(c, IR_SHL, n, lower_imm(COUNT_BITS)));
    ir_inst_src(access_word(c, IR_ST, &at), n);
    return true;
}

bool lower_MBARRIER_INVAL(struct lower_ctx *c)
{
    struct lower_place at;
    if (!place_of(c, 0, &at))
        return false;
    lower_note(c, NOTE_MBARRIER_INVAL, 0, &at, NULL);
    ir_inst_src(access_word(c, IR_ST, &at), lower_imm(0));
    return true;
}

static struct ir_operand wide(struct lower_ctx *c, int k)
{
    return lower_resize(c, IR_I64, IR_I32, false, lower_src(c, k, PTX_U32));
}

static bool arrive(struct lower_ctx *c, struct ir_operand count, struct ir_operand tx)
{
    struct change ch = { .arrive = count, .tx = tx };
    struct lower_place at;
    if (!place_of(c, 1, &at))
        return false;
    if (lower_has(c, PTX_M_ARRIVE_DROP))
        ch.drop = count;
    lower_note(c, NOTE_MBARRIER_ARRIVE, 0, &at, &count);
    lower_set(c, 0, PTX_B64, change_word(c, &at, &ch));
    return true;
}

bool lower_MBARRIER_ARRIVE(struct lower_ctx *c)
{
    return arrive(c, lower_has_op(c, 2) ? wide(c, 2) : lower_imm(1), (struct ir_operand){ 0 });
}
/* The program says that this arrival ends no phase. */
bool lower_MBARRIER_ARRIVE_NC(struct lower_ctx *c) { return arrive(c, wide(c, 2), (struct ir_operand){ 0 }); }
bool lower_MBARRIER_ARRIVE_TX(struct lower_ctx *c) { return arrive(c, lower_imm(1), wide(c, 2)); }

bool lower_MBARRIER_TX(struct lower_ctx *c)
{
    struct change ch = { .tx = wide(c, 1) };
    struct lower_place at;
    if (!place_of(c, 0, &at))
        return false;
    if (lower_has(c, PTX_M_COMPLETE_TX))
        ch.tx = lower_op1(c, IR_NEG, IR_I64, ch.tx);
    lower_note(c, NOTE_MBARRIER_USE, 0, &at, NULL);
    change_word(c, &at, &ch);
    return true;
}

void lower_mbarrier_complete(struct lower_ctx *c, const struct lower_place *bar, struct ir_operand bytes)
{
    struct change ch = { .tx = lower_op1(c, IR_NEG, IR_I64, bytes) };
    change_word(c, bar, &ch);
}

/* cp.async has copied when it returns: what is left is the arrival. Without .noinc it only takes back what it added itself. */
bool lower_CP_MBARRIER(struct lower_ctx *c)
{
    struct change ch = { .arrive = lower_imm(1) };
    struct lower_place at;
    if (!place_of(c, 0, &at))
        return false;
    lower_note(c, NOTE_MBARRIER_USE, 0, &at, NULL);
    lower_note(c, NOTE_ASYNC_DONE, 0, NULL, NULL);
    if (lower_has(c, PTX_M_NOINC))
        change_word(c, &at, &ch);
    return true;
}

/* The phase now; operand 1 is the address. */
static bool load_phase(struct lower_ctx *c, struct ir_operand waited, struct ir_operand *out)
{
    struct lower_place at;
    if (!place_of(c, 1, &at))
        return false;
    lower_note(c, NOTE_MBARRIER_WAIT, 0, &at, &waited);
    struct ir_inst *ld = access_word(c, IR_LD, &at);
    ld->order = lower_has(c, PTX_M_RELAXED) ? IR_RELAXED : IR_ACQUIRE;
    ir_inst_dst(ld, lower_tmp(c, IR_I64));
    *out = op2(c, IR_SHR_U, lower_reg(ld->dst[0]), lower_imm(PHASE));
    return true;
}

bool lower_MBARRIER_WAIT(struct lower_ctx *c)
{
    struct ir_operand phase, waited = op2(c, IR_SHR_U, lower_src(c, 2, PTX_B64), lower_imm(PHASE));
    if (!load_phase(c, waited, &phase))
        return false;
    lower_set(c, 0, PTX_PRED, lower_cmp(c, IR_NE, IR_I64, phase, waited));
    return true;
}

bool lower_MBARRIER_PARITY(struct lower_ctx *c)
{
    struct ir_operand phase, waited = op2(c, IR_AND, wide(c, 2), lower_imm(1));
    if (!load_phase(c, waited, &phase))
        return false;
    lower_set(c, 0, PTX_PRED, lower_cmp(c, IR_NE, IR_I64, phase, waited));
    return true;
}

bool lower_MBARRIER_PENDING(struct lower_ctx *c)
{
    struct ir_operand n = op2(c, IR_AND, lower_src(c, 1, PTX_B64), lower_imm(COUNT_MASK));
    lower_set(c, 0, PTX_U32, lower_resize(c, IR_I32, IR_I64, false, n));
    return true;
}
