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

/* What an address turned out to be. */
enum place { PLACE_PAGEABLE, PLACE_PINNED, PLACE_DEVICE, PLACE_MANAGED };

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

static CUresult classify(const struct copy_end *end, const struct copy_request *r, enum place *out)
{
    struct mem_info info;
    size_t span;
    const char *which = end == &r->dst ? "destination" : "source";
    if (end->addr == 0 || !span_of(end, r, &span))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the %s is NULL, or its rows reach beyond the address space", which);
    if (!mem_lookup(end->addr, &info)) {
        *out = PLACE_PAGEABLE;
        if (end->side == COPY_DEVICE)
            hook_copy_refused(end->addr, span, end == &r->dst);
        return end->side != COPY_DEVICE ? CUDA_SUCCESS
            : hw_refuse(CUDA_ERROR_INVALID_VALUE, "the %s 0x%llx is no device memory (a host pointer, or freed already)", which, (unsigned long long)end->addr);
    }
    if (span > info.bytes - (end->addr - info.base) && !(info.external && mem_covers(end->addr, span, &info))) {
        /* A host range may begin in registered memory and go on behind it: then it is pageable like the rest. */
        *out = PLACE_PAGEABLE;
        if (info.kind == MEM_REGISTERED && end->side != COPY_DEVICE)
            return CUDA_SUCCESS;
        hook_copy_refused(end->addr, span, end == &r->dst);
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the %s: %zu bytes from 0x%llx reach beyond the end of their allocation of %zu bytes at 0x%llx", which, span,
                         (unsigned long long)end->addr, info.bytes, (unsigned long long)info.base);
    }
    *out = place_of_kind(info.kind);
    return CUDA_SUCCESS;
}

