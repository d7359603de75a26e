/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers: the thread's place in its block comes from the group's number and constants. */
#include "jit/emit.h"

/* thread index -> coordinate along dim; index an i32 scalar or vector */
static LLVMValueRef coordinate(struct emit *e, LLVMValueRef index, int dim, unsigned lanes)
{
    const uint32_t *n = e->p->opt.ntid;
    uint32_t below = dim == 0 ? 1 : dim == 1 ? n[0] : n[0] * n[1];
    bool last = dim == 2 || (dim == 1 && n[2] == 1) || (dim == 0 && n[1] == 1 && n[2] == 1);
    if (below > 1)
        index = LLVMBuildUDiv(e->b, index, k_int(e, 32, lanes, below), "");
    return last ? index : LLVMBuildURem(e->b, index, k_int(e, 32, lanes, n[dim]), "");
}

static void tid(struct emit *e, const struct ir_inst *i, int dim)
{
    const struct shape *s = &dst_reg(e, i, 0)->shape;
    unsigned n = s->kind == SHAPE_AFFINE && s->group ? 1 : e->C;
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef first = linear_thread(e, c);
        if (s->kind == SHAPE_AFFINE) {
            set_uniform(e, i, 0, c, coordinate(e, first, dim, 1));
        } else {
            LLVMValueRef index = LLVMBuildAdd(e->b, splat(e, first, e->W), k_lanes(e, 32, e->W, 0, 1), "");
            set_varying(e, i, 0, c, coordinate(e, index, dim, e->W));
        }
    }
}

/* One value for all lanes, whatever shape the register has. */
static void everywhere(struct emit *e, const struct ir_inst *i, LLVMValueRef u)
{
    unsigned n = slot_count(e, i->dst[0]);
    for (unsigned c = 0; c < n; c++)
        set_uniform(e, i, 0, c, u);
}

static LLVMValueRef lane_index(struct emit *e, unsigned chunk)               /* <W x i32>, or the lane in the scalar build */
{
    if (e->p->lanes == 1)
        return LLVMBuildAnd(e->b, e->warp, k_int(e, 32, 1, 31), "");
    return k_lanes(e, 32, e->W, (int64_t)(chunk * e->W), 1);
}

static void lane_masks(struct emit *e, const struct ir_inst *i)
{
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef lane = lane_index(e, c), one = k_int(e, 32, e->W, 1);
        LLVMValueRef eq = LLVMBuildShl(e->b, one, lane, ""), lt = LLVMBuildSub(e->b, eq, one, ""), v;
        switch (i->imm) {
        case IR_SREG_LANEMASK_EQ: v = eq; break;
        case IR_SREG_LANEMASK_LT: v = lt; break;
        case IR_SREG_LANEMASK_LE: v = LLVMBuildOr(e->b, lt, eq, ""); break;
        case IR_SREG_LANEMASK_GE: v = LLVMBuildNot(e->b, lt, ""); break;
        default: v = LLVMBuildNot(e->b, LLVMBuildOr(e->b, lt, eq, ""), ""); break;
        }
        if (e->p->lanes == 1)
            set_uniform(e, i, 0, c, v);
        else
            set_varying(e, i, 0, c, v);
    }
}

static LLVMValueRef now_ns(struct emit *e, const char *clock)
{
    return call_symbol(e, clock, LLVMFunctionType(ty_int(e, 64, 1), NULL, 0, false), NULL, 0, false);
}

/* Cycles of a clock of KABI_CLOCK_KHZ, made of nanoseconds: the CPU's own counter has another rate, which nothing tells exactly. Milliseconds and the rest
   by themselves, so that nothing overflows. */
static LLVMValueRef clock_value(struct emit *e, bool wide)
{
    LLVMValueRef ns = now_ns(e, "hw_clock_ns"), rate = k_int(e, 64, 1, KABI_CLOCK_KHZ), ms = k_int(e, 64, 1, 1000000);
    LLVMValueRef whole = LLVMBuildMul(e->b, LLVMBuildUDiv(e->b, ns, ms, ""), rate, "");
    LLVMValueRef rest = LLVMBuildUDiv(e->b, LLVMBuildMul(e->b, LLVMBuildURem(e->b, ns, ms, ""), rate, ""), ms, "");
    LLVMValueRef v = LLVMBuildAdd(e->b, whole, rest, "");
    return wide ? v : LLVMBuildTrunc(e->b, v, ty_int(e, 32, 1), "");
}

