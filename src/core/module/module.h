/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: PTX that was loaded into a context, its variables and its kernels. */
#ifndef CORE_MODULE_H
#define CORE_MODULE_H

#include "base/list.h"
#include "base/lock.h"
#include "base/vec.h"
#include "core/obj.h"
#include "jit/jit.h"
#include "kabi/kabi.h"
#include "ptx/ptx.h"

#include <cuda.h>

struct ctx;
struct diag;
struct ir_func;
struct ir_module;
struct module;

/*
 * A kernel of a module: what CUfunction names.
 * Lifetime  The memory is the module's. A reference to a function holds one to its module; the open handle is one.
 * Locks     module->mu guards the list of compiled shapes.
 */
struct function {
    struct obj obj;
    struct module *module;                       /* const, referenced */
    const struct ir_func *ir;                    /* NULL: native */
    const struct kabi_kernel *native;            /* for any block shape; NULL: compiled from ir */
    const char *name;
    uint32_t param_bytes, n_params;
    const struct function_param *params;
    uint32_t shared_static, local_bytes, n_regs;
    uint32_t max_threads;                        /* per block: .maxntid or the device's limit */
    uint32_t required[3];                        /* .reqntid, 0 when absent */
    _Atomic int max_dynamic_shared;              /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
    _Atomic int carveout;
    _Atomic int cache_config;                    /* CUfunc_cache, a hint */
    _Atomic uint32_t n_verified;                 /* launches that verify.c was given */
    _Atomic uint32_t block_ns;                   /* how long a block took lately: the engine's */
    uint64_t streamed_to;                        /* through these pointers: bit k is the parameter at 8 * k, the last bit those that are elsewhere */
    uint32_t streamed_bytes;                     /* by each thread, in stores that may go past the caches; module->mu, as the next three */
    uint32_t n_sizes;                            /* module->mu, and the next two; const once last_shape is set */
    bool sizes_known;
    struct jit_size sizes[JIT_SIZES];            /* parameters on which the choice of code depends */
    HW_VEC(struct function_shape *) shapes;      /* module->mu */
    struct function_shape *_Atomic last_shape;   /* one that is compiled: the one launched last */
};

struct function_param {
    uint32_t offset, bytes;
};

/*
 * A loaded module.
 * Lifetime  The handle owns one reference, every function and every queued launch one more. Unload waits for the context's work.
 * Locks     mu (rank MODULE); never held while compiling.
 */
struct module {
    struct obj obj;
    struct ctx *ctx;                             /* const, referenced */
    struct hw_list in_ctx;                       /* ctx->modules; ctx->mu */
    struct hw_mutex mu;
    struct hw_cond compiled;                     /* mu: a shape was compiled */
    struct ir_module *ir;                        /* NULL: native */
    struct function **functions;                 /* const after load */
    size_t n_functions;
    void **globals;                              /* address of each variable, by index in ir->vars; const after load */
    _Atomic uint64_t *launches;                  /* device_launch.c's list, in device memory; NULL: no kernel here launches any */
};

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
struct module *module_get(CUmodule handle);                      /* a reference, or NULL (INVALID_HANDLE) */
static inline void module_ref(struct module *m) { obj_ref(&m->obj); }
static inline void module_unref(struct module *m) { obj_unref(m ? &m->obj : NULL); }

CUresult module_function(struct module *m, const char *name, CUfunction *out);       /* "": INVALID_VALUE; NOT_FOUND */
CUresult module_global(struct module *m, const char *name, CUdeviceptr *out, size_t *out_bytes);  /* outs may be NULL */
/* Where the handle of a .texref or .surfref lies; NOT_FOUND. */
CUresult module_reference(struct module *m, const char *name, bool surface, CUdeviceptr *out);
size_t module_function_count(const struct module *m);
CUresult module_functions(const struct module *m, CUfunction *out, unsigned n);      /* the first n, in PTX order */

/* A reference on the function's module keeps it alive: drop with function_put(). NULL: INVALID_HANDLE. */
struct function *function_get(CUfunction handle);
void function_put(struct function *f);
CUresult function_attribute(struct function *f, int attribute, int *out);            /* CU_FUNC_ATTRIBUTE_* */
CUresult function_set_attribute(struct function *f, int attribute, int value);
CUresult function_param_info(const struct function *f, size_t index, size_t *out_offset, size_t *out_bytes);
static inline CUfunction function_handle(const struct function *f) { return (CUfunction)f->obj.handle; }

/* Code for one block shape, compiled when first asked for. Call with no lock held. */
CUresult function_code(struct function *f, const uint32_t grid[3], const uint32_t block[3], const void *params, const struct kabi_kernel **out);

/* The same, made as plainly as can be, for any grid and any parameters: what HOSTWARP_VERIFY compares with. NULL: there is none. */
enum function_plain { FUNCTION_PLAIN = 1, FUNCTION_STEPS, FUNCTION_COUNTED };    /* STEPS: threads also stop before stores; COUNTED: vector code that counts */
const struct kabi_kernel *function_reference(struct function *f, const uint32_t block[3], enum function_plain plain);

/* Tests and tools: a module of kernels that are already machine code. The kernels must outlive it. */
struct module_native {
    const struct kabi_kernel *kernel;
    uint32_t n_params;
    const struct function_param *params;
};
CUresult module_new_native(struct ctx *ctx, const struct module_native *kernels, size_t n, CUmodule *out);

#endif
