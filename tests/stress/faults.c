/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every system call that the memory functions make fails in turn; then every allocation from the host heap does, alone and together
 * with all that follow it. The call then answers success (it could do without) or out of memory, what it had begun is undone, and
 * the next one works again. This program's own mmap, malloc and others stand before the system's. Left out: the compiler behind
 * modules.
 */
#define _GNU_SOURCE
#include "driver/api.h"

#include "sanitized.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
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

enum mode { SYSTEM_CALL, ALLOCATION, ALLOCATIONS_FROM };         /* which fails: one, or it and all that follow */
static enum mode mode;
static _Atomic int armed, seen, left;

static int fails(int heap)
{
    if (heap != (mode != SYSTEM_CALL))
        return 0;
    atomic_fetch_add(&seen, 1);
    int n = armed ? atomic_fetch_sub(&left, 1) : 2;
    if (n > 1 || (n < 1 && mode != ALLOCATIONS_FROM))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *malloc(size_t bytes) { return fails(1) ? NULL : __libc_malloc(bytes); }
void *calloc(size_t n, size_t bytes) { return fails(1) ? NULL : __libc_calloc(n, bytes); }
void *realloc(void *p, size_t bytes) { return fails(1) ? NULL : __libc_realloc(p, bytes); }

void *mmap(void *addr, size_t bytes, int prot, int flags, int fd, off_t offset)
{
    return fails(0) ? MAP_FAILED : (void *)syscall(SYS_mmap, addr, bytes, prot, flags, fd, offset);
}

int mprotect(void *addr, size_t bytes, int prot) { return fails(0) ? -1 : (int)syscall(SYS_mprotect, addr, bytes, prot); }
int madvise(void *addr, size_t bytes, int advice) { return fails(0) ? -1 : (int)syscall(SYS_madvise, addr, bytes, advice); }
int mlock(const void *addr, size_t bytes) { return fails(0) ? -1 : (int)syscall(SYS_mlock, addr, bytes); }
int memfd_create(const char *name, unsigned flags) { return fails(0) ? -1 : (int)syscall(SYS_memfd_create, name, flags); }
int ftruncate(int fd, off_t bytes) { return fails(0) ? -1 : (int)syscall(SYS_ftruncate, fd, bytes); }
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at) { return fails(0) ? -1 : syscall(SYS_pwrite64, fd, data, bytes, at); }
int fcntl(int fd, int command, ...);
int fcntl(int fd, int command, ...)
{
    va_list ap;
    va_start(ap, command);
    long arg = va_arg(ap, long);
    va_end(ap);
    return fails(0) ? -1 : (int)syscall(SYS_fcntl, fd, command, arg);
}

/* --- what is tried --- */

enum { BIG = 8 << 20 };
#define TRY(call)         \
    do {                  \
        if (!rc)          \
            rc = (call);  \
    } while (0)

static CUresult device_memory(void)
{
    CUdeviceptr small = 0, big = 0, rows = 0;
    size_t pitch;
    CUresult rc = cuMemAlloc_v2(&small, 1000);
    TRY(cuMemAlloc_v2(&big, BIG));
    TRY(cuMemAllocPitch_v2(&rows, &pitch, 1000, 3000, 4));
    TRY(cuMemsetD8_v2(big, 1, BIG));
    cuMemFree_v2(small);
    cuMemFree_v2(big);
    cuMemFree_v2(rows);
    return rc;
}

static CUresult host_memory(void)
{
    void *p = NULL;
    CUresult rc = cuMemHostAlloc(&p, 1 << 20, 0);
    if (!rc)
        memset(p, 1, 1 << 20);
    cuMemFreeHost(p);
    return rc;
}

static CUresult registered_memory(void)
{
    static char memory[64 << 10];
    CUresult rc = cuMemHostRegister_v2(memory, sizeof memory, 0);
    if (!rc)
        cuMemHostUnregister(memory);
    return rc;
}

static CUresult managed_memory(void)
{
    CUdeviceptr p = 0;
    CUresult rc = cuMemAllocManaged(&p, BIG, CU_MEM_ATTACH_GLOBAL);
    TRY(cuMemsetD8_v2(p, 1, BIG));
    cuMemFree_v2(p);
    return rc;
}

