/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every call of the system and every allocation that our code makes fails in turn, alone or with all of its kind that follow, as the system says that it may: no memory, no descriptors, no room,
 * try again, interrupted. What is tried uses each part of the API once, with the compiler and the cache on disk. A call answers success (it could
 * do without) or an error that says so; nothing crashes, hangs or is left behind; and it all works when the fault is gone. This program's own functions
 * stand before the system's; calls that others make (LLVM, libc) go through.
 *
 * usage: system_faults [--all | --most N] [--step NAME] [--seed N]      a sample, or all of them
 */
#define _GNU_SOURCE
#include "driver/api.h"

#include "sanitized.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if SANITIZED
int main(void)
{
    printf("ok # SKIP the sanitizers stand there themselves\n");
    return 0;
}
#else

/* --- the calls that fail --- */

static _Atomic int armed, seen, left, row;       /* the row-th error of those that a call may have */
static _Atomic bool stays;                       /* all that follow under the same name fail, too */
static const char *_Atomic what_failed;

static bool is_ours(const void *caller)
{
    extern const char __executable_start, etext;
    return (const char *)caller >= &__executable_start && (const char *)caller < &etext;
}

/* Which call, and what it may say. */
static int fails(const char *name, const void *caller, const int *errors, int n)
{
    if (!armed || !is_ours(caller))
        return 0;
    atomic_fetch_add(&seen, 1);
    int error = errors[row % n];
    if (atomic_fetch_sub(&left, 1) == 1)
        what_failed = name;
    else if (!stays || what_failed != name || error == EINTR || error == EAGAIN)         /* those pass */
        return 0;
    return error;
}

/* The caller's answer when it fails; the error otherwise is 0 and the real call is made. */
#define FAIL(name, answer, ...)                                                                                  \
    do {                                                                                                         \
        static const int errors_[] = {__VA_ARGS__};                                                              \
        int error_ = fails(name, __builtin_return_address(0), errors_, (int)(sizeof errors_ / sizeof *errors_)); \
        if (error_) {                                                                                            \
            errno = error_;                                                                                      \
            return answer;                                                                                       \
        }                                                                                                        \
    } while (0)

