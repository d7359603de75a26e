/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a computed GPU: listens to core's hooks and tells events, profiler and the program's own clocks what time it would be. */
#ifndef CLOCK_CLOCK_H
#define CLOCK_CLOCK_H

#include "clock/sim.h"

/* Once, when the library is loaded: begins where HOSTWARP_GPU names a GPU. Before other listeners, which read its times. */
void clock_init(void);

/* --- between the files of this folder --- */

/* What a thread of the program has: its own time on each GPU. */
enum { CLOCK_WAITS = 64 };
struct clock_thread {
    unsigned depth;                              /* of calls: the outermost counts */
    const char *call;
    double now[GPU_MOST_CHOSEN];                 /* ns: when it made its newest call, or came back from it */
    double cost[GPU_MOST_CHOSEN];                /* of the call that runs, so far */
    uint64_t entered;                            /* hw_now_ns() */
    int64_t lead;                                /* of its time on the first GPU over real time, ns; what it computes itself takes real time */
    bool made_context;
    struct { struct sim_cmd *cmd; int how; } waits[CLOCK_WAITS];     /* what it knows to be over when the call returns */
    unsigned n_waits;
};
struct clock_thread *clock_thread(void);
enum clock_wait { CLOCK_WAIT_ALL, CLOCK_WAIT_EVENT, CLOCK_WAIT_COPY };

struct mem_info;
/* host.c: what calls cost, and the program's clocks. */
void host_call_cost(struct clock_thread *t, int result);         /* into cost */
void host_memory_cost(struct clock_thread *t, const struct mem_info *info, bool added);
double host_untouched(uint64_t addr, uint64_t bytes);            /* pages of 4 KiB that nobody has touched yet */
void host_patch_clocks(void);

/* count.c: kernels. */
struct cmd;
struct function;
struct launch_config;
struct count_entry *count_launch(struct sim_cmd *v, struct cmd *c, const struct function *f, const struct launch_config *config);
void count_finished(struct cmd *c);                              /* with the scheduler's lock held */
void count_settle(void);                                         /* waits a little for kernels that are being counted; no lock held */
double count_ns(const struct sim_cmd *c, size_t g, double *share);
bool count_kernel_ns(uint64_t *ns);                              /* what a kernel's clock says on this thread; false: it is not being counted */
struct gpu_result;
struct gpu_counts;
void count_each(void (*fn)(const struct count_entry *e, void *arg), void *arg);
const struct gpu_counts *count_counts(const struct count_entry *e);
const struct gpu_result *count_result(const struct count_entry *e, size_t g);
const struct launch_config *count_shape(const struct count_entry *e);
const char *count_name(const struct count_entry *e);

/* managed.c: where managed memory is. */
void managed_launch(struct sim_cmd *v, const uint64_t *words, size_t n);         /* words among the parameters, which may be addresses */
void managed_finished(const struct sim_cmd *v);
bool managed_prefetch(const struct mem_info *info, bool to_device);              /* does it have to move? */
void managed_dropped(uint64_t base);

/* summary.c: what HOSTWARP_CLOCK_OUT asks for. */
void summary_init(void);
void summary_cmd(const struct sim_cmd *c, const struct sim_stream *s, size_t g);
void summary_write(double host_ns[]);

#endif
