/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point arithmetic. Round-to-nearest is the CPU's own; other modes are instructions of AVX-512, elsewhere a scalar body per lane. */
#include "jit/emit.h"
#include "jit/code/target.h"

#include <stdio.h>

static uint64_t smallest_normal(enum ir_type t)
{
    return t == IR_F64 ? (uint64_t)1 << 52 : t == IR_F32 ? 0x00800000u : t == IR_BF16 ? 0x0080u : 0x0400u;
}

LLVMValueRef flush(struct emit *e, LLVMValueRef v, enum ir_type t, unsigned lanes)
{
    LLVMTypeRef ft = ty(e, t, lanes);
    LLVMValueRef size = intrinsic1(e, "llvm.fabs", ft, v);
    LLVMValueRef tiny = LLVMBuildFCmp(e->b, LLVMRealOLT, size, k_bits(e, t, lanes, smallest_normal(t)), "");
    return LLVMBuildSelect(e->b, tiny, intrinsic2(e, "llvm.copysign", ft, LLVMConstNull(ft), v), v, "");
}

static LLVMValueRef saturate(struct emit *e, LLVMValueRef v, enum ir_type t, unsigned lanes)
{
    LLVMTypeRef ft = ty(e, t, lanes);
    LLVMValueRef zero = LLVMConstNull(ft), one = k_real(e, t, lanes, 1);
    v = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, v, zero, ""), v, zero, "");        /* NaN: not greater, gives 0 */
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, v, one, ""), v, one, "");
}

/* The NaN that a GPU's instructions make; those of f64 make the CPU's own. */
static uint64_t nan_bits(enum ir_type t)
{
    return t == IR_F64 ? 0xfff8000000000000u : t == IR_F32 ? 0x7fffffffu : 0x7fffu;
}

LLVMValueRef one_nan(struct emit *e, LLVMValueRef v, enum ir_type t, unsigned lanes)
{
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, v, v, ""), k_bits(e, t, lanes, nan_bits(t)), v, "");
}

/* May this number be a signalling NaN? What comes out of arithmetic is none. */
static bool may_signal(const struct emit *e, const struct ir_operand *o, int depth)
{
    enum { DEPTH = 8 };
    if (o->kind == IR_IMM)
        return (o->imm & 0x7fc00000u) == 0x7f800000u && (o->imm & 0x3fffffu);
    const struct ir_inst *i = o->kind == IR_REG && depth < DEPTH ? e->p->regs[o->reg->id].def : NULL;
    if (!i)
        return true;
    switch (i->op) {
    case IR_FADD: case IR_FSUB: case IR_FMUL: case IR_FDIV: case IR_FMA: case IR_FSQRT: return false;
    case IR_FMIN: case IR_FMAX: return i->flags & IR_XORSIGN;
    case IR_SHFL: case IR_MOV: return may_signal(e, &i->src[0], depth + 1);
    default: return true;
    }
}

static LLVMValueRef quiet(struct emit *e, const struct ir_operand *o, LLVMValueRef v, unsigned lanes)
{
    return may_signal(e, o, 0) ? x86_quiet(e, v, lanes) : v;
}

/* A NaN on the right gives way to the left, quiet if that is one too; the comparison does the same for one on the left. Of two equal numbers the bits are
   joined (min) or met (max): they differ in zeros only. */
