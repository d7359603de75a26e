/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations: registers, variables in every state space, parameters. */
#include "ptx/parse.h"

enum { MAX_DIMS = 8 };
#define MAX_VAR_BYTES ((uint64_t)1 << 40)

enum ptx_space ptx_space_of_word(const struct ptx_parser *p)
{
    static const struct {
        const char *word;
        enum ptx_space space;
    } spaces[] = { { "reg", PTX_SPACE_REG },     { "global", PTX_SPACE_GLOBAL }, { "const", PTX_SPACE_CONST },
                   { "shared", PTX_SPACE_SHARED }, { "local", PTX_SPACE_LOCAL },   { "param", PTX_SPACE_PARAM } };
    for (size_t i = 0; i < HW_LEN(spaces); i++)
        if (ptx_is_dot(p, spaces[i].word))
            return spaces[i].space;
    return PTX_SPACE_NONE;
}

static const char *intern(struct ptx_parser *p, const struct ptx_token *t)
{
    return hw_arena_strndup(&p->module->arena, t->text, t->n);
}

static bool declare(struct ptx_parser *p, const struct ptx_token *name, enum ptx_symbol_kind kind, void *value)
{
    if (ptx_symbol_add(p, name->text, name->n, kind, value))
        return true;
    return ptx_error_at(p, name->line, name->col, "'%.*s' is already declared here", (int)hw_min_u64(name->n, 60), name->text);
}

static bool parse_range(struct ptx_parser *p, const struct ptx_token *name, enum ptx_type type)
{
    uint64_t count;
    if (p->tok.kind != PTX_T_INT)
        return ptx_error(p, "expected the number of registers");
    count = p->tok.value;
    ptx_advance(p);
    struct ptx_range *range = hw_arena_new(&p->module->arena, struct ptx_range);
    range->prefix = intern(p, name);
    range->type = type;
    range->count = count;
    hw_vec_push(&p->ranges, range);
    return ptx_expect(p, '>') && declare(p, name, PTX_S_RANGE, range);
}

