/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: allocation, page locking, registration, the address map, copies and fills. */
#include "core_kernels.h"

#include "base/os.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

static struct rig rig;

static int setup(void **state)
{
    (void)state;
    setenv("HOSTWARP_MEMORY", "256M", 1);
    setenv("HOSTWARP_PINNED_LIMIT", "64M", 1);
    rig_init(&rig);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return ctx_destroy(rig.handle) == CUDA_SUCCESS ? 0 : -1;
}

static void *ptr(uint64_t p)
{
    return (void *)(uintptr_t)p;
}

static uint64_t addr(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* --- device memory --- */

static void device_memory_is_checked(void **state)
{
    (void)state;
    CUdeviceptr d;
    int on_stack;
    assert_int_equal(mem_alloc(rig.ctx, 1024, &d), CUDA_SUCCESS);
    assert_int_equal(d & 255, 0);
    assert_int_equal(mem_free(d), CUDA_SUCCESS);
    assert_int_equal(mem_free(d), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_free(0), CUDA_SUCCESS);
    assert_int_equal(mem_free(addr(&on_stack)), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_alloc(rig.ctx, 0, &d), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_alloc(rig.ctx, (size_t)1 << 46, &d), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(mem_alloc(rig.ctx, SIZE_MAX, &d), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(mem_alloc(rig.ctx, SIZE_MAX - 300, &d), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(mem_alloc(rig.ctx, 4096, &d), CUDA_SUCCESS);
    assert_int_equal(mem_free(d + 256), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_free(d), CUDA_SUCCESS);
    size_t pitch = 0;
    assert_int_equal(mem_alloc_pitch(rig.ctx, 1000, 10, 4, &d, &pitch), CUDA_SUCCESS);
    assert_int_equal(pitch, 1024);
    assert_int_equal(mem_free(d), CUDA_SUCCESS);
}

static void the_device_runs_out_and_comes_back(void **state)
{
    (void)state;
    size_t free0, free1, total;
    CUdeviceptr all, more, small[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(mem_alloc(rig.ctx, 100, &small[i]), CUDA_SUCCESS);
    for (int i = 0; i < 8; i++)
        assert_int_equal(mem_free(small[i]), CUDA_SUCCESS);
    mem_info_bytes(rig.ctx->dev, &free0, &total);
    assert_int_equal(total, 256 << 20);
    assert_int_equal(mem_alloc(rig.ctx, free0, &all), CUDA_SUCCESS);
    mem_info_bytes(rig.ctx->dev, &free1, NULL);
    assert_true(free1 <= 2 << 20);
    assert_int_equal(mem_alloc(rig.ctx, 4 << 20, &more), CUDA_ERROR_OUT_OF_MEMORY);
    memset(ptr(all), 1, 4096);
    assert_int_equal(mem_free(all), CUDA_SUCCESS);
    mem_info_bytes(rig.ctx->dev, &free1, NULL);
    assert_true(free1 >= free0);
    assert_int_equal(mem_alloc(rig.ctx, 200 << 20, &all), CUDA_SUCCESS);
    assert_int_equal(mem_free(all), CUDA_SUCCESS);
}

/* Random sizes; every live allocation keeps its own bytes, and nothing overlaps. */
static void allocations_never_overlap(void **state)
{
    (void)state;
    enum { N = 200, ROUNDS = 6000 };
    static struct { CUdeviceptr p; size_t n; } live[N];
    uint32_t seed = 7;
    size_t free0, free1;
    mem_info_bytes(rig.ctx->dev, &free0, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 1664525u + 1013904223u;
        int k = (int)(seed >> 8) % N;
        if (live[k].p) {
            const unsigned char *b = ptr(live[k].p);
            if (b[0] != (unsigned char)k || b[live[k].n - 1] != (unsigned char)k)
                fail_msg("allocation %d of %zu bytes was overwritten", k, live[k].n);
            assert_int_equal(mem_free(live[k].p), CUDA_SUCCESS);
            live[k].p = 0;
            continue;
        }
        seed = seed * 1664525u + 1013904223u;
        size_t n = (seed & 0x700) == 0 ? (seed >> 8) % (3 << 20) + 1 : (seed >> 12) % 20000 + 1;
        CUresult rc = mem_alloc(rig.ctx, n, &live[k].p);
        assert_true(rc == CUDA_SUCCESS || rc == CUDA_ERROR_OUT_OF_MEMORY);
        if (rc) {
            live[k].p = 0;
            continue;
        }
        live[k].n = n;
        ((unsigned char *)ptr(live[k].p))[0] = (unsigned char)k;
        ((unsigned char *)ptr(live[k].p))[n - 1] = (unsigned char)k;
    }
    for (int k = 0; k < N; k++)
        if (live[k].p)
            mem_free(live[k].p);
    mem_info_bytes(rig.ctx->dev, &free1, NULL);
    assert_true(free1 + (2 << 20) >= free0);
}

/* --- pointers --- */

static void the_map_knows_exact_bytes(void **state)
{
    (void)state;
    CUdeviceptr d, m;
    void *h;
    char *r = aligned_alloc(4096, 16384);
    mem_alloc(rig.ctx, 1000, &d);
    mem_host_alloc(rig.ctx, 1000, 0, &h);
    mem_alloc_managed(rig.ctx, 1000, CU_MEM_ATTACH_GLOBAL, &m);
    assert_int_equal(mem_host_register(rig.ctx, r + 100, 1000, 0), CUDA_SUCCESS);
    const struct { const char *why; uint64_t p; enum mem_kind kind; } cases[] = {
        { "device", d, MEM_DEVICE }, { "device interior", d + 999, MEM_DEVICE }, { "device past end", d + 1000, MEM_NONE },
        { "device past 1024", d + 1024, MEM_NONE }, { "pinned", addr(h), MEM_HOST }, { "pinned interior", addr(h) + 500, MEM_HOST },
        { "pinned past end", addr(h) + 1000, MEM_NONE }, { "managed", m + 10, MEM_MANAGED },
        { "registered", addr(r) + 100, MEM_REGISTERED }, { "before it", addr(r) + 50, MEM_NONE },
        { "registered interior", addr(r) + 600, MEM_REGISTERED }, { "after it", addr(r) + 3000, MEM_NONE },
        { "next page", addr(r) + 4096, MEM_NONE }, { "stack", addr(&d), MEM_NONE }, { "null", 0, MEM_NONE },
    };
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        struct mem_info info;
        mem_lookup(cases[i].p, &info);
        if (info.kind != cases[i].kind)
            fail_msg("%s: got %d, want %d", cases[i].why, info.kind, cases[i].kind);
        CUdeviceptr base;
        size_t bytes;
        CUresult rc = mem_address_range(cases[i].p, &base, &bytes);
        assert_int_equal(rc, cases[i].kind ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
        if (!rc)
            assert_int_equal(bytes, 1000);
    }
    assert_int_equal(mem_host_unregister(r + 100), CUDA_SUCCESS);
    assert_int_equal(mem_host_free(h), CUDA_SUCCESS);
    assert_int_equal(mem_free(m), CUDA_SUCCESS);
    assert_int_equal(mem_free(d), CUDA_SUCCESS);
    struct mem_info info;
    assert_false(mem_lookup(d, &info));
    free(r);
}

/* --- page-locked memory --- */

static void host_allocation_answers_as_on_the_gpu(void **state)
{
    (void)state;
    void *h, *m = malloc(64);
    CUdeviceptr d;
    unsigned flags;
    assert_int_equal(mem_host_alloc(rig.ctx, 0, 0, &h), CUDA_SUCCESS);
    assert_null(h);
    assert_int_equal(mem_host_alloc(rig.ctx, 100, 0x100, &h), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_alloc(rig.ctx, (size_t)1 << 46, 0, &h), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(mem_host_alloc(rig.ctx, 65 << 20, 0, &h), CUDA_ERROR_OUT_OF_MEMORY);        /* the budget */
    static const unsigned cases[][2] = { { 0, 2 }, { 1, 3 }, { 2, 2 }, { 4, 6 }, { 6, 6 }, { 7, 7 } };
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        assert_int_equal(mem_host_alloc(rig.ctx, 4096, cases[i][0], &h), CUDA_SUCCESS);
        assert_int_equal(mem_host_flags(h, &flags), CUDA_SUCCESS);
        assert_int_equal(flags, cases[i][1]);
        assert_int_equal(mem_host_device_pointer((char *)h + 100, 0, &d), CUDA_SUCCESS);
        assert_int_equal(d, addr(h) + 100);
        assert_int_equal(mem_host_free((char *)h + 64), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(mem_free(addr(h)), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(mem_host_unregister(h), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(mem_host_free(h), CUDA_SUCCESS);
        assert_int_equal(mem_host_free(h), CUDA_ERROR_INVALID_VALUE);
    }
    assert_int_equal(mem_host_alloc(rig.ctx, 8 << 20, 0, &h), CUDA_SUCCESS);
    memset(h, 5, 8 << 20);
    assert_int_equal(mem_host_free(h), CUDA_SUCCESS);
    assert_int_equal(mem_host_free(m), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_flags(m, &flags), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_device_pointer(m, 0, &d), CUDA_ERROR_INVALID_VALUE);
    free(m);
}

static void registration_answers_as_on_the_gpu(void **state)
{
    (void)state;
    char *m = aligned_alloc(4096, 1 << 20);
    void *h;
    CUdeviceptr d;
    memset(m, 1, 1 << 20);
    assert_int_equal(mem_host_register(rig.ctx, m, 8192, 0), CUDA_SUCCESS);
    assert_int_equal(mem_host_register(rig.ctx, m, 8192, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_int_equal(mem_host_register(rig.ctx, m + 4096, 8192, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_int_equal(mem_host_register(rig.ctx, m + 8192, 4096, 0), CUDA_SUCCESS);
    assert_int_equal(mem_host_unregister(m + 100), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_unregister(m), CUDA_SUCCESS);
    assert_int_equal(mem_host_unregister(m), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    assert_int_equal(mem_host_unregister(m + 8192), CUDA_SUCCESS);
    assert_int_equal(mem_host_register(rig.ctx, m + 10, 100, CU_MEMHOSTREGISTER_DEVICEMAP), CUDA_SUCCESS);
    assert_int_equal(mem_host_register(rig.ctx, m + 300, 100, CU_MEMHOSTREGISTER_DEVICEMAP), CUDA_SUCCESS);
    assert_int_equal(mem_host_unregister(m + 10), CUDA_SUCCESS);
    assert_int_equal(mem_host_unregister(m + 300), CUDA_SUCCESS);
    assert_int_equal(mem_host_register(rig.ctx, NULL, 100, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_register(rig.ctx, m, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_register(rig.ctx, m, 4096, 0x1000), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_register(rig.ctx, m, 4096, CU_MEMHOSTREGISTER_IOMEMORY), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_register(rig.ctx, (void *)0x10000, 4096, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_register(rig.ctx, m, 4096, CU_MEMHOSTREGISTER_READ_ONLY), CUDA_SUCCESS);
    assert_int_equal(mem_host_free(m), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_unregister(m), CUDA_SUCCESS);
    mem_host_alloc(rig.ctx, 4096, 0, &h);
    assert_int_equal(mem_host_register(rig.ctx, h, 4096, 0), CUDA_ERROR_INVALID_VALUE);
    mem_host_free(h);
    mem_alloc(rig.ctx, 4096, &d);
    assert_int_equal(mem_host_register(rig.ctx, ptr(d), 4096, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mem_host_free(ptr(d)), CUDA_ERROR_INVALID_VALUE);
    mem_free(d);
    free(m);
}

/* --- copies --- */

static CUresult sync_copy(const void *dst, enum copy_side ds, const void *src, enum copy_side ss, size_t n)
{
    return copy_linear(rig.ctx->legacy, addr(dst), ds, addr(src), ss, n, false);
}

static void copies_answer_as_on_the_gpu(void **state)
{
    (void)state;
    enum { N = 4096 };
    CUdeviceptr d, d2;
    void *h;
    char *m = malloc(N);
    mem_alloc(rig.ctx, N, &d);
    mem_alloc(rig.ctx, N, &d2);
    mem_host_alloc(rig.ctx, N, 0, &h);
    const struct { const char *why; const void *dst; enum copy_side ds; const void *src; enum copy_side ss; size_t n; CUresult want; }
    cases[] = {
        { "to device from malloc", ptr(d), COPY_DEVICE, m, COPY_HOST, N, CUDA_SUCCESS },
        { "to device from pinned", ptr(d), COPY_DEVICE, h, COPY_HOST, N, CUDA_SUCCESS },
        { "to host", m, COPY_HOST, ptr(d), COPY_DEVICE, N, CUDA_SUCCESS },
        { "on the device", ptr(d2), COPY_DEVICE, ptr(d), COPY_DEVICE, N, CUDA_SUCCESS },
        { "host to host", m, COPY_ANY, h, COPY_ANY, N, CUDA_SUCCESS },
        { "destination is malloc, said device", m, COPY_DEVICE, h, COPY_HOST, N, CUDA_ERROR_INVALID_VALUE },
        { "source is device, said host", ptr(d), COPY_DEVICE, ptr(d2), COPY_HOST, N, CUDA_SUCCESS },
        { "source is pinned, said device", m, COPY_HOST, h, COPY_DEVICE, N, CUDA_SUCCESS },
        { "source is malloc, said device", h, COPY_HOST, m, COPY_DEVICE, N, CUDA_ERROR_INVALID_VALUE },
        { "nothing", NULL, COPY_DEVICE, NULL, COPY_HOST, 0, CUDA_SUCCESS },
        { "null destination", NULL, COPY_DEVICE, m, COPY_HOST, N, CUDA_ERROR_INVALID_VALUE },
        { "null source", ptr(d), COPY_DEVICE, NULL, COPY_HOST, N, CUDA_ERROR_INVALID_VALUE },
        { "far past the end", ptr(d), COPY_DEVICE, m, COPY_HOST, (size_t)1 << 33, CUDA_ERROR_INVALID_VALUE },
        { "a byte past the end", ptr(d), COPY_DEVICE, h, COPY_HOST, N + 1, CUDA_ERROR_INVALID_VALUE },
        { "size wraps", ptr(d), COPY_DEVICE, m, COPY_HOST, SIZE_MAX, CUDA_ERROR_INVALID_VALUE },
    };
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        CUresult got = sync_copy(cases[i].dst, cases[i].ds, cases[i].src, cases[i].ss, cases[i].n);
        if (got != cases[i].want)
            fail_msg("%s: got %d, want %d", cases[i].why, got, cases[i].want);
    }
    struct stream *s = rig.ctx->legacy;
    assert_int_equal(copy_fill(s, d, 0, 0x3f800000, 4, 8, 1, false), CUDA_SUCCESS);
    assert_int_equal(copy_fill(s, d + 2, 0, 1, 4, 8, 1, false), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(copy_fill(s, d + 1, 0, 1, 2, 8, 1, false), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(copy_fill(s, d + 1, 0, 1, 1, 7, 1, false), CUDA_SUCCESS);
    assert_int_equal(copy_fill(s, addr(h), 0, 0x440ac000, 4, 1, 1, false), CUDA_SUCCESS);
    assert_true(*(float *)h == 555);
    assert_int_equal(copy_fill(s, addr(m), 0, 1, 4, 1, 1, false), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(copy_fill(s, 0, 0, 1, 1, 16, 1, false), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(copy_fill(s, d, 0, 0, 1, N + 1, 1, false), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(copy_fill(s, d, 16, 1, 1, 32, 8, false), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(ctx_synchronize(rig.ctx), CUDA_SUCCESS);
    mem_free(d);
    mem_free(d2);
    mem_host_free(h);
    free(m);
}

static void boxes_move_the_right_bytes(void **state)
{
    (void)state;
    enum { W = 37, H = 11, D = 3, SP = 64, DP = 48, SROWS = 13, DROWS = 12 };
    CUdeviceptr d;
    unsigned char *src = malloc(SP * SROWS * D), *back = malloc(DP * DROWS * D);
    mem_alloc(rig.ctx, DP * DROWS * D, &d);
    for (int i = 0; i < SP * SROWS * D; i++)
        src[i] = (unsigned char)(i * 7);
    copy_fill(rig.ctx->legacy, d, 0, 0xee, 1, DP * DROWS * D, 1, true);
    struct copy_request r = { .dst = { COPY_DEVICE, d, DP, DP * DROWS }, .src = { COPY_HOST, addr(src), SP, SP * SROWS }, .width = W,
                              .rows = H, .slices = D };
    assert_int_equal(copy_run(rig.ctx->legacy, &r), CUDA_SUCCESS);
    assert_int_equal(sync_copy(back, COPY_HOST, ptr(d), COPY_DEVICE, DP * DROWS * D), CUDA_SUCCESS);
    for (int z = 0; z < D; z++)
        for (int y = 0; y < DROWS; y++)
            for (int x = 0; x < DP; x++) {
                int want = x < W && y < H ? src[(z * SROWS + y) * SP + x] : 0xee, got = back[(z * DROWS + y) * DP + x];
                if (got != want)
                    fail_msg("at %d,%d,%d: got %d, want %d", x, y, z, got, want);
            }
    mem_free(d);
    free(src);
    free(back);
}

static void large_copies_are_whole(void **state)
{
    (void)state;
    size_t n = (33 << 20) + 12345;
    CUdeviceptr d;
    unsigned *a = malloc(n + 4), *b = malloc(n + 4);
    mem_alloc(rig.ctx, n, &d);
    for (size_t i = 0; i < n / 4; i++)
        a[i] = (unsigned)i * 2654435761u;
    assert_int_equal(sync_copy(ptr(d), COPY_DEVICE, a, COPY_HOST, n), CUDA_SUCCESS);
    assert_int_equal(sync_copy(b, COPY_HOST, ptr(d), COPY_DEVICE, n), CUDA_SUCCESS);
    assert_memory_equal(a, b, n);
    mem_free(d);
    free(a);
    free(b);
}

/* --- who waits --- */

static _Atomic int *flag;

static void *release_later(void *arg)
{
    usleep((useconds_t)(intptr_t)arg * 1000);
    *flag = 1;
    return NULL;
}

/* Runs f while a stream is held; true when it came back before the stream was let go. */
static bool returns_at_once(CUstream busy, void (*f)(CUstream s, void *arg), void *arg)
{
    pthread_t t;
    *flag = 0;
    rig_launch(&rig, K_SPIN, busy, 1, flag, 0, 0);
    pthread_create(&t, NULL, release_later, (void *)(intptr_t)150);
    f(busy, arg);
    bool early = *flag == 0;
    pthread_join(t, NULL);
    ctx_synchronize(rig.ctx);
    return early;
}

struct copy_args {
    uint64_t dst, src;
    size_t n;
};

static void do_async_copy(CUstream h, void *arg)
{
    struct copy_args *a = arg;
    struct stream *s;
    stream_get(rig.ctx, h, false, false, &s);
    assert_int_equal(copy_linear(s, a->dst, COPY_ANY, a->src, COPY_ANY, a->n, true), CUDA_SUCCESS);
    stream_unref(s);
}

static void do_free(CUstream h, void *arg)
{
    (void)h;
    assert_int_equal(mem_free(*(CUdeviceptr *)arg), CUDA_SUCCESS);
}

static void do_host_free(CUstream h, void *arg)
{
    (void)h;
    assert_int_equal(mem_host_free(arg), CUDA_SUCCESS);
}

static void do_unregister(CUstream h, void *arg)
{
    (void)h;
    assert_int_equal(mem_host_unregister(arg), CUDA_SUCCESS);
}

static void do_alloc(CUstream h, void *arg)
{
    (void)h;
    assert_int_equal(mem_alloc(rig.ctx, 8 << 20, arg), CUDA_SUCCESS);
}

static void calls_wait_as_on_the_gpu(void **state)
{
    (void)state;
    enum { N = 1 << 20 };
    CUdeviceptr d, d2;
    void *pin, *fl;
    char *page = aligned_alloc(4096, N);
    CUstream s;
    memset(page, 3, N);
    mem_host_alloc(rig.ctx, 64, 0, &fl);
    flag = fl;
    mem_alloc(rig.ctx, N, &d);
    mem_host_alloc(rig.ctx, N, 0, &pin);
    stream_create(rig.ctx, CU_STREAM_NON_BLOCKING, 0, &s);
    assert_true(returns_at_once(s, do_async_copy, &(struct copy_args){ d, addr(page), N }));
    assert_true(returns_at_once(s, do_async_copy, &(struct copy_args){ d, addr(page), 1024 }));
    assert_false(returns_at_once(s, do_async_copy, &(struct copy_args){ addr(page), d, N }));
    assert_false(returns_at_once(s, do_async_copy, &(struct copy_args){ addr(page), d, 1024 }));
    assert_true(returns_at_once(s, do_async_copy, &(struct copy_args){ d, addr(pin), N }));
    assert_true(returns_at_once(s, do_async_copy, &(struct copy_args){ addr(pin), d, N }));
    assert_true(returns_at_once(s, do_alloc, &d2));
    assert_false(returns_at_once(s, do_free, &d2));
    assert_false(returns_at_once(s, do_host_free, pin));
    mem_host_register(rig.ctx, page, N, 0);
    assert_false(returns_at_once(s, do_unregister, page));
    stream_destroy(s);
    mem_free(d);
    mem_host_free(fl);
    free(page);
}

static void a_pageable_source_is_read_at_the_call(void **state)
{
    (void)state;
    CUdeviceptr d;
    void *fl;
    int *page = malloc(4096), got = 0;
    CUstream h;
    struct stream *s;
    mem_host_alloc(rig.ctx, 64, 0, &fl);
    flag = fl;
    mem_alloc(rig.ctx, 4096, &d);
    stream_create(rig.ctx, 0, 0, &h);
    stream_get(rig.ctx, h, false, false, &s);
    *flag = 0;
    rig_launch(&rig, K_SPIN, h, 1, flag, 0, 0);
    page[0] = 1;
    copy_linear(s, d, COPY_DEVICE, addr(page), COPY_HOST, 4096, true);
    page[0] = 2;
    free(page);
    *flag = 1;
    assert_int_equal(stream_synchronize(s), CUDA_SUCCESS);
    sync_copy(&got, COPY_HOST, ptr(d), COPY_DEVICE, 4);
    assert_int_equal(got, 1);
    stream_unref(s);
    stream_destroy(h);
    mem_free(d);
    mem_host_free(fl);
}

static void destroying_a_context_frees_its_memory(void **state)
{
    (void)state;
    size_t before, after;
    CUcontext c;
    CUdeviceptr d;
    void *h;
    struct mem_info info;
    struct mem_stats s0, s1;
    mem_info_bytes(rig.ctx->dev, &before, NULL);
    mem_stats(&s0);
    ctx_create(device_peek(0), 0, &c);
    mem_alloc(ctx_current(), 10 << 20, &d);
    mem_host_alloc(ctx_current(), 10000, 0, &h);
    assert_int_equal(ctx_destroy(c), CUDA_SUCCESS);
    assert_ptr_equal(ctx_current(), rig.ctx);
    assert_false(mem_lookup(d, &info));
    assert_false(mem_lookup(addr(h), &info));
    mem_info_bytes(rig.ctx->dev, &after, NULL);
    mem_stats(&s1);
    assert_int_equal(before, after);
    assert_int_equal(s0.pinned_bytes, s1.pinned_bytes);
    struct ctx *none;
    assert_int_equal(ctx_push(c), CUDA_SUCCESS); /* it can be current, as on a GPU, and nothing can be done with it */
    assert_int_equal(ctx_enter(&none), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_int_equal(ctx_pop(NULL), CUDA_SUCCESS);
    assert_int_equal(ctx_push((CUcontext)(uintptr_t)0x1234), CUDA_ERROR_INVALID_CONTEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_memory_is_checked), cmocka_unit_test(the_device_runs_out_and_comes_back),
        cmocka_unit_test(allocations_never_overlap), cmocka_unit_test(the_map_knows_exact_bytes),
        cmocka_unit_test(host_allocation_answers_as_on_the_gpu), cmocka_unit_test(registration_answers_as_on_the_gpu),
        cmocka_unit_test(copies_answer_as_on_the_gpu), cmocka_unit_test(boxes_move_the_right_bytes),
        cmocka_unit_test(large_copies_are_whole), cmocka_unit_test(calls_wait_as_on_the_gpu),
        cmocka_unit_test(a_pageable_source_is_read_at_the_call), cmocka_unit_test(destroying_a_context_frees_its_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
