/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels queue besides kernels: copies and fills of rows and boxes, events. Their side of it in PTX, ours in C. */
#ifndef CORE_DEVICE_WORK_H
#define CORE_DEVICE_WORK_H

#include "base/str.h"

#include <cuda.h>

struct cmd;

/* Functions of the device runtime that the PTX text names, and those they need; device_launch.c's come before them. */
void device_work_ptx(const char *text, struct hw_str *out);

/* The command for an entry of the list whose kind is not 0. args: DEVICE_WORK_WORDS of them, all a kernel's word. */
enum { DEVICE_WORK_WORDS = 9 };
CUresult device_work_cmd(uint32_t kind, const uint64_t *args, struct cmd **out);

#endif
