/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills: checks, staging, and how long the caller waits. */
#include "core/mem/copy.h"

#include "base/log.h"
#include "core/device/ctx.h"
#include "core/hooks.h"
#include "core/mem/mem.h"
#include "core/sched/capturing.h"
#include "core/sched/direct.h"
#include "core/sched/mark.h"
#include "core/sched/sched.h"

/* A pageable source is read before an asynchronous call returns. Up to this size into memory of ours, beyond it the call waits
   for its turn and reads then. */
#define STAGE_MAX ((size_t)64 << 20)

/* What fits into caches: the caller copies it, with the help of others if it is much, and each has the same part every time. */
#define DIRECT_MAX ((size_t)8 << 20)

/* Small enough to be done by the calling thread where CUDA does not make it wait: what queueing costs, at most. */
#define ASIDE_MAX ((size_t)16 << 10)

/* What an end turned out to be. */
enum place { PLACE_PAGEABLE, PLACE_PINNED, PLACE_DEVICE, PLACE_MANAGED, PLACES };

/* How long a call waits: not at all; until the source was read; until the copy is done. */
enum wait { NO, READ, DONE };

/*
 * What a copy is, by where it goes to and comes from. The columns of the calls:
 *   host to host                     the CPU's own work: always done
 *   device to pageable               done: the program may look at the memory as soon as the call returns
 *   pageable to device, async        only until the source was read
 *   anything pinned, async           no
 *   device to device                 no, not even the call without Async
 *   all other synchronous calls      done
 */
struct copy_rule {
    enum exec_engine_id engine;  /* EXEC_ENGINE_COUNT: whichever has less to do */
    enum wait wait[COPY_CALLS];
};
#define EITHER EXEC_ENGINE_COUNT
static const struct copy_rule rules[PLACES][PLACES] = {
    /* to               from                    engine             SYNC  ASYNC IN_ORDER READ_NOW */
    [PLACE_PAGEABLE] = { [PLACE_PAGEABLE] = { EITHER,          { DONE, DONE, NO, READ } },
                         [PLACE_PINNED]   = { EITHER,          { DONE, DONE, NO, READ } },
                         [PLACE_DEVICE]   = { EXEC_COPY_OUT,   { DONE, DONE, NO, NO } },
                         [PLACE_MANAGED]  = { EITHER,          { DONE, DONE, NO, READ } } },
    [PLACE_PINNED]   = { [PLACE_PAGEABLE] = { EITHER,          { DONE, DONE, NO, READ } },
                         [PLACE_PINNED]   = { EITHER,          { DONE, DONE, NO, READ } },
                         [PLACE_DEVICE]   = { EXEC_COPY_OUT,   { DONE, NO,   NO, NO } },
                         [PLACE_MANAGED]  = { EITHER,          { DONE, NO,   NO, READ } } },
    [PLACE_DEVICE]   = { [PLACE_PAGEABLE] = { EXEC_COPY_IN,    { DONE, READ, NO, READ } },
                         [PLACE_PINNED]   = { EXEC_COPY_IN,    { DONE, NO,   NO, READ } },
                         [PLACE_DEVICE]   = { EITHER,          { NO,   NO,   NO, NO } },
                         [PLACE_MANAGED]  = { EXEC_COPY_IN,    { DONE, NO,   NO, READ } } },
    [PLACE_MANAGED]  = { [PLACE_PAGEABLE] = { EITHER,          { DONE, READ, NO, READ } },
                         [PLACE_PINNED]   = { EITHER,          { DONE, NO,   NO, READ } },
                         [PLACE_DEVICE]   = { EXEC_COPY_OUT,   { DONE, NO,   NO, NO } },
                         [PLACE_MANAGED]  = { EITHER,          { DONE, NO,   NO, READ } } },
};

/* A request that was checked, in its simplest form. */
struct plan {
    struct copy_request r;
    const struct copy_rule *rule;
};

/* Bytes from the first to behind the last one; false when that overflows. */
static bool span_of(const struct copy_end *end, const struct copy_request *r, size_t *out)
{
    size_t rows, slices;
    return !__builtin_mul_overflow(end->pitch, r->rows - 1, &rows) && !__builtin_mul_overflow(end->slice, r->slices - 1, &slices)
        && !__builtin_add_overflow(rows, slices, out) && !__builtin_add_overflow(*out, r->width, out)
        && end->addr + *out >= end->addr;
}

