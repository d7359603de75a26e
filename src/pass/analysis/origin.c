/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where addresses come from, and what becomes of values that are read: what the checker asks of instrumented kernels.
 *
 * If an address was computed of one variable and numbers, or of nothing but parameters of the kernel, then the access belongs to that variable, or to the
 * memory that one of those parameters points to, and nowhere else. All definitions of a register count, so a claim can be missing but is never wrong.
 */
#include "pass/analysis/origin.h"

#include "pass/plan.h"

struct origin_defs {
    uint32_t *uses, *selects, *stores;           /* by register: all of its uses, those as a value that SELECT chooses from, those as a value that is stored */
    struct ir_block **def_block;
    bool *used_there;            /* by register: in the block that defines it */
    struct value *values;        /* by register */
    size_t n_regs;
};

static void count_uses(struct origin_defs *o, const struct ir_inst *i)
{
    for (int k = 0; k < i->n_src; k++) {
        if (i->src[k].kind != IR_REG)
            continue;
        uint32_t r = i->src[k].reg->id;
        o->uses[r]++;
        o->selects[r] += i->op == IR_SELECT && k > 0;
        o->stores[r] += i->op == IR_ST && k > 0;
    }
}

static void note_block(struct origin_defs *o, struct ir_block *b)
{
    for (size_t j = 0; j < b->insts.n; j++) {
        const struct ir_inst *i = b->insts.v[j];
        for (int k = 0; k < i->n_src; k++)
            if (i->src[k].kind == IR_REG && o->def_block[i->src[k].reg->id] == b)
                o->used_there[i->src[k].reg->id] = true;
        for (int k = 0; k < i->n_dst; k++)
            if (i->dst[k])
                o->def_block[i->dst[k]->id] = b;
    }
}

/* ---- addresses ---- */

/*
 * What a register holds: nothing yet, a number, an address that was computed of one thing, or something unknown. Where a register has several definitions, or a
 * select chooses, all of them must be about the same thing. 64-bit parameters are taken for addresses: which one is, the launch tells.
 */
enum value_kind { NOTHING, NUMBER, BASE, UNKNOWN };
struct value {
    enum value_kind kind;
    struct origin o;             /* of a BASE */
};

static const struct value number = { .kind = NUMBER }, unknown = { .kind = UNKNOWN };

static bool of_params(const struct value *v) { return v->kind == BASE && v->o.n_params; }

static struct value joined_params(const struct value *a, const struct value *b)
{
    struct value v = *a;
    for (unsigned k = 0; k < b->o.n_params; k++) {
        unsigned j = 0;
        while (j < v.o.n_params && v.o.params[j] != b->o.params[k])
            j++;
        if (j == ORIGIN_PARAMS)
            return unknown;
        if (j == v.o.n_params)
            v.o.params[v.o.n_params++] = b->o.params[k];
    }
    return v;
}

static bool same_variable(const struct value *a, const struct value *b)
{
    return a->o.shared == b->o.shared && a->o.local == b->o.local && a->o.variable == b->o.variable;
}

/* One or the other. */
static struct value either(const struct value *a, const struct value *b)
{
    if (a->kind == NOTHING || b->kind == NOTHING)
        return a->kind == NOTHING ? *b : *a;
    if (a->kind == UNKNOWN || b->kind == UNKNOWN)
        return unknown;
    if (of_params(a) && of_params(b))
        return joined_params(a, b);
    if (a->kind == NUMBER && b->kind == NUMBER)
        return number;
    if (a->kind == NUMBER || b->kind == NUMBER)  /* a number is an address of shared memory too, but not of what parameters lead to */
        return of_params(a) ? *a : of_params(b) ? *b : unknown;
    return !of_params(a) && !of_params(b) && same_variable(a, b) ? *a : unknown;
}

/* Computed of both. moves: what a number can be added to and it is still about the same. */
static struct value both(const struct value *a, const struct value *b, bool moves)
{
    if (a->kind == NOTHING || b->kind == NOTHING)
        return (struct value){ 0 };
    if (a->kind == UNKNOWN || b->kind == UNKNOWN)
        return unknown;
    if (a->kind == NUMBER && b->kind == NUMBER)
        return number;
    if (of_params(a) && of_params(b))
        return joined_params(a, b);
    const struct value *base = a->kind == BASE && !of_params(a) ? a : b->kind == BASE && !of_params(b) ? b : NULL, *other = base == a ? b : a;
    if (!base)
        return of_params(a) ? *a : *b;
    return moves && (other->kind == NUMBER || of_params(other)) ? *base : unknown;
}

