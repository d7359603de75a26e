/* SPDX-License-Identifier: Apache-2.0 */
/* The parser: the module, its directives and functions. */
#include "ptx/parse.h"

#include "ptx/forms.h"

enum { NEWEST_VERSION = 90, MAX_NESTED_SCOPES = 200 };

static bool parse_version(struct ptx_parser *p)
{
    /* "8.3" reads as one number with a point; its text is what counts. */
    int line = p->tok.line;
    unsigned major = 0, minor = 0;
    const char *s = p->tok.text, *end = s + p->tok.n;
    if (p->tok.kind != PTX_T_F64)
        return ptx_error(p, "expected a version such as 8.3");
    while (s < end && *s >= '0' && *s <= '9' && major < 10000)
        major = major * 10 + (unsigned)(*s++ - '0');
    if (s + 1 < end && *s == '.' && s[1] >= '0' && s[1] <= '9')
        minor = (unsigned)(s[1] - '0');
    ptx_advance(p);
    p->module->version = major * 10 + minor;
    if (p->module->version > NEWEST_VERSION) {
        p->bad_version = true;
        return ptx_error_at(p, line, 0, ".version %u.%u is newer than %d.%d, the newest that is known", major, minor, NEWEST_VERSION / 10,
                            NEWEST_VERSION % 10);
    }
    return p->module->version >= 10 || ptx_error_at(p, line, 0, ".version %u.%u does not exist", major, minor);
}

/* .target sm_80, debug */
static bool parse_target(struct ptx_parser *p)
{
    do {
        struct ptx_token name;
        if (!ptx_expect_name(p, "a target", &name))
            return false;
        bool is_sm = name.n > 3 && (memcmp(name.text, "sm_", 3) == 0);
        if (!is_sm) {
            p->module->has_debug |= name.n == 5 && memcmp(name.text, "debug", 5) == 0;
            continue;
        }
        unsigned sm = 0;
        for (size_t i = 3; i < name.n && name.text[i] >= '0' && name.text[i] <= '9' && sm < 10000; i++)
            sm = sm * 10 + (unsigned)(name.text[i] - '0');
        p->module->sm = sm;
        if (!ptx_check_target(p, p->module->version, sm, name.line))
            return false;
    } while (ptx_accept(p, ','));
    return p->module->sm || ptx_error(p, ".target names no sm_ architecture");
}

static bool skip_to_semicolon(struct ptx_parser *p)
{
    while (!ptx_is_punct(p, ';')) {
        if (p->tok.kind == PTX_T_EOF || p->tok.kind == PTX_T_BAD || ptx_is_punct(p, '}'))
            return ptx_error(p, "expected ';'");
        ptx_advance(p);
    }
    ptx_advance(p);
    return true;
}

/* NAME: a label, a prototype or a list of targets. */
static bool parse_label(struct ptx_parser *p, const struct ptx_token *name)
{
    if (ptx_is_dot(p, "callprototype") || ptx_is_dot(p, "branchtargets") || ptx_is_dot(p, "calltargets")) {
        bool branches = ptx_is_dot(p, "branchtargets");
        struct ptx_operand *targets = branches ? hw_arena_new(&p->module->arena, struct ptx_operand) : NULL;
        if (!ptx_symbol_add(p, name->text, name->n, PTX_S_OTHER, targets))
            return ptx_error_at(p, name->line, name->col, "'%.*s' is already declared here", (int)hw_min_u64(name->n, 60), name->text);
        ptx_advance(p);
        return branches ? ptx_parse_targets(p, targets) : skip_to_semicolon(p);
    }
    struct ptx_label *label = hw_arena_new(&p->module->arena, struct ptx_label);
    label->name = hw_arena_strndup(&p->module->arena, name->text, name->n);
    label->at = (uint32_t)p->func->insts.n;
    label->line = name->line;
    if (!ptx_symbol_add(p, name->text, name->n, PTX_S_LABEL, label))
        return ptx_error_at(p, name->line, name->col, "'%s' is already declared here", label->name);
    hw_vec_push(&p->func->labels, label);
    return true;
}

static bool parse_local_directive(struct ptx_parser *p)
{
    static const struct ptx_linkage local = { 0 };
    enum ptx_space space = ptx_space_of_word(p);
    if (space == PTX_SPACE_REG)
        return ptx_parse_regs(p);
    if (space)
        return ptx_parse_var(p, space, &local);
    if (ptx_accept_dot(p, "loc"))
        return ptx_parse_loc(p);
    if (ptx_accept_dot(p, "pragma"))
        return skip_to_semicolon(p);
    if (ptx_accept_dot(p, "extern")) {
        static const struct ptx_linkage external = { .is_extern = true };
        space = ptx_space_of_word(p);
        return space > PTX_SPACE_REG ? ptx_parse_var(p, space, &external) : ptx_error(p, "expected a variable");
    }
    return ptx_error(p, "this directive is not known inside a function");
}

