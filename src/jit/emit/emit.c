/* SPDX-License-Identifier: Apache-2.0 */
/* Regions, blocks and control flow: static predication. */
#include "jit/emit.h"
#include "jit/code/target.h"

#include <stdio.h>

#include "jit/emit/frame.h"

static LLVMBasicBlockRef new_bb(struct emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->cx, e->fn, name);
}

/* ---- instructions ---- */

static void emit_carry(struct emit *e, const struct ir_inst *i)
{
    bool affine = dst_reg(e, i, 0)->shape.kind == SHAPE_AFFINE;
    unsigned lanes = affine ? 1 : e->W, bits = ir_type_bits(i->type), n = slot_count(e, i->dst[0]);
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef s[3];
        for (int k = 0; k < 3; k++)
            s[k] = affine ? u_operand(e, &i->src[k], src_type(i, k), c) : v_operand(e, &i->src[k], src_type(i, k), c);
        LLVMTypeRef wide = ty_int(e, 2 * bits, lanes), t = ty_int(e, bits, lanes), i32 = ty_int(e, 32, lanes);
        LLVMValueRef a = LLVMBuildZExt(e->b, s[0], wide, ""), b = LLVMBuildZExt(e->b, s[1], wide, ""), k = LLVMBuildZExt(e->b, s[2], wide, "");
        LLVMValueRef r = i->op == IR_ADDC ? LLVMBuildAdd(e->b, LLVMBuildAdd(e->b, a, b, ""), k, "") : LLVMBuildSub(e->b, LLVMBuildSub(e->b, a, b, ""), k, "");
        LLVMValueRef carry = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, r, k_int(e, 2 * bits, lanes, bits), ""), k_int(e, 2 * bits, lanes, 1), "");
        LLVMValueRef out[2] = { LLVMBuildTrunc(e->b, r, t, ""), bits >= 32 ? LLVMBuildTrunc(e->b, carry, i32, "") : LLVMBuildZExt(e->b, carry, i32, "") };
        for (int d = 0; d < 2; d++) {
            if (!i->dst[d])
                continue;
            if (affine)
                set_uniform(e, i, d, c, out[d]);
            else
                set_varying(e, i, d, c, out[d]);
        }
    }
}

static void emit_isspace(struct emit *e, const struct ir_inst *i)
{
    /* Shared: inside the block's shared memory. Local: inside its threads' local memory. Else: neither. */
    bool affine = dst_reg(e, i, 0)->shape.kind == SHAPE_AFFINE;
    unsigned lanes = affine ? 1 : e->W, n = slot_count(e, i->dst[0]);
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef a = affine ? u_operand(e, &i->src[0], IR_I64, c) : v_operand(e, &i->src[0], IR_I64, c), in[2];
        for (int k = 0; k < 2; k++) {
            LLVMValueRef base = LLVMBuildPtrToInt(e->b, env(e, k ? ENV_LOCAL : ENV_SHARED), i64, "");
            LLVMValueRef size = k ? k_int(e, 64, 1, (uint64_t)e->p->func->local_bytes * e->p->groups * e->p->lanes) : LLVMBuildZExt(e->b, env(e, ENV_SHARED_BYTES), i64, "");
            LLVMValueRef off = LLVMBuildSub(e->b, a, splat(e, base, lanes), "");
            in[k] = LLVMBuildICmp(e->b, LLVMIntULT, off, splat(e, size, lanes), "");
        }
        LLVMValueRef r = i->space == IR_SHARED ? in[0] : i->space == IR_LOCAL ? in[1] : LLVMBuildNot(e->b, LLVMBuildOr(e->b, in[0], in[1], ""), "");
        if (affine)
            set_uniform(e, i, 0, c, r);
        else
            set_varying(e, i, 0, c, r);
    }
}

/* The last instruction so far. */
struct mark {
    LLVMBasicBlockRef block;
    LLVMValueRef last;
};

static struct mark mark_here(struct emit *e)
{
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->b);
    return (struct mark){ block, LLVMGetLastInstruction(block) };
}

/*
 * Chunk after chunk has written the same long chain: side by side they keep the CPU's units busier, which looks at a hundred instructions
 * at a time. at[c]: where chunk c's begin.
 */
static void side_by_side(struct emit *e, const struct mark *at, unsigned n)
{
    LLVMValueRef next[PLAN_MAX_CHUNKS];
    unsigned count[PLAN_MAX_CHUNKS] = { 0 }, left = 0;
    for (unsigned c = 0; c <= n; c++)
        if (at[c].block != at[0].block || !at[c].last)
            return;
    for (unsigned c = 0; c < n; c++) {
        next[c] = LLVMGetNextInstruction(at[c].last);
        for (LLVMValueRef v = at[c].last; v != at[c + 1].last; v = LLVMGetNextInstruction(v))
            count[c]++;
        left += count[c];
    }
    for (unsigned c = 0; left > 0; c = (c + 1) % n) {
        LLVMValueRef v = next[c];
        if (count[c] == 0)
            continue;
        count[c]--;
        left--;
        next[c] = LLVMGetNextInstruction(v);
        LLVMInstructionRemoveFromParent(v);
        LLVMInsertIntoBuilder(e->b, v);
    }
}

static void emit_value(struct emit *e, const struct ir_inst *i)
{
    LLVMValueRef src[IR_MAX_SRC];
    struct mark at[PLAN_MAX_CHUNKS + 1];
    if (!i->dst[0])
        return;
    struct plan_reg *d = dst_reg(e, i, 0);
    bool affine = d->shape.kind == SHAPE_AFFINE || d->shape.kind == SHAPE_PATTERN;
    unsigned n = slot_count(e, i->dst[0]);
    for (unsigned c = 0; c < n; c++) {
        at[c] = mark_here(e);
        for (int k = 0; k < i->n_src; k++)
            src[k] = affine ? u_operand(e, &i->src[k], src_type(i, k), c) : v_operand(e, &i->src[k], src_type(i, k), c);
        LLVMValueRef v;
        if (i->op == IR_ZEXT && i->type == IR_I64 && i->type2 == IR_I32 && d->shape.kind == SHAPE_AFFINE && (d->shape.stride || d->shape.step))
            v = widen_index(e, src[0], &d->shape, c);
        else
            v = op_value(e, i, src, affine ? 1 : e->W, c);
        if (!v) {
            diag_error(e->diag, (int)i->ptx_line, 0, "kernel %s: %s is not supported yet", e->p->func->name, ir_op_info[i->op].text);
            return;
        }
        if (affine)
            set_uniform(e, i, 0, c, v);
        else
            set_varying(e, i, 0, c, v);
    }
    at[n] = mark_here(e);
    if (i->op == IR_MATH && n > 1)
        side_by_side(e, at, n);
}

static void emit_enter(struct emit *e)
{
    LLVMValueRef at = k_int(e, 64, 1, offsetof(struct kabi_block, entered));
    LLVMBuildStore(e->b, k_int(e, 32, 1, 1), LLVMBuildGEP2(e->b, ty_int(e, 8, 1), e->block, &at, 1, ""));
}

/* Of all lanes that are on; where all have the same answer, of whether they are on or not: the index has passed the bound in those that are not. */
static void emit_more(struct emit *e, const struct ir_inst *i)
{
    LLVMValueRef at = k_int(e, 64, 1, offsetof(struct kabi_block, more)), any = NULL;
    LLVMValueRef field = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), e->block, &at, 1, "");
    struct shape s = o_shape(e, &i->src[0]);
    for (unsigned c = 0; c < (shape_group_uniform(&s) ? 1 : e->C); c++) {
        LLVMValueRef bit = shape_uniform(&s) ? u_operand(e, &i->src[0], IR_PRED, c) : mask_bits(e, LLVMBuildAnd(e->b, v_operand(e, &i->src[0], IR_PRED, c), mask_or_all(e, c), ""));
        bit = LLVMBuildICmp(e->b, LLVMIntNE, bit, LLVMConstNull(LLVMTypeOf(bit)), "");
        any = any ? LLVMBuildOr(e->b, any, bit, "") : bit;
    }
    LLVMBuildStore(e->b, LLVMBuildOr(e->b, LLVMBuildLoad2(e->b, ty_int(e, 32, 1), field, ""), LLVMBuildZExt(e->b, any, ty_int(e, 32, 1), ""), ""), field);
}

