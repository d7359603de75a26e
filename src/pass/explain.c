/* SPDX-License-Identifier: Apache-2.0 */
/* A plan in words: which branches diverge, and why; what each memory access becomes. */
#include "pass/explain.h"
#include "pass/analysis/access.h"

#include <stdio.h>

static const char *file_of(const struct ir_module *names, uint32_t file, uint32_t line)
{
    return line && file < names->files.n ? names->files.v[file] : NULL;
}

static bool is_header(const char *file) { return strstr(file, "/include/") != NULL; }

/* Code of a header that is installed somewhere stands for the line of the program that it was inlined into. */
void explain_place(struct hw_str *out, const struct ir_module *names, const struct ir_inst *i)
{
    const char *file = file_of(names, i->src_file, i->src_line), *home = file_of(names, i->home_file, i->home_line);
    uint32_t line = i->src_line;
    for (const struct ir_inlined *x = i->inlined; x && (!file || is_header(file)); x = x->outer)
        if (file_of(names, x->file, x->line)) {
            file = file_of(names, x->file, x->line);
            line = x->line;
        }
    if (home && (!file || is_header(file))) {
        file = home;
        line = i->home_line;
    }
    if (!file) {
        hw_str_printf(out, "PTX line %u", (unsigned)i->ptx_line);
        return;
    }
    const char *slash = strrchr(file, '/');
    hw_str_printf(out, "%s:%u", slash ? slash + 1 : file, (unsigned)line);
}

/* Files' names are the compiler's, and may hold anything. */
static void add_frame(struct hw_str *out, const char *file, uint32_t line, const char *function)
{
    size_t from = out->n;
    hw_str_printf(out, "%s%s:%u%s%s", from ? " < " : "", file, (unsigned)line, function ? " in " : "", function ? function : "");
    for (size_t k = from; k < out->n; k++)
        if ((unsigned char)out->s[k] < ' ')
            out->s[k] = '?';
}

void explain_frames(struct hw_str *out, const struct ir_module *names, const struct ir_inst *i)
{
    enum { DEEPEST = 32 };
    const char *file = file_of(names, i->src_file, i->src_line), *home = file_of(names, i->home_file, i->home_line);
    uint32_t line = i->src_line;
    const struct ir_inlined *x = i->inlined;
    for (int depth = 0; x && depth < DEEPEST; x = x->outer, depth++) {
        if (file)
            add_frame(out, file, line, x->function);
        file = file_of(names, x->file, x->line);
        line = x->line;
    }
    if (file)
        add_frame(out, file, line, NULL);
    if (home && !i->inlined && (!file || is_header(file)))
        add_frame(out, home, i->home_line, NULL);
    if (!out->n)
        hw_str_printf(out, "PTX line %u", (unsigned)i->ptx_line);
}

static const struct ir_inst *first_with_place(const struct plan *p, const struct plan_loop *loop)
{
    for (int b = loop->header; b < p->n_blocks; b++)
        for (size_t j = 0; bits_has(loop->blocks, (size_t)b) && j < p->blocks[b].ir->insts.n; j++)
            if (p->blocks[b].ir->insts.v[j]->ptx_line)
                return p->blocks[b].ir->insts.v[j];
    return ir_block_term(p->blocks[loop->header].ir);
}

const char *explain_hazard(const struct plan *p, const struct ir_inst **out_at)
{
    for (size_t l = 0; l < p->loops.n; l++)
        if (p->loops.v[l].spin) {
            *out_at = first_with_place(p, &p->loops.v[l]);
            return "a loop waits for what other threads do";
        }
    for (int b = 0; p->needs_fair && b < p->n_blocks; b++) {
        const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        if (t->op == IR_BAR || t->op == IR_BAR_RED) {
            *out_at = t;
            return "only some threads of a warp may reach a barrier";
        }
    }
    return NULL;
}

/* ---- lines, counted when they repeat ---- */

struct line {
    char *place, *text;
    unsigned n;
};
struct lines {
    HW_VEC(struct line) v;
};

static void add_line(struct lines *l, const struct ir_module *names, const struct ir_inst *i, const char *text)
{
    struct hw_str place = { 0 };
    explain_place(&place, names, i);
    for (size_t k = 0; k < l->v.n; k++)
        if (strcmp(l->v.v[k].place, place.s) == 0 && strcmp(l->v.v[k].text, text) == 0) {
            l->v.v[k].n++;
            hw_str_fini(&place);
            return;
        }
    struct line line = { hw_strdup(place.s), hw_strdup(text), 1 };
    hw_vec_push(&l->v, line);
    hw_str_fini(&place);
}

