/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another process that lies: its handles name descriptors that are pipes, folders, devices or files that become shorter once they are mapped; or bytes in them are
 * changed on the way. What is opened is used by copies, fills and kernels. Good handles must work, the others must be refused or be an error of what uses them; the
 * process stays.
 */
#define _GNU_SOURCE
#include "core/mem/ipc.h"
#include "fuzz_driver.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = 8192, FILE_BYTES = 2 << 20, TRIES = 10, LIES = 8, HOLDS = 0x42 };

/* What the two processes say to each other. */
static struct talk {
    _Atomic int ready, asked, answered;
    int what;                    /* which lie becomes shorter; -1: all are as long as they were */
    pid_t pid;
    CUipcMemHandle memory[2];
    CUipcEventHandle event;
    CUmemPoolPtrExportData pointer;
    int pool_fd, lies[LIES];
    uint64_t inode[LIES], bytes[LIES];
} *talk;

static CUdeviceptr own;
static CUstream stream;
static struct fuzz_random r;
static uint64_t number;

static unsigned pick(unsigned n) { return fuzz_below(&r, n); }

#define FOUND(...) fuzz_bad_in(number, __VA_ARGS__)

/* --- the liar --- */

static void make_lies(void)
{
    int ends[2] = { -1, -1 };
    struct stat st;
    if (pipe(ends))
        _exit(1);
    int fds[LIES] = { memfd_create("lie", 0), memfd_create("lie", MFD_ALLOW_SEALING), memfd_create("lie", 0),
        memfd_create("lie", MFD_ALLOW_SEALING), ends[0], open("/tmp", O_RDONLY | O_DIRECTORY), open("/dev/zero", O_RDWR),
        open("/proc/self/mem", O_RDWR) };
    for (unsigned k = 0; k < 4; k++)
        if (ftruncate(fds[k], k == 3 ? 4096 : FILE_BYTES) || (k % 2 && fcntl(fds[k], F_ADD_SEALS, F_SEAL_SHRINK)))
            _exit(1);            /* every other one is as good as the driver's own */
    memcpy(talk->lies, fds, sizeof fds);
    for (unsigned k = 0; k < LIES; k++) {
        fstat(fds[k], &st);
        talk->inode[k] = st.st_ino;
        talk->bytes[k] = (uint64_t)st.st_size;
    }
}

