/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics on shared memory, lane after lane: those whose old value nobody wants are done some at a time. */
#include "jit/emit.h"

/*
 * A vector in memory whose elements are read in turn; volatile, lest LLVM puts them through shuffles instead. Words are read in
 * pairs: loads are what limits a histogram (measured: 1.3 times faster).
 */
struct spread {
    LLVMValueRef array, pair;
};

static struct spread spread(struct emit *e, LLVMValueRef v)
{
    struct spread s = { .array = entry_alloca(e, LLVMTypeOf(v), "spread") };
    LLVMSetVolatile(LLVMBuildStore(e->b, v, s.array), true);
    return s;
}

static LLVMValueRef spread_load(struct emit *e, const struct spread *s, LLVMTypeRef t, unsigned index)
{
    LLVMValueRef at = k_int(e, 32, 1, index), v = LLVMBuildLoad2(e->b, t, LLVMBuildGEP2(e->b, t, s->array, &at, 1, ""), "");
    LLVMSetVolatile(v, true);
    return v;
}

/* Lanes in rising order. */
static LLVMValueRef spread_get(struct emit *e, struct spread *s, LLVMTypeRef t, unsigned lane)
{
    if (t != ty_int(e, 32, 1))
        return spread_load(e, s, t, lane);
    if (lane % 2 == 0)
        s->pair = spread_load(e, s, ty_int(e, 64, 1), lane / 2);
    return LLVMBuildTrunc(e->b, lane % 2 ? LLVMBuildLShr(e->b, s->pair, k_int(e, 64, 1, 32), "") : s->pair, t, "");
}

/* An atomic whose operands are in memory, lane by lane, to be done. */
struct late_atomic {
    const struct ir_inst *inst;
    unsigned chunk, chunks;      /* of so many chunks, from `chunk` on */
    enum { OFFSETS, POINTERS, HALVES, FIELDS } kind;     /* of `where`; HALVES: a word holds the offsets of a lane of the one chunk and of the next */
    struct spread where, operand[2][3];
    struct {
        const struct ir_inst *inst;
        struct plan_field at;
    } field[16];                 /* FIELDS: these atomics' offsets are fields of the lane's word; the first is inst */
    unsigned n_fields;
    struct {
        const struct ir_inst *inst[16];
        LLVMValueRef x[16];      /* operands of those that came */
        unsigned n, want;
    } row;                       /* atomics on words side by side; the first is inst. want: 0 if it is not one */
};

static LLVMValueRef late_do(struct emit *e, struct late_atomic *a, unsigned lane, unsigned c, LLVMValueRef p)
{
    const struct ir_inst *i = a->inst;
    LLVMTypeRef t = ty_scalar(e, i->type);
    LLVMValueRef x[3] = { 0 };
    for (int k = 1; k < i->n_src; k++)
        x[k] = a->operand[c][k].array ? spread_get(e, &a->operand[c][k], t, lane) : u_operand(e, &i->src[k], i->type, a->chunk + c);
    return atomic_lane(e, i, p, x[1], x[2]);
}

/* Taking a byte out of a register costs less than a vector of offsets for each. */
static void late_fields(struct emit *e, struct late_atomic *a, unsigned lane)
{
    LLVMTypeRef i8 = ty_int(e, 8, 1), i64 = ty_int(e, 64, 1);
    LLVMValueRef word = spread_load(e, &a->where, ty_int(e, 32, 1), lane);
    for (unsigned k = 0; k < a->n_fields; k++) {
        const struct ir_inst *i = a->field[k].inst;
        const struct plan_field *f = &a->field[k].at;
        LLVMValueRef base = k_int(e, 64, 1, (uint64_t)i->imm);
        if (f->base)
            base = LLVMBuildAdd(e->b, base, LLVMBuildSExt(e->b, u_operand(e, f->base, IR_I32, 0), i64, ""), "");
        LLVMValueRef at = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, word, k_int(e, 32, 1, f->shift), ""), k_int(e, 32, 1, f->mask), "");
        at = LLVMBuildMul(e->b, LLVMBuildZExt(e->b, at, i64, ""), k_int(e, 64, 1, f->scale), "");
        LLVMValueRef p = LLVMBuildGEP2(e->b, i8, LLVMBuildGEP2(e->b, i8, env(e, ENV_SHARED), &base, 1, ""), &at, 1, "");
        atomic_lane(e, i, p, u_operand(e, &i->src[1], i->type, a->chunk), NULL);
    }
}

