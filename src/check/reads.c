/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of memory that nobody has written.
 *
 * A value counts as read where something is computed with it. Values that are only stored again may be padding of a struct that is copied whole, so of those
 * only the access as a whole is looked at; and a value of which some byte was written is taken for written, for the same reason.
 */
#include "check/check.h"
#include "check/part.h"
#include "check/runner.h"

#include <stdio.h>

enum { OFTEN = 4 };              /* reports of one site from one thread: more is more of the same */

void reads_begin(struct runner *r)
{
    init_bits_forget(&r->shared);
    init_bits_forget(&r->local);
}

static void tell(struct runner *r, const struct access *x, unsigned lane, const char *where, const struct ledger_entry *e)
{
    struct report rep;
    struct trace_call copy;
    report_begin(&rep, "init.read", "kernel %s: %s of %u bytes of %s memory that were never written", r->launch->kernel->name, access_verb(x->s), x->s->bytes,
                 e ? "global" : x->shared >> lane & 1 ? "shared" : "local");
    report_device(&rep, access_verb(x->s), x->s->place, "block %llu, thread %u: %s", runner_block(r), x->thread + lane, where);
    if (e && init_brought(x->a[lane], &copy) && copy.name)
        report_host(&rep, "copy", copy.trace, "%s, from memory of the host that was not written either", copy.name);
    if (e)
        access_tell_made(&rep, e);
    access_tell_launch(&rep, r);
    report_advice(&rep, "%s", e ? "Fill the memory first: what it holds when it is allocated is not defined." : "Nothing was stored there by this block before.");
    report_end(&rep);
}

/* Is there a value that counts of which nobody wrote a byte? any: says whether somebody did. */
static bool unwritten(const struct details_site *s, const void *bits, bool (*any)(const void *bits, uint64_t at, uint64_t bytes), uint64_t at)
{
    unsigned n = s->element ? s->bytes / s->element : 0;
    for (unsigned k = 0; k < n; k++)
        if ((s->used >> k & 1) && !any(bits, at + k * s->element, s->element))
            return true;
    return !s->used && s->copied == (1u << n) - 1 && !any(bits, at, s->bytes);
}

static bool any_of_block(const void *bits, uint64_t at, uint64_t bytes) { return init_bits_any(bits, at, bytes); }
static bool any_of_device(const void *bits, uint64_t at, uint64_t bytes)
{
    (void)bits;
    return init_any_written(at, bytes);
}

static void read_block(struct runner *r, const struct access *x, uint32_t mask, const struct init_bits *bits, bool shared)
{
    for (uint32_t m = r->said[x->site] < OFTEN ? mask : 0; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        char where[80];
        if (hw_likely(!unwritten(x->s, bits, any_of_block, x->offsets[l])))
            continue;
        if (shared)
            snprintf(where, sizeof where, "byte %llu of %llu of shared memory", (unsigned long long)x->offsets[l], (unsigned long long)bits->bytes);
        else
            snprintf(where, sizeof where, "byte %llu of %u of its local memory", (unsigned long long)(x->offsets[l] % r->launch->kernel->local_bytes), r->launch->kernel->local_bytes);
        tell(r, x, l, where, NULL);
        if (++r->said[x->site] >= OFTEN)
            return;
    }
}

/* Where other memory has come in the place of what the launch knows, the bits are about that. */
static bool concerns(const struct runner *r, uint64_t addr, uint64_t bytes)
{
    const struct ledger_range *g = ledger_holds(addr, bytes, runner_at(r));
    return g && (g->fresh || g->by_page) && !g->replaced;
}

/* Host code may have written it. */
static bool by_host(const struct runner *r, const struct access *x, uint64_t addr)
{
    const struct ledger_range *g = ledger_holds(addr, x->s->bytes, runner_at(r));
    if (!g || !g->by_page)
        return false;
    init_learn(addr, x->s->bytes);
    return !unwritten(x->s, NULL, any_of_device, addr);
}

static void read_device(struct runner *r, const struct access *x)
{
    for (uint32_t m = r->said[x->site] < OFTEN ? x->global : 0; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        struct hw_str where = { 0 };
        struct ledger_entry e;
        bool replaced;
        if (hw_likely(!unwritten(x->s, NULL, any_of_device, x->a[l])) || !concerns(r, x->a[l], x->s->bytes) || by_host(r, x, x->a[l]) || ledger_find_at(x->a[l], runner_at(r), &e, &replaced) != LEDGER_INSIDE)
            continue;
        ledger_describe(&where, &e, x->a[l]);
        tell(r, x, l, where.s, &e);
        hw_str_fini(&where);
        if (++r->said[x->site] >= OFTEN)
            return;
    }
}

/* Lanes that write one after the other, which is most of the time: one piece. */
static bool one_piece(const struct access *x)
{
    if (x->global != UINT32_MAX)
        return false;
    for (unsigned l = 1; l < LANES; l++)
        if (x->a[l] != x->a[0] + (uint64_t)l * x->s->bytes)
            return false;
    return true;
}

static void write_device(struct runner *r, const struct access *x)
{
    if (one_piece(x) && concerns(r, x->a[0], (uint64_t)LANES * x->s->bytes)) {
        init_write(x->a[0], (uint64_t)LANES * x->s->bytes);
        return;
    }
    for (uint32_t m = x->global; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (concerns(r, x->a[l], x->s->bytes))
            init_write(x->a[l], x->s->bytes);
    }
}

/* A tile's lines; one lane speaks for the warp. What is read of it is not looked at. */
static void write_tile(struct runner *r, const struct access *x)
{
    uint32_t mask = x->global | x->shared;
    unsigned l = mask ? (unsigned)__builtin_ctz(mask) : 0;
    uint64_t step = x->offsets[LANES + l];
    for (unsigned k = 0; mask && k < x->s->lines; k++) {
        if (x->shared)
            init_bits_write(&r->shared, x->offsets[l] + k * step, x->s->line_bytes);
        else if (concerns(r, x->a[l] + k * step, x->s->line_bytes))
            init_write(x->a[l] + k * step, x->s->line_bytes);
    }
}

bool reads_part(struct runner *r, const struct details_site *s, const struct part *p, bool shared)
{
    uint64_t bytes = part_bytes(p, s->bytes);
    if (!(s->used | s->copied))
        return true;
    return shared ? init_bits_all(&r->shared, p->address, bytes) : init_all_written(p->address, bytes);
}

void reads_wrote(struct runner *r, const struct details_site *s, const struct part *p, bool shared)
{
    uint64_t bytes = part_bytes(p, s->bytes);
    if (shared)
        init_bits_write(&r->shared, p->address, bytes);
    else if (concerns(r, p->address, bytes))
        init_write(p->address, bytes);
}

void reads_access(struct runner *r, const struct access *x)
{
    bool writes = x->s->kind != DETAILS_IN_LOAD;
    if (x->s->tile) {
        if (writes)
            write_tile(r, x);
        return;
    }
    if (x->s->used | x->s->copied) {
        if (x->global)
            read_device(r, x);
        read_block(r, x, x->shared, &r->shared, true);
        read_block(r, x, x->local, &r->local, false);
    }
    if (!writes)
        return;
    if (x->global)
        write_device(r, x);
    for (uint32_t m = x->shared; m; m &= m - 1)
        init_bits_write(&r->shared, x->offsets[__builtin_ctz(m)], x->s->bytes);
    for (uint32_t m = x->local; m; m &= m - 1)
        init_bits_write(&r->local, x->offsets[__builtin_ctz(m)], x->s->bytes);
}
