/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device code is looked at when it is compiled, as ptxas does it: what could not be loaded when the program runs is an error of the build. Only PTX is
 * read and lowered, nothing is compiled, so this takes milliseconds.
 */
#define _GNU_SOURCE
#include "cli/cc.h"

#include "base/os.h"
#include "base/str.h"
#include "lower/lower.h"
#include "ptx/merge.h"
#include "ptx/object.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define ANY_CC 999u                      /* the newest PTX of a fatbin: which device runs it is not known yet */

/* The name in `.file INDEX "NAME"`. */
static char *file_name(const char *text, int index)
{
    int at, end;
    for (const char *p = text; (p = strstr(p, ".file")); p += 5)
        if (sscanf(p, ".file %d \"%n%*[^\"\n]%n", &at, &end, &end) == 1 && at == index) {
            const char *name = strchr(p, '"') + 1;
            return hw_strndup(name, strcspn(name, "\"\n"));
        }
    return NULL;
}

/* Is a function over, or does one begin, in this line? Those stand at its start, what is inside is behind blanks. */
static bool is_border(const char *line) { return line[0] == '}' || strncmp(line, ".visible", 8) == 0 || strncmp(line, ".func", 5) == 0; }

static int read_loc(const char *line, int *index)
{
    int number;
    line += strspn(line, " \t");
    return sscanf(line, ".loc %d %d", index, &number) == 2 ? number : 0;
}

/* Where the line of PTX comes from: "FILE:LINE: " by the .loc before it in its function or, of a function's head, the first in there. NULL: unknown. */
static char *source_place(const char *text, int line)
{
    const char *p = text;
    int found = 0, index = 0, at = 1;
    bool head = false;
    for (; at <= line && p; at++, p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
        int in, number = read_loc(p, &in);
        head = is_border(p);
        if (head)
            found = 0;
        if (number)
            found = number, index = in;
    }
    for (; !found && head && p && *p && *p != '}'; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        found = read_loc(p, &index);
    char *name = found ? file_name(text, index) : NULL, *place = name ? hw_sprintf("%s:%d: ", name, found) : NULL;
    hw_free(name);
    return place;
}

/* Names in quotes as the source has them. */
static void print_demangled(const char *message, size_t n)
{
    for (size_t i = 0; i < n;) {
        const char *close = message[i] == '\'' ? memchr(message + i + 1, '\'', n - i - 1) : NULL;
        if (!close) {
            fputc(message[i++], stderr);
            continue;
        }
        char *name = hw_strndup(message + i + 1, (size_t)(close - message) - i - 1), *plain = hw_demangle(name);
        fprintf(stderr, "'%s'", plain);
        i = (size_t)(close - message) + 1;
        hw_free(name);
        hw_free(plain);
    }
}

/* Messages are lines of "line N:COL: error: WHY"; the place becomes the source's. shown: the file where that is not known. */
static void print_messages(const struct diag *diag, const char *text, const char *shown)
{
    for (const char *p = diag->text.s; p && *p;) {
        size_t n = strcspn(p, "\n");
        int line = 0, skip = 0;
        char *place = NULL;
        const char *kind = p;
        if (sscanf(p, "line %d:%n", &line, &skip) == 1) {
            place = source_place(text, line);
            while (*kind && strncmp(kind, "error:", 6) != 0 && strncmp(kind, "warning:", 8) != 0)
                kind++;
        }
        const char *dot = strrchr(shown, '.');
        if (place)
            fprintf(stderr, "%s", place);
        else if (line && dot && strcmp(dot, ".ptx") == 0)
            fprintf(stderr, "%s:%d: ", shown, line);
        else
            fprintf(stderr, "%s: ", shown);
        print_demangled(kind, n - (size_t)(kind - p));
        fputc('\n', stderr);
        hw_free(place);
        p += n + (p[n] == '\n');
    }
}

static bool check_text(const char *text, bool open, struct diag *diag)
{
    struct ptx_module *module = NULL;
    bool ok = ptx_parse(text, strlen(text), diag, &module) == PTX_OK && lower_check(module, open, diag);
    if (module)
        ptx_module_free(module);
    return ok;
}

enum cc_verdict cc_verify(const struct cc_job *job, const char *ptx_path, const char *shown, bool tell)
{
    char *text = hw_file_read(ptx_path, NULL);
    struct diag diag = { 0 };
    if (!text) {
        cli_error("cannot read %s: %s", ptx_path, strerror(errno));
        return CC_VERDICT_BAD;
    }
    bool ok = check_text(text, job->rdc, &diag);
    if (tell || (ok && diag.text.n))
        print_messages(&diag, text, shown);
    enum cc_verdict verdict = !ok ? CC_VERDICT_BAD : diag.text.n ? CC_VERDICT_WARNED : CC_VERDICT_GOOD;
    diag_fini(&diag);
    hw_free(text);
    return verdict;
}

/* ---- a link ---- */

struct gathering {
    struct ptx_inputs inputs;
    const char *path;
    bool is_archive;
};

static void gather_text(void *data, const char *member, char *text)
{
    struct gathering *g = data;
    char *name = member ? hw_sprintf("%s[%s]", g->path, member) : hw_strdup(g->path);
    ptx_inputs_add(&g->inputs, text, name, g->is_archive);
    hw_free(name);
}

/* What cannot be read is the linker's to complain about; machine code of a GPU in it takes no part here. */
static void gather(struct gathering *g, const char *path)
{
    size_t n;
    struct diag unused = { 0 };
    char *image = hw_file_read(path, &n);
    if (image) {
        g->path = path;
        g->is_archive = ptx_is_archive(image, n);
        ptx_object_texts(image, n, ANY_CC, &unused, gather_text, g);
    }
    diag_fini(&unused);
    hw_free(image);
}

bool cc_verify_link(const struct cli_args *files, struct cli_args *needed)
{
    struct gathering g = { 0 };
    struct hw_str merged = { 0 };
    struct diag diag = { 0 };
    HW_VEC(const char *) texts = { 0 };
    for (size_t i = 0; i < files->w.n; i++)
        gather(&g, files->w.v[i]);
    ptx_inputs_take(&g.inputs);
    for (size_t i = 0; i < g.inputs.v.n; i++) {
        const struct ptx_input *input = &g.inputs.v.v[i];
        if (input->taken)
            hw_vec_push(&texts, input->text);
        if (input->taken && input->is_member)
            cli_add(needed, input->name);
    }
    bool ok = texts.n == 0 || (ptx_merge(texts.v, texts.n, &merged, &diag) && check_text(merged.s, false, &diag));
    if (diag.text.n)
        print_messages(&diag, merged.s ? merged.s : "", "device link");
    hw_vec_fini(&texts);
    hw_str_fini(&merged);
    diag_fini(&diag);
    ptx_inputs_fini(&g.inputs);
    return ok;
}
