/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards: is this memory a kernel may touch, and aligned? One subtraction, rotate and comparison when it is. The rest is asked of
 * the engine, by a call that changes no register.
 */
#include "jit/emit.h"

#include "base/options.h"
#include "base/os.h"

/*
 * Accesses at constant distances from one register, in one block and those that the same lanes run after it: the first one's check serves
 * them all (guard_doubtful()).
 */
struct guard_group {
    const struct ir_inst *member[16];            /* the first leads */
    unsigned n;
    int last;                                    /* block with members */
    LLVMValueRef fn;
};
enum { NEAR = 64 * 1024, LOOK_AHEAD = 512 };

/* At a constant place of the module's own variable, within it: the loader gave that memory to kernels. (jit.c has the variables' sizes in the key.) */
static bool in_variable(const struct emit *e, const struct ir_inst *i)
{
    const struct ir_inst *def = i->src[0].kind == IR_REG ? e->p->regs[i->src[0].reg->id].def : NULL;
    if (!def || def->op != IR_VARADDR || (i->op != IR_LD && i->op != IR_ST))
        return false;
    const struct ir_var *v = e->kernel->module->vars.v[def->imm];
    uint64_t bytes = guard_align(i), at = (uint64_t)i->imm;
    return !v->external && at <= v->bytes && bytes <= v->bytes - at && at % bytes == 0 && v->align % bytes == 0;
}

static bool guarded(const struct emit *e, const struct ir_inst *i)
{
    bool checked = i->space == IR_GENERIC || i->space == IR_GLOBAL || i->space == IR_CONST;
    return checked && hw_options()->guard && !in_variable(e, i);
}

unsigned guard_align(const struct ir_inst *i)
{
    unsigned n = i->op == IR_LD ? i->n_dst : i->op == IR_ST ? i->n_src - 1u : i->op == IR_ATOM2 ? 2 : 1;
    return element_bytes(i) * n;
}

static bool groups(struct emit *e, const struct ir_inst *i)
{
    return !common_done(e, i) && (i->op == IR_LD || i->op == IR_ST) && guarded(e, i) && i->src[0].kind == IR_REG && !(i->flags & IR_OUTGOING);
}

static bool served(struct emit *e, const struct ir_inst *lead, const struct ir_inst *i)
{
    int64_t apart = i->imm - lead->imm;
    return groups(e, i) && i->src[0].reg == lead->src[0].reg && i->space == lead->space && guard_align(i) == guard_align(lead) &&
        apart > -NEAR && apart < NEAR && apart % guard_align(i) == 0;
}

static const struct guard_group *group_of(struct emit *e, const struct ir_inst *i)
{
    for (size_t g = 0; g < e->guards.n; g++)
        for (unsigned k = 0; k < e->guards.v[g]->n; k++)
            if (e->guards.v[g]->member[k] == i)
                return e->guards.v[g];
    return NULL;
}

/* Whoever runs the block has run the earlier one just before, in the same turn of every loop around it. */
static bool same_lanes(const struct plan *p, int earlier, int block)
{
    if (p->blocks[block].loop >= 0 && !plan_in_loop(p, earlier, p->blocks[block].loop))
        return false;
    if (!p->blocks[earlier].masked && !p->blocks[block].masked)
        return plan_dominates(p, earlier, block);
    while (block > earlier && p->blocks[block].mask_from >= 0)
        block = p->blocks[block].mask_from;
    return block == earlier;
}

/* Looks on from the lead, as long as the register is what it was. */
static void find_members(struct emit *e, struct guard_group *g, int block, size_t from)
{
    const struct ir_inst *lead = g->member[0];
    unsigned looked = 0;
    for (int b = block; b < e->p->n_blocks; b++) {
        const struct ir_block *ir = e->p->blocks[b].ir;
        bool same = b == block || same_lanes(e->p, block, b);
        for (size_t k = b == block ? from : 0; k < ir->insts.n; k++) {
            if (looked++ > LOOK_AHEAD || g->n == HW_LEN(g->member))
                return;
            if (same && (b != block || k > from) && served(e, lead, ir->insts.v[k])) {
                g->member[g->n++] = ir->insts.v[k];
                g->last = b;
            }
            if (ir_defines(ir->insts.v[k], lead->src[0].reg))
                return;
        }
    }
}

