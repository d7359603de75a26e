/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes a few elements apart: a field of p[i].x, a colour of pixel[3 * i + 1]. All of them lie in one piece of memory, which is loaded as
 * rows; permutations by constants pick each field. Fields of one record that a block loads share the rows. No byte is touched that lies
 * before the first lane's or behind the last one's, and what lies between is on the same pages.
 */
#include "jit/emit.h"

enum { MOST = 8 };               /* elements from lane to lane: from there on a gather is as fast */

struct piece {
    int64_t from;                /* bytes from the access's own address; not above 0 */
    unsigned per, n;             /* elements from lane to lane, and in the whole piece */
    unsigned width;              /* elements of a native vector: the rows */
};

/* Elements of a native vector, which has 32 bits for each lane, or as many as there are lanes. */
static unsigned row_width(const struct emit *e, unsigned bytes) { return bytes > 4 ? e->W * 4 / bytes : e->W; }

static bool simple_load(const struct ir_inst *i)
{
    return i->op == IR_LD && i->src[0].kind == IR_REG && !(i->flags & IR_VOLATILE) && i->order == IR_WEAK;
}

/* Another load of the same records: from the same register, less than a record away. */
static bool same_record(const struct ir_inst *i, const struct ir_inst *o, int64_t step)
{
    int64_t apart = o->imm - i->imm;
    return simple_load(o) && o->space == i->space && o->src[0].reg == i->src[0].reg && element_bytes(o) == element_bytes(i) &&
        apart % element_bytes(i) == 0 && apart > -step && apart < step;
}

static int64_t end_of(const struct ir_inst *i) { return i->imm + i->n_dst * (int64_t)element_bytes(i); }

/* Which bytes of a record this block loads while the address is the one that i has: the lowest, and from there on. */
static void find_fields(struct emit *e, const struct ir_inst *i, int64_t step, int64_t *low, int64_t *high)
{
    const struct ir_block *b = e->p->blocks[e->at].ir;
    size_t at = 0, from, to;
    while (at < b->insts.n && b->insts.v[at] != i)
        at++;
    from = to = at;
    if (at < b->insts.n) {                       /* else it is done ahead of its block */
        while (from > 0 && !ir_defines(b->insts.v[from - 1], i->src[0].reg))
            from--;
        while (to < b->insts.n && !ir_defines(b->insts.v[to], i->src[0].reg))
            to++;
    }
    *low = i->imm;
    for (size_t j = from; j < to; j++)
        if (same_record(i, b->insts.v[j], step) && b->insts.v[j]->imm < *low && end_of(i) - b->insts.v[j]->imm <= step)
            *low = b->insts.v[j]->imm;
    *high = end_of(i);
    for (size_t j = from; j < to; j++)
        if (same_record(i, b->insts.v[j], step) && b->insts.v[j]->imm >= *low && end_of(b->insts.v[j]) <= *low + step && end_of(b->insts.v[j]) > *high)
            *high = end_of(b->insts.v[j]);
}

static bool piece_of(struct emit *e, const struct ir_inst *i, int64_t step, struct piece *out)
{
    unsigned bytes = element_bytes(i);
    int64_t low, high;
    if (e->m[0] || e->W == 1 || bytes > 8 || !simple_load(i) || (i->space != IR_GLOBAL && i->space != IR_GENERIC && i->space != IR_CONST) ||
        step <= 0 || step % bytes || step / bytes > MOST || step / bytes <= i->n_dst)
        return false;
    find_fields(e, i, step, &low, &high);
    *out = (struct piece){ .from = low - i->imm, .per = (unsigned)(step / bytes), .width = row_width(e, bytes) };
    out->n = (e->W - 1) * out->per + (unsigned)((high - low) / bytes);
    return true;
}

/* The row that element x is in; the last one ends where the piece does. */
static struct lane_from row_of(const struct piece *p, unsigned x)
{
    unsigned row = x / p->width;
    return (struct lane_from){ row, (row + 1) * p->width > p->n ? x - (p->n - p->width) : x % p->width };
}

LLVMValueRef pick_lanes(struct emit *e, LLVMValueRef *src, const struct lane_from *from, unsigned width)
{
    LLVMValueRef v = NULL, nothing = LLVMGetPoison(ty_int(e, 32, 1)), at[64];
    unsigned low = from[0].vector, high = low;
    for (unsigned l = 0; l < width; l++) {
        low = from[l].vector < low ? from[l].vector : low;
        high = from[l].vector > high ? from[l].vector : high;
    }
    for (unsigned k = low; k <= high; k++) {             /* lanes of the vectors before k are where they belong */
        bool used = false;
        for (unsigned l = 0; l < width; l++) {
            bool mine = from[l].vector == k;
            at[l] = mine ? k_int(e, 32, 1, from[l].lane + (v ? width : 0)) : from[l].vector < k ? k_int(e, 32, 1, l) : nothing;
            used |= mine;
        }
        if (used)
            v = LLVMBuildShuffleVector(e->b, v ? v : src[k], v ? src[k] : LLVMGetPoison(LLVMTypeOf(src[k])), LLVMConstVector(at, width), "");
    }
    return v;
}

/* Elements x, x + per, ... for as many lanes as a row has. */
static LLVMValueRef pick(struct emit *e, const struct piece *p, LLVMValueRef *rows, unsigned x)
{
    struct lane_from from[64];
    for (unsigned l = 0; l < p->width; l++)
        from[l] = row_of(p, x + l * p->per);
    return pick_lanes(e, rows, from, p->width);
}

bool piece_load(struct emit *e, const struct ir_inst *i, int64_t step, LLVMValueRef address, LLVMValueRef *out)
{
    struct piece p;
    if (!piece_of(e, i, step, &p))
        return false;
    LLVMTypeRef t = LLVMVectorType(ty_scalar(e, i->type), p.width);
    LLVMValueRef rows[2 * MOST + 1];
    unsigned bytes = element_bytes(i), x = (unsigned)(-p.from / bytes);
    unsigned first = row_of(&p, x).vector, last = row_of(&p, x + (e->W - 1) * p.per + i->n_dst - 1u).vector;
    for (unsigned row = first; row <= last; row++) {
        unsigned at = (row + 1) * p.width > p.n ? p.n - p.width : row * p.width;
        rows[row] = load_piece_row(e, i, t, address, p.from + (int64_t)at * bytes);
    }
    for (unsigned k = 0; k < i->n_dst; k++) {
        out[k] = pick(e, &p, rows, x + k);
        if (p.width < e->W)                      /* of 8 bytes each: half the lanes at a time */
            out[k] = lanes_join(e, out[k], pick(e, &p, rows, x + k + p.width * p.per), p.width);
    }
    return true;
}

void piece_store(struct emit *e, const struct ir_inst *first, LLVMValueRef *v, unsigned n, unsigned chunk)
{
    unsigned bytes = element_bytes(first), width = row_width(e, bytes), parts = e->W / width;
    LLVMValueRef src[2 * MOST], address = u_address(e, first, chunk);
    struct lane_from from[64];
    for (unsigned k = 0; k < n; k++)
        for (unsigned p = 0; p < parts; p++)
            src[p * n + k] = parts > 1 ? lanes_slice(e, v[k], p * width, width) : v[k];
    for (unsigned row = 0; row < n * parts; row++) {
        for (unsigned k = 0; k < width; k++) {
            unsigned x = row * width + k, lane = x / n;
            from[k] = (struct lane_from){ lane / width * n + x % n, lane % width };
        }
        store_piece_row(e, first, pick_lanes(e, src, from, width), address, (int64_t)row * width * bytes);
    }
}
