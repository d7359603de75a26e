/* SPDX-License-Identifier: Apache-2.0 */
/* What generated code and the engines share. The fields are rows of kabi.def. */
#ifndef KABI_H
#define KABI_H

#include "base/base.h"
#include "kabi/mma.h"
#include "kabi/private_red.h"
#include "kabi/window.h"

struct kabi_launch;
struct kabi_block;
struct kabi_services;
struct details_table;
struct exec_details;

/* printf of one thread: fmt is the format's address, args the packed argument block, both readable. Returns what
   vprintf does on a device: the number of arguments, or -1. */
typedef int32_t kabi_vprintf_fn(struct kabi_block *block, const char *fmt, const void *args);
typedef void kabi_assertfail_fn(struct kabi_block *block, const char *message, const char *file, uint32_t line,
                                const char *function, uint32_t thread);
/* code: a KABI_TRAP_*; line: line in the PTX text, 0 when unknown; addr: for memory faults. */
typedef void kabi_trap_fn(struct kabi_block *block, uint32_t code, uint32_t line, uint64_t addr);
/*
 * Addresses that generated code could not judge: these return only if all is well. They change no register but the
 * flags, so that code around a guard need not save any.
 * what: kabi_access_pack(). rows and indexed: the lanes in the low half, bytes from one to the next (or for each index) in the high one.
 */
typedef void kabi_access_fn(struct kabi_block *block, uint64_t addr, uint64_t what);
typedef void kabi_access_lanes_fn(struct kabi_block *block, const uint64_t *addrs, uint64_t active, uint64_t what);
typedef void kabi_access_row_fn(struct kabi_block *block, uint64_t first, uint64_t rows, uint64_t what);
typedef void kabi_access_indexed_fn(struct kabi_block *block, uint64_t base, const int32_t *index, uint64_t indexed, uint64_t what);
static inline uint64_t kabi_access_pack(uint32_t line, unsigned align_log2, bool writes, int32_t offset)
{
    return (uint64_t)line | (uint64_t)align_log2 << 32 | (uint64_t)writes << 39 | (uint64_t)(uint32_t)offset << 40;      /* offset: 24 bits */
}
static inline uint32_t kabi_access_line(uint64_t what) { return (uint32_t)what; }
static inline uint64_t kabi_access_align(uint64_t what) { return (uint64_t)1 << (what >> 32 & 15); }
static inline bool kabi_access_writes(uint64_t what) { return what >> 39 & 1; }
static inline int64_t kabi_access_offset(uint64_t what) { return (int64_t)what >> 40; }
typedef void *kabi_malloc_fn(struct kabi_block *block, uint64_t bytes);
typedef void kabi_free_fn(struct kabi_block *block, void *p);
/* op: tex_pack(); args: TEX_ARGS words; results: TEX_RESULTS words (kabi/texture.h). */
typedef void kabi_texture_fn(struct kabi_block *block, uint32_t op, uint64_t handle, const uint32_t *args, uint32_t *results);

/* Instrumented kernels: the lanes `mask` of the group whose first thread is `thread` are at a site of the kernel's details table.
   addresses: by lane, of an access; shared memory's are offsets. NULL: a block. */
typedef void kabi_count_fn(struct kabi_block *block, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *addresses);

enum { KABI_CLOCK_KHZ = 1410000 };               /* how fast %clock ticks; the device says the same of itself */

enum kabi_trap { KABI_TRAP_TRAP, KABI_TRAP_MISALIGNED, KABI_TRAP_ILLEGAL_ADDRESS, KABI_TRAP_ILLEGAL_INSTRUCTION };

#define FIELD_kabi_launch(type, name, n)
#define FIELD_kabi_block(type, name, n)
#define FIELD_kabi_services(type, name, n)
#define KABI_DIM_0
#define KABI_DIM_3 [3]
#define KABI_DIM_4 [4]
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
 * A region: the code between two stops (barriers; in a fair kernel also yields and warp operations), run for every group of
 * the block that waits to run it. A group is a warp, or one thread in the scalar build.
 * The frame begins with state[n_warps] (uint32_t each): the region a group runs next (low 16 bits), and why it waits:
 *   KABI_ARRIVED   at a barrier, bits 16..19 say which,
 *   KABI_IN_WARPOP at a warp operation, described in its struct kabi_warpop (fair kernels only),
 *   KABI_DONE      all its threads have left.
 * A region runs the groups whose state is exactly its own number (of fair kernels those that the block names, or more) and returns
 *   >= 0           every group of the block now waits at barrier 0 before that region, and has been released from it,
 *   KABI_ALL_DONE  every group has left,
 *   KABI_MIXED     look at the states.
 */
typedef int32_t kabi_region_fn(const struct kabi_launch *launch, struct kabi_block *block, char *frame);
enum { KABI_DONE = 0x7fffffff, KABI_ALL_DONE = -1, KABI_MIXED = -2, KABI_BARRIERS = 16 };
#define KABI_ARRIVED 0x80000000u
#define KABI_IN_WARPOP 0x40000000u
#define KABI_REGION(state) ((state) & 0xffffu)
#define KABI_BARRIER(state) ((state) >> 16 & 15u)

