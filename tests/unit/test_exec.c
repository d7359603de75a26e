/* SPDX-License-Identifier: Apache-2.0 */
/* The engines by themselves: priorities, helping, cancelling, timeouts, printf's conversions, program's signal handlers. */
#include "core_kernels.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* --- jobs --- */

static struct exec_engine *engine;
static _Atomic int gate, n_order, n_done, order[16];

struct job {
    struct exec_job job;
    int id;
    _Atomic int runs;
};

static void run_gate(struct exec_job *job, uint64_t first, uint64_t count)
{
    (void)job, (void)first, (void)count;
    gate = 1;
    while (gate != 2)
        usleep(100);
}

static void run_note(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct job *j = hw_container_of(job, struct job, job);
    (void)first;
    j->runs += (int)count;
    order[n_order++ & 15] = j->id;
}

static void run_cancel(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct job *j = hw_container_of(job, struct job, job);
    j->runs += (int)count;
    if (first >= 10)
        exec_cancel(job);
}

static void on_done(struct exec_job *job)
{
    (void)job;
    n_done++;
}

static void job_make(struct job *j, void (*run)(struct exec_job *, uint64_t, uint64_t), uint64_t n, int priority)
{
    exec_job_init(&j->job, n, 1);
    j->runs = 0;
    j->job.engine = engine;
    j->job.run = run;
    j->job.done = on_done;
    j->job.priority = priority;
}

static void wait_done(int n)
{
    for (int i = 0; i < 5000 && n_done < n; i++)
        usleep(1000);
    assert_int_equal(n_done, n);
}

/* The engine's thread waits at the gate, until it is 2. */
static void keep_busy(struct job *hold)
{
    job_make(hold, run_gate, 1, 0);
    exec_submit(&hold->job, true);
    while (gate != 1)
        usleep(100);
}

/* --- shares --- */

enum { SHARES = 4, PIECES = 1003 };
static _Atomic int hits[PIECES];
static _Atomic uint64_t begun[2][SHARES];        /* of two jobs: the first piece of each of the engine's threads, and 1 */
static int which;                               /* of the two */

static void run_share(struct exec_job *job, uint64_t first, uint64_t count)
{
    uint64_t none = 0, i = first;
    (void)count;
    do
        hits[i++]++;
    while (exec_claim(exec_runner(), 1, 1));
    atomic_compare_exchange_strong(&begun[which][exec_thread_index()], &none, first + 1);
    usleep(job->n_pieces == PIECES ? 2000 : 10);
}

static void run_shares(struct exec_engine *four, uint64_t n)
{
    static struct exec_job job;
    memset((void *)hits, 0, sizeof hits);
    n_done = 0;
    exec_job_init(&job, n, 8);
    job.engine = four;
    job.run = run_share;
    job.done = on_done;
    exec_job_share(&job, SHARES);
    exec_submit(&job, true);
    wait_done(1);
    for (uint64_t i = 0; i < PIECES; i++)
        assert_int_equal(hits[i], i < n);
}

/* Two jobs: does each thread begin where it began before, and no other does? */
static bool begin_alike(struct exec_engine *four)
{
    unsigned seen = 0;
    bool good = true;
    memset((void *)begun, 0, sizeof begun);
    for (which = 0; which < 2; which++)
        run_shares(four, PIECES);
    for (unsigned t = 0; t < SHARES; t++) {
        unsigned share = (unsigned)((begun[0][t] - 1) * SHARES / PIECES);
        good = good && begun[0][t] && begun[1][t] && (begun[1][t] - 1) * SHARES / PIECES == share && !(seen >> share & 1);
        seen |= 1u << (share & 31);
    }
    return good;
}

static void threads_begin_with_their_own_share(void **state)
{
    (void)state;
    struct exec_engine *four = exec_engine_new(&(struct exec_engine_config){ .name = "four", .n_threads = SHARES, .spin_us = 100 });
    for (uint64_t n = 1; n < 20; n++)
        run_shares(four, n);
    bool alike = false;
    for (int k = 0; k < 20 && !alike; k++)       /* on a busy machine a thread may come when others have done its share */
        alike = begin_alike(four);
    assert_true(alike);
}

static _Atomic int done_by[2];                   /* pieces, by the first thread of the engine and by the other */

