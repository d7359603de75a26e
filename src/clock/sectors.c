/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of sectors of memory, as hash tables. */
#include "clock/count_internal.h"

#include "base/os.h"

enum { MOST_SECTORS = 1 << 21 };                 /* of a set: what does not fit is new to everybody, as far as we know */

struct touched *sectors_slot(const struct touched_set *s, uint64_t sector)
{
    size_t k = (size_t)((sector * 0x9E3779B97F4A7C15u) >> 20) & (s->cap - 1);
    while (s->v[k].sector && s->v[k].sector != sector + 1)
        k = (k + 1) & (s->cap - 1);
    return &s->v[k];
}

struct touched *sectors_touch(struct touched_set *s, uint64_t sector)
{
    if (s->n >= MOST_SECTORS) {
        struct touched *t = sectors_slot(s, sector);
        return t->sector ? t : NULL;
    }
    if (s->n * 2 >= s->cap) {
        struct touched_set bigger = { .cap = s->cap ? s->cap * 2 : 256, .n = s->n };
        bigger.v = hw_alloc(bigger.cap * sizeof *bigger.v);
        for (size_t k = 0; k < s->cap; k++)
            if (s->v[k].sector)
                *sectors_slot(&bigger, s->v[k].sector - 1) = s->v[k];
        hw_free(s->v);
        *s = bigger;
    }
    struct touched *t = sectors_slot(s, sector);
    if (!t->sector) {
        t->sector = sector + 1;
        s->n++;
    }
    return t;
}

void sectors_forget(struct touched_set *s)
{
    if (s->n)
        memset(s->v, 0, s->cap * sizeof *s->v);
    s->n = 0;
}
