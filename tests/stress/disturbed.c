/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that disturb: signals that interrupt every call of the system, a clock that jumps, handlers of their own for faults, forks beside working threads, another
 * allocator. The same work must come to the same end in each. Every part runs in a process of its own.
 *
 * usage: disturbed [--seconds N]
 */
#define _GNU_SOURCE
#include "driver/api.h"

#include "base/os.h"

#include "sanitized.h"

#include <cuda.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 4096, THREADS = 3 };
static int seconds = 1;
static CUcontext ctx;

/* --- the clock on the wall, which anybody may set --- */

static _Atomic bool clock_jumps;
int clock_gettime(clockid_t clock, struct timespec *t)
{
    int rc = (int)syscall(SYS_clock_gettime, clock, t);
    static _Atomic unsigned calls;
    if (rc == 0 && clock_jumps && clock == CLOCK_REALTIME)
        t->tv_sec += (calls++ % 3 - 1) * 86400l;
    return rc;
}

/* --- the work --- */

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<6>;\n.reg .b64 %%d<4>;\n"
                          "ld.param.u64 %%d1, [p];\nmov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%ntid.x;\nmov.u32 %%r3, %%tid.x;\nmad.lo.s32 %%r4, %%r1, %%r2, %%r3;\n"
                          "mul.wide.u32 %%d2, %%r4, 4;\nadd.s64 %%d3, %%d1, %%d2;\nld.global.u32 %%r5, [%%d3];\nadd.u32 %%r5, %%r5, %d;\nst.global.u32 [%%d3], %%r5;\nret;\n}\n";

static void CUDA_CB count(void *p) { atomic_fetch_add((_Atomic int *)p, 1); }

/* A module that was not compiled before, kernels, copies, fills, events, a host function, shared and pooled memory. 0: all right, else the line. */
static int work(int number)
{
    char text[sizeof ptx + 20];
    _Atomic int calls = 0;
    unsigned got[WORDS];
    CUmodule m;
    CUfunction f;
    CUdeviceptr p, q;
    CUstream s;
    CUevent a, b, shared;
    CUipcMemHandle handle;
    float ms = -1;
    void *args[] = {&p};
#define DO(call)             \
    do {                     \
        if ((call))          \
            return __LINE__; \
    } while (0)
    snprintf(text, sizeof text, ptx, number + 1);
    DO(cuModuleLoadData(&m, text) || cuModuleGetFunction(&f, m, "k"));
    DO(cuMemAlloc_v2(&p, sizeof got) || cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) || cuEventCreate(&a, 0) || cuEventCreate(&b, 0));
    DO(cuEventCreate(&shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    DO(cuMemsetD32Async(p, 5, WORDS, s) || cuEventRecord(a, s));
    for (int i = 0; i < 3; i++)
        DO(cuLaunchKernel(f, WORDS / 256, 1, 1, 256, 1, 1, 0, s, args, NULL));
    DO(cuEventRecord(b, s) || cuEventRecord(shared, s) || cuLaunchHostFunc(s, count, (void *)&calls));
    DO(cuMemAllocAsync(&q, sizeof got, s) || cuMemcpyDtoDAsync_v2(q, p, sizeof got, s) || cuMemcpyDtoHAsync_v2(got, q, sizeof got, s));
    DO(cuEventSynchronize(shared) || cuStreamSynchronize(s) || cuMemFreeAsync(q, s));
    DO(cuEventElapsedTime(&ms, a, b) || ms < 0 || ms > 60000 || calls != 1);
    for (int i = 0; i < WORDS; i++)
        DO(got[i] != 5u + 3u * (unsigned)(number + 1));
    DO(number % 8 == 0 && cuIpcGetMemHandle(&handle, p));
    DO(cuEventDestroy_v2(a) || cuEventDestroy_v2(b) || cuEventDestroy_v2(shared) || cuStreamDestroy_v2(s) || cuMemFree_v2(p) || cuModuleUnload(m));
    return 0;
}

static int start(void)
{
    return cuInit(0) || cuDevicePrimaryCtxRetain(&ctx, 0) || cuCtxSetCurrent(ctx);
}

static _Atomic bool stop;
static void *work_on(void *arg)
{
    intptr_t bad = cuCtxSetCurrent(ctx), n = (intptr_t)arg * 100000;
    while (!bad && !stop)
        bad = work((int)n++);
    return (void *)bad;
}

/* Several threads for some seconds; meanwhile what is disturbing happens again and again. */
static int work_for(void (*disturb)(void))
{
    pthread_t threads[THREADS];
    intptr_t bad = start();
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work_on, (void *)(i + (intptr_t)getpid() * 10));
    for (uint64_t end = hw_now_ns() + (uint64_t)seconds * 1000000000u; hw_now_ns() < end;) {
        if (disturb)
            disturb();
        usleep(2000);
    }
    stop = true;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        bad = bad ? bad : (intptr_t)result;
    }
    if (bad)
        printf("# line %d\n", (int)bad);
    return bad != 0;
}

/* --- what disturbs --- */

static _Atomic long interrupts;
static void on_alarm(int sig)
{
    (void)sig;
    interrupts++;
}

static int signals_that_interrupt_everything(void)
{
    struct sigaction act = {.sa_handler = on_alarm};             /* without SA_RESTART */
    struct itimerval each = {{0, 300}, {0, 300}};
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
    int bad = work_for(NULL);
    return bad || interrupts < 100;
}