static LLVMValueRef pick_portably(struct emit *e, const struct ir_inst *i, LLVMValueRef a, LLVMValueRef b, unsigned lanes)
{
    bool min = i->op == IR_FMIN;
    unsigned bits = ir_type_bits(i->type);
    LLVMTypeRef ft = ty(e, i->type, lanes), it = ty_int(e, bits, lanes);
    uint64_t quiet_bit = (uint64_t)1 << (i->type == IR_F64 ? 51 : i->type == IR_F32 ? 22 : i->type == IR_BF16 ? 6 : 9);
    LLVMValueRef left = a, b_nan = LLVMBuildFCmp(e->b, LLVMRealUNO, b, b, "");
    if (i->type != IR_F32 || may_signal(e, &i->src[0], 0)) {
        LLVMValueRef loud = cast_to(e, LLVMBuildOr(e->b, cast_to(e, a, it), k_int(e, bits, lanes, quiet_bit), ""), ft);
        left = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, a, a, ""), loud, a, "");
    }
    b = LLVMBuildSelect(e->b, b_nan, left, b, "");
    LLVMValueRef pick = cast_to(e, LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, min ? LLVMRealOLT : LLVMRealOGT, a, b, ""), a, b, ""), it);
    LLVMValueRef equal = LLVMBuildSExt(e->b, LLVMBuildFCmp(e->b, LLVMRealOEQ, a, b, ""), it, ""), ia = cast_to(e, a, it);
    LLVMValueRef other = min ? LLVMBuildAnd(e->b, equal, ia, "") : LLVMBuildOr(e->b, LLVMBuildNot(e->b, equal, ""), ia, "");
    return cast_to(e, min ? LLVMBuildOr(e->b, pick, other, "") : LLVMBuildAnd(e->b, pick, other, ""), ft);
}

/* A number that the program names, not a NaN, and not the zero that an equal number may be preferred to: x, unless that is no smaller or no greater. */
static LLVMValueRef pick_constant(struct emit *e, const struct ir_inst *i, LLVMValueRef a, LLVMValueRef b)
{
    bool min = i->op == IR_FMIN, first = i->src[0].kind == IR_IMM;
    uint64_t bits = i->src[first ? 0 : 1].imm, sign = (uint64_t)1 << (ir_type_bits(i->type) - 1), infinity = i->type == IR_F64 ? 0x7ffull << 52 : 0x7f800000u;
    bool known = i->src[first ? 0 : 1].kind == IR_IMM && !(i->flags & (IR_XORSIGN | IR_NANPROP)) && (i->type == IR_F32 || i->type == IR_F64);
    bits &= sign | (sign - 1);
    if (!known || (bits & (sign - 1)) > infinity || bits == (min ? 0 : sign))
        return NULL;
    LLVMValueRef x = first ? b : a, k = first ? a : b;
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, min ? LLVMRealOLT : LLVMRealOGT, x, k, ""), x, k, "");
}

/* Like minNum/maxNum, and -0 is below +0. Of two NaNs the first, made quiet: those of one that arithmetic on floats made are the CPU's. */
static LLVMValueRef float_min_max(struct emit *e, const struct ir_inst *i, LLVMValueRef a, LLVMValueRef b, unsigned lanes)
{
    unsigned bits = ir_type_bits(i->type);
    LLVMTypeRef ft = ty(e, i->type, lanes), it = ty_int(e, bits, lanes);
    LLVMValueRef sign = NULL, r = pick_constant(e, i, a, b);
    if (r)
        return r;
    if (i->flags & IR_XORSIGN) {
        LLVMValueRef x = LLVMBuildXor(e->b, cast_to(e, a, it), cast_to(e, b, it), "");
        sign = LLVMBuildAnd(e->b, x, k_int(e, bits, lanes, (uint64_t)1 << (bits - 1)), "");
        a = intrinsic1(e, "llvm.fabs", ft, a);
        b = intrinsic1(e, "llvm.fabs", ft, b);
    }
    if (i->type == IR_F32 && x86_wide(e, lanes))
        r = x86_range(e, quiet(e, &i->src[0], a, lanes), quiet(e, &i->src[1], b, lanes), i->op == IR_FMIN, lanes);
    else
        r = pick_portably(e, i, a, b, lanes);
    if (i->flags & IR_NANPROP)
        r = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, a, b, ""), k_bits(e, i->type, lanes, nan_bits(i->type)), r, "");
    if (sign)
        r = cast_to(e, LLVMBuildOr(e->b, cast_to(e, r, it), sign, ""), ft);
    return r;
}

/* hw_rnd_fma_f32(a, b, c, mode): in rounding.c. */
static LLVMValueRef rounded(struct emit *e, const struct ir_inst *i, const char *what, LLVMValueRef *src, unsigned n, unsigned lanes, unsigned chunk)
{
    LLVMValueRef v = x86_rounded(e, what, src, n, (enum ir_rnd)i->rnd, lanes);
    if (v)
        return v;
    char name[48];
    snprintf(name, sizeof name, "hw_rnd_%s_%s", what, i->type == IR_F64 ? "f64" : "f32");
    LLVMTypeRef ft = ty_scalar(e, i->type), types[4];
    LLVMValueRef args[4];
    for (unsigned k = 0; k < n; k++) {
        args[k] = src[k];
        types[k] = ft;
    }
    args[n] = k_int(e, 32, lanes, i->rnd);
    types[n] = ty_int(e, 32, 1);
    return lane_calls(e, name, ft, args, types, n + 1, lanes, chunk);
}

