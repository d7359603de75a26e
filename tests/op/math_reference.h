/* SPDX-License-Identifier: Apache-2.0 */
/* What math_accuracy compares with: for each row of ir/math.def a slow, exact function and the range where it is interesting. */
#ifndef OP_MATH_REFERENCE_H
#define OP_MATH_REFERENCE_H

#include "ir/ir.h"

struct reference {
    long double (*fn)(const double *a);
    double lo[2], hi[2];                        /* half of the points fall in here, for the first argument and the others */
    unsigned slow;                              /* use this many times fewer points */
    bool (*skip)(const double *a);              /* points where CUDA promises nothing */
    long double (*slack)(const double *a);      /* absolute error that is fine wherever the bound in ulp is not met */
};
extern const struct reference references[IR_MATH_COUNT];

#endif
