/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instrumented kernels: every basic block and every memory access of a warp is told to the engine (exec/instrument.c), with the lanes that
 * are on. Nothing of this is in the code of a plain build.
 */
#include "jit/emit/instrument.h"

#include "jit/code/details_table.h"
#include "jit/emit.h"
#include "kabi/note.h"
#include "kabi/tile.h"
#include "pass/explain.h"
#include "pass/analysis/origin.h"

/* ---- places ---- */

struct details {
    HW_VEC(struct details_site) sites;
    HW_VEC(const void *) keys;                   /* by site: its ir_inst or ir_block */
    size_t first;                                /* the first site of the plan that is being written: others' keys are gone */
    LLVMValueRef fn, addresses;                  /* 32 addresses, and 32 values, on the stack of that function */
    struct origin_defs *origins;                 /* for the checker: of that plan, made when first asked for */
    uint32_t n_windows;
};

void details_new(struct emit *e)
{
    e->details = hw_alloc(sizeof *e->details);
}

void details_plan(struct emit *e)
{
    if (!e->details)
        return;
    e->details->first = e->details->sites.n;
    origin_defs_free(e->details->origins);
    e->details->origins = NULL;
}

struct details_table *details_finish(struct emit *e, bool keep)
{
    struct details *d = e->details;
    struct details_table *t = NULL;
    if (!d)
        return NULL;
    if (keep) {
        t = details_table_new(d->sites.v, (uint32_t)d->sites.n, d->n_windows);
    } else {
        for (size_t k = 0; k < d->sites.n; k++)
            hw_free(d->sites.v[k].place);
        hw_vec_fini(&d->sites);
    }
    hw_vec_fini(&d->keys);
    origin_defs_free(d->origins);
    hw_free(d);
    e->details = NULL;
    return t;
}

/* The site of a block or access, made when it is first met: blocks that belong to several regions are written several times. */
static uint32_t site_of(struct emit *e, const void *key, const struct ir_inst *at, bool *is_new)
{
    struct details *d = e->details;
    for (size_t k = d->first; k < d->sites.n; k++)
        if (d->keys.v[k] == key) {
            *is_new = false;
            return (uint32_t)k;
        }
    struct hw_str place = { 0 };
    (e->check ? explain_frames : explain_place)(&place, e->kernel->module, at);
    hw_vec_push(&d->keys, key);
    hw_vec_push(&d->sites, ((struct details_site){ .place = place.s }));
    *is_new = true;
    return (uint32_t)d->sites.n - 1;
}

/* ---- instructions by class ---- */

static enum details_class class_of(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_MOV: case IR_SREG: case IR_PARAM: case IR_PARAMADDR: case IR_VARADDR: case IR_SHARED_TO_GENERIC: case IR_GENERIC_TO_SHARED:
    case IR_LOCAL_TO_GENERIC: case IR_GENERIC_TO_LOCAL: case IR_PACK: case IR_EXTRACT: return DETAILS_MOVE;
    case IR_ZEXT: case IR_SEXT: case IR_TRUNC: case IR_FTOI_S: case IR_FTOI_U: case IR_ITOF_S: case IR_ITOF_U: case IR_FTOF: case IR_FRINT:
        return DETAILS_CONVERT;
    case IR_CMP: case IR_SELECT: case IR_ISSPACE: return DETAILS_COMPARE;
    case IR_FADD: case IR_FSUB: case IR_FMUL: case IR_FMA: case IR_FNEG: case IR_FABS: case IR_FMIN: case IR_FMAX: case IR_COPYSIGN:
        return i->type == IR_F64 ? DETAILS_DOUBLE : DETAILS_FLOAT;
    case IR_FDIV: case IR_FSQRT: case IR_RCP_A: case IR_DIV_A: case IR_SQRT_A: case IR_RSQRT_A: case IR_SIN_A: case IR_COS_A: case IR_EX2_A:
    case IR_LG2_A: case IR_TANH_A: case IR_MATH: return DETAILS_SPECIAL;
    case IR_CBR: case IR_RET: case IR_TRAP: return DETAILS_BRANCH;
    case IR_LD: case IR_TILE_LD: return DETAILS_LOAD;
    case IR_ST: case IR_TILE_ST: return DETAILS_STORE;
    case IR_ATOM: case IR_ATOM2: return DETAILS_ATOMIC;
    case IR_TEX: return DETAILS_TEXTURE;
    case IR_SHFL: case IR_VOTE: case IR_MATCH: case IR_REDUX: case IR_ACTIVEMASK: case IR_WARPSYNC: return DETAILS_WARP;
    case IR_WARPOP: return i->imm >= KABI_WARP_MMA ? DETAILS_MATRIX : DETAILS_WARP;
    case IR_MMA: return DETAILS_MATRIX;
    case IR_BAR: case IR_BAR_RED: return DETAILS_BARRIER;
    case IR_FENCE: case IR_VPRINTF: case IR_ASSERTFAIL: case IR_MALLOC: case IR_FREE: case IR_CALL: case IR_NANOSLEEP: return DETAILS_OTHER;
    default: return DETAILS_INTEGER;
    }
}

