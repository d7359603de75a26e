/* SPDX-License-Identifier: Apache-2.0 */
/* Loading modules: PTX text, fatbins, ELF files. */
#ifndef CORE_LOAD_H
#define CORE_LOAD_H

#include "kabi/kabi.h"
#include "ptx/ptx.h"

#include <cuda.h>

struct ctx;
struct diag;
struct function_param;

/* What the driver answers when reading PTX ended so. */
CUresult module_status_code(enum ptx_status status);
/* image: PTX text, a fatbin or an ELF file; max_bytes as ptx_image_text() has it. What is wrong with it is said in diag (for
   the JIT log), which may be NULL. INVALID_IMAGE, INVALID_PTX, UNSUPPORTED_PTX_VERSION, NO_BINARY_FOR_GPU, OUT_OF_MEMORY. */
CUresult module_load(struct ctx *ctx, const void *image, size_t max_bytes, struct diag *diag, CUmodule *out);
/* The same, with some variables bound to memory of the host program: they are managed, and the host uses them by name. */
struct module_binding {
    const char *name;
    void *address;
};
CUresult module_load_bound(struct ctx *ctx, const void *image, size_t max_bytes, const struct module_binding *bindings, size_t n,
                           struct diag *diag, CUmodule *out);
CUresult module_load_file(struct ctx *ctx, const char *path, struct diag *diag, CUmodule *out);   /* FILE_NOT_FOUND */
CUresult module_unload(CUmodule handle);                         /* waits for the context's work */
/* Tests and tools: a module of kernels that are already machine code. The kernels must outlive it. */
struct module_native {
    const struct kabi_kernel *kernel;
    uint32_t n_params;
    const struct function_param *params;
};
CUresult module_new_native(struct ctx *ctx, const struct module_native *kernels, size_t n, CUmodule *out);

#endif