static long raw(long n, long a, long b, long c, long d, long e, long f)
{
    long rc;
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(rc) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    if (rc < 0 && rc > -4096) {
        errno = (int)-rc;
        return -1;
    }
    return rc;
}
#define RAW(n, a, b, c, d, e, f) raw(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void *malloc(size_t bytes)
{
    FAIL("malloc", NULL, ENOMEM);
    return __libc_malloc(bytes);
}
void *calloc(size_t n, size_t bytes)
{
    FAIL("calloc", NULL, ENOMEM);
    return __libc_calloc(n, bytes);
}
void *realloc(void *p, size_t bytes)
{
    FAIL("realloc", NULL, ENOMEM);
    return __libc_realloc(p, bytes);
}
void *aligned_alloc(size_t align, size_t bytes)
{
    FAIL("aligned_alloc", NULL, ENOMEM);
    return __libc_memalign(align, bytes);
}
void *mmap(void *addr, size_t bytes, int prot, int flags, int fd, off_t offset)
{
    FAIL("mmap", MAP_FAILED, ENOMEM, EAGAIN, ENFILE);
    return (void *)RAW(SYS_mmap, addr, bytes, prot, flags, fd, offset);
}
void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    void *to = va_arg(ap, void *);
    va_end(ap);
    FAIL("mremap", MAP_FAILED, ENOMEM, EAGAIN);
    return (void *)RAW(SYS_mremap, old, old_bytes, bytes, flags, to, 0);
}
#define CALL3(name, number, answer_type, params, a, b, c, ...) \
    answer_type name params;                                   \
    answer_type name params                                    \
    {                                                          \
        FAIL(#name, -1, __VA_ARGS__);                          \
        return (answer_type)RAW(number, a, b, c, 0, 0, 0);     \
    }
CALL3(mprotect, SYS_mprotect, int, (void *addr, size_t bytes, int prot), addr, bytes, prot, ENOMEM)
CALL3(madvise, SYS_madvise, int, (void *addr, size_t bytes, int advice), addr, bytes, advice, ENOMEM, EAGAIN, EINVAL)
CALL3(mlock, SYS_mlock, int, (const void *addr, size_t bytes), addr, bytes, 0, ENOMEM, EAGAIN, EPERM)
CALL3(mincore, SYS_mincore, int, (void *addr, size_t bytes, unsigned char *v), addr, bytes, v, EAGAIN)
CALL3(memfd_create, SYS_memfd_create, int, (const char *name, unsigned flags), name, flags, 0, EMFILE, ENFILE, ENOMEM)
CALL3(ftruncate, SYS_ftruncate, int, (int fd, off_t bytes), fd, bytes, 0, ENOSPC, EFBIG, EINTR)
CALL3(read, SYS_read, ssize_t, (int fd, void *p, size_t n), fd, p, n, EIO, EINTR)
CALL3(write, SYS_write, ssize_t, (int fd, const void *p, size_t n), fd, p, n, ENOSPC, EINTR, EIO)
CALL3(rename, SYS_rename, int, (const char *a, const char *b), a, b, 0, ENOSPC, EACCES)
CALL3(mkdir, SYS_mkdir, int, (const char *path, mode_t mode), path, mode, 0, ENOSPC, EACCES, EROFS)
CALL3(chmod, SYS_chmod, int, (const char *path, mode_t mode), path, mode, 0, EACCES)
CALL3(unlink, SYS_unlink, int, (const char *path), path, 0, 0, EACCES)
CALL3(stat, SYS_stat, int, (const char *restrict path, struct stat *restrict st), path, st, 0, EACCES, ENOMEM)
CALL3(lstat, SYS_lstat, int, (const char *restrict path, struct stat *restrict st), path, st, 0, EACCES)
CALL3(fstat, SYS_fstat, int, (int fd, struct stat *st), fd, st, 0, EIO)
CALL3(sigaltstack, SYS_sigaltstack, int, (const stack_t *restrict s, stack_t *restrict old), s, old, 0, ENOMEM)
CALL3(poll, SYS_poll, int, (struct pollfd *p, nfds_t n, int ms), p, n, ms, EINTR, ENOMEM)

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
    FAIL("pread", -1, EIO, EINTR);
    return RAW(SYS_pread64, fd, p, n, at, 0, 0);
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    FAIL("pwrite", -1, ENOSPC, EINTR);
    return RAW(SYS_pwrite64, fd, p, n, at, 0, 0);
}
int open(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = va_arg(ap, mode_t);
    va_end(ap);
    FAIL("open", -1, EMFILE, ENFILE, ENOMEM, EACCES, EINTR);
    return (int)RAW(SYS_openat, AT_FDCWD, path, flags, mode, 0, 0);
}
int fcntl(int fd, int command, ...)
{
    va_list ap;
    va_start(ap, command);
    long arg = va_arg(ap, long);
    va_end(ap);
    if (command == F_DUPFD_CLOEXEC)              /* no other of ours can fail with a descriptor that is open */
        FAIL("fcntl", -1, EMFILE);
    return (int)RAW(SYS_fcntl, fd, command, arg, 0, 0, 0);
}
/* Waiting is interrupted; a barrier for all threads is not to be had. What cannot fail does not: waking, and that barrier once it was promised. */
long syscall(long number, ...)
{
    va_list ap;
    va_start(ap, number);
    long a[6];
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (number == SYS_futex && (a[1] & 127) == FUTEX_WAIT)
        FAIL("futex", -1, EINTR, EAGAIN);
    else if (number == SYS_membarrier && a[0] == MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
        FAIL("membarrier", -1, ENOSYS);
    else if (number != SYS_futex && number != SYS_membarrier)
        FAIL("syscall", -1, EPERM, ENOMEM);
    return raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
int sigaction(int sig, const struct sigaction *restrict act, struct sigaction *restrict old)
{
    int __sigaction(int, const struct sigaction *, struct sigaction *);
    FAIL("sigaction", -1, EINVAL);
    return __sigaction(sig, act, old);
}
static int (*real_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*fn)(void *), void *restrict arg)
{
    static const int errors[] = {EAGAIN};
    int error = fails("pthread_create", __builtin_return_address(0), errors, 1);
    return error ? error : real_pthread_create(thread, attr, fn, arg);
}
pid_t fork(void)
{
    FAIL("fork", -1, EAGAIN, ENOMEM);
    return (pid_t)RAW(SYS_fork, 0, 0, 0, 0, 0, 0);
}

/* --- what is tried --- */

enum { BIG = 3 << 20 };
#define TRY(call)         \
    do {                  \
        if (!rc)          \
            rc = (call);  \
    } while (0)

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .u32 variable = 9;\n"
                          ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
                          "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\n"
                          "ld.global.u32 %r2, [variable];\nadd.u32 %r3, %r1, %r2;\nst.global.u32 [%d3], %r3;\nret;\n}\n";
static int turn;

/* A kernel that nobody compiled yet, so that the compiler and the cache have something to do. */
static CUresult kernels(void)
{
    CUmodule m = NULL;
    CUfunction f = NULL;
    CUdeviceptr p = 0, v;
    char text[sizeof ptx + 200];
    unsigned got[64] = {0};
    void *args[] = {&p};
    snprintf(text, sizeof text, "%s.visible .entry other(.param .u64 p)\n{\n.reg .b64 %%d<2>;\nld.param.u64 %%d1, [p];\nst.global.u32 [%%d1], %d;\nret;\n}\n", ptx,
             (int)getpid() * 1000 + turn++);
    CUresult rc = cuModuleLoadData(&m, text);
    TRY(cuModuleGetFunction(&f, m, "other"));
    TRY(cuModuleGetGlobal_v2(&v, NULL, m, "variable"));
    TRY(cuMemAlloc_v2(&p, sizeof got));
    TRY(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
    TRY(cuModuleGetFunction(&f, m, "k"));
    TRY(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
    TRY(cuMemcpyDtoH_v2(got, p, sizeof got));
    if (!rc && got[63] != 63 + 9)
        rc = CUDA_ERROR_UNKNOWN;
    cuMemFree_v2(p);
    if (m)
        cuModuleUnload(m);
    return rc;
}

static CUresult libraries(void)
{
    CUlibrary lib = NULL;
    CUkernel k;
    CUfunction f;
    CUlinkState link = NULL;
    void *image;
    size_t bytes;
    CUresult rc = cuLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0);
    TRY(cuLibraryGetKernel(&k, lib, "k"));
    TRY(cuKernelGetFunction(&f, k));
    TRY(cuLinkCreate_v2(0, NULL, NULL, &link));
    TRY(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, sizeof ptx, "one", 0, NULL, NULL));
    TRY(cuLinkComplete(link, &image, &bytes));
    if (link)
        cuLinkDestroy(link);
    if (lib)
        cuLibraryUnload(lib);
    return rc;
}

static void CUDA_CB add_one(void *p) { atomic_fetch_add((_Atomic int *)p, 1); }
static void CUDA_CB add_one_callback(CUstream s, CUresult rc, void *p)
{
    (void)s, (void)rc;
    atomic_fetch_add((_Atomic int *)p, 1);
}

static CUresult streams(void)
{
    static _Atomic int calls;
    int before = calls, want = 0;
    CUstream s = NULL, t = NULL;
    CUevent e = NULL, shared = NULL;
    CUdeviceptr p = 0;
    char host[512];
    CUresult rc = cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    TRY(cuStreamCreateWithPriority(&t, 0, -1));
    TRY(cuEventCreate(&e, 0));
    TRY(cuEventCreate(&shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    TRY(cuMemAlloc_v2(&p, BIG));
    TRY(cuMemsetD32Async(p, 7, BIG / 4, s));
    TRY(cuEventRecord(e, s));
    TRY(cuEventRecord(shared, s));
    TRY(cuStreamWaitEvent(t, e, 0));
    TRY(cuStreamWaitEvent(t, shared, 0));
    if (!rc && !(rc = cuLaunchHostFunc(t, add_one, (void *)&calls)))
        want++;
    if (!rc && !(rc = cuStreamAddCallback(t, add_one_callback, (void *)&calls, 0)))
        want++;
    TRY(cuStreamWriteValue32_v2(t, p, 3, 0));
    TRY(cuStreamWaitValue32_v2(s, p, 3, CU_STREAM_WAIT_VALUE_EQ));
    TRY(cuMemcpyDtoHAsync_v2(host, p, sizeof host, s));
    if (s && t && (cuStreamSynchronize(t) || (!rc && cuStreamSynchronize(s))))
        rc = CUDA_ERROR_UNKNOWN;
    if (calls != before + want)
        rc = CUDA_ERROR_UNKNOWN;
    if (e)
        cuEventDestroy_v2(e);
    if (shared)
        cuEventDestroy_v2(shared);
    if (s)
        cuStreamDestroy_v2(s);
    if (t)
        cuStreamDestroy_v2(t);
    cuMemFree_v2(p);
    return rc;
}

static CUresult memory(void)
{
    static char registered[64 << 10];
    CUdeviceptr p = 0, managed = 0, pooled = 0;
    void *pinned = NULL;
    CUipcMemHandle handle;
    CUresult rc = cuMemAlloc_v2(&p, BIG);
    TRY(cuMemAllocManaged(&managed, BIG, CU_MEM_ATTACH_GLOBAL));
    TRY(cuMemHostAlloc(&pinned, 1 << 20, 0));
    TRY(cuMemsetD8_v2(p, 1, BIG));
    TRY(cuMemcpyDtoH_v2(pinned, p, 1 << 20));
    TRY(cuMemcpyHtoD_v2(managed, pinned, 1 << 20));
    TRY(cuMemAllocAsync(&pooled, BIG, NULL));
    TRY(cuMemsetD8Async(pooled, 1, BIG, NULL));
    TRY(cuIpcGetMemHandle(&handle, p));
    if (!rc && !(rc = cuMemHostRegister_v2(registered, sizeof registered, 0)))
        cuMemHostUnregister(registered);
    armed = 0;                                   /* giving back is done right, or the rest means nothing */
    if (pooled)
        cuMemFreeAsync(pooled, NULL);
    cuCtxSynchronize();
    cuMemFreeHost(pinned);
    cuMemFree_v2(managed);
    cuMemFree_v2(p);
    return rc;
}

/* Memory and pools that other processes could open. */
static CUresult sharing(void)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemGenericAllocationHandle h = 0, again = 0;
    CUmemoryPool pool = NULL, other = NULL;
    CUmemPoolPtrExportData exported;
    CUdeviceptr p = 0, q = 0;
    bool mapped = false;
    int fd = -1, pool_fd = -1;
    CUresult rc = cuMemAddressReserve(&p, 4 << 20, 0, 0, 0);
    TRY(cuMemCreate(&h, 4 << 20, &prop, 0));
    TRY(cuMemMap(p, 4 << 20, 0, h, 0));
    mapped = !rc;
    TRY(cuMemSetAccess(p, 4 << 20, &access, 1));
    TRY(cuMemsetD8_v2(p, 1, 4 << 20));
    TRY(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    TRY(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    TRY(cuMemPoolCreate(&pool, &props));
    TRY(cuMemAllocFromPoolAsync(&q, 1 << 20, pool, NULL));
    TRY(cuMemPoolExportToShareableHandle(&pool_fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    TRY(cuMemPoolExportPointer(&exported, q));
    TRY(cuMemPoolImportFromShareableHandle(&other, (void *)(intptr_t)pool_fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    armed = 0;
    if (q)
        cuMemFreeAsync(q, NULL);
    cuCtxSynchronize();
    if (other)
        cuMemPoolDestroy(other);
    if (pool)
        cuMemPoolDestroy(pool);
    if (pool_fd >= 0)
        close(pool_fd);
    if (fd >= 0)
        close(fd);
    if (again)
        cuMemRelease(again);
    if (mapped)
        cuMemUnmap(p, 4 << 20);
    if (h)
        cuMemRelease(h);
    if (p)
        cuMemAddressFree(p, 4 << 20);
    return rc;
}

static CUresult graphs(void)
{
    static _Atomic int calls;
    CUstream s = NULL;
    CUgraph g = NULL;
    CUgraphExec x = NULL;
    CUdeviceptr p = 0;
    bool began = false;
    CUresult rc = cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    TRY(cuMemAlloc_v2(&p, 1 << 16));
    if (!rc)
        began = !(rc = cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    TRY(cuMemsetD8Async(p, 3, 1 << 16, s));
    TRY(cuLaunchHostFunc(s, add_one, (void *)&calls));
    if (began) {
        CUresult end = cuStreamEndCapture(s, &g);
        rc = rc ? rc : end;
    }
    TRY(cuGraphInstantiateWithFlags(&x, g, 0));
    TRY(cuGraphLaunch(x, s));
    if (s && cuStreamSynchronize(s))
        rc = CUDA_ERROR_UNKNOWN;
    if (x)
        cuGraphExecDestroy(x);
    if (g)
        cuGraphDestroy(g);
    if (s)
        cuStreamDestroy_v2(s);
    cuMemFree_v2(p);
    return rc;
}

static CUresult contexts(void)
{
    CUcontext ctx = NULL;
    CUdeviceptr p = 0;
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 64, .Height = 64, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUarray array = NULL;
    CUresult rc = cuCtxCreate_v2(&ctx, 0, 0);
    TRY(cuMemAlloc_v2(&p, 100));
    TRY(cuMemsetD8_v2(p, 1, 100));
    TRY(cuArray3DCreate_v2(&array, &d));
    TRY(cuCtxSynchronize());
    if (array)
        cuArrayDestroy(array);
    if (ctx)
        cuCtxDestroy_v2(ctx);
    return rc;
}

static const struct {
    const char *name;
    CUresult (*run)(void);
} steps[] = {{"kernels", kernels}, {"libraries", libraries}, {"streams", streams}, {"memory", memory}, {"sharing", sharing}, {"graphs", graphs}, {"contexts", contexts}};

/* --- processes of their own: they may crash, and the start is a part of what can fail --- */

struct found {
    int calls, refused, bad;
    int k;                                       /* what was tried last */
    CUresult answer;
    char what[24], why[40];
};
static struct found *found;                      /* shared with the child */

static long descriptors(void)
{
    long n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static bool may_answer(CUresult rc)
{
    return rc == CUDA_SUCCESS || rc == CUDA_ERROR_OUT_OF_MEMORY || rc == CUDA_ERROR_OPERATING_SYSTEM || rc == CUDA_ERROR_MAP_FAILED
           || rc == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

static void judge(int k, CUresult rc, const char *why)
{
    found->k = k;
    found->answer = rc;
    found->bad++;
    snprintf(found->what, sizeof found->what, "%s", what_failed ? what_failed : "nothing");
    snprintf(found->why, sizeof found->why, "%s", why);
}

static CUresult start(void)
{
    CUcontext ctx;
    CUresult rc = cuInit(0);
    TRY(cuDevicePrimaryCtxRetain(&ctx, 0));
    TRY(cuCtxSetCurrent(ctx));
    return rc;
}

/* A kernel that was begun and could not be run breaks its context, not the device. */
static CUresult start_again(CUresult after)
{
    if (after == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        cuDevicePrimaryCtxReset_v2(0);
    return start();
}

static CUresult with_fault(int step, int k, bool from_start)
{
    CUresult rc = CUDA_SUCCESS;
    what_failed = NULL;
    atomic_store(&seen, 0);
    atomic_store(&left, k);
    armed = 1;
    if (from_start)
        rc = start();
    TRY(steps[step].run());
    armed = 0;
    return rc;
}

/* Warm: what is made once is there already; every fault in one process. */
static void sweep(int step, int stride, int offset)
{
    if (start() || steps[step].run() || steps[step].run())
        return judge(0, 0, "does not work at all");
    with_fault(step, 1 << 30, false);
    int n = found->calls = atomic_load(&seen);
    long open_before = descriptors();
    for (int k = 1 + offset; k <= n && !found->bad; k += stride) {
        alarm(30);
        row = k / stride + offset;
        stays = row % 2;
        found->k = k;
        CUresult rc = with_fault(step, k, false);
        found->refused += rc != CUDA_SUCCESS;
        if (!may_answer(rc))
            judge(k, rc, "the answer");
        else if ((rc == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES && (rc = start_again(rc))) || (rc = steps[step].run()))
            judge(k, rc, "it does not work afterwards");
        else if (descriptors() > open_before)
            judge(k, rc, "a descriptor is left open");
    }
}

/* The fault comes at the start, or in the first run, with all that is made once. */
static void first_time(int step, int k, int with_row)
{
    alarm(30);
    row = with_row;
    stays = row % 2;
    found->k = k;
    CUresult rc = with_fault(step, k, true);
    found->calls = atomic_load(&seen);
    found->refused += rc != CUDA_SUCCESS;
    if (!may_answer(rc))
        judge(k, rc, "the answer, from the start");
    else if ((rc = start_again(rc)) || (rc = steps[step].run()))
        judge(k, rc, "it does not work afterwards");
}

static bool in_child(void (*fn)(int, int, int), int step, int a, int b)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        fn(step, a, b);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        found->bad++;
        snprintf(found->why, sizeof found->why, status == SIGALRM ? "no end" : "a crash (%d)", status);
    }
    return !found->bad;
}

static int report(int step, const char *when, int tried)
{
    if (found->bad)
        printf("# %s, %s, call %d of %d (%s): %s, %d\n", steps[step].name, when, found->k, found->calls, found->what, found->why, (int)found->answer);
    printf("%s %s, %s: %d of %d calls, %d of them needed\n", found->bad ? "not ok" : "ok", steps[step].name, when, tried, found->calls, found->refused);
    fflush(stdout);
    return found->bad != 0;
}

int main(int argc, char **argv)
{
    int bad = 0, most = 40, seed = 1;
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0)
            most = 1 << 30;
        else if (strcmp(argv[i], "--most") == 0 && i + 1 < argc)
            most = atoi(argv[++i]);
        else if (strcmp(argv[i], "--step") == 0 && i + 1 < argc)
            only = argv[++i];
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            seed = atoi(argv[++i]);
    }
    char folder[] = "/tmp/hostwarp-test-XXXXXX", command[64];
    if (!getenv("SYSTEM_FAULTS")) {              /* with an empty cache, which is read from the environment before main() */
        if (!mkdtemp(folder) || setenv("SYSTEM_FAULTS", folder, 1) || setenv("HOSTWARP_CACHE", folder, 1))
            return 2;
        execv("/proc/self/exe", argv);
        return 2;
    }
    real_pthread_create = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))(uintptr_t)dlsym(RTLD_NEXT, "pthread_create");
    found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < (int)HW_LEN(steps); i++) {
        if (only && strcmp(only, steps[i].name) != 0)
            continue;
        *found = (struct found){0};
        in_child(first_time, i, 1 << 30, 0);     /* how many are there? */
        int n = found->calls, stride = n / most + 1, tried = 0;
        for (int k = 1 + seed % stride; k <= n && !found->bad; k += stride, tried++)
            in_child(first_time, i, k, k / stride + seed);
        found->calls = n;
        bad += report(i, "the first time", tried);
        *found = (struct found){0};
        in_child(sweep, i, 1, 1 << 29);          /* counts, and tries none */
        n = found->calls;
        stride = n / (most < 1 << 20 ? most * 4 : most) + 1;
        in_child(sweep, i, stride, seed % stride);
        bad += report(i, "later", (n + stride - 1) / stride);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", getenv("SYSTEM_FAULTS"));
    return bad || system(command) != 0;
}
#endif