/* Is this branch only the guard of the instruction behind it? */
static bool is_guard(const struct ir_inst *branch)
{
    for (int k = 0; k < 2; k++)
        if (branch->ptx_line && branch->target[k] && branch->target[k]->insts.n > 1 && branch->target[k]->insts.v[0]->ptx_line == branch->ptx_line)
            return true;
    return false;
}

/* PTX instructions, as far as constants and copies have left them: operations that follow each other from one line are one. Jumps without a
   condition are not counted: they follow from how blocks are laid out. */
static void count_classes(const struct ir_block *b, size_t from, size_t to, struct details_site *site)
{
    int now = -1;
    uint32_t line = 0;
    for (size_t j = from; j < to; j++) {
        const struct ir_inst *i = b->insts.v[j];
        int c = (int)class_of(i);
        if (i->op == IR_BR || i->op == IR_YIELD || i->op == IR_ENTER || i->op == IR_NOTE || (i->op == IR_CBR && is_guard(i)))
            continue;
        if (now >= 0 && i->ptx_line && i->ptx_line == line) {
            now = c > now ? c : now;
            continue;
        }
        if (now >= 0)
            site->classes[now]++;
        now = c;
        line = i->ptx_line;
    }
    if (now >= 0)
        site->classes[now]++;
}

/* ---- what is told ---- */

/* The lanes of the group that are on; in builds of one lane, that one. */
static LLVMValueRef active(struct emit *e)
{
    LLVMValueRef all = k_int(e, 32, 1, e->W == 1 ? 1 : UINT32_MAX);
    for (unsigned c = 0; e->W > 1 && e->m[0] && c < e->C; c++) {
        LLVMValueRef part = LLVMBuildShl(e->b, mask_bits(e, e->m[c]), k_int(e, 32, 1, c * e->W), "");
        all = c ? LLVMBuildOr(e->b, all, part, "") : part;
    }
    return all;
}

static void tell(struct emit *e, uint32_t site, LLVMValueRef addresses, bool seldom)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1), types[] = { ty_ptr(e), i32, i32, i32, ty_ptr(e) };
    LLVMValueRef args[] = { e->block, k_int(e, 32, 1, site), linear_thread(e, 0), active(e), addresses ? addresses : LLVMConstNull(ty_ptr(e)) };
    if (seldom) {
        call_saving(e, offsetof(struct kabi_services, count_saving), args, types, 5);
        return;
    }
    LLVMValueRef k = k_int(e, 64, 1, offsetof(struct kabi_services, count));
    LLVMValueRef at = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), env(e, ENV_SERVICES), &k, 1, "");
    LLVMValueRef fn = LLVMBuildLoad2(e->b, ty_ptr(e), at, "");
    LLVMBuildCall2(e->b, LLVMFunctionType(LLVMVoidTypeInContext(e->cx), types, 5, false), fn, args, 5, "");
}

