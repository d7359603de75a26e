/* SPDX-License-Identifier: Apache-2.0 */
/* PTX to IR. */
#ifndef LOWER_H
#define LOWER_H

#include "ir/ir.h"
#include "ptx/ptx.h"

/* PTX_OK, or PTX_BAD_PTX with instruction, line and kernel in diag. The result does not point into ptx. */
enum ptx_status lower_module(const struct ptx_module *ptx, struct diag *diag, struct ir_module **out);

/*
 * What ptxas does with PTX when a program is built: finds everything that would keep it from being loaded. Lowers every kernel and throws the result
 * away. open (-rdc=true): other files may define what is declared only, and kernels may call the functions that this one defines, so these are
 * looked at as well. False after an error; what is right but not supported here is a warning.
 */
bool lower_check(const struct ptx_module *ptx, bool open, struct diag *diag);

/* Does the driver bring a function of this name with it: printf, the device runtime, mathematics? */
bool lower_is_provided(const char *name);

#endif
