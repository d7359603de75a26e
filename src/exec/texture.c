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
        struct slot *page = hw_try_alloc(sizeof *page * PAGE_SLOTS);
        for (int i = PAGE_SLOTS - 1; page && i >= 0; i--) {
            page[i].next_free = free_slots;
            free_slots = &page[i];
        }
        atomic_store_explicit(&pages[n_slots / PAGE_SLOTS], page, memory_order_release);
        n_slots += page ? PAGE_SLOTS : 0;
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

static const uint16_t srgb_high[256] = {
#include "exec/srgb.def"
};

static float bits_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31)
        return bits_float(sign | 0x7f800000 | m << 13);
    if (e)
        return bits_float(sign | (e + 112) << 23 | m << 13);
    return bits_float(float_bits((float)m * 0x1p-24f) | sign);
}

static bool gives_floats(const struct exec_texture *t)
{
    return t->as_float || t->format == EXEC_F16 || t->format == EXEC_F32;
}

/* The largest integer of a format: what reads as 1. */
static int32_t format_max(const struct exec_texture *t)
{
    return t->format == EXEC_U8 ? 255 : t->format == EXEC_S8 ? 127 : t->format == EXEC_U16 ? 65535 : 32767;
}

static bool is_srgb(const struct exec_texture *t, unsigned c)
{
    return t->srgb && t->as_float && t->format == EXEC_U8 && c < 3;
}

static float from_srgb(uint32_t byte)
{
    return bits_float((uint32_t)srgb_high[byte & 255] << 16);
}

/* A channel as it lies in memory: the integer, or the float's bits. */
static uint32_t raw_channel(const struct exec_texture *t, const char *p, unsigned c)
{
    uint16_t h;
    int16_t s;
    uint32_t u;
    switch ((enum exec_format)t->format) {
    case EXEC_U8: return ((const uint8_t *)p)[c];
    case EXEC_S8: return (uint32_t)((const int8_t *)p)[c];
    case EXEC_U16: memcpy(&h, p + 2 * c, 2); return h;
    case EXEC_S16: memcpy(&s, p + 2 * c, 2); return (uint32_t)s;
    case EXEC_F16: memcpy(&h, p + 2 * c, 2); return float_bits(half_to_float(h));
    default: memcpy(&u, p + 4 * c, 4); return u;
    }
}

/* A float in [low, 1] as an integer of so many bits and a sign, as an H200 makes it: four bits more are kept, what is more is cut off, and
   of these 16ths nine go up. */
static int32_t from_norm(float f, float low, unsigned bits)
{
    f = f != f ? 0 : fminf(fmaxf(f, low), 1);
    int32_t y = (int32_t)(fabsf(f) * (float)(1 << (bits + 4))), n = (y - (y >> bits) + 7) >> 4;
    return f < 0 ? -n : n;
}

static float to_srgb(float f)
{
    return f <= 0.0031308f ? f * 12.92f : 1.055f * powf(f, 1 / 2.4f) - 0.055f;
}

/* The border's colour takes the texels' format: what would not fit is cut off as the hardware does it. */
static uint32_t raw_border(const struct exec_texture *t, unsigned c)
{
    float b = t->border[c];
    uint32_t u = float_bits(b);
    if (t->format == EXEC_F16)
        return u & ~(uint32_t)0x1fff;            /* half has 10 bits of mantissa */
    if (t->format == EXEC_F32 || exec_format_bytes((enum exec_format)t->format) == 4)
        return u;
    if (!t->as_float)
        return t->format == EXEC_U8 ? (uint8_t)u : t->format == EXEC_U16 ? (uint16_t)u
            : t->format == EXEC_S8 ? (uint32_t)(int8_t)u : (uint32_t)(int16_t)u;
    bool is_signed = t->format == EXEC_S8 || t->format == EXEC_S16;
    if (is_srgb(t, c))
        b = to_srgb(b);
    return (uint32_t)from_norm(b, is_signed ? -1 : 0, 8 * exec_format_bytes((enum exec_format)t->format) - is_signed);
}

