/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads. The address's shape decides: one scalar access for a uniform address, a vector access where lanes
 * are neighbours, gathers elsewhere, and one access per lane, in order, where volatile or an order asks for it.
 */
#include "jit/access/memory.h"
#include "pass/analysis/access.h"

static void load_lane_by_lane(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMTypeRef t = ty_scalar(e, i->type);
    LLVMValueRef array[IR_MAX_DST], addresses = lanes_spill(e, v_address(e, i, chunk));
    for (int k = 0; k < i->n_dst; k++)
        array[k] = lanes_array(e, t);
    struct lanes l;
    lanes_begin(e, &l, chunk);
    LLVMValueRef p = address_pointers(e, i, lanes_get(e, &l, addresses, address_type(e, i, 1)));
    guard_scalar(e, i, p);
    LLVMValueRef v[IR_MAX_DST];
    load_elements(e, i, p, v);
    for (int k = 0; k < i->n_dst; k++)
        lanes_put(e, &l, array[k], t, v[k]);
    lanes_end(e, &l);
    for (int k = 0; k < i->n_dst; k++)
        set_varying(e, i, k, chunk, lanes_vector(e, array[k], t));
}

/* A chunk before this one has the same addresses. */
static bool same_row(struct emit *e, const struct shape *s, unsigned chunk)
{
    return s->kind == SHAPE_AFFINE && s->group && s->step == 0 && chunk * e->W >= e->p->row;
}

/* One address for the lanes of a chunk; this chunk may have no active lane while the group has. */
static void load_uniform(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk)
{
    LLVMValueRef p = u_address(e, i, chunk), any = NULL, v[IR_MAX_DST];
    if (e->m[0] && !(a->shape.group && a->shape.step == 0)) {
        LLVMTypeRef bits = ty_int(e, e->W, 1);
        any = LLVMBuildICmp(e->b, LLVMIntNE, cast_to(e, e->m[chunk], bits), LLVMConstNull(bits), "");
    }
    guard_scalar_if(e, i, p, any);
    if (any)
        p = LLVMBuildSelect(e->b, any, p, e->safe, "");
    load_elements(e, i, p, v);
    for (unsigned k = 0; k < a->elements; k++)
        set_uniform(e, i, (int)k, chunk, v[k]);
}

static void load_row(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk)
{
    unsigned n = a->elements;
    LLVMValueRef row = u_address(e, i, chunk);
    guard_row(e, i, row, a->step, chunk, &a->shape);
    LLVMValueRef wide = wide_load(e, i, row, chunk, n);
    if (!same_row(e, &a->shape, chunk)) {
        prefetch_next(e, i, row, n, chunk);
        prefetch_ahead(e, i, row, n, chunk);
    }
    for (unsigned k = 0; k < n; k++)
        set_varying(e, i, (int)k, chunk, deinterleave(e, wide, n, k));
}

static void load_crossing(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMValueRef at = v_address(e, i, chunk), v[IR_MAX_DST];
    guard_lanes(e, i, at, chunk);
    gather_all(e, i, at, chunk, v);
    for (int k = 0; k < i->n_dst; k++)
        set_varying(e, i, k, chunk, v[k]);
}

static void load_chunk(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk)
{
    switch (a->form) {
    case ACCESS_UNIFORM: load_uniform(e, i, a, chunk); break;
    case ACCESS_ROW: load_row(e, i, a, chunk); break;
    case ACCESS_FALLING_ROW: set_varying(e, i, 0, chunk, falling_row(e, i, &a->shape, chunk, NULL)); break;
    case ACCESS_STRIDED: load_strided(e, i, a, chunk); break;
    case ACCESS_GATHERED: load_scattered(e, i, chunk); break;
    case ACCESS_CROSSING: load_crossing(e, i, chunk); break;
    default: load_lane_by_lane(e, i, chunk); break;
    }
}

void emit_load(struct emit *e, const struct ir_inst *i)
{
    struct access a = access_of(e->p, i);
    LLVMValueRef v[IR_MAX_DST];
    if (a.form == ACCESS_ONE_LANE || a.for_group) {
        LLVMValueRef p = u_address(e, i, 0);
        guard_scalar(e, i, p);
        load_elements(e, i, p, v);
        for (int k = 0; k < i->n_dst; k++)
            for (unsigned c = 0; i->dst[k] && c < slot_count(e, i->dst[k]); c++)
                set_uniform(e, i, k, c, v[k]);
        return;
    }
    if (butterfly_load(e, i))
        return;
    if (exchanges(e, i)) {
        exchange_load(e, i);
        return;
    }
    if (own_row_load(e, i))
        return;
    bool anywhere = a.shape.kind == SHAPE_VARYING && !access_ordered(i);
    if (anywhere)
        prefetch_rows(e, i);
    if (anywhere && load_table(e, i))
        return;
    for (unsigned c = 0; c < e->C; c++)
        load_chunk(e, i, &a, c);
}
