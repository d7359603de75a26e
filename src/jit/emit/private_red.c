/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions that this thread of the engine collects (kabi/private_red.h): where an address lies in the table, its element of the copy is changed by plain
 * instructions; elsewhere, and where it is not aligned, the memory itself, as usual. A copy is reached by its table's number of elements only.
 */
#include "jit/emit.h"

struct table {
    LLVMValueRef base, count, copy;
};

/* All that is the same for every group of the block is read once. */
static LLVMValueRef table_field(struct emit *e, const struct ir_inst *i, size_t at, LLVMTypeRef t)
{
    unsigned number = i->flags / IR_PRIVATE_ONE & 3;
    LLVMValueRef offset = k_int(e, 64, 1, offsetof(struct kabi_block, privates) + number * sizeof(struct kabi_private) + at);
    LLVMValueRef v = LLVMBuildLoad2(e->eb, t, LLVMBuildGEP2(e->eb, ty_int(e, 8, 1), e->block, &offset, 1, ""), "");
    promise_unchanging(e, v);
    return v;
}

static struct table table_for(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    return (struct table){ table_field(e, i, offsetof(struct kabi_private, base), i64), table_field(e, i, offsetof(struct kabi_private, count), i64),
                           table_field(e, i, offsetof(struct kabi_private, copy), ty_ptr(e)) };
}

/* Which element of the table it is; no small number when it is none: bits that alignment wants clear go to the top. */
static LLVMValueRef element_of(struct emit *e, const struct ir_inst *i, const struct table *t, LLVMValueRef addr)
{
    LLVMValueRef far = LLVMBuildSub(e->b, addr, t->base, "");
    return intrinsic3(e, "llvm.fshr", ty_int(e, 64, 1), far, far, k_int(e, 64, 1, (unsigned)__builtin_ctz(element_bytes(i))));
}

/* at: in elements */
static void change(struct emit *e, const struct ir_inst *i, LLVMValueRef copy, LLVMValueRef at, LLVMValueRef x)
{
    LLVMTypeRef t = ty_scalar(e, i->type);
    LLVMValueRef p = LLVMBuildGEP2(e->b, t, copy, &at, 1, ""), old = LLVMBuildLoad2(e->b, t, p, "");
    LLVMValueRef s = LLVMBuildStore(e->b, atomic_combine(e, i, old, cast_to(e, x, t)), p);
    tag_memory(e, old, TAG_GLOBAL);
    tag_memory(e, s, TAG_GLOBAL);
}

void private_lane(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef x, bool checked)
{
    struct table t = table_for(e, i);
    LLVMValueRef at = element_of(e, i, &t, LLVMBuildPtrToInt(e->b, ptr, ty_int(e, 64, 1), ""));
    LLVMBasicBlockRef mine = new_block(e, "mine"), memory = new_block(e, "memory"), done = new_block(e, "collected");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, at, t.count, ""), mine, memory);
    LLVMPositionBuilderAtEnd(e->b, mine);
    change(e, i, t.copy, at, x);
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, memory);
    atomic_locked(e, i, ptr, x, checked);
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, done);
}

/* The first index that does not lead to an element of the table any more, counted without a sign: below 2^31, so that negative ones are beyond it. */
static LLVMValueRef first_beyond(struct emit *e, const struct table *t, LLVMValueRef first, unsigned each)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef none = k_int(e, 64, 1, 0), in = LLVMBuildICmp(e->b, LLVMIntULT, first, t->count, "");
    LLVMValueRef left = LLVMBuildSelect(e->b, in, LLVMBuildSub(e->b, t->count, first, ""), none, "");
    left = LLVMBuildUDiv(e->b, LLVMBuildAdd(e->b, left, k_int(e, 64, 1, each - 1), ""), k_int(e, 64, 1, each), "");
    left = intrinsic2(e, "llvm.umin", i64, left, k_int(e, 64, 1, INT32_MAX));
    return LLVMBuildTrunc(e->b, left, ty_int(e, 32, 1), "");
}

