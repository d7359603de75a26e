/* SPDX-License-Identifier: Apache-2.0 */
/* The listener: which hook goes to which tool. */
#include "check/check.h"

#include "base/log.h"
#include "base/options.h"
#include "check/frames.h"
#include "check/guard.h"
#include "check/hazard.h"
#include "check/host_access.h"
#include "check/host_calls.h"
#include "check/images.h"
#include "check/init.h"
#include "check/ledger.h"
#include "check/order.h"
#include "check/pages.h"
#include "check/patience.h"
#include "check/report.h"
#include "check/tools.h"
#include "check/touch_set.h"
#include "check/trace.h"
#include "check/wall.h"
#include "core/device/ctx.h"
#include "core/obj.h"
#include "core/sched/sched.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

unsigned check_tools, check_extras;

static void on_launch_made(struct cmd *c, const struct function *f, const struct launch_config *config)
{
    access_launch_made(c, f, config);
    if (check_tools & CHECK_MEMORY)
        images_launch(c->x.launch.kernel->name, c->x.launch.kl.params, c->x.launch.kl.param_bytes);
}

/* Kernels that are queued: a program that ends without waiting for them is given the time. */
static _Atomic long running;

static void on_exiting(void)
{
    enum { LONGEST_MS = 10000 };
    for (int ms = 0; atomic_load(&running) > 0 && ms < LONGEST_MS; ms++)
        usleep(1000);
}

static bool hazards(void) { return (check_tools & CHECK_HAZARD) != 0; }

static bool uses_device(const struct cmd *c) { return (check_tools & CHECK_MEMORY) && (c->kind == CMD_KERNEL || c->kind == CMD_COPY); }

static bool is_host_fn(const struct cmd *c) { return c->kind == CMD_HOST_FN || c->kind == CMD_CALLBACK; }

static void on_cmd_started(struct cmd *c)
{
    if (uses_device(c))
        wall_command(c->seq, true);
    if (is_host_fn(c))
        call_host_fn_started(c);
    if (hazards() && c->kind == CMD_COPY)
        guard_copy_begins((uint32_t)c->seq);
    if (c->kind == CMD_COPY && (check_tools & CHECK_INIT))
        init_copy(c);
    if (c->kind == CMD_KERNEL && (check_tools & CHECK_INIT))
        images_begin(c);
    if (!hazards() || !is_host_fn(c))
        return;
    patience_wait();
    order_host_sees((uint32_t)c->seq);
    guard_host_waited();
    guard_function((uint32_t)c->seq);
    frames_function_begins((uint32_t)c->seq);
}

static void on_cmd_finished(struct cmd *c)
{
    if (uses_device(c))
        wall_command(c->seq, false);
    if (hazards() && c->kind == CMD_KERNEL)
        guard_kernel_over((uint32_t)c->seq);
    if (hazards() && c->kind == CMD_VALUES) {    /* host code may wait for the word that it wrote */
        order_host_sees((uint32_t)c->seq);
        guard_host_waited();
    }
    if (hazards() && is_host_fn(c))
        frames_function_over((uint32_t)c->seq);
    if (c->kind == CMD_KERNEL)
        atomic_fetch_sub(&running, 1);
    if (c->kind == CMD_KERNEL)
        access_launch_over(c);
    else if (c->kind == CMD_COPY && (check_tools & CHECK_HAZARD))
        hazard_copy_over(c);
    else if (c->kind == CMD_COPY) {
        hw_free(c->watched);
        c->watched = NULL;
    }
    if (hazards() && (c->kind == CMD_KERNEL || c->kind == CMD_COPY))
        touch_set_over((uint32_t)c->seq);
}

static void on_copy_made(struct cmd *c, bool async)
{
    (void)async;
    if (check_tools & (CHECK_HAZARD | CHECK_INIT))
        hazard_copy_made(c);
}

static void on_cmd_queued(struct cmd *c)
{
    if (c->kind == CMD_KERNEL)
        atomic_fetch_add(&running, 1);
    if (is_host_fn(c))
        call_host_fn_queued(c);
    if (!(check_tools & CHECK_HAZARD))
        return;
    if (c->kind == CMD_KERNEL || c->kind == CMD_COPY)
        touch_set_queued((uint32_t)c->seq);
    order_queued(c);
    if (c->kind == CMD_KERNEL)
        access_launch_queued(c);
    else if (is_host_fn(c))
        frames_function_queued(c);
    else if (c->kind == CMD_COPY)
        hazard_copy_queued(c);
}

