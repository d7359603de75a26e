/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and stores. The address's shape decides: one scalar access for a uniform address, a vector access where lanes
 * are neighbours, gathers and scatters elsewhere, and one access per lane, in order, where volatile or an order asks for it.
 */
#include "jit/emit.h"
#include "jit/emit/frame.h"
#include "jit/code/target.h"
#include "pass/analysis/access.h"

#include <stdlib.h>

enum emit_tag space_tag(uint8_t space)
{
    return space == IR_SHARED ? TAG_SHARED : space == IR_LOCAL ? TAG_LOCAL : TAG_GLOBAL;
}

/* Only accesses whose space is known get a tag: a generic one may be any. */
static LLVMValueRef tagged(struct emit *e, const struct ir_inst *i, LLVMValueRef access)
{
    return i->space == IR_GENERIC ? access : tag_memory(e, access, space_tag(i->space));
}

LLVMAtomicOrdering llvm_order(enum ir_order o)
{
    switch (o) {
    case IR_ACQUIRE: return LLVMAtomicOrderingAcquire;
    case IR_RELEASE: return LLVMAtomicOrderingRelease;
    case IR_ACQ_REL: return LLVMAtomicOrderingAcquireRelease;
    case IR_SEQ_CST: return LLVMAtomicOrderingSequentiallyConsistent;
    default: return LLVMAtomicOrderingMonotonic;
    }
}

/* Shared and local addresses are small offsets; a negative base of an affine address only belongs to lanes that are off. */
static LLVMValueRef to_i64(struct emit *e, LLVMValueRef a, unsigned lanes)
{
    LLVMTypeRef i64 = ty_int(e, 64, lanes);
    return LLVMTypeOf(a) == i64 ? a : LLVMBuildSExt(e->b, a, i64, "");
}

/* Spaces whose addresses are 32-bit offsets from where the block's memory begins, with nothing mapped around it as far as those reach (exec/buffers.c). */
static bool has_offsets(const struct ir_inst *i) { return i->space == IR_SHARED || i->space == IR_LOCAL; }

static LLVMValueRef block_memory(struct emit *e, uint8_t space) { return env(e, space == IR_SHARED ? ENV_SHARED : ENV_LOCAL); }

/* i32: where the local memory of the chunk's first thread begins, in the block's (which is smaller than 2 GiB: exec/block.c). */
static LLVMValueRef local_begin(struct emit *e, unsigned chunk)
{
    bool interleaved = e->p->interleaved;                 /* then a group has rows of words, and a chunk its part of each row */
    LLVMValueRef begin = LLVMBuildMul(e->b, linear_thread(e, interleaved ? 0 : chunk), k_int(e, 32, 1, e->p->func->local_bytes), "");
    if (interleaved)
        begin = LLVMBuildAdd(e->b, begin, k_int(e, 32, 1, (uint64_t)chunk * e->W * (uint64_t)plan_local_step(e->p)), "");
    return e->sp ? LLVMBuildAdd(e->b, begin, LLVMBuildTrunc(e->b, e->sp, ty_int(e, 32, 1), ""), "") : begin;
}

static LLVMValueRef space_base(struct emit *e, uint8_t space, unsigned chunk)          /* i64: where a generic address of offset 0 leads */
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef base = LLVMBuildPtrToInt(e->b, block_memory(e, space), i64, "");
    return space == IR_SHARED ? base : LLVMBuildAdd(e->b, base, LLVMBuildZExt(e->b, local_begin(e, chunk), i64, ""), "");
}

static uint64_t constant_offset(struct emit *e, const struct ir_inst *i)
{
    return (uint64_t)i->imm + (i->flags & IR_OUTGOING ? e->p->own_local : 0);
}

static LLVMValueRef offset_ptr(struct emit *e, LLVMValueRef p, uint64_t bytes)
{
    if (!bytes)
        return p;
    LLVMValueRef k = k_int(e, 64, 1, bytes);
    return LLVMBuildGEP2(e->b, ty_int(e, 8, 1), p, &k, 1, "");
}

/*
 * Shared and local memory have 32-bit addresses: what a 64-bit register holds above them does not count, and sums wrap around. Taken with their sign, they
 * lead to where nothing is mapped around the block's memory (exec/buffers.c), from a negative base also to lanes that have left it behind. A register
 * that is known to be small needs no care.
 */
static LLVMValueRef space_offset(struct emit *e, LLVMValueRef a, const struct shape *s)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    if (LLVMTypeOf(a) != i32 && s->umax > INT32_MAX)
        a = LLVMBuildTrunc(e->b, a, i32, "");
    return to_i64(e, a, 1);
}

/* A constant that is not near is added in 32 bits, with the rest; so is where a thread's local memory begins, unless the register is small. */
static LLVMValueRef space_pointer(struct emit *e, const struct ir_inst *i, LLVMValueRef a, const struct shape *s, int64_t offset, unsigned chunk)
{
    bool far = offset <= -OFFSET_NEAR || offset >= OFFSET_NEAR, small = !far && s->umax <= INT32_MAX;
    LLVMValueRef begin = i->space == IR_LOCAL ? local_begin(e, chunk) : NULL;
    if (far)
        a = LLVMBuildAdd(e->b, a, LLVMConstInt(LLVMTypeOf(a), (uint64_t)offset, true), "");
    if (begin && !small)
        a = LLVMBuildAdd(e->b, LLVMBuildTruncOrBitCast(e->b, a, ty_int(e, 32, 1), ""), begin, "");
    a = space_offset(e, a, small ? s : &(struct shape){ .umax = UINT64_MAX });
    if (begin && small)
        a = LLVMBuildAdd(e->b, a, LLVMBuildZExt(e->b, begin, ty_int(e, 64, 1), ""), "");
    return offset_ptr(e, LLVMBuildGEP2(e->b, ty_int(e, 8, 1), block_memory(e, i->space), &a, 1, ""), far ? 0 : (uint64_t)offset);
}

/*
 * Pointer of the chunk's first lane; the address is AFFINE. In shared memory the register comes first and all constants at once after it: LLVM then
 * sees what two accesses have in common (a row that several warps read), and keeps one pointer, not one for each constant.
 */
LLVMValueRef u_address(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    struct shape s = o_shape(e, &i->src[0]);
    bool shared = i->space == IR_SHARED, one_base = shared && s.kind == SHAPE_AFFINE && s.group;
    uint64_t offset = constant_offset(e, i) + (one_base ? (uint64_t)plan_lane_offset(e->p, &s, chunk * e->W) : 0);
    LLVMValueRef a = u_operand(e, &i->src[0], src_type(i, 0), one_base ? 0 : chunk);
    if (has_offsets(i))
        return space_pointer(e, i, a, &s, (int64_t)offset, chunk);
    a = to_i64(e, a, 1);
    if (offset)
        a = LLVMBuildAdd(e->b, a, k_int(e, 64, 1, offset), "");
    return LLVMBuildIntToPtr(e->b, a, ty_ptr(e), "");
}

/* Offsets are 32-bit numbers, of which a vector holds twice as many as of addresses. */
static unsigned address_bits(const struct ir_inst *i) { return has_offsets(i) ? 32 : 64; }

LLVMTypeRef address_type(struct emit *e, const struct ir_inst *i, unsigned lanes) { return ty_int(e, address_bits(i), lanes); }

LLVMValueRef address_pointers(struct emit *e, const struct ir_inst *i, LLVMValueRef a)
{
    if (has_offsets(i))
        return LLVMBuildGEP2(e->b, ty_int(e, 8, 1), block_memory(e, i->space), &a, 1, "");
    bool vector = LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMVectorTypeKind;
    return LLVMBuildIntToPtr(e->b, a, vector ? LLVMVectorType(ty_ptr(e), e->W) : ty_ptr(e), "");
}

