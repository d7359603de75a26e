/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual time: the commands of all streams on GPUs that are only computed. A command is queued here in the order in which the program
 * queues it; when somebody asks for its time, everything that could come before it on the device is placed, in the order of its
 * begin. What is queued later begins later, so that nothing has to be placed twice.
 */
#ifndef CLOCK_SIM_H
#define CLOCK_SIM_H

#include "base/vec.h"
#include "gpu/choice.h"

struct count_entry;

enum sim_engine { SIM_IN, SIM_OUT, SIM_DEVICE, SIM_HOST, SIM_ENGINES, SIM_KERNEL = SIM_ENGINES, SIM_POINT };

/* Which copy: for the time it takes. */
enum sim_copy { SIM_NO_COPY, SIM_PINNED_IN, SIM_PINNED_OUT, SIM_PAGEABLE_IN, SIM_PAGEABLE_OUT, SIM_ON_DEVICE, SIM_FILL, SIM_ON_HOST };

/*
 * A command.
 * Lifetime  Counted: its stream holds it until all GPUs have placed it, whoever waits for it, events and the running command hold it too.
 * Locks     clock.c's, all of it.
 */
struct sim_cmd {
    unsigned refs;
    uint64_t seq;
    enum sim_engine engine;
    enum sim_copy copy;
    double bytes;
    int priority;
    bool finished;                               /* really */
    double untouched;                            /* pages of pageable memory that nobody has touched before */
    bool async;                                  /* of copies: the call without waiting */
    struct count_entry *kernel;                  /* SIM_KERNEL */
    double moves;                                /* of the managed memory that the kernel touches: the share that is not on the device */
    uint64_t managed[4];                         /* allocations of managed memory that it was given */
    unsigned n_managed;
    void *watched;                               /* for hook_cmd_timed(), NULL: nobody */
    struct sim_cmd *next;                        /* in its stream */
    HW_VEC(struct sim_cmd *) after;              /* beside its stream's order */
    uint8_t placed;                              /* bit g: GPU g has */
    double submit[GPU_MOST_CHOSEN], begin[GPU_MOST_CHOSEN], end[GPU_MOST_CHOSEN];        /* ns */
};

/* A stream. Lifetime: clock.c's; until its handle is closed and nothing of it is left to place. */
struct sim_stream {
    uint64_t id;
    const void *ctx;
    bool blocking, legacy, closed;
    bool listed;                                 /* has commands to place */
    struct sim_cmd *tail;                        /* the newest, held */
    HW_VEC(struct sim_cmd *) waits;              /* the next one waits for these */
    struct sim_cmd *head[GPU_MOST_CHOSEN];       /* the first that GPU g has not placed */
    double end[GPU_MOST_CHOSEN];                 /* of what it has placed */
    int last[GPU_MOST_CHOSEN];                   /* what that was, of kernels and copies: 1 + enum sim_engine; 0: nothing yet */
};

void sim_init(const struct gpu_profile *profiles, size_t n);
struct sim_cmd *sim_cmd_new(void);
void sim_ref(struct sim_cmd *c);
void sim_unref(struct sim_cmd *c);
void sim_after(struct sim_cmd *c, struct sim_cmd *on);           /* on: may be NULL */
void sim_push(struct sim_stream *s, struct sim_cmd *c);          /* takes the caller's reference */
double sim_end(struct sim_cmd *c, size_t g);                     /* places what is needed */
void sim_all(void);                                              /* places everything */
void sim_forget_idle(void);                                      /* streams with nothing to place are not listed any more */
extern size_t sim_waiting;                                       /* commands without a place */
double sim_copy_ns(const struct gpu_profile *p, const struct sim_cmd *c);        /* on the device */
double sim_tail_ns(const struct gpu_profile *p, const struct sim_cmd *c);        /* a small copy of pageable memory: how much longer than the call */
extern size_t sim_n;
extern const struct gpu_profile *sim_gpus;

/* What has been placed, for those who write it down: c was placed by GPU g. */
extern void (*sim_placed)(struct sim_cmd *c, struct sim_stream *s, size_t g);
/* How long a kernel takes, and which share of the GPU it holds. */
extern double (*sim_kernel_ns)(const struct sim_cmd *c, size_t g, double *share);

#endif