/* Memory of the program's may be smaller than it said. Within the window there is nothing but kernels' memory; outside there is everything. */
static void check_address(const char *p, size_t bytes)
{
    exec_must_read(NULL, (uint64_t)(uintptr_t)p, bytes);
}

/* NULL: outside, where the border's colour is. Of compressed texels, the block. */
static const char *texel_address(const struct exec_texture *t, const struct exec_level *l, const int64_t at[3])
{
    if (at[0] < 0)
        return NULL;
    if (t->blocks)
        return l->base + (size_t)at[2] * l->slice + (size_t)at[1] / BLOCK_SIDE * l->pitch
            + (size_t)at[0] / BLOCK_SIDE * blocks_bytes((enum exec_blocks)t->blocks);
    unsigned bytes = t->channels * exec_format_bytes((enum exec_format)t->format);
    const char *p = l->base + (size_t)at[2] * l->slice + (size_t)at[1] * l->pitch + (size_t)at[0] * bytes;
    if (hw_unlikely(t->leaves_window))
        check_address(p, bytes);
    return p;
}

static uint32_t raw_or_border(const struct exec_texture *t, const char *p, unsigned c)
{
    return p ? raw_channel(t, p, c) : raw_border(t, c);
}

/* The channels of a texel as they lie in memory, or as they come out of a block. */
static void raw_texel(const struct exec_texture *t, const struct exec_level *l, const int64_t at[3], uint32_t out[4])
{
    const char *p = texel_address(t, l, at);
    if (p && t->blocks)
        blocks_texel((enum exec_blocks)t->blocks, p, at[0] % BLOCK_SIDE, at[1] % BLOCK_SIDE, out);
    for (unsigned c = 0; c < t->channels; c++) {
        if (!p || !t->blocks)
            out[c] = raw_or_border(t, p, c);
        else if (t->format == EXEC_F16)
            out[c] = float_bits(half_to_float((uint16_t)out[c]));
    }
}

/* What the channels are that a format does not have. */
static void fill_up(const struct exec_texture *t, union texel *out)
{
    memset(out, 0, sizeof *out);
    if (t->blocks)
        out->f[3] = 1;
}

