/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of graphs. */
#include "core/mem/graph_mem.h"

#include "base/list.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/vec.h"
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
    bool launching;              /* and is being launched */
    bool counted;                /* in the blocks below */
    struct graph_blocks *blocks; /* of that executable graph, or of the last one; referenced */
    size_t offset;               /* its place in them */
    struct ctx *ctx;             /* const, referenced */
    CUmemPoolProps props;        /* const */
    CUdeviceptr ptr;             /* const */
    size_t bytes;                /* const */
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_EVENT);
static struct hw_list all = { &all, &all };
/*
 * What an H200 counts. The allocations of an executable graph lie behind each other in blocks of 32 MiB, which no two graphs share. A launch takes blocks; what is freed, and blocks of graphs that
 * are gone, are taken again by other launches and stay used and reserved until they are trimmed. These are numbers only: the memory itself is that of graph_memory_new().
 */
#define BLOCK ((size_t)32 << 20)
struct graph_blocks {
    unsigned refs;
    size_t bytes;                                /* placed so far */
    HW_VEC(unsigned) live;                       /* of each block: how many allocations in it are live */
};
static struct { cuuint64_t live, taken, used_high, reserved_high; } amounts[MAX_DEVICES] HW_GUARDED_BY(mu);

static void count(struct graph_memory *m) HW_REQUIRES(mu)
{
    bool live = m->blocks && (m->out || m->launching);
    int device = m->ctx->dev->ordinal;
    if (live == m->counted)
        return;
    m->counted = live;
    for (size_t i = m->offset / BLOCK; i <= (m->offset + m->bytes - 1) / BLOCK; i++) {
        unsigned *n = &m->blocks->live.v[i];
        if (live ? (*n)++ == 0 : --*n == 0)
            amounts[device].live += live ? BLOCK : -(cuuint64_t)BLOCK;
    }
    amounts[device].taken = hw_max_u64(amounts[device].taken, amounts[device].live);
    amounts[device].used_high = hw_max_u64(amounts[device].used_high, amounts[device].taken);
    amounts[device].reserved_high = hw_max_u64(amounts[device].reserved_high, amounts[device].taken);
}

struct graph_blocks *graph_blocks_new(void)
{
    struct graph_blocks *b = hw_alloc(sizeof *b);
    b->refs = 1;
    return b;
}

static void blocks_unref(struct graph_blocks *b) HW_REQUIRES(mu)
{
    if (!b || --b->refs)
        return;
    hw_vec_fini(&b->live);
    hw_free(b);
}

void graph_blocks_unref(struct graph_blocks *b)
{
    hw_lock(&mu);
    blocks_unref(b);
    hw_unlock(&mu);
}

/* Behind what is in b already. What is live stays so, in its new place. */
static void place(struct graph_memory *m, struct graph_blocks *b) HW_REQUIRES(mu)
{
    bool out = m->out;
    m->out = false;
    count(m);
    blocks_unref(m->blocks);
    b->refs++;
    m->blocks = b;
    m->offset = hw_align_up(b->bytes, 512);
    b->bytes = m->offset + m->bytes;
    while (b->live.n <= (b->bytes - 1) / BLOCK)
        hw_vec_push(&b->live, 0);
    m->out = out;
    count(m);
}

void graph_memory_trim(int device)
{
    hw_lock(&mu);
    amounts[device].taken = amounts[device].live;
    hw_unlock(&mu);
}

bool graph_memory_begin(struct graph_memory *m, struct graph_blocks *b)
{
    hw_lock(&mu);
    bool changes = !m->instance;
    if (changes)
        place(m, b);
    m->instance = true;
    hw_unlock(&mu);
    return changes;
}

void graph_memory_end(struct graph_memory *m)
{
    hw_lock(&mu);
    m->instance = false;
    hw_unlock(&mu);
}

void graph_memory_launching(struct graph_memory *m, bool begins)
{
    hw_lock(&mu);
    m->launching = begins;
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
        m->out = m->launching = false;
        count(m);
        blocks_unref(m->blocks);
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
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT: *out = amounts[device].taken; break;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH: *out = amounts[device].used_high; break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT: *out = amounts[device].taken; break;
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
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH: amounts[device].used_high = amounts[device].taken; break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH: amounts[device].reserved_high = amounts[device].taken; break;
    default: rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no attribute %d of the memory of graphs, or it cannot be set", (int)attribute); break;
    }
    hw_unlock(&mu);
    return rc;
}