static CUresult virtual_memory(void)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle h = 0, again = 0;
    CUdeviceptr p = 0;
    bool mapped = false;
    int fd = -1;
    CUresult rc = cuMemAddressReserve(&p, BIG, 0, 0, 0);
    TRY(cuMemCreate(&h, BIG, &prop, 0));
    TRY(cuMemMap(p, BIG, 0, h, 0));
    mapped = !rc;
    TRY(cuMemSetAccess(p, BIG, &access, 1));
    TRY(cuMemsetD8_v2(p, 1, BIG));
    TRY(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    TRY(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    armed = 0;                                   /* taking things back must work, or the rest means nothing */
    cuCtxSynchronize();
    if (fd >= 0)
        close(fd);
    if (again)
        cuMemRelease(again);
    if (mapped)
        cuMemUnmap(p, BIG);
    if (h)
        cuMemRelease(h);
    if (p)
        cuMemAddressFree(p, BIG);
    return rc;
}

static CUresult shared_memory(void)
{
    CUipcMemHandle handle;
    CUdeviceptr p = 0;
    CUresult rc = cuMemAlloc_v2(&p, BIG);
    TRY(cuIpcGetMemHandle(&handle, p));
    TRY(cuMemsetD8_v2(p, 1, BIG));
    armed = 0;
    cuMemFree_v2(p);
    return rc;
}

static CUresult shared_event(void)
{
    CUevent e;
    CUresult rc = cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
    if (!rc)
        rc = cuEventDestroy_v2(e);
    return rc;
}

static CUresult pool_memory(CUmemAllocationHandleType type)
{
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .handleTypes = type, .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool pool = NULL;
    CUdeviceptr p = 0;
    int fd = -1;
    CUresult rc = cuMemPoolCreate(&pool, &props);
    TRY(cuMemAllocFromPoolAsync(&p, 1 << 20, pool, NULL));
    TRY(cuMemsetD8Async(p, 1, 1 << 20, NULL));
    if (type)
        TRY(cuMemPoolExportToShareableHandle(&fd, pool, type, 0));
    if (p)
        cuMemFreeAsync(p, NULL);
    cuCtxSynchronize();
    if (pool)
        cuMemPoolDestroy(pool);
    if (fd >= 0)
        close(fd);
    return rc;
}

static CUresult plain_pool(void) { return pool_memory(CU_MEM_HANDLE_TYPE_NONE); }
static CUresult shared_pool(void) { return pool_memory(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR); }

static CUresult arrays(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 512, .Height = 512, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4};
    CUmipmappedArray chain = NULL;
    CUarray array = NULL;
    CUresult rc = cuArray3DCreate_v2(&array, &d);
    TRY(cuMipmappedArrayCreate(&chain, &d, 5));
    if (array)
        cuArrayDestroy(array);
    if (chain)
        cuMipmappedArrayDestroy(chain);
    return rc;
}

static CUresult streams(void)
{
    CUstream s = NULL;
    CUdeviceptr p = 0;
    char host[4096];
    CUresult rc = cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    TRY(cuMemAlloc_v2(&p, 2 * BIG));
    TRY(cuMemsetD32Async(p, 7, BIG / 2, s));
    TRY(cuMemcpyDtoHAsync_v2(host, p, sizeof host, s));
    TRY(cuStreamSynchronize(s));
    cuMemFree_v2(p);
    if (s)
        cuStreamDestroy_v2(s);
    return rc;
}

static CUresult events(void)
{
    CUevent a = NULL, b = NULL;
    CUresult rc = cuEventCreate(&a, 0);
    TRY(cuEventCreate(&b, 0));
    TRY(cuEventRecord(a, NULL));
    TRY(cuStreamWaitEvent(NULL, a, 0));
    TRY(cuEventRecord(b, NULL));
    TRY(cuEventSynchronize(b));
    if (a)
        cuEventDestroy_v2(a);
    if (b)
        cuEventDestroy_v2(b);
    return rc;
}

static void CUDA_CB add_one(void *p) { atomic_fetch_add((_Atomic int *)p, 1); }

