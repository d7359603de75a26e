/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores to all fields of a record, one after the other: s[4 * t], s[4 * t + 1], ... Each alone would be sixteen scalar stores; together they
 * fill one piece of memory, and shuffles put the fields in its order. In shared memory also with fields of several threads each, as four
 * threads in a row exchange them in an FFT: s[16 * (t / 4) + t % 4], + 4, + 8, + 12.
 */
#include "jit/emit.h"

struct record {
    const struct ir_inst *field[8];              /* by offset */
    const struct ir_inst *last;                  /* the one that comes last: all are stored there */
    unsigned n, run;                             /* fields, and threads in a row whose words make one */
};
enum { LOOK_AHEAD = 64, MOST = 4, MOST_GLOBAL = 8 };

static bool simple_store(const struct ir_inst *i)
{
    return i->op == IR_ST && (i->space == IR_SHARED || i->space == IR_GLOBAL) && i->n_src == 2 && i->src[0].kind == IR_REG && !(i->flags & IR_VOLATILE) && i->order == IR_WEAK;
}

/* The register that an address is made of by adding constants. */
static const struct ir_reg *root_of(const struct plan *p, const struct ir_reg *r, int64_t *offset)
{
    for (int depth = 0; depth < 8; depth++) {
        const struct ir_inst *d = p->regs[r->id].def;
        if (!d || (d->op != IR_ADD && d->op != IR_MOV) || (d->op == IR_ADD && d->src[0].kind == d->src[1].kind))
            break;
        int k = d->src[0].kind == IR_REG ? 0 : 1;
        if (d->src[k].kind != IR_REG)
            break;
        if (d->op == IR_ADD)
            *offset += d->type == IR_I32 ? (int32_t)d->src[1 - k].imm : (int64_t)d->src[1 - k].imm;
        r = d->src[k].reg;
    }
    return r;
}

/* One thread's stores a and b cannot meet: the record of a is `bytes` long and begins at most that much before it. */
static bool apart(const struct plan *p, const struct ir_inst *a, const struct ir_inst *b, int64_t bytes)
{
    int64_t at_a = a->imm, at_b = b->imm;
    if (root_of(p, a->src[0].reg, &at_a) != root_of(p, b->src[0].reg, &at_b))
        return false;
    int64_t d = at_b - at_a;
    return d >= bytes || d <= -bytes - 8;
}

/* A load of the same records, of none of the fields that wait to be stored. */
static bool other_field(const struct ir_inst *i, const struct record *r, int64_t step)
{
    if (i->op != IR_LD || i->src[0].kind != IR_REG || (i->flags & IR_VOLATILE) || i->order != IR_WEAK)
        return false;
    for (unsigned k = 0; k < r->n; k++) {
        const struct ir_inst *f = r->field[k];
        int64_t d = f ? (i->imm - f->imm) % step : 0;
        d = d < 0 ? d + step : d;
        if (f && (i->space != f->space || i->src[0].reg != f->src[0].reg || d < (int64_t)element_bytes(f) || d + i->n_dst * (int64_t)element_bytes(i) > step))
            return false;
    }
    return true;
}

/* What may lie between two stores that become one. */
static bool harmless(const struct plan *p, const struct ir_inst *i, const struct ir_inst *first, int64_t bytes)
{
    if (ir_op_info[i->op].props & IR_PROP_PURE)
        return true;
    if (i->op == IR_LD || i->op == IR_ST)
        return i->space == (first->space == IR_SHARED ? IR_GLOBAL : IR_SHARED) || i->space == IR_CONST || i->space == IR_LOCAL ||
            (simple_store(i) && apart(p, first, i, bytes));
    return false;
}

/* How many fields have the records at these addresses, and how wide are they? */
static bool layout(struct emit *e, const struct ir_inst *i, unsigned *out_n, unsigned *out_run)
{
    struct shape s = o_shape(e, &i->src[0]);
    unsigned bytes = element_bytes(i);
    if (i->space == IR_GLOBAL) {
        *out_n = s.kind == SHAPE_AFFINE && s.stride > 0 && s.stride % bytes == 0 ? (unsigned)(s.stride / bytes) : 0;
        *out_run = 1;
        return bytes <= 8 && *out_n >= 2 && *out_n <= MOST_GLOBAL;
    }
    if (bytes != 4 && bytes != 8)
        return false;
    if (s.kind == SHAPE_AFFINE) {
        *out_n = s.stride > 0 && s.stride % bytes == 0 ? (unsigned)(s.stride / bytes) : 0;
        *out_run = 1;
        return *out_n == 2 || *out_n == MOST;
    }
    for (*out_n = 2; *out_n <= MOST; *out_n *= 2)
        for (*out_run = 2; 2 * *out_run <= e->W; *out_run *= 2)
            if (plan_runs(e->p, &i->src[0], *out_run, bytes, (int64_t)*out_n * *out_run * bytes))
                return true;
    return false;
}

