/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer: PTX text to tokens. */
#include "ptx/lex.h"

enum { C_START = 1, C_BODY = 2, C_DIGIT = 4, C_SPACE = 8, C_HEX = 16 };

static const uint8_t classes[256] = {
    ['a' ... 'f'] = C_START | C_BODY | C_HEX, ['g' ... 'z'] = C_START | C_BODY,
    ['A' ... 'F'] = C_START | C_BODY | C_HEX, ['G' ... 'Z'] = C_START | C_BODY,
    ['_'] = C_START | C_BODY, ['$'] = C_START | C_BODY, ['%'] = C_START,
    ['0' ... '9'] = C_BODY | C_DIGIT | C_HEX,
    [' '] = C_SPACE, ['\t'] = C_SPACE, ['\r'] = C_SPACE, ['\n'] = C_SPACE, ['\f'] = C_SPACE, ['\v'] = C_SPACE,
};

static bool is(const struct ptx_lexer *lx, const char *p, uint8_t class)
{
    return p < lx->end && (classes[(unsigned char)*p] & class);
}

void ptx_lex_init(struct ptx_lexer *lx, const char *text, size_t bytes, struct diag *diag)
{
    /* Programs hand over the text with its final zero byte, or with several. */
    const char *zero = memchr(text, 0, bytes);
    *lx = (struct ptx_lexer){ .at = text, .end = zero ? zero : text + bytes, .line_start = text, .line = 1, .diag = diag };
}

static void newline(struct ptx_lexer *lx, const char *at)
{
    lx->line++;
    lx->line_start = at + 1;
}

/* Leaves lx->at at the first character of a token. False: a comment has no end. */
static bool skip_blanks(struct ptx_lexer *lx)
{
    for (;;) {
        while (is(lx, lx->at, C_SPACE)) {
            if (*lx->at == '\n')
                newline(lx, lx->at);
            lx->at++;
        }
        if (lx->end - lx->at < 2 || *lx->at != '/')
            return true;
        if (lx->at[1] == '/') {
            const char *nl = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));
            lx->at = nl ? nl : lx->end;
        } else if (lx->at[1] == '*') {
            int line = lx->line;
            for (lx->at += 2; lx->end - lx->at >= 2 && !(lx->at[0] == '*' && lx->at[1] == '/'); lx->at++)
                if (*lx->at == '\n')
                    newline(lx, lx->at);
            if (lx->end - lx->at < 2) {
                diag_error(lx->diag, line, 0, "comment is never closed");
                lx->at = lx->end;
                return false;
            }
            lx->at += 2;
        } else {
            return true;
        }
    }
}

static int hex_value(char ch)
{
    return ch <= '9' ? ch - '0' : (ch | 32) - 'a' + 10;
}

static void bad_number(struct ptx_lexer *lx, struct ptx_token *out, const char *why)
{
    diag_error(lx->diag, out->line, out->col, "%s: '%.*s'", why, (int)hw_min_u64(out->n, 40), out->text);
    out->kind = PTX_T_BAD;
}

/* 0f3F800000 and 0d3FF0000000000000: exact bits. */
static void lex_exact_float(struct ptx_lexer *lx, struct ptx_token *out, int digits)
{
    const char *p = out->text + 2;
    out->kind = digits == 8 ? PTX_T_F32 : PTX_T_F64;
    out->value = 0;
    while (is(lx, p, C_BODY))
        p++;
    out->n = (size_t)(p - out->text);
    lx->at = p;
    if (out->n != (size_t)digits + 2) {
        bad_number(lx, out, digits == 8 ? "0f is followed by 8 hexadecimal digits" : "0d is followed by 16 hexadecimal digits");
        return;
    }
    for (const char *q = out->text + 2; q < p; q++) {
        if (!is(lx, q, C_HEX)) {
            bad_number(lx, out, "bad floating-point constant");
            return;
        }
        out->value = out->value << 4 | (uint64_t)hex_value(*q);
    }
}

/* 1.5, 2e10, 1.0e-3 */
static void lex_decimal_float(struct ptx_lexer *lx, struct ptx_token *out, const char *p)
{
    char text[64];
    if (*p == '.')
        for (p++; is(lx, p, C_DIGIT); p++)
            ;
    if (p < lx->end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < lx->end && (*p == '+' || *p == '-'))
            p++;
        while (is(lx, p, C_DIGIT))
            p++;
    }
    out->kind = PTX_T_F64;
    out->n = (size_t)(p - out->text);
    lx->at = p;
    if (out->n >= sizeof text || is(lx, p, C_BODY)) {
        bad_number(lx, out, "bad floating-point constant");
        return;
    }
    memcpy(text, out->text, out->n);
    text[out->n] = 0;
    double d = strtod(text, NULL);
    memcpy(&out->value, &d, 8);
}

