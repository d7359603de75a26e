/* SPDX-License-Identifier: Apache-2.0 */
/* Integer arithmetic, comparison and choice: one value from its operands, scalar or vector. */
#include "jit/emit.h"

/* PTX clamps shift counts; LLVM's shifts by the width or more are poison, hence the selects. */
static LLVMValueRef shift(struct emit *e, const struct ir_inst *i, LLVMValueRef a, LLVMValueRef count, unsigned lanes)
{
    unsigned bits = ir_type_bits(i->type);
    LLVMTypeRef t = ty(e, i->type, lanes);
    LLVMValueRef limit = k_int(e, 32, lanes, bits);
    LLVMValueRef in_range = LLVMBuildICmp(e->b, LLVMIntULT, count, limit, "");
    LLVMValueRef safe;
    if (i->op == IR_SHR_S)
        safe = LLVMBuildSelect(e->b, in_range, count, k_int(e, 32, lanes, bits - 1), "");
    else
        safe = LLVMBuildAnd(e->b, count, k_int(e, 32, lanes, bits - 1), "");
    safe = bits > 32 ? LLVMBuildZExt(e->b, safe, t, "") : bits < 32 ? LLVMBuildTrunc(e->b, safe, t, "") : safe;
    if (i->op == IR_SHR_S)
        return LLVMBuildAShr(e->b, a, safe, "");
    LLVMValueRef r = i->op == IR_SHL ? LLVMBuildShl(e->b, a, safe, "") : LLVMBuildLShr(e->b, a, safe, "");
    return LLVMBuildSelect(e->b, in_range, r, LLVMConstNull(t), "");
}

/* There is no vector integer division. The quotient of two 32-bit numbers is right when double precision is cut off, that of shorter ones in single. */
static LLVMValueRef divide_by_floats(struct emit *e, bool is_signed, LLVMValueRef a, LLVMValueRef b, enum ir_type type, unsigned lanes)
{
    LLVMTypeRef f = ty(e, type == IR_I32 ? IR_F64 : IR_F32, lanes), i32 = ty(e, IR_I32, lanes), t = ty(e, type, lanes);
    LLVMValueRef q;
    if (is_signed) {
        q = LLVMBuildFDiv(e->b, LLVMBuildSIToFP(e->b, a, f, ""), LLVMBuildSIToFP(e->b, b, f, ""), "");
        q = LLVMBuildFPToSI(e->b, q, i32, "");
    } else {
        q = LLVMBuildFDiv(e->b, LLVMBuildUIToFP(e->b, a, f, ""), LLVMBuildUIToFP(e->b, b, f, ""), "");
        q = LLVMBuildFPToUI(e->b, q, i32, "");
    }
    return type == IR_I32 ? q : LLVMBuildTrunc(e->b, q, t, "");
}

/* Division never traps on the device: x / 0 and x % 0 are all ones, and INT_MIN / -1 wraps. */
static LLVMValueRef divide(struct emit *e, const struct ir_inst *i, LLVMValueRef a, LLVMValueRef b, unsigned lanes)
{
    bool is_signed = i->op == IR_DIV_S || i->op == IR_REM_S, rem = i->op == IR_REM_S || i->op == IR_REM_U;
    LLVMTypeRef t = ty(e, i->type, lanes);
    LLVMValueRef one = k_int(e, ir_type_bits(i->type), lanes, 1), zero = LLVMConstNull(t), ones = LLVMConstAllOnes(t);
    bool known = i->src[1].kind == IR_IMM && i->src[1].imm != 0 && i->src[1].imm != UINT64_MAX && (uint32_t)i->src[1].imm != UINT32_MAX;
    if (known) {
        if (rem)
            return is_signed ? LLVMBuildSRem(e->b, a, b, "") : LLVMBuildURem(e->b, a, b, "");
        return is_signed ? LLVMBuildSDiv(e->b, a, b, "") : LLVMBuildUDiv(e->b, a, b, "");
    }
    LLVMValueRef is_zero = LLVMBuildICmp(e->b, LLVMIntEQ, b, zero, "");
    LLVMValueRef odd = is_zero;
    LLVMValueRef minus = is_signed ? LLVMBuildICmp(e->b, LLVMIntEQ, b, ones, "") : NULL;
    if (minus)
        odd = LLVMBuildOr(e->b, odd, minus, "");
    LLVMValueRef safe = LLVMBuildSelect(e->b, odd, one, b, "");
    LLVMValueRef q;
    if (lanes > 1 && ir_type_bits(i->type) <= 32)
        q = divide_by_floats(e, is_signed, a, safe, i->type, lanes);
    else
        q = is_signed ? LLVMBuildSDiv(e->b, a, safe, "") : LLVMBuildUDiv(e->b, a, safe, "");
    if (rem) {
        LLVMValueRef r = LLVMBuildSub(e->b, a, LLVMBuildMul(e->b, q, safe, ""), "");
        return LLVMBuildSelect(e->b, is_zero, ones, r, "");   /* by -1 the safe divisor 1 gives 0: right */
    }
    if (minus)
        q = LLVMBuildSelect(e->b, minus, LLVMBuildNeg(e->b, a, ""), q, "");
    return LLVMBuildSelect(e->b, is_zero, ones, q, "");
}

