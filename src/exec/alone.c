/* SPDX-License-Identifier: Apache-2.0 */
/* A launch in a copy of the process that fork() made: of the threads only the one that called it is here. */
#include "exec/internal.h"

#include "base/os.h"

#include <stdatomic.h>

bool exec_alone;
static _Atomic uint32_t over;

void exec_alone_begin(unsigned threads)
{
    exec_alone = true;
    exec_areas_forget();
    exec_fault_forget();
    exec_engines_forget(threads);
}

static void on_done(struct exec_job *job)
{
    (void)job;
    over = 1;
    hw_futex_wake(&over, 1);
}

void exec_alone_run(struct exec_launch *l)
{
    over = 0;
    l->job.done = on_done;
    l->job.priority = 0;
    exec_submit(&l->job, true);
    while (!over)
        hw_futex_wait(&over, 0, 0);
}
