/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between types, packing and unpacking. */
#include "jit/emit.h"

#include <stdio.h>

static LLVMValueRef round_integral(struct emit *e, LLVMValueRef v, enum ir_type t, unsigned lanes, enum ir_rnd rnd)
{
    static const char *const names[] = { "llvm.roundeven", "llvm.trunc", "llvm.floor", "llvm.ceil", "llvm.round" };
    return intrinsic1(e, names[rnd], ty(e, t, lanes), v);
}

LLVMValueRef widen_half(struct emit *e, LLVMValueRef v, enum ir_type *t, unsigned lanes)
{
    if (*t == IR_BF16) {
        LLVMValueRef bits = LLVMBuildZExt(e->b, cast_to(e, v, ty_int(e, 16, lanes)), ty_int(e, 32, lanes), "");
        *t = IR_F32;
        return cast_to(e, LLVMBuildShl(e->b, bits, k_int(e, 32, lanes, 16), ""), ty(e, IR_F32, lanes));
    }
    if (*t == IR_F16) {
        *t = IR_F32;
        return LLVMBuildFPExt(e->b, v, ty(e, IR_F32, lanes), "");
    }
    return v;
}

LLVMValueRef to_bf16(struct emit *e, LLVMValueRef v, enum ir_rnd rnd, unsigned lanes)
{
    LLVMTypeRef i32 = ty_int(e, 32, lanes);
    LLVMValueRef bits = cast_to(e, v, i32), sum = bits;
    if (rnd == IR_RN) {
        LLVMValueRef odd = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, bits, k_int(e, 32, lanes, 16), ""), k_int(e, 32, lanes, 1), "");
        sum = LLVMBuildAdd(e->b, bits, LLVMBuildAdd(e->b, odd, k_int(e, 32, lanes, 0x7fff), ""), "");
    }
    LLVMValueRef nan = LLVMBuildFCmp(e->b, LLVMRealUNO, v, v, "");
    LLVMValueRef top = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, sum, k_int(e, 32, lanes, 16), ""), ty_int(e, 16, lanes), "");
    top = LLVMBuildSelect(e->b, nan, k_int(e, 16, lanes, 0x7fff), top, "");
    return cast_to(e, top, ty(e, IR_BF16, lanes));
}

/* To f32 so that rounding it again to fewer digits cannot go wrong: what is not exact gets an odd last digit. */
LLVMValueRef to_odd_f32(struct emit *e, LLVMValueRef v, unsigned lanes)
{
    LLVMTypeRef i32 = ty_int(e, 32, lanes), f64 = ty(e, IR_F64, lanes);
    LLVMValueRef f = LLVMBuildFPTrunc(e->b, v, ty(e, IR_F32, lanes), ""), back = LLVMBuildFPExt(e->b, f, f64, ""), bits = cast_to(e, f, i32);
    LLVMValueRef above = LLVMBuildFCmp(e->b, LLVMRealOGT, intrinsic1(e, "llvm.fabs", f64, back), intrinsic1(e, "llvm.fabs", f64, v), "");
    LLVMValueRef inexact = LLVMBuildFCmp(e->b, LLVMRealONE, back, v, "");
    LLVMValueRef odd = LLVMBuildSub(e->b, bits, LLVMBuildZExt(e->b, above, i32, ""), "");
    odd = LLVMBuildOr(e->b, odd, k_int(e, 32, lanes, 1), "");
    return cast_to(e, LLVMBuildSelect(e->b, inexact, odd, bits, ""), ty(e, IR_F32, lanes));
}

