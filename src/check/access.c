/* SPDX-License-Identifier: Apache-2.0 */
/* Instrumented kernels: each access of a warp, before it is made. */
#include "check/tools.h"

#include "check/check.h"
#include "check/guard.h"
#include "check/hazard.h"
#include "check/part.h"
#include "check/race.h"
#include "check/race_grid.h"
#include "check/runner.h"
#include "check/sync.h"
#include "check/window.h"
#include "core/module/launch.h"
#include "core/module/module.h"
#include "core/stream/stream.h"

#include <stdlib.h>

/* Where malloc() or free() is called that the engine is about to do for this thread. */
static _Thread_local const char *heap_place;
static _Thread_local struct ctx *heap_ctx;

void access_launch_made(struct cmd *c, const struct function *f, const struct launch_config *config)
{
    struct launched *l = hw_alloc(sizeof *l);
    *l = (struct launched){ .call = *trace_current(), .at = ledger_now(), .param_bytes = f->param_bytes, .cooperative = config->cooperative };
    c->watched = l;
    c->x.launch.details = c->x.launch.kernel->details != NULL;
}

struct trace_call *access_launch_added(struct cmd *c) { return &((struct launched *)c->watched)->added; }

void access_launch_queued(struct cmd *c)
{
    const struct launched *l = c->watched;
    hazard_launch(c, l ? &l->call : trace_current(), l ? &l->added : NULL, c->x.launch.kernel->name);
    guard_kernel_queued((uint32_t)c->seq, c->x.launch.kl.params, c->x.launch.kl.param_bytes);
}

static void forget_runners(const struct exec_launch *launch);

void access_launch_over(struct cmd *c)
{
    forget_runners(&c->x.launch);
    race_grid_end(c->x.launch.kl.grid_id);
    hw_free(c->watched);
    c->watched = NULL;
}

/* ---- runners ---- */

/* Those of launches that are not over: a thread comes back for more blocks of a launch very often. */
static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct runner *resting HW_GUARDED_BY(mu);

static struct runner *runner_new(const struct exec_launch *launch)
{
    struct runner *r = hw_alloc(sizeof *r);
    uint32_t threads = runner_threads(launch);
    r->launch = launch;
    r->grid = launch->kl.grid_id;
    r->cmd = hw_container_of(launch, struct cmd, x.launch);
    windows_new(r);
    if (check_tools & (CHECK_RACE | CHECK_HAZARD | CHECK_SYNC))
        r->race = race_block_new(launch, runner_at(r));
    if (check_tools & CHECK_SYNC)
        r->sync = sync_block_new(r);
    if (check_tools & (CHECK_SYNC | CHECK_RACE))
        r->memory = sync_memory_new(r);
    if (check_tools & CHECK_INIT) {
        init_bits_new(&r->shared, launch->kl.shared_bytes);
        init_bits_new(&r->local, (uint64_t)threads * launch->kernel->local_bytes);
        r->said = hw_alloc(launch->kernel->details->n + 1);
    }
    return r;
}

static void runner_free(struct runner *r)
{
    race_block_free(r->race);
    sync_block_free(r->sync);
    sync_memory_free(r->memory);
    init_bits_free(&r->shared);
    init_bits_free(&r->local);
    windows_free(r);
    hw_free(r->said);
    hw_free(r->bounds);
    hw_free(r->only_read);
    hw_free(r);
}

/* One of that launch that rests, or NULL. */
static struct runner *runner_of(const struct exec_launch *launch)
{
    hw_lock(&mu);
    struct runner **at = &resting, *r;
    while (*at && ((*at)->launch != launch || (*at)->grid != launch->kl.grid_id))
        at = &(*at)->next;
    r = *at;
    if (r)
        *at = r->next;
    hw_unlock(&mu);
    return r;
}

static void forget_runners(const struct exec_launch *launch)
{
    for (struct runner *r; (r = runner_of(launch));)
        runner_free(r);
}

static void *begin(const struct exec_launch *launch, struct kabi_block *block)
{
    struct runner *r = runner_of(launch);
    if (!r)
        r = runner_new(launch);
    windows_begin(r);
    block->windows = r->windows;
    block->came = r->came;
    return r;
}

/* All of its threads have left; or one of them has faulted. */
static void end_block(struct runner *r)
{
    if (!r->block || atomic_load_explicit(&r->launch->fault, memory_order_relaxed))
        return;
    if (r->sync)
        sync_block_end(r->sync);
    if (r->memory)
        sync_memory_end(r->memory);
}

static void end(void *state)
{
    struct runner *r = state;
    end_block(r);
    r->block = 0;
    if (r->race)
        race_block_rest(r->race);
    hw_lock(&mu);
    r->next = resting;
    resting = r;
    hw_unlock(&mu);
}

