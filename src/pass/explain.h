/* SPDX-License-Identifier: Apache-2.0 */
/* A plan in words: what `hostwarp cc --explain` prints. */
#ifndef PASS_EXPLAIN_H
#define PASS_EXPLAIN_H

#include "base/str.h"
#include "pass/plan.h"

/* "saxpy.cu:12", or "PTX line 12" where the code says no more. names: the module whose files it speaks of. */
void explain_place(struct hw_str *out, const struct ir_module *names, const struct ir_inst *i);

/* All that is known of the place: the innermost function first, and where it was inlined: "/home/a.cu:12 in f < /home/a.cu:30". */
void explain_frames(struct hw_str *out, const struct ir_module *names, const struct ir_inst *i);

/* Why a vector build of this plan could hang, or NULL text when it could not; *out_at is the place. */
const char *explain_hazard(const struct plan *p, const struct ir_inst **out_at);

/* Regions, branches, memory accesses and warp operations. */
void explain_plan(struct hw_str *out, const struct plan *p, const struct ir_module *names);

#endif