static struct value value_of(const struct value *all, const struct ir_operand *x)
{
    struct value v = number;
    if (x->kind == IR_REG)
        return all[x->reg->id];
    if (x->kind == IR_IMM && x->var) {
        v.kind = BASE;
        if (x->var >= ORIGIN_LOCAL)
            v.o.local = x->var - ORIGIN_LOCAL + 1;
        else
            v.o.shared = x->var;
    }
    return v;
}

static struct value value_of_param(const struct ir_inst *i)
{
    return ir_type_bits(i->type) < 64 ? number : (struct value){ BASE, { .n_params = 1, .params = { (uint32_t)i->imm } } };
}

static bool all_numbers(const struct value *all, const struct ir_inst *i)
{
    for (int k = 0; k < i->n_src; k++)
        if (value_of(all, &i->src[k]).kind != NUMBER)
            return false;
    return true;
}

/* Of what an instruction makes its result. What is read from memory in 32 bits is an index; 64 bits may be an address. */
static struct value result_of(const struct value *all, const struct ir_inst *i)
{
    struct value a = i->n_src > 0 ? value_of(all, &i->src[0]) : number, b = i->n_src > 1 ? value_of(all, &i->src[1]) : number;
    switch (i->op) {
    case IR_PARAM: return value_of_param(i);
    case IR_VARADDR: return (struct value){ BASE, { .variable = (uint32_t)i->imm + 1 } };
    case IR_MOV: case IR_ZEXT: case IR_SEXT: case IR_TRUNC: return a;
    case IR_SHARED_TO_GENERIC: case IR_LOCAL_TO_GENERIC: return a.kind == NUMBER ? unknown : a;
    case IR_GENERIC_TO_SHARED: case IR_GENERIC_TO_LOCAL: return a;
    case IR_ADD: case IR_SUB: case IR_AND: case IR_OR: return both(&a, &b, true);
    case IR_SELECT: {
        struct value c = value_of(all, &i->src[2]);
        return either(&b, &c);
    }
    case IR_MIN_S: case IR_MIN_U: case IR_MAX_S: case IR_MAX_U: return either(&a, &b);
    case IR_MUL: case IR_SHL: case IR_SHR_U: case IR_SHR_S: case IR_XOR: case IR_NOT: case IR_NEG: case IR_DIV_U: case IR_DIV_S: case IR_REM_U: case IR_REM_S: return both(&a, &b, false);
    case IR_SREG: case IR_CMP: case IR_FTOI_S: case IR_FTOI_U: return number;
    default: break;
    }
    if (ir_type_bits(i->type) > 32)
        return unknown;
    return !(ir_op_info[i->op].props & IR_PROP_PURE) || all_numbers(all, i) ? number : unknown;
}

static bool same_value(const struct value *a, const struct value *b)
{
    return a->kind == b->kind && same_variable(a, b) && a->o.n_params == b->o.n_params;
}

/* Values only become less known, so this ends. */
static struct value *find_values(const struct origin_defs *o, const struct ir_func *f)
{
    struct value *all = hw_alloc((o->n_regs + 1) * sizeof *all);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < f->blocks.n; b++)
            for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
                const struct ir_inst *i = f->blocks.v[b]->insts.v[j];
                for (int k = 0; k < i->n_dst; k++) {
                    if (!i->dst[k])
                        continue;
                    struct value v = result_of(all, i), *old = &all[i->dst[k]->id];
                    v = either(old, &v);
                    changed |= !same_value(old, &v);
                    *old = v;
                }
            }
    }
    return all;
}

void origin_of(const struct origin_defs *o, const struct ir_inst *i, struct origin *out)
{
    struct value v = value_of(o->values, &i->src[0]);
    *out = v.kind == BASE ? v.o : (struct origin){ 0 };
}

