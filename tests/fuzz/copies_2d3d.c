/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random copies and fills in one, two and three dimensions between memory of all kinds and arrays, against a model of the bytes. Regions that do not fit
 * must be refused and change nothing.
 */
#include "fuzz_driver.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 8, LARGEST = 6000, OPERATIONS = 24, STREAMS = 2 };

enum kind { DEVICE, PAGEABLE, PINNED, MANAGED, PITCHED, ARRAY, KINDS };

/* Memory, or an array of width x height x depth. bytes: all of it; model holds what it should. */
struct object {
    enum kind kind;
    CUdeviceptr at;              /* or the host's address */
    CUarray array;
    size_t element, width, height, depth, bytes; /* width in bytes */
    unsigned char *model;
};

static struct object objects[OBJECTS];
static CUstream streams[STREAMS];
static struct fuzz_random r;
static uint64_t number;

static unsigned pick(size_t n) { return fuzz_below(&r, (uint32_t)n); }

/* --- objects --- */

static void make_array(struct object *o)
{
    static const CUarray_format formats[] = { CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32,
        CU_AD_FORMAT_FLOAT };
    static const size_t sizes[] = { 1, 2, 4, 4 };
    static const unsigned channels[] = { 1, 2, 4 };
    unsigned f = pick(4), c = FUZZ_ANY(&r, channels), dims = 1 + pick(3);
    CUDA_ARRAY3D_DESCRIPTOR d = { .Width = 1 + pick(24), .Height = dims > 1 ? 1 + pick(12) : 0, .Depth = dims > 2 ? 1 + pick(6) : 0,
        .Format = formats[f], .NumChannels = c,
                                  .Flags = dims > 2 && pick(2) ? CUDA_ARRAY3D_LAYERED : 0 };
    o->element = sizes[f] * c;
    o->width = d.Width * o->element;
    o->height = d.Height ? d.Height : 1;
    o->depth = d.Depth ? d.Depth : 1;
    o->bytes = o->width * o->height * o->depth;
    NEED(cuArray3DCreate(&o->array, &d));
}

static void make_object(struct object *o)
{
    void *host = NULL;
    size_t pitch;
    memset(o, 0, sizeof *o);
    o->kind = pick(KINDS);
    o->element = o->height = o->depth = 1;
    o->width = o->bytes = 64 + pick(LARGEST - 64);
    switch (o->kind) {
    case DEVICE: NEED(cuMemAlloc(&o->at, o->bytes)); break;
    case PAGEABLE: o->at = (CUdeviceptr)(uintptr_t)malloc(o->bytes); break;
    case PINNED: NEED(cuMemHostAlloc(&host, o->bytes, pick(2) ? CU_MEMHOSTALLOC_WRITECOMBINED : 0)); o->at = (CUdeviceptr)(uintptr_t)host; break;
    case MANAGED: NEED(cuMemAllocManaged(&o->at, o->bytes, CU_MEM_ATTACH_GLOBAL)); break;
    case PITCHED: NEED(cuMemAllocPitch(&o->at, &pitch, 1 + pick(300), 1 + pick(8), 4)); o->bytes = o->width = pitch; break;
    default: make_array(o); break;
    }
    o->model = calloc(1, o->bytes);
}

static void free_object(struct object *o)
{
    switch (o->kind) {
    case DEVICE: case MANAGED: case PITCHED: NEED(cuMemFree(o->at)); break;
    case PAGEABLE: free((void *)(uintptr_t)o->at); break;
    case PINNED: NEED(cuMemFreeHost((void *)(uintptr_t)o->at)); break;
    default: NEED(cuArrayDestroy(o->array)); break;
    }
    free(o->model);
}

static bool on_host(const struct object *o) { return o->kind == PAGEABLE || o->kind == PINNED; }

static CUDA_MEMCPY3D whole_copy(const struct object *o, unsigned char *host, bool to_host)
{
    CUDA_MEMCPY3D c = { .WidthInBytes = o->width, .Height = o->height, .Depth = o->depth, .srcMemoryType = CU_MEMORYTYPE_ARRAY,
        .srcArray = o->array, .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = host,
                        .dstPitch = o->width, .dstHeight = o->height };
    if (!to_host) {
        c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = host, c.srcPitch = o->width, c.srcHeight = o->height;
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = o->array, c.dstPitch = c.dstHeight = 0;
    }
    return c;
}

static void fill_object(struct object *o, unsigned which)
{
    for (size_t i = 0; i < o->bytes; i++)
        o->model[i] = (unsigned char)(which * 37 + i * 7 + i / 251);
    CUDA_MEMCPY3D c = whole_copy(o, o->model, false);
    if (o->kind == ARRAY)
        NEED(cuMemcpy3D(&c));
    else if (on_host(o))
        memcpy((void *)(uintptr_t)o->at, o->model, o->bytes);
    else
        NEED(cuMemcpyHtoD(o->at, o->model, o->bytes));
}