static bool same_operand(const struct ir_operand *a, const struct ir_operand *b)
{
    return a->kind == b->kind && (a->kind == IR_REG ? a->reg == b->reg : a->imm == b->imm);
}

/* Vectors of which the block also has the other half of the product, of numbers without a sign. */
static bool by_halves(const struct emit *e, const struct ir_inst *i, unsigned lanes)
{
    if (i->type != IR_I32 || i->op == IR_MULHI_S || lanes < 4)
        return false;
    const struct ir_block *b = e->p->blocks[e->at].ir;
    enum ir_op other = i->op == IR_MUL ? IR_MULHI_U : IR_MUL;
    for (size_t j = 0; j < b->insts.n; j++) {
        const struct ir_inst *o = b->insts.v[j];
        for (int k = 0; o->op == other && o->type == i->type && k < 2; k++)
            if (same_operand(&o->src[0], &i->src[k]) && same_operand(&o->src[1], &i->src[1 - k]))
                return true;
    }
    return false;
}

/* One half of each product, of words of 32 bits: those of even and odd lanes are two vectors of 64-bit products, which serve both halves. */
static LLVMValueRef half_product(struct emit *e, LLVMValueRef a, LLVMValueRef b, bool high, unsigned lanes)
{
    LLVMTypeRef wide = ty_int(e, 64, lanes / 2), words = ty_int(e, 32, lanes);
    LLVMValueRef x = LLVMBuildBitCast(e->b, a, wide, ""), y = LLVMBuildBitCast(e->b, b, wide, ""), low = k_int(e, 64, lanes / 2, UINT32_MAX);
    LLVMValueRef up = k_int(e, 64, lanes / 2, 32), from[64];
    LLVMValueRef even = LLVMBuildMul(e->b, LLVMBuildAnd(e->b, x, low, ""), LLVMBuildAnd(e->b, y, low, ""), "");
    LLVMValueRef odd = LLVMBuildMul(e->b, LLVMBuildLShr(e->b, x, up, ""), LLVMBuildLShr(e->b, y, up, ""), "");
    for (unsigned l = 0; l < lanes; l++)
        from[l] = k_int(e, 32, 1, l - l % 2 + high + l % 2 * lanes);
    return LLVMBuildShuffleVector(e->b, LLVMBuildBitCast(e->b, even, words, ""), LLVMBuildBitCast(e->b, odd, words, ""), LLVMConstVector(from, lanes), "");
}

static LLVMValueRef mul_high(struct emit *e, const struct ir_inst *i, LLVMValueRef a, LLVMValueRef b, unsigned lanes)
{
    unsigned bits = ir_type_bits(i->type);
    LLVMTypeRef wide = ty_int(e, 2 * bits, lanes);
    bool is_signed = i->op == IR_MULHI_S;
    LLVMValueRef x = is_signed ? LLVMBuildSExt(e->b, a, wide, "") : LLVMBuildZExt(e->b, a, wide, "");
    LLVMValueRef y = is_signed ? LLVMBuildSExt(e->b, b, wide, "") : LLVMBuildZExt(e->b, b, wide, "");
    LLVMValueRef p = LLVMBuildLShr(e->b, LLVMBuildMul(e->b, x, y, ""), k_int(e, 2 * bits, lanes, bits), "");
    return LLVMBuildTrunc(e->b, p, ty(e, i->type, lanes), "");
}

