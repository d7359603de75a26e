/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVVM IR text in the dialect of LLVM 7 made into that of LLVM 19. Pointers lose the types that they point to: `{ i32, i8* } addrspace(1)*` becomes
 * `ptr addrspace(1)`. A star outside of strings and comments ends a pointer type and is nothing else, so the type is what lies before it: the token, or what is
 * between its brackets; of a function's type also the result. byval and sret get the type that the pointer has lost.
 */
#include "nvvm/typed.h"

#include "base/vec.h"

#include <ctype.h>
#include <stdio.h>

/* Intrinsics of NVVM that LLVM does not have, or with other parameters: prelude.ll defines what they become. */
static const char *const intrinsics[] = {
    "llvm.nvvm.shfl.sync.i32", "llvm.nvvm.vote.sync", "llvm.nvvm.match.all.sync.i32", "llvm.nvvm.match.all.sync.i64",
};

struct token {
    size_t start, end;                   /* in the output */
};

struct converter {
    struct hw_str *out;
    HW_VEC(struct token) tokens;
    struct hw_str pointee;               /* of the last pointer, while its attributes may follow */
    bool ftz;
    bool defines;                        /* in the head of a function's definition, at depth 0 of brackets */
    int depth;
    bool named, had_params;              /* its name has come, its parameters are over */
    bool marked;
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '-' || c == '#' || c == '!'; }

static bool token_is(const struct converter *c, size_t i, const char *text)
{
    const struct token *t = &c->tokens.v[i];
    return t->end - t->start == strlen(text) && memcmp(c->out->s + t->start, text, t->end - t->start) == 0;
}

static void emit(struct converter *c, const char *text, size_t n)
{
    struct token t = { c->out->n, c->out->n + n };
    hw_str_add(c->out, text, n);
    hw_vec_push(&c->tokens, t);
}

/* The bracket that this one closes; 0 when there is none. */
static size_t opening(const struct converter *c, size_t i)
{
    int depth = 0;
    for (size_t at = i + 1; at-- > 0;) {
        char ch = c->out->s[c->tokens.v[at].start];
        bool one = c->tokens.v[at].end - c->tokens.v[at].start == 1;
        if (one && (ch == ')' || ch == ']' || ch == '}' || ch == '>'))
            depth++;
        else if (one && (ch == '(' || ch == '[' || ch == '{' || ch == '<') && --depth == 0)
            return at;
    }
    return 0;
}

/* `addrspace(N)` ending at token i: its first token, else i + 1. */
static size_t space_start(const struct converter *c, size_t i)
{
    return i >= 3 && token_is(c, i, ")") && token_is(c, i - 2, "(") && token_is(c, i - 3, "addrspace") ? i - 3 : i + 1;
}

/* The first token of the type that ends with token i. */
static size_t type_start(const struct converter *c, size_t i)
{
    for (;;) {
        size_t space = space_start(c, i);
        if (space <= i) {                                        /* ptr addrspace(N) */
            if (space == 0)
                return 0;
            i = space - 1;
            continue;
        }
        char ch = c->out->s[c->tokens.v[i].start];
        bool one = c->tokens.v[i].end - c->tokens.v[i].start == 1;
        if (one && (ch == ']' || ch == '}' || ch == '>'))
            return opening(c, i);
        if (!one || ch != ')')
            return i;
        size_t open = opening(c, i);
        if (open == 0)
            return 0;
        i = open - 1;                                            /* a function's: the result comes before */
    }
}

static void star(struct converter *c)
{
    if (!c->tokens.n) {
        emit(c, "*", 1);
        return;
    }
    size_t last = c->tokens.n - 1, space = space_start(c, last), end = space <= last && space > 0 ? space - 1 : last;
    char number[16] = "";
    if (end != last)
        snprintf(number, sizeof number, "%.*s", (int)(c->tokens.v[last - 1].end - c->tokens.v[last - 1].start), c->out->s + c->tokens.v[last - 1].start);
    size_t start = type_start(c, end), from = c->tokens.v[start].start;
    hw_str_fini(&c->pointee);
    hw_str_add(&c->pointee, c->out->s + from, c->tokens.v[end].end - from);
    int lines = 0;
    for (size_t i = from; i < c->out->n; i++)
        lines += c->out->s[i] == '\n';
    c->out->n = from;
    c->tokens.n = start;
    emit(c, "ptr", 3);
    if (number[0]) {
        hw_str_puts(c->out, " ");
        emit(c, "addrspace", 9);
        emit(c, "(", 1);
        emit(c, number, strlen(number));
        emit(c, ")", 1);
    }
    while (lines-- > 0)
        hw_str_puts(c->out, "\n");
}

