/* SPDX-License-Identifier: Apache-2.0 */
#include "check/init.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/os.h"
#include "check/hazard.h"
#include "check/ledger.h"
#include "check/pages.h"
#include "check/report.h"
#include "check/trace.h"
#include "core/sched/sched.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { PER_WORD = 64 };
#define WINDOW ((uint64_t)HW_WINDOW_TAG << HW_WINDOW_SHIFT)
#define WINDOW_BYTES ((uint64_t)1 << HW_WINDOW_SHIFT)

/* By byte of the window. Kernels set bits side by side; whoever gives memory out clears them, when nobody has it. */
static _Atomic uint64_t *written;

void init_start(void)
{
    void *p = mmap(NULL, WINDOW_BYTES / 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        hw_warn("hostwarp check: no addresses for the bits of device memory: reads of memory that was never written are not found");
        return;
    }
    madvise(p, WINDOW_BYTES / 8, MADV_DONTDUMP);
    written = p;
}

static bool watched(uint64_t addr, uint64_t bytes) { return written && addr - WINDOW < WINDOW_BYTES && bytes <= WINDOW_BYTES - (addr - WINDOW); }

/* Bits of the word at `at` that belong to [at, end); *next: the first one of the next word. */
static uint64_t mask_of(uint64_t at, uint64_t end, uint64_t *next)
{
    uint64_t first = at % PER_WORD, n = hw_min_u64(end - at, PER_WORD - first);
    *next = at + n;
    return (n == PER_WORD ? UINT64_MAX : ((uint64_t)1 << n) - 1) << first;
}

void init_given(uint64_t base, uint64_t bytes)
{
    if (!watched(base, bytes))
        return;
    uint64_t at = base - WINDOW, end = at + bytes, next, page = hw_page_bytes() * 8;         /* bytes whose bits are a page */
    uint64_t from = hw_align_up(at, page), to = end / page * page;
    if (from < to)
        madvise((char *)written + from / 8, (to - from) / 8, MADV_DONTNEED);
    for (; at < end; at = next) {
        if (at >= from && at < to) {
            next = to;
            continue;
        }
        uint64_t mask = mask_of(at, end, &next);
        atomic_fetch_and_explicit(&written[at / PER_WORD], ~mask, memory_order_relaxed);
    }
}

void init_write(uint64_t addr, uint64_t bytes)
{
    if (!watched(addr, bytes))
        return;
    for (uint64_t at = addr - WINDOW, end = at + bytes, next; at < end; at = next) {
        uint64_t mask = mask_of(at, end, &next);
        if ((atomic_load_explicit(&written[at / PER_WORD], memory_order_relaxed) & mask) != mask)
            atomic_fetch_or_explicit(&written[at / PER_WORD], mask, memory_order_relaxed);
    }
}

bool init_any_written(uint64_t addr, uint64_t bytes)
{
    if (!watched(addr, bytes))
        return true;
    for (uint64_t at = addr - WINDOW, end = at + bytes, next; at < end; at = next) {
        uint64_t mask = mask_of(at, end, &next);
        if (atomic_load_explicit(&written[at / PER_WORD], memory_order_relaxed) & mask)
            return true;
    }
    return false;
}

bool init_all_written(uint64_t addr, uint64_t bytes)
{
    if (!watched(addr, bytes))
        return true;
    for (uint64_t at = addr - WINDOW, end = at + bytes, next; at < end; at = next) {
        uint64_t mask = mask_of(at, end, &next);
        if ((atomic_load_explicit(&written[at / PER_WORD], memory_order_relaxed) & mask) != mask)
            return false;
    }
    return true;
}

void init_learn(uint64_t addr, uint64_t bytes)
{
    uint64_t page = hw_page_bytes(), end = hw_align_up(addr + bytes, page);
    bool touched[PAGES_AT_ONCE];
    for (uint64_t at = addr / page * page, n; at < end; at += n * page) {
        n = hw_min_u64((end - at) / page, PAGES_AT_ONCE);
        if (init_all_written(at, n * page))
            continue;
        pages_touched(at, (unsigned)n, touched);
        for (uint64_t k = 0; k < n; k++)
            if (touched[k])
                init_write(at + k * page, page);
    }
}

/* How many bits are set from this one on, up and down. */
static uint64_t ones_up(uint64_t w, unsigned bit) { return ~(w >> bit) ? (uint64_t)__builtin_ctzll(~(w >> bit)) : PER_WORD; }
static uint64_t ones_down(uint64_t w, unsigned bit) { return ~(w << (PER_WORD - 1 - bit)) ? (uint64_t)__builtin_clzll(~(w << (PER_WORD - 1 - bit))) : PER_WORD; }

