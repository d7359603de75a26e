/* SPDX-License-Identifier: Apache-2.0 */
/* Linux. */
#define _GNU_SOURCE
#include "base/os.h"

#include "base/log.h"
#include "base/options.h"
#include "base/str.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t hw_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

_Thread_local bool hw_thread_is_ours, hw_thread_starts;

struct begun {
    void *(*fn)(void *);
    void *arg;
};

static void *begin_thread(void *p)
{
    struct begun b = *(struct begun *)p;
    hw_free(p);
    hw_thread_is_ours = true;
    return b.fn(b.arg);
}

int hw_thread_start(void *(*fn)(void *), void *arg, size_t stack_bytes, int signal, pthread_t *out)
{
    sigset_t none, old;
    pthread_attr_t attr;
    pthread_t thread;
    sigfillset(&none);
    sigdelset(&none, SIGSEGV);
    sigdelset(&none, SIGBUS);
    sigdelset(&none, SIGFPE);
    sigdelset(&none, SIGILL);
    sigdelset(&none, SIGTRAP);
    if (signal)
        sigdelset(&none, signal);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, out ? PTHREAD_CREATE_JOINABLE : PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, stack_bytes);
    pthread_sigmask(SIG_SETMASK, &none, &old);
    struct begun *b = hw_alloc(sizeof *b);
    *b = (struct begun){ fn, arg };
    hw_thread_starts = true;
    int err = pthread_create(out ? out : &thread, &attr, begin_thread, b);
    hw_thread_starts = false;
    if (err)
        hw_free(b);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return err;
}

bool hw_service_start(struct hw_service *s, void *(*fn)(void *))
{
    if (hw_likely(atomic_load_explicit(&s->runs, memory_order_acquire)))
        return true;
    pthread_mutex_lock(&s->mu);
    if (!s->runs)
        s->runs = hw_thread_start(fn, NULL, HW_THREAD_STACK, 0, NULL) == 0;
    bool runs = s->runs;
    pthread_mutex_unlock(&s->mu);
    return runs;
}

/* The kernel watches whether the counter can be trusted, and uses it itself only then. */
bool hw_has_ticks(void)
{
#if defined(__x86_64__)
    char name[16] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, name, sizeof name - 1) : -1;
    if (fd >= 0)
        close(fd);
    return n >= 4 && strncmp(name, "tsc\n", 4) == 0;
#else
    return false;
#endif
}

void hw_now_both(uint64_t *ns, uint64_t *ticks)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = hw_ticks(), now = hw_now_ns(), after = hw_ticks();
        if (after - before < best) {
            best = after - before;
            *ns = now;
            *ticks = before + best / 2;
        }
    }
}

unsigned hw_cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

static char cpu_name[128];

static void read_cpu_name(void)
{
    strcpy(cpu_name, "CPU");
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "model name", 10) != 0)
            continue;
        char *from = strchr(line, ':'), *to = cpu_name;
        for (from = from ? from + 1 : line; *from && *from != '\n' && to < cpu_name + sizeof cpu_name - 1; from++)
            if (*from != ' ' || (to > cpu_name && to[-1] != ' '))
                *to++ = *from;
        *to = 0;
        break;
    }
    if (f)
        fclose(f);
}

const char *hw_cpu_name(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_cpu_name);
    return cpu_name;
}

uint64_t hw_memory_bytes(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * hw_page_bytes();
}

/* sysconf(3) has other ideas: on some processors it adds up the caches of all their parts. */
static uint64_t read_cache_bytes(void)
{
    enum { LEVELS = 8, USUAL = 32 << 20, OURS = 48 << 20 };
    uint64_t largest = 0;
    for (int i = 0; i < LEVELS; i++) {
        char path[80], text[24] = "", *unit;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            break;
        if (read(fd, text, sizeof text - 1) > 0) {
            uint64_t bytes = strtoull(text, &unit, 10);
            largest = hw_max_u64(largest, bytes << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 0));
        }
        close(fd);
    }
    /* A large cache belongs to many cores, and in a virtual machine to other guests' as well: what is written beyond some megabytes does not
       stay. Measured with two cores under 260 MiB: copying n bytes and reading them again is faster past the caches from n = 24 MiB on,
       softmax, which writes in bursts, from 40. */
    return largest ? hw_min_u64(largest, hw_max_u64(OURS, (uint64_t)hw_cpu_count() << 21)) : USUAL;
}

