/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tex and tld4: coordinates to texels and their weights. Filtering follows the programming guide: a linear filter looks half a texel around,
 * with weights of 8 bits behind the point.
 */
#include "exec/sample.h"

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

/* One axis of a sample: the texels on both sides and the weight of the upper one in 256ths. */
struct axis {
    int64_t i[2];
    unsigned weight;
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
    return t->linear_filter && texel_gives_floats(t);
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

/* An integer coordinate into linear memory: what lies outside reads as zero. */
static bool outside_fetch(const struct exec_texture *t, struct tex_op op, const uint32_t *args)
{
    return op.integer && op.geometry == TEX_1D && args[0] >= t->levels[0].width;
}

static void sample_texel(const struct exec_texture *t, const int64_t at[3], union texel *out)
{
    uint32_t raw[4];
    texel_read(t, &t->levels[0], at, raw);
    texel_clear(t, out);
    for (unsigned c = 0; c < t->channels; c++)
        out->u[c] = texel_unfiltered(t, raw[c], c);
}

/* One texel of a texture with one level: what sample_level() and sample_filter() come to, without their arrays. */
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
    sample_texel(t, at, out);
}

void exec_sample(const struct exec_texture *t, struct tex_op op, const uint32_t *args, union texel *out)
{
    struct taps taps;
    if (outside_fetch(t, op, args)) {
        memset(out, 0, sizeof *out);
        return;
    }
    if (op.integer && op.geometry == TEX_1D && t->n_levels == 1 && !t->linear_filter) {
        sample_texel(t, (const int64_t[3]){ args[0], 0, 0 }, out); /* floats could not count that far */
        return;
    }
    struct sample s = unpack(t, op, args);
    if (t->n_levels == 1 && !t->linear_filter) {
        sample_nearest(t, &s, out);
        return;
    }
    taps.n = taps.plane = 0;
    taps.seamless = false;
    int64_t lod = t->n_levels == 1 ? 0 : sample_lod(t, &s, op, args);
    bool between = t->mip_linear && texel_gives_floats(t);
    unsigned level = (unsigned)(between ? lod >> 8 : (lod + 128) >> 8), weight = between ? lod & 255 : 0;
    sample_level(t, level, &s, 256 - weight, &taps);
    if (weight)
        sample_level(t, level + 1, &s, weight, &taps);
    sample_filter(t, &taps, out);
}

void exec_gather(const struct exec_texture *t, struct tex_op op, const uint32_t *args, union texel *out)
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
        texel_clear(t, &texel);
        texel_read(t, l, taps.v[k].at, raw);
        out->u[k] = op.component < t->channels ? texel_unfiltered(t, raw[op.component], op.component) : texel.u[op.component];
    }
}
