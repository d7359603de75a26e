/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes a known step apart: scalar accesses at constant distances, pieces of rows, or a gather: what the CPU does best. */
#include "jit/access/memory.h"
#include "jit/code/target.h"
#include "pass/analysis/access.h"

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
    bool far = address_is_offset(i) && (step >= FAR || step <= -FAR);        /* their addresses wrap around: lane by lane, in 32 bits */
    bool column = (step >= LINE || step <= -LINE) && gathers_steps(e, i, s) && target_gathers_columns();
    return s->kind == SHAPE_AFFINE && !e->m[0] && !column && !far;
}

static LLVMValueRef gather_steps(struct emit *e, const struct ir_inst *i, int64_t step, unsigned chunk)
{
    LLVMValueRef index = k_lanes(e, 32, e->W, 0, step);
    return tag_access(e, i, x86_gather(e, ty(e, i->type, e->W), u_address(e, i, chunk), index, mask_or_all(e, chunk), 1));
}

static void scatter_steps(struct emit *e, const struct ir_inst *i, LLVMValueRef v, int64_t step, unsigned chunk)
{
    LLVMValueRef index = k_lanes(e, 32, e->W, 0, step);
    tag_access(e, i, x86_scatter(e, v, u_address(e, i, chunk), index, mask_or_all(e, chunk), 1));
}

static LLVMValueRef load_steps(struct emit *e, const struct ir_inst *i, LLVMTypeRef t, LLVMValueRef ptr, int64_t step)
{
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(t, e->W));
    for (unsigned l = 0; l < e->W; l++) {
        LLVMValueRef x = LLVMBuildLoad2(e->b, t, offset_ptr(e, ptr, (uint64_t)(step * (int64_t)l)), "");
        promise_align(e, x, element_bytes(i));
        v = LLVMBuildInsertElement(e->b, v, tag_access(e, i, x), k_int(e, 32, 1, l), "");
    }
    return v;
}

static void store_steps(struct emit *e, const struct ir_inst *i, LLVMValueRef v, LLVMValueRef ptr, int64_t step)
{
    for (unsigned l = 0; l < e->W; l++) {
        LLVMValueRef x = LLVMBuildExtractElement(e->b, v, k_int(e, 32, 1, l), "");
        LLVMValueRef s = LLVMBuildStore(e->b, x, offset_ptr(e, ptr, (uint64_t)(step * (int64_t)l)));
        promise_align(e, s, element_bytes(i));
        tag_access(e, i, s);
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

/* Scalar loads, pieces of rows, or a gather: what the CPU does best. */
void load_strided(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk)
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

void store_strided(struct emit *e, const struct ir_inst *i, const struct access *a, LLVMValueRef *v, unsigned chunk)
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
