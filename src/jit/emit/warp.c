/* SPDX-License-Identifier: Apache-2.0 */
/* Exchange between the lanes of a warp. A group is a whole warp, so nothing crosses groups. */
#include "jit/emit.h"

static LLVMValueRef i32k(struct emit *e, uint64_t x) { return k_int(e, 32, 1, x); }

/* Bits of a predicate over the whole warp, active lanes only. */
static LLVMValueRef warp_bits(struct emit *e, const struct ir_operand *pred)
{
    LLVMValueRef bits = i32k(e, 0);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef m = mask_or_all(e, c);
        if (pred)
            m = LLVMBuildAnd(e->b, m, v_operand(e, pred, IR_PRED, c), "");
        bits = LLVMBuildOr(e->b, bits, LLVMBuildShl(e->b, mask_bits(e, m), i32k(e, c * e->W), ""), "");
    }
    return bits;
}

static void everywhere(struct emit *e, const struct ir_inst *i, int k, LLVMValueRef u)
{
    for (unsigned c = 0; i->dst[k] && c < slot_count(e, i->dst[k]); c++)
        set_uniform(e, i, k, c, u);
}

/* The members of each lane's own group: lanes may name different ones, as the tiles of a warp do. */
static LLVMValueRef v_members(struct emit *e, const struct ir_operand *o, LLVMValueRef active, unsigned chunk)
{
    return LLVMBuildAnd(e->b, v_operand(e, o, IR_I32, chunk), splat(e, active, e->W), "");
}

static bool one_group(struct emit *e, const struct ir_operand *o)
{
    struct shape s = o_shape(e, o);
    return shape_group_uniform(&s);
}

/* yes and who: scalars or vectors of i32 */
static LLVMValueRef verdict(struct emit *e, const struct ir_inst *i, LLVMValueRef yes, LLVMValueRef who)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(yes));
    LLVMValueRef all = LLVMBuildICmp(e->b, LLVMIntEQ, yes, who, ""), any = LLVMBuildICmp(e->b, LLVMIntNE, yes, zero, "");
    switch (i->imm) {
    case IR_VOTE_ALL: return all;
    case IR_VOTE_ANY: return any;
    case IR_VOTE_UNI: return LLVMBuildOr(e->b, all, LLVMBuildNot(e->b, any, ""), "");
    default: return yes;
    }
}

static void vote(struct emit *e, const struct ir_inst *i)
{
    LLVMValueRef active = warp_bits(e, NULL), votes = warp_bits(e, &i->src[0]);
    if (one_group(e, &i->src[1])) {
        LLVMValueRef who = LLVMBuildAnd(e->b, u_operand(e, &i->src[1], IR_I32, 0), active, "");
        everywhere(e, i, 0, verdict(e, i, LLVMBuildAnd(e->b, votes, who, ""), who));
        return;
    }
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef who = v_members(e, &i->src[1], active, c);
        set_varying(e, i, 0, c, verdict(e, i, LLVMBuildAnd(e->b, splat(e, votes, e->W), who, ""), who));
    }
}

/* All lanes' values in one array in memory, by lane number. */
static LLVMValueRef warp_array(struct emit *e, const struct ir_operand *o, enum ir_type t)
{
    LLVMValueRef array = entry_alloca(e, LLVMVectorType(ty_scalar(e, t), PLAN_LANES), "warp");
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef at = i32k(e, c * e->W);
        LLVMValueRef s = LLVMBuildStore(e->b, v_operand(e, o, t, c), LLVMBuildGEP2(e->b, ty_scalar(e, t), array, &at, 1, ""));
        promise_align(e, s, ir_type_bits(t) / 8);
    }
    return array;
}

/* All lanes' values in one vector, by lane number. */
static LLVMValueRef warp_vector(struct emit *e, const struct ir_operand *o, enum ir_type t)
{
    LLVMValueRef all[PLAN_MAX_CHUNKS], at[PLAN_LANES];
    for (unsigned c = 0; c < e->C; c++)
        all[c] = v_operand(e, o, t, c);
    for (unsigned n = e->C, have = e->W; n > 1; n /= 2, have *= 2) {
        for (unsigned l = 0; l < 2 * have; l++)
            at[l] = i32k(e, l);
        for (unsigned c = 0; c < n / 2; c++)
            all[c] = LLVMBuildShuffleVector(e->b, all[2 * c], all[2 * c + 1], LLVMConstVector(at, 2 * have), "");
    }
    return all[0];
}

/* The lane that `lane` reads in a shuffle of constants; *ok: is it within the segment? */
static unsigned shuffle_source(const struct ir_inst *i, unsigned lane, bool *ok)
{
    unsigned b = i->src[1].imm & 31, clamp = i->src[2].imm & 31, seg = i->src[2].imm >> 8 & 31;
    unsigned low = lane & seg, max = low | (clamp & ~seg);
    int j;
    switch (i->imm) {
    case IR_SHFL_UP: j = (int)lane - (int)b; *ok = j >= (int)max; break;
    case IR_SHFL_DOWN: j = (int)(lane + b); *ok = j <= (int)max; break;
    case IR_SHFL_BFLY: j = (int)(lane ^ b); *ok = j <= (int)max; break;
    default: j = (int)(low | (b & ~seg)); *ok = j <= (int)max; break;
    }
    return *ok ? (unsigned)j & 31 : lane;
}

