/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an instrumented kernel counts (`hostwarp prof --kernel-details`): jit/ describes the places, exec/ counts at them, prof/ writes both
 * down, cli/ shows them. A place is a basic block or a memory access.
 */
#ifndef KABI_DETAILS_H
#define KABI_DETAILS_H

#include "base/lock.h"
#include "kabi/window.h"

/* Instructions, by what they do. Where one PTX instruction has several operations, the last of these rows names it. */
#define DETAILS_CLASSES(ROW)                                                                                                              \
    ROW(MOVE, "move") ROW(CONVERT, "convert") ROW(INTEGER, "integer") ROW(COMPARE, "compare") ROW(FLOAT, "float") ROW(DOUBLE, "double")   \
    ROW(SPECIAL, "special") ROW(BRANCH, "branch") ROW(LOAD, "load") ROW(STORE, "store") ROW(ATOMIC, "atomic") ROW(TEXTURE, "texture")     \
    ROW(WARP, "warp") ROW(MATRIX, "matrix") ROW(BARRIER, "barrier") ROW(OTHER, "other")
enum details_class {
#define ROW(id, name) DETAILS_##id,
    DETAILS_CLASSES(ROW)
#undef ROW
    DETAILS_CLASS_COUNT
};

/* From BARRIER on they are told to the checker only. Their "addresses" are: the barrier's number and count (high half); the members of a warp's operation,
   and in the high half the lane that is read; the piece of the heap that is freed; what a note is about (kabi/note.h). */
enum details_kind { DETAILS_IN_BLOCK, DETAILS_IN_LOAD, DETAILS_IN_STORE, DETAILS_IN_ATOMIC, DETAILS_IN_BARRIER, DETAILS_IN_WARP, DETAILS_IN_FENCE,
                    DETAILS_IN_MALLOC, DETAILS_IN_FREE, DETAILS_IN_TRAP, DETAILS_IN_NOTE };
enum { DETAILS_PARAMS = 4 };
#define DETAILS_ARRIVES ((uint64_t)1 << 63)      /* a barrier that the thread does not wait at */
enum details_space { DETAILS_GLOBAL, DETAILS_SHARED, DETAILS_LOCAL, DETAILS_CONSTANT, DETAILS_SPACE_COUNT, DETAILS_GENERIC = DETAILS_SPACE_COUNT };
/* How the addresses of a warp's active lanes lie in global memory. */
enum details_pattern { DETAILS_UNIFORM, DETAILS_VECTOR, DETAILS_STRIDED, DETAILS_GATHERED, DETAILS_PATTERN_COUNT };
enum { DETAILS_SECTOR = 32, DETAILS_BANKS = 32, DETAILS_BANK_BYTES = 4 };

/* A block as a GPU would run it (jit/code/machine.c): instructions by unit, and those of the longest chain by what makes them wait. */
enum details_work { DETAILS_WORK_FLOAT, DETAILS_WORK_INTEGER, DETAILS_WORK_DOUBLE, DETAILS_WORK_SPECIAL, DETAILS_WORK_MEMORY, DETAILS_WORK_WARP,
                    DETAILS_WORK_CONTROL, DETAILS_WORK_MATRIX, DETAILS_WORK_COUNT };
/* STREAM: a load whose address follows from no other load, so that several can be on their way; GLOBAL: one that needs what a load brought.
   STALL: cycles, which only accesses have: lanes that are served one after the other. */
enum details_path { DETAILS_PATH_ALU, DETAILS_PATH_SPECIAL, DETAILS_PATH_SHARED, DETAILS_PATH_GLOBAL, DETAILS_PATH_ATOMIC, DETAILS_PATH_WARP,
                    DETAILS_PATH_BARRIER, DETAILS_PATH_STREAM, DETAILS_PATH_STALL, DETAILS_PATH_COUNT };
enum { DETAILS_WORK_UNIT = 32, DETAILS_PATH_UNIT = 16 };         /* parts of one that are counted: rounds of unrolled loops share some of their work, and overlap */

enum details_lock { DETAILS_NO_LOCK, DETAILS_TAKES_LOCK, DETAILS_GIVES_LOCK };

