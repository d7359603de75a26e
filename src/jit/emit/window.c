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
    LLVMValueRef fresh;          /* i1: not known to be touched */
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
static LLVMValueRef word_of(struct watch *w, LLVMValueRef bits, LLVMValueRef a, unsigned lanes)
{
    struct emit *e = w->e;
    LLVMValueRef k = LLVMBuildLShr(e->b, a, k_int(e, 64, lanes, grain_of(w->s) + 5), "");
    LLVMValueRef at = LLVMBuildAdd(e->b, lanes > 1 ? splat(e, bits, lanes) : bits, LLVMBuildShl(e->b, k, k_int(e, 64, lanes, 2), ""), "");
    return LLVMBuildIntToPtr(e->b, at, lanes > 1 ? LLVMVectorType(ty_ptr(e), lanes) : ty_ptr(e), "");
}

/* Sets bits from that of an address on: `which`, an integer of at most 32 bits, and so many words further. */
static void set_bits(struct watch *w, LLVMValueRef bits, LLVMValueRef a, LLVMValueRef which, unsigned further)
{
    struct emit *e = w->e;
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef k = k_int(e, 64, 1, 4ull * further), at = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), word_of(w, bits, a, 1), &k, 1, "");
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

/* Lanes one behind the other, in chunks. */
static void touch_row(struct watch *w, LLVMValueRef bits, unsigned chunk)
{
    struct emit *e = w->e;
    unsigned each = w->s->bytes >> grain_of(w->s), n = e->W * each;
    LLVMValueRef which = bits_of_lanes(e, chunk, each);
    if (n <= 32) {
        set_bits(w, bits, w->first[chunk], which, 0);
        return;
    }
    for (unsigned k = 0; k < n / 32; k++) {
        LLVMValueRef part = LLVMBuildLShr(e->b, which, LLVMConstInt(LLVMTypeOf(which), 32ull * k, false), "");
        set_bits(w, bits, w->first[chunk], LLVMBuildTrunc(e->b, part, ty_int(e, 32, 1), ""), k);
    }
}

/* i1: has one of the lanes no bit yet? */
static LLVMValueRef untouched(struct watch *w, LLVMValueRef bits, unsigned chunk)
{
    struct emit *e = w->e;
    unsigned each = w->s->bytes >> grain_of(w->s);
    LLVMTypeRef i32s = ty_int(e, 32, e->W), overloads[] = { i32s, LLVMVectorType(ty_ptr(e), e->W) };
    LLVMValueRef a = w->lanes[chunk], by = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, a, k_int(e, 64, e->W, grain_of(w->s)), ""), i32s, "");
    LLVMValueRef want = LLVMBuildShl(e->b, k_int(e, 32, e->W, (1u << each) - 1), LLVMBuildAnd(e->b, by, k_int(e, 32, e->W, 31), ""), "");
    LLVMValueRef args[] = { word_of(w, bits, a, e->W), k_int(e, 32, 1, 4), mask_or_all(e, chunk), LLVMConstNull(i32s) };
    LLVMValueRef have = intrinsic(e, "llvm.masked.gather", overloads, 2, args, 4);
    return any_lane(e, LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, have, want, ""), want, ""), chunk);
}

/* Notes what is touched; where that takes more than bits in a row, it is told: in `cold`. Goes on in `fine`. */
static void touch(struct watch *w, LLVMBasicBlockRef cold, LLVMBasicBlockRef fine)
{
    struct emit *e = w->e;
    LLVMValueRef bits = word(e, w->at, offsetof(struct kabi_window, bits)), missing = NULL;
    unsigned each = w->s->bytes >> grain_of(w->s);
    struct shape shape = o_shape(e, &w->i->src[0]);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef all = k_int(e, 32, 1, (1u << each) - 1);
        if (e->W == 1) {
            set_bits(w, bits, w->lanes[c] ? w->lanes[c] : w->first[c], all, 0);
        } else if (w->lanes[c]) {
            LLVMValueRef m = untouched(w, bits, c);
            missing = missing ? LLVMBuildOr(e->b, missing, m, "") : m;
        } else if (w->first[c] && shape.stride == 0) {
            set_bits(w, bits, w->first[c], LLVMBuildSelect(e->b, any_lane(e, mask_or_all(e, c), c), all, k_int(e, 32, 1, 0), ""), 0);
        } else if (w->first[c]) {
            touch_row(w, bits, c);
        }
    }
    if (missing)
        LLVMBuildCondBr(e->b, missing, cold, fine);
    else
        LLVMBuildBr(e->b, fine);
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

/* Rows are compared by their ends, and have their bits set where no lane lies between those of others. */
static bool is_row(struct emit *e, const struct details_site *s, const struct shape *shape)
{
    bool global = s->space == DETAILS_GLOBAL || s->space == DETAILS_GENERIC;
    if (shape->kind != SHAPE_AFFINE || shape->stride % s->bytes != 0 || (s->bytes & (s->bytes - 1)) || e->W == 1)
        return false;
    return !global || shape->stride == 0 || shape->stride == s->bytes;
}

LLVMBasicBlockRef window_begin(struct emit *e, const struct ir_inst *i, uint32_t site, const struct details_site *s)
{
    struct shape shape = o_shape(e, &i->src[0]);
    bool global = s->space == DETAILS_GLOBAL || s->space == DETAILS_GENERIC;
    struct watch w = { .e = e, .i = i, .s = s, .at = window_of(e, s) };
    w.low = word(e, w.at, offsetof(struct kabi_window, low));
    w.size = word(e, w.at, offsetof(struct kabi_window, size));
    if (global) {
        w.from = word(e, w.at, offsetof(struct kabi_window, from));
        LLVMValueRef known = LLVMBuildSub(e->b, word(e, w.at, offsetof(struct kabi_window, to)), w.from, "");
        w.room = intrinsic2(e, "llvm.usub.sat", ty_int(e, 64, 1), known, k_int(e, 64, 1, s->bytes - 1u));
    }
    for (unsigned c = 0; c < e->C; c++)
        if (is_row(e, s, &shape))
            look_at_row(&w, shape.stride, c, 1);
        else
            look_at_lanes(&w, c);
    note_came(&w, site);
    LLVMBasicBlockRef fine = cold_begin(e, w.bad);
    if (!global)
        return fine;
    LLVMBasicBlockRef cold = LLVMGetInsertBlock(e->b), note = LLVMAppendBasicBlockInContext(e->cx, e->fn, "note"), after = LLVMAppendBasicBlockInContext(e->cx, e->fn, "noted");
    LLVMPositionBuilderAtEnd(e->b, fine);
    LLVMBuildCondBr(e->b, w.fresh, note, after);
    LLVMPositionBuilderAtEnd(e->b, note);
    touch(&w, cold, after);
    LLVMPositionBuilderAtEnd(e->b, cold);
    return after;
}
