/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of graphs. */
#include "core/mem/graph_mem.h"
#include "base/log.h"

#include "base/list.h"
#include "base/lock.h"
#include "base/log.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/mem/mem.h"
#include "core/sched/sched.h"

enum { MAX_DEVICES = 64 };

/*
 * One allocation.
 * Lifetime  Every node that allocates or frees it holds a reference, in graphs and in executable ones, which their launches keep alive;
 *           and the program, once a launch has given it out.
 * Locks     mu.
 */
struct graph_memory {
    struct hw_list in_all;
    unsigned refs;
    bool out;
    bool instance;               /* an executable graph has the node that allocates it; there is one at a time */
    bool launched;               /* and was launched */
    bool counted;                /* in amounts[].live */
    struct ctx *ctx;             /* const, referenced */
    CUmemPoolProps props;        /* const */
    CUdeviceptr ptr;             /* const */
    size_t bytes;                /* const */
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_EVENT);
static struct hw_list all = { &all, &all };
/* As an H200 counts: memory is used from the first launch on until its executable graph is gone and the program has none of it, in
   steps of 32 MiB for all graphs together; what was used stays reserved until it is trimmed. */
#define STEP ((cuuint64_t)32 << 20)
static struct { cuuint64_t live, used, used_high, reserved, reserved_high; } amounts[MAX_DEVICES] HW_GUARDED_BY(mu);

static void count(struct graph_memory *m) HW_REQUIRES(mu)
{
    bool live = m->out || (m->instance && m->launched);
    int device = m->ctx->dev->ordinal;
    if (live == m->counted)
        return;
    m->counted = live;
    amounts[device].live += live ? m->bytes : -(cuuint64_t)m->bytes;
    amounts[device].used = hw_align_up(amounts[device].live, STEP);
    amounts[device].used_high = hw_max_u64(amounts[device].used_high, amounts[device].used);
    amounts[device].reserved = hw_max_u64(amounts[device].reserved, amounts[device].used);
    amounts[device].reserved_high = hw_max_u64(amounts[device].reserved_high, amounts[device].reserved);
}

void graph_memory_trim(int device)
{
    hw_lock(&mu);
    amounts[device].reserved = amounts[device].used;
    hw_unlock(&mu);
}

bool graph_memory_instance(struct graph_memory *m, bool begins)
{
    hw_lock(&mu);
    bool changes = m->instance != begins;
    m->instance = begins;
    m->launched &= begins;
    count(m);
    hw_unlock(&mu);
    return changes;
}

void graph_memory_launched(struct graph_memory *m)
{
    hw_lock(&mu);
    m->launched = true;
    count(m);
    hw_unlock(&mu);
}

CUresult graph_memory_new(struct ctx *ctx, const CUmemPoolProps *props, size_t bytes, struct graph_memory **out)
{
    CUdeviceptr ptr;
    /* As an H200 answers: memory of the host, and managed memory without a device, are known and not supported; managed memory of a device becomes plain memory of that. */
    bool managed = (int)props->allocType == 2, host = props->location.type == CU_MEM_LOCATION_TYPE_HOST || props->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
    if ((managed || props->allocType == CU_MEM_ALLOCATION_TYPE_PINNED) && (host || (managed && props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)))
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "graphs have memory of devices only");
    if (bytes == 0 || (!managed && props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) || props->location.type != CU_MEM_LOCATION_TYPE_DEVICE
        || props->location.id != ctx->dev->ordinal || props->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes of type %d in place %d.%d: a graph takes pinned memory of its own device, for this process", bytes, (int)props->allocType, (int)props->location.type, props->location.id);
    CUresult rc = mem_alloc_variable(ctx, bytes, 512, false, &ptr);
    if (rc)
        return rc;
    struct graph_memory *m = hw_alloc(sizeof *m);
    ctx_ref(ctx);
    m->refs = 1;
    m->ctx = ctx;
    m->props = *props;
    m->ptr = ptr;
    m->bytes = bytes;
    hw_lock(&mu);
    hw_list_push_back(&all, &m->in_all);
    hw_unlock(&mu);
    *out = m;
    return CUDA_SUCCESS;
}