static bool reads_clock(const struct ir_inst *i) { return i->op == IR_SREG && i->imm >= IR_SREG_CLOCK && i->imm <= IR_SREG_GLOBALTIMER_HI; }

/* A block is told in pieces, of which the first may be empty and all others begin by reading a clock: what lies between two looks is known at the second. */
static void tell_piece(struct emit *e, const struct ir_block *b, size_t from, bool looks)
{
    bool is_new;
    const void *key = looks ? (const void *)b->insts.v[from] : b;
    size_t to = from + looks;
    while (to < b->insts.n && !reads_clock(b->insts.v[to]))
        to++;
    uint32_t site = site_of(e, key, b->insts.v[from], &is_new);
    if (is_new) {
        struct details_site *s = &e->details->sites.v[site];
        count_classes(b, from, to, s);
        details_machine(e->p->func, b, from, to, s);
        s->looks = looks;
    }
    tell(e, site, NULL, false);
}

void details_block(struct emit *e, const struct ir_block *b)
{
    if (e->details && !e->check && b->insts.n)   /* the checker asks for accesses only */
        tell_piece(e, b, 0, false);
}

void details_look(struct emit *e, const struct ir_block *b, size_t j)
{
    if (e->details && !e->check && reads_clock(b->insts.v[j]))
        tell_piece(e, b, j, true);
}

static uint8_t space_of(const struct ir_inst *i)
{
    switch (i->space) {
    case IR_GLOBAL: return DETAILS_GLOBAL;
    case IR_SHARED: return DETAILS_SHARED;
    case IR_LOCAL: return DETAILS_LOCAL;
    case IR_CONST: case IR_PARAM_SPACE: return DETAILS_CONSTANT;
    default: return DETAILS_GENERIC;
    }
}

static uint8_t warp_op_of(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_SHFL: return (uint8_t)(KABI_WARP_SHFL_UP + i->imm);
    case IR_VOTE: return (uint8_t)(KABI_WARP_VOTE_ALL + i->imm);
    case IR_MATCH: return i->imm ? KABI_WARP_MATCH_ALL : KABI_WARP_MATCH_ANY;
    case IR_REDUX: return KABI_WARP_REDUX_ADD;
    case IR_WARPOP: return i->imm < KABI_WARP_MMA ? (uint8_t)i->imm : KABI_WARP_SYNC;
    default: return KABI_WARP_SYNC;
    }
}

static bool is_shuffle(uint8_t op) { return op >= KABI_WARP_SHFL_UP && op <= KABI_WARP_SHFL_IDX; }

/* Whose memory an access is meant for, and which of the values that it reads count. */
static void describe_origin(struct emit *e, const struct ir_inst *i, struct details_site *s)
{
    struct details *d = e->details;
    const struct ir_func *f = e->p->func;
    struct origin o;
    if (!d->origins)
        d->origins = origin_defs_new(f);
    s->element = (uint8_t)element_bytes(i);
    origin_of(d->origins, i, &o);
    if (o.shared && o.shared <= f->shared.n) {
        s->shared_at = f->shared.v[o.shared - 1].offset;
        s->shared_bytes = f->shared.v[o.shared - 1].bytes;
    }
    if (o.local && o.local <= f->locals.n) {
        s->local_at = f->locals.v[o.local - 1].offset;
        s->local_bytes = f->locals.v[o.local - 1].bytes;
    }
    bool counts = (i->op == IR_LD && !s->strong) || i->op == IR_ATOM || i->op == IR_ATOM2;
    s->ordered = counts && i->space == IR_SHARED && o.shared && origin_ordered(d->origins, e->p, e->at, i, o.shared);
    s->variable = o.variable;
    s->n_params = s->shared_bytes || s->local_bytes || s->variable ? 0 : o.n_params;
    memcpy(s->params, o.params, sizeof s->params);
    for (int k = 0; i->op == IR_LD && k < i->n_dst; k++) {
        bool early = i->src[0].kind == IR_IMM && origin_used_elsewhere(d->origins, i->dst[k]);       /* a constant place may be read before anybody asked */
        enum origin_use use = origin_use_of(d->origins, i->dst[k]);
        s->used |= (uint8_t)((use == ORIGIN_USED && !early) << k);
        s->copied |= (uint8_t)((use == ORIGIN_COPIED) << k);
    }
    if (i->op == IR_ATOM && (i->atom != IR_ATOM_EXCH || (i->n_dst && origin_use_of(d->origins, i->dst[0]) != ORIGIN_UNUSED)))
        s->used = 1;
}

