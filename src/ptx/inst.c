/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions: operands are read as they are written, then the rows of forms.def are tried in turn. There is nothing
 * here about any particular instruction.
 */
#include "ptx/forms.h"
#include "ptx/parse.h"

#include <stdio.h>

enum { MAX_ELEMS = 64, MAX_DEPTH = 4 };

static bool parse_operand(struct ptx_parser *p, struct ptx_operand *out, int depth);

static bool parse_elems(struct ptx_parser *p, int close, struct ptx_operand *out, int depth)
{
    struct ptx_operand elems[MAX_ELEMS];
    unsigned n = 0;
    if (depth >= MAX_DEPTH)
        return ptx_error(p, "operands are nested too deeply");
    if (!ptx_is_punct(p, close))
        do {
            if (n == MAX_ELEMS)
                return ptx_error(p, "more than %d operands in a list", MAX_ELEMS);
            if (!parse_operand(p, &elems[n], depth + 1))
                return false;
            n++;
        } while (ptx_accept(p, ','));
    out->n = (uint8_t)n;
    out->elems = hw_arena_dup(&p->module->arena, elems, n * sizeof elems[0]);
    return ptx_expect(p, close);
}

/* "%tid.x": the name of a special register may contain one dotted part. */
static bool parse_sreg(struct ptx_parser *p, const struct ptx_token *name, struct ptx_operand *out)
{
    char text[64];
    bool dotted = p->tok.kind == PTX_T_DOT && p->tok.text == name->text + name->n + 1;
    int n = snprintf(text, sizeof text, "%.*s%s%.*s", (int)hw_min_u64(name->n, 60), name->text, dotted ? "." : "",
                     dotted ? (int)hw_min_u64(p->tok.n, 8) : 0, dotted ? p->tok.text : "");
    if (n < 0 || (size_t)n >= sizeof text || !ptx_sreg_type(text))
        return false;
    if (dotted)
        ptx_advance(p);
    out->kind = PTX_O_SREG;
    out->name = hw_arena_strdup(&p->module->arena, text);
    return true;
}

static void set_symbol(struct ptx_operand *out, const struct ptx_symbol *sym)
{
    switch ((enum ptx_symbol_kind)sym->kind) {
    case PTX_S_VAR: out->kind = PTX_O_VAR; out->var = sym->var; break;
    case PTX_S_FUNC: out->kind = PTX_O_FUNC; out->func = sym->func; break;
    case PTX_S_LABEL: out->kind = PTX_O_LABEL; out->label = sym->label; break;
    default:
        out->kind = PTX_O_NAME;
        out->name = sym->name;
        if (sym->kind == PTX_S_OTHER && sym->p) {            /* .branchtargets: its labels, shared by all who name it */
            const struct ptx_operand *targets = sym->p;
            out->kind = PTX_O_VEC;
            out->n = targets->n;
            out->elems = targets->elems;
        }
        break;
    }
}

static bool parse_name(struct ptx_parser *p, struct ptx_operand *out)
{
    struct ptx_token name = p->tok;
    struct ptx_const c;
    struct ptx_reg *reg = ptx_reg_find(p, name.text, name.n);
    ptx_advance(p);
    if (reg) {
        out->kind = PTX_O_REG;
        out->reg = reg;
        return true;
    }
    if (name.n == 1 && name.text[0] == '_') {
        out->kind = PTX_O_SINK;
        return true;
    }
    const struct ptx_symbol *sym = ptx_symbol_find(&p->scopes, name.text, name.n);
    if (sym) {
        set_symbol(out, sym);
    } else if (name.n == 7 && memcmp(name.text, "WARP_SZ", 7) == 0) {
        out->kind = PTX_O_INT;
        out->imm = 32;
    } else if (!(name.text[0] == '%' && parse_sreg(p, &name, out))) {
        out->kind = PTX_O_NAME;
        out->name = hw_arena_strndup(&p->module->arena, name.text, name.n);
    }
    if (out->kind == PTX_O_VAR && (ptx_is_punct(p, '+') || ptx_is_punct(p, '-'))) {
        if (!ptx_parse_const(p, &c))
            return false;
        if (c.kind != PTX_O_INT)
            return ptx_error(p, "an offset is an integer");
        out->imm = (int64_t)c.bits;
    }
    return true;
}

