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
    LLVMValueRef from, room;     /* what is known to be touched: room is how many places there are for a lane to begin at; NULL: not asked for */
    LLVMValueRef bad;            /* i1: somebody must look; NULL: not yet known to be so */
    unsigned rows;               /* lanes are a step apart in so many chunks; 0: anywhere */
    int64_t stride;
    LLVMValueRef fresh;          /* i1: not known to be touched */
    LLVMValueRef bits, used;     /* fields of the window */
    LLVMValueRef first[PLAN_LANES], lanes[PLAN_LANES];       /* by chunk: where the first lane of a row goes, or all lanes */
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

static void add_fresh(struct watch *w, LLVMValueRef fresh) { w->fresh = w->fresh ? LLVMBuildOr(w->e->b, w->fresh, fresh, "") : fresh; }

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

/* Lanes a constant step apart. */
static void look_at_row(struct watch *w, unsigned chunk)
{
    struct emit *e = w->e;
    int64_t stride = w->stride;
    uint64_t way = (uint64_t)(stride * (int64_t)(w->rows * e->W - 1));
    LLVMValueRef base = first_lane(e, w->i, chunk), other = stride ? LLVMBuildAdd(e->b, base, k_int(e, 64, 1, way), "") : base;
    LLVMValueRef first = stride < 0 ? other : base, last = stride < 0 ? base : other;
    add_bad(w, outside(e, first, w->low, w->size));
    if (stride)
        add_bad(w, outside(e, last, w->low, w->size));
    if (w->s->bytes > 1)
        add_bad(w, LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, first, k_int(e, 64, 1, w->s->bytes - 1u), ""), k_int(e, 64, 1, 0), ""));
    if (!w->from)
        return;
    add_fresh(w, LLVMBuildOr(e->b, outside(e, first, w->from, w->room), outside(e, last, w->from, w->room), ""));
    w->first[chunk] = base;
}

/* ---- lane by lane ---- */

static LLVMValueRef narrowed(struct emit *e, LLVMValueRef v, unsigned bits) { return bits == 64 ? v : LLVMBuildTrunc(e->b, v, ty_int(e, bits, 1), ""); }

/* i1: of the lanes that are on. */
static LLVMValueRef any_lane(struct emit *e, LLVMValueRef which, unsigned chunk)
{
    LLVMTypeRef t = ty_int(e, e->W, 1);
    if (e->W == 1)
        return which;
    return LLVMBuildICmp(e->b, LLVMIntNE, cast_to(e, LLVMBuildAnd(e->b, which, mask_or_all(e, chunk), ""), t), LLVMConstNull(t), "");
}

static void look_at_lanes(struct watch *w, unsigned chunk)
{
    struct emit *e = w->e;
    unsigned bits = w->i->space == IR_SHARED ? 32 : 64;
    LLVMValueRef a = bits == 32 ? v_address(e, w->i, chunk) : details_addresses(e, w->i, false, chunk);
    LLVMValueRef low = splat(e, narrowed(e, w->low, bits), e->W), size = splat(e, narrowed(e, w->size, bits), e->W);
    LLVMValueRef bad = outside(e, a, low, size);
    if (w->s->bytes > 1)
        bad = LLVMBuildOr(e->b, bad, LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, a, k_int(e, bits, e->W, w->s->bytes - 1u), ""), k_int(e, bits, e->W, 0), ""), "");
    add_bad(w, any_lane(e, bad, chunk));
    if (!w->from)
        return;
    add_fresh(w, any_lane(e, outside(e, a, splat(e, w->from, e->W), splat(e, w->room, e->W)), chunk));
    w->lanes[chunk] = a;
}

/* ---- what is touched ---- */

static unsigned grain_of(const struct details_site *s) { return s->bytes % 4 ? 0 : 2; }

/* ptr or <n x ptr>: the word with the bit of an address. */
static LLVMValueRef word_of(struct watch *w, LLVMValueRef a, unsigned lanes)
{
    struct emit *e = w->e;
    LLVMValueRef k = LLVMBuildLShr(e->b, a, k_int(e, 64, lanes, grain_of(w->s) + 5), "");
    LLVMValueRef at = LLVMBuildAdd(e->b, lanes > 1 ? splat(e, w->bits, lanes) : w->bits, LLVMBuildShl(e->b, k, k_int(e, 64, lanes, 2), ""), "");
    return LLVMBuildIntToPtr(e->b, at, lanes > 1 ? LLVMVectorType(ty_ptr(e), lanes) : ty_ptr(e), "");
}

