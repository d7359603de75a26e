/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the source that PTX was made of: .file, .loc, and the names of inlined functions in .debug_str. */
#include "ptx/parse.h"

#include "base/str.h"

/* .file 1 "a.cu", 1234, 567 */
bool ptx_parse_file(struct ptx_parser *p)
{
    uint64_t index, ignored;
    if (!ptx_parse_uint(p, "a file's number", 1 << 20, &index))
        return false;
    if (p->tok.kind != PTX_T_STRING)
        return ptx_error(p, "expected the name of a file");
    struct ptx_file file = { (uint32_t)index, hw_arena_strndup(&p->module->arena, p->tok.text, p->tok.n) };
    hw_vec_push(&p->module->files, file);
    ptx_advance(p);
    while (ptx_accept(p, ','))
        if (!ptx_parse_uint(p, "a number", UINT64_MAX, &ignored))
            return false;
    return true;
}

/* ---- .loc ---- */

struct place {
    uint32_t file, line, col;
};

/* Up to three numbers on this line, and how many there are; what is missing or too large is 0. */
static int read_place(struct ptx_parser *p, int on_line, struct place *out)
{
    uint32_t v[3] = { 0 };
    int n = 0;
    for (; n < 3 && p->tok.kind == PTX_T_INT && p->tok.line == on_line; n++) {
        v[n] = p->tok.value <= UINT32_MAX ? (uint32_t)p->tok.value : 0;
        ptx_advance(p);
    }
    *out = (struct place){ v[0], v[1], v[2] };
    return n;
}

static bool accept_word(struct ptx_parser *p, const char *word)
{
    if (p->tok.kind != PTX_T_NAME || p->tok.n != strlen(word) || memcmp(p->tok.text, word, p->tok.n) != 0)
        return false;
    ptx_advance(p);
    return true;
}

/* function_name LABEL+4 */
static const char *read_label(struct ptx_parser *p, uint64_t *offset)
{
    const char *label = NULL;
    if (p->tok.kind == PTX_T_NAME) {
        label = hw_arena_strndup(&p->module->arena, p->tok.text, p->tok.n);
        ptx_advance(p);
    }
    if (ptx_accept(p, '+') && p->tok.kind == PTX_T_INT) {
        *offset = p->tok.value;
        ptx_advance(p);
    }
    return label;
}

/* The call is at a place that an earlier .loc of the function has, and was perhaps inlined there itself. */
static void set_inlined(struct ptx_parser *p, const struct place *call, const char *label, uint64_t offset)
{
    struct ptx_inlined *x = hw_arena_new(&p->module->arena, struct ptx_inlined);
    *x = (struct ptx_inlined){ .file = call->file, .line = call->line, .outer = hw_map_get(&p->locs, call, sizeof *call) };
    p->loc_inlined = x;
    if (label)
        hw_vec_push(&p->inlined_names, ((struct ptx_inlined_name){ x, label, offset }));
}

/* .loc 1 20 5, function_name $L__info_string0, inlined_at 1 34 9 */
bool ptx_parse_loc(struct ptx_parser *p)
{
    int on_line = p->tok.line;
    if (p->tok.kind != PTX_T_INT)
        return ptx_error(p, "expected a file's number");
    struct place here, call = { 0 };
    uint64_t offset = 0;
    const char *label = NULL;
    if (read_place(p, on_line, &here) < 2)
        return ptx_error(p, "expected a line");
    while (ptx_is_punct(p, ',') && p->tok.line == on_line) {
        ptx_advance(p);
        if (accept_word(p, "function_name"))
            label = read_label(p, &offset);
        else if (accept_word(p, "inlined_at"))
            read_place(p, on_line, &call);
        while (p->tok.line == on_line && (p->tok.kind == PTX_T_NAME || p->tok.kind == PTX_T_INT || ptx_is_punct(p, '+')))
            ptx_advance(p);
    }
    p->loc_file = here.file;
    p->loc_line = here.line;
    p->loc_inlined = NULL;
    if (call.line)
        set_inlined(p, &call, label, offset);
    if (p->func)
        hw_map_set(&p->locs, &here, sizeof here, (void *)p->loc_inlined);
    return true;
}

