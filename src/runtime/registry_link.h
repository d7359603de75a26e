/* SPDX-License-Identifier: Apache-2.0 */
/* Device code that was compiled in parts, linked when it is loaded. */
#ifndef RUNTIME_REGISTRY_LINK_H
#define RUNTIME_REGISTRY_LINK_H

#include "runtime/api.h"

/* As cuModuleLoadDataEx of one image made of first and more. Each is a fatbin with uncompressed PTX, as hostwarp cc makes them.
   The first option is the error log. */
CUresult registry_link(const void *first, const void *const *more, size_t n_more, unsigned n_options, CUjit_option *options,
                       void **values, CUmodule *out);

#endif