void emit_inst(struct emit *e, const struct ir_inst *i)
{
    e->inst = i;
    lines_at(e, i);
    switch (i->op) {
    case IR_SREG: emit_sreg(e, i); break;
    case IR_PARAM: case IR_PARAMADDR: case IR_VARADDR: case IR_SHARED_TO_GENERIC: case IR_GENERIC_TO_SHARED: case IR_LOCAL_TO_GENERIC:
    case IR_GENERIC_TO_LOCAL: emit_address(e, i); break;
    case IR_ISSPACE: emit_isspace(e, i); break;
    case IR_ADDC: case IR_SUBC: emit_carry(e, i); break;
    case IR_LD: emit_load(e, i); break;
    case IR_ST: emit_store(e, i); break;
    case IR_ATOM: emit_atomic(e, i); break;
    case IR_TILE_LD: case IR_TILE_ST: emit_tile(e, i); break;
    case IR_ATOM2: emit_atomic_wide(e, i); break;
    case IR_FENCE: emit_fence(e, i); break;
    case IR_SHFL: case IR_VOTE: case IR_MATCH: case IR_REDUX: case IR_ACTIVEMASK: case IR_WARPSYNC: emit_warp(e, i); break;
    case IR_MMA: emit_mma(e, i); break;
    case IR_VPRINTF: case IR_ASSERTFAIL: case IR_MALLOC: case IR_FREE: emit_service(e, i); break;
    case IR_TEX: emit_texture(e, i); break;
    case IR_CALL: emit_call(e, i); break;
    case IR_ENTER: emit_enter(e); break;
    case IR_MORE: emit_more(e, i); break;
    case IR_NOTE: break;
    case IR_NANOSLEEP: break;                             /* a hint; waiting would only hold up the other warps of the block */
    default: emit_value(e, i); break;
    }
}

/* ---- control flow ---- */

static bool has_mask_slot(struct emit *e, int b)
{
    return e->p->blocks[b].masked && e->p->blocks[b].mask_from < 0;
}

/*
 * Many masks stay in memory, volatile: as values, each would have to be merged with what it is on every other way wherever ways meet, which made
 * LLVM's work grow with the cube of the number of blocks (an interpreter with 64 operations took 90 s).
 */
static LLVMValueRef mask_access(struct emit *e, LLVMValueRef access)
{
    if (e->many_masks)
        LLVMSetVolatile(access, true);
    return access;
}

static void masks_load(struct emit *e, LLVMValueRef *slots, LLVMValueRef *out)
{
    for (unsigned c = 0; c < e->C; c++)
        out[c] = mask_access(e, LLVMBuildLoad2(e->b, ty_int(e, 1, e->W), slots[c], ""));
}

static void masks_store(struct emit *e, LLVMValueRef *slots, LLVMValueRef *m)
{
    for (unsigned c = 0; c < e->C; c++)
        mask_access(e, LLVMBuildStore(e->b, m ? m[c] : LLVMConstNull(ty_int(e, 1, e->W)), slots[c]));
}

/* Lanes m (NULL: all) go to block b: they wait there. */
static void deliver(struct emit *e, int b, LLVMValueRef *m)
{
    if (e->p->blocks[b].exit_only || !has_mask_slot(e, b))
        return;
    LLVMValueRef old[PLAN_MAX_CHUNKS];
    masks_load(e, e->mask[b], old);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef more = m && m[0] ? m[c] : LLVMConstAllOnes(ty_int(e, 1, e->W));
        mask_access(e, LLVMBuildStore(e->b, LLVMBuildOr(e->b, old[c], more, ""), e->mask[b][c]));
    }
    mask_access(e, LLVMBuildStore(e->b, k_int(e, 1, 1, !(m && m[0])), e->whole[b]));
}

/* The group stops in this state; if all of the block's stop with the same answer, the region returns it. */
static void group_stops(struct emit *e, LLVMValueRef state, int32_t answer)
{
    if (e->p->lockstep) {                                 /* all groups give the same answer */
        LLVMBuildStore(e->b, k_int(e, 32, 1, (uint64_t)(int64_t)answer), e->common);
    } else if (e->p->regions.n > 1) {
        LLVMTypeRef i32 = ty_int(e, 32, 1);
        LLVMBuildStore(e->b, state, frame_state_ptr(e, e->warp));
        LLVMValueRef so_far = LLVMBuildLoad2(e->b, i32, e->common, ""), mine = k_int(e, 32, 1, (uint64_t)(int64_t)answer);
        LLVMValueRef first = LLVMBuildICmp(e->b, LLVMIntEQ, so_far, k_int(e, 32, 1, (uint64_t)(int64_t)-3), "");
        LLVMValueRef same = LLVMBuildOr(e->b, first, LLVMBuildICmp(e->b, LLVMIntEQ, so_far, mine, ""), "");
        LLVMBuildStore(e->b, LLVMBuildSelect(e->b, same, mine, k_int(e, 32, 1, (uint64_t)(int64_t)KABI_MIXED), ""), e->common);
    }
    LLVMBuildBr(e->b, e->next);
}

static void group_done(struct emit *e)
{
    group_stops(e, k_int(e, 32, 1, KABI_DONE), KABI_ALL_DONE);
}

/* To b if lanes wait there; what follows is for the other case. */
static void go_if_any(struct emit *e, int b)
{
    LLVMValueRef m[PLAN_MAX_CHUNKS];
    masks_load(e, e->mask[b], m);
    LLVMBasicBlockRef other = new_bb(e, "chain");
    LLVMBuildCondBr(e->b, mask_any(e, m), e->bb[b], other);
    LLVMPositionBuilderAtEnd(e->b, other);
}

/*
 * The tests of all blocks from b on, one after the other, for whoever comes: one list of them for the region, not one for each block with its own
 * choice of them. That asks about some more blocks than need be. last: as chain() has it, but never one that has a mask to test.
 */
static LLVMBasicBlockRef ladder(struct emit *e, int b, int last)
{
    size_t n = (size_t)e->p->n_blocks, end = last >= 0 ? (size_t)last : n;
    const bits_word *here = e->p->regions.v[e->region].blocks;
    struct mask_ladder *l = NULL;
    for (size_t k = 0; k < e->ladders.n && !l; k++)
        l = e->ladders.v[k].last == last ? &e->ladders.v[k] : NULL;
    if (!l) {
        hw_vec_push(&e->ladders, ((struct mask_ladder){ last, hw_arena_array(&e->arena, LLVMBasicBlockRef, n) }));
        l = &e->ladders.v[e->ladders.n - 1];
    }
    LLVMBasicBlockRef *bb = l->bb, from = LLVMGetInsertBlock(e->b), first = bb[b];
    for (size_t at = (size_t)b; at < end && !bb[at];) {
        if (at == (size_t)b)
            LLVMPositionBuilderAtEnd(e->b, first = new_bb(e, "ladder"));
        bb[at] = LLVMGetInsertBlock(e->b);
        go_if_any(e, (int)at);
        do
            at = bits_next(here, at + 1, end);
        while (at < end && !has_mask_slot(e, (int)at));
        if (at < end && bb[at])
            LLVMBuildBr(e->b, bb[at]);
        else if (at == end && last >= 0)
            LLVMBuildBr(e->b, e->bb[last]);
        else if (at == end)
            group_done(e);
    }
    LLVMPositionBuilderAtEnd(e->b, from);
    return first;
}

/* Goes to the first of the blocks in `candidates` (bits, after e->at, before `last`) in which lanes wait, else to `last`
   (-1: the warp is finished). */
static void chain(struct emit *e, const bits_word *candidates, int last)
{
    enum { OWN = 4 };            /* tests that each block has for itself where there are many */
    size_t end = last >= 0 ? (size_t)last : (size_t)e->p->n_blocks;
    unsigned n = 0;
    for (size_t b = bits_next(candidates, (size_t)e->at + 1, end); b < end; b = bits_next(candidates, b + 1, end)) {
        if (!has_mask_slot(e, (int)b) || !e->bb[b])       /* nobody comes to what is not in this region */
            continue;
        if (e->many_masks && n++ == OWN) {                /* lanes wait in `last` for certain, where those can be counted */
            LLVMBuildBr(e->b, ladder(e, (int)b, last >= 0 && has_mask_slot(e, last) ? -1 : last));
            return;
        }
        go_if_any(e, (int)b);
    }
    if (last >= 0)
        LLVMBuildBr(e->b, e->bb[last]);
    else
        group_done(e);
}

