/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse of what synchronises threads of a block: operations of warps, barriers, barriers in memory, asynchronous copies. */
#ifndef CHECK_SYNC_H
#define CHECK_SYNC_H

#include "check/runner.h"

/* sync.c: operations of warps, and barriers that some threads pass by. The lanes `mask` of the warp that begins with `thread` come to a site. */
struct sync_block;
struct sync_block *sync_block_new(const struct runner *r);
void sync_block_begin(struct sync_block *b);     /* the next one */
void sync_block_end(struct sync_block *b);       /* all threads of the block at hand have left */
void sync_block_free(struct sync_block *b);
void sync_stuck(struct sync_block *b, const struct kabi_block *block);           /* none of its threads can go on */
void sync_warp(struct sync_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *operands);
void sync_barrier(struct sync_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *operands);
void sync_came(struct sync_block *b, uint32_t site, uint32_t thread, uint32_t mask);             /* to anything else */

/* sync_memory.c: barriers in memory (mbarrier), and copies by cp.async. */
struct sync_memory;
struct sync_memory *sync_memory_new(struct runner *r);
void sync_memory_begin(struct sync_memory *m);
void sync_memory_end(struct sync_memory *m);      /* all threads of the block have left */
void sync_memory_free(struct sync_memory *m);
void sync_note(struct sync_memory *m, struct kabi_block *block, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *operands);
/* An access to shared memory. Lanes whose store is an asynchronous copy leave it: who looks for races hears of it when it was waited for. */
void sync_shared(struct sync_memory *m, struct access *x);
bool sync_shared_idle(const struct sync_memory *m);              /* no copy is under way: it has nothing to say */

#endif
