/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random launches. Good ones, in every form that the driver has, must do what the kernel says; of others, with odd sizes, attributes and parameter
 * buffers, an error is expected or the right result, and never a crash, a hang or a byte read past the end of a buffer.
 */
#define _GNU_SOURCE
#include "fuzz_driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCKS = 4096, PAGE = 4096, LAUNCHES = 20, PARAM_BYTES = 256 };

static CUdeviceptr out;
static CUstream stream;
static CUevent event;
static char *guarded;            /* the end of a page that none follows */
static struct fuzz_random r;
static uint64_t number;

static unsigned pick(unsigned n) { return fuzz_below(&r, n); }

#define FOUND(...) fuzz_bad_in(number, __VA_ARGS__)

struct shape {
    unsigned grid[3], block[3], shared;
};

static bool valid(const struct shape *s)
{
    const unsigned *b = s->block;
    return s->grid[0] && s->grid[1] && s->grid[2] && b[0] && b[1] && b[2] && b[0] <= 1024 && b[1] <= 1024 && b[2] <= 64 &&
        (uint64_t)b[0] * b[1] * b[2] <= 1024 && s->shared <= 48u * 1024 - 16 &&
        s->grid[0] <= 0x7fffffff && s->grid[1] <= 65535 && s->grid[2] <= 65535;
}

static uint64_t blocks_of(const struct shape *s) { return (uint64_t)s->grid[0] * s->grid[1] * s->grid[2]; }

static void good_shape(struct shape *s)
{
    static const unsigned x[] = { 1, 7, 32, 65 };                /* a kernel is compiled for each shape of its blocks */
    *s = (struct shape){ { 1 + pick(9), 1 + pick(4), 1 + pick(3) }, { FUZZ_ANY(&r, x), 1 + pick(2), 1 + 2 * pick(2) }, pick(3) ? 0 : pick(4096) };
}

static void odd_shape(struct shape *s)
{
    good_shape(s);
    unsigned *all[] = { &s->grid[0], &s->grid[1], &s->grid[2], &s->block[0], &s->block[1], &s->block[2], &s->shared };
    for (unsigned n = 1 + pick(2); n; n--)
        *FUZZ_ANY(&r, all) = (unsigned)fuzz_odd(&r);
}

/* --- attributes --- */

static unsigned good_attributes(const struct shape *s, CUlaunchAttribute *a)
{
    unsigned n = 0;
    if (pick(2))
        a[n++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value.priority = -(int)pick(3) };
    if (pick(2))
        a[n++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            .value.programmaticStreamSerializationAllowed = (int)pick(2) };
    if (pick(2))
        a[n++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_IGNORE };
    if (pick(2))
        a[n++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, .value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE };
    if (s->grid[0] % 2 == 0 && pick(2)) {
        a[n] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
        a[n].value.clusterDim.x = 2, a[n].value.clusterDim.y = a[n].value.clusterDim.z = 1, n++;
    }
    return n;
}

static unsigned odd_attributes(const struct shape *s, CUlaunchAttribute *a)
{
    unsigned n = good_attributes(s, a);
    for (unsigned more = 1 + pick(4); more; more--, n++) {
        memset(&a[n], 0, sizeof a[n]);
        a[n].id = pick(8) ? (CUlaunchAttributeID)pick(20) : (CUlaunchAttributeID)fuzz_odd(&r);
        fuzz_mutate(&r, &a[n].value, sizeof a[n].value);
        if (pick(3) == 0)
            a[n].value.launchCompletionEvent.event = event;
    }
    return n;
}

/* --- parameters --- */

/* A copy that ends where the page does: a byte too far is a fault. */
static void *at_the_end(const void *data, size_t bytes)
{
    void *p = guarded - bytes;
    return memcpy(p, data, bytes);
}

/* --- launches --- */

/* Parameters of the kernel twins, as a list or a buffer. */
static CUresult launch_twins(const struct shape *s, const CUlaunchAttribute *attrs, unsigned n_attrs, unsigned form)
{
    struct { CUdeviceptr to; unsigned n; } values = { out, BLOCKS };
    size_t bytes = 12;
    void *list[] = { &values.to, &values.n };
    void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, at_the_end(&values, 12), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END };
    const unsigned *g = s->grid, *b = s->block;
    CUlaunchConfig config = { g[0], g[1], g[2], b[0], b[1], b[2], s->shared, stream, (CUlaunchAttribute *)(uintptr_t)attrs, n_attrs };
    switch (form) {
    case 0: return cuLaunchKernel(driver_twins, g[0], g[1], g[2], b[0], b[1], b[2], s->shared, stream, list, NULL);
    case 1: return cuLaunchKernel(driver_twins, g[0], g[1], g[2], b[0], b[1], b[2], s->shared, stream, NULL, extra);
    case 2: return cuLaunchKernelEx(&config, driver_twins, list, NULL);
    case 3: return cuLaunchKernelEx(&config, driver_twins, NULL, extra);
    default: return cuLaunchCooperativeKernel(driver_twins, g[0], g[1], g[2], b[0], b[1], b[2], s->shared, stream, list);
    }
}

