/* SPDX-License-Identifier: Apache-2.0 */
/* Advice: patterns in a profile that cost time on any device, said in plain words with the place in the source. */
#define _GNU_SOURCE
#include "cli/prof.h"

#include "base/hash.h"
#include "cli/cli.h"

#include <stdarg.h>
#include <unistd.h>

/* --- places --- */

char *prof_source_line(const char *place)
{
    char *line = cli_source_line(place);
    return line ? line : hw_strdup(place);
}

static void say(struct prof_advices *out, const struct prof_data *d, const char *rule, const struct prof_record *call, const char *fmt, ...)
    HW_PRINTF(5, 6);
static void say(struct prof_advices *out, const struct prof_data *d, const char *rule, const struct prof_record *call, const char *fmt, ...)
{
    struct hw_str text = { 0 };
    va_list ap;
    va_start(ap, fmt);
    hw_str_vprintf(&text, fmt, ap);
    va_end(ap);
    const char *place = call ? prof_name(d, call->caller) : "";
    hw_vec_push(&out->v, ((struct prof_advice){ rule, text.s, place[0] ? prof_source_line(place) : NULL }));
}

static double mib(uint64_t bytes) { return (double)bytes / (1 << 20); }

/* --- the rules --- */

enum { LARGE_COPY = 64 << 10 };                  /* below this the real driver stages, too, and nothing is lost */

static void pageable_async(const struct prof_data *d, struct prof_advices *out)
{
    const struct prof_record *first = NULL;
    uint64_t n = 0, bytes = 0;
    for (size_t i = 0; i < d->acts.n; i++) {
        const struct prof_record *r = d->acts.v[i].r;
        bool pageable = r->src == PROF_PAGEABLE || r->dst == PROF_PAGEABLE;
        if (r->type != PROF_COPY || !(r->flags & PROF_ASYNC) || !pageable || r->bytes < LARGE_COPY)
            continue;
        first = first ? first : prof_call_of(d, r);
        n++;
        bytes += r->bytes;
    }
    if (n)
        say(out, d, "pageable-async", first, "%llu asynchronous %s (%.1f MiB) with pageable memory: that does not overlap with anything. "
            "Allocate it with cudaHostAlloc, or lock it with cudaHostRegister.", (unsigned long long)n, n == 1 ? "copy" : "copies", mib(bytes));
}

static void write_combined_read(const struct prof_data *d, struct prof_advices *out)
{
    const struct prof_record *first = NULL;
    uint64_t n = 0;
    for (size_t i = 0; i < d->acts.n; i++) {
        const struct prof_record *r = d->acts.v[i].r;
        if (r->type != PROF_COPY || r->dst != PROF_PINNED || !(r->flags & PROF_WRITE_COMBINED))
            continue;
        first = first ? first : prof_call_of(d, r);
        n++;
    }
    if (n)
        say(out, d, "write-combined-read", first, "%llu %s results into write-combined memory, which the host reads very slowly. "
            "Use it only for data that goes to the device.", (unsigned long long)n, n == 1 ? "copy brings" : "copies bring");
}

static void mapped_often(const struct prof_data *d, struct prof_advices *out)
{
    struct hw_map uses = { 0 };
    const struct prof_record *worst = NULL;
    uintptr_t most = 0;
    for (size_t i = 0; i < d->mapped.n; i++) {
        const struct prof_record *r = d->mapped.v[i];
        uintptr_t n = (uintptr_t)hw_map_get(&uses, &r->data.addr, sizeof r->data.addr) + 1;
        hw_map_set(&uses, &r->data.addr, sizeof r->data.addr, (void *)n);
        if (r->bytes >= LARGE_COPY && n > most) {
            most = n;
            worst = r;
        }
    }
    hw_map_fini(&uses);
    if (most < 4)
        return;
    const struct prof_record *kernel = worst->id < d->n_slots ? &d->slots[worst->id] : NULL;
    say(out, d, "mapped-often", kernel ? prof_call_of(d, kernel) : NULL, "%llu kernels (such as %s) were given the same %.1f MiB of mapped host memory: "
        "on a GPU every access crosses the bus. Copy it to device memory once.", (unsigned long long)most, prof_name(d, worst->name),
        mib(worst->bytes));
}

/* What one place in the program does. */
struct site {
    const struct prof_record *call;
    uint64_t n, bytes, again;
    uint64_t frees_before;       /* calls that free, when this place last allocated */
};

static struct site *site_of(struct hw_map *map, uint32_t caller)
{
    struct site *s = hw_map_get(map, &caller, sizeof caller);
    if (!s) {
        s = hw_alloc(sizeof *s);
        memset(s, 0, sizeof *s);
        hw_map_set(map, &caller, sizeof caller, s);
    }
    return s;
}

enum { MANY_COPIES = 16, MANY_ALLOCATIONS = 8, MANY_WAITS = 4 };

