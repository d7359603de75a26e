/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA arrays. Texels lie in plain rows: nothing here gains from a tiled layout, and copies stay simple. */
#include "core/mem/array.h"
#include "base/log.h"

#include "core/device/ctx.h"
#include "core/mem/mem.h"
#include "core/sched/sched.h"

/* What an element is made of. channels 0: the array says how many; else the format does, and texels always read as floats.
   blocks: how 4 by 4 texels are compressed together, and then element is what they become. */
static const struct format_row {
    CUarray_format format;
    enum exec_format element;
    unsigned channels;
    enum exec_blocks blocks;
    bool srgb;
} formats[] = {
#define PLAIN(name, element) { CU_AD_FORMAT_##name, EXEC_##element, 0, EXEC_NO_BLOCKS, false }
#define NORM(name, element, channels) { CU_AD_FORMAT_##name, EXEC_##element, channels, EXEC_NO_BLOCKS, false }
#define BLOCKS(name, element, channels, kind) { CU_AD_FORMAT_##name, EXEC_##element, channels, EXEC_##kind, false }
#define SRGB_BLOCKS(name, kind) { CU_AD_FORMAT_##name, EXEC_U8, 4, EXEC_##kind, true }
    PLAIN(UNSIGNED_INT8, U8), PLAIN(UNSIGNED_INT16, U16), PLAIN(UNSIGNED_INT32, U32), PLAIN(HALF, F16),
    PLAIN(SIGNED_INT8, S8), PLAIN(SIGNED_INT16, S16), PLAIN(SIGNED_INT32, S32), PLAIN(FLOAT, F32),
    NORM(UNORM_INT8X1, U8, 1), NORM(UNORM_INT8X2, U8, 2), NORM(UNORM_INT8X4, U8, 4),
    NORM(UNORM_INT16X1, U16, 1), NORM(UNORM_INT16X2, U16, 2), NORM(UNORM_INT16X4, U16, 4),
    NORM(SNORM_INT8X1, S8, 1), NORM(SNORM_INT8X2, S8, 2), NORM(SNORM_INT8X4, S8, 4),
    NORM(SNORM_INT16X1, S16, 1), NORM(SNORM_INT16X2, S16, 2), NORM(SNORM_INT16X4, S16, 4),
    BLOCKS(BC1_UNORM, U8, 4, BC1), SRGB_BLOCKS(BC1_UNORM_SRGB, BC1), BLOCKS(BC2_UNORM, U8, 4, BC2), SRGB_BLOCKS(BC2_UNORM_SRGB, BC2),
    BLOCKS(BC3_UNORM, U8, 4, BC3), SRGB_BLOCKS(BC3_UNORM_SRGB, BC3), BLOCKS(BC4_UNORM, U16, 1, BC4U), BLOCKS(BC4_SNORM, S16, 1, BC4S),
    BLOCKS(BC5_UNORM, U16, 2, BC5U), BLOCKS(BC5_SNORM, S16, 2, BC5S), BLOCKS(BC6H_UF16, F16, 3, BC6U), BLOCKS(BC6H_SF16, F16, 3, BC6S),
    BLOCKS(BC7_UNORM, U8, 4, BC7), SRGB_BLOCKS(BC7_UNORM_SRGB, BC7),
#undef PLAIN
#undef NORM
#undef BLOCKS
#undef SRGB_BLOCKS
};

static const struct format_row *find_format(CUarray_format format)
{
    for (size_t i = 0; i < HW_LEN(formats); i++)
        if (formats[i].format == format)
            return &formats[i];
    return NULL;
}

bool array_format(CUarray_format format, enum exec_format *out)
{
    const struct format_row *row = find_format(format);
    if (row)
        *out = row->element;
    return row != NULL;
}

bool array_normalised(CUarray_format format)
{
    const struct format_row *row = find_format(format);
    return row && row->channels && row->element != EXEC_F16;
}

static bool channels_fit(const struct format_row *row, unsigned channels)
{
    return row->channels ? row->channels == channels : channels == 1 || channels == 2 || channels == 4;
}

