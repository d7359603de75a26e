/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded: API calls, commands of streams, memory, ranges of the program. */
#define _GNU_SOURCE
#include "prof/prof.h"

#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/clock.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/hooks.h"
#include "core/module/launch.h"
#include "core/mem/mem.h"
#include "core/module/module.h"
#include "core/sched/sched.h"
#include "core/stream/stream.h"
#include "prof/details.h"
#include "prof/writer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static _Atomic bool on;                          /* between cuProfilerStart and cuProfilerStop, or always */

static _Thread_local uint32_t tls_tid;
static _Thread_local unsigned tls_depth;         /* of API calls: only the outermost is the program's own */
static _Thread_local uint64_t tls_api;           /* the slot of that call */

static uint32_t tid(void)
{
    if (!tls_tid)
        tls_tid = (uint32_t)gettid();
    return tls_tid;
}

static struct prof_record *begin(void)
{
    struct prof_record *r = atomic_load_explicit(&on, memory_order_relaxed) ? writer_take() : NULL;
    if (r)
        r->tid = tid();
    return r;
}

/* --- API calls --- */

static void on_api_enter(struct hook_call *call)
{
    struct prof_record *r;
    call->token = 0;
    if (tls_depth++ > 0 || !(r = begin()))
        return;
    r->name = writer_name_static(call->name);
    r->caller = writer_caller(call->caller);
    call->token = tls_api = writer_slot(r);
    r->start = writer_now();
    writer_commit(r, PROF_API);
}

static void on_api_leave(struct hook_call *call)
{
    struct prof_record *r = writer_record(call->token);
    if (tls_depth > 0 && --tls_depth == 0)
        tls_api = 0;
    if (!r)
        return;
    r->result = call->result;
    r->end = writer_now();
}

/* --- commands --- */

static enum prof_place place_of(const struct mem_info *info)
{
    switch (info->kind) {
    case MEM_DEVICE:
    case MEM_VARIABLE: return PROF_DEVICE;
    case MEM_HOST:
    case MEM_REGISTERED: return PROF_PINNED;
    case MEM_MANAGED: return PROF_MANAGED;
    case MEM_NONE: break;
    }
    return PROF_PAGEABLE;
}

static uint16_t flags_of(const struct mem_info *info)
{
    return (uint16_t)((info->kind == MEM_HOST && (info->flags & CU_MEMHOSTALLOC_WRITECOMBINED) ? PROF_WRITE_COMBINED : 0)
                      | (info->kind == MEM_REGISTERED ? PROF_REGISTERED : 0));
}

/* Host memory among a kernel's arguments: zero copy. Any aligned word that is an address of such memory counts. */
static void note_mapped(struct prof_record *kernel, const struct cmd *c, const struct function *f)
{
    for (uint32_t i = 0; i < f->n_params; i++) {
        struct mem_info info;
        uint64_t word;
        if (f->params[i].bytes != sizeof word)
            continue;
        memcpy(&word, (const char *)c->params + f->params[i].offset, sizeof word);
        if (word < 4096 || !mem_lookup(word, &info) || place_of(&info) != PROF_PINNED)
            continue;
        struct prof_record *r = begin();
        if (!r)
            return;
        r->id = writer_slot(kernel);
        r->name = kernel->name;
        r->data.addr = info.base;
        r->bytes = info.bytes;
        r->flags = flags_of(&info);
        writer_commit(r, PROF_MAPPED);
    }
}

/* Occupancy by registers, shared memory and threads, as a GPU of the reported capability would have it; and what CUDA calls achieved, were
   all blocks equally long: warps on the multiprocessors that have any, wave after wave. */
static void note_occupancy(struct prof_record *r, const struct function *f, const struct launch_config *config)
{
    uint32_t threads = config->block[0] * config->block[1] * config->block[2], warps = (threads + DEVICE_WARP - 1) / DEVICE_WARP;
    uint64_t fit = launch_occupancy(f, threads, config->shared_bytes), blocks = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
    if (!fit)
        return;
    uint64_t waves = blocks / (fit * DEVICE_SM_COUNT), rest = blocks % (fit * DEVICE_SM_COUNT);
    uint64_t busy = waves * DEVICE_SM_COUNT + hw_min_u64(rest, DEVICE_SM_COUNT);
    r->occupancy = (uint8_t)hw_min_u64(100, 100 * fit * warps * DEVICE_WARP / DEVICE_THREADS_SM);
    r->data.shape.achieved = 100.0f * (float)blocks * (float)warps / (float)busy / (float)(DEVICE_THREADS_SM / DEVICE_WARP);
}

