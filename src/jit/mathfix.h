/* SPDX-License-Identifier: Apache-2.0 */
/* Vector bodies that correct the few lanes where SLEEF's are outside CUDA's bounds. */
#ifndef JIT_MATHFIX_H
#define JIT_MATHFIX_H

#include "ir/ir.h"

/* A function like body (SLEEF's for `lanes` lanes of this row) that is right everywhere; NULL when body is, or there is none. */
void *mathfix_wrap(enum ir_math id, unsigned lanes, void *body);

#endif
