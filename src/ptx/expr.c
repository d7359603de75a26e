/* SPDX-License-Identifier: Apache-2.0 */
/* Constants and constant expressions. Integers are 64 bits wide, signed unless an operand is unsigned. */
#include "ptx/parse.h"

enum { MAX_NESTING = 64 };

static bool parse_binary(struct ptx_parser *p, int min_prec, struct ptx_const *out);

/* a ? b : c ? d : e is as long as it likes; only what stands between ? and : is nested. */
static bool parse_ternary(struct ptx_parser *p, struct ptx_const *out)
{
    struct ptx_const yes, chosen;
    bool found = false;
    for (;;) {
        if (!parse_binary(p, 1, out))
            return false;
        if (!ptx_accept(p, '?'))
            break;
        if (out->kind != PTX_O_INT)
            return ptx_error(p, "a condition is an integer");
        if (!ptx_parse_const(p, &yes) || !ptx_expect(p, ':'))
            return false;
        if (out->bits && !found) {
            found = true;
            chosen = yes;
        }
    }
    if (found)
        *out = chosen;
    return true;
}

static bool parse_parenthesised(struct ptx_parser *p, struct ptx_const *out)
{
    /* (.s64) and (.u64) are casts. */
    if (ptx_is_dot(p, "s64") || ptx_is_dot(p, "u64")) {
        bool is_unsigned = ptx_is_dot(p, "u64");
        ptx_advance(p);
        if (!ptx_expect(p, ')') || !parse_binary(p, 11, out))
            return false;
        if (out->kind != PTX_O_INT)
            return ptx_error(p, "only integers are cast");
        out->is_unsigned = is_unsigned;
        return true;
    }
    return parse_ternary(p, out) && ptx_expect(p, ')');
}

static bool apply_unary(struct ptx_parser *p, int op, struct ptx_const *c)
{
    if (c->kind != PTX_O_INT) {
        if (op == '-')
            c->bits ^= c->kind == PTX_O_F32 ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
        return op == '-' || op == '+' || ptx_error(p, "this operator takes an integer");
    }
    c->bits = op == '-' ? -c->bits : op == '~' ? ~c->bits : op == '!' ? !c->bits : c->bits;
    return true;
}

static bool parse_primary(struct ptx_parser *p, struct ptx_const *out)
{
    struct ptx_token t = p->tok;
    if (t.kind == PTX_T_INT || t.kind == PTX_T_F32 || t.kind == PTX_T_F64) {
        *out = (struct ptx_const){ t.kind == PTX_T_INT ? PTX_O_INT : t.kind == PTX_T_F32 ? PTX_O_F32 : PTX_O_F64, t.is_unsigned, t.value };
        ptx_advance(p);
        return true;
    }
    if (t.kind == PTX_T_NAME && t.n == 7 && memcmp(t.text, "WARP_SZ", 7) == 0) {
        *out = (struct ptx_const){ PTX_O_INT, false, 32 };
        ptx_advance(p);
        return true;
    }
    if (t.kind == PTX_T_PUNCT && (t.value == '-' || t.value == '+' || t.value == '~' || t.value == '!')) {
        ptx_advance(p);
        return parse_binary(p, 11, out) && apply_unary(p, (int)t.value, out);
    }
    if (ptx_accept(p, '('))
        return parse_parenthesised(p, out);
    return ptx_error(p, "expected a constant");
}

static int precedence(uint64_t op)
{
    switch (op) {
    case '*': case '/': case '%': return 10;
    case '+': case '-': return 9;
    case PTX_P_SHL: case PTX_P_SHR: return 8;
    case '<': case '>': case PTX_P_LE: case PTX_P_GE: return 7;
    case PTX_P_EQ: case PTX_P_NE: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case PTX_P_AND: return 2;
    case PTX_P_OR: return 1;
    default: return 0;
    }
}

static bool apply_division(struct ptx_parser *p, uint64_t op, struct ptx_const *a, const struct ptx_const *b)
{
    if (b->bits == 0)
        return ptx_error(p, "division by zero in a constant");
    if (a->is_unsigned)
        a->bits = op == '/' ? a->bits / b->bits : a->bits % b->bits;
    else if (b->bits == UINT64_MAX)                  /* x / -1: INT64_MIN / -1 would trap */
        a->bits = op == '/' ? -a->bits : 0;
    else
        a->bits = (uint64_t)(op == '/' ? (int64_t)a->bits / (int64_t)b->bits : (int64_t)a->bits % (int64_t)b->bits);
    return true;
}

