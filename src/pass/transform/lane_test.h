/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about all lanes of a group, as code that is right for each thread by itself and one scalar for the group: what versions of code are chosen by. */
#ifndef PASS_LANE_TEST_H
#define PASS_LANE_TEST_H

#include "pass/plan.h"

/* Does `cmp`, of a number of each lane (operand `lane`, `stride` from lane to lane) and one that all share, give this answer in every lane? */
struct lane_test {
    const struct ir_inst *cmp;
    int lane;
    int64_t stride;
    bool answer;
};

bool lane_numbers(const struct plan *p);                 /* lanes of a group are numbered along x: the others work only then */
bool lane_affine(const struct plan *p, const struct ir_operand *o, int64_t *out_stride);         /* in one row, with a small stride that is not 0 */
struct ir_operand lane_imm(enum ir_type t, int64_t v);

/* These add to the end of a block that lacks its terminator. */
struct ir_reg *lane_value(struct plan *p, struct ir_block *b, enum ir_op op, enum ir_type t, struct ir_operand x, struct ir_operand y);
struct ir_reg *lane_cmp(struct plan *p, struct ir_block *b, enum ir_cmp c, enum ir_type t, struct ir_operand x, struct ir_operand y);
struct ir_reg *lane_first(struct plan *p, struct ir_block *b, enum ir_type t, struct ir_operand own, int64_t stride);     /* the first lane's, of each lane's own */
struct ir_reg *lane_offset(struct plan *p, enum ir_type t, int64_t stride);      /* the lane's place times the stride; made where the function begins */
struct ir_reg *lane_all(struct plan *p, struct ir_block *b, const struct lane_test *x, struct ir_operand own, struct ir_operand bound);
void lane_branch(struct plan *p, struct ir_block *b, struct ir_reg *cond, struct ir_block *yes, struct ir_block *no);

#endif