static bool describe(struct emit *e, const struct ir_inst *i, struct details_site *s)
{
    unsigned n = 1;
    bool is_volatile = (i->flags & IR_VOLATILE) != 0, atomic = i->op == IR_ATOM || i->op == IR_ATOM2, both = i->order == IR_ACQ_REL || i->order == IR_SEQ_CST;
    s->strong = atomic || is_volatile || i->order != IR_WEAK;
    s->acquires = both || i->order == IR_ACQUIRE;
    s->releases = both || i->order == IR_RELEASE;
    s->grid_wide = i->scope >= IR_GPU || (is_volatile && !atomic);
    s->system_wide = s->strong && (i->scope == IR_SYS || (is_volatile && !atomic));
    switch (i->op) {
    case IR_BAR: case IR_BAR_RED:
        s->kind = DETAILS_IN_BARRIER;
        s->releases = i->op == IR_BAR && i->imm == IR_BAR_ARRIVE;
        return e->orders;
    case IR_WARPSYNC: case IR_SHFL: case IR_VOTE: case IR_MATCH: case IR_REDUX: case IR_WARPOP:
        s->kind = DETAILS_IN_WARP;
        s->op = warp_op_of(i);
        return e->orders && s->op != KABI_WARP_ACTIVEMASK && (i->op != IR_WARPOP || i->imm < KABI_WARP_MMA);
    case IR_MALLOC: s->kind = DETAILS_IN_MALLOC; return e->check;
    case IR_FREE: s->kind = DETAILS_IN_FREE; return e->check;
    case IR_TRAP: s->kind = DETAILS_IN_TRAP; return e->check;
    case IR_NOTE:
        s->kind = DETAILS_IN_NOTE;
        s->op = (uint8_t)note_kind_of(i->imm);
        s->bytes = (uint16_t)note_number_of(i->imm);
        s->space = space_of(i);
        return e->check;
    case IR_FENCE: s->kind = DETAILS_IN_FENCE; return e->orders;
    case IR_LD: s->kind = DETAILS_IN_LOAD; n = i->n_dst; break;
    case IR_ST: s->kind = DETAILS_IN_STORE; n = i->n_src - 1u; break;
    case IR_ATOM: s->kind = DETAILS_IN_ATOMIC; break;
    case IR_ATOM2: s->kind = DETAILS_IN_ATOMIC; n = 2; break;
    case IR_TILE_LD: s->kind = DETAILS_IN_LOAD; n = i->n_dst; s->tile = true; break;
    case IR_TILE_ST: s->kind = DETAILS_IN_STORE; n = i->n_src - 2u; s->tile = true; break;
    default: return false;
    }
    s->valued = e->check && i->op == IR_ST && i->n_src == 2 && i->type != IR_PRED && ir_type_bits(i->type) <= 64;
    if (e->check && i->op == IR_ATOM && !ir_type_is_float(i->type) && ir_type_bits(i->type) <= 64)
        s->locks = i->atom == IR_ATOM_CAS ? DETAILS_TAKES_LOCK : i->atom == IR_ATOM_EXCH ? DETAILS_GIVES_LOCK : DETAILS_NO_LOCK;
    s->space = space_of(i);
    s->retries = i->op == IR_ATOM && ir_type_is_float(i->type);
    s->bytes = (uint16_t)(n * element_bytes(i));
    if (s->tile) {
        unsigned lines, elements;
        struct tile_access t = tile_unpack(i->imm);
        tile_extent(t, &lines, &elements);
        s->lines = (uint16_t)lines;
        s->line_bytes = (uint16_t)(elements * t.bits / 8);
    }
    return true;
}