static bool parse_constant(struct ptx_parser *p, struct ptx_operand *out)
{
    struct ptx_const c;
    if (!ptx_parse_const(p, &c))
        return false;
    out->kind = c.kind;
    out->imm = (int64_t)c.bits;
    return true;
}

/* [a], [a+4], [a+-4], [4096], [tex, {x, y}] */
static bool parse_address(struct ptx_parser *p, struct ptx_operand *out, int depth)
{
    struct ptx_operand elems[MAX_DEPTH] = { 0 };
    struct ptx_const c;
    out->kind = PTX_O_ADDR;
    out->n = 1;
    if (depth >= MAX_DEPTH)
        return ptx_error(p, "operands are nested too deeply");
    if (p->tok.kind == PTX_T_NAME ? !parse_name(p, &elems[0]) : !parse_constant(p, &elems[0]))
        return false;
    out->imm = elems[0].kind == PTX_O_VAR ? elems[0].imm : 0;
    if (elems[0].kind == PTX_O_VAR)
        elems[0].imm = 0;
    if (ptx_is_punct(p, '+') || ptx_is_punct(p, '-')) {
        if (!ptx_parse_const(p, &c))
            return false;
        if (c.kind != PTX_O_INT)
            return ptx_error(p, "an offset is an integer");
        out->imm = (int64_t)((uint64_t)out->imm + c.bits);
    }
    while (ptx_accept(p, ',')) {
        if (out->n == MAX_DEPTH)
            return ptx_error(p, "an address has too many parts");
        if (!parse_operand(p, &elems[out->n++], depth + 1))
            return false;
    }
    out->elems = hw_arena_dup(&p->module->arena, elems, out->n * sizeof elems[0]);
    return ptx_expect(p, ']');
}

static bool next_is_name(const struct ptx_parser *p)
{
    struct ptx_lexer lx = p->lx;
    struct ptx_token next;
    ptx_lex_next(&lx, &next);
    return next.kind == PTX_T_NAME;
}

static bool parse_operand(struct ptx_parser *p, struct ptx_operand *out, int depth)
{
    struct ptx_operand first;
    memset(out, 0, sizeof *out);
    out->col = (uint16_t)p->tok.col;
    if (ptx_accept(p, '['))
        return parse_address(p, out, depth);
    if (ptx_accept(p, '{')) {
        out->kind = PTX_O_VEC;
        return parse_elems(p, '}', out, depth);
    }
    if (depth == 0 && p->lists && ptx_accept(p, '(')) {
        out->kind = PTX_O_LIST;
        return parse_elems(p, ')', out, depth);
    }
    if (ptx_is_punct(p, '!')) {
        ptx_advance(p);
        if (p->tok.kind != PTX_T_NAME || depth > 0)
            return ptx_error(p, "'!' is followed by a predicate");
        out->negated = true;
        return parse_name(p, out);
    }
    if (depth == 0 && p->selectors && ptx_is_punct(p, '-') && next_is_name(p)) {
        ptx_advance(p);
        out->minus = true;
    }
    if (p->tok.kind != PTX_T_NAME)
        return parse_constant(p, out);
    if (!parse_name(p, out))
        return false;
    if (depth == 0 && p->selectors && p->tok.kind == PTX_T_DOT) {
        out->sel = hw_arena_strndup(&p->module->arena, p->tok.text, p->tok.n);
        ptx_advance(p);
    }
    if (!ptx_is_punct(p, '|'))
        return p->tok.kind != PTX_T_BAD;
    /* d|p */
    first = *out;
    ptx_advance(p);
    out->kind = PTX_O_PAIR;
    out->negated = false;
    out->n = 2;
    out->elems = hw_arena_array(&p->module->arena, struct ptx_operand, 2);
    out->elems[0] = first;
    out->elems[1].col = (uint16_t)p->tok.col;
    if (p->tok.kind != PTX_T_NAME)
        return ptx_error(p, "'|' is followed by a second result");
    return parse_name(p, &out->elems[1]);
}

