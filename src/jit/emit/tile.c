/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles of matrices between memory and the fragments of a warp (kabi/tile.h). As products, each kind is one function of the kernel: it is
 * given where the tile begins, the bytes between its lines and an array [register][lane]. Lines are moved in pieces of several lanes.
 * In the scalar build every thread moves its own elements.
 */
#include "jit/emit.h"

#include <stdio.h>

#include "kabi/mma.h"
#include "kabi/tile.h"

enum { LANES = PLAN_LANES, QUADS = LANES / 4 };

struct tile {
    struct tile_access a;
    struct tile_fragment f;
    bool store;
    uint8_t space;
    LLVMValueRef base, ldm, array;
    LLVMTypeRef reg;                             /* of a register: i32 or i64 */
};

static unsigned bytes_of(const struct tile *t, unsigned elements)
{
    return elements * t->a.bits / 8;
}

/* The address of element (x, y). */
static LLVMValueRef element_at(struct emit *e, const struct tile *t, unsigned x, unsigned y)
{
    unsigned line = t->a.along_x ? y : x, element = t->a.along_x ? x : y;
    LLVMValueRef at = LLVMBuildMul(e->b, t->ldm, k_int(e, 64, 1, line), "");
    at = LLVMBuildAdd(e->b, at, k_int(e, 64, 1, bytes_of(t, element)), "");
    return LLVMBuildGEP2(e->b, ty_int(e, 8, 1), t->base, &at, 1, "");
}

static LLVMValueRef lane_at(struct emit *e, const struct tile *t, unsigned r, unsigned lane)
{
    LLVMValueRef at = k_int(e, 64, 1, r * LANES + lane);
    return LLVMBuildGEP2(e->b, t->reg, t->array, &at, 1, "");
}

static LLVMValueRef get(struct emit *e, const struct tile *t, LLVMTypeRef type, LLVMValueRef ptr, unsigned align, bool memory)
{
    LLVMValueRef v = LLVMBuildLoad2(e->b, type, ptr, "");
    promise_align(e, v, align);
    return memory && t->space != IR_GENERIC ? tag_memory(e, v, space_tag(t->space)) : v;
}

static void put(struct emit *e, const struct tile *t, LLVMValueRef v, LLVMValueRef ptr, unsigned align, bool memory)
{
    LLVMValueRef s = LLVMBuildStore(e->b, v, ptr);
    promise_align(e, s, align);
    if (memory && t->space != IR_GENERIC)
        tag_memory(e, s, space_tag(t->space));
}

static LLVMValueRef shuffle(struct emit *e, LLVMValueRef a, LLVMValueRef b, const unsigned *from, unsigned n)
{
    LLVMValueRef k[LANES];
    for (unsigned i = 0; i < n; i++)
        k[i] = k_int(e, 32, 1, from[i]);
    return LLVMBuildShuffleVector(e->b, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)), LLVMConstVector(k, n), "");
}

/* Registers whose four lanes of a row are one piece of a line. */
static void move_quad(struct emit *e, const struct tile *t, unsigned r, unsigned g)
{
    LLVMTypeRef quad = LLVMVectorType(t->reg, 4);
    unsigned align = t->a.bits < 32 ? 4 : t->a.bits / 8;
    LLVMValueRef memory = element_at(e, t, t->f.at[r].x, t->f.at[r].y + g), lanes = lane_at(e, t, r, 4 * g);
    if (t->store)
        put(e, t, get(e, t, quad, lanes, 16, false), memory, align, true);
    else
        put(e, t, get(e, t, quad, memory, align, true), lanes, 16, false);
}

/* Sums as wide as a register: a lane has two neighbours, in registers r and r + 1. */
static void move_pairs(struct emit *e, const struct tile *t, unsigned r, unsigned g)
{
    static const unsigned even[] = { 0, 2, 4, 6 }, odd[] = { 1, 3, 5, 7 }, both[] = { 0, 4, 1, 5, 2, 6, 3, 7 };
    LLVMTypeRef quad = LLVMVectorType(t->reg, 4), row = LLVMVectorType(t->reg, 8);
    unsigned align = t->a.bits / 8;
    LLVMValueRef memory = element_at(e, t, t->f.at[r].x, t->f.at[r].y + g), lanes[] = { lane_at(e, t, r, 4 * g), lane_at(e, t, r + 1, 4 * g) };
    if (t->store) {
        LLVMValueRef v = shuffle(e, get(e, t, quad, lanes[0], 16, false), get(e, t, quad, lanes[1], 16, false), both, 8);
        put(e, t, v, memory, align, true);
    } else {
        LLVMValueRef v = get(e, t, row, memory, align, true);
        put(e, t, shuffle(e, v, NULL, even, 4), lanes[0], 16, false);
        put(e, t, shuffle(e, v, NULL, odd, 4), lanes[1], 16, false);
    }
}

