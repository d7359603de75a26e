/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels touch of memory that host code cannot use: bits, which generated code sets (kabi/window.h). Each thread that runs blocks has bits of its own for each
 * site and allocation; when the launch is over they are compared with those of other commands that it is in no order with, and stay until the host has waited for it.
 */
#ifndef CHECK_TOUCH_SET_H
#define CHECK_TOUCH_SET_H

#include "check/touch.h"

/* What one site touched of [low, high), 2^grain bytes a bit. */
struct touch_bits {
    uint64_t low, high, biased;  /* biased + address / (8 << grain): where the bit of an address is */
    uint32_t *words;             /* NULL: all of [low, high) */
    size_t n;
    uint32_t site;
    uint8_t grain;
    enum touch_kind kind;
    const char *place;
    struct touch_bits *next;     /* of the launch, or thread */
};

static inline uint8_t touch_grain(unsigned bytes) { return bytes % 4 ? 0 : 2; }

/* Those of a site and memory; made when first asked for. */
struct touch_bits *touch_bits_of(struct touch_bits **all, const struct touch_bits *what);
void touch_bits_set(struct touch_bits *b, uint64_t address, uint64_t bytes);
/* Bytes around an address that are all set, looked at in so many words each way. */
bool touch_bits_around(const struct touch_bits *b, uint64_t address, uint64_t words, uint64_t *from, uint64_t *to);

/* The launch, or a part of it, is over: `fn` hears of each row; what others do in no order with it is reported. Takes the bits. */
void touch_set_add(uint32_t number, struct touch_bits *all, void (*fn)(const struct touch_bits *b, uint64_t from, uint64_t to, void *arg), void *arg);
/* As touch_each(): what is not in order with command `by`. */
void touch_set_each(uint64_t from, uint64_t to, uint32_t by, void (*fn)(const struct touched *t, void *arg), void *arg);

#endif
