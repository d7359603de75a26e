/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of records that a profiled process writes and `hostwarp prof` reads: a header and then slots of one size.
 * The file is mapped and shared, so what was written is there whatever happens to the process.
 */
#ifndef PROF_RECORD_H
#define PROF_RECORD_H

#include "kabi/details.h"

#define PROF_MAGIC 0x31666f7270777268u           /* "hrwprof1" */

enum prof_type {
    PROF_NONE,                   /* a slot that was taken and never filled: the process ended in between */
    PROF_NAME,                   /* id, then text in data; text_slots further slots hold the rest of it */
    PROF_API,                    /* name; start, end (0: the process ended inside); result; caller */
    PROF_KERNEL,
    PROF_COPY,
    PROF_FILL,
    PROF_HOSTFN,
    PROF_EVENT,                  /* an event was recorded: a point in a stream */
    PROF_WAIT,                   /* a stream waited for an event */
    PROF_DEPENDS,                /* command id waits for command bytes */
    PROF_RANGE,                  /* NVTX: name; start, end; depth in result */
    PROF_MARK,
    PROF_COMPILE,                /* a kernel was compiled (result 0: its code was in the cache): name; start, end; api */
    PROF_MEMORY,                 /* bytes came or went (result -1) at addr; src is its prof_place, flags */
    PROF_MAPPED,                 /* kernel id was given host memory: addr, bytes of the range */
    PROF_SITE,                   /* from here on no ticks (read_clock() in cli/prof_data.c); struct prof_site: a place in an instrumented kernel, and what it counted */
    PROF_REAL,                   /* beside a computed clock: when command id really ran on this machine, ns */
    PROF_TYPE_COUNT
};

/* What kind of memory an address is. */
enum prof_place { PROF_PAGEABLE, PROF_PINNED, PROF_DEVICE, PROF_MANAGED, PROF_PLACE_COUNT };

enum prof_engine { PROF_ENGINE_COMPUTE, PROF_ENGINE_COPY_IN, PROF_ENGINE_COPY_OUT, PROF_ENGINE_HOST, PROF_ENGINE_COUNT };

enum prof_flag { PROF_ASYNC = 1, PROF_WRITE_COMBINED = 2, PROF_LEGACY = 4, PROF_PER_THREAD = 8, PROF_REGISTERED = 16, PROF_NON_BLOCKING = 32,
                 PROF_GRAPH = 64 };

/*
 * One slot.
 * Threads   The thread that took it fills it; `type` is stored last, with release, and makes it valid. `start` and `end` of an
 *           activity come later: 0 until then.
 */
struct prof_record {
    _Atomic uint32_t type;
    uint32_t tid;
    uint32_t name;               /* id of a PROF_NAME */
    int32_t result;
    uint64_t id;                 /* commands: order of queueing in the process */
    uint64_t queued, start, end; /* ns, monotonic; ticks where header.ticks is not 0 */
    uint64_t stream;             /* commands: the stream's number */
    uint64_t bytes;
    uint64_t api;                /* slot of the call that queued it, 0: none */
    uint32_t caller;             /* PROF_API: name id of "file+0xoffset" */
    uint16_t flags;
    uint8_t src, dst;            /* enum prof_place */
    uint8_t engine, device, text_slots;
    uint8_t occupancy;           /* PROF_KERNEL: percent of a multiprocessor's threads that fit, by CUDA's rules */
    uint32_t regs;
    union {
        struct {
            uint32_t grid[3], block[3], shared_static, shared_dynamic;
            float achieved;      /* percent of a multiprocessor's warps that are there on average, if all blocks take equally long */
            uint32_t real;       /* slot of its PROF_REAL; also of copies and host functions. 0: none */
        } shape;
        uint64_t addr;
        char text[40];           /* PROF_NAME */
    } data;
};
static_assert(sizeof(struct prof_record) == 128, "slots have one size");

/* A slot of type PROF_SITE. The counts are those of all finished launches so far. */
struct prof_site {
    _Atomic uint32_t type;
    uint32_t kernel, place;      /* ids of PROF_NAMEs */
    uint8_t kind : 4, space : 4; /* enum details_kind, details_space */
    uint8_t worst;
    uint16_t bytes;
    union {
        uint64_t counts[14];     /* struct details_count up to `worst` */
        struct {
            uint64_t runs, lanes;
            uint16_t classes[DETAILS_CLASS_COUNT];
        } block;                 /* DETAILS_IN_BLOCK */
    } u;
};
static_assert(offsetof(struct details_count, worst) == 14 * sizeof(uint64_t), "what does not fit has its own place");
static_assert(sizeof(struct prof_site) == sizeof(struct prof_record), "slots have one size");

struct prof_header {
    uint64_t magic;
    uint32_t pid, slot_bytes;
    _Atomic uint64_t n_slots;    /* taken, the header's own slots included */
    uint64_t limit;              /* slots that have room on the disk */
    _Atomic uint64_t lost;       /* records for which there was no room */
    uint64_t start_ns;           /* monotonic, when the library was loaded */
    uint64_t pinned_budget;      /* bytes of page-locked memory that the process may have */
    uint64_t ticks;              /* hw_ticks() at start_ns; 0: times are in ns */
    char command[448];
};
static_assert(sizeof(struct prof_header) == 512, "the header is four slots");
enum { PROF_HEADER_SLOTS = 4 };

#endif