static void on_launch_made(struct cmd *c, const struct function *f, const struct launch_config *config)
{
    struct prof_record *r = begin();
    c->watched = r;
    if (!r)
        return;
    r->name = writer_name(f->name);
    memcpy(r->data.shape.grid, config->grid, sizeof config->grid);
    memcpy(r->data.shape.block, config->block, sizeof config->block);
    r->data.shape.shared_static = f->shared_static;
    r->data.shape.shared_dynamic = config->shared_bytes;
    r->regs = f->n_regs;
    note_occupancy(r, f, config);
    r->api = tls_api;
    note_mapped(r, c, f);
    if (c->x.launch.kernel->details)
        details_launch(&c->x.launch, r->name);
}

static void on_copy_made(struct cmd *c, bool async)
{
    const struct exec_copy *x = &c->x.copy;
    struct prof_record *r = begin();
    struct mem_info info;
    c->watched = r;
    if (!r)
        return;
    mem_lookup((uint64_t)(uintptr_t)x->dst, &info);
    r->dst = (uint8_t)place_of(&info);
    r->flags = flags_of(&info);
    if (x->src) {
        mem_lookup((uint64_t)(uintptr_t)x->src, &info);
        r->src = (uint8_t)place_of(&info);
    } else {
        r->src = r->dst;
    }
    r->flags |= async ? PROF_ASYNC : 0;
    r->bytes = x->width * x->rows * x->slices;
    r->api = tls_api;
}

static enum prof_type type_of(const struct cmd *c)
{
    switch (c->kind) {
    case CMD_KERNEL: return PROF_KERNEL;
    case CMD_COPY: return c->x.copy.src ? PROF_COPY : PROF_FILL;
    case CMD_HOST_FN:
    case CMD_CALLBACK: return PROF_HOSTFN;
    case CMD_RECORD: return PROF_EVENT;
    case CMD_WAIT: return PROF_WAIT;
    default: return PROF_NONE;                   /* a kind this file does not know: not recorded */
    }
}

static enum prof_engine engine_of(const struct cmd *c)
{
    if (c->kind == CMD_KERNEL)
        return PROF_ENGINE_COMPUTE;
    if (c->kind == CMD_COPY)
        return c->x.job.engine == exec_engine(EXEC_COPY_OUT) ? PROF_ENGINE_COPY_OUT : PROF_ENGINE_COPY_IN;
    return PROF_ENGINE_HOST;
}

static void on_cmd_queued(struct cmd *c)
{
    enum prof_type type = type_of(c);
    struct prof_record *r = c->watched;
    if (!r && (c->kind == CMD_KERNEL || c->kind == CMD_COPY || type == PROF_NONE || !(r = begin())))
        return;                                  /* made while recording was off */
    c->watched = r;
    r->id = c->seq;
    r->queued = writer_now();
    r->stream = c->stream->id;
    r->device = (uint8_t)c->stream->ctx->dev->ordinal;
    r->flags |= (uint16_t)((c->stream->legacy ? PROF_LEGACY : 0) | (c->stream->per_thread ? PROF_PER_THREAD : 0)
                           | (c->stream->flags & CU_STREAM_NON_BLOCKING ? PROF_NON_BLOCKING : 0)
                           | (c->stream->of_graph ? PROF_GRAPH : 0));
    r->engine = (uint8_t)engine_of(c);
    r->api = tls_api;
    writer_commit(r, type);
}

static void on_cmd_depends(struct cmd *c, struct cmd *on_cmd)
{
    struct prof_record *r = begin();
    if (!r)
        return;
    r->id = c->seq;
    r->bytes = on_cmd->seq;
    writer_commit(r, PROF_DEPENDS);
}

static void on_cmd_started(struct cmd *c)
{
    struct prof_record *r = c->watched, *real;
    if (r && !core_clock) {
        r->start = writer_now();
    } else if (r && (c->kind == CMD_KERNEL || c->kind == CMD_COPY || c->kind == CMD_HOST_FN || c->kind == CMD_CALLBACK) && (real = begin())) {
        real->id = c->seq;
        real->start = hw_now_ns();
        r->data.shape.real = (uint32_t)writer_slot(real);
        writer_commit(real, PROF_REAL);
    }
}

/* A computed clock says it in its own time. */
static void on_cmd_timed(void *watched, uint64_t start, uint64_t end)
{
    struct prof_record *r = watched;
    r->start = start;
    r->end = end;
}