static LLVMValueRef v_offset_in_space(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMValueRef offsets = v_operand(e, &i->src[0], src_type(i, 0), chunk);
    LLVMTypeRef t = address_type(e, i, e->W);
    uint64_t k = constant_offset(e, i);
    if (LLVMTypeOf(offsets) != t)
        offsets = LLVMBuildTrunc(e->b, offsets, t, "");
    if (k)
        offsets = LLVMBuildAdd(e->b, offsets, k_int(e, 32, e->W, k), "");
    if (i->space == IR_LOCAL)
        offsets = LLVMBuildAdd(e->b, offsets, splat(e, local_begin(e, chunk), e->W), "");
    if (i->space == IR_LOCAL && e->W > 1)
        offsets = LLVMBuildAdd(e->b, offsets, k_lanes(e, 32, e->W, 0, plan_local_step(e->p)), "");
    return offsets;
}

LLVMValueRef v_address(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    if (has_offsets(i))
        return v_offset_in_space(e, i, chunk);
    LLVMValueRef a = to_i64(e, v_operand(e, &i->src[0], src_type(i, 0), chunk), e->W);
    return constant_offset(e, i) ? LLVMBuildAdd(e->b, a, k_int(e, 64, e->W, constant_offset(e, i)), "") : a;
}

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
    tagged(e, i, v);
    return cast_to(e, v, ty(e, i->type, 1));
}

static void scalar_store(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef ptr)
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
    tagged(e, i, s);
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
    return tagged(e, i, access);
}

static void load_elements(struct emit *e, const struct ir_inst *i, LLVMValueRef p, LLVMValueRef *out)
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

static void store_elements(struct emit *e, const struct ir_inst *i, LLVMValueRef p, LLVMValueRef *v)
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
static LLVMValueRef wide_load(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, unsigned chunk, unsigned n)
{
    LLVMTypeRef t = LLVMVectorType(ty_scalar(e, i->type), e->W * n);
    if (!e->m[0]) {
        LLVMValueRef v = LLVMBuildLoad2(e->b, t, ptr, "");
        promise_align(e, v, element_bytes(i));
        return tagged(e, i, v);
    }
    LLVMValueRef mask = n > 1 ? spread_mask(e, e->m[chunk], n) : e->m[chunk];
    LLVMValueRef args[] = { ptr, k_int(e, 32, 1, promised_align(e, element_bytes(i))), mask, LLVMConstNull(t) };
    LLVMTypeRef overloads[] = { t, ty_ptr(e) };
    return tagged(e, i, intrinsic(e, "llvm.masked.load", overloads, 2, args, 4));
}

static void wide_store(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef ptr, unsigned chunk, unsigned n)
{
    if (!e->m[0]) {
        LLVMValueRef s = LLVMBuildStore(e->b, value, ptr);
        promise_align(e, s, element_bytes(i));
        tagged(e, i, s);
        return;
    }
    LLVMValueRef mask = n > 1 ? spread_mask(e, e->m[chunk], n) : e->m[chunk];
    LLVMValueRef args[] = { value, ptr, k_int(e, 32, 1, promised_align(e, element_bytes(i))), mask };
    LLVMTypeRef overloads[] = { LLVMTypeOf(value), ty_ptr(e) };
    tagged(e, i, intrinsic(e, "llvm.masked.store", overloads, 2, args, 4));
}

/* Every n-th element of a wide vector, from the k-th. */
static LLVMValueRef deinterleave(struct emit *e, LLVMValueRef wide, unsigned n, unsigned k)
{
    LLVMValueRef at[64];
    if (n == 1)
        return wide;
    for (unsigned l = 0; l < e->W; l++)
        at[l] = k_int(e, 32, 1, l * n + k);
    return LLVMBuildShuffleVector(e->b, wide, LLVMGetPoison(LLVMTypeOf(wide)), LLVMConstVector(at, e->W), "");
}

/* v[0..n) of W lanes each, mixed: lane 0 of all, lane 1 of all, ... */
static LLVMValueRef interleave(struct emit *e, LLVMValueRef *v, unsigned n)
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

static LLVMValueRef gather_at(struct emit *e, const struct ir_inst *i, LLVMTypeRef t, LLVMValueRef pointers, unsigned chunk)
{
    LLVMTypeRef overloads[] = { t, LLVMVectorType(ty_ptr(e), e->W) };
    LLVMValueRef args[] = { pointers, k_int(e, 32, 1, promised_align(e, element_bytes(i))), mask_or_all(e, chunk), LLVMConstNull(t) };
    return tagged(e, i, intrinsic(e, "llvm.masked.gather", overloads, 2, args, 4));
}

static LLVMValueRef gather(struct emit *e, const struct ir_inst *i, LLVMTypeRef t, LLVMValueRef addresses, unsigned chunk)
{
    return gather_at(e, i, t, address_pointers(e, i, addresses), chunk);
}

static void scatter_at(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef pointers, unsigned chunk)
{
    LLVMTypeRef overloads[] = { LLVMTypeOf(value), LLVMVectorType(ty_ptr(e), e->W) };
    LLVMValueRef args[] = { value, pointers, k_int(e, 32, 1, promised_align(e, element_bytes(i))), mask_or_all(e, chunk) };
    tagged(e, i, intrinsic(e, "llvm.masked.scatter", overloads, 2, args, 4));
}

static void scatter(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef addresses, unsigned chunk)
{
    scatter_at(e, i, value, address_pointers(e, i, addresses), chunk);
}

/* The elements of a vector access of n go two by two where they are 32 bits: half the gathers, half the loads. */
static bool in_pairs(const struct ir_inst *i, unsigned n) { return n % 2 == 0 && element_bytes(i) == 4; }

static void split_pairs(struct emit *e, const struct ir_inst *i, LLVMValueRef pairs, LLVMValueRef *out)
{
    LLVMValueRef both = LLVMBuildBitCast(e->b, pairs, LLVMVectorType(ty_scalar(e, i->type), 2 * e->W), "");
    out[0] = deinterleave(e, both, 2, 0);
    out[1] = deinterleave(e, both, 2, 1);
}

static LLVMValueRef make_pairs(struct emit *e, LLVMValueRef *v)
{
    return LLVMBuildBitCast(e->b, interleave(e, v, 2), ty_int(e, 64, e->W), "");
}

static LLVMValueRef v_offset(struct emit *e, const struct ir_inst *i, LLVMValueRef addresses, uint64_t bytes)
{
    return bytes ? LLVMBuildAdd(e->b, addresses, k_int(e, address_bits(i), e->W, bytes), "") : addresses;
}

/* n elements for each lane. */
void gather_all(struct emit *e, const struct ir_inst *i, LLVMValueRef addresses, unsigned chunk, LLVMValueRef *out)
{
    unsigned n = i->n_dst, bytes = element_bytes(i);
    if (in_pairs(i, n))
        for (unsigned k = 0; k < n; k += 2)
            split_pairs(e, i, gather(e, i, ty_int(e, 64, e->W), v_offset(e, i, addresses, k * bytes), chunk), out + k);
    else
        for (unsigned k = 0; k < n; k++)
            out[k] = gather(e, i, ty(e, i->type, e->W), v_offset(e, i, addresses, k * bytes), chunk);
}

void scatter_all(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, LLVMValueRef addresses, unsigned chunk)
{
    unsigned n = i->n_src - 1u, bytes = element_bytes(i);
    if (in_pairs(i, n))
        for (unsigned k = 0; k < n; k += 2)
            scatter(e, i, make_pairs(e, v + k), v_offset(e, i, addresses, k * bytes), chunk);
    else
        for (unsigned k = 0; k < n; k++)
            scatter(e, i, v[k], v_offset(e, i, addresses, k * bytes), chunk);
}

/*
 * Lanes are often neighbours where the plan cannot know it (t & (distance - 1), t % n): the code looks, and takes the vector
 * access when every active lane's address is the first lane's plus its share. A few instructions, against the dozens of a
 * gather or scatter.
 */