static enum place place_of_kind(enum mem_kind kind)
{
    return kind == MEM_MANAGED ? PLACE_MANAGED : kind == MEM_HOST || kind == MEM_REGISTERED ? PLACE_PINNED : PLACE_DEVICE;
}

/* An end that the quick question of resolve() did not answer: one that is wrong, or not inside of one range. */
static HW_NOINLINE CUresult resolve_slowly(const struct copy_end *end, const char *which, size_t span, enum place *out)
{
    struct mem_info info;
    bool covered = mem_covers(end->addr, span, &info);
    *out = covered ? place_of_kind(info.kind) : PLACE_PAGEABLE;
    /* A host range may begin in registered memory and go on behind it: then it is pageable like the rest. */
    if (covered || ((info.kind == MEM_NONE || info.kind == MEM_REGISTERED) && end->side != COPY_DEVICE))
        return CUDA_SUCCESS;
    hook_copy_refused(end->addr, span, *which == 'd');
    if (info.kind == MEM_NONE)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the %s 0x%llx is no device memory (a host pointer, or freed already)", which, (unsigned long long)end->addr);
    return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the %s: %zu bytes from 0x%llx reach beyond the end of their allocation of %zu bytes at 0x%llx", which, span,
                     (unsigned long long)end->addr, info.bytes, (unsigned long long)info.base);
}

/* What an end of a copy is: the one question for its address. */
static CUresult resolve(const struct copy_request *r, enum mem_slot slot, enum place *out)
{
    const struct copy_end *end = slot == MEM_SLOT_DST ? &r->dst : &r->src;
    const char *which = slot == MEM_SLOT_DST ? "destination" : "source";
    enum mem_kind kind;
    size_t span;
    if (end->addr == 0 || !span_of(end, r, &span))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the %s is NULL, or its rows reach beyond the address space", which);
    if (hw_unlikely(!mem_span_holds(end->addr, span, slot, &kind) || (kind == MEM_NONE && end->side == COPY_DEVICE)))
        return resolve_slowly(end, which, span, out);
    *out = kind == MEM_NONE ? PLACE_PAGEABLE : place_of_kind(kind);
    return CUDA_SUCCESS;
}

static void normalise(struct copy_end *end, const struct copy_request *r)
{
    if (end->pitch == 0)
        end->pitch = r->width;
    if (end->slice == 0)
        end->slice = end->pitch * r->rows;
}

/* Checks a request that is not empty, brings it into its simplest form, and finds its row. */
static CUresult prepare(const struct copy_request *req, struct plan *out)
{
    struct copy_request *r = &out->r;
    enum place dst, src;
    CUresult rc;
    *r = *req;
    normalise(&r->dst, r);
    normalise(&r->src, r);
    size_t whole;
    if (r->slices == 1 && r->dst.pitch == r->width && r->src.pitch == r->width
        && !__builtin_mul_overflow(r->width, r->rows, &whole)) {
        r->width = whole;                        /* no gaps: one long row, which is cut into better pieces */
        r->rows = 1;
    }
    if ((rc = resolve(r, MEM_SLOT_DST, &dst)) || (rc = resolve(r, MEM_SLOT_SRC, &src)))
        return rc;
    out->rule = &rules[dst][src];
    return CUDA_SUCCESS;
}

static bool is_empty(const struct copy_request *r)
{
    return r->width == 0 || r->rows == 0 || r->slices == 0;
}

static int copy_fault(const struct cmd *c)
{
    return c->x.copy.fault;
}

static void copy_drop(struct cmd *c)
{
    hw_free(c->staging);
}

static const struct cmd_type copy_type = { .kind = CMD_COPY, .fault = copy_fault, .drop = copy_drop };