/* Accesses of single lanes that the checker may have nothing to say about. */
static void give_window(struct details *d, struct details_site *s)
{
    if (s->tile || !s->bytes || s->kind < DETAILS_IN_LOAD || s->kind > DETAILS_IN_ATOMIC)
        return;
    s->watched = true;
    s->window = d->n_windows;
    d->n_windows += s->space == DETAILS_LOCAL ? KABI_WARPS : 1;
}

static LLVMValueRef widened(struct emit *e, LLVMValueRef v)
{
    LLVMTypeRef t = ty_int(e, 64, e->W);
    return LLVMTypeOf(v) == t ? v : LLVMBuildZExt(e->b, v, t, "");
}

/* The members; of a shuffle also its lane and clamp operands: bits 32..39 and 40..55. */
static LLVMValueRef warp_operands(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMValueRef all = widened(e, v_operand(e, &i->src[i->n_src - 1], IR_I32, chunk));
    if (!is_shuffle(warp_op_of(i)) || i->n_src < 4)
        return all;
    LLVMValueRef lane = LLVMBuildAnd(e->b, v_operand(e, &i->src[1], IR_I32, chunk), k_int(e, 32, e->W, 31), "");
    LLVMValueRef clamp = LLVMBuildAnd(e->b, v_operand(e, &i->src[2], IR_I32, chunk), k_int(e, 32, e->W, 0x1f1f), "");
    all = LLVMBuildOr(e->b, all, LLVMBuildShl(e->b, widened(e, lane), k_int(e, 64, e->W, 32), ""), "");
    return LLVMBuildOr(e->b, all, LLVMBuildShl(e->b, widened(e, clamp), k_int(e, 64, e->W, 40), ""), "");
}

/* What the checker hears in the place of addresses. */
static LLVMValueRef lane_operands(struct emit *e, const struct ir_inst *i, enum details_kind kind, unsigned chunk)
{
    LLVMTypeRef t = ty_int(e, 64, e->W);
    int id = i->op == IR_BAR_RED ? 1 : 0;
    if (kind == DETAILS_IN_FENCE || kind == DETAILS_IN_TRAP)
        return k_int(e, 64, e->W, 0);
    if (kind == DETAILS_IN_MALLOC || kind == DETAILS_IN_FREE)
        return widened(e, v_operand(e, &i->src[0], src_type(i, 0), chunk));
    if (kind == DETAILS_IN_NOTE)
        return i->n_src ? LLVMBuildAdd(e->b, widened(e, v_operand(e, &i->src[0], src_type(i, 0), chunk)), k_int(e, 64, e->W, (uint64_t)note_offset_of(i->imm)), "") : k_int(e, 64, e->W, 0);
    if (kind == DETAILS_IN_WARP)
        return warp_operands(e, i, chunk);
    LLVMValueRef number = i->n_src > id ? LLVMBuildZExt(e->b, v_operand(e, &i->src[id], IR_I32, chunk), t, "") : k_int(e, 64, e->W, 0);
    LLVMValueRef count = i->n_src > id + 1 ? LLVMBuildZExt(e->b, v_operand(e, &i->src[id + 1], IR_I32, chunk), t, "") : k_int(e, 64, e->W, 0);
    number = LLVMBuildOr(e->b, number, LLVMBuildShl(e->b, count, k_int(e, 64, e->W, 32), ""), "");
    return i->op == IR_BAR && i->imm == IR_BAR_ARRIVE ? LLVMBuildOr(e->b, number, k_int(e, 64, e->W, DETAILS_ARRIVES), "") : number;
}

