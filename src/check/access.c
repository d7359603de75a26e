/* SPDX-License-Identifier: Apache-2.0 */
/* Instrumented kernels: each access of a warp, before it is made. */
#include "check/tools.h"

#include "check/check.h"
#include "check/guard.h"
#include "check/hazard.h"
#include "check/ledger.h"
#include "check/race.h"
#include "check/race_grid.h"
#include "check/report.h"
#include "check/trace.h"
#include "core/launch.h"
#include "core/module.h"
#include "core/sched.h"
#include "exec/exec.h"

#include <stdlib.h>

enum { LANES = 32 };

/* A launch: where it was made, and when. */
struct launched {
    struct trace_call call;
    uint64_t at;                 /* ledger_now() */
    uint32_t param_bytes;
};

/* A thread that runs blocks of a launch, one after the other. */
struct runner {
    const struct exec_launch *launch;
    const struct cmd *cmd;
    uint64_t block;              /* the one at hand, plus 1; 0: none yet */
    struct race_block *race;
};

void access_launch_made(struct cmd *c, const struct function *f)
{
    struct launched *l = hw_alloc(sizeof *l);
    *l = (struct launched){ *trace_current(), ledger_now(), f->param_bytes };
    c->watched = l;
    c->x.launch.details = c->x.launch.kernel->details != NULL;
}

void access_launch_queued(struct cmd *c)
{
    const struct launched *l = c->watched;
    hazard_launch(c, l ? l->call.trace : trace_current()->trace, c->x.launch.kernel->name);
    guard_kernel_queued((uint32_t)c->seq, c->x.launch.kl.params, c->x.launch.kl.param_bytes);
}

void access_launch_over(struct cmd *c)
{
    race_grid_end(c->x.launch.kl.grid_id);
    hw_free(c->watched);
    c->watched = NULL;
}

static uint32_t threads_of(const struct exec_launch *l) { return l->kl.ntid[0] * l->kl.ntid[1] * l->kl.ntid[2]; }

static void *begin(const struct exec_launch *launch)
{
    struct runner *r = hw_alloc(sizeof *r);
    r->launch = launch;
    r->cmd = hw_container_of(launch, struct cmd, x.launch);
    if (check_tools & (CHECK_RACE | CHECK_HAZARD | CHECK_SYNC))
        r->race = race_block_new(launch->kernel, launch->kl.grid_id, threads_of(launch), launch->kl.shared_bytes);
    return r;
}

static void end(void *state)
{
    struct runner *r = state;
    race_block_free(r->race);
    hw_free(r);
}

static uint64_t number_of(const struct kabi_block *b)
{
    const uint32_t *n = b->launch->nctaid;
    return b->ctaid[0] + (uint64_t)n[0] * (b->ctaid[1] + (uint64_t)n[1] * b->ctaid[2]);
}

static const char *const verbs[] = { [DETAILS_IN_LOAD] = "read", [DETAILS_IN_STORE] = "write", [DETAILS_IN_ATOMIC] = "atomic" };

static void tell_launch(struct report *rep, const struct runner *r)
{
    const struct launched *l = r->cmd->watched;
    if (l)
        report_host(rep, "launch", l->call.trace, "kernel %s", r->launch->kernel->name);
}

static void out_of_bounds(const struct runner *r, const struct details_site *s, uint32_t thread, uint64_t address)
{
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report rep;
    const struct launched *l = r->cmd->watched;
    enum ledger_found found = ledger_find(address, &e);
    if (found == LEDGER_FREED && l && e.freed_at > l->at) {      /* in the order of streams, behind this launch */
        if (check_tools & CHECK_HAZARD)
            hazard_look_at_freed((uint32_t)r->cmd->seq, address, s->bytes, s->kind != DETAILS_IN_LOAD, s->place);
        return;
    }
    if (!(check_tools & CHECK_MEMORY))
        return;
    if (found == LEDGER_INSIDE && e.bytes - (address - e.base) >= s->bytes)      /* freed and given out again since it was looked up */
        return;
    if (found == LEDGER_INSIDE)                  /* its last bytes are outside */
        address = e.base + e.bytes;
    if (found != LEDGER_NOTHING)
        ledger_describe(&where, &e, address);
    report_begin(&rep, found == LEDGER_FREED ? "memory.freed" : "memory.bounds", "kernel %s: %s of %u bytes %s", r->launch->kernel->name, verbs[s->kind], s->bytes,
                 found == LEDGER_FREED ? "in memory that was freed" : "outside of any memory that CUDA knows");
    report_device(&rep, verbs[s->kind], s->place, "block %llu, thread %u, address %#llx: %s", (unsigned long long)(r->block - 1), thread, (unsigned long long)address,
                  where.s ? where.s : "near nothing that was allocated");
    if (found != LEDGER_NOTHING)
        report_host(&rep, "made", e.made, "%s, %llu bytes", e.made_by ? e.made_by : "?", (unsigned long long)e.bytes);
    if (found == LEDGER_FREED)
        report_host(&rep, "freed", e.freed, "%s", e.freed_by);
    tell_launch(&rep, r);
    report_end(&rep);
    hw_str_fini(&where);
}

