/* SPDX-License-Identifier: Apache-2.0 */
/* Capturing streams into graphs. */
#include "core/graph/capture.h"
#include "base/log.h"

#include "base/list.h"
#include "base/lock.h"
#include "base/vec.h"
#include "core/device/ctx.h"
#include "core/stream/event.h"
#include "core/mem/graph_mem.h"
#include "core/graph/graph.h"
#include "core/stream/stream.h"

#include <stdatomic.h>

/* Nodes that the next operation waits for, each referenced, and the data of the edges from them. */
struct node_set {
    HW_VEC(struct node *) v;
    HW_VEC(CUgraphEdgeData) edges;
};

/* A stream that takes part, and where it is. */
struct member {
    struct stream *stream;                       /* referenced */
    struct node_set at;
    CUgraphNode *handles;                        /* what capture_info() last gave out */
    CUgraphEdgeData *edges;
};

/*
 * A capture in progress.
 * Lifetime  Its streams hold one reference together, until it ends; every event recorded in it one more.
 * Locks     mu guards everything here, the marks of events and the graph while it is captured into.
 */
struct capture {
    struct hw_list link;                         /* active */
    unsigned refs;
    struct graph *graph;                         /* referenced */
    bool own_graph;                              /* made for the capture: its handle goes to the program, or is closed */
    size_t first_node;                           /* nodes before this one are not ours */
    CUstreamCaptureMode mode;
    uint64_t thread;                             /* who began it: thread_number() */
    struct stream *origin;                       /* the first member */
    bool invalid, ended;
    uint64_t id;
    HW_VEC(struct member) members;
};

/* An event's newest record was captured: it stands for these nodes. */
struct capture_mark {
    struct capture *capture;                     /* referenced */
    struct node_set at;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_TABLE);
static struct hw_list active = { &active, &active };
_Atomic unsigned capture_count;
static _Atomic unsigned n_marks;
static uint64_t last_id;
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/* Of the calling thread, and of no other, also when it has ended: pthread_self() may come again. */
static uint64_t thread_number(void)
{
    static _Atomic uint64_t last;
    static _Thread_local uint64_t mine;
    if (!mine)
        mine = atomic_fetch_add(&last, 1) + 1;
    return mine;
}

/* --- sets of nodes --- */

static void set_clear(struct node_set *s)
{
    while (s->v.n)
        node_unref(hw_vec_pop(&s->v));
    hw_vec_fini(&s->v);
    hw_vec_fini(&s->edges);
}

/* data: NULL, a plain edge. Whoever waits for a node in two ways waits for its end (measured). */
static void set_add(struct node_set *s, struct node *n, const CUgraphEdgeData *data)
{
    static const CUgraphEdgeData plain;
    if (!data)
        data = &plain;
    for (size_t i = 0; i < s->v.n; i++)
        if (s->v.v[i] == n) {
            if (memcmp(&s->edges.v[i], data, sizeof *data) != 0)
                s->edges.v[i] = plain;
            return;
        }
    node_ref(n);
    hw_vec_push(&s->v, n);
    hw_vec_push(&s->edges, *data);
}

static void set_merge(struct node_set *s, const struct node_set *from)
{
    for (size_t i = 0; i < from->v.n; i++)
        set_add(s, from->v.v[i], &from->edges.v[i]);
}

/* --- captures; with the lock held --- */

static void unref_locked(struct capture *c)
{
    if (--c->refs > 0)
        return;
    graph_unref(c->graph);
    hw_free(c);
}

static struct member *member_of(struct capture *c, const struct stream *s)
{
    for (size_t i = 0; i < c->members.n; i++)
        if (c->members.v[i].stream == s)
            return &c->members.v[i];
    return NULL;
}

static struct member *join_locked(struct capture *c, struct stream *s)
{
    struct member m = { .stream = s };
    stream_ref(s);
    hw_vec_push(&c->members, m);
    s->capture = c;
    return &c->members.v[c->members.n - 1];
}

