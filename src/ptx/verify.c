/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that operands have the types their row asks for, and that the target knows the instruction. */
#include "ptx/forms.h"
#include "ptx/parse.h"
#include "ptx/target.h"

enum ptx_type ptx_sreg_type(const char *name)
{
    static const struct {
        const char *name;
        enum ptx_type type;
    } sregs[] = {
#define SREG(text, t) { text, PTX_##t },
#include "ptx/sregs.def"
#undef SREG
    };
    for (size_t i = 0; i < HW_LEN(sregs); i++)
        if (strcmp(sregs[i].name, name) == 0)
            return sregs[i].type;
    return PTX_NOTYPE;
}

bool ptx_check_target(struct ptx_parser *p, unsigned version, unsigned sm, int line)
{
    const struct ptx_target *target = ptx_target_find(sm);
    unsigned need = target ? target->version : 0;
    if (!need)
        return ptx_error_at(p, line, 0, "target sm_%u is not known", sm);
    if (need > version)
        return ptx_error_at(p, line, 0, "target sm_%u needs .version %u.%u or newer", sm, need / 10, need % 10);
    return true;
}

struct check {
    struct ptx_parser *p;
    const struct ptx_inst *inst;
    unsigned props;
};

static bool wrong(struct check *c, const struct ptx_operand *o, const char *name, const char *has, enum ptx_type want)
{
    char text[160];
    ptx_inst_text(c->inst, text, sizeof text);
    return ptx_error_at(c->p, c->inst->line, o->col, "operand %s of '%s' is %s, not .%s", name, text, has, ptx_type_info[want].text);
}

static bool kinds_agree(enum ptx_type reg, enum ptx_type want)
{
    uint8_t a = ptx_type_info[reg].kind, b = ptx_type_info[want].kind;
    bool a_int = a == PTX_KIND_UNSIGNED || a == PTX_KIND_SIGNED, b_int = b == PTX_KIND_UNSIGNED || b == PTX_KIND_SIGNED;
    return a == PTX_KIND_BITS || b == PTX_KIND_BITS || a == b || (a_int && b_int) || a == PTX_KIND_PACKED || b == PTX_KIND_PACKED;
}

static bool check_reg(struct check *c, const struct ptx_operand *o, enum ptx_type want)
{
    char has[24] = ".";
    enum ptx_type reg = o->reg->type;
    unsigned bits = ptx_type_bits(reg), want_bits = ptx_type_bits(want);
    bool pred_ok = (reg == PTX_PRED) == (want == PTX_PRED);
    bool size_ok = (c->props & PTX_WIDE) && !ptx_type_is_float(want) ? bits >= want_bits : bits == want_bits;
    /* cvt reads and writes f16 and bf16 in any register of 16 bits. */
    bool kind_ok = (c->props & (PTX_ANYKIND | PTX_WIDE)) || kinds_agree(reg, want);
    if (bits == 128 && want != PTX_B128)
        size_ok = false;                                  /* those are for instructions of their own */
    if (pred_ok && size_ok && kind_ok)
        return true;
    strncat(has, ptx_type_info[reg].text, sizeof has - 2);
    return wrong(c, o, o->reg->name, has, want);
}

static bool check_source(struct check *c, const struct ptx_operand *o, enum ptx_type want)
{
    bool is_float = ptx_type_is_float(want);
    switch ((enum ptx_operand_kind)o->kind) {
    case PTX_O_REG: return check_reg(c, o, want);
    case PTX_O_INT: return is_float && o->imm != 0 ? wrong(c, o, "constant", "an integer", want) : true;
    case PTX_O_F32: case PTX_O_F64:
        if (is_float || (ptx_type_info[want].kind == PTX_KIND_BITS && ptx_type_bits(want) >= 32))
            return true;
        return (c->props & PTX_ANYKIND) && ptx_type_bits(want) >= 32 ? true : wrong(c, o, "constant", "a floating-point number", want);
    case PTX_O_SREG: return (ptx_sreg_type(o->name) == PTX_PRED) == (want == PTX_PRED) ? true : wrong(c, o, o->name, "a special register", want);
    case PTX_O_VAR: case PTX_O_FUNC:
        return ptx_type_bits(want) >= 32 && !is_float ? true : wrong(c, o, "name", "an address", want);
    default: return wrong(c, o, "", "nothing that can be read", want);
    }
}

static unsigned vector_size(const struct ptx_inst *inst)
{
    switch (ptx_mod_of(inst, PTX_C_VEC)) {
    case PTX_M_V2: return 2;
    case PTX_M_V4: return 4;
    case PTX_M_V8: return 8;
    default: return 1;
    }
}

static enum ptx_type bits_type(unsigned bits)
{
    switch (bits) {
    case 8: return PTX_B8;
    case 16: return PTX_B16;
    case 32: return PTX_B32;
    case 64: return PTX_B64;
    default: return PTX_NOTYPE;
    }
}

