/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of exec/ share: a thread's buffers and the way out of a faulting kernel. */
#ifndef EXEC_INTERNAL_H
#define EXEC_INTERNAL_H

#include "base/str.h"
#include "exec/exec.h"

#include <setjmp.h>
#include <signal.h>

/*
 * Memory that a thread uses for the blocks it runs, kept from block to block. Each area ends at a page nobody may touch.
 * Lifetime  Made when a thread runs its first block, freed when the thread ends.
 */
struct exec_area {
    char *map;                   /* what mmap gave */
    size_t map_bytes;
    char *base;                  /* usable part */
    size_t bytes;
};
struct exec_areas {
    struct exec_area shared, frame, local;
    struct exec_areas *next;     /* while nobody has them */
    bool taken;
};
struct exec_buffers {
    struct exec_areas own;
    struct exec_areas *now;      /* of the block that runs: its own, or those of another one that it has at hand (coop_sched.c) */
    struct exec_privates {
        const struct exec_launch *of;    /* what is in the copies is to be added to its tables; NULL: nothing */
        uint64_t since;          /* when that began */
        struct exec_area area;   /* the copies, all 0 when there is nothing in them */
        struct kabi_private v[KABI_REDS];
    } privates;
    void *handler_stack;         /* exec_fault_thread()'s */
    struct hw_str text;          /* printf formats here, */
    struct hw_str format, argument;              /* and copies what the kernel gave it */
};
struct exec_buffers *exec_buffers(void);
/* For one more block: the thread's own, or others, which go from thread to thread. */
struct exec_areas *exec_areas_take(bool moves);                  /* moves: the block may go from thread to thread */
void exec_areas_give(struct exec_areas *areas);
enum exec_area_kind {
    EXEC_AREA_OFFSETS,           /* kernels reach it by 32-bit offsets: nothing is mapped around it as far as those lead */
    EXEC_AREA_OURS,              /* what the engine believes: where no address of a kernel's leads */
};
char *exec_area_get(struct exec_area *area, size_t bytes, enum exec_area_kind kind);      /* NULL: no memory */
char *exec_area_none(void);                                      /* the local memory of kernels that have none: one place for all of them */
bool exec_area_owns(const struct exec_area *area, uint64_t addr);

/*
 * One chunk of blocks being run by this thread: where to go when the kernel faults.
 * Threads   Its own; the signal handler runs on the same thread.
 */
struct exec_scope {
    sigjmp_buf env;
    struct kabi_block *block;
    volatile int fault;          /* enum exec_fault */
    volatile uint64_t addr;
    volatile uint32_t line;
};
/* A job that the caller and other threads do while the caller waits: engine, run and pieces are set. On the caller's stack. */
struct exec_spread {
    struct exec_job job;
    _Atomic uint32_t state;
};
void exec_run_spread(struct exec_spread *s);
extern bool exec_no_help;        /* const once there are engines: the watchdog ends what runs on our threads only */

void exec_fault_install(void);                                   /* what exec_fault_keep() does, now */
bool exec_quick_leave(void *context);                            /* a signal came inside exec_copy_quick(): that goes on, and answers false */
void exec_fault_unblock(void);                                   /* after EXEC_FAULT_TIMEOUT: its handler was left by a jump */
#define EXEC_TIMEOUT_SIGNAL (SIGRTMAX - 3)
/* A stack for the handler, if the thread has none: a kernel may have used up its own. What was made (or NULL) goes back when the thread ends. */
void *exec_fault_thread(void);
void exec_fault_thread_ends(void *stack);
void exec_scope_set(struct exec_scope *scope);                   /* NULL: leaving generated code */
void exec_debug_scope(struct exec_scope *scope);                 /* debug.c: the same, for debuggers; nothing without HOSTWARP_DEBUG=gdb */
/* Services hold locks: a timeout does not end the kernel between begin and end. */
void exec_service(bool begins);
int32_t exec_vprintf(struct kabi_block *block, const char *fmt, const void *args);
/* texture_service.c: what tex and its kin call. */
void exec_texture_service(struct kabi_block *block, uint32_t packed, uint64_t handle, const uint32_t *args, uint32_t *results);
HW_NORETURN void exec_fault_raise(enum exec_fault fault, uint64_t addr, uint32_t line);

