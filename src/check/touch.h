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
struct touch_view *touch_view_new(uint32_t number);
void touch_view_free(struct touch_view *v);

/* The bytes [from, from + bytes), all of them; system_wide: host code may wait for them; place: in device code, it stays. Reports commands that are in no order with this one. */
void touch(struct touch_view *v, uint64_t from, uint64_t bytes, enum touch_kind kind, bool system_wide, const char *place);

/* May the next touches around this one, which was just noted, be noted later, as long as the launch runs? [*low, *high): made smaller, to where they may. */
bool touch_may_wait(const struct touch_view *v, uint64_t address, uint64_t *low, uint64_t *high);
/* The same as touch(), where touch_may_wait() says so: it is noted when the rest of its line was touched, too, or all is to be noted. */
void touch_later(struct touch_view *v, uint64_t from, uint64_t bytes, enum touch_kind kind, const char *place);
void touch_note_all(struct touch_view *v);
/* The whole lines around an address, at most so many each way, that the command is known to touch in this way; within [*from, *to). False: none. */
bool touch_known(const struct touch_view *v, uint64_t address, enum touch_kind kind, uint64_t lines, uint64_t *from, uint64_t *to);

/* Who touched what of a line: bit k of bytes is the line's byte k. */
struct touched {
    uint64_t line, bytes[2];
    uint32_t number;
    bool write, strong;
    const char *place;
};
/* Each that has bytes of [from, to); its line is locked. */
void touch_each(uint64_t from, uint64_t to, void (*fn)(const struct touched *t, void *arg), void *arg);

#endif