static bool parse_statement(struct ptx_parser *p)
{
    struct ptx_token name;
    if (p->tok.kind == PTX_T_DOT)
        return parse_local_directive(p);
    if (ptx_is_punct(p, '@'))
        return ptx_parse_inst(p, NULL);
    if (ptx_accept(p, ';'))
        return true;
    if (p->tok.kind != PTX_T_NAME)
        return ptx_error(p, "expected an instruction");
    name = p->tok;
    ptx_advance(p);
    if (ptx_accept(p, ':'))
        return parse_label(p, &name);
    return ptx_parse_inst(p, &name);
}

/* Statements up to the '}' that closes the function; nested { } open scopes. One bad statement does not hide the next. */
static bool parse_body(struct ptx_parser *p)
{
    unsigned base = p->scopes.depth;
    bool ok = ptx_expect(p, '{');
    while (p->tok.kind != PTX_T_EOF) {
        if (ptx_is_punct(p, '{')) {
            if (p->scopes.depth - base >= MAX_NESTED_SCOPES)
                return ptx_error(p, "blocks are nested too deeply");
            ptx_scope_open(p);
            ptx_advance(p);
        } else if (ptx_is_punct(p, '}')) {
            ok = ptx_resolve_labels(p) && ok;
            ptx_advance(p);
            if (p->scopes.depth == base)
                return ok;
            ptx_scope_close(p);
        } else {
            uint64_t before = p->n_semicolons;
            if (parse_statement(p))
                continue;
            ok = false;
            if (p->n_semicolons == before)
                ptx_skip_statement(p);
        }
    }
    return ptx_error(p, "function '%s' is never closed", p->func->name);
}

static bool parse_ntid(struct ptx_parser *p, uint32_t out[3])
{
    uint64_t v;
    for (int i = 0; i < 3; i++) {
        out[i] = 1;
        if (i > 0 && !ptx_accept(p, ','))
            continue;
        if (!ptx_parse_uint(p, "a block size", UINT32_MAX, &v))
            return false;
        out[i] = (uint32_t)v;
    }
    return true;
}

static bool parse_function_directives(struct ptx_parser *p, struct ptx_func *f)
{
    uint64_t v;
    while (p->tok.kind == PTX_T_DOT || ptx_is_punct(p, ';')) {
        if (ptx_is_punct(p, ';'))
            return true;
        if (ptx_accept_dot(p, "maxntid")) {
            if (!parse_ntid(p, f->maxntid))
                return false;
        } else if (ptx_accept_dot(p, "reqntid")) {
            if (!parse_ntid(p, f->reqntid))
                return false;
        } else if (ptx_is_dot(p, "minnctapersm") || ptx_is_dot(p, "maxnctapersm")) {
            ptx_advance(p);
            if (!ptx_parse_uint(p, "a number of blocks", UINT32_MAX, &v))
                return false;
            f->minnctapersm = (uint32_t)v;
        } else if (ptx_accept_dot(p, "maxnreg")) {
            if (!ptx_parse_uint(p, "a number of registers", UINT32_MAX, &v))
                return false;
            f->maxnreg = (uint32_t)v;
        } else if (ptx_accept_dot(p, "noreturn")) {
            f->is_noreturn = true;
        } else if (ptx_accept_dot(p, "pragma")) {
            if (!skip_to_semicolon(p))
                return false;
        } else if (ptx_accept_dot(p, "maxclusterrank")) {               /* clusters of one block are within every bound */
            if (!ptx_parse_uint(p, "a number of blocks", UINT32_MAX, &v))
                return false;
        } else if (ptx_is_dot(p, "reqnctapercluster") || ptx_is_dot(p, "explicitcluster")) {
            return ptx_error(p, "clusters of blocks are not supported yet");
        } else if (ptx_is_dot(p, "abi_preserve") || ptx_is_dot(p, "abi_preserve_control")) {
            ptx_advance(p);
            if (!ptx_parse_uint(p, "a number of registers", UINT32_MAX, &v))
                return false;
        } else {
            return ptx_error(p, "this directive is not known here");
        }
    }
    return true;
}

/* Lays out the parameter buffer of a kernel. */
static bool place_params(struct ptx_parser *p, struct ptx_func *f)
{
    uint64_t at = 0;
    for (size_t i = 0; i < f->params.n; i++) {
        struct ptx_var *v = f->params.v[i];
        if (v->space != PTX_SPACE_PARAM || v->is_unsized)
            return ptx_error_at(p, v->line, 0, "a kernel's parameter is in .param space and has a size");
        at = hw_align_up(at, v->align);
        v->offset = at;
        at += v->bytes;
        if (at > 32764)
            return ptx_error_at(p, v->line, 0, "the parameters of '%s' are larger than 32764 bytes", f->name);
    }
    f->param_bytes = at;
    return true;
}

