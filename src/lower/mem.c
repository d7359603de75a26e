/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores, atomics and fences. */
#include "lower/frame.h"

static int space_of_mod(enum ptx_mod mod)
{
    switch (mod) {
    case PTX_M_GLOBAL: return IR_GLOBAL;
    case PTX_M_SHARED: case PTX_M_SHARED_CTA: case PTX_M_SHARED_CLUSTER: return IR_SHARED;
    case PTX_M_LOCAL: return IR_LOCAL;
    case PTX_M_CONST: return IR_CONST;
    case PTX_M_PARAM: case PTX_M_PARAM_ENTRY: case PTX_M_PARAM_FUNC: return IR_PARAM_SPACE;
    default: return IR_GENERIC;
    }
}

static enum ir_space space_of_var(const struct ptx_var *v)
{
    switch (v->space) {
    case PTX_SPACE_GLOBAL: return IR_GLOBAL;
    case PTX_SPACE_CONST: return IR_CONST;
    case PTX_SPACE_SHARED: return IR_SHARED;
    case PTX_SPACE_LOCAL: return IR_LOCAL;
    default: return IR_PARAM_SPACE;
    }
}

static bool place_var(struct lower_ctx *c, const struct ptx_operand *o, int space, struct lower_place *out)
{
    const struct ptx_var *v = o->elems[0].var;
    enum ir_space home = space_of_var(v);
    if (space != IR_GENERIC && space != (int)home)
        return lower_fail(c, "'%s' is not in this state space", v->name);
    out->space = home;
    out->offset = o->imm;
    if (home == IR_PARAM_SPACE) {
        out->param = v;
        out->addr = lower_imm(0);
        return true;
    }
    if (home == IR_SHARED || home == IR_LOCAL) {
        out->addr = lower_var_address(c, v, o->imm);
        out->offset = 0;
        return !c->failed;
    }
    out->addr = lower_var_address(c, v, 0);
    return !c->failed;
}

bool lower_place_in(struct lower_ctx *c, int k, int space, struct lower_place *out)
{
    const struct ptx_operand *o = &c->inst->ops[k], *base = &o->elems[0];
    memset(out, 0, sizeof *out);
    if (base->kind == PTX_O_VAR)
        return place_var(c, o, space, out);
    out->offset = o->imm;
    out->space = (enum ir_space)space;
    if (space == IR_PARAM_SPACE)             /* the address of a parameter in a register */
        out->space = c->frame->func->is_entry ? IR_GENERIC : IR_LOCAL;
    if (base->kind == PTX_O_INT) {
        out->addr = lower_imm((uint64_t)base->imm);
        return true;
    }
    struct ir_reg *reg = lower_ptx_reg(c, base->reg);
    bool narrow_ok = out->space == IR_SHARED || out->space == IR_LOCAL;
    out->addr = lower_reg(reg);
    if (reg->type == IR_I32 && !narrow_ok)
        out->addr = lower_resize(c, IR_I64, IR_I32, false, out->addr);
    return true;
}

bool lower_find_place(struct lower_ctx *c, int k, struct lower_place *out)
{
    return lower_place_in(c, k, space_of_mod(lower_mod(c, PTX_C_SPACE)), out);
}

bool lower_shared_address(struct lower_ctx *c, int k, struct ir_operand *out)
{
    struct lower_place at;
    int space = lower_mod(c, PTX_C_SPACE) == PTX_M_NONE && c->inst->ops[k].elems[0].kind != PTX_O_VAR ? IR_GENERIC : IR_SHARED;
    if (!lower_place_in(c, k, space, &at))
        return false;
    bool wide = at.addr.kind == IR_REG && at.addr.reg->type == IR_I64;
    if (space == IR_GENERIC)
        at.addr = lower_op1(c, IR_GENERIC_TO_SHARED, IR_I64, at.addr), wide = true;
    if (wide)
        at.addr = lower_resize(c, IR_I32, IR_I64, false, at.addr);
    *out = at.offset ? lower_op2(c, IR_ADD, IR_I32, at.addr, lower_imm((uint32_t)at.offset)) : at.addr;
    return true;
}

enum ir_scope lower_scope(struct lower_ctx *c, enum ir_scope dflt)
{
    switch (lower_mod(c, PTX_C_SCOPE)) {
    case PTX_M_CTA: return IR_CTA;
    case PTX_M_CLUSTER: return IR_CLUSTER;
    case PTX_M_GPU: return IR_GPU;
    case PTX_M_SYS: return IR_SYS;
    default: return dflt;
    }
}

