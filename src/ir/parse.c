/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IR text, read back: the inverse of print.c, so that a pass can be tested by a file. What the printer leaves out (the program's own names, places in
 * headers) is not there afterwards. Text that is not the printer's is an error with its line, never a crash.
 */
#include "ir/names.h"

enum { MOST_REGISTERS = 1 << 20, MOST_BLOCKS = 1 << 16 };

struct parser {
    const char *at, *end;        /* of the line */
    int line;
    struct diag *diag;
    struct ir_module *module;
    struct ir_func *f;
    struct ir_block *block;
    bool *known;                 /* by register: its type was said */
    bool ok;
};

static void fail(struct parser *p, const char *why)
{
    if (p->ok)
        diag_error(p->diag, p->line, 0, "%s", why);
    p->ok = false;
}

static void blanks(struct parser *p)
{
    while (p->at < p->end && *p->at == ' ')
        p->at++;
}

static bool take(struct parser *p, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, text, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* A word of its own, with the blanks around it. */
static bool take_word(struct parser *p, const char *text)
{
    const char *was = p->at;
    blanks(p);
    if (take(p, text) && (p->at == p->end || *p->at == ' ')) {
        blanks(p);
        return true;
    }
    p->at = was;
    return false;
}

static uint64_t number(struct parser *p)
{
    uint64_t v = 0;
    bool hex = take(p, "0x"), any = false;
    for (; p->at < p->end; p->at++, any = true) {
        char c = *p->at;
        unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : hex && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16, base = hex ? 16 : 10;
        if (digit >= base)
            break;
        if (v > (UINT64_MAX - digit) / base) {
            fail(p, "the number is too large");
            return 0;
        }
        v = v * base + digit;
    }
    if (!any)
        fail(p, "a number is missing");
    return v;
}

static uint32_t number32(struct parser *p)
{
    uint64_t v = number(p);
    if (v > UINT32_MAX)
        fail(p, "the number is too large");
    return (uint32_t)v;
}

static const char *name(struct parser *p)
{
    blanks(p);
    const char *from = p->at;
    while (p->at < p->end && *p->at != ' ')
        p->at++;
    if (from == p->at)
        fail(p, "a name is missing");
    return hw_arena_strndup(&p->module->arena, from, (size_t)(p->at - from));
}

/* ---- registers, blocks, operands ---- */

static struct ir_reg *reg(struct parser *p)
{
    uint64_t id = number(p);
    if (id >= MOST_REGISTERS)
        fail(p, "no such register");
    if (!p->ok)
        return NULL;
    if (id >= p->f->regs.n) {
        size_t had = p->f->regs.n;
        while (p->f->regs.n <= id)
            ir_reg_new(p->f, IR_I32, NULL);
        bool *more = hw_alloc(p->f->regs.n);
        if (had)
            memcpy(more, p->known, had);
        hw_free(p->known);
        p->known = more;
    }
    return p->f->regs.v[id];
}

static void typed(struct parser *p, struct ir_reg *r)
{
    int t = take(p, ":") ? ir_name_at(&ir_type_names, p->at, strcspn(p->at, " ,\n")) : -1;
    if (t <= IR_VOID || ir_type_is_float((enum ir_type)t)) {
        fail(p, "a register's type is missing");
        return;
    }
    p->at += strlen(ir_type_name((enum ir_type)t));
    if (!r || (p->known[r->id] && r->type != (enum ir_type)t)) {
        fail(p, "the register has another type elsewhere");
        return;
    }
    r->type = (enum ir_type)t;
    p->known[r->id] = true;
}

static struct ir_block *block(struct parser *p)
{
    uint64_t id = take(p, "b") ? number(p) : MOST_BLOCKS;
    if (id >= MOST_BLOCKS) {
        fail(p, "no such block");
        return NULL;
    }
    while (p->f->blocks.n <= id)
        ir_block_new(p->f, NULL);
    return p->f->blocks.v[id];
}

static struct ir_operand operand(struct parser *p)
{
    struct ir_operand o = { 0 };
    if (take(p, "_"))
        return o;
    if (take(p, "%")) {
        o.reg = reg(p);
        o.kind = o.reg ? IR_REG : IR_NONE;
        return o;
    }
    o.kind = IR_IMM;
    o.imm = number(p);
    if (take(p, "@"))
        o.var = number32(p) + 1;
    return o;
}

/* ---- one instruction ---- */

static bool modifier(struct parser *p, const struct ir_names *names, int *out)
{
    int v = p->at < p->end && *p->at == '.' ? ir_name_at(names, p->at + 1, (size_t)(p->end - p->at - 1)) : -1;
    if (v < 0)
        return false;
    p->at += 1 + strlen(names->v[v]);
    *out = v;
    return true;
}

static const struct ir_names *names_of_imm(enum ir_op op)
{
    static const struct ir_names math = { ir_math_names, IR_MATH_COUNT };
    switch (op) {
    case IR_MATH: return &math;
    case IR_SHFL: return &ir_shfl_names;
    case IR_VOTE: return &ir_vote_names;
    case IR_REDUX: return &ir_atom_names;
    case IR_BAR: return &ir_bar_names;
    case IR_BAR_RED: return &ir_barred_names;
    default: return NULL;
    }
}

/* In the order in which they are printed. */
static void modifiers(struct parser *p, struct ir_inst *i)
{
    int v;
    if (modifier(p, &ir_type_names, &v))
        i->type = (enum ir_type)v;
    if (modifier(p, &ir_type_names, &v))
        i->type2 = (enum ir_type)v;
    if (i->op == IR_CMP && modifier(p, &ir_cmp_names, &v))
        i->cmp = (uint8_t)v;
    if ((i->op == IR_ATOM || i->op == IR_ATOM2) && modifier(p, &ir_atom_names, &v))
        i->atom = (uint8_t)v;
    if (modifier(p, &ir_space_names, &v))
        i->space = (uint8_t)v;
    if (modifier(p, &ir_order_names, &v))
        i->order = (uint8_t)v;
    if (modifier(p, &ir_scope_names, &v))
        i->scope = (uint8_t)v;
    if (modifier(p, &ir_rnd_names, &v))
        i->rnd = (uint8_t)v;
    while (modifier(p, &ir_flag_names, &v))
        i->flags |= (uint16_t)(1u << v);
    const struct ir_names *imm = names_of_imm(i->op);
    if (imm && !modifier(p, imm, &v))
        fail(p, "what the operation does is missing");
    else if (imm)
        i->imm = v;
    if (p->at < p->end && *p->at != ' ')
        fail(p, "unknown modifier");
}

static void immediate(struct parser *p, struct ir_inst *i)
{
    static const struct ir_names sregs = { ir_sreg_names, IR_SREG_COUNT };
    blanks(p);
    if (i->op == IR_SREG) {
        int v = -1;
        for (unsigned k = 0; k < sregs.n; k++) {
            size_t n = strlen(sregs.v[k]);
            if ((size_t)(p->end - p->at) >= n && memcmp(p->at, sregs.v[k], n) == 0 && (p->at + n == p->end || p->at[n] == ' '))
                v = (int)k;
        }
        if (v < 0) {
            fail(p, "unknown special register");
            return;
        }
        p->at += strlen(sregs.v[v]);
        i->imm = v;
        return;
    }
    if (!take(p, "#"))
        return;
    bool minus = take(p, "-");
    uint64_t v = number(p);
    i->imm = (int64_t)(minus ? 0 - v : v);
}

static int operation(struct parser *p)
{
    int best = -1;
    size_t longest = 0;
    for (int op = 0; op < IR_OP_COUNT; op++) {
        size_t n = strlen(ir_op_info[op].text);
        if (n > longest && (size_t)(p->end - p->at) >= n && memcmp(p->at, ir_op_info[op].text, n) == 0 && (p->at + n == p->end || p->at[n] == '.' || p->at[n] == ' ')) {
            best = op;
            longest = n;
        }
    }
    p->at += longest;
    return best;
}

static void results(struct parser *p, struct ir_inst *i)
{
    do {
        blanks(p);
        struct ir_reg *r = NULL;
        if (take(p, "%")) {
            r = reg(p);
            typed(p, r);
        } else if (!take(p, "_")) {
            fail(p, "a result is missing");
        }
        if (i->n_dst == IR_MAX_DST)
            fail(p, "too many results");
        if (p->ok)
            ir_inst_dst(i, r);
    } while (p->ok && take(p, ","));
    blanks(p);
    if (!take(p, "="))
        fail(p, "'=' is missing");
    blanks(p);
}

static void operands(struct parser *p, struct ir_inst *i)
{
    blanks(p);
    for (bool more = p->at < p->end && strchr("%_0123456789", *p->at); more && p->ok; more = take(p, ",")) {
        blanks(p);
        struct ir_operand o = operand(p);
        if (i->n_src == IR_MAX_SRC)
            fail(p, "too many operands");
        if (p->ok)
            ir_inst_src(i, o);
    }
    blanks(p);
}

static void targets(struct parser *p, struct ir_inst *i)
{
    for (int t = 0; p->ok && t < 2 && (t == 0 ? take(p, "->") : take(p, ",")); t++) {
        blanks(p);
        i->target[t] = block(p);
    }
    blanks(p);
}

static void places(struct parser *p, struct ir_inst *i)
{
    if (take(p, ";")) {
        blanks(p);
        i->ptx_line = number32(p);
    }
    blanks(p);
    if (take(p, "@")) {
        i->src_file = number32(p);
        if (!take(p, ":"))
            fail(p, "a line is missing");
        i->src_line = number32(p);
    }
    blanks(p);
    if (p->at < p->end)
        fail(p, "the line goes on after its end");
}

static void instruction(struct parser *p)
{
    struct ir_inst *i = ir_inst_new(p->f, IR_MOV, IR_VOID);
    blanks(p);
    if (p->at < p->end && (*p->at == '%' || *p->at == '_'))
        results(p, i);
    int op = p->ok ? operation(p) : -1;
    if (op < 0) {
        fail(p, "unknown operation");
        return;
    }
    i->op = (enum ir_op)op;
    modifiers(p, i);
    immediate(p, i);
    if (p->ok)
        operands(p, i);
    if (p->ok)
        targets(p, i);
    if (p->ok)
        places(p, i);
    if (p->ok)
        ir_block_add(p->block, i);
}

/* ---- a function's head ---- */

static void three(struct parser *p, uint32_t v[3])
{
    for (int k = 0; k < 3; k++) {
        v[k] = number32(p);
        if (k < 2 && !take(p, ","))
            fail(p, "three numbers are wanted");
    }
}

static void begin_function(struct parser *p)
{
    const char *called = name(p);
    struct ir_func *kernel = p->f;
    if (!p->ok)
        return;
    struct ir_func *f = hw_arena_new(&p->module->arena, struct ir_func);
    f->module = p->module;
    f->name = called;
    while (p->ok && p->at < p->end) {
        if (take_word(p, "shared")) {
            f->shared_bytes = number32(p);
            f->uses_dynamic_shared = take(p, "+");
        } else if (take_word(p, "local")) {
            f->local_bytes = number32(p);
        } else if (take_word(p, "maxntid")) {
            three(p, f->maxntid);
        } else if (take_word(p, "reqntid")) {
            three(p, f->reqntid);
        } else if (take_word(p, "minnctapersm")) {
            f->minnctapersm = number32(p);
        } else if (take_word(p, "maxnreg")) {
            f->maxnreg = number32(p);
        } else if (take_word(p, "address")) {
            f->address = number(p);
        } else if (take_word(p, "params")) {
            f->param_bytes = number32(p);
        } else {
            fail(p, "unknown word");
        }
    }
    if (f->address && !kernel)
        fail(p, "a function without a kernel that calls it");
    if (f->address && kernel) {
        if (kernel->address)     /* of the same kernel as the one before */
            kernel = p->module->funcs.v[p->module->funcs.n - 1];
        hw_vec_push(&kernel->callees, f);
    } else {
        hw_vec_push(&p->module->funcs, f);
    }
    p->f = f;
    p->block = NULL;
    hw_free(p->known);
    p->known = NULL;
}

static void parameter(struct parser *p)
{
    struct ir_param x = { .name = name(p) };
    if (take_word(p, "at"))
        x.offset = number32(p);
    if (take_word(p, "bytes"))
        x.bytes = number32(p);
    if (take_word(p, "align"))
        x.align = number32(p);
    hw_vec_push(&p->f->params, x);
}

static void shared_variable(struct parser *p)
{
    struct ir_variable x = { 0 };
    if (take_word(p, "at"))
        x.offset = number32(p);
    if (take_word(p, "bytes"))
        x.bytes = number32(p);
    hw_vec_push(&p->f->shared, x);
}

static void parse_line(struct parser *p)
{
    blanks(p);
    if (p->at == p->end || *p->at == ';')                 /* a comment */
        return;
    if (take(p, "kernel "))
        begin_function(p);
    else if (!p->f)
        fail(p, "no kernel begins here");
    else if (!p->block && take(p, "param "))
        parameter(p);
    else if (!p->block && take(p, "shared "))
        shared_variable(p);
    else if (!p->block && take(p, "undefined %"))
        typed(p, reg(p));
    else if (*p->at == 'b' && p->end[-1] == ':') {
        p->block = block(p);
        if (p->ok && (p->block->insts.n || !take(p, ":") || p->at < p->end))
            fail(p, "a block begins twice, or its line goes on");
    } else if (!p->block)
        fail(p, "an instruction outside of a block");
    else
        instruction(p);
}

struct ir_module *ir_parse(const char *text, size_t n, struct diag *diag)
{
    struct parser p = { .diag = diag, .module = ir_module_new(), .ok = true };
    char *copy = hw_alloc(n + 1);                         /* lines end in a zero byte, for who looks further */
    memcpy(copy, text, n);
    for (char *at = copy, *end = copy + n; p.ok && at < end;) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        *stop = 0;
        p.line++;
        p.at = at;
        p.end = stop;
        parse_line(&p);
        at = stop + 1;
    }
    hw_free(p.known);
    hw_free(copy);
    for (size_t k = 0; p.ok && k < p.module->funcs.n; k++) {
        const struct ir_func *f = p.module->funcs.v[k];
        p.ok = ir_verify(f, diag);
        for (size_t c = 0; p.ok && c < f->callees.n; c++)
            p.ok = ir_verify(f->callees.v[c], diag);
    }
    if (p.ok)
        return p.module;
    ir_module_free(p.module);
    return NULL;
}
