/* SPDX-License-Identifier: Apache-2.0 */
/* Vector bodies that correct the few lanes where SLEEF's are outside CUDA's bounds. */
#ifndef JIT_MATHFIX_H
#define JIT_MATHFIX_H

#include "ir/ir.h"

/* What mathfix.c gives for one vector size. */
struct mathfix {
    /* A function like body (SLEEF's for this row and size) that is right everywhere; NULL when the row needs none. Thread-safe. */
    void *(*wrap)(enum ir_math id, void *body);
    /* One call of a body, arguments and results in memory; b is NULL for functions of one argument. */
    void (*apply_f32)(void *body, const void *a, const void *b, void *out);
    void (*apply_f64)(void *body, const void *a, const void *b, void *out);
};
extern const struct mathfix mathfix_0, mathfix_128, mathfix_256, mathfix_512;

#endif
