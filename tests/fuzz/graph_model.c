/* SPDX-License-Identifier: Apache-2.0 */
/* Random work on buffers, in the driver and on plain arrays. */
#include "graph_model.h"

#include <stdlib.h>
#include <string.h>

/* --- buffers --- */

void model_init(struct model *m)
{
    void *pinned = NULL;
    for (unsigned b = 0; b < MODEL_BUFFERS; b++) {
        if (b == MODEL_PINNED) {
            NEED(cuMemHostAlloc(&pinned, sizeof m->words[b], 0));
            NEED(cuMemHostGetDevicePointer(&m->at[b], pinned, 0));
        } else if (b == MODEL_PINNED + 1) {
            NEED(cuMemAllocManaged(&m->at[b], sizeof m->words[b], CU_MEM_ATTACH_GLOBAL));
        } else {
            NEED(cuMemAlloc(&m->at[b], sizeof m->words[b]));
        }
    }
}

void model_reset(struct model *m)
{
    for (unsigned b = 0; b < MODEL_BUFFERS; b++) {
        for (unsigned i = 0; i < MODEL_WORDS; i++)
            m->words[b][i] = (b + 1) * 0x01010101u + i * 0x00010203u;
        NEED(cuMemcpyHtoD(m->at[b], m->words[b], sizeof m->words[b]));
    }
}

bool model_same(struct model *m, uint64_t number, const char *what)
{
    uint32_t now[MODEL_WORDS];
    for (unsigned b = 0; b < MODEL_BUFFERS; b++) {
        if (!GOOD(number, cuMemcpyDtoH(now, m->at[b], sizeof now)))
            return false;
        for (unsigned i = 0; i < MODEL_WORDS; i++)
            if (now[i] != m->words[b][i]) {
                fuzz_bad_in(number, "%s: word %u of buffer %u is 0x%x, not 0x%x", what, i, b, now[i], m->words[b][i]);
                return false;
            }
    }
    return true;
}

/* --- steps --- */

void step_vary(struct fuzz_random *r, struct step *s)
{
    static const unsigned elements[] = { 1, 2, 4 };
    unsigned words = MODEL_WORDS, wide = s->kind == STEP_SET || s->kind == STEP_SET2D ? FUZZ_ANY(r, elements) : s->kind == STEP_COPY ||
        s->kind == STEP_COPY2D ? 1 : 4;
    unsigned total = words * 4 / wide;
    s->element = wide;
    s->value = (uint32_t)fuzz_u64(r);
    s->n = 1 + fuzz_below(r, total);
    s->rows = 1;
    s->pitch = 0;
    if (s->kind == STEP_SET2D || s->kind == STEP_COPY2D) {
        s->rows = 2 + fuzz_below(r, 4);
        s->n = 1 + fuzz_below(r, total / s->rows);
        s->pitch = s->n + fuzz_below(r, total / s->rows - s->n + 1);      /* in elements; the last row needs no room behind it */
    }
    unsigned span = s->rows > 1 ? s->pitch * (s->rows - 1) + s->n : s->n;
    s->to_at = fuzz_below(r, total - span + 1);
    s->from_at = fuzz_below(r, total - span + 1);
}

void step_make(struct fuzz_random *r, struct step *s, unsigned depth)
{
    memset(s, 0, sizeof *s);
    s->kind = fuzz_below(r, depth ? STEP_CHILD : STEP_KINDS);
    s->to = s->kind == STEP_HOST ? MODEL_PINNED : fuzz_below(r, MODEL_BUFFERS);
    s->from = (s->to + 1 + fuzz_below(r, MODEL_BUFFERS - 1)) % MODEL_BUFFERS;     /* another one */
    s->enabled = true;
    if (s->kind == STEP_CHILD) {
        s->n_sub = 1 + fuzz_below(r, MODEL_SUB);
        for (unsigned k = 0; k < s->n_sub; k++)
            step_make(r, s->sub[k] = calloc(1, sizeof *s), depth + 1);
    }
    step_vary(r, s);
}

static void apply_set(unsigned char *to, const struct step *s)
{
    for (unsigned row = 0; row < s->rows; row++)
        for (unsigned i = 0; i < s->n; i++)
            memcpy(to + (size_t)s->element * (s->to_at + row * s->pitch + i), &s->value, s->element);
}

void step_apply(struct model *m, const struct step *s)
{
    uint32_t *to = m->words[s->to];
    const uint32_t *from = m->words[s->from];
    if (!s->enabled)
        return;
    switch (s->kind) {
    case STEP_SET: case STEP_SET2D: apply_set((unsigned char *)to, s); break;
    case STEP_COPY: case STEP_COPY2D:
        for (unsigned row = 0; row < s->rows; row++)
            memcpy((char *)to + s->to_at + (size_t)row * s->pitch, (const char *)from + s->from_at + (size_t)row * s->pitch, s->n);
        break;
    case STEP_MIX:
        for (unsigned i = 0; i < s->n; i++)
            to[s->to_at + i] = to[s->to_at + i] * s->value + from[s->from_at + i];
        break;
    case STEP_FILL:
        for (unsigned i = 0; i < s->n; i++)
            to[s->to_at + i] = s->value;
        break;
    case STEP_HOST:
        for (unsigned i = 0; i < MODEL_WORDS; i++)
            to[i] = to[i] * 3 + s->value;
        break;
    case STEP_CHILD:
        for (unsigned k = 0; k < s->n_sub; k++)
            step_apply(m, s->sub[k]);
        break;
    default: break;
    }
}