struct fork {
    LLVMBasicBlockRef slow, join, ends[2];
};

/* at: addresses, offsets into shared memory or indices; step: how far apart they are when lanes are neighbours. The first lane's is returned. */
static LLVMValueRef fork_begin(struct emit *e, struct fork *f, LLVMValueRef at, uint64_t step, unsigned chunk)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(at)));
    LLVMTypeRef bits = ty_int(e, e->W, 1);
    LLVMValueRef first = LLVMBuildExtractElement(e->b, at, k_int(e, 32, 1, 0), "");
    LLVMValueRef want = LLVMBuildAdd(e->b, splat(e, first, e->W), k_lanes(e, width, e->W, 0, (int64_t)step), "");
    LLVMValueRef same = LLVMBuildICmp(e->b, LLVMIntEQ, at, want, "");
    if (e->m[0])
        same = LLVMBuildOr(e->b, same, LLVMBuildNot(e->b, e->m[chunk], ""), "");
    LLVMValueRef all = LLVMBuildICmp(e->b, LLVMIntEQ, cast_to(e, same, bits), LLVMConstAllOnes(bits), "");
    if (width == 32) {           /* the sum may have wrapped around: those are no neighbours */
        LLVMValueRef last = k_int(e, 32, 1, (uint64_t)INT32_MAX - (e->W - 1) * step);
        all = LLVMBuildAnd(e->b, all, LLVMBuildICmp(e->b, LLVMIntSLE, first, last, ""), "");
    }
    LLVMBasicBlockRef fast = LLVMAppendBasicBlockInContext(e->cx, e->fn, "neighbours");
    f->slow = LLVMAppendBasicBlockInContext(e->cx, e->fn, "scattered");
    f->join = LLVMAppendBasicBlockInContext(e->cx, e->fn, "joined");
    LLVMBuildCondBr(e->b, all, fast, f->slow);
    LLVMPositionBuilderAtEnd(e->b, fast);
    return first;
}

/* One side is written: on to the slow one, and after that to where they meet. */
static void fork_next(struct emit *e, struct fork *f, int side)
{
    f->ends[side] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, f->join);
    LLVMPositionBuilderAtEnd(e->b, side == 0 ? f->slow : f->join);
}

struct lane_places places_of(struct emit *e, const struct ir_inst *i, unsigned n, unsigned chunk)
{
    struct plan_indexed x;
    if (n > 1 || !plan_indexed(e->p, i, e->at, &x) || element_bytes(i) % x.scale)
        return (struct lane_places){ v_address(e, i, chunk), NULL, 0 };
    LLVMValueRef base = u_operand(e, x.base, IR_I64, chunk), index = v_operand(e, x.index, IR_I32, chunk);
    uint64_t middle = (uint64_t)1 << 31, more = (uint64_t)i->imm;
    if (x.without_sign) {                                 /* counted from the middle, they have one */
        index = LLVMBuildXor(e->b, index, k_int(e, 32, e->W, middle), "");
        more += middle * x.scale;
    }
    if (more)
        base = LLVMBuildAdd(e->b, base, k_int(e, 64, 1, more), "");
    return (struct lane_places){ index, base, x.scale };
}

bool table_places(struct emit *e, const struct ir_inst *i, struct lane_places *p)
{
    struct plan_indexed x;
    LLVMValueRef at[PLAN_MAX_CHUNKS];
    if (!plan_indexed(e->p, i, e->at, &x) || element_bytes(i) % x.scale)
        return false;
    struct shape base = o_shape(e, x.base);
    if (!shape_group_uniform(&base))
        return false;
    for (unsigned c = 0; c < e->C; c++) {
        p[c] = places_of(e, i, 1, c);
        at[c] = p[c].at;
    }
    guard_indexed(e, i, p[0].base, at, x.scale, 0, e->C);
    return true;
}

LLVMValueRef place_pointers(struct emit *e, const struct ir_inst *i, const struct lane_places *p, LLVMValueRef at)
{
    if (!p->base)
        return address_pointers(e, i, at);
    LLVMValueRef base = LLVMBuildIntToPtr(e->b, p->base, ty_ptr(e), "");
    return LLVMBuildGEP2(e->b, ty_int(e, p->scale * 8, 1), base, &at, 1, "");
}

/* Begins the fork: the pointer of the row that neighbouring lanes make. */
static LLVMValueRef fork_row(struct emit *e, const struct ir_inst *i, struct fork *f, const struct lane_places *p, unsigned bytes, unsigned chunk)
{
    LLVMValueRef first = fork_begin(e, f, p->at, p->base ? bytes / p->scale : bytes, chunk), row = place_pointers(e, i, p, first);
    if (!p->base)
        guard_row(e, i, row, bytes, chunk, &(struct shape){ .kind = SHAPE_VARYING });
    return row;
}

/* Said outright: LLVM forgets that indices have 32 bits when their extension is in another block. */
static LLVMValueRef gather_indexed(struct emit *e, const struct ir_inst *i, const struct lane_places *p, unsigned chunk)
{
    LLVMTypeRef t = ty(e, i->type, e->W);
    if (element_bytes(i) == 4 && e->W == 16 && x86_wide(e, e->W) && target_gathers())
        return tagged(e, i, x86_gather(e, t, LLVMBuildIntToPtr(e->b, p->base, ty_ptr(e), ""), p->at, mask_or_all(e, chunk), p->scale));
    return gather_at(e, i, t, place_pointers(e, i, p, p->at), chunk);
}

static void scatter_indexed(struct emit *e, const struct ir_inst *i, LLVMValueRef v, const struct lane_places *p, unsigned chunk)
{
    if (element_bytes(i) == 4 && e->W == 16 && x86_wide(e, e->W) && target_gathers())
        tagged(e, i, x86_scatter(e, v, LLVMBuildIntToPtr(e->b, p->base, ty_ptr(e), ""), p->at, mask_or_all(e, chunk), p->scale));
    else
        scatter_at(e, i, v, place_pointers(e, i, p, p->at), chunk);
}

/*
 * Each lane goes along a row of its own in small steps. In the first turn, and whenever a line's length has been gone, the line is fetched
 * that comes after the one a lane is in: in most turns some lane would come to the end of its line and all would wait for it. For all chunks before
 * the first of them is loaded: words of a vector that was just stored cannot be read before the loads in front of it are done.
 */
static void fetch_rows(struct emit *e, const struct ir_inst *i)
{
    enum { LINE = 64, LEAST_TURNS = 4 };
    struct plan_row row;
    LLVMTypeRef i32 = ty_int(e, 32, 1), i64 = ty_int(e, 64, 1), overload = ty_ptr(e);
    if (!plan_row(e->p, i, e->at, &row) || row.step == 0 || llabs(row.step) > LINE / LEAST_TURNS)
        return;
    LLVMValueRef array = entry_alloca(e, LLVMArrayType2(ty_int(e, 32, e->W), e->C), "rows");
    LLVMValueRef now = u_operand(e, row.now, IR_I64, 0), begin = u_operand(e, row.begin, IR_I64, 0);
    LLVMValueRef gone = row.step > 0 ? LLVMBuildSub(e->b, now, begin, "") : LLVMBuildSub(e->b, begin, now, "");
    LLVMValueRef since = LLVMBuildAnd(e->b, gone, k_int(e, 64, 1, LINE - 1), "");
    LLVMBasicBlockRef rows = LLVMAppendBasicBlockInContext(e->cx, e->fn, "rows"), on = LLVMAppendBasicBlockInContext(e->cx, e->fn, "on");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, since, k_int(e, 64, 1, (uint64_t)llabs(row.step)), ""), rows, on);
    LLVMPositionBuilderAtEnd(e->b, rows);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef at = k_int(e, 32, 1, c * e->W), v = v_operand(e, row.index, IR_I32, c);
        LLVMSetVolatile(LLVMBuildStore(e->b, v, LLVMBuildGEP2(e->b, i32, array, &at, 1, "")), true);    /* lest LLVM takes it apart with shuffles */
    }
    LLVMValueRef start = LLVMBuildIntToPtr(e->b, now, overload, "");
    start = offset_ptr(e, start, (uint64_t)(i->imm + (row.step > 0 ? LINE - row.step : -LINE - row.step)));
    for (unsigned l = 0; l < e->C * e->W; l++) {
        LLVMValueRef at = k_int(e, 32, 1, l), index = LLVMBuildLoad2(e->b, i32, LLVMBuildGEP2(e->b, i32, array, &at, 1, ""), "");
        LLVMSetVolatile(index, true);
        index = LLVMBuildSExt(e->b, index, i64, "");
        LLVMValueRef args[] = { LLVMBuildGEP2(e->b, ty_int(e, row.scale * 8, 1), start, &index, 1, ""), k_int(e, 32, 1, 0), k_int(e, 32, 1, 3), k_int(e, 32, 1, 1) };
        intrinsic(e, "llvm.prefetch", &overload, 1, args, 4);
    }
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
}

