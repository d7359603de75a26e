/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of modules: attributes, and machine code for each block shape when it is first needed. */
#include "base/diag.h"
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/hooks.h"
#include "core/internal.h"
#include "core/module/load.h"
#include "core/mem/mem.h"
#include "core/module/module.h"
#include "exec/exec.h"
#include "jit/jit.h"

#include <stdatomic.h>


/* What code is made for, beside the kernel: see struct jit_request. */
struct variant {
    uint32_t block[3];
    uint32_t small_grid, stream, whole, plain;   /* bool, bool, bits, enum function_plain or 0; of one size: see is_variant() */
};

/* One compiled variant. kernel NULL: somebody is compiling it at this moment, or error says why there is none. */
struct function_shape {
    struct variant variant;
    bool compiling;
    CUresult error;
    struct kabi_kernel *kernel;
};

/* The last reference is gone: the handle is closed and nobody uses us. The memory stays the module's. */
static void function_free(struct obj *obj)
{
    module_unref(hw_container_of(obj, struct function, obj)->module);
}

void function_fini(struct function *f)
{
    for (size_t i = 0; i < f->shapes.n; i++) {
        if (f->shapes.v[i]->kernel)
            jit_kernel_free(f->shapes.v[i]->kernel);
        hw_free(f->shapes.v[i]);
    }
    hw_vec_fini(&f->shapes);
    hw_free((void *)f->params);
    hw_free(f);
}

static struct function *function_make(struct module *m, const char *name, uint32_t n_params)
{
    struct function *f = hw_alloc(sizeof *f);
    module_ref(m);
    f->module = m;
    f->name = name;
    f->n_params = n_params;
    f->params = hw_alloc(sizeof *f->params * (n_params ? n_params : 1));
    f->n_regs = IR_USUAL_REGS;
    f->max_threads = DEVICE_MAX_THREADS;
    f->carveout = -1;
    return f;
}

static void function_ready(struct function *f)
{
    f->max_dynamic_shared = f->shared_static < DEVICE_SHARED_BLOCK ? DEVICE_SHARED_BLOCK - (int)f->shared_static : 0;
    obj_init(&f->obj, OBJ_FUNCTION, function_free);
}

struct function *function_new(struct module *m, const struct ir_func *ir)
{
    struct function *f = function_make(m, ir->name, (uint32_t)ir->params.n);
    struct function_param *params = (struct function_param *)f->params;
    f->ir = ir;
    f->param_bytes = ir->param_bytes;
    for (size_t i = 0; i < ir->params.n; i++)
        params[i] = (struct function_param){ ir->params.v[i].offset, ir->params.v[i].bytes };
    f->shared_static = ir->shared_bytes;
    f->local_bytes = ir->local_bytes;
    if (ir->maxnreg && ir->maxnreg < f->n_regs)
        f->n_regs = ir->maxnreg;
    const uint32_t *shape = ir->reqntid[0] ? ir->reqntid : ir->maxntid;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++)
        threads *= shape[i] ? shape[i] : 1;
    if (shape[0] && threads < f->max_threads)
        f->max_threads = (uint32_t)threads;
    for (int i = 0; i < 3 && ir->reqntid[0]; i++)
        f->required[i] = ir->reqntid[i] ? ir->reqntid[i] : 1;
    function_ready(f);
    return f;
}

struct function *function_new_native(struct module *m, const struct module_native *native)
{
    struct function *f = function_make(m, native->kernel->name, native->n_params);
    f->native = native->kernel;
    memcpy((struct function_param *)f->params, native->params, sizeof *f->params * native->n_params);
    for (uint32_t i = 0; i < native->n_params; i++)
        f->param_bytes = (uint32_t)hw_max_u64(f->param_bytes, native->params[i].offset + native->params[i].bytes);
    f->shared_static = native->kernel->shared_static;
    f->local_bytes = native->kernel->local_bytes;
    function_ready(f);
    return f;
}

struct function *function_get(CUfunction handle)
{
    struct obj *obj = obj_get(handle, OBJ_FUNCTION);
    return obj ? hw_container_of(obj, struct function, obj) : NULL;
}

void function_put(struct function *f)
{
    obj_unref(f ? &f->obj : NULL);
}

/* --- attributes --- */

/* Constant memory is the module's: every kernel of it has it all. */
static int const_bytes(const struct ir_module *ir)
{
    uint64_t bytes = 0;
    for (size_t i = 0; ir && i < ir->vars.n; i++)
        if (ir->vars.v[i]->space == IR_CONST)
            bytes = hw_align_up(bytes, ir->vars.v[i]->align) + ir->vars.v[i]->bytes;
    return (int)bytes;
}

