/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces: what one thread's suld, sust or sured does. */
#include "exec/surface.h"

#include <stdatomic.h>

static int64_t texel_bytes(const struct exec_texture *t)
{
    return (int64_t)t->channels * exec_format_bytes((enum exec_format)t->format);
}

char *surface_address(const struct exec_texture *t, struct tex_op op, const uint32_t *args)
{
    static const uint8_t dims[] = { 1, 2, 3, 1, 2, 2, 2 };
    const struct exec_level *l = &t->levels[0];
    bool layered = op.geometry == TEX_A1D || op.geometry == TEX_A2D;
    int64_t texel = texel_bytes(t), bytes = op.formatted ? texel : (int64_t)op.bytes;
    int64_t size[3] = { (int64_t)l->width * texel, l->height, l->depth }, at[3] = { 0, 0, 0 };
    for (unsigned d = 0; d < dims[op.geometry]; d++)
        at[d] = (int32_t)args[d + layered];
    at[0] *= op.formatted ? texel : 1;
    if (layered) {
        at[2] = (int32_t)args[0];
        size[2] = l->depth;                      /* faces of cubes are layers here */
    }
    for (unsigned d = 0; d < 3; d++) {
        int64_t room = d == 0 ? size[0] - bytes : size[d] - 1;
        if (at[d] >= 0 && at[d] <= room)
            continue;
        if (op.boundary == TEX_TRAP)
            exec_fault_raise(EXEC_FAULT_ADDRESS, 0, 0);
        if (op.boundary == TEX_ZERO || room < 0)
            return NULL;
        at[d] = at[d] < 0 ? 0 : room;
    }
    if (at[0] % bytes)
        exec_fault_raise(EXEC_FAULT_MISALIGNED, 0, 0);
    return l->base + at[2] * (int64_t)l->slice + at[1] * (int64_t)l->pitch + at[0];
}

/* What does not fit into a half is cut off, and what is too large becomes the largest one. */
static uint16_t half_from_float(float f)
{
    uint32_t u = float_bits(f), sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return 0x7fff;
    if (magnitude >= (127 + 16) << 23)
        return (uint16_t)(sign | (magnitude == 0x7f800000 ? 0x7c00 : 0x7bff));
    if (magnitude >= (127 - 14) << 23)
        return (uint16_t)(sign | (magnitude - ((127 - 15) << 23)) >> 13);
    return (uint16_t)(sign | (uint32_t)(bits_float(magnitude) * 0x1p24f));
}

static int32_t saturated(uint32_t v, bool is_signed, int64_t low, int64_t high)
{
    int64_t i = is_signed ? (int64_t)(int32_t)v : (int64_t)v;
    return (int32_t)(i < low ? low : i > high ? high : i);
}

/* One channel of a formatted store. */
static void write_channel(const struct exec_texture *t, char *p, unsigned c, const union texel *in)
{
    int32_t i = 0;
    bool norm = t->as_float;
    switch ((enum exec_format)t->format) {
    case EXEC_U8: i = norm ? texel_from_norm(in->f[c], 0, 8) : saturated(in->u[c], false, 0, 255); break;
    case EXEC_S8: i = norm ? texel_from_norm(in->f[c], -1, 7) : saturated(in->u[c], true, -128, 127); break;
    case EXEC_U16: i = norm ? texel_from_norm(in->f[c], 0, 16) : saturated(in->u[c], false, 0, 65535); break;
    case EXEC_S16: i = norm ? texel_from_norm(in->f[c], -1, 15) : saturated(in->u[c], true, -32768, 32767); break;
    case EXEC_F16: i = half_from_float(in->f[c]); break;
    default: i = (int32_t)in->u[c]; break;
    }
    unsigned bytes = exec_format_bytes((enum exec_format)t->format);
    memcpy(p + c * bytes, &i, bytes);            /* little-endian: the low bytes come first */
}

void surface_store(const struct exec_texture *t, struct tex_op op, char *p, const uint32_t *values)
{
    union texel in = { { 0 } };
    if (!op.formatted) {
        memcpy(p, values, op.bytes);
        return;
    }
    memcpy(in.u, values, op.bytes);
    for (unsigned c = 0; c < t->channels; c++)
        write_channel(t, p, c, &in);
}

static uint64_t reduced(struct tex_op op, uint64_t a, uint64_t b)
{
    bool less = op.is_signed ? op.bytes == 8 ? (int64_t)a < (int64_t)b : (int32_t)a < (int32_t)b : a < b;
    switch ((enum tex_reduction)op.reduction) {
    case TEX_ADD: return a + b;
    case TEX_MIN: return less ? a : b;
    case TEX_MAX: return less ? b : a;
    case TEX_AND: return a & b;
    case TEX_OR: return a | b;
    }
    return a;
}

void surface_reduce(const struct exec_texture *t, struct tex_op op, char *p, const uint32_t *values)
{
    if ((uintptr_t)p % op.bytes)
        exec_fault_raise(EXEC_FAULT_MISALIGNED, (uint64_t)(uintptr_t)p, 0);
    if (op.formatted)
        op.is_signed = t->format == EXEC_S32;
    if (op.bytes == 8) {
        _Atomic uint64_t *at = (_Atomic uint64_t *)(void *)p;
        uint64_t old = atomic_load(at), v = values[0] | (uint64_t)values[1] << 32;
        while (!atomic_compare_exchange_weak(at, &old, reduced(op, old, v)))
            ;
    } else {
        _Atomic uint32_t *at = (_Atomic uint32_t *)(void *)p;
        uint32_t old = atomic_load(at);
        while (!atomic_compare_exchange_weak(at, &old, (uint32_t)reduced(op, old, values[0])))
            ;
    }
}