static bool apply_binary(struct ptx_parser *p, uint64_t op, struct ptx_const *a, const struct ptx_const *b)
{
    if (a->kind != PTX_O_INT || b->kind != PTX_O_INT)
        return ptx_error(p, "floating-point constants cannot be combined");
    bool shift = op == PTX_P_SHL || op == PTX_P_SHR;
    bool is_unsigned = shift ? a->is_unsigned : a->is_unsigned || b->is_unsigned;
    uint64_t x = a->bits, y = b->bits;
    bool less = is_unsigned ? x < y : (int64_t)x < (int64_t)y;
    a->is_unsigned = is_unsigned;
    switch (op) {
    case '*': a->bits = x * y; break;
    case '/': case '%': return apply_division(p, op, a, b);
    case '+': a->bits = x + y; break;
    case '-': a->bits = x - y; break;
    case PTX_P_SHL: a->bits = y < 64 ? x << y : 0; break;
    case PTX_P_SHR: a->bits = is_unsigned ? (y < 64 ? x >> y : 0) : (uint64_t)((int64_t)x >> (y < 64 ? y : 63)); break;
    case '<': a->bits = less; break;
    case '>': a->bits = !less && x != y; break;
    case PTX_P_LE: a->bits = less || x == y; break;
    case PTX_P_GE: a->bits = !less; break;
    case PTX_P_EQ: a->bits = x == y; break;
    case PTX_P_NE: a->bits = x != y; break;
    case '&': a->bits = x & y; break;
    case '^': a->bits = x ^ y; break;
    case '|': a->bits = x | y; break;
    case PTX_P_AND: a->bits = x && y; break;
    case PTX_P_OR: a->bits = x || y; break;
    }
    return true;
}

static bool parse_binary(struct ptx_parser *p, int min_prec, struct ptx_const *out)
{
    if (p->nesting >= MAX_NESTING)
        return ptx_error(p, "constant expression is nested too deeply");
    p->nesting++;
    bool ok = parse_primary(p, out);
    while (ok && p->tok.kind == PTX_T_PUNCT) {
        uint64_t op = p->tok.value;
        int prec = precedence(op);
        struct ptx_const right;
        if (!prec || prec < min_prec)
            break;
        ptx_advance(p);
        ok = parse_binary(p, prec + 1, &right) && apply_binary(p, op, out, &right);
    }
    p->nesting--;
    return ok;
}

bool ptx_parse_const(struct ptx_parser *p, struct ptx_const *out)
{
    if (p->nesting >= MAX_NESTING)
        return ptx_error(p, "nested too deeply");
    p->nesting++;
    bool ok = parse_ternary(p, out);
    p->nesting--;
    return ok;
}

bool ptx_parse_uint(struct ptx_parser *p, const char *what, uint64_t max, uint64_t *out)
{
    struct ptx_const c;
    int line = p->tok.line, col = p->tok.col;
    if (!ptx_parse_const(p, &c))
        return false;
    if (c.kind != PTX_O_INT || (!c.is_unsigned && (int64_t)c.bits < 0) || c.bits > max)
        return ptx_error_at(p, line, col, "%s must be an integer from 0 to %llu", what, (unsigned long long)max);
    *out = c.bits;
    return true;
}

static uint64_t f32_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

bool ptx_const_bits(const struct ptx_const *c, enum ptx_type t, uint64_t *out)
{
    unsigned bits = ptx_type_bits(t);
    double d;
    float f;
    uint32_t u = (uint32_t)c->bits;
    *out = bits < 64 ? c->bits & (((uint64_t)1 << bits) - 1) : c->bits;
    if (c->kind == PTX_O_INT)
        return !ptx_type_is_float(t) || c->bits == 0;
    if (c->kind == PTX_O_F32 && bits == 64) {
        memcpy(&f, &u, 4);
        d = f;
        if (t == PTX_F64)
            memcpy(out, &d, 8);
    } else if (c->kind == PTX_O_F64 && bits == 32) {
        memcpy(&d, &c->bits, 8);
        *out = f32_bits((float)d);
    }
    return bits >= 32;
}
