/* SPDX-License-Identifier: Apache-2.0 */
/* What would become of the kernels of a PTX text, in words. */
#ifndef CORE_EXPLAIN_H
#define CORE_EXPLAIN_H

#include "base/diag.h"
#include "base/str.h"

/* ntid: the block's shape for kernels that name none themselves. False: the reason is in diag. */
bool explain_ptx(const char *text, size_t bytes, const uint32_t ntid[3], struct hw_str *out, struct diag *diag);

#endif
