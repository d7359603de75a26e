/* SPDX-License-Identifier: Apache-2.0 */
/* Reading profiles. A line is `name value | source where from`; # begins a comment. */
#define _GNU_SOURCE
#include "gpu/profile.h"

#include "base/os.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

const char *const gpu_source_names[GPU_SOURCE_COUNT] = { "measured", "published", "assumed" };

static const struct row {
    const char *name, *meaning;
    size_t offset;
    bool curve;
    double least, most;
} rows[GPU_FIELD_COUNT] = {
#define NUMBER(field, name, least, most, meaning) { name, meaning, offsetof(struct gpu_profile, field), false, least, most },
#define CURVE(field, name, meaning) { name, meaning, offsetof(struct gpu_profile, field), true, 0, 0 },
#include "gpu/fields.def"
#undef NUMBER
#undef CURVE
};

const char *gpu_field_name(enum gpu_field field) { return rows[field].name; }
const char *gpu_field_meaning(enum gpu_field field) { return rows[field].meaning; }

enum gpu_source gpu_profile_weakest(const struct gpu_profile *p)
{
    enum gpu_source weakest = GPU_MEASURED;
    for (int k = 0; k < GPU_FIELD_COUNT; k++)
        if (p->source[k] > weakest)
            weakest = (enum gpu_source)p->source[k];
    return weakest;
}

/* Straight lines between the points; below the first as long as there, behind the last at its rate. */
double gpu_curve_at(const struct gpu_curve *c, double bytes)
{
    int k = 1;
    if (c->n == 1 || bytes <= c->bytes[0])
        return c->ns[0];
    while (k < c->n - 1 && bytes > c->bytes[k])
        k++;
    if (bytes > c->bytes[k])
        return c->ns[k] * bytes / c->bytes[k];
    double part = (bytes - c->bytes[k - 1]) / (c->bytes[k] - c->bytes[k - 1]);
    return c->ns[k - 1] + part * (c->ns[k] - c->ns[k - 1]);
}

/* --- reading --- */

struct reader {
    const char *id;
    unsigned line;
    struct hw_str *error;
};

static bool wrong(struct reader *r, const char *format, ...) HW_PRINTF(2, 3);
static bool wrong(struct reader *r, const char *format, ...)
{
    va_list ap;
    hw_str_printf(r->error, "%s:%u: ", r->id, r->line);
    va_start(ap, format);
    hw_str_vprintf(r->error, format, ap);
    va_end(ap);
    return false;
}

static char *trim(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    for (char *end = s + strlen(s); end > s && isspace((unsigned char)end[-1]);)
        *--end = 0;
    return s;
}

static bool read_number(struct reader *r, const struct row *row, const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end || !isfinite(*out))
        return wrong(r, "%s: '%s' is not a number", row->name, text);
    if (*out < row->least || *out > row->most)
        return wrong(r, "%s: %g is not between %g and %g", row->name, *out, row->least, row->most);
    return true;
}