/* a * b + c of floats that are halves, as f64 with a mark for what is lost: its last bit is odd where it is not exact. */
static LLVMValueRef fma_by_f64(struct emit *e, LLVMValueRef *s, unsigned lanes)
{
    LLVMTypeRef f64 = ty(e, IR_F64, lanes), i64 = ty_int(e, 64, lanes);
    LLVMValueRef x = LLVMBuildFMul(e->b, LLVMBuildFPExt(e->b, s[0], f64, ""), LLVMBuildFPExt(e->b, s[1], f64, ""), "");
    LLVMValueRef y = LLVMBuildFPExt(e->b, s[2], f64, ""), sum = LLVMBuildFAdd(e->b, x, y, "");
    LLVMValueRef of_y = LLVMBuildFSub(e->b, sum, x, ""), of_x = LLVMBuildFSub(e->b, sum, of_y, "");
    LLVMValueRef lost = LLVMBuildFAdd(e->b, LLVMBuildFSub(e->b, x, of_x, ""), LLVMBuildFSub(e->b, y, of_y, ""), "");
    LLVMValueRef bits = cast_to(e, sum, i64), one = k_int(e, 64, lanes, 1);
    LLVMValueRef even = LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, bits, one, ""), LLVMConstNull(i64), "");
    /* Same sign: the exact sum lies away from zero, the next larger bit pattern; else the next smaller. */
    LLVMValueRef apart = LLVMBuildICmp(e->b, LLVMIntSLT, LLVMBuildXor(e->b, bits, cast_to(e, lost, i64), ""), LLVMConstNull(i64), "");
    LLVMValueRef next = LLVMBuildSelect(e->b, apart, LLVMBuildSub(e->b, bits, one, ""), LLVMBuildAdd(e->b, bits, one, ""), "");
    LLVMValueRef fix = LLVMBuildAnd(e->b, even, LLVMBuildFCmp(e->b, LLVMRealONE, lost, LLVMConstNull(f64), ""), "");
    return cast_to(e, LLVMBuildSelect(e->b, fix, next, bits, ""), f64);
}

/* The same as f32: of the floats below and above the exact result one is odd, where they differ. */
static LLVMValueRef fma_to_odd(struct emit *e, LLVMValueRef *s, unsigned lanes)
{
    LLVMValueRef below = x86_rounded(e, "fma", s, 3, IR_RM, lanes), above = x86_rounded(e, "fma", s, 3, IR_RP, lanes);
    if (!below)
        return to_odd_f32(e, fma_by_f64(e, s, lanes), lanes);
    LLVMTypeRef i32 = ty_int(e, 32, lanes);
    LLVMValueRef last = LLVMBuildAnd(e->b, cast_to(e, below, i32), k_int(e, 32, lanes, 1), "");
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntNE, last, LLVMConstNull(i32), ""), below, above, "");
}

/* Sums and products of halves are rounded twice, which does no harm: f32 has more than twice their digits, and what it cannot hold of a bf16's
   subnormals lies below half of the smallest. For fma no type is wide enough, and f32 has to say that something was lost. */
static LLVMValueRef half_by_f32(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes)
{
    LLVMValueRef s[3] = { 0 }, v;
    for (int k = 0; k < i->n_src && k < 3; k++) {
        enum ir_type t = i->type;
        s[k] = widen_half(e, src[k], &t, lanes);
    }
    switch (i->op) {
    case IR_FADD: v = LLVMBuildFAdd(e->b, s[0], s[1], ""); break;
    case IR_FSUB: v = LLVMBuildFSub(e->b, s[0], s[1], ""); break;
    case IR_FMUL: v = LLVMBuildFMul(e->b, s[0], s[1], ""); break;
    case IR_FMA: v = fma_to_odd(e, s, lanes); break;
    default: return NULL;
    }
    return i->type == IR_BF16 ? to_bf16(e, v, IR_RN, lanes) : to_f16(e, v, IR_RN, lanes);
}

