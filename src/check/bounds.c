/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of kernels outside of the memory that they are meant for, exact to the byte. */
#include "check/check.h"
#include "check/part.h"
#include "check/runner.h"

/* MEANT: the access belongs to that memory, but a neighbour may have been meant; ONLY: its pointer is the first byte of it. */
enum bound_state { BOUND_UNKNOWN, BOUND_NONE, BOUND_MEANT, BOUND_ONLY };

/* ---- what is meant ---- */

static uint64_t param_of(const struct runner *r, uint32_t offset)
{
    const struct launched *l = launched_of(r);
    uint64_t v = 0;
    if (l && offset + sizeof v <= l->param_bytes)
        memcpy(&v, (const char *)r->launch->kl.params + offset, sizeof v);
    return v;
}

static void find_bound(const struct runner *r, const struct details_site *s, struct bound *b)
{
    bool replaced;
    b->state = BOUND_NONE;
    if (s->variable) {
        uint64_t at = (uint64_t)(uintptr_t)r->launch->kl.globals[s->variable - 1];
        if (ledger_find_at(at, runner_at(r), &b->e, &replaced) == LEDGER_INSIDE && b->e.base == at)
            b->state = BOUND_ONLY;
        return;
    }
    for (unsigned k = 0; k < s->n_params; k++) {
        struct ledger_entry e;
        uint64_t v = param_of(r, s->params[k]);
        if (!v || ledger_find_at(v, runner_at(r), &e, &replaced) != LEDGER_INSIDE)
            continue;
        if (b->state != BOUND_NONE) {            /* two pointers */
            b->state = BOUND_NONE;
            return;
        }
        b->e = e;
        b->state = v == e.base && e.fresh ? BOUND_ONLY : BOUND_MEANT;
    }
}

static const struct bound *bound_of(struct runner *r, uint32_t site)
{
    if (!r->bounds)
        r->bounds = hw_alloc((r->launch->kernel->details->n + 1) * sizeof *r->bounds);
    struct bound *b = &r->bounds[site];
    if (b->state == BOUND_UNKNOWN)
        find_bound(r, &r->launch->kernel->details->sites[site], b);
    return b;
}

/* Sites that may write to global memory: is each meant for memory that is known, and not for that of this one? */
static bool written_elsewhere(struct runner *r, const struct bound *mine)
{
    const struct details_table *t = r->launch->kernel->details;
    for (uint32_t k = 0; k < t->n; k++) {
        const struct details_site *s = &t->sites[k];
        bool writes = s->kind == DETAILS_IN_STORE || s->kind == DETAILS_IN_ATOMIC;
        if (!writes || s->space == DETAILS_SHARED || s->space == DETAILS_LOCAL || (s->space == DETAILS_GENERIC && (s->shared_bytes || s->local_bytes)))
            continue;
        if (!(s->n_params || s->variable) || bound_of(r, k)->state < BOUND_MEANT || bound_of(r, k)->e.base == mine->e.base)
            return false;
    }
    return true;
}

bool bounds_only_read(struct runner *r, uint32_t site)
{
    enum { UNKNOWN, NO, YES };
    const struct details_site *s = &r->launch->kernel->details->sites[site];
    if (s->kind != DETAILS_IN_LOAD || s->strong || s->space != DETAILS_GLOBAL || !(s->n_params || s->variable))
        return false;
    if (!r->only_read)
        r->only_read = hw_alloc(r->launch->kernel->details->n + 1);
    if (r->only_read[site] == UNKNOWN) {
        const struct bound *b = bound_of(r, site);
        r->only_read[site] = b->state >= BOUND_MEANT && written_elsewhere(r, b) ? YES : NO;
    }
    return r->only_read[site] == YES;
}

/* ---- reports ---- */

static void begin(struct report *rep, const struct runner *r, const struct access *x, const char *name, const char *what)
{
    report_begin(rep, name, "kernel %s: %s of %u bytes %s", r->launch->kernel->name, access_verb(x->s), x->s->bytes, what);
}

/* The nearest memory, or the one that was meant. */
static enum ledger_found whose(const struct bound *b, uint64_t address, struct ledger_entry *e)
{
    enum ledger_found found = ledger_find(address, e);
    if (found != LEDGER_FREED && b->state >= BOUND_MEANT) {
        *e = b->e;
        return LEDGER_NEAR;
    }
    return found;
}

static void out_of_bounds(struct runner *r, const struct access *x, unsigned lane)
{
    uint64_t address = x->a[lane];
    bool replaced;
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report rep;
    enum ledger_found found = ledger_find_at(address, runner_at(r), &e, &replaced);
    if (found == LEDGER_INSIDE && e.bytes - (address - e.base) >= x->s->bytes)   /* freed and given out again since it was looked up */
        return;
    if (found == LEDGER_INSIDE)                  /* its last bytes are outside */
        address = e.base + e.bytes;
    else
        found = whose(bound_of(r, x->site), address, &e);
    if (found != LEDGER_NOTHING && address)
        ledger_describe(&where, &e, address);
    begin(&rep, r, x, found == LEDGER_FREED ? "memory.freed" : "memory.bounds",
          found == LEDGER_FREED ? "in memory that was freed" : address < 4096 ? "through a null pointer" : "outside of any memory that CUDA knows");
    report_device(&rep, access_verb(x->s), x->s->place, "block %llu, thread %u, address %#llx%s%s", runner_block(r), x->thread + lane, (unsigned long long)address, where.s ? ": " : "",
                  where.s ? where.s : "");
    if (found != LEDGER_NOTHING && address >= 4096)
        access_tell_made(&rep, &e);
    access_tell_launch(&rep, r);
    report_end(&rep);
    hw_str_fini(&where);
}

