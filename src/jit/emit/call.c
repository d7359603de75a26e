/* SPDX-License-Identifier: Apache-2.0 */
/* Calls out of generated code: math functions, and the engine's services. */
#include "jit/emit.h"
#include "jit/math/math.h"
#include "jit/math/mathlib.h"

/* symbol(src...) for every active lane; vectors in, a vector out (scalars when lanes is 1). */
LLVMValueRef lane_calls(struct emit *e, const char *symbol, LLVMTypeRef result, LLVMValueRef *src, LLVMTypeRef *types, unsigned n, unsigned lanes, unsigned chunk)
{
    LLVMTypeRef fn = LLVMFunctionType(result, types, n, false);
    if (lanes == 1)
        return call_symbol(e, symbol, fn, src, n, true);
    LLVMValueRef spilled[4], args[4], results = lanes_array(e, result);
    for (unsigned k = 0; k < n; k++)
        spilled[k] = LLVMIsConstant(src[k]) ? NULL : lanes_spill(e, src[k]);
    struct lanes l;
    lanes_begin(e, &l, chunk);
    for (unsigned k = 0; k < n; k++)
        args[k] = spilled[k] ? lanes_get(e, &l, spilled[k], types[k]) : LLVMBuildExtractElement(e->b, src[k], l.lane, "");
    lanes_put(e, &l, results, result, call_symbol(e, symbol, fn, args, n, true));
    lanes_end(e, &l);
    return lanes_vector(e, results, result);
}

/* One call where the library has the width, else two halves. */
static LLVMValueRef vector_math(struct emit *e, enum ir_math id, LLVMValueRef *src, unsigned n_src, unsigned lanes)
{
    char name[MATH_SYMBOL_MAX];
    LLVMTypeRef t = ty(e, math_result_type(id), lanes), types[4];
    /* Not wider than the vectors this code is made for: a wider one would travel in two registers, not in one. */
    bool fits = lanes == 1 || lanes * ir_type_bits(math_result_type(id)) <= e->W * 32;
    if (fits && math_symbol(id, lanes, name)) {
        for (unsigned k = 0; k < n_src; k++)
            types[k] = t;
        return call_symbol(e, name, LLVMFunctionType(t, types, n_src, false), src, n_src, true);
    }
    LLVMValueRef half[2];
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef part[4];
        for (unsigned k = 0; k < n_src; k++)
            part[k] = lanes_slice(e, src[k], h * lanes / 2, lanes / 2);
        half[h] = vector_math(e, id, part, n_src, lanes / 2);
    }
    if (lanes == 2) {
        LLVMValueRef v = LLVMBuildInsertElement(e->b, LLVMGetPoison(t), half[0], k_int(e, 32, 1, 0), "");
        return LLVMBuildInsertElement(e->b, v, half[1], k_int(e, 32, 1, 1), "");
    }
    return lanes_join(e, half[0], half[1], lanes / 2);
}

/* Of arguments that are too large for what stands in the code, the library's answer. */
static LLVMValueRef with_far(struct emit *e, enum ir_math id, LLVMValueRef x, LLVMValueRef near, unsigned lanes)
{
    LLVMTypeRef t = LLVMTypeOf(near), bits = ty_int(e, lanes, 1);
    uint32_t limit;
    memcpy(&limit, &(float){ MATH_NEAR }, sizeof limit);
    LLVMValueRef far = LLVMBuildFCmp(e->b, LLVMRealUGT, intrinsic1(e, "llvm.fabs", t, x), k_bits(e, IR_F32, lanes, limit), "");
    LLVMValueRef any = lanes == 1 ? far : LLVMBuildICmp(e->b, LLVMIntNE, cast_to(e, far, bits), LLVMConstNull(bits), "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), usual = cold_begin(e, any);
    LLVMValueRef y[] = { near, LLVMBuildSelect(e->b, far, one_nan(e, vector_math(e, id, &x, 1, lanes), IR_F32, lanes), near, "") };
    LLVMBasicBlockRef at[] = { from, LLVMGetInsertBlock(e->b) };
    cold_end(e, usual);
    LLVMValueRef phi = LLVMBuildPhi(e->b, t, "");
    LLVMAddIncoming(phi, y, at, 2);
    return phi;
}

/* The library's vectors, its scalars and the C library give different NaNs. */
LLVMValueRef math_value(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes, unsigned chunk)
{
    enum ir_math id = (enum ir_math)i->imm;
    enum ir_type t = math_result_type(id);
    unsigned n = math_n_src(id);
    LLVMValueRef value = inline_math(e, id, src, lanes);
    if (value)
        return math_is_near(id) ? with_far(e, id, src[0], value, lanes) : value;
    if (math_is_vector(id))
        return one_nan(e, vector_math(e, id, src, n, lanes), t, lanes);
    char name[MATH_SYMBOL_MAX];
    LLVMTypeRef types[4];
    for (unsigned k = 0; k < n; k++)
        types[k] = ty_scalar(e, math_src_type(id, k));
    value = lane_calls(e, math_symbol(id, 1, name), ty_scalar(e, t), src, types, n, lanes, chunk);
    return t == IR_I32 ? value : one_nan(e, value, t, lanes);
}

static LLVMValueRef service(struct emit *e, size_t offset)
{
    LLVMValueRef k = k_int(e, 64, 1, offset);
    LLVMValueRef at = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), env(e, ENV_SERVICES), &k, 1, "");
    return LLVMBuildLoad2(e->b, ty_ptr(e), at, "");
}

