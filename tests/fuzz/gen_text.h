/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows, and the random numbers that say how. */
#ifndef GEN_TEXT_H
#define GEN_TEXT_H

#include <stdint.h>

struct gen_text {
    char *text;
    unsigned used, size;
    uint64_t rng;
};

/* A name or a number that instructions take. */
struct word { char s[24]; };

unsigned text_pick(struct gen_text *t, unsigned n);           /* 0 ... n - 1 */
void text_put(struct gen_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct word word(const char *fmt, unsigned n);

#endif
