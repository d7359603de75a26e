/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IR as text, for people, for golden tests and for the name of a cached object: everything that changes the meaning of
 * an instruction is in its line, nothing else is.
 */
#include "ir/ir.h"

static const char *const rnd_names[] = { "rn", "rz", "rm", "rp", "rna" };
static const char *const cmp_names[] = {
    "eq",  "ne",  "slt", "sle", "sgt", "sge", "ult",  "ule",  "ugt",  "uge",  "feq",  "fne",
    "flt", "fle", "fgt", "fge", "fequ", "fneu", "fltu", "fleu", "fgtu", "fgeu", "fnum", "fnan",
};
static const char *const space_names[] = { "generic", "global", "shared", "local", "const", "param" };
static const char *const order_names[] = { "weak", "relaxed", "acquire", "release", "acq_rel", "seq_cst" };
static const char *const scope_names[] = { "cta", "cluster", "gpu", "sys" };
static const char *const atom_names[] = {
    "add", "exch", "cas", "and", "or", "xor", "min.s", "min.u", "max.s", "max.u", "inc", "dec", "fadd", "fmin", "fmax",
};
static const char *const flag_names[] = { "ftz", "sat", "nanprop", "volatile", "nc", "xorsign", "outgoing", "stream", "place", "crosses" };
static const char *const shfl_names[] = { "up", "down", "bfly", "idx" };
static const char *const vote_names[] = { "all", "any", "uni", "ballot" };
static const char *const bar_names[] = { "sync", "arrive" };
static const char *const barred_names[] = { "popc", "and", "or" };
static_assert(HW_LEN(cmp_names) == IR_FNAN + 1 && HW_LEN(atom_names) == IR_ATOM_FMAX + 1 && HW_LEN(order_names) == IR_SEQ_CST + 1,
              "names follow the enums in ir.h");

#define NAME(table, i) ((size_t)(i) < HW_LEN(table) ? (table)[i] : "?")

static bool has_rounding(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_FTOI_S: case IR_FTOI_U: case IR_ITOF_S: case IR_ITOF_U: case IR_FTOF: case IR_FRINT: return true;
    default: return i->rnd != IR_RN;
    }
}

static void print_imm(struct hw_str *out, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_SREG: hw_str_printf(out, " %s", NAME(ir_sreg_names, i->imm)); break;
    case IR_MATH: hw_str_printf(out, ".%s", NAME(ir_math_names, i->imm)); break;
    case IR_SHFL: hw_str_printf(out, ".%s", NAME(shfl_names, i->imm)); break;
    case IR_VOTE: hw_str_printf(out, ".%s", NAME(vote_names, i->imm)); break;
    case IR_REDUX: hw_str_printf(out, ".%s", NAME(atom_names, i->imm)); break;
    case IR_BAR: hw_str_printf(out, ".%s", NAME(bar_names, i->imm)); break;
    case IR_BAR_RED: hw_str_printf(out, ".%s", NAME(barred_names, i->imm)); break;
    default:
        if (i->imm || i->op == IR_EXTRACT || i->op == IR_PARAM || i->op == IR_PARAMADDR || i->op == IR_VARADDR || i->op == IR_MATCH || i->op == IR_CALL)
            hw_str_printf(out, " #%lld", (long long)i->imm);
    }
}

static void print_modifiers(struct hw_str *out, const struct ir_inst *i)
{
    uint8_t props = ir_op_info[i->op].props;
    if (i->type != IR_VOID)
        hw_str_printf(out, ".%s", ir_type_name(i->type));
    if (i->type2 != IR_VOID)
        hw_str_printf(out, ".%s", ir_type_name(i->type2));
    if (i->op == IR_CMP || i->cmp)
        hw_str_printf(out, ".%s", NAME(cmp_names, i->cmp));
    if (i->op == IR_ATOM || i->op == IR_ATOM2 || i->atom)
        hw_str_printf(out, ".%s", NAME(atom_names, i->atom));
    if (i->op == IR_LD || i->op == IR_ST || i->op == IR_ATOM || i->op == IR_ATOM2 || i->op == IR_TILE_LD || i->op == IR_TILE_ST || i->op == IR_ISSPACE || i->space)
        hw_str_printf(out, ".%s", NAME(space_names, i->space));
    if (i->order)
        hw_str_printf(out, ".%s", NAME(order_names, i->order));
    if (i->order || i->scope || i->op == IR_FENCE || (i->op == IR_ATOM && (props & IR_PROP_MEM)))
        hw_str_printf(out, ".%s", NAME(scope_names, i->scope));
    if (has_rounding(i))
        hw_str_printf(out, ".%s", NAME(rnd_names, i->rnd));
    for (size_t bit = 0; bit < HW_LEN(flag_names); bit++)
        if (i->flags >> bit & 1)
            hw_str_printf(out, ".%s", flag_names[bit]);
}