static void misaligned(const struct runner *r, const struct details_site *s, uint32_t thread, uint64_t address)
{
    struct report rep;
    report_begin(&rep, "memory.misaligned", "kernel %s: %s of %u bytes at an address that is no multiple of %u", r->launch->kernel->name, verbs[s->kind], s->bytes, s->bytes);
    report_device(&rep, verbs[s->kind], s->place, "block %llu, thread %u, address %#llx", (unsigned long long)(r->block - 1), thread, (unsigned long long)address);
    tell_launch(&rep, r);
    report_end(&rep);
}

static void outside_shared(const struct runner *r, const struct details_site *s, uint32_t thread, uint64_t offset)
{
    struct report rep;
    uint32_t have = r->launch->kl.shared_bytes;
    report_begin(&rep, "memory.shared-bounds", "kernel %s: %s of %u bytes outside of the block's shared memory", r->launch->kernel->name, verbs[s->kind], s->bytes);
    report_device(&rep, verbs[s->kind], s->place, "block %llu, thread %u, offset %lld of %u bytes", (unsigned long long)(r->block - 1), thread, (long long)(int32_t)offset, have);
    tell_launch(&rep, r);
    report_end(&rep);
}

/* Which lanes use shared memory, which the threads' own, which neither; shared addresses become offsets. */
static void split(const struct runner *r, const struct kabi_block *b, const struct details_site *s, uint32_t mask, const uint64_t *a, uint64_t *offsets, uint32_t *shared, uint32_t *global)
{
    uint64_t local = (uint64_t)threads_of(r->launch) * r->launch->kernel->local_bytes;
    const struct launched *launched = r->cmd->watched;
    uint64_t params = launched ? launched->param_bytes : 0;
    *shared = s->space == DETAILS_SHARED ? mask : 0;
    *global = s->space == DETAILS_GLOBAL ? mask : 0;
    memcpy(offsets, a, LANES * sizeof *offsets);
    for (uint32_t m = s->space == DETAILS_GENERIC ? mask : 0; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t offset = a[l] - (uint64_t)(uintptr_t)b->shared;
        if (offset < r->launch->kl.shared_bytes) {
            *shared |= 1u << l;
            offsets[l] = offset;
        } else if (a[l] - (uint64_t)(uintptr_t)b->local >= local && a[l] - (uint64_t)(uintptr_t)r->launch->kl.params >= params) {
            *global |= 1u << l;
        }
    }
}

static void look_at_memory(const struct runner *r, const struct details_site *s, uint32_t thread, uint32_t shared, uint32_t *global, const uint64_t *a, const uint64_t *offsets)
{
    for (uint32_t m = *global; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (hw_unlikely((check_tools & CHECK_MEMORY) && a[l] & (s->bytes - 1)))
            misaligned(r, s, thread + l, a[l]);
        if (hw_unlikely(!ledger_holds(a[l], s->bytes))) {
            if (check_tools & (CHECK_MEMORY | CHECK_HAZARD))
                out_of_bounds(r, s, thread + l, a[l]);
            *global &= ~(1u << l);
        }
    }
    for (uint32_t m = check_tools & CHECK_MEMORY ? shared : 0; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (hw_unlikely(offsets[l] + s->bytes > r->launch->kl.shared_bytes))
            outside_shared(r, s, thread + l, offsets[l]);
    }
}

static void visit_access(struct runner *r, struct kabi_block *block, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a)
{
    const struct details_site *s = &r->launch->kernel->details->sites[site];
    uint64_t offsets[2 * LANES];
    uint32_t shared, global;
    if (s->tile)
        return;
    split(r, block, s, mask, a, offsets, &shared, &global);
    look_at_memory(r, s, thread, shared, &global, a, offsets);
    if (!r->race)
        return;
    if (s->valued)
        memcpy(offsets + LANES, a + LANES, LANES * sizeof *offsets);
    if (global)
        race_access(r->race, site, thread, global, a, false);
    if (shared)
        race_access(r->race, site, thread, shared, offsets, true);
}

/* One lane by itself: its values stand first, and go where the lane has its place. */
static void spread(const uint64_t *a, bool values, unsigned lane, uint64_t *out)
{
    out[lane] = a[0];
    if (values)
        out[LANES + lane] = a[LANES];
}

static void visit(void *state, struct kabi_block *block, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a)
{
    struct runner *r = state;
    const struct details_site *s = &r->launch->kernel->details->sites[site];
    uint64_t one[2 * LANES], number = number_of(block) + 1;
    if (!mask || s->kind == DETAILS_IN_BLOCK)
        return;
    if (r->block != number) {
        r->block = number;
        if (r->race)
            race_block_begin(r->race, number - 1);
    }
    if (r->launch->kernel->width == 1) {
        spread(a, s->valued, thread % LANES, one);
        mask = 1u << thread % LANES;
        thread -= thread % LANES;
        a = one;
    }
    switch (s->kind) {
    case DETAILS_IN_BARRIER:
        if (r->race)
            race_barrier(r->race, site, thread, mask, a);
        break;
    case DETAILS_IN_WARP:
        if (r->race)
            race_warp(r->race, thread, mask, a);
        break;
    case DETAILS_IN_FENCE:
        if (r->race)
            race_fence(r->race, thread, mask, s->grid_wide);
        break;
    default: visit_access(r, block, site, thread, mask, a); break;
    }
}

const struct exec_checker access_checker = { .begin = begin, .visit = visit, .end = end, .heap = ledger_heap };
