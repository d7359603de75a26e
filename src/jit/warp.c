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

/* The member mask is one value for the lanes that take part; a varying one comes from the first active lane. */
static LLVMValueRef members(struct emit *e, const struct ir_operand *o)
{
    struct shape s = o_shape(e, o);
    if (shape_group_uniform(&s))
        return u_operand(e, o, IR_I32, 0);
    LLVMValueRef active = warp_bits(e, NULL), all = entry_alloca(e, LLVMArrayType2(ty_int(e, 32, 1), PLAN_LANES), "members");
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef at = i32k(e, c * e->W);
        LLVMValueRef st = LLVMBuildStore(e->b, v_operand(e, o, IR_I32, c), LLVMBuildGEP2(e->b, ty_int(e, 32, 1), all, &at, 1, ""));
        LLVMSetAlignment(st, 4);
    }
    LLVMValueRef first = LLVMBuildAnd(e->b, intrinsic2(e, "llvm.cttz", ty_int(e, 32, 1), active, k_int(e, 1, 1, 0)), i32k(e, 31), "");
    return LLVMBuildLoad2(e->b, ty_int(e, 32, 1), LLVMBuildGEP2(e->b, ty_int(e, 32, 1), all, &first, 1, ""), "");
}

static void vote(struct emit *e, const struct ir_inst *i)
{
    LLVMValueRef who = LLVMBuildAnd(e->b, members(e, &i->src[1]), warp_bits(e, NULL), "");
    LLVMValueRef yes = LLVMBuildAnd(e->b, warp_bits(e, &i->src[0]), who, "");
    LLVMValueRef all = LLVMBuildICmp(e->b, LLVMIntEQ, yes, who, ""), any = LLVMBuildICmp(e->b, LLVMIntNE, yes, i32k(e, 0), "");
    switch (i->imm) {
    case IR_VOTE_ALL: everywhere(e, i, 0, all); break;
    case IR_VOTE_ANY: everywhere(e, i, 0, any); break;
    case IR_VOTE_UNI: everywhere(e, i, 0, LLVMBuildOr(e->b, all, LLVMBuildNot(e->b, any, ""), "")); break;
    default: everywhere(e, i, 0, yes); break;
    }
}

/* All lanes' values in one array in memory, by lane number. */
static LLVMValueRef warp_array(struct emit *e, const struct ir_operand *o, enum ir_type t)
{
    LLVMValueRef array = entry_alloca(e, LLVMVectorType(ty_scalar(e, t), PLAN_LANES), "warp");
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef at = i32k(e, c * e->W);
        LLVMValueRef s = LLVMBuildStore(e->b, v_operand(e, o, t, c), LLVMBuildGEP2(e->b, ty_scalar(e, t), array, &at, 1, ""));
        LLVMSetAlignment(s, ir_type_bits(t) / 8);
    }
    return array;
}

/* PTX: c holds the segment mask in bits 8..12 and the clamp in bits 0..4. */
static void shuffle(struct emit *e, const struct ir_inst *i)
{
    unsigned W = e->W;
    enum ir_type t = ir_type_of_bits(ir_type_bits(i->type));
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

static void redux(struct emit *e, const struct ir_inst *i)
{
    static const struct { uint8_t atom; const char *vector, *scalar; uint64_t neutral; } rows[] = {
        { IR_ATOM_ADD, "llvm.vector.reduce.add", NULL, 0 },
        { IR_ATOM_AND, "llvm.vector.reduce.and", NULL, UINT64_MAX },
        { IR_ATOM_OR, "llvm.vector.reduce.or", NULL, 0 },
        { IR_ATOM_XOR, "llvm.vector.reduce.xor", NULL, 0 },
        { IR_ATOM_MIN_S, "llvm.vector.reduce.smin", "llvm.smin", 0x7fffffff },
        { IR_ATOM_MIN_U, "llvm.vector.reduce.umin", "llvm.umin", UINT64_MAX },
        { IR_ATOM_MAX_S, "llvm.vector.reduce.smax", "llvm.smax", 0x80000000u },
        { IR_ATOM_MAX_U, "llvm.vector.reduce.umax", "llvm.umax", 0 },
    };
    size_t row = 0;
    while (row + 1 < HW_LEN(rows) && rows[row].atom != i->imm)
        row++;
    LLVMValueRef who = members(e, &i->src[1]), sum = NULL;
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef part = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, who, i32k(e, c * e->W), ""), ty_int(e, e->W, 1), "");
        LLVMValueRef in = LLVMBuildAnd(e->b, cast_to(e, part, ty_int(e, 1, e->W)), mask_or_all(e, c), "");
        LLVMValueRef v = LLVMBuildSelect(e->b, in, v_operand(e, &i->src[0], i->type, c), k_int(e, 32, e->W, rows[row].neutral), "");
        LLVMValueRef r = intrinsic1(e, rows[row].vector, ty(e, i->type, e->W), v);
        if (!sum)
            sum = r;
        else if (rows[row].scalar)
            sum = intrinsic2(e, rows[row].scalar, ty(e, i->type, 1), sum, r);
        else
            sum = i->imm == IR_ATOM_ADD ? LLVMBuildAdd(e->b, sum, r, "") : i->imm == IR_ATOM_AND ? LLVMBuildAnd(e->b, sum, r, "")
                : i->imm == IR_ATOM_OR ? LLVMBuildOr(e->b, sum, r, "") : LLVMBuildXor(e->b, sum, r, "");
    }
    everywhere(e, i, 0, sum);
}

/* For every active lane: which members hold the same value. */
static void match(struct emit *e, const struct ir_inst *i)
{
    enum ir_type t = ir_type_of_bits(ir_type_bits(i->type));
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMValueRef who = LLVMBuildAnd(e->b, members(e, &i->src[1]), warp_bits(e, NULL), "");
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef mine = lanes_spill(e, v_operand(e, &i->src[0], t, c)), results = lanes_array(e, i32);
        struct lanes l;
        lanes_begin(e, &l, c);
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
        LLVMValueRef v = lanes_vector(e, results, i32);
        set_varying(e, i, 0, c, v);
        if (i->n_dst > 1)
            set_varying(e, i, 1, c, LLVMBuildICmp(e->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), ""));
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