/* Words of the lanes through memory, two at a time; volatile, lest LLVM takes them out of vectors one by one. */
static LLVMValueRef put(struct emit *e, const struct ir_operand *o, enum ir_type type)
{
    LLVMTypeRef t = ty_int(e, ir_type_bits(type), e->W);
    LLVMValueRef array = entry_alloca(e, LLVMArrayType2(t, e->C), "lanes");
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef at = k_int(e, 32, 1, c), v = v_operand(e, o, type, c);
        LLVMSetVolatile(LLVMBuildStore(e->b, v, LLVMBuildGEP2(e->b, t, array, &at, 1, "")), true);
    }
    return array;
}

static LLVMValueRef get(struct emit *e, LLVMValueRef array, unsigned bits, unsigned lane, LLVMValueRef *pair)
{
    unsigned each = bits == 32 ? 2 : 1;
    if (lane % each == 0) {
        LLVMValueRef at = k_int(e, 32, 1, lane / each);
        *pair = LLVMBuildLoad2(e->b, ty_int(e, 64, 1), LLVMBuildGEP2(e->b, ty_int(e, 64, 1), array, &at, 1, ""), "");
        LLVMSetVolatile(*pair, true);
    }
    if (bits == 64)
        return *pair;
    return LLVMBuildTrunc(e->b, lane % 2 ? LLVMBuildLShr(e->b, *pair, k_int(e, 64, 1, 32), "") : *pair, ty_int(e, 32, 1), "");
}

static void change_all(struct emit *e, const struct ir_inst *i, const struct plan_indexed *x, LLVMValueRef copy)
{
    unsigned bits = ir_type_bits(i->type), each = x->scale / element_bytes(i);
    struct shape s = o_shape(e, &i->src[1]);
    bool same = shape_group_uniform(&s);
    LLVMValueRef index = put(e, x->index, IR_I32), value = same ? u_operand(e, &i->src[1], i->type, 0) : put(e, &i->src[1], i->type), pair[2] = { 0 };
    for (unsigned l = 0; l < e->C * e->W; l++) {
        LLVMValueRef at = LLVMBuildZExt(e->b, get(e, index, 32, l, &pair[0]), ty_int(e, 64, 1), "");
        if (each > 1)
            at = LLVMBuildMul(e->b, at, k_int(e, 64, 1, each), "");
        change(e, i, copy, at, same ? value : get(e, value, bits, l, &pair[1]));
    }
}

/*
 * table[index] of all lanes, where all of them lie in the table: one look at the indices, then lane after lane without another. Begins what is done otherwise;
 * the block to go to after that, or NULL: nothing was written.
 */
LLVMBasicBlockRef private_lanes(struct emit *e, const struct ir_inst *i)
{
    struct plan_indexed x;
    if (!(i->flags & IR_PRIVATE) || e->m[0] || !plan_indexed(e->p, i, e->at, &x) || x.scale % element_bytes(i))
        return NULL;
    struct shape base = o_shape(e, x.base);
    if (!shape_group_uniform(&base))
        return NULL;
    struct table t = table_for(e, i);
    LLVMValueRef addr = LLVMBuildAdd(e->b, u_operand(e, x.base, IR_I64, 0), k_int(e, 64, 1, (uint64_t)i->imm), "");
    LLVMValueRef first = element_of(e, i, &t, addr), beyond = splat(e, first_beyond(e, &t, first, x.scale / element_bytes(i)), e->W), bad = NULL;
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef out = LLVMBuildICmp(e->b, LLVMIntUGE, v_operand(e, x.index, IR_I32, c), beyond, "");
        bad = bad ? LLVMBuildOr(e->b, bad, out, "") : out;
    }
    LLVMTypeRef bits = ty_int(e, e->W, 1);
    LLVMBasicBlockRef mine = new_block(e, "all.mine"), other = new_block(e, "not.all"), done = new_block(e, "all.collected");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, cast_to(e, bad, bits), LLVMConstNull(bits), ""), mine, other);
    LLVMPositionBuilderAtEnd(e->b, mine);
    change_all(e, i, &x, LLVMBuildGEP2(e->b, ty_int(e, ir_type_bits(i->type), 1), t.copy, &first, 1, ""));
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, other);
    return done;
}