static struct ptx_func *new_func(struct ptx_parser *p)
{
    struct ptx_func *f = hw_arena_new(&p->module->arena, struct ptx_func);
    f->id = (uint32_t)p->module->funcs.n;
    f->line = p->tok.line;
    hw_vec_push(&p->module->funcs, f);
    return f;
}

/* The name of f is known now: an earlier declaration gives way to the definition, in the same struct for its users. */
static bool enter_func(struct ptx_parser *p, struct ptx_func **func, const struct ptx_token *name)
{
    struct ptx_func *f = *func;
    unsigned depth = p->scopes.depth;
    p->scopes.depth = 0;
    const struct ptx_symbol *old = ptx_symbol_find(&p->scopes, name->text, name->n);
    struct ptx_symbol *sym = NULL;
    if (!old || old->depth > 0)
        sym = ptx_symbol_add(p, name->text, name->n, PTX_S_FUNC, f);
    p->scopes.depth = depth;
    if (sym)
        return true;
    if (!old || old->kind != PTX_S_FUNC)
        return ptx_error_at(p, name->line, name->col, "'%.*s' is already declared", (int)hw_min_u64(name->n, 60), name->text);
    f->replaces = old->func;
    return true;
}

/* Moves a definition into the struct that its declaration made, so that calls before it see it. */
static bool merge_func(struct ptx_parser *p, struct ptx_func *f)
{
    struct ptx_func *old = f->replaces;
    if (!old)
        return true;
    if (old->has_body && f->has_body)
        return ptx_error_at(p, f->line, 0, "function '%s' is defined twice", f->name);
    if (!f->has_body || f->params.n != old->params.n || f->rets.n != old->rets.n)
        return f->params.n == old->params.n && f->rets.n == old->rets.n ? true
               : ptx_error_at(p, f->line, 0, "'%s' was declared with other parameters", f->name);
    /* Both structs own their vectors; swapping keeps every one of them owned exactly once. */
    struct ptx_func tmp = *old;
    uint32_t id = old->id;
    *old = *f;
    old->id = id;
    old->replaces = NULL;
    id = f->id;
    *f = tmp;
    f->id = id;
    f->is_shadow = true;
    for (size_t i = 0; i < old->vars.n; i++)
        old->vars.v[i]->func = old;
    return true;
}

/* .entry name (params) directives { body }  and  .func (rets) name (params) ... */
static bool parse_function(struct ptx_parser *p, bool is_entry, const struct ptx_linkage *link)
{
    struct ptx_func *f = new_func(p);
    struct ptx_token name;
    f->name = "?";
    f->is_entry = is_entry;
    f->is_visible = link->is_visible;
    f->is_extern = link->is_extern;
    f->is_weak = link->is_weak;
    ptx_advance(p);
    p->func = f;
    ptx_lines_begin(p);
    ptx_scope_open(p);
    bool ok = true;
    while (ok && ptx_accept_dot(p, "attribute")) {
        while (!ptx_is_punct(p, ')') && p->tok.kind != PTX_T_EOF)
            ptx_advance(p);
        ok = ptx_expect(p, ')');
    }
    if (ok && ptx_is_punct(p, '('))
        ok = !is_entry ? ptx_parse_params(p, f, true) : ptx_error(p, "a kernel returns nothing");
    ok = ok && ptx_expect_name(p, "a function", &name);
    if (ok) {
        f->name = hw_arena_strndup(&p->module->arena, name.text, name.n);
        ok = enter_func(p, &f, &name);
    }
    if (ok && ptx_is_punct(p, '('))
        ok = ptx_parse_params(p, f, false);
    ok = ok && (!is_entry || place_params(p, f)) && parse_function_directives(p, f);
    if (ok && ptx_is_punct(p, '{')) {
        f->has_body = true;
        ok = parse_body(p);
    } else if (ok && !ptx_accept(p, ';')) {
        /* A prototype's semicolon is optional when the next directive starts right away. */
        ok = p->tok.kind == PTX_T_DOT || p->tok.kind == PTX_T_EOF || ptx_error(p, "expected a function's body");
    }
    while (p->scopes.depth > 0)
        ptx_scope_close(p);
    p->label_uses.n = 0;
    p->func = NULL;
    ptx_lines_begin(p);
    return ok && merge_func(p, f);
}

