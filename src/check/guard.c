/* SPDX-License-Identifier: Apache-2.0 */
/* Which pages are protected, and why. */
#define _GNU_SOURCE
#include "check/guard.h"

#include "base/log.h"
#include "base/os.h"
#include "check/guard_internal.h"
#include "check/order.h"
#include "check/pages.h"
#include "exec/exec.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RANGES = 4096, PENDING = 1024, AREAS = 8, TALKERS = 256 };

/* Memory that may be guarded. Its first and last page may hold something else, too. */
struct range {
    uint64_t base, end;
    bool mixed_first, mixed_last;
    bool variable;               /* kernels come to it without being given its address */
};

/* What a command may touch of a range. */
struct held {
    struct area area;
    uint64_t first, end;         /* pages */
    int keep_first, keep_last;   /* PROT_*: what the first and the last page keep at least */
    bool touched;
};

/* A command that the host has not waited for. */
struct pending {
    uint32_t number;
    bool kernel, over, talks;
    unsigned n;
    struct held held[AREAS];
};

/* All of this belongs to the lock. Handlers take it: nobody allocates, or touches what is guarded, while he has it. */
static _Atomic bool locked;
static struct range ranges[RANGES];              /* by address */
static unsigned n_ranges, n_variables;
static struct pending pending[PENDING];
static unsigned n_pending;
static uint32_t talkers[TALKERS];                /* kernels that have talked: a ring */
static unsigned n_talkers;
static int memory = -1;                          /* /proc/self/mem; const after guard_init() */
static uint64_t page_bytes;
static bool on, alone = true;
_Atomic uint64_t guard_epoch;

void guard_lock(void)
{
    while (atomic_exchange_explicit(&locked, true, memory_order_acquire))
        hw_cpu_relax();
}

void guard_unlock(void) { atomic_store_explicit(&locked, false, memory_order_release); }

uint64_t guard_page(uint64_t addr) { return addr & ~(page_bytes - 1); }
uint64_t guard_page_bytes(void) { return page_bytes; }

bool guard_init(void)
{
    uint64_t page = hw_page_bytes();
    unsigned char seen = 0;
    void *frame;
    backtrace(&frame, 1);                        /* the first call allocates, which a handler must not */
    unsigned char *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return false;
    page_bytes = page;
    memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    p[0] = 1;
    mprotect(p, page, PROT_NONE);
    bool ok = memory >= 0 && pwrite(memory, "\2", 1, (off_t)(uintptr_t)p) == 1 && pread(memory, &seen, 1, (off_t)(uintptr_t)p) == 1 && seen == 2 && guard_signals_init();
    munmap(p, page);
    if (!ok)
        hw_warn("this system does not let protected memory be written: host code is not checked");
    exec_move = ok ? guard_copy : NULL;
    on = ok;
    return ok;
}

void guard_off(void)
{
    on = false;
    exec_move = NULL;
    atomic_store(&locked, false);
    n_pending = 0;
    for (unsigned k = 0; k < n_ranges; k++)
        mprotect((void *)(uintptr_t)guard_page(ranges[k].base), hw_align_up(ranges[k].end, page_bytes) - guard_page(ranges[k].base), PROT_READ | PROT_WRITE);
    if (memory >= 0)
        close(memory);
    memory = -1;
}

/* As the system has it: the C library's may be another's, which would ask us. */
static ssize_t force(bool write_it, void *buffer, size_t bytes, uint64_t at) { return syscall(write_it ? SYS_pwrite64 : SYS_pread64, memory, buffer, bytes, (off_t)at); }

void guard_not_alone(void) { alone = false; }

/* ---- ranges ---- */