void ptx_lines_begin(struct ptx_parser *p)
{
    p->loc_file = p->loc_line = 0;
    p->loc_inlined = NULL;
    hw_map_fini(&p->locs);
}

/* ---- sections ---- */

/* In .debug_str: $L__info_string0: .b8 95, 90, 0. Labels are kept with where they are. */
static void read_strings(struct ptx_parser *p, struct ptx_token *before)
{
    if (ptx_is_punct(p, ':') && before->kind == PTX_T_NAME)
        hw_map_set(&p->string_labels, before->text, before->n, (void *)(uintptr_t)(p->strings.n + 1));
    else if (p->tok.kind == PTX_T_INT)
        hw_str_add(&p->strings, &(char){ (char)p->tok.value }, 1);
}

/* .section .debug_x { ... } */
bool ptx_parse_section(struct ptx_parser *p)
{
    bool strings = ptx_is_dot(p, "debug_str");
    while (!ptx_is_punct(p, '{')) {
        if (p->tok.kind == PTX_T_EOF || p->tok.kind == PTX_T_BAD || ptx_is_punct(p, ';'))
            return ptx_error(p, "expected '{' of a section");
        ptx_advance(p);
    }
    for (int depth = 0;;) {
        struct ptx_token before = p->tok;
        depth += ptx_is_punct(p, '{') - ptx_is_punct(p, '}');
        if (p->tok.kind == PTX_T_EOF || p->tok.kind == PTX_T_BAD)
            return ptx_error(p, "a section is never closed");
        ptx_advance(p);
        if (depth == 0)
            return true;
        if (strings)
            read_strings(p, &before);
    }
}

/* ---- when all is read: sections come last in the text ---- */

static const char *string_at(const struct ptx_parser *p, const struct ptx_inlined_name *n)
{
    size_t at = (size_t)(uintptr_t)hw_map_get_str(&p->string_labels, n->label);
    return at && n->offset < p->strings.n && at - 1 + n->offset < p->strings.n ? p->strings.s + at - 1 + n->offset : NULL;
}

/* A function's own file is the first that it has lines of and that is not a header which lies somewhere installed. */
static void find_homes(struct ptx_module *m, struct ptx_func *f)
{
    uint32_t home = 0, line = 0;
    for (size_t i = 0; i < f->insts.n && !line; i++) {
        const struct ptx_inst *x = &f->insts.v[i];
        for (size_t k = 0; k < m->files.n && x->src_line && !line; k++)
            if (m->files.v[k].index == x->src_file && !strstr(m->files.v[k].name, "/include/")) {
                home = x->src_file;
                line = x->src_line;
            }
    }
    for (size_t i = 0; i < f->insts.n && line; i++) {
        struct ptx_inst *x = &f->insts.v[i];
        if (x->src_file == home && x->src_line)
            line = x->src_line;
        x->home_file = home;
        x->home_line = line;
    }
}

void ptx_lines_end(struct ptx_parser *p)
{
    hw_str_add(&p->strings, "", 1);              /* the last has an end */
    for (size_t k = 0; k < p->inlined_names.n; k++) {
        const char *name = string_at(p, &p->inlined_names.v[k]);
        if (name)
            p->inlined_names.v[k].of->function = hw_arena_strdup(&p->module->arena, name);
    }
    for (size_t i = 0; i < p->module->funcs.n; i++)
        find_homes(p->module, p->module->funcs.v[i]);
}

void ptx_lines_fini(struct ptx_parser *p)
{
    hw_map_fini(&p->locs);
    hw_map_fini(&p->string_labels);
    hw_str_fini(&p->strings);
    hw_vec_fini(&p->inlined_names);
}
