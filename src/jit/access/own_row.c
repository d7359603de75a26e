/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads of lanes that each go along a row of their own (pass/transform/own_row.c): the elements of the next iterations, up to 16, are read lane by lane, as vectors, and
 * transposed, so that each iteration takes one row of a small buffer. That is a twentieth of what the gathers cost (a thread per matrix row).
 *
 * Read ahead is only what the loop comes to for certain, from addresses in the window of the devices' memory; else one iteration's elements are
 * gathered, as without all this. Addresses are checked in every iteration as ever.
 */
#include "jit/emit.h"

enum { LINE_WORDS = 16, MOST_LANES = 16 };

struct own_row {
    const struct ir_inst *access;
    unsigned words, step, ahead;                 /* words of each lane; bytes from one iteration to the next; iterations that they are for */
    unsigned chunks;                             /* that have rows: those of one warp where all warps of the group read the same */
    LLVMValueRef fn, left, rows;                 /* left: i32, iterations whose elements are in the rows */
    LLVMValueRef alone;                          /* i1: of this iteration only the first load's elements are there */
    const struct own_row *lead;                  /* of a load that takes its elements from another one's rows; else NULL */
};

/* Words that are read of each lane at a time: a cache line, or four where the elements of 16 iterations fit. With fewer registers half a line is better: on a Zen 3
   (8 lanes) finding the least of each row takes 0.4 ms, with whole lines 1.2. */
static unsigned words_of(const struct emit *e, const struct ir_inst *i, int64_t step) { return element_bytes(i) == 1 && step <= 2 ? 4 : e->W == MOST_LANES ? LINE_WORDS : 8; }

static bool is_own_row(struct emit *e, const struct ir_inst *i, int block, struct plan_own_row *out)
{
    unsigned bytes = element_bytes(i);
    if (e->W < 4 || e->W > MOST_LANES || e->details || e->p->opt.function || (bytes != 4 && bytes != 1) || !plan_own_row(e->p, i, block, out))
        return false;
    bool whole = bytes == 4 ? out->step % 4 == 0 : out->step <= 4 && out->step != 3;         /* no element lies across two words */
    int64_t least = e->W == MOST_LANES ? 4 : 2;          /* iterations */
    return whole && words_of(e, i, out->step) * 4 >= least * out->step;
}

/* Vectors whose lanes' rows are different: all, or one warp's where the others go along the same rows (threadIdx.y, or blocks that do their work twice). */
static unsigned different_chunks(struct emit *e, const struct ir_inst *i)
{
    struct shape s = o_shape(e, &i->src[0]);
    bool again = s.kind == SHAPE_AFFINE && s.group && s.step == 0 && e->p->row % e->W == 0 && e->p->row < e->p->lanes;
    return again ? e->p->row / e->W : e->C;
}

bool own_row_is(struct emit *e, const struct ir_inst *i, int block)
{
    struct plan_own_row r;
    return is_own_row(e, i, block, &r);
}

/* The only block from which the loop is entered, if that leads nowhere else. */
static bool enters(const struct plan *p, int from, int loop)
{
    const struct plan_block *b = &p->blocks[loop];
    if (p->blocks[from].n_succ != 1 || p->blocks[from].succ[0] != loop || from == loop || b->preds.n != 2)
        return false;
    return (b->preds.v[0] == from && b->preds.v[1] == loop) || (b->preds.v[1] == from && b->preds.v[0] == loop);
}

/* Is there a load of this loop whose rows hold this one's elements too? */
static bool join_rows(struct emit *e, int loop, const struct ir_inst *i, struct own_row *r, int64_t step)
{
    for (size_t k = 0; k < e->own_rows.n; k++) {
        const struct own_row *lead = e->own_rows.v[k];
        if (lead == r || lead->fn != e->fn || lead->lead || lead->step != step || !plan_same_rows(e->p, loop, lead->access, i, step))
            continue;
        *r = *lead;
        r->access = i;
        r->lead = lead;
        return true;
    }
    return false;
}

