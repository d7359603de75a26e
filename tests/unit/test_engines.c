/* SPDX-License-Identifier: Apache-2.0 */
/* What the engines do for streams as a whole: copy engines, priorities, the end of a queue, rest. Each test is a process of its
   own, because the options are read once. */
#include "core_kernels.h"

#include "base/os.h"
#include "core/stream/sched.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct rig rig;

/* In the child: 0 when what it checks holds. An exit in between would run the parent's handlers. */
#define CHILD_CHECK(cond)                                        \
    do {                                                         \
        if (!(cond)) {                                           \
            fprintf(stderr, "line %d: %s\n", __LINE__, #cond);   \
            _exit(1);                                            \
        }                                                        \
    } while (0)

static void in_child(const char *option, const char *value, void (*fn)(void))
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        if (option)
            setenv(option, value, 1);
        rig_init(&rig);
        fn();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void sleep_ms(int ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
    nanosleep(&t, NULL);
}

static CUstream new_stream(int priority)
{
    CUstream s = NULL;
    CHILD_CHECK(stream_create(rig.ctx, CU_STREAM_NON_BLOCKING, priority, &s) == CUDA_SUCCESS);
    return s;
}

static void *new_memory(size_t bytes)
{
    CUdeviceptr d = 0;
    CHILD_CHECK(mem_alloc(rig.ctx, bytes, &d) == CUDA_SUCCESS);
    memset((void *)(uintptr_t)d, 0, bytes);
    return (void *)(uintptr_t)d;
}

/* --- copy engines --- */

static _Atomic int held, let_go, finished;

static void hold(struct exec_job *job, uint64_t first, uint64_t count)
{
    (void)job, (void)first, (void)count;
    held++;
    while (!let_go)
        sleep_ms(1);
}

static void hold_done(struct exec_job *job)
{
    (void)job;
    finished = 1;
}

/* Keeps every thread of the engine for copies to the host busy, and copies to the device meanwhile. */
static bool copy_in_passes_held_engine(void)
{
    static struct exec_job job;
    struct exec_engine *out = exec_engine(EXEC_COPY_OUT);
    unsigned n = exec_engine_threads(out);
    struct stream *s = NULL;
    void *pinned = NULL, *d = new_memory(4096);
    CUstream handle = new_stream(0);
    CHILD_CHECK(mem_host_alloc(rig.ctx, 4096, 0, &pinned) == CUDA_SUCCESS);
    memset(pinned, 7, 4096);
    exec_job_init(&job, n, 1);
    job.engine = out;
    job.run = hold;
    job.done = hold_done;
    exec_submit(&job, true);
    while (held < (int)n)
        sleep_ms(1);
    CHILD_CHECK(stream_get(rig.ctx, handle, false, false, &s) == CUDA_SUCCESS);
    CHILD_CHECK(copy_linear(s, (uintptr_t)d, COPY_DEVICE, (uintptr_t)pinned, COPY_HOST, 4096, true) == CUDA_SUCCESS);
    bool passed = false;
    for (int i = 0; i < 100 && !passed; i++) {   /* where it cannot pass it never does */
        passed = stream_query(s) == CUDA_SUCCESS;
        sleep_ms(exec_engine(EXEC_COPY_IN) == out ? 1 : 20);
    }
    let_go = 1;
    CHILD_CHECK(stream_synchronize(s) == CUDA_SUCCESS);
    CHILD_CHECK(((char *)d)[4095] == 7);
    while (!finished)
        sleep_ms(1);
    stream_unref(s);
    return passed;
}

static void both_directions_share(void) { CHILD_CHECK(!copy_in_passes_held_engine()); }
static void each_direction_has_its_own(void) { CHILD_CHECK(copy_in_passes_held_engine()); }

static void one_copy_engine_serves_both_directions(void **state)
{
    (void)state;
    in_child("HOSTWARP_COPY_ENGINES", "1", both_directions_share);
}

static void two_copy_engines_serve_one_direction_each(void **state)
{
    (void)state;
    in_child("HOSTWARP_COPY_ENGINES", "2", each_direction_has_its_own);
}

/* --- priorities --- */

/*
 * While the only thread is in block 0 of one kernel, or in the first of a row of small kernels, another one is queued that is more
 * urgent. How many blocks had their turn when that one had? A busy machine may give it a thread of its own, or none, for as long
 * as it likes, so most of many times will do.
 */
enum { TRIES = 21, BLOCKS = 64 };
static unsigned rounds_in_which_it_came_early(int priority, bool one_kernel)
{
    CUstream first = new_stream(0), second = new_stream(priority);
    _Atomic int *log = new_memory(4 * sizeof *log);
    unsigned early = 0;
    for (int i = 0; i < TRIES; i++) {
        memset((void *)log, 0, 4 * sizeof *log);
        for (int k = 0; k < (one_kernel ? 1 : BLOCKS); k++)
            CHILD_CHECK(rig_launch(&rig, K_TURNS, first, one_kernel ? BLOCKS : 1, (void *)log, k > 0 ? 2 : 0, 0) == CUDA_SUCCESS);
        CHILD_CHECK(rig_launch(&rig, K_TURNS, second, 1, (void *)log, 1, 0) == CUDA_SUCCESS);
        log[0] = 1;
        while (rig_query(&rig, second) == CUDA_ERROR_NOT_READY || rig_query(&rig, first) == CUDA_ERROR_NOT_READY)
            sleep_ms(1);
        CHILD_CHECK(log[1] == BLOCKS + 1);
        early += log[3] <= BLOCKS / 2;
    }
    fprintf(stderr, "priority %d: early in %u of %d\n", priority, early, TRIES);
    return early;
}

static void overtakes_blocks(void) { CHILD_CHECK(rounds_in_which_it_came_early(-5, true) > TRIES / 2); }
static void overtakes_kernels(void) { CHILD_CHECK(rounds_in_which_it_came_early(-5, false) > TRIES / 2); }

static void a_high_priority_kernel_overtakes_waiting_blocks(void **state)
{
    (void)state;
    in_child("HOSTWARP_THREADS", "1", overtakes_blocks);
}

static void a_high_priority_kernel_overtakes_a_row_of_small_ones(void **state)
{
    (void)state;
    in_child("HOSTWARP_THREADS", "1", overtakes_kernels);
}

/* --- the end of a queue --- */

enum { LAUNCHES = 100000, QUEUE_BOUND = 10000 };
static CUstream filled;
static uint32_t *sum;

static void *fill(void *arg)
{
    (void)arg;
    for (int i = 0; i < LAUNCHES; i++)
        CHILD_CHECK(rig_launch(&rig, K_COUNT, filled, 1, sum, 0, 0) == CUDA_SUCCESS);
    return NULL;
}

static void queue_ends(void)
{
    _Atomic int *flag = new_memory(4);
    struct stream *s = NULL;
    pthread_t thread;
    sum = new_memory(4);
    filled = new_stream(0);
    CHILD_CHECK(stream_get(rig.ctx, filled, false, false, &s) == CUDA_SUCCESS);
    CHILD_CHECK(rig_launch(&rig, K_SPIN, filled, 1, flag, 0, 0) == CUDA_SUCCESS);
    pthread_create(&thread, NULL, fill, NULL);
    uint64_t seen = 0;                           /* until the thread waits, or has filled more than it may */
    for (int still = 0; still < 20 && seen <= QUEUE_BOUND; still++) {
        uint64_t now = s->n_pushed;
        if (now != seen)
            still = 0;
        seen = now;
        sleep_ms(10);
    }
    CHILD_CHECK(seen > 1000 && seen <= QUEUE_BOUND);
    *flag = 1;
    pthread_join(thread, NULL);
    CHILD_CHECK(stream_synchronize(s) == CUDA_SUCCESS);
    CHILD_CHECK(*sum == LAUNCHES);
    stream_unref(s);
}

static void a_hundred_thousand_launches_take_bounded_memory(void **state)
{
    (void)state;
    in_child(NULL, NULL, queue_ends);
}

/* --- rest --- */

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void CUDA_CB nothing(void *arg) { (void)arg; }

static void engines_rest(void)
{
    CUstream handle = new_stream(0);
    struct stream *s = NULL;
    uint32_t *words = new_memory(64 * 64 * 4);
    void *pinned = NULL;
    CHILD_CHECK(mem_host_alloc(rig.ctx, 4096, 0, &pinned) == CUDA_SUCCESS);
    CHILD_CHECK(stream_get(rig.ctx, handle, false, false, &s) == CUDA_SUCCESS);
    for (int i = 0; i < 10; i++) {
        CHILD_CHECK(rig_launch(&rig, K_MIX, handle, 64, words, 64 * 64, 1) == CUDA_SUCCESS);
        CHILD_CHECK(rig_launch(&rig, K_MIX, handle, 1, words, 64, 1) == CUDA_SUCCESS);
        CHILD_CHECK(copy_linear(s, (uintptr_t)pinned, COPY_HOST, (uintptr_t)words, COPY_DEVICE, 4096, true) == CUDA_SUCCESS);
        CHILD_CHECK(copy_linear(s, (uintptr_t)words, COPY_DEVICE, (uintptr_t)pinned, COPY_HOST, 4096, true) == CUDA_SUCCESS);
        CHILD_CHECK(stream_host_fn(s, nothing, NULL) == CUDA_SUCCESS);
    }
    CHILD_CHECK(stream_synchronize(s) == CUDA_SUCCESS);
    stream_unref(s);
    sleep_ms(50);                                /* the short spin is over */
    uint64_t before = cpu_ns();
    sleep_ms(500);
    uint64_t used = cpu_ns() - before;
    fprintf(stderr, "500 ms of rest took %llu us of CPU time\n", (unsigned long long)(used / 1000));
    CHILD_CHECK(used < 10000000);
}

static void idle_engines_use_no_cpu(void **state)
{
    (void)state;
    in_child(NULL, NULL, engines_rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_copy_engine_serves_both_directions),
        cmocka_unit_test(two_copy_engines_serve_one_direction_each),
        cmocka_unit_test(a_high_priority_kernel_overtakes_waiting_blocks),
        cmocka_unit_test(a_high_priority_kernel_overtakes_a_row_of_small_ones),
        cmocka_unit_test(a_hundred_thousand_launches_take_bounded_memory),
        cmocka_unit_test(idle_engines_use_no_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