static void touches(const struct step *s, unsigned *reads, unsigned *writes)
{
    if (s->kind == STEP_CHILD) {
        for (unsigned k = 0; k < s->n_sub; k++)
            touches(s->sub[k], reads, writes);
    } else if (s->kind != STEP_EMPTY) {
        *writes |= 1u << s->to;
        if (s->kind == STEP_COPY || s->kind == STEP_COPY2D || s->kind == STEP_MIX)
            *reads |= 1u << s->from;
    }
}

bool step_conflicts(const struct step *a, const struct step *b)
{
    unsigned ra = 0, wa = 0, rb = 0, wb = 0;
    touches(a, &ra, &wa);
    touches(b, &rb, &wb);
    return (wa & (rb | wb)) || (ra & wb);
}

/* --- in the driver --- */

struct host_work {
    uint32_t *at, value;
};

static void CUDA_CB host_function(void *arg)
{
    const struct host_work *w = arg;
    for (unsigned i = 0; i < MODEL_WORDS; i++)
        w->at[i] = w->at[i] * 3 + w->value;
}

static CUDA_HOST_NODE_PARAMS host_params(struct model *m, const struct step *s)
{
    struct host_work *w = malloc(sizeof *w);     /* stays: the graph may run at any time */
    *w = (struct host_work){ (uint32_t *)(uintptr_t)m->at[MODEL_PINNED], s->value };
    return (CUDA_HOST_NODE_PARAMS){ host_function, w };
}

static CUDA_MEMSET_NODE_PARAMS set_params(struct model *m, const struct step *s)
{
    return (CUDA_MEMSET_NODE_PARAMS){ .dst = m->at[s->to] + (CUdeviceptr)s->element * s->to_at, .pitch = (size_t)s->element * s->pitch,
        .value = s->element == 4 ? s->value : s->value & ((1u << 8 * s->element) - 1),
                                      .elementSize = s->element, .width = s->n, .height = s->rows };
}

static CUDA_MEMCPY3D copy_params(struct model *m, const struct step *s)
{
    return (CUDA_MEMCPY3D){ .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = m->at[s->from] + s->from_at, .srcPitch = s->rows > 1
        ? s->pitch : 0, .srcHeight = 0,
                            .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = m->at[s->to] + s->to_at, .dstPitch = s->rows > 1 ? s->pitch
                                : 0, .dstHeight = 0,
                            .WidthInBytes = s->n, .Height = s->rows, .Depth = 1 };
}

/* Parameters of the kernel, and where they are. */
struct launch {
    CUdeviceptr to, from;
    unsigned n, value;
    void *list[4];
    CUDA_KERNEL_NODE_PARAMS p;
};

static void launch_params(struct model *m, const struct step *s, struct launch *l)
{
    bool mix = s->kind == STEP_MIX;
    *l = (struct launch){ .to = m->at[s->to] + 4ull * s->to_at, .from = m->at[s->from] + 4ull * s->from_at, .n = s->n, .value = s->value };
    void *mixes[] = { &l->to, &l->from, &l->n, &l->value }, *fills[] = { &l->to, &l->n, &l->value, NULL };
    memcpy(l->list, mix ? mixes : fills, sizeof l->list);
    l->p = (CUDA_KERNEL_NODE_PARAMS){ .func = mix ? driver_mix : driver_fill, .gridDimX = 1 + s->value % 3, .gridDimY = 1, .gridDimZ = 1,
        .blockDimX = 1 + s->value % 5 * 16, .blockDimY = 1, .blockDimZ = 1, .kernelParams = l->list };
}

static CUresult add_child(struct model *m, struct step *s, CUgraph graph, const CUgraphNode *deps, size_t n)
{
    CUgraph child;
    CUresult rc = cuGraphCreate(&child, 0);
    for (unsigned k = 0; k < s->n_sub && !rc; k++)
        rc = step_add(m, s->sub[k], child, k ? &s->sub[k - 1]->node : NULL, k != 0);
    rc = rc ? rc : cuGraphAddChildGraphNode(&s->node, graph, deps, n, child);
    return rc ? rc : cuGraphDestroy(child);      /* the node has a copy */
}

