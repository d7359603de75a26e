/* SPDX-License-Identifier: Apache-2.0 */
#include "check/ledger.h"

#include "base/lock.h"
#include "base/vec.h"
#include "check/thread_state.h"
#include "check/trace.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { DEAD = 4096 };

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static HW_VEC(struct ledger_entry) live HW_GUARDED_BY(mu);       /* by address */
static struct ledger_entry dead[DEAD] HW_GUARDED_BY(mu);         /* a ring, the newest at n_dead - 1 */
static uint64_t n_dead HW_GUARDED_BY(mu);
static _Atomic uint64_t generation = 1;

/* The first living range that ends behind addr. */
static size_t behind(uint64_t addr)
{
    size_t low = 0, high = live.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (live.v[middle].base + live.v[middle].bytes <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add(struct ledger_entry e)
{
    hw_lock(&mu);
    size_t at = behind(e.base);
    uint64_t now = atomic_fetch_add(&generation, 1) + 1;
    e.made_at = e.made_place ? 0 : now;
    hw_vec_push(&live, e);
    memmove(&live.v[at + 1], &live.v[at], (live.n - 1 - at) * sizeof e);
    live.v[at] = e;
    hw_unlock(&mu);
}

static void drop(uint64_t base, const char *by, uint32_t trace, const char *place)
{
    hw_lock(&mu);
    size_t at = behind(base);
    if (at < live.n && live.v[at].base == base) {
        struct ledger_entry e = live.v[at];
        e.freed_by = by;
        e.freed = trace;
        e.freed_place = place;
        e.freed_at = atomic_fetch_add(&generation, 1) + 1;
        dead[n_dead++ % DEAD] = e;
        memmove(&live.v[at], &live.v[at + 1], (live.n - at - 1) * sizeof e);
        live.n--;
    }
    hw_unlock(&mu);
}

uint64_t ledger_now(void) { return atomic_load(&generation); }

void ledger_added(const struct mem_info *info)
{
    const struct trace_call *call = trace_current();
    add((struct ledger_entry){ .base = info->base, .bytes = info->bytes, .kind = info->kind, .variable = info->variable || info->kind == MEM_VARIABLE,
                               .ctx = info->ctx, .made_by = call->name, .made = call->trace, 
                               .fresh = info->kind == MEM_DEVICE && !info->variable && !info->external,
                               .by_page = (info->kind == MEM_MANAGED || info->kind == MEM_HOST) && !info->variable && !info->external });
}

void ledger_dropped(const struct mem_info *info)
{
    const struct trace_call *call = trace_current();
    drop(info->base, call->name ? call->name : "", call->trace, NULL);
}

void ledger_heap(struct ctx *ctx, uint64_t base, uint64_t bytes, bool made, const char *place)
{
    if (made)
        add((struct ledger_entry){ .base = base, .bytes = bytes, .kind = MEM_DEVICE, .variable = true, .heap = true, .fresh = true, .ctx = ctx, .made_by = "malloc() in a kernel", .made_place = place });
    else
        drop(base, "free() in a kernel", 0, place);
}

static bool inside(const struct ledger_entry *e, uint64_t addr) { return addr - e->base < e->bytes; }

static bool find_dead_locked(uint64_t addr, struct ledger_entry *out)
{
    for (uint64_t k = n_dead; k > 0 && k + DEAD > n_dead; k--)
        if (inside(&dead[(k - 1) % DEAD], addr)) {
            *out = dead[(k - 1) % DEAD];
            return true;
        }
    return false;
}

static enum ledger_found find_locked(uint64_t addr, struct ledger_entry *out)
{
    size_t at = behind(addr);
    if (at < live.n && inside(&live.v[at], addr)) {
        *out = live.v[at];
        return LEDGER_INSIDE;
    }
    if (find_dead_locked(addr, out))
        return LEDGER_FREED;
    const uint64_t NEAR = (uint64_t)1 << 40;
    const struct ledger_entry *below = at > 0 ? &live.v[at - 1] : NULL, *above = at < live.n ? &live.v[at] : NULL;
    uint64_t down = below ? addr - (below->base + below->bytes) : UINT64_MAX, up = above ? above->base - addr : UINT64_MAX;
    if (hw_min_u64(down, up) > NEAR)
        return LEDGER_NOTHING;
    *out = down <= up ? *below : *above;
    return LEDGER_NEAR;
}

enum ledger_found ledger_find(uint64_t addr, struct ledger_entry *out)
{
    hw_lock(&mu);
    enum ledger_found found = find_locked(addr, out);
    hw_unlock(&mu);
    return found;
}

bool ledger_find_kind(uint64_t from, uint64_t to, enum mem_kind kind, struct ledger_entry *out)
{
    bool found = false;
    hw_lock(&mu);
    for (size_t at = behind(from); !found && at < live.n && live.v[at].base < to; at++)
        if (live.v[at].kind == kind) {
            *out = live.v[at];
            found = true;
        }
    hw_unlock(&mu);
    return found;
}

/* The dead one that lived at `at`. *newer: others have been there since. Pieces of the device heap come and go in the order of kernels, not of calls: what
   a kernel has freed is gone for those that were queued before that, too. */
static bool find_past_locked(uint64_t addr, uint64_t at, struct ledger_entry *out, bool *newer)
{
    *newer = false;
    for (uint64_t k = n_dead; k > 0 && k + DEAD > n_dead; k--) {
        const struct ledger_entry *e = &dead[(k - 1) % DEAD];
        if (e->freed_at <= at)
            return false;
        if (!inside(e, addr) || e->heap)
            continue;
        if (e->made_at <= at) {
            *out = *e;
            return true;
        }
        *newer = true;
    }
    return false;
}

enum ledger_found ledger_find_at(uint64_t addr, uint64_t at, struct ledger_entry *out, bool *replaced)
{
    bool newer;
    *replaced = false;
    hw_lock(&mu);
    enum ledger_found found = find_locked(addr, out);
    if (found != LEDGER_INSIDE || out->made_at > at) {
        struct ledger_entry past;
        if (find_past_locked(addr, at, &past, &newer)) {
            *replaced = newer || found == LEDGER_INSIDE;
            *out = past;
            found = LEDGER_INSIDE;
        }
    }
    hw_unlock(&mu);
    return found;
}

const struct ledger_range *ledger_holds(uint64_t addr, uint64_t bytes, uint64_t at)
{
    struct check_thread *own = check_thread();
    struct ledger_range *kept = own->ranges;
    uint64_t now = atomic_load_explicit(&generation, memory_order_acquire);
    for (unsigned k = 0; k < CHECK_RANGES; k++)
        if (kept[k].generation == now && kept[k].at == at && addr - kept[k].base < kept[k].bytes)
            return kept[k].bytes - (addr - kept[k].base) >= bytes ? &kept[k] : NULL;
    struct ledger_entry e;
    bool replaced;
    if (ledger_find_at(addr, at, &e, &replaced) != LEDGER_INSIDE)
        return NULL;
    struct ledger_range *r = &kept[own->next_range];
    *r = (struct ledger_range){ now, at, e.base, e.bytes, e.fresh, replaced, e.heap, e.by_page };
    own->next_range = (own->next_range + 1) % CHECK_RANGES;
    return e.bytes - (addr - e.base) >= bytes ? r : NULL;
}

void ledger_each(void (*fn)(const struct ledger_entry *e, void *arg), void *arg)
{
    hw_lock(&mu);
    size_t n = live.n;
    struct ledger_entry *all = hw_alloc((n + 1) * sizeof *all);
    memcpy(all, live.v, n * sizeof *all);
    hw_unlock(&mu);
    for (size_t k = 0; k < n; k++)
        fn(&all[k], arg);
    hw_free(all);
}

const char *ledger_kind(enum mem_kind kind)
{
    static const char *const kinds[] = { [MEM_NONE] = "memory", [MEM_DEVICE] = "device memory", [MEM_VARIABLE] = "variable", [MEM_HOST] = "page-locked memory",
                                         [MEM_REGISTERED] = "registered memory", [MEM_MANAGED] = "managed memory" };
    return kinds[kind];
}

void ledger_describe(struct hw_str *to, const struct ledger_entry *e, uint64_t addr)
{
    const char *what = ledger_kind(e->kind);
    if (addr < e->base)
        hw_str_printf(to, "%llu bytes before %s of %llu bytes", (unsigned long long)(e->base - addr), what, (unsigned long long)e->bytes);
    else if (addr - e->base < e->bytes)
        hw_str_printf(to, "byte %llu of %s of %llu bytes", (unsigned long long)(addr - e->base), what, (unsigned long long)e->bytes);
    else
        hw_str_printf(to, "%llu bytes past the end of %s of %llu bytes", (unsigned long long)(addr - e->base - e->bytes), what, (unsigned long long)e->bytes);
}