static LLVMBasicBlockRef new_block(struct emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->cx, e->fn, name);
}

/* A gather takes its time even if no lane is on: at the end of a row, chunks without active lanes are passed over. */
static LLVMValueRef gather_if_any(struct emit *e, const struct ir_inst *i, const struct lane_places *p, unsigned chunk)
{
    if (!e->m[0])
        return gather_indexed(e, i, p, chunk);
    LLVMBasicBlockRef from[] = { LLVMGetInsertBlock(e->b), new_block(e, "some") }, join = new_block(e, "gathered");
    LLVMTypeRef bits = ty_int(e, e->W, 1), t = ty(e, i->type, e->W);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, cast_to(e, e->m[chunk], bits), LLVMConstNull(bits), ""), from[1], join);
    LLVMPositionBuilderAtEnd(e->b, from[1]);
    LLVMValueRef v[] = { LLVMConstNull(t), gather_indexed(e, i, p, chunk) };
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, join);
    LLVMValueRef phi = LLVMBuildPhi(e->b, t, "");
    LLVMAddIncoming(phi, v, from, 2);
    return phi;
}

/* Are the lanes of each chunk neighbours? Jumps to one of the two. A sum that wraps around makes no neighbours. */
static void fork_rows(struct emit *e, const struct lane_places *p, uint64_t step, LLVMValueRef *first, LLVMBasicBlockRef rows, LLVMBasicBlockRef apart)
{
    LLVMTypeRef bits = ty_int(e, e->W, 1);
    LLVMValueRef others = NULL, wraps = NULL, last = k_int(e, 32, 1, (uint64_t)INT32_MAX - (e->W - 1) * step);
    LLVMBasicBlockRef regular = new_block(e, "regular");
    for (unsigned c = 0; c < e->C; c++) {
        first[c] = LLVMBuildExtractElement(e->b, p[c].at, k_int(e, 32, 1, 0), "");
        LLVMValueRef want = LLVMBuildAdd(e->b, splat(e, first[c], e->W), k_lanes(e, 32, e->W, 0, (int64_t)step), "");
        LLVMValueRef other = LLVMBuildICmp(e->b, LLVMIntNE, p[c].at, want, "");
        if (e->m[0])
            other = LLVMBuildAnd(e->b, other, e->m[c], "");
        others = others ? LLVMBuildOr(e->b, others, other, "") : other;
    }
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, cast_to(e, others, bits), LLVMConstNull(bits), ""), regular, apart);
    LLVMPositionBuilderAtEnd(e->b, regular);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef wrap = LLVMBuildICmp(e->b, LLVMIntSGT, first[c], last, "");
        wraps = wraps ? LLVMBuildOr(e->b, wraps, wrap, "") : wrap;
    }
    LLVMBuildCondBr(e->b, wraps, apart, rows);
}

/* table[index] for all chunks together: one look at the base, one at the indices. */
static bool load_table(struct emit *e, const struct ir_inst *i)
{
    struct lane_places p[PLAN_MAX_CHUNKS];
    LLVMValueRef first[PLAN_MAX_CHUNKS], v[PLAN_MAX_CHUNKS][2];
    if (i->n_dst > 1 || access_ordered(i) || !table_places(e, i, p))
        return false;
    LLVMBasicBlockRef rows = new_block(e, "rows"), apart = new_block(e, "apart"), join = new_block(e, "joined"), ends[2];
    fork_rows(e, p, element_bytes(i) / p[0].scale, first, rows, apart);
    for (unsigned side = 0; side < 2; side++) {
        LLVMPositionBuilderAtEnd(e->b, side ? apart : rows);
        for (unsigned c = 0; c < e->C; c++)
            v[c][side] = side ? gather_if_any(e, i, &p[c], c) : wide_load(e, i, place_pointers(e, i, &p[c], first[c]), c, 1);
        ends[side] = LLVMGetInsertBlock(e->b);
        LLVMBuildBr(e->b, join);
    }
    LLVMPositionBuilderAtEnd(e->b, join);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(v[c][0]), "");
        LLVMAddIncoming(phi, v[c], ends, 2);
        first[c] = phi;
    }
    for (unsigned c = 0; c < e->C; c++)
        set_varying(e, i, 0, c, first[c]);
    return true;
}

static void load_scattered(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    unsigned n = i->n_dst;
    struct lane_places p = places_of(e, i, n, chunk);
    LLVMValueRef v[2][IR_MAX_DST];
    struct fork f;
    if (p.base)
        guard_indexed(e, i, p.base, &p.at, p.scale, chunk, 1);
    LLVMValueRef wide = wide_load(e, i, fork_row(e, i, &f, &p, n * element_bytes(i), chunk), chunk, n);
    for (unsigned k = 0; k < n; k++)
        v[0][k] = deinterleave(e, wide, n, k);
    fork_next(e, &f, 0);
    if (p.base) {
        v[1][0] = gather_indexed(e, i, &p, chunk);
    } else {
        guard_lanes(e, i, p.at, chunk);
        gather_all(e, i, p.at, chunk, v[1]);
    }
    fork_next(e, &f, 1);
    LLVMValueRef phi[IR_MAX_DST];
    for (unsigned k = 0; k < n; k++) {
        phi[k] = LLVMBuildPhi(e->b, LLVMTypeOf(v[0][k]), "");
        LLVMValueRef from[] = { v[0][k], v[1][k] };
        LLVMAddIncoming(phi[k], from, f.ends, 2);
    }
    for (unsigned k = 0; k < n; k++)
        set_varying(e, i, (int)k, chunk, phi[k]);
}

/*
 * Some lanes add something to a list: out[place] = x, with places that rise by one from active lane to active lane. Pressed together
 * they are neighbours. Leaves the builder where they are not; returns where to go on.
 */