/* Instructions that round once, where the CPU has them. */
static LLVMValueRef half_arithmetic(struct emit *e, const struct ir_inst *i, LLVMValueRef *s, unsigned lanes)
{
    if (i->type == IR_BF16 || !target_has_halves(e->W))
        return half_by_f32(e, i, s, lanes);
    switch (i->op) {
    case IR_FADD: return one_nan(e, LLVMBuildFAdd(e->b, s[0], s[1], ""), i->type, lanes);
    case IR_FSUB: return one_nan(e, LLVMBuildFSub(e->b, s[0], s[1], ""), i->type, lanes);
    case IR_FMUL: return one_nan(e, LLVMBuildFMul(e->b, s[0], s[1], ""), i->type, lanes);
    case IR_FMA: return one_nan(e, intrinsic3(e, "llvm.fma", ty(e, i->type, lanes), s[0], s[1], s[2]), i->type, lanes);
    default: return NULL;
    }
}

static LLVMValueRef arithmetic(struct emit *e, const struct ir_inst *i, LLVMValueRef *s, unsigned lanes, unsigned chunk)
{
    bool nearest = i->rnd == IR_RN || (i->type != IR_F32 && i->type != IR_F64);
    LLVMTypeRef ft = ty(e, i->type, lanes);
    LLVMValueRef half = i->type == IR_F16 || i->type == IR_BF16 ? half_arithmetic(e, i, s, lanes) : NULL;
    if (half)
        return half;
    switch (i->op) {
    case IR_FADD: return nearest ? LLVMBuildFAdd(e->b, s[0], s[1], "") : rounded(e, i, "add", s, 2, lanes, chunk);
    case IR_FSUB: return nearest ? LLVMBuildFSub(e->b, s[0], s[1], "") : rounded(e, i, "sub", s, 2, lanes, chunk);
    case IR_FMUL: return nearest ? LLVMBuildFMul(e->b, s[0], s[1], "") : rounded(e, i, "mul", s, 2, lanes, chunk);
    case IR_FDIV: return nearest ? LLVMBuildFDiv(e->b, s[0], s[1], "") : rounded(e, i, "div", s, 2, lanes, chunk);
    case IR_FMA: return nearest ? intrinsic3(e, "llvm.fma", ft, s[0], s[1], s[2]) : rounded(e, i, "fma", s, 3, lanes, chunk);
    case IR_FSQRT: return nearest ? intrinsic1(e, "llvm.sqrt", ft, s[0]) : rounded(e, i, "sqrt", s, 1, lanes, chunk);
    case IR_FNEG: return LLVMBuildFNeg(e->b, s[0], "");
    case IR_FABS: return intrinsic1(e, "llvm.fabs", ft, s[0]);
    case IR_FMIN: case IR_FMAX: return float_min_max(e, i, s[0], s[1], lanes);
    default: return NULL;
    }
}

LLVMValueRef float_value(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes, unsigned chunk)
{
    if (i->op == IR_COPYSIGN)
        return intrinsic2(e, "llvm.copysign", ty(e, i->type, lanes), src[0], src[1]);
    LLVMValueRef s[3] = { 0 };
    bool ours = false;
    switch (i->op) {
    case IR_FADD: case IR_FSUB: case IR_FMUL: case IR_FMA: case IR_FDIV: case IR_FSQRT: case IR_FNEG: case IR_FABS: case IR_FMIN: case IR_FMAX: ours = true; break;
    default: break;
    }
    if (!ours)
        return NULL;
    bool ftz = (i->flags & IR_FTZ) && i->type != IR_F64;
    for (int k = 0; k < i->n_src && k < 3; k++)
        s[k] = ftz ? flush(e, src[k], i->type, lanes) : src[k];
    LLVMValueRef v = arithmetic(e, i, s, lanes, chunk);
    if (ftz)
        v = flush(e, v, i->type, lanes);
    return i->flags & IR_SAT ? saturate(e, v, i->type, lanes) : v;
}