static void run_uneven(struct exec_job *job, uint64_t first, uint64_t count)
{
    (void)job;
    (void)count;
    do {
        hits[first++]++;
        done_by[exec_thread_index() > 0]++;
        if (exec_thread_index() == 0)
            usleep(1000);
    } while (exec_claim(exec_runner(), 1, 1));
}

static void what_a_thread_has_not_begun_is_taken_from_it(void **state)
{
    enum { N = 400 };
    static struct exec_job job;
    (void)state;
    struct exec_engine *two = exec_engine_new(&(struct exec_engine_config){ .name = "two", .n_threads = 2, .spin_us = 100 });
    memset((void *)hits, 0, sizeof hits);
    n_done = 0;
    exec_job_init(&job, N, N);
    job.engine = two;
    job.run = run_uneven;
    job.done = on_done;
    exec_job_share(&job, 2);
    job.chunk = N / 2;                           /* whole shares: 200 pieces, some tenths of a second for the one, nothing for the other */
    exec_submit(&job, true);
    wait_done(1);
    for (int i = 0; i < N; i++)
        assert_int_equal(hits[i], 1);
    assert_int_equal(done_by[0] + done_by[1], N);
    assert_true(done_by[1] > N / 2 + N / 4);
}

static struct { uint64_t first, count; } handed[256];
static int n_handed;

static void run_handed(struct exec_job *job, uint64_t first, uint64_t count)
{
    (void)job;
    handed[n_handed].first = first;
    handed[n_handed++].count = count;
}

/* The gate keeps every thread of the engine: what this thread is handed is all there is. */
static void chunks_become_smaller_towards_the_end(void **state)
{
    (void)state;
    static struct job hold, j;
    struct exec_runner runner;
    n_done = n_order = gate = n_handed = 0;
    keep_busy(&hold);
    job_make(&j, run_handed, 1000, 0);
    j.job.chunk = 100;
    j.job.least = 3;
    j.job.parts = 4;
    exec_submit(&j.job, false);
    assert_true(exec_join(&j.job, &runner));
    exec_work(&runner);
    uint64_t next = 0;
    for (int i = 0; i < n_handed; i++) {
        uint64_t left = 1000 - next, want = left / 4 > 100 ? 100 : left / 4 < 3 ? 3 : left / 4;
        assert_int_equal(handed[i].first, next);
        assert_int_equal(handed[i].count, want < left ? want : left);
        next += handed[i].count;
    }
    assert_int_equal(next, 1000);
    assert_true(n_handed > 10);
    gate = 2;
    wait_done(2);
}

static void run_growing(struct exec_job *job, uint64_t first, uint64_t count)
{
    run_handed(job, first, count);
    job->chunk = 2 * count;
}