/* Which lane reads which is known: a permutation of registers, with no way through memory. */
static void constant_shuffle(struct emit *e, const struct ir_inst *i, enum ir_type t)
{
    LLVMValueRef all = warp_vector(e, &i->src[0], t), at[PLAN_LANES], ok[PLAN_LANES];
    for (unsigned c = 0; c < e->C; c++) {
        for (unsigned l = 0; l < e->W; l++) {
            bool in;
            at[l] = i32k(e, shuffle_source(i, c * e->W + l, &in));
            ok[l] = k_int(e, 1, 1, in);
        }
        set_varying(e, i, 0, c, LLVMBuildShuffleVector(e->b, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(at, e->W), ""));
        if (i->n_dst > 1)
            set_varying(e, i, 1, c, LLVMConstVector(ok, e->W));
    }
}

/* PTX: c holds the segment mask in bits 8..12 and the clamp in bits 0..4. */
static void shuffle(struct emit *e, const struct ir_inst *i)
{
    unsigned W = e->W;
    enum ir_type t = ir_type_of_bits(ir_type_bits(i->type));
    if (i->src[1].kind == IR_IMM && i->src[2].kind == IR_IMM && e->C * W == PLAN_LANES) {
        constant_shuffle(e, i, t);
        return;
    }
    LLVMValueRef array = warp_array(e, &i->src[0], t);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef lane = k_lanes(e, 32, W, (int64_t)(c * W), 1), k31 = k_int(e, 32, W, 31);
        LLVMValueRef b = LLVMBuildAnd(e->b, v_operand(e, &i->src[1], IR_I32, c), k31, ""), cc = v_operand(e, &i->src[2], IR_I32, c);
        LLVMValueRef seg = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, cc, k_int(e, 32, W, 8), ""), k31, ""), clamp = LLVMBuildAnd(e->b, cc, k31, "");
        LLVMValueRef not_seg = LLVMBuildNot(e->b, seg, "");
        LLVMValueRef low = LLVMBuildAnd(e->b, lane, seg, ""), max = LLVMBuildOr(e->b, low, LLVMBuildAnd(e->b, clamp, not_seg, ""), ""), j, ok;
        switch (i->imm) {
        case IR_SHFL_UP: j = LLVMBuildSub(e->b, lane, b, ""); ok = LLVMBuildICmp(e->b, LLVMIntSGE, j, max, ""); break;
        case IR_SHFL_DOWN: j = LLVMBuildAdd(e->b, lane, b, ""); ok = LLVMBuildICmp(e->b, LLVMIntSLE, j, max, ""); break;
        case IR_SHFL_BFLY: j = LLVMBuildXor(e->b, lane, b, ""); ok = LLVMBuildICmp(e->b, LLVMIntSLE, j, max, ""); break;
        default: j = LLVMBuildOr(e->b, low, LLVMBuildAnd(e->b, b, not_seg, ""), ""); ok = LLVMBuildICmp(e->b, LLVMIntSLE, j, max, ""); break;
        }
        j = LLVMBuildSelect(e->b, ok, j, lane, "");
        LLVMValueRef ptrs = LLVMBuildGEP2(e->b, ty_scalar(e, t), array, &j, 1, "");
        LLVMTypeRef vt = ty(e, t, W), overloads[] = { vt, LLVMVectorType(ty_ptr(e), W) };
        LLVMValueRef args[] = { ptrs, i32k(e, ir_type_bits(t) / 8), LLVMConstAllOnes(ty_int(e, 1, W)), LLVMGetPoison(vt) };
        set_varying(e, i, 0, c, intrinsic(e, "llvm.masked.gather", overloads, 2, args, 4));
        if (i->n_dst > 1)
            set_varying(e, i, 1, c, ok);
    }
}

struct redux_row {
    uint8_t atom;
    const char *vector, *scalar;
    uint64_t neutral;
};
static const struct redux_row redux_rows[] = {
    { IR_ATOM_AND, "llvm.vector.reduce.and", NULL, UINT64_MAX },
    { IR_ATOM_OR, "llvm.vector.reduce.or", NULL, 0 },
    { IR_ATOM_XOR, "llvm.vector.reduce.xor", NULL, 0 },
    { IR_ATOM_MIN_S, "llvm.vector.reduce.smin", "llvm.smin", 0x7fffffff },
    { IR_ATOM_MIN_U, "llvm.vector.reduce.umin", "llvm.umin", UINT64_MAX },
    { IR_ATOM_MAX_S, "llvm.vector.reduce.smax", "llvm.smax", 0x80000000u },
    { IR_ATOM_MAX_U, "llvm.vector.reduce.umax", "llvm.umax", 0 },
    { IR_ATOM_ADD, "llvm.vector.reduce.add", NULL, 0 },
};