/* .volatile, .relaxed.gpu and the like. Vectors with .cg are how libraries hand a value and its flag to other blocks at once
   (CUB's tile states): they must not be torn. */
bool lower_set_order(struct lower_ctx *c, struct ir_inst *i)
{
    bool has_scope = lower_mod(c, PTX_C_SCOPE) != PTX_M_NONE;
    bool is_load = i->op == IR_LD;
    if (lower_has(c, PTX_M_CG) && (is_load ? i->n_dst > 1 : i->n_src > 2))
        i->flags |= IR_VOLATILE;
    switch (lower_mod(c, PTX_C_SEM)) {
    case PTX_M_VOLATILE: i->flags |= IR_VOLATILE; return !has_scope || lower_fail(c, ".volatile takes no scope");
    case PTX_M_MMIO: i->flags |= IR_VOLATILE; /* fallthrough */
    case PTX_M_RELAXED: i->order = IR_RELAXED; break;
    case PTX_M_ACQUIRE:
        if (!is_load)
            return lower_fail(c, "a store cannot acquire");
        i->order = IR_ACQUIRE;
        break;
    case PTX_M_RELEASE:
        if (is_load)
            return lower_fail(c, "a load cannot release");
        i->order = IR_RELEASE;
        break;
    default: return !has_scope || lower_fail(c, "a scope needs .relaxed, .acquire or .release");
    }
    if (!has_scope)
        return lower_fail(c, "a scope is missing");
    i->scope = (uint8_t)lower_scope(c, IR_SYS);
    return true;
}

/* The operands of a vector access, or the one of a scalar access. */
static const struct ptx_operand *elements(struct lower_ctx *c, int k, unsigned *n)
{
    const struct ptx_operand *o = &c->inst->ops[k];
    *n = o->kind == PTX_O_VEC ? o->n : 1;
    return o->kind == PTX_O_VEC ? o->elems : o;
}

static bool load_param(struct lower_ctx *c, const struct lower_place *at)
{
    unsigned n, bytes = ptx_type_bits(c->inst->type) / 8;
    const struct ptx_operand *d = elements(c, 0, &n);
    enum ir_type type = ir_type_of_bits(bytes * 8);
    const struct ptx_var *v = at->param;
    struct ir_operand values[8];
    bool in_buffer = c->frame->func->is_entry && !c->frame->slots[v->id].used;
    if (at->offset < 0 || (uint64_t)at->offset + (uint64_t)n * bytes > v->bytes)
        return lower_fail(c, "offset %lld is outside '%s'", (long long)at->offset, v->name);
    for (unsigned e = 0; e < n; e++) {
        uint64_t offset = (uint64_t)at->offset + e * bytes;
        if (in_buffer) {
            struct ir_inst *i = lower_emit(c, IR_PARAM, type);
            i->imm = (int64_t)(v->offset + offset);
            ir_inst_dst(i, lower_def(c, &d[e], c->inst->type));
        } else {
            values[e] = lower_slot_read(c, c->frame, v, offset, type);
        }
    }
    for (unsigned e = 0; e < n && !in_buffer; e++)
        lower_mov(c, lower_def(c, &d[e], c->inst->type), values[e]);
    return true;
}

static bool load(struct lower_ctx *c)
{
    struct lower_place at;
    unsigned n;
    if (!lower_find_place(c, 1, &at))
        return false;
    if (at.param)
        return load_param(c, &at);
    const struct ptx_operand *d = elements(c, 0, &n);
    struct ir_inst *i = lower_emit(c, IR_LD, ir_type_of_bits(ptx_type_bits(c->inst->type)));
    i->space = (uint8_t)at.space;
    i->imm = at.offset;
    ir_inst_src(i, at.addr);
    for (unsigned e = 0; e < n; e++)
        ir_inst_dst(i, lower_def(c, &d[e], c->inst->type));
    if (lower_has(c, PTX_M_NC) || at.space == IR_CONST || c->inst->form == PTX_LDU)
        i->flags |= IR_NONCOHERENT;
    return lower_set_order(c, i);
}

bool lower_LD(struct lower_ctx *c) { return load(c); }
bool lower_LDU(struct lower_ctx *c) { return load(c); }

