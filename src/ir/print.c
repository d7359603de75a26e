/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IR as text, for people, for golden tests and for the name of a cached object: everything that changes the meaning of
 * an instruction is in its line, nothing else is.
 */
#include "ir/names.h"

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
    case IR_SHFL: hw_str_printf(out, ".%s", ir_name(&ir_shfl_names, i->imm)); break;
    case IR_VOTE: hw_str_printf(out, ".%s", ir_name(&ir_vote_names, i->imm)); break;
    case IR_REDUX: hw_str_printf(out, ".%s", ir_name(&ir_atom_names, i->imm)); break;
    case IR_BAR: hw_str_printf(out, ".%s", ir_name(&ir_bar_names, i->imm)); break;
    case IR_BAR_RED: hw_str_printf(out, ".%s", ir_name(&ir_barred_names, i->imm)); break;
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
        hw_str_printf(out, ".%s", ir_name(&ir_cmp_names, i->cmp));
    if (i->op == IR_ATOM || i->op == IR_ATOM2 || i->atom)
        hw_str_printf(out, ".%s", ir_name(&ir_atom_names, i->atom));
    if (i->op == IR_LD || i->op == IR_ST || i->op == IR_ATOM || i->op == IR_ATOM2 || i->op == IR_TILE_LD || i->op == IR_TILE_ST || i->op == IR_ISSPACE || i->space)
        hw_str_printf(out, ".%s", ir_name(&ir_space_names, i->space));
    if (i->order)
        hw_str_printf(out, ".%s", ir_name(&ir_order_names, i->order));
    if (i->order || i->scope || i->op == IR_FENCE || (i->op == IR_ATOM && (props & IR_PROP_MEM)))
        hw_str_printf(out, ".%s", ir_name(&ir_scope_names, i->scope));
    if (has_rounding(i))
        hw_str_printf(out, ".%s", ir_name(&ir_rnd_names, i->rnd));
    for (unsigned bit = 0; bit < ir_flag_names.n; bit++)
        if (i->flags >> bit & 1)
            hw_str_printf(out, ".%s", ir_name(&ir_flag_names, (int64_t)bit));
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

static void print_code(struct hw_str *out, const struct ir_inst *i)
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
}

void ir_print_inst(struct hw_str *out, const struct ir_inst *i)
{
    print_code(out, i);
    if (i->src_line)
        hw_str_printf(out, " @%u:%u", i->src_file, i->src_line);
}

/* Registers that are read but never written have their types nowhere else. */
static void print_undefined(struct hw_str *out, const struct ir_func *f)
{
    bool *defined = hw_alloc(f->regs.n + 1), *used = hw_alloc(f->regs.n + 1);
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = f->blocks.v[b]->insts.v[j];
            for (int d = 0; d < i->n_dst; d++)
                if (i->dst[d])
                    defined[i->dst[d]->id] = true;
            for (int k = 0; k < i->n_src; k++)
                if (i->src[k].kind == IR_REG)
                    used[i->src[k].reg->id] = true;
        }
    for (size_t r = 0; r < f->regs.n; r++)
        if (used[r] && !defined[r])
            hw_str_printf(out, "  undefined %%%zu:%s\n", r, ir_type_name(f->regs.v[r]->type));
    hw_free(defined);
    hw_free(used);
}

static void print_func(struct hw_str *out, const struct ir_func *f, void (*print)(struct hw_str *out, const struct ir_inst *i))
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
    if (f->address)              /* of a function that is called, not inlined */
        hw_str_printf(out, " address %llu", (unsigned long long)f->address);
    hw_str_printf(out, " params %u\n", f->param_bytes);
    for (size_t i = 0; i < f->params.n; i++)
        hw_str_printf(out, "  param %s at %u bytes %u align %u\n", f->params.v[i].name, f->params.v[i].offset, f->params.v[i].bytes,
                      f->params.v[i].align);
    for (size_t i = 0; i < f->shared.n; i++)
        hw_str_printf(out, "  shared at %u bytes %u\n", f->shared.v[i].offset, f->shared.v[i].bytes);
    print_undefined(out, f);
    for (size_t b = 0; b < f->blocks.n; b++) {
        const struct ir_block *block = f->blocks.v[b];
        hw_str_printf(out, "b%u:\n", block->id);
        for (size_t i = 0; i < block->insts.n; i++) {
            hw_str_puts(out, "  ");
            print(out, block->insts.v[i]);
            hw_str_puts(out, "\n");
        }
    }
}

void ir_print_func(struct hw_str *out, const struct ir_func *f) { print_func(out, f, ir_print_inst); }
void ir_print_code(struct hw_str *out, const struct ir_func *f) { print_func(out, f, print_code); }
