/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures and surfaces: the table of them, and what one thread's tex, tld4, txq, suld, sust or sured does. Filtering follows the
 * programming guide: a linear filter looks half a texel around, with weights of 8 bits behind the point.
 */
#include "exec/texture.h"

#include "exec/internal.h"
#include "kabi/texture.h"

#include <math.h>
#include <stdatomic.h>

/* --- the table --- */

enum { PAGE_SLOTS = 256, N_PAGES = 4096 };
struct slot {
    _Atomic uint32_t generation; /* odd while in use */
    struct exec_texture texture;
    struct slot *next_free;
};
static struct slot *_Atomic pages[N_PAGES];
static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct slot *free_slots HW_GUARDED_BY(mu);
static uint32_t n_slots HW_GUARDED_BY(mu);

static struct slot *slot_of(uint64_t handle)
{
    uint32_t index = (uint32_t)handle;
    struct slot *page = index < (uint32_t)N_PAGES * PAGE_SLOTS ? atomic_load_explicit(&pages[index / PAGE_SLOTS], memory_order_acquire) : NULL;
    struct slot *s = page ? &page[index % PAGE_SLOTS] : NULL;
    uint32_t generation = (uint32_t)(handle >> 32);
    return s && (generation & 1) && atomic_load_explicit(&s->generation, memory_order_acquire) == generation ? s : NULL;
}

uint64_t exec_texture_add(const struct exec_texture *t)
{
    hw_lock(&mu);
    if (!free_slots && n_slots < (uint32_t)N_PAGES * PAGE_SLOTS) {
        struct slot *page = hw_alloc(sizeof *page * PAGE_SLOTS);
        for (int i = PAGE_SLOTS - 1; i >= 0; i--) {
            page[i].next_free = free_slots;
            free_slots = &page[i];
        }
        atomic_store_explicit(&pages[n_slots / PAGE_SLOTS], page, memory_order_release);
        n_slots += PAGE_SLOTS;
    }
    struct slot *s = free_slots;
    uint64_t handle = 0;
    if (s) {
        free_slots = s->next_free;
        s->texture = *t;
        uint32_t generation = atomic_load(&s->generation) + 1;
        atomic_store_explicit(&s->generation, generation, memory_order_release);
        uint32_t index = 0;
        for (uint32_t p = 0; p < N_PAGES && pages[p]; p++)
            if (s >= pages[p] && s < pages[p] + PAGE_SLOTS)
                index = p * PAGE_SLOTS + (uint32_t)(s - pages[p]);
        handle = (uint64_t)generation << 32 | index;
    }
    hw_unlock(&mu);
    return handle;
}

bool exec_texture_remove(uint64_t handle)
{
    hw_lock(&mu);
    struct slot *s = slot_of(handle);
    if (s) {
        atomic_fetch_add(&s->generation, 1);
        s->next_free = free_slots;
        free_slots = s;
    }
    hw_unlock(&mu);
    return s != NULL;
}

const struct exec_texture *exec_texture_peek(uint64_t handle)
{
    struct slot *s = slot_of(handle);
    return s ? &s->texture : NULL;
}

/* --- texels --- */

union texel {
    uint32_t u[4];
    float f[4];
};

static float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    union { uint32_t u; float f; } v;
    if (e == 31)
        v.u = sign | 0x7f800000 | m << 13;
    else if (e)
        v.u = sign | (e + 112) << 23 | m << 13;
    else {
        v.f = (float)m * 0x1p-24f;
        v.u |= sign;
    }
    return v.f;
}

