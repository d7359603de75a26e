/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lives across barriers: registers and masks in the block's frame, one area per group.
 * Layout: state[groups] (uint32_t), red[groups] (uint32_t), struct kabi_bars, in fair kernels struct kabi_warpop[groups],
 * what all groups have in common, then the groups' areas, and room for their parts where they may be taken apart.
 */
#include "jit/emit/frame.h"

static bool is_barrier(const struct plan *p, int b)
{
    return plan_stops(ir_block_term(p->blocks[b].ir));
}

/*
 * For the entry in question, which most often is the one of the question before: in which blocks lanes may wait when a warp
 * stops at a barrier that leads there, and which registers are live where execution goes on, there or in one of those blocks.
 */
static void look_at(struct emit *e, int entry)
{
    const struct plan *p = e->p;
    size_t n_blocks = (size_t)p->n_blocks;
    if (e->waiting && e->looked_at == entry)
        return;
    if (!e->waiting) {
        e->waiting = hw_alloc((bits_words(n_blocks) + 1) * sizeof *e->waiting);
        e->alive = hw_alloc((bits_words(p->n_regs) + 1) * sizeof *e->alive);
    }
    memset(e->waiting, 0, bits_words(n_blocks) * sizeof *e->waiting);
    memset(e->alive, 0, bits_words(p->n_regs) * sizeof *e->alive);
    for (size_t b = 0; b < n_blocks; b++)
        if (p->blocks[b].succ[0] == entry && is_barrier(p, (int)b))
            bits_or(e->waiting, p->blocks[b].pending, n_blocks);
    bits_or(e->alive, p->blocks[entry].live_in, p->n_regs);
    for (size_t b = 0; b < n_blocks; b++)
        if (bits_has(e->waiting, b))
            bits_or(e->alive, p->blocks[b].live_in, p->n_regs);
    e->looked_at = entry;
}

static bool waits(struct emit *e, int entry, int b)
{
    look_at(e, entry);
    return bits_has(e->waiting, (size_t)b);
}

const bits_word *frame_waiting(struct emit *e, int entry)
{
    look_at(e, entry);
    return e->waiting;
}

static bool live(struct emit *e, int entry, size_t reg)
{
    look_at(e, entry);
    return bits_has(e->alive, reg);
}

static bool saves_mask(struct emit *e, int entry, int b)
{
    const struct plan_block *blk = &e->p->blocks[b];
    return blk->masked && blk->mask_from < 0 && (b == entry || waits(e, entry, b));
}

static bool saves_cur(struct emit *e, int entry, int b)
{
    return e->is_source[b] && b != entry && plan_dominates(e->p, b, entry);
}

static uint32_t slot_bytes(struct emit *e, const struct ir_reg *r)
{
    if (e->p->regs[r->id].shape.kind != SHAPE_VARYING)
        return 16 * slot_count(e, r);
    if (r->type == IR_PRED)
        return 4 * e->C;
    return ir_type_bits(r->type) / 8 * e->W * e->C;
}

static void place(uint32_t *offset, uint32_t *at, uint32_t bytes)
{
    if (*offset != UINT32_MAX)
        return;
    uint32_t align = bytes >= 64 ? 64 : 16;
    *at = (uint32_t)hw_align_up(*at, align);
    *offset = *at;
    *at += bytes;
}

/*
 * Registers that are never kept for the same entry share their place: a group's area is filled anew at each barrier, and what
 * the frames take of the first cache counts.
 */
struct place {
    uint32_t offset, bytes;
    const bits_word *entries;
};
typedef HW_VEC(struct place) places;

static void place_register(struct emit *e, places *all, size_t r, const bits_word *entries, uint32_t *at)
{
    size_t n = e->p->regions.n;
    uint32_t bytes = slot_bytes(e, e->p->regs[r].reg);
    for (size_t k = 0; k < all->n; k++) {
        struct place *s = &all->v[k];
        if (s->bytes != bytes || bits_meet(s->entries, entries, n))
            continue;
        bits_word *both = bits_new(&e->arena, n);
        bits_or(both, s->entries, n);
        bits_or(both, entries, n);
        s->entries = both;
        e->reg_offset[r] = s->offset;
        return;
    }
    place(&e->reg_offset[r], at, bytes);
    hw_vec_push(all, ((struct place){ e->reg_offset[r], bytes, entries }));
}