void guard_block(struct emit *e, int block)
{
    const struct ir_block *b = e->p->blocks[block].ir;
    size_t kept = 0;
    for (size_t g = 0; g < e->guards.n; g++)
        if (e->guards.v[g]->last >= block && e->guards.v[g]->fn == e->fn)
            e->guards.v[kept++] = e->guards.v[g];
    e->guards.n = kept;
    for (size_t j = 0; j < b->insts.n; j++) {
        const struct ir_inst *lead = b->insts.v[j];
        if (!groups(e, lead) || group_of(e, lead))
            continue;
        struct guard_group *g = hw_arena_alloc(&e->arena, sizeof *g);
        *g = (struct guard_group){ .member = { lead }, .n = 1, .last = block, .fn = e->fn };
        find_members(e, g, block, j);
        hw_vec_push(&e->guards, g);
    }
}

/* It has to be checked, for itself and others perhaps. */
bool guard_leads(struct emit *e, const struct ir_inst *i)
{
    const struct guard_group *g = group_of(e, i);
    return guarded(e, i) && (!g || g->member[0] == i);
}

/* Another access's check has seen to this one, or one before the loop. */
static bool done_before(struct emit *e, const struct ir_inst *i)
{
    return !guard_leads(e, i) || walked_before(e, i);
}

/*
 * i1 or <W x i1>: something is wrong, or must be looked up. The low bits that alignment wants clear go to the top.
 * What is tested may stand for others near it: the lanes of a row, members of a group. The program cannot have these fault instead where they leave the window,
 * for LLVM may remove the very access that was tested and keep another one. So the test leaves out the window's edges, where nothing lies: all that is near
 * an address between them is in the window.
 */
LLVMValueRef guard_doubtful(struct emit *e, const struct ir_inst *i, LLVMValueRef a, unsigned lanes)
{
    const uint64_t margin = HW_WINDOW_EDGE / 2, begin = ((uint64_t)HW_WINDOW_TAG << HW_WINDOW_SHIFT) + margin, size = ((uint64_t)1 << HW_WINDOW_SHIFT) - 2 * margin;
    const struct guard_group *g = group_of(e, i);
    unsigned k = (unsigned)__builtin_ctz(guard_align(i));
    if (lanes > 1) {             /* no rotation, and no comparison without sign: every CPU has these for vectors */
        const uint64_t matter = UINT64_MAX << HW_WINDOW_SHIFT | (guard_align(i) - 1), tag = (uint64_t)HW_WINDOW_TAG << HW_WINDOW_SHIFT;
        LLVMValueRef from = g && g->n > 1 ? LLVMBuildSub(e->b, a, k_int(e, 64, lanes, margin), "") : a, other = NULL;
        if (from != a) {
            other = LLVMBuildXor(e->b, LLVMBuildAdd(e->b, a, k_int(e, 64, lanes, margin), ""), k_int(e, 64, lanes, tag), "");
            from = LLVMBuildXor(e->b, LLVMBuildOr(e->b, LLVMBuildXor(e->b, from, k_int(e, 64, lanes, tag), ""), other, ""), k_int(e, 64, lanes, tag), "");
        }
        return LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, from, k_int(e, 64, lanes, matter), ""), k_int(e, 64, lanes, tag), "");
    }
    a = LLVMBuildSub(e->b, a, k_int(e, 64, 1, begin), "");
    if (k)
        a = intrinsic3(e, "llvm.fshr", ty_int(e, 64, 1), a, a, k_int(e, 64, 1, k));
    return LLVMBuildICmp(e->b, LLVMIntUGE, a, k_int(e, 64, 1, size >> k), "");
}