static void on_host_waited(struct stream *s, struct event *e, struct ctx *ctx, struct cmd *c)
{
    if (!hazards() || c)                         /* it waits for that one now; see below */
        return;
    order_host_waited(s, e, ctx, 0);
    guard_host_waited();
}

static void on_host_waited_for(uint64_t seq)
{
    if (!hazards())
        return;
    order_host_waited(NULL, NULL, NULL, seq);
    guard_host_waited();
}

static void on_mem_added(const struct mem_info *info)
{
    ledger_added(info);
    if (check_tools & CHECK_MEMORY)
        wall_range_added(info);
    if (check_tools & CHECK_INIT)
        init_given(info->base, info->bytes);
    if (!hazards())
        return;
    guard_range_added(info);
    frames_registered(info);
    if (info->kind == MEM_REGISTERED)
        host_calls_watch(1);
}

static void on_mem_dropped(const struct mem_info *info)
{
    if (check_tools & CHECK_MEMORY)
        wall_range_dropped(info);
    if (hazards())
        guard_range_dropped(info);
    if (hazards())
        frames_unregistered(info);
    if (hazards() && info->kind == MEM_REGISTERED)
        host_calls_watch(-1);
    ledger_dropped(info);
}

static void on_mem_freeing(const struct mem_info *info, struct stream *s)
{
    if (!hazards())
        return;
    if (s)
        hazard_life(s, info->base, info->bytes, HAZARD_FREED);
    else if (info->kind == MEM_HOST || info->kind == MEM_REGISTERED)
        host_access_freed(info->base, info->base + info->bytes, trace_current()->name ? trace_current()->name : "a call");
}

static void on_mem_given(uint64_t base, uint64_t bytes, struct stream *s)
{
    if (hazards())
        hazard_life(s, base, bytes, HAZARD_MADE);
}

/* A node of a graph: reports name the call that added it. */
static void on_node_made(struct hook_node *n)
{
    n->call = trace_current()->name;
    n->trace = trace_current()->trace;
}

static void on_node_cmd(struct cmd *c, const struct hook_node *n)
{
    if (!n->call || !c->watched)
        return;
    struct trace_call *added = c->kind == CMD_KERNEL ? access_launch_added(c) : hazard_copy_added(c);
    *added = (struct trace_call){ .name = n->call, .trace = n->trace };
}

static void on_api_enter(struct hook_call *call)
{
    call_enters(call);
    wall_drain();
    if (hazards()) {
        patience_enters(call);
        guard_call();
        host_access_drain();
        frames_call();
    }
}

static void on_api_leave(struct hook_call *call)
{
    if (hazards())
        patience_leaves();
    call_leaves(call);
    wall_call_over();
}

/* What programs make by calls of this name, and nothing that such a call makes for itself. */
static const struct { enum obj_kind kind; const char *what, *made_by[5]; } objects[] = {
    { OBJ_STREAM, "a stream", { "StreamCreate" } },
    { OBJ_EVENT, "an event", { "EventCreate" } },
    { OBJ_ARRAY, "an array", { "MallocArray", "Malloc3DArray", "ArrayCreate", "Array3DCreate", "MallocMipmappedArray" } },
    { OBJ_GRAPH, "a graph", { "GraphCreate", "BeginCapture", "GraphClone" } },
    { OBJ_EXEC, "an executable graph", { "GraphInstantiate" } },
    { OBJ_MEMPOOL, "a memory pool", { "MemPoolCreate" } },
    { OBJ_PHYSICAL, "physical memory", { "MemCreate" } },
};

/* The first call of a program makes the context, whose own streams are nobody's to destroy. */
static bool is_ctx_own(const struct obj *obj)
{
    return obj->kind == OBJ_STREAM && !((const struct stream *)(const void *)obj)->ctx->legacy;
}

static void on_obj_made(const struct obj *obj)
{
    const char *call = is_ctx_own(obj) ? NULL : trace_current()->name;
    for (size_t k = 0; call && k < HW_LEN(objects); k++)
        for (size_t j = 0; objects[k].kind == obj->kind && j < HW_LEN(objects[k].made_by) && objects[k].made_by[j]; j++)
            if (strstr(call, objects[k].made_by[j]))
                leak_object_made(obj->handle, objects[k].what);
}