static void in_neighbour(const struct runner *r, const struct access *x, unsigned lane, const struct ledger_entry *meant)
{
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report rep;
    ledger_describe(&where, meant, x->a[lane]);
    begin(&rep, r, x, "memory.bounds", "outside of the memory that it is meant for, in another piece");
    report_device(&rep, access_verb(x->s), x->s->place, "block %llu, thread %u, address %#llx: %s", runner_block(r), x->thread + lane, (unsigned long long)x->a[lane], where.s);
    access_tell_made(&rep, meant);
    if (ledger_find(x->a[lane], &e) == LEDGER_INSIDE && !e.variable && !e.made_place)
        report_host(&rep, "neighbour", e.made, "%s, %llu bytes", e.made_by ? e.made_by : "?", (unsigned long long)e.bytes);
    access_tell_launch(&rep, r);
    report_end(&rep);
    hw_str_fini(&where);
}

static void misaligned(const struct runner *r, const struct access *x, unsigned lane, uint64_t address)
{
    struct report rep;
    report_begin(&rep, "memory.misaligned", "kernel %s: %s of %u bytes at an address that is no multiple of %u", r->launch->kernel->name, access_verb(x->s), x->s->bytes, x->s->bytes);
    report_device(&rep, access_verb(x->s), x->s->place, "block %llu, thread %u, address %#llx", runner_block(r), x->thread + lane, (unsigned long long)address);
    access_tell_launch(&rep, r);
    report_end(&rep);
}

static void outside_shared(const struct runner *r, const struct access *x, unsigned lane)
{
    struct report rep;
    const struct details_site *s = x->s;
    uint32_t have = r->launch->kl.shared_bytes;
    int64_t offset = (int32_t)x->offsets[lane];
    bool inside = offset >= 0 && (uint64_t)offset + s->bytes <= have;
    begin(&rep, r, x, "memory.shared-bounds", inside ? "outside of the shared array that it is meant for" : "outside of the block's shared memory");
    if (s->shared_bytes)
        report_device(&rep, access_verb(s), s->place, "block %llu, thread %u: %lld bytes %s a shared array of %u bytes", runner_block(r), x->thread + lane,
                      (long long)(offset < s->shared_at ? s->shared_at - offset : offset - s->shared_at - s->shared_bytes), offset < s->shared_at ? "before" : "past the end of", s->shared_bytes);
    else
        report_device(&rep, access_verb(s), s->place, "block %llu, thread %u, offset %lld of %u bytes", runner_block(r), x->thread + lane, (long long)offset, have);
    access_tell_launch(&rep, r);
    report_end(&rep);
}

static void outside_local(const struct runner *r, const struct access *x, unsigned lane, int64_t offset)
{
    const struct details_site *s = x->s;
    struct report rep;
    begin(&rep, r, x, "memory.local-bounds", s->local_bytes ? "outside of the local array that it is meant for" : "outside of the thread's local memory");
    if (s->local_bytes)
        report_device(&rep, access_verb(s), s->place, "block %llu, thread %u: %lld bytes %s a local array of %u bytes", runner_block(r), x->thread + lane,
                      (long long)(offset < s->local_at ? s->local_at - offset : offset - s->local_at - s->local_bytes), offset < s->local_at ? "before" : "past the end of", s->local_bytes);
    else
        report_device(&rep, access_verb(s), s->place, "block %llu, thread %u, offset %lld of %u bytes", runner_block(r), x->thread + lane, (long long)offset, r->launch->kernel->local_bytes);
    access_tell_launch(&rep, r);
    report_end(&rep);
}

/* ---- accesses ---- */

static void look_at_global(struct runner *r, struct access *x, bool says)
{
    const struct details_site *s = x->s;
    const struct bound *b = says && (s->n_params || s->variable) ? bound_of(r, x->site) : NULL;
    for (uint32_t m = x->global; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (hw_unlikely(says && x->a[l] & (s->bytes - 1)))
            misaligned(r, x, l, x->a[l]);
        const struct ledger_range *g = ledger_holds(x->a[l], s->bytes, runner_at(r));
        if (hw_likely(g && (!b || b->state != BOUND_ONLY || g->base == b->e.base)))
            continue;
        if (says && g)
            in_neighbour(r, x, l, &b->e);
        else if (says)
            out_of_bounds(r, x, l);
        x->global &= ~(1u << l);
    }
}