/*
 * The services change no register and no memory that generated code knows of. (As inline assembly, which would say that too, each took LLVM
 * 0.1 ms to read.)
 */
void call_saving(struct emit *e, size_t service, LLVMValueRef *args, LLVMTypeRef *types, unsigned n)
{
    LLVMValueRef at = k_int(e, 64, 1, service);
    LLVMValueRef fn = LLVMBuildLoad2(e->b, ty_ptr(e), LLVMBuildGEP2(e->b, ty_int(e, 8, 1), env(e, ENV_SERVICES), &at, 1, ""), "");
    LLVMValueRef call = LLVMBuildCall2(e->b, LLVMFunctionType(LLVMVoidTypeInContext(e->cx), types, n, false), fn, args, n, "");
#if defined(__x86_64__)
    static const char saves[] = "no_caller_saved_registers";
    promise_private_effects(e, call);
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->cx, LLVMGetEnumAttributeKindForName("nounwind", 8), 0));
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateStringAttribute(e->cx, saves, sizeof saves - 1, "", 0));
#else
    (void)call;
#endif
}

/* An access at its distance from another one, whose address is asked about. */
static uint64_t access_of(const struct ir_inst *m, const struct ir_inst *lead)
{
    return kabi_access_pack(m->ptx_line, (unsigned)__builtin_ctz(guard_align(m)), m->op != IR_LD && m->op != IR_TILE_LD, (int32_t)(m->imm - lead->imm));
}

/* What is asked about: the access itself and those that its check serves. */
static unsigned asked(struct emit *e, const struct ir_inst *i, uint64_t what[16])
{
    const struct guard_group *g = group_of(e, i);
    unsigned n = 0;
    for (unsigned k = 0; k < (g ? g->n : 1); k++) {
        const struct ir_inst *m = g ? g->member[k] : i;
        what[n++] = access_of(m, i);
    }
    return n;
}

static void ask(struct emit *e, const struct ir_inst *i, LLVMValueRef addr)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1), types[] = { ty_ptr(e), i64, i64 };
    uint64_t what[16];
    for (unsigned k = 0, n = asked(e, i, what); k < n; k++) {
        LLVMValueRef args[] = { e->block, addr, k_int(e, 64, 1, what[k]) };
        call_saving(e, offsetof(struct kabi_services, access), args, types, 3);
    }
}

static void ask_lanes(struct emit *e, const struct ir_inst *i, LLVMValueRef addresses, unsigned chunk)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1), types[] = { ty_ptr(e), ty_ptr(e), i64, i64 };
    LLVMValueRef array = lanes_spill(e, addresses), active = LLVMBuildZExt(e->b, mask_bits(e, mask_or_all(e, chunk)), i64, "");
    uint64_t what[16];
    for (unsigned k = 0, n = asked(e, i, what); k < n; k++) {
        LLVMValueRef args[] = { e->block, array, active, k_int(e, 64, 1, what[k]) };
        call_saving(e, offsetof(struct kabi_services, access_lanes), args, types, 4);
    }
}

/* The active lanes of a chunk and a number, as the services take them. */
static LLVMValueRef lanes_and(struct emit *e, unsigned chunk, int64_t number)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef high = k_int(e, 64, 1, (uint64_t)number << 32);
    return LLVMBuildOr(e->b, LLVMBuildZExt(e->b, mask_bits(e, mask_or_all(e, chunk)), i64, ""), high, "");
}

void guard_ask_row(struct emit *e, const struct ir_inst *i, LLVMValueRef first, int64_t step, unsigned chunk)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1), types[] = { ty_ptr(e), i64, i64, i64 };
    LLVMValueRef lanes = lanes_and(e, chunk, step);
    uint64_t what[16];
    for (unsigned k = 0, n = asked(e, i, what); k < n; k++) {
        LLVMValueRef args[] = { e->block, first, lanes, k_int(e, 64, 1, what[k]) };
        call_saving(e, offsetof(struct kabi_services, access_row), args, types, 4);
    }
}