struct origin_defs *origin_defs_new(const struct ir_func *f)
{
    struct origin_defs *o = hw_alloc(sizeof *o);
    size_t n = f->regs.n;
    o->n_regs = n;
    o->uses = hw_alloc((n + 1) * sizeof *o->uses);
    o->selects = hw_alloc((n + 1) * sizeof *o->selects);
    o->stores = hw_alloc((n + 1) * sizeof *o->stores);
    o->def_block = hw_alloc((n + 1) * sizeof(struct ir_block *));
    o->used_there = hw_alloc(n + 1);
    for (size_t b = 0; b < f->blocks.n; b++) {
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++)
            count_uses(o, f->blocks.v[b]->insts.v[j]);
        note_block(o, f->blocks.v[b]);
    }
    o->values = find_values(o, f);
    return o;
}

void origin_defs_free(struct origin_defs *o)
{
    if (!o)
        return;
    hw_free(o->uses);
    hw_free(o->selects);
    hw_free(o->stores);
    hw_free(o->def_block);
    hw_free(o->used_there);
    hw_free(o->values);
    hw_free(o);
}

/* ---- shared memory between two barriers ---- */

/* All that is declared extern begins at the same place. */
static bool overlap(const struct ir_func *f, uint32_t a, uint32_t b)
{
    if (a == b || a > f->shared.n || b > f->shared.n)
        return true;
    const struct ir_variable *x = &f->shared.v[a - 1], *y = &f->shared.v[b - 1];
    return !x->bytes || !y->bytes || (x->offset < y->offset + y->bytes && y->offset < x->offset + x->bytes);
}

static bool is_atomic(const struct ir_inst *i) { return i->op == IR_ATOM || i->op == IR_ATOM2; }

/* May it be a race on that shared variable with a read, or with an atomic access? Copies that go on by themselves, and functions, may change any. */
static bool may_race(const struct origin_defs *o, const struct ir_func *f, const struct ir_inst *i, bool with_atomic, uint32_t shared)
{
    struct origin to;
    bool plain = i->op == IR_ST || i->op == IR_TILE_ST || (with_atomic && (i->op == IR_LD || i->op == IR_TILE_LD));
    if (i->op == IR_CALL || i->op == IR_NOTE)
        return true;
    if ((!plain && (with_atomic || !is_atomic(i))) || (i->space != IR_SHARED && i->space != IR_GENERIC))
        return false;
    origin_of(o, i, &to);
    if (to.shared)
        return overlap(f, to.shared, shared);
    return i->space == IR_SHARED || !(to.local || to.variable || to.n_params);
}

/* Where all warps of a block stop at the same barriers, they run the same region at the same time. */
bool origin_ordered(const struct origin_defs *o, const struct plan *p, int block, const struct ir_inst *access, uint32_t shared)
{
    if (!p->lockstep || p->opt.function || p->func->callees.n)
        return false;
    for (size_t r = 0; r < p->regions.n; r++)
        for (int b = 0; bits_has(p->regions.v[r].blocks, (size_t)block) && b < p->n_blocks; b++)
            for (size_t j = 0; bits_has(p->regions.v[r].blocks, (size_t)b) && j < p->blocks[b].ir->insts.n; j++)
                if (may_race(o, p->func, p->blocks[b].ir->insts.v[j], is_atomic(access), shared))
                    return false;
    return true;
}

/* ---- objects of local memory ---- */

struct depot {
    struct ir_reg *reg;          /* %SP or %SPL */
    uint32_t at, end;
    bool generic;
};

/* What a register holds that is defined once, as the address of a variable in local memory. */
static bool find_depot(const struct ir_func *f, const struct ir_inst *i, struct depot *out)
{
    const struct ir_reg *r = i->n_dst == 1 ? i->dst[0] : NULL;
    if (!r || !r->name || (strcmp(r->name, "%SPL") != 0 && strcmp(r->name, "%SP") != 0) || i->n_src != 1)
        return false;
    *out = (struct depot){ i->dst[0], 0, 0, i->op == IR_LOCAL_TO_GENERIC };
    if ((i->op != IR_MOV && !out->generic) || i->src[0].kind != IR_IMM)
        return false;
    out->at = (uint32_t)i->src[0].imm;
    for (size_t k = 0; k < f->locals.n; k++)
        if (f->locals.v[k].offset == out->at)
            out->end = out->end > out->at + f->locals.v[k].bytes ? out->end : out->at + f->locals.v[k].bytes;
    return out->end > out->at;
}

struct depots {
    HW_VEC(struct depot) v;
    HW_VEC(struct ir_variable) objects;          /* of all of them */
};

