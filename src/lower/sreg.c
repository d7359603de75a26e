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
    if (strcmp(name, "%clock_hi") == 0)
        return lower_resize(c, IR_I32, IR_I64, false, lower_op2(c, IR_SHR_U, IR_I64, emit_sreg(c, IR_SREG_CLOCK64), lower_imm(32)));
    lower_fail(c, "special register %s is not supported yet", name);
    return lower_imm(0);
}
