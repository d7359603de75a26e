/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a memory access becomes: one decision, which the emitters, the guards, prefetching and `--explain` read. It follows from the address's shape over
 * the lanes, from what the access promises (volatile, ordered), and from where it is.
 */
#include "pass/analysis/access.h"

static bool is_atomic(const struct ir_inst *i) { return i->op == IR_ATOM || i->op == IR_ATOM2; }

bool access_ordered(const struct ir_inst *i)
{
    return (i->flags & IR_VOLATILE) || i->order != IR_WEAK;
}

unsigned access_elements(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_LD: return i->n_dst;
    case IR_ST: return i->n_src - 1u;
    case IR_ATOM2: return 2;
    default: return 1;
    }
}

int64_t access_lane_step(const struct plan *p, const struct ir_inst *i, const struct shape *s)
{
    return s->stride + (i->space == IR_LOCAL && p->lanes > 1 ? plan_local_step(p) : 0);
}

static enum access_form form_of(const struct plan *p, const struct ir_inst *i, const struct access *a)
{
    int64_t row = (int64_t)a->elements * a->bytes;
    if (i->op == IR_TILE_LD || i->op == IR_TILE_ST)
        return ACCESS_TILE;
    if (p->lanes == 1)
        return ACCESS_ONE_LANE;
    if (a->shape.kind == SHAPE_AFFINE && a->step == 0)
        return ACCESS_UNIFORM;
    if (access_ordered(i) || is_atomic(i))
        return ACCESS_BY_LANE;
    if (a->shape.kind == SHAPE_PATTERN)
        return ACCESS_CROSSING;
    if (a->shape.kind != SHAPE_AFFINE)
        return (i->flags & IR_CROSSES) && i->space == IR_SHARED ? ACCESS_CROSSING : ACCESS_GATHERED;
    if (a->step == row)
        return ACCESS_ROW;
    return a->elements == 1 && a->step == -row ? ACCESS_FALLING_ROW : ACCESS_STRIDED;
}

struct access access_of(const struct plan *p, const struct ir_inst *i)
{
    struct access a = { .elements = access_elements(i), .bytes = ir_type_bits(i->type) / 8, .shape = plan_operand_shape(p, &i->src[0]) };
    a.step = a.shape.kind == SHAPE_AFFINE ? access_lane_step(p, i, &a.shape) : 0;
    a.form = form_of(p, i, &a);
    a.for_group = a.form == ACCESS_UNIFORM && shape_group_uniform(&a.shape);
    return a;
}

bool access_fetched_ahead(const struct plan *p, const struct ir_inst *i, int block, const struct access *a)
{
    struct plan_prefetch_loop ahead;
    if (a->form != ACCESS_ROW || i->op != IR_LD)
        return false;
    bool found = plan_prefetch_loop(p, i, block, &ahead) || plan_stream_ahead(p, i, block, (int64_t)p->lanes * a->elements * a->bytes);
    for (size_t r = 1; r < p->regions.n && !found; r++)
        found = plan_rest(p, i, block, (int)r, &ahead);
    return found;
}

const char *access_form_name(enum access_form form, bool store)
{
    static const char *const names[] = {
        [ACCESS_ONE_LANE] = "one lane", [ACCESS_UNIFORM] = "uniform", [ACCESS_ROW] = "vector", [ACCESS_FALLING_ROW] = "vector, reversed",
        [ACCESS_STRIDED] = "strided", [ACCESS_GATHERED] = "gathered", [ACCESS_CROSSING] = "gathered", [ACCESS_BY_LANE] = "lane by lane",
        [ACCESS_TILE] = "tile",
    };
    static_assert(HW_LEN(names) == ACCESS_FORM_COUNT, "one name for each form");
    return store && (form == ACCESS_GATHERED || form == ACCESS_CROSSING) ? "scattered" : names[form];
}
