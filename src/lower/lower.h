/* SPDX-License-Identifier: Apache-2.0 */
/* PTX to IR. */
#ifndef LOWER_H
#define LOWER_H

#include "ir/ir.h"
#include "ptx/ptx.h"

/* PTX_OK, or PTX_BAD_PTX with instruction, line and kernel in diag. The result does not point into ptx. */
enum ptx_status lower_module(const struct ptx_module *ptx, struct diag *diag, struct ir_module **out);

#endif
