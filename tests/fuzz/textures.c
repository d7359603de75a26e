/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random descriptors of textures and surfaces. What is refused is fine; through what is accepted kernels read and write at odd coordinates: that may be a fault
 * of the kernel, but nothing of the host's memory may be read or changed, and the process stays.
 */
#define _GNU_SOURCE
#include "fuzz_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 32, WORDS = THREADS * 8, MEMORY = 65536, TRIES = 12, SECRET_BYTES = 1 << 16, ARRAYS = 6 };

#define SECRET 0x4a7a516bu

static uint32_t secret[SECRET_BYTES / 4] __attribute__((aligned(65536)));
static CUdeviceptr out, memory;
static CUarray arrays[ARRAYS];
static CUmipmappedArray mipmap;
static CUfunction reads[5], writes[2];
static struct fuzz_random r;
static uint64_t number;

static unsigned pick(unsigned n) { return fuzz_below(&r, n); }

#define FOUND(...) fuzz_bad_in(number, __VA_ARGS__)

/* Parameters: output, handle, a first coordinate and a step from thread to thread. */
#define HEAD(name) ".visible .entry " name "(.param .u64 o, .param .u64 t, .param .b32 x, .param .b32 s) { .reg .b64 %d<4>; .reg .b32 %r<12>; .reg .f32 %f<6>; ld.param.u64 %d1, [o]; ld.param.u64 %d2, [t];" \
    " ld.param.u32 %r1, [x]; ld.param.u32 %r2, [s]; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r3, %r2, %r1; cvt.rn.f32.s32 %f1, %r1; " \
        "cvt.rn.f32.s32 %f2, %r2; mul.wide.u32 %d3, %r3, 16; add.u64 %d1, %d1, %d3;"
#define TAIL " st.global.v4.u32 [%d1], {%r4, %r5, %r6, %r7}; ret; }\n"
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    HEAD("read0") " tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d2, {%r1}];" TAIL
    HEAD("read1") " tex.2d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [%d2, {%f1, %f2}];" TAIL
    HEAD("read2") " tex.3d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d2, {%r1, %r2, %r3, %r3}];" TAIL
    HEAD("read3") " tex.level.2d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [%d2, {%f1, %f1}], %f2;" TAIL
    HEAD("read4") " suld.b.2d.v4.b32.zero {%r4, %r5, %r6, %r7}, [%d2, {%r1, %r2}];" TAIL
    HEAD("write0") " mov.u32 %r4, 0x3b3b3b3b; sust.b.1d.b32.zero [%d2, {%r1}], %r4; ret; }\n"
    HEAD("write1") " mov.u32 %r4, 0x3b3b3b3b; sust.b.2d.v4.b32.clamp [%d2, {%r1, %r2}], {%r4, %r4, %r4, %r4}; ret; }\n";

/* --- descriptors --- */

static const CUarray_format formats[] = { CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32,
    CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32,
                                          CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT };

static CUarray_format any_format(void) { return pick(8) ? FUZZ_ANY(&r, formats) : (CUarray_format)fuzz_odd(&r); }
static unsigned any_channels(void) { return pick(8) ? 1u << pick(3) : (unsigned)fuzz_odd(&r); }

/* Memory of the device, mostly; or the host's, or nobody's. */
static CUdeviceptr any_memory(void)
{
    switch (pick(8)) {
    case 0: return (CUdeviceptr)(uintptr_t)secret + 512 * pick(64);
    case 1: return (CUdeviceptr)fuzz_odd(&r);
    case 2: return memory + MEMORY - 512;
    default: return memory + 512 * pick(4);
    }
}

/* A size that fits, that is a little too large, that leads from the memory to the secret, or anything. */
static size_t any_size(size_t good)
{
    size_t far = (size_t)((CUdeviceptr)(uintptr_t)secret - memory);
    switch (pick(8)) {
    case 0: return (size_t)fuzz_odd(&r);
    case 1: return far;
    case 2: return far / (1 + pick(8)) & ~(size_t)31;
    case 3: return good * 2;
    default: return good;
    }
}