/* What a fetch without a filter gives for a channel. */
static uint32_t unfiltered(const struct exec_texture *t, uint32_t raw, unsigned c)
{
    if (!t->as_float)
        return raw;
    if (is_srgb(t, c))
        return float_bits(from_srgb(raw));
    return float_bits(fmaxf((float)(int32_t)raw / (float)format_max(t), -1));
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

/* --- filtering --- */

/* One axis of a sample: the texels on both sides and the weight of the upper one in 256ths. */
struct axis {
    int64_t i[2];
    unsigned weight;
};

/* What is filtered: texels of one or two levels with weights that sum up to 256. plane: those of one slice of one level follow each other. */
struct tap {
    const struct exec_level *level;
    int64_t at[3];
    unsigned weight, plane;
};
enum { MAX_TAPS = 32 };
struct taps {
    unsigned n, plane;           /* plane: which one texels are added to */
    bool seamless;               /* indices may lie beyond the edges of a face: the next face is there */
    struct tap v[MAX_TAPS];      /* the first n have contents: clearing all would take longer than most samples */
};

static enum exec_address mode_of(const struct exec_texture *t, int axis)
{
    enum exec_address mode = (enum exec_address)t->address[axis];
    /* Wrapping and mirroring are for coordinates from 0 to 1 only. */
    return !t->normalised && (mode == EXEC_WRAP || mode == EXEC_MIRROR) ? EXEC_CLAMP : mode;
}

/* floor() of what fits, without a call. */
static int64_t floor_int(double x)
{
    int64_t i = (int64_t)x;
    return i - (x < (double)i);
}

/* Coordinates that are no number, or too small for one, count as 0. */
static double bounded(double x)
{
    return x != x || (x < 0x1p-126 && x > -0x1p-126) ? 0 : x < -1e9 ? -1e9 : x > 1e9 ? 1e9 : x;
}

/* A coordinate in texels. */
static double in_texels(float coordinate, uint32_t size, enum exec_address mode, bool normalised)
{
    double x = bounded(coordinate);
    if (normalised) {
        if (mode == EXEC_WRAP)
            x -= (double)floor_int(x);
        x *= size;
    }
    return x;
}

/* inside: a linear filter with clamping never looks beyond the outermost texels; a gather does, and finds them again. */
static struct axis make_axis(float coordinate, uint32_t size, enum exec_address mode, bool normalised, bool linear, bool inside)
{
    struct axis a;
    double x = in_texels(coordinate, size, mode, normalised);
    if (linear && inside && mode == EXEC_CLAMP)  /* to the middle of the outermost texels */
        x = x < 0.5 ? 0.5 : x > size - 0.5 ? size - 0.5 : x;
    /* A coordinate has 8 bits behind the point when it comes to weights. */
    int64_t fixed = linear ? floor_int((x - 0.5) * 256 + 0.5) : floor_int(x) * 256;
    int64_t low = fixed >> 8;
    a.weight = fixed & 255;
    a.i[0] = place(low, size, mode);
    a.i[1] = place(low + 1, size, mode);
    return a;
}

/* A direction to a face of a cube and a place on it, both from 0 to 1. */
static unsigned cube_face(const float d[3], float out[2])
{
    float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]), m, s, v;
    unsigned face;
    if (!(z < x) && !(z < y)) {                  /* of equals, z goes before y, and y before x */
        face = 4 + (d[2] < 0);
        m = z;
        s = d[2] < 0 ? -d[0] : d[0];
        v = -d[1];
    } else if (!(y < x)) {
        face = 2 + (d[1] < 0);
        m = y;
        s = d[0];
        v = d[1] < 0 ? -d[2] : d[2];
    } else {
        face = d[0] < 0;
        m = x;
        s = d[0] < 0 ? d[2] : -d[2];
        v = -d[1];
    }
    s /= m;
    v /= m;
    out[0] = ((s != s ? 0 : s) + 1) / 2;
    out[1] = ((v != v ? 0 : v) + 1) / 2;
    return face;
}

/* A texel beyond the edge of a cube's face lies on the face next to it: where the line to its middle meets that one. */
static void cross_edge(struct tap *tap)
{
    /* What s, v and the face's own axis are: see cube_face(). */
    static const int8_t axis_s[6] = { 2, 2, 0, 0, 0, 0 }, sign_s[6] = { -1, 1, 1, 1, 1, -1 };
    static const int8_t axis_v[6] = { 1, 1, 2, 2, 1, 1 }, sign_v[6] = { -1, -1, 1, -1, -1, -1 };
    int64_t size = tap->level->width, face = tap->at[2] % 6;
    float direction[3] = { 0, 0, 0 }, on[2];
    if (tap->at[0] >= 0 && tap->at[0] < size && tap->at[1] >= 0 && tap->at[1] < size)
        return;
    direction[face / 2] = face & 1 ? -1 : 1;
    direction[axis_s[face]] = sign_s[face] * ((float)(2 * tap->at[0] + 1) / (float)size - 1);
    direction[axis_v[face]] = sign_v[face] * ((float)(2 * tap->at[1] + 1) / (float)size - 1);
    tap->at[2] += (int64_t)cube_face(direction, on) - face;
    for (unsigned d = 0; d < 2; d++) {
        tap->at[d] = (int64_t)(on[d] * (float)size);
        tap->at[d] = tap->at[d] >= size ? size - 1 : tap->at[d];
    }
}

