/* SPDX-License-Identifier: Apache-2.0 */
/* Walking over tokens, and saying what is wrong with them. */
#include "ptx/parse.h"

#include "ptx/forms.h"

#include <stdio.h>

void ptx_advance(struct ptx_parser *p)
{
    p->n_semicolons += ptx_is_punct(p, ';');
    ptx_lex_next(&p->lx, &p->tok);
}

bool ptx_error_at(struct ptx_parser *p, int line, int col, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    diag_error(p->diag, line, col, "%s", text);
    return false;
}

bool ptx_error(struct ptx_parser *p, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (p->tok.kind == PTX_T_BAD)
        return false;            /* the lexer has said it */
    if (p->tok.kind == PTX_T_EOF)
        diag_error(p->diag, p->tok.line, p->tok.col, "%s (the text ends here)", text);
    else
        diag_error(p->diag, p->tok.line, p->tok.col, "%s (at '%s%.*s')", text, p->tok.kind == PTX_T_DOT ? "." : "",
                   (int)hw_min_u64(p->tok.n, 60), p->tok.text);
    return false;
}

bool ptx_is_dot(const struct ptx_parser *p, const char *word)
{
    return p->tok.kind == PTX_T_DOT && strlen(word) == p->tok.n && memcmp(word, p->tok.text, p->tok.n) == 0;
}

bool ptx_accept(struct ptx_parser *p, int ch)
{
    if (!ptx_is_punct(p, ch))
        return false;
    ptx_advance(p);
    return true;
}

bool ptx_accept_dot(struct ptx_parser *p, const char *word)
{
    if (!ptx_is_dot(p, word))
        return false;
    ptx_advance(p);
    return true;
}

bool ptx_expect(struct ptx_parser *p, int ch)
{
    return ptx_accept(p, ch) || ptx_error(p, "expected '%c'", ch);
}

bool ptx_expect_name(struct ptx_parser *p, const char *what, struct ptx_token *out)
{
    if (p->tok.kind != PTX_T_NAME)
        return ptx_error(p, "expected the name of %s", what);
    *out = p->tok;
    ptx_advance(p);
    return true;
}

enum ptx_type ptx_token_type(const struct ptx_parser *p)
{
    struct ptx_word w;
    if (p->tok.kind != PTX_T_DOT)
        return PTX_NOTYPE;
    ptx_find_word(p->tok.text, p->tok.n, &w);
    if (w.type && w.type != PTX_PRED && ptx_type_bits(w.type) < 8)
        return PTX_NOTYPE;                                /* s4, u4, b1: elements of matrices, nothing that can be declared */
    return w.type;
}

void ptx_skip_statement(struct ptx_parser *p)
{
    while (p->tok.kind != PTX_T_EOF && !ptx_is_punct(p, '}')) {
        bool end = ptx_is_punct(p, ';');
        ptx_advance(p);
        if (end)
            return;
    }
}
