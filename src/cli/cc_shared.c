/* SPDX-License-Identifier: Apache-2.0 */
/*
 * __shared__ variables of types whose constructors do something. nvcc warns that nobody calls these, clang takes it for an error. A source with such
 * a variable is compiled once more from a copy in which   __shared__ T name[4];   is a reference to room that no constructor is asked for
 * (include/hostwarp/shared_room.h), and from such copies of headers. clang's messages say where; lines stay as they are.
 */
#define _GNU_SOURCE
#include "cli/cc.h"

#include "base/os.h"
#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool cc_place_of(const char *said, const char *p, struct cc_place *out)
{
    const char *begin = p, *colon;
    while (begin > said && begin[-1] != '\n')
        begin--;
    while (*begin == '\033' && strchr(begin, 'm'))
        begin = strchr(begin, 'm') + 1;
    for (colon = begin; colon < p && !(*colon == ':' && isdigit((unsigned char)colon[1])); colon++)
        ;
    if (colon >= p || colon == begin)
        return false;
    char *behind;
    *out = (struct cc_place){ .file = hw_strndup(begin, (size_t)(colon - begin)), .line = (int)strtol(colon + 1, &behind, 10) };
    out->column = *behind == ':' ? atoi(behind + 1) : 0;
    return true;
}

void cc_shared_fini(struct cc_places *places)
{
    for (size_t i = 0; i < places->n; i++)
        hw_free(places->v[i].file);
    hw_vec_fini(places);
}

bool cc_shared_places(const char *said, struct cc_places *out)
{
    static const char wanted[] = "initialization is not supported for __shared__ variables";
    struct cc_place place;
    out->n = 0;
    for (const char *p = said; (p = strstr(p, "error: ")); p++) {
        if (!memmem(p, strcspn(p, "\n"), wanted, sizeof wanted - 1) || !cc_place_of(said, p, &place)) {
            cc_shared_fini(out);
            return false;
        }
        hw_vec_push(out, place);
    }
    return out->n > 0;
}

/* Behind a comment or literal that begins at p; p itself where none does. */
static const char *skip_text(const char *p)
{
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*')
        return strstr(p + 2, "*/") ? strstr(p + 2, "*/") + 2 : p + strlen(p);
    if (*p != '"' && !(*p == '\'' && !isxdigit((unsigned char)p[-1])))
        return p;
    const char *q = p + 1;
    for (; *q && *q != *p && *q != '\n'; q++)
        q += *q == '\\' && q[1];
    return *q ? q + 1 : q;
}

/* A piece of a declaration: up to the next `,` or `;` outside of all brackets. */
static const char *piece_end(const char *p)
{
    for (int depth = 0; *p && !(depth == 0 && (*p == ',' || *p == ';')); p++)
        depth += *p == '(' || *p == '[' || *p == '{' || *p == '<' ? 1 : *p == ')' || *p == ']' || *p == '}' || *p == '>' ? -1 : 0;
    return p;
}

/* alignas(N), __align__(N) and _Alignas(N) at p: N goes to out. Behind it; p itself: none. */
static const char *take_alignment(const char *p, char **out)
{
    static const char *const words[] = { "alignas", "_Alignas", "__align__" };
    for (size_t i = 0; i < HW_LEN(words); i++) {
        const char *q = p + strlen(words[i]);
        if (strncmp(p, words[i], strlen(words[i])) != 0 || is_word(*q))
            continue;
        q += strspn(q, " \t");
        const char *end = *q == '(' ? strchr(q, ')') : NULL;
        if (!end)
            return p;
        hw_free(*out);
        *out = hw_strndup(q, (size_t)(end + 1 - q));
        return end + 1;
    }
    return p;
}

/* Where the sizes of an array begin in a piece, or its end. */
static const char *sizes_of(const char *p, const char *end)
{
    for (int depth = 0; p < end; p++) {
        if (*p == '[' && depth == 0)
            return p;
        depth += *p == '<' || *p == '(' ? 1 : *p == '>' || *p == ')' ? -1 : 0;
    }
    return end;
}