static void small_copies(const struct prof_data *d, struct prof_advices *out)
{
    struct hw_map sites = { 0 };
    HW_VEC(struct site *) all = { 0 };
    const struct site *worst = NULL;
    for (size_t i = 0; i < d->acts.n; i++) {
        const struct prof_record *r = d->acts.v[i].r, *call = prof_call_of(d, r);
        if (r->type != PROF_COPY || !call || r->bytes >= LARGE_COPY / 4 || (r->src == PROF_DEVICE && r->dst == PROF_DEVICE))
            continue;
        struct site *s = site_of(&sites, call->caller);
        if (!s->n)
            hw_vec_push(&all, s);
        s->call = call;
        s->n++;
        s->bytes += r->bytes;
        if (!worst || s->n > worst->n)
            worst = s;
    }
    if (worst && worst->n >= MANY_COPIES)
        say(out, d, "small-copies", worst->call, "%llu copies of %llu bytes on average come from one place: each costs a call and a start. "
            "Gather them into one.", (unsigned long long)worst->n, (unsigned long long)(worst->bytes / worst->n));
    for (size_t i = 0; i < all.n; i++)
        hw_free(all.v[i]);
    hw_vec_fini(&all);
    hw_map_fini(&sites);
}

static bool allocates(const char *name)
{
    /* the ...Async kinds come out of a pool and are made for loops */
    return (strncmp(name, "cudaMalloc", 10) == 0 || strncmp(name, "cuMemAlloc", 10) == 0 || strcmp(name, "cudaHostAlloc") == 0
            || strcmp(name, "cuMemHostAlloc") == 0 || strcmp(name, "cudaHostRegister") == 0) && !strstr(name, "Async");
}

static bool frees(const char *name)
{
    return strncmp(name, "cudaFree", 8) == 0 || strncmp(name, "cuMemFree", 9) == 0 || strcmp(name, "cudaHostUnregister") == 0;
}

static void allocation_in_loop(const struct prof_data *d, struct prof_advices *out)
{
    struct hw_map sites = { 0 };
    HW_VEC(struct site *) all = { 0 };
    const struct site *worst = NULL;
    uint64_t n_frees = 0;
    for (size_t i = 0; i < d->calls.n; i++) {
        const struct prof_span *c = &d->calls.v[i];
        n_frees += frees(c->name);
        if (!allocates(c->name) || !c->r->caller)
            continue;
        struct site *s = site_of(&sites, c->r->caller);
        if (!s->n)
            hw_vec_push(&all, s);
        s->again += s->n && n_frees > s->frees_before;           /* it allocates again what was freed in between */
        s->frees_before = n_frees;
        s->call = c->r;
        s->n++;
        if (!worst || s->again > worst->again)
            worst = s;
    }
    if (worst && worst->again >= MANY_ALLOCATIONS)
        say(out, d, "allocation-in-loop", worst->call, "%s is called %llu times from one place, with frees in between: allocating and freeing "
            "wait for the device. Allocate once, outside the loop.", prof_name(d, worst->call->name), (unsigned long long)worst->n);
    for (size_t i = 0; i < all.n; i++)
        hw_free(all.v[i]);
    hw_vec_fini(&all);
    hw_map_fini(&sites);
}

static void legacy_serialises(const struct prof_data *d, struct prof_advices *out)
{
    const struct prof_record *first = NULL;
    uint64_t n = 0;
    for (size_t i = 0; i < d->edges.n; i++) {
        if (!d->edges.v[i].legacy)
            continue;
        const struct prof_act *from = &d->acts.v[d->edges.v[i].from], *to = &d->acts.v[d->edges.v[i].to];
        const struct prof_act *one = from->r->flags & PROF_LEGACY ? from : to;
        first = first ? first : prof_call_of(d, one->r);
        n++;
    }
    if (n >= MANY_WAITS)
        say(out, d, "legacy-stream", first, "%llu times work of other streams and of the default stream waited for each other. Create streams with "
            "cudaStreamNonBlocking, or compile with --default-stream per-thread.", (unsigned long long)n);
}

static void pinned_much(const struct prof_data *d, struct prof_advices *out)
{
    const struct prof_record *at = NULL;
    uint64_t now = 0, peak = 0;
    for (size_t i = 0; i < d->memory.n; i++) {
        const struct prof_record *r = d->memory.v[i];
        if (r->src != PROF_PINNED)
            continue;
        now = r->result > 0 ? now + r->bytes : now - hw_min_u64(now, r->bytes);
        if (now > peak) {
            peak = now;
            at = r;
        }
    }
    if (at && peak > d->header->pinned_budget / 2)
        say(out, d, "pinned-much", prof_call_of(d, at), "%.0f MiB are page-locked at a time, more than half of the %.0f MiB that may be: the system "
            "cannot use that memory for anything else. Reuse smaller buffers.", mib(peak), mib(d->header->pinned_budget));
}

void prof_advise(const struct prof_data *d, struct prof_advices *out)
{
    pageable_async(d, out);
    write_combined_read(d, out);
    mapped_often(d, out);
    small_copies(d, out);
    allocation_in_loop(d, out);
    legacy_serialises(d, out);
    pinned_much(d, out);
}

void prof_advices_fini(struct prof_advices *a)
{
    for (size_t i = 0; i < a->v.n; i++) {
        hw_free(a->v.v[i].text);
        hw_free(a->v.v[i].place);
    }
    hw_vec_fini(&a->v);
}