static void on_cmd_finished(struct cmd *c)
{
    struct prof_record *r = c->watched;
    if (!r)
        return;
    if (!core_clock)
        r->end = writer_now();
    else if (r->data.shape.real)
        writer_record(r->data.shape.real)->end = hw_now_ns();
    if (!r->start)
        r->start = r->end;                       /* an event or a wait; or it was never run: the context is broken */
    if (c->kind == CMD_KERNEL && c->x.launch.details)
        details_write(c->x.launch.kernel->details);
    c->watched = NULL;
}

/* A thread compiles one kernel at a time. */
static _Thread_local uint64_t tls_compiling;

static void on_kernel_wanted(const struct function *f)
{
    struct prof_record *r = begin();
    tls_compiling = 0;
    if (!r)
        return;
    r->name = writer_name(f->name);
    r->api = tls_api;
    r->result = 1;
    r->start = writer_now();
    writer_commit(r, PROF_COMPILE);
    tls_compiling = writer_slot(r);
}

static void on_kernel_ready(const struct function *f, bool compiled)
{
    struct prof_record *r = tls_compiling ? writer_record(tls_compiling) : NULL;
    (void)f;
    if (!r)
        return;
    r->result = compiled;
    r->end = writer_now();
}

/* --- memory --- */

static void note_memory(const struct mem_info *info, int sign)
{
    struct prof_record *r = begin();
    if (!r)
        return;
    r->start = r->end = writer_now();
    r->bytes = info->bytes;
    r->data.addr = info->base;
    r->src = (uint8_t)place_of(info);
    r->flags = flags_of(info);
    r->result = sign;
    r->device = (uint8_t)info->device;
    r->api = tls_api;
    writer_commit(r, PROF_MEMORY);
}

static void on_mem_added(const struct mem_info *info) { note_memory(info, 1); }
static void on_mem_dropped(const struct mem_info *info) { note_memory(info, -1); }

/* --- ranges of the program --- */

/* flags: PROF_ASYNC for one that need not end on this thread, nor before those around it */
static uint64_t begin_range(const char *text, uint16_t flags)
{
    struct prof_record *r = begin();
    if (!r)
        return 0;
    r->name = writer_name(text ? text : "");
    r->flags = flags;
    r->result = writer_thread()->n_ranges;
    r->start = writer_now();
    writer_commit(r, PROF_RANGE);
    return writer_slot(r);
}

uint64_t prof_range_start(const char *text) { return begin_range(text, PROF_ASYNC); }

void prof_range_end(uint64_t range)
{
    struct prof_record *r = writer_record(range);
    if (r)
        r->end = writer_now();
}

int prof_range_push(const char *text)
{
    struct writer_thread *t = writer_thread();
    if (t->n_ranges < RANGE_DEPTH)
        t->ranges[t->n_ranges] = begin_range(text, 0);
    return t->n_ranges++;
}

int prof_range_pop(void)
{
    struct writer_thread *t = writer_thread();
    if (t->n_ranges == 0)
        return -1;
    if (--t->n_ranges < RANGE_DEPTH)
        prof_range_end(t->ranges[t->n_ranges]);
    return t->n_ranges;
}

void prof_mark(const char *text)
{
    struct prof_record *r = begin();
    if (!r)
        return;
    r->name = writer_name(text ? text : "");
    r->start = r->end = writer_now();
    writer_commit(r, PROF_MARK);
}

/* --- life --- */

static const struct hook_listener listener = {
    .api_enter = on_api_enter,
    .api_leave = on_api_leave,
    .launch_made = on_launch_made,
    .kernel_wanted = on_kernel_wanted,
    .kernel_ready = on_kernel_ready,
    .copy_made = on_copy_made,
    .cmd_queued = on_cmd_queued,
    .cmd_depends = on_cmd_depends,
    .cmd_started = on_cmd_started,
    .cmd_finished = on_cmd_finished,
    .cmd_timed = on_cmd_timed,
    .mem_added = on_mem_added,
    .mem_dropped = on_mem_dropped,
};

/* A child has no engines, and the file is its parent's. */
static void in_child(void)
{
    on = false;
    writer_close_in_child();
}

void prof_switch(bool want)
{
    if (hook_any)
        on = want;
}

void prof_init(void)
{
    const char *path = hw_options()->prof;
    if (!path[0] || !writer_open(path))
        return;
    on = hw_options()->prof_start;
    pthread_atfork(NULL, NULL, in_child);
    hook_listen(&listener);
}
