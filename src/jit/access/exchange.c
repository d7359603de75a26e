/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and stores of shared memory where the plan knows no stride: exchanges, as in butterflies and sorting networks. A gather or
 * scatter costs sixteen accesses; often the lanes are neighbours, or lie in a small window of memory that vectors hold, in an order
 * that one permutation makes. The code looks and takes the first way that fits.
 */
#include "jit/emit.h"

enum {
    WORD = 4,
    WINDOW = 128,                /* bytes, and aligned to that: two vectors. Shared memory ends at a multiple of 1 KiB, so that all of it can be read */
    RUN = 4,                     /* lanes in a row */
};

/* The ways, one behind the other, and where they meet. All chunks of a group go the same way. */
struct ladder {
    LLVMBasicBlockRef next, join, ends[8];
    LLVMValueRef values[8][PLAN_MAX_CHUNKS];
    unsigned n;
};

/* fits: of each chunk, a mask of lanes */
static void try_way(struct emit *e, struct ladder *l, LLVMValueRef *fits, const char *name)
{
    LLVMTypeRef bits = ty_int(e, e->W, 1);
    LLVMValueRef all = fits[0];
    for (unsigned c = 1; c < e->C; c++)
        all = LLVMBuildAnd(e->b, all, fits[c], "");
    if (!l->join)
        l->join = LLVMAppendBasicBlockInContext(e->cx, e->fn, "joined");
    LLVMBasicBlockRef way = LLVMAppendBasicBlockInContext(e->cx, e->fn, name);
    l->next = LLVMAppendBasicBlockInContext(e->cx, e->fn, "next");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, cast_to(e, all, bits), LLVMConstAllOnes(bits), ""), way, l->next);
    LLVMPositionBuilderAtEnd(e->b, way);
}

static void end_way(struct emit *e, struct ladder *l)
{
    l->ends[l->n++] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, l->join);
    LLVMPositionBuilderAtEnd(e->b, l->next);
}

/* The last way, which always fits, is written. */
static void meet(struct emit *e, struct ladder *l)
{
    l->next = l->join;
    end_way(e, l);
}

static LLVMValueRef met_value(struct emit *e, struct ladder *l, unsigned chunk)
{
    LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(l->values[0][chunk]), "");
    for (unsigned k = 0; k < l->n; k++)
        LLVMAddIncoming(phi, &l->values[k][chunk], &l->ends[k], 1);
    return phi;
}

/* The lanes' offsets without the instruction's constant: what is asked of them is asked once for all accesses from one register. */
static LLVMValueRef plain_offsets(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    struct ir_inst plain = *i;
    plain.imm = 0;
    return v_address(e, &plain, chunk);
}

static LLVMValueRef lane_offset(struct emit *e, LLVMValueRef offsets, unsigned lane)
{
    return LLVMBuildExtractElement(e->b, offsets, k_int(e, 32, 1, lane), "");
}

static LLVMValueRef pointer(struct emit *e, const struct ir_inst *i, LLVMValueRef offset)
{
    LLVMValueRef p = address_pointers(e, i, offset), k = k_int(e, 64, 1, (uint64_t)i->imm);
    return i->imm ? LLVMBuildGEP2(e->b, ty_int(e, 8, 1), p, &k, 1, "") : p;
}

static LLVMValueRef load_at(struct emit *e, LLVMTypeRef t, LLVMValueRef p, unsigned align)
{
    LLVMValueRef v = LLVMBuildLoad2(e->b, t, p, "");
    promise_align(e, v, align);
    return tag_memory(e, v, TAG_SHARED);
}

static void store_at(struct emit *e, LLVMValueRef v, LLVMValueRef p)
{
    LLVMValueRef s = LLVMBuildStore(e->b, v, p);
    promise_align(e, s, WORD);
    tag_memory(e, s, TAG_SHARED);
}

/* ---- runs of four lanes ---- */

static LLVMValueRef in_runs(struct emit *e, LLVMValueRef offsets)
{
    LLVMValueRef first[64], step[64];
    for (unsigned l = 0; l < e->W; l++) {
        first[l] = k_int(e, 32, 1, l / RUN * RUN);
        step[l] = k_int(e, 32, 1, l % RUN * WORD);
    }
    LLVMValueRef want = LLVMBuildShuffleVector(e->b, offsets, LLVMGetPoison(LLVMTypeOf(offsets)), LLVMConstVector(first, e->W), "");
    return LLVMBuildICmp(e->b, LLVMIntEQ, offsets, LLVMBuildAdd(e->b, want, LLVMConstVector(step, e->W), ""), "");
}

