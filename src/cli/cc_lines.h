/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Line information of inlined code. clang 19 writes .loc without saying what was inlined where, though its IR knows. So the device pass stops at the IR; each
 * place of inlined code gets a number in it, as a line that no file has; clang makes PTX of that; and the numbers become what they stand for, as nvcc
 * writes it: .loc 1 20 5, function_name $L__info_string0, inlined_at 1 34 9.
 */
#ifndef CC_LINES_H
#define CC_LINES_H

#include "base/str.h"
#include "base/vec.h"

struct cc_frame {
    char *file, *function;       /* function: NULL for the outermost */
    unsigned line, column;
};
struct cc_chain {
    HW_VEC(struct cc_frame) frames;      /* the innermost first; at least two */
};
struct cc_chains {
    HW_VEC(struct cc_chain) all;
};

/* The IR with numbers in it. */
void cc_lines_number(const char *ir, struct cc_chains *out, struct hw_str *to);
/* The PTX with what they stand for. */
void cc_lines_resolve(const char *ptx, const struct cc_chains *chains, struct hw_str *to);
void cc_chains_fini(struct cc_chains *chains);

struct cc_work;
/* PTX of IR that a device pass has made. An exit status. */
int cc_lines_pass(struct cc_work *w, const char *ir, const char *ptx);

#endif
