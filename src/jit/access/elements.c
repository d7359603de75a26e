/* SPDX-License-Identifier: Apache-2.0 */
/* What is read and written once the address is known: the elements of one thread, and rows of neighbouring lanes. */
#include "jit/access/memory.h"
#include "pass/analysis/access.h"

/* Only integers may be atomic accesses: floats go through their bits. */
static LLVMValueRef scalar_load(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr)
{
    bool atomic = i->order != IR_WEAK;
    LLVMTypeRef t = atomic ? ty_int(e, ir_type_bits(i->type), 1) : ty(e, i->type, 1);
    LLVMValueRef v = LLVMBuildLoad2(e->b, t, ptr, "");
    promise_align(e, v, element_bytes(i));
    if (i->flags & IR_VOLATILE)
        LLVMSetVolatile(v, true);
    if (atomic) {
        LLVMSetAlignment(v, element_bytes(i));            /* else it would not be one instruction */
        LLVMSetOrdering(v, llvm_order((enum ir_order)i->order));
    }
    tag_access(e, i, v);
    return cast_to(e, v, ty(e, i->type, 1));
}

void scalar_store(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef ptr)
{
    bool atomic = i->order != IR_WEAK;
    if (atomic)
        value = cast_to(e, value, ty_int(e, ir_type_bits(i->type), 1));
    LLVMValueRef s = LLVMBuildStore(e->b, value, ptr);
    promise_align(e, s, element_bytes(i));
    if (i->flags & IR_VOLATILE)
        LLVMSetVolatile(s, true);
    if (atomic) {
        LLVMSetAlignment(s, element_bytes(i));
        LLVMSetOrdering(s, llvm_order((enum ir_order)i->order));
    }
    tag_access(e, i, s);
}

/* The elements of one thread's access. Those of an ordered or volatile one go in one piece: processors with AVX keep 16 aligned bytes whole, as GPUs
   do, and programs send a value and its flag to another block that way. LLVM has no atomic vectors: volatile keeps it whole, fences keep its order. */
static bool in_one_piece(const struct ir_inst *i, unsigned n)
{
    return n > 1 && access_ordered(i) && n * element_bytes(i) <= 16;
}

static bool orders(const struct ir_inst *i, LLVMAtomicOrdering with)
{
    LLVMAtomicOrdering o = i->order == IR_WEAK ? LLVMAtomicOrderingMonotonic : llvm_order((enum ir_order)i->order);
    return o == with || o == LLVMAtomicOrderingAcquireRelease || o == LLVMAtomicOrderingSequentiallyConsistent;
}

static LLVMValueRef whole(struct emit *e, const struct ir_inst *i, LLVMValueRef access, unsigned n)
{
    promise_align(e, access, n * element_bytes(i));
    LLVMSetVolatile(access, true);
    return tag_access(e, i, access);
}

void load_elements(struct emit *e, const struct ir_inst *i, LLVMValueRef p, LLVMValueRef *out)
{
    unsigned n = i->n_dst;
    if (in_one_piece(i, n)) {
        LLVMValueRef all = whole(e, i, LLVMBuildLoad2(e->b, LLVMVectorType(ty_scalar(e, i->type), n), p, ""), n);
        if (orders(i, LLVMAtomicOrderingAcquire))
            LLVMBuildFence(e->b, LLVMAtomicOrderingAcquire, false, "");
        for (unsigned k = 0; k < n; k++)
            out[k] = LLVMBuildExtractElement(e->b, all, k_int(e, 32, 1, k), "");
        return;
    }
    for (unsigned k = 0; k < n; k++)
        out[k] = scalar_load(e, i, offset_ptr(e, p, (uint64_t)k * element_bytes(i)));
}

