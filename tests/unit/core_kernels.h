/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels written by hand in C, as the compiler would make them, for tests of the engines; and a context to run them in. */
#ifndef CORE_KERNELS_H
#define CORE_KERNELS_H

#include "core/mem/copy.h"
#include "core/core.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/stream/event.h"
#include "core/module/launch.h"
#include "core/mem/mem.h"
#include "core/module/module.h"
#include "core/stream/stream.h"
#include "exec/exec.h"

#include <stdatomic.h>

#define PARAM(launch, offset, type) (*(type *)(void *)((char *)(launch)->params + (offset)))

static inline uint64_t kernel_block_index(const struct kabi_launch *l, const struct kabi_block *b)
{
    return ((uint64_t)b->ctaid[2] * l->nctaid[1] + b->ctaid[1]) * l->nctaid[0] + b->ctaid[0];
}

/* spin(flag): until *flag is not 0. */
static int32_t k_spin(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    _Atomic int *flag = PARAM(l, 0, _Atomic int *);
    (void)b, (void)frame;
    while (atomic_load_explicit(flag, memory_order_relaxed) == 0)       /* relaxed: under TSan, acquiring readers starve the writer */
        ;
    atomic_load(flag);
    return KABI_ALL_DONE;
}

/* store(p, v): *p = v, by block 0. */
static int32_t k_store(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)frame;
    if (kernel_block_index(l, b) == 0)
        *PARAM(l, 0, int *) = PARAM(l, 8, int);
    return KABI_ALL_DONE;
}

/* append(log, value): log[0] counts, log[1..] are the values in the order of running. One block. */
static int32_t k_append(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    int *log = PARAM(l, 0, int *);
    (void)b, (void)frame;
    log[++log[0]] = PARAM(l, 8, int);
    return KABI_ALL_DONE;
}

/* turns(log, id): log[0] is a gate that block 0 waits for when id is 0; log[1] counts blocks, and log[2 + id] is the count when the
   last block with that id came. Any number of blocks. */
static int32_t k_turns(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    _Atomic int *log = PARAM(l, 0, _Atomic int *);
    int id = PARAM(l, 8, int);
    (void)frame;
    while (id == 0 && kernel_block_index(l, b) == 0 && atomic_load_explicit(&log[0], memory_order_relaxed) == 0)
        ;
    log[2 + id] = atomic_fetch_add(&log[1], 1) + 1;
    return KABI_ALL_DONE;
}

/* count(p): every block adds its index + 1 at p[index]. */
static int32_t k_count(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)frame;
    uint64_t i = kernel_block_index(l, b);
    PARAM(l, 0, uint32_t *)[i] += (uint32_t)i + 1;
    return KABI_ALL_DONE;
}

/* mix(p, n, a): p[i] = p[i] * 31 + a, blocks of 64. */
static int32_t k_mix(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    uint32_t *p = PARAM(l, 0, uint32_t *), n = PARAM(l, 8, uint32_t), a = PARAM(l, 12, uint32_t);
    (void)frame;
    for (uint64_t i = kernel_block_index(l, b) * 64, end = i + 64; i < end && i < n; i++)
        p[i] = p[i] * 31 + a;
    return KABI_ALL_DONE;
}

/* Generated code is not instrumented; a sanitizer would look up wild addresses and fall over. */
#define NOT_SANITIZED __attribute__((no_sanitize("address", "thread")))

/* write(p): through any pointer. */
NOT_SANITIZED static int32_t k_write(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)b, (void)frame;
    *PARAM(l, 0, volatile int *) = 1;
    return KABI_ALL_DONE;
}

static int32_t k_trap(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)frame;
    l->services->trap(b, PARAM(l, 0, uint32_t), 17, 0x1235);
    return KABI_ALL_DONE;
}

static int32_t k_assert(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)frame;
    l->services->assertfail(b, "x == 1", "file.cu", 12, "kernel", 3);
    return KABI_ALL_DONE;
}

NOT_SANITIZED static int32_t k_shared_wild(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    (void)frame, (void)l;
    *(volatile int *)(void *)(b->shared + ((size_t)1 << 28)) = 1;
    return KABI_ALL_DONE;
}

/* handshake(p): blocks 0 and 1 wait for each other: both must run at the same time. */
static int32_t k_handshake(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    _Atomic int *p = PARAM(l, 0, _Atomic int *);
    (void)frame;
    atomic_fetch_add(p, 1);
    while (atomic_load_explicit(p, memory_order_relaxed) < (int)l->nctaid[0])
        ;
    (void)b;
    return KABI_ALL_DONE;
}

/* What a kernel prints is in its own memory. */
struct print_place {
    char format[64], text[16];
    struct {
        int i;
        double d;
        const char *s;
        long long ll;
        int c;
        unsigned u;
        void *p;
    } args;
};

static int32_t k_print(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    struct print_place *p = (struct print_place *)(void *)b->shared, was = *p;
    (void)frame;
    *p = (struct print_place){ "[%d|%6.2f|%s|%lld|%c|%#x|%p|%%]\n", "text", { -5, 2.5, p->text, -1234567890123, 'x', 255, (void *)0x10 } };
    *PARAM(l, 0, int *) = l->services->vprintf_(b, p->format, &p->args);
    *p = was;                                    /* it leaves nothing behind but what it printed */
    return KABI_ALL_DONE;
}