/* Lines run along y: for each of the four columns of lanes one piece of eight elements, then all are put in the order of lanes. */
static void move_columns(struct emit *e, const struct tile *t, unsigned r)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(e->cx, t->a.bits), piece = LLVMVectorType(narrow, QUADS), all = LLVMVectorType(t->reg, LANES);
    unsigned step = tile_lane_step(t->a, &t->f), align = t->a.bits / 8, ascending[LANES], transposed[LANES];
    LLVMValueRef reg = t->store ? get(e, t, all, lane_at(e, t, r, 0), 16, false) : LLVMConstNull(all);
    for (unsigned l = 0; l < LANES; l++) {
        ascending[l] = l;
        transposed[l] = l % 4 * QUADS + l / 4;
    }
    for (unsigned k = 0; k < t->f.per_reg; k++) {
        LLVMValueRef shift = k_int(e, t->a.bits == 64 ? 64 : 32, LANES, (uint64_t)k * t->a.bits), column[4];
        if (t->store) {
            unsigned from[QUADS];
            LLVMValueRef v = LLVMBuildLShr(e->b, reg, shift, "");
            if (t->a.bits < 32)
                v = LLVMBuildTrunc(e->b, v, LLVMVectorType(narrow, LANES), "");
            for (unsigned c = 0; c < 4; c++) {
                for (unsigned g = 0; g < QUADS; g++)
                    from[g] = 4 * g + c;
                put(e, t, shuffle(e, v, NULL, from, QUADS), element_at(e, t, t->f.at[r].x + c * step + k, t->f.at[r].y), align, true);
            }
            continue;
        }
        for (unsigned c = 0; c < 4; c++)
            column[c] = get(e, t, piece, element_at(e, t, t->f.at[r].x + c * step + k, t->f.at[r].y), align, true);
        LLVMValueRef v = shuffle(e, shuffle(e, column[0], column[1], ascending, 16), shuffle(e, column[2], column[3], ascending, 16), transposed, LANES);
        if (t->a.bits < 32)
            v = LLVMBuildZExt(e->b, v, all, "");
        reg = LLVMBuildOr(e->b, reg, LLVMBuildShl(e->b, v, shift, ""), "");
    }
    if (!t->store)
        put(e, t, reg, lane_at(e, t, r, 0), 16, false);
}

static void body(struct emit *e, const struct tile *t)
{
    bool pairs = t->a.part == TILE_C && t->f.per_reg == 1;
    for (unsigned r = 0; r < t->f.n; r += t->a.along_x && pairs ? 2 : 1) {
        if (!t->a.along_x) {
            move_columns(e, t, r);
            continue;
        }
        for (unsigned g = 0; g < QUADS; g++) {
            if (pairs)
                move_pairs(e, t, r, g);
            else
                move_quad(e, t, r, g);
        }
    }
}

static LLVMValueRef function_of(struct emit *e, const struct ir_inst *i, struct tile t, LLVMTypeRef type)
{
    char name[48];
    snprintf(name, sizeof name, "hw_tile_%s_%llx_%u", t.store ? "st" : "ld", (unsigned long long)i->imm, (unsigned)i->space);
    LLVMValueRef fn = LLVMGetNamedFunction(e->mod, name);
    if (fn)
        return fn;
    fn = own_function(e, name, type);
    LLVMBasicBlockRef back = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->cx, fn, "entry"));
    t.base = LLVMGetParam(fn, 0);
    t.ldm = LLVMGetParam(fn, 1);
    t.array = LLVMGetParam(fn, 2);
    body(e, &t);
    LLVMBuildRetVoid(e->b);
    LLVMPositionBuilderAtEnd(e->b, back);
    return fn;
}

/* An I64 that the whole warp has: where the plan does not know that, the first active lane's. The block has one, for blocks with memory
   operations do not run without. */
static LLVMValueRef of_first_lane(struct emit *e, LLVMValueRef *v)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1), i64 = ty_int(e, 64, 1);
    LLVMValueRef all = entry_alloca(e, LLVMVectorType(i64, LANES), "first"), bits = k_int(e, 32, 1, 0);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef at = k_int(e, 64, 1, c * e->W), s = LLVMBuildStore(e->b, v[c], LLVMBuildGEP2(e->b, i64, all, &at, 1, ""));
        promise_align(e, s, 8);
        bits = LLVMBuildOr(e->b, bits, LLVMBuildShl(e->b, mask_bits(e, mask_or_all(e, c)), k_int(e, 32, 1, c * e->W), ""), "");
    }
    LLVMValueRef lane = intrinsic2(e, "llvm.cttz", i32, bits, k_int(e, 1, 1, 1));
    return LLVMBuildLoad2(e->b, i64, LLVMBuildGEP2(e->b, i64, all, &lane, 1, ""), "");
}