static void export_things(void)
{
    CUdeviceptr p;
    CUevent e;
    CUmemoryPool pool;
    CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
    for (unsigned k = 0; k < 2; k++) {
        NEED(cuMemAlloc(&p, k ? FILE_BYTES * 2 : BYTES));
        NEED(cuMemsetD8(p, HOLDS, BYTES));
        NEED(cuIpcGetMemHandle(&talk->memory[k], p));
    }
    NEED(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    NEED(cuIpcGetEventHandle(&talk->event, e));
    NEED(cuMemPoolCreate(&pool, &props));
    NEED(cuMemPoolExportToShareableHandle(&talk->pool_fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    NEED(cuMemAllocFromPoolAsync(&p, BYTES, pool, NULL));
    NEED(cuMemsetD8(p, HOLDS, BYTES));
    NEED(cuCtxSynchronize());
    NEED(cuMemPoolExportPointer(&talk->pointer, p));
}

static void liar(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    driver_start();
    export_things();
    make_lies();
    talk->pid = getpid();
    talk->ready = 1;
    for (;;) {
        if (talk->asked == talk->answered) {
            usleep(100);
            continue;
        }
        for (int k = 0; k < 4; k++) {
            off_t bytes = talk->what == k ? 0 : (off_t)talk->bytes[k];
            if (ftruncate(talk->lies[k], bytes))
                continue;        /* sealed */
        }
        talk->answered++;
    }
}

static void ask(int what)
{
    talk->what = what;
    talk->asked++;
    for (unsigned waited = 0; talk->asked != talk->answered && waited < 50000; waited++)
        usleep(100);
}

/* --- what is opened is used --- */

static void done_with(CUresult rc)
{
    if (rc) {                    /* a fault of the kernel or copy: the context is done for */
        ask(-1);
        fuzz_fresh();
    }
}

static void use_memory(CUdeviceptr p, size_t bytes)
{
    static unsigned char host[BYTES];
    unsigned n = 1, value = 7, words = (unsigned)(bytes < 4096 ? bytes : 4096) / 4;
    size_t some = bytes < BYTES ? bytes : BYTES;
    void *params[] = { &p, &words, &value };
    switch (pick(5)) {
    case 0: fuzz_doing("a copy from a liar's memory"); done_with(cuMemcpyDtoH(host, p, some)); break;
    case 1: fuzz_doing("a copy to a liar's memory"); done_with(cuMemcpyHtoDAsync(p, host, some, stream)); break;
    case 2: fuzz_doing("a fill of a liar's memory"); done_with(cuMemsetD8Async(p, 1, some, stream)); break;
    case 3: fuzz_doing("a kernel in a liar's memory"); done_with(cuLaunchKernel(driver_fill, n, 1, 1, 32, 1, 1, 0, stream, params, NULL)); break;
    default: fuzz_doing("a copy between memory of a liar and ours"); done_with(cuMemcpyDtoDAsync(own, p, some, stream)); break;
    }
    done_with(cuStreamSynchronize(stream));
    done_with(cuCtxSynchronize());
}

static void good_memory(void)
{
    static unsigned char host[BYTES];
    CUdeviceptr p;
    if (!GOOD(number, cuIpcOpenMemHandle(&p, talk->memory[pick(2)], CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)) ||
        !GOOD(number, cuMemcpyDtoH(host, p, BYTES)))
        return;
    for (unsigned i = 0; i < BYTES; i++)
        if (host[i] != HOLDS) {
            FOUND("byte %u of the other process is %u", i, host[i]);
            break;
        }
    GOOD(number, cuIpcCloseMemHandle(p));
}

static struct ipc_ref lie(unsigned k)
{
    struct ipc_ref ref;
    memcpy(&ref, &talk->memory[0], sizeof ref);  /* the magic number */
    ref.pid = talk->pid;
    ref.fd = talk->lies[k];
    ref.inode = talk->inode[k];
    ref.file_bytes = talk->bytes[k];
    ref.offset = pick(2) ? 0 : 512 * pick(16);
    ref.bytes = ref.file_bytes - ref.offset;
    if (pick(6) == 0)
        fuzz_mutate(&r, &ref, sizeof ref);
    return ref;
}

static void lying_memory(void)
{
    unsigned k = pick(LIES);
    struct ipc_ref ref = lie(k);
    CUipcMemHandle h = { 0 };
    CUdeviceptr p;
    memcpy(&h, &ref, sizeof ref);
    fuzz_doing("opening a liar's memory");
    if (cuIpcOpenMemHandle(&p, h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS))
        return;
    ask((int)k);
    use_memory(p, ref.bytes);
    ask(-1);
    GOOD(number, cuIpcCloseMemHandle(p));
}

static void lying_event(void)
{
    unsigned k = pick(LIES);
    struct ipc_ref ref = lie(k);
    CUipcEventHandle h = { 0 };
    CUevent e;
    ref.bytes = 16;
    ref.offset = 0;
    memcpy(&h, &ref, sizeof ref);
    fuzz_doing("opening a liar's event");
    if (cuIpcOpenEventHandle(&e, h))
        return;
    ask((int)k);
    fuzz_doing("a liar's event");
    cuEventQuery(e);
    cuEventRecord(e, stream);
    done_with(cuStreamSynchronize(stream));
    GOOD(number, cuEventDestroy(e));
    ask(-1);
}

/* Bytes changed on the way. */
static void spoilt_handles(void)
{
    CUipcMemHandle m = talk->memory[pick(2)];
    CUipcEventHandle e = talk->event;
    CUmemPoolPtrExportData x = talk->pointer;
    CUdeviceptr p;
    CUevent event;
    CUmemoryPool pool;
    fuzz_doing("spoilt handles");
    fuzz_mutate(&r, &m, sizeof(struct ipc_ref));
    if (cuIpcOpenMemHandle(&p, m, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == CUDA_SUCCESS)
        GOOD(number, cuIpcCloseMemHandle(p));
    fuzz_mutate(&r, &e, sizeof(struct ipc_ref));
    if (cuIpcOpenEventHandle(&event, e) == CUDA_SUCCESS)
        GOOD(number, cuEventDestroy(event));
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)talk->pid, pick(3) ? talk->pool_fd : FUZZ_ANY(&r, talk->lies));
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (pick(2))
        fuzz_mutate(&r, &x, sizeof(struct ipc_ref));
    fuzz_doing("a pool of another process");
    if (cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) == CUDA_SUCCESS) {
        if (cuMemPoolImportPointer(&p, pool, &x) == CUDA_SUCCESS)
            cuMemFree(p);
        GOOD(number, cuMemPoolDestroy(pool));
    }
    if (fd >= 0)
        close(fd);
}

/* Physical memory by its descriptor. */
static void lying_physical(void)
{
    unsigned k = pick(LIES);
    char path[64];
    CUmemGenericAllocationHandle h;
    CUmemAccessDesc access_desc = { .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE }, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    CUdeviceptr p;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)talk->pid, talk->lies[k]);
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    fuzz_doing("importing a liar's descriptor");
    CUresult rc = cuMemImportFromShareableHandle(&h, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (fd >= 0)
        close(fd);
    if (rc || !GOOD(number, cuMemAddressReserve(&p, FILE_BYTES, 0, 0, 0)))
        return;
    if (cuMemMap(p, FILE_BYTES, 0, h, 0) == CUDA_SUCCESS) {
        if (cuMemSetAccess(p, FILE_BYTES, &access_desc, 1) == CUDA_SUCCESS) {
            ask((int)k);
            use_memory(p, FILE_BYTES);
            ask(-1);
        }
        GOOD(number, cuMemUnmap(p, FILE_BYTES));
    }
    GOOD(number, cuMemRelease(h));
    GOOD(number, cuMemAddressFree(p, FILE_BYTES));
}

/* --- cases --- */

static void before(void)
{
    pid_t parent = getpid();
    talk = mmap(NULL, sizeof *talk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0)
        liar(parent);
    for (unsigned waited = 0; !talk->ready && waited < 200000; waited++)
        usleep(100);
    freopen("/dev/null", "w", stderr);           /* copies that fail are told there */
    driver_start();
    NEED(cuMemAlloc(&own, BYTES));
    NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

static void one(uint64_t n)
{
    static void (*const kinds[])(void) = { good_memory, lying_memory, lying_memory, lying_event, spoilt_handles, lying_physical };
    r = fuzz_random(fuzz_plan.seed, number = n);
    for (unsigned k = 0; k < TRIES; k++) {
        FUZZ_ANY(&r, kinds)();
        fuzz_count(1);
    }
}

int main(int argc, char **argv)
{
    driver_settings(argv);
    fuzz_begin((struct fuzz_plan){ .name = "ipc_peers", .seed = 1, .seconds = 2, .things = "handles" }, argc, argv, NULL);
    return fuzz_cases(before, one, 50, 10);
}
