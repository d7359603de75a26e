/* SPDX-License-Identifier: Apache-2.0 */
/* What a memory access becomes: one decision per instruction, read by emitters, guards, prefetching and `--explain`. */
#ifndef PASS_ACCESS_H
#define PASS_ACCESS_H

#include "pass/plan.h"

enum access_form {
    ACCESS_ONE_LANE,             /* the scalar build */
    ACCESS_UNIFORM,              /* one address for the lanes of a vector */
    ACCESS_ROW,                  /* lanes are neighbours, in order */
    ACCESS_FALLING_ROW,          /* in falling order: a[n - 1 - i] */
    ACCESS_STRIDED,              /* a known step apart */
    ACCESS_GATHERED,             /* anywhere; the code looks whether they are neighbours */
    ACCESS_CROSSING,             /* anywhere, and never neighbours */
    ACCESS_BY_LANE,              /* one after the other: volatile, ordered or atomic */
    ACCESS_TILE,                 /* of a matrix, by the whole warp */
    ACCESS_FORM_COUNT
};

/* Follows from the plan as it is now: where a version of a block has other shapes (version.c), it is another. */
struct access {
    enum access_form form;
    unsigned elements, bytes;    /* of each lane; bytes of an element */
    int64_t step;                /* from lane to lane, in bytes, where the shape is AFFINE */
    struct shape shape;          /* of the address */
    bool for_group;              /* UNIFORM: one address for all vectors of the group */
};

struct access access_of(const struct plan *p, const struct ir_inst *i);
bool access_ordered(const struct ir_inst *i);                    /* volatile, or with an order */
unsigned access_elements(const struct ir_inst *i);
int64_t access_lane_step(const struct plan *p, const struct ir_inst *i, const struct shape *s);      /* of an AFFINE address; local memory has a step of its own */
bool access_fetched_ahead(const struct plan *p, const struct ir_inst *i, int block, const struct access *a);
const char *access_form_name(enum access_form form, bool store);

#endif