/* Everybody runs again. The graph's handle stays open only when it goes to the program. */
static void end_locked(struct capture *c, bool keep)
{
    c->ended = true;
    hw_list_del(&c->link);
    capture_count--;
    for (size_t i = 0; i < c->members.n; i++) {
        struct member *m = &c->members.v[i];
        m->stream->capture = NULL;
        set_clear(&m->at);
        hw_free(m->handles);
        hw_free(m->edges);
        stream_unref(m->stream);
    }
    hw_vec_fini(&c->members);
    if (c->own_graph && !keep)
        graph_close(c->graph);
    unref_locked(c);
}

static void mark_clear_locked(struct event *e)
{
    struct capture_mark *m = e->mark;
    if (!m)
        return;
    e->mark = NULL;
    n_marks--;
    set_clear(&m->at);
    unref_locked(m->capture);
    hw_free(m);
}

static bool has_blocking(const struct capture *c, const struct ctx *ctx)
{
    for (size_t i = 0; i < c->members.n; i++)
        if (c->members.v[i].stream->ctx == ctx && !(c->members.v[i].stream->flags & CU_STREAM_NON_BLOCKING))
            return true;
    return false;
}

/* The legacy stream would wait for captured streams: that cannot be. */
static CUresult legacy_locked(struct stream *s)
{
    CUresult rc = CUDA_SUCCESS;
    if (!s->legacy)
        return rc;
    hw_list_for(it, &active) {
        struct capture *c = hw_list_item(it, struct capture, link);
        if (has_blocking(c, s->ctx)) {
            c->invalid = true;
            rc = hw_refuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the legacy default stream would wait for a stream that is being captured; use another stream, or one made with cudaStreamNonBlocking");
        }
    }
    return rc;
}

/* --- work --- */

