/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: loading, variables, finding functions, unloading. */
#include "core/module/module.h"

#include "base/diag.h"
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/device/ctx.h"
#include "core/module/device_launch.h"
#include "core/module/device_query.h"
#include "core/device/device.h"
#include "core/internal.h"
#include "core/mem/mem.h"
#include "jit/jit.h"
#include "lower/lower.h"
#include "ptx/ptx.h"

#include <errno.h>

/* --- life --- */

static void module_free(struct obj *obj)
{
    struct module *m = hw_container_of(obj, struct module, obj);
    struct ctx *ctx = m->ctx;
    hw_lock(&ctx->mu);
    hw_list_del(&m->in_ctx);
    hw_unlock(&ctx->mu);
    for (size_t i = 0; i < m->n_functions; i++)
        function_fini(m->functions[i]);
    for (size_t i = 0; m->ir && m->globals && i < m->ir->vars.n; i++)
        if (m->globals[i])
            mem_free_variable((CUdeviceptr)(uintptr_t)m->globals[i]);
    hw_free(m->functions);
    hw_free(m->globals);
    if (m->ir)
        ir_module_free(m->ir);
    hw_free(m);
    ctx_unref(ctx);
}

static struct module *module_new(struct ctx *ctx, size_t n_functions)
{
    struct module *m = hw_alloc(sizeof *m);
    ctx_ref(ctx);
    m->ctx = ctx;
    hw_mutex_init(&m->mu, HW_RANK_MODULE);
    m->functions = hw_alloc(sizeof *m->functions * (n_functions ? n_functions : 1));
    obj_init(&m->obj, OBJ_MODULE, module_free);
    hw_lock(&ctx->mu);
    hw_list_push_back(&ctx->modules, &m->in_ctx);
    hw_unlock(&ctx->mu);
    return m;
}

/* Closes the handles of the module and of its functions; what runs keeps it alive. */
void module_close(struct module *m)
{
    for (size_t i = 0; i < m->n_functions; i++)
        obj_close(&m->functions[i]->obj);
    obj_close(&m->obj);
}

struct module *module_get(CUmodule handle)
{
    struct obj *obj = obj_get(handle, OBJ_MODULE);
    return obj ? hw_container_of(obj, struct module, obj) : NULL;
}

CUresult module_unload(CUmodule handle)
{
    struct module *m = module_get(handle);
    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult rc = ctx_synchronize(m->ctx);
    module_close(m);
    module_unref(m);
    return rc;
}

/* --- variables --- */

/* The address that the caller bound a variable to, NULL for none. */
static void *bound_address(const struct ir_var *v, const struct module_binding *bindings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(bindings[i].name, v->name) == 0)
            return bindings[i].address;
    return NULL;
}

static void write_first_value(void *at, const struct ir_var *v)
{
    if (v->init)
        memcpy(at, v->init, v->init_bytes);
    memset((char *)at + v->init_bytes, 0, v->bytes - v->init_bytes);
}

static CUresult make_bound_variable(struct module *m, size_t index, void *at, struct diag *diag)
{
    const struct ir_var *v = m->ir->vars.v[index];
    bool fresh;
    CUresult rc = mem_adopt_variable(m->ctx, at, v->bytes, &fresh);
    if (rc) {
        diag_error(diag, 0, 0, "variable %s cannot be bound to host memory at %p", v->name, at);
        return rc;
    }
    m->globals[index] = at;
    if (fresh)
        write_first_value(at, v);
    return CUDA_SUCCESS;
}

static CUresult make_variable(struct module *m, size_t index, struct diag *diag)
{
    const struct ir_var *v = m->ir->vars.v[index];
    CUdeviceptr p;
    if (v->external) {
        diag_error(diag, 0, 0, "variable %s is declared but not defined in this module", v->name);
        return CUDA_ERROR_INVALID_PTX;
    }
    CUresult rc = mem_alloc_variable(m->ctx, v->bytes ? v->bytes : 1, v->align, v->managed, &p);
    if (rc) {
        diag_error(diag, 0, 0, "no memory for variable %s of %llu bytes", v->name, (unsigned long long)v->bytes);
        return rc;
    }
    m->globals[index] = (void *)(uintptr_t)p;
    write_first_value(m->globals[index], v);
    return CUDA_SUCCESS;
}