/* A MOV of the register that SP was made of, so that the address of SP is a constant too. */
static void make_constant(struct ir_func *f, const struct depots *d)
{
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
            struct ir_inst *i = f->blocks.v[b]->insts.v[j];
            for (size_t k = 0; i->op == IR_LOCAL_TO_GENERIC && i->src[0].kind == IR_REG && k < d->v.n; k++)
                if (i->src[0].reg == d->v.v[k].reg && !d->v.v[k].generic) {
                    i->src[0] = ir_imm_operand(d->v.v[k].at);
                    break;
                }
        }
}

static void find_depots(struct ir_func *f, struct depots *d)
{
    for (int round = 0; round < 2; round++) {    /* %SP is made of %SPL */
        d->v.n = 0;
        for (size_t b = 0; b < f->blocks.n; b++)
            for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
                struct depot one;
                if (find_depot(f, f->blocks.v[b]->insts.v[j], &one))
                    hw_vec_push(&d->v, one);
            }
        if (round == 0)
            make_constant(f, d);
    }
}

static const struct depot *depot_of(const struct depots *d, const struct ir_inst *i)
{
    for (size_t k = 0; i->op == IR_ADD && i->src[0].kind == IR_REG && i->src[1].kind == IR_IMM && k < d->v.n; k++)
        if (d->v.v[k].reg == i->src[0].reg && i->src[1].imm < d->v.v[k].end - d->v.v[k].at)
            return &d->v.v[k];
    return NULL;
}

/* The end of the object that begins at `at`: where the next one of its depot begins. */
static uint32_t end_of(const struct ir_func *f, const struct depots *d, const struct depot *depot, uint32_t at)
{
    uint32_t end = depot->end;
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = f->blocks.v[b]->insts.v[j];
            const struct depot *other = depot_of(d, i);
            uint32_t begin = other ? other->at + (uint32_t)i->src[1].imm : 0;
            if (other && other->at == depot->at && other->end == depot->end && begin > at && begin < end)
                end = begin;
        }
    return end;
}

static uint32_t object_number(struct depots *d, uint32_t at, uint32_t end)
{
    for (size_t k = 0; k < d->objects.n; k++)
        if (d->objects.v[k].offset == at && d->objects.v[k].bytes == end - at)
            return (uint32_t)k;
    hw_vec_push(&d->objects, ((struct ir_variable){ at, end - at }));
    return (uint32_t)d->objects.n - 1;
}

void origin_locals(struct ir_func *f)
{
    struct depots d = { 0 };
    find_depots(f, &d);
    for (int apply = 0; apply < 2 && d.v.n; apply++)             /* all ends are found before anything is changed */
        for (size_t b = 0; b < f->blocks.n; b++)
            for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
                struct ir_inst *i = f->blocks.v[b]->insts.v[j];
                const struct depot *depot = i->op == IR_ADD ? depot_of(&d, i) : NULL;
                if (!depot)
                    continue;
                uint32_t at = depot->at + (uint32_t)i->src[1].imm;
                if (!apply) {
                    i->src[1].var = ORIGIN_LOCAL + object_number(&d, at, end_of(f, &d, depot, at));
                    continue;
                }
                struct ir_operand k = { .kind = IR_IMM, .imm = at, .var = i->src[1].var };
                i->op = depot->generic ? IR_LOCAL_TO_GENERIC : IR_MOV;
                i->n_src = 0;
                ir_inst_src(i, k);
            }
    f->locals.n = 0;
    for (size_t k = 0; k < d.objects.n; k++)
        hw_vec_push(&f->locals, d.objects.v[k]);
    hw_vec_fini(&d.objects);
    hw_vec_fini(&d.v);
}

/* ---- values ---- */

enum origin_use origin_use_of(const struct origin_defs *o, const struct ir_reg *r)
{
    if (!r || r->id >= o->n_regs || !o->uses[r->id])
        return ORIGIN_UNUSED;
    if (o->uses[r->id] == o->selects[r->id])
        return ORIGIN_CHOSEN;
    return o->uses[r->id] == o->stores[r->id] ? ORIGIN_COPIED : ORIGIN_USED;
}

bool origin_used_elsewhere(const struct origin_defs *o, const struct ir_reg *r) { return r && !o->used_there[r->id]; }
