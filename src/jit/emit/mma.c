/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products of a warp (kabi/mma.h). A kernel may hold thousands of them, so each kind is one function, which works on all 32
 * lanes at once and finds its operands in an array: [register][lane].
 */
#include "jit/emit.h"

#include <stdio.h>

#include "kabi/mma.h"

enum { LANES = PLAN_LANES, MAX_ELEMENTS = 8 };

static enum ir_type sum_type(struct kabi_mma m)
{
    return m.a == KABI_MMA_F64 ? IR_F64 : m.a <= KABI_MMA_TF32 ? IR_F32 : IR_I32;
}

/* All elements of a register as the type of the sums. */
static void elements(struct emit *e, unsigned type, LLVMValueRef reg, LLVMValueRef *out)
{
    LLVMTypeRef f32 = ty(e, IR_F32, LANES);
    unsigned n = kabi_mma_per_reg(type), bits = 32 / n;
    if (type == KABI_MMA_F64) {
        out[0] = cast_to(e, reg, ty(e, IR_F64, LANES));
        return;
    }
    for (unsigned k = 0; k < n && k < MAX_ELEMENTS; k++) {
        LLVMValueRef low = LLVMBuildLShr(e->b, reg, k_int(e, 32, LANES, (uint64_t)bits * k), "");
        LLVMValueRef top = LLVMBuildShl(e->b, reg, k_int(e, 32, LANES, (uint64_t)bits * (n - 1 - k)), ""), rest = k_int(e, 32, LANES, 32 - bits);
        switch (type) {
        case KABI_MMA_F16: out[k] = LLVMBuildFPExt(e->b, cast_to(e, LLVMBuildTrunc(e->b, low, ty_int(e, 16, LANES), ""), ty(e, IR_F16, LANES)), f32, ""); break;
        case KABI_MMA_BF16: out[k] = cast_to(e, LLVMBuildAnd(e->b, top, k_int(e, 32, LANES, 0xffff0000u), ""), f32); break;
        case KABI_MMA_TF32: out[k] = cast_to(e, LLVMBuildAnd(e->b, reg, k_int(e, 32, LANES, 0xffffe000u), ""), f32); break;   /* the other bits do not count */
        case KABI_MMA_S8: case KABI_MMA_S4: out[k] = LLVMBuildAShr(e->b, top, rest, ""); break;
        case KABI_MMA_U8: case KABI_MMA_U4: out[k] = LLVMBuildLShr(e->b, top, rest, ""); break;
        default: out[k] = reg; return;   /* bits: all of them at once */
        }
    }
}

/* Lane l takes the value of lane (l & keep) * scale + add. */
static LLVMValueRef spread(struct emit *e, LLVMValueRef v, unsigned keep, unsigned scale, unsigned add)
{
    LLVMValueRef from[LANES];
    for (unsigned l = 0; l < LANES; l++)
        from[l] = k_int(e, 32, 1, (l & keep) * scale + add);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(from, LANES), "");
}

static LLVMValueRef multiply(struct emit *e, struct kabi_mma m, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum)
{
    enum ir_type t = sum_type(m);
    if (ir_type_is_float(t))
        return intrinsic3(e, "llvm.fma", ty(e, t, LANES), a, b, sum);
    LLVMValueRef x = NULL;
    if (m.a == KABI_MMA_B1_XOR || m.a == KABI_MMA_B1_AND) {
        x = m.a == KABI_MMA_B1_XOR ? LLVMBuildXor(e->b, a, b, "") : LLVMBuildAnd(e->b, a, b, "");
        x = intrinsic1(e, "llvm.ctpop", ty_int(e, 32, LANES), x);
    } else {
        x = LLVMBuildMul(e->b, a, b, "");
    }
    return LLVMBuildAdd(e->b, sum, x, "");
}

static LLVMValueRef register_at(struct emit *e, LLVMValueRef array, LLVMTypeRef vec, unsigned k)
{
    LLVMValueRef at = k_int(e, 64, 1, k);
    return LLVMBuildGEP2(e->b, vec, array, &at, 1, "");
}