static bool parse_linked(struct ptx_parser *p)
{
    struct ptx_linkage link = { 0 };
    for (;;) {
        if (ptx_accept_dot(p, "visible")) link.is_visible = true;
        else if (ptx_accept_dot(p, "extern")) link.is_extern = true;
        else if (ptx_accept_dot(p, "weak")) link.is_weak = true;
        else if (ptx_accept_dot(p, "common")) link.is_common = true;
        else break;
    }
    if (ptx_is_dot(p, "entry"))
        return parse_function(p, true, &link);
    if (ptx_is_dot(p, "func"))
        return parse_function(p, false, &link);
    enum ptx_space space = ptx_space_of_word(p);
    if (space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM || space == PTX_SPACE_REG)
        return ptx_error(p, "this space has no variables outside functions");
    return space ? ptx_parse_var(p, space, &link) : ptx_error(p, "this directive is not known");
}

static bool parse_directive(struct ptx_parser *p)
{
    uint64_t v;
    if (ptx_accept(p, ';'))
        return true;
    if (p->tok.kind != PTX_T_DOT)
        return ptx_error(p, "expected a directive");
    if (ptx_accept_dot(p, "version"))
        return parse_version(p);
    if (!p->module->version)
        return ptx_error(p, "a module begins with .version");
    if (ptx_accept_dot(p, "target"))
        return parse_target(p);
    if (!p->module->sm)
        return ptx_error(p, ".target comes after .version");
    if (ptx_accept_dot(p, "address_size")) {
        int line = p->tok.line;
        if (!ptx_parse_uint(p, ".address_size", 64, &v))
            return false;
        return v == 64 || ptx_error_at(p, line, 0, "only .address_size 64 is supported");
    }
    if (ptx_accept_dot(p, "file"))
        return ptx_parse_file(p);
    if (ptx_accept_dot(p, "section"))
        return ptx_parse_section(p);
    if (ptx_accept_dot(p, "loc"))
        return ptx_parse_loc(p);
    if (ptx_is_dot(p, "pragma") || ptx_is_dot(p, "alias"))
        return ptx_is_dot(p, "alias") ? ptx_error(p, ".alias is not supported yet") : skip_to_semicolon(p);
    return parse_linked(p);
}

static void recover(struct ptx_parser *p)
{
    int depth = 0;
    /* To the next directive that can start something at module level. */
    while (p->tok.kind != PTX_T_EOF) {
        depth += ptx_is_punct(p, '{') - ptx_is_punct(p, '}');
        if (depth <= 0 && (ptx_is_dot(p, "visible") || ptx_is_dot(p, "extern") || ptx_is_dot(p, "weak") || ptx_is_dot(p, "entry") ||
                           ptx_is_dot(p, "func") || ptx_is_dot(p, "global") || ptx_is_dot(p, "const") || ptx_is_dot(p, "shared")))
            return;
        ptx_advance(p);
    }
}

enum ptx_status ptx_parse(const char *text, size_t bytes, struct diag *diag, struct ptx_module **out)
{
    struct ptx_parser p = { .diag = diag };
    int errors = diag->n_errors;
    ptx_forms_init();
    p.module = hw_alloc(sizeof *p.module);
    ptx_lex_init(&p.lx, text, bytes, diag);
    ptx_advance(&p);
    while (p.tok.kind != PTX_T_EOF && !p.bad_version && diag->n_errors - errors < 50)
        if (!parse_directive(&p)) {
            if (!p.module->version || !p.module->sm)
                break;           /* nothing behind a bad header can be judged */
            recover(&p);
        }
    if (diag->n_errors == errors && !p.module->sm)
        ptx_error(&p, p.module->version ? "there is no .target" : "there is no .version");
    for (size_t i = 0; i < p.ranges.n; i++)
        hw_vec_fini(&p.ranges.v[i]->regs);
    hw_vec_fini(&p.ranges);
    hw_vec_fini(&p.label_uses);
    ptx_scopes_fini(&p.scopes);
    ptx_lines_end(&p);
    ptx_lines_fini(&p);
    if (diag->n_errors == errors) {
        *out = p.module;
        return PTX_OK;
    }
    ptx_module_free(p.module);
    return p.bad_version ? PTX_BAD_VERSION : PTX_BAD_PTX;
}

void ptx_module_free(struct ptx_module *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->vars.n; i++)
        hw_vec_fini(&m->vars.v[i]->refs);
    for (size_t i = 0; i < m->funcs.n; i++) {
        struct ptx_func *f = m->funcs.v[i];
        for (size_t k = 0; k < f->vars.n; k++)
            hw_vec_fini(&f->vars.v[k]->refs);
        hw_vec_fini(&f->params);
        hw_vec_fini(&f->rets);
        hw_vec_fini(&f->vars);
        hw_vec_fini(&f->regs);
        hw_vec_fini(&f->insts);
        hw_vec_fini(&f->labels);
    }
    hw_vec_fini(&m->vars);
    hw_vec_fini(&m->funcs);
    hw_vec_fini(&m->files);
    hw_arena_fini(&m->arena);
    hw_free(m);
}
