/* SPDX-License-Identifier: Apache-2.0 */
/* Page locking with mlock, as far as the system allows (RLIMIT_MEMLOCK). HOSTWARP_PIN says how serious to be. */
#define _GNU_SOURCE
#include "core/pin.h"

#include "base/log.h"
#include "base/options.h"
#include "base/os.h"

#include <errno.h>
#include <sys/mman.h>

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

static bool try_lock(void *p, size_t bytes)
{
    static _Atomic bool said;
    if (pin_is("off"))
        return false;
    if (mlock(p, bytes) == 0)
        return true;
    if (!said) {
        said = true;
        hw_info("the system's limit on locked memory (ulimit -l) leaves page-locked memory resident but unlocked: %s",
                strerror(errno));
    }
    return false;
}

void *pin_map(size_t bytes, enum pin_result *out_result)
{
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
    touch(p, bytes);
    *out_result = try_lock(p, bytes) ? PIN_LOCKED : PIN_RESIDENT;
    if (*out_result == PIN_RESIDENT && pin_is("strict")) {
        munmap(p, bytes);
        return NULL;
    }
    return p;
}

void pin_unmap(void *p, size_t bytes)
{
    munmap(p, bytes);
}

bool pin_is_mapped(uint64_t first, uint64_t end)
{
    unsigned char state[1024];
    size_t page = hw_page_bytes(), step = sizeof state * page;
    for (uint64_t at = first; at < end; at += step)
        if (mincore((void *)(uintptr_t)at, hw_min_u64(step, end - at), state))
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