static bool store_param(struct lower_ctx *c, const struct lower_place *at)
{
    unsigned n, bytes = ptx_type_bits(c->inst->type) / 8;
    const struct ptx_operand *s = elements(c, 1, &n);
    const struct ptx_var *v = at->param;
    if (c->frame->func->is_entry && !c->frame->slots[v->id].used)
        return lower_fail(c, "the parameters of a kernel cannot be written");
    if (at->offset < 0 || (uint64_t)at->offset + (uint64_t)n * bytes > v->bytes)
        return lower_fail(c, "offset %lld is outside '%s'", (long long)at->offset, v->name);
    for (unsigned e = 0; e < n; e++)
        lower_slot_write(c, c->frame, v, (uint64_t)at->offset + e * bytes, ir_type_of_bits(bytes * 8), lower_value(c, &s[e], c->inst->type));
    return true;
}

bool lower_ST(struct lower_ctx *c)
{
    struct lower_place at;
    unsigned n;
    struct ir_operand values[8];
    if (!lower_find_place(c, 0, &at))
        return false;
    if (at.param)
        return store_param(c, &at);
    if (at.space == IR_CONST)
        return lower_fail(c, "constant memory cannot be written");
    const struct ptx_operand *s = elements(c, 1, &n);
    for (unsigned e = 0; e < n; e++)
        values[e] = lower_value(c, &s[e], c->inst->type);
    struct ir_inst *i = lower_emit(c, IR_ST, ir_type_of_bits(ptx_type_bits(c->inst->type)));
    i->space = (uint8_t)at.space;
    i->imm = at.offset;
    ir_inst_src(i, at.addr);
    for (unsigned e = 0; e < n; e++)
        ir_inst_src(i, values[e]);
    return lower_set_order(c, i);
}

/* Hints only. */
bool lower_PREFETCH(struct lower_ctx *c)
{
    (void)c;
    return true;
}

bool lower_PREFETCHU(struct lower_ctx *c)
{
    (void)c;
    return true;
}

int lower_atom_of(enum ptx_mod op, enum ptx_type t)
{
    bool is_float = ptx_type_is_float(t), is_signed = ptx_type_is_signed(t), is_bits = ptx_type_info[t].kind == PTX_KIND_BITS;
    switch (op) {
    case PTX_M_ADD: return is_float ? IR_ATOM_FADD : is_bits ? -1 : IR_ATOM_ADD;
    case PTX_M_EXCH: return is_float ? -1 : IR_ATOM_EXCH;
    case PTX_M_CAS: return is_float ? -1 : IR_ATOM_CAS;
    case PTX_M_AND: return is_float ? -1 : IR_ATOM_AND;
    case PTX_M_OR: return is_float ? -1 : IR_ATOM_OR;
    case PTX_M_XOR: return is_float ? -1 : IR_ATOM_XOR;
    case PTX_M_MIN: return is_float || is_bits ? -1 : is_signed ? IR_ATOM_MIN_S : IR_ATOM_MIN_U;
    case PTX_M_MAX: return is_float || is_bits ? -1 : is_signed ? IR_ATOM_MAX_S : IR_ATOM_MAX_U;
    case PTX_M_INC: return t == PTX_U32 ? IR_ATOM_INC : -1;
    case PTX_M_DEC: return t == PTX_U32 ? IR_ATOM_DEC : -1;
    default: return -1;
    }
}

enum ir_order lower_atom_order(struct lower_ctx *c)
{
    switch (lower_mod(c, PTX_C_ATOMSEM)) {
    case PTX_M_ACQUIRE: return IR_ACQUIRE;
    case PTX_M_RELEASE: return IR_RELEASE;
    case PTX_M_ACQ_REL: return IR_ACQ_REL;
    default: return IR_RELAXED;
    }
}