/* Captured, launched twice. */
static CUresult graphs(void)
{
    static _Atomic int calls;
    CUstream s = NULL;
    CUgraph g = NULL, whole = NULL;
    CUgraphExec x = NULL;
    CUgraphNode nodes[2];
    CUDA_HOST_NODE_PARAMS host = {.fn = add_one, .userData = (void *)&calls};
    CUdeviceptr p = 0;
    CUresult rc = cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    TRY(cuMemAlloc_v2(&p, 1 << 16));
    bool began = false;
    if (!rc)
        began = !(rc = cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < 4; i++)
        TRY(cuMemsetD8Async(p, (unsigned char)i, 1 << 16, s));
    TRY(cuLaunchHostFunc(s, add_one, (void *)&calls));
    if (began) {
        CUresult end = cuStreamEndCapture(s, &g);
        rc = rc ? rc : end;
    }
    TRY(cuGraphCreate(&whole, 0));
    TRY(cuGraphAddChildGraphNode(&nodes[0], whole, NULL, 0, g));
    TRY(cuGraphAddHostNode(&nodes[1], whole, &nodes[0], 1, &host));
    TRY(cuGraphInstantiateWithFlags(&x, whole, 0));
    TRY(cuGraphLaunch(x, s));
    TRY(cuGraphLaunch(x, s));
    if (s)
        cuStreamSynchronize(s);
    if (x)
        cuGraphExecDestroy(x);
    if (whole)
        cuGraphDestroy(whole);
    if (g)
        cuGraphDestroy(g);
    if (s)
        cuStreamDestroy_v2(s);
    cuMemFree_v2(p);
    return rc;
}

static CUresult textures(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 16, .Height = 16, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUDA_RESOURCE_DESC from = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC how = {.filterMode = CU_TR_FILTER_MODE_POINT};
    CUtexObject t = 0;
    CUresult rc = cuArray3DCreate_v2(&from.res.array.hArray, &d);
    TRY(cuTexObjectCreate(&t, &from, &how, NULL));
    if (t)
        cuTexObjectDestroy(t);
    if (from.res.array.hArray)
        cuArrayDestroy(from.res.array.hArray);
    return rc;
}

static CUresult contexts(void)
{
    CUcontext ctx = NULL;
    CUdeviceptr p = 0;
    CUresult rc = cuCtxCreate_v2(&ctx, 0, 0);
    TRY(cuMemAlloc_v2(&p, 100));
    TRY(cuMemsetD8_v2(p, 1, 100));
    TRY(cuCtxSynchronize());
    if (ctx)
        cuCtxDestroy_v2(ctx);
    return rc;
}

static const struct {
    const char *name;
    CUresult (*run)(void);
} steps[] = {
    {"device_memory", device_memory}, {"host_memory", host_memory}, {"registered_memory", registered_memory},
    {"managed_memory", managed_memory}, {"virtual_memory", virtual_memory}, {"shared_memory", shared_memory},
    {"shared_event", shared_event}, {"plain_pool", plain_pool}, {"shared_pool", shared_pool}, {"arrays", arrays}, {"streams", streams},
    {"events", events}, {"graphs", graphs}, {"textures", textures}, {"contexts", contexts},
};

/* --- what must be as before --- */

struct world {
    size_t free_bytes;
    long locked_kib, descriptors;
};

static long status_number(const char *key)
{
    char line[256];
    long value = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            sscanf(line + strlen(key), " %ld", &value);
    if (f)
        fclose(f);
    return value;
}

static struct world look(void)
{
    struct world w = {.locked_kib = status_number("VmLck:")};
    size_t total;
    cuMemGetInfo_v2(&w.free_bytes, &total);
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        w.descriptors++;
    if (d)
        closedir(d);
    return w;
}

/* What was kept in store may have been given back. */
static int same(struct world a, struct world b)
{
    return a.free_bytes <= b.free_bytes && a.locked_kib == b.locked_kib && a.descriptors == b.descriptors;
}

static CUresult run_with_fault(int step, int k)
{
    atomic_store(&left, k);
    armed = 1;
    CUresult rc = steps[step].run();
    armed = 0;
    return rc;
}