static struct cmd *make_cmd(const struct copy_request *r, const struct copy_rule *rule)
{
    struct cmd *c = cmd_new(&copy_type);
    struct exec_copy *x = &c->x.copy;
    x->dst = (char *)(uintptr_t)r->dst.addr;
    x->src = (const char *)(uintptr_t)r->src.addr;
    x->width = r->width;
    x->rows = r->rows;
    x->slices = r->slices;
    x->dst_pitch = r->dst.pitch;
    x->dst_slice = r->dst.slice;
    x->src_pitch = r->src.pitch;
    x->src_slice = r->src.slice;
    exec_copy_init(x, rule->engine == EITHER ? exec_copy_engine_any() : exec_engine(rule->engine));
    return c;
}

/* Reads the source now; the queued copy then comes from our memory. False: too much to hold. */
static bool stage(struct cmd *c)
{
    struct exec_copy *x = &c->x.copy;
    size_t bytes, rows = x->rows * x->slices;
    if (__builtin_mul_overflow(x->width, rows, &bytes) || bytes > STAGE_MAX || !(c->staging = malloc(bytes)))
        return false;
    char *to = c->staging;
    for (size_t s = 0; s < x->slices; s++)
        for (size_t r = 0; r < x->rows; r++, to += x->width)
            memcpy(to, x->src + s * x->src_slice + r * x->src_pitch, x->width);
    x->src = c->staging;
    x->src_pitch = x->width;
    x->src_slice = x->width * x->rows;
    exec_copy_init(x, c->x.job.engine);
    return true;
}

/* Queues a command and waits as long as its row says. */
static CUresult queue(struct stream *s, struct cmd *c, enum wait wait, bool async)
{
    hook_copy_made(c, async);
    /* An idle stream would run it at once: then reading the source and copying it is the same work. */
    if (wait == READ)
        wait = sched_idle(s) || !stage(c) ? DONE : NO;
    if (wait == NO)
        return sched_push_work(s, c);
    CUresult rc = sched_push_and_wait(s, c);
    if (!async)
        ctx_flush_printf(s->ctx);
    return rc;
}

/* One row, in a stream with nothing to do: queueing it would take longer than doing it. False: the stream has work to wait for. */
static bool copy_here(struct stream *s, const struct plan *p, CUresult *rc)
{
    const struct copy_request *r = &p->r;
    bool async = r->call != COPY_SYNC;
    if (!direct_begin(s))
        return false;
    struct cmd *seen = hook_any ? make_cmd(r, p->rule) : NULL;
    if (seen) {
        hook_copy_made(seen, async);
        direct_tell_begin(s, seen);
    }
    *rc = ctx_error(s->ctx);                     /* after looking for work: what has ended by now has left its error */
    int fault = *rc ? EXEC_OK : exec_copy_here((void *)(uintptr_t)r->dst.addr, (const void *)(uintptr_t)r->src.addr, r->width);
    if (seen) {
        direct_tell_end(seen);
        cmd_drop(seen);
    }
    direct_end();
    if (hw_unlikely(fault)) {
        ctx_poison(s->ctx, CUDA_ERROR_ILLEGAL_ADDRESS);
        *rc = ctx_error(s->ctx);
    }
    if (!async)
        ctx_flush_printf(s->ctx);
    return true;
}

/* How many bytes of a row the caller may copy by itself. Who watches must not see that a call waits which does not on a GPU. */
static size_t most_here(const struct plan *p)
{
    if (p->r.rows != 1 || p->r.slices != 1)
        return 0;
    if (p->rule->wait[p->r.call] != NO)
        return DIRECT_MAX;
    return p->r.call == COPY_SYNC && !hook_any ? ASIDE_MAX : 0;
}

/* The one way that every copy of a stream goes. */
static CUresult run(struct stream *s, const struct plan *p)
{
    CUresult rc;
    if (p->r.width <= most_here(p) && copy_here(s, p, &rc))
        return rc;
    return queue(s, make_cmd(&p->r, p->rule), p->rule->wait[p->r.call], p->r.call != COPY_SYNC);
}

CUresult copy_run(struct stream *s, const struct copy_request *req)
{
    struct plan p;
    bool captures;
    CUresult rc;
    if ((rc = capture_enter(s, &captures)))
        return rc;
    if (captures)
        return capture_copy(s, req);
    if (is_empty(req))
        return CUDA_SUCCESS;
    return (rc = prepare(req, &p)) ? rc : run(s, &p);
}

