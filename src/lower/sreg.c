/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers: most are one IR operation, those of clusters follow from a cluster being one block. */
#include "lower/frame.h"

enum ir_type lower_sreg_type(const char *name)
{
    size_t n = strlen(name);
    bool wide = strcmp(name, "%globaltimer") == 0 || strcmp(name, "%gridid") == 0 || strcmp(name, "%current_graph_exec") == 0 ||
                (n > 2 && strcmp(name + n - 2, "64") == 0);
    return strcmp(name, "%is_explicit_cluster") == 0 ? IR_PRED : wide ? IR_I64 : IR_I32;
}

static struct ir_operand emit_sreg(struct lower_ctx *c, enum ir_sreg id)
{
    struct ir_inst *i = lower_emit(c, IR_SREG, lower_sreg_type(ir_sreg_names[id]));
    ir_inst_dst(i, lower_tmp(c, i->type));
    i->imm = id;
    return lower_reg(i->dst[0]);
}

/*
 * %envreg1 and 2 are the high and low half of an address where a grid's blocks count arrivals in the second word; a GPU has one
 * from the context's first cooperative launch on, for plain ones too, and 0 before. A grid has the place of its number, so that grids that run at the
 * same time have different ones.
 */
static struct ir_operand environment(struct lower_ctx *c, const char *number)
{
    bool high = strcmp(number, "1") == 0, low = strcmp(number, "2") == 0;
    enum { PLACES = 256, PLACE_BYTES = 8 };
    if (!high && !low)
        return lower_imm(0);
    if (!c->layout->grid_places) {
        struct ir_var *v = hw_arena_new(&c->module->arena, struct ir_var);
        v->name = "hostwarp$grid_places";
        v->space = IR_GLOBAL;
        v->bytes = PLACES * PLACE_BYTES;
        v->align = PLACE_BYTES;
        hw_vec_push(&c->module->vars, v);
        c->layout->grid_places = c->module->vars.n;
    }
    struct ir_inst *base = lower_emit(c, IR_VARADDR, IR_I64);
    base->imm = (int64_t)c->layout->grid_places - 1;
    ir_inst_dst(base, lower_tmp(c, IR_I64));
    struct ir_operand id = emit_sreg(c, IR_SREG_GRIDID);
    struct ir_operand place = lower_op2(c, IR_MUL, IR_I64, lower_op2(c, IR_AND, IR_I64, id, lower_imm(PLACES - 1)), lower_imm(PLACE_BYTES));
    place = lower_op2(c, IR_ADD, IR_I64, lower_reg(base->dst[0]), place);
    place = lower_op2(c, IR_MUL, IR_I64, place, lower_resize(c, IR_I64, IR_I32, false, emit_sreg(c, IR_SREG_MEETS)));     /* 0 or 1 */
    return lower_resize(c, IR_I32, IR_I64, false, high ? lower_op2(c, IR_SHR_U, IR_I64, place, lower_imm(32)) : place);
}

/* Shared memory that the system keeps for itself and its libraries: layout.c makes room for it in kernels that ask. */
static struct ir_operand reserved(struct lower_ctx *c, const char *what)
{
    if (strcmp(what, "cap") == 0)
        return lower_imm(LOWER_RESERVED_SHARED);
    return lower_imm(c->layout->reserved_at + (strcmp(what, "end") == 0 ? LOWER_RESERVED_SHARED : 0));
}

struct ir_operand lower_sreg(struct lower_ctx *c, const char *name)
{
    static const struct {
        const char *name;
        enum ir_sreg same;       /* this register's value, or */
        int constant;            /* this one when >= 0 */
    } others[] = {
        { "%clusterid.x", IR_SREG_CTAID_X, -1 },   { "%clusterid.y", IR_SREG_CTAID_Y, -1 },   { "%clusterid.z", IR_SREG_CTAID_Z, -1 },
        { "%nclusterid.x", IR_SREG_NCTAID_X, -1 }, { "%nclusterid.y", IR_SREG_NCTAID_Y, -1 }, { "%nclusterid.z", IR_SREG_NCTAID_Z, -1 },
        { "%cluster_ctaid.x", 0, 0 },  { "%cluster_ctaid.y", 0, 0 },  { "%cluster_ctaid.z", 0, 0 },
        { "%cluster_nctaid.x", 0, 1 }, { "%cluster_nctaid.y", 0, 1 }, { "%cluster_nctaid.z", 0, 1 },
        { "%cluster_ctarank", 0, 0 },  { "%cluster_nctarank", 0, 1 }, { "%is_explicit_cluster", 0, 0 },
        { "%aggr_smem_size", IR_SREG_TOTAL_SMEM, -1 },
    };
    for (unsigned s = 0; s < IR_SREG_COUNT; s++)
        if (strcmp(ir_sreg_names[s], name) == 0)
            return emit_sreg(c, (enum ir_sreg)s);
    for (size_t i = 0; i < HW_LEN(others); i++)
        if (strcmp(others[i].name, name) == 0)
            return others[i].constant >= 0 ? lower_imm((uint64_t)others[i].constant) : emit_sreg(c, others[i].same);
    if (strncmp(name, "%envreg", 7) == 0)
        return environment(c, name + 7);
    if (strncmp(name, "%reserved_smem_offset_", 22) == 0)
        return reserved(c, name + 22);
    if (strncmp(name, "%pm", 3) == 0 || strcmp(name, "%current_graph_exec") == 0)
        return lower_imm(0);     /* counters that nobody has set up; no graph launched this kernel from a device */
    if (strcmp(name, "%clock_hi") == 0)
        return lower_resize(c, IR_I32, IR_I64, false, lower_op2(c, IR_SHR_U, IR_I64, emit_sreg(c, IR_SREG_CLOCK64), lower_imm(32)));
    lower_limit(c, "special register %s is not supported yet", name);
    return lower_imm(0);
}
