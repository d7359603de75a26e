/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program that run in stream order, on a thread of their own. */
#include "exec/exec.h"

#include "base/os.h"

_Thread_local bool exec_hostfn_inside;

static void run_hostfn(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct exec_hostfn *fn = hw_container_of(job, struct exec_hostfn, job);
    (void)first;
    (void)count;
    hw_assert_no_locks("a host function runs");
    exec_hostfn_inside = true;
    fn->call(fn);
    hw_cancel_off();             /* the program's function may have changed that */
    exec_hostfn_inside = false;
}

void exec_hostfn_init(struct exec_hostfn *fn, void (*call)(struct exec_hostfn *fn))
{
    exec_job_init(&fn->job, 1, 1);
    fn->job.engine = exec_engine(EXEC_HOST);
    fn->job.run = run_hostfn;
    fn->job.no_help = true;      /* programs may count on another thread than the one that waits */
    fn->call = call;
}