unsigned array_texel_bytes(CUarray_format format, unsigned channels)
{
    const struct format_row *row = find_format(format);
    return row && !row->blocks && channels_fit(row, channels) ? channels * exec_format_bytes(row->element) : 0;
}

enum exec_blocks array_blocks(CUarray_format format)
{
    const struct format_row *row = find_format(format);
    return row ? row->blocks : EXEC_NO_BLOCKS;
}

bool array_srgb(CUarray_format format)
{
    const struct format_row *row = find_format(format);
    return row && row->srgb;
}

unsigned array_layers(const struct array *a)
{
    if (!(a->desc.Flags & CUDA_ARRAY3D_LAYERED))
        return 0;
    return (unsigned)(a->desc.Flags & CUDA_ARRAY3D_CUBEMAP ? a->desc.Depth / 6 : a->desc.Depth);
}

/* Extents as an H200 allows them. */
static bool extent_fits(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    const size_t one = 131072, two_y = 65536, three = 16384, layers = 2048, layered = 32768, gathered = 32768, surface_1d = 32768;
    bool plain = !(d->Flags & (CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED)) && !d->Depth;
    if (d->Width == 0)
        return false;
    if ((d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER) && !(plain && d->Height && d->Width <= gathered && d->Height <= gathered))
        return false;
    if ((d->Flags & CUDA_ARRAY3D_SURFACE_LDST) && plain && !d->Height && d->Width > surface_1d)
        return false;
    if (d->Flags & CUDA_ARRAY3D_CUBEMAP) {
        bool whole = d->Flags & CUDA_ARRAY3D_LAYERED ? d->Depth && d->Depth % 6 == 0 && d->Depth <= 2046 : d->Depth == 6;
        return d->Width == d->Height && d->Width <= layered && whole;
    }
    if (d->Flags & CUDA_ARRAY3D_LAYERED)
        return d->Depth && d->Depth <= layers && d->Width <= layered && d->Height <= layered;
    if (d->Depth)                                /* a cube, or half as wide and twice as deep */
        return d->Height && ((d->Width <= three && d->Height <= three && d->Depth <= three)
                             || (d->Width <= three / 2 && d->Height <= three / 2 && d->Depth <= 2 * three));
    return d->Width <= one && d->Height <= two_y;
}

static void array_free(struct obj *obj)
{
    struct array *a = hw_container_of(obj, struct array, obj);
    if (a->memory && !a->ctx->dead)              /* its context took it along */
        mem_free_variable(a->memory);
    ctx_unref(a->ctx);
    hw_free(a->levels);
    hw_free(a);
}

static struct array *array_new(struct ctx *ctx, const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned texel)
{
    struct array *a = hw_alloc(sizeof *a);
    ctx_ref(ctx);
    a->ctx = ctx;
    a->desc = *desc;
    a->texel_bytes = texel;
    obj_init(&a->obj, OBJ_ARRAY, array_free);
    return a;
}

/* Where texels lie, apart from the address. Returns how many bytes there are. */
static size_t lay_out(struct array *a)
{
    const CUDA_ARRAY3D_DESCRIPTOR *d = &a->desc;
    unsigned side = array_blocks(d->Format) ? BLOCK_SIDE : 1;
    a->place.width = (uint32_t)((d->Width + side - 1) / side);
    a->place.height = (uint32_t)(d->Height ? (d->Height + side - 1) / side : 1);
    a->place.depth = (uint32_t)(d->Depth ? d->Depth : 1);
    a->place.pitch = hw_align_up((size_t)a->place.width * a->texel_bytes, 64);
    a->place.slice = a->place.pitch * a->place.height;
    return a->place.slice * a->place.depth;
}

