/* SPDX-License-Identifier: Apache-2.0 */
/* The words of IR text, for the printer and the parser. Each table follows its enum in ir.h. */
#ifndef IR_NAMES_H
#define IR_NAMES_H

#include "ir/ir.h"

struct ir_names {
    const char *const *v;
    unsigned n;
};

extern const struct ir_names ir_type_names, ir_rnd_names, ir_cmp_names, ir_space_names, ir_order_names, ir_scope_names, ir_atom_names, ir_flag_names, ir_shfl_names,
    ir_vote_names, ir_bar_names, ir_barred_names;

const char *ir_name(const struct ir_names *names, int64_t i);                    /* "?": there is no such number */
/* The longest of the names that the text begins with, up to a '.', a blank or the end; -1: none. */
int ir_name_at(const struct ir_names *names, const char *text, size_t n);

#endif
