/* SPDX-License-Identifier: Apache-2.0 */
/* The options of module loading and linking: what we use of them, and what goes back to the caller. */
#ifndef DRIVER_JIT_H
#define DRIVER_JIT_H

#include "base/diag.h"

#include <cuda.h>

/* The options of one call, found in its arrays; slots point into the caller's value array. */
struct jit_options {
    char *info_log, *error_log;
    size_t info_bytes, error_bytes;              /* sizes of the buffers */
    void **info_size_slot, **error_size_slot;    /* receive how much was written */
    void **wall_time_slot;                       /* receives a float: milliseconds */
    uint64_t start_ns;
    const char **bound_names;                    /* variables to bind to memory of the host */
    void **bound_addresses;
    size_t n_bound;
};

/* INVALID_VALUE: arrays missing, an unknown option, a log without a size. */
CUresult jit_options_read(struct jit_options *out, unsigned n, const CUjit_option *options, void **values);
/* Gives the messages back. Without an error log, what failed is said on standard error instead: nobody should have to guess. */
void jit_options_finish(struct jit_options *jit, const struct diag *diag, CUresult rc);

#endif