static void compare(const char *after)
{
    static unsigned char now[LARGEST * 16];
    for (unsigned k = 0; k < OBJECTS; k++) {
        struct object *o = &objects[k];
        CUDA_MEMCPY3D c = whole_copy(o, now, true);
        if (o->kind == ARRAY)
            NEED(cuMemcpy3D(&c));
        else if (on_host(o))
            memcpy(now, (void *)(uintptr_t)o->at, o->bytes);
        else
            NEED(cuMemcpyDtoH(now, o->at, o->bytes));
        for (size_t i = 0; i < o->bytes; i++)
            if (now[i] != o->model[i]) {
                fuzz_bad_in(number, "after %s byte %zu of object %u (kind %d, %zu x %zu x %zu) is %u, not %u", after, i, k, o->kind,
                    o->width, o->height, o->depth, now[i], o->model[i]);
                memcpy(o->model, now, o->bytes);
                break;
            }
    }
}

/* --- regions --- */

/* A place in an object: in an array by its coordinates, in memory with any pitch and height that fit. */
struct place {
    struct object *o;
    size_t x, y, z, pitch, rows; /* rows: from slice to slice */
};

static size_t offset(const struct place *p, size_t x, size_t y, size_t z)
{
    return ((p->z + z) * p->rows + p->y + y) * p->pitch + p->x + x;
}

/* A place where w x h x d fits; false: there is none. */
static bool choose_place(struct place *p, struct object *o, size_t w, size_t h, size_t d)
{
    *p = (struct place){ .o = o };
    if (o->kind == ARRAY) {
        if (w > o->width || h > o->height || d > o->depth)
            return false;
        p->x = pick((o->width - w) / o->element + 1) * o->element;
        p->y = pick(o->height - h + 1);
        p->z = pick(o->depth - d + 1);
        p->pitch = o->width;
        p->rows = o->height;
        return true;
    }
    for (unsigned tries = 0; tries < 4; tries++) {
        p->x = pick(4) ? 0 : pick(8);
        p->y = pick(4) ? 0 : pick(3);
        p->z = pick(4) ? 0 : pick(2);
        p->pitch = w + p->x + (pick(2) ? 0 : pick(40));
        p->rows = h + p->y + (pick(2) ? 0 : pick(3));
        if (offset(p, w, h - 1, d - 1) <= o->bytes)
            return true;
    }
    return false;
}

static void apply_copy(const struct place *to, const struct place *from, size_t w, size_t h, size_t d)
{
    for (size_t z = 0; z < d; z++)
        for (size_t y = 0; y < h; y++)
            memcpy(to->o->model + offset(to, 0, y, z), from->o->model + offset(from, 0, y, z), w);
}

static void put_source(CUDA_MEMCPY3D *c, const struct place *p)
{
    c->srcXInBytes = p->x, c->srcY = p->y, c->srcZ = p->z;
    c->srcMemoryType = p->o->kind == ARRAY ? CU_MEMORYTYPE_ARRAY : on_host(p->o) ? CU_MEMORYTYPE_HOST : pick(4) ? CU_MEMORYTYPE_DEVICE
        : CU_MEMORYTYPE_UNIFIED;
    c->srcArray = p->o->array;
    if (c->srcMemoryType == CU_MEMORYTYPE_HOST)
        c->srcHost = (void *)(uintptr_t)p->o->at;
    else
        c->srcDevice = p->o->at;
    c->srcPitch = p->o->kind == ARRAY ? 0 : p->pitch;
    c->srcHeight = p->o->kind == ARRAY ? 0 : p->rows;
}

static void put_target(CUDA_MEMCPY3D *c, const struct place *p)
{
    c->dstXInBytes = p->x, c->dstY = p->y, c->dstZ = p->z;
    c->dstMemoryType = p->o->kind == ARRAY ? CU_MEMORYTYPE_ARRAY : on_host(p->o) ? CU_MEMORYTYPE_HOST : pick(4) ? CU_MEMORYTYPE_DEVICE
        : CU_MEMORYTYPE_UNIFIED;
    c->dstArray = p->o->array;
    if (c->dstMemoryType == CU_MEMORYTYPE_HOST)
        c->dstHost = (void *)(uintptr_t)p->o->at;
    else
        c->dstDevice = p->o->at;
    c->dstPitch = p->o->kind == ARRAY ? 0 : p->pitch;
    c->dstHeight = p->o->kind == ARRAY ? 0 : p->rows;
}

/* --- operations --- */

