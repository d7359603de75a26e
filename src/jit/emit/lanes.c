/* SPDX-License-Identifier: Apache-2.0 */
/* Code that runs once per active lane, in lane order: atomics, calls, ordered accesses. */
#include "jit/emit.h"

/* In the scalar build there is one lane and it is active: no loop is made. */
void lanes_begin(struct emit *e, struct lanes *l, unsigned chunk)
{
    memset(l, 0, sizeof *l);
    if (e->W == 1) {
        l->lane = k_int(e, 32, 1, 0);
        return;
    }
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    l->left = entry_alloca(e, i32, "left");
    LLVMBuildStore(e->b, mask_bits(e, mask_or_all(e, chunk)), l->left);
    l->head = LLVMAppendBasicBlockInContext(e->cx, e->fn, "lanes");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->cx, e->fn, "lane");
    l->done = LLVMAppendBasicBlockInContext(e->cx, e->fn, "lanes.done");
    LLVMBuildBr(e->b, l->head);
    LLVMPositionBuilderAtEnd(e->b, l->head);
    l->taken = LLVMBuildLoad2(e->b, i32, l->left, "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, l->taken, LLVMConstNull(i32), ""), body, l->done);
    LLVMPositionBuilderAtEnd(e->b, body);
    l->lane = intrinsic2(e, "llvm.cttz", i32, l->taken, k_int(e, 1, 1, 1));
}

void lanes_end(struct emit *e, struct lanes *l)
{
    if (e->W == 1)
        return;
    LLVMValueRef rest = LLVMBuildAnd(e->b, l->taken, LLVMBuildSub(e->b, l->taken, k_int(e, 32, 1, 1), ""), "");
    LLVMBuildStore(e->b, rest, l->left);
    LLVMBuildBr(e->b, l->head);
    LLVMPositionBuilderAtEnd(e->b, l->done);
}

LLVMValueRef lanes_spill(struct emit *e, LLVMValueRef v)
{
    LLVMValueRef array = entry_alloca(e, LLVMTypeOf(v), "spill");
    LLVMBuildStore(e->b, v, array);
    return array;
}

static LLVMValueRef element(struct emit *e, struct lanes *l, LLVMValueRef array, LLVMTypeRef t)
{
    return LLVMBuildGEP2(e->b, t, array, &l->lane, 1, "");
}

/* A vector of i1 is packed in memory: arrays of predicates hold bytes instead. */
LLVMValueRef lanes_get(struct emit *e, struct lanes *l, LLVMValueRef array, LLVMTypeRef t)
{
    return LLVMBuildLoad2(e->b, t, element(e, l, array, t), "");
}

LLVMValueRef lanes_array(struct emit *e, LLVMTypeRef t)
{
    return entry_alloca(e, e->W > 1 ? LLVMVectorType(t, e->W) : t, "results");
}

void lanes_put(struct emit *e, struct lanes *l, LLVMValueRef array, LLVMTypeRef t, LLVMValueRef value)
{
    LLVMBuildStore(e->b, value, element(e, l, array, t));
}

LLVMValueRef lanes_vector(struct emit *e, LLVMValueRef array, LLVMTypeRef t)
{
    return LLVMBuildLoad2(e->b, e->W > 1 ? LLVMVectorType(t, e->W) : t, array, "");
}

LLVMValueRef lanes_slice(struct emit *e, LLVMValueRef v, unsigned from, unsigned n)
{
    LLVMValueRef at[64];
    if (n == 1)
        return LLVMBuildExtractElement(e->b, v, k_int(e, 32, 1, from), "");
    for (unsigned l = 0; l < n; l++)
        at[l] = k_int(e, 32, 1, from + l);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(at, n), "");
}

LLVMValueRef lanes_join(struct emit *e, LLVMValueRef a, LLVMValueRef b, unsigned n)
{
    LLVMValueRef at[64];
    for (unsigned l = 0; l < 2 * n; l++)
        at[l] = k_int(e, 32, 1, l);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(at, 2 * n), "");
}
