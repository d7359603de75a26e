/* SPDX-License-Identifier: Apache-2.0 */
/* Values in memory that a stream writes or waits for. What cannot be done at once is looked at by one thread. */
#include "core/stream/values.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/os.h"
#include "core/device/ctx.h"
#include "core/hooks.h"
#include "core/mem/mem.h"
#include "core/sched/capturing.h"
#include "core/sched/sched.h"

#include <stdatomic.h>
#include <time.h>

enum { POLL_SPINS = 200, POLL_SLEEP_NS = 20000 };

/* --- checks --- */

static bool wide(CUstreamBatchMemOpType op)
{
    return op == CU_STREAM_MEM_OP_WAIT_VALUE_64 || op == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

static CUresult check_address(uint64_t addr, size_t bytes)
{
    struct mem_info info;
    if (addr == 0 || addr % bytes || !mem_covers(addr, bytes, &info))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is not aligned to %zu bytes, or is no memory of CUDA's", (unsigned long long)addr, bytes);
    return CUDA_SUCCESS;
}

static CUresult check_op(const CUstreamBatchMemOpParams *op)
{
    size_t bytes = wide(op->operation) ? 8 : 4;
    switch (op->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        if (op->waitValue.flags & ~(unsigned)(CU_STREAM_WAIT_VALUE_NOR | CU_STREAM_WAIT_VALUE_FLUSH))
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x of a wait are not known", op->waitValue.flags);
        return check_address(op->waitValue.address, bytes);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        if (op->writeValue.flags & ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x of a write are not known", op->writeValue.flags);
        return check_address(op->writeValue.address, bytes);
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
    case CU_STREAM_MEM_OP_BARRIER:
        return CUDA_SUCCESS;
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no such operation on memory");
    }
}

CUresult values_check(const CUstreamBatchMemOpParams *ops, unsigned n)
{
    CUresult rc;
    if (n == 0 || n > 256 || !ops)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%u operations at %p; 1 to 256 will do", n, (const void *)ops);
    for (unsigned i = 0; i < n; i++)
        if ((rc = check_op(&ops[i])))
            return rc;
    return CUDA_SUCCESS;
}

/* --- doing --- */

static bool holds(uint64_t now, uint64_t want, unsigned flags, bool is_wide)
{
    switch (flags & CU_STREAM_WAIT_VALUE_NOR) {
    /* "At least" is cyclic: counters may wrap. */
    case CU_STREAM_WAIT_VALUE_GEQ: return is_wide ? (int64_t)(now - want) >= 0 : (int32_t)((uint32_t)now - (uint32_t)want) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ: return now == want;
    case CU_STREAM_WAIT_VALUE_AND: return (now & want) != 0;
    default: return (is_wide ? ~(now | want) : (uint32_t)~(now | want)) != 0;
    }
}

/* False: not yet. Memory that was taken away meanwhile is not touched, and its operation counts as done. */
static bool try_op(const CUstreamBatchMemOpParams *op, bool shared)
{
    bool is_wide = wide(op->operation);
    uint64_t addr = op->waitValue.address;       /* a write has its address and value at the same places */
    uint64_t value = is_wide ? op->waitValue.value64 : op->waitValue.value;
    if (op->operation == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES || op->operation == CU_STREAM_MEM_OP_BARRIER) {
        atomic_thread_fence(memory_order_seq_cst);
        return true;
    }
    if (!shared && check_address(addr, is_wide ? 8 : 4))
        return true;
    _Atomic uint64_t *at64 = (_Atomic uint64_t *)(uintptr_t)addr;
    _Atomic uint32_t *at32 = (_Atomic uint32_t *)(uintptr_t)addr;
    if (op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64) {
        /* acquire: pairs with whatever the program, a kernel or another stream published before it set the value */
        uint64_t now = is_wide ? atomic_load_explicit(at64, memory_order_acquire) : atomic_load_explicit(at32, memory_order_acquire);
        return holds(now, value, op->waitValue.flags, is_wide);
    }
    if (shared) {
        uint64_t old = atomic_load(at64);
        while (old < value && !atomic_compare_exchange_weak(at64, &old, value))
            ;
    } else if (is_wide)
        atomic_store_explicit(at64, value, memory_order_seq_cst);
    else
        atomic_store_explicit(at32, (uint32_t)value, memory_order_seq_cst);
    return true;
}

/* True: all are done, or the context is broken and nothing will ever come. */
static bool go_on(struct cmd *c)
{
    struct values *v = c->values;
    if (ctx_error(c->stream->ctx))
        return true;
    while (v->next < v->n && try_op(&v->ops[v->next], v->shared))
        v->next++;
    return v->next == v->n;
}

/* --- the thread that looks --- */

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct cmd *fresh HW_GUARDED_BY(mu);      /* by values->next_waiting */
static _Atomic uint32_t n_fresh;                 /* the thread sleeps on it */

static struct cmd *take_fresh(struct cmd *rest)
{
    hw_lock(&mu);
    struct cmd *all = fresh;
    fresh = NULL;
    hw_unlock(&mu);
    while (all) {
        struct cmd *next = all->values->next_waiting;
        all->values->next_waiting = rest;
        rest = all;
        all = next;
    }
    return rest;
}

/* Looks at each once; those that are over leave the list. */
static struct cmd *look(struct cmd *waiting)
{
    struct cmd *keep = NULL;
    for (struct cmd *c = waiting, *next; c; c = next) {
        next = c->values->next_waiting;
        if (go_on(c)) {
            sched_done(c);
            continue;
        }
        c->values->next_waiting = keep;
        keep = c;
    }
    return keep;
}

static void *looker(void *unused)
{
    const struct timespec pause = { 0, POLL_SLEEP_NS };
    struct cmd *waiting = NULL;
    unsigned idle = 0;
    (void)unused;
    for (;;) {
        uint32_t seen = atomic_load(&n_fresh);
        waiting = look(take_fresh(waiting));
        if (!waiting) {
            hw_futex_wait(&n_fresh, seen, 0);
            idle = 0;
        } else if (idle++ < POLL_SPINS) {
            hw_cpu_relax();
        } else {
            nanosleep(&pause, NULL);
        }
    }
    return NULL;
}

bool values_ready(void)
{
    static struct hw_service service = HW_SERVICE_INIT;
    return hw_service_start(&service, looker);
}

static bool values_start(struct cmd *c)
{
    if (go_on(c))
        return true;
    hw_lock(&mu);
    c->values->next_waiting = fresh;
    fresh = c;
    hw_unlock(&mu);
    atomic_fetch_add(&n_fresh, 1);
    hw_futex_wake(&n_fresh, 1);
    return false;
}

static void values_drop(struct cmd *c)
{
    event_unref(c->event);
    hw_free(c->values->ops);
    hw_free(c->values);
}

/* The record of an event that processes share. */
static void values_queued(struct cmd *c)
{
    if (c->event && c->values->shared && c->values->ops[0].operation == CU_STREAM_MEM_OP_WRITE_VALUE_64)
        hook_event_recorded(c->event, c);
}

static const struct cmd_type values_type = { .kind = CMD_VALUES, .no_job = true, .queued = values_queued, .start = values_start, .drop = values_drop };

/* --- queueing --- */

struct cmd *values_cmd(const CUstreamBatchMemOpParams *ops, unsigned n)
{
    struct cmd *c = cmd_new(&values_type);
    struct values *v = hw_alloc(sizeof *v);
    v->ops = hw_alloc(sizeof *ops * (n ? n : 1));
    if (n)
        memcpy(v->ops, ops, sizeof *ops * n);
    v->n = n;
    c->values = v;
    return c;
}

CUresult values_push(struct stream *s, const CUstreamBatchMemOpParams *ops, unsigned n)
{
    bool captures;
    CUresult rc = capture_enter(s, &captures);
    if (rc)
        return rc;
    if (captures)
        return capture_values(s, ops, n);
    if (!values_ready())
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no more threads");
    if (n)
        sched_push(s, values_cmd(ops, n));
    return CUDA_SUCCESS;
}
