/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that launch kernels: their side of it in PTX, ours in C. */
#include "core/module/device_launch.h"
#include "base/log.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/mem/copy.h"
#include "core/device/ctx.h"
#include "core/module/device_groups.h"
#include "core/module/device_query.h"
#include "core/module/device_work.h"
#include "core/internal.h"
#include "core/module/launch.h"
#include "core/module/module.h"
#include "core/sched/later.h"
#include "core/sched/sched.h"
#include "core/stream/stream.h"
#include "ir/ir.h"
#include "ptx/merge.h"
#include "ptx/ptx.h"

#include <stdatomic.h>

#define PREFIX "__cudaCDP2"
#define HEAD "hostwarp_device_launches"

/* What the PTX below writes; parameters, laid out as kernels want them, follow. ORDER device_launch */
struct device_launch {
    uint64_t next;
    uint32_t function;           /* its place in the module, from 1; 0: a copy, whose parameters are destination, source and bytes */
    uint32_t param_bytes;        /* function 0: 0, or a kind of device_work.c */
    uint32_t grid[3], block[3];
    uint32_t shared, unused;
    uint64_t grid_id;            /* whose launch it is */
    uint64_t stream;
};
static_assert(sizeof(struct device_launch) == 64, "as in the PTX");
enum { MOST_PARAMS = 64 * 1024 };        /* bytes that are copied: more than a kernel's parameters may have */
enum { STREAM_TAIL = 3 };        /* cudaStreamTailLaunch: after everything else that the grid launched */

/* ORDER device_launch. A stream of a kernel is only a name: all that a grid launches is run in order. 2, 9 and 69: cudaErrorMemoryAllocation,
   cudaErrorInvalidConfiguration, cudaErrorLaunchPendingCountExceeded. */