static void print_operand(struct hw_str *out, const struct ir_operand *o)
{
    if (o->kind == IR_REG)
        hw_str_printf(out, "%%%u", o->reg->id);
    else if (o->kind == IR_IMM && o->imm < 65536)
        hw_str_printf(out, "%llu", (unsigned long long)o->imm);
    else if (o->kind == IR_IMM)
        hw_str_printf(out, "0x%llx", (unsigned long long)o->imm);
    else
        hw_str_puts(out, "_");
    if (o->kind == IR_IMM && o->var)
        hw_str_printf(out, "@%u", o->var - 1);
}

/* A fault or a trap carries its PTX line into the code, so there the line is part of the meaning. */
static bool line_matters(const struct ir_inst *i)
{
    return (ir_op_info[i->op].props & IR_PROP_MEM) || i->op == IR_TRAP;
}

void ir_print_inst(struct hw_str *out, const struct ir_inst *i)
{
    for (int d = 0; d < i->n_dst; d++) {
        if (i->dst[d])
            hw_str_printf(out, "%s%%%u:%s", d ? ", " : "", i->dst[d]->id, ir_type_name(i->dst[d]->type));
        else
            hw_str_printf(out, "%s_", d ? ", " : "");
    }
    hw_str_printf(out, "%s%s", i->n_dst ? " = " : "", ir_op_info[i->op].text);
    print_modifiers(out, i);
    print_imm(out, i);
    for (int s = 0; s < i->n_src; s++) {
        hw_str_puts(out, s ? ", " : " ");
        print_operand(out, &i->src[s]);
    }
    for (int t = 0; t < 2; t++)
        if (i->target[t])
            hw_str_printf(out, "%sb%u", t ? ", " : " -> ", i->target[t]->id);
    if (line_matters(i) && i->ptx_line)
        hw_str_printf(out, " ; %u", i->ptx_line);
    if (i->src_line)
        hw_str_printf(out, " @%u:%u", i->src_file, i->src_line);
}

void ir_print_func(struct hw_str *out, const struct ir_func *f)
{
    hw_str_printf(out, "kernel %s shared %u%s local %u", f->name, f->shared_bytes, f->uses_dynamic_shared ? "+" : "", f->local_bytes);
    if (f->maxntid[0])
        hw_str_printf(out, " maxntid %u,%u,%u", f->maxntid[0], f->maxntid[1], f->maxntid[2]);
    if (f->reqntid[0])
        hw_str_printf(out, " reqntid %u,%u,%u", f->reqntid[0], f->reqntid[1], f->reqntid[2]);
    if (f->minnctapersm)
        hw_str_printf(out, " minnctapersm %u", f->minnctapersm);
    if (f->maxnreg)
        hw_str_printf(out, " maxnreg %u", f->maxnreg);
    hw_str_printf(out, " params %u\n", f->param_bytes);
    for (size_t i = 0; i < f->params.n; i++)
        hw_str_printf(out, "  param %s at %u bytes %u align %u\n", f->params.v[i].name, f->params.v[i].offset, f->params.v[i].bytes,
                      f->params.v[i].align);
    for (size_t b = 0; b < f->blocks.n; b++) {
        const struct ir_block *block = f->blocks.v[b];
        hw_str_printf(out, "b%u:\n", block->id);
        for (size_t i = 0; i < block->insts.n; i++) {
            hw_str_puts(out, "  ");
            ir_print_inst(out, block->insts.v[i]);
            hw_str_puts(out, "\n");
        }
    }
}