static void place_registers(struct emit *e, bool common, uint32_t *at)
{
    const struct plan *p = e->p;
    bits_word **entries = hw_arena_array(&e->arena, bits_word *, p->n_regs + 1);
    places all = { 0 };
    for (size_t k = 1; k < p->regions.n; k++)
        for (size_t r = 0; r < p->n_regs; r++)
            if (!p->regs[r].remat && live(e, p->regions.v[k].entry, r)) {
                if (!entries[r])
                    entries[r] = bits_new(&e->arena, p->regions.n);
                bits_add(entries[r], k);
            }
    for (size_t r = 0; r < p->n_regs; r++)
        if (entries[r] && p->regs[r].common == common)
            place_register(e, &all, r, entries[r], at);
    hw_vec_fini(&all);
}

static void keep(struct emit *e, size_t region, uint32_t offset, enum kabi_keep_kind kind, uint32_t bytes)
{
    hw_vec_push(&e->keeps, ((struct kabi_keep){ (uint32_t)region, offset, kind, bytes }));
}

static bool is_free(const struct emit *e, int entry, int b)
{
    const struct plan *p = e->p;
    for (int y = 0; y < p->n_blocks; y++)
        if (p->blocks[y].free && p->blocks[y].succ[0] == entry && bits_has(p->blocks[y].free, (size_t)b))
            return true;
    return false;
}

/* What the engine moves when it takes groups apart; what is the same for all lanes is the same for all parts. */
static void list_keeps(struct emit *e)
{
    const struct plan *p = e->p;
    for (size_t k = 1; k < p->regions.n; k++) {
        int entry = p->regions.v[k].entry;
        for (size_t r = 0; r < p->n_regs; r++) {
            const struct plan_reg *reg = &p->regs[r];
            if (reg->remat || reg->shape.kind != SHAPE_VARYING || !live(e, entry, r))
                continue;
            bool pred = reg->reg->type == IR_PRED;
            keep(e, k, e->reg_offset[r], pred ? KABI_KEEP_BITS : KABI_KEEP_VALUES, pred ? 0 : ir_type_bits(reg->reg->type) / 8);
        }
        for (int m = 0; m < p->n_blocks; m++) {
            if (saves_mask(e, entry, m))
                keep(e, k, e->mask_offset[m], m != entry && is_free(e, entry, m) ? KABI_KEEP_FREE : KABI_KEEP_MASK, 0);
            if (saves_cur(e, entry, m))
                keep(e, k, e->cur_offset[m], m == p->blocks[entry].mask_from ? KABI_KEEP_MASK : KABI_KEEP_RAN, 0);
        }
    }
}

void frame_layout(struct emit *e)
{
    const struct plan *p = e->p;
    size_t n = (size_t)p->n_blocks;
    e->reg_offset = hw_alloc(p->n_regs * 4 + 4);
    e->mask_offset = hw_alloc(n * 4);
    e->cur_offset = hw_alloc(n * 4);
    memset(e->reg_offset, 0xff, p->n_regs * 4);
    memset(e->mask_offset, 0xff, n * 4);
    memset(e->cur_offset, 0xff, n * 4);
    if (p->regions.n == 1)
        return;
    uint32_t at = 0, common_bytes = 0;
    place_registers(e, true, &common_bytes);
    place_registers(e, false, &at);
    for (size_t k = 1; k < p->regions.n; k++) {
        int entry = p->regions.v[k].entry;
        for (int m = 0; m < p->n_blocks; m++) {
            if (saves_mask(e, entry, m))
                place(&e->mask_offset[m], &at, 4 * e->C);
            if (saves_cur(e, entry, m))
                place(&e->cur_offset[m], &at, 4 * e->C);
        }
    }
    e->warp_bytes = (uint32_t)hw_align_up(at, 64);
    e->red_offset = (uint32_t)hw_align_up(p->groups * 4, 64);
    e->bars_offset = 2 * e->red_offset;
    e->warpops_offset = e->bars_offset + (uint32_t)sizeof(struct kabi_bars);
    e->common_offset = (uint32_t)hw_align_up(e->warpops_offset + (p->opt.fair ? p->groups * sizeof(struct kabi_warpop) : 0), 64);
    e->warp_offset = (uint32_t)hw_align_up(e->common_offset + common_bytes, 64);
    e->frame_bytes = e->warp_offset + p->groups * e->warp_bytes;
    if (p->parts) {
        e->parts_offset = e->frame_bytes;
        e->frame_bytes += p->groups * KABI_PARTS * ((uint32_t)sizeof(struct kabi_part) + e->warp_bytes);
        list_keeps(e);
    }
}