static const char head[] = ".version 7.0\n.target sm_70\n.address_size 64\n";
static const char library[] =
    ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
    ".extern .func free (.param .b64 p);\n"
    ".visible .global .align 8 .u64 " HEAD ";\n"
    ".visible .global .align 4 .u32 hostwarp_device_error;\n"
    ".visible .func (.param .b64 r) hostwarp_device_entry (.param .b64 bytes)\n"
    "{\n"
    "    .reg .b64 %d<4>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [bytes];\n"
    "    add.u64 %d1, %d1, 64;\n"
    "    { .param .b64 n; .param .b64 m; st.param.b64 [n], %d1; call (m), malloc, (n); ld.param.b64 %d2, [m]; }\n"
    "    st.param.b64 [r], %d2;\n"
    "    setp.eq.u64 %p, %d2, 0;\n"
    "    @%p st.global.u32 [hostwarp_device_error], 69;\n"
    "    @%p ret;\n"
    "    mov.u64 %d3, %gridid;\n"
    "    st.u64 [%d2+48], %d3;\n"
    "    ret;\n"
    "}\n"
    ".visible .func hostwarp_device_push (.param .b64 entry)\n"
    "{\n"
    "    .reg .b64 %d<4>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [entry];\n"
    "    mov.u64 %d2, 0;\n"
    "again:\n"
    "    st.u64 [%d1], %d2;\n"
    "    membar.gl;\n"
    "    atom.global.cas.b64 %d3, [" HEAD "], %d2, %d1;\n"
    "    setp.ne.u64 %p, %d3, %d2;\n"
    "    mov.u64 %d2, %d3;\n"
    "    @%p bra again;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b64 r) " PREFIX "GetParameterBufferV2 (.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s)\n"
    "{\n"
    "    .reg .b64 %d<5>; .reg .b32 %r<12>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [f];\n"
    "    ld.param.u32 %r1, [g]; ld.param.u32 %r2, [g+4]; ld.param.u32 %r3, [g+8];\n"
    "    ld.param.u32 %r4, [b]; ld.param.u32 %r5, [b+4]; ld.param.u32 %r6, [b+8];\n"
    "    ld.param.u32 %r7, [s];\n"
    "    min.u32 %r8, %r1, %r2; min.u32 %r8, %r8, %r3; min.u32 %r9, %r4, %r5; min.u32 %r9, %r9, %r6; min.u32 %r8, %r8, %r9;\n"
    "    mul.wide.u32 %d2, %r4, %r5; cvt.u64.u32 %d3, %r6; min.u64 %d2, %d2, 4096; mul.lo.u64 %d2, %d2, %d3;\n"
    "    setp.eq.u32 %p, %r8, 0;\n"
    "    @%p mov.u64 %d2, 4096;\n"
    "    setp.gt.u64 %p, %d2, 1024;\n"
    "    @%p bra bad;\n"
    "    shr.u64 %d2, %d1, 32;\n"
    "    { .param .b64 n; .param .b64 m; st.param.b64 [n], %d2; call (m), hostwarp_device_entry, (n); ld.param.b64 %d3, [m]; }\n"
    "    mov.u64 %d4, 0;\n"
    "    setp.eq.u64 %p, %d3, 0;\n"
    "    @%p bra out;\n"
    "    st.u64 [%d3+8], %d1;\n"
    "    st.u32 [%d3+16], %r1; st.u32 [%d3+20], %r2; st.u32 [%d3+24], %r3;\n"
    "    st.u32 [%d3+28], %r4; st.u32 [%d3+32], %r5; st.u32 [%d3+36], %r6;\n"
    "    st.u32 [%d3+40], %r7;\n"
    "    add.u64 %d4, %d3, 64;\n"
    "    bra out;\n"
    "bad:\n"
    "    st.global.u32 [hostwarp_device_error], 9;\n"
    "    mov.u64 %d4, 0;\n"
    "out:\n"
    "    st.param.b64 [r], %d4;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "LaunchDeviceV2 (.param .b64 buffer, .param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<3>; .reg .b32 %r<2>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [buffer];\n"
    "    ld.param.u64 %d2, [stream];\n"
    "    mov.u32 %r1, 69;\n"
    "    setp.eq.u64 %p, %d1, 0;\n"
    "    @%p bra out;\n"
    "    sub.u64 %d1, %d1, 64;\n"
    "    st.u64 [%d1+56], %d2;\n"
    "    { .param .b64 e; st.param.b64 [e], %d1; call hostwarp_device_push, (e); }\n"
    "    mov.u32 %r1, 0;\n"
    "out:\n"
    "    st.param.b32 [r], %r1;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "MemcpyAsync (.param .b64 to, .param .b64 from, .param .b64 bytes, .param .b32 kind, .param .b64 stream)\n"
    "{\n"
    "    .reg .b64 %d<6>; .reg .b32 %r<2>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; ld.param.u64 %d3, [bytes]; ld.param.u64 %d4, [stream];\n"
    "    { .param .b64 n; .param .b64 m; st.param.b64 [n], 24; call (m), hostwarp_device_entry, (n); ld.param.b64 %d5, [m]; }\n"
    "    mov.u32 %r1, 69;\n"
    "    setp.eq.u64 %p, %d5, 0;\n"
    "    @%p bra out;\n"
    "    st.u64 [%d5+8], 0; st.u64 [%d5+56], %d4; st.u64 [%d5+64], %d1; st.u64 [%d5+72], %d2; st.u64 [%d5+80], %d3;\n"
    "    { .param .b64 e; st.param.b64 [e], %d5; call hostwarp_device_push, (e); }\n"
    "    mov.u32 %r1, 0;\n"
    "out:\n"
    "    st.param.b32 [r], %r1;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "StreamCreateWithFlags (.param .b64 out, .param .b32 flags)\n"
    "{\n"
    "    .reg .b64 %d<2>;\n"
    "    ld.param.u64 %d1, [out];\n"
    "    st.u64 [%d1], 16;\n"
    "    st.param.b32 [r], 0;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "StreamDestroy (.param .b64 s)\n{\n    st.param.b32 [r], 0;\n    ret;\n}\n"
    ".visible .func (.param .b32 r) " PREFIX "GetLastError ()\n"
    "{\n"
    "    .reg .b32 %r<2>;\n"
    "    atom.global.exch.b32 %r1, [hostwarp_device_error], 0;\n"
    "    st.param.b32 [r], %r1;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "PeekAtLastError ()\n"
    "{\n"
    "    .reg .b32 %r<2>;\n"
    "    ld.global.u32 %r1, [hostwarp_device_error];\n"
    "    st.param.b32 [r], %r1;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "Malloc (.param .b64 out, .param .b64 bytes)\n"
    "{\n"
    "    .reg .b64 %d<4>; .reg .b32 %r<2>; .reg .pred %p;\n"
    "    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [bytes];\n"
    "    { .param .b64 n; .param .b64 m; st.param.b64 [n], %d2; call (m), malloc, (n); ld.param.b64 %d3, [m]; }\n"
    "    st.u64 [%d1], %d3;\n"
    "    setp.eq.u64 %p, %d3, 0;\n"
    "    selp.b32 %r1, 2, 0, %p;\n"
    "    @%p st.global.u32 [hostwarp_device_error], 2;\n"
    "    st.param.b32 [r], %r1;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) " PREFIX "Free (.param .b64 p)\n"
    "{\n"
    "    .reg .b64 %d<2>;\n"
    "    ld.param.u64 %d1, [p];\n"
    "    { .param .b64 n; st.param.b64 [n], %d1; call free, (n); }\n"
    "    st.param.b32 [r], 0;\n"
    "    ret;\n"
    "}\n";

bool device_launch_replaces(const char *text) { return ptx_text_defines(text, PREFIX); }

bool device_launch_link(char **text, size_t *bytes, struct diag *diag)
{
    bool runtime = strstr(*text, PREFIX);
    if (!runtime && !strstr(*text, DEVICE_GROUPS))
        return true;
    struct hw_str ours = { 0 }, merged = { 0 };
    hw_str_printf(&ours, "%s%s", head, runtime ? library : "");
    if (runtime) {
        device_work_ptx(*text, &ours);
        device_query_ptx(*text, &ours);
    }
    device_groups_ptx(*text, &ours);
    const char *texts[] = { *text, ours.s };
    bool good = ptx_merge(texts, HW_LEN(texts), &merged, diag);
    hw_str_fini(&ours);
    if (!good) {
        hw_str_fini(&merged);
        return false;
    }
    hw_free(*text);
    *text = merged.s;
    *bytes = merged.n;
    return true;
}

/* --- what a grid launched --- */

/*
 * A copy of an entry of the list. The list is in memory that kernels write, also while we read it: nothing in it is believed. An entry is what
 * malloc() gave there and nobody has freed, and only the copy is looked at.
 */
struct launched {
    struct launched *next;
    uint64_t at;                 /* the entry */
    uint32_t room;               /* bytes behind it, of which params has as many as fit */
    struct device_launch e;
    uint64_t params[];
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_MEM);          /* the split of a list: nobody shall miss what another puts back */

/* NULL: there is no entry. */
static struct launched *copy_entry(struct exec_heap *heap, uint64_t at)
{
    size_t bytes = heap ? exec_heap_bytes(heap, at) : 0;
    if (bytes < sizeof(struct device_launch) || at % _Alignof(struct device_launch))
        return NULL;
    size_t room = hw_min_u64(bytes - sizeof(struct device_launch), MOST_PARAMS);
    struct launched *l = hw_alloc(sizeof *l + room);
    l->at = at;
    l->room = (uint32_t)room;
    memcpy(&l->e, (const void *)(uintptr_t)at, sizeof l->e);
    memcpy(l->params, (const char *)(uintptr_t)at + sizeof l->e, room);
    return l;
}

static void put_back(_Atomic uint64_t *head, uint64_t at)
{
    struct device_launch *e = (struct device_launch *)(uintptr_t)at;
    uint64_t next = atomic_load(head);
    do
        e->next = next;
    while (!atomic_compare_exchange_weak(head, &next, at));
}

static void free_all(struct exec_heap *heap, struct launched *l)
{
    for (struct launched *next; l; l = next) {
        next = l->next;
        exec_heap_give(heap, (void *)(uintptr_t)l->at);
        hw_free(l);
    }
}

/* The newest is first in the list, and so the oldest becomes first here. *good: the list was one. */
static struct launched *take_own(_Atomic uint64_t *head, struct exec_heap *heap, uint64_t grid_id, bool *good)
{
    struct launched *own = NULL, *others = NULL, *l;
    struct hw_map seen = { 0 };
    uint64_t at;
    hw_lock(&mu);
    for (at = atomic_exchange(head, 0); at && !hw_map_get_ptr(&seen, (void *)(uintptr_t)at) && (l = copy_entry(heap, at)); at = l->e.next) {
        struct launched **to = l->e.grid_id == grid_id ? &own : &others;
        hw_map_set_ptr(&seen, (void *)(uintptr_t)at, l);
        l->next = *to;
        *to = l;
    }
    for (struct launched *next; others; others = next) {
        next = others->next;
        put_back(head, others->at);
        hw_free(others);
    }
    hw_unlock(&mu);
    hw_map_fini(&seen);
    *good = at == 0;
    return own;
}

static bool take(struct cmd *parent)
{
    bool good;
    struct ctx *ctx = parent->stream->ctx;
    struct launched *own = take_own(parent->launcher->launches, parent->x.launch.heap, parent->x.launch.kl.grid_id, &good);
    if (!good)                                   /* something wrote over it */
        ctx_poison(ctx, CUDA_ERROR_LAUNCH_FAILED);
    if (own && ctx_error(ctx)) {
        free_all(parent->x.launch.heap, own);
        own = NULL;
    }
    parent->launched = own;
    return own != NULL;
}

/* Both ends must be memory that a kernel could have copied itself. */
static CUresult copy_of(const struct launched *l, struct cmd **out)
{
    const uint64_t *args = l->params;
    if (l->room < 3 * sizeof *args)
        return hw_refuse(CUDA_ERROR_LAUNCH_FAILED, "the parameters of a copy by a kernel are damaged");
    if (args[2] && (!exec_may_touch(NULL, args[0], args[2], true) || !exec_may_touch(NULL, args[1], args[2], false)))
        return hw_refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "a kernel copies %llu bytes between memory that it may not touch", (unsigned long long)args[2]);
    struct copy_request r = { .dst = { .side = COPY_ANY, .addr = args[0] }, .src = { .side = COPY_ANY, .addr = args[1] }, .width = args[2],
                              .rows = 1, .slices = 1, .call = COPY_ASYNC };
    return copy_cmd(&r, out);
}

