/* SPDX-License-Identifier: Apache-2.0 */
/* core/hooks: who listens hears of every command in order, and of what it waits for. */
#include "core/hooks.h"

#include "core/core.h"
#include "core/mem/copy.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/stream/event.h"
#include "core/mem/mem.h"
#include "core/stream/sched.h"
#include "core/stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdatomic.h>

static _Atomic int n_queued, n_started, n_finished, n_depends, n_added, n_dropped, out_of_order;

static void queued(struct cmd *c)
{
    if (!c->seq || !c->stream)
        out_of_order++;
    c->watched = (void *)1;
    n_queued++;
}
static void started(struct cmd *c)
{
    if (c->watched != (void *)1)
        out_of_order++;
    c->watched = (void *)2;
    n_started++;
}
static void finished(struct cmd *c)
{
    bool runs = c->kind != CMD_RECORD && c->kind != CMD_WAIT;
    if (c->watched != (void *)(uintptr_t)(runs ? 2 : 1))
        out_of_order++;
    n_finished++;
}
static void depends(struct cmd *c, struct cmd *on)
{
    if (on->seq >= c->seq)                       /* only earlier commands are ever waited for */
        out_of_order++;
    n_depends++;
}
static void added(const struct mem_info *info) { n_added += info->bytes == 4096; }
static void dropped(const struct mem_info *info) { n_dropped += info->bytes == 4096; }

static const struct hook_listener listener = { .cmd_queued = queued, .cmd_started = started, .cmd_finished = finished,
                                               .cmd_depends = depends, .mem_added = added, .mem_dropped = dropped };

static CUcontext setup(void)
{
    CUcontext handle;
    assert_int_equal(core_init(0), CUDA_SUCCESS);
    assert_int_equal(ctx_create(device_peek(0), 0, &handle), CUDA_SUCCESS);
    return handle;
}

static void a_listener_hears_every_command_from_queue_to_end(void **state)
{
    (void)state;
    CUcontext handle = setup();
    struct ctx *ctx = ctx_get(handle);
    CUdeviceptr p;
    CUstream sh;
    struct stream *s;
    assert_int_equal(mem_alloc(ctx, 4096, &p), CUDA_SUCCESS);
    assert_int_equal(stream_create(ctx, 0, 0, &sh), CUDA_SUCCESS);
    assert_int_equal(stream_get(ctx, sh, false, false, &s), CUDA_SUCCESS);
    for (int i = 0; i < 10; i++)
        assert_int_equal(copy_fill(s, p, 0, (uint32_t)i, 4, 1024, 1, true), CUDA_SUCCESS);
    assert_int_equal(stream_synchronize(s), CUDA_SUCCESS);
    assert_int_equal(n_queued, 10);
    assert_int_equal(n_started, 10);
    assert_int_equal(n_finished, 10);
    stream_unref(s);
    assert_int_equal(mem_free(p), CUDA_SUCCESS);
    assert_int_equal(n_added, 1);
    assert_int_equal(n_dropped, 1);
    assert_int_equal(out_of_order, 0);
    ctx_unref(ctx);
    assert_int_equal(ctx_destroy(handle), CUDA_SUCCESS);
}

static _Atomic bool open_gate;
static void gate(void *data)
{
    (void)data;
    while (!open_gate)
        ;
}

static void waits_for_events_and_the_legacy_stream_are_told(void **state)
{
    (void)state;
    CUcontext handle = setup();
    struct ctx *ctx = ctx_get(handle);
    CUstream handles[2];
    struct stream *s[2];
    CUevent eh;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stream_create(ctx, 0, 0, &handles[i]), CUDA_SUCCESS);
        assert_int_equal(stream_get(ctx, handles[i], false, false, &s[i]), CUDA_SUCCESS);
    }
    assert_int_equal(event_create(ctx, 0, &eh), CUDA_SUCCESS);
    struct event *e = event_get(eh);
    int before = n_depends;
    assert_int_equal(stream_host_fn(s[0], gate, NULL), CUDA_SUCCESS);
    assert_int_equal(event_record(e, s[0], 0), CUDA_SUCCESS);
    assert_int_equal(stream_wait_event(s[1], e, 0), CUDA_SUCCESS);
    assert_int_equal(n_depends, before + 1);
    assert_int_equal(event_record(e, ctx->legacy, 0), CUDA_SUCCESS);      /* the legacy stream waits for both */
    assert_int_equal(n_depends, before + 3);
    open_gate = true;
    assert_int_equal(ctx_synchronize(ctx), CUDA_SUCCESS);
    assert_int_equal(n_queued, n_finished);
    assert_int_equal(out_of_order, 0);
    event_unref(e);
    stream_unref(s[0]);
    stream_unref(s[1]);
    ctx_unref(ctx);
    assert_int_equal(ctx_destroy(handle), CUDA_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_listener_hears_every_command_from_queue_to_end),
        cmocka_unit_test(waits_for_events_and_the_legacy_stream_are_told),
    };
    if (!hook_listen(&listener))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