/* Blocks in which lanes may wait while this one runs; nobody waits anywhere while all lanes are here. */
static const bits_word *waiting(struct emit *e)
{
    const struct plan_block *from = &e->p->blocks[e->at];
    return from->masked ? from->pending : e->nowhere;
}

/* All lanes of this block go to `to`. */
static void go(struct emit *e, int to)
{
    if (e->p->blocks[to].exit_only) {
        chain(e, waiting(e), -1);
        return;
    }
    deliver(e, to, e->m);
    if (to <= e->at)
        LLVMBuildBr(e->b, e->bb[to]);
    else
        chain(e, waiting(e), to);
}

static void uniform_branch(struct emit *e, const struct ir_inst *i)
{
    const struct plan_block *from = &e->p->blocks[e->at];
    LLVMBasicBlockRef yes = new_bb(e, "yes"), no = new_bb(e, "no");
    LLVMBuildCondBr(e->b, u_operand(e, &i->src[0], IR_PRED, 0), yes, no);
    LLVMPositionBuilderAtEnd(e->b, yes);
    go(e, from->succ[0]);
    LLVMPositionBuilderAtEnd(e->b, no);
    go(e, from->succ[1]);
}

/*
 * Gathers, and a few loads and computations around them: masks cost next to nothing there, while the choice of a version, which a row's last
 * turn makes the CPU foretell wrongly, comes before the gathers and keeps them waiting.
 */
static bool mostly_gathers(struct emit *e, const struct plan_block *blk)
{
    enum { FEW = 16 };           /* instructions for each */
    size_t gathers = 0;
    for (size_t j = 0; j + 1 < blk->ir->insts.n; j++) {
        const struct ir_inst *i = blk->ir->insts.v[j];
        if (!(ir_op_info[i->op].props & IR_PROP_MEM))
            continue;
        if (i->op != IR_LD || i->n_dst != 1 || own_row_is(e, i, (int)(blk - e->p->blocks)))
            return false;
        struct shape s = o_shape(e, &i->src[0]);
        gathers += s.kind == SHAPE_VARYING && i->space != IR_SHARED && i->space != IR_LOCAL;
        if (s.kind == SHAPE_AFFINE && s.stride && s.stride != element_bytes(i))
            return false;
    }
    return gathers * FEW >= blk->ir->insts.n;
}

static bool touches_memory(const struct plan_block *blk)
{
    bool touches = false;
    for (size_t j = 0; j + 1 < blk->ir->insts.n; j++)
        touches |= ir_op_info[blk->ir->insts.v[j]->op].props & IR_PROP_MEM;
    return touches;
}

/* Is a version of this block without masks worth its code? */
static bool gains_without_masks(struct emit *e, const struct plan_block *blk)
{
    return touches_memory(blk) && !mostly_gathers(e, blk);
}

/* Does a block gain if all lanes are known to go to this one? It, or one that follows on nothing but more tests. */
static bool leads_to_gain(struct emit *e, int b, int depth)
{
    enum { DEEP = 3 };
    const struct plan_block *blk = &e->p->blocks[b];
    if (blk->exit_only || !has_mask_slot(e, b) || depth == DEEP)
        return false;
    if (touches_memory(blk) || ir_block_term(blk->ir)->op != IR_CBR)
        return gains_without_masks(e, blk);
    return leads_to_gain(e, blk->succ[0], depth + 1) || leads_to_gain(e, blk->succ[1], depth + 1);
}

/*
 * All lanes are here, or may turn out to be (e->all_here): where a short test tells that they go the same way, to where masks would be needed
 * else, they go without.
 */
static void go_together(struct emit *e, const struct ir_inst *i)
{
    for (int k = 0; k < 2; k++) {
        int to = e->p->blocks[e->at].succ[k];
        LLVMValueRef all = leads_to_gain(e, to, 0) ? ends_all_have(e, &i->src[0], k == 0) : NULL;
        if (!all)
            continue;
        LLVMBasicBlockRef together = new_bb(e, "together"), apart = new_bb(e, "apart");
        LLVMBuildCondBr(e->b, e->m[0] ? LLVMBuildAnd(e->b, e->all_here, all, "") : all, together, apart);
        LLVMPositionBuilderAtEnd(e->b, together);
        deliver(e, to, NULL);
        LLVMBuildBr(e->b, e->bb[to]);                     /* nobody waits anywhere */
        LLVMPositionBuilderAtEnd(e->b, apart);
        return;
    }
}

static void divergent_branch(struct emit *e, const struct ir_inst *i)
{
    const struct plan *p = e->p;
    const struct plan_block *from = &p->blocks[e->at];
    LLVMValueRef m[2][PLAN_MAX_CHUNKS];
    if (e->W > 1)
        go_together(e, i);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef v = v_operand(e, &i->src[0], IR_PRED, c), not_v = LLVMBuildNot(e->b, v, "");
        m[0][c] = e->m[0] ? LLVMBuildAnd(e->b, e->m[c], v, "") : v;
        m[1][c] = e->m[0] ? LLVMBuildAnd(e->b, e->m[c], not_v, "") : not_v;
    }
    deliver(e, from->succ[0], m[0]);
    deliver(e, from->succ[1], m[1]);
    int forward[2], n = 0;
    for (int k = 0; k < 2; k++) {
        int to = from->succ[k];
        if (to > e->at) {
            forward[n++] = to;
            continue;
        }
        LLVMBasicBlockRef rest = new_bb(e, "leave");      /* round the loop while any lane stays in it */
        LLVMValueRef none = ends_all_have(e, &i->src[0], k != 0);
        if (none) {               /* long before the masks are there: the CPU learns early that it foretold another turn */
            LLVMBasicBlockRef stay = new_bb(e, "stay");
            LLVMBuildCondBr(e->b, none, rest, stay);
            LLVMPositionBuilderAtEnd(e->b, stay);
        }
        LLVMBuildCondBr(e->b, mask_any(e, m[k]), e->bb[to], rest);
        LLVMPositionBuilderAtEnd(e->b, rest);
    }
    for (int k = 0; k < n; k++)
        if (forward[k] == e->at + 1 && brief_block(e, forward[k])) {
            LLVMBuildBr(e->b, e->bb[forward[k]]);
            return;
        }
    /* The last block that is sure to get lanes: a join of all, or the later of the two. */
    int last = -1;
    for (int k = 0; k < n; k++)
        if (!p->blocks[forward[k]].exit_only && !has_mask_slot(e, forward[k]))
            last = forward[k];
    bool exits = (n > 0 && p->blocks[forward[0]].exit_only) || (n > 1 && p->blocks[forward[1]].exit_only);
    if (last < 0 && !exits && n > 0)
        last = n > 1 && forward[1] > forward[0] ? forward[1] : forward[0];
    bits_word *candidates = bits_new(&e->arena, (size_t)p->n_blocks);
    bits_or(candidates, waiting(e), (size_t)p->n_blocks);
    for (int k = 0; k < n; k++)
        if (!p->blocks[forward[k]].exit_only)
            bits_add(candidates, (size_t)forward[k]);
    chain(e, candidates, last);
}

/* Each warp leaves its part of the reduction in the frame; the next region adds them up before its first warp runs. */
static void contribute(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMValueRef part = NULL;
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef v;
        if (e->W == 1) {
            v = LLVMBuildZExt(e->b, u_operand(e, &i->src[0], IR_PRED, 0), i32, "");
        } else {
            LLVMValueRef p = v_operand(e, &i->src[0], IR_PRED, c), m = mask_or_all(e, c);
            if (i->imm == IR_BAR_AND)                     /* count the lanes that say no */
                p = LLVMBuildNot(e->b, p, "");
            v = intrinsic1(e, "llvm.ctpop", i32, mask_bits(e, LLVMBuildAnd(e->b, p, m, "")));
        }
        if (e->W == 1 && i->imm == IR_BAR_AND)
            v = LLVMBuildXor(e->b, v, k_int(e, 32, 1, 1), "");
        part = part ? LLVMBuildAdd(e->b, part, v, "") : v;
    }
    LLVMBuildStore(e->b, part, frame_red_ptr(e, e->warp));
}