static void begin_block(struct runner *r, uint64_t number)
{
    end_block(r);
    r->block = number + 1;
    if (r->sync)
        sync_block_begin(r->sync);
    if (r->memory)
        sync_memory_begin(r->memory);
    if (r->race)
        race_block_begin(r->race, number);
    if (check_tools & CHECK_INIT)
        reads_begin(r);
    windows_block(r);
}

static uint64_t number_of(const struct kabi_block *b)
{
    const uint32_t *n = b->launch->nctaid;
    return b->ctaid[0] + (uint64_t)n[0] * (b->ctaid[1] + (uint64_t)n[1] * b->ctaid[2]);
}

/* ---- what reports say ---- */

const char *access_verb(const struct details_site *s)
{
    static const char *const verbs[] = { [DETAILS_IN_LOAD] = "read", [DETAILS_IN_STORE] = "write", [DETAILS_IN_ATOMIC] = "atomic" };
    return verbs[s->kind];
}

void access_tell_launch(struct report *rep, const struct runner *r)
{
    const struct launched *l = launched_of(r);
    if (!l)
        return;
    report_host(rep, "launch", l->call.trace, "kernel %s", r->launch->kernel->name);
    if (l->added.name)
        report_host(rep, "node", l->added.trace, "%s", l->added.name);
}

void access_tell_made(struct report *rep, const struct ledger_entry *e)
{
    if (e->made_place)
        report_device(rep, "made", e->made_place, "%s, %llu bytes", e->made_by, (unsigned long long)e->bytes);
    else
        report_host(rep, "made", e->made, "%s, %llu bytes", e->made_by ? e->made_by : "?", (unsigned long long)e->bytes);
    if (e->freed_by && e->freed_place)
        report_device(rep, "freed", e->freed_place, "%s", e->freed_by);
    else if (e->freed_by)
        report_host(rep, "freed", e->freed, "%s", e->freed_by);
}

static void tell_trap(const struct runner *r, const struct details_site *s, uint32_t thread)
{
    const struct launched *l = launched_of(r);
    struct report rep;
    if (!(check_tools & CHECK_SYNC))
        return;
    report_begin(&rep, "sync.trap", "kernel %s: a thread stops the grid with __trap()", r->launch->kernel->name);
    report_device(&rep, "trap", s->place, "block %llu, thread %u", runner_block(r), thread);
    access_tell_launch(&rep, r);
    if (l && !l->cooperative)
        report_advice(&rep, "grid.sync() does so where the kernel was not launched with cudaLaunchCooperativeKernel.");
    report_end(&rep);
}

/* ---- what comes ---- */

/* Which lanes use global, shared and local memory. */
static void split(const struct runner *r, const struct kabi_block *b, uint32_t mask, struct access *x)
{
    const struct details_site *s = x->s;
    uint64_t local = (uint64_t)runner_threads(r->launch) * r->launch->kernel->local_bytes;
    const struct launched *launched = launched_of(r);
    uint64_t params = launched ? launched->param_bytes : 0;
    x->shared = s->space == DETAILS_SHARED ? mask : 0;
    x->global = s->space == DETAILS_GLOBAL || (s->space == DETAILS_CONSTANT && s->variable) ? mask : 0;
    x->local = s->space == DETAILS_LOCAL ? mask : 0;
    memcpy(x->offsets, x->a, LANES * sizeof *x->offsets);
    if (s->valued || s->locks || s->tile)
        memcpy(x->offsets + LANES, x->a + LANES, LANES * sizeof *x->offsets);
    for (uint32_t m = x->local; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        x->offsets[l] = (uint64_t)(int32_t)x->a[l] + (uint64_t)(x->thread + l) * r->launch->kernel->local_bytes;
    }
    for (uint32_t m = s->space == DETAILS_GENERIC ? mask : 0; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t offset = x->a[l] - (uint64_t)(uintptr_t)b->shared;
        if (offset < r->launch->kl.shared_bytes || (s->shared_bytes && offset + s->bytes + 65536 < (uint64_t)2 << 20)) {
            x->shared |= 1u << l;
            x->offsets[l] = offset;
        } else if (x->a[l] - (uint64_t)(uintptr_t)b->local < local || s->local_bytes) {
            x->local |= 1u << l;
            x->offsets[l] = x->a[l] - (uint64_t)(uintptr_t)b->local;
        } else if (x->a[l] - (uint64_t)(uintptr_t)r->launch->kl.params >= params) {
            x->global |= 1u << l;
        }
    }
}