/* param_bytes is its kind */
static CUresult work_of(const struct launched *l, struct cmd **out)
{
    if (l->room < DEVICE_WORK_WORDS * sizeof(uint64_t))
        return hw_refuse(CUDA_ERROR_LAUNCH_FAILED, "the parameters of a kernel's work are damaged");
    return device_work_cmd(l->e.param_bytes, l->params, out);
}

static CUresult make_cmd(struct module *m, const struct launched *l, struct cmd **out)
{
    const struct device_launch *e = &l->e;
    if (e->function == 0)
        return e->param_bytes ? work_of(l, out) : copy_of(l, out);
    if (e->function > m->n_functions || m->functions[e->function - 1]->param_bytes != e->param_bytes || e->param_bytes > l->room)
        return hw_refuse(CUDA_ERROR_LAUNCH_FAILED, "the entry of a launch by a kernel is damaged: function %u, %u bytes of parameters", (unsigned)e->function, (unsigned)e->param_bytes);         /* something wrote over it */
    struct function *f = m->functions[e->function - 1];
    struct launch_config config = { .shared_bytes = e->shared };
    memcpy(config.grid, e->grid, sizeof config.grid);
    memcpy(config.block, e->block, sizeof config.block);
    CUresult rc = launch_check(f, &config);
    return rc ? rc : launch_cmd(f, &config, l->params, out);
}