/* first: the operand that holds the address; before it comes the result, if there is one. */
static bool atomic(struct lower_ctx *c, int first, enum ptx_mod op)
{
    enum ptx_type t = c->inst->type;
    int atom = lower_atom_of(op, t);
    struct lower_place at;
    if (atom < 0)
        return lower_fail(c, "this operation does not exist for .%s", ptx_type_info[t].text);
    if (!lower_find_place(c, first, &at))
        return false;
    if (at.param || (at.space != IR_GENERIC && at.space != IR_GLOBAL && at.space != IR_SHARED))
        return lower_fail(c, "atomic operations work on global and shared memory");
    struct ir_operand a = lower_src(c, first + 1, t), b = lower_imm(0);
    if (op == PTX_M_CAS)
        b = lower_src(c, first + 2, t);
    struct ir_inst *i = lower_emit(c, IR_ATOM, lower_type(t));
    i->atom = (uint8_t)atom;
    i->space = (uint8_t)at.space;
    i->imm = at.offset;
    i->order = (uint8_t)lower_atom_order(c);
    i->scope = (uint8_t)lower_scope(c, IR_GPU);
    ir_inst_src(i, at.addr);
    ir_inst_src(i, a);
    if (op == PTX_M_CAS)
        ir_inst_src(i, b);
    if (first == 1 && c->inst->ops[0].kind != PTX_O_SINK)
        ir_inst_dst(i, lower_dst(c, 0, t));
    return true;
}

bool lower_ATOM(struct lower_ctx *c) { return atomic(c, 1, lower_mod(c, PTX_C_ATOMOP)); }
bool lower_ATOM_CAS(struct lower_ctx *c) { return atomic(c, 1, PTX_M_CAS); }
bool lower_RED(struct lower_ctx *c) { return atomic(c, 0, lower_mod(c, PTX_C_REDOP)); }

static struct ir_inst *access_at(struct lower_ctx *c, enum ir_op op, enum ir_type type, const struct lower_place *at, int64_t offset)
{
    struct ir_inst *i = lower_emit(c, op, type);
    i->space = (uint8_t)at->space;
    i->imm = at->offset + offset;
    ir_inst_src(i, at->addr);
    return i;
}

/* No processor adds halves in memory: compare and swap until nobody came between. */
static bool atomic_half(struct lower_ctx *c, int first)
{
    enum ptx_type t = c->inst->type;
    enum ir_type type = ir_type_of_bits(ptx_type_bits(t));
    struct lower_place at;
    if (!lower_find_place(c, first, &at))
        return false;
    if (at.param || (at.space != IR_GENERIC && at.space != IR_GLOBAL && at.space != IR_SHARED))
        return lower_fail(c, "atomic operations work on global and shared memory");
    struct ir_operand b = lower_src(c, first + 1, t);
    struct ir_reg *seen = lower_tmp(c, type), *got = lower_tmp(c, type);
    struct ir_block *again = lower_new_block(c, NULL), *retry = lower_new_block(c, NULL), *done = lower_new_block(c, NULL);
    struct ir_inst *ld = access_at(c, IR_LD, type, &at, 0);
    ir_inst_dst(ld, seen);
    ld->order = IR_RELAXED;
    ld->scope = (uint8_t)lower_scope(c, IR_GPU);
    lower_br(c, again);
    c->block = again;
    struct ir_operand sum = lower_half_add(c, t, lower_reg(seen), b);
    struct ir_inst *cas = access_at(c, IR_ATOM, type, &at, 0);
    cas->atom = IR_ATOM_CAS;
    cas->order = (uint8_t)lower_atom_order(c);
    cas->scope = (uint8_t)lower_scope(c, IR_GPU);
    ir_inst_src(cas, lower_reg(seen));
    ir_inst_src(cas, sum);
    ir_inst_dst(cas, got);
    lower_cbr(c, lower_cmp(c, IR_EQ, type, lower_reg(got), lower_reg(seen)), done, retry);
    c->block = retry;
    lower_mov(c, seen, lower_reg(got));
    lower_br(c, again);
    c->block = done;
    if (first == 1)
        lower_set(c, 0, t, lower_reg(got));
    return true;
}

bool lower_ATOM_H(struct lower_ctx *c) { return atomic_half(c, 1); }
bool lower_RED_H(struct lower_ctx *c) { return atomic_half(c, 0); }

/* One word of a copy of which only the first src_bytes are read; the rest is zero. Bytes of a word that is read in part
   lie in the same aligned word of memory, so reading all of it does no harm. */
