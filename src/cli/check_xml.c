/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports as XML in the elements that compute-sanitizer's --xml has, for tools that read those: ComputeSanitizerOutput, and a record with kind, level, what
 * and where for each report; hostStack holds the calls of the host. There is no published schema; elements that it does not know are not used.
 */
#include "cli/check_json.h"
#include "cli/cli.h"

static void text(FILE *out, const char *value)
{
    for (const unsigned char *c = (const unsigned char *)value; *c; c++)
        switch (*c) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default:
            fputc(*c < ' ' && *c != '\n' && *c != '\t' ? ' ' : *c, out);         /* the others may not stand in XML */
        }
}

static void element(FILE *out, int indent, const char *name, const char *value)
{
    fprintf(out, "%*s<%s>", indent, "", name);
    text(out, value);
    fprintf(out, "</%s>\n", name);
}

static void print_frame(FILE *out, int indent, const struct source_frame *f)
{
    element(out, indent, "func", f->function ? f->function : "");
    element(out, indent, "path", f->path);
    fprintf(out, "%*s<line>%u</line>\n", indent, "", f->line);
}

/* compute-sanitizer's word for the class. */
static const char *kind_of(const char *name)
{
    static const struct { const char *name, *kind; } kinds[] = {
        { "memory.", "Precise" }, { "init.", "Initcheck" }, { "race.", "Race" }, { "hazard.", "Hazard" }, { "sync.", "Synccheck" }, { "leak.", "Leak" }, { "api.", "Api" },
    };
    for (size_t k = 0; k < HW_LEN(kinds); k++)
        if (strncmp(name, kinds[k].name, strlen(kinds[k].name)) == 0)
            return kinds[k].kind;
    return "Sanitizer";
}

/* All that people see, in one text. */
static void print_what(FILE *out, const struct check_report *r)
{
    struct hw_str all = { 0 };
    hw_str_printf(&all, "%s [%s]", r->title, r->name);
    for (size_t k = 0; k < r->places.n; k++) {
        const struct check_place *p = &r->places.v[k];
        hw_str_printf(&all, "\n%s %s%s%s", p->role, p->place, p->place[0] ? ": " : "", p->text);
    }
    if (r->advice)
        hw_str_printf(&all, "\n%s", r->advice);
    if (r->times > 1)
        hw_str_printf(&all, "\nand %llu more like it", (unsigned long long)r->times - 1);
    fputs("    <what>\n", out);
    element(out, 6, "text", all.s);
    fputs("    </what>\n", out);
    hw_str_fini(&all);
}

static void print_record(FILE *out, const struct check_report *r)
{
    const struct check_place *where = NULL, *host = NULL;
    for (size_t k = 0; k < r->places.n; k++) {
        const struct check_place *p = &r->places.v[k];
        where = !where && p->shown < p->frames.v.n ? p : where;
        host = !host && p->kind == CHECK_HOST && p->frames.v.n ? p : host;
    }
    fputs("  <record>\n", out);
    element(out, 4, "kind", kind_of(r->name));
    element(out, 4, "level", "Error");
    print_what(out, r);
    if (where) {
        fputs("    <where>\n", out);
        print_frame(out, 6, &where->frames.v.v[where->shown]);
        fputs("    </where>\n", out);
    }
    if (host) {
        fputs("    <hostStack>\n", out);
        element(out, 6, "saveLocation", host->text);
        for (size_t k = 0; k < host->frames.v.n; k++) {
            fputs("      <frame>\n", out);
            print_frame(out, 8, &host->frames.v.v[k]);
            fputs("      </frame>\n", out);
        }
        fputs("    </hostStack>\n", out);
    }
    fputs("  </record>\n", out);
}

bool check_write_xml(const struct check_log *log, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ComputeSanitizerOutput>\n", out);
        for (size_t k = 0; k < log->reports.n; k++)
            print_record(out, log->reports.v[k]);
        fputs("</ComputeSanitizerOutput>\n", out);
    }
    return cli_finish_file(out, path);
}