static CUDA_MEMCPY2D flat(const CUDA_MEMCPY3D *c)
{
    return (CUDA_MEMCPY2D){ .srcXInBytes = c->srcXInBytes, .srcY = c->srcY, .srcMemoryType = c->srcMemoryType, .srcHost = c->srcHost,
        .srcDevice = c->srcDevice, .srcArray = c->srcArray, .srcPitch = c->srcPitch,
                            .dstXInBytes = c->dstXInBytes, .dstY = c->dstY, .dstMemoryType = c->dstMemoryType, .dstHost = c->dstHost,
                                .dstDevice = c->dstDevice, .dstArray = c->dstArray, .dstPitch = c->dstPitch,
                            .WidthInBytes = c->WidthInBytes, .Height = c->Height };
}

static CUresult do_copy(const CUDA_MEMCPY3D *c, bool may_be_flat)
{
    CUstream s = streams[pick(STREAMS)];
    CUDA_MEMCPY2D f = flat(c);
    CUresult rc;
    switch (may_be_flat && pick(2) ? pick(3) : 3 + pick(2)) {
    case 0: return cuMemcpy2D(&f);
    case 1: return cuMemcpy2DUnaligned(&f);
    case 2: rc = cuMemcpy2DAsync(&f, s); return rc ? rc : cuStreamSynchronize(s);
    case 3: return cuMemcpy3D(c);
    default: rc = cuMemcpy3DAsync(c, s); return rc ? rc : cuStreamSynchronize(s);
    }
}

static void copy_region(void)
{
    struct object *a = &objects[pick(OBJECTS)], *b = &objects[pick(OBJECTS)];
    size_t unit = a->element > b->element ? a->element : b->element;
    size_t w = unit * (1 + pick(40)), h = pick(3) ? 1 + pick(6) : 1, d = pick(2) ? 1 : 1 + pick(4);
    struct place to, from;
    if (a == b || (a->kind == ARRAY && b->kind == ARRAY && a->element != b->element) || unit % a->element || unit % b->element)
        return;
    if (!choose_place(&from, a, w, h, d) || !choose_place(&to, b, w, h, d))
        return;
    CUDA_MEMCPY3D c = { .WidthInBytes = w, .Height = h, .Depth = d };
    put_source(&c, &from);
    put_target(&c, &to);
    fuzz_doing("a copy");
    if (driver_good(do_copy(&c, d == 1 && !from.z && !to.z), "a copy in 2D or 3D", number))
        apply_copy(&to, &from, w, h, d);
}

/* Past the end of an array, or with a pitch that is too short: an error, and nothing is written. */
static void copy_too_far(void)
{
    struct object *a = &objects[pick(OBJECTS)], *b = &objects[pick(OBJECTS)];
    struct place to, from;
    if (a == b || a->kind != ARRAY || b->kind == ARRAY || !choose_place(&from, a, a->element, 1, 1) || !choose_place(&to, b, a->element, 1, 1))
        return;
    CUDA_MEMCPY3D c = { .WidthInBytes = a->element, .Height = 1, .Depth = 1 };
    uint64_t odd = fuzz_odd(&r);
    bool out = pick(2);
    put_source(&c, out ? &from : &to);
    put_target(&c, out ? &to : &from);
    switch (pick(5)) {
    case 0: (out ? &c.srcXInBytes : &c.dstXInBytes)[0] = a->width + odd % 1024 * a->element; break;
    case 1: (out ? &c.srcY : &c.dstY)[0] = a->height + (odd >> 1); break;
    case 2: (out ? &c.srcZ : &c.dstZ)[0] = a->depth + (odd >> 1); break;
    case 3: c.WidthInBytes = a->width + a->element; (out ? &c.dstPitch : &c.srcPitch)[0] = c.WidthInBytes + 8; break;
    default: c.Height = 2; (out ? &c.dstPitch : &c.srcPitch)[0] = 0; (out ? &c.srcY : &c.dstY)[0] = a->height; break;
    }
    fuzz_doing("a copy that does not fit");
    if (cuMemcpy3D(&c) == CUDA_SUCCESS)
        fuzz_bad_in(number, "a copy past the end of an array (%zu x %zu x %zu) is not refused", a->width, a->height, a->depth);
}

