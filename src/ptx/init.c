/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisers: numbers, strings, nested braces, addresses of variables and functions. */
#include "ptx/parse.h"

/* Nothing initialised is larger: a few braces must not ask for gigabytes. */
#define MAX_INIT_BYTES ((uint64_t)1 << 28)

struct init {
    struct ptx_parser *p;
    struct ptx_var *v;
    HW_VEC(uint8_t) data;        /* as far as it was written */
    uint64_t limit;              /* bytes that may be written; grows for name[] */
    const uint64_t *open;        /* the dimension without a length, or NULL */
};

static bool put(struct init *in, uint64_t offset, uint64_t bits, unsigned bytes)
{
    if (offset + bytes > in->limit)
        return ptx_error(in->p, "more values than the variable has room for");
    if (in->data.n < offset + bytes) {
        hw_vec_reserve(&in->data, offset + bytes);
        memset(in->data.v + in->data.n, 0, offset + bytes - in->data.n);
        in->data.n = offset + bytes;
    }
    memcpy(in->data.v + offset, &bits, bytes);
    return true;
}

/* sym, sym + 4, generic(sym) + 4 */
static bool parse_address(struct init *in, uint64_t offset, unsigned bytes, unsigned shift)
{
    struct ptx_parser *p = in->p;
    struct ptx_token name;
    struct ptx_init_ref ref = { .offset = offset, .bytes = (uint8_t)bytes, .shift = (uint8_t)shift };
    struct ptx_const c;
    if (!ptx_expect_name(p, "a variable", &name))
        return false;
    if (name.n == 7 && memcmp(name.text, "generic", 7) == 0 && ptx_accept(p, '(')) {
        ref.generic = true;
        if (!ptx_expect_name(p, "a variable", &name) || !ptx_expect(p, ')'))
            return false;
    }
    const struct ptx_symbol *sym = ptx_symbol_find(&p->scopes, name.text, name.n);
    if (!sym || (sym->kind != PTX_S_VAR && sym->kind != PTX_S_FUNC))
        return ptx_error_at(p, name.line, name.col, "'%.*s' is not declared", (int)hw_min_u64(name.n, 60), name.text);
    if (sym->kind == PTX_S_VAR && sym->var->space != PTX_SPACE_GLOBAL && sym->var->space != PTX_SPACE_CONST)
        return ptx_error_at(p, name.line, name.col, "the address of '%.*s' is no constant", (int)hw_min_u64(name.n, 60), name.text);
    ref.var = sym->kind == PTX_S_VAR ? sym->var : NULL;
    ref.func = sym->kind == PTX_S_FUNC ? sym->func : NULL;
    if (ptx_is_punct(p, '+') || ptx_is_punct(p, '-')) {
        if (!ptx_parse_const(p, &c))
            return false;
        if (c.kind != PTX_O_INT)
            return ptx_error(p, "an offset is an integer");
        ref.addend = (int64_t)c.bits;
    }
    if (!put(in, offset, 0, bytes))
        return false;
    hw_vec_push(&in->v->refs, ref);
    return true;
}

/* 0xFF00(sym): the byte of the address that the mask selects. */
static bool parse_masked(struct init *in, uint64_t offset, unsigned bytes, uint64_t mask)
{
    unsigned shift = mask ? (unsigned)__builtin_ctzll(mask) : 0;
    if (bytes != 1 || shift % 8 || mask >> shift != 0xff)
        return ptx_error(in->p, "a mask selects one byte of an address, for elements of one byte");
    return ptx_expect(in->p, '(') && parse_address(in, offset, 1, shift) && ptx_expect(in->p, ')');
}

