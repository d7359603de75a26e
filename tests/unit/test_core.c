/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events, ordering, callbacks, progress and faults, with kernels written by hand. */
#include "core_kernels.h"

#include "base/os.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct rig rig;
static _Atomic int *flag;

static int setup(void **state)
{
    (void)state;
    void *p;
    rig_init(&rig);
    mem_host_alloc(rig.ctx, 64, 0, &p);
    flag = p;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return ctx_destroy(rig.handle) == CUDA_SUCCESS ? 0 : -1;
}

static CUstream new_stream(unsigned flags, int priority)
{
    CUstream s = NULL;
    assert_int_equal(stream_create(rig.ctx, flags, priority, &s), CUDA_SUCCESS);
    return s;
}

static CUdeviceptr new_memory(size_t bytes)
{
    CUdeviceptr p = 0;
    assert_int_equal(mem_alloc(rig.ctx, bytes, &p), CUDA_SUCCESS);
    return p;
}

static void sleep_ms(int ms)
{
    usleep((useconds_t)ms * 1000);
}

/* Polls for a second. */
static CUresult query_until_done(CUstream s)
{
    CUresult rc = CUDA_ERROR_NOT_READY;
    for (int i = 0; i < 1000 && rc == CUDA_ERROR_NOT_READY; i++) {
        rc = rig_query(&rig, s);
        if (rc == CUDA_ERROR_NOT_READY)
            sleep_ms(1);
    }
    return rc;
}

static void *p_of(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

/* --- what runs beside what --- */

static void every_block_runs_once(void **state)
{
    (void)state;
    enum { N = 100000 };
    CUdeviceptr d = new_memory(N * 4);
    memset(p_of(d), 0, N * 4);
    assert_int_equal(rig_launch(&rig, K_COUNT, NULL, N, p_of(d), 0, 0), CUDA_SUCCESS);
    assert_int_equal(ctx_synchronize(rig.ctx), CUDA_SUCCESS);
    for (uint32_t i = 0; i < N; i++)
        if (((uint32_t *)p_of(d))[i] != i + 1)
            fail_msg("block %u: %u", i, ((uint32_t *)p_of(d))[i]);
    assert_int_equal(mem_free(d), CUDA_SUCCESS);
}

static void streams_order_as_on_the_gpu(void **state)
{
    (void)state;
    enum { S1, S2, N1, N2, LEGACY, THREAD };
    static const struct { const char *why; int busy, other, beside; } cases[] = {
        { "two blocking streams", S1, S2, 1 },
        { "legacy waits for a blocking stream", S1, LEGACY, 0 },
        { "a blocking stream waits for legacy", LEGACY, S1, 0 },
        { "legacy ignores a non-blocking stream", N1, LEGACY, 1 },
        { "a non-blocking stream ignores legacy", LEGACY, N1, 1 },
        { "per-thread waits for legacy", LEGACY, THREAD, 0 },
        { "legacy waits for per-thread", THREAD, LEGACY, 0 },
        { "blocking beside per-thread", THREAD, S1, 1 },
        { "one stream is in order", S1, S1, 0 },
        { "two non-blocking streams", N1, N2, 1 },
    };
    CUstream s[] = { new_stream(0, 0), new_stream(0, 0), new_stream(CU_STREAM_NON_BLOCKING, 0),
                     new_stream(CU_STREAM_NON_BLOCKING, 0), CU_STREAM_LEGACY, CU_STREAM_PER_THREAD };
    CUdeviceptr d = new_memory(4);
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        *flag = 0;
        rig_launch(&rig, K_SPIN, s[cases[i].busy], 1, flag, 0, 0);
        rig_launch(&rig, K_STORE, s[cases[i].other], 1, p_of(d), 7, 0);
        CUresult want = cases[i].beside ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY, got;
        if (cases[i].beside)
            got = query_until_done(s[cases[i].other]);
        else
            sleep_ms(30), got = rig_query(&rig, s[cases[i].other]);
        *flag = 1;
        if (got != want)
            fail_msg("%s: got %d, want %d", cases[i].why, got, want);
        assert_int_equal(ctx_synchronize(rig.ctx), CUDA_SUCCESS);
    }
    for (int i = S1; i <= N2; i++)
        assert_int_equal(stream_destroy(s[i]), CUDA_SUCCESS);
    mem_free(d);
}