void store_elements(struct emit *e, const struct ir_inst *i, LLVMValueRef p, LLVMValueRef *v)
{
    unsigned n = i->n_src - 1u;
    if (in_one_piece(i, n)) {
        LLVMValueRef all = LLVMGetPoison(LLVMVectorType(ty_scalar(e, i->type), n));
        for (unsigned k = 0; k < n; k++)
            all = LLVMBuildInsertElement(e->b, all, v[k], k_int(e, 32, 1, k), "");
        if (orders(i, LLVMAtomicOrderingRelease))
            LLVMBuildFence(e->b, LLVMAtomicOrderingRelease, false, "");
        whole(e, i, LLVMBuildStore(e->b, all, p), n);
        return;
    }
    for (unsigned k = 0; k < n; k++)
        scalar_store(e, i, v[k], offset_ptr(e, p, (uint64_t)k * element_bytes(i)));
}

/* <n*W x T> mask from a <W x i1> one: every lane's bit n times. */
static LLVMValueRef spread_mask(struct emit *e, LLVMValueRef mask, unsigned n)
{
    LLVMValueRef at[256];
    for (unsigned l = 0; l < e->W * n; l++)
        at[l] = k_int(e, 32, 1, l / n);
    return LLVMBuildShuffleVector(e->b, mask, LLVMGetPoison(LLVMTypeOf(mask)), LLVMConstVector(at, e->W * n), "");
}

/* Lanes that are off get zero, here and in gather(). Poison would be wrong: what is computed from it may decide a branch, together
   with the mask, and LLVM drops the code behind a branch on poison even where the mask makes the answer certain. */
LLVMValueRef wide_load(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, unsigned chunk, unsigned n)
{
    LLVMTypeRef t = LLVMVectorType(ty_scalar(e, i->type), e->W * n);
    if (!e->m[0]) {
        LLVMValueRef v = LLVMBuildLoad2(e->b, t, ptr, "");
        promise_align(e, v, element_bytes(i));
        return tag_access(e, i, v);
    }
    LLVMValueRef mask = n > 1 ? spread_mask(e, e->m[chunk], n) : e->m[chunk];
    LLVMValueRef args[] = { ptr, k_int(e, 32, 1, promised_align(e, element_bytes(i))), mask, LLVMConstNull(t) };
    LLVMTypeRef overloads[] = { t, ty_ptr(e) };
    return tag_access(e, i, intrinsic(e, "llvm.masked.load", overloads, 2, args, 4));
}

void wide_store(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef ptr, unsigned chunk, unsigned n)
{
    if (!e->m[0]) {
        LLVMValueRef s = LLVMBuildStore(e->b, value, ptr);
        promise_align(e, s, element_bytes(i));
        tag_access(e, i, s);
        return;
    }
    LLVMValueRef mask = n > 1 ? spread_mask(e, e->m[chunk], n) : e->m[chunk];
    LLVMValueRef args[] = { value, ptr, k_int(e, 32, 1, promised_align(e, element_bytes(i))), mask };
    LLVMTypeRef overloads[] = { LLVMTypeOf(value), ty_ptr(e) }, bits = ty_int(e, e->W, 1);
    LLVMBasicBlockRef some = NULL, on = NULL;
    if (!x86_wide(e, e->W) && e->C > 1) {                 /* twelve cycles on a Zen 3, also where no lane is on; of bytes a branch for each lane */
        some = new_block(e, "some");
        on = new_block(e, "on");
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, cast_to(e, e->m[chunk], bits), LLVMConstNull(bits), ""), some, on);
        LLVMPositionBuilderAtEnd(e->b, some);
    }
    tag_access(e, i, intrinsic(e, "llvm.masked.store", overloads, 2, args, 4));
    if (on) {
        LLVMBuildBr(e->b, on);
        LLVMPositionBuilderAtEnd(e->b, on);
    }
}

/* Every n-th element of a wide vector, from the k-th. */
LLVMValueRef deinterleave(struct emit *e, LLVMValueRef wide, unsigned n, unsigned k)
{
    LLVMValueRef at[64];
    if (n == 1)
        return wide;
    for (unsigned l = 0; l < e->W; l++)
        at[l] = k_int(e, 32, 1, l * n + k);
    return LLVMBuildShuffleVector(e->b, wide, LLVMGetPoison(LLVMTypeOf(wide)), LLVMConstVector(at, e->W), "");
}

