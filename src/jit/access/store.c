/* SPDX-License-Identifier: Apache-2.0 */
/* Stores, by the same rules as loads. Of several lanes that store to one address, the highest one's value stays. */
#include "jit/access/memory.h"
#include "pass/analysis/access.h"

/* One store per active lane, lowest lane first: of several to one address the highest lane's stays. */
static void store_lane_by_lane(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMTypeRef t = ty_scalar(e, i->type);
    LLVMValueRef array[IR_MAX_SRC], addresses = lanes_spill(e, v_address(e, i, chunk));
    for (int k = 1; k < i->n_src; k++)
        array[k] = lanes_spill(e, v_operand(e, &i->src[k], i->type, chunk));
    struct lanes l;
    lanes_begin(e, &l, chunk);
    LLVMValueRef p = address_pointers(e, i, lanes_get(e, &l, addresses, address_type(e, i, 1)));
    guard_scalar(e, i, p);
    LLVMValueRef v[IR_MAX_SRC];
    for (int k = 1; k < i->n_src; k++)
        v[k - 1] = lanes_get(e, &l, array[k], t);
    store_elements(e, i, p, v);
    lanes_end(e, &l);
}

/* Several lanes, one address: the highest active lane's value stays, so only that one is stored. The block has an active
   lane somewhere, for blocks with memory operations do not run without. */
static void store_last_lane(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef t = ty_scalar(e, i->type), i32 = ty_int(e, 32, 1);
    LLVMValueRef lane = k_int(e, 32, 1, e->C * e->W - 1), bits = k_int(e, 32, 1, 0), p = u_address(e, i, 0);
    guard_scalar(e, i, p);
    if (e->m[0]) {
        for (unsigned c = 0; c < e->C; c++)
            bits = LLVMBuildOr(e->b, bits, LLVMBuildShl(e->b, mask_bits(e, e->m[c]), k_int(e, 32, 1, c * e->W), ""), "");
        lane = LLVMBuildSub(e->b, k_int(e, 32, 1, 31), intrinsic2(e, "llvm.ctlz", i32, bits, k_int(e, 1, 1, 1)), "");
    }
    for (int k = 1; k < i->n_src; k++) {
        LLVMValueRef array = entry_alloca(e, LLVMVectorType(t, e->C * e->W), "last");
        for (unsigned c = 0; c < e->C; c++) {
            LLVMValueRef at = k_int(e, 32, 1, c * e->W);
            LLVMValueRef s = LLVMBuildStore(e->b, v_operand(e, &i->src[k], i->type, c), LLVMBuildGEP2(e->b, t, array, &at, 1, ""));
            promise_align(e, s, element_bytes(i));
        }
        LLVMValueRef x = LLVMBuildLoad2(e->b, t, LLVMBuildGEP2(e->b, t, array, &lane, 1, ""), "");
        scalar_store(e, i, x, offset_ptr(e, p, (uint64_t)(k - 1) * element_bytes(i)));
    }
}

static void store_neighbours(struct emit *e, const struct ir_inst *i, const struct access *a, LLVMValueRef *v, unsigned chunk)
{
    LLVMValueRef row = u_address(e, i, chunk);
    guard_row(e, i, row, a->step, chunk, &a->shape);
    LLVMValueRef all = interleave(e, v, a->elements);
    if (stream_row(e, i, all, row, a->elements))
        return;
    prefetch_next(e, i, row, a->elements, chunk);
    wide_store(e, i, all, row, chunk, a->elements);
}

static void store_crossing(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, unsigned chunk)
{
    LLVMValueRef at = v_address(e, i, chunk);
    guard_lanes(e, i, at, chunk);
    scatter_all(e, i, v, at, chunk);
}

static void store_chunk(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk)
{
    LLVMValueRef v[IR_MAX_SRC];
    if (a->form == ACCESS_BY_LANE || a->form == ACCESS_UNIFORM) {         /* of several to one address the highest lane's stays */
        store_lane_by_lane(e, i, chunk);
        return;
    }
    for (unsigned k = 0; k < a->elements; k++)
        v[k] = v_operand(e, &i->src[k + 1], i->type, chunk);
    switch (a->form) {
    case ACCESS_ROW: store_neighbours(e, i, a, v, chunk); break;
    case ACCESS_FALLING_ROW: falling_row(e, i, &a->shape, chunk, v[0]); break;
    case ACCESS_STRIDED: store_strided(e, i, a, v, chunk); break;
    case ACCESS_CROSSING: store_crossing(e, i, v, chunk); break;
    default: store_scattered(e, i, v, chunk); break;
    }
}

void emit_store(struct emit *e, const struct ir_inst *i)
{
    if (record_store(e, i))
        return;
    struct access a = access_of(e->p, i);
    bool one_value = true;
    for (int k = 1; k < i->n_src; k++) {
        struct shape v = o_shape(e, &i->src[k]);
        one_value &= shape_group_uniform(&v);
    }
    if (a.form == ACCESS_ONE_LANE || (one_value && a.for_group)) {
        LLVMValueRef p = u_address(e, i, 0);              /* all lanes store the same: once will do */
        guard_scalar(e, i, p);
        LLVMValueRef v[IR_MAX_SRC];
        for (int k = 1; k < i->n_src; k++)
            v[k - 1] = u_operand(e, &i->src[k], i->type, 0);
        store_elements(e, i, p, v);
        return;
    }
    if (!access_ordered(i) && a.for_group && e->C * e->W <= 32) {
        store_last_lane(e, i);
        return;
    }
    if (butterfly_store(e, i))
        return;
    if (exchanges(e, i)) {
        exchange_store(e, i);
        return;
    }
    for (unsigned c = 0; c < e->C; c++)
        store_chunk(e, i, &a, c);
}
