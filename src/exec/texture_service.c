/* SPDX-License-Identifier: Apache-2.0 */
/* The service that generated code calls for every instruction on textures and surfaces. */
#include "exec/internal.h"
#include "exec/sample.h"
#include "exec/surface.h"
#include "kabi/texture.h"

static uint32_t query(const struct exec_texture *t, struct tex_op op)
{
    switch ((enum tex_query)op.query) {
    case TEX_WIDTH: return t->levels[0].width;
    case TEX_HEIGHT: return t->levels[0].height;
    case TEX_DEPTH: return t->levels[0].depth;
    case TEX_LAYERS: return t->layers;
    case TEX_LEVELS: return t->n_levels;
    case TEX_NORMALISED: return t->normalised;
    case TEX_SAMPLES: return 1;
    }
    return 0;
}

void exec_texture_service(struct kabi_block *block, uint32_t packed, uint64_t handle, const uint32_t *args, uint32_t *results)
{
    struct tex_op op = tex_unpack(packed);
    const struct exec_texture *t = exec_texture_peek(handle);
    union texel out = { { 0 } };
    char *p;
    (void)block;
    if (handle == 0) {                           /* none, or an empty reference: it reads as zeroes, and writes go nowhere */
        if (op.kind <= TEX_LOAD)
            memset(results, 0, sizeof out.u);
        return;
    }
    if (!t || (op.kind >= TEX_LOAD) != (t->surface && op.kind != TEX_QUERY))
        exec_fault_raise(EXEC_FAULT_ADDRESS, handle, 0);
    switch ((enum tex_kind)op.kind) {
    case TEX_SAMPLE: exec_sample(t, op, args, (union texel *)(void *)results); return;
    case TEX_GATHER: exec_gather(t, op, args, &out); break;
    case TEX_QUERY: out.u[0] = query(t, op); break;
    case TEX_LOAD:
        if ((p = surface_address(t, op, args)))
            memcpy(out.u, p, op.bytes);
        break;
    case TEX_STORE:
        if ((p = surface_address(t, op, args)))
            surface_store(t, op, p, args + TEX_COORDS);
        return;
    case TEX_REDUCE:
        if ((p = surface_address(t, op, args)))
            surface_reduce(t, op, p, args + TEX_COORDS);
        return;
    }
    memcpy(results, out.u, sizeof out.u);
}
