/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that queue random kernels, copies, fills, host functions, callbacks, events, values and graphs on many streams of all
 * kinds and priorities, while each replays the same in order: it keeps a copy of what the memory must be, as if everything ran in
 * the order of the calls, and a number for every function that is called back. Between streams there is what a program may rely
 * on and nothing more: an event, the legacy stream's rule, or a value in memory. Threads also wait for each other's events.
 *
 * usage: streams [--threads N] [--streams N] [--seconds N | --rounds N] [--seed N]      6 threads with 5 streams each, 4,000 rounds
 */
#include "../unit/core_kernels.h"

#include "base/os.h"
#include "core/stream/ctx_sync.h"
#include "core/context/context.h"
#include "core/graph/capture.h"
#include "core/graph/exec_graph.h"
#include "core/graph/graph.h"
#include "core/stream/values.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>

enum { MOST_STREAMS = 64, BUFFERS = 6, WORDS = 3000, BYTES = WORDS * 4 };

static int threads_n = 6, streams_n = 5, rounds_n = 4000, seconds_n, seed_n = 1;

/* Memory that commands use, with its twin. last: the stream that used it last; another one waits for an event there. */
struct buffer {
    uint32_t *data;
    uint32_t *twin;
    bool pinned;
    int last;                    /* index into streams, -1: nobody */
};

/* What functions called back by one stream check: they come in order, each once. Lives as long as the program. */
struct turns {
    struct job *job;
    _Atomic uint64_t next;
    uint64_t queued;
    struct turns *older;         /* of streams that were destroyed */
};

struct job {
    struct rig rig;              /* the context is everybody's, the rest of it too */
    uint32_t seed;
    int rounds;
    CUstream streams[MOST_STREAMS];
    bool blocking[MOST_STREAMS];
    struct turns *turns[MOST_STREAMS], *all_turns;
    CUstream recorder, second;   /* not blocking: only ever captured */
    CUevent fork, join;
    CUevent shared;              /* other threads wait for it */
    struct job *peers;
    uint64_t end_ns;             /* 0: rounds decide */
    long done;
    uint64_t *counter;           /* device memory: values_made as it was, for each stream that writes to itself, and that waits for another */
    uint64_t values_made;
    bool has_values[MOST_STREAMS];    /* the stream wrote to its counter, which its successor will use */
    struct buffer buffers[BUFFERS];
    CUevent event;
    uint32_t *pageable;
    _Atomic long fn_calls;
    long fn_queued;
    const char *_Atomic error;
};

#define CHECK(job, cond, what)       \
    do {                             \
        if (!(cond) && !(job)->error) \
            (job)->error = (what);   \
    } while (0)

static uint32_t rnd(struct job *j, uint32_t n)
{
    j->seed = j->seed * 1664525u + 1013904223u;
    return (j->seed >> 10) % n;
}

static struct stream *open_stream(struct job *j, int i)
{
    struct stream *s = NULL;
    CHECK(j, stream_get(j->rig.ctx, j->streams[i], false, false, &s) == CUDA_SUCCESS, "stream_get");
    return s;
}

/* Makes stream `to` wait for what was queued on stream `from`. */
static void order(struct job *j, int from, int to)
{
    struct stream *a = open_stream(j, from), *b = open_stream(j, to);
    struct event *e = event_get(j->event);
    CHECK(j, event_record(e, a, 0) == CUDA_SUCCESS, "event_record");
    CHECK(j, stream_wait_event(b, e, 0) == CUDA_SUCCESS, "stream_wait_event");
    event_unref(e);
    stream_unref(a);
    stream_unref(b);
}

/* The legacy stream and a blocking one wait for each other without being told. */
static bool legacy_orders(const struct job *j, int a, int b)
{
    return (j->streams[a] == CU_STREAM_LEGACY && j->blocking[b]) || (j->streams[b] == CU_STREAM_LEGACY && j->blocking[a]);
}

static void use(struct job *j, struct buffer *b, int stream)
{
    if (b->last >= 0 && b->last != stream && !legacy_orders(j, b->last, stream))
        order(j, b->last, stream);
    b->last = stream;
}