/* f32 to f16. Towards zero: one back from where rounding to nearest went outwards. */
LLVMValueRef to_f16(struct emit *e, LLVMValueRef v, enum ir_rnd rnd, unsigned lanes)
{
    LLVMTypeRef f32 = ty(e, IR_F32, lanes), f16 = ty(e, IR_F16, lanes), i16 = ty_int(e, 16, lanes);
    LLVMValueRef h = one_nan(e, LLVMBuildFPTrunc(e->b, v, f16, ""), IR_F16, lanes);
    if (rnd != IR_RZ)
        return h;
    LLVMValueRef out = intrinsic1(e, "llvm.fabs", f32, LLVMBuildFPExt(e->b, h, f32, ""));
    LLVMValueRef outwards = LLVMBuildFCmp(e->b, LLVMRealOGT, out, intrinsic1(e, "llvm.fabs", f32, v), "");
    return cast_to(e, LLVMBuildSub(e->b, cast_to(e, h, i16), LLVMBuildZExt(e->b, outwards, i16, ""), ""), f16);
}

static LLVMValueRef clamp01(struct emit *e, LLVMValueRef v, enum ir_type t, unsigned lanes)
{
    uint64_t one = t == IR_F64 ? 0x3ff0000000000000u : t == IR_F32 ? 0x3f800000u : t == IR_BF16 ? 0x3f80u : 0x3c00u;
    LLVMValueRef zero = LLVMConstNull(ty(e, t, lanes)), k = k_bits(e, t, lanes, one);
    v = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, v, zero, ""), v, zero, "");
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, v, k, ""), v, k, "");
}

/* Rounding modes other than the CPU's own, where x86.c has no instruction: a scalar body per lane, hw_rnd_SRC_DST(x, mode) in rounding.c. */
static LLVMValueRef rounded(struct emit *e, const struct ir_inst *i, const char *from, LLVMValueRef a, unsigned lanes, unsigned chunk)
{
    char name[48];
    snprintf(name, sizeof name, "hw_rnd_%s_%s", from, i->type == IR_F64 ? "f64" : "f32");
    LLVMValueRef args[] = { a, k_int(e, 32, lanes, i->rnd) };
    LLVMTypeRef types[] = { LLVMTypeOf(a), ty_int(e, 32, 1) };
    if (lanes > 1)
        types[0] = LLVMGetElementType(types[0]);
    return lane_calls(e, name, ty_scalar(e, i->type), args, types, 2, lanes, chunk);
}

static LLVMValueRef float_to_float(struct emit *e, const struct ir_inst *i, LLVMValueRef a, unsigned lanes, unsigned chunk)
{
    enum ir_type from = i->type2;
    a = widen_half(e, a, &from, lanes);
    if ((i->flags & IR_FTZ) && from == IR_F32)
        a = flush(e, a, IR_F32, lanes);
    LLVMValueRef v = a;
    if (i->type == IR_BF16) {
        if (from == IR_F64)
            v = to_odd_f32(e, v, lanes);
        v = to_bf16(e, v, (enum ir_rnd)i->rnd, lanes);
    } else if (i->type == IR_F16 && from != IR_F16) {
        v = to_f16(e, from == IR_F64 ? to_odd_f32(e, v, lanes) : v, (enum ir_rnd)i->rnd, lanes);
    } else if (ir_type_bits(i->type) < ir_type_bits(from)) {
        bool other = i->rnd != IR_RN && from == IR_F64 && i->type == IR_F32;
        LLVMValueRef wide = other ? x86_convert_rounded(e, a, false, ty(e, i->type, lanes), (enum ir_rnd)i->rnd, lanes) : NULL;
        v = wide ? wide : other ? rounded(e, i, "fromf64", a, lanes, chunk) : LLVMBuildFPTrunc(e->b, v, ty(e, i->type, lanes), "");
    } else if (ir_type_bits(i->type) > ir_type_bits(from)) {
        v = LLVMBuildFPExt(e->b, v, ty(e, i->type, lanes), "");
    }
    if ((i->flags & IR_FTZ) && i->type == IR_F32)
        v = flush(e, v, IR_F32, lanes);
    return i->flags & IR_SAT ? clamp01(e, v, i->type, lanes) : v;
}

