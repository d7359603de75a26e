/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the library's own that several threads do while the caller waits. */
#include "base/os.h"
#include "exec/exec.h"

#include <stdatomic.h>

/* Lifetime  On the caller's stack; nobody touches it after over was set. */
struct spread {
    struct exec_job job;
    void (*fn)(void *arg, uint64_t piece);
    void *arg;
    _Atomic uint32_t over;
};

static void run_spread(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct spread *s = hw_container_of(job, struct spread, job);
    for (uint64_t i = first; i < first + count; i++)
        s->fn(s->arg, i);
}

static void spread_done(struct exec_job *job)
{
    _Atomic uint32_t *over = &hw_container_of(job, struct spread, job)->over;
    atomic_store_explicit(over, 1, memory_order_release);        /* pairs with exec_spread() */
    hw_futex_wake(over, 1);                      /* the address only: the caller may be gone */
}

void exec_spread(void (*fn)(void *arg, uint64_t piece), void *arg, uint64_t n_pieces)
{
    struct spread s = { .fn = fn, .arg = arg };
    struct exec_runner runner;
    exec_job_init(&s.job, n_pieces, 1);
    s.job.engine = exec_engine(EXEC_COMPUTE);
    s.job.run = run_spread;
    s.job.done = spread_done;
    exec_submit(&s.job, true);
    if (exec_join(&s.job, &runner))
        exec_work(&runner);
    while (!atomic_load_explicit(&s.over, memory_order_acquire))
        hw_futex_wait(&s.over, 0, 0);
}