static void make_resource(CUDA_RESOURCE_DESC *d)
{
    memset(d, 0, sizeof *d);
    switch (pick(6)) {
    case 0: case 1:
        d->resType = CU_RESOURCE_TYPE_LINEAR;
        d->res.linear.devPtr = any_memory();
        d->res.linear.format = any_format();
        d->res.linear.numChannels = any_channels();
        d->res.linear.sizeInBytes = any_size(MEMORY / 2);
        break;
    case 2: case 3:
        d->resType = CU_RESOURCE_TYPE_PITCH2D;
        d->res.pitch2D.devPtr = any_memory();
        d->res.pitch2D.format = any_format();
        d->res.pitch2D.numChannels = any_channels();
        d->res.pitch2D.width = pick(2) ? 1 + pick(64) : any_size(64);
        d->res.pitch2D.height = pick(2) ? 1 + pick(16) : any_size(16);
        d->res.pitch2D.pitchInBytes = pick(2) ? 1024 : any_size(1024);
        break;
    case 4:
        d->resType = CU_RESOURCE_TYPE_ARRAY;
        d->res.array.hArray = pick(4) ? FUZZ_ANY(&r, arrays) : (CUarray)(uintptr_t)fuzz_odd(&r);
        break;
    default:
        d->resType = pick(4) ? CU_RESOURCE_TYPE_MIPMAPPED_ARRAY : (CUresourcetype)fuzz_odd(&r);
        d->res.mipmap.hMipmappedArray = pick(4) ? mipmap : (CUmipmappedArray)(uintptr_t)fuzz_odd(&r);
        break;
    }
    if (pick(10) == 0)
        d->flags = (unsigned)fuzz_odd(&r);
}

static void make_texture(CUDA_TEXTURE_DESC *d)
{
    static const CUaddress_mode modes[] = { CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER };
    memset(d, 0, sizeof *d);
    for (unsigned k = 0; k < 3; k++)
        d->addressMode[k] = pick(10) ? FUZZ_ANY(&r, modes) : (CUaddress_mode)fuzz_odd(&r);
    d->filterMode = pick(10) ? (CUfilter_mode)pick(2) : (CUfilter_mode)fuzz_odd(&r);
    d->flags = pick(3) ? CU_TRSF_READ_AS_INTEGER | (pick(2) ? CU_TRSF_NORMALIZED_COORDINATES : 0) : (unsigned)fuzz_odd(&r);
    d->mipmapFilterMode = (CUfilter_mode)pick(2);
    if (pick(3) == 0)
        fuzz_mutate(&r, &d->maxAnisotropy, sizeof *d - offsetof(CUDA_TEXTURE_DESC, maxAnisotropy));
}

static void make_view(CUDA_RESOURCE_VIEW_DESC *d)
{
    memset(d, 0, sizeof *d);
    d->format = pick(4) ? (CUresourceViewFormat)pick(36) : (CUresourceViewFormat)fuzz_odd(&r);
    d->width = pick(2) ? 16 : (size_t)fuzz_odd(&r);
    d->height = pick(2) ? 8 : (size_t)fuzz_odd(&r);
    d->depth = pick(2) ? 0 : (size_t)fuzz_odd(&r);
    d->lastMipmapLevel = pick(2) ? 0 : (unsigned)fuzz_odd(&r);
    d->lastLayer = pick(4) ? 0 : (unsigned)fuzz_odd(&r);
}

/* --- what is accepted is used --- */

static void look_at_secret(const char *what)
{
    for (unsigned i = 0; i < SECRET_BYTES / 4; i++)
        if (secret[i] != SECRET) {
            FOUND("%s changed memory of the host", what);
            fuzz_fresh();
        }
}

static void use(CUfunction f, uint64_t handle, const char *what)
{
    static uint32_t got[WORDS];
    int x = pick(3) ? (int)pick(64) : (int)fuzz_odd(&r), step = pick(3) ? (int)pick(8) : (int)fuzz_odd(&r);
         /* step: also the second coordinate */
    void *params[] = { &out, &handle, &x, &step };
    fuzz_doing("a kernel with a texture or surface");
    NEED(cuMemsetD8(out, 0, sizeof got));
    CUresult rc = cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL);
    rc = rc ? rc : cuCtxSynchronize();
    look_at_secret(what);
    if (rc)
        fuzz_fresh();
    NEED(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = 0; i < WORDS; i++)
        if (got[i] == SECRET) {
            FOUND("%s read memory of the host", what);
            return;
        }
}

static void one_texture(void)
{
    CUDA_RESOURCE_DESC res, again;
    CUDA_TEXTURE_DESC tex;
    CUDA_RESOURCE_VIEW_DESC view;
    CUtexObject t = 0;
    make_resource(&res);
    make_texture(&tex);
    make_view(&view);
    fuzz_doing("cuTexObjectCreate");
    if (cuTexObjectCreate(&t, &res, &tex, pick(3) ? NULL : &view))
        return;
    if (GOOD(number, cuTexObjectGetResourceDesc(&again, t)) && again.resType != res.resType)
        FOUND("a texture's resource has type %d, not %d", again.resType, res.resType);
    use(reads[pick(4)], t, "a texture");
    GOOD(number, cuTexObjectDestroy(t));
    GOOD(number, cuTexObjectDestroy(t));         /* what is none any more is no error on an H200 */
}