static float from_srgb(float c)
{
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

static void read_channel(const struct exec_texture *t, const char *p, unsigned c, union texel *out)
{
    uint16_t h;
    int16_t s;
    int32_t i = 0;
    float max = 1;
    switch ((enum exec_format)t->format) {
    case EXEC_U8: i = ((const uint8_t *)p)[c]; max = 255; break;
    case EXEC_S8: i = ((const int8_t *)p)[c]; max = 127; break;
    case EXEC_U16: memcpy(&h, p + 2 * c, 2); i = h; max = 65535; break;
    case EXEC_S16: memcpy(&s, p + 2 * c, 2); i = s; max = 32767; break;
    case EXEC_F16: memcpy(&h, p + 2 * c, 2); out->f[c] = half_to_float(h); return;
    default: memcpy(&out->u[c], p + 4 * c, 4); return;
    }
    if (!t->as_float) {
        out->u[c] = (uint32_t)i;
        return;
    }
    out->f[c] = fmaxf((float)i / max, -1);
    if (t->srgb && c < 3)
        out->f[c] = from_srgb(out->f[c]);
}

static bool gives_floats(const struct exec_texture *t)
{
    return t->as_float || t->format == EXEC_F16 || t->format == EXEC_F32;
}

static void read_texel(const struct exec_texture *t, const struct exec_level *l, const int64_t at[3], union texel *out)
{
    memset(out, 0, sizeof *out);
    for (unsigned c = 0; c < t->channels; c++) {
        if (at[0] < 0) {                         /* outside, with a border */
            out->f[c] = t->border[c];
            if (!gives_floats(t))
                out->u[c] = (uint32_t)(int32_t)t->border[c];
        } else {
            const char *p = l->base + (size_t)at[2] * l->slice + (size_t)at[1] * l->pitch
                + (size_t)at[0] * t->channels * exec_format_bytes((enum exec_format)t->format);
            read_channel(t, p, c, out);
        }
    }
}

/* An index made to lie inside; -1: outside, and the border's colour is to be taken. */
static int64_t place(int64_t i, int64_t size, enum exec_address mode)
{
    if (i >= 0 && i < size)
        return i;
    switch (mode) {
    case EXEC_WRAP: return (i % size + size) % size;
    case EXEC_MIRROR:
        i = (i % (2 * size) + 2 * size) % (2 * size);
        return i < size ? i : 2 * size - 1 - i;
    case EXEC_BORDER: return -1;
    default: return i < 0 ? 0 : size - 1;
    }
}

/* --- sampling --- */

/* One axis of a sample: the texels on both sides and the weight of the upper one in 256ths. */
struct axis {
    int64_t i[2];
    float weight;
};

static enum exec_address mode_of(const struct exec_texture *t, int axis)
{
    enum exec_address mode = (enum exec_address)t->address[axis];
    /* Wrapping and mirroring are for coordinates from 0 to 1 only. */
    return !t->normalised && (mode == EXEC_WRAP || mode == EXEC_MIRROR) ? EXEC_CLAMP : mode;
}

static double bounded(double x)
{
    return x != x ? 0 : x < -1e9 ? -1e9 : x > 1e9 ? 1e9 : x;
}

static struct axis make_axis(float coordinate, uint32_t size, enum exec_address mode, bool normalised, bool linear)
{
    struct axis a;
    double x = bounded(coordinate);
    if (normalised) {
        if (mode == EXEC_WRAP)
            x -= floor(x);
        x *= size;
    }
    /* A coordinate has 8 bits behind the point when it comes to weights. */
    int64_t fixed = linear ? (int64_t)floor((x - 0.5) * 256 + 0.5) : (int64_t)floor(x) * 256;
    int64_t low = fixed >> 8;
    a.weight = (float)(fixed & 255) / 256;
    a.i[0] = place(low, size, mode);
    a.i[1] = place(low + 1, size, mode);
    return a;
}

/* The texel at the corners picked by the bits of n. */
static void corner(const struct exec_texture *t, const struct exec_level *l, const struct axis *a, unsigned dims, unsigned n, int64_t layer,
                   union texel *out)
{
    int64_t at[3] = { 0, 0, layer };
    bool outside = false;
    for (unsigned d = 0; d < dims; d++) {
        at[d] = a[d].i[n >> d & 1];
        outside |= at[d] < 0;
    }
    if (outside)
        at[0] = -1;
    read_texel(t, l, at, out);
}

static void filter(const struct exec_texture *t, const struct exec_level *l, const struct axis *a, unsigned dims, int64_t layer, union texel *out)
{
    union texel v;
    if (!t->linear_filter || !gives_floats(t)) {
        corner(t, l, a, dims, 0, layer, out);
        return;
    }
    memset(out, 0, sizeof *out);
    for (unsigned n = 0; n < 1u << dims; n++) {
        float w = 1;
        for (unsigned d = 0; d < dims; d++)
            w *= n >> d & 1 ? a[d].weight : 1 - a[d].weight;
        if (w == 0)
            continue;
        corner(t, l, a, dims, n, layer, &v);
        for (unsigned c = 0; c < 4; c++)
            out->f[c] += w * v.f[c];
    }
}

/* A direction to a face of a cube and a place on it, both from 0 to 1. */
static unsigned cube_face(const float d[3], float out[2])
{
    float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]), m, s, v;
    unsigned face;
    if (x >= y && x >= z) {
        face = d[0] < 0;
        m = x;
        s = d[0] < 0 ? d[2] : -d[2];
        v = -d[1];
    } else if (y >= z) {
        face = 2 + (d[1] < 0);
        m = y;
        s = d[0];
        v = d[1] < 0 ? -d[2] : d[2];
    } else {
        face = 4 + (d[2] < 0);
        m = z;
        s = d[2] < 0 ? -d[0] : d[0];
        v = -d[1];
    }
    out[0] = (s / m + 1) / 2;
    out[1] = (v / m + 1) / 2;
    return face;
}