/* A tile's address is the same in the whole warp, and its imm no offset. */
LLVMValueRef details_addresses(struct emit *e, const struct ir_inst *i, bool tile, unsigned chunk)
{
    if (e->check && i->space == IR_LOCAL && !tile) {                 /* where it is in the thread's own */
        LLVMValueRef at = widened(e, v_operand(e, &i->src[0], src_type(i, 0), chunk));
        at = LLVMBuildAdd(e->b, at, k_int(e, 64, e->W, (uint64_t)i->imm + (i->flags & IR_OUTGOING ? e->p->own_local : 0)), "");
        return e->sp ? LLVMBuildAdd(e->b, at, splat(e, e->sp, e->W), "") : at;
    }
    LLVMValueRef a = tile ? v_operand(e, &i->src[0], src_type(i, 0), chunk) : v_address(e, i, chunk);
    LLVMTypeRef t = ty_int(e, 64, e->W);
    return LLVMTypeOf(a) == t ? a : LLVMBuildZExt(e->b, a, t, "");
}

/* What is stored; of a compare and swap what it compares with. */
static LLVMValueRef stored_value(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    if (i->op != IR_ST && i->op != IR_ATOM)      /* a tile: bytes between its lines; a note: its second number */
        return widened(e, v_operand(e, &i->src[1], IR_I64, chunk));
    LLVMTypeRef bits = ty_int(e, ir_type_bits(i->type), e->W), i64 = ty_int(e, 64, e->W);
    LLVMValueRef v = cast_to(e, v_operand(e, &i->src[1], i->type, chunk), bits);
    return bits == i64 ? v : LLVMBuildZExt(e->b, v, i64, "");
}

LLVMValueRef details_room(struct emit *e)
{
    struct details *d = e->details;
    if (d->fn != e->fn) {
        d->fn = e->fn;
        d->addresses = entry_alloca(e, LLVMArrayType2(ty_int(e, 64, 1), 2 * PLAN_LANES), "addresses");
    }
    return d->addresses;
}

void details_access(struct emit *e, const struct ir_inst *i)
{
    struct details_site what = { 0 };
    struct details *d = e->details;
    bool is_new;
    if (!d || !describe(e, i, &what))
        return;
    uint32_t site = site_of(e, i, i, &is_new);
    if (is_new) {
        if (e->check && what.kind >= DETAILS_IN_LOAD && what.kind <= DETAILS_IN_ATOMIC) {
            describe_origin(e, i, &what);
            give_window(d, &what);
        }
        what.place = d->sites.v[site].place;
        d->sites.v[site] = what;
    }
    what = d->sites.v[site];
    LLVMBasicBlockRef fine = what.watched ? window_begin(e, i, site, &what) : NULL;
    LLVMValueRef addresses = details_room(e);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef k = k_int(e, 64, 1, (uint64_t)c * e->W);
        LLVMValueRef to = LLVMBuildGEP2(e->b, ty_int(e, 64, 1), addresses, &k, 1, "");
        LLVMSetAlignment(LLVMBuildStore(e->b, what.kind >= DETAILS_IN_BARRIER ? lane_operands(e, i, what.kind, c) : details_addresses(e, i, what.tile, c), to), 8);
    }
    bool second = what.valued || what.locks || what.tile || (e->check && i->op == IR_NOTE && i->n_src > 1);
    for (unsigned c = 0; second && c < e->C; c++) {
        LLVMValueRef k = k_int(e, 64, 1, PLAN_LANES + (uint64_t)c * e->W);
        LLVMSetAlignment(LLVMBuildStore(e->b, stored_value(e, i, c), LLVMBuildGEP2(e->b, ty_int(e, 64, 1), addresses, &k, 1, "")), 8);
    }
    tell(e, site, addresses, fine != NULL);
    if (fine)
        cold_end(e, fine);
}