static LLVMValueRef combine(struct emit *e, const struct ir_inst *i, const struct redux_row *row, LLVMValueRef a, LLVMValueRef b)
{
    if (row->scalar)
        return intrinsic2(e, row->scalar, ty(e, i->type, 1), a, b);
    return row->atom == IR_ATOM_ADD ? LLVMBuildAdd(e->b, a, b, "") : row->atom == IR_ATOM_AND ? LLVMBuildAnd(e->b, a, b, "")
         : row->atom == IR_ATOM_OR ? LLVMBuildOr(e->b, a, b, "") : LLVMBuildXor(e->b, a, b, "");
}

/* The reduction over the lanes in `who` (bits over the warp). */
static LLVMValueRef reduce(struct emit *e, const struct ir_inst *i, const struct redux_row *row, LLVMValueRef who)
{
    LLVMValueRef sum = NULL;
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef part = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, who, i32k(e, c * e->W), ""), ty_int(e, e->W, 1), "");
        LLVMValueRef in = LLVMBuildAnd(e->b, cast_to(e, part, ty_int(e, 1, e->W)), mask_or_all(e, c), "");
        LLVMValueRef v = LLVMBuildSelect(e->b, in, v_operand(e, &i->src[0], i->type, c), k_int(e, 32, e->W, row->neutral), "");
        LLVMValueRef r = intrinsic1(e, row->vector, ty(e, i->type, e->W), v);
        sum = sum ? combine(e, i, row, sum, r) : r;
    }
    return sum;
}

static void redux(struct emit *e, const struct ir_inst *i)
{
    const struct redux_row *row = redux_rows;
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    while (row->atom != i->imm && row->atom != IR_ATOM_ADD)
        row++;
    if (one_group(e, &i->src[1])) {
        everywhere(e, i, 0, reduce(e, i, row, u_operand(e, &i->src[1], i->type, 0)));
        return;
    }
    LLVMValueRef out[PLAN_MAX_CHUNKS];                    /* the result may be the operand: set when all chunks are done */
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef groups = lanes_spill(e, v_operand(e, &i->src[1], IR_I32, c)), results = lanes_array(e, i32);
        struct lanes l;
        lanes_begin(e, &l, c);
        lanes_put(e, &l, results, i32, reduce(e, i, row, lanes_get(e, &l, groups, i32)));
        lanes_end(e, &l);
        out[c] = lanes_vector(e, results, i32);
    }
    for (unsigned c = 0; c < e->C; c++)
        set_varying(e, i, 0, c, out[c]);
}

/* For every active lane: which members hold the same value. */
static void match(struct emit *e, const struct ir_inst *i)
{
    enum ir_type t = ir_type_of_bits(ir_type_bits(i->type));
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMValueRef active = warp_bits(e, NULL), out[PLAN_MAX_CHUNKS];
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef mine = lanes_spill(e, v_operand(e, &i->src[0], t, c)), results = lanes_array(e, i32);
        LLVMValueRef groups = lanes_spill(e, v_members(e, &i->src[1], active, c));
        struct lanes l;
        lanes_begin(e, &l, c);
        LLVMValueRef who = lanes_get(e, &l, groups, i32);
        LLVMValueRef value = splat(e, lanes_get(e, &l, mine, ty_scalar(e, t)), e->W), bits = i32k(e, 0);
        for (unsigned d = 0; d < e->C; d++) {
            LLVMValueRef eq = LLVMBuildICmp(e->b, LLVMIntEQ, value, v_operand(e, &i->src[0], t, d), "");
            bits = LLVMBuildOr(e->b, bits, LLVMBuildShl(e->b, mask_bits(e, eq), i32k(e, d * e->W), ""), "");
        }
        bits = LLVMBuildAnd(e->b, bits, who, "");
        if (i->imm == 1)
            bits = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, bits, who, ""), who, i32k(e, 0), "");
        lanes_put(e, &l, results, i32, bits);
        lanes_end(e, &l);
        out[c] = lanes_vector(e, results, i32);
    }
    for (unsigned c = 0; c < e->C; c++) {                 /* the result may be the operand: not before all chunks are done */
        set_varying(e, i, 0, c, out[c]);
        if (i->n_dst > 1)
            set_varying(e, i, 1, c, LLVMBuildICmp(e->b, LLVMIntNE, out[c], LLVMConstNull(LLVMTypeOf(out[c])), ""));
    }
}

bool emit_warp(struct emit *e, const struct ir_inst *i)
{
    if (e->p->lanes == 1) {
        diag_error(e->diag, (int)i->ptx_line, 0, "kernel %s: %s exchanges values between lanes, which the scalar build cannot do", e->p->func->name, ir_op_info[i->op].text);
        return false;
    }
    switch (i->op) {
    case IR_SHFL: shuffle(e, i); break;
    case IR_VOTE: vote(e, i); break;
    case IR_MATCH: match(e, i); break;
    case IR_REDUX: redux(e, i); break;
    case IR_ACTIVEMASK: everywhere(e, i, 0, warp_bits(e, NULL)); break;
    default: break;                                       /* WARPSYNC: lanes of a group never run apart */
    }
    return true;
}