void emit_sreg(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    switch (i->imm) {
    case IR_SREG_TID_X: case IR_SREG_TID_Y: case IR_SREG_TID_Z: tid(e, i, (int)(i->imm - IR_SREG_TID_X)); break;
    case IR_SREG_NTID_X: case IR_SREG_NTID_Y: case IR_SREG_NTID_Z: everywhere(e, i, k_int(e, 32, 1, e->p->opt.ntid[i->imm - IR_SREG_NTID_X])); break;
    case IR_SREG_CTAID_X: case IR_SREG_CTAID_Y: case IR_SREG_CTAID_Z: everywhere(e, i, env(e, (enum emit_env)(ENV_CTAID_X + i->imm - IR_SREG_CTAID_X))); break;
    case IR_SREG_NCTAID_X: case IR_SREG_NCTAID_Y: case IR_SREG_NCTAID_Z: everywhere(e, i, env(e, (enum emit_env)(ENV_NCTAID_X + i->imm - IR_SREG_NCTAID_X))); break;
    case IR_SREG_LANEID:
        if (e->p->lanes == 1 || dst_reg(e, i, 0)->shape.kind == SHAPE_AFFINE) {
            everywhere(e, i, e->p->lanes == 1 ? lane_index(e, 0) : k_int(e, 32, 1, 0));
        } else {
            for (unsigned c = 0; c < e->C; c++)
                set_varying(e, i, 0, c, lane_index(e, c));
        }
        break;
    case IR_SREG_WARPID: everywhere(e, i, e->p->lanes == 1 ? LLVMBuildLShr(e->b, e->warp, k_int(e, 32, 1, 5), "") : e->warp); break;
    case IR_SREG_NWARPID: everywhere(e, i, k_int(e, 32, 1, 64)); break;
    case IR_SREG_SMID: everywhere(e, i, env(e, ENV_SMID)); break;
    case IR_SREG_NSMID: everywhere(e, i, k_int(e, 32, 1, 108)); break;
    case IR_SREG_GRIDID: everywhere(e, i, i->dst[0]->type == IR_I64 ? env(e, ENV_GRIDID) : LLVMBuildTrunc(e->b, env(e, ENV_GRIDID), i32, "")); break;
    case IR_SREG_VISIT: {
        LLVMValueRef at = k_int(e, 64, 1, offsetof(struct kabi_block, visit));
        everywhere(e, i, LLVMBuildLoad2(e->b, ty_int(e, 64, 1), LLVMBuildGEP2(e->b, ty_int(e, 8, 1), e->block, &at, 1, ""), ""));
        break;
    }
    case IR_SREG_MEETS: everywhere(e, i, env(e, ENV_MEETS)); break;
    case IR_SREG_LANEMASK_EQ: case IR_SREG_LANEMASK_LE: case IR_SREG_LANEMASK_LT: case IR_SREG_LANEMASK_GE: case IR_SREG_LANEMASK_GT: lane_masks(e, i); break;
    case IR_SREG_CLOCK: everywhere(e, i, clock_value(e, false)); break;
    case IR_SREG_CLOCK64: everywhere(e, i, clock_value(e, true)); break;
    case IR_SREG_GLOBALTIMER: case IR_SREG_GLOBALTIMER_LO: case IR_SREG_GLOBALTIMER_HI: {
        LLVMValueRef ns = now_ns(e, "hw_now_ns");
        if (i->imm == IR_SREG_GLOBALTIMER_HI)
            ns = LLVMBuildLShr(e->b, ns, k_int(e, 64, 1, 32), "");
        everywhere(e, i, i->dst[0]->type == IR_I64 ? ns : LLVMBuildTrunc(e->b, ns, i32, ""));
        break;
    }
    case IR_SREG_TOTAL_SMEM: everywhere(e, i, env(e, ENV_SHARED_BYTES)); break;
    case IR_SREG_DYNAMIC_SMEM: everywhere(e, i, LLVMBuildSub(e->b, env(e, ENV_SHARED_BYTES), env(e, ENV_SHARED_STATIC), "")); break;
    default: diag_error(e->diag, (int)i->ptx_line, 0, "special register %lld is not supported", (long long)i->imm); break;
    }
}
