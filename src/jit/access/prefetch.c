/* SPDX-License-Identifier: Apache-2.0 */
/* Prefetching: the next line of each lane's row, the next iteration's rows, the next block's piece. pass/analysis/prefetch_*.c say what and how far. */
#include "jit/access/memory.h"
#include "jit/emit/frame.h"
#include "pass/analysis/access.h"

#include <stdlib.h>

/*
 * Each lane goes along a row of its own in small steps. In the first turn, and whenever a line's length has been gone, the line is fetched
 * that comes after the one a lane is in: in most turns some lane would come to the end of its line and all would wait for it. For all chunks before
 * the first of them is loaded: words of a vector that was just stored cannot be read before the loads in front of it are done.
 */
void prefetch_rows(struct emit *e, const struct ir_inst *i)
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

/* A vector may be half a line: the chunk before it, in the same row, has the line fetched. */
static bool line_begun(struct emit *e, const struct ir_inst *i, unsigned n, unsigned chunk)
{
    enum { LINE = 64 };
    return o_shape(e, &i->src[0]).group && chunk * e->W % e->p->row * n * element_bytes(i) % LINE != 0;
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
        step = LLVMBuildMul(e->b, address_i64(e, u_operand(e, a->step, a->step_type, chunk), 1), step, "");
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
    if (line_begun(e, i, n, chunk))
        return;
    LLVMValueRef apart = iterations_on(e, 1, chunk, a);
    fetch_lines(e, i, LLVMBuildGEP2(e->b, ty_int(e, 8, 1), row, &apart, 1, ""), n, 3);
}

void prefetch_ahead(struct emit *e, const struct ir_inst *i, LLVMValueRef row, unsigned n, unsigned chunk)
{
    struct plan_prefetch_loop a;
    if (plan_stream_ahead(e->p, i, e->at, e->C * e->W * n * element_bytes(i))) {
        if (!line_begun(e, i, n, chunk))
            fetch_lines(e, i, offset_ptr(e, row, PLAN_FAR), n, 3);
        return;
    }
    if (plan_prefetch_loop(e->p, i, e->at, &a))
        fetch_turn(e, i, row, n, chunk, &a);
}

/* Has the next block's piece of memory fetched, front to back. */
static void fetch(struct emit *e, const struct ir_inst *i, LLVMValueRef row, unsigned n, unsigned chunk, bool next)
{
    struct plan_fetch f;
    if (line_begun(e, i, n, chunk) || !plan_fetch(e->p, i, e->p->lanes * n * element_bytes(i), &f))
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

void prefetch_next(struct emit *e, const struct ir_inst *i, LLVMValueRef row, unsigned n, unsigned chunk)
{
    if (!moves(e, i))
        fetch(e, i, row, n, chunk, true);
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
                fetch(e, i, u_address(e, i, c), n, c, !comes_after(p, b, e->region));
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
