/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separately compiled device code (-rdc=true, -dc, -dlink). clang makes every such file call a function that only a device
 * linker can supply, __cudaRegisterLinkedBinary_ID. Here that function hands the file's PTX to the runtime, in one group for
 * the program or library being linked; the PTX itself is linked when the program first uses it.
 */
#include "cli/cc.h"

#include "base/hash.h"
#include "base/os.h"
#include "base/str.h"
#include "lower/lower.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define PREFIX "__cudaRegisterLinkedBinary"

static void add_quoted(struct hw_str *out, const char *word)
{
    hw_str_puts(out, " '");
    for (; *word; word++)
        hw_str_printf(out, *word == '\'' ? "'\\''" : "%c", *word);
    hw_str_puts(out, "'");
}

/* -lx: the archive it will mean, if there is one in the folders that were named. */
static void add_library(struct cli_args *out, const struct cc_job *job, const char *name)
{
    for (size_t i = 0; i < job->link.w.n; i++) {
        const char *dir = job->link.w.v[i];
        if (strncmp(dir, "-L", 2) != 0)
            continue;
        char *path = hw_sprintf("%s/lib%s.a", dir + 2, name);
        if (access(path, R_OK) == 0)
            cli_add(out, path);
        hw_free(path);
    }
}

/* Members of archives that only device code needs: the host's linker takes them when somebody names the variable that clang defines in each. */
static void write_use(FILE *out, const char *wrapper)
{
    static const char prefix[] = "__fatbinwrap";
    if (strncmp(wrapper, prefix, sizeof prefix - 1) == 0)
        fprintf(out, "extern char %s; __attribute__((used)) static char *const use_%s = &%s;\n", wrapper, wrapper, wrapper);
}

static bool is_among(const struct cli_args *list, const char *word)
{
    for (size_t i = 0; i < list->w.n; i++)
        if (strcmp(list->w.v[i], word) == 0)
            return true;
    return false;
}

/* Runs nm over the inputs and writes one function for each name that is wanted and not there. Returns how many, -1 on failure. */
static int write_functions(const char *names_of, const struct cli_args *needed, FILE *out)
{
    bool is_needed = false;
    struct hw_map defined = { 0 }, written = { 0 };
    HW_VEC(char *) wanted = { 0 };
    char line[4096], name[2048], type;
    FILE *in = popen(names_of, "r");
    int n = in ? 0 : -1;
    while (in && fgets(line, sizeof line, in)) {
        size_t length = strcspn(line, "\n");
        if (length > 2 && strncmp(line + length - 2, "]:", 2) == 0) {    /* FILE[MEMBER]: */
            line[length - 1] = 0;
            is_needed = is_among(needed, line);
        } else if (is_needed && sscanf(line, "%2047s %c", name, &type) == 2 && type == 'D') {
            write_use(out, name);
        }
        if (strncmp(line, PREFIX, strlen(PREFIX)) != 0 || sscanf(line, "%2047s %c", name, &type) != 2)
            continue;
        if (type == 'U')
            hw_vec_push(&wanted, hw_strdup(name));
        else
            hw_map_set_str(&defined, name, out);
    }
    if (in)
        pclose(in);
    for (size_t i = 0; i < wanted.n; i++) {
        if (!hw_map_get_str(&defined, wanted.v[i]) && !hw_map_get_str(&written, wanted.v[i])) {
            fprintf(out, "void %s(void (*names)(void **), void *code, void *id, void (*unused)(void *))\n"
                         "{ hostwarp_register_linked(&group, names, code); }\n", wanted.v[i]);
            hw_map_set_str(&written, wanted.v[i], out);
            n++;
        }
        hw_free(wanted.v[i]);
    }
    hw_vec_fini(&wanted);
    hw_map_fini(&defined);
    hw_map_fini(&written);
    return n;
}

void cc_dlink_files(const struct cc_job *job, const struct cli_args *objects, struct cli_args *out)
{
    for (size_t i = 0; i < objects->w.n; i++) {
        const char *word = objects->w.v[i];
        size_t n = strlen(word);
        if (strncmp(word, "-l", 2) == 0)
            add_library(out, job, word + 2);
        else if (word[0] != '-' && n > 2 && (strcmp(word + n - 2, ".o") == 0 || strcmp(word + n - 2, ".a") == 0))
            cli_add(out, word);
    }
}

int cc_dlink_source(const struct cli_args *files, const struct cli_args *needed, const char *out_path)
{
    struct hw_str command = { 0 };
    bool any = files->w.n > 0;
    hw_str_puts(&command, "nm -P");
    for (size_t i = 0; i < files->w.n; i++)
        add_quoted(&command, files->w.v[i]);
    hw_str_puts(&command, " 2>/dev/null");
    FILE *out = any ? fopen(out_path, "w") : NULL;
    int n = any ? -1 : 0;
    if (out) {
        fprintf(out, "void hostwarp_register_linked(void ***group, void (*names)(void **), void *code);\nstatic void **group;\n");
        n = write_functions(command.s, needed, out);
        fclose(out);
    } else if (any) {
        cli_error("cannot write %s: %s", out_path, strerror(errno));
    }
    hw_str_fini(&command);
    return n;
}

static bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$'; }

/* The full name of what p names, when the text defines it with clang's ending for static variables; NULL otherwise. */
static const char *static_name(const char *text, const char *p, size_t n, size_t *out_n)
{
    char *wanted = hw_sprintf("%.*s__static__", (int)n, p);
    const char *at = strstr(text, wanted);
    while (at && at > text && is_word(at[-1]))
        at = strstr(at + 1, wanted);
    hw_free(wanted);
    for (*out_n = 0; at && is_word(at[*out_n]);)
        ++*out_n;
    return at;
}

/* Behind the declaration that begins at p, `.extern .func ... name (...) ;`: its semicolon. NULL: it is something else. name: where that is. */
static const char *declaration_end(const char *p, const char **name, size_t *n)
{
    const char *end = strchr(p, ';'), *q = p + strlen(".extern .func");
    q += strspn(q, " \t\r\n");
    if (*q == '(')                                               /* the result */
        q = strchr(q, ')') ? strchr(q, ')') + 1 : q;
    q += strspn(q, " \t\r\n");
    *name = q;
    for (*n = 0; is_word(q[*n]);)
        ++*n;
    return *n && end ? end : NULL;
}

bool cc_dlink_trap_ptx(const char *path)
{
    static const char declared[] = ".extern .func";
    char *text = hw_file_read(path, NULL);
    struct hw_str out = { 0 };
    const char *done = text, *name;
    size_t n;
    for (const char *p = text, *end; p && (p = strstr(p, declared)); p = end) {
        end = p + 1;
        const char *semicolon = declaration_end(p, &name, &n);
        char *plain = semicolon ? hw_strndup(name, n) : NULL;
        if (plain && !lower_is_provided(plain)) {
            hw_str_add(&out, done, (size_t)(p - done));
            hw_str_printf(&out, ".weak .func%.*s\n{\n\ttrap;\n}\n", (int)(semicolon - p - (ptrdiff_t)strlen(declared)), p + strlen(declared));
            done = end = semicolon + 1;
        }
        hw_free(plain);
    }
    if (text)
        hw_str_puts(&out, done);
    bool ok = text && hw_file_write(path, out.s, out.n);
    hw_str_fini(&out);
    hw_free(text);
    return ok;
}

bool cc_dlink_close_ptx(const char *path, const char *shown)
{
    static const char *const declared[] = { "\n.extern .global", "\n.extern .const" };
    char *text = hw_file_read(path, NULL);
    struct hw_str out = { 0 };
    const char *done = text;
    for (const char *p = text; p && (p = strstr(p, "\n.extern "));) {
        p++;
        if (strncmp(p - 1, declared[0], strlen(declared[0])) != 0 && strncmp(p - 1, declared[1], strlen(declared[1])) != 0)
            continue;
        const char *end = p + strcspn(p, "[;\n"), *name = end;
        while (name > p && is_word(name[-1]))
            name--;
        char *mangled = hw_strndup(name, (size_t)(end - name)), *plain = hw_demangle(mangled);
        if (shown)
            fprintf(stderr, "%s: warning: without -rdc=true, the extern declaration of '%s' is treated as a static definition\n", shown, plain);
        hw_str_add(&out, done, (size_t)(p - done));
        hw_str_puts(&out, ".visible");
        done = p + strlen(".extern");
        hw_free(mangled);
        hw_free(plain);
    }
    if (out.n)
        hw_str_puts(&out, done);
    bool ok = text && (!out.n || hw_file_write(path, out.s, out.n));
    hw_str_fini(&out);
    hw_free(text);
    return ok;
}

bool cc_dlink_fix_ptx(const char *path)
{
    char *text = hw_file_read(path, NULL);
    struct hw_str out = { 0 };
    bool needed = text && strstr(text, "__static__") && strstr(text, ".extern");
    for (const char *p = text; needed && *p;) {
        const char *line = p;
        size_t n = 0, full_n;
        if (strncmp(p, ".extern", 7) == 0) {                     /* gone if it declares what is defined under the longer name */
            const char *end = p + strcspn(p, ";\n");
            const char *bracket = memchr(p, '[', (size_t)(end - p)), *name = bracket ? bracket : end;
            const char *name_end = name;
            while (name > p && is_word(name[-1]))
                name--;
            if (name < name_end && static_name(text, name, (size_t)(name_end - name), &full_n)) {
                p = end + (*end == ';');
                continue;
            }
        }
        while (is_word(p[n]))
            n++;
        const char *full = n > 3 && strncmp(p, "_ZL", 3) == 0 ? static_name(text, p, n, &full_n) : NULL;
        hw_str_add(&out, full ? full : line, full ? full_n : n ? n : 1);
        p += n ? n : 1;
    }
    bool ok = !needed || hw_file_write(path, out.s, out.n);
    hw_str_fini(&out);
    hw_free(text);
    return ok;
}