static bool item_takes(const struct ptx_item *item, const struct ptx_operand *o)
{
    switch ((enum ptx_item_kind)item->kind) {
    case PTX_I_ADDR: return o->kind == PTX_O_ADDR;
    case PTX_I_LIST: return o->kind == PTX_O_LIST;
    case PTX_I_CONST: return o->kind == PTX_O_INT;
    case PTX_I_LABEL: return o->kind == PTX_O_LABEL || o->kind == PTX_O_NAME;
    case PTX_I_FUNC: return o->kind == PTX_O_FUNC || o->kind == PTX_O_NAME || o->kind == PTX_O_REG;
    case PTX_I_NAME: return o->kind == PTX_O_NAME || o->kind == PTX_O_LABEL || o->kind == PTX_O_FUNC || o->kind == PTX_O_VEC;
    case PTX_I_VALUE: break;
    }
    if (o->kind == PTX_O_VEC)
        return item->vector;
    if (item->is_dst)
        return o->kind == PTX_O_REG || o->kind == PTX_O_SINK || o->kind == PTX_O_NAME;
    return o->kind != PTX_O_ADDR && o->kind != PTX_O_LIST && o->kind != PTX_O_PAIR && o->kind != PTX_O_LABEL;
}

/* Puts the operands in the places of the row. -1: they fit; else the index of the one that does not (n: one is missing). */
static int match_operands(enum ptx_form form, const struct ptx_operand *ops, unsigned n, struct ptx_operand *out)
{
    const struct ptx_row *row = ptx_row(form);
    unsigned k = 0, needed = 0;
    for (unsigned i = 0; i < row->n_items; i++)
        needed += !row->items[i].optional && !row->items[i].pair;
    for (unsigned i = 0; i < row->n_items; i++) {
        const struct ptx_item *item = &row->items[i];
        memset(&out[i], 0, sizeof out[i]);
        if (item->pair)
            continue;            /* filled together with the one before */
        bool has_pair = i + 1 < row->n_items && row->items[i + 1].pair;
        if (item->optional && (n - k <= needed || !item_takes(item, &ops[k])))
            continue;
        needed -= !item->optional;
        if (k >= n)
            return (int)n;
        if (has_pair && ops[k].kind == PTX_O_PAIR) {
            out[i] = ops[k].elems[0];
            out[i + 1] = ops[k].elems[1];
            i++;
        } else if (!item_takes(item, &ops[k])) {
            return (int)k;
        } else {
            out[i] = ops[k];
        }
        if ((ops[k].negated || ops[k].minus) && !item->negatable)
            return (int)k;
        k++;
    }
    return k == n ? -1 : (int)k;
}

/* Names that only a label can be are remembered until the scope ends; any other unknown name is an error. */
static bool settle_names(struct ptx_parser *p, struct ptx_inst *inst, struct ptx_operand *ops, unsigned n, bool label_ok, int line)
{
    for (unsigned i = 0; i < n; i++) {
        struct ptx_operand *o = &ops[i];
        bool compound = o->kind == PTX_O_ADDR || o->kind == PTX_O_VEC || o->kind == PTX_O_LIST || o->kind == PTX_O_PAIR;
        const struct ptx_row *row = ptx_row(inst->form);
        uint8_t kind = label_ok && i < row->n_items ? row->items[i].kind : PTX_I_VALUE;
        if (kind == PTX_I_NAME)
            continue;
        if (compound && !settle_names(p, inst, o->elems, o->n, false, line))
            return false;
        if (o->kind != PTX_O_NAME)
            continue;
        if (kind != PTX_I_LABEL)
            return ptx_error_at(p, line, o->col, "'%s' is not declared", o->name);
        struct ptx_label_use use = { o, o->name, p->scopes.depth, line, o->col };
        hw_vec_push(&p->label_uses, use);
    }
    return true;
}

