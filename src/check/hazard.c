/* SPDX-License-Identifier: Apache-2.0 */
#include "check/hazard.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/vec.h"
#include "check/area.h"
#include "check/frames.h"
#include "check/host_access.h"
#include "check/ledger.h"
#include "check/order.h"
#include "check/report.h"
#include "check/touch.h"
#include "check/trace.h"
#include "core/sched/sched.h"

#include <stdatomic.h>
#include <stdio.h>

enum { COPIES = 4096, NAMED = 1 << 14 };

struct copy {
    uint32_t number;             /* of the command; 0: none */
    struct area areas[2];        /* destination, source */
    unsigned n_areas;
    struct trace_call call, added;
    enum hazard_life life;       /* no copy: the area's life begins or ends */
    uint32_t newest;             /* where it begins: commands up to this one were queued before, and meant what was there then */
};

/* A command by its number: who queued it. */
struct named {
    uint32_t number;
    struct trace_call call, added;               /* who queued it, and who added it to a graph before */
    const char *what;
    enum hazard_life life;
    uint64_t first;              /* copies before this one come before it */
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct copy copies[COPIES] HW_GUARDED_BY(mu);             /* a ring */
static uint64_t n_copies HW_GUARDED_BY(mu);
static uint64_t settled HW_GUARDED_BY(mu);      /* copies before this one come before all that is queued now */
static _Atomic uint64_t generation;
static struct named names[NAMED] HW_GUARDED_BY(mu);
static uint32_t newest HW_GUARDED_BY(mu);        /* command */

static void give_name(struct named n)
{
    hw_lock(&mu);
    n.first = settled;
    names[n.number % NAMED] = n;
    if (!n.life)
        newest = n.number;
    hw_unlock(&mu);
}

void hazard_name(uint32_t number, const struct trace_call *call, const char *what) { give_name((struct named){ .number = number, .call = *call, .what = what }); }

static struct named name_of(uint32_t number)
{
    hw_lock(&mu);
    struct named n = names[number % NAMED];
    hw_unlock(&mu);
    return n.number == number ? n : (struct named){ .number = number, .what = "a command" };
}

/* The first of the copies from `from` on that is still there. */
static uint64_t oldest_locked(uint64_t from) { return n_copies > COPIES ? hw_max_u64(from, n_copies - COPIES) : from; }

/* What the host has waited for comes before all that is queued from now on, and is not looked at again. */
static void settle(void)
{
    for (;;) {
        hw_lock(&mu);
        uint64_t at = settled = oldest_locked(settled);
        uint32_t number = at < n_copies ? copies[at % COPIES].number : 0;
        hw_unlock(&mu);
        if (!number || !order_host_waited_for(number))
            return;
        hw_lock(&mu);
        if (settled == at)
            settled++;
        hw_unlock(&mu);
    }
}

void hazard_launch(const struct cmd *c, const struct trace_call *call, const struct trace_call *added, const char *kernel)
{
    settle();
    give_name((struct named){ .number = (uint32_t)c->seq, .call = *call, .added = added ? *added : (struct trace_call){ 0 }, .what = kernel });
}

/* ---- where areas meet ---- */

static bool areas_meet(const struct area *a, const struct area *b, uint64_t *at)
{
    for (uint64_t z = 0; z < a->slices; z++)
        for (uint64_t y = 0; y < a->rows; y++) {
            uint64_t from = a->base + z * a->slice + y * a->pitch;
            if (area_touches(b, from, from + a->width, at))
                return true;
        }
    return false;
}

/* ---- reports ---- */

void hazard_side(struct report *r, const char *verb, uint32_t number, const char *place)
{
    struct named n = name_of(number);
    if (place)
        report_device(r, verb, place, "kernel %s", n.what);
    report_host(r, place ? "launch" : verb, n.call.trace, "%s", n.what);
    if (n.added.name)
        report_host(r, "node", n.added.trace, "%s", n.added.name);
}

static const char *verb_of(uint32_t number, bool writes)
{
    enum hazard_life life = order_is_point(number) ? name_of(number).life : 0;
    return life == HAZARD_MADE ? "made" : life ? "free" : writes ? "write" : "read";
}

/* A kernel may come to the same hazard with each of its threads, and to write it down takes long: the first times count. */
bool hazard_is_stale(uint32_t now, const char *now_place, uint32_t other, const char *other_place)
{
    enum { KNOWN = 1024, OFTEN = 20 };
    static _Atomic uint64_t known[KNOWN];        /* the upper bits of a hash, and how often */
    const struct { uint64_t commands; const char *places[2]; } key = { (uint64_t)now << 32 | other, { now_place, other_place } };
    uint64_t hash = hw_hash_bytes(&key, sizeof key), mark = hash & ~(uint64_t)0xff;
    _Atomic uint64_t *k = &known[hash % KNOWN];
    uint64_t old = atomic_load_explicit(k, memory_order_relaxed);
    if ((old & ~(uint64_t)0xff) != mark)
        old = mark;
    if ((old & 0xff) >= OFTEN)
        return true;
    atomic_store_explicit(k, old + 1, memory_order_relaxed);
    return false;
}

void hazard_found(uint32_t now, const char *now_place, bool now_writes, uint32_t other, const char *other_place, bool other_writes, uint64_t address)
{
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report r;
    if (hazard_is_stale(now, now_place, other, other_place))
        return;
    enum hazard_life life = order_is_point(now) ? name_of(now).life : order_is_point(other) ? name_of(other).life : 0;
    if (ledger_find(address, &e) != LEDGER_NOTHING)
        ledger_describe(&where, &e, address);
    if (life == HAZARD_MADE)
        report_begin(&r, "hazard.early", "memory is allocated in one stream and used by a command of another, in no order (%s)", where.s ? where.s : "?");
    else if (life)
        report_begin(&r, "hazard.freed", "memory is freed in one stream while a command of another uses it, in no order (%s)", where.s ? where.s : "?");
    else
        report_begin(&r, "hazard.stream", "commands of two streams, or branches of a graph, touch the same memory in no order (%s)", where.s ? where.s : "?");
    hazard_side(&r, verb_of(now, now_writes), now, now_place);
    hazard_side(&r, verb_of(other, other_writes), other, other_place);
    if (where.s && life != HAZARD_MADE)
        report_host(&r, "made", e.made, "%s", e.made_by ? e.made_by : "?");
    report_advice(&r, "Record an event behind the one and let the other's stream wait for it, or put both into one stream.");
    report_end(&r);
    hw_str_fini(&where);
}

/* ---- copies ---- */

void hazard_copy_made(struct cmd *c)
{
    struct copy_watch *w = hw_alloc(sizeof *w);
    *w = (struct copy_watch){ .call = *trace_current(), .at = ledger_now() };
    c->watched = w;
}

struct trace_call *hazard_copy_added(struct cmd *c) { return &((struct copy_watch *)c->watched)->added; }

static struct copy describe(const struct cmd *c)
{
    const struct exec_copy *x = &c->x.copy;
    const struct copy_watch *w = c->watched;
    const struct trace_call *call = w && w->call.name ? &w->call : trace_current();      /* one of a graph: who launches that */
    struct copy k = { .number = (uint32_t)c->seq, .call = *call, .added = w ? w->added : (struct trace_call){ 0 } };
    k.areas[k.n_areas++] = (struct area){ (uint64_t)(uintptr_t)x->dst, x->width, x->rows, x->slices, x->dst_pitch, x->dst_slice, true };
    if (x->src && !c->staging)                   /* a source that was staged has been read */
        k.areas[k.n_areas++] = (struct area){ (uint64_t)(uintptr_t)x->src, x->width, x->rows, x->slices, x->src_pitch, x->src_slice, false };
    return k;
}

static bool spans_meet(const struct copy *a, const struct copy *b)
{
    for (unsigned i = 0; i < a->n_areas; i++)
        for (unsigned j = 0; j < b->n_areas; j++)
            if (area_end(&a->areas[i]) > b->areas[j].base && area_end(&b->areas[j]) > a->areas[i].base)
                return true;
    return false;
}

/* Against those that were queued before. */
static void against_copies(const struct copy *now)
{
    HW_VEC(struct copy) others = { 0 };
    hw_lock(&mu);
    for (uint64_t k = n_copies; k > oldest_locked(settled); k--)
        if (spans_meet(now, &copies[(k - 1) % COPIES]))
            hw_vec_push(&others, copies[(k - 1) % COPIES]);
    hw_unlock(&mu);
    for (size_t k = 0; k < others.n; k++)
        for (unsigned i = 0; i < now->n_areas; i++)
            for (unsigned j = 0; j < others.v[k].n_areas; j++) {
                uint64_t at;
                const struct area *x = &now->areas[i], *y = &others.v[k].areas[j];
                if ((x->writes || y->writes) && !order_between(now->number, others.v[k].number) && areas_meet(x, y, &at))
                    hazard_found(now->number, NULL, x->writes, others.v[k].number, NULL, y->writes, at);
            }
    hw_vec_fini(&others);
}

static void keep(const struct copy *now)
{
    settle();
    give_name((struct named){ .number = now->number, .call = now->call, .added = now->added, .what = now->call.name ? now->call.name : "a copy", .life = now->life });
    if (now->life != HAZARD_MADE)
        against_copies(now);
    hw_lock(&mu);
    copies[n_copies++ % COPIES] = *now;
    hw_unlock(&mu);
    atomic_fetch_add(&generation, 1);
}

void hazard_copy_queued(struct cmd *c)
{
    struct copy now = describe(c);
    keep(&now);
    guard_copy_queued(now.number, now.areas, now.n_areas);
    frames_copy_queued(now.number, now.areas, now.n_areas);
}

struct meeting {
    const struct copy *copy;
    const struct area *area;
    uint32_t number;             /* of the kernel that was met last */
    bool ordered;
};

/* A kernel touched bytes of a line that lies in the copy. */
static void meets_line(const struct touched *t, void *arg)
{
    struct meeting *m = arg;
    uint64_t at;
    if (t->number == m->copy->number || (!t->write && !m->area->writes))
        return;
    if (m->number != t->number) {
        m->number = t->number;
        m->ordered = order_between(t->number, m->copy->number);
    }
    for (unsigned b = 0; !m->ordered && b < 128; b++)
        if ((t->bytes[b / 64] >> b % 64 & 1) && area_touches(m->area, t->line + b, t->line + b + 1, &at)) {
            hazard_found(m->copy->number, NULL, m->area->writes, t->number, t->place, t->write, at);
            return;
        }
}

static void against_kernels(const struct copy *now)
{
    for (unsigned k = 0; k < now->n_areas; k++) {
        struct meeting m = { .copy = now, .area = &now->areas[k] };
        if (!area_empty(m.area))
            touch_each(m.area->base, area_end(m.area), now->number, meets_line, &m);
    }
}

/* What was before at these addresses is of no interest any more: the pool has seen to the order. */
static void forget_lives(struct copy *now)
{
    hw_lock(&mu);
    now->newest = newest;
    for (uint64_t k = n_copies; k > oldest_locked(settled); k--)
        if (copies[(k - 1) % COPIES].life && spans_meet(now, &copies[(k - 1) % COPIES]))
            copies[(k - 1) % COPIES].n_areas = 0;
    hw_unlock(&mu);
}

void hazard_life(struct stream *s, uint64_t base, uint64_t bytes, enum hazard_life what)
{
    struct copy now = { .number = order_point(s), .call = *trace_current(), .life = what, .n_areas = 1 };
    now.areas[0] = area_of_range(base, bytes, true);
    if (what == HAZARD_MADE)
        forget_lives(&now);
    keep(&now);
    if (what == HAZARD_FREED)
        against_kernels(&now);
}

void hazard_copy_over(struct cmd *c)
{
    struct copy now = describe(c);
    against_kernels(&now);
    hw_free(c->watched);
    c->watched = NULL;
}

/* ---- kernels against copies ---- */

struct hazard_view {
    uint32_t kernel;
    uint64_t generation;
    HW_VEC(struct copy) copies;  /* in no order with the kernel */
    uint64_t next;               /* the first that was not looked at */
    uint64_t host_generation;
    HW_VEC(struct host_seen) hosts;              /* what host code did meanwhile */
    uint64_t seen_from, seen_to; /* the guard knows that the kernel comes here */
    bool seen_host, talks;       /* there is memory that host code uses; the kernel waits for host code, or host code for it */
};

struct hazard_view *hazard_view_new(uint32_t kernel)
{
    struct hazard_view *v = hw_alloc(sizeof *v);
    v->kernel = kernel;
    v->next = name_of(kernel).first;
    v->generation = v->host_generation = UINT64_MAX;
    return v;
}

void hazard_view_free(struct hazard_view *v)
{
    if (!v)
        return;
    hw_vec_fini(&v->copies);
    hw_vec_fini(&v->hosts);
    hw_free(v);
}

/* Those that came since. */
static void refresh(struct hazard_view *v, uint64_t now)
{
    size_t first = v->copies.n, kept = first;
    hw_lock(&mu);
    for (v->next = oldest_locked(v->next); v->next < n_copies; v->next++)
        hw_vec_push(&v->copies, copies[v->next % COPIES]);
    hw_unlock(&mu);
    for (size_t k = first; k < v->copies.n; k++)
        if (!order_between(v->kernel, v->copies.v[k].number))
            v->copies.v[kept++] = v->copies.v[k];
    v->copies.n = kept;
    v->generation = now;
}

static void refresh_hosts(struct hazard_view *v, uint64_t now)
{
    struct host_seen seen;
    v->hosts.n = 0;
    for (unsigned next = 0; host_access_next(v->kernel, &next, &seen);)
        hw_vec_push(&v->hosts, seen);
    v->host_generation = now;
}

/* Memory that host code uses, too. A word that both wait for brings an order that we do not see. */
static void look_at_host(struct hazard_view *v, uint64_t address, uint64_t bytes, bool writes, bool system_wide, const char *place)
{
    if (hw_unlikely(address - v->seen_from >= v->seen_to - v->seen_from))
        v->seen_host = guard_kernel_touches(v->kernel, address, &v->seen_from, &v->seen_to);
    if (!v->seen_host)
        return;
    if (system_wide && !v->talks) {
        v->talks = true;
        guard_kernel_talks(v->kernel);
    }
    if (v->talks)
        return;
    uint64_t now = host_access_generation();
    if (hw_unlikely(v->host_generation != now))
        refresh_hosts(v, now);
    for (size_t k = 0; k < v->hosts.n; k++)
        if ((writes || v->hosts.v[k].writes) && address < v->hosts.v[k].to && address + bytes > v->hosts.v[k].from)
            host_access_met(v->hosts.v[k].index, v->kernel, writes, place, hw_max_u64(address, v->hosts.v[k].from));
}

bool hazard_any(struct hazard_view *v)
{
    uint64_t now = atomic_load_explicit(&generation, memory_order_acquire);
    if (v->generation != now)
        refresh(v, now);
    return v->copies.n > 0;
}

bool hazard_private(const struct hazard_view *v, uint64_t address, uint64_t *low, uint64_t *high)
{
    if (address - v->seen_from >= v->seen_to - v->seen_from || v->seen_host)
        return false;
    *low = hw_max_u64(*low, v->seen_from);
    *high = hw_min_u64(*high, v->seen_to);
    return true;
}

void hazard_look(struct hazard_view *v, uint64_t address, uint64_t bytes, bool writes, bool system_wide, const char *place)
{
    uint64_t now = atomic_load_explicit(&generation, memory_order_acquire), at;
    look_at_host(v, address, bytes, writes, system_wide, place);
    if (hw_unlikely(v->generation != now))
        refresh(v, now);
    for (size_t k = 0; k < v->copies.n; k++)
        for (unsigned j = 0; j < v->copies.v[k].n_areas; j++) {
            const struct area *a = &v->copies.v[k].areas[j];
            if (v->copies.v[k].life == HAZARD_MADE && v->kernel <= v->copies.v[k].newest)
                continue;
            if ((writes || a->writes) && area_touches(a, address, address + bytes, &at) && !order_between(v->kernel, v->copies.v[k].number))
                hazard_found(v->kernel, place, writes, v->copies.v[k].number, NULL, a->writes, at);
        }
}
