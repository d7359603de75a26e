/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the library's own that several threads do while the caller waits. */
#include "exec/internal.h"

#include "base/os.h"

#include <stdatomic.h>

enum { SPIN_NS = 20000 };

enum { SPREAD_RUNS, SPREAD_OVER, SPREAD_ASLEEP };

static void spread_done(struct exec_job *job)
{
    _Atomic uint32_t *state = &hw_container_of(job, struct exec_spread, job)->state;
    if (atomic_exchange(state, SPREAD_OVER) == SPREAD_ASLEEP)    /* pairs with exec_run_spread() */
        hw_futex_wake(state, 1);                 /* the address only: the caller may be gone */
}

void exec_run_spread(struct exec_spread *s)
{
    struct exec_runner runner;
    uint32_t runs = SPREAD_RUNS;
    s->state = SPREAD_RUNS;
    s->job.done = spread_done;
    exec_submit(&s->job, true);
    if (exec_join(&s->job, &runner))
        exec_work(&runner);
    /* The others have begun with their last pieces when we began with ours: they end at about the same time. */
    for (uint64_t end = hw_now_ns() + SPIN_NS; atomic_load(&s->state) != SPREAD_OVER && hw_now_ns() < end;)
        hw_cpu_relax();
    atomic_compare_exchange_strong(&s->state, &runs, SPREAD_ASLEEP);
    while (atomic_load(&s->state) != SPREAD_OVER)
        hw_futex_wait(&s->state, SPREAD_ASLEEP, 0);
}

/* Lifetime  On the caller's stack; nobody touches it once the state is SPREAD_OVER. */
struct spread {
    struct exec_spread s;
    void (*fn)(void *arg, uint64_t piece);
    void *arg;
};

static void run_spread(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct spread *s = hw_container_of(job, struct spread, s.job);
    for (uint64_t i = first; i < first + count; i++)
        s->fn(s->arg, i);
}

void exec_spread(void (*fn)(void *arg, uint64_t piece), void *arg, uint64_t n_pieces)
{
    struct spread s = { .fn = fn, .arg = arg };
    exec_job_init(&s.s.job, n_pieces, 1);
    s.s.job.engine = exec_engine(EXEC_COMPUTE);
    s.s.job.run = run_spread;
    exec_run_spread(&s.s);
}