/* Counts this group's threads at a barrier and says how many it waits for; returns the barrier's number. */
static LLVMValueRef count_arrival(struct emit *e, const struct ir_inst *i, int first)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMValueRef id = i->n_src > first ? u_operand(e, &i->src[first], IR_I32, 0) : k_int(e, 32, 1, 0), count = k_int(e, 32, 1, 0);
    if (i->n_src > first + 1) {
        count = u_operand(e, &i->src[first + 1], IR_I32, 0);
        if (e->p->lanes == 1)                             /* threads are counted one by one: a last, partial warp has fewer */
            count = intrinsic2(e, "llvm.umin", i32, count, k_int(e, 32, 1, e->p->threads));
    }
    LLVMValueRef at = frame_bar_ptr(e, id, offsetof(struct kabi_bars, arrived));
    LLVMBuildStore(e->b, LLVMBuildAdd(e->b, LLVMBuildLoad2(e->b, i32, at, ""), k_int(e, 32, 1, e->p->lanes), ""), at);
    LLVMBuildStore(e->b, count, frame_bar_ptr(e, id, offsetof(struct kabi_bars, expected)));
    return id;
}

static void emit_barrier(struct emit *e, const struct ir_inst *i)
{
    int to = e->p->blocks[e->at].succ[0], resume = e->p->blocks[to].resume, first = i->op == IR_BAR_RED ? 1 : 0;
    if (i->op == IR_BAR && i->imm == IR_BAR_ARRIVE) {
        count_arrival(e, i, first);
        go(e, to);
        return;
    }
    if (i->op == IR_BAR_RED)
        contribute(e, i);
    deliver(e, to, e->m);
    frame_save(e, to);
    if (plan_plain_barrier(e->p, i)) {
        group_stops(e, k_int(e, 32, 1, (uint32_t)resume | KABI_ARRIVED), resume);
        return;
    }
    LLVMValueRef id = LLVMBuildAnd(e->b, count_arrival(e, i, first), k_int(e, 32, 1, KABI_BARRIERS - 1), "");
    LLVMValueRef state = LLVMBuildOr(e->b, LLVMBuildShl(e->b, id, k_int(e, 32, 1, 16), ""), k_int(e, 32, 1, (uint32_t)resume | KABI_ARRIVED), "");
    group_stops(e, state, KABI_MIXED);
}

/* Builds with turns: others run before this group goes on. */
static void emit_yield(struct emit *e)
{
    int to = e->p->blocks[e->at].succ[0];
    deliver(e, to, e->m);
    frame_save(e, to);
    group_stops(e, k_int(e, 32, 1, (uint32_t)e->p->blocks[to].resume), KABI_MIXED);
}

/* Fair builds: the thread leaves its operands and waits for the other members of its warp. */
static void emit_warpop(struct emit *e, const struct ir_inst *i)
{
    int to = e->p->blocks[e->at].succ[0];
    LLVMTypeRef i32 = ty_int(e, 32, 1), i64 = ty_int(e, 64, 1);
    int mask_at = -1, value_at = -1;
    if (i->imm == KABI_WARP_SYNC) {
        mask_at = 0;
    } else if (i->imm >= KABI_WARP_MMA) {
        for (int k = 0; k < i->n_src; k++) {
            LLVMValueRef v = u_operand(e, &i->src[k], i->type, 0);
            LLVMBuildStore(e->b, LLVMBuildZExt(e->b, v, i64, ""), frame_warpop_ptr(e, offsetof(struct kabi_warpop, matrix) + 8 * (size_t)k));
        }
    } else if (i->imm != KABI_WARP_ACTIVEMASK) {
        value_at = 0;
        mask_at = i->n_src - 1;
    }
    LLVMBuildStore(e->b, k_int(e, 32, 1, (uint64_t)i->imm), frame_warpop_ptr(e, offsetof(struct kabi_warpop, kind)));
    LLVMValueRef mask = mask_at >= 0 ? u_operand(e, &i->src[mask_at], IR_I32, 0) : k_int(e, 32, 1, UINT32_MAX);
    LLVMBuildStore(e->b, mask, frame_warpop_ptr(e, offsetof(struct kabi_warpop, mask)));
    if (value_at >= 0) {
        bool vote = i->imm >= KABI_WARP_VOTE_ALL && i->imm <= KABI_WARP_VOTE_BALLOT;
        enum ir_type t = vote ? IR_PRED : ir_type_of_bits(ir_type_bits(i->type));
        LLVMValueRef v = u_operand(e, &i->src[0], t, 0);
        if (LLVMTypeOf(v) != i64)
            v = LLVMBuildZExt(e->b, v, i64, "");
        LLVMBuildStore(e->b, v, frame_warpop_ptr(e, offsetof(struct kabi_warpop, value)));
    }
    if (i->imm >= KABI_WARP_SHFL_UP && i->imm <= KABI_WARP_SHFL_IDX) {
        LLVMBuildStore(e->b, u_operand(e, &i->src[1], IR_I32, 0), frame_warpop_ptr(e, offsetof(struct kabi_warpop, b)));
        LLVMBuildStore(e->b, u_operand(e, &i->src[2], IR_I32, 0), frame_warpop_ptr(e, offsetof(struct kabi_warpop, c)));
    }
    (void)i32;
    frame_save(e, to);
    group_stops(e, k_int(e, 32, 1, (uint32_t)e->p->blocks[to].resume | KABI_IN_WARPOP), KABI_MIXED);
}

/* Where the thread goes on: the engine's answer becomes the operation's results. */
static void take_answer(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1), i64 = ty_int(e, 64, 1);
    LLVMValueRef result = LLVMBuildLoad2(e->b, i64, frame_warpop_ptr(e, offsetof(struct kabi_warpop, result)), "");
    LLVMValueRef pred = LLVMBuildLoad2(e->b, i32, frame_warpop_ptr(e, offsetof(struct kabi_warpop, pred)), "");
    for (int k = 0; k < i->n_dst; k++) {
        if (!i->dst[k])
            continue;
        if (i->imm >= KABI_WARP_MMA)
            result = LLVMBuildLoad2(e->b, i64, frame_warpop_ptr(e, offsetof(struct kabi_warpop, matrix) + 8 * (size_t)k), "");
        if (i->dst[k]->type == IR_PRED)
            set_uniform(e, i, k, 0, LLVMBuildICmp(e->b, LLVMIntNE, pred, LLVMConstNull(i32), ""));
        else
            set_uniform(e, i, k, 0, LLVMBuildTrunc(e->b, result, ty_int(e, ir_type_bits(i->dst[k]->type), 1), ""));
    }
}

/* This group and all behind it have nothing to do: it ends the region for all of them. */
static void leave_early(struct emit *e)
{
    const struct plan *p = e->p;
    struct plan_leave l;
    if (e->region == 0 || e->fetches || e->details || e->m[0] || !plan_leave(e->p, (size_t)e->region, e->at, &l) ||
        !ends_made_here(e, &ir_block_term(p->blocks[e->at].ir)->src[0]))
        return;
    const struct ir_inst *end = ir_block_term(p->blocks[l.end].ir);
    int to = end->op == IR_BAR ? p->blocks[l.end].succ[0] : -1;
    if (to >= 0 && (!plan_plain_barrier(p, end) || !frame_stays(e, e->region, to, false)))
        return;
    LLVMValueRef v[2];
    v[l.number] = linear_thread(e, 0);
    v[!l.number] = u_operand(e, &l.cmp->src[!l.number], IR_I32, 0);
    LLVMBasicBlockRef leave = new_bb(e, "leave"), stay = new_bb(e, "stay");
    LLVMValueRef holds = op_value(e, l.cmp, v, 1, 0);
    LLVMBuildCondBr(e->b, holds, l.answer ? leave : stay, l.answer ? stay : leave);
    LLVMPositionBuilderAtEnd(e->b, leave);
    if (to >= 0)
        frame_save_common(e, to, true);
    LLVMBuildStore(e->b, k_int(e, 32, 1, (uint64_t)(int64_t)(to >= 0 ? p->blocks[to].resume : KABI_ALL_DONE)), e->common);
    LLVMBuildBr(e->b, e->done);
    LLVMPositionBuilderAtEnd(e->b, stay);
}