/* Fields are found in any order; `before` of them lie before the first one's. */
static bool in_order(struct record *r, unsigned before, int64_t span)
{
    struct record was = *r;
    for (unsigned k = 0; k < r->n; k++)
        r->field[k] = was.field[(k + r->n - before) % r->n];
    return span == r->n - 1;
}

static bool collect(struct emit *e, const struct ir_block *b, size_t at, struct record *out)
{
    const struct ir_inst *first = b->insts.v[at];
    unsigned n, run, have = 0;
    if (!layout(e, first, &n, &run))
        return false;
    int64_t bytes = run * element_bytes(first), low = 0, high = 0;          /* of a field; and which there are, counted from the first store's */
    *out = (struct record){ .n = n, .run = run };
    for (size_t j = at; j < b->insts.n - 1 && j < at + LOOK_AHEAD; j++) {
        const struct ir_inst *i = b->insts.v[j];
        int64_t d = (i->imm - first->imm) / bytes;
        if (simple_store(i) && i->space == first->space && i->src[0].reg == first->src[0].reg && i->type == first->type && (i->imm - first->imm) % bytes == 0 &&
            d > -(int64_t)n && d < n) {
            unsigned k = (unsigned)(d < 0 ? d + n : d);
            if (out->field[k])
                return false;
            out->field[k] = out->last = i;
            low = d < low ? d : low;
            high = d > high ? d : high;
            if (++have == n)
                return in_order(out, (unsigned)-low, high - low);
        } else if (!harmless(e->p, i, first, n * bytes) && !other_field(i, out, n * bytes)) {
            return false;
        }
        if (ir_defines(i, first->src[0].reg))
            return false;
        for (unsigned k = 0; k < n; k++)
            if (out->field[k] && out->field[k]->src[1].kind == IR_REG && ir_defines(i, out->field[k]->src[1].reg))
                return false;
    }
    return false;
}

static struct record *record_of(struct emit *e, const struct ir_inst *i)
{
    for (size_t r = 0; r < e->records.n; r++)
        for (unsigned k = 0; k < e->records.v[r]->n; k++)
            if (e->records.v[r]->field[k] == i)
                return e->records.v[r];
    return NULL;
}

void records_block(struct emit *e, const struct ir_block *b)
{
    struct record found;
    e->records.n = 0;
    for (size_t j = 0; e->W > 1 && j + 1 < b->insts.n; j++) {
        if (!simple_store(b->insts.v[j]) || record_of(e, b->insts.v[j]) || !collect(e, b, j, &found))
            continue;
        struct record *r = hw_arena_alloc(&e->arena, sizeof *r);
        *r = found;
        hw_vec_push(&e->records, r);
    }
}

/* The k-th word of all is word k % run of field k / run % n of record k / run / n. */
static void store_fields(struct emit *e, const struct record *r, LLVMValueRef *v, unsigned chunk)
{
    LLVMValueRef at[64 * MOST], all = lanes_join(e, v[0], v[1], e->W), first;
    if (r->n == MOST)
        all = lanes_join(e, all, lanes_join(e, v[2], v[3], e->W), 2 * e->W);
    for (unsigned k = 0; k < r->n * e->W; k++)
        at[k] = k_int(e, 32, 1, k / r->run % r->n * e->W + k / r->run / r->n * r->run + k % r->run);
    first = LLVMBuildExtractElement(e->b, v_address(e, r->field[0], chunk), k_int(e, 32, 1, 0), "");
    all = LLVMBuildShuffleVector(e->b, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(at, r->n * e->W), "");
    LLVMValueRef s = LLVMBuildStore(e->b, all, address_pointers(e, r->field[0], first));
    promise_align(e, s, element_bytes(r->field[0]));
    tag_memory(e, s, TAG_SHARED);
}

bool record_store(struct emit *e, const struct ir_inst *i)
{
    const struct record *r = record_of(e, i);
    if (!r || ((r->run > 1 || i->space == IR_GLOBAL) && e->m[0]))
        return false;
    struct shape s = o_shape(e, &i->src[0]);
    for (unsigned c = 0; i->space == IR_GLOBAL && c < e->C; c++)
        guard_steps(e, i, &s, u_address(e, i, c), c);
    for (unsigned c = 0; r->last == i && c < e->C; c++) {
        LLVMValueRef v[8];
        for (unsigned k = 0; k < r->n; k++)
            v[k] = v_operand(e, &r->field[k]->src[1], i->type, c);
        if (i->space == IR_GLOBAL)
            piece_store(e, r->field[0], v, r->n, c);
        else if (r->run == 1)
            store_row(e, r->field[0], v, r->n, c);
        else
            store_fields(e, r, v, c);
    }
    return true;
}
