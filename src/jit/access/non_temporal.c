/* SPDX-License-Identifier: Apache-2.0 */
/* Stores past the caches, of the rows that pass/transform/non_temporal.c has marked. */
#include "jit/emit.h"

enum { LINE = 64 };

bool stream_row(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef ptr, unsigned n)
{
    unsigned bytes = e->W * n * element_bytes(i);
    if (!(i->flags & IR_STREAM) || e->m[0] || bytes % 16)
        return false;
    /* only whole lines gain, and only aligned addresses are allowed: the code looks */
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef low = LLVMBuildAnd(e->b, LLVMBuildPtrToInt(e->b, ptr, i64, ""), k_int(e, 64, 1, hw_min_u64(bytes, LINE) - 1), "");
    LLVMBasicBlockRef past = new_block(e, "past"), usual = new_block(e, "usual"), stored = new_block(e, "stored");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, low, k_int(e, 64, 1, 0), ""), past, usual);
    LLVMPositionBuilderAtEnd(e->b, past);
    LLVMValueRef s = tag_memory(e, LLVMBuildStore(e->b, value, ptr), TAG_GLOBAL);
    LLVMSetAlignment(s, (unsigned)hw_min_u64(bytes, LINE));      /* it was looked at */
    LLVMValueRef one = k_int(e, 32, 1, 1);
    LLVMSetMetadata(s, LLVMGetMDKindIDInContext(e->cx, "nontemporal", 11), LLVMMDNodeInContext(e->cx, &one, 1));
    LLVMBuildBr(e->b, stored);
    LLVMPositionBuilderAtEnd(e->b, usual);
    s = tag_memory(e, LLVMBuildStore(e->b, value, ptr), TAG_GLOBAL);
    promise_align(e, s, element_bytes(i));
    LLVMBuildBr(e->b, stored);
    LLVMPositionBuilderAtEnd(e->b, stored);
    e->streams = true;
    return true;
}