void own_rows_enter(struct emit *e, int b)
{
    const struct plan *p = e->p;
    int to = p->blocks[b].n_succ == 1 ? p->blocks[b].succ[0] : -1;
    if (to < 0 || !enters(p, b, to) || plan_stops(ir_block_term(p->blocks[b].ir)))
        return;
    for (size_t j = 0; j < p->blocks[to].ir->insts.n; j++) {
        const struct ir_inst *i = p->blocks[to].ir->insts.v[j];
        struct plan_own_row own;
        if (i->op != IR_LD || !is_own_row(e, i, to, &own))
            continue;
        struct own_row *r = hw_arena_alloc(&e->arena, sizeof *r);
        hw_vec_push(&e->own_rows, r);
        if (join_rows(e, to, i, r, own.step))
            continue;
        unsigned words = words_of(e, i, own.step), chunks = different_chunks(e, i);
        LLVMTypeRef rows = LLVMArrayType2(ty_int(e, 32, e->W), (uint64_t)words * chunks);
        *r = (struct own_row){ i, words, (unsigned)own.step, words * 4 / (unsigned)own.step, chunks, e->fn, entry_alloca(e, ty_int(e, 32, 1), "left"),
                                entry_alloca(e, rows, "rows"), entry_alloca(e, ty_int(e, 1, 1), "alone"), NULL };
        LLVMBuildStore(e->b, k_int(e, 32, 1, 0), r->left);
        LLVMBuildStore(e->b, k_int(e, 1, 1, 1), r->alone);
    }
}

static const struct own_row *row_of(const struct emit *e, const struct ir_inst *i)
{
    for (size_t k = 0; k < e->own_rows.n; k++)
        if (e->own_rows.v[k]->access == i && e->own_rows.v[k]->fn == e->fn)
            return e->own_rows.v[k];
    return NULL;
}

static LLVMValueRef compared(struct emit *e, const struct ir_operand *o, enum ir_type t)
{
    enum ir_type has = o->kind == IR_REG ? o->reg->type : t;
    LLVMValueRef v = u_operand(e, o, has, 0);
    return has == t ? v : LLVMBuildTrunc(e->b, v, ty_int(e, ir_type_bits(t), 1), "");
}

/* i1: this iteration and `ahead` - 1 more follow for certain. */
static LLVMValueRef goes_on(struct emit *e, const struct plan_own_row *r, unsigned ahead)
{
    unsigned bits = ir_type_bits(r->cmp->type);
    LLVMValueRef v = compared(e, r->counter, r->cmp->type), bound = compared(e, r->bound, r->cmp->type), x[2];
    if (r->first)
        v = LLVMBuildAdd(e->b, v, k_int(e, bits, 1, (uint64_t)r->by), "");
    if (r->cmp->cmp == IR_NE || r->cmp->cmp == IR_EQ) {
        uint64_t far = (ahead - 1) * (uint64_t)(r->by < 0 ? -r->by : r->by);
        LLVMValueRef left = r->by > 0 ? LLVMBuildSub(e->b, bound, v, "") : LLVMBuildSub(e->b, v, bound, "");
        return LLVMBuildICmp(e->b, LLVMIntUGE, left, k_int(e, bits, 1, far), "");
    }
    LLVMValueRef last = LLVMBuildAdd(e->b, v, k_int(e, bits, 1, (uint64_t)((int64_t)(ahead - 2) * r->by)), "");
    bool sign = r->cmp->cmp >= IR_SLT && r->cmp->cmp <= IR_SGE;
    LLVMIntPredicate grows = r->by > 0 ? (sign ? LLVMIntSGT : LLVMIntUGT) : (sign ? LLVMIntSLT : LLVMIntULT);
    LLVMValueRef whole = LLVMBuildICmp(e->b, grows, last, v, "");                 /* it has not wrapped around */
    x[r->side] = last;
    x[!r->side] = bound;
    LLVMValueRef stays = op_value(e, r->cmp, x, 1, 0);
    return LLVMBuildAnd(e->b, whole, r->stays_if ? stays : LLVMBuildNot(e->b, stays, ""), "");
}