struct service_row {
    enum ir_op op;
    size_t offset;
    char signature[8];           /* result, then arguments: v void, i I32, p pointer */
};
static const struct service_row services[] = {
    { IR_VPRINTF, offsetof(struct kabi_services, vprintf_), "ipp" },
    { IR_ASSERTFAIL, offsetof(struct kabi_services, assertfail), "vppip" },
    { IR_MALLOC, offsetof(struct kabi_services, malloc_), "pI" },
    { IR_FREE, offsetof(struct kabi_services, free_), "vp" },
};

static LLVMTypeRef letter_type(struct emit *e, char c)
{
    return c == 'v' ? LLVMVoidTypeInContext(e->cx) : c == 'p' ? ty_ptr(e) : ty_int(e, c == 'I' ? 64 : 32, 1);
}

static void call_service(struct emit *e, const struct ir_inst *i, const struct service_row *row, unsigned chunk)
{
    unsigned n = (unsigned)strlen(row->signature) - 1;
    LLVMTypeRef types[8] = { ty_ptr(e) }, result = letter_type(e, row->signature[0]);
    LLVMValueRef spilled[8], args[8] = { e->block };
    for (unsigned k = 0; k < n; k++) {
        types[k + 1] = letter_type(e, row->signature[k + 1]);
        spilled[k] = lanes_spill(e, v_operand(e, &i->src[k], src_type(i, (int)k), chunk));
    }
    bool is_assert = i->op == IR_ASSERTFAIL;
    LLVMTypeRef scalar = row->signature[0] == 'p' ? ty_int(e, 64, 1) : ty_int(e, 32, 1);
    LLVMValueRef results = row->signature[0] == 'v' ? NULL : lanes_array(e, scalar);
    if (is_assert)
        types[n + 1] = ty_int(e, 32, 1);
    struct lanes l;
    lanes_begin(e, &l, chunk);
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef v = lanes_get(e, &l, spilled[k], ty_scalar(e, src_type(i, (int)k)));
        args[k + 1] = row->signature[k + 1] == 'p' ? LLVMBuildIntToPtr(e->b, v, ty_ptr(e), "") : v;
    }
    if (is_assert)
        args[n + 1] = LLVMBuildAdd(e->b, linear_thread(e, chunk), l.lane, "");
    LLVMTypeRef fn = LLVMFunctionType(result, types, n + 1 + is_assert, false);
    LLVMValueRef r = LLVMBuildCall2(e->b, fn, service(e, row->offset), args, n + 1 + is_assert, "");
    if (results)
        lanes_put(e, &l, results, scalar, row->signature[0] == 'p' ? LLVMBuildPtrToInt(e->b, r, scalar, "") : r);
    lanes_end(e, &l);
    if (!results || !i->n_dst)
        return;
    if (e->W == 1)
        set_uniform(e, i, 0, chunk, lanes_vector(e, results, scalar));
    else
        set_varying(e, i, 0, chunk, lanes_vector(e, results, scalar));
}

void emit_service(struct emit *e, const struct ir_inst *i)
{
    for (size_t r = 0; r < HW_LEN(services); r++)
        if (services[r].op == i->op)
            for (unsigned c = 0; c < e->C; c++)
                call_service(e, i, &services[r], c);
}

void emit_trap(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1), types[] = { ty_ptr(e), i32, i32, ty_int(e, 64, 1) };
    LLVMValueRef args[] = { e->block, k_int(e, 32, 1, (uint64_t)i->imm), k_int(e, 32, 1, i->ptx_line), k_int(e, 64, 1, 0) };
    LLVMTypeRef fn = LLVMFunctionType(LLVMVoidTypeInContext(e->cx), types, 4, false);
    LLVMBuildCall2(e->b, fn, service(e, offsetof(struct kabi_services, trap)), args, 4, "");
}
