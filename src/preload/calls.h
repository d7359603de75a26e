/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the preloaded library of `hostwarp check` tells the checker, which lives in libcuda: calls of the C library that end the life of memory, or that have the
 * system read or write some. The checker finds the table by its name, hostwarp_preload_calls, and fills it.
 */
#ifndef PRELOAD_CALLS_H
#define PRELOAD_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct preload_calls {
    _Atomic bool any_watched;    /* there is memory whose free() is of interest */
    _Atomic bool any_guarded;    /* there may be protected pages */
    _Atomic bool any_thread;     /* the program made a thread before there was a checker */
    void (*thread_made)(void);
    void (*handler_set)(void);   /* the program has set a handler for SIGSEGV */
    void (*frees)(const void *p, size_t bytes, const char *call, const void *caller);
    /* Around a system call: it is to read or write these bytes, and has moved so many. writes: to memory. */
    void (*io_begins)(const void *p, size_t bytes);
    void (*io_ends)(const void *p, size_t bytes, size_t moved, bool writes, const void *caller);
};

#endif
