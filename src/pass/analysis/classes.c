/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about classes: which lanes run a block, compared with another. A class has a bit for each edge of each branch, but few of them are set, and
 * near each other: where they begin and end is kept, and pairs of blocks are compared when somebody asks. (All pairs in advance took a minute for a kernel
 * with 3,000 branches.)
 */
#include "pass/plan.h"

void plan_class_ends(struct plan_block *b, size_t words)
{
    size_t from = 0, to = words;
    while (from < to && !b->cls[from])
        from++;
    while (to > from && !b->cls[to - 1])
        to--;
    b->cls_from = (uint32_t)from;
    b->cls_to = (uint32_t)to;
}

bool plan_class_within(const struct plan_block *a, const struct plan_block *b)
{
    if (a->cls_from == a->cls_to)
        return true;
    if (a->cls_from < b->cls_from || a->cls_to > b->cls_to)
        return false;
    for (uint32_t w = a->cls_from; w < a->cls_to; w++)
        if (a->cls[w] & ~b->cls[w])
            return false;
    return true;
}

bool plan_same_class(const struct plan_block *a, const struct plan_block *b)
{
    return a->cls_from == b->cls_from && a->cls_to == b->cls_to &&
        memcmp(a->cls + a->cls_from, b->cls + b->cls_from, (a->cls_to - a->cls_from) * sizeof *a->cls) == 0;
}

/*
 * A class says which edges can lead to a block, not that all of its lanes took them: where the ways of `if (x || y)` meet,
 * lanes that took either edge of x run. So even if b's class holds all of a's, lanes may come to b by the other edge of a
 * branch that a depends on: past a, when a does not dominate b, or before the others run a once more.
 */
static bool goes_around(const struct plan *p, int a, int b)
{
    const bits_word even = 0x5555555555555555u, *of_a = p->blocks[a].cls, *of_b = p->blocks[b].cls;
    bool dominates = plan_dominates(p, a, b);
    for (size_t w = p->blocks[a].cls_from; w < p->blocks[a].cls_to; w++) {
        /* the two edges of a branch are neighbours */
        bits_word other = (of_a[w] & even) << 1 | (of_a[w] >> 1 & even);
        for (bits_word m = other & of_b[w]; m; m &= m - 1)
            if (!dominates || plan_dominates(p, a, (int)((64 * w + (size_t)__builtin_ctzll(m)) / 2)))
                return true;
    }
    return false;
}

/* May b run after a, with lanes that a did not run with? */
static bool has_others(const struct plan *p, int a, int b)
{
    return (b > a || plan_share_loop(p, a, b)) && (!plan_class_within(&p->blocks[a], &p->blocks[b]) || goes_around(p, a, b));
}

/* Is the register carried to the next iteration of a loop, also by lanes that did not come to the block in this one? */
static bool is_carried_past(const struct plan *p, const struct plan_reg *r, int block)
{
    for (int l = p->blocks[block].loop; l >= 0; l = p->loops.v[l].parent) {
        const struct plan_loop *loop = &p->loops.v[l];
        if (bits_has(r->live_in, (size_t)loop->header) && bits_has(loop->skipped, (size_t)(block - loop->header)))
            return true;
    }
    return false;
}

/* What is a function of the thread alone has one value at all times: lanes that do not run the definition get what they had. */
bool plan_blends(const struct plan *p, const struct plan_reg *r, int block)
{
    const struct plan_block *blk = &p->blocks[block];
    size_t n = (size_t)p->n_blocks, later = (size_t)block + 1;
    if (p->lanes <= 1 || r->remat || blk->cls_from == blk->cls_to)
        return false;
    if (is_carried_past(p, r, block))
        return true;
    for (size_t b = bits_next(r->live_in, later, n); b < n; b = bits_next(r->live_in, b + 1, n))
        if (has_others(p, block, (int)b))
            return true;
    for (size_t b = blk->loop < 0 ? n : bits_next(r->live_in, 0, n); b < later; b = bits_next(r->live_in, b + 1, n))
        if (has_others(p, block, (int)b))
            return true;
    return false;
}