static LLVMValueRef frame_ptr(struct emit *e, uint32_t offset)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1), i8 = ty_int(e, 8, 1);
    LLVMValueRef area = LLVMBuildMul(e->b, LLVMBuildZExt(e->b, e->warp, i64, ""), k_int(e, 64, 1, e->warp_bytes), "");
    LLVMValueRef at = LLVMBuildAdd(e->b, area, k_int(e, 64, 1, e->warp_offset + offset), "");
    return LLVMBuildGEP2(e->b, i8, e->frame, &at, 1, "");
}

LLVMValueRef frame_state_ptr(struct emit *e, LLVMValueRef group)
{
    return LLVMBuildGEP2(e->b, ty_int(e, 32, 1), e->frame, &group, 1, "");
}

LLVMValueRef frame_red_ptr(struct emit *e, LLVMValueRef group)
{
    LLVMValueRef at = LLVMBuildAdd(e->b, group, k_int(e, 32, 1, e->red_offset / 4), "");
    return frame_state_ptr(e, at);
}

/* A field of this group's struct kabi_warpop. */
LLVMValueRef frame_warpop_ptr(struct emit *e, size_t field)
{
    LLVMValueRef at = LLVMBuildMul(e->b, e->warp, k_int(e, 32, 1, sizeof(struct kabi_warpop)), "");
    at = LLVMBuildAdd(e->b, at, k_int(e, 32, 1, e->warpops_offset + field), "");
    return LLVMBuildGEP2(e->b, ty_int(e, 8, 1), e->frame, &at, 1, "");
}

/* arrived[id] (or expected[id]) of the block's barriers. */
LLVMValueRef frame_bar_ptr(struct emit *e, LLVMValueRef id, size_t field)
{
    LLVMValueRef at = LLVMBuildAdd(e->b, LLVMBuildAnd(e->b, id, k_int(e, 32, 1, KABI_BARRIERS - 1), ""), k_int(e, 32, 1, (e->bars_offset + field) / 4), "");
    return frame_state_ptr(e, at);
}

/* Of each of a register's vectors, `step` bytes apart: places are aligned to 16, large ones to 64 (place()). */
static unsigned vector_align(bool varying, unsigned step)
{
    unsigned most = varying && step >= 64 ? 64 : 16;
    return step & (most - 1) ? step & -step : most;
}

static void save_value(struct emit *e, LLVMValueRef v, uint32_t offset, unsigned align)
{
    LLVMValueRef s = LLVMBuildStore(e->b, v, frame_ptr(e, offset));
    promise_align(e, s, align);
    tag_memory(e, s, TAG_FRAME);
}

static LLVMValueRef restore_value(struct emit *e, LLVMTypeRef t, uint32_t offset, unsigned align)
{
    LLVMValueRef v = LLVMBuildLoad2(e->b, t, frame_ptr(e, offset), "");
    promise_align(e, v, align);
    return tag_memory(e, v, TAG_FRAME);
}

/* Predicates are kept as integers: a vector of i1 has no useful layout in memory. Where mask registers are loaded from memory it has, and LLVM 19
   must be told so: of two such vectors made of integers, joined, masked and looked at as an integer, it never gets done. */
static void move_masks(struct emit *e, LLVMValueRef *slots, uint32_t offset, bool save)
{
    LLVMTypeRef bits = ty_int(e, e->W, 1), vec = ty_int(e, 1, e->W), i32 = ty_int(e, 32, 1);
    for (unsigned c = 0; c < e->C; c++) {
        if (save) {
            LLVMValueRef m = cast_to(e, LLVMBuildLoad2(e->b, vec, slots[c], ""), bits);
            save_value(e, LLVMBuildZExt(e->b, m, i32, ""), offset + 4 * c, 4);
        } else if (e->W == 16 && x86_wide(e, e->W)) {
            LLVMBuildStore(e->b, restore_value(e, vec, offset + 4 * c, 4), slots[c]);
        } else {
            LLVMValueRef m = LLVMBuildTrunc(e->b, restore_value(e, i32, offset + 4 * c, 4), bits, "");
            LLVMBuildStore(e->b, cast_to(e, m, vec), slots[c]);
        }
    }
}

/*
 * What all groups have in common is read once, before the first of them, and stored once, by the last. Only uniform registers: one slot.
 */