/* Addresses in initial values are known once every variable has its place. */
static CUresult apply_relocs(struct module *m, size_t index, struct diag *diag)
{
    const struct ir_var *v = m->ir->vars.v[index];
    for (size_t i = 0; i < v->relocs.n; i++) {
        const struct ir_reloc *r = &v->relocs.v[i];
        if (r->var < 0 || (size_t)r->var >= m->ir->vars.n || v->bytes < 8 || r->offset > v->bytes - 8) {
            diag_error(diag, 0, 0, "variable %s: bad address in its initial value", v->name);
            return CUDA_ERROR_INVALID_PTX;
        }
        uint64_t value = (uint64_t)(uintptr_t)m->globals[r->var] + (uint64_t)r->addend;
        memcpy((char *)m->globals[index] + r->offset, &value, 8);
    }
    return CUDA_SUCCESS;
}

/* Known before the first is filled, which takes seconds for each few gigabytes. */
static CUresult check_variables(const struct module *m, struct diag *diag)
{
    uint64_t left = m->ctx->dev->memory_bytes;
    for (size_t i = 0; i < m->ir->vars.n; i++) {
        const struct ir_var *v = m->ir->vars.v[i];
        if (!v->managed && v->bytes > left) {
            diag_error(diag, 0, 0, "no memory for variable %s of %llu bytes", v->name, (unsigned long long)v->bytes);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        left -= v->managed ? 0 : v->bytes;
    }
    return CUDA_SUCCESS;
}

static CUresult make_variables(struct module *m, const struct module_binding *bindings, size_t n_bindings, struct diag *diag)
{
    CUresult rc = check_variables(m, diag);
    size_t n = m->ir->vars.n;
    m->globals = hw_alloc(sizeof *m->globals * (n ? n : 1));
    for (size_t i = 0; i < n && !rc; i++) {
        void *at = bound_address(m->ir->vars.v[i], bindings, n_bindings);
        rc = at ? make_bound_variable(m, i, at, diag) : make_variable(m, i, diag);
    }
    for (size_t i = 0; i < n && !rc; i++)
        rc = apply_relocs(m, i, diag);
    device_launch_find(m);
    return rc;
}

/* --- loading --- */

CUresult module_status_code(enum ptx_status status)
{
    switch (status) {
    case PTX_OK: return CUDA_SUCCESS;
    case PTX_BAD_IMAGE: return CUDA_ERROR_INVALID_IMAGE;
    case PTX_BAD_PTX: return CUDA_ERROR_INVALID_PTX;
    case PTX_BAD_VERSION: return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    case PTX_NO_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
    case PTX_NO_PTX: return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    return CUDA_ERROR_UNKNOWN;
}

/* The PTX in an image that fits the context's device best; hw_free() it. */
static CUresult module_image_text(struct ctx *ctx, const void *image, size_t max_bytes, struct diag *diag, char **out_text, size_t *out_bytes)
{
    return module_status_code(ptx_image_text(image, max_bytes, ctx->dev->code_cc, diag, out_text, out_bytes));
}

static CUresult image_to_ir(struct ctx *ctx, const void *image, size_t max_bytes, struct diag *diag, struct ir_module **out)
{
    struct ptx_module *ptx = NULL;
    char *text = NULL;
    size_t bytes = 0;
    CUresult rc = module_image_text(ctx, image, max_bytes, diag, &text, &bytes);
    if (rc)
        return rc;
    enum ptx_status st = device_launch_link(&text, &bytes, diag) ? ptx_parse(text, bytes, diag, &ptx) : PTX_BAD_PTX;
    if (st == PTX_OK)
        st = lower_module(ptx, diag, out);
    if (st == PTX_OK && hw_options()->dump[0])
        (*out)->ptx = hw_arena_strndup(&(*out)->arena, text, bytes);
    if (ptx)
        ptx_module_free(ptx);
    hw_free(text);
    return module_status_code(st);
}

CUresult module_load(struct ctx *ctx, const void *image, size_t max_bytes, struct diag *diag, CUmodule *out)
{
    return module_load_bound(ctx, image, max_bytes, NULL, 0, diag, out);
}

CUresult module_load_bound(struct ctx *ctx, const void *image, size_t max_bytes, const struct module_binding *bindings, size_t n,
                           struct diag *diag, CUmodule *out)
{
    struct diag own = { 0 };
    struct ir_module *ir = NULL;
    struct module *m = NULL;
    CUresult rc;
    if (!image)
        return CUDA_ERROR_INVALID_VALUE;
    if (!diag)
        diag = &own;
    ctx_flush_printf(ctx);
    if ((rc = image_to_ir(ctx, image, max_bytes, diag, &ir)))
        goto out;
    m = module_new(ctx, ir->funcs.n);
    m->ir = ir;
    if ((rc = make_variables(m, bindings, n, diag)))
        goto out;
    for (size_t i = 0; i < ir->funcs.n; i++)
        m->functions[m->n_functions++] = function_new(m, ir->funcs.v[i]);
    if (m->launches)
        device_figures_fill(m);
    *out = (CUmodule)m->obj.handle;
    m = NULL;
out:
    if (m)
        module_close(m);
    if (rc && diag == &own && own.text.s)
        hw_info("a module was not loaded:\n%s", own.text.s);
    diag_fini(&own);
    return rc;
}

CUresult module_load_file(struct ctx *ctx, const char *path, struct diag *diag, CUmodule *out)
{
    size_t bytes = 0;
    char *data = hw_file_read(path, &bytes);
    if (!data)
        return errno == ENOENT || errno == ENOTDIR ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_SOURCE;
    CUresult rc = module_load(ctx, data, bytes, diag, out);
    hw_free(data);
    return rc;
}

CUresult module_new_native(struct ctx *ctx, const struct module_native *kernels, size_t n, CUmodule *out)
{
    struct module *m = module_new(ctx, n);
    for (size_t i = 0; i < n; i++)
        m->functions[m->n_functions++] = function_new_native(m, &kernels[i]);
    *out = (CUmodule)m->obj.handle;
    return CUDA_SUCCESS;
}

/* --- finding things --- */

CUresult module_function(struct module *m, const char *name, CUfunction *out)
{
    if (!name || !*name)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < m->n_functions; i++) {
        if (strcmp(m->functions[i]->name, name) == 0) {
            *out = function_handle(m->functions[i]);
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

static size_t find_global(const struct module *m, const char *name)
{
    size_t i = 0;
    while (i < m->ir->vars.n && strcmp(m->ir->vars.v[i]->name, name) != 0)
        i++;
    return i;
}

CUresult module_global(struct module *m, const char *name, CUdeviceptr *out, size_t *out_bytes)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!m->ir)
        return CUDA_ERROR_NOT_FOUND;
    size_t i = find_global(m, name);
    if (i == m->ir->vars.n) {                    /* nvcc leaves the names of static variables as they are, clang writes _ZL1x for x */
        char *mangled = hw_sprintf("_ZL%zu%s", strlen(name), name);
        i = find_global(m, mangled);
        hw_free(mangled);
    }
    if (i == m->ir->vars.n)
        return CUDA_ERROR_NOT_FOUND;
    if (m->ir->vars.v[i]->texture || m->ir->vars.v[i]->surface)
        return CUDA_ERROR_INVALID_VALUE;
    if (out)
        *out = (CUdeviceptr)(uintptr_t)m->globals[i];
    if (out_bytes)
        *out_bytes = m->ir->vars.v[i]->bytes;
    return CUDA_SUCCESS;
}

CUresult module_reference(struct module *m, const char *name, bool surface, CUdeviceptr *out)
{
    for (size_t i = 0; m->ir && i < m->ir->vars.n; i++) {
        const struct ir_var *v = m->ir->vars.v[i];
        if ((surface ? v->surface : v->texture) && strcmp(v->name, name) == 0) {
            *out = (CUdeviceptr)(uintptr_t)m->globals[i];
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

size_t module_function_count(const struct module *m)
{
    return m->n_functions;
}

CUresult module_functions(const struct module *m, CUfunction *out, unsigned n)
{
    for (size_t i = 0; i < n && i < m->n_functions; i++)
        out[i] = function_handle(m->functions[i]);
    return CUDA_SUCCESS;
}