/* One variable: type, then `name[4]` from p to end. False: it is written in another way. */
static bool write_room(const char *type, size_t type_n, const char *p, const char *end, const char *alignment, int number, struct hw_str *out)
{
    const char *sizes = sizes_of(p, end), *name_end = sizes;
    while (name_end > p && isspace((unsigned char)name_end[-1]))
        name_end--;
    const char *name = name_end;
    while (name > p && is_word(name[-1]))
        name--;
    if (name == name_end || isdigit((unsigned char)*name) || memchr(name, '=', (size_t)(end - name)) || memchr(name, '(', (size_t)(end - name)) ||
        memchr(name, '{', (size_t)(end - name)))
        return false;
    if (!type)
        type = p, type_n = (size_t)(name - p);
    hw_str_printf(out, "struct __hw_room_%d {}; auto &%.*s = ::hostwarp::shared_room<%.*s %.*s, __hw_room_%d, %s>();", number,
                  (int)(name_end - name), name, (int)type_n, type, (int)(end - sizes), sizes, number, alignment ? alignment : "1");
    return true;
}

/* The word `static` in front of __shared__ says nothing, and nothing it could say is left. */
static void drop_static(struct hw_str *out)
{
    size_t n = out->n;
    while (n && isspace((unsigned char)out->s[n - 1]))
        n--;
    if (n >= 6 && strncmp(out->s + n - 6, "static", 6) == 0 && (n == 6 || !is_word(out->s[n - 7])))
        memset(out->s + n - 6, ' ', 6);
}

/* The declaration whose word __shared__ ends at p. number: variables before it. Behind its semicolon; NULL: left as it is. */
static const char *write_declaration(const char *p, int *number, struct hw_str *out)
{
    struct hw_str rooms = { 0 };
    char *alignment = NULL;
    const char *type = NULL, *end = NULL, *next;
    size_t type_n = 0;
    for (p += strspn(p, " \t\r\n"); (next = take_alignment(p, &alignment)) != p || strncmp(p, "static ", 7) == 0; p += strspn(p, " \t\r\n"))
        p = next != p ? next : p + 7;
    for (bool good = true; good; p = end + 1) {
        end = piece_end(p);
        good = *end && write_room(type, type_n, p, end, alignment, (*number)++, &rooms);
        if (!type && good) {                     /* the others have the type of the first */
            const char *name = sizes_of(p, end);
            while (name > p && isspace((unsigned char)name[-1]))
                name--;
            while (name > p && is_word(name[-1]))
                name--;
            type = p;
            type_n = (size_t)(name - p);
        }
        if (!good || *end == ';') {
            end = good ? end + 1 : NULL;
            break;
        }
    }
    if (end) {
        drop_static(out);
        hw_str_add(out, rooms.s, rooms.n);
    }
    hw_str_fini(&rooms);
    hw_free(alignment);
    return end;
}

static bool wanted_between(const struct cc_places *places, const char *file, int from, int to)
{
    for (size_t i = 0; i < places->n; i++)
        if (!places->v[i].round && !places->v[i].pragma && places->v[i].line >= from && places->v[i].line <= to && strcmp(places->v[i].file, file) == 0)
            return true;
    return false;
}

static int lines_in(const char *p, const char *end)
{
    int n = 0;
    for (; p < end; p++)
        n += *p == '\n';
    return n;
}

bool cc_shared_copy(const char *file, const struct cc_places *places, const char *copy)
{
    static const char word[] = "__shared__";
    char *text = hw_file_read(file, NULL);
    struct hw_str out = { 0 };
    int line = 1, number = 0;
    for (const char *p = text, *next; p && *p; p = next) {
        if ((next = p > text ? skip_text(p) : p) == p) {
            next = p + 1;
            bool here = strncmp(p, word, sizeof word - 1) == 0 && !is_word(p[sizeof word - 1]) && (p == text || !is_word(p[-1]));
            const char *end = here ? strchr(p, ';') : NULL;
            if (end && wanted_between(places, file, line, line + lines_in(p, end))) {
                const char *behind = write_declaration(p + sizeof word - 1, &number, &out);
                for (int n = behind ? lines_in(p, behind) : 0; n > 0; n--)
                    hw_str_puts(&out, "\n");
                if (behind) {
                    line += lines_in(p, behind);
                    p = next = behind;
                    continue;
                }
            }
        }
        line += lines_in(p, next);
        hw_str_add(&out, p, (size_t)(next - p));
    }
    cc_pragma_mark(&out, file, places);
    cc_sides_mark(&out, file, places);
    bool ok = text && hw_file_write(copy, out.s, out.n);
    hw_str_fini(&out);
    hw_free(text);
    return ok;
}
