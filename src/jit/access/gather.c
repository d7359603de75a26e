/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers and scatters: lanes that lie anywhere. Where they turn out to be neighbours, or a list, they are accessed as such. */
#include "jit/access/memory.h"
#include "jit/code/target.h"
#include "pass/analysis/access.h"

static LLVMValueRef gather_at(struct emit *e, const struct ir_inst *i, LLVMTypeRef t, LLVMValueRef pointers, unsigned chunk)
{
    LLVMTypeRef overloads[] = { t, LLVMVectorType(ty_ptr(e), e->W) };
    LLVMValueRef args[] = { pointers, k_int(e, 32, 1, promised_align(e, element_bytes(i))), mask_or_all(e, chunk), LLVMConstNull(t) };
    return tag_access(e, i, intrinsic(e, "llvm.masked.gather", overloads, 2, args, 4));
}

/* Some lanes are off, and the CPU has no masks but a gather's own. */
static bool gathers_some(struct emit *e, const struct ir_inst *i)
{
    return e->m[0] && x86_narrow(e) && element_bytes(i) >= 4;
}

static LLVMValueRef gather(struct emit *e, const struct ir_inst *i, LLVMTypeRef t, LLVMValueRef addresses, unsigned chunk)
{
    if (gathers_some(e, i)) {
        struct lane_places p = { addresses, address_is_offset(i) ? block_memory(e, i->space) : LLVMConstNull(ty_ptr(e)), 1 };
        return x86_gather_narrow(e, t, i->space, &p, e->m[chunk]);
    }
    return gather_at(e, i, t, address_pointers(e, i, addresses), chunk);
}

static void scatter_at(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef pointers, unsigned chunk)
{
    LLVMTypeRef overloads[] = { LLVMTypeOf(value), LLVMVectorType(ty_ptr(e), e->W) };
    LLVMValueRef args[] = { value, pointers, k_int(e, 32, 1, promised_align(e, element_bytes(i))), mask_or_all(e, chunk) };
    tag_access(e, i, intrinsic(e, "llvm.masked.scatter", overloads, 2, args, 4));
}

static void scatter(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef addresses, unsigned chunk)
{
    scatter_at(e, i, value, address_pointers(e, i, addresses), chunk);
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
        return tag_access(e, i, x86_gather(e, t, LLVMBuildIntToPtr(e->b, p->base, ty_ptr(e), ""), p->at, mask_or_all(e, chunk), p->scale));
    if (gathers_some(e, i)) {
        struct lane_places from = { p->at, LLVMBuildIntToPtr(e->b, p->base, ty_ptr(e), ""), p->scale };
        return x86_gather_narrow(e, t, i->space, &from, e->m[chunk]);
    }
    return gather_at(e, i, t, place_pointers(e, i, p, p->at), chunk);
}

static void scatter_indexed(struct emit *e, const struct ir_inst *i, LLVMValueRef v, const struct lane_places *p, unsigned chunk)
{
    if (element_bytes(i) == 4 && e->W == 16 && x86_wide(e, e->W) && target_gathers())
        tag_access(e, i, x86_scatter(e, v, LLVMBuildIntToPtr(e->b, p->base, ty_ptr(e), ""), p->at, mask_or_all(e, chunk), p->scale));
    else
        scatter_at(e, i, v, place_pointers(e, i, p, p->at), chunk);
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
bool load_table(struct emit *e, const struct ir_inst *i)
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

void load_scattered(struct emit *e, const struct ir_inst *i, unsigned chunk)
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
    tag_access(e, i, intrinsic(e, "llvm.masked.store", overloads, 2, args, 4));
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, apart);
    return join;
}

void store_scattered(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, unsigned chunk)
{
    unsigned n = i->n_src - 1u;
    struct lane_places p = places_of(e, i, n, chunk);
    struct fork f;
    LLVMBasicBlockRef listed = NULL;
    if (p.base)
        guard_indexed(e, i, p.base, &p.at, p.scale, chunk, 1);
    if (p.base && e->m[0] && element_bytes(i) == 4 && x86_compresses(e))
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