CUresult copy_cmd(const struct copy_request *req, struct cmd **out)
{
    struct plan p;
    CUresult rc = is_empty(req) ? CUDA_SUCCESS : prepare(req, &p);
    if (!rc)
        *out = is_empty(req) ? mark_nothing() : make_cmd(&p.r, p.rule);
    return rc;
}

static CUresult prepare_full(const struct copy_request *r, struct plan *out)
{
    return is_empty(r) ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "a copy of a batch has %zu bytes x %zu rows x %zu slices: none may be empty", r->width, r->rows, r->slices)
                       : prepare(r, out);
}

CUresult copy_batch(struct stream *s, const struct copy_request *reqs, size_t n, size_t *bad)
{
    bool captures;
    CUresult rc = capture_enter(s, &captures), one;
    if (rc)
        return rc;
    if (captures)                                /* and the capture goes on: measured */
        return hw_refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a batch of copies cannot be captured");
    struct plan *plans = hw_alloc(n * sizeof *plans);
    size_t made = 0;
    for (; made < n && !(rc = prepare_full(&reqs[made], &plans[made])); made++)
        ;
    if (rc)
        *bad = made;
    for (size_t i = 0; made == n && i < n; i++)
        if ((one = run(s, &plans[i])) && !rc)
            rc = one;
    hw_free(plans);
    return rc;
}

CUresult copy_linear(struct stream *s, uint64_t dst, enum copy_side dst_side, uint64_t src, enum copy_side src_side, size_t bytes,
                     bool async)
{
    struct copy_request r = { .dst = { .side = dst_side, .addr = dst }, .src = { .side = src_side, .addr = src }, .width = bytes,
                              .rows = 1, .slices = 1, .call = async ? COPY_ASYNC : COPY_SYNC };
    return copy_run(s, &r);
}

static CUresult fill_cmd(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t rows,
                         struct cmd **out, const struct copy_rule **out_rule)
{
    struct copy_request r = { .dst = { .side = COPY_DEVICE, .addr = dst, .pitch = pitch }, .rows = rows, .slices = 1 };
    enum place place;
    CUresult rc;
    if (dst % element || __builtin_mul_overflow(width, (size_t)element, &r.width))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the address 0x%llx is no multiple of the element's %u bytes, or %zu elements overflow", (unsigned long long)dst, element, width);
    if (width == 0 || rows == 0)
        return CUDA_SUCCESS;
    if (rows > 1 && (pitch < r.width || pitch % element))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a pitch of %zu bytes is less than the %zu of a row, or no multiple of the element's %u", pitch, r.width, element);
    normalise(&r.dst, &r);
    size_t whole;
    if (rows > 1 && r.dst.pitch == r.width && !__builtin_mul_overflow(r.width, rows, &whole)) {
        r.width = whole;
        r.rows = 1;
    }
    if ((rc = resolve(&r, MEM_SLOT_DST, &place)))
        return rc;
    *out_rule = &rules[place][PLACE_DEVICE];     /* a fill waits as a copy from the device does */
    struct cmd *c = make_cmd(&r, *out_rule);
    c->x.copy.value = element == 1 ? value & 0xff : element == 2 ? value & 0xffff : value;
    c->x.copy.element = (uint8_t)element;
    *out = c;
    return CUDA_SUCCESS;
}

CUresult copy_fill_cmd(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t rows, struct cmd **out)
{
    const struct copy_rule *rule;
    struct cmd *c = NULL;
    CUresult rc = fill_cmd(dst, pitch, value, element, width, rows, &c, &rule);
    if (!rc)
        *out = c ? c : mark_nothing();
    return rc;
}

CUresult copy_fill(struct stream *s, CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t rows,
                   bool async)
{
    const struct copy_rule *rule;
    struct cmd *c = NULL;
    bool captures;
    CUresult rc;
    if ((rc = capture_enter(s, &captures)))
        return rc;
    if (captures)
        return capture_fill(s, dst, pitch, value, element, width, rows);
    if ((rc = fill_cmd(dst, pitch, value, element, width, rows, &c, &rule)) || !c)
        return rc;
    return queue(s, c, rule->wait[async ? COPY_ASYNC : COPY_SYNC], async);
}
