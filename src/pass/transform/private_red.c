/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions in global memory whose old value nobody wants (a histogram, sums of floats): a thread of the engine may collect them in a copy of its own, if nobody can tell. That
 * is so where nothing else in the kernel touches that memory, and nothing orders the kernel's accesses for others: no fence, no volatile or ordered access. Whether
 * the pointers lead to different allocations, a launch sees; here it is found of which parameters and variables each address is made.
 */
#include "pass/analysis/origin.h"
#include "pass/plan.h"

static const int8_t op_of[] = {          /* 1 + enum kabi_red_op */
    [IR_ATOM_ADD] = 1 + KABI_RED_ADD, [IR_ATOM_AND] = 1 + KABI_RED_AND, [IR_ATOM_OR] = 1 + KABI_RED_OR, [IR_ATOM_XOR] = 1 + KABI_RED_XOR,
    [IR_ATOM_MIN_S] = 1 + KABI_RED_MIN_S, [IR_ATOM_MIN_U] = 1 + KABI_RED_MIN_U, [IR_ATOM_MAX_S] = 1 + KABI_RED_MAX_S, [IR_ATOM_MAX_U] = 1 + KABI_RED_MAX_U,
    [IR_ATOM_FADD] = 1 + KABI_RED_ADD_F, [IR_ATOM_FMAX] = 0,
};

struct search {
    const struct plan *p;
    struct origin_defs *defs;
    struct kabi_reds out;
};

static bool outside(const struct ir_inst *i) { return i->space == IR_GENERIC || i->space == IR_GLOBAL; }

static bool is_access(const struct ir_inst *i)
{
    return i->op == IR_LD || i->op == IR_ST || i->op == IR_ATOM || i->op == IR_ATOM2 || i->op == IR_TILE_LD || i->op == IR_TILE_ST;
}

static bool collectable(const struct search *s, const struct ir_inst *i)
{
    return i->op == IR_ATOM && outside(i) && op_of[i->atom] && (ir_type_bits(i->type) == 32 || ir_type_bits(i->type) == 64) && i->scope != IR_SYS
        && (i->n_dst == 0 || origin_use_of(s->defs, i->dst[0]) == ORIGIN_UNUSED);
}

/* Others may see what it does in which order. */
static bool orders(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_FENCE: return i->scope != IR_CTA;
    case IR_CALL: case IR_NANOSLEEP: case IR_ENTER: return true;
    default: return is_access(i) && outside(i) && ((i->flags & IR_VOLATILE) || i->order > IR_RELAXED || (i->order == IR_RELAXED && i->op != IR_ATOM));
    }
}

/* How many roots an address has: 0 where it is not known, or no global memory. */
static unsigned roots_of(const struct search *s, const struct ir_inst *i, struct kabi_root *out, bool *elsewhere)
{
    struct origin o;
    origin_of(s->defs, i, &o);
    *elsewhere = o.shared || o.local;
    if (o.variable)
        out[0] = (struct kabi_root){ o.variable, 0 };
    for (unsigned k = 0; k < o.n_params; k++)
        out[k] = (struct kabi_root){ 0, o.params[k] };
    return o.variable ? 1 : o.n_params;
}

static bool has(const struct kabi_root *roots, unsigned n, struct kabi_root r)
{
    for (unsigned k = 0; k < n; k++)
        if (roots[k].variable == r.variable && roots[k].offset == r.offset)
            return true;
    return false;
}

static bool add_others(struct kabi_reds *r, const struct kabi_root *roots, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        if (has(r->others, r->n_others, roots[k]))
            continue;
        if (r->n_others == KABI_RED_OTHERS)
            return false;
        r->others[r->n_others++] = roots[k];
    }
    return true;
}

/* The table that these roots lead to; one more where there is room; -1: none. */
static int table_of(struct kabi_reds *r, const struct ir_inst *i, const struct kabi_root *roots, unsigned n)
{
    unsigned k = 0;
    for (; k < r->n; k++)
        if (r->v[k].n_roots == n && has(r->v[k].roots, n, roots[0]))
            break;
    if (k == KABI_REDS)
        return -1;
    if (k == r->n) {
        r->v[r->n++] = (struct kabi_red){ .op = (uint32_t)op_of[i->atom] - 1, .bytes = ir_type_bits(i->type) / 8, .n_roots = n };
        memcpy(r->v[k].roots, roots, n * sizeof *roots);
    }
    const struct kabi_red *red = &r->v[k];
    bool same = red->op == (uint32_t)op_of[i->atom] - 1 && red->bytes == ir_type_bits(i->type) / 8;
    for (unsigned j = 0; j < n; j++)
        same &= has(red->roots, n, roots[j]);
    return same ? (int)k : -1;
}

/* False: this kernel's accesses may be anywhere, or others look on. */
static bool note(struct search *s, const struct ir_inst *i, int block)
{
    enum { MOST = 1 << 16 };
    struct kabi_root roots[ORIGIN_PARAMS];
    bool elsewhere;
    static_assert((int)ORIGIN_PARAMS == (int)KABI_RED_ROOTS, "");
    if (orders(i))
        return false;
    if (!is_access(i) || !outside(i))
        return true;
    unsigned n = roots_of(s, i, roots, &elsewhere);
    if (n == 0)
        return elsewhere;
    int k = collectable(s, i) ? table_of(&s->out, i, roots, n) : -1;
    if (k < 0)
        return add_others(&s->out, roots, n);
    s->out.v[k].times += s->out.v[k].times < MOST ? plan_times(s->p, block) : 0;
    return true;
}

/* Tables that something else may touch, by the names alone, are none. */
static bool of_its_own(const struct kabi_reds *r, unsigned table)
{
    for (unsigned k = 0; k < r->v[table].n_roots; k++)
        if (has(r->others, r->n_others, r->v[table].roots[k]))
            return false;
    return true;
}

static void mark(struct search *s, struct ir_inst *i)
{
    struct kabi_root roots[ORIGIN_PARAMS];
    bool elsewhere;
    unsigned n = collectable(s, i) ? roots_of(s, i, roots, &elsewhere) : 0;
    int k = n ? table_of(&s->out, i, roots, n) : -1;
    if (k >= 0 && of_its_own(&s->out, (unsigned)k))
        i->flags |= (uint16_t)(IR_PRIVATE | (unsigned)k * IR_PRIVATE_ONE);
}

bool plan_private_red(struct plan *p)
{
    if (p->opt.counted || p->opt.function || p->opt.fair || p->opt.turns || p->opt.plain || p->func->callees.n)
        return false;
    struct search s = { .p = p, .defs = origin_defs_new(p->func) };
    bool ok = true;
    for (int b = 0; ok && b < p->n_blocks; b++)
        for (size_t j = 0; ok && j < p->blocks[b].ir->insts.n; j++)
            ok = note(&s, p->blocks[b].ir->insts.v[j], b);
    for (int b = 0; ok && s.out.n && b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++)
            mark(&s, p->blocks[b].ir->insts.v[j]);
    origin_defs_free(s.defs);
    if (ok)
        p->reds = s.out;
    return ok && s.out.n;
}