static void op_kernel(struct job *j, int si)
{
    struct buffer *b = &j->buffers[rnd(j, BUFFERS)];
    uint32_t n = rnd(j, WORDS) + 1, a = rnd(j, 1000);
    use(j, b, si);
    CHECK(j, rig_launch(&j->rig, K_MIX, j->streams[si], (n + 63) / 64, b->data, (int)n, (int)a) == CUDA_SUCCESS, "launch");
    for (uint32_t i = 0; i < n; i++)
        b->twin[i] = b->twin[i] * 31 + a;
}

static void op_copy(struct job *j, int si)
{
    struct buffer *to = &j->buffers[rnd(j, BUFFERS)], *from = &j->buffers[rnd(j, BUFFERS)];
    if (to == from)
        return;
    size_t n = rnd(j, WORDS) + 1;
    bool async = rnd(j, 4) != 0;
    use(j, to, si);
    use(j, from, si);
    struct stream *s = open_stream(j, si);
    CHECK(j, copy_linear(s, (uintptr_t)to->data, COPY_ANY, (uintptr_t)from->data, COPY_ANY, n * 4, async) == CUDA_SUCCESS, "copy");
    stream_unref(s);
    memcpy(to->twin, from->twin, n * 4);
}

static void op_pageable_in(struct job *j, int si)
{
    struct buffer *to = &j->buffers[rnd(j, BUFFERS)];
    size_t n = rnd(j, WORDS) + 1;
    for (size_t i = 0; i < n; i++)
        j->pageable[i] = rnd(j, 1u << 20);
    use(j, to, si);
    struct stream *s = open_stream(j, si);
    CHECK(j, copy_linear(s, (uintptr_t)to->data, COPY_ANY, (uintptr_t)j->pageable, COPY_HOST, n * 4, true) == CUDA_SUCCESS, "copy in");
    stream_unref(s);
    memcpy(to->twin, j->pageable, n * 4);
    memset(j->pageable, 0xcc, n * 4);            /* the source was read when the call returned */
}

static void op_pageable_out(struct job *j, int si)
{
    struct buffer *from = &j->buffers[rnd(j, BUFFERS)];
    use(j, from, si);
    struct stream *s = open_stream(j, si);
    CHECK(j, copy_linear(s, (uintptr_t)j->pageable, COPY_HOST, (uintptr_t)from->data, COPY_ANY, BYTES, true) == CUDA_SUCCESS, "copy out");
    stream_unref(s);
    CHECK(j, memcmp(j->pageable, from->twin, BYTES) == 0, "what was copied out is not what the serial order gives");
}

static void op_fill(struct job *j, int si)
{
    struct buffer *b = &j->buffers[rnd(j, BUFFERS)];
    uint32_t n = rnd(j, WORDS) + 1, v = rnd(j, 1u << 20);
    use(j, b, si);
    struct stream *s = open_stream(j, si);
    CHECK(j, copy_fill(s, (uintptr_t)b->data, 0, v, 4, n, 1, true) == CUDA_SUCCESS, "fill");
    stream_unref(s);
    for (uint32_t i = 0; i < n; i++)
        b->twin[i] = v;
}

static void CUDA_CB count_call(void *arg)
{
    ((struct job *)arg)->fn_calls++;
}

/* One call, with its number; freed by the call. words: it also works on memory, as a kernel would. */
struct call {
    struct turns *turns;
    uint64_t number;
    uint32_t *words, n, a;
};

static void CUDA_CB take_turn(void *arg)
{
    struct call *c = arg;
    struct job *j = c->turns->job;
    CHECK(j, c->turns->next++ == c->number, "a function is called back out of order, or twice");
    for (uint32_t i = 0; i < c->n; i++)
        c->words[i] = c->words[i] * 31 + c->a;
    j->fn_calls++;
    hw_free(c);
}

static void CUDA_CB take_turn_callback(CUstream stream, CUresult status, void *arg)
{
    struct job *j = ((struct call *)arg)->turns->job;
    (void)stream;
    CHECK(j, status == CUDA_SUCCESS, "a callback is told of an error");
    take_turn(arg);
}

static struct call *next_call(struct job *j, int si)
{
    struct call *c = hw_alloc(sizeof *c);
    c->turns = j->turns[si];
    c->number = j->turns[si]->queued++;
    j->fn_queued++;
    return c;
}