/* Each block has counted its threads. */
static void check_twins(const struct shape *s, const char *what)
{
    static uint32_t sums[BLOCKS];
    uint64_t n = blocks_of(s);
    unsigned threads = s->block[0] * s->block[1] * s->block[2];
    CUresult rc = cuStreamSynchronize(stream);
    if (rc) {
        FOUND("%s that was accepted ends with error %d (grid %u %u %u block %u %u %u shared %u)", what, rc, s->grid[0], s->grid[1],
            s->grid[2], s->block[0], s->block[1], s->block[2], s->shared);
        fuzz_fresh();
    }
    NEED(cuMemcpyDtoH(sums, out, sizeof sums));
    for (unsigned i = 0; i < BLOCKS; i++)
        if (sums[i] != (i < n ? threads : 0)) {
            FOUND("%s: block %u has counted %u threads, not %u", what, i, sums[i], i < n ? threads : 0);
            return;
        }
}

static void good_launch(void)
{
    struct shape s;
    CUlaunchAttribute attrs[8];
    good_shape(&s);
    unsigned n = good_attributes(&s, attrs), form = pick(5);
    bool cluster = false;
    for (unsigned k = 0; k < n; k++)
        cluster |= attrs[k].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    NEED(cuMemsetD8Async(out, 0, 4 * BLOCKS, stream));
    fuzz_doing("a good launch");
    CUresult rc = launch_twins(&s, attrs, n, form);
    if (rc == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE && form == 4)
        return;                  /* blocks that must be there at the same time: as many as the device says */
    if (rc && !(cluster && (form == 2 || form == 3)))        /* clusters are for compute capability 9.0, which this may not be */
        FOUND("a good launch (form %u, %u attributes) is refused: %d", form, n, rc);
    if (!rc)
        check_twins(&s, "a good launch");
}

static void odd_launch(void)
{
    struct shape s;
    CUlaunchAttribute attrs[16];
    if (pick(2))
        odd_shape(&s);
    else
        good_shape(&s);
    unsigned n = odd_attributes(&s, attrs), form = pick(5);
    if (blocks_of(&s) > BLOCKS && valid(&s))
        return;                  /* would run for long */
    NEED(cuMemsetD8Async(out, 0, 4 * BLOCKS, stream));
    fuzz_doing("an odd launch");
    CUresult rc = launch_twins(&s, attrs, n, form);
    if (!rc && !valid(&s))
        FOUND("a launch of grid %u %u %u block %u %u %u shared %u is accepted", s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1],
            s.block[2], s.shared);
    else if (!rc)
        check_twins(&s, "an odd launch");
}

/* 256 bytes by value: all arrive. */
static void bytes_launch(void)
{
    struct { CUdeviceptr to; uint32_t data[PARAM_BYTES / 4]; } values = { .to = out };
    size_t bytes = sizeof values;
    uint32_t want = 0, got = 0;
    for (unsigned i = 0; i < PARAM_BYTES / 4; i++)
        want += values.data[i] = (uint32_t)fuzz_u64(&r);
    void *list[] = { &values.to, values.data }, *extra[] = { CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_BUFFER_POINTER,
        at_the_end(&values, sizeof values), CU_LAUNCH_PARAM_END };
    bool buffer = pick(2);
    fuzz_doing("a launch with a structure");
    CUresult rc = cuLaunchKernel(driver_bytes, 1, 1, 1, 1 + 39 * pick(2), 1, 1, 0, stream, buffer ? NULL : list, buffer ? extra : NULL);
    memset(&values, 0xee, sizeof values);        /* what it was given is its own by now */
    memset(guarded - sizeof values, 0xee, sizeof values);
    if (rc || (rc = cuStreamSynchronize(stream)) || (rc = cuMemcpyDtoH(&got, out, 4)))
        FOUND("a launch with a structure: error %d", rc);
    else if (got != want)
        FOUND("a structure of 256 bytes arrives with sum 0x%x, not 0x%x", got, want);
}

