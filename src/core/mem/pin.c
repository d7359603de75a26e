/* SPDX-License-Identifier: Apache-2.0 */
/* Page locking with mlock, as far as the system allows (RLIMIT_MEMLOCK). HOSTWARP_PIN says how serious to be. */
#define _GNU_SOURCE
#include "core/mem/pin.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "exec/exec.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static bool pin_is(const char *mode)
{
    return strcmp(hw_options()->pin, mode) == 0;
}

/* Old kernels (before 5.14) cannot populate: a byte per page does it for them. */
static void touch(char *p, size_t bytes)
{
    if (madvise(p, bytes, MADV_POPULATE_WRITE) == 0)
        return;
    for (size_t at = 0; at < bytes; at += hw_page_bytes())
        *(volatile char *)(p + at) = 0;
}

/* What takes the time is that the system clears every page, and it does so on as many threads as ask. */
#define TOUCH_PIECE ((size_t)4 << 20)
struct touching {
    char *p;
    size_t bytes;
};

static void touch_piece(void *arg, uint64_t piece)
{
    const struct touching *t = arg;
    size_t at = piece * TOUCH_PIECE;
    touch(t->p + at, hw_min_u64(TOUCH_PIECE, t->bytes - at));
}

static void touch_all(char *p, size_t bytes)
{
    struct touching t = { p, bytes };
    if (bytes < 4 * TOUCH_PIECE)
        touch(p, bytes);
    else
        exec_spread(touch_piece, &t, (bytes + TOUCH_PIECE - 1) / TOUCH_PIECE);
}

/* Once in a process: what happened, what it means, what to do. */
static void say_not_locked(size_t bytes, int error)
{
    static _Atomic bool said;
    struct rlimit limit = { 0, 0 };
    char text[64] = "";
    if (atomic_exchange(&said, true))
        return;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, sizeof text, "; this process may lock %llu KiB", (unsigned long long)limit.rlim_cur >> 10);
    hw_warn("page-locked memory is not locked: mlock of %zu KiB failed (%s%s). The program works, but the system may swap this memory out. "
            "To lock it: `ulimit -l unlimited` in the shell (as root; others need a line in /etc/security/limits.conf), LimitMEMLOCK=infinity for a "
            "systemd service, `--ulimit memlock=-1` for a container. HOSTWARP_PIN=off: do not try, and be quiet",
            bytes >> 10, error == ENOMEM ? "too much" : strerror(error), text);
}

static bool try_lock(void *p, size_t bytes)
{
    if (pin_is("off"))
        return false;
    if (mlock(p, bytes) == 0)
        return true;
    say_not_locked(bytes, errno);
    return false;
}

/*
 * Small mappings that were freed: mapping, touching and locking pages takes far longer than programs expect of small
 * allocations, which they make and free in turn. At most KEPT of each size stay locked.
 */
enum { KEPT = 32, KEPT_PAGES = 4 };
static struct hw_mutex kept_mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct {
    void *p[KEPT];
    enum pin_result result[KEPT];
    unsigned n;
} kept[KEPT_PAGES] HW_GUARDED_BY(kept_mu);

static void *kept_take(size_t bytes, enum pin_result *out_result)
{
    size_t k = bytes / hw_page_bytes() - 1;
    void *p = NULL;
    if (k >= KEPT_PAGES)
        return NULL;
    hw_lock(&kept_mu);
    if (kept[k].n) {
        p = kept[k].p[--kept[k].n];
        *out_result = kept[k].result[kept[k].n];
    }
    hw_unlock(&kept_mu);
    return p;
}

static bool kept_give(void *p, size_t bytes, enum pin_result result)
{
    size_t k = bytes / hw_page_bytes() - 1;
    bool room = false;
    if (k >= KEPT_PAGES)
        return false;
    hw_lock(&kept_mu);
    if (kept[k].n < KEPT) {
        kept[k].p[kept[k].n] = p;
        kept[k].result[kept[k].n++] = result;
        room = true;
    }
    hw_unlock(&kept_mu);
    return room;
}

/* Under the checker: pages that nobody has touched show memory that nobody has written (check/pages.h). */
static void *map_untouched(size_t bytes, enum pin_result *out_result)
{
    void *p = hw_window_map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, bytes, MADV_NOHUGEPAGE);
    *out_result = PIN_RESIDENT;
    return p;
}

void *pin_map(size_t bytes, enum pin_result *out_result)
{
    if (hw_options()->check[0])
        return map_untouched(bytes, out_result);
    void *old = kept_take(bytes, out_result);
    if (old)
        return old;
    const size_t huge = 2u << 20;
    size_t slack = bytes >= huge ? huge : 0;
    char *p = hw_window_map(bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
    if (p == MAP_FAILED)
        return NULL;
    if (slack) {                                 /* huge pages need their alignment; the rest goes back */
        char *start = (char *)(uintptr_t)hw_align_up((uint64_t)(uintptr_t)p, huge);
        if (start > p)
            munmap(p, (size_t)(start - p));
        if (start + bytes < p + bytes + slack)
            munmap(start + bytes, (size_t)(p + slack - start));
        p = start;
        madvise(p, bytes, MADV_HUGEPAGE);
    }
    hw_numa_prefer_here(p, bytes);               /* whichever threads touch it */
    touch_all(p, bytes);
    *out_result = try_lock(p, bytes) ? PIN_LOCKED : PIN_RESIDENT;
    if (*out_result == PIN_RESIDENT && pin_is("strict")) {
        munmap(p, bytes);
        return NULL;
    }
    return p;
}

void pin_unmap(void *p, size_t bytes, enum pin_result result)
{
    if (hw_options()->check[0] || !kept_give(p, bytes, result))
        munmap(p, bytes);
}

bool pin_is_mapped(uint64_t first, uint64_t end)
{
    unsigned char state[1024];
    size_t page = hw_page_bytes(), step = sizeof state * page;
    for (uint64_t at = first; at < end; at += step)
        while (mincore((void *)(uintptr_t)at, hw_min_u64(step, end - at), state))
            if (errno != EAGAIN)                 /* that: the system is short of memory for a moment */
                return false;
    return true;
}

enum pin_result pin_lock(uint64_t first, uint64_t end)
{
    if (try_lock((void *)(uintptr_t)first, end - first))
        return PIN_LOCKED;
    if (pin_is("strict"))
        return PIN_FAILED;
    madvise((void *)(uintptr_t)first, end - first, MADV_POPULATE_WRITE);     /* read-only memory stays as it is */
    return PIN_RESIDENT;
}

void pin_unlock(uint64_t first, uint64_t end)
{
    if (end > first)
        munlock((void *)(uintptr_t)first, end - first);
}