CUresult step_add(struct model *m, struct step *s, CUgraph graph, const CUgraphNode *deps, size_t n)
{
    CUcontext ctx;
    struct launch l;
    CUDA_MEMSET_NODE_PARAMS set = set_params(m, s);
    CUDA_MEMCPY3D copy = copy_params(m, s);
    CUDA_HOST_NODE_PARAMS host;
    cuCtxGetCurrent(&ctx);
    switch (s->kind) {
    case STEP_SET: case STEP_SET2D: return cuGraphAddMemsetNode(&s->node, graph, deps, n, &set, ctx);
    case STEP_COPY: case STEP_COPY2D: return cuGraphAddMemcpyNode(&s->node, graph, deps, n, &copy, ctx);
    case STEP_MIX: case STEP_FILL: launch_params(m, s, &l); return cuGraphAddKernelNode(&s->node, graph, deps, n, &l.p);
    case STEP_HOST: host = host_params(m, s); return cuGraphAddHostNode(&s->node, graph, deps, n, &host);
    case STEP_CHILD: return add_child(m, s, graph, deps, n);
    default: return cuGraphAddEmptyNode(&s->node, graph, deps, n);
    }
}

CUresult step_set(struct model *m, const struct step *s)
{
    struct launch l;
    CUDA_MEMSET_NODE_PARAMS set = set_params(m, s);
    CUDA_MEMCPY3D copy = copy_params(m, s);
    CUDA_HOST_NODE_PARAMS host;
    switch (s->kind) {
    case STEP_SET: case STEP_SET2D: return cuGraphMemsetNodeSetParams(s->node, &set);
    case STEP_COPY: case STEP_COPY2D: return cuGraphMemcpyNodeSetParams(s->node, &copy);
    case STEP_MIX: case STEP_FILL: launch_params(m, s, &l); return cuGraphKernelNodeSetParams(s->node, &l.p);
    case STEP_HOST: host = host_params(m, s); return cuGraphHostNodeSetParams(s->node, &host);
    default: return CUDA_SUCCESS;
    }
}

CUresult step_set_exec(struct model *m, const struct step *s, CUgraphExec exec)
{
    CUcontext ctx;
    struct launch l;
    CUDA_MEMSET_NODE_PARAMS set = set_params(m, s);
    CUDA_MEMCPY3D copy = copy_params(m, s);
    CUDA_HOST_NODE_PARAMS host;
    cuCtxGetCurrent(&ctx);
    switch (s->kind) {
    case STEP_SET: case STEP_SET2D: return cuGraphExecMemsetNodeSetParams(exec, s->node, &set, ctx);
    case STEP_COPY: case STEP_COPY2D: return cuGraphExecMemcpyNodeSetParams(exec, s->node, &copy, ctx);
    case STEP_MIX: case STEP_FILL: launch_params(m, s, &l); return cuGraphExecKernelNodeSetParams(exec, s->node, &l.p);
    case STEP_HOST: host = host_params(m, s); return cuGraphExecHostNodeSetParams(exec, s->node, &host);
    default: return CUDA_SUCCESS;
    }
}

static CUresult queue_set(const CUDA_MEMSET_NODE_PARAMS *p, CUstream stream)
{
    bool flat = p->height == 1;
    switch (p->elementSize) {
    case 1: return flat ? cuMemsetD8Async(p->dst, (unsigned char)p->value, p->width, stream)
        : cuMemsetD2D8Async(p->dst, p->pitch, (unsigned char)p->value, p->width, p->height, stream);
    case 2: return flat ? cuMemsetD16Async(p->dst, (unsigned short)p->value, p->width, stream)
        : cuMemsetD2D16Async(p->dst, p->pitch, (unsigned short)p->value, p->width, p->height, stream);
    default: return flat ? cuMemsetD32Async(p->dst, p->value, p->width, stream) : cuMemsetD2D32Async(p->dst, p->pitch, p->value, p->width,
        p->height, stream);
    }
}

CUresult step_queue(struct model *m, const struct step *s, CUstream stream)
{
    struct launch l;
    CUDA_MEMSET_NODE_PARAMS set = set_params(m, s);
    CUDA_MEMCPY3D copy = copy_params(m, s);
    CUDA_HOST_NODE_PARAMS host;
    CUresult rc = CUDA_SUCCESS;
    switch (s->kind) {
    case STEP_SET: case STEP_SET2D: return queue_set(&set, stream);
    case STEP_COPY: return cuMemcpyAsync(copy.dstDevice, copy.srcDevice, s->n, stream);
    case STEP_COPY2D: return cuMemcpy3DAsync(&copy, stream);
    case STEP_MIX: case STEP_FILL:
        launch_params(m, s, &l);
        return cuLaunchKernel(l.p.func, l.p.gridDimX, 1, 1, l.p.blockDimX, 1, 1, 0, stream, l.list, NULL);
    case STEP_HOST: host = host_params(m, s); return cuLaunchHostFunc(stream, host.fn, host.userData);
    case STEP_CHILD:
        for (unsigned k = 0; k < s->n_sub && !rc; k++)
            rc = step_queue(m, s->sub[k], stream);
        return rc;
    default: return CUDA_SUCCESS;
    }
}
