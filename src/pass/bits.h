/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-size bit sets in an arena, and rows of them. */
#ifndef PASS_BITS_H
#define PASS_BITS_H

#include "base/arena.h"

typedef uint64_t bits_word;

static inline size_t bits_words(size_t n) { return (n + 63) / 64; }
static inline bits_word *bits_new(struct hw_arena *a, size_t n) { return hw_arena_array(a, bits_word, bits_words(n) + 1); }
static inline bool bits_has(const bits_word *b, size_t i) { return b[i / 64] >> (i % 64) & 1; }
static inline void bits_add(bits_word *b, size_t i) { b[i / 64] |= (bits_word)1 << (i % 64); }
static inline void bits_del(bits_word *b, size_t i) { b[i / 64] &= ~((bits_word)1 << (i % 64)); }

/* to |= from; true when that added something. */
static inline bool bits_or(bits_word *to, const bits_word *from, size_t n)
{
    bits_word added = 0;
    for (size_t i = 0; i < bits_words(n); i++) {
        added |= from[i] & ~to[i];
        to[i] |= from[i];
    }
    return added != 0;
}

static inline bool bits_subset(const bits_word *a, const bits_word *b, size_t n)      /* a within b */
{
    for (size_t i = 0; i < bits_words(n); i++)
        if (a[i] & ~b[i])
            return false;
    return true;
}

static inline bool bits_meet(const bits_word *a, const bits_word *b, size_t n)
{
    for (size_t i = 0; i < bits_words(n); i++)
        if (a[i] & b[i])
            return true;
    return false;
}

static inline bool bits_empty(const bits_word *a, size_t n)
{
    for (size_t i = 0; i < bits_words(n); i++)
        if (a[i])
            return false;
    return true;
}

/* The first member from i on; n: none. */
static inline size_t bits_next(const bits_word *b, size_t i, size_t n)
{
    while (i < n) {
        bits_word rest = b[i / 64] >> (i % 64);
        if (rest)
            return i + (size_t)__builtin_ctzll(rest) < n ? i + (size_t)__builtin_ctzll(rest) : n;
        i = (i / 64 + 1) * 64;
    }
    return n;
}

#endif
