/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of a block: who stands where, and running those that can. Private to exec/. */
#ifndef EXEC_GROUPS_H
#define EXEC_GROUPS_H

#include "kabi/kabi.h"

bool groups_all_done(const struct kabi_kernel *k, const uint32_t *state);
/* Runs groups from first to before end until each stands at something. False: none could run. */
bool groups_run(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block, uint32_t first, uint32_t end);
/* The same from the last one to the first; kernels that are fair only. */
void groups_run_backwards(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block, uint32_t first, uint32_t end);
/* Lets the groups at complete barriers go on; force: threads of fair kernels also from warp operations that not all members have come to. */
bool groups_release(const struct kabi_kernel *k, struct kabi_block *block, bool force);

#endif