static void print_lines(struct hw_str *out, struct lines *l)
{
    size_t wide = 0;
    for (size_t k = 0; k < l->v.n; k++)
        wide = strlen(l->v.v[k].place) > wide ? strlen(l->v.v[k].place) : wide;
    for (size_t k = 0; k < l->v.n; k++) {
        struct line *x = &l->v.v[k];
        hw_str_printf(out, "    %-*s  %s", (int)wide, x->place, x->text);
        if (x->n > 1)
            hw_str_printf(out, "  (%u times)", x->n);
        hw_str_puts(out, "\n");
        hw_free(x->place);
        hw_free(x->text);
    }
    hw_vec_fini(&l->v);
}

/* ---- why lanes differ ---- */

enum { MAX_CAUSES = 4 };
struct causes {
    const struct plan *p;
    const struct ir_module *names;
    bool *seen;                  /* by register */
    char text[MAX_CAUSES][80];
    unsigned n;
};

static void add_cause(struct causes *c, const char *text)
{
    for (unsigned k = 0; k < c->n; k++)
        if (strcmp(c->text[k], text) == 0)
            return;
    if (c->n < MAX_CAUSES)
        snprintf(c->text[c->n++], sizeof c->text[0], "%s", text);
}

static const char *sreg_words(int64_t sreg)
{
    switch (sreg) {
    case IR_SREG_TID_X: return "threadIdx.x";
    case IR_SREG_TID_Y: return "threadIdx.y";
    case IR_SREG_TID_Z: return "threadIdx.z";
    default: return (size_t)sreg < IR_SREG_COUNT ? ir_sreg_names[sreg] : "a special register";
    }
}

static void find_causes(struct causes *c, const struct ir_operand *o);

static void cause_of(struct causes *c, const struct ir_inst *i)
{
    struct hw_str at = { 0 }, text = { 0 };
    explain_place(&at, c->names, i);
    switch (i->op) {
    case IR_SREG: add_cause(c, sreg_words(i->imm)); break;
    case IR_LD: hw_str_printf(&text, "what is loaded at %s", at.s); break;
    case IR_ATOM: case IR_ATOM2: hw_str_printf(&text, "the atomic at %s", at.s); break;
    case IR_SHFL: case IR_VOTE: case IR_MATCH: case IR_REDUX: case IR_MMA: case IR_ACTIVEMASK:
        hw_str_printf(&text, "the warp operation at %s", at.s);
        break;
    default:
        if (!i->n_src)
            hw_str_printf(&text, "%s at %s", ir_op_info[i->op].text, at.s);
        for (int k = 0; k < i->n_src; k++)
            find_causes(c, &i->src[k]);
    }
    if (text.n)
        add_cause(c, text.s);
    hw_str_fini(&at);
    hw_str_fini(&text);
}

/* Follows what is not the same in all lanes back to where it comes from. */
static void find_causes(struct causes *c, const struct ir_operand *o)
{
    struct shape s = plan_operand_shape(c->p, o);
    if (o->kind != IR_REG || c->seen[o->reg->id] || shape_group_uniform(&s))
        return;
    c->seen[o->reg->id] = true;
    const struct plan_reg *r = &c->p->regs[o->reg->id];
    if (r->def) {
        cause_of(c, r->def);
        return;
    }
    for (int b = 0; b < c->p->n_blocks; b++)              /* several definitions, as in loops */
        for (size_t j = 0; j < c->p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = c->p->blocks[b].ir->insts.v[j];
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k] == o->reg)
                    cause_of(c, i);
        }
}

static void explain_branches(struct hw_str *out, const struct plan *p, const struct ir_module *names)
{
    struct lines lines = { 0 };
    unsigned n_divergent = 0, n_uniform = 0;
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        if (t->op != IR_CBR)
            continue;
        n_uniform += !p->blocks[b].divergent;
        if (!p->blocks[b].divergent)
            continue;
        n_divergent++;
        struct causes c = { .p = p, .names = names, .seen = hw_alloc(p->n_regs + 1) };
        struct hw_str text = { 0 };
        find_causes(&c, &t->src[0]);
        hw_str_puts(&text, "divergent");
        for (unsigned k = 0; k < c.n; k++)
            hw_str_printf(&text, "%s%s", k == 0 ? ": depends on " : k + 1 == c.n ? " and " : ", ", c.text[k]);
        if (p->blocks[b].loop >= 0 && plan_in_loop(p, b, p->blocks[b].loop) && (!bits_has(p->loops.v[p->blocks[b].loop].blocks, (size_t)p->blocks[b].succ[0]) ||
            !bits_has(p->loops.v[p->blocks[b].loop].blocks, (size_t)p->blocks[b].succ[1])))
            hw_str_puts(&text, "; lanes leave a loop one by one");
        add_line(&lines, names, t, text.s);
        hw_str_fini(&text);
        hw_free(c.seen);
    }
    hw_str_printf(out, "  branches   %u divergent, %u uniform\n", n_divergent, n_uniform);
    print_lines(out, &lines);
}