static int64_t inside_face(int64_t i, int64_t size)
{
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

/* Beyond a corner there is no texel: its weight goes to the three around the corner, the odd part of it to the face's own. */
static void cross_edges(struct taps *taps, struct tap *tap)
{
    int64_t size = tap->level->width, x = inside_face(tap->at[0], size), y = inside_face(tap->at[1], size);
    unsigned third = (tap->weight * 85 + 128) >> 8;
    if (x != tap->at[0] && y != tap->at[1]) {
        struct tap *other = &taps->v[taps->n];
        other[0] = other[1] = *tap;
        other[0].weight = other[1].weight = third;
        other[0].at[0] = x;
        other[1].at[1] = y;
        cross_edge(&other[0]);
        cross_edge(&other[1]);
        taps->n += 2;
        tap->weight -= 2 * third;
        tap->at[0] = x;
        tap->at[1] = y;
    }
    cross_edge(tap);
}

static void add_tap(struct taps *taps, const struct exec_level *l, const struct axis *a, unsigned dims, unsigned n, int64_t layer,
                    unsigned weight)
{
    struct tap *tap = &taps->v[taps->n];
    bool outside = false;
    if (weight == 0)
        return;
    *tap = (struct tap){ .level = l, .at = { 0, 0, layer }, .weight = weight, .plane = taps->plane };
    for (unsigned d = 0; d < dims; d++) {
        tap->at[d] = a[d].i[n >> d & 1];
        outside |= tap->at[d] < 0;
    }
    taps->n++;
    if (taps->seamless)
        cross_edges(taps, tap);
    else if (outside)
        tap->at[0] = -1;
}

/* divide() for the commonest case, two dimensions without edges to cross. */
static void divide_plane(struct taps *taps, const struct exec_level *l, const struct axis *a, int64_t layer, unsigned share)
{
    unsigned right = (share * a[0].weight + 128) >> 8;
    for (unsigned i = 0; i < 2; i++) {
        unsigned both = i ? right : share - right, upper = (both * a[1].weight + 127 + i) >> 8;
        for (unsigned j = 0; j < 2; j++) {
            unsigned weight = j ? upper : both - upper;
            bool outside = a[0].i[i] < 0 || a[1].i[j] < 0;
            if (weight)
                taps->v[taps->n++] = (struct tap){ .level = l, .at = { outside ? -1 : a[0].i[i], a[1].i[j], layer }, .weight = weight,
                                                   .plane = taps->plane };
        }
    }
}

/*
 * Divides a level's share of the weight between its texels: first along z, then x, then y, each part rounded to 256ths. Halves
 * go to the upper part along x, and along y to the upper part of the right column and the lower part of the left one; along z
 * to the lower part.
 */
static void divide(struct taps *taps, const struct exec_level *l, const struct axis *a, unsigned dims, int64_t layer, unsigned share)
{
    unsigned z[2] = { share, 0 };
    if (dims == 2 && !taps->seamless) {
        divide_plane(taps, l, a, layer, share);
        taps->plane++;
        return;
    }
    if (dims > 2) {
        z[1] = (share * a[2].weight + 127) >> 8;
        z[0] -= z[1];
    }
    for (unsigned k = 0; k < 2; k++, taps->plane++) {
        unsigned x[2] = { z[k], (z[k] * a[0].weight + 128) >> 8 };
        x[0] -= x[1];
        for (unsigned i = 0; i < 2; i++) {
            unsigned y = dims > 1 ? (x[i] * a[1].weight + 127 + i) >> 8 : 0;
            add_tap(taps, l, a, dims, i | k << 2, layer, x[i] - y);
            add_tap(taps, l, a, dims, i | 2 | k << 2, layer, y);
        }
    }
}

/* To the nearest float, halves away from 0; what is too small for a normal one is 0. */
static uint32_t round_float(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    uint32_t sign = (uint32_t)(u >> 32) & 0x80000000;
    u = (u & ~((uint64_t)1 << 63)) + ((uint64_t)1 << 28);
    if (d != d)
        return 0x7fffffff;
    if (u < (uint64_t)(1023 - 126) << 52)
        return d == 0 ? sign : 0;
    if (u >= (uint64_t)(1023 + 128) << 52)
        return sign | 0x7f800000;
    return sign | (uint32_t)((u >> 29) - ((uint64_t)(1023 - 127) << 23));
}

/* To the nearest half, halves away from 0, as a float. */
static uint32_t round_half(double d)
{
    int e;
    frexp(d, &e);
    double unit = ldexp(1, (e < -13 ? -13 : e) - 11), n = floor(fabs(d) / unit + 0.5) * unit;
    return float_bits((float)(d < 0 ? -n : n));
}

static double flushed(uint32_t bits)
{
    float f = bits_float(bits);
    return f > -0x1p-126f && f < 0x1p-126f && f != 0 ? 0 : f;
}

static uint32_t filter_float(const uint32_t *raw, const struct taps *taps)
{
    double sum = -0.0;
    for (unsigned k = 0; k < taps->n; k++)
        sum += flushed(raw[k]) * taps->v[k].weight;
    return round_float(sum / 256);
}

/* A sum of texels from first to last, each cut off to whole units of its plane's. */
static double sum_of_units(const float *texels, const struct taps *taps, unsigned first, unsigned last, double unit)
{
    double sum = 0;
    for (unsigned k = first; k < last; k++)
        sum += trunc(texels[k] / unit) * unit * taps->v[k].weight;
    return sum;
}

static unsigned end_of_plane(const struct taps *taps, unsigned k)
{
    unsigned plane = taps->v[k].plane;
    while (k < taps->n && taps->v[k].plane == plane)
        k++;
    return k;
}

static int exponent(float f)
{
    int e;
    frexpf(f, &e);
    return e;
}

/* Halves are aligned with the largest one of their plane and keep 15 bits before they are weighted. */
static uint32_t filter_half(const uint32_t *raw, const struct taps *taps)
{
    float texels[MAX_TAPS];
    double sum = 0;
    memcpy(texels, raw, taps->n * sizeof *texels);
    for (unsigned first = 0, last; first < taps->n; first = last) {
        float most = 0;
        last = end_of_plane(taps, first);
        for (unsigned k = first; k < last; k++)
            most = fmaxf(most, fabsf(texels[k]));
        if (!(most < INFINITY))
            return filter_float(raw, taps);
        sum += sum_of_units(texels, taps, first, last, ldexp(1, exponent(most) - 15));
    }
    return round_half(sum / 256);
}

/* sRGB keeps 8 bits, and eight values that follow each other are aligned as the largest of them. */
static uint32_t filter_srgb(const uint32_t *raw, const struct taps *taps)
{
    float texels[MAX_TAPS];
    double sum = 0;
    for (unsigned first = 0, last; first < taps->n; first = last) {
        uint32_t most = 0;
        last = end_of_plane(taps, first);
        for (unsigned k = first; k < last; k++) {
            texels[k] = from_srgb(raw[k]);
            most = raw[k] > most ? raw[k] : most;
        }
        sum += sum_of_units(texels, taps, first, last, ldexp(1, exponent(from_srgb(most | 7)) - 8));
    }
    return round_half(sum / 256);
}

/*
 * Integers between 0 or -1 and 1 are filtered with 16 bits, halves go up. Bytes are made wider after they were summed up: unsigned ones
 * exactly, of signed ones an H200 takes a 128th of the sum with three of its bits once more (tests/oracle/probes/texture_lod.cu).
 */
static uint32_t filter_norm(const struct exec_texture *t, const uint32_t *raw, const struct taps *taps)
{
    int64_t sum = 0;
    for (unsigned k = 0; k < taps->n; k++)
        sum += (int64_t)(int32_t)raw[k] * taps->v[k].weight;
    switch ((enum exec_format)t->format) {
    case EXEC_U8: return float_bits((float)((sum * 257 + 128) >> 8) / 65535);
    case EXEC_S8: sum += (sum + (sum >> 12) * 16 + 64) >> 7; break;
    case EXEC_U16: return float_bits((float)((sum + 128) >> 8) / 65535);
    default: sum = (sum + 128) >> 8; break;
    }
    return float_bits((float)(sum < -32767 ? -32767 : sum) / 32767);
}

static uint32_t filtered(const struct exec_texture *t, unsigned c, const uint32_t *raw, const struct taps *taps)
{
    if (t->format == EXEC_F32)
        return filter_float(raw, taps);
    if (is_srgb(t, c))
        return filter_srgb(raw, taps);
    return t->format == EXEC_F16 ? filter_half(raw, taps) : filter_norm(t, raw, taps);
}

static void weigh(const struct exec_texture *t, const struct taps *taps, union texel *out)
{
    uint32_t texels[MAX_TAPS][4], raw[MAX_TAPS];
    const char *p[MAX_TAPS];
    bool single = taps->n == 1 && !t->linear_filter;
    fill_up(t, out);
    for (unsigned k = 0; k < taps->n; k++) {
        p[k] = texel_address(t, taps->v[k].level, taps->v[k].at);
        if (t->blocks)                           /* whole texels at once; else channels, as they are needed */
            raw_texel(t, taps->v[k].level, taps->v[k].at, texels[k]);
    }
    for (unsigned c = 0; c < t->channels; c++) {
        for (unsigned k = 0; k < taps->n; k++) {
            raw[k] = t->blocks ? texels[k][c] : raw_or_border(t, p[k], c);
            if (single)
                raw[k] = unfiltered(t, raw[k], c);
        }
        out->u[c] = single ? raw[0] : filtered(t, c, raw, taps);
    }
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
    for (unsigned d = 0; d < s.dims; d++)        /* word by word, as they were written: a wider load would have to wait for the stores */
        s.at[d] = op.integer ? (float)(int32_t)args[d + layered] : bits_float(args[d + layered]);
    if (layered) {
        uint32_t last = t->layers ? t->layers - 1 : 0;
        s.layer = args[0] > last ? last : args[0]; /* a negative one is a large one */
    }
    if (s.dims == 1 && !op.integer)
        s.dims = 2;                              /* one row, and y is 0: a border shows above it */
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

static void axes(const struct exec_texture *t, const struct exec_level *l, const struct sample *s, bool linear, bool inside, struct axis *out)
{
    const uint32_t size[3] = { l->width, l->height, l->depth };
    for (unsigned d = 0; d < s->dims; d++)
        out[d] = make_axis(s->at[d], size[d], mode_of(t, (int)d), s->normalised, linear, inside);
}

static bool filters(const struct exec_texture *t)
{
    return t->linear_filter && gives_floats(t);
}

static bool crosses_edges(const struct exec_texture *t)
{
    return t->cube && t->seamless && t->linear_filter;
}

static void sample_level(const struct exec_texture *t, unsigned level, const struct sample *s, unsigned share, struct taps *taps)
{
    const struct exec_level *l = &t->levels[level];
    bool linear = filters(t);
    struct axis a[3] = { { { 0, 0 }, 0 } };
    axes(t, l, s, linear, true, a);
    for (unsigned d = 0; d < 2 && linear && crosses_edges(t); d++) {
        int64_t fixed = (int64_t)floor(((double)s->at[d] * l->width - 0.5) * 256 + 0.5);
        a[d] = (struct axis){ { fixed >> 8, (fixed >> 8) + 1 }, fixed & 255 };
        taps->seamless = true;
    }
    if (linear)
        divide(taps, l, a, s->dims, s->layer, share);
    else
        add_tap(taps, l, a, s->dims, 0, s->layer, share);
}

/*
 * The level of detail that gradients ask for, as an H200 estimates it (tests/oracle/probes/lod_steps.cu), in 256ths: that of the longest of
 * both gradients, and of their sum and difference with 11/16 for the root of a half. A length is the longest component and 11/32 of the
 * next and a quarter of the third. Numbers have 10 bits.
 */
static double cut(double v)
{
    int e;
    double n = trunc(ldexp(frexp(v, &e), 10));
    return ldexp(n, e - 10);
}

/* A factor from 1 to 2 and a power of two. What the factor adds below v's last bit is rounded, halves go up. */
static double product(double v, double factor, int power)
{
    int e;
    double n = ldexp(frexp(v, &e), 10);
    return cut(ldexp(floor(n * factor + 0.5), e - 10 + power));
}

static double sum_of(double a, double b)
{
    int e;
    frexp(fmax(fabs(a), fabs(b)), &e);
    double unit = ldexp(1, e - 11);
    return cut(trunc(a / unit) * unit + trunc(b / unit) * unit);
}

static void sort_lengths(double v[3])
{
    for (unsigned i = 0; i < 3; i++) {
        v[i] = fabs(v[i]);
        for (unsigned k = i; k > 0 && v[k - 1] < v[k]; k--) {
            double t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
    }
}

static double gradient_length(const double g[3])
{
    double v[3] = { g[0], g[1], g[2] };
    sort_lengths(v);
    return v[0] + product(v[1], 11.0 / 8, -2) + v[2] / 4;
}

static double diagonal_length(const double a[3], const double b[3], int sign)
{
    double v[3] = { sum_of(a[0], sign * b[0]), sum_of(a[1], sign * b[1]), sum_of(a[2], sign * b[2]) };
    sort_lengths(v);
    return product(v[0], 11.0 / 8, -1) + product(v[1], 121.0 / 64, -3) + product(v[2], 11.0 / 8, -3);
}

static int64_t log2_256ths(double x)
{
    int e, i = (int)(512 * frexp(x, &e)) - 256;
    return 256 * (int64_t)(e - 1) + (i ? (int64_t)fmin(floor(256 * log2(1 + (i + 0.5) / 256) + 0.47), 255) : 0);
}

/* In texels. In three dimensions gradients are differences of coordinates, and lose what those cannot tell. */
static double gradient_texels(float v, const struct sample *s, unsigned axis, uint32_t size)
{
    int e, scale;
    if (s->dims == 3) {
        float moved = s->at[axis] + v;
        v = moved - s->at[axis];
    }
    double n = trunc(ldexp(frexp(v != v ? 0 : fmin(fabs((double)v), 1e30), &e), 10)), factor = 2 * frexp(s->normalised ? size : 1, &scale);
    return copysign(cut(ldexp(floor(n * factor + 7.0 / 8), e - 10 + scale - 1)), v);
}

/* Far below 0 where there is no gradient. */
static int64_t gradient_level(const struct exec_texture *t, const struct sample *s, const uint32_t *args)
{
    const uint32_t size[3] = { t->levels[0].width, t->levels[0].height, t->levels[0].depth };
    double g[2][3] = { { 0 } };
    for (unsigned i = 0; i < 2; i++) {
        float v[TEX_AXES];
        memcpy(v, args + i * TEX_AXES, sizeof v);
        for (unsigned d = 0; d < s->dims; d++)
            g[i][d] = gradient_texels(v[d], s, d, size[d]);
    }
    double length = fmax(gradient_length(g[0]), gradient_length(g[1]));
    length = fmax(length, fmax(diagonal_length(g[0], g[1], 1), diagonal_length(g[0], g[1], -1)));
    return length > 0 ? log2_256ths(length) : -64 * 256;
}

/* An integer coordinate into linear memory: what lies outside reads as zero. */
static bool outside_fetch(const struct exec_texture *t, struct tex_op op, const uint32_t *args)
{
    return op.integer && op.geometry == TEX_1D && args[0] >= t->levels[0].width;
}

/* Levels of detail have 8 bits behind the point, and more is cut off. */
static int64_t fixed_level(float lod)
{
    return lod != lod ? 0 : (int64_t)floor(fmin(fmax((double)lod, -64), 64) * 256);
}

static int64_t level_of(const struct exec_texture *t, const struct sample *s, struct tex_op op, const uint32_t *args)
{
    float given = bits_float(args[TEX_COORDS]), lod = op.integer ? (float)(int32_t)args[TEX_COORDS] : given;
    int64_t low = fixed_level(t->min_level), high = fixed_level(t->max_level), last = 256 * ((int64_t)t->n_levels - 1), fixed = 0;
    if (op.level || op.gradients)                /* without any, the bias does not count either */
        fixed = (op.gradients ? gradient_level(t, s, args + TEX_COORDS) : fixed_level(lod)) + (t->bias < 0 ? -fixed_level(-t->bias) : fixed_level(t->bias));
    fixed = fixed > high ? high : fixed;
    fixed = fixed < low ? low : fixed;
    return fixed < 0 ? 0 : fixed > last ? last : fixed;
}

static void read_texel(const struct exec_texture *t, const int64_t at[3], union texel *out)
{
    uint32_t raw[4];
    raw_texel(t, &t->levels[0], at, raw);
    fill_up(t, out);
    for (unsigned c = 0; c < t->channels; c++)
        out->u[c] = unfiltered(t, raw[c], c);
}

/* One texel of a texture with one level: what sample_level() and weigh() come to, without their arrays. */
static void sample_nearest(const struct exec_texture *t, const struct sample *s, union texel *out)
{
    const uint32_t size[3] = { t->levels[0].width, t->levels[0].height, t->levels[0].depth };
    int64_t at[3] = { 0, 0, s->layer };
    bool outside = false;
    for (unsigned d = 0; d < s->dims; d++) {
        enum exec_address mode = mode_of(t, (int)d);
        at[d] = place(floor_int(in_texels(s->at[d], size[d], mode, s->normalised)), size[d], mode);
        outside |= at[d] < 0;
    }
    at[0] = outside ? -1 : at[0];
    read_texel(t, at, out);
}

static void sample(const struct exec_texture *t, struct tex_op op, const uint32_t *args, union texel *out)
{
    struct taps taps;
    if (outside_fetch(t, op, args)) {
        memset(out, 0, sizeof *out);
        return;
    }
    if (op.integer && op.geometry == TEX_1D && t->n_levels == 1 && !t->linear_filter) {
        read_texel(t, (const int64_t[3]){ args[0], 0, 0 }, out); /* floats could not count that far */
        return;
    }
    struct sample s = unpack(t, op, args);
    if (t->n_levels == 1 && !t->linear_filter) {
        sample_nearest(t, &s, out);
        return;
    }
    taps.n = taps.plane = 0;
    taps.seamless = false;
    int64_t lod = t->n_levels == 1 ? 0 : level_of(t, &s, op, args);
    bool between = t->mip_linear && gives_floats(t);
    unsigned level = (unsigned)(between ? lod >> 8 : (lod + 128) >> 8), weight = between ? lod & 255 : 0;
    sample_level(t, level, &s, 256 - weight, &taps);
    if (weight)
        sample_level(t, level + 1, &s, weight, &taps);
    weigh(t, &taps, out);
}

static void gather(const struct exec_texture *t, struct tex_op op, const uint32_t *args, union texel *out)
{
    static const uint8_t corners[4] = { 2, 3, 1, 0 };    /* counter-clockwise from the lower left */
    struct sample s = unpack(t, op, args);
    const struct exec_level *l = &t->levels[0];
    struct axis a[3] = { { { 0, 0 }, 0 } };
    struct taps taps;
    taps.n = taps.plane = 0;
    taps.seamless = false;
    axes(t, l, &s, true, false, a);
    for (unsigned k = 0; k < 4; k++)
        add_tap(&taps, l, a, 2, corners[k], s.layer, 1);
    for (unsigned k = 0; k < 4; k++) {
        uint32_t raw[4];
        union texel texel;
        fill_up(t, &texel);
        raw_texel(t, l, taps.v[k].at, raw);
        out->u[k] = op.component < t->channels ? unfiltered(t, raw[op.component], op.component) : texel.u[op.component];
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
    case EXEC_U8: i = norm ? from_norm(in->f[c], 0, 8) : saturated(in->u[c], false, 0, 255); break;
    case EXEC_S8: i = norm ? from_norm(in->f[c], -1, 7) : saturated(in->u[c], true, -128, 127); break;
    case EXEC_U16: i = norm ? from_norm(in->f[c], 0, 16) : saturated(in->u[c], false, 0, 65535); break;
    case EXEC_S16: i = norm ? from_norm(in->f[c], -1, 15) : saturated(in->u[c], true, -32768, 32767); break;
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
    if (handle == 0) {                           /* none, or an empty reference: it reads as zeroes, and writes go nowhere */
        if (op.kind <= TEX_LOAD)
            memset(results, 0, sizeof out.u);
        return;
    }
    if (!t || (op.kind >= TEX_LOAD) != (t->surface && op.kind != TEX_QUERY))
        exec_fault_raise(EXEC_FAULT_ADDRESS, handle, 0);
    switch ((enum tex_kind)op.kind) {
    case TEX_SAMPLE: sample(t, op, args, (union texel *)(void *)results); return;
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