static CUresult broken(void)
{
    return hw_refuse(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture was broken by an earlier call that was refused; only ending it is left");
}

static CUresult on_stream(struct stream *s, bool *captures)
{
    hw_lock(&mu);
    struct capture *c = s->capture;
    CUresult rc = c ? c->invalid ? broken() : CUDA_SUCCESS : legacy_locked(s);
    *captures = c != NULL;
    hw_unlock(&mu);
    return rc;
}

/* Takes params over. */
static CUresult add_node(struct stream *s, struct node_params *params)
{
    struct node *n;
    CUresult rc;
    hw_lock(&mu);
    struct capture *c = s->capture;
    if (!c || c->invalid) {                      /* ended or spoiled by another thread meanwhile */
        node_params_fini(params);
        rc = broken();
    } else {
        struct member *m = member_of(c, s);
        rc = graph_add(c->graph, params, m->at.v.v, m->at.edges.v, m->at.v.n, &n);
        if (!rc) {
            set_clear(&m->at);
            set_add(&m->at, n, NULL);
        }
    }
    hw_unlock(&mu);
    return rc;
}

static CUresult on_kernel(struct stream *s, struct function *f, const struct launch_config *config, void **params, void **extra)
{
    struct node_params p;
    CUresult rc = node_params_kernel(f, config, params, extra, &p);
    return rc ? rc : add_node(s, &p);
}

static CUresult on_copy(struct stream *s, const struct copy_request *req)
{
    struct node_params p;
    CUresult rc = node_params_copy(s->ctx, req, NULL, &p);
    return rc ? rc : add_node(s, &p);
}

static CUresult on_fill(struct stream *s, CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t rows)
{
    CUDA_MEMSET_NODE_PARAMS fill = { dst, pitch, value, element, width, rows };
    struct node_params p;
    CUresult rc = node_params_fill(s->ctx, &fill, &p);
    return rc ? rc : add_node(s, &p);
}

static CUresult on_host(struct stream *s, CUhostFn fn, void *data)
{
    struct node_params p;
    CUresult rc = node_params_host(s->ctx, fn, data, &p);
    return rc ? rc : add_node(s, &p);
}

static CUresult on_values(struct stream *s, const CUstreamBatchMemOpParams *ops, unsigned n)
{
    struct node_params p;
    CUresult rc = node_params_values(s->ctx, ops, n, &p);
    return rc ? rc : add_node(s, &p);
}

static CUresult on_alloc(struct stream *s, const CUmemPoolProps *props, size_t bytes, CUdeviceptr *out)
{
    struct graph_memory *m;
    struct node_params p;
    CUresult rc = graph_memory_new(s->ctx, props, bytes, &m);
    if (rc)
        return rc;
    CUdeviceptr ptr = graph_memory_ptr(m);
    if ((rc = node_params_memory(s->ctx, m, true, &p)) || (rc = add_node(s, &p)))
        return rc;
    *out = ptr;
    return CUDA_SUCCESS;
}

static CUresult on_free(struct stream *s, CUdeviceptr ptr)
{
    struct graph_memory *m = graph_memory_get(ptr);
    struct node_params p;
    CUresult rc = m ? node_params_memory(s->ctx, m, false, &p)
        : hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx was not allocated in a capture or by a node of a graph", (unsigned long long)ptr);
    return rc ? rc : add_node(s, &p);
}

CUresult capture_child(struct stream *s, const struct graph *child)
{
    struct node_params p;
    if (graph_has(child, CU_GRAPH_NODE_TYPE_CONDITIONAL))
        return capture_forbids(s);
    CUresult rc = node_params_child(s->ctx, child, &p);
    return rc ? rc : add_node(s, &p);
}

/* --- events: how a capture spreads over streams --- */

static CUresult add_event_node(struct stream *s, struct event *e, bool record)
{
    struct node_params p;
    CUresult rc = node_params_event(e, record, &p);
    return rc ? rc : add_node(s, &p);
}

static CUresult on_record(struct stream *s, struct event *e, unsigned flags, bool *over)
{
    *over = false;
    if (hw_likely(!capture_any() && !e->mark))
        return CUDA_SUCCESS;
    CUresult rc = capture_enter(s, over);
    if (rc)
        return rc;
    if (*over && (flags & CU_EVENT_RECORD_EXTERNAL))
        return add_event_node(s, e, true);
    hw_lock(&mu);
    mark_clear_locked(e);
    struct capture *c = *over ? s->capture : NULL;
    if (c) {
        struct capture_mark *m = hw_alloc(sizeof *m);
        m->capture = c;
        c->refs++;
        set_merge(&m->at, &member_of(c, s)->at);
        e->mark = m;
        n_marks++;
    }
    hw_unlock(&mu);
    return CUDA_SUCCESS;
}

static CUresult wait_locked(struct stream *s, struct event *e, bool *over)
{
    struct capture *c = s->capture;
    if (e->mark && e->mark->capture->ended)
        mark_clear_locked(e);
    struct capture_mark *m = e->mark;
    *over = c || m;
    if (c && c->invalid)
        return hw_refuse(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture was invalidated by an earlier call");
    if (!m) {
        if (!c)
            return legacy_locked(s);
        c->invalid = true;
        return hw_refuse(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "the event was recorded outside of the capture of this stream");
    }
    if (c && m->capture != c) {
        c->invalid = m->capture->invalid = true;
        return hw_refuse(CUDA_ERROR_STREAM_CAPTURE_MERGE, "the event belongs to another capture than the stream");
    }
    if (s->legacy) {
        m->capture->invalid = true;
        return hw_refuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the legacy default stream cannot wait for an event that is captured");
    }
    if (m->capture->invalid)
        return hw_refuse(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture of the event was invalidated by an earlier call");
    struct member *member = c ? member_of(c, s) : join_locked(m->capture, s);
    set_merge(&member->at, &m->at);
    return CUDA_SUCCESS;
}

static CUresult on_wait(struct stream *s, struct event *e, unsigned flags, bool *over)
{
    *over = false;
    if (hw_likely(!capture_any()))
        return CUDA_SUCCESS;
    if (flags & CU_EVENT_WAIT_EXTERNAL) {
        CUresult rc = capture_enter(s, over);
        return rc || !*over ? rc : add_event_node(s, e, false);
    }
    hw_lock(&mu);
    CUresult rc = wait_locked(s, e, over);
    hw_unlock(&mu);
    return rc;
}

/* --- what spoils a capture --- */

static CUresult on_forbids(struct stream *s)
{
    CUresult rc;
    if (hw_likely(!capture_any()))
        return CUDA_SUCCESS;
    hw_lock(&mu);
    struct capture *c = s->capture;
    if (c) {
        rc = c->invalid ? broken() : hw_refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the stream is being captured: its work runs when the graph is launched, and cannot be waited for or asked about");
        c->invalid = true;
    } else {
        rc = legacy_locked(s);
    }
    hw_unlock(&mu);
    return rc;
}

static CUresult on_event_forbids(struct event *e)
{
    CUresult rc = CUDA_SUCCESS;
    if (hw_likely(!e->mark))
        return rc;
    hw_lock(&mu);
    if (e->mark && e->mark->capture->ended) {
        mark_clear_locked(e);
    } else if (e->mark) {                        /* measured: the second such call is answered otherwise */
        rc = hw_refuse(e->mark->capture->invalid ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_CAPTURED_EVENT, "the event was recorded in a stream that is being captured, and happens when the graph is launched");
        e->mark->capture->invalid = true;
    }
    hw_unlock(&mu);
    return rc;
}

static CUresult on_ctx_forbids(struct ctx *ctx)
{
    CUresult rc = CUDA_SUCCESS;
    if (hw_likely(!capture_any()))
        return rc;
    hw_lock(&mu);
    hw_list_for(it, &active) {
        struct capture *c = hw_list_item(it, struct capture, link);
        for (size_t i = 0; i < c->members.n; i++)
            if (c->members.v[i].stream->ctx == ctx) {
                c->invalid = true;
                rc = hw_refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a stream of the context is being captured, and cannot be waited for");
            }
    }
    hw_unlock(&mu);
    return rc;
}

CUresult capture_unsafe(void)
{
    CUresult rc = CUDA_SUCCESS;
    if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return rc;
    hw_lock(&mu);
    hw_list_for(it, &active) {
        struct capture *c = hw_list_item(it, struct capture, link);
        bool mine = c->thread == thread_number();
        if (c->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
            continue;
        if (mine || (c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL)) {
            c->invalid = true;
            rc = hw_refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a stream is being captured, and this call may not be made then; cudaStreamCaptureModeRelaxed allows it");
        }
    }
    hw_unlock(&mu);
    return rc;
}

CUstreamCaptureMode capture_exchange_mode(CUstreamCaptureMode mode)
{
    CUstreamCaptureMode old = thread_mode;
    thread_mode = mode;
    return old;
}

static void on_stream_gone(struct stream *s)
{
    if (hw_likely(!s->capture))
        return;
    hw_lock(&mu);
    struct capture *c = s->capture;
    if (c && c->origin == s)
        end_locked(c, false);                    /* another member may go: its nodes tell whether it was joined */
    hw_unlock(&mu);
}

void capture_ctx_gone(struct ctx *ctx)
{
    if (hw_likely(!capture_any()))
        return;
    hw_lock(&mu);
    for (struct hw_list *it = active.next, *next; it != &active; it = next) {
        struct capture *c = hw_list_item(it, struct capture, link);
        bool touches = false;
        next = it->next;
        for (size_t i = 0; i < c->members.n; i++)
            touches |= c->members.v[i].stream->ctx == ctx;
        if (touches)
            end_locked(c, false);
    }
    hw_unlock(&mu);
}

static void on_event_gone(struct event *e)
{
    if (hw_likely(!e->mark))
        return;
    hw_lock(&mu);
    mark_clear_locked(e);
    hw_unlock(&mu);
}

/* --- beginning and ending --- */

CUresult capture_begin(struct stream *s, CUstreamCaptureMode mode, struct graph *into, struct node *const *deps, const CUgraphEdgeData *data, size_t n)
{
    CUresult rc = CUDA_SUCCESS;
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no mode of capture %d", (int)mode);
    if (s->legacy)
        return hw_refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the legacy default stream cannot be captured");
    for (size_t i = 0; i < n; i++)
        if (!deps[i] || deps[i]->graph != into || !edge_is_valid(deps[i], NULL, data ? &data[i] : NULL))
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "dependency %zu is no node of the graph, or its edge's data is not valid", i);
    hw_lock(&mu);
    if (s->capture) {
        rc = hw_refuse(CUDA_ERROR_ILLEGAL_STATE, "the stream is being captured already");
    } else {
        struct capture *c = hw_alloc(sizeof *c);
        c->refs = 1;
        c->own_graph = !into;
        c->graph = into ? into : graph_new();
        graph_ref(c->graph);
        c->first_node = c->graph->nodes.n;
        c->mode = mode;
        c->thread = thread_number();
        c->origin = s;
        c->id = ++last_id;
        hw_list_push_back(&active, &c->link);
        struct member *m = join_locked(c, s);
        for (size_t i = 0; i < n; i++)
            set_add(&m->at, deps[i], data ? &data[i] : NULL);
        capture_count++;
    }
    hw_unlock(&mu);
    return rc;
}

/* Has all that was captured in other streams come back to the first one? */
static bool joined_locked(struct capture *c)
{
    const struct node_set *at = &member_of(c, c->origin)->at;
    for (size_t i = c->first_node; i < c->graph->nodes.n; i++) {
        const struct node *n = c->graph->nodes.v[i];
        bool found = n->dependents.n > 0;
        for (size_t k = 0; k < at->v.n && !found; k++)
            found = at->v.v[k] == n;
        if (!found)
            return false;
    }
    return true;
}

CUresult capture_end(struct stream *s, CUgraph *out)
{
    CUresult rc = CUDA_SUCCESS;
    hw_lock(&mu);
    struct capture *c = s->capture;
    if (!c) {
        hw_unlock(&mu);
        return hw_refuse(CUDA_ERROR_ILLEGAL_STATE, "the stream is not being captured");
    }
    if (c->origin != s) {
        c->invalid = true;
        hw_unlock(&mu);
        return hw_refuse(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "the capture began in another stream, and must end there");
    }
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && c->thread != thread_number())
        rc = hw_refuse(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "another thread began the capture, and its mode is not relaxed");
    else if (c->invalid)
        rc = broken();
    else if (!joined_locked(c))
        rc = hw_refuse(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "another stream became a part of the capture, and the first does not wait for its end (cudaStreamWaitEvent)");
    if (out)
        *out = rc ? NULL : graph_handle(c->graph);
    end_locked(c, rc == CUDA_SUCCESS && out);    /* without a handle, nobody could use it: it goes, and that is a success (measured) */
    hw_unlock(&mu);
    return rc;
}

CUresult capture_info(struct stream *s, struct capture_info *out)
{
    memset(out, 0, sizeof *out);
    hw_lock(&mu);
    struct capture *c = s->capture;
    CUresult rc = c ? CUDA_SUCCESS : legacy_locked(s);
    if (c && c->invalid) {
        out->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    } else if (c) {
        struct member *m = member_of(c, s);
        m->handles = hw_realloc(m->handles, sizeof *m->handles * (m->at.v.n + 1));
        m->edges = hw_realloc(m->edges, sizeof *m->edges * (m->at.v.n + 1));
        out->plain = true;
        for (size_t i = 0; i < m->at.v.n; i++) {
            m->handles[i] = node_handle(m->at.v.v[i]);
            m->edges[i] = m->at.edges.v[i];
            out->plain &= edge_is_plain(&m->edges[i]);
        }
        out->status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        out->id = c->id;
        out->graph = graph_handle(c->graph);
        out->deps = m->at.v.n ? m->handles : NULL;
        out->edges = m->at.v.n ? m->edges : NULL;
        out->n_deps = m->at.v.n;
    }
    hw_unlock(&mu);
    return rc;
}

CUresult capture_set_deps(struct stream *s, struct node *const *deps, const CUgraphEdgeData *data, size_t n, bool add)
{
    CUresult rc = CUDA_SUCCESS;
    hw_lock(&mu);
    struct capture *c = s->capture;
    if (!c)
        rc = hw_refuse(CUDA_ERROR_ILLEGAL_STATE, "the stream is not being captured");
    else if (c->invalid)
        rc = broken();
    for (size_t i = 0; i < n && !rc; i++)
        if (!deps[i] || deps[i]->graph != c->graph || !edge_is_valid(deps[i], NULL, data ? &data[i] : NULL))
            rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "dependency %zu is no node of the graph, or its edge's data is not valid", i);
    if (!rc) {
        struct member *m = member_of(c, s);
        if (!add)
            set_clear(&m->at);
        for (size_t i = 0; i < n; i++)
            set_add(&m->at, deps[i], data ? &data[i] : NULL);
    }
    hw_unlock(&mu);
    return rc;
}

const struct capturing capturing = {
#define CAPTURE(result, name, params, args) .name = on_##name,
#include "core/sched/capturing.def"
#undef CAPTURE
};
