/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of instrumented kernels (kabi/window.h): accesses that the checker has nothing to say about are seen to be such here, with a few comparisons, and told
 * to nobody. Rows and uniform accesses are compared by their first and last lane, others lane by lane.
 */
#include "jit/emit.h"

struct watch {
    struct emit *e;
    const struct ir_inst *i;
    const struct details_site *s;
    LLVMValueRef at;             /* the window */
    LLVMValueRef low, size;
    LLVMValueRef from, to, room; /* what is known to be touched: room is how many places there are for a lane to begin at; NULL: not asked for */
    LLVMValueRef bad;            /* i1: somebody must look; NULL: not yet known to be so */
};

/* ---- fields ---- */

/* Volatile: the checker changes windows in calls that LLVM is told to change nothing. */
static LLVMValueRef word(struct emit *e, LLVMValueRef at, uint64_t offset)
{
    LLVMValueRef k = k_int(e, 64, 1, offset);
    LLVMValueRef v = LLVMBuildLoad2(e->b, ty_int(e, 64, 1), LLVMBuildGEP2(e->b, ty_int(e, 8, 1), at, &k, 1, ""), "");
    LLVMSetVolatile(v, true);
    return v;
}

static void set_word(struct emit *e, LLVMValueRef at, uint64_t offset, LLVMValueRef v)
{
    LLVMValueRef k = k_int(e, 64, 1, offset);
    LLVMSetVolatile(LLVMBuildStore(e->b, v, LLVMBuildGEP2(e->b, ty_int(e, 8, 1), at, &k, 1, "")), true);
}

/* i64: the number of the warp in its block. */
static LLVMValueRef warp_number(struct emit *e)
{
    LLVMValueRef w = LLVMBuildLShr(e->b, linear_thread(e, 0), k_int(e, 32, 1, 5), "");
    return LLVMBuildZExt(e->b, LLVMBuildAnd(e->b, w, k_int(e, 32, 1, KABI_WARPS - 1), ""), ty_int(e, 64, 1), "");
}

static LLVMValueRef window_of(struct emit *e, const struct details_site *s)
{
    LLVMValueRef k = k_int(e, 64, 1, (uint64_t)s->window * sizeof(struct kabi_window));
    if (s->space == DETAILS_LOCAL)
        k = LLVMBuildAdd(e->b, k, LLVMBuildMul(e->b, warp_number(e), k_int(e, 64, 1, sizeof(struct kabi_window)), ""), "");
    return LLVMBuildGEP2(e->b, ty_int(e, 8, 1), env(e, ENV_WINDOWS), &k, 1, "");
}

static void add_bad(struct watch *w, LLVMValueRef bad)
{
    w->bad = w->bad ? LLVMBuildOr(w->e->b, w->bad, bad, "") : bad;
}

/* i1 or <n x i1>: not below `size` from `low` on. */
static LLVMValueRef outside(struct emit *e, LLVMValueRef a, LLVMValueRef low, LLVMValueRef size)
{
    return LLVMBuildICmp(e->b, LLVMIntUGE, LLVMBuildSub(e->b, a, low, ""), size, "");
}

/* ---- rows ---- */

static bool has_offsets(const struct ir_inst *i) { return i->space == IR_SHARED || i->space == IR_LOCAL; }

/* i64: where the first lane of the chunk goes. */
static LLVMValueRef first_lane(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1), i64 = ty_int(e, 64, 1);
    LLVMValueRef a = u_operand(e, &i->src[0], src_type(i, 0), chunk);
    uint64_t offset = (uint64_t)i->imm + (i->flags & IR_OUTGOING ? e->p->own_local : 0);
    if (LLVMTypeOf(a) != i64)
        a = LLVMBuildSExt(e->b, a, i64, "");
    if (offset)
        a = LLVMBuildAdd(e->b, a, k_int(e, 64, 1, offset), "");
    if (i->space == IR_LOCAL && e->sp)
        a = LLVMBuildAdd(e->b, a, e->sp, "");
    return has_offsets(i) ? LLVMBuildZExt(e->b, LLVMBuildTrunc(e->b, a, i32, ""), i64, "") : a;
}