static LLVMValueRef load_runs(struct emit *e, const struct ir_inst *i, LLVMValueRef offsets)
{
    LLVMValueRef part[64] = { 0 };
    unsigned n = e->W / RUN;
    for (unsigned k = 0; k < n; k++)
        part[k] = load_at(e, ty(e, i->type, RUN), pointer(e, i, lane_offset(e, offsets, k * RUN)), WORD);
    for (unsigned have = RUN; n > 1; n /= 2, have *= 2)
        for (unsigned k = 0; k < n / 2; k++)
            part[k] = lanes_join(e, part[2 * k], part[2 * k + 1], have);
    return part[0];
}

static void store_runs(struct emit *e, const struct ir_inst *i, LLVMValueRef v, LLVMValueRef offsets)
{
    for (unsigned l = 0; l < e->W; l += RUN)
        store_at(e, lanes_slice(e, v, l, RUN), pointer(e, i, lane_offset(e, offsets, l)));
}

/* ---- windows ---- */

/* Any order of words of one window: a permutation of two vectors. Gives the words' places in it, times four. */
static LLVMValueRef in_window(struct emit *e, const struct ir_inst *i, LLVMValueRef offsets, LLVMValueRef first, LLVMValueRef *out_base)
{
    LLVMValueRef constant = k_int(e, 32, 1, (uint64_t)i->imm);
    *out_base = LLVMBuildAnd(e->b, LLVMBuildAdd(e->b, first, constant, ""), k_int(e, 32, 1, (uint64_t)-WINDOW), "");
    return LLVMBuildSub(e->b, offsets, splat(e, LLVMBuildSub(e->b, *out_base, constant, ""), e->W), "");
}

static LLVMValueRef load_window(struct emit *e, const struct ir_inst *i, LLVMValueRef base, LLVMValueRef places)
{
    LLVMTypeRef t = ty_int(e, 32, e->W);
    LLVMValueRef p = address_pointers(e, i, base), half = k_int(e, 64, 1, WINDOW / 2);
    LLVMValueRef low = load_at(e, t, p, WINDOW / 2), high = load_at(e, t, LLVMBuildGEP2(e->b, ty_int(e, 8, 1), p, &half, 1, ""), WINDOW / 2);
    return cast_to(e, x86_permute2(e, low, high, LLVMBuildLShr(e->b, places, k_int(e, 32, e->W, 2), "")), ty(e, i->type, e->W));
}

/*
 * Butterflies: runs of `run` lanes, each followed by a gap as long. Sixteen lanes fill every other run of two vectors; the permutation and
 * the lanes that are stored are constants.
 */
static LLVMValueRef spread_offsets(struct emit *e, unsigned run)
{
    LLVMValueRef at[64];
    for (unsigned l = 0; l < e->W; l++)
        at[l] = k_int(e, 32, 1, (l / run * 2 * run + l % run) * WORD);
    return LLVMConstVector(at, e->W);
}

static void store_spread(struct emit *e, const struct ir_inst *i, LLVMValueRef v, LLVMValueRef first, unsigned run)
{
    LLVMTypeRef overloads[] = { LLVMTypeOf(v), ty_ptr(e) };
    LLVMValueRef p = pointer(e, i, first);
    for (unsigned half = 0; half < 2; half++) {
        LLVMValueRef from[64], on[64], skip = k_int(e, 64, 1, half * e->W * WORD);
        for (unsigned l = 0; l < e->W; l++) {
            unsigned place = half * e->W + l;
            on[l] = k_int(e, 1, 1, place / run % 2 == 0);
            from[l] = k_int(e, 32, 1, place / (2 * run) * run + place % run);
        }
        LLVMValueRef all = LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(from, e->W), "");
        LLVMValueRef args[] = { all, LLVMBuildGEP2(e->b, ty_int(e, 8, 1), p, &skip, 1, ""), k_int(e, 32, 1, promised_align(e, WORD)), LLVMConstVector(on, e->W) };
        tag_memory(e, intrinsic(e, "llvm.masked.store", overloads, 2, args, 4), TAG_SHARED);
    }
}

/* ---- all ways ---- */

bool exchanges(struct emit *e, const struct ir_inst *i)
{
    unsigned n = i->op == IR_LD ? i->n_dst : i->n_src - 1u;
    bool plain = !(i->flags & (IR_VOLATILE | IR_CROSSES)) && i->order == IR_WEAK;
    bool near = i->imm > -OFFSET_NEAR && i->imm < OFFSET_NEAR;
    return i->space == IR_SHARED && plain && near && n == 1 && element_bytes(i) == WORD && e->W > RUN && !e->m[0] && o_shape(e, &i->src[0]).kind != SHAPE_AFFINE;
}

static bool has_windows(struct emit *e) { return e->W == WINDOW / 2 / WORD && x86_wide(e, e->W); }