static LLVMBasicBlockRef store_listed(struct emit *e, const struct ir_inst *i, LLVMValueRef v, const struct lane_places *p, unsigned chunk)
{
    uint64_t step = element_bytes(i) / p->scale;
    LLVMTypeRef bits = ty_int(e, e->W, 1), i32 = ty_int(e, 32, 1), t = LLVMTypeOf(v), overloads[] = { t, ty_ptr(e) };
    LLVMValueRef at = x86_compress(e, p->at, e->m[chunk]), first = LLVMBuildExtractElement(e->b, at, k_int(e, 32, 1, 0), "");
    LLVMValueRef n = intrinsic1(e, "llvm.ctpop", i32, mask_bits(e, e->m[chunk]));
    LLVMValueRef below = LLVMBuildSub(e->b, LLVMBuildShl(e->b, k_int(e, 32, 1, 1), n, ""), k_int(e, 32, 1, 1), "");
    LLVMValueRef lanes = LLVMBuildTrunc(e->b, below, bits, "");
    LLVMValueRef want = LLVMBuildAdd(e->b, splat(e, first, e->W), k_lanes(e, 32, e->W, 0, (int64_t)step), "");
    LLVMValueRef other = cast_to(e, LLVMBuildICmp(e->b, LLVMIntNE, at, want, ""), bits);
    LLVMValueRef row = LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, other, lanes, ""), LLVMConstNull(bits), "");
    LLVMValueRef last = k_int(e, 32, 1, (uint64_t)INT32_MAX - (e->W - 1) * step);
    row = LLVMBuildAnd(e->b, row, LLVMBuildICmp(e->b, LLVMIntSLE, first, last, ""), "");
    LLVMBasicBlockRef list = LLVMAppendBasicBlockInContext(e->cx, e->fn, "list"), apart = LLVMAppendBasicBlockInContext(e->cx, e->fn, "apart");
    LLVMBasicBlockRef join = LLVMAppendBasicBlockInContext(e->cx, e->fn, "listed");
    LLVMBuildCondBr(e->b, row, list, apart);
    LLVMPositionBuilderAtEnd(e->b, list);
    LLVMValueRef args[] = { x86_compress(e, v, e->m[chunk]), place_pointers(e, i, p, first), k_int(e, 32, 1, promised_align(e, element_bytes(i))),
                            cast_to(e, lanes, ty_int(e, 1, e->W)) };
    tagged(e, i, intrinsic(e, "llvm.masked.store", overloads, 2, args, 4));
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, apart);
    return join;
}

static void store_scattered(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, unsigned chunk)
{
    unsigned n = i->n_src - 1u;
    struct lane_places p = places_of(e, i, n, chunk);
    struct fork f;
    LLVMBasicBlockRef listed = NULL;
    if (p.base)
        guard_indexed(e, i, p.base, &p.at, p.scale, chunk, 1);
    if (p.base && e->m[0] && element_bytes(i) == 4 && e->W == 16 && x86_wide(e, e->W))
        listed = store_listed(e, i, v[0], &p, chunk);
    LLVMValueRef row = fork_row(e, i, &f, &p, n * element_bytes(i), chunk);
    wide_store(e, i, interleave(e, v, n), row, chunk, n);
    fork_next(e, &f, 0);
    if (p.base) {
        scatter_indexed(e, i, v[0], &p, chunk);
    } else {
        guard_lanes(e, i, p.at, chunk);
        scatter_all(e, i, v, p.at, chunk);
    }
    fork_next(e, &f, 1);
    if (listed) {
        LLVMBuildBr(e->b, listed);
        LLVMPositionBuilderAtEnd(e->b, listed);
    }
}

/* Words a known step apart: a gather or scatter takes the first one's address and constants; left alone, LLVM makes two of 64-bit addresses. */
static bool gathers_steps(struct emit *e, const struct ir_inst *i, const struct shape *s)
{
    int64_t step = access_lane_step(e->p, i, s);
    return s->kind == SHAPE_AFFINE && (i->op == IR_LD ? i->n_dst == 1 : i->n_src == 2) && element_bytes(i) == 4 && e->W == 16 && x86_wide(e, e->W) &&
        target_gathers() && step > -(1 << 24) && step < 1 << 24;
}

/*
 * All lanes, a known step apart: scalar accesses at constant offsets cost less than a gather on some CPUs (Zen 4: 2.3 ns for 16 words, against 5.9).
 * Elsewhere too within few lines, s[4 * t]: rows stored there just before reach scalar loads at once, gathers only from the cache (a scan: 8.6 ms, not 6.8).
 */
static bool steps(struct emit *e, const struct ir_inst *i, const struct shape *s)
{
    enum { LINE = 64, FAR = 1 << 20 };
    int64_t step = s->kind == SHAPE_AFFINE ? access_lane_step(e->p, i, s) : 0;
    bool far = has_offsets(i) && (step >= FAR || step <= -FAR);        /* their addresses wrap around: lane by lane, in 32 bits */
    bool column = (step >= LINE || step <= -LINE) && gathers_steps(e, i, s) && target_gathers_columns();
    return s->kind == SHAPE_AFFINE && !e->m[0] && !column && !far;
}

static LLVMValueRef gather_steps(struct emit *e, const struct ir_inst *i, int64_t step, unsigned chunk)
{
    LLVMValueRef index = k_lanes(e, 32, e->W, 0, step);
    return tagged(e, i, x86_gather(e, ty(e, i->type, e->W), u_address(e, i, chunk), index, mask_or_all(e, chunk), 1));
}

static void scatter_steps(struct emit *e, const struct ir_inst *i, LLVMValueRef v, int64_t step, unsigned chunk)
{
    LLVMValueRef index = k_lanes(e, 32, e->W, 0, step);
    tagged(e, i, x86_scatter(e, v, u_address(e, i, chunk), index, mask_or_all(e, chunk), 1));
}

static LLVMValueRef load_steps(struct emit *e, const struct ir_inst *i, LLVMTypeRef t, LLVMValueRef ptr, int64_t step)
{
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(t, e->W));
    for (unsigned l = 0; l < e->W; l++) {
        LLVMValueRef x = LLVMBuildLoad2(e->b, t, offset_ptr(e, ptr, (uint64_t)(step * (int64_t)l)), "");
        promise_align(e, x, element_bytes(i));
        v = LLVMBuildInsertElement(e->b, v, tagged(e, i, x), k_int(e, 32, 1, l), "");
    }
    return v;
}

static void store_steps(struct emit *e, const struct ir_inst *i, LLVMValueRef v, LLVMValueRef ptr, int64_t step)
{
    for (unsigned l = 0; l < e->W; l++) {
        LLVMValueRef x = LLVMBuildExtractElement(e->b, v, k_int(e, 32, 1, l), "");
        LLVMValueRef s = LLVMBuildStore(e->b, x, offset_ptr(e, ptr, (uint64_t)(step * (int64_t)l)));
        promise_align(e, s, element_bytes(i));
        tagged(e, i, s);
    }
}

static void load_all_steps(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, int64_t step, LLVMValueRef *out)
{
    unsigned n = i->n_dst, bytes = element_bytes(i);
    if (in_pairs(i, n))
        for (unsigned k = 0; k < n; k += 2)
            split_pairs(e, i, load_steps(e, i, ty_int(e, 64, 1), offset_ptr(e, ptr, k * bytes), step), out + k);
    else
        for (unsigned k = 0; k < n; k++)
            out[k] = load_steps(e, i, ty_scalar(e, i->type), offset_ptr(e, ptr, k * bytes), step);
}

static void store_all_steps(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, LLVMValueRef ptr, int64_t step)
{
    unsigned n = i->n_src - 1u, bytes = element_bytes(i);
    if (in_pairs(i, n))
        for (unsigned k = 0; k < n; k += 2)
            store_steps(e, i, make_pairs(e, v + k), offset_ptr(e, ptr, k * bytes), step);
    else
        for (unsigned k = 0; k < n; k++)
            store_steps(e, i, v[k], offset_ptr(e, ptr, k * bytes), step);
}

LLVMValueRef load_piece_row(struct emit *e, const struct ir_inst *i, LLVMTypeRef t, LLVMValueRef ptr, int64_t offset)
{
    LLVMValueRef v = LLVMBuildLoad2(e->b, t, offset_ptr(e, ptr, (uint64_t)offset), "");
    promise_align(e, v, element_bytes(i));
    return tagged(e, i, v);
}

void store_piece_row(struct emit *e, const struct ir_inst *i, LLVMValueRef v, LLVMValueRef ptr, int64_t offset)
{
    LLVMValueRef s = LLVMBuildStore(e->b, v, offset_ptr(e, ptr, (uint64_t)offset));
    promise_align(e, s, element_bytes(i));
    tagged(e, i, s);
}