/* A name, perhaps in quotes behind @. */
static void name(struct converter *c, const char *text, size_t n)
{
    bool quoted = n > 2 && text[1] == '"';
    c->named |= text[0] == '@' && c->depth == 0;
    const char *plain = text + 1 + quoted;
    size_t bytes = n - 1 - 2 * (size_t)quoted;
    for (size_t i = 0; i < HW_LEN(intrinsics) && text[0] == '@'; i++)
        if (strlen(intrinsics[i]) == bytes && memcmp(plain, intrinsics[i], bytes) == 0) {
            char own[80];
            emit(c, own, (size_t)snprintf(own, sizeof own, "@hostwarp.%s", intrinsics[i]));
            return;
        }
    emit(c, text, n);
}

static bool is_text(const char *text, size_t n, const char *word) { return strlen(word) == n && memcmp(text, word, n) == 0; }

/* After the parameters, and what may stand between them and the attributes, is the place for one more attribute. */
static void mark_ftz(struct converter *c, const char *text, size_t n)
{
    if (!c->ftz || !c->defines || !c->had_params || c->marked || is_text(text, n, "unnamed_addr") || is_text(text, n, "local_unnamed_addr"))
        return;
    hw_str_puts(c->out, "\"denormal-fp-math-f32\"=\"preserve-sign\" ");
    c->marked = true;
}

static void word(struct converter *c, const char *text, size_t n, char next)
{
    mark_ftz(c, text, n);
    if (is_text(text, n, "define")) {
        c->defines = true;
        c->named = c->had_params = c->marked = false;
        c->depth = 0;
    }
    emit(c, text, n);
    bool wants_type = is_text(text, n, "byval") || is_text(text, n, "sret") || is_text(text, n, "inalloca");
    if (wants_type && next != '(' && c->pointee.n)
        hw_str_printf(c->out, "(%s)", c->pointee.s);
}

static void bracket(struct converter *c, char ch)
{
    if (c->defines && (ch == '{' && c->depth == 0 && c->had_params)) {
        mark_ftz(c, "{", 1);
        c->defines = false;
    }
    if (ch == '(' || ch == '[' || ch == '{' || ch == '<')
        c->depth++;
    if (ch == ')' || ch == ']' || ch == '}' || ch == '>')
        c->depth--;
    if (c->defines && ch == ')' && c->depth == 0)
        c->had_params = c->named;                                /* the first brackets behind the name, not those of its result */
    if (ch == ',' || ch == '(')
        hw_str_fini(&c->pointee);
    emit(c, &ch, 1);
}

/* The end of a string that begins at p. */
static const char *string_end(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        ;
    return *p ? p + 1 : p;
}

void nvvm_text_convert(const char *text, bool ftz, struct hw_str *out)
{
    struct converter c = { .out = out, .ftz = ftz };
    hw_str_puts(out, "");
    for (const char *p = text; *p;) {
        const char *end = p;
        if (isspace((unsigned char)*p)) {
            hw_str_add(out, p++, 1);
        } else if (*p == ';') {
            size_t n = strcspn(p, "\n");
            hw_str_add(out, p, n);
            p += n;
        } else if (*p == '"') {
            end = string_end(p);
            mark_ftz(&c, p, (size_t)(end - p));
            emit(&c, p, (size_t)(end - p));
            p = end;
        } else if (*p == '%' || *p == '@' || (*p == '!' && p[1] == '"')) {
            end = p[1] == '"' ? string_end(p + 1) : p + 1;
            while (p[1] != '"' && is_word(*end))
                end++;
            name(&c, p, (size_t)(end - p));
            p = end;
        } else if (is_word(*p)) {
            while (is_word(*end))
                end++;
            const char *next = end + strspn(end, " \t");
            word(&c, p, (size_t)(end - p), *next);
            p = end;
        } else if (*p == '*') {
            star(&c);
            p++;
        } else {
            bracket(&c, *p++);
        }
        if (!c.depth && *p == '\n' && !c.defines)                /* no type reaches over statements */
            c.tokens.n = 0;
    }
    hw_str_fini(&c.pointee);
    hw_vec_fini(&c.tokens);
}