/* The first range that ends behind addr. */
static unsigned behind(uint64_t addr)
{
    unsigned low = 0, high = n_ranges;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (ranges[middle].end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct range *range_at(uint64_t addr)
{
    unsigned k = behind(addr);
    return k < n_ranges && ranges[k].base <= addr ? &ranges[k] : NULL;
}

bool guard_knows_page(uint64_t page)
{
    unsigned k = behind(page);
    return k < n_ranges && guard_page(ranges[k].base) <= page;
}

/* May the pages be protected and copied past? They must be the process's own, readable and writable, and no stack: the system writes there when a signal comes. */
static bool is_private(uint64_t first, uint64_t end)
{
    char line[512];
    bool ok = true;
    uint64_t at = first;
    FILE *in = fopen("/proc/self/maps", "re");
    if (!in)
        return false;
    while (ok && at < end && fgets(line, sizeof line, in)) {
        unsigned long long from, to;
        char mode[8];
        if (sscanf(line, "%llx-%llx %7s", &from, &to, mode) != 3 || to <= at)
            continue;
        ok = from <= at && strcmp(mode, "rw-p") == 0 && !strstr(line, "[stack");
        uint64_t here = (uint64_t)(uintptr_t)line;               /* of a thread that has no name */
        ok = ok && !(here >= from && here < to);
        at = to;
    }
    fclose(in);
    return ok && at >= end;
}

/* A piece that malloc() has mapped for itself: the pages have nothing else. */
static bool is_own_mapping(uint64_t base)
{
    const uint64_t is_mapped = 2;
    return (base & (page_bytes - 1)) == 16 && (*(const uint64_t *)(uintptr_t)(base - 8) & is_mapped);
}

void guard_range_added(const struct mem_info *info)
{
    struct range r = { .base = info->base, .end = info->base + info->bytes, .variable = info->kind == MEM_MANAGED && info->variable };
    bool foreign = info->kind == MEM_REGISTERED || (info->kind == MEM_MANAGED && info->variable);
    if (!on || info->external || (info->kind != MEM_HOST && info->kind != MEM_MANAGED && info->kind != MEM_REGISTERED))
        return;
    if (foreign && !is_private(guard_page(r.base), hw_align_up(r.end, page_bytes)))
        return;
    bool alone = !foreign || is_own_mapping(r.base);
    r.mixed_first = !alone && (r.base & (page_bytes - 1));
    r.mixed_last = !alone && (r.end & (page_bytes - 1));
    guard_lock();
    unsigned k = behind(r.base);
    if (n_ranges < RANGES) {
        memmove(&ranges[k + 1], &ranges[k], (n_ranges - k) * sizeof ranges[0]);
        ranges[k] = r;
        n_ranges++;
        n_variables += r.variable;
    }
    guard_unlock();
}

/* ---- protection; with the lock ---- */

static int need_of(const struct held *h, uint64_t page)
{
    int need = h->area.writes ? PROT_NONE : PROT_READ;
    if (page == h->first)
        need |= h->keep_first;
    if (page + page_bytes == h->end)
        need |= h->keep_last;
    return need;
}

/* Does the C library have the buffer of a file in this page? The system reads and writes those. */
static bool has_buffer(uint64_t page)
{
    static FILE **all;
    enum { MOST = 1000 };
    unsigned n = 0;
    if (!all)
        all = dlsym(RTLD_DEFAULT, "_IO_list_all");
    FILE one;                                    /* a copy: they may lie in protected pages, too, and we have the lock */
    for (const FILE *f = all ? *all : NULL; f && n < MOST && force(false, &one, sizeof one, (uint64_t)(uintptr_t)f) == sizeof one; f = one._chain, n++)
        if ((uint64_t)(uintptr_t)one._IO_buf_base < page + page_bytes && (uint64_t)(uintptr_t)one._IO_buf_end > page)
            return true;
    return false;
}

/* A page that holds something else, too. A thread that waits for a lock there has the system read it; what the system writes there must not fail. */
static int keep_of(uint64_t page) { return has_buffer(page) ? PROT_READ | PROT_WRITE : alone ? PROT_NONE : PROT_READ; }

/* The protection of a page, and up to where it is the same. */
static int need_at(uint64_t page, uint64_t *until)
{
    int need = PROT_READ | PROT_WRITE;
    for (unsigned k = 0; k < n_pending; k++)
        for (unsigned j = 0; j < pending[k].n; j++) {
            const struct held *h = &pending[k].held[j];
            if (pending[k].talks || h->end <= page)
                continue;
            if (h->first > page) {
                *until = hw_min_u64(*until, h->first);
                continue;
            }
            need &= need_of(h, page);
            uint64_t same = h->keep_first && page == h->first ? page + page_bytes : h->keep_last && page + page_bytes < h->end ? h->end - page_bytes : h->end;
            *until = hw_min_u64(*until, same);
        }
    return need;
}

void guard_settle(uint64_t first, uint64_t end)
{
    for (uint64_t page = first, until; page < end; page = until) {
        until = end;
        int need = need_at(page, &until);
        mprotect((void *)(uintptr_t)page, until - page, need);
    }
}

int guard_need(uint64_t page)
{
    uint64_t until = page + page_bytes;
    return need_at(page, &until);
}

static void settle_all(const struct pending *p)
{
    for (unsigned j = 0; j < p->n; j++)
        guard_settle(p->held[j].first, p->held[j].end);
}

static void remove_pending(unsigned k)
{
    struct pending gone = pending[k];
    memmove(&pending[k], &pending[k + 1], (n_pending - k - 1) * sizeof pending[0]);
    n_pending--;
    settle_all(&gone);
}

static struct pending *pending_of(uint32_t number)
{
    for (unsigned k = n_pending; k > 0; k--)
        if (pending[k - 1].number == number)
            return &pending[k - 1];
    return NULL;
}

static void hold(struct pending *p, const struct range *r, struct area area)
{
    if (p->n == AREAS)
        return;
    uint64_t first = guard_page(area.base), end = hw_align_up(area_end(&area), page_bytes);
    p->held[p->n++] = (struct held){ .area = area, .first = first, .end = end, .keep_first = r->mixed_first && first == guard_page(r->base) ? keep_of(first) : PROT_NONE,
                                     .keep_last = r->mixed_last && end == hw_align_up(r->end, page_bytes) ? keep_of(end - page_bytes) : PROT_NONE };
}

void guard_range_dropped(const struct mem_info *info)
{
    uint64_t at;
    if (!on || (info->kind != MEM_HOST && info->kind != MEM_MANAGED && info->kind != MEM_REGISTERED))
        return;
    guard_lock();
    for (unsigned k = 0; k < n_pending; k++)
        for (unsigned j = 0; j < pending[k].n;) {
            if (area_touches(&pending[k].held[j].area, info->base, info->base + info->bytes, &at))
                pending[k].held[j] = pending[k].held[--pending[k].n];
            else
                j++;
        }
    unsigned k = behind(info->base);
    if (k < n_ranges && ranges[k].base == info->base) {
        uint64_t first = guard_page(ranges[k].base), end = hw_align_up(ranges[k].end, page_bytes);
        n_variables -= ranges[k].variable;
        memmove(&ranges[k], &ranges[k + 1], (n_ranges - k - 1) * sizeof ranges[0]);
        n_ranges--;
        guard_settle(first, end);
    }
    guard_unlock();
}

/* ---- commands ---- */

static struct pending *add_pending(uint32_t number, bool kernel)
{
    if (n_pending == PENDING)
        return NULL;
    struct pending *p = &pending[n_pending++];
    *p = (struct pending){ .number = number, .kernel = kernel };
    return p;
}

static void added(struct pending *p)
{
    if (p && p->n == 0)
        n_pending--;
    else if (p)
        settle_all(p);
    atomic_fetch_add(&guard_epoch, 1);
}

void guard_copy_queued(uint32_t number, const struct area *areas, unsigned n)
{
    if (!on || n_ranges == 0)
        return;
    exec_fault_keep();
    guard_lock();
    struct pending *p = add_pending(number, false);
    for (unsigned k = 0; p && k < n; k++) {
        const struct range *r = area_empty(&areas[k]) ? NULL : range_at(areas[k].base);
        if (r && area_end(&areas[k]) <= r->end)
            hold(p, r, areas[k]);
    }
    added(p);
    guard_unlock();
}

void guard_copy_begins(uint32_t number)
{
    enum { FIRST = 100 };
    static _Atomic unsigned n;
    const struct timespec moment = { 0, 1000000 };
    if (!on || alone || atomic_load_explicit(&n, memory_order_relaxed) >= FIRST)
        return;
    guard_lock();
    bool holds = pending_of(number) != NULL;
    guard_unlock();
    if (holds && atomic_fetch_add(&n, 1) < FIRST)
        nanosleep(&moment, NULL);
}

/* Words that are addresses of memory that may be guarded: the kernel may touch that. */
static void scan(struct pending *p, const void *words, size_t bytes)
{
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        uint64_t word;
        bool known = false;
        memcpy(&word, (const char *)words + at, 8);
        const struct range *r = range_at(word);
        for (unsigned j = 0; r && j < p->n; j++)
            known |= p->held[j].area.base == r->base;
        if (r && !known)
            hold(p, r, area_of_range(r->base, r->end - r->base, true));
    }
}

void guard_kernel_queued(uint32_t number, const void *params, size_t bytes)
{
    enum { DEEP = 4096 };
    char inside[DEEP];
    if (!on || n_ranges == 0)
        return;
    bytes = hw_min_u64(bytes, DEEP);
    if (bytes)
        memcpy(inside, params, bytes);           /* not with the lock: they are on the heap, where pages may be protected */
    exec_fault_keep();
    guard_lock();
    struct pending *p = add_pending(number, true);
    if (p)
        scan(p, inside, bytes);
    for (unsigned k = 0; p && k < n_ranges && n_variables; k++)
        if (ranges[k].variable)
            hold(p, &ranges[k], area_of_range(ranges[k].base, ranges[k].end - ranges[k].base, true));
    for (unsigned j = 0; p && j < p->n; j++) {   /* and what they point to, first bytes first; the list grows meanwhile */
        bool touched;
        pages_touched(guard_page(p->held[j].area.base), 1, &touched);
        if (!touched)                            /* and stays so: a look would be a touch */
            continue;
        ssize_t n = force(false, inside, hw_min_u64(DEEP, p->held[j].area.width), p->held[j].area.base);
        if (n > 0)
            scan(p, inside, (size_t)n);
    }
    if (p)                                       /* also one that holds nothing: it may come to some on ways that we do not see */
        settle_all(p);
    atomic_fetch_add(&guard_epoch, 1);
    guard_unlock();
}

bool guard_kernel_touches(uint32_t number, uint64_t address, uint64_t *out_from, uint64_t *out_to)
{
    guard_lock();
    unsigned k = behind(address);
    const struct range *r = k < n_ranges && ranges[k].base <= address ? &ranges[k] : NULL;
    struct pending *p = r ? pending_of(number) : NULL;
    bool known = false;
    *out_from = r ? r->base : k > 0 ? ranges[k - 1].end : 0;
    *out_to = r ? r->end : k < n_ranges ? ranges[k].base : UINT64_MAX;
    for (unsigned j = 0; p && j < p->n; j++)
        if (p->held[j].area.base == r->base)
            known = p->held[j].touched = true;
    if (p && !known && p->n < AREAS) {
        hold(p, r, area_of_range(r->base, r->end - r->base, true));
        p->held[p->n - 1].touched = true;
        guard_settle(p->held[p->n - 1].first, p->held[p->n - 1].end);
    }
    bool may = r != NULL;
    guard_unlock();
    return may;
}

void guard_kernel_talks(uint32_t number)
{
    guard_lock();
    struct pending *p = pending_of(number);
    bool first = p && !p->talks;
    if (first) {
        p->talks = true;
        talkers[n_talkers++ % TALKERS] = number;
        settle_all(p);
    }
    guard_unlock();
    if (first) {
        order_host_sees(number);
        guard_host_waited();
    }
}

bool guard_has_talked(uint32_t number)
{
    bool found = false;
    guard_lock();
    for (unsigned k = 0; k < TALKERS && k < n_talkers; k++)
        found |= talkers[k] == number;
    guard_unlock();
    return found;
}

void guard_kernel_over(uint32_t number)
{
    if (!on)
        return;
    guard_lock();
    struct pending *p = pending_of(number);
    for (unsigned j = 0; p && j < p->n;) {
        if (p->held[j].touched) {
            guard_settle(p->held[j].first, p->held[j].end);      /* pages that were opened for it */
            j++;
            continue;
        }
        struct held gone = p->held[j];
        p->held[j] = p->held[--p->n];
        guard_settle(gone.first, gone.end);
    }
    if (p) {
        p->over = true;
        if (p->n == 0)
            remove_pending((unsigned)(p - pending));
    }
    guard_unlock();
}

void guard_host_waited(void)
{
    uint32_t numbers[PENDING];
    unsigned n = 0;
    if (!on)
        return;
    guard_lock();
    for (unsigned k = 0; k < n_pending; k++)
        numbers[n++] = pending[k].number;
    guard_unlock();
    unsigned known = 0;
    for (unsigned k = 0; k < n; k++)             /* without the lock: that of the clocks is held while memory is allocated */
        if (order_host_knows(numbers[k]))
            numbers[known++] = numbers[k];
    if (!known)
        return;
    guard_lock();
    for (unsigned k = 0; k < n_pending;) {
        bool gone = false;
        for (unsigned j = 0; j < known; j++)
            gone |= numbers[j] == pending[k].number;
        if (gone)
            remove_pending(k);
        else
            k++;
    }
    atomic_fetch_add(&guard_epoch, 1);
    guard_unlock();
}

/* ---- questions ---- */

void guard_find_locked(uint64_t from, uint64_t to, bool writes, struct guard_found *out)
{
    uint64_t at;
    out->n_copies = out->n_kernels = 0;
    for (unsigned k = 0; k < n_pending; k++) {
        const struct pending *p = &pending[k];
        for (unsigned j = 0; j < p->n; j++) {
            const struct held *h = &p->held[j];
            if (p->talks || (!writes && !h->area.writes) || !area_touches(&h->area, from, to, &at))
                continue;
            if (p->kernel && out->n_kernels < GUARD_FOUND) {
                out->kernels[out->n_kernels++] = p->number;
            } else if (!p->kernel && out->n_copies < GUARD_FOUND) {
                out->copy_writes[out->n_copies] = h->area.writes;
                out->copies[out->n_copies++] = p->number;
            }
            break;
        }
    }
}

void guard_find(uint64_t from, uint64_t to, bool writes, struct guard_found *out)
{
    guard_lock();
    guard_find_locked(from, to, writes, out);
    guard_unlock();
}

/* The protected pages of [from, to): open, or as they should be. */
static void change(uint64_t from, uint64_t to, bool open)
{
    if (!on)
        return;
    guard_lock();
    for (unsigned k = behind(guard_page(from)); k < n_ranges && guard_page(ranges[k].base) < to; k++) {
        uint64_t first = hw_max_u64(guard_page(from), guard_page(ranges[k].base)), end = hw_min_u64(hw_align_up(to, page_bytes), hw_align_up(ranges[k].end, page_bytes));
        for (uint64_t page = first, until; page < end; page = until) {
            until = end;
            int need = need_at(page, &until);
            if (need != (PROT_READ | PROT_WRITE))
                mprotect((void *)(uintptr_t)page, until - page, open ? PROT_READ | PROT_WRITE : need);
        }
    }
    guard_unlock();
}

void guard_open(uint64_t from, uint64_t to) { change(from, to, true); }
void guard_close(uint64_t from, uint64_t to) { change(from, to, false); }

/* The whole of what a kernel holds around a page: it has come there too often for single steps. */
void guard_open_around_locked(uint64_t page)
{
    uint64_t first = page, end = page + page_bytes;
    for (unsigned k = 0; k < n_pending; k++)
        for (unsigned j = 0; pending[k].kernel && !pending[k].over && j < pending[k].n; j++)
            if (pending[k].held[j].first <= page && pending[k].held[j].end > page) {
                first = hw_min_u64(first, pending[k].held[j].first);
                end = hw_max_u64(end, pending[k].held[j].end);
            }
    mprotect((void *)(uintptr_t)first, end - first, PROT_READ | PROT_WRITE);
}

/* ---- copies ---- */

static bool any_guarded(uint64_t from, uint64_t bytes)
{
    guard_lock();
    unsigned k = behind(guard_page(from));
    bool any = n_pending && k < n_ranges && guard_page(ranges[k].base) < from + bytes;
    guard_unlock();
    return any;
}

/* All of it, or false. */
static bool forced(bool write_it, void *buffer, uint64_t at, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = force(write_it, (char *)buffer + done, bytes - done, at + done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static bool both_guarded(uint64_t dst, uint64_t src, size_t bytes)
{
    char piece[16384];
    for (size_t done = 0; done < bytes; done += sizeof piece) {
        size_t n = hw_min_u64(sizeof piece, bytes - done);
        if (!forced(false, piece, src + done, n) || !forced(true, piece, dst + done, n))
            return false;
    }
    return true;
}

void guard_copy(void *dst, const void *src, size_t bytes)
{
    uint64_t to = (uint64_t)(uintptr_t)dst, from = (uint64_t)(uintptr_t)src;
    int saved = errno;
    bool to_guarded = bytes && any_guarded(to, bytes), from_guarded = bytes && any_guarded(from, bytes), done = false;
    bool overlap = to - from < bytes || from - to < bytes;
    if (to_guarded && from_guarded && !overlap)
        done = both_guarded(to, from, bytes);
    else if (to_guarded && !overlap)
        done = forced(true, (void *)(uintptr_t)src, to, bytes);
    else if (from_guarded && !overlap)
        done = forced(false, dst, from, bytes);
    if (!done)                                   /* plain memory, or a mapping that the system does not let be written so: then page by page */
        memmove(dst, src, bytes);
    errno = saved;
}
