/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cli/check.h"

#include "cli/cli.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool check_reader_init(struct check_reader *r, const char *suppressions)
{
    char *line = NULL;
    size_t cap = 0;
    *r = (struct check_reader){ 0 };
    if (!suppressions)
        return true;
    FILE *in = fopen(suppressions, "r");
    if (!in) {
        cli_error("%s: %s", suppressions, strerror(errno));
        return false;
    }
    while (getline(&line, &cap, in) > 0) {
        line[strcspn(line, "#\n")] = 0;
        size_t n = strlen(line);
        while (n && line[n - 1] == ' ')
            line[--n] = 0;
        if (n)
            hw_vec_push(&r->suppressed, hw_strdup(line));
    }
    free(line);
    fclose(in);
    return true;
}

/* ---- lines of the source ---- */

/* Modules whose code is not the program's: ours, and the language's. */
static bool is_library(const char *frame)
{
    static const char *const names[] = { "/libcuda.so", "/libcudart.so", "/libnvrtc.so", "/libstdc++.so", "/libc.so", "/libgcc_s.so", "/libpthread.so", "/ld-linux" };
    for (size_t k = 0; k < HW_LEN(names); k++)
        if (strstr(frame, names[k]))
            return true;
    return false;
}

static bool is_header_of_system(const char *line) { return strncmp(line, "/usr/include/", 13) == 0 || strncmp(line, "/usr/lib/", 9) == 0 || strstr(line, "/include/c++/"); }

static char *look_up(const char *frames)
{
    char *copy = hw_strdup(frames), *rest = copy, *found = NULL, *header = NULL;
    for (char *frame; !found && (frame = strtok_r(rest, " ", &rest));) {
        found = is_library(frame) ? NULL : cli_source_line(frame, true);
        if (found && is_header_of_system(found)) {               /* of a container, say: who called it is the program */
            if (header)
                hw_free(found);
            else
                header = found;
            found = NULL;
        }
    }
    hw_free(copy);
    if (!found)
        found = header;
    else
        hw_free(header);
    if (!found)
        return hw_strdup("");
    const char *slash = strrchr(found, '/');
    char *short_name = hw_strdup(slash ? slash + 1 : found);
    hw_free(found);
    return short_name;
}

static const char *line_of(struct check_reader *r, const char *frames)
{
    char *line = hw_map_get_str(&r->lines, frames);
    if (!line) {
        line = look_up(frames);
        hw_map_set_str(&r->lines, frames, line);
    }
    return line;
}

/* ---- one report ---- */

static void forget(struct check_report *p)
{
    for (size_t k = 0; k < p->places.n; k++) {
        hw_free(p->places.v[k].role);
        hw_free(p->places.v[k].place);
        hw_free(p->places.v[k].text);
    }
    hw_vec_fini(&p->places);
    hw_free(p->name);
    hw_free(p->title);
    hw_free(p->advice);
    *p = (struct check_report){ 0 };
}

static bool is_suppressed(const struct check_reader *r)
{
    for (size_t k = 0; k < r->suppressed.n; k++) {
        const char *pattern = r->suppressed.v[k];
        if (!strchr(pattern, ' ') && fnmatch(pattern, r->now.name, 0) == 0)
            return true;
        for (size_t j = 0; strchr(pattern, ' ') && j < r->now.places.n; j++) {
            char *both = hw_sprintf("%s %s", r->now.name, r->now.places.v[j].place);
            bool hit = fnmatch(pattern, both, 0) == 0;
            hw_free(both);
            if (hit)
                return true;
        }
    }
    return false;
}