static void emit_terminator(struct emit *e, const struct ir_inst *i)
{
    const struct plan_block *blk = &e->p->blocks[e->at];
    e->inst = i;
    lines_at(e, i);
    switch (i->op) {
    case IR_BR: go(e, blk->succ[0]); break;
    case IR_CBR:
        leave_early(e);
        if (blk->divergent)
            divergent_branch(e, i);
        else
            uniform_branch(e, i);
        break;
    case IR_RET: chain(e, waiting(e), -1); break;
    case IR_TRAP:
        emit_trap(e, i);
        LLVMBuildUnreachable(e->b);
        break;
    case IR_YIELD: emit_yield(e); break;
    case IR_WARPOP: emit_warpop(e, i); break;
    default: emit_barrier(e, i); break;
    }
}

static void emit_insts(struct emit *e, const struct plan_block *blk)
{
    for (size_t j = 0; j + 1 < blk->ir->insts.n; j++) {
        if (common_done(e, blk->ir->insts.v[j])) {
            common_take(e, blk->ir->insts.v[j]);
            continue;
        }
        if (!(ir_op_info[blk->ir->insts.v[j]->op].props & IR_PROP_PURE) && !atomic_may_wait(e, blk->ir->insts.v[j]))
            atomics_flush(e);
        details_access(e, blk->ir->insts.v[j]);
        emit_inst(e, blk->ir->insts.v[j]);
    }
    details_access(e, ir_block_term(blk->ir));
    atomics_flush(e);
}

/*
 * Most of the time all lanes are on: of blocks with memory accesses there is a version for that, without masks and blends.
 */
static bool worth_two_versions(struct emit *e, const struct plan_block *blk)
{
    enum { MOST = 600 };
    if (!e->m[0] || e->W == 1 || e->p->opt.function || e->doubled + blk->ir->insts.n > MOST || !gains_without_masks(e, blk) ||
        brief_block(e, e->at))
        return false;
    e->doubled += (unsigned)blk->ir->insts.n;
    return true;
}

/* Addresses of this block may well be regular, or lie in a known pattern: versions for that. */
static unsigned likely_versions(struct emit *e, const struct plan_block *blk, struct plan_version *l)
{
    enum { MOST = 600 };
    unsigned n = 0;
    if (e->m[0] || e->W == 1 || e->p->opt.function || e->details)
        return 0;
    bool patterns = false;
    for (unsigned version = 0; version < PLAN_VERSIONS && e->doubled + blk->ir->insts.n <= MOST; version++) {
        if ((version == PLAN_OF_CHUNKS && patterns) || !plan_version(e->p, e->at, version, &e->arena, &l[n]))
            continue;
        patterns |= version > 0;
        e->doubled += (unsigned)blk->ir->insts.n;
        n++;
    }
    return n;
}

static void swap_slots(struct emit *e, const struct plan_version *l, LLVMValueRef (*with)[PLAN_MAX_CHUNKS])
{
    for (size_t k = 0; k < l->regs.n; k++)
        for (unsigned c = 0; c < PLAN_MAX_CHUNKS; c++) {
            LLVMValueRef was = e->slot[l->regs.v[k].reg->id][c];
            e->slot[l->regs.v[k].reg->id][c] = with[k][c];
            with[k][c] = was;
        }
}

static void emit_version(struct emit *e, const struct plan_block *blk, struct plan_version *l)
{
    LLVMValueRef (*slots)[PLAN_MAX_CHUNKS] = hw_alloc(l->regs.n * sizeof *slots);
    plan_exchange(e->p, l);
    swap_slots(e, l, slots);
    records_block(e, blk->ir);
    butterflies_block(e, blk->ir);
    emit_insts(e, blk);
    e->butterflies.n = 0;
    plan_exchange(e->p, l);
    swap_slots(e, l, slots);
    hw_free(slots);
}

/* i1: the clamp leaves the number of every lane as it is. The last lane's must not have wrapped around either. */
static LLVMValueRef clamp_idle(struct emit *e, const struct plan_condition *c)
{
    bool most = c->clamp->op == IR_MIN_S || c->clamp->op == IR_MIN_U, sign = c->clamp->op == IR_MIN_S || c->clamp->op == IR_MAX_S;
    struct shape s = o_shape(e, &c->number);
    uint64_t span = 0, largest = UINT32_MAX >> sign;
    plan_span(e->p, &s, &span);
    LLVMValueRef first = u_operand(e, &c->number, IR_I32, 0), limit = u_operand(e, &c->limit, IR_I32, 0), last = LLVMBuildAdd(e->b, first, k_int(e, 32, 1, span), "");
    LLVMValueRef whole = LLVMBuildICmp(e->b, sign ? LLVMIntSLE : LLVMIntULE, first, k_int(e, 32, 1, largest - span), "");
    LLVMValueRef idle = most ? LLVMBuildICmp(e->b, sign ? LLVMIntSLE : LLVMIntULE, last, limit, "") : LLVMBuildICmp(e->b, sign ? LLVMIntSGE : LLVMIntUGE, first, limit, "");
    return s.umax <= largest ? idle : LLVMBuildAnd(e->b, whole, idle, "");
}

/* i1: of a number that all lanes share, the low bits are these. */
static LLVMValueRef low_bits_are(struct emit *e, const struct plan_condition *c)
{
    struct ir_operand o = { .kind = IR_REG, .reg = e->p->regs[c->reg->id].reg };
    LLVMValueRef u = u_operand(e, &o, o.reg->type, 0), low = LLVMConstInt(LLVMTypeOf(u), c->low, false);
    return LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, u, low, ""), LLVMConstInt(LLVMTypeOf(u), c->value, false), "");
}

static void emit_likely(struct emit *e, const struct plan_block *blk, struct plan_version *l, unsigned n)
{
    LLVMBasicBlockRef both = new_bb(e, "both");
    e->versions = true;
    for (unsigned version = 0; version < n; version++, l++) {
        LLVMValueRef fits = k_int(e, 1, 1, 1);
        for (unsigned k = 0; k < l->n_ahead; k++)
            emit_inst(e, l->ahead[k]);
        for (unsigned k = 0; k < l->n; k++)
            fits = LLVMBuildAnd(e->b, fits, l->conditions[k].clamp ? clamp_idle(e, &l->conditions[k]) : low_bits_are(e, &l->conditions[k]), "");
        LLVMBasicBlockRef fit = new_bb(e, version ? "pattern" : "regular"), other = new_bb(e, "other");
        LLVMBuildCondBr(e->b, fits, fit, other);
        LLVMPositionBuilderAtEnd(e->b, fit);
        emit_version(e, blk, l);
        LLVMBuildBr(e->b, both);
        LLVMPositionBuilderAtEnd(e->b, other);
    }
    records_block(e, blk->ir);
    emit_insts(e, blk);
    LLVMBuildBr(e->b, both);
    LLVMPositionBuilderAtEnd(e->b, both);
}

static void emit_body(struct emit *e, const struct plan_block *blk)
{
    struct plan_version likely[PLAN_VERSIONS];
    unsigned n = likely_versions(e, blk, likely);
    if (n)
        emit_likely(e, blk, likely, n);
    else
        emit_insts(e, blk);
    for (unsigned k = 0; k < n; k++) {
        for (size_t r = 0; r < likely[k].regs.n; r++)             /* each version has it in another slot */
            e->available[likely[k].regs.v[r].reg->id] = false;
        hw_vec_fini(&likely[k].regs);
    }
}

