/* SPDX-License-Identifier: Apache-2.0 */
/* Text and random numbers (splitmix64). */
#include "gen_text.h"

#include <stdarg.h>
#include <stdio.h>

unsigned text_pick(struct gen_text *t, unsigned n)
{
    uint64_t z = t->rng += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ z >> 31) >> 11) % n;
}

void text_put(struct gen_text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(t->text + t->used, t->size - t->used, fmt, args);
    va_end(args);
    if (n > 0 && t->used + (unsigned)n < t->size)
        t->used += (unsigned)n;
}

struct word word(const char *fmt, unsigned n)
{
    struct word w;
    snprintf(w.s, sizeof w.s, fmt, n);
    return w;
}