/* The bits that are set around bit `at`, looked at in some thousand words each way, within [*low, *high). */
static bool around(const uint64_t *words, uint64_t at, uint64_t *low, uint64_t *high)
{
    enum { MOST = 4096 };
    uint64_t middle = at / PER_WORD, w = __atomic_load_n(&words[middle], __ATOMIC_RELAXED);
    if (at < *low || at >= *high || !(w >> at % PER_WORD & 1))
        return false;
    uint64_t to = at + ones_up(w, at % PER_WORD), from = at + 1 - ones_down(w, at % PER_WORD);
    for (uint64_t k = middle + 1; to == k * PER_WORD && to < *high && k - middle < MOST; k++)
        to += ones_up(__atomic_load_n(&words[k], __ATOMIC_RELAXED), 0);
    for (uint64_t k = middle; from == k * PER_WORD && from > *low && middle - k < MOST; k--)
        from -= ones_down(__atomic_load_n(&words[k - 1], __ATOMIC_RELAXED), PER_WORD - 1);
    *low = hw_max_u64(*low, from);
    *high = hw_min_u64(*high, to);
    return true;
}

bool init_around(uint64_t addr, uint64_t *low, uint64_t *high)
{
    if (!watched(*low, *high - *low))
        return true;
    *low -= WINDOW;
    *high -= WINDOW;
    bool is = around((const uint64_t *)(const void *)written, addr - WINDOW, low, high);
    *low += WINDOW;
    *high += WINDOW;
    return is;
}

static bool byte_written(uint64_t addr) { return init_any_written(addr, 1); }

/* ---- copies ---- */

/*
 * Bytes that nobody has written, in what a copy takes to the host. Padding of structs is none of it: its holes are small, and there are many; nor is the rest
 * of a buffer of which less was filled than there is room for. So a report is made where nothing was written, where a hole is as large as no padding is, or
 * where one is the only one in a long copy; but not of the last quarter, or more.
 */
enum { LARGE_HOLE = 16, ONE_HOLE = 4, LONG = 64 };

struct holes {
    uint64_t n, bytes, largest, first_large, first;
};

static void find_holes(uint64_t addr, uint64_t bytes, struct holes *h)
{
    for (uint64_t at = addr, end = addr + bytes; at < end;) {
        uint64_t from = at;
        if (at % PER_WORD == 0 && end - at >= PER_WORD && init_all_written(at, PER_WORD)) {
            at += PER_WORD;
            continue;
        }
        if (byte_written(at)) {
            at++;
            continue;
        }
        while (at < end && (at % PER_WORD == 0 && end - at >= PER_WORD ? !init_any_written(at, PER_WORD) : !byte_written(at)))
            at += at % PER_WORD == 0 && end - at >= PER_WORD ? PER_WORD : 1;
        while (at < end && !byte_written(at))
            at++;
        if (!h->n++)
            h->first = from;
        h->bytes += at - from;
        if (at - from > h->largest) {
            h->largest = at - from;
            h->first_large = from;
        }
    }
}

/* Memory of the device, or such that host code may write: that is asked about at once. */
static bool is_fresh(uint64_t addr, const struct cmd *c, struct ledger_entry *e)
{
    const struct copy_watch *w = c->watched;
    bool replaced;
    return ledger_find_at(addr, w ? w->at : ledger_now(), e, &replaced) == LEDGER_INSIDE && (e->fresh || e->by_page) && !replaced;
}

static void tell_copy(const struct cmd *c, const struct ledger_entry *e, const struct holes *h, uint64_t total)
{
    const struct copy_watch *w = c->watched;
    const struct trace_call *call = w ? &w->call : NULL;
    const char *name = call && call->name ? call->name : "a copy";
    struct hw_str where = { 0 };
    struct report r;
    ledger_describe(&where, e, h->first_large);
    report_begin(&r, "init.copy", "%s copies %llu of %llu bytes that were never written", name, (unsigned long long)h->bytes, (unsigned long long)total);
    report_host(&r, "copy", call ? call->trace : 0, "%s, from %s", name, where.s);
    if (e->made_place)
        report_device(&r, "made", e->made_place, "%s, %llu bytes", e->made_by, (unsigned long long)e->bytes);
    else
        report_host(&r, "made", e->made, "%s, %llu bytes", e->made_by ? e->made_by : "?", (unsigned long long)e->bytes);
    report_advice(&r, "Fill the memory, or copy only what was filled.");
    report_end(&r);
    hw_str_fini(&where);
}

/* A copy within the device hands over what was written and what was not: it is one too many only where nothing was. */
static void look_at_source(const struct cmd *c, const struct exec_copy *x, bool within)
{
    struct ledger_entry e;
    struct holes h = { 0 };
    uint64_t src = (uint64_t)(uintptr_t)x->src, total = x->width * x->rows * x->slices;
    if (!is_fresh(src, c, &e))
        return;
    for (size_t z = 0; z < x->slices; z++)
        for (size_t y = 0; y < x->rows; y++)
            find_holes(src + z * x->src_slice + y * x->src_pitch, x->width, &h);
    bool one = h.n == 1 && h.largest >= ONE_HOLE && total >= LONG;
    bool spare = h.n == 1 && x->rows == 1 && x->slices == 1 && h.first + h.bytes == src + total && h.bytes >= total / 4;
    if (h.bytes && (h.bytes == total || (!within && !spare && (h.largest >= LARGE_HOLE || one))))
        tell_copy(c, &e, &h, total);
}

