/* SPDX-License-Identifier: Apache-2.0 */
/* For debuggers: which thread runs what, in memory that they read (share/gdb/hostwarp.py) without calling anything in a process that stands still. */
#define _GNU_SOURCE
#include "exec/internal.h"

#include "base/options.h"

#include <hostwarp.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* A thread's place is its number modulo their count: of two that share one the last to begin is seen. */
enum { PLACES = 4096 };

/*
 * Offsets in bytes first, so that a script need not know our structs; then the places.
 * Threads   Each writes its own place; a debugger reads while all stand still.
 */
struct hostwarp_threads {
    int32_t places, scope_block, block_launch, block_ctaid, block_group, launch_ntid, launch_nctaid;
    int32_t launch_kernel;       /* from the struct kabi_launch */
    int32_t kernel_name, kernel_width, kernel_chunks;
    int32_t unused;
    struct {
        uint64_t tid;
        struct exec_scope *scope;        /* NULL: in no kernel */
    } place[PLACES];
};

HW_EXPORT struct hostwarp_threads hostwarp_threads = {
    .places = PLACES,
    .scope_block = offsetof(struct exec_scope, block),
    .block_launch = offsetof(struct kabi_block, launch),
    .block_ctaid = offsetof(struct kabi_block, ctaid),
    .block_group = offsetof(struct kabi_block, group),
    .launch_ntid = offsetof(struct kabi_launch, ntid),
    .launch_nctaid = offsetof(struct kabi_launch, nctaid),
    .launch_kernel = (int32_t)offsetof(struct exec_launch, kernel) - (int32_t)offsetof(struct exec_launch, kl),
    .kernel_name = offsetof(struct kabi_kernel, name),
    .kernel_width = offsetof(struct kabi_kernel, width),
    .kernel_chunks = offsetof(struct kabi_kernel, chunks),
};

void exec_debug_scope(struct exec_scope *scope)
{
    if (strcmp(hw_options()->debug, "gdb"))
        return;
    uint64_t tid = (uint64_t)gettid();
    hostwarp_threads.place[tid % PLACES].tid = tid;
    hostwarp_threads.place[tid % PLACES].scope = scope;
}