static void show(struct check_reader *r)
{
    const struct check_report *p = &r->now;
    bool colours = isatty(STDERR_FILENO);
    size_t role = 0, place = 0;
    if (!p->name)
        return;
    if (is_suppressed(r)) {
        r->hidden++;
        return;
    }
    r->shown++;
    hw_map_set_str(&r->by_name, p->name, (char *)hw_map_get_str(&r->by_name, p->name) + 1);
    for (size_t k = 0; k < p->places.n; k++) {
        role = strlen(p->places.v[k].role) > role ? strlen(p->places.v[k].role) : role;
        place = strlen(p->places.v[k].place) > place ? strlen(p->places.v[k].place) : place;
    }
    fprintf(stderr, "%shostwarp check:%s %s  [%s]\n", colours ? "\033[1;31m" : "", colours ? "\033[0m" : "", p->title, p->name);
    for (size_t k = 0; k < p->places.n; k++)
        fprintf(stderr, "  %-*s  %-*s  %s\n", (int)role, p->places.v[k].role, (int)place, p->places.v[k].place, p->places.v[k].text);
    if (p->advice)
        fprintf(stderr, "  %s\n", p->advice);
}

/* Kernels' names as the source has them. */
static char *readable(const char *text)
{
    struct hw_str out = { 0 };
    while (*text) {
        size_t n = strcspn(text, " ");
        char *word = hw_sprintf("%.*s", (int)n, text);
        char *clean = strncmp(word, "_Z", 2) == 0 ? cli_demangle(word) : hw_strdup(word);
        size_t length = strlen(word);
        if (strncmp(word, "_Z", 2) == 0 && length && (word[length - 1] == ',' || word[length - 1] == ':')) {
            char last = word[length - 1];
            word[length - 1] = 0;
            hw_free(clean);
            char *name = cli_demangle(word);
            clean = hw_sprintf("%s%c", name, last);
            hw_free(name);
        }
        hw_str_printf(&out, "%s%s", clean, text[n] ? " " : "");
        hw_free(clean);
        hw_free(word);
        text += n + (text[n] != 0);
    }
    return out.s ? out.s : hw_strdup("");
}

static void take_line(struct check_reader *r, char *line)
{
    char *field[4] = { line, "", "", "" };
    for (int k = 1; k < 4; k++) {
        char *tab = strchr(field[k - 1], '\t');
        if (!tab)
            break;
        *tab = 0;
        field[k] = tab + 1;
    }
    if (strcmp(field[0], "begin") == 0) {
        forget(&r->now);
        r->now.name = hw_strdup(field[1]);
    } else if (strcmp(field[0], "title") == 0) {
        hw_free(r->now.title);
        r->now.title = readable(field[3]);
    } else if (strcmp(field[0], "host") == 0 || strcmp(field[0], "device") == 0) {
        const char *place = field[0][0] == 'h' ? line_of(r, field[2]) : field[2];
        struct check_place p = { hw_strdup(field[1]), hw_strdup(place), readable(field[3]) };
        hw_vec_push(&r->now.places, p);
    } else if (strcmp(field[0], "advice") == 0) {
        hw_free(r->now.advice);
        r->now.advice = hw_strdup(field[3]);
    } else if (strcmp(field[0], "end") == 0) {
        show(r);
        forget(&r->now);
    }
}

void check_read(struct check_reader *r, int fd)
{
    struct hw_str text = { 0 };
    char piece[4096];
    for (;;) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        hw_str_add(&text, piece, (size_t)n);
        char *from = text.s, *end;
        while ((end = strchr(from, '\n'))) {
            *end = 0;
            take_line(r, from);
            from = end + 1;
        }
        size_t rest = strlen(from);
        memmove(text.s, from, rest + 1);
        text.n = rest;
    }
    hw_str_fini(&text);
}

unsigned check_summary(struct check_reader *r)
{
    forget(&r->now);
    if (r->shown || r->hidden)
        fprintf(stderr, "hostwarp check: %u report%s%s", r->shown, r->shown == 1 ? "" : "s", r->hidden ? "" : "\n");
    if (r->hidden)
        fprintf(stderr, ", %u suppressed\n", r->hidden);
    return r->shown;
}
