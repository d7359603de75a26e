/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches in device code, which clang does not have. A source that has some is compiled from copies which include
 * include/hostwarp/device_launch.h behind their last <header>: kernels of headers stay what they are. In the copy for the device's pass
 * every kernel<<<...>>>(...) is a call of that header; in the host's those in device code are, which do nothing there.
 */
#define _GNU_SOURCE
#include "cli/cc.h"

#include "base/hash.h"
#include "base/os.h"
#include "base/str.h"

#include <ctype.h>

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool word_at(const char *start, const char *p, const char *word)
{
    size_t n = strlen(word);
    return strncmp(p, word, n) == 0 && !is_word(p[n]) && (p == start || !is_word(p[-1]));
}

/* Behind a comment or literal that begins at p; p itself where none does. */
static const char *skip_text(const char *start, const char *p)
{
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    bool separates = *p == '\'' && p > start && isxdigit((unsigned char)p[-1]);
    if ((*p != '"' && *p != '\'') || separates)
        return p;
    const char *q = p + 1;
    for (; *q && *q != *p && *q != '\n'; q++)
        q += *q == '\\' && q[1];
    return *q ? q + 1 : q;
}

/* Where in the braces of a source we are. */
struct place {
    int braces, parens;
    int body;                    /* the depth of braces of the device function that we are in, 0: in none */
    bool announced;              /* a word has said that one follows */
};

static void move(struct place *at, const char *text, const char *p)
{
    if (word_at(text, p, "__global__") || word_at(text, p, "__device__"))
        at->announced = true;
    at->parens += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    if (*p == ';' && at->parens == 0)
        at->announced = false;
    if (*p == '{') {
        at->braces++;
        if (at->announced && at->parens == 0 && !at->body) {
            at->body = at->braces;
            at->announced = false;
        }
    }
    if (*p == '}' && at->braces-- == at->body)
        at->body = 0;
}

/* A walk over a source. Of the branches of an #if each may open braces that are closed once behind it: every branch begins with what was open before
   the first. */
struct walk {
    struct place at;
    struct place before[64];     /* the branches that are open, from the outside in */
    int depth;
    bool directive;              /* the rest of the line is the preprocessor's */
};