/* {a, b}: as many as .v2 says, each of the type, as in rows with EACH and of textures; without .v2 (mov) the pieces make up the type. */
static bool check_vector(struct check *c, const struct ptx_item *item, const struct ptx_operand *o, enum ptx_type want)
{
    unsigned n = vector_size(c->inst);
    bool each = (c->props & (PTX_EACH | PTX_COORDS)) != 0;
    if (each)
        n = o->n;                                         /* lower/ knows how many */
    if (each ? n == 0 : n > 1 ? o->n != n : (o->n != 2 && o->n != 4 && o->n != 8))
        return ptx_error_at(c->p, c->inst->line, o->col, "%u elements in braces do not fit here", (unsigned)o->n);
    if (n == 1 && !each)
        want = bits_type(ptx_type_bits(want) / o->n);
    if (!want)
        return ptx_error_at(c->p, c->inst->line, o->col, "%u elements in braces do not fit here", (unsigned)o->n);
    for (unsigned i = 0; i < o->n; i++) {
        const struct ptx_operand *e = &o->elems[i];
        if (item->is_dst && e->kind == PTX_O_SINK)
            continue;
        if (item->is_dst && e->kind != PTX_O_REG)
            return wrong(c, e, "", "no register", want);
        if (!check_source(c, e, want))
            return false;
    }
    return true;
}

static bool check_item(struct check *c, const struct ptx_item *item, const struct ptx_operand *o)
{
    enum ptx_type want = ptx_item_type(item, c->inst);
    if (item->kind == PTX_I_ADDR) {
        const struct ptx_operand *base = &o->elems[0];
        bool ok = base->kind == PTX_O_VAR || base->kind == PTX_O_INT || (base->kind == PTX_O_REG && ptx_type_bits(base->reg->type) >= 32 &&
                  !ptx_type_is_float(base->reg->type) && (o->n == 1 || ((c->props & PTX_COORDS) && o->n == 2)));
        return ok || ptx_error_at(c->p, c->inst->line, o->col, "this is no address");
    }
    if (item->kind != PTX_I_VALUE)
        return true;
    if ((o->negated && want != PTX_PRED) || (o->minus && want == PTX_PRED))
        return wrong(c, o, "", o->minus ? "negated with '-'" : "negated with '!'", want);
    if (o->kind == PTX_O_VEC)
        return check_vector(c, item, o, want);
    if (item->vector && vector_size(c->inst) > 1)
        return ptx_error_at(c->p, c->inst->line, o->col, "a vector instruction takes its elements in braces");
    if (item->is_dst)
        return o->kind == PTX_O_SINK || (o->kind == PTX_O_REG ? check_reg(c, o, want) : wrong(c, o, "", "no register", want));
    return check_source(c, o, want);
}

/* A vector of one element is that element: {%r1} where %r1 may stand. */
static void unwrap_single(const struct ptx_row *row, unsigned props, struct ptx_inst *inst)
{
    for (unsigned i = 0; i < row->n_items && !(props & (PTX_EACH | PTX_COORDS)); i++) {
        struct ptx_operand *o = &inst->ops[i];
        if (row->items[i].vector && o->kind == PTX_O_VEC && o->n == 1 && vector_size(inst) == 1)
            *o = o->elems[0];
    }
}

/* Forms that a version took away from newer targets: the members of a warp have to be named. */
static bool check_ended(struct ptx_parser *p, const struct ptx_inst *inst)
{
    enum { VERSION = 64, SM = 70 };
    char text[160];
    bool ended = inst->form == PTX_SHFL || inst->form == PTX_VOTE || inst->form == PTX_BALLOT;
    if (!ended || p->module->version < VERSION || p->module->sm < SM)
        return true;
    ptx_inst_text(inst, text, sizeof text);
    return ptx_error_at(p, inst->line, 0, "'%s' without '.sync' is not there for .target sm_70 and newer from .version 6.4 on", text);
}

bool ptx_check_operands(struct ptx_parser *p, struct ptx_inst *inst)
{
    const struct ptx_form_info *info = &ptx_form_info[inst->form];
    const struct ptx_row *row = ptx_row(inst->form);
    struct check c = { p, inst, info->props };
    char text[160];
    if (p->module->version < info->version || p->module->sm < info->sm) {
        ptx_inst_text(inst, text, sizeof text);
        return ptx_error_at(p, inst->line, 0, "'%s' needs .version %u.%u and .target sm_%u or newer", text, info->version / 10, info->version % 10,
                            info->sm);
    }
    if (!check_ended(p, inst))
        return false;
    if ((info->props & PTX_TODO) || row->any_operands)
        return true;             /* lower/ says that it is not supported */
    unwrap_single(row, info->props, inst);
    for (unsigned i = 0; i < row->n_items; i++)
        if (inst->ops[i].kind != PTX_O_NONE && !check_item(&c, &row->items[i], &inst->ops[i]))
            return false;
    return true;
}