/* "64K:11.9us": a size and a time. */
static bool read_point(const char *text, double *bytes, double *ns)
{
    static const struct { const char *unit; double scale; } times[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
    char *end;
    *bytes = strtod(text, &end);
    if (end == text)
        return false;
    *bytes *= *end == 'K' ? 1024.0 : *end == 'M' ? 1048576.0 : *end == 'G' ? 1073741824.0 : 1.0;
    if (*end == 'K' || *end == 'M' || *end == 'G')
        end++;
    if (*end != ':')
        return false;
    const char *at = end + 1;
    *ns = strtod(at, &end);
    if (end == at)
        return false;
    for (size_t k = 0; k < HW_LEN(times); k++)
        if (strcmp(end, times[k].unit) == 0) {
            *ns *= times[k].scale;
            return isfinite(*bytes) && isfinite(*ns) && *bytes >= 1 && *ns > 0;
        }
    return false;
}

static bool read_curve(struct reader *r, const struct row *row, char *text, struct gpu_curve *out)
{
    char *save = NULL;
    for (char *p = strtok_r(text, " \t", &save); p; p = strtok_r(NULL, " \t", &save)) {
        if (out->n == GPU_CURVE_POINTS)
            return wrong(r, "%s: more than %d points", row->name, GPU_CURVE_POINTS);
        if (!read_point(p, &out->bytes[out->n], &out->ns[out->n]))
            return wrong(r, "%s: '%s' is not a size and a time, as 64K:11.9us", row->name, p);
        if (out->n && out->bytes[out->n] <= out->bytes[out->n - 1])
            return wrong(r, "%s: sizes must grow, and '%s' does not", row->name, p);
        out->n++;
    }
    return out->n > 0 || wrong(r, "%s has no points", row->name);
}

static bool read_source(struct reader *r, const char *name, const char *text, uint8_t *out)
{
    for (int k = 0; k < GPU_SOURCE_COUNT; k++) {
        size_t n = strlen(gpu_source_names[k]);
        if (strncmp(text, gpu_source_names[k], n) == 0 && (text[n] == 0 || isspace((unsigned char)text[n]))) {
            *out = (uint8_t)k;
            return true;
        }
    }
    return wrong(r, "%s: behind | stands measured, published or assumed, not '%s'", name, text);
}

static bool read_line(struct reader *r, char *line, struct gpu_profile *out, bool *seen, bool *named)
{
    char *bar = strchr(line, '|'), *name = trim(line), *value;
    if (!*name || *name == '#')
        return true;
    if (!bar)
        return wrong(r, "no | that says where the number comes from");
    *bar = 0;
    name = trim(line);
    for (value = name; *value && !isspace((unsigned char)*value); value++)
        ;
    if (*value)
        *value++ = 0;
    value = trim(value);
    uint8_t source = GPU_ASSUMED;
    if (!read_source(r, name, trim(bar + 1), &source))
        return false;
    if (strcmp(name, "name") == 0) {
        if (*named || !*value)
            return wrong(r, *named ? "name stands here twice" : "name is empty");
        *named = true;
        snprintf(out->name, sizeof out->name, "%s", value);
        return true;
    }
    for (int k = 0; k < GPU_FIELD_COUNT; k++) {
        if (strcmp(name, rows[k].name) != 0)
            continue;
        if (seen[k])
            return wrong(r, "%s stands here twice", name);
        seen[k] = true;
        out->source[k] = source;
        void *to = (char *)out + rows[k].offset;
        return rows[k].curve ? read_curve(r, &rows[k], value, to) : read_number(r, &rows[k], value, to);
    }
    return wrong(r, "unknown name '%s'", name);
}

bool gpu_profile_parse(const char *id, const char *text, struct gpu_profile *out, struct hw_str *error)
{
    struct reader r = { .id = id, .error = error };
    bool seen[GPU_FIELD_COUNT] = { false }, named = false, ok = true;
    char *copy = hw_strdup(text), *next = copy;
    memset(out, 0, sizeof *out);
    const char *slash = strrchr(id, '/');
    snprintf(out->id, sizeof out->id, "%s", slash ? slash + 1 : id);
    while (ok && next) {
        char *line = next, *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end)
            *end = 0;
        r.line++;
        ok = read_line(&r, line, out, seen, &named);
    }
    hw_free(copy);
    if (ok && !named)
        ok = wrong(&r, "there is no line with the card's name");
    for (int k = 0; ok && k < GPU_FIELD_COUNT; k++)
        if (!seen[k])
            ok = wrong(&r, "%s is missing: %s", rows[k].name, rows[k].meaning);
    return ok;
}

char *gpu_profile_folder(void)
{
    Dl_info info;
    char *path = dladdr((void *)&gpu_source_names, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
    for (int k = 0; path && k < 2; k++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = 0;
    }
    char *out = path ? hw_sprintf("%s/share/gpus", path) : NULL;
    free(path);
    return out;
}

bool gpu_profile_load(const char *folder, const char *name, struct gpu_profile *out, struct hw_str *error)
{
    char *path = strchr(name, '/') ? hw_strdup(name) : hw_sprintf("%s/%s", folder ? folder : ".", name);
    size_t n;
    char *text = hw_file_read(path, &n);
    bool ok = text != NULL && strlen(text) == n;
    if (!text && errno == ENOENT && !strchr(name, '/'))
        hw_str_printf(error, "there is no profile of a GPU `%s` in %s; `hostwarp info --gpus` lists them", name, folder ? folder : ".");
    else if (!ok)
        hw_str_printf(error, "%s: %s", path, text ? "not a text" : strerror(errno));
    ok = ok && gpu_profile_parse(path, text, out, error);
    hw_free(text);
    hw_free(path);
    return ok;
}
