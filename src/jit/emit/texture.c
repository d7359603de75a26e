/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces: one call of the engine for every active lane. */
#include "jit/emit.h"
#include "kabi/texture.h"

static LLVMValueRef word_at(struct emit *e, LLVMValueRef array, unsigned k)
{
    LLVMValueRef at = k_int(e, 64, 1, k);
    return LLVMBuildGEP2(e->b, ty_int(e, 32, 1), array, &at, 1, "");
}

static void emit_chunk(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1), i64 = ty_int(e, 64, 1), types[] = { ty_ptr(e), i32, i64, ty_ptr(e), ty_ptr(e) };
    LLVMValueRef spilled[IR_MAX_SRC], results[TEX_RESULTS];
    LLVMValueRef args = entry_alloca(e, LLVMArrayType2(i32, TEX_ARGS), "tex.args");
    LLVMValueRef out = entry_alloca(e, LLVMArrayType2(i32, TEX_RESULTS), "tex.out");
    struct lanes l;
    for (unsigned k = 0; k < i->n_src; k++)
        spilled[k] = lanes_spill(e, v_operand(e, &i->src[k], src_type(i, (int)k), chunk));
    for (unsigned k = 0; k < i->n_dst; k++)
        results[k] = lanes_array(e, i32);
    lanes_begin(e, &l, chunk);
    for (unsigned k = 1; k < i->n_src; k++)
        LLVMBuildStore(e->b, lanes_get(e, &l, spilled[k], i32), word_at(e, args, k - 1));
    LLVMValueRef at = k_int(e, 64, 1, offsetof(struct kabi_services, texture));
    LLVMValueRef place = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), env(e, ENV_SERVICES), &at, 1, "");
    LLVMValueRef fn = LLVMBuildLoad2(e->b, ty_ptr(e), place, "");
    LLVMValueRef call[] = { e->block, k_int(e, 32, 1, (uint64_t)i->imm), lanes_get(e, &l, spilled[0], i64), args, out };
    LLVMBuildCall2(e->b, LLVMFunctionType(LLVMVoidTypeInContext(e->cx), types, 5, false), fn, call, 5, "");
    for (unsigned k = 0; k < i->n_dst; k++)
        lanes_put(e, &l, results[k], i32, LLVMBuildLoad2(e->b, i32, word_at(e, out, k), ""));
    lanes_end(e, &l);
    for (unsigned k = 0; k < i->n_dst; k++) {
        LLVMValueRef v = lanes_vector(e, results[k], i32);
        if (e->W == 1)
            set_uniform(e, i, (int)k, chunk, v);
        else
            set_varying(e, i, (int)k, chunk, v);
    }
}

void emit_texture(struct emit *e, const struct ir_inst *i)
{
    for (unsigned c = 0; c < e->C; c++)
        emit_chunk(e, i, c);
}