/* The bits of where an address is: some are set. */
static void mark(struct watch *w, LLVMValueRef a)
{
    struct emit *e = w->e;
    LLVMValueRef at = LLVMBuildAdd(e->b, w->used, LLVMBuildLShr(e->b, a, k_int(e, 64, 1, grain_of(w->s) + 11), ""), "");
    LLVMSetVolatile(LLVMBuildStore(e->b, k_int(e, 8, 1, 1), LLVMBuildIntToPtr(e->b, at, ty_ptr(e), "")), true);
}

/* Sets bits from that of an address on: `which`, an integer of at most 32 bits, and so many words further. */
static void set_bits(struct watch *w, LLVMValueRef a, LLVMValueRef which, unsigned further)
{
    struct emit *e = w->e;
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef k = k_int(e, 64, 1, 4ull * further), at = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), word_of(w, a, 1), &k, 1, "");
    LLVMValueRef by = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, a, k_int(e, 64, 1, grain_of(w->s)), ""), k_int(e, 64, 1, 31), "");
    if (LLVMTypeOf(which) != i64)
        which = LLVMBuildZExt(e->b, which, i64, "");
    LLVMValueRef old = LLVMBuildLoad2(e->b, i64, at, "");
    LLVMSetAlignment(old, 4);
    LLVMSetVolatile(old, true);                  /* the checker sets bits, too */
    LLVMValueRef put = LLVMBuildStore(e->b, LLVMBuildOr(e->b, old, LLVMBuildShl(e->b, which, by, ""), ""), at);
    LLVMSetAlignment(put, 4);
    LLVMSetVolatile(put, true);
}

/* The lanes that are on of a chunk, each as often as it has bits. */
static LLVMValueRef bits_of_lanes(struct emit *e, unsigned chunk, unsigned each)
{
    LLVMValueRef at[PLAN_LANES * 32], m = mask_or_all(e, chunk);
    for (unsigned k = 0; k < e->W * each; k++)
        at[k] = k_int(e, 32, 1, k / each);
    if (each > 1)
        m = LLVMBuildShuffleVector(e->b, m, LLVMGetPoison(LLVMTypeOf(m)), LLVMConstVector(at, e->W * each), "");
    return cast_to(e, m, ty_int(e, e->W * each, 1));
}

static unsigned bits_each(const struct watch *w) { return w->s->bytes >> grain_of(w->s); }

/* i32: the lanes that are on of n chunks, each as a bit. */
static LLVMValueRef lanes_on(struct emit *e, unsigned chunk, unsigned n)
{
    LLVMValueRef all = k_int(e, 32, 1, n * e->W >= 32 ? UINT32_MAX : (1u << n * e->W) - 1);
    for (unsigned c = 0; e->m[0] && c < n; c++) {
        LLVMValueRef m = mask_bits(e, e->m[chunk + c]);
        m = c ? LLVMBuildShl(e->b, m, k_int(e, 32, 1, (uint64_t)c * e->W), "") : m;
        all = c ? LLVMBuildOr(e->b, all, m, "") : m;
    }
    return all;
}

/* Lanes at one place. */
static void touch_one(struct watch *w, unsigned chunk, unsigned n)
{
    struct emit *e = w->e;
    LLVMValueRef none = k_int(e, 32, 1, 0), any = LLVMBuildICmp(e->b, LLVMIntNE, lanes_on(e, chunk, n), none, "");
    mark(w, w->first[chunk]);
    set_bits(w, w->first[chunk], LLVMBuildSelect(e->b, any, k_int(e, 32, 1, (1u << bits_each(w)) - 1), none, ""), 0);
}

/* Lanes one behind the other, in n chunks. */
static void touch_row(struct watch *w, unsigned chunk, unsigned n)
{
    struct emit *e = w->e;
    unsigned each = bits_each(w), bytes = e->W * w->s->bytes;
    LLVMValueRef first = w->first[chunk];
    mark(w, first);
    mark(w, LLVMBuildAdd(e->b, first, k_int(e, 64, 1, (uint64_t)n * bytes - 1), ""));
    if (each == 1) {
        set_bits(w, first, lanes_on(e, chunk, n), 0);
        return;
    }
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef which = bits_of_lanes(e, chunk + c, each), at = c ? LLVMBuildAdd(e->b, first, k_int(e, 64, 1, (uint64_t)c * bytes), "") : first;
        for (unsigned k = 0; k * 32 < e->W * each; k++) {
            LLVMValueRef part = k ? LLVMBuildLShr(e->b, which, LLVMConstInt(LLVMTypeOf(which), 32ull * k, false), "") : which;
            set_bits(w, at, e->W * each > 32 ? LLVMBuildTrunc(e->b, part, ty_int(e, 32, 1), "") : part, k);
        }
    }
}

