/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of the process: which there are and how many threads each has. */
#include "exec/internal.h"

#include "base/options.h"
#include "base/os.h"

#include <stdatomic.h>

static struct exec_engine *engines[EXEC_ENGINE_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic bool made;
static unsigned most_threads;                    /* 0: as the options say */
bool exec_no_help;


static void make_engines(void)
{
    const struct hw_options *o = hw_options();
    unsigned cpus = hw_cpu_count(), n = o->threads > 0 ? (unsigned)hw_min_u64((uint64_t)o->threads, 256) : cpus;
    n = most_threads ? most_threads : n;
    /* Where CPUs are few, a spinning thread takes one from the program: it then gives up soon. */
    unsigned spin = cpus > 2 ? 30 : 5, spinners = cpus > 8 ? cpus / 4 : 1;
    unsigned waiters = cpus > 2 ? cpus - 1 : 0;
    /* One thread does not fill the memory bus of a large machine. */
    unsigned copiers = cpus >= 16 ? 4 : cpus >= 8 ? 2 : 1, helpers = cpus > 1 && n > 1;
    exec_no_help = o->timeout > 0;
    exec_fault_install();
    engines[EXEC_COMPUTE] = exec_engine_new(&(struct exec_engine_config){
        .name = "comp", .n_threads = n, .max_extra = 128, .spin_us = spin, .max_spinning = spinners, .max_waiting = waiters,
        .timeout_s = o->timeout > 0 ? (unsigned)o->timeout : 0,
        .timeout_signal = EXEC_TIMEOUT_SIGNAL });
    engines[EXEC_COPY_IN] = exec_engine_new(&(struct exec_engine_config){ .name = "copyi", .n_threads = copiers, .helpers = helpers, .spin_us = spin });
    engines[EXEC_COPY_OUT] = o->copy_engines == 1 ? engines[EXEC_COPY_IN]
        : exec_engine_new(&(struct exec_engine_config){ .name = "copyo", .n_threads = copiers, .helpers = helpers, .spin_us = spin });
    engines[EXEC_HOST] = exec_engine_new(&(struct exec_engine_config){ .name = "host", .n_threads = 1, .spin_us = spin });
    atomic_store_explicit(&made, true, memory_order_release);
}

void exec_engines_forget(unsigned threads)
{
    most_threads = threads;
    make_engines();
}

struct exec_engine *exec_engine(enum exec_engine_id id)
{
    if (hw_unlikely(!atomic_load_explicit(&made, memory_order_acquire)))     /* pairs with make_engines() */
        pthread_once(&once, make_engines);
    return engines[id];
}

bool exec_start(void)
{
    bool all = true;
    for (int id = 0; id < EXEC_ENGINE_COUNT; id++)
        all = all && exec_engine_start(exec_engine((enum exec_engine_id)id));
    return all;
}

struct exec_engine *exec_copy_engine_any(void)
{
    struct exec_engine *in = exec_engine(EXEC_COPY_IN), *out = exec_engine(EXEC_COPY_OUT);
    return exec_engine_load(out) < exec_engine_load(in) ? out : in;
}