bool ptx_resolve_labels(struct ptx_parser *p)
{
    size_t keep = 0;
    bool ok = true;
    for (size_t i = 0; i < p->label_uses.n; i++) {
        struct ptx_label_use use = p->label_uses.v[i];
        const struct ptx_symbol *sym = use.depth == p->scopes.depth ? ptx_symbol_find(&p->scopes, use.name, strlen(use.name)) : NULL;
        if (sym && sym->kind == PTX_S_LABEL && sym->depth == p->scopes.depth) {
            use.operand->kind = PTX_O_LABEL;
            use.operand->label = sym->label;
            continue;
        }
        if (use.depth == p->scopes.depth)
            use.depth--;
        if (use.depth == 0)
            ok = ptx_error_at(p, use.line, use.col, "label '%s' is not defined", use.name);
        else
            p->label_uses.v[keep++] = use;
    }
    p->label_uses.n = keep;
    return ok;
}

enum { MOST_TARGETS = 4096 };

bool ptx_parse_targets(struct ptx_parser *p, struct ptx_operand *out)
{
    HW_VEC(struct ptx_operand) labels = { 0 };
    HW_VEC(int) lines = { 0 };
    bool ok = true;
    do {
        struct ptx_token name;
        struct ptx_operand label = { .kind = PTX_O_NAME };
        if (labels.n == MOST_TARGETS && !(ok = ptx_error(p, "more than %d targets", MOST_TARGETS)))
            goto out;
        if (!(ok = ptx_expect_name(p, "a label", &name)))
            goto out;
        const struct ptx_symbol *sym = ptx_symbol_find(&p->scopes, name.text, name.n);
        label.col = (uint16_t)name.col;
        label.name = hw_arena_strndup(&p->module->arena, name.text, name.n);
        if (sym && sym->kind == PTX_S_LABEL)
            set_symbol(&label, sym);
        hw_vec_push(&labels, label);
        hw_vec_push(&lines, name.line);
    } while (ptx_accept(p, ','));
    out->kind = PTX_O_VEC;
    out->n = (uint16_t)labels.n;
    out->elems = hw_arena_dup(&p->module->arena, labels.v, labels.n * sizeof *labels.v);
    for (unsigned i = 0; i < labels.n; i++)
        if (out->elems[i].kind == PTX_O_NAME) {
            struct ptx_label_use use = { &out->elems[i], out->elems[i].name, p->scopes.depth, lines.v[i], out->elems[i].col };
            hw_vec_push(&p->label_uses, use);
        }
    ok = ptx_expect(p, ';');
out:
    hw_vec_fini(&labels);
    hw_vec_fini(&lines);
    return ok;
}

static void describe(const struct ptx_token *op, const struct ptx_word *words, unsigned n_words, char *out, size_t bytes)
{
    size_t n = (size_t)snprintf(out, bytes, "%.*s", (int)hw_min_u64(op->n, 40), op->text);
    for (unsigned w = 0; w < n_words && n < bytes; w++)
        n += (size_t)snprintf(out + n, bytes - n, ".%.*s", (int)hw_min_u64(words[w].n, 40), words[w].text);
}

static bool no_form(struct ptx_parser *p, const struct ptx_token *op, const struct ptx_word *words, unsigned n_words, int best_word,
                    enum ptx_form best_form)
{
    char text[160];
    describe(op, words, n_words, text, sizeof text);
    if (best_form)
        return ptx_error_at(p, op->line, op->col, "the operands of '%s' do not fit: it takes '%s'", text, ptx_form_info[best_form].operands);
    if (best_word >= 0 && (unsigned)best_word < n_words)
        return ptx_error_at(p, op->line, op->col, "'.%.*s' does not fit in '%s'", (int)hw_min_u64(words[best_word].n, 40),
                            words[best_word].text, text);
    return ptx_error_at(p, op->line, op->col, "'%s' is incomplete: a modifier or a type is missing", text);
}

