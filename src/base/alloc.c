/* SPDX-License-Identifier: Apache-2.0 */
/* Bookkeeping allocation that does not return NULL, and what it does when the heap does. */
#define _GNU_SOURCE
#include "base/base.h"

#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

/*
 * The reserve: a call that finds the heap exhausted goes on to its end with memory from here, so that no object is left half made.
 * From hw_heap_low() on, calls that would take more are refused at their entry, with an error. Pages that are never used take
 * no memory.
 * Locks     mu. Taken inside of all others.
 */
enum { CELL = 64, CELLS = 1 << 14, CELLS_LOW = CELLS / 4 };
static _Alignas(CELL) char reserve[CELLS][CELL];
static uint16_t taken[CELLS];                    /* how many cells the piece that begins here has; the rest of a piece says 1 */
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static _Atomic size_t n_taken;                   /* written under mu */

static bool is_reserve(const void *p)
{
    return (uintptr_t)p - (uintptr_t)reserve < sizeof reserve;
}

static size_t cell_of(const void *p)
{
    return ((uintptr_t)p - (uintptr_t)reserve) / CELL;
}

static HW_NORETURN void out_of_memory(size_t bytes)
{
    fprintf(stderr, "hostwarp: the host heap is exhausted (%zu bytes asked for)\n", bytes);
    abort();
}

/* The first place that is large enough. */
static HW_NOINLINE void *reserve_take(size_t bytes)
{
    size_t want = bytes ? bytes / CELL + (bytes % CELL != 0) : 1, run = 0, at = 0;
    pthread_mutex_lock(&mu);
    while (at < CELLS && run < want)
        run = taken[at++] ? 0 : run + 1;
    bool found = run == want;
    at -= run;
    for (size_t i = 0; found && i < want; i++)
        taken[at + i] = 1;
    if (found) {
        taken[at] = (uint16_t)want;
        n_taken += want;
    }
    pthread_mutex_unlock(&mu);
    if (!found)
        out_of_memory(bytes);
    memset(reserve[at], 0, want * CELL);
    return reserve[at];
}

static HW_NOINLINE void reserve_give(const void *p)
{
    pthread_mutex_lock(&mu);
    size_t at = cell_of(p), n = taken[at];
    memset(&taken[at], 0, n * sizeof taken[0]);
    n_taken -= n;
    pthread_mutex_unlock(&mu);
}

/* Does the heap give anything again? */
static HW_NOINLINE bool heap_works(void)
{
    void *volatile p = malloc(CELL * CELLS_LOW);
    free(p);
    return p != NULL;
}

bool hw_heap_low(void)
{
    return hw_unlikely(atomic_load_explicit(&n_taken, memory_order_relaxed) > CELLS_LOW) && !heap_works();
}

void *hw_try_alloc(size_t bytes)
{
    return calloc(1, bytes ? bytes : 1);
}

void *hw_alloc(size_t bytes)
{
    void *p = hw_try_alloc(bytes);
    return hw_likely(p != NULL) ? p : reserve_take(bytes);
}

void *hw_realloc(void *old, size_t bytes)
{
    void *p = is_reserve(old) ? NULL : realloc(old, bytes ? bytes : 1);
    if (hw_likely(p != NULL))
        return p;
    p = is_reserve(old) ? hw_alloc(bytes) : reserve_take(bytes);
    if (old)
        memcpy(p, old, hw_min_u64(is_reserve(old) ? (size_t)taken[cell_of(old)] * CELL : malloc_usable_size(old), bytes));
    hw_free(old);
    return p;
}

void hw_free(void *p)
{
    if (hw_unlikely(is_reserve(p)))
        reserve_give(p);
    else
        free(p);
}

char *hw_strndup(const char *s, size_t n)
{
    char *copy = hw_alloc(n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *hw_strdup(const char *s)
{
    return hw_strndup(s, strlen(s));
}

char *hw_sprintf(const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *text = hw_alloc(n < 0 ? 1 : (size_t)n + 1);
    if (n >= 0)
        vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return text;
}