static LLVMValueRef shuffle2(struct emit *e, LLVMValueRef a, LLVMValueRef b, const unsigned *at, unsigned n)
{
    LLVMValueRef k[64];
    for (unsigned l = 0; l < n; l++)
        k[l] = k_int(e, 32, 1, at[l]);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(k, n), "");
}

/* 16 vectors of 16 words, in four steps. */
static void transpose(struct emit *e, LLVMValueRef *v)
{
    for (unsigned s = 1; s < MOST_LANES; s *= 2)
        for (unsigned r = 0; r < MOST_LANES; r++) {
            unsigned low[MOST_LANES], high[MOST_LANES];
            if (r & s)
                continue;
            for (unsigned j = 0; j < MOST_LANES; j++) {
                low[j] = j & s ? MOST_LANES + j - s : j;
                high[j] = j & s ? MOST_LANES + j : j + s;
            }
            LLVMValueRef a = v[r], b = v[r + s];
            v[r] = shuffle2(e, a, b, low, MOST_LANES);
            v[r + s] = shuffle2(e, a, b, high, MOST_LANES);
        }
}

/* The lower or upper halves of each four words of both, `each` words of the one and of the other in turn: what every CPU has an instruction for. */
static LLVMValueRef unpack(struct emit *e, LLVMValueRef a, LLVMValueRef b, unsigned each, bool upper)
{
    unsigned at[MOST_LANES];
    for (unsigned l = 0; l < e->W; l++) {
        unsigned k = l % 4;
        at[l] = l - k + (upper ? 2 : 0) + (each == 1 ? k / 2 : k % 2) + ((each == 1 ? k % 2 : k / 2) ? e->W : 0);
    }
    return shuffle2(e, a, b, at, e->W);
}

/* Of lanes with 4 words each: vectors of the first, second, ... words. Lanes 0, 4, 8, ... come into one vector, then 1, 5, ...: only words of the same four move. */
static void transpose_quads(struct emit *e, LLVMValueRef *quad, LLVMValueRef *out)
{
    unsigned both[MOST_LANES];
    LLVMValueRef v[4], half[4];
    for (unsigned l = 0; l < MOST_LANES; l++)
        both[l] = l;
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef part[4];
        for (unsigned g = 0; g < e->W / 4; g++)
            part[g] = quad[4 * g + k];
        for (unsigned n = e->W / 4, words = 8; n > 1; n /= 2, words *= 2)
            for (unsigned g = 0; g < n / 2; g++)
                part[g] = shuffle2(e, part[2 * g], part[2 * g + 1], both, words);
        v[k] = part[0];
    }
    for (unsigned k = 0; k < 4; k++)
        half[k] = unpack(e, v[k / 2 * 2], v[k / 2 * 2 + 1], 1, k % 2);
    for (unsigned w = 0; w < 4; w++)
        out[w] = unpack(e, half[w / 2], half[w / 2 + 2], 2, w % 2);
}

static LLVMValueRef row_ptr(struct emit *e, const struct own_row *r, LLVMValueRef row, unsigned chunk)
{
    LLVMTypeRef t = ty_int(e, 32, e->W);
    LLVMValueRef at = LLVMBuildAdd(e->b, row, k_int(e, 32, 1, chunk * r->words), "");
    return LLVMBuildGEP2(e->b, t, r->rows, &at, 1, "");
}