uint64_t hw_cache_bytes(void)
{
    static _Atomic uint64_t known;
    uint64_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (!bytes) {
        int cancel = hw_cancel_off();            /* callers may hold locks */
        bytes = read_cache_bytes();
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
        hw_cancel_on(cancel);
    }
    return bytes;
}

bool hw_numa_node_exists(int node)
{
    char path[64];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d", node);
    return node == 0 || (node > 0 && access(path, F_OK) == 0);   /* a system that names none has one */
}

unsigned hw_numa_nodes(void)
{
    unsigned n = 1;
    while (n < 1024 && hw_numa_node_exists((int)n))
        n++;
    return n;
}

void hw_numa_prefer_here(void *p, size_t bytes)
{
    static _Atomic unsigned nodes;               /* looking takes microseconds */
    unsigned node = 0;
    unsigned long mask[1024 / (8 * sizeof(long))] = { 0 };
    if (!nodes)
        nodes = hw_numa_nodes();
    if (nodes == 1 || syscall(SYS_getcpu, NULL, &node, NULL) || node >= 1024)
        return;
    mask[node / (8 * sizeof(long))] = 1ul << node % (8 * sizeof(long));
    syscall(SYS_mbind, p, bytes, MPOL_PREFERRED, mask, 1024ul, 0ul);     /* a wish: without it, pages come from where they are touched */
}

size_t hw_page_bytes(void)
{
    static _Atomic size_t known;
    size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (!bytes)
        atomic_store_explicit(&known, bytes = (size_t)sysconf(_SC_PAGESIZE), memory_order_relaxed);
    return bytes;
}

void hw_futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns)
{
    struct timespec t = { (time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u) };
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, timeout_ns ? &t : NULL, NULL, 0);
}

void hw_futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/* Places only ever go up: 16 TiB of addresses outlast any process, and a stale pointer never finds somebody else's memory. */
void *hw_window_map(size_t bytes, int prot, int flags)
{
    static _Atomic uint64_t next = ((uint64_t)HW_WINDOW_TAG << HW_WINDOW_SHIFT) + HW_WINDOW_EDGE;
    const uint64_t end = ((uint64_t)(HW_WINDOW_TAG + 1) << HW_WINDOW_SHIFT) - HW_WINDOW_EDGE, grain = 2u << 20;
    uint64_t want = hw_align_up(bytes, grain) + grain, at = atomic_fetch_add(&next, want);
    void *hint = at + want < end ? (void *)(uintptr_t)at : NULL;
    return mmap(hint, bytes, prot, flags, -1, 0);
}

char *hw_file_read(const char *path, size_t *out_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    size_t n = 0, cap = 64 * 1024;
    struct stat st;
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        cap = (size_t)st.st_size + 1;
    char *data = hw_alloc(cap + 1);
    for (;;) {
        ssize_t got = read(fd, data + n, cap - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int saved = errno;
            hw_free(data);
            close(fd);
            errno = saved;
            return NULL;
        }
        if (got == 0)
            break;
        n += (size_t)got;
        if (n == cap) {
            cap *= 2;
            data = hw_realloc(data, cap + 1);
        }
    }
    close(fd);
    data[n] = 0;
    if (out_bytes)
        *out_bytes = n;
    return data;
}

/* A write past RLIMIT_FSIZE would end the process with a signal. */
static bool may_grow_to(size_t bytes)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY || bytes <= most.rlim_cur)
        return true;
    errno = EFBIG;
    return false;
}