/* What a sample is about, apart from the level. */
struct sample {
    unsigned dims;
    float at[3];
    int64_t layer;
    bool normalised;
};

static struct sample unpack(const struct exec_texture *t, struct tex_op op, const uint32_t *args)
{
    static const uint8_t dims[] = { 1, 2, 3, 1, 2, 3, 3 };
    bool layered = op.geometry == TEX_A1D || op.geometry == TEX_A2D || op.geometry == TEX_ACUBE;
    struct sample s = { .dims = dims[op.geometry], .normalised = t->normalised };
    union texel v;
    memcpy(v.u, args, sizeof v.u);
    for (unsigned d = 0; d < s.dims; d++)
        s.at[d] = op.integer ? (float)(int32_t)v.u[d + layered] : v.f[d + layered];
    if (layered) {
        int64_t last = t->layers ? (int64_t)t->layers - 1 : 0, layer = (int32_t)v.u[0];
        s.layer = layer < 0 ? 0 : layer > last ? last : layer;
    }
    if (op.geometry == TEX_CUBE || op.geometry == TEX_ACUBE) {
        float on[2];
        s.layer = s.layer * 6 + cube_face(s.at, on);
        s.at[0] = on[0];
        s.at[1] = on[1];
        s.dims = 2;
        s.normalised = true;
    }
    return s;
}

static void axes(const struct exec_texture *t, const struct exec_level *l, const struct sample *s, bool linear, struct axis *out)
{
    const uint32_t size[3] = { l->width, l->height, l->depth };
    for (unsigned d = 0; d < s->dims; d++)
        out[d] = make_axis(s->at[d], size[d], t->cube ? EXEC_CLAMP : mode_of(t, (int)d), s->normalised, linear);
}

static void sample_level(const struct exec_texture *t, unsigned level, const struct sample *s, union texel *out)
{
    struct axis a[3];
    axes(t, &t->levels[level], s, t->linear_filter && gives_floats(t), a);
    filter(t, &t->levels[level], a, s->dims, s->layer, out);
}

/* How far apart in texels two neighbouring pixels are, by the larger gradient. */
static float footprint(const struct exec_texture *t, const struct sample *s, const uint32_t *args)
{
    const uint32_t size[3] = { t->levels[0].width, t->levels[0].height, t->levels[0].depth };
    float most = 0;
    for (unsigned g = 0; g < 2; g++) {
        float sum = 0, v[TEX_AXES];
        memcpy(v, args + g * TEX_AXES, sizeof v);
        for (unsigned d = 0; d < s->dims; d++) {
            float along = s->normalised ? v[d] * (float)size[d] : v[d];
            sum += along * along;
        }
        most = fmaxf(most, sum);
    }
    return sqrtf(most);
}

/* An integer coordinate into linear memory: what lies outside reads as zero. */
static bool outside_fetch(const struct exec_texture *t, struct tex_op op, const uint32_t *args)
{
    return op.integer && op.geometry == TEX_1D && args[0] >= t->levels[0].width;
}

static void sample(const struct exec_texture *t, struct tex_op op, const uint32_t *args, union texel *out)
{
    struct sample s = unpack(t, op, args);
    union texel upper, level;
    if (outside_fetch(t, op, args)) {
        memset(out, 0, sizeof *out);
        return;
    }
    level.u[0] = args[TEX_COORDS];
    float lod = op.level ? op.integer ? (float)(int32_t)level.u[0] : level.f[0] : 0;
    if (op.gradients)
        lod = log2f(footprint(t, &s, args + TEX_COORDS));
    lod = fminf(fmaxf(lod + t->bias, t->min_level), t->max_level);
    lod = fminf(fmaxf(lod, 0), (float)(t->n_levels - 1));
    unsigned low = t->mip_linear ? (unsigned)lod : (unsigned)(lod + 0.5f);
    float weight = t->mip_linear ? floorf((lod - (float)low) * 256 + 0.5f) / 256 : 0;
    sample_level(t, low, &s, out);
    if (weight == 0 || low + 1 >= t->n_levels || !gives_floats(t))
        return;
    sample_level(t, low + 1, &s, &upper);
    for (unsigned c = 0; c < 4; c++)
        out->f[c] = (1 - weight) * out->f[c] + weight * upper.f[c];
}

