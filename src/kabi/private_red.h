/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions in global memory (red.add and its kin) that a thread of the engine collects in a copy of its own.
 *
 * The plan says which of a kernel's reductions could go to a copy, and of what the other addresses are made (pass/transform/private_red.c). A launch looks where
 * those pointers lead and gives tables (core/module/private_red.c). Each thread that runs blocks has copies of them (exec/private_red.c): generated
 * code changes a copy with plain instructions, and where an address lies outside of the table, the memory itself with locked ones (jit/emit/private_red.c).
 */
#ifndef KABI_PRIVATE_RED_H
#define KABI_PRIVATE_RED_H

#include "base/base.h"

enum kabi_red_op { KABI_RED_ADD, KABI_RED_AND, KABI_RED_OR, KABI_RED_XOR, KABI_RED_MIN_S, KABI_RED_MIN_U, KABI_RED_MAX_S, KABI_RED_MAX_U, KABI_RED_ADD_F };

/* What an address is made of: a variable of the module, or a parameter of 64 bits. */
struct kabi_root {
    uint32_t variable;           /* 1 + its number; 0: a parameter */
    uint32_t offset;             /* the parameter's */
};

enum { KABI_REDS = 4, KABI_RED_ROOTS = 4, KABI_RED_OTHERS = 24 };
struct kabi_red {
    uint32_t op, bytes;          /* enum kabi_red_op; of an element, 4 or 8 */
    uint32_t times;              /* how often each thread does it: a guess */
    uint32_t n_roots;
    struct kabi_root roots[KABI_RED_ROOTS];      /* one of them is the pointer */
};
struct kabi_reds {
    uint32_t n, n_others;
    struct kabi_red v[KABI_REDS];
    struct kabi_root others[KABI_RED_OTHERS];    /* where all else that the kernel does in global memory may go */
};

/* A table in memory and this thread's copy of it; count 0: there is none. */
struct kabi_private {
    uint64_t base;               /* aligned to KABI_PRIVATE_ALIGN */
    uint64_t count;              /* elements */
    char *copy;
};
enum { KABI_PRIVATE_ALIGN = 64 };

#endif