static void ask_indexed(struct emit *e, const struct ir_inst *i, LLVMValueRef base, LLVMValueRef index, unsigned scale, unsigned chunk)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1), types[] = { ty_ptr(e), i64, ty_ptr(e), i64, i64 };
    LLVMValueRef array = lanes_spill(e, index), lanes = lanes_and(e, chunk, scale);
    uint64_t what[16];
    for (unsigned k = 0, n = asked(e, i, what); k < n; k++) {
        LLVMValueRef args[] = { e->block, base, array, lanes, k_int(e, 64, 1, what[k]) };
        call_saving(e, offsetof(struct kabi_services, access_indexed), args, types, 5);
    }
}

LLVMBasicBlockRef cold_begin(struct emit *e, LLVMValueRef bad)
{
    LLVMBasicBlockRef cold = LLVMAppendBasicBlockInContext(e->cx, e->fn, "doubt"), fine = LLVMAppendBasicBlockInContext(e->cx, e->fn, "fine");
    LLVMValueRef br = LLVMBuildCondBr(e->b, bad, cold, fine);
    LLVMMetadataRef weights[] = { LLVMMDStringInContext2(e->cx, "branch_weights", 14), LLVMValueAsMetadata(k_int(e, 32, 1, 1)),
                                  LLVMValueAsMetadata(k_int(e, 32, 1, 100000)) };
    LLVMSetMetadata(br, LLVMGetMDKindIDInContext(e->cx, "prof", 4), LLVMMetadataAsValue(e->cx, LLVMMDNodeInContext2(e->cx, weights, 3)));
    LLVMPositionBuilderAtEnd(e->b, cold);
    return fine;
}

void cold_end(struct emit *e, LLVMBasicBlockRef fine)
{
    LLVMBuildBr(e->b, fine);
    LLVMPositionBuilderAtEnd(e->b, fine);
}

void guard_scalar_if(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef any)
{
    if (done_before(e, i))
        return;
    LLVMValueRef a = LLVMBuildPtrToInt(e->b, ptr, ty_int(e, 64, 1), ""), bad = guard_doubtful(e, i, a, 1);
    LLVMBasicBlockRef fine = cold_begin(e, any ? LLVMBuildAnd(e->b, bad, any, "") : bad);
    ask(e, i, a);
    cold_end(e, fine);
}

void guard_scalar(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr)
{
    guard_scalar_if(e, i, ptr, NULL);
}

/* Lanes `step` bytes apart, in a row: the first stands for all, of the whole group where that is one row, or the same one again and again. When it
   is doubtful every active lane is looked at, since the first may be off. */
void guard_row(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, int64_t step, unsigned chunk, const struct shape *s)
{
    bool group = plan_in_row(e->p, s) || (s->kind == SHAPE_AFFINE && s->group && s->step == 0);
    if (done_before(e, i) || (group && chunk > 0))
        return;
    LLVMValueRef a = LLVMBuildPtrToInt(e->b, ptr, ty_int(e, 64, 1), "");
    LLVMBasicBlockRef fine = cold_begin(e, guard_doubtful(e, i, a, 1));
    for (unsigned c = chunk; c < (group ? e->C : chunk + 1); c++)
        guard_ask_row(e, i, LLVMBuildAdd(e->b, a, k_int(e, 64, 1, (uint64_t)(c > chunk ? plan_lane_offset(e->p, s, c * e->W) : 0)), ""), step, c);
    cold_end(e, fine);
}

/* A variable in the window is far enough from its ends for any 32-bit index. */
static bool indexes_variable(struct emit *e, const struct ir_inst *i)
{
    struct plan_indexed x;
    const struct ir_inst *def = e->in_window && plan_indexed(e->p, i, e->at, &x) && x.base->kind == IR_REG ? e->p->regs[x.base->reg->id].def : NULL;
    return def && def->op == IR_VARADDR && x.scale % guard_align(i) == 0 && i->imm % guard_align(i) == 0 && i->imm > INT32_MIN && i->imm < INT32_MAX &&
        e->kernel->module->vars.v[def->imm]->align % guard_align(i) == 0;
}

