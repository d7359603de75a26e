/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of the process: which there are and how many threads each has. */
#include "exec/internal.h"

#include "base/options.h"
#include "base/os.h"

static struct exec_engine *engines[EXEC_ENGINE_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void compute_thread_start(unsigned index)
{
    (void)index;
    exec_fault_thread();
}

static void make_engines(void)
{
    const struct hw_options *o = hw_options();
    unsigned cpus = hw_cpu_count(), n = o->threads > 0 ? (unsigned)hw_min_u64((uint64_t)o->threads, 256) : cpus;
    /* Where CPUs are few, a spinning thread takes one from the program: it then gives up soon. */
    unsigned spin = cpus > 2 ? 30 : 5;
    exec_fault_install();
    engines[EXEC_COMPUTE] = exec_engine_new(&(struct exec_engine_config){ "comp", n, 128, spin, compute_thread_start });
    engines[EXEC_COPY_IN] = exec_engine_new(&(struct exec_engine_config){ "copyi", 1, 0, spin, NULL });
    engines[EXEC_COPY_OUT] = o->copy_engines == 1 ? engines[EXEC_COPY_IN]
        : exec_engine_new(&(struct exec_engine_config){ "copyo", 1, 0, spin, NULL });
    engines[EXEC_HOST] = exec_engine_new(&(struct exec_engine_config){ "host", 1, 0, spin, NULL });
}

struct exec_engine *exec_engine(enum exec_engine_id id)
{
    pthread_once(&once, make_engines);
    return engines[id];
}

struct exec_engine *exec_copy_engine_any(void)
{
    struct exec_engine *in = exec_engine(EXEC_COPY_IN), *out = exec_engine(EXEC_COPY_OUT);
    return exec_engine_load(out) < exec_engine_load(in) ? out : in;
}