/*
 * Towards zero, what is too large or too small to the nearest, NaN to 0: llvm.fpto*i.sat for vectors, of which LLVM makes scalar code, seven
 * instructions a lane. Below, numbers are limited before they are converted; above, the type's largest is no float, mostly, and is put in afterwards.
 */
static LLVMValueRef saturated(struct emit *e, bool is_signed, unsigned bits, LLVMValueRef a, enum ir_type from, unsigned lanes)
{
    unsigned made = bits < 32 ? 32 : bits;
    double power = is_signed ? (double)((uint64_t)1 << (bits - 1)) : 2 * (double)((uint64_t)1 << (bits - 1));
    LLVMValueRef least = k_real(e, from, lanes, is_signed ? -power : 0), limit = k_real(e, from, lanes, power);
    LLVMValueRef low = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, a, least, ""), a, least, "");       /* NaN: the least */
    LLVMTypeRef t = ty_int(e, made, lanes);
    LLVMValueRef v = is_signed || bits < 32 ? LLVMBuildFPToSI(e->b, low, t, "") : LLVMBuildFPToUI(e->b, low, t, "");
    LLVMValueRef most = k_int(e, made, lanes, UINT64_MAX >> (64 - bits + is_signed));
    v = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGE, a, limit, ""), most, v, "");
    if (is_signed)
        v = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, a, a, ""), LLVMConstNull(t), v, "");
    return bits < made ? LLVMBuildTrunc(e->b, v, ty_int(e, bits, lanes), "") : v;
}

static LLVMValueRef float_to_int(struct emit *e, const struct ir_inst *i, LLVMValueRef a, unsigned lanes)
{
    enum ir_type from = i->type2;
    a = widen_half(e, a, &from, lanes);
    if ((i->flags & IR_FTZ) && from == IR_F32)
        a = flush(e, a, IR_F32, lanes);
    if (i->rnd != IR_RZ)
        a = round_integral(e, a, from, lanes, (enum ir_rnd)i->rnd);
    unsigned bits = ir_type_bits(i->type);
    LLVMTypeRef types[] = { ty(e, i->type, lanes), ty(e, from, lanes) };
    LLVMValueRef v = lanes > 1 ? saturated(e, i->op == IR_FTOI_S, bits, a, from, lanes)
                               : intrinsic(e, i->op == IR_FTOI_S ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &a, 1);
    if (from != IR_F64 && i->type != IR_I64)
        return v;
    /* A GPU's 64-bit conversions give the top bit alone for a NaN, the others 0, which is what the intrinsic gives. */
    LLVMValueRef nan = LLVMBuildFCmp(e->b, LLVMRealUNO, a, a, "");
    return LLVMBuildSelect(e->b, nan, k_int(e, bits, lanes, (uint64_t)1 << (bits - 1)), v, "");
}