static LLVMValueRef late_place(struct emit *e, struct late_atomic *a, unsigned lane)
{
    if (a->kind == POINTERS)
        return LLVMBuildIntToPtr(e->b, spread_get(e, &a->where, ty_int(e, 64, 1), lane), ty_ptr(e), "");
    return address_pointers(e, a->inst, spread_get(e, &a->where, address_type(e, a->inst, 1), lane));
}

static LLVMValueRef late_lane(struct emit *e, struct late_atomic *a, unsigned lane)
{
    const struct ir_inst *i = a->inst;
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    if (a->kind == FIELDS) {
        late_fields(e, a, lane);
        return NULL;
    }
    if (a->kind == HALVES) {
        LLVMValueRef both = spread_load(e, &a->where, i32, lane), low = LLVMBuildAnd(e->b, both, k_int(e, 32, 1, UINT16_MAX), "");
        late_do(e, a, lane, 0, address_pointers(e, i, low));
        return late_do(e, a, lane, 1, address_pointers(e, i, LLVMBuildLShr(e->b, both, k_int(e, 32, 1, 16), "")));
    }
    return late_do(e, a, lane, 0, late_place(e, a, lane));
}

/* --- rows: sum[k][0] += x; sum[k][1] += y; ... of a lane are one vector's addition --- */

/* a0 b0 a1 b1 ..., from the middle on for the upper half */
static LLVMValueRef zip(struct emit *e, LLVMValueRef a, LLVMValueRef b, bool upper)
{
    LLVMValueRef at[64];
    for (unsigned l = 0; l < e->W; l++)
        at[l] = k_int(e, 32, 1, (upper ? e->W / 2 : 0) + l / 2 + (l % 2 ? e->W : 0));
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(at, e->W), "");
}

/* From n vectors of W lanes to W rows of n, one behind the other. */
static void turn(struct emit *e, LLVMValueRef *v, unsigned n)
{
    LLVMValueRef to[16];
    for (unsigned round = 1; round < n; round *= 2) {
        for (unsigned k = 0; k < n; k++)
            to[k] = zip(e, v[k / 2], v[k / 2 + n / 2], k % 2);
        memcpy(v, to, n * sizeof *v);
    }
}

static void row_part(struct emit *e, const struct ir_inst *i, LLVMValueRef p, LLVMValueRef *turned, unsigned n, unsigned lane)
{
    LLVMValueRef v = turned[lane * n / e->W], at[16];
    for (unsigned k = 0; k < n; k++)
        at[k] = k_int(e, 32, 1, lane * n % e->W + k);
    if (n == 1) {
        atomic_lane(e, i, p, LLVMBuildExtractElement(e->b, v, at[0], ""), NULL);
        return;
    }
    LLVMValueRef old = LLVMBuildLoad2(e->b, LLVMVectorType(ty_scalar(e, i->type), n), p, "");
    LLVMValueRef x = LLVMBuildShuffleVector(e->b, v, v, LLVMConstVector(at, n), "");
    LLVMValueRef store = LLVMBuildStore(e->b, atomic_combine(e, i, old, x), p);
    promise_align(e, old, element_bytes(i));
    promise_align(e, store, element_bytes(i));
    tag_memory(e, old, TAG_SHARED);
    tag_memory(e, store, TAG_SHARED);
}

