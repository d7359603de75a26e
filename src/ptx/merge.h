/* SPDX-License-Identifier: Apache-2.0 */
/* Joins several PTX texts into one, as a device linker does. */
#ifndef PTX_MERGE_H
#define PTX_MERGE_H

#include "base/diag.h"

/* texts: n zero-ended PTX texts. False after a message in diag (two definitions of one name). */
bool ptx_merge(const char *const *texts, size_t n, struct hw_str *out, struct diag *diag);

#endif