static void fetch_lines(struct emit *e, const struct ir_inst *i, LLVMValueRef p, unsigned n, unsigned cache)
{
    LLVMTypeRef overload = ty_ptr(e);
    for (unsigned line = 0; line < e->W * n * element_bytes(i); line += 64) {
        LLVMValueRef args[] = { offset_ptr(e, p, line), k_int(e, 32, 1, i->op == IR_ST), k_int(e, 32, 1, cache), k_int(e, 32, 1, 1) };
        intrinsic(e, "llvm.prefetch", &overload, 1, args, 4);
    }
}

/* i64: how much further the access is so many iterations on, if the loop comes to those; else 0, where everything is at hand. */
static LLVMValueRef iterations_on(struct emit *e, unsigned iterations, unsigned chunk, const struct plan_prefetch_loop *a)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef step = k_int(e, 64, 1, (uint64_t)a->scale * iterations), compared[2];
    if (a->step)
        step = LLVMBuildMul(e->b, to_i64(e, u_operand(e, a->step, a->step_type, chunk), 1), step, "");
    for (int k = 0; k < 2; k++)
        compared[k] = u_operand(e, &a->cmp->src[k], a->cmp->type, chunk);
    for (unsigned k = 0; a->by && k < iterations; k++)
        compared[a->counter] = LLVMBuildAdd(e->b, compared[a->counter], u_operand(e, a->by, a->cmp->type, chunk), "");
    LLVMValueRef holds = op_value(e, a->cmp, compared, 1, chunk), none = LLVMConstNull(i64);
    return LLVMBuildSelect(e->b, holds, a->stays_if ? step : none, a->stays_if ? none : step, "");
}

/* The first group has the rows of all fetched, into the second cache: the others come to theirs later. */
static void fetch_together(struct emit *e, const struct ir_inst *i, LLVMValueRef row, const struct plan_prefetch_loop *a)
{
    enum { LINE = 64, SECOND = 2 };
    LLVMBasicBlockRef first = new_block(e, "rows"), on = new_block(e, "on");
    LLVMTypeRef overload = ty_ptr(e);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, e->warp, k_int(e, 32, 1, 0), ""), first, on);
    LLVMPositionBuilderAtEnd(e->b, first);
    LLVMValueRef apart = iterations_on(e, PLAN_TOGETHER_AHEAD, 0, a), p = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), row, &apart, 1, "");
    for (unsigned line = 0; line < a->together; line += LINE) {
        LLVMValueRef args[] = { offset_ptr(e, p, line), k_int(e, 32, 1, i->op == IR_ST), k_int(e, 32, 1, SECOND), k_int(e, 32, 1, 1) };
        intrinsic(e, "llvm.prefetch", &overload, 1, args, 4);
    }
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
}

/* Has what the loop's next iteration reads fetched, if there is one; else what is there already is asked for. */
static void fetch_turn(struct emit *e, const struct ir_inst *i, LLVMValueRef row, unsigned n, unsigned chunk, const struct plan_prefetch_loop *a)
{
    if (a->together) {
        if (chunk == 0)
            fetch_together(e, i, row, a);
        return;
    }
    LLVMValueRef apart = iterations_on(e, 1, chunk, a);
    fetch_lines(e, i, LLVMBuildGEP2(e->b, ty_int(e, 8, 1), row, &apart, 1, ""), n, 3);
}

static void fetch_ahead(struct emit *e, const struct ir_inst *i, LLVMValueRef row, unsigned n, unsigned chunk)
{
    struct plan_prefetch_loop a;
    if (plan_stream_ahead(e->p, i, e->at, e->C * e->W * n * element_bytes(i))) {
        fetch_lines(e, i, offset_ptr(e, row, PLAN_FAR), n, 3);
        return;
    }
    if (plan_prefetch_loop(e->p, i, e->at, &a))
        fetch_turn(e, i, row, n, chunk, &a);
}

/* Has the next block's piece of memory fetched, front to back. */
static void fetch(struct emit *e, const struct ir_inst *i, LLVMValueRef row, unsigned n, bool next)
{
    struct plan_fetch f;
    if (!plan_fetch(e->p, i, e->p->lanes * n * element_bytes(i), &f))
        return;
    if (!next)
        f.bytes = 0;
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef at = LLVMBuildMul(e->b, LLVMBuildZExt(e->b, e->warp, i64, ""), k_int(e, 64, 1, (uint64_t)f.per_group), "");
    LLVMValueRef p = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), offset_ptr(e, row, (uint64_t)(f.bytes + f.first)), &at, 1, "");
    fetch_lines(e, i, p, n, f.near && !e->quiet ? 3 : 2);  /* before a quiet region's fetches are needed, much else passes through the first cache */
}

static bool moves(struct emit *e, const struct ir_inst *i)
{
    return e->quiet && i->src[0].kind == IR_REG && e->p->regs[i->src[0].reg->id].remat;
}

static void fetch_next(struct emit *e, const struct ir_inst *i, LLVMValueRef row, unsigned n)
{
    if (!moves(e, i))
        fetch(e, i, row, n, true);
}

/* Will this access come in the same block once more, or only in the next one? */
static bool comes_after(const struct plan *p, int block, int region)
{
    for (size_t k = (size_t)region + 1; k < p->regions.n; k++)
        if (bits_has(p->regions.v[k].blocks, (size_t)block))
            return true;
    return false;
}

/* In a quiet region: what the regions after it touch in this block, and those before it in the next. Quiet regions share the work. */
void emit_fetches(struct emit *e)
{
    const struct plan *p = e->p;
    unsigned n_quiet = (unsigned)__builtin_popcountll(e->quiet), turn = (unsigned)__builtin_popcountll(e->quiet & (((uint64_t)1 << e->region) - 1)), at = 0;
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            if ((i->op != IR_LD && i->op != IR_ST) || !moves(e, i) || access_ordered(i) || (i->flags & IR_STREAM))
                continue;
            struct shape s = o_shape(e, &i->src[0]);
            unsigned n = i->op == IR_LD ? i->n_dst : i->n_src - 1u;
            struct plan_fetch f;
            if (s.kind != SHAPE_AFFINE || access_lane_step(e->p, i, &s) != (int64_t)(n * element_bytes(i)) || !plan_fetch(p, i, p->lanes * n * element_bytes(i), &f))
                continue;
            if (at++ % n_quiet != turn)
                continue;
            frame_rematerialise(e, i->src[0].reg);
            e->fetches = true;
            for (unsigned c = 0; c < e->C; c++)
                fetch(e, i, u_address(e, i, c), n, !comes_after(p, b, e->region));
        }
}

/* A load of neighbouring lanes that the next turn of this region's loop does, made ready; false: not that, or the address cannot be had here. */
static bool turn_fetch(struct emit *e, const struct ir_inst *i, int block, struct plan_prefetch_loop *out)
{
    struct shape s;
    if (i->op != IR_LD || access_ordered(i) || (i->flags & IR_STREAM) || !plan_rest(e->p, i, block, e->region, out))
        return false;
    s = o_shape(e, &i->src[0]);
    if (s.kind != SHAPE_AFFINE || access_lane_step(e->p, i, &s) != (int64_t)(i->n_dst * element_bytes(i)))
        return false;
    const struct ir_operand *needs[] = { &i->src[0], &out->cmp->src[0], &out->cmp->src[1], out->step, out->by };
    for (size_t k = 0; k < HW_LEN(needs); k++)
        if (needs[k] && !frame_makes(e, needs[k], 0))
            return false;
    for (size_t k = 0; k < HW_LEN(needs); k++)
        if (needs[k])
            frame_make(e, needs[k]);
    return true;
}

