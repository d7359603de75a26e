/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of the functions of ir/math.def: which symbol a call at a given width uses, and where it is. */
#ifndef JIT_MATH_H
#define JIT_MATH_H

#include "ir/ir.h"

/* What a row says. Every row has one result. */
enum ir_type math_result_type(enum ir_math id);
unsigned math_n_src(enum ir_math id);
enum ir_type math_src_type(enum ir_math id, unsigned i);
bool math_is_vector(enum ir_math id);      /* result and arguments have one float type, and there are vector bodies */
bool math_is_near(enum ir_math id);        /* of one float; the vector bodies are for arguments above MATH_NEAR, the others are in jit/math/math_inline.c */
double math_ulp(enum ir_math id);          /* the documented bound on the error */

/*
 * The symbol that computes `lanes` lanes at once (vectors of exactly that many elements in and out), written to out and
 * returned; NULL when there is none, because the row is scalar, the type has no such width or this CPU lacks the
 * instructions. lanes 1 always works. All widths give the same bits.
 */
enum { MATH_SYMBOL_MAX = 64 };
const char *math_symbol(enum ir_math id, unsigned lanes, char out[MATH_SYMBOL_MAX]);

/* The address behind a name that math_symbol() gave, NULL for any other name or when the vector library is not there. Thread-safe. */
void *math_address(const char *symbol);

/* Calls the body of a vector row, or of a near one what stands in the code, for `lanes` lanes on arrays, for tests; b is NULL for functions of one argument. False: no such body. */
bool math_apply(enum ir_math id, unsigned lanes, const void *a, const void *b, void *out);

#endif