static bool begins_line(const char *text, const char *p)
{
    while (p > text && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    return p == text || p[-1] == '\n';
}

static void begin_directive(struct walk *w, const char *p)
{
    static const int most = HW_LEN(w->before);
    p += 1 + strspn(p + 1, " \t");
    w->directive = true;
    if (strncmp(p, "if", 2) == 0) {
        if (w->depth < most)
            w->before[w->depth] = w->at;
        w->depth++;
    } else if (w->depth && strncmp(p, "el", 2) == 0) {           /* else, elif, elifdef */
        if (w->depth <= most)
            w->at = w->before[w->depth - 1];
    } else if (w->depth && strncmp(p, "endif", 5) == 0) {
        w->depth--;
    }
}

/* p: neither in a comment nor in a literal. */
static void step(struct walk *w, const char *text, const char *p)
{
    if (*p == '#' && begins_line(text, p))
        begin_directive(w, p);
    if (*p == '\n' && !(p > text && p[-1] == '\\'))
        w->directive = false;
    if (!w->directive)
        move(&w->at, text, p);
}

/* Is there a launch inside a function for the device? */
static bool launches_in_device_code(const char *text)
{
    struct walk w = { 0 };
    for (const char *p = text, *next; *p; p = next) {
        if ((next = skip_text(text, p)) != p)
            continue;
        next = p + 1;
        step(&w, text, p);
        if (w.at.body && strncmp(p, "<<<", 3) == 0)
            return true;
    }
    return false;
}

/* Where the name of a kernel begins that ends before p: a::b<c>, from the right. */
static size_t name_begin(const char *s, size_t end)
{
    size_t i = end;
    if (i && s[i - 1] == '>') {
        int depth = 0;
        do {
            i--;
            depth += s[i] == '>' ? 1 : s[i] == '<' ? -1 : 0;
        } while (i && depth);
    }
    while (i && (is_word(s[i - 1]) || s[i - 1] == ':'))
        i--;
    return i;
}

/* Behind the launch at p, "<<<", which is written anew; the kernel's name is at the end of out. In the host's pass the name goes: no
   code is made of what the device launches, but it would be looked at. */
static const char *write_launch(const char *text, const char *p, bool host, struct hw_str *out)
{
    const char *config = p + 3, *end = config, *next;
    int parens = 0;
    while (*end && !(parens == 0 && strncmp(end, ">>>", 3) == 0)) {
        next = skip_text(text, end);
        parens += next != end ? 0 : *end == '(' ? 1 : *end == ')' ? -1 : 0;
        end = next != end ? next : end + 1;
    }
    const char *open = *end ? end + 3 + strspn(end + 3, " \t\r\n") : end;
    size_t name_end = out->n;
    while (name_end && isspace((unsigned char)out->s[name_end - 1]))
        name_end--;
    size_t begin = name_begin(out->s, name_end);
    if (*open != '(' || begin == name_end) {
        hw_str_add(out, p, 3);
        return config;
    }
    char *name = hw_strndup(out->s + begin, out->n - begin);
    bool empty = open[1 + strspn(open + 1, " \t\r\n")] == ')';
    out->n = begin;
    hw_str_printf(out, "::hostwarp_device::launch(%.*s)%.*s(", (int)(end - config), config, (int)(open - end - 3), end + 3);
    if (!host)
        hw_str_printf(out, "%s%s", name, empty ? "" : ", ");
    hw_free(name);
    return open + 1;
}

/* Where the line behind the last #include <...> begins, and its number. */
static const char *behind_includes(const char *text, int *line)
{
    const char *found = text;
    int at = 1;
    *line = 1;
    for (const char *p = text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL, at++) {
        const char *q = p + strspn(p, " \t");
        if (*q != '#')
            continue;
        q += 1 + strspn(q + 1, " \t");
        if (strncmp(q, "include", 7) == 0 && q[7 + strspn(q + 7, " \t")] == '<' && strchr(p, '\n')) {
            found = strchr(p, '\n') + 1;
            *line = at + 1;
        }
    }
    return found;
}

/* host: only launches in device code are written anew. */
static void rewrite(const char *text, bool host, struct hw_str *out)
{
    struct walk w = { 0 };
    int line;
    const char *body = behind_includes(text, &line);
    for (const char *p = text, *next; *p; p = next) {
        if (p == body) {
            hw_str_printf(out, "#include <hostwarp/device_launch.h>\n#line %d\n", line);
            body = NULL;
        }
        if ((next = skip_text(text, p)) != p) {
            hw_str_add(out, p, (size_t)(next - p));
        } else if ((w.at.body || !host) && strncmp(p, "<<<", 3) == 0) {
            next = write_launch(text, p, host, out);
            w.at.parens += !w.directive && next > p + 3;         /* its arguments' is passed */
        } else {
            step(&w, text, p);
            hw_str_add(out, p, 1);
            next = p + 1;
        }
    }
}

static bool write_copy(const char *text, bool host, const char *source, const char *copy, const char *overlay)
{
    struct hw_str out = { 0 };
    rewrite(text, host, &out);
    bool ok = hw_file_write(copy, out.s, out.n) && cc_write_overlay(source, copy, overlay);
    hw_str_fini(&out);
    return ok;
}

bool cc_launch_overlays(const char *source, const char *corrected, const struct cc_copy *host, const struct cc_copy *device)
{
    size_t n;
    char *text = hw_file_read(corrected, &n);
    bool needed = text && strstr(text, "<<<") && strlen(text) == n && launches_in_device_code(text) &&
                  write_copy(text, true, source, host->copy, host->overlay) && write_copy(text, false, source, device->copy, device->overlay);
    hw_free(text);
    return needed;
}

/* --- static kernels ---
   clang gives a static kernel an ending of the file's own, and the host asks for it by that name. Where kernels are device functions nobody does: a kernel
   of device_launch.h, which stays one, shows the ending, and is taken out. */

#define MARKER "_ZL16__hostwarp_namesv"

/* The ending behind the marker's name; NULL: there is none. */
static char *ending_of(const char *text)
{
    const char *p = strstr(text, MARKER "__");
    size_t n = 0;
    while (p && is_word(p[strlen(MARKER) + n]))
        n++;
    return n ? hw_strndup(p + strlen(MARKER), n) : NULL;
}

/* Behind the definition or declaration of the marker that begins in this line; p itself: none does. */
static const char *skip_marker(const char *p)
{
    static const char marker[] = ".entry " MARKER;
    const char *entry = memmem(p, strcspn(p, "\n"), marker, sizeof marker - 1);
    const char *end = entry ? strpbrk(entry, "{;") : NULL;
    if (end && *end == '{')
        end = strchr(end, '}');
    return end ? end + 1 : p;
}

/* The name of a kernel that only this file can see, where its definition or declaration begins. */
static const char *hidden_kernel(const char *text, const char *p, size_t *n)
{
    static const char word[] = ".entry ";
    if (strncmp(p, word, sizeof word - 1) != 0 || (p > text && p[-1] != '\n'))
        return NULL;
    const char *name = p + sizeof word - 1;
    for (*n = 0; is_word(name[*n]) || name[*n] == '$';)
        ++*n;
    return *n ? name : NULL;
}

bool cc_launch_name_kernels(const char *path)
{
    char *text = hw_file_read(path, NULL), *ending = text ? ending_of(text) : NULL;
    struct hw_map hidden = { 0 };
    struct hw_str out = { 0 };
    size_t n;
    for (const char *p = text, *name; ending && (p = strstr(p, ".entry ")); p++)
        if ((name = hidden_kernel(text, p, &n))) {
            char *plain = hw_strndup(name, n);
            hw_map_set_str(&hidden, plain, text);
            hw_free(plain);
        }
    for (const char *p = text, *next; ending && *p; p = next) {
        if ((p == text || p[-1] == '\n') && (next = skip_marker(p)) != p)
            continue;
        for (n = 0; is_word(p[n]) || p[n] == '$';)
            n++;
        char *word = n ? hw_strndup(p, n) : NULL;
        next = p + (n ? n : 1);
        if (hidden_kernel(text, p, &(size_t){ 0 }))
            hw_str_puts(&out, ".visible ");
        hw_str_add(&out, p, (size_t)(next - p));
        if (word && hw_map_get_str(&hidden, word))
            hw_str_puts(&out, ending);
        hw_free(word);
    }
    bool ok = text && (!ending || hw_file_write(path, out.s, out.n));
    hw_map_fini(&hidden);
    hw_str_fini(&out);
    hw_free(ending);
    hw_free(text);
    return ok;
}
