/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong in an input, with its place: filled by the deepest function that knows, shown to the user once. */
#ifndef HW_DIAG_H
#define HW_DIAG_H

#include "base/str.h"

struct diag {
    const char *file;            /* what the input calls itself, may be NULL */
    struct hw_str text;          /* one line per message: "FILE:LINE:COL: error: REASON\n" */
    int n_errors;
    int n_warnings;
    bool internal;               /* one of the errors is a mistake of ours, not the input's */
};

/* line 0: no place is known; col 0: only the line is. At most 20 errors are kept, the rest are counted. */
void diag_error(struct diag *diag, int line, int col, const char *fmt, ...) HW_PRINTF(4, 5);
void diag_warn(struct diag *diag, int line, int col, const char *fmt, ...) HW_PRINTF(4, 5);
void diag_internal(struct diag *diag, int line, const char *fmt, ...) HW_PRINTF(3, 4);
void diag_add(struct diag *diag, const struct diag *more);       /* its messages too */
void diag_fini(struct diag *diag);

#endif