/* A job that finds its pieces short takes more at a time, from its next chunk on; the engine's count of wide jobs stays right. */
static void a_job_may_change_its_chunks(void **state)
{
    (void)state;
    static struct job hold, j;
    struct exec_runner runner;
    n_done = n_order = gate = n_handed = 0;
    keep_busy(&hold);
    job_make(&j, run_growing, 100, 0);
    exec_submit(&j.job, false);
    assert_true(exec_join(&j.job, &runner));
    exec_work(&runner);
    static const uint64_t want[] = { 1, 2, 4, 8, 16, 32, 37 };
    assert_int_equal(n_handed, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(handed[i].count, want[i]);
    assert_true(j.job.chunk >= j.job.n_pieces / 2 && !j.job.queued);
    assert_int_equal(exec_engine_wide(engine), 0);
    gate = 2;
    wait_done(2);
}

static void urgent_jobs_go_first(void **state)
{
    (void)state;
    static struct job hold, jobs[4];
    static const int priorities[] = { 0, -5, 0, -3 };
    n_done = n_order = gate = 0;
    keep_busy(&hold);
    for (int i = 0; i < 4; i++) {
        job_make(&jobs[i], run_note, 1, priorities[i]);
        jobs[i].id = i;
        exec_submit(&jobs[i].job, true);
    }
    gate = 2;
    wait_done(5);
    static const int want[] = { 1, 3, 0, 2 };
    for (int i = 0; i < 4; i++)
        assert_int_equal(order[i], want[i]);
}

static void a_waiting_thread_can_run_the_job_itself(void **state)
{
    (void)state;
    static struct job hold, job;
    n_done = n_order = gate = 0;
    keep_busy(&hold);
    job_make(&job, run_note, 100, 0);
    exec_submit(&job.job, false);
    struct exec_runner runner;
    assert_true(exec_join(&job.job, &runner));
    exec_work(&runner);
    assert_int_equal(job.runs, 100);
    assert_int_equal(n_done, 1);
    gate = 2;
    wait_done(2);
}

static void run_wait(struct exec_job *job, uint64_t first, uint64_t count)
{
    (void)job, (void)first, (void)count;
    while (gate != 2)
        usleep(100);
}

static void run_open(struct exec_job *job, uint64_t first, uint64_t count)
{
    (void)job, (void)first, (void)count;
    gate = 2;
}

/* The first waits for the second: both must be running, however fast they were submitted. */
static void jobs_that_wait_for_each_other_get_threads(void **state)
{
    (void)state;
    struct exec_engine *only = engine;
    for (int round = 0; round < 20; round++) {
        static struct job waits[20], opens[20];
        engine = exec_engine_new(&(struct exec_engine_config){ .name = "pair", .n_threads = 2 });
        n_done = gate = 0;
        job_make(&waits[round], run_wait, 1, 0);
        job_make(&opens[round], run_open, 1, 1);          /* less urgent: a lone thread would begin with the other */
        exec_submit(&opens[round].job, false);
        exec_submit(&waits[round].job, true);
        wait_done(2);
    }
    engine = only;
}

static void cancelled_pieces_do_not_run(void **state)
{
    (void)state;
    static struct job job;
    n_done = 0;
    job_make(&job, run_cancel, 1000000, 0);
    exec_submit(&job.job, true);
    wait_done(1);
    assert_int_equal(job.runs, 11);
}

/* --- printf --- */

static int32_t k_any_print(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)frame;
    l->services->vprintf_(b, PARAM(l, 0, const char *), PARAM(l, 8, const void *));
    return KABI_ALL_DONE;
}

/* These kernels are functions of this program: its memory is theirs. */
static bool any_memory(uint64_t addr, uint64_t *out_base, uint64_t *out_end)
{
    (void)addr;
    *out_base = 0;
    *out_end = UINT64_MAX;
    return true;
}

static void print_and_read(const char *fmt, const void *args, char *got, size_t bytes)
{
    static kabi_region_fn *const regions[] = { k_any_print };
    static const struct kabi_kernel kernel = { .name = "print", .n_regions = 1, .regions = regions, .n_warps = 1 };
    static struct exec_launch l;
    const void *params[] = { fmt, args };
    exec_find_memory = any_memory;
    l.kernel = &kernel;
    l.printf_buf = exec_printf_new(4096);
    l.kl = (struct kabi_launch){ .params = params, .ntid = { 1, 1, 1 }, .nctaid = { 1, 1, 1 } };
    exec_launch_init(&l, false);
    l.job.done = on_done;
    n_done = 0;
    exec_submit(&l.job, true);
    wait_done(1);
    fflush(stdout);
    int saved = dup(1);
    FILE *to = tmpfile();
    dup2(fileno(to), 1);
    exec_printf_flush(l.printf_buf);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    rewind(to);
    got[fread(got, 1, bytes - 1, to)] = 0;
    fclose(to);
    exec_printf_free(l.printf_buf);
}