static bool parse_element(struct init *in, uint64_t offset)
{
    struct ptx_parser *p = in->p;
    unsigned bytes = (unsigned)hw_max_u64(ptx_type_bits(in->v->type) / 8, 1);
    struct ptx_const c;
    uint64_t bits;
    int line = p->tok.line, col = p->tok.col;
    if (p->tok.kind == PTX_T_NAME && !(p->tok.n == 7 && memcmp(p->tok.text, "WARP_SZ", 7) == 0)) {
        if (bytes < 4)
            return ptx_error(p, "an address does not fit the elements");
        return parse_address(in, offset, bytes < 8 ? bytes : 8, 0);
    }
    if (!ptx_parse_const(p, &c))
        return false;
    if (c.kind == PTX_O_INT && ptx_is_punct(p, '('))
        return parse_masked(in, offset, bytes, c.bits);
    if (!ptx_const_bits(&c, in->v->type, &bits))
        return ptx_error_at(p, line, col, "the value does not have the type of the variable");
    if (bytes == 16)
        return put(in, offset, bits, 8) && put(in, offset + 8, 0, 8);
    return put(in, offset, bits, bytes);
}

static bool parse_string(struct init *in, uint64_t offset)
{
    struct ptx_parser *p = in->p;
    const char *s = p->tok.text, *end = s + p->tok.n;
    while (s < end) {
        uint8_t byte = (uint8_t)*s++;
        if (byte == '\\' && s < end) {
            static const char from[] = "ntr0\\\"'", to[] = "\n\t\r\0\\\"'";
            const char *which = strchr(from, *s);
            byte = which && *s ? (uint8_t)to[which - from] : (uint8_t)*s;
            s++;
        }
        if (!put(in, offset++, byte, 1))
            return false;
    }
    ptx_advance(p);
    return put(in, offset, 0, 1);
}

/* One level of braces: dims[0] pieces of stride bytes each, or the elements of a vector when n_dims is 0. */
static bool parse_level(struct init *in, const uint64_t *dims, int n_dims, uint64_t offset)
{
    struct ptx_parser *p = in->p;
    uint64_t stride = hw_max_u64(ptx_type_bits(in->v->type) / 8, 1) * (n_dims ? in->v->vec : 1), count = 0;
    for (int d = 1; d < n_dims; d++)
        stride *= dims[d];
    if (!ptx_expect(p, '{'))
        return false;
    while (!ptx_is_punct(p, '}')) {
        uint64_t here = offset + count * stride;
        bool deeper = ptx_is_punct(p, '{');
        if (n_dims && dims != in->open && count >= dims[0] && (n_dims == 1 || deeper))
            return ptx_error(p, "more values than the variable has room for");
        if (deeper && n_dims == 0)
            return ptx_error(p, "too many braces");
        if (deeper ? !parse_level(in, n_dims > 1 ? dims + 1 : dims, n_dims - 1, here) : !parse_element(in, here))
            return false;
        /* {1, 2, 3, 4} for [2][2]: values without braces of their own are one element each. */
        if (!deeper && n_dims > 1 && count == 0)
            stride = hw_max_u64(ptx_type_bits(in->v->type) / 8, 1);
        count++;
        if (!ptx_accept(p, ','))
            break;
    }
    return ptx_expect(p, '}');
}

bool ptx_parse_init(struct ptx_parser *p, struct ptx_var *v, uint64_t *dims, int n_dims, bool first_open)
{
    struct init in = { .p = p, .v = v, .open = first_open ? dims : NULL, .limit = first_open ? MAX_INIT_BYTES : hw_min_u64(v->bytes, MAX_INIT_BYTES) };
    bool ok;
    if (p->tok.kind == PTX_T_STRING && ptx_type_bits(v->type) == 8)
        ok = parse_string(&in, 0);
    else if (ptx_is_punct(p, '{'))
        ok = parse_level(&in, dims, n_dims, 0);
    else
        ok = parse_element(&in, 0);
    if (ok && first_open) {
        uint64_t row = hw_max_u64(ptx_type_bits(v->type) / 8, 1) * v->vec;
        for (int d = 1; d < n_dims; d++)
            row *= dims[d];
        v->bytes = row ? (in.data.n + row - 1) / row * row : 0;
    }
    if (ok && in.data.n) {
        v->init = hw_arena_dup(&p->module->arena, in.data.v, in.data.n);
        v->init_bytes = hw_min_u64(in.data.n, v->bytes);
    }
    hw_vec_fini(&in.data);
    return ok;
}