CUresult function_attribute(struct function *f, int attribute, int *out)
{
    unsigned cc = f->module->ctx->dev->cc_major * 10 + f->module->ctx->dev->cc_minor;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *out = (int)f->max_threads; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *out = (int)f->shared_static; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *out = const_bytes(f->module->ir); break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *out = (int)f->local_bytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *out = (int)f->n_regs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *out = f->module->ir ? (int)f->module->ir->sm : (int)cc; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *out = (int)cc; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *out = 0; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *out = f->max_dynamic_shared; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *out = f->carveout; break;
    default:
        if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX)
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no attribute %d", attribute);
        *out = 0;                                /* clusters: none */
    }
    return CUDA_SUCCESS;
}

CUresult function_set_attribute(struct function *f, int attribute, int value)
{
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || (uint32_t)value + f->shared_static > DEVICE_SHARED_OPTIN)
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%d bytes of dynamic shared memory and the kernel's own %u are more than %u", value, (unsigned)f->shared_static, (unsigned)DEVICE_SHARED_OPTIN);
        f->max_dynamic_shared = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100)
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a carveout of %d is not between -1 and 100", value);
        f->carveout = value;
        return CUDA_SUCCESS;
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "attribute %d cannot be set", attribute);
    }
}

CUresult function_param_info(const struct function *f, size_t index, size_t *out_offset, size_t *out_bytes)
{
    if (index >= f->n_params)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the kernel has %zu parameters, and none of index %zu", (size_t)f->n_params, index);
    if (out_offset)
        *out_offset = f->params[index].offset;
    if (out_bytes)
        *out_bytes = f->params[index].bytes;
    return CUDA_SUCCESS;
}

/* --- code --- */

/* Every launch does this with what it has just computed: in registers, for what is read back from memory in other sizes than it was written makes the CPU wait. */
static inline bool is_variant(const struct variant *a, const struct variant *b)
{
    return a->block[0] == b->block[0] && a->block[1] == b->block[1] && a->block[2] == b->block[2] && a->small_grid == b->small_grid
        && a->stream == b->stream && a->whole == b->whole && a->plain == b->plain;
}

static struct function_shape *find_shape(struct function *f, const struct variant *v)
{
    for (size_t i = 0; i < f->shapes.n; i++)
        if (is_variant(&f->shapes.v[i]->variant, v))
            return f->shapes.v[i];
    return NULL;
}

/* Does all that the module's variables have lie in the window, away from its ends? Managed ones may be the program's own. */
static bool in_window(const struct module *m)
{
    const uint64_t begin = ((uint64_t)HW_WINDOW_TAG << HW_WINDOW_SHIFT) + HW_WINDOW_EDGE, bytes = ((uint64_t)1 << HW_WINDOW_SHIFT) - 2 * HW_WINDOW_EDGE;
    for (size_t i = 0; m->ir && i < m->ir->vars.n; i++) {
        uint64_t at = (uint64_t)(uintptr_t)m->globals[i] - begin;
        if (at >= bytes || m->ir->vars.v[i]->bytes > bytes - at)
            return false;
    }
    return true;
}

/* Called without the lock: takes milliseconds. */
static void compile(struct function *f, struct function_shape *s)
{
    struct diag diag = { 0 };
    bool compiled = false;
    const struct variant *v = &s->variant;
    struct jit_request req = { .ntid = { v->block[0], v->block[1], v->block[2] }, .small_grid = v->small_grid, .stream = v->stream, .whole = v->whole,
                                .in_window = in_window(f->module),
                                .details = v->plain == FUNCTION_COUNTED || ((hw_options()->prof_details || hw_options()->check[0]) && !v->plain),
                                .check = hw_options()->check[0] && !v->plain, .orders = exec_checker_orders, .plain = v->plain == FUNCTION_PLAIN || v->plain == FUNCTION_STEPS,
                                .steps = v->plain == FUNCTION_STEPS, .compiled = &compiled };
    hw_assert_no_locks("a kernel is compiled");
    hook_kernel_wanted(f);
    struct kabi_kernel *kernel = jit_compile(f->ir, &req, &diag);
    hook_kernel_ready(f, compiled);
    if (!kernel)
        hw_error("kernel %s was not compiled:\n%s", f->name, diag.text.s ? diag.text.s : "no reason given\n");
    diag_fini(&diag);
    hw_lock(&f->module->mu);
    s->kernel = kernel;
    s->error = kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
    s->compiling = false;
    hw_cond_broadcast(&f->module->compiled);
    hw_unlock(&f->module->mu);
}

