/* SPDX-License-Identifier: Apache-2.0 */
/* What generated code and the engines share. The fields are rows of kabi.def. */
#ifndef KABI_H
#define KABI_H

#include "base/base.h"

struct kabi_launch;
struct kabi_block;
struct kabi_services;

/* printf of one thread: fmt is the format's address, args the packed argument block, both readable. Returns what
   vprintf does on a device: the number of arguments, or -1. */
typedef int32_t kabi_vprintf_fn(struct kabi_block *block, const char *fmt, const void *args);
typedef void kabi_assertfail_fn(struct kabi_block *block, const char *message, const char *file, uint32_t line,
                                const char *function, uint32_t thread);
/* code: a KABI_TRAP_*; line: line in the PTX text, 0 when unknown; addr: for memory faults. */
typedef void kabi_trap_fn(struct kabi_block *block, uint32_t code, uint32_t line, uint64_t addr);
typedef void *kabi_malloc_fn(struct kabi_block *block, uint64_t bytes);
typedef void kabi_free_fn(struct kabi_block *block, void *p);

enum kabi_trap { KABI_TRAP_TRAP, KABI_TRAP_MISALIGNED, KABI_TRAP_ILLEGAL_ADDRESS, KABI_TRAP_ILLEGAL_INSTRUCTION };

#define FIELD_kabi_launch(type, name, n)
#define FIELD_kabi_block(type, name, n)
#define FIELD_kabi_services(type, name, n)
#define KABI_DIM_0
#define KABI_DIM_3 [3]
#define FIELD(st, type, name, n) FIELD_##st(type, name, n)

#undef FIELD_kabi_launch
#define FIELD_kabi_launch(type, name, n) type name KABI_DIM_##n;
struct kabi_launch {
#include "kabi/kabi.def"
};
#undef FIELD_kabi_launch
#define FIELD_kabi_launch(type, name, n)

#undef FIELD_kabi_block
#define FIELD_kabi_block(type, name, n) type name KABI_DIM_##n;
struct kabi_block {
#include "kabi/kabi.def"
};
#undef FIELD_kabi_block
#define FIELD_kabi_block(type, name, n)

#undef FIELD_kabi_services
#define FIELD_kabi_services(type, name, n) type name KABI_DIM_##n;
struct kabi_services {
#include "kabi/kabi.def"
};
#undef FIELD_kabi_services
#undef FIELD_kabi_launch
#undef FIELD_kabi_block
#undef FIELD

/*
 * A region: the code between two barriers, run for every warp of the block that waits to run it.
 * The first word of the frame is state[n_warps] (uint32_t each): the region a warp runs next, KABI_DONE when all its
 * threads have left. A region runs the warps with state[w] == its own number that had it when the round began
 * (bit KABI_ARRIVED marks those that reached the next barrier in this round) and returns
 *   >= 0           every warp of the block now waits at the barrier before that region,
 *   KABI_ALL_DONE  every warp has left,
 *   KABI_MIXED     look at the states: run each distinct region once, then clear KABI_ARRIVED: the barrier is complete.
 */
typedef int32_t kabi_region_fn(const struct kabi_launch *launch, struct kabi_block *block, char *frame);
enum { KABI_DONE = 0x7fffffff, KABI_ALL_DONE = -1, KABI_MIXED = -2 };
#define KABI_ARRIVED 0x80000000u

/*
 * A kernel compiled for one block shape.
 * Lifetime  Owned by the module that compiled it; outlives every launch of it.
 */
struct kabi_kernel {
    const char *name;
    uint32_t n_regions;
    kabi_region_fn *const *regions;
    uint32_t n_warps;            /* warps (groups of 32 lanes; lanes in the scalar build) per block */
    uint32_t frame_bytes;        /* 0 when there is only one region and no barrier */
    uint32_t local_bytes;        /* per thread, a multiple of 16 */
    uint32_t shared_static;
    uint32_t width, chunks;      /* for people: lanes per vector, vectors per group */
    const char *lowering;        /* for people: "vector" or "scalar" */
};

#endif
