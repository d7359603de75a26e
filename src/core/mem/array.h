/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA arrays and chains of mipmaps: texels in rows, slices and layers, and the textures and surfaces made of them. */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include "core/obj.h"
#include "exec/texture.h"

#include <cuda.h>

struct ctx;

/*
 * An array, or a chain of mipmaps whose levels are arrays.
 * Lifetime  The handle owns one reference. A chain closes its levels. Memory belongs to the context.
 */
struct array {
    struct obj obj;
    struct ctx *ctx;                             /* referenced */
    CUDA_ARRAY3D_DESCRIPTOR desc;                /* const; as asked for */
    unsigned texel_bytes;                        /* of a block, where 4 by 4 texels are compressed together; place counts blocks then */
    CUdeviceptr memory;                          /* 0: a chain */
    struct exec_level place;
    unsigned n_levels;                           /* a chain's, else 0 */
    struct array **levels;
    bool is_level;                               /* of a chain: destroying it by itself does nothing */
};

/* 0: this is no format that textures have. */
unsigned array_texel_bytes(CUarray_format format, unsigned channels);
enum exec_blocks array_blocks(CUarray_format format);            /* EXEC_NO_BLOCKS: not a compressed format */
bool array_srgb(CUarray_format format);                          /* its integers are sRGB, and cannot be read otherwise */
bool array_format(CUarray_format format, enum exec_format *out);
bool array_normalised(CUarray_format format);                    /* integers that always read as floats from 0 or -1 to 1 */
CUresult array_create(struct ctx *ctx, const CUDA_ARRAY3D_DESCRIPTOR *desc, struct array **out);
CUresult array_create_chain(struct ctx *ctx, const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned n_levels, struct array **out);
/* A reference. INVALID_HANDLE: no such array; CONTEXT_IS_DESTROYED: its context went. */
CUresult array_get(void *handle, bool chain, struct array **out);
CUresult array_destroy(void *handle, bool chain);                /* waits for the work of its context */
static inline void array_unref(struct array *a) { obj_unref(a ? &a->obj : NULL); }
/* Layers: slices that are not filtered between. 0: it is not layered. A cube's faces are no layers. */
unsigned array_layers(const struct array *a);

#endif