static void emit_two_versions(struct emit *e, const struct plan_block *blk)
{
    LLVMValueRef m[PLAN_MAX_CHUNKS], all = e->m[0];
    LLVMTypeRef bits = ty_int(e, e->W, 1);
    for (unsigned c = 0; c < e->C; c++) {
        m[c] = e->m[c];
    }
    LLVMBasicBlockRef full = new_bb(e, "full"), look = new_bb(e, "look"), part = new_bb(e, "part"), both = new_bb(e, "both");
    LLVMBuildCondBr(e->b, e->all_here, full, look);
    LLVMPositionBuilderAtEnd(e->b, look);
    for (unsigned c = 1; c < e->C; c++)
        all = LLVMBuildAnd(e->b, all, m[c], "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, cast_to(e, all, bits), LLVMConstAllOnes(bits), ""), full, part);
    LLVMPositionBuilderAtEnd(e->b, full);
    e->m[0] = NULL;
    emit_body(e, blk);
    LLVMBuildBr(e->b, both);
    LLVMPositionBuilderAtEnd(e->b, part);
    memcpy(e->m, m, sizeof *m * e->C);
    emit_insts(e, blk);
    LLVMBuildBr(e->b, both);
    LLVMPositionBuilderAtEnd(e->b, both);
}

static void emit_block(struct emit *e, int b)
{
    const struct plan_block *blk = &e->p->blocks[b];
    LLVMPositionBuilderAtEnd(e->b, e->bb[b]);
    e->at = b;
    e->m[0] = NULL;
    for (size_t r = 0; r < e->p->n_regs; r++)
        e->available[r] = bits_has(blk->live_in, r);
    if (blk->masked) {
        e->all_here = mask_access(e, LLVMBuildLoad2(e->b, ty_int(e, 1, 1), blk->mask_from >= 0 ? e->cur_whole[blk->mask_from] : e->whole[b], ""));
        masks_load(e, blk->mask_from >= 0 ? e->cur[blk->mask_from] : e->mask[b], e->m);
        if (blk->mask_from < 0)
            masks_store(e, e->mask[b], NULL);
        if (e->is_source[b]) {
            masks_store(e, e->cur[b], e->m);
            mask_access(e, LLVMBuildStore(e->b, e->all_here, e->cur_whole[b]));
        }
    }
    clear_registers(e, b);
    details_block(e, blk->ir);
    guard_block(e, b);
    walked_turn(e, b);
    records_block(e, blk->ir);
    if (worth_two_versions(e, blk))
        emit_two_versions(e, blk);
    else
        emit_body(e, blk);
    walked_block(e, b);
    own_rows_enter(e, b);
    emit_terminator(e, ir_block_term(blk->ir));
}

/* ---- a region ---- */

/* The reduction of a BAR_RED that leads here, from all groups that were at it. */
static void sum_reduction(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMBuilderRef saved = e->b;
    e->b = e->eb;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), loop = new_bb(e, "red"), done = new_bb(e, "red.done");
    LLVMBuildBr(e->b, loop);
    LLVMPositionBuilderAtEnd(e->b, loop);
    LLVMValueRef g = LLVMBuildPhi(e->b, i32, ""), sum = LLVMBuildPhi(e->b, i32, "");
    LLVMValueRef state = LLVMBuildLoad2(e->b, i32, frame_state_ptr(e, g), "");
    LLVMValueRef here = LLVMBuildICmp(e->b, LLVMIntEQ, state, k_int(e, 32, 1, (uint64_t)e->region), "");
    if (e->p->lockstep)
        here = k_int(e, 1, 1, 1);
    LLVMValueRef part = LLVMBuildLoad2(e->b, i32, frame_red_ptr(e, g), "");
    LLVMValueRef more = LLVMBuildAdd(e->b, sum, LLVMBuildSelect(e->b, here, part, k_int(e, 32, 1, 0), ""), "");
    LLVMValueRef next = LLVMBuildAdd(e->b, g, k_int(e, 32, 1, 1), "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, next, k_int(e, 32, 1, e->p->groups), ""), loop, done);
    LLVMBasicBlockRef at[] = { from, loop };
    LLVMValueRef gs[] = { k_int(e, 32, 1, 0), next }, sums[] = { k_int(e, 32, 1, 0), more };
    LLVMAddIncoming(g, gs, at, 2);
    LLVMAddIncoming(sum, sums, at, 2);
    LLVMPositionBuilderAtEnd(e->b, done);
    LLVMValueRef any = LLVMBuildICmp(e->b, LLVMIntNE, more, k_int(e, 32, 1, 0), "");
    e->red = i->imm == IR_BAR_POPC ? more : i->imm == IR_BAR_OR ? any : LLVMBuildNot(e->b, any, "");
    e->b = saved;
}

/* Counts masks, and the tests of them that blocks would have each for itself. */
static bool has_many_masks(struct emit *e)
{
    enum { MANY = 256, MANY_TESTS = 128 };
    const bits_word *here = e->p->regions.v[e->region].blocks;
    size_t n = (size_t)e->p->n_blocks, masks = 0, tests = 0;
    for (size_t b = bits_next(here, 0, n); b < n; b = bits_next(here, b + 1, n)) {
        masks += has_mask_slot(e, (int)b);
        for (size_t w = 0; w < bits_words(n); w++)
            tests += (size_t)__builtin_popcountll(e->p->blocks[b].pending[w]);
    }
    return masks > MANY || tests > MANY_TESTS;
}

static void make_mask_slots(struct emit *e)
{
    const struct plan *p = e->p;
    e->ladders.n = 0;
    e->many_masks = has_many_masks(e);
    clear_plan(e);
    LLVMTypeRef t = ty_int(e, 1, e->W);
    for (int b = 0; b < p->n_blocks; b++)
        for (unsigned c = 0; c < e->C; c++) {
            e->mask[b][c] = has_mask_slot(e, b) ? entry_alloca(e, t, "mask") : NULL;
            e->cur[b][c] = e->is_source[b] ? entry_alloca(e, t, "cur") : NULL;
        }
    for (int b = 0; b < p->n_blocks; b++) {
        e->whole[b] = has_mask_slot(e, b) ? entry_alloca(e, ty_int(e, 1, 1), "whole") : NULL;
        e->cur_whole[b] = e->is_source[b] ? entry_alloca(e, ty_int(e, 1, 1), "cur.whole") : NULL;
    }
}

static void nobody_waits(struct emit *e)
{
    for (int b = 0; b < e->p->n_blocks; b++) {
        if (has_mask_slot(e, b)) {
            masks_store(e, e->mask[b], NULL);
            mask_access(e, LLVMBuildStore(e->b, k_int(e, 1, 1, 0), e->whole[b]));
        }
        if (e->is_source[b])
            mask_access(e, LLVMBuildStore(e->b, k_int(e, 1, 1, 0), e->cur_whole[b]));
    }
}

/* Lanes of the last group that are no threads are off from the start. */
static void entry_mask(struct emit *e)
{
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef thread = LLVMBuildAdd(e->b, splat(e, linear_thread(e, c), e->W), k_lanes(e, 32, e->W, 0, 1), "");
        LLVMBuildStore(e->b, LLVMBuildICmp(e->b, LLVMIntULT, thread, k_int(e, 32, e->W, e->p->threads), ""), e->mask[0][c]);
    }
}

/* What the program may read before it writes it is 0: no value is wrong, but an undefined one would be another at every use. */
static void clear_undefined(struct emit *e)
{
    for (size_t r = 0; r < e->p->n_regs; r++) {
        const struct ir_reg *reg = e->p->regs[r].reg;
        if (!bits_has(e->p->blocks[0].live_in, r))
            continue;
        for (unsigned c = 0; c < slot_count(e, reg); c++)
            LLVMBuildStore(e->b, LLVMConstNull(slot_type(e, reg)), slot_of(e, reg, c));
        e->available[r] = true;
    }
}

static void begin_warp(struct emit *e)
{
    const struct plan *p = e->p;
    const struct plan_region *r = &p->regions.v[e->region];
    e->m[0] = NULL;
    e->at = r->entry;
    nobody_waits(e);
    clear_registers(e, e->p->n_blocks);
    if (e->region == 0) {
        clear_undefined(e);
        if (p->partial && p->lanes > 1)
            entry_mask(e);
        else if (has_mask_slot(e, 0))                     /* block 0 heads a divergent loop */
            deliver(e, 0, NULL);
    } else {
        frame_restore(e, r->entry);
        e->m[0] = NULL;
        for (int b = 0; b < p->n_blocks; b++) {
            struct ir_inst *t = ir_block_term(p->blocks[b].ir);
            if (!plan_stops(t) || p->blocks[b].succ[0] != r->entry)
                continue;
            if (t->op == IR_WARPOP)
                take_answer(e, t);
            if (t->op == IR_BAR_RED && t->dst[0])
                for (unsigned c = 0; c < slot_count(e, t->dst[0]); c++)
                    set_uniform(e, t, 0, c, e->red);
        }
        if (e->region < 64 && e->quiet >> e->region & 1)
            emit_fetches(e);
        emit_turn_fetches(e);
    }
    if (p->parts && e->region > 0 && p->blocks[r->entry].masked) {       /* a part may have left its lanes there to another one */
        LLVMValueRef m[PLAN_MAX_CHUNKS];
        LLVMBasicBlockRef others = new_bb(e, "others");
        masks_load(e, has_mask_slot(e, r->entry) ? e->mask[r->entry] : e->cur[p->blocks[r->entry].mask_from], m);
        LLVMBuildCondBr(e->b, mask_any(e, m), e->bb[r->entry], others);
        LLVMPositionBuilderAtEnd(e->b, others);
        chain(e, frame_waiting(e, r->entry), -1);
    } else {
        LLVMBuildBr(e->b, e->bb[r->entry]);
    }
}

