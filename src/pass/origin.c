/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where addresses come from, and what becomes of values that are read: what the checker asks of instrumented kernels.
 *
 * An address is followed back through everything that it was computed of. If that names one variable, or nothing but parameters of the kernel, then the
 * access belongs to that variable, or to the memory that one of those parameters points to, and nowhere else. All definitions of a register count, so a
 * claim can be missing but is never wrong. A number of 32 bits that was read from memory is an index; one of 64 bits may be an address.
 */
#include "pass/origin.h"

enum { MOST_STEPS = 256 };

struct origin_defs {
    uint32_t *first;             /* by register: where its definitions begin in `defs`; one more at the end */
    struct ir_inst **defs;
    uint32_t *uses, *selects, *stores;           /* by register: all of its uses, those as a value that SELECT chooses from, those as a value that is stored */
    struct ir_block **def_block;
    bool *used_there;            /* by register: in the block that defines it */
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

struct origin_defs *origin_defs_new(const struct ir_func *f)
{
    struct origin_defs *o = hw_alloc(sizeof *o);
    size_t n = f->regs.n, total = 0;
    o->n_regs = n;
    o->first = hw_alloc((n + 2) * sizeof *o->first);
    o->uses = hw_alloc((n + 1) * sizeof *o->uses);
    o->selects = hw_alloc((n + 1) * sizeof *o->selects);
    o->stores = hw_alloc((n + 1) * sizeof *o->stores);
    o->def_block = hw_alloc((n + 1) * sizeof(struct ir_block *));
    o->used_there = hw_alloc(n + 1);
    for (size_t b = 0; b < f->blocks.n; b++) {
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = f->blocks.v[b]->insts.v[j];
            count_uses(o, i);
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k]) {
                    o->first[i->dst[k]->id + 2]++;
                    total++;
                }
        }
        note_block(o, f->blocks.v[b]);
    }
    for (size_t r = 0; r < n; r++)               /* first[r + 1]: where r's are put next; afterwards where they end */
        o->first[r + 2] += o->first[r + 1];
    o->defs = hw_alloc((total + 1) * sizeof(struct ir_inst *));
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++)
            for (int k = 0; k < f->blocks.v[b]->insts.v[j]->n_dst; k++) {
                const struct ir_reg *r = f->blocks.v[b]->insts.v[j]->dst[k];
                if (r)
                    o->defs[o->first[r->id + 1]++] = f->blocks.v[b]->insts.v[j];
            }
    return o;
}

void origin_defs_free(struct origin_defs *o)
{
    if (!o)
        return;
    hw_free(o->first);
    hw_free(o->uses);
    hw_free(o->selects);
    hw_free(o->stores);
    hw_free(o->def_block);
    hw_free(o->used_there);
    hw_free(o->defs);
    hw_free(o);
}

/* ---- addresses ---- */

struct slice {
    struct origin_defs *o;
    struct origin *out;
    uint32_t todo[MOST_STEPS];
    unsigned n, done;
    bool unknown;
};

static void follow(struct slice *s, const struct ir_operand *x)
{
    if (x->kind == IR_IMM && x->var) {
        bool local = x->var >= ORIGIN_LOCAL;
        uint32_t *variable = local ? &s->out->local : &s->out->shared, number = local ? x->var - ORIGIN_LOCAL + 1 : x->var;
        s->unknown |= *variable && *variable != number;
        *variable = number;
    }
    if (x->kind != IR_REG)
        return;
    for (unsigned k = 0; k < s->n; k++)
        if (s->todo[k] == x->reg->id)
            return;
    if (s->n == MOST_STEPS)
        s->unknown = true;
    else
        s->todo[s->n++] = x->reg->id;
}

static void add_param(struct slice *s, const struct ir_inst *i)
{
    struct origin *out = s->out;
    if (ir_type_bits(i->type) < 64)
        return;
    for (unsigned k = 0; k < out->n_params; k++)
        if (out->params[k] == (uint32_t)i->imm)
            return;
    if (out->n_params == ORIGIN_PARAMS)
        s->unknown = true;
    else
        out->params[out->n_params++] = (uint32_t)i->imm;
}

/* What a value of at most 32 bits cannot hold: an address of global memory. Shared addresses are such, but not such that were read from memory. */
static void visit_def(struct slice *s, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_PARAM: add_param(s, i); return;
    case IR_VARADDR:
        s->unknown |= s->out->variable && s->out->variable != (uint32_t)i->imm + 1;
        s->out->variable = (uint32_t)i->imm + 1;
        return;
    case IR_SREG: return;
    case IR_SELECT:
        follow(s, &i->src[1]);
        follow(s, &i->src[2]);
        return;
    case IR_LOCAL_TO_GENERIC:
        s->unknown |= i->src[0].kind == IR_IMM && !i->src[0].var;
        follow(s, &i->src[0]);
        return;
    case IR_PACK: case IR_PARAMADDR: case IR_MATH: s->unknown = true; return;
    case IR_CMP: case IR_FTOI_S: case IR_FTOI_U: return;
    default: break;
    }
    if (!(ir_op_info[i->op].props & IR_PROP_PURE)) {
        s->unknown |= ir_type_bits(i->type) > 32 && i->op != IR_SHFL && i->op != IR_REDUX && i->op != IR_VOTE;
        return;
    }
    for (int k = 0; k < i->n_src; k++)
        follow(s, &i->src[k]);
}

void origin_of(struct origin_defs *o, const struct ir_inst *i, struct origin *out)
{
    struct slice s = { .o = o, .out = out };
    *out = (struct origin){ 0 };
    follow(&s, &i->src[0]);
    while (s.done < s.n && !s.unknown) {
        uint32_t r = s.todo[s.done++];
        uint32_t from = r ? o->first[r] : 0, to = o->first[r + 1];
        for (uint32_t d = from; d < to && !s.unknown; d++)
            visit_def(&s, o->defs[d]);
    }
    if (s.unknown || !!out->shared + !!out->variable + !!out->local > 1)
        *out = (struct origin){ 0 };
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