/* i1: are all lanes on of the n chunks from this one on; any: is one? NULL: certainly. */
static LLVMValueRef lanes_on(struct emit *e, unsigned chunk, unsigned n, bool any)
{
    LLVMValueRef all = NULL;
    for (unsigned c = chunk; e->m[0] && c < chunk + n; c++) {
        LLVMValueRef m = mask_bits(e, e->m[c]);
        all = !all ? m : any ? LLVMBuildOr(e->b, all, m, "") : LLVMBuildAnd(e->b, all, m, "");
    }
    if (!all)
        return NULL;
    return LLVMBuildICmp(e->b, any ? LLVMIntNE : LLVMIntEQ, all, k_int(e, 32, 1, any ? 0 : e->W >= 32 ? UINT32_MAX : (1u << e->W) - 1), "");
}

/* A row that begins in what is touched, or where that ends, makes it longer. */
static void touch_row(struct watch *w, LLVMValueRef first, LLVMValueRef last, int64_t stride, unsigned chunk, unsigned n)
{
    struct emit *e = w->e;
    unsigned bytes = w->s->bytes;
    LLVMValueRef out = LLVMBuildOr(e->b, outside(e, first, w->from, w->room), outside(e, last, w->from, w->room), "");
    if (stride && stride != (int64_t)bytes && stride != -(int64_t)bytes) {
        add_bad(w, out);
        return;
    }
    LLVMValueRef joins = LLVMBuildICmp(e->b, LLVMIntULE, LLVMBuildSub(e->b, first, w->from, ""), LLVMBuildSub(e->b, w->to, w->from, ""), "");
    LLVMValueRef on = lanes_on(e, chunk, n, stride == 0), end = LLVMBuildAdd(e->b, last, k_int(e, 64, 1, bytes), "");
    if (on)
        joins = LLVMBuildAnd(e->b, joins, on, "");
    add_bad(w, LLVMBuildAnd(e->b, out, LLVMBuildNot(e->b, joins, ""), ""));
    w->to = LLVMBuildSelect(e->b, joins, intrinsic2(e, "llvm.umax", ty_int(e, 64, 1), w->to, end), w->to, "");
    w->room = LLVMBuildSub(e->b, LLVMBuildSub(e->b, w->to, w->from, ""), k_int(e, 64, 1, bytes - 1), "");
}

/* Lanes a constant step apart. */
static void look_at_row(struct watch *w, int64_t stride, unsigned chunk, unsigned n)
{
    struct emit *e = w->e;
    uint64_t way = (uint64_t)(stride * (int64_t)(n * e->W - 1));
    LLVMValueRef base = first_lane(e, w->i, chunk), other = stride ? LLVMBuildAdd(e->b, base, k_int(e, 64, 1, way), "") : base;
    LLVMValueRef first = stride < 0 ? other : base, last = stride < 0 ? base : other;
    add_bad(w, outside(e, first, w->low, w->size));
    if (stride)
        add_bad(w, outside(e, last, w->low, w->size));
    if (w->s->bytes > 1)
        add_bad(w, LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, first, k_int(e, 64, 1, w->s->bytes - 1u), ""), k_int(e, 64, 1, 0), ""));
    if (w->from)
        touch_row(w, first, last, stride, chunk, n);
}

/* ---- lane by lane ---- */

static LLVMValueRef narrowed(struct emit *e, LLVMValueRef v, unsigned bits) { return bits == 64 ? v : LLVMBuildTrunc(e->b, v, ty_int(e, bits, 1), ""); }

static void look_at_lanes(struct watch *w, unsigned chunk)
{
    struct emit *e = w->e;
    unsigned bits = w->i->space == IR_SHARED ? 32 : 64;
    LLVMValueRef a = bits == 32 ? v_address(e, w->i, chunk) : details_addresses(e, w->i, false, chunk);
    LLVMValueRef low = splat(e, narrowed(e, w->low, bits), e->W), size = splat(e, narrowed(e, w->size, bits), e->W);
    LLVMValueRef bad = outside(e, a, low, size);
    if (w->s->bytes > 1)
        bad = LLVMBuildOr(e->b, bad, LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, a, k_int(e, bits, e->W, w->s->bytes - 1u), ""), k_int(e, bits, e->W, 0), ""), "");
    if (w->from)
        bad = LLVMBuildOr(e->b, bad, outside(e, a, splat(e, w->from, e->W), splat(e, w->room, e->W)), "");
    if (e->W == 1) {
        add_bad(w, bad);
        return;
    }
    LLVMTypeRef t = ty_int(e, e->W, 1);
    bad = LLVMBuildAnd(e->b, bad, mask_or_all(e, chunk), "");
    add_bad(w, LLVMBuildICmp(e->b, LLVMIntNE, cast_to(e, bad, t), LLVMConstNull(t), ""));
}