/* `words` of each lane from word `first` on. */
static void load_words(struct emit *e, const struct own_row *r, LLVMValueRef pointers, unsigned first, unsigned words, LLVMValueRef *out)
{
    LLVMTypeRef t = LLVMVectorType(ty_int(e, 32, 1), words);
    for (unsigned l = 0; l < e->W; l++) {
        LLVMValueRef at = k_int(e, 64, 1, first * 4), p = LLVMBuildExtractElement(e->b, pointers, k_int(e, 32, 1, l), "");
        out[l] = LLVMBuildLoad2(e->b, t, LLVMBuildGEP2(e->b, ty_int(e, 8, 1), p, &at, 1, ""), "");
        LLVMSetAlignment(out[l], element_bytes(r->access));
    }
}

static void fill(struct emit *e, const struct own_row *r, LLVMValueRef pointers, unsigned chunk)
{
    LLVMValueRef v[MOST_LANES], out[MOST_LANES];
    if (e->W == MOST_LANES && r->words == LINE_WORDS) {
        load_words(e, r, pointers, 0, r->words, v);
        transpose(e, v);
    }
    for (unsigned w = 0; w < r->words; w++) {
        if ((e->W != MOST_LANES || r->words != LINE_WORDS) && w % 4 == 0) {
            load_words(e, r, pointers, w, 4, out);
            transpose_quads(e, out, v + w);
        }
        LLVMBuildStore(e->b, v[w], row_ptr(e, r, k_int(e, 32, 1, w), chunk));
    }
}

static LLVMValueRef gather_elements(struct emit *e, const struct ir_inst *i, LLVMValueRef pointers, unsigned chunk)
{
    LLVMTypeRef t = ty_int(e, ir_type_bits(i->type), e->W), overloads[] = { t, LLVMTypeOf(pointers) };
    LLVMValueRef args[] = { pointers, k_int(e, 32, 1, promised_align(e, element_bytes(i))), mask_or_all(e, chunk), LLVMConstNull(t) };
    return intrinsic(e, "llvm.masked.gather", overloads, 2, args, 4);
}

/* One iteration's elements, as if they were the buffer's last. */
static void gather_one(struct emit *e, const struct own_row *r, LLVMValueRef pointers, unsigned chunk)
{
    const struct ir_inst *i = r->access;
    unsigned at = (r->ahead - 1) * r->step;      /* bytes from the row's beginning */
    LLVMValueRef v = gather_elements(e, i, pointers, chunk);
    if (element_bytes(i) == 1)
        v = LLVMBuildShl(e->b, LLVMBuildZExt(e->b, v, ty_int(e, 32, e->W), ""), k_int(e, 32, e->W, at % 4 * 8), "");
    LLVMBuildStore(e->b, v, row_ptr(e, r, k_int(e, 32, 1, at / 4), chunk));
}

/* The elements of the iteration whose bytes begin `at` in each lane's row. */
static LLVMValueRef take(struct emit *e, const struct own_row *r, LLVMValueRef at, unsigned chunk)
{
    const struct ir_inst *i = r->access;
    LLVMValueRef row = LLVMBuildLShr(e->b, at, k_int(e, 32, 1, 2), "");
    LLVMValueRef v = LLVMBuildLoad2(e->b, ty_int(e, 32, e->W), row_ptr(e, r, row, chunk), "");
    if (element_bytes(i) == 4)
        return cast_to(e, v, ty(e, i->type, e->W));
    LLVMValueRef shift = LLVMBuildShl(e->b, LLVMBuildAnd(e->b, at, k_int(e, 32, 1, 3), ""), k_int(e, 32, 1, 3), "");
    return LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, v, splat(e, shift, e->W), ""), ty_int(e, 8, e->W), "");
}

/* <W x ptr> of each chunk that has rows, checked. */
static void places(struct emit *e, const struct ir_inst *i, const struct own_row *r, LLVMValueRef *pointers)
{
    for (unsigned c = 0; c < r->chunks; c++) {
        struct lane_places p = places_of(e, i, 1, c);
        if (p.base)
            guard_indexed(e, i, p.base, &p.at, p.scale, c, 1);
        else
            guard_lanes(e, i, p.at, c);
        pointers[c] = place_pointers(e, i, &p, p.at);
    }
}

