/* SPDX-License-Identifier: Apache-2.0 */
/* From hooks to commands of the computed GPUs: who waits for whom, and when the host goes on. */
#define _GNU_SOURCE
#include "clock/clock.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/clock.h"
#include "core/device/ctx.h"
#include "core/stream/event.h"
#include "core/hooks.h"
#include "core/module/launch.h"
#include "core/mem/mem.h"
#include "core/sched/sched.h"
#include "core/stream/stream.h"

#include <pthread.h>
#include <stdatomic.h>

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LOG);          /* the graph of commands; taken under the scheduler's, and any of an object that is closed */
static struct hw_mutex told_mu = HW_MUTEX_INIT(HW_RANK_LEAF);    /* sim_cmd.watched and finished */
static struct hw_map streams, events;            /* by id; by address: the newest record */
static HW_VEC(struct sim_stream *) all_streams;
static uint64_t base_ns;
static bool any_closed;                          /* a stream whose handle is closed is in all_streams */

/* Commands that really ended, to be dropped under mu: who tells of it holds the scheduler's lock and must not wait for ours. */
struct gone {
    struct gone *next;
    struct sim_cmd *cmd;
};
static struct gone *_Atomic all_gone;

/* --- threads --- */

static pthread_key_t thread_key;
static _Thread_local struct clock_thread *tls;
static struct clock_thread *first_thread;

/* A thread begins at the time of the one that came first, which usually started it and now waits for it. */
struct clock_thread *clock_thread(void)
{
    struct clock_thread *t = tls;
    if (t)
        return t;
    t = hw_alloc(sizeof *t);
    hw_lock(&told_mu);
    if (!first_thread)
        first_thread = t;
    for (size_t g = 0; g < sim_n; g++)
        t->now[g] = first_thread->now[g];
    t->lead = first_thread->lead;
    hw_unlock(&told_mu);
    tls = t;
    pthread_setspecific(thread_key, t);
    return t;
}

static void thread_ends(void *p)
{
    tls = NULL;
    if (p != first_thread)
        hw_free(p);
}

/* --- streams --- */

static struct sim_stream *stream_of(const struct stream *s)
{
    struct sim_stream *v = hw_map_get(&streams, &s->id, sizeof s->id);
    if (v)
        return v;
    v = hw_alloc(sizeof *v);
    v->id = s->id;
    v->ctx = s->ctx;
    v->blocking = !(s->flags & CU_STREAM_NON_BLOCKING);
    v->legacy = s->legacy;
    hw_map_set(&streams, &v->id, sizeof v->id, v);
    hw_vec_push(&all_streams, v);
    return v;
}

static void each_tail(const struct sim_stream *of, void (*fn)(struct sim_cmd *tail, void *arg), void *arg)
{
    for (size_t k = 0; k < all_streams.n; k++) {
        struct sim_stream *o = all_streams.v[k];
        if (o != of && o->ctx == of->ctx && o->blocking && of->blocking && (o->legacy || of->legacy) && o->tail)
            fn(o->tail, arg);
    }
}

static void comes_after(struct sim_cmd *tail, void *arg) { sim_after(arg, tail); }

static void drain_gone(void)
{
    for (struct gone *g = atomic_exchange(&all_gone, NULL), *next; g; g = next) {
        next = g->next;
        sim_unref(g->cmd);
        hw_free(g);
    }
}

/* --- commands --- */

static enum sim_copy copy_kind(const struct exec_copy *x, enum sim_engine *engine)
{
    struct mem_info to, from;
    mem_lookup((uint64_t)(uintptr_t)x->dst, &to);
    bool in = to.kind == MEM_DEVICE || to.kind == MEM_VARIABLE || to.kind == MEM_MANAGED;
    *engine = SIM_DEVICE;
    if (!x->src)
        return SIM_FILL;
    mem_lookup((uint64_t)(uintptr_t)x->src, &from);
    bool out = from.kind == MEM_DEVICE || from.kind == MEM_VARIABLE || from.kind == MEM_MANAGED;
    if (in && out)
        return SIM_ON_DEVICE;
    *engine = in ? SIM_IN : out ? SIM_OUT : SIM_HOST;
    if (!in && !out)
        return SIM_ON_HOST;
    return in ? (from.kind == MEM_NONE ? SIM_PAGEABLE_IN : SIM_PINNED_IN) : to.kind == MEM_NONE ? SIM_PAGEABLE_OUT : SIM_PINNED_OUT;
}

