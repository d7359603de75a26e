/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as JSON: for programs, and inside of the page. */
#include "cli/check_json.h"

#include "cli/cli.h"
#include "cli/prof.h"

#include <errno.h>

static void pair(FILE *out, const char *before, const char *key, const char *value)
{
    fprintf(out, "%s\"%s\": ", before, key);
    if (value)
        prof_json_string(out, value);
    else
        fputs("null", out);
}

static void print_frames(FILE *out, const struct check_place *p)
{
    fputs(", \"frames\": [", out);
    for (size_t k = 0; k < p->frames.v.n; k++) {
        const struct source_frame *f = &p->frames.v.v[k];
        pair(out, k ? ", {" : "{", "file", f->path);
        fprintf(out, ", \"line\": %u", f->line);
        pair(out, ", ", "function", f->function);
        fputs("}", out);
    }
    fputs("]", out);
}

static void print_place(FILE *out, const struct check_place *p)
{
    static const char *const kinds[] = { [CHECK_HOST] = "host", [CHECK_DEVICE] = "device", [CHECK_NOTE] = "note" };
    const struct source_frame *f = p->shown < p->frames.v.n ? &p->frames.v.v[p->shown] : NULL;
    pair(out, "{", "role", p->role);
    pair(out, ", ", "kind", kinds[p->kind]);
    pair(out, ", ", "text", p->text);
    pair(out, ", ", "place", p->place);
    if (f) {
        pair(out, ", ", "file", f->path);
        fprintf(out, ", \"line\": %u", f->line);
        pair(out, ", ", "function", f->function);
        pair(out, ", ", "source", p->source);
        if (p->around) {
            pair(out, ", ", "around", p->around);
            fprintf(out, ", \"first\": %u", p->first);
        }
        fprintf(out, ", \"shown\": %zu", p->shown);
        print_frames(out, p);
    }
    fputs("}", out);
}

static void print_step(FILE *out, const struct check_step *s)
{
    pair(out, "{", "line", s->line);
    pair(out, ", ", "text", s->text);
    pair(out, ", ", "place", s->place);
    fprintf(out, ", \"meets\": %s}", s->meets ? "true" : "false");
}

static void print_report(FILE *out, const struct check_report *r)
{
    struct hw_str hide = { 0 };
    check_suppression_for(&hide, r);
    pair(out, "    {", "name", r->name);
    fprintf(out, ", \"tool\": \"%.*s\"", (int)strcspn(r->name, "."), r->name);
    pair(out, ", ", "title", r->title);
    pair(out, ",\n     ", "advice", r->advice);
    pair(out, ", ", "suppression", hide.s);
    fprintf(out, ", \"times\": %llu,\n     \"places\": [", (unsigned long long)r->times);
    for (size_t k = 0; k < r->places.n; k++) {
        fputs(k ? ",\n       " : "\n       ", out);
        print_place(out, &r->places.v[k]);
    }
    fputs("],\n     \"steps\": [", out);
    for (size_t k = 0; k < r->steps.n; k++) {
        fputs(k ? ", " : "", out);
        print_step(out, &r->steps.v[k]);
    }
    fputs("]}", out);
    hw_str_fini(&hide);
}

void check_json_print(FILE *out, const struct check_log *log)
{
    fprintf(out, "{\n  \"format\": 1,\n  \"producer\": \"hostwarp %s\",\n  \"command\": [", CLI_VERSION);
    for (int k = 0; k < log->argc; k++) {
        fputs(k ? ", " : "", out);
        prof_json_string(out, log->argv[k]);
    }
    fprintf(out, "],\n  \"status\": %d,\n  \"suppressed\": %u,\n  \"reports\": [", log->status, log->hidden);
    for (size_t k = 0; k < log->reports.n; k++) {
        fputs(k ? ",\n" : "\n", out);
        print_report(out, log->reports.v[k]);
    }
    fputs("\n  ]\n}", out);
}

bool check_write_json(const struct check_log *log, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out) {
        check_json_print(out, log);
        fputc('\n', out);
    }
    return cli_finish_file(out, path);
}