static LLVMValueRef surely_in_window(struct emit *e, const struct ir_inst *i, const struct own_row *r, LLVMValueRef *pointers)
{
    LLVMTypeRef bits = ty_int(e, e->W, 1);
    LLVMValueRef bad = NULL;
    for (unsigned c = 0; c < r->chunks; c++) {
        LLVMValueRef a = LLVMBuildPtrToInt(e->b, pointers[c], ty_int(e, 64, e->W), ""), doubt = guard_doubtful(e, i, a, e->W);
        bad = bad ? LLVMBuildOr(e->b, bad, doubt, "") : doubt;
    }
    return LLVMBuildICmp(e->b, LLVMIntEQ, cast_to(e, bad, bits), LLVMConstNull(bits), "");
}

/* i1: no lane's own stores of the next iterations come near its row. A counted address may have grown in this iteration or not. */
static LLVMValueRef stores_elsewhere(struct emit *e, const struct own_row *r, const struct plan_own_row *own, LLVMValueRef *pointers)
{
    LLVMTypeRef bits = ty_int(e, e->W, 1);
    LLVMValueRef bad = k_int(e, 1, e->W, 0);
    for (unsigned k = 0; k < own->n_stores; k++) {
        const struct ir_inst *i = own->stores[k].inst;
        int64_t step = own->stores[k].step, far = step * (int64_t)(r->ahead + 1), row = r->words * 4;
        int64_t low = i->imm + (step < 0 ? far : -step), high = i->imm + element_bytes(i) * (i->n_src - 1) + (step > 0 ? far : -step);
        for (unsigned c = 0; c < e->C; c++) {
            LLVMValueRef from = LLVMBuildPtrToInt(e->b, pointers[c % r->chunks], ty_int(e, 64, e->W), ""), store = v_operand(e, &i->src[0], IR_I64, c);
            LLVMValueRef apart = LLVMBuildAdd(e->b, LLVMBuildSub(e->b, from, store, ""), k_int(e, 64, e->W, (uint64_t)(row - 1 - low)), "");
            bad = LLVMBuildOr(e->b, bad, LLVMBuildICmp(e->b, LLVMIntULT, apart, k_int(e, 64, e->W, (uint64_t)(high - low + row - 1)), ""), "");
        }
    }
    return LLVMBuildICmp(e->b, LLVMIntEQ, cast_to(e, bad, bits), LLVMConstNull(bits), "");
}

/* The first load of the iteration has been done: its elements are some bytes before these. */
static void take_from_lead(struct emit *e, const struct ir_inst *i, const struct own_row *r)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1), t = ty_int(e, ir_type_bits(i->type), e->W);
    LLVMBasicBlockRef one = new_block(e, "one"), rows = new_block(e, "rows"), on = new_block(e, "on"), at[2];
    LLVMValueRef pointers[PLAN_MAX_CHUNKS], v[PLAN_MAX_CHUNKS][2];
    places(e, i, r, pointers);
    LLVMBuildCondBr(e->b, LLVMBuildLoad2(e->b, ty_int(e, 1, 1), r->alone, ""), one, rows);
    LLVMPositionBuilderAtEnd(e->b, one);
    for (unsigned c = 0; c < r->chunks; c++)
        v[c][0] = gather_elements(e, i, pointers[c], c);
    at[0] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, rows);
    LLVMValueRef left = LLVMBuildLoad2(e->b, i32, r->left, ""), row = LLVMBuildSub(e->b, k_int(e, 32, 1, r->ahead - 1), left, "");
    LLVMValueRef from = LLVMBuildAdd(e->b, LLVMBuildMul(e->b, row, k_int(e, 32, 1, r->step), ""), k_int(e, 32, 1, (uint64_t)(i->imm - r->lead->access->imm)), "");
    for (unsigned c = 0; c < r->chunks; c++)
        v[c][1] = cast_to(e, take(e, r, from, c), t);
    at[1] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
    for (unsigned c = 0; c < r->chunks; c++) {
        LLVMValueRef phi = LLVMBuildPhi(e->b, t, "");
        LLVMAddIncoming(phi, v[c], at, 2);
        v[c][0] = phi;
    }
    for (unsigned c = 0; c < e->C; c++)
        set_varying(e, i, 0, c, cast_to(e, v[c % r->chunks][0], ty(e, i->type, e->W)));
}