/* ---- memory ---- */

static void describe_access(struct hw_str *out, const struct plan *p, int block, const struct ir_inst *i, const struct access *a)
{
    static const char *const spaces[] = { "generic", "global", "shared", "local", "const", "param" };
    bool atomic = i->op == IR_ATOM || i->op == IR_ATOM2;
    char bytes[32];
    snprintf(bytes, sizeof bytes, a->elements > 1 ? "%2$ux%1$u" : "%u", a->bytes, a->elements);
    hw_str_printf(out, "%-6s %-7s %4s bytes  %s%s%s", i->op == IR_LD ? "load" : i->op == IR_ST ? "store" : "atomic", spaces[i->space], bytes,
                  access_form_name(a->form, i->op == IR_ST), p->blocks[block].masked && a->form != ACCESS_ONE_LANE ? ", masked" : "",
                  (i->flags & IR_VOLATILE) || (i->order != IR_WEAK && !atomic) ? ", ordered" : "");
    if (a->form == ACCESS_STRIDED)
        hw_str_printf(out, ", %lld bytes apart", (long long)a->step);
    struct plan_own_row own;
    if (plan_own_row(p, i, block, &own))
        hw_str_puts(out, ", along a row of each lane's own");
    if (i->flags & IR_PRIVATE)
        hw_str_puts(out, ", collected in a private copy");
    if (access_fetched_ahead(p, i, block, a))
        hw_str_puts(out, ", fetched an iteration ahead");
}

static void explain_memory(struct hw_str *out, const struct plan *p, const struct ir_module *names)
{
    static const enum access_form order[] = { ACCESS_UNIFORM, ACCESS_ROW, ACCESS_FALLING_ROW, ACCESS_STRIDED, ACCESS_GATHERED, ACCESS_BY_LANE, ACCESS_ONE_LANE, ACCESS_TILE };
    struct lines lines = { 0 };
    unsigned count[ACCESS_FORM_COUNT] = { 0 };
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            struct hw_str text = { 0 };
            if (i->op == IR_TILE_LD || i->op == IR_TILE_ST)
                hw_str_puts(&text, i->op == IR_TILE_LD ? "load   a tile of a matrix, by the whole warp" : "store  a tile of a matrix, by the whole warp");
            else if (i->op != IR_LD && i->op != IR_ST && i->op != IR_ATOM && i->op != IR_ATOM2)
                continue;
            struct access a = access_of(p, i);
            if (a.form != ACCESS_TILE)
                describe_access(&text, p, b, i, &a);
            add_line(&lines, names, i, text.s);
            hw_str_fini(&text);
            count[a.form == ACCESS_CROSSING ? ACCESS_GATHERED : a.form]++;
        }
    hw_str_puts(out, "  memory    ");
    bool any = false;
    for (unsigned k = 0; k < HW_LEN(order); k++) {
        if (count[order[k]])
            hw_str_printf(out, "%s%u %s", any ? ", " : " ", count[order[k]], access_form_name(order[k], false));
        any |= count[order[k]] != 0;
    }
    hw_str_puts(out, any ? "\n" : " none\n");
    print_lines(out, &lines);
}

static void explain_warp_ops(struct hw_str *out, const struct plan *p, const struct ir_module *names)
{
    struct lines lines = { 0 };
    unsigned n = 0;
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            if (!(ir_op_info[i->op].props & IR_PROP_CONV) && i->op != IR_WARPOP)
                continue;
            add_line(&lines, names, i, i->op == IR_WARPOP ? "exchange between threads that take turns" : ir_op_info[i->op].text);
            n++;
        }
    if (n)
        hw_str_printf(out, "  warps      %u operation%s\n", n, n > 1 ? "s" : "");
    print_lines(out, &lines);
}

static unsigned count_barriers(const struct plan *p)
{
    unsigned n = 0;
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        n += t->op == IR_BAR || t->op == IR_BAR_RED;
    }
    return n;
}

void explain_plan(struct hw_str *out, const struct plan *p, const struct ir_module *names)
{
    unsigned n = count_barriers(p);
    hw_str_printf(out, "  regions    %zu, %u barrier%s; %u bytes of shared memory, %u of local memory per thread\n", p->regions.n, n, n == 1 ? "" : "s",
                  p->func->shared_bytes, p->func->local_bytes);
    if (p->n_across)
        hw_str_printf(out, "  layout     %u array%s of shared memory the other way round: what lanes cross lies side by side\n", p->n_across, p->n_across > 1 ? "s" : "");
    if (p->n_locals)
        hw_str_printf(out, "  locals     %u word%s of local memory %s\n", p->n_locals, p->n_locals > 1 ? "s" : "", p->n_locals > 1 ? "are registers" : "is a register");
    explain_branches(out, p, names);
    explain_memory(out, p, names);
    explain_warp_ops(out, p, names);
}
