/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linking on the level of text. Every text is cut into its top-level statements. Names without .visible, .weak or .extern
 * belong to their text and get its number; of the others one definition stays. The result has all prototypes first, then the
 * variables, then the functions, so that nothing is used before it is declared.
 */
#include "ptx/merge.h"

#include "base/hash.h"
#include "base/vec.h"

#include <ctype.h>
#include <stdlib.h>

enum kind { KIND_OTHER, KIND_VARIABLE, KIND_PROTOTYPE, KIND_FUNCTION };
enum linkage { LINK_LOCAL, LINK_EXTERN, LINK_WEAK, LINK_STRONG };

struct statement {
    const char *at;
    size_t bytes;
    size_t text;                 /* which text it is from */
    enum kind kind;
    enum linkage linkage;
    const char *name;            /* not zero-ended */
    size_t name_bytes;
    bool refers;                 /* a variable whose first value holds an address */
};

struct merge {
    HW_VEC(struct statement) all;
    struct hw_map *locals;       /* of each text: its own names */
    struct hw_map winners;       /* shared name -> index + 1 of the statement that defines it */
    struct hw_map prototypes;    /* names whose prototype has been written */
    struct diag *diag;
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

static const char *skip_space(const char *p)
{
    for (;;) {
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else {
            return p;
        }
    }
}

static const char *skip_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : p;
}

/* Over a comment, a string, or one character. */
static const char *step(const char *p)
{
    const char *next = *p == '/' && (p[1] == '/' || p[1] == '*') ? skip_space(p) : *p == '"' ? skip_string(p) : p + 1;
    return next > p ? next : p + 1;
}

static bool word_is(const char *p, size_t n, const char *word) { return strlen(word) == n && memcmp(p, word, n) == 0; }

/* Reads what comes before the name: linkage, and whether it is a function. Sets the name. */
static void read_head(struct statement *s)
{
    const char *p = s->at, *end = s->at + s->bytes;
    bool function = false;
    while ((p = skip_space(p)) < end) {
        const char *word = p;
        if (*p == '(') {                                         /* return values, or .attribute(...) */
            while (p < end && *p != ')')
                p++;
            p++;
            continue;
        }
        for (p += *p == '.'; p < end && is_word(*p); p++)
            ;
        size_t n = (size_t)(p - word);
        if (n == 0)
            return;
        if (word[0] == '.') {
            function |= word_is(word, n, ".func") || word_is(word, n, ".entry");
            if (word_is(word, n, ".extern"))
                s->linkage = LINK_EXTERN;
            else if (word_is(word, n, ".visible"))
                s->linkage = LINK_STRONG;
            else if (word_is(word, n, ".weak") || word_is(word, n, ".common"))
                s->linkage = LINK_WEAK;
            else if (word_is(word, n, ".global") || word_is(word, n, ".const") || word_is(word, n, ".shared"))
                s->kind = KIND_VARIABLE;
        } else if (!isdigit((unsigned char)word[0])) {
            s->name = word;
            s->name_bytes = n;
            if (function)
                s->kind = memchr(s->at, '{', s->bytes) ? KIND_FUNCTION : KIND_PROTOTYPE;
            return;
        }
    }
}

/* Does the first value of a variable name something? */
static bool refers_to_names(const struct statement *s)
{
    const char *p = memchr(s->at, '=', s->bytes), *end = s->at + s->bytes;
    bool in_word = false;
    for (; p && p < end; p++) {
        if (!in_word && (isalpha((unsigned char)*p) || *p == '_' || *p == '$'))
            return true;
        in_word = is_word(*p);
    }
    return false;
}

/* The end of the statement at p. */
static const char *statement_end(const char *p)
{
    bool braces_end = false;
    int depth = 0;
    if (strncmp(p, ".file", 5) == 0 || strncmp(p, ".loc", 4) == 0)
        return p + strcspn(p, "\n");
    while (*p) {
        if (*p == '.' && (strncmp(p, ".func", 5) == 0 || strncmp(p, ".entry", 6) == 0 || strncmp(p, ".section", 8) == 0))
            braces_end = true;
        depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
        if ((*p == ';' || (*p == '}' && braces_end)) && depth == 0)
            return p + 1;
        p = step(p);
    }
    return p;
}

/* The three directives that open every text go; their values are looked at elsewhere. */
static bool is_header(const char *p)
{
    return strncmp(p, ".version", 8) == 0 || strncmp(p, ".target", 7) == 0 || strncmp(p, ".address_size", 13) == 0;
}

static void cut(struct merge *m, const char *text, size_t number)
{
    const char *p = text;
    while (*(p = skip_space(p))) {
        if (is_header(p)) {
            p += strcspn(p, "\n");
            continue;
        }
        const char *end = statement_end(p);
        struct statement s = {.at = p, .bytes = (size_t)(end - p), .text = number};
        read_head(&s);
        s.refers = s.kind == KIND_VARIABLE && refers_to_names(&s);
        if (s.name && s.kind != KIND_OTHER && s.linkage == LINK_LOCAL)
            hw_map_set(&m->locals[number], s.name, s.name_bytes, m);
        hw_vec_push(&m->all, s);
        p = end;
    }
}

