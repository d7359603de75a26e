/* SPDX-License-Identifier: Apache-2.0 */
/* Words that every file uses: attributes, small helpers, allocation that does not fail. */
#ifndef HW_BASE_H
#define HW_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HW_EXPORT __attribute__((visibility("default")))
#define HW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define HW_NORETURN __attribute__((noreturn))
#define HW_NOINLINE __attribute__((noinline))
#define HW_UNUSED __attribute__((unused))
#define HW_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define hw_likely(x) __builtin_expect(!!(x), 1)
#define hw_unlikely(x) __builtin_expect(!!(x), 0)

/* Which lock guards what: checked by clang's -Wthread-safety, a comment elsewhere. */
#if defined(__clang__) && __clang_major__ >= 19
#define HW_GUARDED_BY(mu) __attribute__((guarded_by(&mu)))
#define HW_REQUIRES(mu) __attribute__((requires_capability(mu)))
#else
#define HW_GUARDED_BY(mu)
#define HW_REQUIRES(mu)
#endif

#define hw_container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

static inline uint64_t hw_align_up(uint64_t x, uint64_t align) { return (x + align - 1) & ~(align - 1); }
static inline bool hw_is_pow2(uint64_t x) { return x && !(x & (x - 1)); }
static inline uint64_t hw_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t hw_max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Bookkeeping allocations: zeroed, never NULL. When the host heap is exhausted they come from a reserve of a megabyte, and end the
   process with a message when that is used up. While hw_heap_low(), nothing new is to be begun. Memory that the program asked for
   (device, page-locked) never comes from here, and what may be larger than some kilobytes comes from hw_try_alloc(). */
void *hw_alloc(size_t bytes);
void *hw_try_alloc(size_t bytes);                                /* NULL: the heap is exhausted */
bool hw_heap_low(void);
void *hw_realloc(void *old, size_t bytes);
char *hw_strdup(const char *s);
char *hw_strndup(const char *s, size_t n);
char *hw_sprintf(const char *fmt, ...) HW_PRINTF(1, 2);
void hw_free(void *p);                                           /* of all of these, and of malloc */

#endif