/* v[0..n) of W lanes each, mixed: lane 0 of all, lane 1 of all, ... */
LLVMValueRef interleave(struct emit *e, LLVMValueRef *v, unsigned n)
{
    LLVMValueRef at[256];
    if (n == 1)
        return v[0];
    unsigned have = e->W;
    LLVMValueRef all[8];
    for (unsigned k = 0; k < n; k++)
        all[k] = v[k];
    for (unsigned count = n; count > 1; count /= 2, have *= 2) {              /* n is 2, 4 or 8 */
        for (unsigned l = 0; l < 2 * have; l++)
            at[l] = k_int(e, 32, 1, l);
        for (unsigned k = 0; k < count / 2; k++)
            all[k] = LLVMBuildShuffleVector(e->b, all[2 * k], all[2 * k + 1], LLVMConstVector(at, 2 * have), "");
    }
    for (unsigned l = 0; l < e->W; l++)
        for (unsigned k = 0; k < n; k++)
            at[l * n + k] = k_int(e, 32, 1, k * e->W + l);
    return LLVMBuildShuffleVector(e->b, all[0], LLVMGetPoison(LLVMTypeOf(all[0])), LLVMConstVector(at, e->W * n), "");
}

/* The elements of a vector access of n go two by two where they are 32 bits: half the gathers, half the loads. */
bool in_pairs(const struct ir_inst *i, unsigned n) { return n % 2 == 0 && element_bytes(i) == 4; }

void split_pairs(struct emit *e, const struct ir_inst *i, LLVMValueRef pairs, LLVMValueRef *out)
{
    LLVMValueRef both = LLVMBuildBitCast(e->b, pairs, LLVMVectorType(ty_scalar(e, i->type), 2 * e->W), "");
    out[0] = deinterleave(e, both, 2, 0);
    out[1] = deinterleave(e, both, 2, 1);
}

LLVMValueRef make_pairs(struct emit *e, LLVMValueRef *v)
{
    return LLVMBuildBitCast(e->b, interleave(e, v, 2), ty_int(e, 64, e->W), "");
}

static LLVMValueRef reversed(struct emit *e, LLVMValueRef v)
{
    LLVMValueRef at[64];
    for (unsigned l = 0; l < e->W; l++)
        at[l] = k_int(e, 32, 1, e->W - 1 - l);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(at, e->W), "");
}

/* The row from the last lane's place on, back to front: loads it, or stores `value` there. */
LLVMValueRef falling_row(struct emit *e, const struct ir_inst *i, const struct shape *s, unsigned chunk, LLVMValueRef value)
{
    LLVMValueRef first = u_address(e, i, chunk), mask = e->m[0] ? e->m[chunk] : NULL, v = NULL;
    guard_row(e, i, first, -(int64_t)element_bytes(i), chunk, s);
    LLVMValueRef row = offset_ptr(e, first, (uint64_t)-(int64_t)((e->W - 1) * element_bytes(i)));
    if (mask)
        e->m[chunk] = reversed(e, mask);
    if (value)
        wide_store(e, i, reversed(e, value), row, chunk, 1);
    else
        v = reversed(e, wide_load(e, i, row, chunk, 1));
    if (mask)
        e->m[chunk] = mask;
    return v;
}

LLVMValueRef load_piece_row(struct emit *e, const struct ir_inst *i, LLVMTypeRef t, LLVMValueRef ptr, int64_t offset)
{
    LLVMValueRef v = LLVMBuildLoad2(e->b, t, offset_ptr(e, ptr, (uint64_t)offset), "");
    promise_align(e, v, element_bytes(i));
    return tag_access(e, i, v);
}

void store_piece_row(struct emit *e, const struct ir_inst *i, LLVMValueRef v, LLVMValueRef ptr, int64_t offset)
{
    LLVMValueRef s = LLVMBuildStore(e->b, v, offset_ptr(e, ptr, (uint64_t)offset));
    promise_align(e, s, element_bytes(i));
    tag_access(e, i, s);
}

void store_row(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, unsigned n, unsigned chunk)
{
    wide_store(e, i, interleave(e, v, n), u_address(e, i, chunk), chunk, n);
}