static CUresult check(const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned *texel)
{
    /* Sparse arrays and those to be mapped later have all their memory from the start. */
    const unsigned known = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER
        | CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING;
    const struct format_row *row = find_format(desc->Format);
    *texel = array_texel_bytes(desc->Format, desc->NumChannels);
    if (row && row->blocks && channels_fit(row, desc->NumChannels) && desc->Height)
        *texel = blocks_bytes(row->blocks);
    if (!row || !*texel || (desc->Flags & ~known) || !extent_fits(desc))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "no array has format %d, %u channels, flags 0x%x and %zu x %zu x %zu elements", (int)desc->Format, desc->NumChannels, desc->Flags, desc->Width, desc->Height, desc->Depth);
    return row->blocks && (desc->Flags & CUDA_ARRAY3D_SURFACE_LDST) ? hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "a compressed array cannot be a surface") : CUDA_SUCCESS;
}

CUresult array_create(struct ctx *ctx, const CUDA_ARRAY3D_DESCRIPTOR *desc, struct array **out)
{
    unsigned texel;
    CUresult rc = check(desc, &texel);
    if (rc)
        return rc;
    struct array *a = array_new(ctx, desc, texel);
    size_t bytes = lay_out(a);
    CUdeviceptr memory = 0;
    if ((rc = mem_alloc_variable(ctx, bytes, 256, false, &memory))) {
        obj_close(&a->obj);
        return rc;
    }
    a->memory = memory;
    a->place.base = (char *)(uintptr_t)memory;
    *out = a;
    return CUDA_SUCCESS;
}

static size_t halved(size_t n, unsigned level)
{
    return n == 0 ? 0 : n >> level ? n >> level : 1;
}

CUresult array_create_chain(struct ctx *ctx, const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned n_levels, struct array **out)
{
    unsigned texel, most = 1;
    CUresult rc = check(desc, &texel);
    if (rc)
        return rc;
    bool flat = desc->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    size_t longest = hw_max_u64(desc->Width, hw_max_u64(desc->Height, flat ? 0 : desc->Depth));
    while (longest >> most)
        most++;
    n_levels = n_levels > most ? most : n_levels ? n_levels : 1;
    struct array *chain = array_new(ctx, desc, texel);
    chain->levels = hw_alloc(n_levels * sizeof *chain->levels);
    for (unsigned l = 0; l < n_levels; l++) {
        CUDA_ARRAY3D_DESCRIPTOR d = *desc;
        d.Width = halved(desc->Width, l);
        d.Height = halved(desc->Height, l);
        d.Depth = flat ? desc->Depth : halved(desc->Depth, l);
        if ((rc = array_create(ctx, &d, &chain->levels[l]))) {
            while (l--)
                obj_close(&chain->levels[l]->obj);
            obj_close(&chain->obj);
            return rc;
        }
        chain->levels[l]->is_level = true;
        chain->n_levels = l + 1;
    }
    *out = chain;
    return CUDA_SUCCESS;
}

static CUresult find(void *handle, bool chain, struct array **out)
{
    struct obj *obj = obj_get(handle, OBJ_ARRAY);
    struct array *a = obj ? hw_container_of(obj, struct array, obj) : NULL;
    if (a && (a->n_levels != 0) != chain) {
        array_unref(a);
        a = NULL;
    }
    *out = a;
    return a ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no array of this kind, or it was destroyed");
}

CUresult array_get(void *handle, bool chain, struct array **out)
{
    CUresult rc = find(handle, chain, out);
    if (rc == CUDA_SUCCESS && (*out)->ctx->dead) {
        array_unref(*out);
        *out = NULL;
        rc = hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the array's context was destroyed");
    }
    return rc;
}

CUresult array_destroy(void *handle, bool chain)
{
    struct array *a;
    CUresult rc = find(handle, chain, &a);
    if (rc)
        return rc;
    bool dead = a->ctx->dead;                    /* the handle goes all the same */
    if (!dead)
        sched_wait_ctx(a->ctx);
    bool closed = a->is_level || obj_close(&a->obj);
    for (unsigned l = 0; closed && l < a->n_levels; l++)
        obj_close(&a->levels[l]->obj);
    array_unref(a);
    return dead ? hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the array's context was destroyed") : closed ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no array, or it was destroyed");
}