static LLVMIntPredicate int_predicate(uint8_t cmp)
{
    static const LLVMIntPredicate of[] = { LLVMIntEQ, LLVMIntNE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE };
    return of[cmp];
}

static LLVMRealPredicate real_predicate(uint8_t cmp)
{
    static const LLVMRealPredicate of[] = { LLVMRealOEQ, LLVMRealONE, LLVMRealOLT, LLVMRealOLE, LLVMRealOGT, LLVMRealOGE, LLVMRealUEQ,
                                            LLVMRealUNE, LLVMRealULT, LLVMRealULE, LLVMRealUGT, LLVMRealUGE, LLVMRealORD, LLVMRealUNO };
    return of[cmp - IR_FEQ];
}

static LLVMValueRef compare(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes)
{
    if (!ir_type_is_float(i->type))
        return LLVMBuildICmp(e->b, int_predicate(i->cmp), src[0], src[1], "");
    LLVMValueRef a = src[0], b = src[1];
    if (i->flags & IR_FTZ) {
        a = flush(e, a, i->type, lanes);
        b = flush(e, b, i->type, lanes);
    }
    return LLVMBuildFCmp(e->b, real_predicate(i->cmp), a, b, "");
}

/* Selector nibbles pick bytes of b:a; bit 3 of a nibble spreads that byte's sign. */
static LLVMValueRef permute(struct emit *e, LLVMValueRef *src, unsigned lanes)
{
    LLVMTypeRef wide = ty_int(e, 64, lanes), t = ty_int(e, 32, lanes);
    LLVMValueRef pool = LLVMBuildOr(e->b, LLVMBuildZExt(e->b, src[0], wide, ""),
                                    LLVMBuildShl(e->b, LLVMBuildZExt(e->b, src[1], wide, ""), k_int(e, 64, lanes, 32), ""), "");
    LLVMValueRef result = LLVMConstNull(t);
    for (unsigned n = 0; n < 4; n++) {
        LLVMValueRef nib = LLVMBuildLShr(e->b, src[2], k_int(e, 32, lanes, 4 * n), "");
        LLVMValueRef at = LLVMBuildShl(e->b, LLVMBuildAnd(e->b, nib, k_int(e, 32, lanes, 7), ""), k_int(e, 32, lanes, 3), "");
        LLVMValueRef byte = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, pool, LLVMBuildZExt(e->b, at, wide, ""), ""), t, "");
        byte = LLVMBuildAnd(e->b, byte, k_int(e, 32, lanes, 0xff), "");
        LLVMValueRef spread = LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, nib, k_int(e, 32, lanes, 8), ""), LLVMConstNull(t), "");
        LLVMValueRef sign = LLVMBuildICmp(e->b, LLVMIntUGE, byte, k_int(e, 32, lanes, 0x80), "");
        byte = LLVMBuildSelect(e->b, spread, LLVMBuildSelect(e->b, sign, k_int(e, 32, lanes, 0xff), LLVMConstNull(t), ""), byte, "");
        result = LLVMBuildOr(e->b, result, LLVMBuildShl(e->b, byte, k_int(e, 32, lanes, 8 * n), ""), "");
    }
    return result;
}

static LLVMValueRef count_bits(struct emit *e, const struct ir_inst *i, LLVMValueRef a, unsigned lanes)
{
    LLVMTypeRef t = ty(e, i->type, lanes), i32 = ty_int(e, 32, lanes);
    LLVMValueRef r;
    if (i->op == IR_POPC) {
        r = intrinsic1(e, "llvm.ctpop", t, a);
    } else {
        LLVMValueRef args[] = { a, k_int(e, 1, 1, 0) };
        r = intrinsic(e, i->op == IR_CLZ ? "llvm.ctlz" : "llvm.cttz", &t, 1, args, 2);
    }
    unsigned bits = ir_type_bits(i->type);
    return bits > 32 ? LLVMBuildTrunc(e->b, r, i32, "") : bits < 32 ? LLVMBuildZExt(e->b, r, i32, "") : r;
}