/* i32: which of the lanes of a chunk have no bit yet. */
static LLVMValueRef untouched(struct watch *w, unsigned chunk)
{
    struct emit *e = w->e;
    LLVMTypeRef i32 = ty_int(e, 32, 1), i32s = ty_int(e, 32, e->W), overloads[] = { i32s, LLVMVectorType(ty_ptr(e), e->W) };
    if (e->W == 1)
        return k_int(e, 32, 1, 1);
    LLVMValueRef a = w->lanes[chunk], by = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, a, k_int(e, 64, e->W, grain_of(w->s)), ""), i32s, "");
    LLVMValueRef want = LLVMBuildShl(e->b, k_int(e, 32, e->W, (1u << bits_each(w)) - 1), LLVMBuildAnd(e->b, by, k_int(e, 32, e->W, 31), ""), "");
    LLVMValueRef args[] = { word_of(w, a, e->W), k_int(e, 32, 1, 4), mask_or_all(e, chunk), LLVMConstNull(i32s) };
    LLVMValueRef have = intrinsic(e, "llvm.masked.gather", overloads, 2, args, 4);
    LLVMValueRef not = LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, have, want, ""), want, "");
    LLVMValueRef m = cast_to(e, LLVMBuildAnd(e->b, not, mask_or_all(e, chunk), ""), ty_int(e, e->W, 1));
    return e->W < 32 ? LLVMBuildZExt(e->b, m, i32, "") : m;
}

/* Each of the lanes: i32 `which`, not 0. Their addresses go through memory. */
static void touch_lanes(struct watch *w, LLVMValueRef which, LLVMBasicBlockRef after)
{
    struct emit *e = w->e;
    LLVMTypeRef i32 = ty_int(e, 32, 1), i64 = ty_int(e, 64, 1);
    LLVMValueRef room = details_room(e);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef k = k_int(e, 64, 1, (uint64_t)c * e->W);
        LLVMSetAlignment(LLVMBuildStore(e->b, w->lanes[c], LLVMBuildGEP2(e->b, i64, room, &k, 1, "")), 8);
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), each = LLVMAppendBasicBlockInContext(e->cx, e->fn, "each");
    LLVMBuildBr(e->b, each);
    LLVMPositionBuilderAtEnd(e->b, each);
    LLVMValueRef left = LLVMBuildPhi(e->b, i32, ""), args[] = { left, LLVMConstInt(ty_int(e, 1, 1), 1, false) };
    LLVMValueRef k = LLVMBuildZExt(e->b, intrinsic(e, "llvm.cttz", &i32, 1, args, 2), i64, "");
    LLVMValueRef a = LLVMBuildLoad2(e->b, i64, LLVMBuildGEP2(e->b, i64, room, &k, 1, ""), "");
    mark(w, a);
    set_bits(w, a, k_int(e, 32, 1, (1u << bits_each(w)) - 1), 0);
    LLVMValueRef next = LLVMBuildAnd(e->b, left, LLVMBuildSub(e->b, left, k_int(e, 32, 1, 1), ""), "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, next, k_int(e, 32, 1, 0), ""), each, after);
    LLVMValueRef values[] = { which, next };
    LLVMBasicBlockRef blocks[] = { before, each };
    LLVMAddIncoming(left, values, blocks, 2);
}