/* base + index * scale, with 32-bit indices: from a base that is far enough from the window's ends none leads out of it. n chunks, from `chunk` on. */
void guard_indexed(struct emit *e, const struct ir_inst *i, LLVMValueRef base, const LLVMValueRef *index, unsigned scale, unsigned chunk, unsigned n)
{
    const uint64_t from = ((uint64_t)HW_WINDOW_TAG << HW_WINDOW_SHIFT) + HW_WINDOW_EDGE / 2, size = ((uint64_t)1 << HW_WINDOW_SHIFT) - HW_WINDOW_EDGE;
    unsigned k = (unsigned)__builtin_ctz(guard_align(i));
    if (done_before(e, i) || indexes_variable(e, i))
        return;
    LLVMValueRef at = LLVMBuildSub(e->b, base, k_int(e, 64, 1, from), ""), bad;
    if (k)
        at = intrinsic3(e, "llvm.fshr", ty_int(e, 64, 1), at, at, k_int(e, 64, 1, k));
    bad = scale % guard_align(i) ? k_int(e, 1, 1, 1) : LLVMBuildICmp(e->b, LLVMIntUGE, at, k_int(e, 64, 1, size >> k), "");
    LLVMBasicBlockRef fine = cold_begin(e, bad);
    for (unsigned c = 0; c < n; c++)
        ask_indexed(e, i, base, index[c], scale, chunk + c);
    cold_end(e, fine);
}

void guard_lanes(struct emit *e, const struct ir_inst *i, LLVMValueRef addresses, unsigned chunk)
{
    if (done_before(e, i))
        return;
    LLVMValueRef bad = LLVMBuildAnd(e->b, guard_doubtful(e, i, addresses, e->W), mask_or_all(e, chunk), "");
    LLVMTypeRef bits = ty_int(e, e->W, 1);
    LLVMBasicBlockRef fine = cold_begin(e, LLVMBuildICmp(e->b, LLVMIntNE, cast_to(e, bad, bits), LLVMConstNull(bits), ""));
    ask_lanes(e, i, addresses, chunk);
    cold_end(e, fine);
}

/* With the first and the last line in the window, so are those between. If not, the engine is asked about both ends of each. */
void guard_lines(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef apart, unsigned lines, unsigned bytes)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1), types[] = { ty_ptr(e), ty_ptr(e), i64, i64 };
    if (!guarded(e, i))
        return;
    LLVMValueRef first = LLVMBuildPtrToInt(e->b, ptr, i64, ""), last = LLVMBuildAdd(e->b, first, LLVMBuildMul(e->b, apart, k_int(e, 64, 1, lines - 1), ""), "");
    LLVMValueRef array = entry_alloca(e, LLVMArrayType2(i64, 2ull * lines), "lines");
    LLVMBasicBlockRef fine = cold_begin(e, LLVMBuildOr(e->b, guard_doubtful(e, i, first, 1), guard_doubtful(e, i, last, 1), ""));
    for (unsigned k = 0; k < 2 * lines; k++) {
        LLVMValueRef at = k_int(e, 64, 1, k), a = LLVMBuildAdd(e->b, first, LLVMBuildMul(e->b, apart, k_int(e, 64, 1, k / 2), ""), "");
        if (k % 2)
            a = LLVMBuildAdd(e->b, a, k_int(e, 64, 1, bytes - guard_align(i)), "");
        LLVMBuildStore(e->b, a, LLVMBuildGEP2(e->b, i64, array, &at, 1, ""));
    }
    LLVMValueRef args[] = { e->block, array, k_int(e, 64, 1, UINT64_MAX >> (64 - 2 * lines)), k_int(e, 64, 1, access_of(i, i)) };
    call_saving(e, offsetof(struct kabi_services, access_lanes), args, types, 4);
    cold_end(e, fine);
}