static void look_at_shared(const struct runner *r, struct access *x)
{
    const struct details_site *s = x->s;
    uint64_t from = s->shared_bytes ? s->shared_at : 0, bytes = s->shared_bytes ? s->shared_bytes : r->launch->kl.shared_bytes;
    for (uint32_t m = x->shared; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t at = (uint32_t)x->offsets[l] - from;
        if (hw_unlikely(at > bytes || s->bytes > bytes - at))
            outside_shared(r, x, l);
        else if (hw_unlikely(x->offsets[l] & (s->bytes - 1)))
            misaligned(r, x, l, x->offsets[l]);
    }
}

static void look_at_local(const struct runner *r, struct access *x)
{
    uint32_t all = r->launch->kernel->local_bytes, from = x->s->local_bytes ? x->s->local_at : 0, to = x->s->local_bytes ? from + x->s->local_bytes : all;
    for (uint32_t m = x->local; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        int64_t at = (int64_t)(x->offsets[l] - (uint64_t)(x->thread + l) * all);
        if (hw_likely(at >= from && at + x->s->bytes <= to))
            continue;
        outside_local(r, x, l, at);
        x->local &= ~(1u << l);
    }
}

/* A tile: line by line, one lane for all. */
static void look_at_tile(struct runner *r, struct access *x)
{
    uint32_t mask = x->global | x->shared;
    unsigned l = mask ? (unsigned)__builtin_ctz(mask) : 0;
    struct details_site line = *x->s;
    uint64_t step = x->offsets[LANES + l], a[LANES];
    line.bytes = line.line_bytes;
    line.shared_bytes = 0;
    for (unsigned k = 0; mask && k < x->s->lines; k++) {
        struct access y = *x;
        y.s = &line;
        y.a = a;
        y.global = x->global & 1u << l;
        y.shared = x->shared & 1u << l;
        a[l] = x->a[l] + k * step;
        y.offsets[l] = x->offsets[l] + k * step;
        if (y.global && !ledger_holds(a[l], line.bytes, runner_at(r))) {
            out_of_bounds(r, &y, l);
            return;
        }
        if (y.shared && y.offsets[l] + line.bytes > r->launch->kl.shared_bytes) {
            outside_shared(r, &y, l);
            return;
        }
    }
}

void bounds_access(struct runner *r, struct access *x)
{
    bool says = (check_tools & CHECK_MEMORY) != 0;
    if (x->s->tile) {
        if (says)
            look_at_tile(r, x);
        return;
    }
    look_at_global(r, x, says);
    if (says && x->shared)
        look_at_shared(r, x);
    if (says && x->local)
        look_at_local(r, x);
}

bool bounds_part(struct runner *r, uint32_t site, const struct part *p, bool shared)
{
    const struct details_site *s = &r->launch->kernel->details->sites[site];
    uint64_t bytes = part_bytes(p, s->bytes);
    if (p->address & (s->bytes - 1))
        return false;
    if (shared) {
        uint64_t from = s->shared_bytes ? s->shared_at : 0, have = s->shared_bytes ? s->shared_bytes : r->launch->kl.shared_bytes;
        return p->address - from <= have && bytes <= have - (p->address - from);
    }
    const struct bound *b = s->n_params || s->variable ? bound_of(r, site) : NULL;
    const struct ledger_range *g = ledger_holds(p->address, bytes, runner_at(r));
    return g && (!b || b->state != BOUND_ONLY || g->base == b->e.base);
}

/* ---- the device heap ---- */

static void bad_free(const struct runner *r, uint32_t site, uint32_t thread, uint64_t at)
{
    const struct details_site *s = &r->launch->kernel->details->sites[site];
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report rep;
    enum ledger_found found = ledger_find(at, &e);
    bool twice = found == LEDGER_FREED && e.base == at;
    if (found != LEDGER_NOTHING)
        ledger_describe(&where, &e, at);
    report_begin(&rep, twice ? "memory.double-free" : "memory.bad-free", "kernel %s: free() of %s", r->launch->kernel->name,
                 twice ? "memory that was freed already" : "what malloc() did not return");
    report_device(&rep, "free", s->place, "block %llu, thread %u, address %#llx%s%s", runner_block(r), thread, (unsigned long long)at, where.s ? ": " : "", where.s ? where.s : "");
    if (found != LEDGER_NOTHING)
        access_tell_made(&rep, &e);
    access_tell_launch(&rep, r);
    report_end(&rep);
    hw_str_fini(&where);
}

void bounds_free(struct runner *r, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *pieces)
{
    for (uint32_t m = check_tools & CHECK_MEMORY ? mask : 0; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        struct ledger_entry e;
        bool fine = ledger_find(pieces[l], &e) == LEDGER_INSIDE && e.base == pieces[l] && e.made_place;
        for (uint32_t before = mask & ((1u << l) - 1); before && fine; before &= before - 1)
            fine = pieces[__builtin_ctz(before)] != pieces[l];
        if (pieces[l] && !fine)
            bad_free(r, site, thread + l, pieces[l]);
    }
}
