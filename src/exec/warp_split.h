/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of vector kernels that were taken apart, so that lanes can wait for other lanes of their warp. Private to exec/. */
#ifndef EXEC_TURNS_H
#define EXEC_TURNS_H

#include "kabi/kabi.h"

enum { TURNS_GROUPS = 32 };      /* warps of a block */

/* Of one block while it runs: how many parts of each group are out of its place. */
struct turns {
    uint32_t n[TURNS_GROUPS], total;
};

/* Puts part j in its group's place, and what was there in the part's. */
void turns_swap(const struct kabi_kernel *k, struct kabi_block *block, uint32_t group, uint32_t j);
struct kabi_part *turns_part(const struct kabi_kernel *k, struct kabi_block *block, uint32_t group, uint32_t j);

/* Lanes that wait for others of their group, which spin, and could go on without them, become parts of their own. */
void turns_take_apart(struct turns *t, const struct kabi_kernel *k, struct kabi_block *block);
/* Parts that stand at one barrier become one group again; those whose lanes have all left are forgotten. */
void turns_put_together(struct turns *t, const struct kabi_kernel *k, struct kabi_block *block);

#endif
