/* SPDX-License-Identifier: Apache-2.0 */
/* Places, instances and known values (gen_shape.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_shape.h"

enum { ARENA = 64 << 20 };

/* Memory until the next kernel. */
void *shape_alloc(struct shape *g, unsigned long bytes)
{
    static char *arena;
    if (!arena && !(arena = malloc(ARENA)))
        abort();
    unsigned long at = (g->arena_used + 15) & ~15ul;
    if (at + bytes > ARENA)
        abort();
    g->arena_used = at + bytes;
    return arena + at;
}

struct word reg(struct shape *g) { return word("%%r%u", g->n_reg++); }
struct word wide(struct shape *g) { return word("%%rd%u", g->n_wide++); }
struct word pred(struct shape *g) { return word("%%p%u", g->n_pred++); }
struct word freg(struct shape *g) { return word("%%f%u", g->n_float++); }

/* ---- places ---- */

static struct place *place_push(struct shape *g, unsigned most)
{
    if (g->here->depth + 1 >= SHAPE_PLACES || most > SHAPE_INSTANCES || g->arena_used > ARENA / 2)
        return NULL;
    struct place *p = shape_alloc(g, sizeof *p);
    *p = (struct place){ .up = g->here, .depth = g->here->depth + 1, .parent = shape_alloc(g, 4ul * most), .thread = shape_alloc(g, 4ul * most), .turn = shape_alloc(g, 4ul * most) };
    return g->here = p;
}

/* Are the instances of each group all, or none, of `want`? Groups: blocks or warps, in one turn of every loop around. */
static bool together(struct shape *g, const struct place *p, const uint32_t *group, unsigned n_groups, unsigned per)
{
    uint16_t *count = shape_alloc(g, 2ul * (n_groups + 1));
    memset(count, 0, 2ul * (n_groups + 1));
    for (unsigned i = 0; i < p->n; i++)
        count[group[i]]++;
    for (unsigned i = 0; i < p->n; i++) {
        unsigned b = p->thread[i] / g->threads, first = p->thread[i] % g->threads / 32 * 32, in_warp = g->threads - first < 32 ? g->threads - first : 32;
        if (count[group[i]] != (per == 32 ? in_warp : g->alive[b]))
            return false;
    }
    return true;
}

static void place_judge(struct shape *g, struct place *p)
{
    uint32_t *blocks = shape_alloc(g, 4ul * p->n), *warps = shape_alloc(g, 4ul * p->n);
    unsigned rounds = 1, per_block = (g->threads + 31) / 32;
    for (const struct place *q = p; q; q = q->up)
        rounds *= q->turns ? q->turns : 1;
    for (unsigned i = 0; i < p->n; i++) {
        unsigned round = 0, at = i;
        for (const struct place *q = p; q->up; at = q->parent[at], q = q->up)
            if (q->turns)
                round = round * q->turns + q->turn[at];
        blocks[i] = p->thread[i] / g->threads * rounds + round;
        warps[i] = (p->thread[i] / g->threads * per_block + p->thread[i] % g->threads / 32) * rounds + round;
    }
    p->blocks = p->sure && together(g, p, blocks, g->n_blocks * rounds, 0);
    p->warps = p->sure && !g->gone && together(g, p, warps, g->n_blocks * per_block * rounds, 32);
}

bool place_branch(struct shape *g, const struct val *cond, bool sure)
{
    const struct place *from = g->here;
    unsigned n = from->n;
    uint32_t *taken = shape_alloc(g, 4ul * n);
    for (unsigned i = 0; i < n; i++)
        taken[i] = cond ? val_at(g, cond, i) : 1;
    struct place *p = place_push(g, n);
    if (!p)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (taken[i])
            p->parent[p->n] = i, p->turn[p->n] = 0, p->thread[p->n++] = from->thread[i];
    p->sure = from->sure && sure;
    place_judge(g, p);
    return true;
}

bool place_loop(struct shape *g, const struct val *turns, struct val *turn)
{
    const struct place *from = g->here;
    unsigned n = 0, most = 1;
    for (unsigned i = 0; i < from->n; i++) {
        unsigned t = val_at(g, turns, i);
        n += t, most = t > most ? t : most;
        if (n > SHAPE_INSTANCES)
            return false;
    }
    uint32_t *counts = shape_alloc(g, 4ul * from->n + 4);
    for (unsigned i = 0; i < from->n; i++)
        counts[i] = val_at(g, turns, i);
    struct place *p = place_push(g, n ? n : 1);
    if (!p)
        return false;
    for (unsigned i = 0; i < from->n; i++)
        for (unsigned k = 0; k < counts[i]; k++)
            p->parent[p->n] = i, p->turn[p->n] = k, p->thread[p->n++] = from->thread[i];
    p->turns = most;
    p->sure = from->sure;
    place_judge(g, p);
    turn->depth = g->here->depth;
    turn->v = p->turn;
    note_plain(g, NOTE_LOOP);
    return true;
}

void place_leave(struct shape *g)
{
    if (g->here->turns)
        note_plain(g, NOTE_END);
    g->here = g->here->up;
}