struct graph_memory *graph_memory_get(CUdeviceptr ptr)
{
    struct graph_memory *found = NULL;
    hw_lock(&mu);
    hw_list_for(it, &all) {
        struct graph_memory *m = hw_list_item(it, struct graph_memory, in_all);
        if (m->ptr == ptr) {
            found = m;
            m->refs++;
        }
    }
    hw_unlock(&mu);
    return found;
}

void graph_memory_ref(struct graph_memory *m)
{
    hw_lock(&mu);
    m->refs++;
    hw_unlock(&mu);
}

void graph_memory_unref(struct graph_memory *m)
{
    if (!m)
        return;
    hw_lock(&mu);
    bool last = --m->refs == 0;
    if (last) {
        hw_list_del(&m->in_all);
        m->out = m->instance = false;
        count(m);
    }
    hw_unlock(&mu);
    if (!last)
        return;
    if (!m->ctx->dead)                           /* its context took it along */
        mem_free_variable(m->ptr);
    ctx_unref(m->ctx);
    hw_free(m);
}

void graph_memory_describe(const struct graph_memory *m, CUDA_MEM_ALLOC_NODE_PARAMS *out)
{
    memset(out, 0, sizeof *out);
    out->poolProps = m->props;
    out->bytesize = m->bytes;
    out->dptr = m->ptr;
}

CUdeviceptr graph_memory_ptr(const struct graph_memory *m)
{
    return m->ptr;
}

static bool set_out(struct graph_memory *m, bool is_out)
{
    hw_lock(&mu);
    bool changes = m->out != is_out;
    if (changes) {
        m->out = is_out;
        m->refs += is_out;
        count(m);
    }
    hw_unlock(&mu);
    if (changes && !is_out)
        graph_memory_unref(m);
    return changes;
}

bool graph_memory_give_out(struct graph_memory *m)
{
    return set_out(m, true);
}

bool graph_memory_take_back(struct graph_memory *m)
{
    return set_out(m, false);
}

bool graph_memory_is_out(const struct graph_memory *m)
{
    hw_lock(&mu);
    bool is_out = m->out;
    hw_unlock(&mu);
    return is_out;
}

CUresult graph_memory_free(CUdeviceptr ptr, struct stream *s)
{
    struct graph_memory *m = graph_memory_get(ptr);
    bool freed = false;
    if (m && graph_memory_is_out(m)) {
        if (s)
            sched_wait_stream(s);
        else
            sched_wait_ctx(m->ctx);
        freed = graph_memory_take_back(m);
    }
    graph_memory_unref(m);
    return freed ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is no memory of a graph, or it is free already", (unsigned long long)ptr);
}

CUresult graph_memory_attribute(int device, CUgraphMem_attribute attribute, cuuint64_t *out)
{
    CUresult rc = CUDA_SUCCESS;
    hw_lock(&mu);
    switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT: *out = amounts[device].used; break;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH: *out = amounts[device].used_high; break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT: *out = amounts[device].reserved; break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH: *out = amounts[device].reserved_high; break;
    default: rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no attribute %d of the memory of graphs, or it cannot be set", (int)attribute); break;
    }
    hw_unlock(&mu);
    return rc;
}

CUresult graph_memory_reset_high(int device, CUgraphMem_attribute attribute)
{
    CUresult rc = CUDA_SUCCESS;
    hw_lock(&mu);
    switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH: amounts[device].used_high = amounts[device].used; break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH: amounts[device].reserved_high = amounts[device].reserved; break;
    default: rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no attribute %d of the memory of graphs, or it cannot be set", (int)attribute); break;
    }
    hw_unlock(&mu);
    return rc;
}