static void over(struct cmd *end)
{
    struct cmd *parent = end->parent;
    sched_done(end);
    sched_done(parent);
}

static bool end_start(struct cmd *end)
{
    later_do(end, over);
    return false;
}

/* Behind all that a grid launched; the grid ends with it, also in a broken context. */
static const struct cmd_type end_type = { .kind = CMD_CONDITION, .no_job = true, .always = true, .start = end_start };

static void queue(struct cmd *parent)
{
    struct ctx *ctx = parent->stream->ctx;
    struct stream *s = stream_new(ctx, CU_STREAM_NON_BLOCKING, parent->stream->priority);
    HW_VEC(struct sched_item) items = { 0 };
    s->of_graph = true;
    for (int tail = 0; tail < 2; tail++)
        for (const struct launched *l = parent->launched; l; l = l->next) {
            struct sched_item item = { .stream = s };
            if ((l->e.stream == STREAM_TAIL) != tail)
                continue;
            CUresult rc = make_cmd(parent->launcher, l, &item.cmd);
            if (rc)
                ctx_poison(ctx, rc);
            else
                hw_vec_push(&items, item);
        }
    free_all(parent->x.launch.heap, parent->launched);
    parent->launched = NULL;
    struct sched_item end = { .stream = s, .cmd = cmd_new(&end_type) };
    end.cmd->parent = parent;
    hw_vec_push(&items, end);
    sched_push_batch(items.v, items.n, NULL);
    hw_vec_fini(&items);
    obj_close(&s->obj);                          /* its commands keep it */
}

static bool grid_ended(struct cmd *parent)
{
    if (!take(parent))
        return false;
    later_do(parent, queue);
    return true;
}

/* A module may have variables of these names that are not ours. What is in them is believed of neither. */
void device_launch_find(struct module *m)
{
    for (size_t i = 0; i < m->ir->vars.n; i++) {
        const struct ir_var *v = m->ir->vars.v[i];
        if (strcmp(v->name, HEAD) == 0 && v->bytes >= sizeof *m->launches && (uintptr_t)m->globals[i] % sizeof *m->launches == 0)
            m->launches = m->globals[i];
    }
    m->launched = grid_ended;
    if (m->launches)
        device_query_fill(m);
}