static unsigned row_part_size(const struct emit *e, const struct late_atomic *a, unsigned first)
{
    unsigned n = 1;
    while (n * 2 <= a->row.n - first && n < e->W)
        n *= 2;
    return n;
}

static void late_row(struct emit *e, struct late_atomic *a)
{
    for (unsigned k = 0, n; k < a->row.n; k += n)
        turn(e, a->row.x + k, n = row_part_size(e, a, k));
    for (unsigned l = 0; l < e->W; l++) {
        LLVMValueRef p = late_place(e, a, l);
        for (unsigned k = 0, n; k < a->row.n; k += n) {
            LLVMValueRef apart = k_int(e, 64, 1, k * element_bytes(a->inst));
            n = row_part_size(e, a, k);
            row_part(e, a->inst, LLVMBuildGEP2(e->b, ty_int(e, 8, 1), p, &apart, 1, ""), a->row.x + k, n, l);
        }
    }
}

/*
 * Shared memory belongs to this OS thread: plain loads and stores, lane after lane, without a loop. Lanes that are off get their
 * own word to change, which nobody reads.
 */
static struct late_atomic shared_places(struct emit *e, const struct ir_inst *i, unsigned chunk, unsigned chunks)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef addresses = v_address(e, i, chunk);
    struct late_atomic a = { .inst = i, .chunk = chunk, .chunks = chunks, .kind = chunks > 1 ? HALVES : e->m[0] ? POINTERS : OFFSETS };
    if (a.kind == POINTERS) {
        addresses = LLVMBuildPtrToInt(e->b, address_pointers(e, i, addresses), ty_int(e, 64, e->W), "");
        addresses = LLVMBuildSelect(e->b, e->m[chunk], addresses, splat(e, LLVMBuildPtrToInt(e->b, e->safe, i64, ""), e->W), "");
    } else if (a.kind == HALVES) {
        LLVMValueRef high = LLVMBuildShl(e->b, v_address(e, i, chunk + 1), k_int(e, 32, e->W, 16), "");
        addresses = LLVMBuildOr(e->b, addresses, high, "");
    }
    a.where = spread(e, addresses);
    return a;
}

static struct late_atomic shared_lanes(struct emit *e, const struct ir_inst *i, unsigned chunk, unsigned chunks)
{
    struct late_atomic a = shared_places(e, i, chunk, chunks);
    for (unsigned c = 0; c < chunks; c++)
        for (int k = 1; k < i->n_src; k++)
            if (i->src[k].kind == IR_REG)
                a.operand[c][k] = spread(e, v_operand(e, &i->src[k], i->type, chunk + c));
    return a;
}

static void shared_now(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMValueRef old = LLVMGetPoison(LLVMVectorType(ty_scalar(e, i->type), e->W));
    struct late_atomic a = shared_lanes(e, i, chunk, 1);
    for (unsigned l = 0; l < e->W; l++)
        old = LLVMBuildInsertElement(e->b, old, late_lane(e, &a, l), k_int(e, 32, 1, l), "");
    set_varying(e, i, 0, chunk, old);
}

bool atomic_unused(struct emit *e, const struct ir_inst *i)
{
    return i->n_dst == 0 || !i->dst[0] || dst_reg(e, i, 0)->n_uses == 0;
}

/*
 * Reading single words of a vector that was just stored is slow, as long as the store is on its way to the cache. So atomics that nobody
 * waits for are done some at a time, at the latest before the next instruction that could tell.
 */
enum { LATE = 32 };              /* vectors of them; measured: fewer are slower, more are no faster */

bool atomic_may_wait(struct emit *e, const struct ir_inst *i)
{
    struct shape s = i->op == IR_ATOM ? o_shape(e, &i->src[0]) : (struct shape){ 0 };
    return i->op == IR_ATOM && e->W > 1 && i->space == IR_SHARED && ir_type_bits(i->type) <= 32 && !shape_group_uniform(&s) && atomic_unused(e, i);
}