static void a_stream_runs_in_order(void **state)
{
    (void)state;
    CUdeviceptr d = new_memory(4096);
    memset(p_of(d), 0, 4096);
    CUstream s = new_stream(0, 0);
    for (int i = 0; i < 1000; i++)
        rig_launch(&rig, K_APPEND, s, 1, p_of(d), i, 0);
    assert_int_equal(rig_sync(&rig, s), CUDA_SUCCESS);
    assert_int_equal(*(int *)p_of(d), 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(((int *)p_of(d))[i + 1], i);
    stream_destroy(s);
    mem_free(d);
}

static void many_spinning_kernels_leave_room_for_others(void **state)
{
    (void)state;
    enum { N = 20 };
    CUstream s[N], last = new_stream(CU_STREAM_NON_BLOCKING, 0);
    CUdeviceptr d = new_memory(4);
    *flag = 0;
    for (int i = 0; i < N; i++) {
        s[i] = new_stream(CU_STREAM_NON_BLOCKING, 0);
        rig_launch(&rig, K_SPIN, s[i], 1, flag, 0, 0);
    }
    rig_launch(&rig, K_STORE, last, 1, p_of(d), 9, 0);
    CUresult rc = query_until_done(last);
    *flag = 1;
    assert_int_equal(rc, CUDA_SUCCESS);
    assert_int_equal(*(int *)p_of(d), 9);
    assert_int_equal(ctx_synchronize(rig.ctx), CUDA_SUCCESS);
    for (int i = 0; i < N; i++)
        stream_destroy(s[i]);
    stream_destroy(last);
    mem_free(d);
}

static void blocks_that_wait_for_each_other_all_run(void **state)
{
    (void)state;
    static const int counts[] = { 2, 6, 48 };    /* 48: more than one block in a thread's hand where CPUs are few */
    CUdeviceptr d = new_memory(4);
    for (size_t i = 0; i < HW_LEN(counts); i++) {
        memset(p_of(d), 0, 4);
        rig_launch(&rig, K_HANDSHAKE, NULL, (uint32_t)counts[i], p_of(d), 0, 0);
        assert_int_equal(ctx_synchronize(rig.ctx), CUDA_SUCCESS);
        assert_int_equal(*(int *)p_of(d), counts[i]);
    }
    mem_free(d);
}

static void a_cooperative_grid_runs_all_at_once(void **state)
{
    (void)state;
    CUdeviceptr d = new_memory(4);
    memset(p_of(d), 0, 4);
    struct launch_config config = { .grid = { 40, 1, 1 }, .block = { 1, 1, 1 }, .cooperative = true };
    struct function *f = function_get(rig.functions[K_HANDSHAKE]);
    void *p = p_of(d), *params[] = { &p };
    assert_int_equal(launch_kernel(f, rig.ctx->legacy, &config, params, NULL), CUDA_SUCCESS);
    assert_int_equal(ctx_synchronize(rig.ctx), CUDA_SUCCESS);
    assert_int_equal(*(int *)p_of(d), 40);
    config.grid[0] = 1000000;
    assert_int_equal(launch_kernel(f, rig.ctx->legacy, &config, params, NULL), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    function_put(f);
    mem_free(d);
}

static void warps_may_part_at_barriers(void **state)
{
    (void)state;
    static const int want[] = { 0, 11, 21, 20 };
    CUdeviceptr d = new_memory(256);
    memset(p_of(d), 0, 256);
    rig_launch(&rig, K_PARTS, NULL, 1, p_of(d), 0, 0);
    assert_int_equal(ctx_synchronize(rig.ctx), CUDA_SUCCESS);
    assert_int_equal(*(int *)p_of(d), (int)HW_LEN(want));
    for (size_t i = 0; i < HW_LEN(want); i++)
        assert_int_equal(((int *)p_of(d))[i + 1], want[i]);
    mem_free(d);
}

/* --- streams and events --- */

static void stream_handles_are_checked(void **state)
{
    (void)state;
    CUstream s = new_stream(0, 0);
    assert_int_equal(stream_destroy(s), CUDA_SUCCESS);
    assert_int_equal(stream_destroy(s), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(rig_query(&rig, s), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(stream_destroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(stream_destroy(CU_STREAM_LEGACY), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(stream_destroy((CUstream)(uintptr_t)&s), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(stream_create(rig.ctx, 77, 0, &s), CUDA_ERROR_INVALID_VALUE);
    struct stream *p;
    s = new_stream(CU_STREAM_NON_BLOCKING, -1000);
    assert_int_equal(stream_get(rig.ctx, s, false, false, &p), CUDA_SUCCESS);
    assert_int_equal(p->priority, -5);
    assert_int_equal(p->flags, CU_STREAM_NON_BLOCKING);
    stream_unref(p);
    stream_destroy(s);
}

static void stream_destroy_lets_pending_work_finish(void **state)
{
    (void)state;
    CUdeviceptr d = new_memory(4);
    CUstream s = new_stream(0, 0);
    *flag = 0;
    rig_launch(&rig, K_SPIN, s, 1, flag, 0, 0);
    rig_launch(&rig, K_STORE, s, 1, p_of(d), 31, 0);
    assert_int_equal(stream_destroy(s), CUDA_SUCCESS);
    *flag = 1;
    assert_int_equal(ctx_synchronize(rig.ctx), CUDA_SUCCESS);
    assert_int_equal(*(int *)p_of(d), 31);
    mem_free(d);
}

static struct event *new_event(unsigned flags, CUevent *out)
{
    assert_int_equal(event_create(rig.ctx, flags, out), CUDA_SUCCESS);
    return event_get(*out);
}

static void events_answer_as_on_the_gpu(void **state)
{
    (void)state;
    CUevent h1, h2, h3;
    struct event *e1 = new_event(0, &h1), *e2 = new_event(0, &h2), *e3 = new_event(CU_EVENT_DISABLE_TIMING, &h3);
    struct stream *s1, *s2;
    CUstream hs1 = new_stream(0, 0), hs2 = new_stream(0, 0);
    stream_get(rig.ctx, hs1, false, false, &s1);
    stream_get(rig.ctx, hs2, false, false, &s2);
    CUdeviceptr d = new_memory(4);
    float ms = -1;
    assert_int_equal(event_query(e1), CUDA_SUCCESS);
    assert_int_equal(event_synchronize(e1), CUDA_SUCCESS);
    assert_int_equal(event_elapsed(e1, e2, &ms), CUDA_ERROR_INVALID_HANDLE);
    *flag = 0;
    rig_launch(&rig, K_SPIN, hs1, 1, flag, 0, 0);
    assert_int_equal(event_record(e1, s1, 0), CUDA_SUCCESS);
    assert_int_equal(event_query(e1), CUDA_ERROR_NOT_READY);
    assert_int_equal(stream_wait_event(s2, e2, 0), CUDA_SUCCESS);
    assert_int_equal(stream_wait_event(s2, e1, 0), CUDA_SUCCESS);
    rig_launch(&rig, K_STORE, hs2, 1, p_of(d), 5, 0);
    sleep_ms(20);
    assert_int_equal(stream_query(s2), CUDA_ERROR_NOT_READY);
    assert_int_equal(event_elapsed(e1, e1, &ms), CUDA_ERROR_NOT_READY);
    assert_int_equal(event_destroy(h1), CUDA_SUCCESS);
    assert_int_equal(event_destroy(h1), CUDA_ERROR_INVALID_HANDLE);
    *flag = 1;
    assert_int_equal(event_synchronize(e1), CUDA_SUCCESS);
    assert_int_equal(stream_synchronize(s2), CUDA_SUCCESS);
    assert_int_equal(*(int *)p_of(d), 5);
    event_record(e1, s2, 0);
    rig_launch(&rig, K_SPIN, hs2, 1, flag, 0, 0);
    event_record(e2, s2, 0);
    event_record(e3, s2, 0);
    assert_int_equal(event_synchronize(e3), CUDA_SUCCESS);
    assert_int_equal(event_elapsed(e1, e2, &ms), CUDA_SUCCESS);
    assert_true(ms >= 0);
    assert_int_equal(event_elapsed(e2, e1, &ms), CUDA_SUCCESS);
    assert_true(ms <= 0);
    assert_int_equal(event_elapsed(e1, e3, &ms), CUDA_ERROR_INVALID_HANDLE);
    CUevent bad;
    assert_int_equal(event_create(rig.ctx, 0x100, &bad), CUDA_ERROR_INVALID_VALUE);
    event_unref(e1);
    event_unref(e2);
    event_unref(e3);
    event_destroy(h2);
    event_destroy(h3);
    stream_unref(s1);
    stream_unref(s2);
    stream_destroy(hs1);
    stream_destroy(hs2);
    mem_free(d);
}

/* --- functions of the program --- */

static int order[64], n_order;
static bool inside_seen;
static pthread_t fn_thread;
static CUresult status_seen;

static void CUDA_CB host_fn(void *p)
{
    order[n_order++] = (int)(intptr_t)p;
    inside_seen = core_in_host_function();
    fn_thread = pthread_self();
}

static void CUDA_CB callback(CUstream s, CUresult status, void *p)
{
    (void)s;
    status_seen = status;
    order[n_order++] = (int)(intptr_t)p;
}

static void host_functions_run_in_order_on_their_thread(void **state)
{
    (void)state;
    struct stream *s;
    CUstream h = new_stream(0, 0);
    CUdeviceptr d = new_memory(4);
    stream_get(rig.ctx, h, false, false, &s);
    n_order = 0;
    for (intptr_t i = 0; i < 16; i++) {
        rig_launch(&rig, K_STORE, h, 1, p_of(d), 1, 0);
        if (i & 1)
            assert_int_equal(stream_host_fn(s, host_fn, (void *)i), CUDA_SUCCESS);
        else
            assert_int_equal(stream_add_callback(s, h, callback, (void *)i), CUDA_SUCCESS);
    }
    assert_int_equal(stream_synchronize(s), CUDA_SUCCESS);
    assert_int_equal(n_order, 16);
    for (int i = 0; i < 16; i++)
        assert_int_equal(order[i], i);
    assert_true(inside_seen);
    assert_false(core_in_host_function());
    assert_false(pthread_equal(fn_thread, pthread_self()));
    assert_int_equal(stream_host_fn(s, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    stream_unref(s);
    stream_destroy(h);
    mem_free(d);
}

/* --- printf and malloc of kernels --- */

static void kernels_print_when_the_host_synchronises(void **state)
{
    (void)state;
    char got[256] = "";
    CUdeviceptr d = new_memory(4);
    fflush(stdout);
    int saved = dup(1);
    FILE *to = tmpfile();
    dup2(fileno(to), 1);
    rig_launch(&rig, K_PRINT, NULL, 1, p_of(d), 0, 0);
    CUresult rc = ctx_synchronize(rig.ctx);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    rewind(to);
    size_t n = fread(got, 1, sizeof got - 1, to);
    got[n] = 0;
    fclose(to);
    assert_int_equal(rc, CUDA_SUCCESS);
    assert_string_equal(got, "[-5|  2.50|text|-1234567890123|x|0xff|0x10|%]\n");
    assert_int_equal(*(int *)p_of(d), 7);
    mem_free(d);
}

static void kernels_allocate_within_the_limit(void **state)
{
    (void)state;
    CUdeviceptr d = new_memory(8);
    rig_launch(&rig, K_HEAP, NULL, 1, p_of(d), 0, 0);
    assert_int_equal(ctx_synchronize(rig.ctx), CUDA_SUCCESS);
    assert_int_equal(((int *)p_of(d))[0], 1);
    assert_int_equal(((int *)p_of(d))[1], 1);
    mem_free(d);
}

/* --- launch errors --- */

static void wrong_launches_are_refused(void **state)
{
    (void)state;
    static const struct { const char *why; struct launch_config c; CUresult want; } cases[] = {
        { "largest block", { { 1, 1, 1 }, { 1024, 1, 1 }, 0, false }, CUDA_SUCCESS },
        { "block too large", { { 1, 1, 1 }, { 1025, 1, 1 }, 0, false }, CUDA_ERROR_INVALID_VALUE },
        { "block too large in all", { { 1, 1, 1 }, { 32, 33, 1 }, 0, false }, CUDA_ERROR_INVALID_VALUE },
        { "block too deep", { { 1, 1, 1 }, { 1, 1, 65 }, 0, false }, CUDA_ERROR_INVALID_VALUE },
        { "empty block", { { 1, 1, 1 }, { 0, 1, 1 }, 0, false }, CUDA_ERROR_INVALID_VALUE },
        { "empty grid", { { 0, 1, 1 }, { 1, 1, 1 }, 0, false }, CUDA_ERROR_INVALID_VALUE },
        { "widest y", { { 1, 65535, 1 }, { 1, 1, 1 }, 0, false }, CUDA_SUCCESS },
        { "too wide y", { { 1, 65536, 1 }, { 1, 1, 1 }, 0, false }, CUDA_ERROR_INVALID_VALUE },
        { "48 KiB shared", { { 1, 1, 1 }, { 32, 1, 1 }, 48 * 1024, false }, CUDA_SUCCESS },
        { "a byte more", { { 1, 1, 1 }, { 32, 1, 1 }, 48 * 1024 + 1, false }, CUDA_ERROR_INVALID_VALUE },
    };
    CUdeviceptr d = new_memory(4);
    void *p = p_of(d);
    int v = 1;
    void *params[] = { &p, &v };
    struct function *f = function_get(rig.functions[K_STORE]);
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        CUresult got = launch_kernel(f, rig.ctx->legacy, &cases[i].c, params, NULL);
        if (got != cases[i].want)
            fail_msg("%s: got %d, want %d", cases[i].why, got, cases[i].want);
    }
    assert_int_equal(function_set_attribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 * 1024), CUDA_SUCCESS);
    assert_int_equal(function_set_attribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 300 * 1024),
                     CUDA_ERROR_INVALID_VALUE);
    struct launch_config big = { { 1, 1, 1 }, { 32, 1, 1 }, 100 * 1024, false };
    assert_int_equal(launch_kernel(f, rig.ctx->legacy, &big, params, NULL), CUDA_SUCCESS);
    assert_int_equal(launch_kernel(f, rig.ctx->legacy, &cases[0].c, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    size_t size = 12, wrong = 16;
    struct { void *p; int v, pad; } packed = { p, 43, 0 };
    void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END };
    assert_int_equal(launch_kernel(f, rig.ctx->legacy, &cases[0].c, params, extra), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(launch_kernel(f, rig.ctx->legacy, &cases[0].c, NULL, extra), CUDA_SUCCESS);
    extra[3] = &wrong;
    assert_int_equal(launch_kernel(f, rig.ctx->legacy, &cases[0].c, NULL, extra), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    assert_int_equal(ctx_synchronize(rig.ctx), CUDA_SUCCESS);
    assert_int_equal(*(int *)p, 43);
    function_put(f);
    mem_free(d);
}

/* --- faults: each in a process of its own, since they end the device for the process --- */

#define FREED UINT64_MAX                         /* stands for a pointer to memory that was freed */

struct fault_case {
    const char *why;
    enum test_kernel kernel;
    uint64_t arg;
    CUresult want;
};

static int run_fault(const struct fault_case *c)
{
    struct rig r;
    CUdeviceptr d;
    if (!freopen("/dev/null", "w", stderr))
        abort();
    rig_init(&r);
    mem_alloc(r.ctx, 64, &d);
    mem_alloc(r.ctx, 8 << 20, &d);
    uint64_t arg = c->arg;
    if (arg == FREED) {
        mem_free(d);
        arg = d;
    }
    if (rig_launch(&r, c->kernel, NULL, 4, (void *)(uintptr_t)arg, 0, 0))
        return 1;
    if (rig_launch(&r, K_STORE, NULL, 1, (void *)0x8, 0, 0))     /* must not run any more */
        return 2;
    if (ctx_synchronize(r.ctx) != c->want)
        return 3;
    struct ctx *ctx;
    if (ctx_enter(&ctx) != c->want)
        return 4;
    CUcontext next;
    if (ctx_destroy(r.handle) || ctx_create(device_peek(0), 0, &next) != CUDA_ERROR_DEVICE_UNAVAILABLE)
        return 5;
    return 0;
}

/* argv[0] again, with the case's number: a fork of a process with threads would test fork, not faults. */
static const struct fault_case fault_cases[] = {
    { "null write", K_WRITE, 0, CUDA_ERROR_ILLEGAL_ADDRESS },
    { "wild write", K_WRITE, 0x123456789000, CUDA_ERROR_ILLEGAL_ADDRESS },
    { "freed memory", K_WRITE, FREED, CUDA_ERROR_ILLEGAL_ADDRESS },
    { "non-canonical address", K_WRITE, 0x8000000000000000, CUDA_ERROR_ILLEGAL_ADDRESS },
    { "trap", K_TRAP, KABI_TRAP_TRAP, CUDA_ERROR_LAUNCH_FAILED },
    { "misaligned", K_TRAP, KABI_TRAP_MISALIGNED, CUDA_ERROR_MISALIGNED_ADDRESS },
    { "assert", K_ASSERT, 0, CUDA_ERROR_ASSERT },
    { "far outside of shared memory", K_SHARED_WILD, 0, CUDA_ERROR_ILLEGAL_INSTRUCTION },
};
static const char *program;

static void kernel_faults_are_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < HW_LEN(fault_cases); i++) {
        char number[8];
        int status = 0;
        snprintf(number, sizeof number, "%zu", i);
        pid_t pid = fork();
        if (pid == 0) {
            execl(program, program, number, (char *)NULL);
            _exit(99);
        }
        waitpid(pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fail_msg("%s: %s %d", fault_cases[i].why, WIFEXITED(status) ? "step" : "signal",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
}

static void a_forked_child_is_told_so(void **state)
{
    (void)state;
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(core_check() == CUDA_ERROR_NOT_INITIALIZED && core_init(0) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
    program = "/proc/self/exe";
    if (argc > 1)
        return run_fault(&fault_cases[atoi(argv[1])]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_runs_once), cmocka_unit_test(streams_order_as_on_the_gpu),
        cmocka_unit_test(a_stream_runs_in_order), cmocka_unit_test(many_spinning_kernels_leave_room_for_others),
        cmocka_unit_test(blocks_that_wait_for_each_other_all_run), cmocka_unit_test(a_cooperative_grid_runs_all_at_once),
        cmocka_unit_test(warps_may_part_at_barriers), cmocka_unit_test(stream_handles_are_checked),
        cmocka_unit_test(stream_destroy_lets_pending_work_finish), cmocka_unit_test(events_answer_as_on_the_gpu),
        cmocka_unit_test(host_functions_run_in_order_on_their_thread), cmocka_unit_test(kernels_print_when_the_host_synchronises),
        cmocka_unit_test(kernels_allocate_within_the_limit), cmocka_unit_test(wrong_launches_are_refused),
        cmocka_unit_test(kernel_faults_are_errors), cmocka_unit_test(a_forked_child_is_told_so),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