/* Which of several definitions stays: a strong one, else the first weak one. */
static bool choose(struct merge *m)
{
    bool ok = true;
    for (size_t i = 0; i < m->all.n; i++) {
        const struct statement *s = &m->all.v[i];
        if ((s->kind != KIND_VARIABLE && s->kind != KIND_FUNCTION) || s->linkage < LINK_WEAK)
            continue;
        size_t before = (size_t)(uintptr_t)hw_map_get(&m->winners, s->name, s->name_bytes);
        bool had_strong = before && m->all.v[before - 1].linkage == LINK_STRONG;
        if (had_strong && s->linkage == LINK_STRONG) {
            diag_error(m->diag, 0, 0, "%.*s is defined twice", (int)s->name_bytes, s->name);
            ok = false;
        }
        if (!before || (!had_strong && s->linkage == LINK_STRONG))
            hw_map_set(&m->winners, s->name, s->name_bytes, (void *)(uintptr_t)(i + 1));
    }
    return ok;
}

/* Is the next number one of a file? .file 1, .loc 1 20 5, inlined_at 1 34 9 */
static bool names_file(const char *word, size_t n, bool dot)
{
    return (dot && ((n == 4 && memcmp(word, "file", 4) == 0) || (n == 3 && memcmp(word, "loc", 3) == 0))) || (n == 10 && memcmp(word, "inlined_at", 10) == 0);
}

/* Names of its own text get the text's number, and so do labels of .debug_str; files of each text have their own thousand. */
static void write_word(struct merge *m, const struct statement *s, const char *word, size_t n, bool file, struct hw_str *out)
{
    static const char label[] = "$L__info_string";
    if (file && s->text) {
        hw_str_printf(out, "%lu", strtoul(word, NULL, 10) + 1024 * s->text);
        return;
    }
    hw_str_add(out, word, n);
    if (s->text && (hw_map_get(&m->locals[s->text], word, n) || (n > sizeof label && memcmp(word, label, sizeof label - 1) == 0)))
        hw_str_printf(out, "$m%zu", s->text);
}

static void write(struct merge *m, const struct statement *s, struct hw_str *out)
{
    const char *p = s->at, *end = s->at + s->bytes;
    bool file = false;
    while (p < end) {
        if (is_word(*p)) {
            const char *word = p;
            while (p < end && is_word(*p))
                p++;
            write_word(m, s, word, (size_t)(p - word), file, out);
            file = names_file(word, (size_t)(p - word), word > s->at && word[-1] == '.');
        } else {
            const char *next = step(p);
            hw_str_add(out, p, (size_t)(next - p));
            p = next;
        }
    }
    hw_str_puts(out, "\n");
}

static bool first_prototype(struct merge *m, const struct statement *s)
{
    if (s->linkage == LINK_LOCAL)
        return true;
    if (hw_map_get(&m->prototypes, s->name, s->name_bytes))
        return false;
    hw_map_set(&m->prototypes, s->name, s->name_bytes, m);
    return true;
}

/* An extern variable that nobody defines stays: whoever loads the result says so with its name. */
static bool stays(struct merge *m, const struct statement *s, size_t index)
{
    size_t winner = s->linkage == LINK_LOCAL ? 0 : (size_t)(uintptr_t)hw_map_get(&m->winners, s->name, s->name_bytes);
    return s->linkage == LINK_LOCAL || (winner ? winner == index + 1 : first_prototype(m, s));
}

static void write_all(struct merge *m, enum kind kind, bool refers, struct hw_str *out)
{
    for (size_t i = 0; i < m->all.n; i++) {
        const struct statement *s = &m->all.v[i];
        if (s->kind != kind || s->refers != refers)
            continue;
        if (kind == KIND_PROTOTYPE ? first_prototype(m, s) : stays(m, s, i))
            write(m, s, out);
    }
}

/* What lines of the source need. */
static void write_lines(struct merge *m, struct hw_str *out)
{
    for (size_t i = 0; i < m->all.n; i++) {
        const struct statement *s = &m->all.v[i];
        bool strings = strncmp(s->at, ".section", 8) == 0 && strncmp(skip_space(s->at + 8), ".debug_str", 10) == 0;
        if (s->text < 1000 && (strings || strncmp(s->at, ".file", 5) == 0))
            write(m, s, out);
    }
}

/* The newest version and target of all. */
static void write_header(const char *const *texts, size_t n, struct hw_str *out)
{
    double version = 6.0;
    int sm = 50;
    for (size_t i = 0; i < n; i++) {
        const char *v = strstr(texts[i], ".version"), *t = strstr(texts[i], ".target");
        const char *number = t ? strstr(t, "sm_") : NULL;
        if (v && strtod(v + 8, NULL) > version)
            version = strtod(v + 8, NULL);
        if (number && atoi(number + 3) > sm)
            sm = atoi(number + 3);
    }
    hw_str_printf(out, ".version %.1f\n.target sm_%d\n.address_size 64\n", version, sm);
}

bool ptx_merge(const char *const *texts, size_t n, struct hw_str *out, struct diag *diag)
{
    struct merge m = {.diag = diag};
    m.locals = hw_alloc((n + 1) * sizeof *m.locals);
    for (size_t i = 0; i < n; i++)
        cut(&m, texts[i], i);
    bool ok = choose(&m);
    if (ok) {
        write_header(texts, n, out);
        write_all(&m, KIND_PROTOTYPE, false, out);
        write_all(&m, KIND_VARIABLE, false, out);
        write_all(&m, KIND_VARIABLE, true, out);
        write_all(&m, KIND_FUNCTION, false, out);
        write_lines(&m, out);
    }
    for (size_t i = 0; i < n; i++)
        hw_map_fini(&m.locals[i]);
    hw_free(m.locals);
    hw_map_fini(&m.winners);
    hw_map_fini(&m.prototypes);
    hw_vec_fini(&m.all);
    return ok;
}