static void on_launch_made(struct cmd *c, const struct function *f, const struct launch_config *config)
{
    struct sim_cmd *v = sim_cmd_new();
    v->engine = SIM_KERNEL;
    v->kernel = count_launch(v, c, f, config);
    c->timed = v;
}

static void on_copy_made(struct cmd *c, bool async)
{
    struct sim_cmd *v = sim_cmd_new();
    v->copy = copy_kind(&c->x.copy, &v->engine);
    v->bytes = (double)c->x.copy.width * (double)c->x.copy.rows * (double)c->x.copy.slices;
    if (v->copy == SIM_ON_HOST)                  /* the host copies by itself */
        v->engine = SIM_HOST;
    if (c->x.copy.rows * c->x.copy.slices == 1 && (v->copy == SIM_PAGEABLE_IN || v->copy == SIM_PAGEABLE_OUT))
        v->untouched = host_untouched((uintptr_t)(v->copy == SIM_PAGEABLE_IN ? c->x.copy.src : c->x.copy.dst), c->x.copy.width);
    v->async = async;
    c->timed = v;
}

static struct sim_cmd *other_cmd(const struct cmd *c)
{
    struct sim_cmd *v = sim_cmd_new();
    v->engine = c->kind == CMD_HOST_FN || c->kind == CMD_CALLBACK ? SIM_HOST : SIM_POINT;
    return v;
}

static void note_wait(struct clock_thread *t, struct sim_cmd *v, enum clock_wait how)
{
    if (!v || t->depth == 0)
        return;
    if (t->n_waits == CLOCK_WAITS) {             /* in streams of which the host waits for all: a later one stands for it, or is lost to the time */
        return;
    }
    sim_ref(v);
    t->waits[t->n_waits].cmd = v;
    t->waits[t->n_waits++].how = how;
}

/* A pageable source is read before the call returns: the host does the copying, and is slow. */
static void stage(struct clock_thread *t, struct sim_cmd *v)
{
    if (!v->async || v->copy == SIM_PAGEABLE_OUT) {
        note_wait(t, v, CLOCK_WAIT_COPY);
        return;
    }
    for (size_t g = 0; g < sim_n; g++) {         /* it does not wait for its turn in the stream */
        double ns = gpu_curve_at(&sim_gpus[g].pageable_in, v->bytes) - sim_gpus[g].copy_call_ns;
        t->cost[g] += (ns > 0 ? ns : 0) + v->untouched * sim_gpus[g].untouched_in;
    }
}

/* The host's part of the call; a graph is one for all that is in it. */
static double call_ns(const struct gpu_profile *p, const struct clock_thread *t, const struct cmd *c, const struct sim_cmd *v, double so_far)
{
    if (t->call && strstr(t->call, "GraphLaunch"))
        return so_far > 0 ? 0 : p->graph_call_ns;
    if (v->engine == SIM_KERNEL || v->copy == SIM_FILL)
        return p->launch_call_ns;
    return v->copy ? p->copy_call_ns : c->kind == CMD_RECORD ? p->record_call_ns : p->other_call_ns;
}

static void submit(struct clock_thread *t, const struct cmd *c, struct sim_cmd *v)
{
    for (size_t g = 0; g < sim_n; g++) {
        t->cost[g] += call_ns(&sim_gpus[g], t, c, v, t->cost[g]);
        v->submit[g] = t->now[g] + t->cost[g];
    }
}