static void printf_converts_as_c_does(void **state)
{
    (void)state;
    const struct {
        const char *fmt;
        union {
            int32_t i[4];
            int64_t l[2];
            double d[2];
            const char *s[2];
        } args;
        const char *want;
    } cases[] = {
        { "%d %i", { .i = { -7, 8 } }, "-7 8" },
        { "%5d|%-5d|%05d", { .i = { 1, 2, 3 } }, "    1|2    |00003" },
        { "%*d|%-*d", { .i = { 4, 5, 3, 6 } }, "   5|6  " },
        { "%u %x", { .i = { -1, 255 } }, "4294967295 ff" },
        { "%ld %lu", { .l = { -1, 5 } }, "-1 5" },
        { "%lld %#llx", { .l = { -3, 0xabc } }, "-3 0xabc" },
        { "%zu %jd", { .l = { 7, -7 } }, "7 -7" },
        { "%hhd %hd", { .i = { 0x1ff, 0x1ffff } }, "-1 -1" },
        { "%o", { .i = { 8 } }, "10" },
        { "%f %.2f", { .d = { 1.5, 2.255 } }, "1.500000 2.25" },
        { "%e %G", { .d = { 12345.678, 1e-10 } }, "1.234568e+04 1E-10" },
        { "%a", { .d = { 1.0 } }, "0x1p+0" },
        { "%s|%.2s", { .s = { "ab", "xyz" } }, "ab|xy" },
        { "%c%c", { .i = { 'h', 'i' } }, "hi" },
        { "%d %f", { .l = { 3, 0 } }, "3 0.000000" },           /* the double is aligned to 8 */
        { "100%%", { .i = { 0 } }, "100%" },
        { "%y %d", { .i = { 4 } }, "%y 4" },
        { "no conversion", { .i = { 0 } }, "no conversion" },
        { "trailing %", { .i = { 0 } }, "trailing %" },
        { "%+d % d", { .i = { 1, 2 } }, "+1  2" },
    };
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        char got[256];
        print_and_read(cases[i].fmt, &cases[i].args, got, sizeof got);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("\"%s\": got \"%s\", want \"%s\"", cases[i].fmt, got, cases[i].want);
    }
}

/* --- signals: in a process of their own --- */

static sigjmp_buf back;
static int *volatile nowhere = (int *)8;

static void own_handler(int sig)
{
    siglongjmp(back, sig);
}

/* The program's handler, installed before and after ours, still gets the program's own faults; kernels' faults stay ours. */
static int child_signals(void)
{
    struct rig r;
    CUdeviceptr d;
    if (!freopen("/dev/null", "w", stderr))
        abort();
    rig_init(&r);
    mem_alloc(r.ctx, 64, &d);
    for (int i = 0; i < 3; i++) {
        signal(SIGSEGV, own_handler);
        usleep(5000);
        rig_launch(&r, K_STORE, NULL, 1, (void *)(uintptr_t)d, 1, 0);
        if (ctx_synchronize(r.ctx))
            return 1;
        if (sigsetjmp(back, 1) == 0) {
            *(volatile int *)nowhere = 1;
            return 2;
        }
    }
    rig_launch(&r, K_WRITE, NULL, 1, (void *)16, 0, 0);
    return ctx_synchronize(r.ctx) == CUDA_ERROR_ILLEGAL_ADDRESS ? 0 : 3;
}

static int child_timeout(void)
{
    struct rig r;
    void *flag;
    if (!freopen("/dev/null", "w", stderr))
        abort();
    setenv("HOSTWARP_TIMEOUT", "1", 1);
    rig_init(&r);
    mem_host_alloc(r.ctx, 64, 0, &flag);
    rig_launch(&r, K_SPIN, NULL, 3, flag, 0, 0);
    return ctx_synchronize(r.ctx) == CUDA_ERROR_LAUNCH_TIMEOUT ? 0 : 1;
}

static void run_child(const char *name)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "test_exec", name, (char *)NULL);
        _exit(99);
    }
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s: %s %d", name, WIFEXITED(status) ? "step" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void the_programs_signal_handler_is_kept(void **state)
{
    (void)state;
    run_child("signals");
}

static void a_kernel_that_never_ends_can_be_ended(void **state)
{
    (void)state;
    run_child("timeout");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "signals") == 0 ? child_signals() : child_timeout();
    engine = exec_engine_new(&(struct exec_engine_config){ .name = "test", .n_threads = 1 });
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_begin_with_their_own_share),
        cmocka_unit_test(what_a_thread_has_not_begun_is_taken_from_it), cmocka_unit_test(urgent_jobs_go_first), cmocka_unit_test(chunks_become_smaller_towards_the_end),
        cmocka_unit_test(a_job_may_change_its_chunks),
        cmocka_unit_test(a_waiting_thread_can_run_the_job_itself),
        cmocka_unit_test(jobs_that_wait_for_each_other_get_threads), cmocka_unit_test(cancelled_pieces_do_not_run), cmocka_unit_test(printf_converts_as_c_does),
        cmocka_unit_test(the_programs_signal_handler_is_kept), cmocka_unit_test(a_kernel_that_never_ends_can_be_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