static void gather(const struct exec_texture *t, struct tex_op op, const uint32_t *args, union texel *out)
{
    static const uint8_t corners[4] = { 2, 3, 1, 0 };    /* counter-clockwise from the lower left */
    struct sample s = unpack(t, op, args);
    struct axis a[3];
    union texel v;
    axes(t, &t->levels[0], &s, true, a);
    for (unsigned k = 0; k < 4; k++) {
        corner(t, &t->levels[0], a, 2, corners[k], s.layer, &v);
        out->u[k] = v.u[op.component];
    }
}

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

/* --- surfaces --- */

static int64_t texel_bytes(const struct exec_texture *t)
{
    return (int64_t)t->channels * exec_format_bytes((enum exec_format)t->format);
}

/* The address of an access, NULL when it falls outside and is to be left out. x counts bytes, or texels when the access
   is formatted. */
static char *surface_address(const struct exec_texture *t, struct tex_op op, const uint32_t *args)
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
    return l->base + at[2] * (int64_t)l->slice + at[1] * (int64_t)l->pitch + at[0];
}

static uint16_t half_from_float(float f)
{
    _Float16 h = (_Float16)f;
    uint16_t bits;
    memcpy(&bits, &h, sizeof bits);
    return bits;
}

/* A float in [low, 1] as an integer in [low * max, max]. */
static int32_t from_norm(float f, float low, float max)
{
    f = f != f ? 0 : fminf(fmaxf(f, low), 1);
    return (int32_t)rintf(f * max);
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
    case EXEC_U8: i = norm ? from_norm(in->f[c], 0, 255) : saturated(in->u[c], false, 0, 255); break;
    case EXEC_S8: i = norm ? from_norm(in->f[c], -1, 127) : saturated(in->u[c], true, -128, 127); break;
    case EXEC_U16: i = norm ? from_norm(in->f[c], 0, 65535) : saturated(in->u[c], false, 0, 65535); break;
    case EXEC_S16: i = norm ? from_norm(in->f[c], -1, 32767) : saturated(in->u[c], true, -32768, 32767); break;
    case EXEC_F16: i = half_from_float(in->f[c]); break;
    default: i = (int32_t)in->u[c]; break;
    }
    unsigned bytes = exec_format_bytes((enum exec_format)t->format);
    memcpy(p + c * bytes, &i, bytes);            /* little-endian: the low bytes come first */
}

static void store(const struct exec_texture *t, struct tex_op op, char *p, const uint32_t *values)
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

static void reduce(const struct exec_texture *t, struct tex_op op, char *p, const uint32_t *values)
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

void exec_texture_service(struct kabi_block *block, uint32_t packed, uint64_t handle, const uint32_t *args, uint32_t *results)
{
    struct tex_op op = tex_unpack(packed);
    const struct exec_texture *t = exec_texture_peek(handle);
    union texel out = { { 0 } };
    char *p;
    (void)block;
    if (!t || (op.kind >= TEX_LOAD) != (t->surface && op.kind != TEX_QUERY))
        exec_fault_raise(EXEC_FAULT_ADDRESS, handle, 0);
    switch ((enum tex_kind)op.kind) {
    case TEX_SAMPLE: sample(t, op, args, &out); break;
    case TEX_GATHER: gather(t, op, args, &out); break;
    case TEX_QUERY: out.u[0] = query(t, op); break;
    case TEX_LOAD:
        if ((p = surface_address(t, op, args)))
            memcpy(out.u, p, op.bytes);
        break;
    case TEX_STORE:
        if ((p = surface_address(t, op, args)))
            store(t, op, p, args + TEX_COORDS);
        return;
    case TEX_REDUCE:
        if ((p = surface_address(t, op, args)))
            reduce(t, op, p, args + TEX_COORDS);
        return;
    }
    memcpy(results, out.u, sizeof out.u);
}
