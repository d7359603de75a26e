/* SPDX-License-Identifier: Apache-2.0 */
/* Where the addresses of a function come from, and what becomes of the values that are read there. */
#ifndef PASS_ORIGIN_H
#define PASS_ORIGIN_H

#include "ir/ir.h"

enum { ORIGIN_PARAMS = 4 };

/*
 * Objects of local memory. Compilers put all arrays of a function into one variable, the depot, and take the address of each as the depot's register (%SP, or
 * %SPL in local memory) plus a constant. origin_locals() makes those constants that carry the object's number, as shared variables do, from
 * ORIGIN_LOCAL on, and lists the objects in f->locals.
 */
#define ORIGIN_LOCAL ((uint32_t)1 << 24)
void origin_locals(struct ir_func *f);

/* Of what an address was computed. All 0: of something that nobody knows. */
struct origin {
    uint32_t shared;             /* 1 + the number of a shared variable */
    uint32_t local;              /* 1 + the number of an object of local memory */
    uint32_t variable;           /* 1 + the number of a variable of the module */
    uint32_t n_params, params[ORIGIN_PARAMS];    /* offsets of parameters of 64 bits: one of them is the pointer */
};

enum origin_use {
    ORIGIN_UNUSED,
    ORIGIN_COPIED,               /* only ever stored again */
    ORIGIN_CHOSEN,               /* a select drops it perhaps: the compiler may have read it without need */
    ORIGIN_USED,
};

struct origin_defs;
struct origin_defs *origin_defs_new(const struct ir_func *f);
void origin_defs_free(struct origin_defs *o);
void origin_of(const struct origin_defs *o, const struct ir_inst *access, struct origin *out);
/* Can no other thread race with this read, or atomic access, of the shared variable `shared` (as in struct origin)? Between the barriers around this block of code there are only such. */
struct plan;
bool origin_ordered(const struct origin_defs *o, const struct plan *p, int block, const struct ir_inst *access, uint32_t shared);
enum origin_use origin_use_of(const struct origin_defs *o, const struct ir_reg *r);
bool origin_used_elsewhere(const struct origin_defs *o, const struct ir_reg *r);          /* and not in the block that defines it */

#endif
