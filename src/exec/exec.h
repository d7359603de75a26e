/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of the process, and what can be run on them: kernels, copies, fills, host functions. */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include "exec/pool.h"
#include "kabi/details.h"
#include "kabi/kabi.h"

#include <signal.h>

enum exec_engine_id { EXEC_COMPUTE, EXEC_COPY_IN, EXEC_COPY_OUT, EXEC_HOST, EXEC_ENGINE_COUNT };
struct exec_engine *exec_engine(enum exec_engine_id id);         /* made when first asked for */
bool exec_start(void);                                           /* each has a thread, so that what is queued will run; false: none is to be had now */
/* The copy engine with less to do: for copies inside the device, and fills. */
struct exec_engine *exec_copy_engine_any(void);

struct exec_launch;
/*
 * Who checks instrumented kernels (check/), or NULL. visit: as kabi_count_fn, shared addresses as they are.
 * Set once, before the first launch.
 */
struct exec_checker {
    void *(*begin)(const struct exec_launch *launch, struct kabi_block *block);         /* a thread begins to run some blocks of it; sets the block's tables (kabi/window.h) */
    void (*block)(void *state, struct kabi_block *block);        /* the next one begins */
    void (*visit)(void *state, struct kabi_block *block, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a);
    void (*end)(void *state);
    void (*stuck)(void *state, struct kabi_block *block);        /* no thread of the block can ever run again; the kernel ends then */
    void (*heap)(uint64_t base, uint64_t bytes, bool made);      /* malloc() and free() of kernels */
};
extern const struct exec_checker *exec_checker;
extern bool exec_checker_orders; /* it also hears of barriers, operations of warps and fences */

/* Who counts what a launch does whose `counting` is set (clock/), or NULL. A warp's lanes come together. Set once, before the first launch. */
struct exec_counter {
    void *(*begin)(const struct exec_launch *launch);            /* a thread begins to run some blocks of it */
    void (*visit)(void *state, struct kabi_block *block, uint32_t site, uint32_t warp, uint32_t mask, const uint64_t *a);
    void (*end)(void *state);
};
extern const struct exec_counter *exec_counter;

/* How a kernel ended badly. */
enum exec_fault {
    EXEC_OK,
    EXEC_FAULT_ADDRESS,          /* no such memory */
    EXEC_FAULT_SHARED,           /* far outside of shared memory */
    EXEC_FAULT_MISALIGNED,
    EXEC_FAULT_INSTRUCTION,
    EXEC_FAULT_TRAP,
    EXEC_FAULT_ASSERT,
    EXEC_FAULT_TIMEOUT,          /* HOSTWARP_TIMEOUT */
    EXEC_FAULT_MEMORY,           /* the host had none for a block */
    EXEC_FAULT_ARITHMETIC,       /* a CPU exception that a GPU does not have: our own bug */
};

/* Long blocks that go on in turn (timeslice.c). The lock guards the list. */
struct exec_slices {
    struct hw_mutex mu;
    struct hw_list waiting HW_GUARDED_BY(mu);
    uint64_t n_blocks;           /* 0: blocks run as a whole, and the rest is not set */
    uint64_t block_ns;           /* about how long each takes */
};

/*
 * A grid to run: one piece per block.
 * Lifetime  The submitter's, until job.done().
 * Threads   fault is set once, by compare-exchange; slices have a lock; the rest is const while the job runs.
 */
struct exec_launch {
    struct exec_job job;
    struct kabi_launch kl;       /* what generated code sees */
    const struct kabi_kernel *kernel;
    struct exec_printf *printf_buf;
    struct exec_heap *heap;
    _Atomic uint32_t *block_ns;  /* how long a block of this kernel took lately, 0: unknown; NULL: nobody keeps it */
    _Atomic uint64_t pace_ns;    /* that, then how long a block of the chunk that was over last took */
    bool details;                /* an instrumented kernel counts this launch; exec_launch_init() clears it */
    void *counting;              /* exec_counter's; NULL: it is not interested; cleared too */
    _Atomic uint64_t counted_from;               /* exec_counter's; cleared too */
    bool only_clocks;            /* exec_counter's: it has been counted before, and is only run this way because it reads clocks; cleared too */
    bool backwards;              /* the last block first, and the last thread: kernels of jit_request.plain only; cleared too */
    bool in_step;                /* kernels of jit_request.steps: all threads of a block come to their next stop before any goes on; cleared too */
    bool filled;                 /* shared and local memory begin with bytes that are nobody's; cleared too */
    unsigned n_tables;           /* of which threads keep copies (private_red.c); cleared too, set before the job is submitted: exec_launch_collect() */
    struct exec_table {
        uint64_t base, count;    /* as in struct kabi_private */
        uint32_t red;            /* which one of the kernel's */
    } tables[KABI_REDS];
    struct exec_slices slices;
    _Atomic uint64_t over, still;                /* coop_sched.c: blocks that are over; who only spins; cleared too */
    _Atomic uint32_t sleepers, wakes;            /* those of them that sleep until somebody gets on; when that was */
    _Atomic int fault;           /* enum exec_fault */
};
/* kernel, kl, printf_buf, heap and block_ns are set; the rest is done here. The caller sets job.done and job.priority afterwards. */
void exec_launch_init(struct exec_launch *launch, bool all_at_once);
/* The kernel's reduction `red` goes to a table there, device memory that nothing else in the kernel touches; how many of its elements are worth a copy (0: none). */
uint64_t exec_launch_collect(struct exec_launch *launch, uint32_t red, uint64_t base, uint64_t count);