/* In a region of a loop that leaves memory alone: what the other regions read in the next turn. */
void emit_turn_fetches(struct emit *e)
{
    struct plan_prefetch_loop a;
    if (e->p->blocks[e->at].loop < 0 || e->W == 1)
        return;
    for (int b = 0; b < e->at; b++)
        for (size_t j = 0; j < e->p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = e->p->blocks[b].ir->insts.v[j];
            unsigned n = turn_fetch(e, i, b, &a) ? e->C : 0;
            e->fetches |= n > 0;
            for (unsigned c = 0; c < n; c++)
                fetch_turn(e, i, u_address(e, i, c), i->n_dst, c, &a);
        }
}

static void load_lane_by_lane(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMTypeRef t = ty_scalar(e, i->type);
    LLVMValueRef array[IR_MAX_DST], addresses = lanes_spill(e, v_address(e, i, chunk));
    for (int k = 0; k < i->n_dst; k++)
        array[k] = lanes_array(e, t);
    struct lanes l;
    lanes_begin(e, &l, chunk);
    LLVMValueRef p = address_pointers(e, i, lanes_get(e, &l, addresses, address_type(e, i, 1)));
    guard_scalar(e, i, p);
    LLVMValueRef v[IR_MAX_DST];
    load_elements(e, i, p, v);
    for (int k = 0; k < i->n_dst; k++)
        lanes_put(e, &l, array[k], t, v[k]);
    lanes_end(e, &l);
    for (int k = 0; k < i->n_dst; k++)
        set_varying(e, i, k, chunk, lanes_vector(e, array[k], t));
}

static LLVMValueRef reversed(struct emit *e, LLVMValueRef v)
{
    LLVMValueRef at[64];
    for (unsigned l = 0; l < e->W; l++)
        at[l] = k_int(e, 32, 1, e->W - 1 - l);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(at, e->W), "");
}

/* The row from the last lane's place on, back to front: loads it, or stores `value` there. */
static LLVMValueRef access_falling(struct emit *e, const struct ir_inst *i, const struct shape *s, unsigned chunk, LLVMValueRef value)
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

/* A chunk before this one has the same addresses. */
static bool same_row(struct emit *e, const struct shape *s, unsigned chunk)
{
    return s->kind == SHAPE_AFFINE && s->group && s->step == 0 && chunk * e->W >= e->p->row;
}

/* All lanes, a known step apart: few bytes make a row, of which the first lane stands for all, aligned as they are if the step is. */
void guard_steps(struct emit *e, const struct ir_inst *i, const struct shape *s, LLVMValueRef first, unsigned chunk)
{
    enum { NEAR = 64 };
    int64_t step = access_lane_step(e->p, i, s), elements = i->op == IR_LD ? i->n_dst : i->n_src - 1;
    if (step > 0 && step <= NEAR && step % (elements * element_bytes(i)) == 0)
        guard_row(e, i, first, step, chunk, s);
    else
        guard_lanes(e, i, v_address(e, i, chunk), chunk);
}

/* One address for the lanes of a chunk; this chunk may have no active lane while the group has. */
static void load_uniform(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk)
{
    LLVMValueRef p = u_address(e, i, chunk), any = NULL, v[IR_MAX_DST];
    if (e->m[0] && !(a->shape.group && a->shape.step == 0)) {
        LLVMTypeRef bits = ty_int(e, e->W, 1);
        any = LLVMBuildICmp(e->b, LLVMIntNE, cast_to(e, e->m[chunk], bits), LLVMConstNull(bits), "");
    }
    guard_scalar_if(e, i, p, any);
    if (any)
        p = LLVMBuildSelect(e->b, any, p, e->safe, "");
    load_elements(e, i, p, v);
    for (unsigned k = 0; k < a->elements; k++)
        set_uniform(e, i, (int)k, chunk, v[k]);
}

static void load_row(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk)
{
    unsigned n = a->elements;
    LLVMValueRef row = u_address(e, i, chunk);
    guard_row(e, i, row, a->step, chunk, &a->shape);
    LLVMValueRef wide = wide_load(e, i, row, chunk, n);
    if (!same_row(e, &a->shape, chunk)) {
        fetch_next(e, i, row, n);
        fetch_ahead(e, i, row, n, chunk);
    }
    for (unsigned k = 0; k < n; k++)
        set_varying(e, i, (int)k, chunk, deinterleave(e, wide, n, k));
}

/* Scalar loads, pieces of rows, or a gather: what the CPU does best. */
static void load_strided(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk)
{
    LLVMValueRef v[IR_MAX_DST];
    if (steps(e, i, &a->shape)) {
        LLVMValueRef first = u_address(e, i, chunk);
        guard_steps(e, i, &a->shape, first, chunk);
        if (!piece_load(e, i, a->step, first, v))
            load_all_steps(e, i, first, a->step, v);
    } else {
        LLVMValueRef at = v_address(e, i, chunk);
        guard_lanes(e, i, at, chunk);
        if (gathers_steps(e, i, &a->shape))
            v[0] = gather_steps(e, i, a->step, chunk);
        else
            gather_all(e, i, at, chunk, v);
    }
    for (unsigned k = 0; k < a->elements; k++)
        set_varying(e, i, (int)k, chunk, v[k]);
}

static void load_crossing(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMValueRef at = v_address(e, i, chunk), v[IR_MAX_DST];
    guard_lanes(e, i, at, chunk);
    gather_all(e, i, at, chunk, v);
    for (int k = 0; k < i->n_dst; k++)
        set_varying(e, i, k, chunk, v[k]);
}

static void load_chunk(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk)
{
    switch (a->form) {
    case ACCESS_UNIFORM: load_uniform(e, i, a, chunk); break;
    case ACCESS_ROW: load_row(e, i, a, chunk); break;
    case ACCESS_FALLING_ROW: set_varying(e, i, 0, chunk, access_falling(e, i, &a->shape, chunk, NULL)); break;
    case ACCESS_STRIDED: load_strided(e, i, a, chunk); break;
    case ACCESS_GATHERED: load_scattered(e, i, chunk); break;
    case ACCESS_CROSSING: load_crossing(e, i, chunk); break;
    default: load_lane_by_lane(e, i, chunk); break;
    }
}

void emit_load(struct emit *e, const struct ir_inst *i)
{
    struct access a = access_of(e->p, i);
    LLVMValueRef v[IR_MAX_DST];
    if (a.form == ACCESS_ONE_LANE || a.for_group) {
        LLVMValueRef p = u_address(e, i, 0);
        guard_scalar(e, i, p);
        load_elements(e, i, p, v);
        for (int k = 0; k < i->n_dst; k++)
            for (unsigned c = 0; i->dst[k] && c < slot_count(e, i->dst[k]); c++)
                set_uniform(e, i, k, c, v[k]);
        return;
    }
    if (butterfly_load(e, i))
        return;
    if (exchanges(e, i)) {
        exchange_load(e, i);
        return;
    }
    if (own_row_load(e, i))
        return;
    bool anywhere = a.shape.kind == SHAPE_VARYING && !access_ordered(i);
    if (anywhere)
        fetch_rows(e, i);
    if (anywhere && load_table(e, i))
        return;
    for (unsigned c = 0; c < e->C; c++)
        load_chunk(e, i, &a, c);
}

/* One store per active lane, lowest lane first: of several to one address the highest lane's stays. */
static void store_lane_by_lane(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMTypeRef t = ty_scalar(e, i->type);
    LLVMValueRef array[IR_MAX_SRC], addresses = lanes_spill(e, v_address(e, i, chunk));
    for (int k = 1; k < i->n_src; k++)
        array[k] = lanes_spill(e, v_operand(e, &i->src[k], i->type, chunk));
    struct lanes l;
    lanes_begin(e, &l, chunk);
    LLVMValueRef p = address_pointers(e, i, lanes_get(e, &l, addresses, address_type(e, i, 1)));
    guard_scalar(e, i, p);
    LLVMValueRef v[IR_MAX_SRC];
    for (int k = 1; k < i->n_src; k++)
        v[k - 1] = lanes_get(e, &l, array[k], t);
    store_elements(e, i, p, v);
    lanes_end(e, &l);
}