/* Finds the row for the words and operands and fills inst. */
static bool choose_form(struct ptx_parser *p, const struct ptx_token *op, const struct ptx_word *words, unsigned n_words,
                        const struct ptx_operand *ops, unsigned n_ops, struct ptx_inst *inst)
{
    unsigned first, last;
    struct ptx_operand placed[PTX_MAX_OPERANDS];
    enum ptx_form best_form = PTX_FORM_NONE;
    int best_word = -1;
    ptx_find_op(op->text, op->n, &first, &last);
    if (first == last)
        return ptx_error_at(p, op->line, op->col, "unknown instruction '%.*s'", (int)hw_min_u64(op->n, 60), op->text);
    for (unsigned r = first; r < last; r++) {
        enum ptx_form form = ptx_rows_by_op[r];
        const struct ptx_row *row = ptx_row(form);
        int word = ptx_match_words(form, words, n_words, inst);
        if (word >= 0) {
            best_word = word > best_word ? word : best_word;
            continue;
        }
        inst->form = (uint16_t)form;
        if (ptx_form_info[form].props & PTX_TODO) {
            char text[160];
            describe(op, words, n_words, text, sizeof text);
            inst->text = hw_arena_strdup(&p->module->arena, text);
        }
        if (row->any_operands) {
            inst->n_ops = 0;
            return true;
        }
        if (match_operands(form, ops, n_ops, placed) < 0) {
            inst->n_ops = row->n_items;
            inst->ops = hw_arena_dup(&p->module->arena, placed, row->n_items * sizeof placed[0]);
            return true;
        }
        best_form = best_form ? best_form : form;
    }
    return no_form(p, op, words, n_words, best_word, best_form);
}

/* Whether a row of this mnemonic has the property. */
static bool any_row(const struct ptx_token *op, unsigned property)
{
    unsigned first, last;
    ptx_find_op(op->text, op->n, &first, &last);
    return first < last && (ptx_form_info[ptx_rows_by_op[first]].props & property);
}

static bool takes_lists(const struct ptx_token *op)
{
    unsigned first, last;
    ptx_find_op(op->text, op->n, &first, &last);
    for (unsigned r = first; r < last; r++)
        for (unsigned i = 0; i < ptx_row(ptx_rows_by_op[r])->n_items; i++)
            if (ptx_row(ptx_rows_by_op[r])->items[i].kind == PTX_I_LIST)
                return true;
    return false;
}

static bool parse_guard(struct ptx_parser *p, struct ptx_inst *inst)
{
    struct ptx_token name;
    if (!ptx_accept(p, '@'))
        return true;
    inst->guard_negated = ptx_accept(p, '!');
    if (!ptx_expect_name(p, "a predicate", &name))
        return false;
    inst->guard = ptx_reg_find(p, name.text, name.n);
    if (!inst->guard)
        return ptx_error_at(p, name.line, name.col, "'%.*s' is not declared", (int)hw_min_u64(name.n, 60), name.text);
    if (inst->guard->type != PTX_PRED)
        return ptx_error_at(p, name.line, name.col, "the guard '%s' is not a predicate", inst->guard->name);
    return true;
}

/* op: the mnemonic, already read; NULL when the statement starts with a guard. */
bool ptx_parse_inst(struct ptx_parser *p, const struct ptx_token *op)
{
    struct ptx_inst inst = { .src_file = p->loc_file, .src_line = p->loc_line, .inlined = p->loc_inlined };
    struct ptx_token name;
    struct ptx_word words[PTX_MAX_MODS];
    struct ptx_operand ops[PTX_MAX_OPERANDS];
    unsigned n_words = 0, n_ops = 0;
    if (!op) {
        if (!parse_guard(p, &inst) || !ptx_expect_name(p, "an instruction", &name))
            return false;
        op = &name;
    }
    inst.line = op->line;
    p->lists = takes_lists(op);
    p->selectors = any_row(op, PTX_SELECT);
    for (; p->tok.kind == PTX_T_DOT; ptx_advance(p)) {
        if (n_words == PTX_MAX_MODS)
            return ptx_error(p, "too many modifiers");
        ptx_find_word(p->tok.text, p->tok.n, &words[n_words++]);
    }
    if (!ptx_is_punct(p, ';'))
        do {
            if (n_ops == PTX_MAX_OPERANDS)
                return ptx_error(p, "too many operands");
            if (!parse_operand(p, &ops[n_ops], 0))
                return false;
            n_ops++;
        } while (ptx_accept(p, ','));
    if (!ptx_expect(p, ';'))
        return false;
    if (!choose_form(p, op, words, n_words, ops, n_ops, &inst) || !settle_names(p, &inst, inst.ops, inst.n_ops, true, inst.line) ||
        !ptx_check_operands(p, &inst))
        return false;
    hw_vec_push(&p->func->insts, inst);
    return true;
}