/* Buffers that are too short or too long, lists that say nothing or twice the same. */
static void odd_buffer(void)
{
    static char data[PAGE];
    size_t bytes = pick(4) ? pick(PAGE) : 264 + pick(16) - 8, zero = 0;
    CUdeviceptr to = out;
    memcpy(data, &to, 8);
    void *buffer = at_the_end(data, bytes);
    void *lists[][7] = {
        { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END },
        { CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END }, { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_END },
            { CU_LAUNCH_PARAM_END },
        { CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END },
            { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &zero, CU_LAUNCH_PARAM_END },
        { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
            CU_LAUNCH_PARAM_END }, { (void *)7, buffer, CU_LAUNCH_PARAM_END },
    };
    CUfunction fns[] = { driver_bytes, driver_twins, driver_mix, driver_fill };
    fuzz_doing("a launch with an odd buffer");
    CUresult rc = cuLaunchKernel(fns[pick(4)], 1, 1, 1, 1, 1, 1, 0, stream, NULL, lists[pick(8)]);
    if (!rc && cuStreamSynchronize(stream))      /* it may have got a pointer to nowhere */
        fuzz_fresh();
}

/* --- the old way, and questions --- */

static void old_launch(void)
{
    unsigned n = 1 + pick(64), threads = 1 + 49 * pick(3), value = (unsigned)fuzz_u64(&r);
    uint32_t got[64];
    NEED(cuMemsetD8(out, 0, 256));
    NEED(cuCtxSynchronize());
    fuzz_doing("cuLaunchGrid");
    CUresult rc = cuFuncSetBlockShape(driver_fill, (int)threads, 1, 1);
    rc = rc ? rc : cuParamSetSize(driver_fill, 16);
    rc = rc ? rc : cuParamSetv(driver_fill, 0, &out, 8);
    rc = rc ? rc : cuParamSeti(driver_fill, 8, n);
    rc = rc ? rc : cuParamSeti(driver_fill, 12, value);
    if (pick(3) == 0) {          /* what is refused must change nothing */
        static char data[64];
        int at = (int)fuzz_odd(&r);
        if (cuParamSetv(driver_fill, at, data, pick(64)) == CUDA_SUCCESS && at < 16)
            return;
        if (at >= 0 && at < 16)
            return;
    }
    rc = rc ? rc : cuLaunchGrid(driver_fill, 1 + (int)pick(3), 1);
    rc = rc ? rc : cuCtxSynchronize();
    rc = rc ? rc : cuMemcpyDtoH(got, out, sizeof got);
    if (rc) {
        FOUND("cuLaunchGrid and what belongs to it: error %d", rc);
        return;
    }
    for (unsigned i = 0; i < 64; i++)
        if (got[i] != (i < n ? value : 0)) {
            FOUND("cuLaunchGrid: word %u is 0x%x", i, got[i]);
            return;
        }
}

static void questions(void)
{
    int a, b;
    size_t bytes, offset;
    unsigned flags = pick(4);
    struct shape s;
    CUlaunchAttribute attrs[16];
    odd_shape(&s);
    CUlaunchConfig config = { s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2], s.shared, stream, attrs,
        odd_attributes(&s, attrs) };
    fuzz_doing("questions about launches");
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&a, driver_twins, (int)fuzz_odd(&r), (size_t)fuzz_odd(&r), flags);
    cuOccupancyMaxPotentialBlockSize(&a, &b, driver_twins, NULL, (size_t)fuzz_odd(&r), (int)fuzz_odd(&r));
    cuOccupancyAvailableDynamicSMemPerBlock(&bytes, driver_twins, (int)fuzz_odd(&r), (int)fuzz_odd(&r));
    cuOccupancyMaxPotentialClusterSize(&a, driver_twins, &config);
    cuOccupancyMaxActiveClusters(&a, driver_twins, &config);
    cuFuncGetAttribute(&a, (CUfunction_attribute)(pick(2) ? pick(20) : fuzz_odd(&r)), driver_mix);
    cuFuncSetAttribute(driver_mix, (CUfunction_attribute)(pick(2) ? pick(20) : fuzz_odd(&r)), (int)fuzz_odd(&r));
    cuFuncGetParamInfo(driver_mix, (size_t)fuzz_odd(&r), &offset, &bytes);
}

static void before(void)
{
    driver_start();
    NEED(cuMemAlloc(&out, 4 * BLOCKS));
    NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    NEED(cuEventCreate(&event, 0));
    char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 2 * PAGE, PAGE, PROT_NONE);
    guarded = pages + 2 * PAGE;
}

static void one(uint64_t n)
{
    static void (*const kinds[])(void) = { good_launch, odd_launch, odd_launch, bytes_launch, odd_buffer, old_launch, questions };
    r = fuzz_random(fuzz_plan.seed, number = n);
    for (unsigned k = 0; k < LAUNCHES; k++) {
        kinds[pick(sizeof kinds / sizeof kinds[0])]();
        fuzz_count(1);
    }
    if (cuCtxSynchronize()) {
        FOUND("the context is broken after %d launches", LAUNCHES);
        fuzz_fresh();
    }
}

int main(int argc, char **argv)
{
    driver_settings(argv);
    fuzz_begin((struct fuzz_plan){ .name = "launches", .seed = 1, .seconds = 3, .things = "launches" }, argc, argv, NULL);
    return fuzz_cases(before, one, 50, 5);
}