/* Funnel shifts are modulo the width in LLVM as in the IR. */
static LLVMValueRef funnel(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes)
{
    LLVMTypeRef t = ty(e, i->type, lanes);
    LLVMValueRef count = ir_type_bits(i->type) == 64 ? LLVMBuildZExt(e->b, src[2], t, "") : src[2];
    return intrinsic3(e, i->op == IR_FSHL ? "llvm.fshl" : "llvm.fshr", t, src[0], src[1], count);
}

static LLVMValueRef min_max(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes)
{
    const char *name = i->op == IR_MIN_S ? "llvm.smin" : i->op == IR_MIN_U ? "llvm.umin" : i->op == IR_MAX_S ? "llvm.smax" : "llvm.umax";
    return intrinsic2(e, name, ty(e, i->type, lanes), src[0], src[1]);
}

LLVMValueRef op_value(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes, unsigned chunk)
{
    LLVMTypeRef t = ty(e, i->type, lanes);
    switch (i->op) {
    case IR_MOV: return src[0];
    case IR_ADD: return LLVMBuildAdd(e->b, src[0], src[1], "");
    case IR_SUB: return LLVMBuildSub(e->b, src[0], src[1], "");
    case IR_MUL: return by_halves(e, i, lanes) ? half_product(e, src[0], src[1], false, lanes) : LLVMBuildMul(e->b, src[0], src[1], "");
    case IR_MULHI_S: case IR_MULHI_U: return by_halves(e, i, lanes) ? half_product(e, src[0], src[1], true, lanes) : mul_high(e, i, src[0], src[1], lanes);
    case IR_DIV_S: case IR_DIV_U: case IR_REM_S: case IR_REM_U: return divide(e, i, src[0], src[1], lanes);
    case IR_AND: return LLVMBuildAnd(e->b, src[0], src[1], "");
    case IR_OR: return LLVMBuildOr(e->b, src[0], src[1], "");
    case IR_XOR: return LLVMBuildXor(e->b, src[0], src[1], "");
    case IR_NOT: return LLVMBuildNot(e->b, src[0], "");
    case IR_NEG: return LLVMBuildNeg(e->b, src[0], "");
    case IR_ABS: return intrinsic2(e, "llvm.abs", t, src[0], k_int(e, 1, 1, 0));
    case IR_SHL: case IR_SHR_U: case IR_SHR_S: return shift(e, i, src[0], src[1], lanes);
    case IR_MIN_S: case IR_MIN_U: case IR_MAX_S: case IR_MAX_U: return min_max(e, i, src, lanes);
    case IR_ADDSAT_S: return intrinsic2(e, "llvm.sadd.sat", t, src[0], src[1]);
    case IR_SUBSAT_S: return intrinsic2(e, "llvm.ssub.sat", t, src[0], src[1]);
    case IR_POPC: case IR_CLZ: case IR_CTZ: return count_bits(e, i, src[0], lanes);
    case IR_BREV: return intrinsic1(e, "llvm.bitreverse", t, src[0]);
    case IR_FSHL: case IR_FSHR: return funnel(e, i, src, lanes);
    case IR_PRMT: return permute(e, src, lanes);
    case IR_CMP: return compare(e, i, src, lanes);
    case IR_SELECT: return LLVMBuildSelect(e->b, src[0], src[1], src[2], "");
    default: break;
    }
    LLVMValueRef v = float_value(e, i, src, lanes, chunk);
    if (!v)
        v = convert_value(e, i, src, lanes, chunk);
    if (!v)
        v = approx_value(e, i, src, lanes, chunk);
    if (!v && i->op == IR_MATH)
        v = math_value(e, i, src, lanes, chunk);
    return v;
}