void atomics_flush(struct emit *e)
{
    for (size_t k = 0; k < e->late.n; k++)
        if (e->late.v[k]->row.want)
            late_row(e, e->late.v[k]);
        else
            for (unsigned l = 0; l < e->W; l++)
                late_lane(e, e->late.v[k], l);
    e->late.n = 0;
}

/* Offsets that are known to be small go two to a word: half the stores, half the loads. The lanes then take turns in another order. */
static bool halves(struct emit *e, const struct ir_inst *i)
{
    struct shape s = o_shape(e, &i->src[0]);
    return !e->m[0] && e->C % 2 == 0 && atomic_reduction(i->atom) && i->imm >= 0 && i->imm <= UINT16_MAX && s.umax <= (uint64_t)(UINT16_MAX - i->imm);
}

/* An atomic that adds one number in every lane, where a field of a word says. */
static bool field_of(struct emit *e, const struct ir_inst *i, struct plan_field *f)
{
    return !e->m[0] && atomic_may_wait(e, i) && atomic_reduction(i->atom) && i->src[1].kind == IR_IMM && i->imm > -OFFSET_NEAR && i->imm < OFFSET_NEAR &&
        plan_field(e->p, i, e->at, f) && (uint64_t)(f->mask & UINT32_MAX >> f->shift) * f->scale < OFFSET_NEAR;
}

/* Do several atomics, near each other, take their offsets from one word? Then the word is put into memory instead of the offsets. */
static bool shares_word(struct emit *e, const struct ir_inst *i, struct plan_field *f)
{
    enum { SEVERAL = 3, NEAR = 128 };
    const struct ir_block *b = e->p->blocks[e->at].ir;
    struct plan_field other;
    size_t at = 0, n = 0;
    if (!field_of(e, i, f))
        return false;
    while (b->insts.v[at] != i)
        at++;
    for (size_t j = at > NEAR ? at - NEAR : 0; j < b->insts.n && j < at + NEAR && n < SEVERAL; j++)
        n += b->insts.v[j]->op == IR_ATOM && field_of(e, b->insts.v[j], &other) && other.word->reg == f->word->reg;
    return n >= SEVERAL;
}

static void fields_later(struct emit *e, const struct ir_inst *i, const struct plan_field *f, unsigned chunk)
{
    struct late_atomic *a = NULL;
    for (size_t k = 0; k < e->late.n && !a; k++) {
        struct late_atomic *l = e->late.v[k];
        if (l->kind == FIELDS && l->chunk == chunk && l->n_fields < HW_LEN(l->field) && l->field[0].at.word->reg == f->word->reg)
            a = l;
    }
    if (!a) {
        a = hw_arena_alloc(&e->arena, sizeof *a);
        *a = (struct late_atomic){ .inst = i, .chunk = chunk, .kind = FIELDS, .where = spread(e, v_operand(e, f->word, IR_I32, chunk)) };
        hw_vec_push(&e->late, a);
    }
    a->field[a->n_fields].inst = i;
    a->field[a->n_fields++].at = *f;
}

/* A power of two that divides the distance between any two lanes' addresses. */
static uint64_t lanes_apart(const struct shape *s)
{
    uint64_t any = s->kind == SHAPE_AFFINE ? s->align | (uint64_t)s->stride : ~s->zero;
    return any & -any;
}

/*
 * The atomics on the words behind this one's, as far as nothing comes between that could tell. If it matters which lane adds first, no word may be in
 * two rows at different places.
 */