/* .reg .b32 %r<10>, x, y; */
bool ptx_parse_regs(struct ptx_parser *p)
{
    struct ptx_token name;
    if (!p->func)
        return ptx_error(p, "registers are declared inside functions");
    ptx_advance(p);
    if (ptx_is_dot(p, "v2") || ptx_is_dot(p, "v4"))
        return ptx_error(p, "vector registers are not supported yet");
    enum ptx_type type = ptx_token_type(p);
    if (!type)
        return ptx_error(p, "expected the type of a register");
    ptx_advance(p);
    do {
        if (!ptx_expect_name(p, "a register", &name))
            return false;
        if (ptx_accept(p, '<')) {
            if (!parse_range(p, &name, type))
                return false;
        } else {
            struct ptx_reg *r = ptx_reg_make(p, name.text, name.n, type);
            if (!r || !declare(p, &name, PTX_S_REG, r))
                return false;
        }
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}

/* What comes between the space and the name: alignment, attributes, vector size, type, .ptr of parameters. */
static bool parse_var_words(struct ptx_parser *p, struct ptx_var *v)
{
    uint64_t align = 0;
    v->vec = 1;
    while (p->tok.kind == PTX_T_DOT) {
        enum ptx_type type = ptx_token_type(p);
        if (type && !v->type) {
            v->type = type;
            ptx_advance(p);
        } else if (ptx_accept_dot(p, "align")) {
            /* After .ptr it is the alignment of what the pointer points at. */
            uint64_t *into = &align, ignored;
            if (v->type)
                into = &ignored;
            if (!ptx_parse_uint(p, "an alignment", 1 << 20, into))
                return false;
            if (!hw_is_pow2(*into))
                return ptx_error(p, "an alignment is a power of two");
        } else if (ptx_accept_dot(p, "attribute")) {
            if (!ptx_expect(p, '('))
                return false;
            for (; !ptx_is_punct(p, ')') && p->tok.kind != PTX_T_EOF && p->tok.kind != PTX_T_BAD; ptx_advance(p))
                v->is_managed |= ptx_is_dot(p, "managed");
            if (!ptx_expect(p, ')'))
                return false;
        } else if (ptx_is_dot(p, "v2") || ptx_is_dot(p, "v4")) {
            v->vec = (uint8_t)(p->tok.text[1] - '0');
            ptx_advance(p);
        } else if (ptx_is_dot(p, "ptr") || (v->type && ptx_space_of_word(p))) {
            ptx_advance(p);
        } else {
            return ptx_error(p, "this does not belong in a declaration");
        }
    }
    if (!v->type)
        return ptx_error(p, "expected the type of a variable");
    uint64_t natural = hw_max_u64(ptx_type_bits(v->type) / 8, 1) * v->vec;
    v->align = align ? align : natural;
    return true;
}

static bool parse_dims(struct ptx_parser *p, struct ptx_var *v, uint64_t *dims, int *n_dims, bool *open)
{
    uint64_t bytes = hw_max_u64(ptx_type_bits(v->type) / 8, 1) * v->vec;
    *n_dims = 0;
    *open = false;
    while (ptx_accept(p, '[')) {
        uint64_t n = 0;
        v->is_array = true;
        if (*n_dims == MAX_DIMS)
            return ptx_error(p, "more than %d dimensions", MAX_DIMS);
        if (ptx_is_punct(p, ']') && *n_dims == 0)
            *open = true;
        else if (!ptx_parse_uint(p, "the length of an array", MAX_VAR_BYTES, &n))
            return false;
        if (!ptx_expect(p, ']'))
            return false;
        dims[(*n_dims)++] = n;
        if (!(*open && *n_dims == 1) && (__builtin_mul_overflow(bytes, n, &bytes) || bytes > MAX_VAR_BYTES))
            return ptx_error(p, "the array is too large");
    }
    v->bytes = *open ? 0 : bytes;
    return true;
}

/* Adds v to where it belongs. An .extern declaration and the definition of the same name are one variable. */
static bool enter_var(struct ptx_parser *p, struct ptx_var **var, const struct ptx_token *name)
{
    struct ptx_var *v = *var;
    const struct ptx_symbol *old = ptx_symbol_find(&p->scopes, name->text, name->n);
    if (old && old->depth == p->scopes.depth && old->kind == PTX_S_VAR && !p->func && (old->var->is_extern || v->is_extern)) {
        struct ptx_var *was = old->var;
        if (was->is_extern && !v->is_extern) {
            uint32_t id = was->id;
            *was = *v;
            was->id = id;
        }
        *var = was;
        return true;
    }
    if (!declare(p, name, PTX_S_VAR, v))
        return false;
    v->func = p->func;
    if (p->func) {
        v->id = (uint32_t)p->func->vars.n;
        hw_vec_push(&p->func->vars, v);
    } else {
        v->id = (uint32_t)p->module->vars.n;
        hw_vec_push(&p->module->vars, v);
    }
    return true;
}

static bool parse_declarator(struct ptx_parser *p, const struct ptx_var *proto)
{
    struct ptx_token name;
    uint64_t dims[MAX_DIMS];
    int n_dims;
    bool open;
    struct ptx_var *v = hw_arena_dup(&p->module->arena, proto, sizeof *proto);
    v->line = p->tok.line;
    if (!ptx_expect_name(p, "a variable", &name))
        return false;
    v->name = intern(p, &name);
    if (!parse_dims(p, v, dims, &n_dims, &open))
        return false;
    if (ptx_is_punct(p, '=')) {
        if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
            return ptx_error(p, "only .global and .const variables can be initialised");
        if (v->is_extern)
            return ptx_error(p, "a variable that is .extern is initialised where it is defined");
        ptx_advance(p);
        /* The variable is known in its own initialiser. */
        if (!enter_var(p, &v, &name) || !ptx_parse_init(p, v, dims, n_dims, open))
            return false;
        return v->bytes <= MAX_VAR_BYTES || ptx_error(p, "the array is too large");
    }
    if (open) {
        v->is_unsized = true;
        if (!v->is_extern && v->space != PTX_SPACE_PARAM)
            return ptx_error_at(p, name.line, name.col, "an array without a length must be .extern");
    }
    return enter_var(p, &v, &name);
}

bool ptx_parse_var(struct ptx_parser *p, enum ptx_space space, const struct ptx_linkage *link)
{
    struct ptx_var proto = { .space = space, .is_extern = link->is_extern, .is_visible = link->is_visible, .is_weak = link->is_weak,
                             .is_common = link->is_common };
    ptx_advance(p);
    if (space == PTX_SPACE_CONST && ptx_accept(p, '[')) {          /* .const[bank], of old */
        uint64_t bank;
        if (!ptx_parse_uint(p, "a constant bank", 10, &bank) || !ptx_expect(p, ']'))
            return false;
    }
    if (!parse_var_words(p, &proto))
        return false;
    do
        if (!parse_declarator(p, &proto))
            return false;
    while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}

static bool parse_param(struct ptx_parser *p, struct ptx_func *f, bool rets)
{
    struct ptx_token name;
    struct ptx_var *v = hw_arena_new(&p->module->arena, struct ptx_var);
    uint64_t dims[MAX_DIMS];
    int n_dims;
    bool open;
    v->space = ptx_space_of_word(p);
    v->line = p->tok.line;
    if (v->space != PTX_SPACE_PARAM && v->space != PTX_SPACE_REG)
        return ptx_error(p, "a parameter starts with .param or .reg");
    ptx_advance(p);
    if (!parse_var_words(p, v) || !ptx_expect_name(p, "a parameter", &name) || !parse_dims(p, v, dims, &n_dims, &open))
        return false;
    v->name = intern(p, &name);
    v->is_unsized = open;
    v->func = f;
    bool sink = name.n == 1 && name.text[0] == '_';
    if (v->space == PTX_SPACE_REG) {
        struct ptx_reg *r = ptx_reg_make(p, name.text, name.n, v->type);
        if (!r)
            return false;
        v->reg = r;
        if (!sink && !declare(p, &name, PTX_S_REG, r))
            return false;
        v->id = (uint32_t)f->vars.n;
        hw_vec_push(&f->vars, v);
    } else if (sink) {
        v->id = (uint32_t)f->vars.n;
        hw_vec_push(&f->vars, v);
    } else if (!enter_var(p, &v, &name)) {
        return false;
    }
    if (rets)
        hw_vec_push(&f->rets, v);
    else
        hw_vec_push(&f->params, v);
    return true;
}

/* ( .param ..., .param ... ): the declared names live in the scope that is open. */
bool ptx_parse_params(struct ptx_parser *p, struct ptx_func *f, bool rets)
{
    if (!ptx_expect(p, '('))
        return false;
    if (ptx_accept(p, ')'))
        return true;
    do
        if (!parse_param(p, f, rets))
            return false;
    while (ptx_accept(p, ','));
    return ptx_expect(p, ')');
}