/* ---- where warps have been ---- */

static bool is_access(const struct ir_inst *i)
{
    return i->op == IR_LD || i->op == IR_ST || i->op == IR_ATOM || i->op == IR_ATOM2;
}

/* Of the accesses of a block the first says that the warp came there. */
static bool comes_first(struct emit *e, const struct ir_inst *i)
{
    const struct ir_block *b = e->p->blocks[e->at].ir;
    size_t j = 0;
    while (j < b->insts.n && b->insts.v[j] != i && !is_access(b->insts.v[j]))
        j++;
    return j < b->insts.n && b->insts.v[j] == i;
}

static bool synchronises(const struct ir_func *f)
{
    if (f->callees.n)
        return true;
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++)
            switch (f->blocks.v[b]->insts.v[j]->op) {
            case IR_BAR: case IR_BAR_RED: case IR_WARPSYNC: case IR_SHFL: case IR_VOTE: case IR_MATCH: case IR_REDUX: case IR_WARPOP: return true;
            default: break;
            }
    return false;
}

static void note_came(struct watch *w, uint32_t site)
{
    struct emit *e = w->e;
    if (!comes_first(e, w->i) || (!e->p->opt.function && !synchronises(e->p->func)))
        return;
    uint64_t row = (uint64_t)kabi_came_row(site) * KABI_WARPS * sizeof(uint64_t);
    LLVMValueRef k = LLVMBuildMul(e->b, warp_number(e), k_int(e, 64, 1, sizeof(uint64_t)), ""), bit = k_int(e, 64, 1, (uint64_t)1 << site % 64);
    LLVMValueRef at = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), env(e, ENV_CAME), &k, 1, "");
    if (e->m[0] && e->W > 1)
        bit = LLVMBuildSelect(e->b, mask_any(e, e->m), bit, k_int(e, 64, 1, 0), "");
    set_word(e, at, row, LLVMBuildOr(e->b, word(e, at, row), bit, ""));
    add_bad(w, LLVMBuildICmp(e->b, LLVMIntNE, word(e, at, 0), k_int(e, 64, 1, 0), ""));
}

LLVMBasicBlockRef window_begin(struct emit *e, const struct ir_inst *i, uint32_t site, const struct details_site *s)
{
    struct shape shape = o_shape(e, &i->src[0]);
    bool global = s->space == DETAILS_GLOBAL || s->space == DETAILS_GENERIC;
    struct watch w = { e, i, s, window_of(e, s), NULL, NULL, NULL, NULL, NULL, NULL };
    w.low = word(e, w.at, offsetof(struct kabi_window, low));
    w.size = word(e, w.at, offsetof(struct kabi_window, size));
    if (global) {
        w.from = word(e, w.at, offsetof(struct kabi_window, from));
        w.to = word(e, w.at, offsetof(struct kabi_window, to));
        w.room = LLVMBuildSub(e->b, LLVMBuildSub(e->b, w.to, w.from, ""), k_int(e, 64, 1, s->bytes - 1u), "");
    }
    LLVMValueRef to = w.to;
    if (shape.kind == SHAPE_AFFINE && shape.stride % s->bytes == 0 && !(s->bytes & (s->bytes - 1)) && e->W > 1) {
        bool row = plan_in_row(e->p, &shape);
        for (unsigned c = 0; c < (row ? 1 : e->C); c++)
            look_at_row(&w, shape.stride, c, row ? e->C : 1);
    } else {
        for (unsigned c = 0; c < e->C; c++)
            look_at_lanes(&w, c);
    }
    note_came(&w, site);
    if (w.to != to)
        set_word(e, w.at, offsetof(struct kabi_window, to), LLVMBuildSelect(e->b, w.bad, to, w.to, ""));
    return cold_begin(e, w.bad);
}
