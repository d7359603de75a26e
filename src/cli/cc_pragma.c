/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros that stand for a directive:   #define UNROLL #pragma unroll   . nvcc reads what its preprocessor wrote once more, and finds the pragma; clang reads
 * once, and finds a `#` where none may be. A source with such a macro is compiled once more from a copy, and from copies of headers, in which it stands for
 * _Pragma("unroll"). clang's notes say where; lines stay as they are.
 */
#define _GNU_SOURCE
#include "cli/cc.h"

#include "base/os.h"
#include "base/str.h"

#include <ctype.h>

static const char *blanks(const char *p) { return p + strspn(p, " \t"); }

/* The `#` of the directive that the macro defined on this line stands for; NULL: it stands for something else, or goes on in the next line. */
static const char *directive(const char *line)
{
    const char *p = blanks(line), *end = line + strcspn(line, "\n");
    if (*p != '#' || strncmp(p = blanks(p + 1), "define", 6) != 0 || !isblank((unsigned char)p[6]))
        return NULL;
    for (p = blanks(p + 6); isalnum((unsigned char)*p) || *p == '_'; p++)
        ;
    const char *hash = blanks(p);
    if (hash == p || *hash != '#' || strncmp(p = blanks(hash + 1), "pragma", 6) != 0 || !isblank((unsigned char)p[6]) || end[-1] == '\\')
        return NULL;
    return hash;
}

static const char *line_of(const char *text, int line)
{
    for (; text && line > 1; line--)
        if ((text = strchr(text, '\n')))
            text++;
    return text;
}

static bool is_new(const struct cc_places *places, const struct cc_place *p)
{
    for (size_t i = 0; i < places->n; i++)
        if (places->v[i].pragma && places->v[i].line == p->line && strcmp(places->v[i].file, p->file) == 0)
            return false;
    return true;
}

bool cc_pragma_places(const char *said, struct cc_places *places)
{
    size_t before = places->n;
    for (const char *p = said; (p = strstr(p, "note: expanded from macro ")); p++) {
        struct cc_place place;
        if (!cc_place_of(said, p, &place))
            continue;
        char *text = hw_file_read(place.file, NULL);
        const char *line = line_of(text, place.line);
        place.pragma = line && directive(line);
        if (place.pragma && is_new(places, &place))
            hw_vec_push(places, place);
        else
            hw_free(place.file);
        hw_free(text);
    }
    return places->n > before;
}

/* A comment behind the directive is no part of it. */
static void rewrite(struct hw_str *text, int line)
{
    const char *at = line_of(text->s, line), *hash = at ? directive(at) : NULL;
    if (!hash)
        return;
    struct hw_str out = { 0 };
    const char *p = blanks(blanks(hash + 1) + 6), *end = p;
    while (*end && *end != '\n' && !(end[0] == '/' && (end[1] == '/' || end[1] == '*')))
        end++;
    hw_str_add(&out, text->s, (size_t)(hash - text->s));
    hw_str_puts(&out, "_Pragma(\"");
    for (; p < end; p++)
        hw_str_printf(&out, *p == '"' || *p == '\\' ? "\\%c" : *p == '\r' ? "" : "%c", *p);
    hw_str_puts(&out, "\") ");
    hw_str_puts(&out, end);
    hw_str_fini(text);
    *text = out;
}

void cc_pragma_mark(struct hw_str *text, const char *file, const struct cc_places *places)
{
    for (size_t i = 0; text->s && i < places->n; i++)
        if (places->v[i].pragma && strcmp(places->v[i].file, file) == 0)
            rewrite(text, places->v[i].line);
}