static void warp_values(struct emit *e, const struct ir_inst *i, struct tile *t)
{
    struct ir_inst access = *i;                           /* an ordinary access, for what knows about addresses */
    struct shape address = o_shape(e, &i->src[0]), ldm = o_shape(e, &i->src[1]);
    LLVMValueRef v[PLAN_MAX_CHUNKS];
    access.op = IR_ST;
    access.n_src = 2;
    access.imm = 0;
    if (shape_group_uniform(&address)) {
        t->base = u_address(e, &access, 0);
    } else {
        for (unsigned c = 0; c < e->C; c++)
            v[c] = i->space == IR_SHARED ? LLVMBuildSExt(e->b, v_address(e, &access, c), ty_int(e, 64, e->W), "") : v_address(e, &access, c);
        t->base = address_pointers(e, &access, of_first_lane(e, v));
    }
    if (shape_group_uniform(&ldm)) {
        t->ldm = u_operand(e, &i->src[1], IR_I64, 0);
    } else {
        for (unsigned c = 0; c < e->C; c++)
            v[c] = v_operand(e, &i->src[1], IR_I64, c);
        t->ldm = of_first_lane(e, v);
    }
    unsigned lines, elements;
    tile_extent(t->a, &lines, &elements);
    access.space = IR_GENERIC;                            /* lines of a tile in shared memory may be far apart */
    guard_lines(e, &access, t->base, t->ldm, lines, bytes_of(t, elements));
}

/* One thread's elements; the lane decides where they are. */
static void emit_alone(struct emit *e, const struct ir_inst *i, struct tile *t)
{
    LLVMTypeRef narrow = t->a.bits < 8 ? t->reg : LLVMIntTypeInContext(e->cx, t->a.bits), i8 = ty_int(e, 8, 1), i64 = ty_int(e, 64, 1);
    LLVMValueRef lane = LLVMBuildZExt(e->b, LLVMBuildAnd(e->b, e->warp, k_int(e, 32, 1, 31), ""), i64, "");
    LLVMValueRef y = LLVMBuildLShr(e->b, lane, k_int(e, 64, 1, 2), ""), x = LLVMBuildAnd(e->b, lane, k_int(e, 64, 1, 3), "");
    unsigned step = bytes_of(t, tile_lane_step(t->a, &t->f)), align = t->a.bits < 8 ? 4 : t->a.bits / 8;
    LLVMValueRef far = LLVMBuildMul(e->b, t->ldm, t->a.along_x ? y : LLVMBuildMul(e->b, x, k_int(e, 64, 1, tile_lane_step(t->a, &t->f)), ""), "");
    LLVMValueRef near = t->a.along_x ? LLVMBuildMul(e->b, x, k_int(e, 64, 1, step), "") : LLVMBuildMul(e->b, y, k_int(e, 64, 1, bytes_of(t, 1)), "");
    LLVMValueRef at = LLVMBuildAdd(e->b, far, near, "");
    t->base = LLVMBuildGEP2(e->b, i8, t->base, &at, 1, "");
    unsigned n = t->a.bits < 8 ? 1 : t->f.per_reg;
    for (unsigned r = 0; r < t->f.n; r++) {
        LLVMValueRef reg = t->store ? u_operand(e, &i->src[2 + r], i->type, 0) : LLVMConstNull(t->reg);
        for (unsigned k = 0; k < n; k++) {
            LLVMValueRef ptr = element_at(e, t, t->f.at[r].x + k, t->f.at[r].y), shift = LLVMConstInt(t->reg, (uint64_t)k * t->a.bits, false);
            if (t->store) {
                LLVMValueRef v = LLVMBuildLShr(e->b, reg, shift, "");
                put(e, t, narrow == t->reg ? v : LLVMBuildTrunc(e->b, v, narrow, ""), ptr, align, true);
            } else {
                LLVMValueRef v = get(e, t, narrow, ptr, align, true);
                reg = LLVMBuildOr(e->b, reg, LLVMBuildShl(e->b, narrow == t->reg ? v : LLVMBuildZExt(e->b, v, t->reg, ""), shift, ""), "");
            }
        }
        if (!t->store)
            set_uniform(e, i, (int)r, 0, reg);
    }
}

void emit_tile(struct emit *e, const struct ir_inst *i)
{
    struct tile t = { .a = tile_unpack(i->imm), .store = i->op == IR_TILE_ST, .space = i->space, .reg = ty_scalar(e, i->type) };
    LLVMTypeRef params[] = { ty_ptr(e), ty_int(e, 64, 1), ty_ptr(e) }, part = ty(e, i->type, e->W);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx), params, 3, false);
    t.f = tile_fragment_of(t.a);
    warp_values(e, i, &t);
    if (e->W == 1) {
        emit_alone(e, i, &t);
        return;
    }
    LLVMValueRef array = mma_array(e), args[] = { t.base, t.ldm, array };
    for (unsigned r = 0; t.store && r < t.f.n; r++)
        for (unsigned c = 0; c < e->C; c++) {
            LLVMValueRef at = k_int(e, 64, 1, r * e->C + c);
            LLVMBuildStore(e->b, v_operand(e, &i->src[2 + r], i->type, c), LLVMBuildGEP2(e->b, part, array, &at, 1, ""));
        }
    LLVMBuildCall2(e->b, type, function_of(e, i, t, type), args, 3, "");
    for (unsigned r = 0; !t.store && r < t.f.n; r++)
        for (unsigned c = 0; c < e->C; c++) {
            LLVMValueRef at = k_int(e, 64, 1, r * e->C + c);
            set_varying(e, i, (int)r, c, LLVMBuildLoad2(e->b, part, LLVMBuildGEP2(e->b, part, array, &at, 1, ""), ""));
        }
}