static unsigned row_ahead(struct emit *e, const struct ir_inst *i, const struct ir_inst **out)
{
    const struct ir_block *b = e->p->blocks[e->at].ir;
    struct shape s = o_shape(e, &i->src[0]);
    uint64_t most = hw_min_u64(e->W, 16), n = 1;
    size_t j = 0;
    if (!atomic_reduction(i->atom))
        most = i->atom == IR_ATOM_FADD ? hw_min_u64(most, lanes_apart(&s) / element_bytes(i)) : 1;
    out[0] = i;
    while (b->insts.v[j] != i)
        j++;
    for (j++; j < b->insts.n && n < most && !ir_defines(b->insts.v[j - 1], i->src[0].reg); j++) {
        const struct ir_inst *k = b->insts.v[j];
        if (!(ir_op_info[k->op].props & IR_PROP_PURE) && !atomic_may_wait(e, k))
            break;
        if (k->op == IR_ATOM && k->atom == i->atom && k->type == i->type && k->space == i->space && k->src[0].kind == IR_REG
            && k->src[0].reg == i->src[0].reg && k->imm == i->imm + (int64_t)n * element_bytes(i))
            out[n++] = k;
    }
    return (unsigned)n;
}

static bool opens_row(struct emit *e, const struct ir_inst *i)
{
    const struct ir_inst *row[16];
    return i->src[0].kind == IR_REG && ir_type_bits(i->type) == 32 && row_ahead(e, i, row) > 1;
}

static void row_later(struct emit *e, const struct ir_inst *i)
{
    for (unsigned c = 0; c < e->C; c++) {
        struct late_atomic *a = hw_arena_alloc(&e->arena, sizeof *a);
        *a = shared_places(e, i, c, 1);
        a->row.want = row_ahead(e, i, a->row.inst);
        a->row.x[a->row.n++] = v_operand(e, &i->src[1], i->type, c);
        hw_vec_push(&e->late, a);
    }
}

static bool continues_row(struct emit *e, const struct ir_inst *i)
{
    bool any = false;
    for (size_t k = 0; k < e->late.n; k++) {
        struct late_atomic *a = e->late.v[k];
        if (a->row.n == a->row.want || a->row.inst[a->row.n] != i)
            continue;
        a->row.x[a->row.n++] = v_operand(e, &i->src[1], i->type, a->chunk);
        any = true;
    }
    return any;
}

/*
 * Fields of one word, and rows, are done together, whatever came between them: that may be nothing but the same operation, and none whose order shows in
 * its result.
 */
static bool out_of_order(struct emit *e, const struct ir_inst *i, bool together)
{
    bool other = false;
    for (size_t k = 0; k < e->late.n; k++) {
        const struct late_atomic *a = e->late.v[k];
        other |= a->inst->atom != i->atom || a->inst->type != i->type || !atomic_reduction(i->atom);
        together |= a->kind == FIELDS || a->row.want;
    }
    return other && together;
}

static void shared_later(struct emit *e, const struct ir_inst *i)
{
    struct plan_field f;
    bool field = shares_word(e, i, &f), row = !field && opens_row(e, i);
    unsigned chunks = halves(e, i) ? 2 : 1, n = 0;
    if (out_of_order(e, i, field || row))
        atomics_flush(e);
    for (unsigned c = 0; c < e->C && field; c++)
        fields_later(e, i, &f, c);
    if (row)
        row_later(e, i);
    for (unsigned c = 0; c < e->C && !field && !row; c += chunks) {
        struct late_atomic *a = hw_arena_alloc(&e->arena, sizeof *a);
        *a = shared_lanes(e, i, c, chunks);
        hw_vec_push(&e->late, a);
    }
    for (size_t k = 0; k < e->late.n; k++)
        n += e->late.v[k]->chunks + e->late.v[k]->n_fields;
    if (n >= LATE)
        atomics_flush(e);
}

bool late_atomic(struct emit *e, const struct ir_inst *i)
{
    if (i->space != IR_SHARED || ir_type_bits(i->type) > 32)
        return false;
    if (!atomic_may_wait(e, i))
        for (unsigned c = 0; c < e->C; c++)
            shared_now(e, i, c);
    else if (!continues_row(e, i))
        shared_later(e, i);
    return true;
}