static void add_attribute(struct emit *e, LLVMValueRef fn, LLVMAttributeIndex at, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, at, LLVMCreateEnumAttribute(e->cx, kind, 0));
}

/* The first blocks of any function. */
static void open_function(struct emit *e)
{
    e->mma = NULL;
    add_attribute(e, e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    add_attribute(e, e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noredzone");     /* guards call without LLVM's knowledge */
    probes_stack(e->fn);
    LLVMAddTargetDependentFunctionAttr(e->fn, "prefer-vector-width", "512");
    if (e->W > 1)                /* else vectors that do not fit into registers lie across lines of the cache, in most processes */
        LLVMAddTargetDependentFunctionAttr(e->fn, "stackrealign", "");
    memset(e->env, 0, sizeof e->env);
    memset(e->slot, 0, e->p->n_regs * sizeof *e->slot);
    memset(e->available, 0, e->p->n_regs);
    LLVMPositionBuilderAtEnd(e->ab, new_bb(e, "slots"));
    LLVMPositionBuilderAtEnd(e->eb, e->entry = new_bb(e, "entry"));
    lines_function(e);
    e->safe = entry_alloca(e, LLVMArrayType2(ty_int(e, 64, 1), 16), "safe");
    LLVMSetAlignment(e->safe, 16);
}

/* Too deep a recursion ends the kernel before it runs into another thread's memory. */
static void check_stack(struct emit *e)
{
    LLVMValueRef top = LLVMBuildAdd(e->b, e->sp, k_int(e, 64, 1, 2ull * e->p->own_local), "");
    LLVMBasicBlockRef deep = new_bb(e, "too.deep"), fine = new_bb(e, "fine");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntUGT, top, k_int(e, 64, 1, e->p->func->local_bytes), ""), deep, fine);
    LLVMPositionBuilderAtEnd(e->b, deep);
    struct ir_inst trap = { .op = IR_TRAP, .imm = KABI_TRAP_ILLEGAL_ADDRESS };
    emit_trap(e, &trap);
    LLVMBuildUnreachable(e->b);
    LLVMPositionBuilderAtEnd(e->b, fine);
}

static void begin_function(struct emit *e)
{
    char name[32];
    LLVMTypeRef p = ty_ptr(e), i32 = ty_int(e, 32, 1), types[] = { p, p, p };
    snprintf(name, sizeof name, "hw_region_%d", e->region);
    e->fn = LLVMAddFunction(e->mod, name, LLVMFunctionType(i32, types, 3, false));
    e->launch = LLVMGetParam(e->fn, 0);
    e->block = LLVMGetParam(e->fn, 1);
    e->frame = LLVMGetParam(e->fn, 2);
    for (unsigned k = 0; k < 3; k++)
        promise_no_alias(e, e->fn, k);
    e->sp = NULL;
    open_function(e);
    e->common = entry_alloca(e, i32, "common");
}

/* A loop with one barrier in it: does the region lead to itself? Large ones have more constants than there are registers: nothing is gained. */
static bool comes_again(struct emit *e)
{
    enum { LARGE = 1500 };
    const struct plan *p = e->p;
    const struct plan_region *r = &p->regions.v[e->region];
    for (int b = 0; b < p->n_blocks; b++)
        if (bits_has(r->blocks, (size_t)b) && plan_stops(ir_block_term(p->blocks[b].ir)) && p->blocks[b].succ[0] == r->entry)
            return !e->details && target_instructions(e->fn) < LARGE;
    return false;
}

/* After the last warp: what the engine does next. A region that comes next again begins at once: its constants are at hand. */
static void finish_function(struct emit *e)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    if (e->p->regions.n == 1) {
        LLVMBuildRet(e->b, k_int(e, 32, 1, (uint64_t)(int64_t)KABI_ALL_DONE));
        return;
    }
    if (e->p->opt.fair || e->p->opt.turns) {              /* the engine looks at the states in any case */
        LLVMBuildRet(e->b, k_int(e, 32, 1, (uint64_t)(int64_t)KABI_MIXED));
        return;
    }
    LLVMValueRef common = LLVMBuildLoad2(e->b, i32, e->common, "");
    if (e->p->lockstep && comes_again(e)) {
        LLVMBasicBlockRef leave = new_bb(e, "leave");
        LLVMValueRef again = LLVMBuildICmp(e->b, LLVMIntEQ, common, k_int(e, 32, 1, (uint64_t)e->region), "");
        LLVMValueRef pauses = LLVMBuildICmp(e->b, LLVMIntNE, env(e, ENV_PAUSES), k_int(e, 32, 1, 0), "");
        LLVMBuildCondBr(e->b, LLVMBuildAnd(e->b, again, LLVMBuildNot(e->b, pauses, ""), ""), e->entry, leave);
        LLVMPositionBuilderAtEnd(e->b, leave);
    }
    if (e->p->lockstep) {
        LLVMBuildRet(e->b, common);
        return;
    }
    LLVMBasicBlockRef all = new_bb(e, "all"), out = new_bb(e, "out");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSGE, common, LLVMConstNull(i32), ""), all, out);
    LLVMPositionBuilderAtEnd(e->b, all);                  /* every warp arrived: the barrier is complete, clear ARRIVED */
    uint32_t g = 0;
    for (; g + 8 <= e->p->groups; g += 8) {
        LLVMValueRef s = LLVMBuildStore(e->b, splat(e, common, 8), frame_state_ptr(e, k_int(e, 32, 1, g)));
        promise_align(e, s, 4);
    }
    for (; g < e->p->groups; g++)
        LLVMBuildStore(e->b, common, frame_state_ptr(e, k_int(e, 32, 1, g)));
    LLVMBuildBr(e->b, out);
    LLVMPositionBuilderAtEnd(e->b, out);
    LLVMBuildRet(e->b, common);
}

/* How many groups a region is for: those behind them do nothing in it. What is fetched for others each group fetches its part of. */
static uint32_t busy_groups(struct emit *e)
{
    const struct plan *p = e->p;
    struct plan_idle_warps idle;
    if (e->region == 0 || e->fetches || e->details || !plan_idle_warps(p, (size_t)e->region, &idle))
        return p->groups;
    const struct ir_inst *t = ir_block_term(p->blocks[idle.end].ir);
    if (t->op == IR_BAR && (!plan_plain_barrier(p, t) || !frame_stays(e, e->region, p->blocks[idle.end].succ[0], true)))
        return p->groups;
    return idle.from ? idle.from : 1;                     /* the first one tells what all do next */
}