static void move_common(struct emit *e, const struct plan_reg *r, bool save)
{
    LLVMTypeRef t = slot_type(e, r->reg);
    LLVMValueRef at = k_int(e, 64, 1, e->common_offset + e->reg_offset[r->reg->id]), slot = slot_of(e, r->reg, 0), done;
    LLVMBuilderRef b = save ? e->b : e->eb;
    LLVMValueRef ptr = LLVMBuildGEP2(b, ty_int(e, 8, 1), e->frame, &at, 1, "");
    if (save) {
        done = LLVMBuildStore(b, LLVMBuildLoad2(b, t, slot, ""), ptr);
    } else {
        done = LLVMBuildLoad2(b, t, ptr, "");
        LLVMBuildStore(e->b, done, slot);
    }
    promise_align(e, done, 16);
    tag_memory(e, done, TAG_FRAME);
}

/* One of a group's warps: chunks from `first` on. Its base is its first chunk's, or each chunk has one. */
static void move_warp(struct emit *e, const struct plan_reg *r, const struct plan_reg *kept, unsigned first, bool save)
{
    unsigned chunks = e->narrow->opt.chunks;
    bool varying = kept->shape.kind == SHAPE_VARYING, one = !varying && kept->shape.group;
    unsigned step = varying ? ir_type_bits(r->reg->type) / 8 * e->W : 16, align = vector_align(varying, step);
    uint32_t offset = e->reg_offset[r->reg->id];
    LLVMTypeRef t = slot_type(e, r->reg);
    struct ir_operand o = { .kind = IR_REG, .reg = r->reg };
    LLVMValueRef v = NULL;
    for (unsigned c = 0; c < chunks; c++) {
        LLVMValueRef slot = slot_of(e, r->reg, first + c);
        if (save && (c == 0 || !one)) {
            v = varying ? LLVMBuildLoad2(e->b, t, slot, "") : cast_to(e, u_operand(e, &o, r->reg->type, first + c), t);
            save_value(e, v, offset + c * step, align);
        }
        if (save || (slot_count(e, r->reg) == 1 && first + c > 0))
            continue;
        if (c == 0 || !one)
            v = restore_value(e, t, offset + c * step, align);
        LLVMTypeRef it = ty_int(e, ir_type_bits(r->reg->type), 1);
        int64_t apart = one ? plan_lane_offset(e->p, &kept->shape, c * e->W) : 0;
        LLVMBuildStore(e->b, apart ? cast_to(e, LLVMBuildAdd(e->b, cast_to(e, v, it), LLVMConstInt(it, (uint64_t)apart, true), ""), t) : v, slot);
    }
}

/* A region that is made for several warps: each has its area. */
static void move_warps(struct emit *e, const struct plan_reg *r, bool save)
{
    unsigned chunks = e->narrow->opt.chunks, warps = e->C / chunks;
    LLVMValueRef group = e->warp, first = LLVMBuildMul(e->b, group, k_int(e, 32, 1, warps), "");
    for (unsigned w = 0; w < warps; w++) {
        e->warp = LLVMBuildAdd(e->b, first, k_int(e, 32, 1, w), "");
        move_warp(e, r, &e->narrow->regs[r->reg->id], w * chunks, save);
    }
    e->warp = group;
}

static void move_register(struct emit *e, const struct plan_reg *r, bool save)
{
    if (r->common) {
        move_common(e, r, save);
        return;
    }
    if (e->narrow) {
        move_warps(e, r, save);
        return;
    }
    uint32_t offset = e->reg_offset[r->reg->id];
    bool varying = r->shape.kind == SHAPE_VARYING;
    LLVMTypeRef t = slot_type(e, r->reg);
    if (varying && r->reg->type == IR_PRED) {
        LLVMValueRef slots[PLAN_MAX_CHUNKS];
        for (unsigned c = 0; c < e->C; c++)
            slots[c] = slot_of(e, r->reg, c);
        move_masks(e, slots, offset, save);
        return;
    }
    unsigned step = varying ? ir_type_bits(r->reg->type) / 8 * e->W : 16, align = vector_align(varying, step);
    for (unsigned c = 0; c < slot_count(e, r->reg); c++) {
        LLVMValueRef slot = slot_of(e, r->reg, c);
        if (save)
            save_value(e, LLVMBuildLoad2(e->b, t, slot, ""), offset + c * step, align);
        else
            LLVMBuildStore(e->b, restore_value(e, t, offset + c * step, align), slot);
    }
}

