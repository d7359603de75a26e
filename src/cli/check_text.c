/* SPDX-License-Identifier: Apache-2.0 */
/* Reports for people, on a terminal or in a log. */
#define _GNU_SOURCE
#include "cli/check.h"

#include <stdlib.h>
#include <unistd.h>

struct colours {
    const char *tool, *name, *place, *source, *off;
};

/* NO_COLOR (no-color.org): any text in it, and there are none. */
static struct colours colours_for(FILE *out)
{
    const char *no = getenv("NO_COLOR");
    if (!isatty(fileno(out)) || (no && no[0]))
        return (struct colours){ "", "", "", "", "" };
    return (struct colours){ "\033[1;31m", "\033[33m", "\033[1m", "\033[2m", "\033[0m" };
}

/* A place that an earlier row has shown already needs no second excerpt. */
static bool shown_before(const struct check_report *r, size_t k)
{
    for (size_t j = 0; j < k; j++)
        if (strcmp(r->places.v[j].place, r->places.v[k].place) == 0 && r->places.v[j].source)
            return true;
    return false;
}

static void print_function(FILE *out, const char *before, const struct source_frame *f)
{
    size_t n = f->function ? strlen(f->function) : 0;
    if (n)
        fprintf(out, "%s%s%s", before, f->function, f->function[n - 1] == ')' ? "" : "()");
}

/* Where the function that the place is in was called from, outwards. */
static void print_callers(FILE *out, const struct check_place *p, int indent)
{
    enum { MOST = 5 };
    unsigned n = 0;
    for (size_t k = p->shown + 1; k < p->frames.v.n && n < MOST; k++) {
        const struct source_frame *f = &p->frames.v.v[k];
        const char *slash = strrchr(f->path, '/');
        if (source_is_between(f))
            continue;
        if (n++ == 0) {
            fprintf(out, "%*s", indent, "");
            print_function(out, "in ", &p->frames.v.v[p->shown]);
        }
        fprintf(out, "%scalled at %s:%u", n > 1 || p->frames.v.v[p->shown].function ? ", " : "", slash ? slash + 1 : f->path, f->line);
        if (k + 1 < p->frames.v.n)
            print_function(out, " in ", f);
    }
    if (n)
        fputc('\n', out);
}

static void print_place(FILE *out, const struct check_report *r, size_t k, const struct colours *c, int role, int place)
{
    const struct check_place *p = &r->places.v[k];
    int indent = 2 + role + 2;
    fprintf(out, "  %-*s  ", role, p->role);
    if (p->kind != CHECK_NOTE)
        fprintf(out, "%s%-*s%s  ", c->place, place, p->place, c->off);
    fprintf(out, "%s\n", p->text);
    if (p->source && !shown_before(r, k)) {
        fprintf(out, "%*s%s| %s%s\n", indent, "", c->source, p->source, c->off);
        print_callers(out, p, indent);
    }
}

void check_text_report(FILE *out, const struct check_report *r)
{
    struct colours c = colours_for(out);
    size_t role = 0, place = 0;
    for (size_t k = 0; k < r->places.n; k++) {
        role = hw_max_u64(role, strlen(r->places.v[k].role));
        place = hw_max_u64(place, strlen(r->places.v[k].place));
    }
    flockfile(out);
    fprintf(out, "%shostwarp check:%s %s  %s[%s]%s\n", c.tool, c.off, r->title, c.name, r->name, c.off);
    for (size_t k = 0; k < r->places.n; k++)
        print_place(out, r, k, &c, (int)role, (int)place);
    if (r->advice)
        fprintf(out, "  %s\n", r->advice);
    fflush(out);
    funlockfile(out);
}

/* ---- the end ---- */

struct class {
    const char *name;
    unsigned reports;
    uint64_t times;
};

static int by_name(const void *a, const void *b) { return strcmp(((const struct class *)a)->name, ((const struct class *)b)->name); }

static void print_classes(FILE *out, const struct check_log *log)
{
    HW_VEC(struct class) all = { 0 };
    size_t wide = 0;
    for (size_t k = 0; k < log->reports.n; k++) {
        const struct check_report *r = log->reports.v[k];
        size_t j = 0;
        while (j < all.n && strcmp(all.v[j].name, r->name) != 0)
            j++;
        if (j == all.n)
            hw_vec_push(&all, ((struct class){ r->name, 0, 0 }));
        all.v[j].reports++;
        all.v[j].times += r->times;
        wide = hw_max_u64(wide, strlen(r->name));
    }
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, by_name);
    for (size_t j = 0; j < all.n; j++) {
        fprintf(out, "  %-*s  %u", (int)wide, all.v[j].name, all.v[j].reports);
        if (all.v[j].times > all.v[j].reports)
            fprintf(out, ", and %llu more like %s", (unsigned long long)(all.v[j].times - all.v[j].reports), all.v[j].reports > 1 ? "them" : "it");
        fputc('\n', out);
    }
    hw_vec_fini(&all);
}

void check_text_summary(FILE *out, const struct check_log *log)
{
    struct colours c = colours_for(out);
    if (!log->reports.n && !log->hidden)
        return;
    fprintf(out, "%shostwarp check:%s %zu report%s", c.tool, c.off, log->reports.n, log->reports.n == 1 ? "" : "s");
    if (log->hidden)
        fprintf(out, ", %u suppressed", log->hidden);
    fputc('\n', out);
    print_classes(out, log);
}
