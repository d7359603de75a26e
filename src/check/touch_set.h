/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels touch of memory that host code cannot use: bits, which generated code sets (kabi/window.h). Each thread that runs blocks has bits of its own for each
 * site and allocation; when the launch is over they are compared with those of other commands that it is in no order with, and stay as long as there may be others.
 */
#ifndef CHECK_TOUCH_SET_H
#define CHECK_TOUCH_SET_H

#include "base/hash.h"
#include "check/touch.h"

/* What one site touched of [low, high), 2^grain bytes a bit. */
struct touch_bits {
    uint64_t low, high;
    uint64_t biased, biased_used;                /* as in kabi/window.h */
    uint32_t *words;             /* NULL: all of [low, high) */
    uint8_t *used;               /* by block of 2048 bits: are some set? */
    size_t n;                    /* blocks */
    uint32_t site;
    uint8_t grain;
    enum touch_kind kind;
    const char *place;
    struct touch_bits *next;     /* of the launch, or thread */
};

static inline uint8_t touch_grain(unsigned bytes) { return bytes % 4 ? 0 : 2; }

/* The bits of a thread that runs blocks. */
struct touch_table {
    struct touch_bits *all, **last;              /* last: by site, those that were asked for last, or NULL */
    struct hw_map by_memory;                     /* site, low, high -> struct touch_bits */
};
void touch_table_new(struct touch_table *t, uint32_t n_sites);
void touch_table_free(struct touch_table *t);    /* not the bits: touch_set_add() has them */

/* Those of a site and memory; made when first asked for. */
struct touch_bits *touch_bits_of(struct touch_table *t, const struct touch_bits *what);
static inline struct touch_bits *touch_bits_last(const struct touch_table *t, uint32_t site, uint64_t address, uint64_t bytes)
{
    struct touch_bits *b = t->last[site];
    return b && address >= b->low && address < b->high && bytes <= b->high - address ? b : NULL;
}
void touch_bits_set(struct touch_bits *b, uint64_t address, uint64_t bytes);
/* Bytes around an address that are all set, looked at in so many words each way. */
bool touch_bits_around(const struct touch_bits *b, uint64_t address, uint64_t words, uint64_t *from, uint64_t *to);

/* A launch or copy is queued (before it has its place in the order), and over (when it was compared). What a launch touched is kept until the host has waited for it and
   all is over that was queued before that. */
void touch_set_queued(uint32_t number);
void touch_set_over(uint32_t number);

/* The launch, or a part of it, is over: `fn`, if any, hears of each row; what others do in no order with it is reported. Takes the bits. */
void touch_set_add(uint32_t number, struct touch_bits *all, void (*fn)(const struct touch_bits *b, uint64_t from, uint64_t to, void *arg), void *arg);
/* As touch_each(): what is not in order with command `by`. */
void touch_set_each(uint64_t from, uint64_t to, uint32_t by, void (*fn)(const struct touched *t, void *arg), void *arg);

#endif
