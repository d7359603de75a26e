/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces that kernels are given: is the memory behind them still there, and was it ever written? */
#ifndef CHECK_IMAGES_H
#define CHECK_IMAGES_H

#include "base/base.h"

struct cmd;

void images_made(uint64_t handle);
void images_gone(uint64_t handle);
/* A launch, on the thread that makes it. Handles are words of its parameters. Reports. */
void images_launch(const char *kernel, const void *params, size_t bytes);
/* A kernel begins, and all before it is done. Reports. */
void images_begin(const struct cmd *c);

#endif
