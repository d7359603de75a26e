/* SPDX-License-Identifier: Apache-2.0 */
/* LLVM types, constants, intrinsics and calls, for scalars and vectors alike. */
#include "jit/emit.h"

LLVMTypeRef ty_ptr(struct emit *e)
{
    return LLVMPointerTypeInContext(e->cx, 0);
}

LLVMTypeRef ty_int(struct emit *e, unsigned bits, unsigned lanes)
{
    LLVMTypeRef t = LLVMIntTypeInContext(e->cx, bits);
    return lanes > 1 ? LLVMVectorType(t, lanes) : t;
}

LLVMTypeRef ty_scalar(struct emit *e, enum ir_type t)
{
    switch (t) {
    case IR_PRED: return LLVMInt1TypeInContext(e->cx);
    case IR_F16: return LLVMHalfTypeInContext(e->cx);
    case IR_BF16: return LLVMBFloatTypeInContext(e->cx);
    case IR_F32: return LLVMFloatTypeInContext(e->cx);
    case IR_F64: return LLVMDoubleTypeInContext(e->cx);
    default: return LLVMIntTypeInContext(e->cx, ir_type_bits(t));
    }
}

LLVMTypeRef ty(struct emit *e, enum ir_type t, unsigned lanes)
{
    LLVMTypeRef s = ty_scalar(e, t);
    return lanes > 1 ? LLVMVectorType(s, lanes) : s;
}

LLVMValueRef k_int(struct emit *e, unsigned bits, unsigned lanes, uint64_t value)
{
    return k_lanes(e, bits, lanes, (int64_t)value, 0);
}

LLVMValueRef k_lanes(struct emit *e, unsigned bits, unsigned lanes, int64_t start, int64_t step)
{
    LLVMTypeRef t = LLVMIntTypeInContext(e->cx, bits);
    if (lanes == 1)
        return LLVMConstInt(t, (uint64_t)start, true);
    LLVMValueRef v[64];
    for (unsigned l = 0; l < lanes; l++)
        v[l] = LLVMConstInt(t, (uint64_t)(start + (int64_t)l * step), true);
    return LLVMConstVector(v, lanes);
}

LLVMValueRef k_bits(struct emit *e, enum ir_type t, unsigned lanes, uint64_t bits)
{
    LLVMValueRef k = k_int(e, ir_type_bits(t), lanes, bits);
    return ir_type_is_float(t) ? LLVMConstBitCast(k, ty(e, t, lanes)) : k;
}

LLVMValueRef splat(struct emit *e, LLVMValueRef scalar, unsigned lanes)
{
    if (lanes == 1)
        return scalar;
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(scalar), lanes);
    LLVMValueRef one = LLVMBuildInsertElement(e->b, LLVMGetPoison(t), scalar, k_int(e, 32, 1, 0), "");
    return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(t), LLVMConstNull(LLVMVectorType(LLVMInt32TypeInContext(e->cx), lanes)), "");
}

LLVMValueRef k_real(struct emit *e, enum ir_type t, unsigned lanes, double value)
{
    return splat(e, LLVMConstReal(ty_scalar(e, t), value), lanes);
}

LLVMValueRef intrinsic(struct emit *e, const char *name, LLVMTypeRef *overloads, unsigned n_overloads, LLVMValueRef *args, unsigned n_args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (!id) {                                            /* a misspelt name would silently become an unknown function */
        diag_error(e->diag, 0, 0, "internal: LLVM has no intrinsic %s", name);
        abort();
    }
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(e->mod, id, overloads, n_overloads);
    LLVMTypeRef t = LLVMIntrinsicGetType(e->cx, id, overloads, n_overloads);
    return LLVMBuildCall2(e->b, t, fn, args, n_args, "");
}

LLVMValueRef intrinsic1(struct emit *e, const char *name, LLVMTypeRef t, LLVMValueRef a)
{
    return intrinsic(e, name, &t, 1, &a, 1);
}

LLVMValueRef intrinsic2(struct emit *e, const char *name, LLVMTypeRef t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[] = { a, b };
    return intrinsic(e, name, &t, 1, args, 2);
}

LLVMValueRef intrinsic3(struct emit *e, const char *name, LLVMTypeRef t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef args[] = { a, b, c };
    return intrinsic(e, name, &t, 1, args, 3);
}

LLVMValueRef entry_alloca(struct emit *e, LLVMTypeRef t, const char *name)
{
    return LLVMBuildAlloca(e->ab, t, name);
}

LLVMValueRef call_symbol(struct emit *e, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned n, bool pure)
{
    LLVMValueRef fn = LLVMGetNamedFunction(e->mod, name);
    if (!fn) {
        fn = LLVMAddFunction(e->mod, name, type);
        hw_vec_push(&e->symbols, hw_strdup(name));
        unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
        LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->cx, kind, 0));
        if (pure)
            promise_pure(e, fn);
    }
    return LLVMBuildCall2(e->b, type, fn, args, n, "");
}

/* A frame that is larger than the page behind the stack's end must not step over it: every page of it is touched in order. */
void probes_stack(LLVMValueRef fn) { LLVMAddTargetDependentFunctionAttr(fn, "probe-stack", "inline-asm"); }

LLVMValueRef own_function(struct emit *e, const char *name, LLVMTypeRef type)
{
    static const char *const attributes[] = { "noinline", "nounwind" };
    LLVMValueRef fn = LLVMAddFunction(e->mod, name, type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    for (size_t k = 0; k < HW_LEN(attributes); k++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[k], strlen(attributes[k]));
        LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->cx, kind, 0));
    }
    probes_stack(fn);
    return fn;
}

LLVMValueRef cast_to(struct emit *e, LLVMValueRef v, LLVMTypeRef t)
{
    return LLVMTypeOf(v) == t ? v : LLVMBuildBitCast(e->b, v, t, "");
}

LLVMBasicBlockRef new_block(struct emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->cx, e->fn, name);
}