static void body(struct emit *e, struct kabi_mma m, LLVMValueRef array, LLVMTypeRef vec)
{
    enum ir_type t = sum_type(m);
    unsigned n_a = m.halves * m.n_k, n_c = 2 * m.halves, n_e = kabi_mma_per_reg(m.a) > MAX_ELEMENTS ? 1 : kabi_mma_per_reg(m.a);
    LLVMValueRef a[KABI_MMA_MAX_A][MAX_ELEMENTS], b[KABI_MMA_MAX_B][MAX_ELEMENTS], sum[KABI_MMA_MAX_C];
    for (unsigned r = 0; r < n_a; r++)
        elements(e, m.a, LLVMBuildLoad2(e->b, vec, register_at(e, array, vec, r), ""), a[r]);
    for (unsigned r = 0; r < m.n_k; r++)
        elements(e, m.b, LLVMBuildLoad2(e->b, vec, register_at(e, array, vec, n_a + r), ""), b[r]);
    for (unsigned r = 0; r < n_c; r++)
        sum[r] = cast_to(e, LLVMBuildLoad2(e->b, vec, register_at(e, array, vec, n_a + m.n_k + r), ""), ty(e, t, LANES));
    for (unsigned k = 0; k < m.n_k; k++)
        for (unsigned lane = 0; lane < 4; lane++)
            for (unsigned el = 0; el < n_e; el++) {
                LLVMValueRef x[2], y[2];
                for (unsigned h = 0; h < m.halves; h++)
                    x[h] = spread(e, a[k * m.halves + h][el], 28, 1, lane);
                for (unsigned j = 0; j < 2; j++)
                    y[j] = spread(e, b[k][el], 3, 8, 4 * j + lane);
                for (unsigned r = 0; r < n_c; r++)
                    sum[r] = multiply(e, m, x[r / 2], y[r % 2], sum[r]);
            }
    for (unsigned r = 0; r < n_c; r++)
        LLVMBuildStore(e->b, cast_to(e, sum[r], vec), register_at(e, array, vec, r));
}

static LLVMValueRef function_of(struct emit *e, const struct ir_inst *i, LLVMTypeRef type, LLVMTypeRef vec)
{
    char name[32];
    snprintf(name, sizeof name, "hw_mma_%llx", (unsigned long long)i->imm);
    LLVMValueRef fn = LLVMGetNamedFunction(e->mod, name);
    if (fn)
        return fn;
    fn = own_function(e, name, type);
    LLVMBasicBlockRef back = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->cx, fn, "entry"));
    body(e, kabi_mma_unpack(i->imm), LLVMGetParam(fn, 0), vec);
    LLVMBuildRetVoid(e->b);
    LLVMPositionBuilderAtEnd(e->b, back);
    return fn;
}

/* One for all of a function's products and tiles, big enough for f64. */
LLVMValueRef mma_array(struct emit *e)
{
    if (!e->mma)
        e->mma = entry_alloca(e, LLVMArrayType2(ty_int(e, 64, LANES), KABI_MMA_OPERANDS), "mma");
    return e->mma;
}

void emit_mma(struct emit *e, const struct ir_inst *i)
{
    unsigned bits = ir_type_bits(i->type);
    LLVMTypeRef vec = ty_int(e, bits, LANES), part = ty_int(e, bits, e->W), ptr = ty_ptr(e);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx), &ptr, 1, false);
    if (e->W == 1) {
        diag_error(e->diag, (int)i->ptx_line, 0, "kernel %s: mma exchanges values between lanes, which the scalar build cannot do", e->p->func->name);
        return;
    }
    LLVMValueRef array = mma_array(e);
    for (unsigned k = 0; k < i->n_src; k++)
        for (unsigned c = 0; c < e->C; c++)
            LLVMBuildStore(e->b, v_operand(e, &i->src[k], i->type, c), register_at(e, array, part, k * e->C + c));
    LLVMBuildCall2(e->b, type, function_of(e, i, type, vec), &array, 1, "");
    for (unsigned k = 0; k < i->n_dst; k++)
        for (unsigned c = 0; c < e->C; c++)
            set_varying(e, i, (int)k, c, LLVMBuildLoad2(e->b, part, register_at(e, array, part, k * e->C + c), ""));
}