/* Anything in any field: whatever is answered, the process stays. Memory types are such that addresses are the driver's to judge. */
static void copy_anything(void)
{
    CUDA_MEMCPY3D c = { 0 };
    struct object *a = &objects[pick(OBJECTS)], *b = &objects[pick(OBJECTS)];
    struct place to, from;
    if (a->kind != ARRAY || b->kind != ARRAY || a == b || !choose_place(&from, a, a->element, 1, 1) || !choose_place(&to, b, b->element, 1, 1))
        return;
    put_source(&c, &from);
    put_target(&c, &to);
    c.WidthInBytes = a->element, c.Height = c.Depth = 1;
    size_t *fields[] = { &c.srcXInBytes, &c.srcY, &c.srcZ, &c.srcLOD, &c.srcPitch, &c.srcHeight, &c.dstXInBytes, &c.dstY, &c.dstZ,
        &c.dstLOD, &c.dstPitch, &c.dstHeight, &c.WidthInBytes, &c.Height, &c.Depth };
    for (unsigned n = 1 + pick(4); n; n--)
        *FUZZ_ANY(&r, fields) = (size_t)fuzz_odd(&r);
    fuzz_doing("a copy with odd numbers");
    if (cuMemcpy3D(&c) == CUDA_SUCCESS)
        fill_object(b, 99);      /* it may have been a good one */
}

static void fill_region(void)
{
    struct object *o = &objects[pick(OBJECTS)];
    static const size_t elements[] = { 1, 2, 4 };
    size_t e = FUZZ_ANY(&r, elements), rows = pick(2) ? 1 : 1 + pick(5), n = 1 + pick(60), pitch = n * e + e * pick(10), at = e * pick(16);
    uint32_t v = (uint32_t)fuzz_u64(&r);
    CUstream s = streams[pick(STREAMS)];
    CUresult rc;
    if (o->kind == ARRAY || o->kind == PAGEABLE || at + pitch * (rows - 1) + n * e > o->bytes)
        return;
    CUdeviceptr to = o->at + at;
    fuzz_doing("a fill");
    switch (e * 2 + (rows > 1)) {
    case 2: rc = cuMemsetD8Async(to, (unsigned char)v, n, s); break;
    case 3: rc = cuMemsetD2D8Async(to, pitch, (unsigned char)v, n, rows, s); break;
    case 4: rc = cuMemsetD16Async(to, (unsigned short)v, n, s); break;
    case 5: rc = cuMemsetD2D16Async(to, pitch, (unsigned short)v, n, rows, s); break;
    case 8: rc = cuMemsetD32Async(to, v, n, s); break;
    default: rc = cuMemsetD2D32Async(to, pitch, v, n, rows, s); break;
    }
    if (!driver_good(rc ? rc : cuStreamSynchronize(s), "a fill", number))
        return;
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < n; i++)
            memcpy(o->model + at + row * pitch + i * e, &v, e);
}

/* The calls of one dimension: between memory and arrays. */
static void copy_line(void)
{
    struct object *a = &objects[pick(OBJECTS)], *b = &objects[pick(OBJECTS)];
    if (a == b || a->kind == ARRAY)
        return;
    bool line = b->kind == ARRAY && b->height == 1 && b->depth == 1;
    size_t n = line ? b->element * (1 + pick(b->width / b->element)) : 1 + pick(200), at = pick(a->bytes - (n < a->bytes ? n : a->bytes) + 1);
    if (n > a->bytes || n > b->bytes || (b->kind == ARRAY && !line))
        return;
    CUresult rc;
    CUstream s = streams[pick(STREAMS)];
    void *host = (void *)(uintptr_t)(a->at + at);
    fuzz_doing("a copy of a line");
    if (line)
        rc = on_host(a) ? cuMemcpyHtoA(b->array, 0, host, n) : cuMemcpyDtoA(b->array, 0, a->at + at, n);
    else
        rc = cuMemcpyAsync(b->at, a->at + at, n, s), rc = rc ? rc : cuStreamSynchronize(s);
    if (driver_good(rc, "a copy of a line", number))
        memcpy(b->model, a->model + at, n);
}

static void before(void)
{
    driver_start();
    for (unsigned k = 0; k < STREAMS; k++)
        NEED(cuStreamCreate(&streams[k], k ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
}

static void one(uint64_t n)
{
    static void (*const operations[])(void) = { copy_region, copy_region, copy_region, copy_line, fill_region, copy_too_far, copy_anything };
    static const char *const names[] = { "a copy", "a copy", "a copy", "a copy of a line", "a fill", "a copy that does not fit",
        "a copy with odd numbers" };
    r = fuzz_random(fuzz_plan.seed, number = n);
    for (unsigned k = 0; k < OBJECTS; k++) {
        make_object(&objects[k]);
        fill_object(&objects[k], k);
    }
    for (unsigned k = 0; k < OPERATIONS; k++) {
        unsigned op = pick(sizeof operations / sizeof operations[0]);
        operations[op]();
        compare(names[op]);
        fuzz_count(1);
    }
    for (unsigned k = 0; k < OBJECTS; k++)
        free_object(&objects[k]);
}

int main(int argc, char **argv)
{
    driver_settings(argv);
    fuzz_begin((struct fuzz_plan){ .name = "copies_2d3d", .seed = 1, .seconds = 2, .things = "operations" }, argc, argv, NULL);
    return fuzz_cases(before, one, 100, 2);
}