/* Which launch a block belongs to. */
static inline struct exec_launch *exec_launch_of(const struct kabi_block *block)
{
    return hw_container_of(block->launch, struct exec_launch, kl);
}

/* block.c: one more block, with memory of its own, for exec_areas_give() when it is over (NULL: none is to be had); groups at different places; what a block took */
struct exec_areas *exec_block_begin(struct kabi_block *block, struct exec_launch *launch, uint64_t index, bool moves);
void exec_run_mixed(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block);
void exec_note_time(struct exec_launch *launch, uint64_t ns);

/* alone.c: in a copy of the process: nothing is said. The others forget what threads that are not here held. */
extern bool exec_alone;
void exec_engines_forget(unsigned threads);
void exec_areas_forget(void);
void exec_fault_forget(void);

/* private_red.c: a thread that begins to run blocks of the launch has copies of its tables; what it collected goes there, is let go, or has waited for long;
   block.c: it goes there before the thread leaves the job, or a fault of the kernel's stops it */
void exec_private_begin(const struct exec_launch *launch, struct kabi_block *block);
void exec_private_merge(const struct exec_launch *launch);
void exec_private_drop(const struct exec_launch *launch);
bool exec_private_late(const struct exec_launch *launch);
void exec_private_leave(struct exec_job *job);

/* instrument.c: what instrumented kernels count, by the thread that runs blocks of one */
void exec_details_begin(const struct exec_launch *launch, struct kabi_block *block);         /* sets block->details; NULL: nothing is counted */
void exec_details_block(struct kabi_block *block);               /* the next block begins */
void exec_details_end(struct exec_details *d);
void exec_details_stuck(struct kabi_block *block);               /* a block waits for what will never come: under a checker it ends here */
void exec_details_join(struct kabi_block *block);                /* a block is over in which threads took turns */
kabi_count_fn exec_count, exec_count_saving;

/* reach.c: what a service reads of the kernel's memory; these raise a fault where it may not. Text is added to `out`, `most` bytes or up to its end. */
void exec_must_read(const struct kabi_block *block, uint64_t addr, uint64_t bytes);
void exec_read_text(const struct kabi_block *block, uint64_t at, size_t most, struct hw_str *out);
uint64_t exec_local_bytes(const struct exec_launch *launch);     /* block.c: of the threads of a block */

/* reach.c: judge addresses; save_regs.c: the same with every register kept; reach_quick.c: what generated code calls, which asks those only when it must */
kabi_access_fn exec_access;
kabi_access_lanes_fn exec_access_lanes;
kabi_access_row_fn exec_access_row;
kabi_access_indexed_fn exec_access_indexed;
#if defined(__x86_64__)
#define KEEPS_REGISTERS __attribute__((no_caller_saved_registers))
#else
#define KEEPS_REGISTERS
#endif
KEEPS_REGISTERS void exec_access_saving(struct kabi_block *block, uint64_t addr, uint64_t what);
KEEPS_REGISTERS void exec_access_lanes_saving(struct kabi_block *block, const uint64_t *addrs, uint64_t active, uint64_t what);
KEEPS_REGISTERS void exec_access_row_saving(struct kabi_block *block, uint64_t first, uint64_t rows, uint64_t what);
KEEPS_REGISTERS void exec_access_indexed_saving(struct kabi_block *block, uint64_t base, const int32_t *index, uint64_t indexed, uint64_t what);
KEEPS_REGISTERS void exec_access_quick(struct kabi_block *block, uint64_t addr, uint64_t what);
KEEPS_REGISTERS void exec_access_lanes_quick(struct kabi_block *block, const uint64_t *addrs, uint64_t active, uint64_t what);
KEEPS_REGISTERS void exec_access_row_quick(struct kabi_block *block, uint64_t first, uint64_t rows, uint64_t what);
KEEPS_REGISTERS void exec_access_indexed_quick(struct kabi_block *block, uint64_t base, const int32_t *index, uint64_t indexed, uint64_t what);

/* The memory this thread was last told about, and when: a release of memory makes it doubtful. */
struct exec_known {
    uint64_t base, end, epoch;
};
extern _Thread_local struct exec_known exec_known;

#endif