static void op_host_fn(struct job *j, int si)
{
    struct buffer *b = &j->buffers[BUFFERS - 1 - rnd(j, 2)];     /* page-locked */
    struct call *c = next_call(j, si);
    c->words = b->data;
    c->n = rnd(j, WORDS) + 1;
    c->a = rnd(j, 1000);
    for (uint32_t i = 0; i < c->n; i++)
        b->twin[i] = b->twin[i] * 31 + c->a;
    use(j, b, si);
    struct stream *s = open_stream(j, si);
    CHECK(j, stream_host_fn(s, take_turn, c) == CUDA_SUCCESS, "host function");
    stream_unref(s);
}

static void op_callback(struct job *j, int si)
{
    struct stream *s = open_stream(j, si);
    CHECK(j, stream_add_callback(s, j->streams[si], take_turn_callback, next_call(j, si)) == CUDA_SUCCESS, "callback");
    stream_unref(s);
}

/* Many small kernels in a row. */
static void op_burst(struct job *j, int si)
{
    struct buffer *b = &j->buffers[rnd(j, BUFFERS)];
    uint32_t n = rnd(j, 64) + 1, times = rnd(j, 200) + 1;
    use(j, b, si);
    for (uint32_t t = 0; t < times; t++) {
        CHECK(j, rig_launch(&j->rig, K_MIX, j->streams[si], 1, b->data, (int)n, (int)t) == CUDA_SUCCESS, "launch");
        for (uint32_t i = 0; i < n; i++)
            b->twin[i] = b->twin[i] * 31 + t;
    }
}

/* Another thread's work comes first; or ours, for who asks. */
static void op_peer(struct job *j, int si)
{
    struct stream *s = open_stream(j, si);
    struct event *own = event_get(j->shared), *other = event_get(j->peers[rnd(j, (uint32_t)threads_n)].shared);
    CHECK(j, event_record(own, s, 0) == CUDA_SUCCESS, "record of the shared event");
    CHECK(j, stream_wait_event(s, other, 0) == CUDA_SUCCESS, "wait for another thread's event");
    event_unref(own);
    event_unref(other);
    stream_unref(s);
}

