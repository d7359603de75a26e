/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of core/ share and the driver does not need. */
#ifndef CORE_INTERNAL_H
#define CORE_INTERNAL_H

#include "base/base.h"

struct ctx;
struct function;
struct ir_func;
struct module;
struct module_native;
struct stream;

struct stream *stream_new(struct ctx *ctx, unsigned flags, int priority);    /* the reference is the handle's */
void stream_line_up(struct stream *s);           /* one that the program uses, new: it may have to share a queue (CUDA_DEVICE_MAX_CONNECTIONS) */

/* A module without contents; and closing the handles of one and of its functions. */
struct module *module_new(struct ctx *ctx, size_t n_functions);
void module_close(struct module *m);

/* A module makes and ends its functions. */
struct function *function_new(struct module *m, const struct ir_func *ir);
struct function *function_new_native(struct module *m, const struct module_native *native);
void function_fini(struct function *f);

#endif