static void on_cmd_queued(struct cmd *c)
{
    struct clock_thread *t = tls;                /* engines queue, too: what they queue is ready when what it waits for is over */
    struct sim_cmd *v = c->timed ? c->timed : other_cmd(c);
    hw_lock(&mu);
    drain_gone();
    struct sim_stream *s = stream_of(c->stream);
    c->timed = v;
    v->seq = c->seq;
    v->priority = c->stream->priority;
    if (t && t->depth > 0)
        submit(t, c, v);
    for (size_t k = 0; k < s->waits.n; k++) {
        sim_after(v, s->waits.v[k]);
        sim_unref(s->waits.v[k]);
    }
    s->waits.n = 0;
    each_tail(s, comes_after, v);
    if (t && (v->copy == SIM_PAGEABLE_IN || v->copy == SIM_PAGEABLE_OUT))
        stage(t, v);
    sim_ref(v);                                  /* the running command's */
    sim_push(s, v);
    hw_unlock(&mu);
}

static void on_cmd_depends(struct cmd *c, struct cmd *on)
{
    hw_lock(&mu);
    if (c->timed && on->timed)
        sim_after(c->timed, on->timed);
    hw_unlock(&mu);
}

/* Who listens besides gets the times when both are there: it has ended, and it has a place. */
static void tell(struct sim_cmd *v)
{
    if (v->watched && v->finished && (v->placed & 1))
        hook_cmd_timed(v->watched, base_ns + (uint64_t)v->begin[0], base_ns + (uint64_t)v->end[0]);
}

static void on_cmd_finished(struct cmd *c)
{
    struct sim_cmd *v = c->timed;
    struct gone *g;
    if (c->kind == CMD_KERNEL)
        count_finished(c);
    if (!v)
        return;
    if (v->n_managed)
        managed_finished(v);
    hw_lock(&told_mu);
    v->watched = c->watched;
    v->finished = true;
    tell(v);
    hw_unlock(&told_mu);
    c->timed = NULL;
    g = hw_alloc(sizeof *g);
    g->cmd = v;
    g->next = atomic_load(&all_gone);
    while (!atomic_compare_exchange_weak(&all_gone, &g->next, g))
        ;
}

static void on_placed(struct sim_cmd *v, struct sim_stream *s, size_t g)
{
    if (g == 0) {
        hw_lock(&told_mu);
        tell(v);
        hw_unlock(&told_mu);
    }
    summary_cmd(v, s, g);
}

/* --- events --- */

static void on_event_recorded(struct event *e, struct cmd *c)
{
    hw_lock(&mu);
    struct sim_cmd *v = c->timed, *old = hw_map_get_ptr(&events, e);
    if (v) {
        sim_ref(v);
        hw_map_set_ptr(&events, e, v);
        sim_unref(old);
    }
    hw_unlock(&mu);
}

static void on_stream_waits(struct stream *s, struct event *e)
{
    hw_lock(&mu);
    struct sim_cmd *v = hw_map_get_ptr(&events, e);
    if (v) {
        struct sim_stream *to = stream_of(s);
        sim_ref(v);
        hw_vec_push(&to->waits, v);
    }
    hw_unlock(&mu);
}

static void on_obj_closed(const struct obj *obj)
{
    if (obj->kind != OBJ_EVENT && obj->kind != OBJ_STREAM)
        return;
    hw_lock(&mu);
    if (obj->kind == OBJ_STREAM) {
        struct sim_stream *s = hw_map_get(&streams, &hw_container_of((struct obj *)obj, struct stream, obj)->id, sizeof s->id);
        if (s)
            s->closed = any_closed = true;
        hw_unlock(&mu);
        return;
    }
    sim_unref(hw_map_del_ptr(&events, hw_container_of((struct obj *)obj, struct event, obj)));
    hw_unlock(&mu);
}

static bool elapsed(const struct event *start, const struct event *end, double *ns)
{
    count_settle();
    hw_lock(&mu);
    struct sim_cmd *a = hw_map_get_ptr(&events, start), *b = hw_map_get_ptr(&events, end);
    if (a && b)
        *ns = sim_end(b, 0) - sim_end(a, 0);
    hw_unlock(&mu);
    return a && b;
}