/* Copies from the host of memory that nobody had written: no mistake as long as nothing is computed with it, as where copies are timed. */
enum { BROUGHT = 64 };
static struct hw_mutex brought_mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct { uint64_t from, to; struct trace_call call; } brought[BROUGHT] HW_GUARDED_BY(brought_mu);
static unsigned n_brought HW_GUARDED_BY(brought_mu);

static void bring(const struct cmd *c, const struct exec_copy *x)
{
    const struct copy_watch *w = c->watched;
    uint64_t from = (uint64_t)(uintptr_t)x->dst, to = from + (x->slices - 1) * x->dst_slice + (x->rows - 1) * x->dst_pitch + x->width;
    hw_lock(&brought_mu);
    brought[n_brought % BROUGHT].from = from;
    brought[n_brought % BROUGHT].to = to;
    brought[n_brought++ % BROUGHT].call = w ? w->call : (struct trace_call){ 0 };
    hw_unlock(&brought_mu);
}

bool init_brought(uint64_t addr, struct trace_call *out)
{
    bool found = false;
    hw_lock(&brought_mu);
    for (unsigned k = n_brought; !found && k > 0 && k + BROUGHT > n_brought; k--)
        if (addr >= brought[(k - 1) % BROUGHT].from && addr < brought[(k - 1) % BROUGHT].to) {
            *out = brought[(k - 1) % BROUGHT].call;
            found = true;
        }
    hw_unlock(&brought_mu);
    return found;
}

/* What was written in the source is so in the destination. */
static void take_over(uint64_t dst, uint64_t src, uint64_t bytes)
{
    if (init_all_written(src, bytes)) {
        init_write(dst, bytes);
        return;
    }
    init_given(dst, bytes);
    for (uint64_t k = 0; k < bytes; k++)
        if (byte_written(src + k))
            init_write(dst + k, 1);
}

void init_copy(const struct cmd *c)
{
    const struct exec_copy *x = &c->x.copy;
    struct ledger_entry to, from;
    uint64_t dst = (uint64_t)(uintptr_t)x->dst, src = (uint64_t)(uintptr_t)x->src;
    if (!x->width || !x->rows || !x->slices)
        return;
    bool to_known = is_fresh(dst, c, &to), from_known = x->src && is_fresh(src, c, &from);
    bool hands_on = to_known && to.fresh && from_known;          /* what the host is given, it is taken to look at */
    for (size_t z = 0; from_known && from.by_page && z < x->slices; z++)
        for (size_t y = 0; y < x->rows; y++)
            init_learn(src + z * x->src_slice + y * x->src_pitch, x->width);
    struct trace_call call;
    if (hands_on && from.by_page && !init_all_written(src, (x->slices - 1) * x->src_slice + (x->rows - 1) * x->src_pitch + x->width))
        bring(c, x);
    else if (from_known && !init_brought(src, &call))
        look_at_source(c, x, hands_on);
    for (size_t z = 0; z < x->slices; z++)       /* of arrays too, which only images_begin() asks for */
        for (size_t y = 0; y < x->rows; y++) {
            uint64_t at = dst + z * x->dst_slice + y * x->dst_pitch;
            if (hands_on)
                take_over(at, src + z * x->src_slice + y * x->src_pitch, x->width);
            else
                init_write(at, x->width);
        }
}

/* ---- memory of a block ---- */

void init_bits_new(struct init_bits *b, uint64_t bytes)
{
    b->bytes = bytes;
    b->words = bytes ? hw_alloc((bytes / PER_WORD + 1) * sizeof *b->words) : NULL;
}

void init_bits_forget(struct init_bits *b)
{
    if (b->words)
        memset(b->words, 0, (b->bytes / PER_WORD + 1) * sizeof *b->words);
}

void init_bits_free(struct init_bits *b) { hw_free(b->words); }

void init_bits_write(struct init_bits *b, uint64_t at, uint64_t bytes)
{
    if (at >= b->bytes)
        return;
    for (uint64_t end = hw_min_u64(at + bytes, b->bytes), next; at < end; at = next) {
        uint64_t mask = mask_of(at, end, &next);
        b->words[at / PER_WORD] |= mask;
    }
}

bool init_bits_any(const struct init_bits *b, uint64_t at, uint64_t bytes)
{
    if (at >= b->bytes)
        return true;
    for (uint64_t end = hw_min_u64(at + bytes, b->bytes), next; at < end; at = next) {
        uint64_t mask = mask_of(at, end, &next);
        if (b->words[at / PER_WORD] & mask)
            return true;
    }
    return false;
}

bool init_bits_all(const struct init_bits *b, uint64_t at, uint64_t bytes)
{
    if (at >= b->bytes)
        return true;
    for (uint64_t end = hw_min_u64(at + bytes, b->bytes), next; at < end; at = next) {
        uint64_t mask = mask_of(at, end, &next);
        if ((b->words[at / PER_WORD] & mask) != mask)
            return false;
    }
    return true;
}

bool init_bits_around(const struct init_bits *b, uint64_t at, uint64_t *low, uint64_t *high)
{
    *high = hw_min_u64(*high, b->bytes);
    return at < b->bytes && around(b->words, at, low, high);
}