/* Where the lanes of all chunks are. */
struct places {
    LLVMValueRef offsets[PLAN_MAX_CHUNKS], first[PLAN_MAX_CHUNKS], apart[PLAN_MAX_CHUNKS];
};

static void look(struct emit *e, const struct ir_inst *i, struct places *at)
{
    for (unsigned c = 0; c < e->C; c++) {
        at->offsets[c] = plain_offsets(e, i, c);
        at->first[c] = lane_offset(e, at->offsets[c], 0);
        at->apart[c] = LLVMBuildSub(e->b, at->offsets[c], splat(e, at->first[c], e->W), "");
    }
}

static void try_pattern(struct emit *e, struct ladder *l, const struct places *at, LLVMValueRef pattern, const char *name)
{
    LLVMValueRef fits[PLAN_MAX_CHUNKS] = { 0 };
    for (unsigned c = 0; c < e->C; c++)
        fits[c] = LLVMBuildICmp(e->b, LLVMIntEQ, at->apart[c], pattern, "");
    try_way(e, l, fits, name);
}

static void try_runs(struct emit *e, struct ladder *l, const struct places *at)
{
    LLVMValueRef fits[PLAN_MAX_CHUNKS] = { 0 };
    for (unsigned c = 0; c < e->C; c++)
        fits[c] = in_runs(e, at->offsets[c]);
    try_way(e, l, fits, "runs");
}

static void try_window(struct emit *e, const struct ir_inst *i, struct ladder *l, const struct places *at)
{
    LLVMValueRef fits[PLAN_MAX_CHUNKS] = { 0 }, base[PLAN_MAX_CHUNKS], words[PLAN_MAX_CHUNKS];
    for (unsigned c = 0; c < e->C; c++) {
        words[c] = in_window(e, i, at->offsets[c], at->first[c], &base[c]);
        fits[c] = LLVMBuildICmp(e->b, LLVMIntULT, words[c], k_int(e, 32, e->W, WINDOW), "");
    }
    try_way(e, l, fits, "window");
    for (unsigned c = 0; c < e->C; c++)
        l->values[l->n][c] = load_window(e, i, base[c], words[c]);
    end_way(e, l);
}

void exchange_load(struct emit *e, const struct ir_inst *i)
{
    struct ladder l = { 0 };
    struct places at = { 0 };
    look(e, i, &at);
    try_pattern(e, &l, &at, k_lanes(e, 32, e->W, 0, WORD), "neighbours");
    for (unsigned c = 0; c < e->C; c++)
        l.values[l.n][c] = load_at(e, ty(e, i->type, e->W), pointer(e, i, at.first[c]), WORD);
    end_way(e, &l);
    if (has_windows(e))
        try_window(e, i, &l, &at);
    try_runs(e, &l, &at);
    for (unsigned c = 0; c < e->C; c++)
        l.values[l.n][c] = load_runs(e, i, at.offsets[c]);
    end_way(e, &l);
    for (unsigned c = 0; c < e->C; c++)
        gather_all(e, i, v_address(e, i, c), c, &l.values[l.n][c]);
    meet(e, &l);
    LLVMValueRef v[PLAN_MAX_CHUNKS];
    for (unsigned c = 0; c < e->C; c++)
        v[c] = met_value(e, &l, c);
    for (unsigned c = 0; c < e->C; c++)
        set_varying(e, i, 0, c, v[c]);
}

void exchange_store(struct emit *e, const struct ir_inst *i)
{
    struct ladder l = { 0 };
    struct places at = { 0 };
    LLVMValueRef v[PLAN_MAX_CHUNKS] = { 0 };
    look(e, i, &at);
    for (unsigned c = 0; c < e->C; c++)
        v[c] = v_operand(e, &i->src[1], i->type, c);
    try_pattern(e, &l, &at, k_lanes(e, 32, e->W, 0, WORD), "neighbours");
    for (unsigned c = 0; c < e->C; c++)
        store_at(e, v[c], pointer(e, i, at.first[c]));
    end_way(e, &l);
    for (unsigned run = 1; has_windows(e) && run < RUN; run *= 2) {
        try_pattern(e, &l, &at, spread_offsets(e, run), "spread");
        for (unsigned c = 0; c < e->C; c++)
            store_spread(e, i, v[c], at.first[c], run);
        end_way(e, &l);
    }
    try_runs(e, &l, &at);
    for (unsigned c = 0; c < e->C; c++)
        store_runs(e, i, v[c], at.offsets[c]);
    end_way(e, &l);
    for (unsigned c = 0; c < e->C; c++)
        scatter_all(e, i, &v[c], v_address(e, i, c), c);
    meet(e, &l);
}