struct details_site {
    uint8_t kind, space;
    uint16_t bytes;                              /* an access: of one lane */
    bool strong;                                 /* what the checker asks: an atomic, a volatile or an ordered access */
    bool acquires, releases;                     /* a barrier that releases: threads do not wait at it */
    bool grid_wide;                              /* its scope has all blocks of the grid */
    bool system_wide;                            /* strong, and its scope has the host */
    uint8_t locks;                               /* an atomic that may take a lock (compare and swap) or give it back (exchange), for the checker: what it compares with, or stores, stands behind the addresses */
    bool valued;                                 /* a store of at most 8 bytes, for the checker: the values stand behind the addresses */
    bool tile;                                   /* a whole warp's access to a matrix: only its bytes are counted; the checker hears the bytes between lines as a value */
    uint16_t lines, line_bytes;                  /* a tile's */
    /* for the checker: */
    uint8_t element;                             /* bytes of each value that an access moves */
    uint8_t used, copied;                        /* what is read: the values that are computed with, and those that are only stored again; one bit each */
    uint8_t op;                                  /* a warp's operation: enum kabi_warpop_kind; a note: enum note_kind */
    bool ordered;                                /* shared memory: a read of what nobody writes between the barriers around it, or an atomic on what has only those there */
    bool watched;                                /* it has a window, or one for each warp (kabi/window.h), from this one on: */
    uint32_t window;
    uint32_t shared_at, shared_bytes;            /* the shared variable that the address belongs to; bytes 0: not known */
    uint32_t local_at, local_bytes;              /* the same of local memory */
    uint32_t variable;                           /* 1 + the number of the module's variable that it belongs to */
    uint32_t n_params, params[DETAILS_PARAMS];   /* parameters of the kernel, of which one is its pointer */
    uint16_t classes[DETAILS_CLASS_COUNT];       /* a block: its instructions */
    uint32_t work[DETAILS_WORK_COUNT], path[DETAILS_PATH_COUNT];     /* a block; in units */
    bool meets;                                  /* a block with a barrier */
    bool looks;                                  /* a piece of a block that begins by reading a clock */
    bool retries;                                /* an atomic on shared memory that is a loop there: floats */
    char *place;                                 /* "file.cu:12", or "PTX line 12" */
};

/* Device memory, or possibly. */
static inline bool details_of_device(const struct details_site *s) { return s->space == DETAILS_GLOBAL || s->space == DETAILS_GENERIC || s->space == DETAILS_CONSTANT; }

struct details_count {
    uint64_t runs, lanes;                        /* of a warp with at least one active lane; active lanes in all of them */
    uint64_t by_space[DETAILS_SPACE_COUNT];      /* lanes */
    uint64_t patterns[DETAILS_PATTERN_COUNT];    /* global memory: warps' accesses */
    uint64_t sectors, used;                      /* global memory: pieces of 32 bytes that were touched, for each access anew; bytes of them */
    uint64_t passes, fewest;                     /* shared memory: passes that bank conflicts make of it, and without conflicts */
    uint64_t worst;                              /* passes of the worst access, or of its halves or quarters */
};

static inline void details_add(struct details_count *to, const struct details_count *from)
{
    to->runs += from->runs;
    to->lanes += from->lanes;
    for (int k = 0; k < DETAILS_SPACE_COUNT; k++)
        to->by_space[k] += from->by_space[k];
    for (int k = 0; k < DETAILS_PATTERN_COUNT; k++)
        to->patterns[k] += from->patterns[k];
    to->sectors += from->sectors;
    to->used += from->used;
    to->passes += from->passes;
    to->fewest += from->fewest;
    to->worst = hw_max_u64(to->worst, from->worst);
}

/*
 * Lifetime  Made with the kernel's code and freed with it; where a report at the end reads it, it stays for the life of the process.
 * Locks     mu guards the counts; workers add theirs when they have run some blocks.
 */
struct details_table {
    uint32_t n;
    struct details_site *sites;
    struct hw_mutex mu;
    struct details_count *counts;
    bool looks;                                  /* the kernel reads clocks */
    uint32_t n_windows;
    struct kabi_window *open;                    /* through which everything may go: where nobody checks a launch */
    uint64_t *came;
};

#endif