/* A write that a later wait in the same stream finds: neither may be lost or come too early. */
static void op_values(struct job *j, int si)
{
    CUstreamBatchMemOpParams ops[2];
    struct stream *s = open_stream(j, si);
    j->has_values[si] = true;
    memset(ops, 0, sizeof ops);
    ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    ops[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    ops[0].writeValue.address = ops[1].waitValue.address = (uintptr_t)&j->counter[si];
    ops[0].writeValue.value64 = ops[1].waitValue.value64 = ++j->values_made;
    CHECK(j, values_push(s, &ops[0], 1) == CUDA_SUCCESS, "write value");
    CHECK(j, values_push(s, &ops[1], 1) == CUDA_SUCCESS, "wait value");
    stream_unref(s);
}

/* A stream waits for a value that another one writes later. Neither blocks, so that no legacy stream comes between. */
static void op_values_across(struct job *j, int si)
{
    CUstreamBatchMemOpParams ops[2];
    int sj = (int)rnd(j, (uint32_t)streams_n);
    if (si == sj || j->blocking[si] || j->blocking[sj])
        return;
    struct stream *s = open_stream(j, si), *other = open_stream(j, sj);
    memset(ops, 0, sizeof ops);
    ops[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    ops[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    ops[0].waitValue.address = ops[1].writeValue.address = (uintptr_t)&j->counter[streams_n + si];
    ops[0].waitValue.value64 = ops[1].writeValue.value64 = ++j->values_made;
    ops[0].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
    j->has_values[si] = true;
    order(j, si, sj);                            /* the writes come in order: each follows the wait for the one before */
    CHECK(j, values_push(s, &ops[0], 1) == CUDA_SUCCESS, "wait value");
    CHECK(j, values_push(other, &ops[1], 1) == CUDA_SUCCESS, "write value");
    stream_unref(s);
    stream_unref(other);
}

/* Captures a fill, then kernels on two buffers side by side, a copy behind both and a function; launches it in two streams. */
static void op_graph(struct job *j, int si)
{
    struct buffer *b = &j->buffers[rnd(j, BUFFERS)], *b2 = &j->buffers[rnd(j, BUFFERS)];
    int sj = (int)rnd(j, (uint32_t)streams_n);
    if (b == b2)
        return;
    uint32_t n = rnd(j, WORDS) + 1, a = rnd(j, 1000), v = rnd(j, 1u << 20);
    struct stream *rec = NULL, *rec2 = NULL, *s;
    struct event *fork = event_get(j->fork), *join = event_get(j->join);
    enum exec_graph_problem why;
    CUgraph g = NULL;
    CUgraphExec x = NULL;
    CHECK(j, stream_get(j->rig.ctx, j->recorder, false, false, &rec) == CUDA_SUCCESS, "stream_get");
    CHECK(j, stream_get(j->rig.ctx, j->second, false, false, &rec2) == CUDA_SUCCESS, "stream_get");
    if (!rec || !rec2)
        return;
    CHECK(j, capture_begin(rec, CU_STREAM_CAPTURE_MODE_RELAXED, NULL, NULL, NULL, 0) == CUDA_SUCCESS, "capture_begin");
    CHECK(j, copy_fill(rec, (uintptr_t)b->data, 0, v, 4, n, 1, true) == CUDA_SUCCESS, "captured fill");
    CHECK(j, event_record(fork, rec, 0) == CUDA_SUCCESS && stream_wait_event(rec2, fork, 0) == CUDA_SUCCESS, "fork");
    CHECK(j, rig_launch(&j->rig, K_MIX, j->second, (n + 63) / 64, b2->data, (int)n, (int)v) == CUDA_SUCCESS, "captured launch");
    CHECK(j, rig_launch(&j->rig, K_MIX, j->recorder, (n + 63) / 64, b->data, (int)n, (int)a) == CUDA_SUCCESS, "captured launch");
    CHECK(j, event_record(join, rec2, 0) == CUDA_SUCCESS && stream_wait_event(rec, join, 0) == CUDA_SUCCESS, "join");
    CHECK(j, copy_linear(rec, (uintptr_t)(b->data + n / 2), COPY_ANY, (uintptr_t)b2->data, COPY_ANY, (size_t)(n - n / 2) * 4, true)
                 == CUDA_SUCCESS, "captured copy");
    CHECK(j, stream_host_fn(rec, count_call, j) == CUDA_SUCCESS, "captured host function");
    CHECK(j, capture_end(rec, &g) == CUDA_SUCCESS, "capture_end");
    stream_unref(rec);
    stream_unref(rec2);
    event_unref(fork);
    event_unref(join);
    struct graph *graph = graph_get(g);
    CHECK(j, graph && exec_graph_create(graph, 0, &x, &why) == CUDA_SUCCESS, "exec_graph_create");
    graph_unref(graph);
    graph_destroy(g);
    struct exec_graph *exec = exec_graph_get(x);
    if (!exec)
        return;
    for (int k = 0; k < 2; k++) {
        int at = k ? sj : si;
        use(j, b, at);
        use(j, b2, at);
        s = open_stream(j, at);
        CHECK(j, exec_graph_launch(exec, s) == CUDA_SUCCESS, "exec_graph_launch");
        stream_unref(s);
        for (uint32_t i = 0; i < n; i++) {
            b->twin[i] = v * 31 + a;
            b2->twin[i] = b2->twin[i] * 31 + v;
        }
        memcpy(b->twin + n / 2, b2->twin, (size_t)(n - n / 2) * 4);
    }
    j->fn_queued += 2;
    exec_graph_unref(exec);
    CHECK(j, exec_graph_destroy(x) == CUDA_SUCCESS, "exec_graph_destroy");
}

static void make_stream(struct job *j, int si, unsigned flags, int priority)
{
    struct turns *t = hw_alloc(sizeof *t);
    t->job = j;
    t->older = j->all_turns;
    j->turns[si] = j->all_turns = t;
    j->blocking[si] = flags == 0;
    if (si == 0 && j == j->peers)
        j->streams[si] = CU_STREAM_LEGACY;       /* one thread's first stream is the legacy one */
    else
        CHECK(j, stream_create(j->rig.ctx, flags, priority, &j->streams[si]) == CUDA_SUCCESS, "stream_create");
}

/* The stream is replaced while it may have work; the buffers it used wait through an event first. */
static void op_replace_stream(struct job *j, int si)
{
    if (si == 0)
        return;
    for (int b = 0; b < BUFFERS; b++)
        if (j->buffers[b].last == si)
            use(j, &j->buffers[b], 0);
    order(j, si, 0);                             /* also what the new one's blocking or not would change */
    if (j->has_values[si])                       /* a late write would undo one of the next stream, which then waits for ever */
        CHECK(j, rig_sync(&j->rig, j->streams[si]) == CUDA_SUCCESS, "synchronize");
    j->has_values[si] = false;
    CHECK(j, stream_destroy(j->streams[si]) == CUDA_SUCCESS, "stream_destroy");
    make_stream(j, si, rnd(j, 2) ? CU_STREAM_NON_BLOCKING : 0, -(int)rnd(j, 6));
}

static void op_memory(struct job *j, int si)
{
    (void)si;
    CUdeviceptr d = 0;
    struct mem_info info;
    CHECK(j, mem_alloc(j->rig.ctx, rnd(j, 3u << 20) + 1, &d) == CUDA_SUCCESS, "mem_alloc");
    CHECK(j, mem_lookup(d, &info) && info.base == d, "mem_lookup");
    CHECK(j, mem_free(d) == CUDA_SUCCESS, "mem_free");
}

static void op_sync(struct job *j, int si)
{
    CHECK(j, rig_sync(&j->rig, j->streams[si]) == CUDA_SUCCESS, "synchronize");
}

static void op_query(struct job *j, int si)
{
    CUresult rc = rig_query(&j->rig, j->streams[si]);
    CHECK(j, rc == CUDA_SUCCESS || rc == CUDA_ERROR_NOT_READY, "query");
}

static void *run(void *arg)
{
    static const struct { void (*fn)(struct job *, int); uint32_t weight; } ops[] = {
        { op_kernel, 30 }, { op_copy, 25 }, { op_pageable_in, 6 }, { op_pageable_out, 3 }, { op_fill, 8 }, { op_host_fn, 6 },
        { op_replace_stream, 2 }, { op_memory, 1 }, { op_sync, 2 }, { op_query, 6 },
        { op_values, 4 }, { op_values_across, 3 }, { op_graph, 3 }, { op_callback, 6 }, { op_burst, 3 }, { op_peer, 4 },
    };
    struct job *j = arg;
    ctx_push(j->rig.handle);
    for (int r = 0; r < j->rounds && !j->error && (!j->end_ns || hw_now_ns() < j->end_ns); r++) {
        j->done++;
        uint32_t total = 0, pick;
        for (size_t i = 0; i < HW_LEN(ops); i++)
            total += ops[i].weight;
        pick = rnd(j, total);
        size_t i = 0;
        while (pick >= ops[i].weight)
            pick -= ops[i++].weight;
        ops[i].fn(j, (int)rnd(j, (uint32_t)streams_n));
    }
    for (int i = 0; i < streams_n; i++)
        op_sync(j, i);
    for (int b = 0; b < BUFFERS; b++)
        CHECK(j, memcmp(j->buffers[b].data, j->buffers[b].twin, BYTES) == 0, "memory is not what the serial order gives");
    ctx_pop(NULL);
    return NULL;
}

static void job_init(struct job *j, struct job *peers, const struct rig *rig, int number)
{
    j->rig = *rig;
    j->peers = peers;
    j->rounds = rounds_n;
    j->seed = (uint32_t)seed_n * 97 + (uint32_t)number;
    for (int i = 0; i < streams_n; i++)
        make_stream(j, i, i & 1 ? CU_STREAM_NON_BLOCKING : 0, -(i % 6));
    stream_create(rig->ctx, CU_STREAM_NON_BLOCKING, 0, &j->recorder);
    stream_create(rig->ctx, CU_STREAM_NON_BLOCKING, 0, &j->second);
    CUdeviceptr counter = 0;
    mem_alloc(rig->ctx, 2 * (size_t)streams_n * sizeof *j->counter, &counter);
    j->counter = (uint64_t *)(uintptr_t)counter;
    memset(j->counter, 0, 2 * (size_t)streams_n * sizeof *j->counter);
    for (int b = 0; b < BUFFERS; b++) {
        CUdeviceptr d = 0;
        void *h = NULL;
        j->buffers[b].pinned = b >= BUFFERS - 2;
        if (j->buffers[b].pinned)
            mem_host_alloc(rig->ctx, BYTES, 0, &h);
        else
            mem_alloc(rig->ctx, BYTES, &d);
        j->buffers[b].data = j->buffers[b].pinned ? h : (uint32_t *)(uintptr_t)d;
        j->buffers[b].twin = hw_alloc(BYTES);
        j->buffers[b].last = -1;
        memset(j->buffers[b].data, 0, BYTES);
    }
    j->pageable = hw_alloc(BYTES);
    event_create(rig->ctx, CU_EVENT_DISABLE_TIMING, &j->event);
    event_create(rig->ctx, CU_EVENT_DISABLE_TIMING, &j->fork);
    event_create(rig->ctx, CU_EVENT_DISABLE_TIMING, &j->join);
    event_create(rig->ctx, CU_EVENT_DISABLE_TIMING, &j->shared);
}

/* Whether all that it queued was done, once; says what was not. */
static bool job_fini(struct job *j, int number)
{
    CHECK(j, j->fn_calls == j->fn_queued, "not every host function ran once");
    for (struct turns *t = j->all_turns, *older; t; t = older) {
        older = t->older;
        CHECK(j, t->next == t->queued, "a function was not called back");
        hw_free(t);
    }
    if (j->error)
        printf("thread %d, seed %d: %s\n", number, seed_n, (const char *)j->error);
    hw_free(j->pageable);
    for (int b = 0; b < BUFFERS; b++)
        hw_free(j->buffers[b].twin);
    return !j->error;
}

static bool read_arguments(int argc, char **argv)
{
    static const struct { const char *name; int *value, most; } known[] = {
        { "--threads", &threads_n, 1024 }, { "--streams", &streams_n, MOST_STREAMS }, { "--seconds", &seconds_n, 1 << 20 },
        { "--rounds", &rounds_n, INT_MAX }, { "--seed", &seed_n, INT_MAX },
    };
    for (int i = 1; i < argc; i += 2) {
        size_t k = 0;
        while (k < HW_LEN(known) && strcmp(argv[i], known[k].name) != 0)
            k++;
        long value = i + 1 < argc ? strtol(argv[i + 1], NULL, 10) : 0;
        if (k == HW_LEN(known) || value < 1 || value > known[k].most) {
            fprintf(stderr, "usage: streams [--threads N] [--streams N] [--seconds N | --rounds N] [--seed N]\n");
            return false;
        }
        *known[k].value = (int)value;
    }
    if (seconds_n)
        rounds_n = INT_MAX;
    return true;
}

int main(int argc, char **argv)
{
    int failed = 0;
    long done = 0;
    if (!read_arguments(argc, argv))
        return 2;
    struct job *jobs = hw_alloc((size_t)threads_n * sizeof *jobs);
    pthread_t *threads = hw_alloc((size_t)threads_n * sizeof *threads);
    struct rig rig;
    rig_init(&rig);
    for (int i = 0; i < threads_n; i++)
        job_init(&jobs[i], jobs, &rig, i);
    for (int i = 0; i < threads_n && seconds_n; i++)
        jobs[i].end_ns = hw_now_ns() + (uint64_t)seconds_n * 1000000000u;
    for (int i = 0; i < threads_n; i++)
        if (pthread_create(&threads[i], NULL, run, &jobs[i]) != 0)
            return 2;
    for (int i = 0; i < threads_n; i++)
        pthread_join(threads[i], NULL);
    ctx_synchronize(rig.ctx);
    for (int i = 0; i < threads_n; i++) {
        done += jobs[i].done;
        failed += !job_fini(&jobs[i], i);
    }
    failed += ctx_destroy(rig.handle) != CUDA_SUCCESS;
    hw_free(jobs);
    hw_free(threads);
    printf("%d threads, %d streams each, %ld operations, seed %d: %s\n", threads_n, streams_n, done, seed_n, failed ? "FAILED" : "ok");
    return failed != 0;
}
