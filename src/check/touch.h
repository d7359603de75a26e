/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels touch of global memory, by command: lines of 128 bytes that remember which words a command wrote, read and changed atomically. What does not
 * fit, single bytes and several commands whose order is not known, is in a list beside.
 */
#ifndef CHECK_TOUCH_H
#define CHECK_TOUCH_H

#include "base/base.h"

enum touch_kind { TOUCH_READ, TOUCH_WRITE, TOUCH_ATOMIC, TOUCH_STRONG_READ };

/* A thread that runs blocks of the kernel with that number. */
struct touch_view;
struct touch_view *touch_view_new(uint32_t number, uint32_t n_sites);
void touch_view_free(struct touch_view *v);

/* The bytes [from, from + bytes), all of them; system_wide: host code may wait for them; place: in device code, it stays. Reports commands that are in no order with this one. */
void touch(struct touch_view *v, uint64_t from, uint64_t bytes, enum touch_kind kind, bool system_wide, const char *place);

/* Is it in memory that host code cannot use? Then bits say what is touched (touch_set.h). [*low, *high): made smaller, to where the same holds. */
bool touch_private(struct touch_view *v, uint64_t address, uint64_t bytes, enum touch_kind kind, bool system_wide, const char *place, uint64_t *low, uint64_t *high);
struct touch_table;
struct touch_table *touch_view_bits(struct touch_view *v);       /* of this thread */

/* Who touched what of a line: bit k of bytes is the line's byte k. */
struct touched {
    uint64_t line, bytes[2];
    uint32_t number;
    bool write, strong;
    const char *place;
};
/* Each that has bytes of [from, to); its line is locked. by: the command that asks, or 0 for host code. */
void touch_each(uint64_t from, uint64_t to, uint32_t by, void (*fn)(const struct touched *t, void *arg), void *arg);

#endif