static int try_step(int step)
{
    int bad = 0, refused = 0;
    for (int i = 0; i < 2; i++)                  /* threads and buffers that stay are made */
        if (steps[step].run())
            bad++;
    atomic_store(&seen, 0);
    bad += steps[step].run() != CUDA_SUCCESS;
    int n = atomic_load(&seen);
    struct world before = look();
    for (int k = 1; k <= n && !bad; k++) {
        CUresult rc = run_with_fault(step, k);
        if (rc != CUDA_SUCCESS && rc != CUDA_ERROR_OUT_OF_MEMORY) {
            printf("# %s, call %d of %d: answers %d\n", steps[step].name, k, n, (int)rc);
            bad++;
        }
        refused += rc != CUDA_SUCCESS;
        if (!same(before, look())) {
            printf("# %s, call %d of %d: something is left over\n", steps[step].name, k, n);
            bad++;
        }
        if (steps[step].run() || !same(before, look())) {
            printf("# %s, call %d of %d: does not work afterwards\n", steps[step].name, k, n);
            bad++;
        }
    }
    static const char *const what[] = {"calls of the system", "allocations", "places from which on allocations fail"};
    printf("%s %s: %d %s, %d of them needed\n", bad ? "not ok" : "ok", steps[step].name, n, what[mode], refused);
    return bad != 0;
}

/* Starting: any answer, but no crash and no hang; each in a process of its own. Returns how many calls there are. */
static int start_with_fault(int k)
{
    int status = 0, pipes[2];
    char count = 0;
    if (pipe(pipes))
        return -1;
    pid_t child = fork();
    if (child == 0) {
        CUcontext ctx;
        CUdeviceptr p;
        alarm(60);
        atomic_store(&left, k);
        armed = k > 0;
        if (cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&ctx, 0) == CUDA_SUCCESS && cuCtxSetCurrent(ctx) == CUDA_SUCCESS
            && cuMemAlloc_v2(&p, 4096) == CUDA_SUCCESS)
            cuMemsetD8_v2(p, 0, 4096);
        armed = 0;
        count = (char)(atomic_load(&seen) < 100 ? atomic_load(&seen) : 100);
        if (write(pipes[1], &count, 1) != 1)
            _exit(3);
        _exit(0);
    }
    close(pipes[1]);
    waitpid(child, &status, 0);
    if (read(pipes[0], &count, 1) != 1)
        count = 0;
    close(pipes[0]);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? count : -1;
}

/* The heap stays exhausted: sooner or later calls are refused, but what there is can be used and given back. */
static int heap_gone(void)
{
    enum { MANY = 100000 };
    static CUdeviceptr p[MANY];
    static CUevent e[MANY];
    struct world before = look();
    CUresult rc = CUDA_SUCCESS, made = CUDA_SUCCESS;
    int n = 0, events_made = 0, bad = 0;
    char text[64] = "from pageable memory", back[64] = "";
    mode = ALLOCATIONS_FROM;
    atomic_store(&left, 1);
    armed = 1;
    while (n < MANY && !(rc = cuMemAlloc_v2(&p[n], 100)))
        n++;
    while (events_made < MANY && !(made = cuEventCreate(&e[events_made], 0)))
        events_made++;
    bad += n == 0 || cuMemcpyDtoH_v2(back, p[0], sizeof back) != CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < events_made; i++)
        bad += cuEventDestroy_v2(e[i]) != CUDA_SUCCESS;
    for (int i = 1; i < n; i++)
        bad += cuMemFree_v2(p[i]) != CUDA_SUCCESS;
    armed = 0;
    bad += cuMemcpyHtoD_v2(p[0], text, sizeof text) || cuMemcpyDtoH_v2(back, p[0], sizeof back) || strcmp(text, back);
    bad += cuMemFree_v2(p[0]) || !same(before, look());
    bool good = !bad && rc == CUDA_ERROR_OUT_OF_MEMORY && made == CUDA_ERROR_OUT_OF_MEMORY && n < MANY;
    printf("%s heap_gone: %d more pieces of memory and %d events before it is refused\n", good ? "ok" : "not ok", n, events_made);
    return !good;
}

int main(void)
{
    CUcontext ctx;
    int bad = 0;
    setenv("HOSTWARP_MEMORY", "256M", 1);
    int n = start_with_fault(0);
    bool good = n > 0;
    for (int k = 1; k <= n && good; k++)
        if (start_with_fault(k) < 0) {
            printf("# the start, call %d of %d: a crash or no end\n", k, n);
            good = false;
        }
    printf("%s the_start: %d calls of the system\n", good ? "ok" : "not ok", n);
    bad += !good;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&ctx, 0) || cuCtxSetCurrent(ctx))
        return 2;
    for (mode = SYSTEM_CALL; mode <= ALLOCATIONS_FROM; mode++)
        for (int i = 0; i < (int)HW_LEN(steps); i++)
            bad += try_step(i);
    bad += heap_gone();
    return bad != 0;
}
#endif
