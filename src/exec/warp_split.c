/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes groups apart and puts them together. A part is a copy of what its group keeps in the frame, in which other lanes are on; it runs when
 * it is in its group's place. pass/transform/warp_split.c says where that is possible.
 */
#include "exec/warp_split.h"

static uint32_t *state_of(struct kabi_block *block, uint32_t group)
{
    return (uint32_t *)(void *)block->frame + group;
}

static uint32_t *red_of(const struct kabi_kernel *k, struct kabi_block *block, uint32_t group)
{
    return (uint32_t *)(void *)(block->frame + k->red_offset) + group;
}

static char *area_of(const struct kabi_kernel *k, struct kabi_block *block, uint32_t group)
{
    return block->frame + k->warp_offset + (size_t)group * k->warp_bytes;
}

struct kabi_part *turns_part(const struct kabi_kernel *k, struct kabi_block *block, uint32_t group, uint32_t j)
{
    size_t bytes = sizeof(struct kabi_part) + k->warp_bytes;
    return (struct kabi_part *)(void *)(block->frame + k->parts_offset + ((size_t)group * KABI_PARTS + j) * bytes);
}

static char *copy_of(struct kabi_part *part) { return (char *)(part + 1); }

static void swap_words(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;
    *a = *b;
    *b = t;
}

void turns_swap(const struct kabi_kernel *k, struct kabi_block *block, uint32_t group, uint32_t j)
{
    struct kabi_part *part = turns_part(k, block, group, j);
    char *area = area_of(k, block, group), *copy = copy_of(part), some[64];
    swap_words(&part->state, state_of(block, group));
    swap_words(&part->red, red_of(k, block, group));
    for (uint32_t at = 0; at < k->warp_bytes; at += sizeof some) {       /* areas are multiples of 64 */
        memcpy(some, area + at, sizeof some);
        memcpy(area + at, copy + at, sizeof some);
        memcpy(copy + at, some, sizeof some);
    }
}

/* The lanes in a row of mask words, one word per vector. */
static uint32_t get_lanes(const struct kabi_kernel *k, const char *at)
{
    uint32_t lanes = 0, word;
    for (uint32_t c = 0; c < k->chunks; c++) {
        memcpy(&word, at + 4 * c, sizeof word);
        lanes |= word << c * k->width;
    }
    return lanes;
}

static void set_lanes(const struct kabi_kernel *k, char *at, uint32_t lanes)
{
    for (uint32_t c = 0; c < k->chunks; c++) {
        uint32_t word = lanes >> c * k->width & ((uint32_t)((uint64_t)1 << k->width) - 1);
        memcpy(at + 4 * c, &word, sizeof word);
    }
}

static bool is_mask(const struct kabi_keep *keep)
{
    return keep->kind == KABI_KEEP_MASK || keep->kind == KABI_KEEP_FREE || keep->kind == KABI_KEEP_RAN;
}

/* Of what waits before a region, only these lanes stay. */
static void restrict_to(const struct kabi_kernel *k, uint32_t region, char *area, uint32_t lanes)
{
    for (uint32_t i = 0; i < k->n_keeps; i++)
        if (k->keeps[i].region == region && is_mask(&k->keeps[i]))
            set_lanes(k, area + k->keeps[i].offset, get_lanes(k, area + k->keeps[i].offset) & lanes);
}

/* Makes a part of the lanes that are free to go on, of the group in its place. Returns them. */
static uint32_t take_apart(struct turns *t, const struct kabi_kernel *k, struct kabi_block *block, uint32_t group)
{
    uint32_t state = *state_of(block, group), free_lanes = 0, others = 0;
    char *area = area_of(k, block, group);
    if (state == KABI_DONE || (state & KABI_ARRIVED) || t->n[group] == KABI_PARTS)
        return 0;
    for (uint32_t i = 0; i < k->n_keeps; i++) {
        const struct kabi_keep *keep = &k->keeps[i];
        if (keep->region != KABI_REGION(state))
            continue;
        free_lanes |= keep->kind == KABI_KEEP_FREE ? get_lanes(k, area + keep->offset) : 0;
        others |= keep->kind == KABI_KEEP_MASK ? get_lanes(k, area + keep->offset) : 0;
    }
    if (!free_lanes || !others)
        return 0;
    struct kabi_part *part = turns_part(k, block, group, t->n[group]++);
    t->total++;
    *part = (struct kabi_part){ .lanes = free_lanes, .state = state, .red = *red_of(k, block, group) };
    memcpy(copy_of(part), area, k->warp_bytes);
    restrict_to(k, KABI_REGION(state), copy_of(part), free_lanes);
    restrict_to(k, KABI_REGION(state), area, ~free_lanes);
    return free_lanes;
}

void turns_take_apart(struct turns *t, const struct kabi_kernel *k, struct kabi_block *block)
{
    for (uint32_t w = 0; w < k->n_warps; w++) {
        uint32_t n = t->n[w];
        take_apart(t, k, block, w);
        for (uint32_t j = 0; j < n; j++) {
            turns_swap(k, block, w, j);
            turns_part(k, block, w, j)->lanes &= ~take_apart(t, k, block, w);
            turns_swap(k, block, w, j);
        }
    }
}

/* The last part takes the place of one that is no more. */
static void forget(struct turns *t, const struct kabi_kernel *k, struct kabi_block *block, uint32_t group, uint32_t j)
{
    t->total--;
    if (j != --t->n[group])
        memcpy(turns_part(k, block, group, j), turns_part(k, block, group, t->n[group]), sizeof(struct kabi_part) + k->warp_bytes);
}

static void join(const struct kabi_kernel *k, struct kabi_block *block, uint32_t group, struct kabi_part *part)
{
    uint32_t region = KABI_REGION(part->state), lanes = part->lanes;
    char *area = area_of(k, block, group), *copy = copy_of(part);
    for (uint32_t i = 0; i < k->n_keeps; i++) {
        const struct kabi_keep *keep = &k->keeps[i];
        char *to = area + keep->offset, *from = copy + keep->offset;
        if (keep->region != region)
            continue;
        if (keep->kind != KABI_KEEP_VALUES) {
            set_lanes(k, to, (get_lanes(k, to) & ~lanes) | (get_lanes(k, from) & lanes));
            continue;
        }
        for (uint32_t left = lanes; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            memcpy(to + lane * keep->bytes, from + lane * keep->bytes, keep->bytes);
        }
    }
    *red_of(k, block, group) += part->red;
}

void turns_put_together(struct turns *t, const struct kabi_kernel *k, struct kabi_block *block)
{
    for (uint32_t w = 0; t->total && w < k->n_warps; w++) {
        uint32_t *state = state_of(block, w);
        if (*state == KABI_DONE && t->n[w])
            turns_swap(k, block, w, t->n[w] - 1);
        for (uint32_t j = t->n[w]; j-- > 0;)
            if (turns_part(k, block, w, j)->state == KABI_DONE)
                forget(t, k, block, w, j);
        bool together = *state & KABI_ARRIVED;
        for (uint32_t j = 0; j < t->n[w]; j++)
            together &= turns_part(k, block, w, j)->state == *state;
        while (together && t->n[w]) {
            join(k, block, w, turns_part(k, block, w, t->n[w] - 1));
            forget(t, k, block, w, t->n[w] - 1);
        }
    }
}