/* Several lanes, one address: the highest active lane's value stays, so only that one is stored. The block has an active
   lane somewhere, for blocks with memory operations do not run without. */
static void store_last_lane(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef t = ty_scalar(e, i->type), i32 = ty_int(e, 32, 1);
    LLVMValueRef lane = k_int(e, 32, 1, e->C * e->W - 1), bits = k_int(e, 32, 1, 0), p = u_address(e, i, 0);
    guard_scalar(e, i, p);
    if (e->m[0]) {
        for (unsigned c = 0; c < e->C; c++)
            bits = LLVMBuildOr(e->b, bits, LLVMBuildShl(e->b, mask_bits(e, e->m[c]), k_int(e, 32, 1, c * e->W), ""), "");
        lane = LLVMBuildSub(e->b, k_int(e, 32, 1, 31), intrinsic2(e, "llvm.ctlz", i32, bits, k_int(e, 1, 1, 1)), "");
    }
    for (int k = 1; k < i->n_src; k++) {
        LLVMValueRef array = entry_alloca(e, LLVMVectorType(t, e->C * e->W), "last");
        for (unsigned c = 0; c < e->C; c++) {
            LLVMValueRef at = k_int(e, 32, 1, c * e->W);
            LLVMValueRef s = LLVMBuildStore(e->b, v_operand(e, &i->src[k], i->type, c), LLVMBuildGEP2(e->b, t, array, &at, 1, ""));
            promise_align(e, s, element_bytes(i));
        }
        LLVMValueRef x = LLVMBuildLoad2(e->b, t, LLVMBuildGEP2(e->b, t, array, &lane, 1, ""), "");
        scalar_store(e, i, x, offset_ptr(e, p, (uint64_t)(k - 1) * element_bytes(i)));
    }
}

static void store_neighbours(struct emit *e, const struct ir_inst *i, const struct access *a, LLVMValueRef *v, unsigned chunk)
{
    LLVMValueRef row = u_address(e, i, chunk);
    guard_row(e, i, row, a->step, chunk, &a->shape);
    LLVMValueRef all = interleave(e, v, a->elements);
    if (stream_row(e, i, all, row, a->elements))
        return;
    fetch_next(e, i, row, a->elements);
    wide_store(e, i, all, row, chunk, a->elements);
}

static void store_strided(struct emit *e, const struct ir_inst *i, const struct access *a, LLVMValueRef *v, unsigned chunk)
{
    if (steps(e, i, &a->shape)) {
        LLVMValueRef first = u_address(e, i, chunk);
        guard_steps(e, i, &a->shape, first, chunk);
        store_all_steps(e, i, v, first, a->step);
        return;
    }
    LLVMValueRef at = v_address(e, i, chunk);
    guard_lanes(e, i, at, chunk);
    if (gathers_steps(e, i, &a->shape))
        scatter_steps(e, i, v[0], a->step, chunk);
    else
        scatter_all(e, i, v, at, chunk);
}

static void store_crossing(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, unsigned chunk)
{
    LLVMValueRef at = v_address(e, i, chunk);
    guard_lanes(e, i, at, chunk);
    scatter_all(e, i, v, at, chunk);
}

static void store_chunk(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk)
{
    LLVMValueRef v[IR_MAX_SRC];
    if (a->form == ACCESS_BY_LANE || a->form == ACCESS_UNIFORM) {         /* of several to one address the highest lane's stays */
        store_lane_by_lane(e, i, chunk);
        return;
    }
    for (unsigned k = 0; k < a->elements; k++)
        v[k] = v_operand(e, &i->src[k + 1], i->type, chunk);
    switch (a->form) {
    case ACCESS_ROW: store_neighbours(e, i, a, v, chunk); break;
    case ACCESS_FALLING_ROW: access_falling(e, i, &a->shape, chunk, v[0]); break;
    case ACCESS_STRIDED: store_strided(e, i, a, v, chunk); break;
    case ACCESS_CROSSING: store_crossing(e, i, v, chunk); break;
    default: store_scattered(e, i, v, chunk); break;
    }
}

void store_row(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, unsigned n, unsigned chunk)
{
    wide_store(e, i, interleave(e, v, n), u_address(e, i, chunk), chunk, n);
}

void emit_store(struct emit *e, const struct ir_inst *i)
{
    if (record_store(e, i))
        return;
    struct access a = access_of(e->p, i);
    bool one_value = true;
    for (int k = 1; k < i->n_src; k++) {
        struct shape v = o_shape(e, &i->src[k]);
        one_value &= shape_group_uniform(&v);
    }
    if (a.form == ACCESS_ONE_LANE || (one_value && a.for_group)) {
        LLVMValueRef p = u_address(e, i, 0);              /* all lanes store the same: once will do */
        guard_scalar(e, i, p);
        LLVMValueRef v[IR_MAX_SRC];
        for (int k = 1; k < i->n_src; k++)
            v[k - 1] = u_operand(e, &i->src[k], i->type, 0);
        store_elements(e, i, p, v);
        return;
    }
    if (!access_ordered(i) && a.for_group && e->C * e->W <= 32) {
        store_last_lane(e, i);
        return;
    }
    if (butterfly_store(e, i))
        return;
    if (exchanges(e, i)) {
        exchange_store(e, i);
        return;
    }
    for (unsigned c = 0; c < e->C; c++)
        store_chunk(e, i, &a, c);
}

/* PARAM, PARAMADDR, VARADDR and conversions between address spaces. */
void emit_address(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef u = NULL;
    if (i->op == IR_PARAM) {
        u = LLVMBuildLoad2(e->b, ty(e, i->type, 1), offset_ptr(e, env(e, ENV_PARAMS), (uint64_t)i->imm), "");
        LLVMSetAlignment(u, 1);
        promise_unchanging(e, u);
    } else if (i->op == IR_PARAMADDR) {
        u = LLVMBuildPtrToInt(e->b, offset_ptr(e, env(e, ENV_PARAMS), (uint64_t)i->imm), i64, "");
    } else if (i->op == IR_VARADDR) {
        u = LLVMBuildLoad2(e->b, i64, offset_ptr(e, env(e, ENV_GLOBALS), (uint64_t)i->imm * 8), "");
        promise_unchanging(e, u);
    }
    if (u) {
        for (unsigned c = 0; c < slot_count(e, i->dst[0]); c++)
            set_uniform(e, i, 0, c, u);
        return;
    }
    bool shared = i->op == IR_SHARED_TO_GENERIC || i->op == IR_GENERIC_TO_SHARED;
    bool back = i->op == IR_GENERIC_TO_SHARED || i->op == IR_GENERIC_TO_LOCAL;
    bool affine = dst_reg(e, i, 0)->shape.kind == SHAPE_AFFINE;
    unsigned n = slot_count(e, i->dst[0]);
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef base = space_base(e, shared ? IR_SHARED : IR_LOCAL, c);
        LLVMValueRef a = affine ? u_operand(e, &i->src[0], IR_I64, c) : v_operand(e, &i->src[0], IR_I64, c);
        if (!affine)
            base = splat(e, base, e->W);
        if (!affine && !shared && e->W > 1)
            base = LLVMBuildAdd(e->b, base, k_lanes(e, 64, e->W, 0, plan_local_step(e->p)), "");
        LLVMValueRef r = back ? LLVMBuildSub(e->b, a, base, "") : LLVMBuildAdd(e->b, a, base, "");
        if (affine)
            set_uniform(e, i, 0, c, r);
        else
            set_varying(e, i, 0, c, r);
    }
}