static void emit_region(struct emit *e, int region)
{
    const struct plan *p = e->p;
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMValueRef first = k_int(e, 32, 1, 0), end = NULL;
    bool reduces = false;                                 /* all groups share a result that is made from their states */
    e->region = region;
    begin_function(e);
    make_mask_slots(e);
    for (int b = 0; b < p->n_blocks; b++) {
        char name[24];
        snprintf(name, sizeof name, "B%d", b);
        e->bb[b] = bits_has(p->regions.v[region].blocks, (size_t)b) ? new_bb(e, name) : NULL;
        struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        if (t->op == IR_BAR_RED && region > 0 && p->blocks[b].succ[0] == p->regions.v[region].entry) {
            sum_reduction(e, t);
            reduces = true;
        }
    }
    if (p->opt.fair && !reduces) {
        first = env(e, ENV_FIRST_GROUP);
        end = env(e, ENV_END_GROUP);
    }
    LLVMBasicBlockRef warp = new_bb(e, "warp"), done = e->done = new_bb(e, "done");
    e->head = new_bb(e, "head");
    e->next = new_bb(e, "next");
    LLVMPositionBuilderAtEnd(e->b, e->head);
    LLVMValueRef phi = e->warp = LLVMBuildPhi(e->b, i32, "w");
    if (p->regions.n > 1 && !p->lockstep) {
        LLVMBasicBlockRef skip = new_bb(e, "skip");
        LLVMValueRef state = LLVMBuildLoad2(e->b, i32, frame_state_ptr(e, e->warp), "");
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, state, k_int(e, 32, 1, (uint64_t)region), ""), warp, skip);
        LLVMPositionBuilderAtEnd(e->b, skip);
        LLVMBuildStore(e->b, k_int(e, 32, 1, (uint64_t)(int64_t)KABI_MIXED), e->common);
        LLVMBuildBr(e->b, e->next);
    } else {
        LLVMBuildBr(e->b, warp);
    }
    LLVMPositionBuilderAtEnd(e->b, warp);
    emit_common(e);
    e->fetches = false;
    lines_group(e);
    begin_warp(e);
    end = end ? end : k_int(e, 32, 1, busy_groups(e));
    for (int b = 0; b < p->n_blocks; b++)
        if (e->bb[b])
            emit_block(e, b);
    LLVMPositionBuilderAtEnd(e->b, e->next);
    LLVMValueRef w1 = LLVMBuildAdd(e->b, e->warp, k_int(e, 32, 1, 1), "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, w1, end, ""), e->head, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    finish_function(e);
    LLVMBuildStore(e->eb, k_int(e, 32, 1, (uint64_t)(int64_t)-3), e->common);
    LLVMValueRef from[] = { first, w1 };
    LLVMBasicBlockRef at[] = { LLVMGetInsertBlock(e->eb), e->next };
    LLVMAddIncoming(phi, from, at, 2);
    LLVMBuildBr(e->eb, e->head);
    LLVMBuildBr(e->ab, LLVMGetNextBasicBlock(LLVMGetInsertBlock(e->ab)));
}

/* Room for what is made anew for each function. */
static void begin_plan(struct emit *e)
{
    const struct plan *p = e->p;
    size_t n = (size_t)p->n_blocks;
    e->slot = hw_alloc(p->n_regs * sizeof *e->slot + 1);
    e->mask = hw_alloc(n * sizeof *e->mask);
    e->cur = hw_alloc(n * sizeof *e->cur);
    e->whole = hw_alloc(n * sizeof *e->whole);
    e->cur_whole = hw_alloc(n * sizeof *e->cur_whole);
    e->bb = hw_alloc(n * sizeof *e->bb);
    e->is_source = hw_alloc(n);
    e->rematerialised = hw_alloc(p->n_regs + 1);
    e->available = hw_alloc(p->n_regs + 1);
    e->quiet = plan_quiet_regions(p);
    for (size_t b = 0; b < n; b++)
        if (p->blocks[b].mask_from >= 0)
            e->is_source[p->blocks[b].mask_from] = true;
    e->nowhere = bits_new(&e->arena, n);
    details_plan(e);
}

static void end_plan(struct emit *e)
{
    hw_free(e->slot);
    hw_free(e->mask);
    hw_free(e->cur);
    hw_free(e->whole);
    hw_free(e->cur_whole);
    hw_free(e->bb);
    hw_free(e->is_source);
    hw_free(e->rematerialised);
    hw_free(e->available);
}

/* A region by the plan for several warps; what is kept is where the other plan has it. */
static void emit_wide_region(struct emit *e, int region)
{
    const struct plan *one = e->p;
    end_plan(e);
    e->p = one->wide;
    e->C = one->wide->opt.chunks;
    e->narrow = one;
    e->looked_at = -1;
    begin_plan(e);
    emit_region(e, region);
    end_plan(e);
    e->p = one;
    e->C = one->opt.chunks;
    e->narrow = NULL;
    e->looked_at = -1;
    begin_plan(e);
}

/* A callee: no loop over groups; the caller says which group and which of its lanes. */
static void emit_function(struct emit *e, size_t index)
{
    char name[64];
    const struct plan *p = e->p;
    function_name(e, index, name);
    e->region = 0;
    e->fn = LLVMGetNamedFunction(e->mod, name);
    if (!e->fn)
        e->fn = LLVMAddFunction(e->mod, name, function_type(e));
    LLVMSetLinkage(e->fn, LLVMInternalLinkage);
    e->launch = LLVMGetParam(e->fn, 0);
    e->block = LLVMGetParam(e->fn, 1);
    e->warp = LLVMGetParam(e->fn, 2);
    e->sp = LLVMGetParam(e->fn, 3);
    e->frame = LLVMGetPoison(ty_ptr(e));
    open_function(e);
    make_mask_slots(e);
    for (int b = 0; b < p->n_blocks; b++) {
        char block_name[24];
        snprintf(block_name, sizeof block_name, "B%d", b);
        e->bb[b] = new_bb(e, block_name);
    }
    e->next = new_bb(e, "leave");
    LLVMPositionBuilderAtEnd(e->b, e->next);
    LLVMBuildRetVoid(e->b);
    LLVMBasicBlockRef start = new_bb(e, "start");
    LLVMPositionBuilderAtEnd(e->b, start);
    e->m[0] = NULL;
    e->at = 0;
    check_stack(e);
    nobody_waits(e);
    clear_undefined(e);
    for (unsigned c = 0; e->W > 1 && c < e->C; c++) {
        LLVMValueRef bits = LLVMBuildTrunc(e->b, LLVMGetParam(e->fn, 4 + c), ty_int(e, e->W, 1), "");
        LLVMBuildStore(e->b, cast_to(e, bits, ty_int(e, 1, e->W)), e->mask[0][c]);
    }
    LLVMBuildBr(e->b, e->bb[0]);
    for (int b = 0; b < p->n_blocks; b++)
        emit_block(e, b);
    LLVMBuildBr(e->eb, start);
    LLVMBuildBr(e->ab, LLVMGetNextBasicBlock(LLVMGetInsertBlock(e->ab)));
}

static bool emit_callee(struct emit *e, size_t index)
{
    const struct plan *kernel = e->p;
    struct plan_options opt = kernel->opt;
    opt.function = true;
    opt.fair = opt.turns = false;
    opt.local_stride = kernel->func->local_bytes;
    struct plan *p = plan_new(e->kernel->callees.v[index], &opt, e->diag);
    bool ok = p != NULL;
    if (ok && (p->regions.n > 1 || (p->uses_warp_ops && e->W == 1))) {
        diag_error(e->diag, (int)e->kernel->callees.v[index]->ptx_line, 0,
                   "kernel %s: function %s calls itself or is called through a pointer, and has a barrier or a warp operation: "
                   "not supported yet", e->kernel->name, e->kernel->callees.v[index]->name);
        ok = false;
    }
    if (ok) {
        e->p = p;
        begin_plan(e);
        emit_function(e, index);
        end_plan(e);
        e->p = kernel;
    }
    plan_free(p);
    return ok;
}

bool emit_kernel(struct emit *e)
{
    const struct plan *p = e->p;
    e->b = LLVMCreateBuilderInContext(e->cx);
    e->eb = LLVMCreateBuilderInContext(e->cx);
    e->ab = LLVMCreateBuilderInContext(e->cx);
    promise_spaces(e);
    begin_plan(e);
    frame_layout(e);
    for (size_t r = 0; r < p->regions.n; r++) {
        if (p->wide && p->wide_regions >> r & 1)
            emit_wide_region(e, (int)r);
        else
            emit_region(e, (int)r);
    }
    end_plan(e);
    hw_free(e->waiting);
    hw_free(e->alive);
    e->waiting = e->alive = NULL;
    hw_free(e->reg_offset);
    hw_free(e->mask_offset);
    hw_free(e->cur_offset);
    for (size_t k = 0; k < e->kernel->callees.n && emit_callee(e, k); k++) {
    }
    hw_arena_fini(&e->arena);
    LLVMDisposeBuilder(e->b);
    LLVMDisposeBuilder(e->eb);
    LLVMDisposeBuilder(e->ab);
    return e->diag->n_errors == 0;
}
