/* SPDX-License-Identifier: Apache-2.0 */
/* Inside ptx/: words, numbers and punctuation of PTX text. */
#ifndef PTX_LEX_H
#define PTX_LEX_H

#include "base/diag.h"

enum ptx_token_kind {
    PTX_T_EOF,
    PTX_T_NAME,                  /* add, %r1, $L_x, _ */
    PTX_T_DOT,                   /* .reg, .f32, .L2::128B; text is without the dot */
    PTX_T_INT,
    PTX_T_F32, PTX_T_F64,        /* bits in value */
    PTX_T_STRING,                /* text is without the quotes, escapes as written */
    PTX_T_PUNCT,                 /* value is the character, or PTX_SHL.. below */
    PTX_T_BAD,                   /* already said in diag */
};
/* Operators of two characters, as the value of a PTX_T_PUNCT. */
enum { PTX_P_SHL = 256, PTX_P_SHR, PTX_P_LE, PTX_P_GE, PTX_P_EQ, PTX_P_NE, PTX_P_AND, PTX_P_OR };

struct ptx_token {
    enum ptx_token_kind kind;
    bool is_unsigned;            /* an integer with the suffix U, or too large for a signed one */
    const char *text;
    size_t n;
    uint64_t value;
    int line, col;
};

struct ptx_lexer {
    const char *at, *end, *line_start;
    int line;
    struct diag *diag;
};

void ptx_lex_init(struct ptx_lexer *lx, const char *text, size_t bytes, struct diag *diag);
void ptx_lex_next(struct ptx_lexer *lx, struct ptx_token *out);

#endif