/* Barriers with a number or a count: threads that have arrived, and how many must (0: all that have not left). */
struct kabi_bars {
    uint32_t arrived[KABI_BARRIERS], expected[KABI_BARRIERS];
};

/* A warp operation that a single thread waits at; the engine answers when the members are all there. */
enum kabi_warpop_kind {
    KABI_WARP_SYNC, KABI_WARP_ACTIVEMASK, KABI_WARP_SHFL_UP, KABI_WARP_SHFL_DOWN, KABI_WARP_SHFL_BFLY, KABI_WARP_SHFL_IDX,
    KABI_WARP_VOTE_ALL, KABI_WARP_VOTE_ANY, KABI_WARP_VOTE_UNI, KABI_WARP_VOTE_BALLOT, KABI_WARP_MATCH_ANY, KABI_WARP_MATCH_ALL,
    KABI_WARP_REDUX_ADD, KABI_WARP_REDUX_AND, KABI_WARP_REDUX_OR, KABI_WARP_REDUX_XOR, KABI_WARP_REDUX_MIN_S, KABI_WARP_REDUX_MIN_U,
    KABI_WARP_REDUX_MAX_S, KABI_WARP_REDUX_MAX_U,
    KABI_WARP_MMA = 1 << 16,     /* + kabi_mma_pack() */
};
struct kabi_warpop {
    uint32_t kind, mask;         /* mask: the members */
    uint32_t b, c;               /* shuffles: lane operand, clamp and segment */
    uint64_t value, result;
    uint32_t pred, reserved;
    uint64_t matrix[KABI_MMA_OPERANDS];   /* MMA: registers of A, B and C; then those of D */
};

/*
 * Kernels whose warps take turns: what a group has in its area of the frame when it stops before a region, so that the engine can take it
 * apart and put it together. Lane l's place is offset + l * bytes, or bit l % width of the word at offset + 4 * (l / width).
 */
enum kabi_keep_kind {
    KABI_KEEP_VALUES,            /* a register */
    KABI_KEEP_BITS,              /* a register of predicates */
    KABI_KEEP_MASK,              /* lanes that wait to run a block */
    KABI_KEEP_FREE,              /* the same, and they could go on without the others */
    KABI_KEEP_RAN,               /* lanes that have run a block */
};
struct kabi_keep {
    uint32_t region, offset, kind, bytes;
};
/* A part of a group, in front of a copy of its area. */
struct kabi_part {
    uint32_t lanes, state, red, reserved[13];
};
enum { KABI_PARTS = 31 };        /* of one group, besides the one that is in its place */

/* Bytes of stack: what threads that run kernels have, and what one region may take of it. Code that is made quickly takes much. */
enum { KABI_STACK = 16 << 20, KABI_LARGEST_STACK_FRAME = 8 << 20 };

/*
 * A kernel compiled for one block shape.
 * Lifetime  Owned by the module that compiled it; outlives every launch of it.
 */
struct kabi_kernel {
    const char *name;
    uint32_t n_regions;
    kabi_region_fn *const *regions;              /* kabi_region() reads them */
    uint32_t n_warps;            /* groups: warps of 32 lanes, or threads in the scalar build */
    uint32_t frame_bytes;        /* 0 when there is only one region and no barrier */
    uint32_t header_bytes;       /* of the frame: cleared before a block runs */
    uint32_t bars_offset;        /* struct kabi_bars in the frame; 0: no barrier is counted */
    uint32_t warpops_offset;     /* fair kernels: struct kabi_warpop[n_warps] in the frame */
    bool fair;                   /* threads may wait for each other in any way: they take turns */
    bool alone;                  /* no loop waits for others, no calls: a block ends, whatever others do */
    bool visits;                 /* code for one iteration of the grid's loop: run until no block has more (kabi_block.visit) */
    bool streams;                /* some stores go past the caches, in no order: a fence ends a piece of the grid */
    bool turns;                  /* warps take turns; a group is taken apart where one of its lanes may wait for another */
    uint32_t red_offset;         /* uint32_t[n_warps]: reductions at barriers */
    uint32_t warp_offset, warp_bytes;            /* the groups' areas */
    uint32_t parts_offset;       /* KABI_PARTS per group: struct kabi_part and an area; 0: groups are never taken apart */
    uint32_t n_keeps;
    const struct kabi_keep *keeps;
    uint32_t local_bytes;        /* per thread, a multiple of 16 */
    uint32_t shared_static;
    uint32_t shared_room;        /* what the code itself needs: more, where it lays arrays out in its own way */
    struct kabi_reds reds;       /* reductions that a thread may collect (kabi/private_red.h) */
    uint32_t width, chunks;      /* for people: lanes per vector, vectors per group */
    const char *lowering;        /* for people: "vector" or "scalar" */
    struct details_table *details;               /* of an instrumented kernel (kabi/details.h), or NULL */
};

/* Better code may take a region's place at any time: it does the same. */
static inline kabi_region_fn *kabi_region(const struct kabi_kernel *k, int32_t r)
{
    return __atomic_load_n(&k->regions[r], __ATOMIC_ACQUIRE);
}

#endif