/* The last group stores what all have in common; last_one: that is this one in any case. */
void frame_save_common(struct emit *e, int entry, bool last_one)
{
    const struct plan *p = e->p;
    LLVMBasicBlockRef saved = NULL;
    for (size_t r = 0; r < p->n_regs; r++) {
        if (p->regs[r].remat || !p->regs[r].common || !live(e, entry, r))
            continue;
        if (!saved && p->groups > 1 && !last_one) {
            LLVMBasicBlockRef last = LLVMAppendBasicBlockInContext(e->cx, e->fn, "last");
            saved = LLVMAppendBasicBlockInContext(e->cx, e->fn, "saved");
            LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, e->warp, k_int(e, 32, 1, p->groups - 1), ""), last, saved);
            LLVMPositionBuilderAtEnd(e->b, last);
        }
        move_common(e, &p->regs[r], true);
    }
    if (saved) {
        LLVMBuildBr(e->b, saved);
        LLVMPositionBuilderAtEnd(e->b, saved);
    }
}

void frame_save(struct emit *e, int entry)
{
    const struct plan *p = e->p;
    for (size_t r = 0; r < p->n_regs; r++)
        if (!p->regs[r].remat && !p->regs[r].common && live(e, entry, r))
            move_register(e, &p->regs[r], true);
    frame_save_common(e, entry, false);
    for (int m = 0; m < p->n_blocks; m++) {
        if (saves_mask(e, entry, m))
            move_masks(e, e->mask[m], e->mask_offset[m], true);
        if (saves_cur(e, entry, m))
            move_masks(e, e->cur[m], e->cur_offset[m], true);
    }
}

static bool defines(const struct plan *p, int region, const struct ir_reg *r)
{
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; bits_has(p->regions.v[region].blocks, (size_t)b) && j < p->blocks[b].ir->insts.n; j++)
            if (ir_defines(p->blocks[b].ir->insts.v[j], r))
                return true;
    return false;
}

/* What was live before and is live still lies where it lay. */
bool frame_stays(struct emit *e, int region, int entry, bool common_too)
{
    const struct plan *p = e->p;
    for (size_t r = 0; r < p->n_regs; r++)
        if (!p->regs[r].remat && (common_too || !p->regs[r].common) && live(e, entry, r) && defines(p, region, p->regs[r].reg))
            return false;
    for (int m = 0; m < p->n_blocks; m++)
        if (saves_mask(e, entry, m) || saves_cur(e, entry, m))
            return false;
    return true;
}

void frame_rematerialise(struct emit *e, const struct ir_reg *r)
{
    if (e->rematerialised[r->id])
        return;
    e->rematerialised[r->id] = true;
    struct ir_inst *def = e->p->regs[r->id].def;
    for (int k = 0; k < def->n_src; k++)
        if (def->src[k].kind == IR_REG)
            frame_rematerialise(e, def->src[k].reg);
    emit_inst(e, def);
}

/* For hints: is the register there after frame_restore, or made of such by a few instructions? Nobody else needs it then. */
bool frame_makes(struct emit *e, const struct ir_operand *o, int depth)
{
    enum { MAX_DEPTH = 12 };
    if (o->kind != IR_REG || e->p->regs[o->reg->id].remat || live(e, e->p->regions.v[e->region].entry, o->reg->id))
        return true;
    const struct ir_inst *def = e->p->regs[o->reg->id].def;
    bool good = def && def->n_dst == 1 && plan_cheap(def) && depth < MAX_DEPTH;
    for (int k = 0; good && k < def->n_src; k++)
        good = frame_makes(e, &def->src[k], depth + 1);
    return good;
}

void frame_make(struct emit *e, const struct ir_operand *o)
{
    if (o->kind != IR_REG || e->rematerialised[o->reg->id])
        return;
    e->rematerialised[o->reg->id] = true;
    if (!e->p->regs[o->reg->id].remat && live(e, e->p->regions.v[e->region].entry, o->reg->id))
        return;
    struct ir_inst *def = e->p->regs[o->reg->id].def;
    for (int k = 0; k < def->n_src; k++)
        frame_make(e, &def->src[k]);
    emit_inst(e, def);
}

/* The reverse of frame_save. */
void frame_restore(struct emit *e, int entry)
{
    const struct plan *p = e->p;
    memset(e->rematerialised, 0, p->n_regs);
    for (size_t r = 0; r < p->n_regs; r++) {
        if (!live(e, entry, r))
            continue;
        if (p->regs[r].remat)
            frame_rematerialise(e, p->regs[r].reg);
        else
            move_register(e, &p->regs[r], false);
        e->available[r] = true;
    }
    for (int m = 0; m < p->n_blocks; m++) {
        if (saves_mask(e, entry, m))
            move_masks(e, e->mask[m], e->mask_offset[m], false);
        if (saves_cur(e, entry, m))
            move_masks(e, e->cur[m], e->cur_offset[m], false);
    }
}