/* Which of the sizes among the parameters are multiples of 32. */
static uint32_t whole_sizes(const struct function *f, const void *params)
{
    uint32_t whole = 0;
    for (uint32_t k = 0; k < f->n_sizes; k++) {
        uint32_t low;                            /* the low bits come first */
        memcpy(&low, (const char *)params + f->sizes[k].offset, sizeof low);
        whole |= (uint32_t)(low % 32 == 0) << k;
    }
    return whole;
}

/* The ranges that the pointers lie in, all together; more than any cache when one is not known. */
static uint64_t bytes_behind(uint64_t which, const void *params)
{
    uint64_t bytes = 0;
    for (; which; which &= which - 1) {
        uint64_t addr, k = (uint64_t)__builtin_ctzll(which);
        if (k == 63)
            return UINT64_MAX;
        memcpy(&addr, (const char *)params + 8 * k, sizeof addr);
        const struct mem_span *s = mem_span(addr, MEM_SLOT_DST);
        if (s->kind == MEM_NONE)
            return UINT64_MAX;
        bytes += s->bytes;
    }
    return bytes;
}

/* Of what the grid writes, would at most a part still be in the caches at its end, beside what it reads? Its blocks may all write the same. */
static bool writes_much(const struct function *f, const uint32_t grid[3], const uint32_t block[3], const void *params)
{
    uint64_t much = hw_cache_bytes() / 4 * 3;
    double threads = (double)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
    return threads * f->streamed_bytes > (double)much && bytes_behind(f->streamed_to, params) > much;
}

static inline __attribute__((always_inline)) struct variant variant_for(const struct function *f, const uint32_t grid[3], const uint32_t block[3], const void *params)
{
    return (struct variant){ { block[0], block[1], block[2] }, (uint64_t)grid[0] * block[0] < ((uint64_t)1 << 31),
                             f->streamed_bytes && writes_much(f, grid, block, params), whole_sizes(f, params), false };
}

/* The variant's shape, compiled or found to be wrong. The module's lock is held, and dropped. */
static struct function_shape *shape_of_locked(struct function *f, const struct variant *v)
{
    bool ours = false;
    struct function_shape *s = find_shape(f, v);
    if (!s) {
        s = hw_alloc(sizeof *s);
        s->variant = *v;
        s->compiling = ours = true;
        hw_vec_push(&f->shapes, s);
    }
    while (s->compiling && !ours)                /* another thread is at it */
        hw_cond_wait(&f->module->compiled, &f->module->mu);
    hw_unlock(&f->module->mu);
    if (ours)
        compile(f, s);
    return s;
}

/* Not the one of the last launch. */
static __attribute__((noinline)) CUresult other_code(struct function *f, const uint32_t grid[3], const uint32_t block[3], const void *params,
                                                     const struct kabi_kernel **out)
{
    int cancel = hw_cancel_off();                /* what is begun here, others wait for */
    hw_lock(&f->module->mu);
    if (!f->sizes_known) {
        f->n_sizes = jit_sizes(f->ir, f->sizes);
        f->streamed_bytes = jit_streamed_bytes(f->ir, &f->streamed_to);
    }
    f->sizes_known = true;
    const struct variant v = variant_for(f, grid, block, params);
    struct function_shape *s = shape_of_locked(f, &v);
    hw_cancel_on(cancel);
    if (s->error)
        return s->error;
    atomic_store_explicit(&f->last_shape, s, memory_order_release);
    *out = s->kernel;
    return CUDA_SUCCESS;
}

CUresult function_code(struct function *f, const uint32_t grid[3], const uint32_t block[3], const void *params, const struct kabi_kernel **out)
{
    if (f->native) {
        *out = f->native;
        return CUDA_SUCCESS;
    }
    struct function_shape *s = atomic_load_explicit(&f->last_shape, memory_order_acquire);   /* pairs with other_code() */
    if (hw_likely(s != NULL)) {
        const struct variant usual = variant_for(f, grid, block, params);
        if (hw_likely(is_variant(&s->variant, &usual))) {
            *out = s->kernel;
            return CUDA_SUCCESS;
        }
    }
    return other_code(f, grid, block, params, out);
}

const struct kabi_kernel *function_reference(struct function *f, const uint32_t block[3], enum function_plain plain)
{
    const struct variant v = { .block = { block[0], block[1], block[2] }, .plain = plain };
    if (f->native)
        return NULL;
    int cancel = hw_cancel_off();
    hw_lock(&f->module->mu);
    const struct kabi_kernel *kernel = shape_of_locked(f, &v)->kernel;
    hw_cancel_on(cancel);
    return kernel;
}