static struct exec_engine *engine_for(enum place dst, enum place src)
{
    if (dst == PLACE_DEVICE && src != PLACE_DEVICE)
        return exec_engine(EXEC_COPY_IN);
    if (src == PLACE_DEVICE && dst != PLACE_DEVICE)
        return exec_engine(EXEC_COPY_OUT);
    return exec_copy_engine_any();
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

static struct cmd *make_cmd(const struct copy_request *r, enum place dst, enum place src)
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
    exec_copy_init(x, engine_for(dst, src));
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

/*
 * Who waits:
 *   host to host                     always
 *   device to pageable               always: the program may look at the memory as soon as the call returns
 *   pageable to device, async        only until the source was read
 *   anything pinned, async           no
 *   device to device                 no, not even the call without Async
 *   all other synchronous calls      yes
 */
static CUresult submit(struct stream *s, struct cmd *c, enum place dst, enum place src, bool async)
{
    hook_copy_made(c, async);
    bool on_device = dst == PLACE_DEVICE && src == PLACE_DEVICE;
    bool host_to_host = (dst == PLACE_PAGEABLE || dst == PLACE_PINNED) && (src == PLACE_PAGEABLE || src == PLACE_PINNED);
    bool wait = host_to_host || dst == PLACE_PAGEABLE || (!async && !on_device);
    /* An idle stream would run it at once: then reading the source and copying it is the same work. */
    if (!wait && src == PLACE_PAGEABLE)
        wait = sched_idle(s) || !stage(c);
    if (!wait)
        return sched_push_work(s, c);
    CUresult rc = sched_push_and_wait(s, c);
    if (!async)
        ctx_flush_printf(s->ctx);
    return rc;
}

/* A small copy that the caller waits for, in a stream with nothing to do: queueing it would take longer than doing it. */
static bool copy_directly(struct stream *s, const struct copy_request *r, enum place dst, enum place src, CUresult *rc)
{
    bool on_device = dst == PLACE_DEVICE && src == PLACE_DEVICE;
    bool waits = dst == PLACE_PAGEABLE || src == PLACE_PAGEABLE || (!r->async && !on_device);
    if (!waits || r->rows != 1 || r->slices != 1 || r->width > DIRECT_MAX || !direct_begin(s))
        return false;
    struct cmd *seen = hook_any ? make_cmd(r, dst, src) : NULL;
    if (seen) {
        hook_copy_made(seen, r->async);
        direct_tell_begin(s, seen);
    }
    int fault = exec_copy_here((void *)(uintptr_t)r->dst.addr, (const void *)(uintptr_t)r->src.addr, r->width);
    if (seen) {
        direct_tell_end(seen);
        cmd_drop(seen);
    }
    direct_end();
    if (fault)
        ctx_poison(s->ctx, CUDA_ERROR_ILLEGAL_ADDRESS);
    if (!r->async)
        ctx_flush_printf(s->ctx);
    *rc = ctx_error(s->ctx);
    return true;
}

/* Small enough to be done by the calling thread where CUDA does not make it wait: what queueing costs, at most. */
#define ASIDE_MAX ((size_t)16 << 10)

static bool place_of(uint64_t addr, enum copy_side side, enum mem_slot slot, size_t bytes, enum place *out)
{
    const struct mem_span *s = mem_span(addr, slot);
    *out = s->kind == MEM_NONE ? PLACE_PAGEABLE : place_of_kind(s->kind);
    return addr && bytes <= s->bytes - (addr - s->base) && (s->kind != MEM_NONE || side != COPY_DEVICE);
}

bool copy_now(struct ctx *ctx, uint64_t dst, enum copy_side dst_side, uint64_t src, enum copy_side src_side, size_t bytes, CUresult *rc)
{
    enum place to, from;
    if (bytes == 0 || bytes > DIRECT_MAX || hook_any || capture_any() || !place_of(dst, dst_side, MEM_SLOT_DST, bytes, &to)
        || !place_of(src, src_side, MEM_SLOT_SRC, bytes, &from) || (to == PLACE_DEVICE && from == PLACE_DEVICE && bytes > ASIDE_MAX)
        || !direct_try())
        return false;
    *rc = ctx_error(ctx);                        /* after looking for work: what has ended by now has left its error */
    int fault = *rc ? EXEC_OK : exec_copy_here((void *)(uintptr_t)dst, (const void *)(uintptr_t)src, bytes);
    direct_end();
    if (hw_unlikely(fault)) {
        ctx_poison(ctx, CUDA_ERROR_ILLEGAL_ADDRESS);
        *rc = ctx_error(ctx);
    }
    ctx_flush_printf(ctx);
    return true;
}

static void normalise(struct copy_end *end, const struct copy_request *r)
{
    if (end->pitch == 0)
        end->pitch = r->width;
    if (end->slice == 0)
        end->slice = end->pitch * r->rows;
}

/* Checks a request and brings it into its simplest form. */
static CUresult prepare(struct copy_request *r, enum place *dst, enum place *src)
{
    CUresult rc;
    normalise(&r->dst, r);
    normalise(&r->src, r);
    size_t whole;
    if (r->slices == 1 && r->dst.pitch == r->width && r->src.pitch == r->width
        && !__builtin_mul_overflow(r->width, r->rows, &whole)) {
        r->width = whole;                        /* no gaps: one long row, which is cut into better pieces */
        r->rows = 1;
    }
    if ((rc = classify(&r->dst, r, dst)))
        return rc;
    return classify(&r->src, r, src);
}

static bool is_empty(const struct copy_request *r)
{
    return r->width == 0 || r->rows == 0 || r->slices == 0;
}

CUresult copy_run(struct stream *s, const struct copy_request *req)
{
    struct copy_request r = *req;
    enum place dst, src;
    bool captures;
    CUresult rc;
    if ((rc = capture_enter(s, &captures)))
        return rc;
    if (!captures && is_empty(&r))
        return CUDA_SUCCESS;
    if (captures)
        return capture_copy(s, req);
    if ((rc = prepare(&r, &dst, &src)) || copy_directly(s, &r, dst, src, &rc))
        return rc;
    return submit(s, make_cmd(&r, dst, src), dst, src, r.async);
}

CUresult copy_cmd(const struct copy_request *req, struct cmd **out)
{
    struct copy_request r = *req;
    enum place dst, src;
    CUresult rc;
    if (is_empty(&r)) {
        *out = mark_nothing();
        return CUDA_SUCCESS;
    }
    if ((rc = prepare(&r, &dst, &src)))
        return rc;
    *out = make_cmd(&r, dst, src);
    return CUDA_SUCCESS;
}

/* The command of one copy of a batch. *wait: its source is too large to be read now. */
static CUresult batch_cmd(const struct copy_request *req, bool now, struct cmd **out, bool *wait)
{
    struct copy_request r = *req;
    enum place dst, src;
    CUresult rc;
    if (is_empty(&r))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a copy of a batch has %zu bytes x %zu rows x %zu slices: none may be empty", r.width, r.rows, r.slices);
    if ((rc = prepare(&r, &dst, &src)))
        return rc;
    *out = make_cmd(&r, dst, src);
    *wait = now && src != PLACE_DEVICE && !stage(*out);
    return CUDA_SUCCESS;
}

CUresult copy_batch(struct stream *s, const struct copy_request *reqs, const bool *now, size_t n, size_t *bad)
{
    bool captures;
    CUresult rc = capture_enter(s, &captures);
    if (rc)
        return rc;
    if (captures)                                /* and the capture goes on: measured */
        return hw_refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a batch of copies cannot be captured");
    struct cmd **cmds = hw_alloc(n * sizeof *cmds);
    bool *wait = hw_alloc(n * sizeof *wait);
    size_t made = 0;
    for (; made < n && !(rc = batch_cmd(&reqs[made], now[made], &cmds[made], &wait[made])); made++)
        ;
    if (rc)
        *bad = made;
    for (size_t i = 0; i < made; i++) {
        if (rc) {
            cmd_drop(cmds[i]);
            continue;
        }
        hook_copy_made(cmds[i], true);
        if (wait[i])
            sched_push_and_wait(s, cmds[i]);
        else
            sched_push_work(s, cmds[i]);
    }
    hw_free(cmds);
    hw_free(wait);
    return rc;
}

CUresult copy_linear(struct stream *s, uint64_t dst, enum copy_side dst_side, uint64_t src, enum copy_side src_side, size_t bytes,
                     bool async)
{
    struct copy_request r = { .dst = { .side = dst_side, .addr = dst }, .src = { .side = src_side, .addr = src }, .width = bytes,
                              .rows = 1, .slices = 1, .async = async };
    return copy_run(s, &r);
}

static CUresult fill_cmd(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t rows,
                         struct cmd **out, enum place *out_place)
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
    if ((rc = classify(&r.dst, &r, &place)))
        return rc;
    struct cmd *c = make_cmd(&r, place, PLACE_DEVICE);
    c->x.copy.value = element == 1 ? value & 0xff : element == 2 ? value & 0xffff : value;
    c->x.copy.element = (uint8_t)element;
    *out = c;
    *out_place = place;
    return CUDA_SUCCESS;
}

CUresult copy_fill_cmd(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t rows, struct cmd **out)
{
    enum place place;
    struct cmd *c = NULL;
    CUresult rc = fill_cmd(dst, pitch, value, element, width, rows, &c, &place);
    if (!rc)
        *out = c ? c : mark_nothing();
    return rc;
}

CUresult copy_fill(struct stream *s, CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t rows,
                   bool async)
{
    enum place place;
    struct cmd *c = NULL;
    bool captures;
    CUresult rc;
    if ((rc = capture_enter(s, &captures)))
        return rc;
    if (captures)
        return capture_fill(s, dst, pitch, value, element, width, rows);
    if ((rc = fill_cmd(dst, pitch, value, element, width, rows, &c, &place)) || !c)
        return rc;
    hook_copy_made(c, async);
    if (async || place == PLACE_DEVICE)
        return sched_push_work(s, c);
    return sched_push_and_wait(s, c);
}