static struct ir_operand copy_word(struct lower_ctx *c, const struct lower_place *from, unsigned word, struct ir_operand src_bytes)
{
    struct ir_reg *value = lower_tmp(c, IR_I32);
    struct ir_block *read = lower_new_block(c, NULL), *next = lower_new_block(c, NULL);
    lower_mov(c, value, lower_imm(0));
    lower_cbr(c, lower_cmp(c, IR_UGT, IR_I32, src_bytes, lower_imm(word * 4)), read, next);
    c->block = read;
    ir_inst_dst(access_at(c, IR_LD, IR_I32, from, word * 4), value);
    struct ir_operand left = lower_op2(c, IR_MIN_U, IR_I32, lower_op2(c, IR_SUB, IR_I32, src_bytes, lower_imm(word * 4)), lower_imm(4));
    struct ir_operand mask = lower_op2(c, IR_SHL, IR_I32, lower_imm(1), lower_op2(c, IR_SHL, IR_I32, left, lower_imm(3)));
    mask = lower_op2(c, IR_SUB, IR_I32, mask, lower_imm(1));
    lower_mov(c, value, lower_op2(c, IR_AND, IR_I32, lower_reg(value), mask));
    lower_br(c, next);
    c->block = next;
    return lower_reg(value);
}

/* cp.async to, from, bytes{, bytes to read}: copied on the spot, which is one of the times it may happen. */
bool lower_CP_ASYNC(struct lower_ctx *c)
{
    int64_t bytes = c->inst->ops[2].imm;
    struct lower_place to, from;
    struct ir_operand values[4];
    bool partial = lower_has_op(c, 3);
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return lower_fail(c, "4, 8 or 16 bytes are copied, not %lld", (long long)bytes);
    if (!lower_place_in(c, 0, IR_SHARED, &to) || !lower_place_in(c, 1, IR_GLOBAL, &from))
        return false;
    unsigned n = (unsigned)bytes / 4;
    lower_note(c, NOTE_ASYNC_COPY, (uint32_t)bytes, &to, NULL);
    if (partial) {
        struct ir_operand src_bytes = lower_src(c, 3, PTX_U32);
        for (unsigned w = 0; w < n; w++)
            values[w] = copy_word(c, &from, w, src_bytes);
    } else {
        struct ir_inst *ld = access_at(c, IR_LD, IR_I32, &from, 0);
        for (unsigned w = 0; w < n; w++) {
            ir_inst_dst(ld, lower_tmp(c, IR_I32));
            values[w] = lower_reg(ld->dst[w]);
        }
    }
    struct ir_inst *st = access_at(c, IR_ST, IR_I32, &to, 0);
    for (unsigned w = 0; w < n; w++)
        ir_inst_src(st, values[w]);
    return true;
}

bool lower_CP_COMMIT(struct lower_ctx *c)
{
    lower_note(c, NOTE_ASYNC_COMMIT, 0, NULL, NULL);
    return true;
}

bool lower_CP_WAIT(struct lower_ctx *c)
{
    lower_note(c, NOTE_ASYNC_WAIT, (uint32_t)c->inst->ops[0].imm, NULL, NULL);
    return true;
}

bool lower_CP_WAIT_ALL(struct lower_ctx *c)
{
    lower_note(c, NOTE_ASYNC_DONE, 0, NULL, NULL);
    return true;
}

bool lower_MEMBAR(struct lower_ctx *c)
{
    struct ir_inst *i = lower_emit(c, IR_FENCE, IR_VOID);
    i->scope = (uint8_t)(lower_has(c, PTX_M_CTA) ? IR_CTA : lower_has(c, PTX_M_GL) ? IR_GPU : IR_SYS);
    i->order = IR_SEQ_CST;
    return true;
}

/* There is one way to memory: ordering the others is an ordinary fence. */
static bool proxy_fence(struct lower_ctx *c)
{
    struct ir_inst *i = lower_emit(c, IR_FENCE, IR_VOID);
    i->scope = IR_SYS;
    i->order = IR_ACQ_REL;
    return true;
}

bool lower_FENCE_PROXY(struct lower_ctx *c) { return proxy_fence(c); }
bool lower_FENCE_MBARRIER(struct lower_ctx *c) { return proxy_fence(c); }

bool lower_FENCE(struct lower_ctx *c)
{
    struct ir_inst *i = lower_emit(c, IR_FENCE, IR_VOID);
    i->scope = (uint8_t)lower_scope(c, IR_SYS);
    switch (lower_mod(c, PTX_C_FENCESEM)) {
    case PTX_M_SC: i->order = IR_SEQ_CST; break;
    case PTX_M_ACQUIRE: i->order = IR_ACQUIRE; break;
    case PTX_M_RELEASE: i->order = IR_RELEASE; break;
    default: i->order = IR_ACQ_REL; break;
    }
    return true;
}