bool hw_file_write(const char *path, const void *data, size_t bytes)
{
    static _Atomic unsigned serial;
    if (!may_grow_to(bytes))
        return false;
    char *temp = hw_sprintf("%s.%d.%u.new", path, (int)getpid(), serial++);
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool ok = fd >= 0;
    for (size_t done = 0; ok && done < bytes;) {
        ssize_t n = write(fd, (const char *)data + done, bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        ok = n > 0;
        done += ok ? (size_t)n : 0;
    }
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && rename(temp, path) == 0;
    int saved = errno;
    if (!ok && fd >= 0)
        unlink(temp);
    hw_free(temp);
    errno = saved;
    return ok;
}

static bool make_dirs(const char *path, mode_t mode)
{
    char *copy = hw_strdup(path);
    bool ok = true;
    for (char *p = copy + 1; ok; p++) {
        if (*p && *p != '/')
            continue;
        char saved = *p;
        *p = 0;
        ok = mkdir(copy, mode) == 0 || errno == EEXIST;
        *p = saved;
        if (!saved)
            break;
    }
    int saved = errno;
    hw_free(copy);
    errno = saved;
    return ok;
}

bool hw_mkdirs(const char *path) { return make_dirs(path, 0777); }

/* Room for what a compilation leaves: a folder on a full disk can be made as well. */
static bool has_room(const char *dir)
{
    enum { PROBE = 256 << 10 };
    char *path = hw_sprintf("%s/probe", dir);
    int fd = may_grow_to(PROBE) ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    int error = fd < 0 ? errno : posix_fallocate(fd, 0, PROBE);
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    hw_free(path);
    errno = error;
    return error == 0;
}

char *hw_temp_dir(const char *name)
{
    const char *asked = getenv("TMPDIR"), *const folders[] = { asked && *asked ? asked : "/tmp", "/tmp", "/var/tmp", "/dev/shm" };
    int why = 0;
    for (size_t i = 0; i < HW_LEN(folders); i++) {
        char *dir = hw_sprintf("%s/%s-XXXXXX", folders[i], name);
        bool made = mkdtemp(dir) != NULL;
        if (made && has_room(dir)) {
            if (i > 0)
                hw_warn("%s cannot be used for temporary files (%s): they are in %s", folders[0], strerror(why), folders[i]);
            return dir;
        }
        why = why ? why : errno;
        if (made)
            rmdir(dir);
        hw_free(dir);
    }
    errno = why;
    return NULL;
}

void hw_cache_complain(const char *path, const char *why)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        hw_warn("the cache cannot be used: %s: %s. What is compiled now will be compiled again by the next process (HOSTWARP_CACHE=off: so be it)", path, why);
}

/* What lies there is run: nobody else may have put it there. Root may, who can do everything. */
static bool is_ours(const char *dir)
{
    struct stat st;
    const char *why = NULL;
    if (stat(dir, &st) != 0)
        why = strerror(errno);
    else if (!S_ISDIR(st.st_mode))
        why = "no folder";
    else if (st.st_uid != geteuid() && st.st_uid != 0)
        why = "belongs to another user";
    else if ((st.st_mode & 022) && (st.st_uid != geteuid() || chmod(dir, 0700) != 0))
        why = "others may write to it";
    if (why)
        hw_cache_complain(dir, why);
    return !why;
}

char *hw_cache_make(char *dir)
{
    bool made = make_dirs(dir, 0700);
    if (!made)
        hw_cache_complain(dir, strerror(errno));
    if (made && is_ours(dir))
        return dir;
    hw_free(dir);
    return NULL;
}

char *hw_cache_dir(const char *sub)
{
    const char *top = hw_options()->cache, *home;
    char *dir;
    if (strcmp(top, "off") == 0)
        return NULL;
    if (*top)
        dir = hw_sprintf("%s/%s", top, sub);
    else if ((home = getenv("XDG_CACHE_HOME")) && *home)
        dir = hw_sprintf("%s/hostwarp/%s", home, sub);
    else if ((home = getenv("HOME")) && *home)
        dir = hw_sprintf("%s/.cache/hostwarp/%s", home, sub);
    else
        return NULL;
    return hw_cache_make(dir);
}

/* One less than the address is in the call itself. The program has an empty name in the list of modules, and argv[0], which need not be its file, elsewhere. */
bool hw_call_place(const void *return_address, struct hw_str *out)
{
    Dl_info info;
    struct link_map *map = NULL;
    char exe[PATH_MAX] = "";
    if (!dladdr1(return_address, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname)
        return false;
    if (map && !map->l_name[0] && readlink("/proc/self/exe", exe, sizeof exe - 1) > 0)
        info.dli_fname = exe;
    /* what debug information has: addresses of programs that lie where they were linked for are as they are */
    size_t base = map ? (size_t)map->l_addr : (size_t)(uintptr_t)info.dli_fbase;
    hw_str_printf(out, "%s+0x%zx", info.dli_fname, (size_t)(uintptr_t)return_address - base - 1);
    return true;
}
