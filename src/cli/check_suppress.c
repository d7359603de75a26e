/* SPDX-License-Identifier: Apache-2.0 */
/* Suppressions: reports that somebody knows of and does not want to see. */
#define _GNU_SOURCE
#include "cli/check.h"

#include "cli/cli.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

bool check_suppressions_read(struct check_suppressions *s, const char *path)
{
    char *line = NULL;
    size_t cap = 0;
    FILE *in = fopen(path, "r");
    if (!in) {
        cli_error("%s: %s", path, strerror(errno));
        return false;
    }
    while (getline(&line, &cap, in) > 0) {
        line[strcspn(line, "#\r\n")] = 0;
        const char *from = line + strspn(line, " \t");
        size_t n = strlen(from);
        while (n && (from[n - 1] == ' ' || from[n - 1] == '\t'))
            n--;
        if (n)
            hw_vec_push(&s->patterns, hw_sprintf("%.*s", (int)n, from));
    }
    free(line);
    fclose(in);
    return true;
}

/* The place of any frame will do: what is inlined, and who calls. */
static bool place_matches(const char *pattern, const char *name, const struct check_place *p)
{
    bool hit = false;
    for (size_t k = 0; k < p->frames.v.n && !hit; k++) {
        const struct source_frame *f = &p->frames.v.v[k];
        const char *slash = strrchr(f->path, '/');
        char *both = hw_sprintf("%s %s:%u", name, slash ? slash + 1 : f->path, f->line), *whole = hw_sprintf("%s %s:%u", name, f->path, f->line);
        hit = fnmatch(pattern, both, 0) == 0 || fnmatch(pattern, whole, 0) == 0;
        hw_free(both);
        hw_free(whole);
    }
    return hit;
}

bool check_is_suppressed(const struct check_suppressions *s, const struct check_report *r)
{
    for (size_t k = 0; k < s->patterns.n; k++) {
        const char *pattern = s->patterns.v[k];
        bool named = !strchr(pattern, ' ');
        if (named && fnmatch(pattern, r->name, 0) == 0)
            return true;
        for (size_t j = 0; !named && j < r->places.n; j++)
            if (place_matches(pattern, r->name, &r->places.v[j]))
                return true;
    }
    return false;
}

/* As little as hides it: the name and the first place. */
void check_suppression_for(struct hw_str *out, const struct check_report *r)
{
    hw_str_puts(out, r->name);
    for (size_t k = 0; k < r->places.n; k++) {
        const struct check_place *p = &r->places.v[k];
        if (p->shown == p->frames.v.n)
            continue;
        hw_str_puts(out, " ");
        for (const char *c = p->place; *c; c++)
            hw_str_printf(out, "%s%c", strchr("*?[\\", *c) ? "\\" : "", *c == '#' ? '?' : *c);
        return;
    }
}