bool own_row_load(struct emit *e, const struct ir_inst *i)
{
    const struct own_row *r = row_of(e, i);
    struct plan_own_row own;
    LLVMValueRef pointers[PLAN_MAX_CHUNKS];
    if (!r)
        return false;
    if (e->m[0] || !is_own_row(e, i, e->at, &own)) {         /* another version of the block: what was read ahead is not taken */
        if (!r->lead) {
            LLVMBuildStore(e->b, k_int(e, 32, 1, 0), r->left);
            LLVMBuildStore(e->b, k_int(e, 1, 1, 1), r->alone);
        }
        return false;
    }
    if (r->lead) {
        take_from_lead(e, i, r);
        return true;
    }
    places(e, i, r, pointers);
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMValueRef left = LLVMBuildLoad2(e->b, i32, r->left, "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), look = new_block(e, "look"), many = new_block(e, "many"), one = new_block(e, "one"), use = new_block(e, "use"), end;
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, left, k_int(e, 32, 1, 0), ""), look, use);
    LLVMPositionBuilderAtEnd(e->b, look);
    unsigned certain = r->ahead + (r->step > element_bytes(i));          /* with gaps, the words end behind the last element: up to the next one's */
    LLVMValueRef sure = LLVMBuildAnd(e->b, goes_on(e, &own, certain), surely_in_window(e, i, r, pointers), "");
    if (own.n_stores)
        sure = LLVMBuildAnd(e->b, sure, stores_elsewhere(e, r, &own, pointers), "");
    LLVMBuildCondBr(e->b, sure, many, one);
    LLVMPositionBuilderAtEnd(e->b, many);
    for (unsigned c = 0; c < r->chunks; c++)
        fill(e, r, pointers[c], c);
    LLVMBuildStore(e->b, k_int(e, 1, 1, 0), r->alone);
    end = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, use);
    LLVMPositionBuilderAtEnd(e->b, one);
    for (unsigned c = 0; c < r->chunks; c++)
        gather_one(e, r, pointers[c], c);
    LLVMBuildStore(e->b, k_int(e, 1, 1, 1), r->alone);
    LLVMBuildBr(e->b, use);
    LLVMPositionBuilderAtEnd(e->b, use);
    LLVMValueRef have = LLVMBuildPhi(e->b, i32, ""), counts[] = { left, k_int(e, 32, 1, r->ahead), k_int(e, 32, 1, 1) };
    LLVMBasicBlockRef at[] = { from, end, one };
    LLVMAddIncoming(have, counts, at, 3);
    LLVMBuildStore(e->b, LLVMBuildSub(e->b, have, k_int(e, 32, 1, 1), ""), r->left);
    LLVMValueRef row = LLVMBuildMul(e->b, LLVMBuildSub(e->b, k_int(e, 32, 1, r->ahead), have, ""), k_int(e, 32, 1, r->step), ""), v[PLAN_MAX_CHUNKS];
    for (unsigned c = 0; c < r->chunks; c++)
        v[c] = take(e, r, row, c);
    for (unsigned c = 0; c < e->C; c++)
        set_varying(e, i, 0, c, v[c % r->chunks]);
    return true;
}
