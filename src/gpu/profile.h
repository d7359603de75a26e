/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of GPUs (share/gpus): what a card says of itself, and the numbers that its times are computed from. Every number says where it
 * comes from.
 */
#ifndef GPU_PROFILE_H
#define GPU_PROFILE_H

#include "base/base.h"
#include "base/str.h"

/* Where a number comes from, best first. */
enum gpu_source { GPU_MEASURED, GPU_PUBLISHED, GPU_ASSUMED, GPU_SOURCE_COUNT };
extern const char *const gpu_source_names[GPU_SOURCE_COUNT];

/* Times by size: straight lines between points. */
enum { GPU_CURVE_POINTS = 12 };
struct gpu_curve {
    int n;
    double bytes[GPU_CURVE_POINTS], ns[GPU_CURVE_POINTS];
};
double gpu_curve_at(const struct gpu_curve *c, double bytes);    /* ns */

enum gpu_field {
#define NUMBER(field, name, least, most, meaning) GPU_FIELD_##field,
#define CURVE(field, name, meaning) GPU_FIELD_##field,
#include "gpu/fields.def"
#undef NUMBER
#undef CURVE
    GPU_FIELD_COUNT
};

struct gpu_profile {
    char id[64];                 /* the file's name */
    char name[128];              /* the card's */
#define NUMBER(field, name, least, most, meaning) double field;
#define CURVE(field, name, meaning) struct gpu_curve field;
#include "gpu/fields.def"
#undef NUMBER
#undef CURVE
    uint8_t source[GPU_FIELD_COUNT];             /* enum gpu_source */
};

/* text: a profile's lines. False: `error` says what is wrong, with the line. */
bool gpu_profile_parse(const char *id, const char *text, struct gpu_profile *out, struct hw_str *error);
/* name: of a file in `folder`, or a path with a slash in it. */
bool gpu_profile_load(const char *folder, const char *name, struct gpu_profile *out, struct hw_str *error);
/* share/gpus beside the library or command that this code is in; hw_free() it. */
char *gpu_profile_folder(void);
enum gpu_source gpu_profile_weakest(const struct gpu_profile *p);
const char *gpu_field_name(enum gpu_field field);
const char *gpu_field_meaning(enum gpu_field field);

#endif