/* --- the host waits --- */

static void add_wait(struct sim_cmd *tail, void *arg) { note_wait(arg, tail, CLOCK_WAIT_ALL); }

static void on_host_waited(struct stream *s, struct event *e, struct ctx *ctx, struct cmd *c)
{
    struct clock_thread *t = tls;
    if (!t || t->depth == 0)
        return;
    hw_lock(&mu);
    if (c && c->timed && !(((struct sim_cmd *)c->timed)->copy == SIM_PAGEABLE_IN && ((struct sim_cmd *)c->timed)->async))   /* it staged */
        note_wait(t, c->timed, ((struct sim_cmd *)c->timed)->copy ? CLOCK_WAIT_COPY : CLOCK_WAIT_ALL);
    if (e)
        note_wait(t, hw_map_get_ptr(&events, e), CLOCK_WAIT_EVENT);
    if (s) {
        struct sim_stream *v = stream_of(s);
        add_wait(v->tail, t);
        each_tail(v, add_wait, t);
    }
    for (size_t k = 0; ctx && k < all_streams.n; k++)
        if (all_streams.v[k]->ctx == ctx)
            add_wait(all_streams.v[k]->tail, t);
    hw_unlock(&mu);
}

/* When the host goes on that waited for it. */
static double back_at(const struct gpu_profile *p, const struct sim_cmd *v, size_t g, int how, double now)
{
    double end = v->end[g];
    if (how == CLOCK_WAIT_COPY && v->copy == SIM_PAGEABLE_IN)    /* the device still copies what was staged last */
        return end - sim_tail_ns(p, v);
    if (how == CLOCK_WAIT_COPY)
        return end + (v->copy ? p->copy_return_ns : p->sync_return_ns);
    if (end <= now)
        return now;
    return end + (how == CLOCK_WAIT_EVENT ? p->event_return_ns : p->sync_return_ns);
}

/* Streams that are closed and have nothing left to place. */
static void sweep(void)
{
    size_t kept = 0;
    sim_forget_idle();
    if (!any_closed)
        return;
    any_closed = false;
    for (size_t k = 0; k < all_streams.n; k++) {
        struct sim_stream *s = all_streams.v[k];
        if (!s->closed || s->listed) {
            any_closed |= s->closed;
            all_streams.v[kept++] = s;
            continue;
        }
        hw_map_del(&streams, &s->id, sizeof s->id);
        sim_unref(s->tail);
        for (size_t w = 0; w < s->waits.n; w++)
            sim_unref(s->waits.v[w]);
        hw_vec_fini(&s->waits);
        hw_free(s);
    }
    all_streams.n = kept;
}

/* A program that never waits: what is queued takes memory. */
enum { MOST_WAITING = 65536 };

static void pass(struct clock_thread *t)
{
    if (t->n_waits)
        count_settle();
    hw_lock(&mu);
    drain_gone();
    for (size_t g = 0; g < sim_n; g++) {
        double at = t->now[g] + t->cost[g], later = at;
        for (unsigned k = 0; k < t->n_waits; k++) {
            sim_end(t->waits[k].cmd, g);
            double back = back_at(&sim_gpus[g], t->waits[k].cmd, g, t->waits[k].how, at);
            later = back > later ? back : later;
        }
        t->now[g] = later;
    }
    for (unsigned k = 0; k < t->n_waits; k++)
        sim_unref(t->waits[k].cmd);
    t->n_waits = 0;
    if (sim_waiting > MOST_WAITING)
        sim_all();
    sweep();
    hw_unlock(&mu);
}

/* --- calls --- */

static void on_api_enter(struct hook_call *call)
{
    struct clock_thread *t = clock_thread();
    if (t->depth++ > 0)
        return;
    t->call = call->name;
    t->made_context = false;
    memset(t->cost, 0, sizeof t->cost);
    t->entered = hw_now_ns();
}