static void lex_integer(struct ptx_lexer *lx, struct ptx_token *out, const char *p, unsigned base)
{
    uint64_t v = 0;
    bool overflow = false, digits = base == 8;
    for (; is(lx, p, C_HEX); p++) {
        unsigned d = (unsigned)hex_value(*p);
        if (d >= base)
            break;
        overflow |= __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v);
        digits = true;
    }
    if (p < lx->end && *p == 'U') {
        out->is_unsigned = true;
        p++;
    }
    while (is(lx, p, C_BODY)) {
        digits = false;
        p++;
    }
    out->n = (size_t)(p - out->text);
    out->kind = PTX_T_INT;
    out->value = v;
    out->is_unsigned |= v >> 63;
    lx->at = p;
    if (!digits)
        bad_number(lx, out, "bad number");
    else if (overflow)
        bad_number(lx, out, "number does not fit 64 bits");
}

static void lex_number(struct ptx_lexer *lx, struct ptx_token *out)
{
    const char *p = lx->at;
    char next = lx->end - p >= 2 ? (char)(p[1] | 32) : 0;
    if (*p == '0' && next == 'f')
        lex_exact_float(lx, out, 8);
    else if (*p == '0' && next == 'd')
        lex_exact_float(lx, out, 16);
    else if (*p == '0' && next == 'x')
        lex_integer(lx, out, p + 2, 16);
    else if (*p == '0' && next == 'b')
        lex_integer(lx, out, p + 2, 2);
    else {
        while (is(lx, p, C_DIGIT))
            p++;
        if (p < lx->end && (*p == '.' || *p == 'e' || *p == 'E'))
            lex_decimal_float(lx, out, p);
        else
            lex_integer(lx, out, out->text, *out->text == '0' ? 8 : 10);
    }
}

static void lex_string(struct ptx_lexer *lx, struct ptx_token *out)
{
    const char *p = lx->at + 1;
    while (p < lx->end && *p != '"' && *p != '\n')
        p += *p == '\\' && p + 1 < lx->end && p[1] != '\n' ? 2 : 1;
    out->kind = PTX_T_STRING;
    out->text = lx->at + 1;
    out->n = (size_t)(p - out->text);
    if (p < lx->end && *p == '"') {
        lx->at = p + 1;
        return;
    }
    diag_error(lx->diag, out->line, out->col, "string is never closed");
    out->kind = PTX_T_BAD;
    lx->at = p < lx->end ? p : lx->end;
}

static void lex_punct(struct ptx_lexer *lx, struct ptx_token *out)
{
    static const struct {
        char text[3];
        int value;
    } pairs[] = { { "<<", PTX_P_SHL }, { ">>", PTX_P_SHR }, { "<=", PTX_P_LE }, { ">=", PTX_P_GE },
                  { "==", PTX_P_EQ },  { "!=", PTX_P_NE },  { "&&", PTX_P_AND }, { "||", PTX_P_OR } };
    char ch = *lx->at;
    out->kind = PTX_T_PUNCT;
    out->value = (unsigned char)ch;
    out->n = 1;
    if (lx->end - lx->at >= 2 && strchr("<>=!&|", ch))
        for (size_t i = 0; i < HW_LEN(pairs); i++)
            if (ch == pairs[i].text[0] && lx->at[1] == pairs[i].text[1]) {
                out->value = (uint64_t)pairs[i].value;
                out->n = 2;
            }
    lx->at += out->n;
    if (strchr("{}()[]<>,;:|!@=+-*/&^~?%#", ch) && ch)
        return;
    if ((unsigned char)ch >= 32 && (unsigned char)ch < 127)
        diag_error(lx->diag, out->line, out->col, "unexpected character '%c'", ch);
    else
        diag_error(lx->diag, out->line, out->col, "unexpected byte 0x%02x", (unsigned char)ch);
    out->kind = PTX_T_BAD;
}

void ptx_lex_next(struct ptx_lexer *lx, struct ptx_token *out)
{
    bool closed = skip_blanks(lx);
    const char *p = lx->at;
    out->line = lx->line;
    out->col = (int)hw_min_u64((uint64_t)(p - lx->line_start) + 1, 65535);
    out->text = p;
    out->n = 0;
    out->value = 0;
    out->is_unsigned = false;
    if (p >= lx->end) {
        out->kind = closed ? PTX_T_EOF : PTX_T_BAD;
    } else if (is(lx, p, C_START) && (*p != '%' || is(lx, p + 1, C_BODY))) {
        for (p++; is(lx, p, C_BODY); p++)
            ;
        out->kind = PTX_T_NAME;
        out->n = (size_t)(p - out->text);
        lx->at = p;
    } else if (*p == '.' && is(lx, p + 1, C_BODY)) {
        do
            for (p += *p == ':' ? 2 : 1; is(lx, p, C_BODY); p++)
                ;
        while (lx->end - p >= 3 && p[0] == ':' && p[1] == ':' && is(lx, p + 2, C_BODY));
        out->kind = PTX_T_DOT;
        out->text++;
        out->n = (size_t)(p - out->text);
        lx->at = p;
    } else if (is(lx, p, C_DIGIT)) {
        lex_number(lx, out);
    } else if (*p == '"') {
        lex_string(lx, out);
    } else {
        lex_punct(lx, out);
    }
}
