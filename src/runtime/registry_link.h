/* SPDX-License-Identifier: Apache-2.0 */
/* Device code that was compiled in parts, linked when it is loaded. */
#ifndef RUNTIME_REGISTRY_LINK_H
#define RUNTIME_REGISTRY_LINK_H

#include "runtime/api.h"

/* As cuModuleLoadDataEx of one image made of the PTX in all these fatbins. The first option is the error log,
   the second its size. */
CUresult registry_link(const void *const *parts, size_t n_parts, unsigned n_options, CUjit_option *options, void **values, CUmodule *out);

#endif