static void on_api_leave(struct hook_call *call)
{
    struct clock_thread *t = clock_thread();
    if (t->depth == 0 || --t->depth > 0)
        return;
    double before = t->now[0];
    t->depth++;                                  /* nothing of ours is a call of the program */
    host_call_cost(t, call->result);
    pass(t);
    t->depth--;
    t->lead += (int64_t)(t->now[0] - before) - (int64_t)(hw_now_ns() - t->entered);
}

static void on_mem_added(const struct mem_info *info)
{
    if (tls && tls->depth)
        host_memory_cost(tls, info, true);
}

/* It moves as copies of page-locked memory do, in the order of its stream. */
static void on_mem_prefetched(struct stream *s, uint64_t addr, uint64_t bytes, bool to_device)
{
    struct clock_thread *t = tls;
    struct mem_info info;
    if (!t || t->depth == 0 || !mem_lookup(addr, &info) || info.kind != MEM_MANAGED || !managed_prefetch(&info, to_device))
        return;
    struct sim_cmd *v = sim_cmd_new();
    v->engine = to_device ? SIM_IN : SIM_OUT;
    v->copy = to_device ? SIM_PINNED_IN : SIM_PINNED_OUT;
    v->bytes = (double)bytes;
    v->async = true;
    hw_lock(&mu);
    struct sim_stream *to = stream_of(s);
    for (size_t g = 0; g < sim_n; g++) {
        t->cost[g] += sim_gpus[g].copy_call_ns;
        v->submit[g] = t->now[g] + t->cost[g];
    }
    each_tail(to, comes_after, v);
    sim_push(to, v);
    hw_unlock(&mu);
}

static void on_mem_dropped(const struct mem_info *info)
{
    if (info->kind == MEM_MANAGED)
        managed_dropped(info->base);
    if (tls && tls->depth)
        host_memory_cost(tls, info, false);
}

static void on_obj_made(const struct obj *obj)
{
    if (obj->kind == OBJ_CTX && tls && tls->depth)
        tls->made_context = true;
}

static bool forked;
static void in_child(void) { forked = true; }

static void at_exit(void)
{
    double host[GPU_MOST_CHOSEN] = { 0 };
    if (forked)
        return;
    hw_lock(&mu);                                /* what has not been counted by now never will be */
    sim_all();
    hw_unlock(&mu);
    for (size_t g = 0; first_thread && g < sim_n; g++)
        host[g] = first_thread->now[g];
    summary_write(host);
}

static uint64_t host_ns(void)
{
    const struct clock_thread *t = tls;
    return base_ns + (uint64_t)(t ? t->now[0] : first_thread ? first_thread->now[0] : 0);
}

static const struct hook_listener listener = {
    .api_enter = on_api_enter,
    .api_leave = on_api_leave,
    .launch_made = on_launch_made,
    .copy_made = on_copy_made,
    .cmd_queued = on_cmd_queued,
    .cmd_depends = on_cmd_depends,
    .cmd_finished = on_cmd_finished,
    .event_recorded = on_event_recorded,
    .stream_waits = on_stream_waits,
    .host_waited = on_host_waited,
    .obj_made = on_obj_made,
    .obj_closed = on_obj_closed,
    .mem_prefetched = on_mem_prefetched,
    .mem_added = on_mem_added,
    .mem_dropped = on_mem_dropped,
};

static const struct core_clock the_clock = { host_ns, elapsed, count_kernel_ns };

void clock_init(void)
{
    const struct gpu_profile *profiles;
    size_t n = gpu_chosen(&profiles, NULL);      /* what is wrong is said when the devices are looked for */
    if (!n || hw_options()->check[0] || !hook_listen(&listener))     /* the checker wants all launches for itself */
        return;
    pthread_key_create(&thread_key, thread_ends);
    base_ns = 1000000000;
    sim_init(profiles, n);
    sim_placed = on_placed;
    sim_kernel_ns = count_ns;
    summary_init();
    core_clock = &the_clock;
    host_patch_clocks();
    pthread_atfork(NULL, NULL, in_child);
    atexit(at_exit);
}