static void one_surface(void)
{
    CUDA_RESOURCE_DESC res;
    CUsurfObject s = 0;
    make_resource(&res);
    fuzz_doing("cuSurfObjectCreate");
    if (cuSurfObjectCreate(&s, &res))
        return;
    use(pick(2) ? reads[4] : writes[pick(2)], s, "a surface");
    GOOD(number, cuSurfObjectDestroy(s));
}

/* Arrays of all sizes: made, asked, destroyed. */
static void one_array(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = { .Width = 1 + pick(64), .Height = pick(2) ? 0 : 1 + pick(16), .Depth = pick(3) ? 0 : 1 + pick(6),
        .Format = any_format(), .NumChannels = any_channels(), .Flags = pick(3) ? 0 : 1u << pick(9) }, got;
    size_t *sizes[] = { &d.Width, &d.Height, &d.Depth };
    CUarray a;
    CUmipmappedArray m;
    if (pick(2))
        *FUZZ_ANY(&r, sizes) = (size_t)fuzz_odd(&r);
    fuzz_doing("cuArray3DCreate");
    if (cuArray3DCreate(&a, &d) == CUDA_SUCCESS) {
        if (GOOD(number, cuArray3DGetDescriptor(&got, a)) && (got.Width != d.Width || got.Height != d.Height || got.Depth != d.Depth ||
            got.Format != d.Format || got.NumChannels != d.NumChannels))
            FOUND("an array of %zu x %zu x %zu says that it is %zu x %zu x %zu", d.Width, d.Height, d.Depth, got.Width, got.Height, got.Depth);
        GOOD(number, cuArrayDestroy(a));
    }
    fuzz_doing("cuMipmappedArrayCreate");
    if (cuMipmappedArrayCreate(&m, &d, (unsigned)fuzz_odd(&r)) == CUDA_SUCCESS) {
        cuMipmappedArrayGetLevel(&a, m, (unsigned)fuzz_odd(&r));
        GOOD(number, cuMipmappedArrayDestroy(m));
    }
}

/* --- cases --- */

static void make_arrays(void)
{
    for (unsigned k = 0; k < ARRAYS; k++) {
        CUDA_ARRAY3D_DESCRIPTOR d = { .Width = 16 << k % 3, .Height = k % 3 ? 8 : 0, .Depth = k % 3 == 2 ? 4 : 0, .Format = formats[k],
            .NumChannels = 1u << k % 3, .Flags = k % 2 ? CUDA_ARRAY3D_SURFACE_LDST : 0 };
        NEED(cuArray3DCreate(&arrays[k], &d));
    }
    CUDA_ARRAY3D_DESCRIPTOR d = { .Width = 16, .Height = 16, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1 };
    NEED(cuMipmappedArrayCreate(&mipmap, &d, 4));
}

static void before(void)
{
    CUmodule m;
    driver_start();
    freopen("/dev/null", "w", stderr);           /* faults of kernels are told there */
    for (unsigned i = 0; i < SECRET_BYTES / 4; i++)
        secret[i] = SECRET;
    NEED(cuModuleLoadData(&m, text));
    for (unsigned k = 0; k < 7; k++) {
        char name[16];
        snprintf(name, sizeof name, k < 5 ? "read%u" : "write%u", k < 5 ? k : k - 5);
        NEED(cuModuleGetFunction(k < 5 ? &reads[k] : &writes[k - 5], m, name));
    }
    NEED(cuMemAlloc(&out, 4 * WORDS));
    NEED(cuMemAlloc(&memory, MEMORY));
    NEED(cuMemsetD8(memory, 0x11, MEMORY));
    make_arrays();
}

static void one(uint64_t n)
{
    r = fuzz_random(fuzz_plan.seed, number = n);
    for (unsigned k = 0; k < TRIES; k++) {
        unsigned kind = pick(8);
        kind < 5 ? one_texture() : kind < 7 ? one_surface() : one_array();
        fuzz_count(1);
    }
}

int main(int argc, char **argv)
{
    driver_settings(argv);
    fuzz_begin((struct fuzz_plan){ .name = "textures", .seed = 1, .seconds = 3, .things = "descriptors" }, argc, argv, NULL);
    return fuzz_cases(before, one, 100, 10);
}