/* Those return: the rest is a place that is never left. */
void place_return(struct shape *g, const struct val *cond)
{
    for (unsigned i = 0; i < g->here->n; i++)
        if (!val_at(g, cond, i))
            g->alive[g->here->thread[i] / g->threads]--;
    place_branch(g, cond, true);
}

/* ---- values ---- */

uint32_t val_at(const struct shape *g, const struct val *a, unsigned instance)
{
    if (!a->v)
        return a->c;
    for (const struct place *p = g->here; p->depth > a->depth; p = p->up)
        instance = p->parent[instance];
    return a->v[instance];
}

struct val val_const(uint32_t c)
{
    struct val r = { .c = c };
    snprintf(r.s, sizeof r.s, "%d", (int)c);
    return r;
}

void val_range(const struct shape *g, const struct val *a, uint32_t *lo, uint32_t *hi)
{
    *lo = UINT32_MAX, *hi = 0;
    for (unsigned i = 0; i < g->here->n; i++) {
        uint32_t x = val_at(g, a, i);
        *lo = x < *lo ? x : *lo, *hi = x > *hi ? x : *hi;
    }
}

static uint32_t compute(const char *op, uint32_t a, uint32_t b)
{
    int32_t x = (int32_t)a, y = (int32_t)b;
    bool s = strstr(op, ".s32") != NULL;
    if (!strncmp(op, "add", 3)) return a + b;
    if (!strncmp(op, "sub", 3)) return a - b;
    if (!strncmp(op, "mul.lo", 6)) return a * b;
    if (!strncmp(op, "mul.hi.u32", 10)) return (uint32_t)((uint64_t)a * b >> 32);
    if (!strncmp(op, "and", 3)) return a & b;
    if (!strncmp(op, "or", 2)) return a | b;
    if (!strncmp(op, "xor", 3)) return a ^ b;
    if (!strncmp(op, "shl", 3)) return b > 31 ? 0 : a << b;
    if (!strncmp(op, "shr", 3)) return s ? (uint32_t)(x >> (b > 31 ? 31 : b)) : b > 31 ? 0 : a >> b;
    if (!strncmp(op, "min", 3)) return s ? (uint32_t)(x < y ? x : y) : a < b ? a : b;
    if (!strncmp(op, "max", 3)) return s ? (uint32_t)(x > y ? x : y) : a > b ? a : b;
    if (!strncmp(op, "div", 3)) return s ? (uint32_t)(y == -1 ? -(int64_t)x : x / y) : a / b;
    if (!strncmp(op, "rem", 3)) return s ? (uint32_t)(y == -1 ? 0 : x % y) : a % b;
    if (!strncmp(op, "setp.lt", 7)) return s ? x < y : a < b;
    if (!strncmp(op, "setp.le", 7)) return s ? x <= y : a <= b;
    if (!strncmp(op, "setp.gt", 7)) return s ? x > y : a > b;
    if (!strncmp(op, "setp.ge", 7)) return s ? x >= y : a >= b;
    if (!strncmp(op, "setp.eq", 7)) return a == b;
    if (!strncmp(op, "setp.ne", 7)) return a != b;
    abort();
}

/* A division by zero is undefined: then the divisor is 1. */
static struct val value_of(struct shape *g, const char *op, const struct val *a, const struct val *b, struct word to)
{
    struct val r = { .depth = g->here->depth };
    bool divides = !strncmp(op, "div", 3) || !strncmp(op, "rem", 3);
    strcpy(r.s, to.s);
    if (!a->v && !b->v) {
        r.c = compute(op, a->c, divides && !b->c ? 1 : b->c);
    } else {
        uint32_t *v = shape_alloc(g, 4ul * g->here->n + 4);
        for (unsigned i = 0; i < g->here->n; i++) {
            uint32_t y = val_at(g, b, i);
            v[i] = compute(op, val_at(g, a, i), divides && !y ? 1 : y);
        }
        r.v = v;
    }
    return r;
}

struct val val_two(struct shape *g, const char *op, const struct val *a, const struct val *b)
{
    struct word to = reg(g);
    struct val one = *b;
    if (!strncmp(op, "div", 3) || !strncmp(op, "rem", 3)) {
        uint32_t lo, hi;
        val_range(g, b, &lo, &hi);
        if (lo == 0 && hi == 0 && !b->v)
            one = val_const(1);
        else if (b->v || lo == 0) {
            struct val c1 = val_const(1);
            one = val_two(g, "max.u32", b, &c1);
        }
    }
    put(g, "\t%s %s, %s, %s;\n", op, to.s, a->s, one.s);
    return value_of(g, op, a, &one, to);
}

struct val val_compare(struct shape *g, const char *op, const struct val *a, const struct val *b)
{
    struct word to = pred(g);
    put(g, "\t%s %s, %s, %s;\n", op, to.s, a->s, b->s);
    return value_of(g, op, a, b, to);
}

void val_widen(struct shape *g, struct val *a)
{
    a->wide = wide(g), a->wide_signed = pick(g, 2);
    put(g, a->wide_signed ? "\tcvt.s64.s32 %s, %s;\n" : "\tcvt.u64.u32 %s, %s;\n", a->wide.s, a->s);
}
