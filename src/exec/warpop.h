/* SPDX-License-Identifier: Apache-2.0 */
/* Warp operations of threads that run one by one. Private to exec/. */
#ifndef EXEC_WARPOP_H
#define EXEC_WARPOP_H

#include "kabi/kabi.h"

/* Answers the warp operations of one warp (32 states and requests) whose members are all there; force: also those that
   wait for nobody in particular. True when a thread may go on. */
bool warpop_complete(uint32_t *state, struct kabi_warpop *ops, unsigned n, bool force);

/* mma.c: a matrix product. Lanes that take no part count as zeroes. */
void exec_mma(struct kabi_warpop *ops, unsigned members, struct kabi_mma m);

#endif