static int32_t k_heap(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    int *out = PARAM(l, 0, int *);
    (void)frame;
    char *p = l->services->malloc_(b, 1000), *too_big = l->services->malloc_(b, (uint64_t)64 << 20);
    out[0] = p != NULL;
    out[1] = too_big == NULL;
    memset(p, 1, 1000);
    l->services->free_(b, p);
    l->services->free_(b, NULL);
    return KABI_ALL_DONE;
}

/* Two warps part at a barrier: warp 0 goes region 0, 1, 2; warp 1 goes 0, 2. Then both end. log as in append. */
static void log_add(const struct kabi_launch *l, int v)
{
    int *log = PARAM(l, 0, int *);
    log[++log[0]] = v;
}
static int32_t k_part0(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    uint32_t *state = (uint32_t *)(void *)frame;
    (void)b;
    log_add(l, 0);
    state[0] = 1 | KABI_ARRIVED;
    state[1] = 2 | KABI_ARRIVED;
    return KABI_MIXED;
}
static int32_t k_part1(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    uint32_t *state = (uint32_t *)(void *)frame;
    (void)b;
    log_add(l, 10 + (int)state[0]);
    state[0] = 2 | KABI_ARRIVED;
    return KABI_MIXED;
}
static int32_t k_part2(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    uint32_t *state = (uint32_t *)(void *)frame;
    (void)b;
    for (int w = 0; w < 2; w++) {
        if (state[w] == 2) {
            log_add(l, 20 + w);
            state[w] = KABI_DONE;
        }
    }
    return state[0] == KABI_DONE && state[1] == KABI_DONE ? KABI_ALL_DONE : KABI_MIXED;
}

enum test_kernel {
    K_SPIN, K_STORE, K_APPEND, K_COUNT, K_MIX, K_WRITE, K_TRAP, K_ASSERT, K_SHARED_WILD, K_HANDSHAKE, K_PRINT, K_HEAP, K_PARTS, K_TURNS,
    K_KERNELS
};
#define ONE(fn) { .name = #fn, .n_regions = 1, .regions = (kabi_region_fn *const[]){ fn }, .n_warps = 1 }
static const struct kabi_kernel test_kernels[K_KERNELS] = {
    [K_SPIN] = ONE(k_spin), [K_STORE] = ONE(k_store), [K_APPEND] = ONE(k_append), [K_COUNT] = ONE(k_count), [K_MIX] = ONE(k_mix),
    [K_WRITE] = ONE(k_write), [K_TRAP] = ONE(k_trap), [K_ASSERT] = ONE(k_assert), [K_SHARED_WILD] = ONE(k_shared_wild),
    [K_HANDSHAKE] = ONE(k_handshake), [K_PRINT] = ONE(k_print), [K_HEAP] = ONE(k_heap), [K_TURNS] = ONE(k_turns),
    [K_PARTS] = { .name = "parts", .n_regions = 3, .regions = (kabi_region_fn *const[]){ k_part0, k_part1, k_part2 },
                  .n_warps = 2, .frame_bytes = 64 },
};

/* A context with all the kernels in it. */
struct rig {
    CUcontext handle;
    struct ctx *ctx;
    CUmodule module;
    CUfunction functions[K_KERNELS];
};

static inline void rig_init(struct rig *r)
{
    static const struct function_param params[] = { { 0, 8 }, { 8, 4 }, { 12, 4 } };
    struct module_native natives[K_KERNELS];
    for (int i = 0; i < K_KERNELS; i++) {
        uint32_t n = i == K_STORE || i == K_APPEND || i == K_TURNS ? 2 : i == K_MIX ? 3 : 1;
        natives[i] = (struct module_native){ &test_kernels[i], n, params };
    }
    core_init(0);
    ctx_create(device_peek(0), 0, &r->handle);
    r->ctx = ctx_current();
    module_new_native(r->ctx, natives, K_KERNELS, &r->module);
    struct module *m = module_get(r->module);
    module_functions(m, r->functions, K_KERNELS);
    module_unref(m);
}

/* Launches kernel k with (p, a, b) on the stream that handle names. */
static inline CUresult rig_launch(struct rig *r, enum test_kernel k, CUstream handle, uint32_t blocks, const void *p, int a, int b)
{
    struct stream *s;
    CUresult rc = stream_get(r->ctx, handle, false, false, &s);
    if (rc)
        return rc;
    struct launch_config config = { .grid = { blocks, 1, 1 }, .block = { 1, 1, 1 } };
    struct function *f = function_get(r->functions[k]);
    void *params[] = { &p, &a, &b };
    rc = launch_kernel(f, s, &config, params, NULL);
    function_put(f);
    stream_unref(s);
    return rc;
}

#define RIG_STREAM_CALL(name, call)                                             \
    static inline CUresult rig_##name(struct rig *r, CUstream handle)           \
    {                                                                           \
        struct stream *s;                                                       \
        CUresult rc = stream_get(r->ctx, handle, false, true, &s);              \
        if (rc)                                                                 \
            return rc;                                                          \
        rc = call(s);                                                           \
        stream_unref(s);                                                        \
        return rc;                                                              \
    }
RIG_STREAM_CALL(query, stream_query)
RIG_STREAM_CALL(sync, stream_synchronize)

#endif