/* A copy of slices * rows * width bytes, or a fill of the same shape, in pieces of some megabytes. */
struct exec_copy {
    struct exec_job job;
    char *dst;
    const char *src;             /* NULL: fill */
    size_t width, rows, slices;
    size_t dst_pitch, dst_slice, src_pitch, src_slice;
    uint32_t value;              /* fill: the element's bits */
    uint8_t element;             /* fill: 1, 2 or 4 */
    size_t piece_rows, piece_bytes;              /* rows per piece, or bytes of the only row */
    bool past_cache;             /* too large for the cache */
    _Atomic int fault;           /* enum exec_fault: host memory that is gone */
};
void exec_copy_init(struct exec_copy *copy, struct exec_engine *engine);
/* Copies on the calling thread: EXEC_OK, or the fault of memory that is not there. */
int exec_copy_here(void *dst, const void *src, size_t bytes);
/* The same for 1 to exec_quick_max bytes that do not overlap, at half the cost. False: not all of the memory is there;
   exec_copy_here() says what is wrong. Who calls it often calls exec_fault_keep() now and then. */
enum { EXEC_QUICK_BYTES = 16 << 10 };
extern size_t exec_quick_max;                    /* EXEC_QUICK_BYTES, or 0 where there is no such way; const */
extern size_t exec_quick_wide __attribute__((visibility("hidden")));         /* from so many on, 64 bytes at a time; const but for tests */
bool exec_copy_quick(void *dst, const void *src, size_t bytes) __attribute__((visibility("hidden")));

/* Calls fn for pieces 0 .. n_pieces-1, on this thread and on compute threads that are free, and returns when all are done. */
void exec_spread(void (*fn)(void *arg, uint64_t piece), void *arg, uint64_t n_pieces);

/* Who keeps host code away from memory that is in use (check/), or NULL. exec_move moves bytes of copies past that; exec_guard is asked about each fault: true: go
   on. device: a kernel or a copy made it. Set once, before the first command. */
extern void (*exec_move)(void *dst, const void *src, size_t bytes);
extern bool (*exec_guard)(const siginfo_t *info, void *context, bool device);

/* Puts our signal handlers in, again where the program replaced them. Looks at most once a millisecond, and returns the time. */
uint64_t exec_fault_keep(void);
void exec_fault_again(void);                     /* now, unless it is us who take them out because a fault is fatal */

/* A function on the host-function thread. */
struct exec_hostfn {
    struct exec_job job;
    void (*call)(struct exec_hostfn *fn);
};
void exec_hostfn_init(struct exec_hostfn *fn, void (*call)(struct exec_hostfn *fn));
extern _Thread_local bool exec_hostfn_inside;    /* the calling thread is inside such a function */
static inline bool exec_in_hostfn(void) { return exec_hostfn_inside; }

/*
 * What kernels print: a ring of bytes; what does not fit any more pushes out the oldest. Text is [head, head + used) modulo cap.
 * Locks     mu guards all. Nobody formats while holding it: a bad %s faults before.
 */
struct exec_printf {
    struct hw_mutex mu;
    char *ring;
    size_t cap, head, used;
    uint64_t texts, sum;         /* with sums: how many there were, and of their hashes: the same in every order */
    bool sums;                   /* const once kernels use it */
    _Atomic bool any;            /* a hint: something may be inside */
};
static inline bool exec_printf_any(const struct exec_printf *p) { return p && atomic_load_explicit(&p->any, memory_order_relaxed); }
struct exec_printf *exec_printf_new(size_t bytes);
void exec_printf_free(struct exec_printf *p);
void exec_printf_resize(struct exec_printf *p, size_t bytes);    /* loses what is inside */
void exec_printf_flush(struct exec_printf *p);                   /* to standard output */

/* malloc() and free() of kernels. */
struct exec_heap *exec_heap_new(size_t limit);
void exec_heap_free(struct exec_heap *h);
void exec_heap_limit(struct exec_heap *h, size_t limit);
bool exec_heap_give(struct exec_heap *h, void *p);               /* free(); false: it is none of its memory */
/* Between these no kernel allocates or frees; and what was ever given out. */
void exec_heap_hold(struct exec_heap *h);
void exec_heap_let_go(struct exec_heap *h);
void exec_heap_range(const struct exec_heap *h, uint64_t *out_base, uint64_t *out_bytes);
bool exec_heap_owns(const struct exec_heap *h, uint64_t addr, uint64_t bytes);   /* given out or not */
size_t exec_heap_bytes(struct exec_heap *h, uint64_t at);        /* of what malloc() gave there and nobody has freed; 0: nothing */

/*
 * For a copy of this process in which only the calling thread goes on (alone.c). After exec_alone_begin() the engines are new, and so many
 * threads compute (0: as many as ever); nothing is said about faults. exec_alone_run() returns when the launch is over.
 */
void exec_alone_begin(unsigned threads);
void exec_alone_run(struct exec_launch *launch);

extern const struct kabi_services exec_services;

/* For fault messages: says in `out` what is at an address. Set by core; may stay NULL. */
extern void (*exec_describe_address)(uint64_t addr, char *out, size_t bytes);
/* ", a.cu:12, write of 4 bytes": the instruction at a line of the PTX text of the launch's kernel, as far as it is known. */
struct exec_launch;
extern void (*exec_describe_line)(const struct exec_launch *l, uint32_t line, char *out, size_t bytes);
/* The memory around an address that kernels may use; called from workers inside a kernel. The epoch goes up when such memory
   is taken away. */
extern bool (*exec_find_memory)(uint64_t addr, uint64_t *out_base, uint64_t *out_end);
extern _Atomic uint64_t exec_memory_epoch;
/* May the kernel of this block touch these bytes (reach.c)? block: NULL for what a kernel asked for that is over. What is not mapped may be answered with yes. */
bool exec_may_touch(const struct kabi_block *block, uint64_t addr, uint64_t bytes, bool writes);

#endif
