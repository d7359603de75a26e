/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that launch kernels (CUDA's dynamic parallelism, version 2). A module that does gets functions of our own in PTX, which put what is
 * launched into a list in device memory. When a grid has ended, what it launched is queued; the grid counts as done when all that is done.
 * A kernel cannot wait for what it launches, so none notices that its children begin late.
 */
#ifndef CORE_DEVICE_LAUNCH_H
#define CORE_DEVICE_LAUNCH_H

#include "base/diag.h"

#include <cuda.h>

struct module;

/* Adds our functions to PTX that needs them; the text may become another one. False after a message. */
bool device_launch_link(char **text, size_t *bytes, struct diag *diag);
/* A library that defines what we do, as another toolkit's has it: ours takes its place. */
bool device_launch_replaces(const char *text);
void device_launch_find(struct module *m);       /* once its variables are there: sets m->launches and m->launched */

#endif