static void on_image_made(uint64_t handle, bool surface)
{
    const char *call = trace_current()->name;
    images_made(handle);
    if (call && (strstr(call, "TextureObject") || strstr(call, "SurfaceObject") || strstr(call, "TexObject") || strstr(call, "SurfObject")))        /* references bind without */
        leak_object_made((void *)(uintptr_t)handle, surface ? "a surface object" : "a texture object");
}

static void on_image_gone(uint64_t handle)
{
    images_gone(handle);
    leak_object_gone((void *)(uintptr_t)handle);
}

static void on_obj_closed(const struct obj *obj) { leak_object_gone(obj->handle); }

static void on_ctx_ending(struct ctx *ctx)
{
    if (check_tools & CHECK_LEAK)
        leak_look(ctx, "when the context was destroyed");
}

static const struct hook_listener listener = {
    .api_enter = on_api_enter,
    .api_leave = on_api_leave,
    .launch_made = on_launch_made,
    .copy_made = on_copy_made,
    .copy_refused = refused_copy,
    .free_refused = refused_free,
    .cmd_queued = on_cmd_queued,
    .cmd_started = on_cmd_started,
    .cmd_depends = order_depends,
    .event_recorded = order_recorded,
    .stream_waits = order_stream_waits,
    .host_waited = on_host_waited,
    .host_waited_for = on_host_waited_for,
    .cmd_finished = on_cmd_finished,
    .mem_added = on_mem_added,
    .mem_dropped = on_mem_dropped,
    .mem_freeing = on_mem_freeing,
    .mem_given = on_mem_given,
    .node_made = on_node_made,
    .node_cmd = on_node_cmd,
    .obj_made = on_obj_made,
    .obj_closed = on_obj_closed,
    .image_made = on_image_made,
    .image_gone = on_image_gone,
    .ctx_ending = on_ctx_ending,
    .exiting = on_exiting,
};

static unsigned tools_of(const char *list, unsigned *extras)
{
#define ROW(id, name) name,
    static const char *const names[] = { CHECK_TOOLS(ROW) }, *const more[] = { CHECK_EXTRAS(ROW) };
#undef ROW
    unsigned found = 0;
    char *copy = hw_strdup(list), *rest = copy;
    for (char *word; (word = strtok_r(rest, ",", &rest));) {
        bool known = false;
        for (unsigned k = 0; k < CHECK_TOOL_COUNT; k++)
            if (strcmp(word, names[k]) == 0 || strcmp(word, "all") == 0)
                known = found |= 1u << k;
        for (unsigned k = 0; k < CHECK_EXTRA_COUNT; k++)
            if (strcmp(word, more[k]) == 0)
                known = *extras |= 1u << k;
        if (!known)
            hw_warn("HOSTWARP_CHECK: there is no tool `%s`", word);
    }
    hw_free(copy);
    return found;
}

static void at_exit(void)
{
    host_calls_off();                            /* what is freed from now on is of no interest */
    wall_drain();
    if (hazards()) {
        host_access_drain();
        frames_drain();
    }
    if (check_tools)
        report_counts();
}

/* A child has none of the engines, and its parent's locks as they were. */
static void in_child(void)
{
    check_tools = 0;
    host_calls_off();
    guard_off();
    wall_off();
}

void check_init(void)
{
    unsigned tools = tools_of(hw_options()->check, &check_extras);
    if (tools && hw_options()->prof[0]) {        /* both keep something at each command */
        hw_warn("HOSTWARP_CHECK does nothing beside HOSTWARP_PROF");
        return;
    }
    if (!tools)
        return;
    check_tools = tools;
    if (hazards() && guard_init())
        host_calls_init();
    if (tools & CHECK_MEMORY)
        wall_init();
    pthread_atfork(NULL, NULL, in_child);
    if (tools & CHECK_INIT)
        init_start();
    if (tools & CHECK_INIT)
        pages_init();
    atexit(at_exit);
    exec_checker = &access_checker;
    exec_checker_orders = (tools & (CHECK_RACE | CHECK_SYNC)) != 0;
    hook_listen(&listener);
}