static int a_clock_that_jumps(void)
{
    clock_jumps = true;
    return work_for(NULL);
}

/* The child has none of our threads: calls say so, and it ends as any other does. */
static void fork_and_look(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        CUdeviceptr p;
        alarm(10);
        if (cuMemAlloc_v2(&p, 16) != CUDA_ERROR_NOT_INITIALIZED || cuCtxSynchronize() != CUDA_ERROR_NOT_INITIALIZED)
            _exit(1);
        if (SANITIZED)                           /* it would find what only other threads' stacks point to */
            _exit(0);
        exit(0);                                 /* with all that is to be done then */
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (status) {
        printf("# a child ended with %#x\n", (unsigned)status);
        fflush(stdout);
        _exit(1);
    }
}

/* LLVM is loaded first: its constructors call atexit(), and glibc's exit() hangs in a child that was made meanwhile. */
static int forks_beside_threads(void) { return start() || work((int)getpid() + 1) || work_for(fork_and_look); }

static sigjmp_buf back;
static _Atomic int own_faults;
static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    own_faults++;
    siglongjmp(back, 1);
}

static void take_faults(void)
{
    struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGBUS, &act, NULL);
}

/* The program's faults are the program's, those of kernels and copies ours, whoever came first. */
static int faults_go_to_whom_they_belong(void)
{
    static const char wild[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b64 %d<2>;\nmov.u64 %d1, 64;\nst.global.u32 [%d1], 1;\nret;\n}\n";
    volatile int *volatile nowhere = (volatile int *)(uintptr_t)sysconf(_SC_PAGESIZE);
    CUmodule m;
    CUfunction f;
    if (work((int)getpid()))
        return 1;
    if (sigsetjmp(back, 1) == 0) {
        *nowhere = 1;
        return 2;
    }
    if (own_faults != 1 || work((int)getpid() + 1))
        return 3;
    if (cuModuleLoadData(&m, wild) || cuModuleGetFunction(&f, m, "k") || cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL))
        return 4;
    if (cuCtxSynchronize() != CUDA_ERROR_ILLEGAL_ADDRESS || own_faults != 1)
        return 5;
    if (sigsetjmp(back, 1) == 0) {               /* also afterwards */
        *nowhere = 1;
        return 6;
    }
    return own_faults != 2;
}

static int handlers_from_before(void)
{
    take_faults();
    return start() || faults_go_to_whom_they_belong();
}

static int handlers_from_afterwards(void)
{
    if (start() || work((int)getpid() + 2))
        return 1;
    take_faults();
    return faults_go_to_whom_they_belong();
}

static int another_allocator(void) { return work_for(NULL); }

/* --- */

static const struct {
    const char *name;
    int (*run)(void);
    const char *guard;                           /* HOSTWARP_GUARD; 0: faults of kernels come as signals, too */
} parts[] = {{"signals_that_interrupt_everything", signals_that_interrupt_everything, "1"}, {"a_clock_that_jumps", a_clock_that_jumps, "1"},
             {"forks_beside_threads", forks_beside_threads, "1"}, {"handlers_from_before", handlers_from_before, "1"}, {"handlers_from_afterwards", handlers_from_afterwards, "1"},
             {"handlers_from_before", handlers_from_before, "0"}, {"handlers_from_afterwards", handlers_from_afterwards, "0"}, {"another_allocator", another_allocator, "1"}};

static const char *found_allocator(void)
{
    static const char *const libraries[] = {"/usr/lib/x86_64-linux-gnu/libjemalloc.so.2", "/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4", "/usr/lib/x86_64-linux-gnu/libmimalloc.so.2"};
    for (size_t i = 0; i < HW_LEN(libraries); i++)
        if (access(libraries[i], R_OK) == 0)
            return libraries[i];
    return NULL;
}

static int run_part(int i, const char *self, const char *preload)
{
    int status = -1;
    /* ThreadSanitizer does not see that a handler is left by siglongjmp(): the next fault finds its signal blocked, and ends the process. */
    if (WITH_TSAN && parts[i].guard[0] == '0') {
        printf("ok %s # SKIP kernels' faults are signals, which ThreadSanitizer handles itself\n", parts[i].name);
        return 0;
    }
    char count[16], index[16];
    snprintf(count, sizeof count, "%d", seconds);
    snprintf(index, sizeof index, "%d", i);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (preload)
            setenv("LD_PRELOAD", preload, 1);
        setenv("HOSTWARP_GUARD", parts[i].guard, 1);
        execl("/proc/self/exe", self, "--seconds", count, "--part", index, (char *)NULL);
        _exit(126);
    }
    waitpid(pid, &status, 0);
    printf("%s %s%s", status ? "not ok" : "ok", parts[i].name, status ? "" : "\n");
    if (status)
        printf(": status %#x\n", (unsigned)status);
    return status != 0;
}

int main(int argc, char **argv)
{
    int bad = 0, part = -1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--part") == 0)
            part = atoi(argv[i + 1]);
    }
    if (part >= 0)
        return parts[part].run();
    for (int i = 0; i < (int)HW_LEN(parts); i++) {
        bool preloads = parts[i].run == another_allocator;
        if (preloads && !found_allocator())
            printf("ok %s # SKIP none is installed\n", parts[i].name);
        else
            bad += run_part(i, argv[0], preloads ? found_allocator() : NULL);
    }
    return bad != 0;
}