static LLVMValueRef int_to_float(struct emit *e, const struct ir_inst *i, LLVMValueRef a, unsigned lanes, unsigned chunk)
{
    bool is_signed = i->op == IR_ITOF_S;
    unsigned exact = i->type == IR_F64 ? 53 : i->type == IR_F32 ? 24 : i->type == IR_F16 ? 11 : 8;
    LLVMValueRef v;
    if (i->rnd != IR_RN && ir_type_bits(i->type2) > exact && (i->type == IR_F32 || i->type == IR_F64)) {
        LLVMTypeRef i64 = ty_int(e, 64, lanes);
        v = x86_convert_rounded(e, a, is_signed, ty(e, i->type, lanes), (enum ir_rnd)i->rnd, lanes);
        if (!v && ir_type_bits(i->type2) < 64)
            a = is_signed ? LLVMBuildSExt(e->b, a, i64, "") : LLVMBuildZExt(e->b, a, i64, "");
        if (!v)
            v = rounded(e, i, is_signed ? "froms64" : "fromu64", a, lanes, chunk);
    } else if (i->type == IR_BF16) {
        LLVMTypeRef f = ty(e, IR_F32, lanes);
        v = to_bf16(e, is_signed ? LLVMBuildSIToFP(e->b, a, f, "") : LLVMBuildUIToFP(e->b, a, f, ""), (enum ir_rnd)i->rnd, lanes);
    } else if (i->type == IR_F16) {
        /* Beyond 65,536 everything is infinite; below, f32 holds it exactly. */
        unsigned bits = ir_type_bits(i->type2);
        LLVMTypeRef t = ty_int(e, bits, lanes), f = ty(e, IR_F32, lanes);
        if (bits > 16) {
            a = intrinsic2(e, is_signed ? "llvm.smin" : "llvm.umin", t, a, k_int(e, bits, lanes, 65536));
            if (is_signed)
                a = intrinsic2(e, "llvm.smax", t, a, k_int(e, bits, lanes, (uint64_t)-65536));
        }
        v = to_f16(e, is_signed ? LLVMBuildSIToFP(e->b, a, f, "") : LLVMBuildUIToFP(e->b, a, f, ""), (enum ir_rnd)i->rnd, lanes);
    } else {
        LLVMTypeRef t = ty(e, i->type, lanes);
        v = is_signed ? LLVMBuildSIToFP(e->b, a, t, "") : LLVMBuildUIToFP(e->b, a, t, "");
    }
    return i->flags & IR_SAT ? clamp01(e, v, i->type, lanes) : v;
}

static LLVMValueRef pack(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes)
{
    unsigned wide = ir_type_bits(i->type), piece = ir_type_bits(i->type2);
    LLVMTypeRef t = ty_int(e, wide, lanes);
    LLVMValueRef v = NULL;
    for (int k = 0; k < i->n_src; k++) {
        LLVMValueRef x = LLVMBuildZExt(e->b, cast_to(e, src[k], ty_int(e, piece, lanes)), t, "");
        if (k)
            x = LLVMBuildShl(e->b, x, k_int(e, wide, lanes, piece * (unsigned)k), "");
        v = v ? LLVMBuildOr(e->b, v, x, "") : x;
    }
    return v;
}

static LLVMValueRef extract(struct emit *e, const struct ir_inst *i, LLVMValueRef a, unsigned lanes)
{
    unsigned wide = ir_type_bits(i->type2), piece = ir_type_bits(i->type);
    a = cast_to(e, a, ty_int(e, wide, lanes));
    if (i->imm)
        a = LLVMBuildLShr(e->b, a, k_int(e, wide, lanes, piece * (uint64_t)i->imm), "");
    return cast_to(e, LLVMBuildTrunc(e->b, a, ty_int(e, piece, lanes), ""), ty(e, i->type, lanes));
}

LLVMValueRef convert_value(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes, unsigned chunk)
{
    switch (i->op) {
    case IR_ZEXT: return LLVMBuildZExt(e->b, src[0], ty(e, i->type, lanes), "");
    case IR_SEXT: return LLVMBuildSExt(e->b, src[0], ty(e, i->type, lanes), "");
    case IR_TRUNC: return LLVMBuildTrunc(e->b, src[0], ty(e, i->type, lanes), "");
    case IR_FTOI_S: case IR_FTOI_U: return float_to_int(e, i, src[0], lanes);
    case IR_ITOF_S: case IR_ITOF_U: return int_to_float(e, i, src[0], lanes, chunk);
    case IR_FTOF: return float_to_float(e, i, src[0], lanes, chunk);
    case IR_FRINT: {
        LLVMValueRef a = i->flags & IR_FTZ && i->type == IR_F32 ? flush(e, src[0], i->type, lanes) : src[0];
        LLVMValueRef v = round_integral(e, a, i->type, lanes, (enum ir_rnd)i->rnd);
        return i->flags & IR_SAT ? clamp01(e, v, i->type, lanes) : v;
    }
    case IR_PACK: return pack(e, i, src, lanes);
    case IR_EXTRACT: return extract(e, i, src[0], lanes);
    default: return NULL;
    }
}
