/* SPDX-License-Identifier: Apache-2.0 */
/* Places of reports: which frame people know, and the line that stands there. */
#define _GNU_SOURCE
#include "cli/check.h"

#include "base/os.h"
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LONGEST_FILE = 16 << 20, LONGEST_LINE = 160 };

/* Sources are the compiler's names for files: only plain ones of a usual size are read. */
static const char *text_of(struct check_sources *s, const char *path)
{
    struct stat st;
    char *text = hw_map_get_str(&s->files, path);
    if (!text) {
        bool plain = stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < LONGEST_FILE;
        text = plain ? hw_file_read(path, NULL) : NULL;
        text = text ? text : hw_strdup("");
        hw_map_set_str(&s->files, path, text);
    }
    return text;
}

static const char *to_line(const char *p, unsigned line)
{
    for (; line > 1 && *p; line--) {
        p += strcspn(p, "\n");
        p += *p != 0;
    }
    return p;
}

/* The line without the space around it; NULL: it is not there, or is empty. */
static char *source_line(struct check_sources *s, const char *path, unsigned line)
{
    const char *p = to_line(text_of(s, path), line);
    p += strspn(p, " \t");
    size_t n = strcspn(p, "\r\n");
    while (n && isspace((unsigned char)p[n - 1]))
        n--;
    bool cut = n > LONGEST_LINE;
    char *out = n ? hw_sprintf("%.*s%s", (int)(cut ? LONGEST_LINE : n), p, cut ? " ..." : "") : NULL;
    for (char *c = out; c && *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return out;
}

static void take_around(struct check_sources *s, struct check_place *p, const char *path, unsigned line)
{
    enum { BEFORE = 3, BEHIND = 2, LONGEST = 4000 };
    p->first = line > BEFORE ? line - BEFORE : 1;
    const char *from = to_line(text_of(s, path), p->first), *end = to_line(from, line + BEHIND + 1 - p->first + 1);
    size_t n = (size_t)(end - from);
    p->around = n && n < LONGEST ? hw_sprintf("%.*s", (int)n, from) : NULL;
}

static bool is_header(const struct source_frame *f) { return strstr(f->path, "/include/") || strncmp(f->path, "/usr/", 5) == 0; }

static void choose(struct check_sources *s, struct check_place *p, bool (*is_foreign)(const struct source_frame *f))
{
    p->shown = 0;
    while (p->shown < p->frames.v.n && is_foreign(&p->frames.v.v[p->shown]))
        p->shown++;
    if (p->shown == p->frames.v.n && p->frames.v.n)
        p->shown = 0;
    if (p->shown == p->frames.v.n) {
        p->place = hw_strdup("");
        return;
    }
    const struct source_frame *f = &p->frames.v.v[p->shown];
    const char *slash = strrchr(f->path, '/');
    p->place = hw_sprintf("%s:%u", slash ? slash + 1 : f->path, f->line);
    p->source = source_line(s, f->path, f->line);
    if (p->source)
        take_around(s, p, f->path, f->line);
}

static struct source_frames copy_of(const struct source_frames *from)
{
    struct source_frames out = { 0 };
    for (size_t k = 0; k < from->v.n; k++) {
        const struct source_frame *f = &from->v.v[k];
        hw_vec_push(&out.v, ((struct source_frame){ hw_strdup(f->path), f->function ? hw_strdup(f->function) : NULL, f->line }));
    }
    return out;
}

void check_place_host(struct check_sources *s, struct check_place *p, const char *stack)
{
    struct source_frames *known = hw_map_get_str(&s->stacks, stack);
    if (!known) {
        known = hw_alloc(sizeof *known);
        source_of_stack(stack, known);
        hw_map_set_str(&s->stacks, stack, known);
    }
    p->frames = copy_of(known);
    choose(s, p, source_is_between);
}

/* "/folder/a.cu:12 in f" */
static bool read_frame(const char *text, size_t n, struct source_frame *out)
{
    for (size_t k = n; k > 0; k--) {
        size_t digits = k < n ? strspn(text + k, "0123456789") : 0, end = k + digits;
        if (text[k - 1] != ':' || !digits || !(end == n || (end + 4 < n && strncmp(text + end, " in ", 4) == 0)))
            continue;
        char *function = end < n ? hw_sprintf("%.*s", (int)(n - end - 4), text + end + 4) : NULL;
        *out = (struct source_frame){ hw_sprintf("%.*s", (int)(k - 1), text), function ? hw_demangle(function) : NULL, (unsigned)strtoul(text + k, NULL, 10) };
        hw_free(function);
        return true;
    }
    return false;
}

void check_place_device(struct check_sources *s, struct check_place *p, const char *frames)
{
    struct source_frame f;
    for (const char *at = frames, *end; at; at = end ? end + 3 : NULL) {
        end = strstr(at, " < ");
        if (read_frame(at, end ? (size_t)(end - at) : strlen(at), &f))
            hw_vec_push(&p->frames.v, f);
    }
    choose(s, p, is_header);
    if (!p->frames.v.n) {                        /* "PTX line 12" */
        hw_free(p->place);
        p->place = hw_strdup(frames);
    }
}
