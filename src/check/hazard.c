/* SPDX-License-Identifier: Apache-2.0 */
#include "check/hazard.h"

#include "base/lock.h"
#include "base/vec.h"
#include "check/ledger.h"
#include "check/order.h"
#include "check/report.h"
#include "check/touch.h"
#include "check/trace.h"
#include "core/sched.h"

#include <stdatomic.h>
#include <stdio.h>

enum { COPIES = 4096, NAMED = 1 << 14 };

/* One side of a copy: rows of memory. */
struct area {
    uint64_t base, width, rows, slices, pitch, slice;
    bool writes;
};

struct copy {
    uint32_t number;             /* of the command; 0: none */
    struct area areas[2];        /* destination, source */
    unsigned n_areas;
    uint32_t trace;
    const char *call;
};

/* A command by its number: who queued it. */
struct named {
    uint32_t number, trace;
    const char *what;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct copy copies[COPIES] HW_GUARDED_BY(mu);             /* a ring */
static uint64_t n_copies HW_GUARDED_BY(mu);
static _Atomic uint64_t generation;
static struct named names[NAMED] HW_GUARDED_BY(mu);

static void name(uint32_t number, uint32_t trace, const char *what)
{
    hw_lock(&mu);
    names[number % NAMED] = (struct named){ number, trace, what };
    hw_unlock(&mu);
}

static struct named name_of(uint32_t number)
{
    hw_lock(&mu);
    struct named n = names[number % NAMED];
    hw_unlock(&mu);
    return n.number == number ? n : (struct named){ number, 0, "a command" };
}

void hazard_launch(const struct cmd *c, uint32_t trace, const char *kernel) { name((uint32_t)c->seq, trace, kernel); }

/* ---- where areas meet ---- */

static uint64_t end_of(const struct area *a) { return a->base + (a->slices - 1) * a->slice + (a->rows - 1) * a->pitch + a->width; }

/* Does any row have a byte of [from, to)? */
static bool touches(const struct area *a, uint64_t from, uint64_t to, uint64_t *at)
{
    if (!a->width || !a->rows || !a->slices || to <= a->base || from >= end_of(a))
        return false;
    for (uint64_t z = 0; z < a->slices; z++) {
        uint64_t first = a->base + z * a->slice, row = a->rows > 1 && a->pitch && from > first ? hw_min_u64((from - first) / a->pitch, a->rows - 1) : 0;
        for (uint64_t y = row; y < a->rows && first + y * a->pitch < to; y++) {
            uint64_t low = first + y * a->pitch, high = low + a->width;
            if (low < to && high > from) {
                *at = hw_max_u64(low, from);
                return true;
            }
        }
    }
    return false;
}

static bool areas_meet(const struct area *a, const struct area *b, uint64_t *at)
{
    for (uint64_t z = 0; z < a->slices; z++)
        for (uint64_t y = 0; y < a->rows; y++) {
            uint64_t from = a->base + z * a->slice + y * a->pitch;
            if (touches(b, from, from + a->width, at))
                return true;
        }
    return false;
}

/* ---- reports ---- */

static void side(struct report *r, const char *verb, uint32_t number, const char *place)
{
    struct named n = name_of(number);
    if (place)
        report_device(r, verb, place, "kernel %s", n.what);
    report_host(r, place ? "launch" : verb, n.trace, "%s", n.what);
}

void hazard_found(uint32_t now, const char *now_place, bool now_writes, uint32_t other, const char *other_place, bool other_writes, uint64_t address)
{
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report r;
    if (ledger_find(address, &e) != LEDGER_NOTHING)
        ledger_describe(&where, &e, address);
    report_begin(&r, "hazard.stream", "commands of two streams, or branches of a graph, touch the same memory in no order (%s)", where.s ? where.s : "?");
    side(&r, now_writes ? "write" : "read", now, now_place);
    side(&r, other_writes ? "write" : "read", other, other_place);
    if (where.s)
        report_host(&r, "made", e.made, "%s", e.made_by ? e.made_by : "?");
    report_advice(&r, "Record an event behind the one and let the other's stream wait for it, or put both into one stream.");
    report_end(&r);
    hw_str_fini(&where);
}

/* ---- copies ---- */

void hazard_copy_made(struct cmd *c)
{
    struct copy_watch *w = hw_alloc(sizeof *w);
    *w = (struct copy_watch){ *trace_current(), ledger_now() };
    c->watched = w;
}

static struct copy describe(const struct cmd *c)
{
    const struct exec_copy *x = &c->x.copy;
    const struct copy_watch *w = c->watched;
    const struct trace_call *call = w ? &w->call : NULL;
    struct copy k = { .number = (uint32_t)c->seq, .trace = call ? call->trace : 0, .call = call && call->name ? call->name : "a copy" };
    k.areas[k.n_areas++] = (struct area){ (uint64_t)(uintptr_t)x->dst, x->width, x->rows, x->slices, x->dst_pitch, x->dst_slice, true };
    if (x->src && !c->staging)                   /* a source that was staged has been read */
        k.areas[k.n_areas++] = (struct area){ (uint64_t)(uintptr_t)x->src, x->width, x->rows, x->slices, x->src_pitch, x->src_slice, false };
    return k;
}

/* Against those that were queued before. */
static void against_copies(const struct copy *now)
{
    struct copy *others = hw_alloc(COPIES * sizeof *others);
    size_t n = 0;
    hw_lock(&mu);
    for (uint64_t k = n_copies; k > 0 && k + COPIES > n_copies; k--)
        others[n++] = copies[(k - 1) % COPIES];
    hw_unlock(&mu);
    for (size_t k = 0; k < n; k++)
        for (unsigned i = 0; i < now->n_areas; i++)
            for (unsigned j = 0; j < others[k].n_areas; j++) {
                uint64_t at;
                const struct area *a = &now->areas[i], *b = &others[k].areas[j];
                if ((a->writes || b->writes) && end_of(a) > b->base && end_of(b) > a->base && !order_between(now->number, others[k].number) && areas_meet(a, b, &at))
                    hazard_found(now->number, NULL, a->writes, others[k].number, NULL, b->writes, at);
            }
    hw_free(others);
}

void hazard_copy_queued(struct cmd *c)
{
    struct copy now = describe(c);
    name(now.number, now.trace, now.call);
    against_copies(&now);
    hw_lock(&mu);
    copies[n_copies++ % COPIES] = now;
    hw_unlock(&mu);
    atomic_fetch_add(&generation, 1);
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
        if ((t->bytes[b / 64] >> b % 64 & 1) && touches(m->area, t->line + b, t->line + b + 1, &at)) {
            hazard_found(m->copy->number, NULL, m->area->writes, t->number, t->place, t->write, at);
            return;
        }
}

void hazard_copy_over(struct cmd *c)
{
    struct copy now = describe(c);
    for (unsigned k = 0; k < now.n_areas; k++) {
        struct meeting m = { .copy = &now, .area = &now.areas[k] };
        if (m.area->width && m.area->rows && m.area->slices)
            touch_each(m.area->base, end_of(m.area), meets_line, &m);
    }
    hw_free(c->watched);
    c->watched = NULL;
}

/* ---- kernels against copies ---- */

struct hazard_view {
    uint32_t kernel;
    uint64_t generation;
    HW_VEC(struct copy) copies;  /* in no order with the kernel */
};

struct hazard_view *hazard_view_new(uint32_t kernel)
{
    struct hazard_view *v = hw_alloc(sizeof *v);
    v->kernel = kernel;
    v->generation = UINT64_MAX;
    return v;
}

void hazard_view_free(struct hazard_view *v)
{
    if (!v)
        return;
    hw_vec_fini(&v->copies);
    hw_free(v);
}

static void refresh(struct hazard_view *v, uint64_t now)
{
    size_t kept = 0;
    v->copies.n = 0;
    hw_lock(&mu);
    for (uint64_t k = n_copies; k > 0 && k + COPIES > n_copies; k--)
        hw_vec_push(&v->copies, copies[(k - 1) % COPIES]);
    hw_unlock(&mu);
    for (size_t k = 0; k < v->copies.n; k++)
        if (!order_between(v->kernel, v->copies.v[k].number))
            v->copies.v[kept++] = v->copies.v[k];
    v->copies.n = kept;
    v->generation = now;
}

void hazard_look(struct hazard_view *v, uint64_t address, uint64_t bytes, bool writes, const char *place)
{
    uint64_t now = atomic_load_explicit(&generation, memory_order_acquire), at;
    if (hw_unlikely(v->generation != now))
        refresh(v, now);
    for (size_t k = 0; k < v->copies.n; k++)
        for (unsigned j = 0; j < v->copies.v[k].n_areas; j++) {
            const struct area *a = &v->copies.v[k].areas[j];
            if ((writes || a->writes) && touches(a, address, address + bytes, &at))
                hazard_found(v->kernel, place, writes, v->copies.v[k].number, NULL, a->writes, at);
        }
}