/* The usual access: in one space, everything about it is right, and that is seen of whole parts of the warp. False: it must be looked at lane by lane. */
static bool visit_parts(struct runner *r, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a)
{
    const struct details_site *s = &r->launch->kernel->details->sites[site];
    bool shared = s->space == DETAILS_SHARED, init = (check_tools & CHECK_INIT) != 0;
    struct part parts[PARTS];
    if ((!shared && s->space != DETAILS_GLOBAL) || s->tile || !s->bytes || (s->bytes & (s->bytes - 1)) || (shared && r->memory && !sync_shared_idle(r->memory)))
        return false;
    unsigned n = parts_of(a, mask, s->bytes, parts);
    if (r->race && window_knows(r, site, parts, n)) {
        if (r->sync)
            sync_came(r->sync, site, thread, mask);
        race_parts(r->race, site, thread, mask, a, parts, n, shared, RACE_TOUCHED);
        return true;
    }
    for (unsigned k = 0; k < n; k++)
        if (!bounds_part(r, site, &parts[k], shared) || (init && !reads_part(r, s, &parts[k], shared)))
            return false;
    for (unsigned k = 0; init && s->kind != DETAILS_IN_LOAD && k < n; k++)
        reads_wrote(r, s, &parts[k], shared);
    if (r->sync)
        sync_came(r->sync, site, thread, mask);
    if (r->race)
        race_parts(r->race, site, thread, mask, a, parts, n, shared, window_is_quiet(r, site) ? RACE_QUIET : 0);
    window_parts(r, site, parts, shared);
    return true;
}

static void visit_access(struct runner *r, struct kabi_block *block, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a)
{
    if (window_touches(r, site, thread, mask, a) || hw_likely(visit_parts(r, site, thread, mask, a)))
        return;
    struct access x = { .s = &r->launch->kernel->details->sites[site], .site = site, .thread = thread, .a = a };
    split(r, block, mask, &x);
    bounds_access(r, &x);
    if (check_tools & CHECK_INIT)
        reads_access(r, &x);
    if (r->memory && x.shared)
        sync_shared(r->memory, &x);
    if (r->sync)
        sync_came(r->sync, site, thread, mask);
    if (r->race && !x.s->tile && x.s->space == DETAILS_CONSTANT) {       /* no thread can write it, but other commands can */
        if (x.global)
            race_constant(r->race, site, x.global, a);
    } else if (r->race && !x.s->tile) {
        if (x.global)
            race_access(r->race, site, thread, x.global, a, false);
        if (x.shared)
            race_access(r->race, site, thread, x.shared, x.offsets, true);
    }
    window_access(r, block, &x, mask);
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
    uint64_t one[2 * LANES];
    if (!mask || s->kind == DETAILS_IN_BLOCK)
        return;
    if (r->launch->kernel->width == 1) {
        spread(a, s->valued || s->locks || s->tile || s->kind == DETAILS_IN_NOTE, thread % LANES, one);
        mask = 1u << thread % LANES;
        thread -= thread % LANES;
        a = one;
    }
    switch (s->kind) {
    case DETAILS_IN_BARRIER:
        if (r->sync)
            sync_barrier(r->sync, site, thread, mask, a);
        if (r->race)
            race_barrier(r->race, site, thread, mask, a);
        break;
    case DETAILS_IN_WARP:
        if (r->sync)
            sync_warp(r->sync, site, thread, mask, a);
        if (r->race)
            race_warp(r->race, thread, mask, a);
        break;
    case DETAILS_IN_FENCE:
        if (r->race)
            race_fence(r->race, thread, mask, s->grid_wide);
        break;
    case DETAILS_IN_MALLOC:
        heap_place = s->place;
        heap_ctx = r->cmd->stream->ctx;
        break;
    case DETAILS_IN_FREE:
        heap_place = s->place;
        bounds_free(r, site, thread, mask, a);
        break;
    case DETAILS_IN_TRAP: tell_trap(r, s, thread + (uint32_t)__builtin_ctz(mask)); break;
    case DETAILS_IN_NOTE:
        if (r->memory)
            sync_note(r->memory, block, site, thread, mask, a);
        break;
    default: visit_access(r, block, site, thread, mask, a); break;
    }
}

static void next_block(void *state, struct kabi_block *block)
{
    begin_block(state, number_of(block));
}

static void stuck(void *state, struct kabi_block *block)
{
    struct runner *r = state;
    if (r->sync && r->block)
        sync_stuck(r->sync, block);
}

static void heap(uint64_t base, uint64_t bytes, bool made)
{
    ledger_heap(heap_ctx, base, bytes, made, heap_place);
    if (made)
        init_given(base, bytes);
}

const struct exec_checker access_checker = { .begin = begin, .block = next_block, .visit = visit, .end = end, .stuck = stuck, .heap = heap };