/* Notes what is touched, and goes on in `fine`. Now and then it is told instead, in `cold`. */
static void touch(struct watch *w, LLVMBasicBlockRef cold, LLVMBasicBlockRef fine)
{
    struct emit *e = w->e;
    LLVMBasicBlockRef here = LLVMAppendBasicBlockInContext(e->cx, e->fn, "touch"), lanes;
    LLVMValueRef which = NULL, left = word(e, w->at, offsetof(struct kabi_window, left)), none = k_int(e, 32, 1, 0);
    w->bits = word(e, w->at, offsetof(struct kabi_window, bits));
    w->used = word(e, w->at, offsetof(struct kabi_window, used));
    set_word(e, w->at, offsetof(struct kabi_window, left), LLVMBuildSub(e->b, left, k_int(e, 64, 1, 1), ""));
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, left, k_int(e, 64, 1, 0), ""), cold, here);
    LLVMPositionBuilderAtEnd(e->b, here);
    for (unsigned c = 0; c < e->C; c += w->rows ? w->rows : 1)
        if (w->rows && w->stride == 0) {
            touch_one(w, c, w->rows);
        } else if (w->rows) {
            touch_row(w, c, w->rows);
        } else {
            LLVMValueRef m = untouched(w, c);
            m = c ? LLVMBuildShl(e->b, m, k_int(e, 32, 1, (uint64_t)c * e->W), "") : m;
            which = which ? LLVMBuildOr(e->b, which, m, "") : m;
        }
    if (w->rows) {
        LLVMBuildBr(e->b, fine);
        return;
    }
    lanes = LLVMAppendBasicBlockInContext(e->cx, e->fn, "lanes");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, which, none, ""), lanes, fine);
    LLVMPositionBuilderAtEnd(e->b, lanes);
    touch_lanes(w, which, fine);
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
    if (!e->orders || !comes_first(e, w->i) || (!e->p->opt.function && !synchronises(e->p->func)))
        return;
    uint64_t row = (uint64_t)kabi_came_row(site) * KABI_WARPS * sizeof(uint64_t);
    LLVMValueRef k = LLVMBuildMul(e->b, warp_number(e), k_int(e, 64, 1, sizeof(uint64_t)), ""), bit = k_int(e, 64, 1, (uint64_t)1 << site % 64);
    LLVMValueRef at = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), env(e, ENV_CAME), &k, 1, "");
    if (e->m[0] && e->W > 1)
        bit = LLVMBuildSelect(e->b, mask_any(e, e->m), bit, k_int(e, 64, 1, 0), "");
    set_word(e, at, row, LLVMBuildOr(e->b, word(e, at, row), bit, ""));
    add_bad(w, LLVMBuildICmp(e->b, LLVMIntNE, word(e, at, 0), k_int(e, 64, 1, 0), ""));
}

/* Rows are compared by their ends, and have their bits set where no lane lies between those of others. */
static bool is_row(struct emit *e, const struct details_site *s, const struct shape *shape)
{
    if (shape->kind != SHAPE_AFFINE || shape->stride % s->bytes != 0 || (s->bytes & (s->bytes - 1)) || e->W == 1)
        return false;
    return !details_of_device(s) || shape->stride == 0 || shape->stride == s->bytes;
}

LLVMBasicBlockRef window_begin(struct emit *e, const struct ir_inst *i, uint32_t site, const struct details_site *s)
{
    struct shape shape = o_shape(e, &i->src[0]);
    struct watch w = { .e = e, .i = i, .s = s, .at = window_of(e, s), .stride = shape.stride };
    w.low = word(e, w.at, offsetof(struct kabi_window, low));
    w.size = word(e, w.at, offsetof(struct kabi_window, size));
    if (details_of_device(s)) {
        w.from = word(e, w.at, offsetof(struct kabi_window, from));
        LLVMValueRef known = LLVMBuildSub(e->b, word(e, w.at, offsetof(struct kabi_window, to)), w.from, "");
        w.room = intrinsic2(e, "llvm.usub.sat", ty_int(e, 64, 1), known, k_int(e, 64, 1, s->bytes - 1u));
    }
    if (is_row(e, s, &shape))
        w.rows = plan_in_row(e->p, &shape) ? e->C : 1;
    for (unsigned c = 0; c < e->C; c += w.rows ? w.rows : 1)
        if (w.rows)
            look_at_row(&w, c);
        else
            look_at_lanes(&w, c);
    note_came(&w, site);
    LLVMBasicBlockRef fine = cold_begin(e, w.bad);
    if (!w.from)
        return fine;
    LLVMBasicBlockRef cold = LLVMGetInsertBlock(e->b), note = LLVMAppendBasicBlockInContext(e->cx, e->fn, "note"), after = LLVMAppendBasicBlockInContext(e->cx, e->fn, "noted");
    LLVMPositionBuilderAtEnd(e->b, fine);
    LLVMBuildCondBr(e->b, w.fresh, note, after);
    LLVMPositionBuilderAtEnd(e->b, note);
    touch(&w, cold, after);
    LLVMPositionBuilderAtEnd(e->b, cold);
    return after;
}
