/* SPDX-License-Identifier: Apache-2.0 */
/* Loading modules: an image to PTX, to IR, to variables and kernels; unloading. */
#include "core/module/load.h"

#include "base/diag.h"
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/internal.h"
#include "core/mem/mem.h"
#include "core/module/device_launch.h"
#include "core/module/device_query.h"
#include "core/module/module.h"
#include "core/stream/ctx_sync.h"
#include "lower/lower.h"

#include <errno.h>

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
        return hw_refuse(CUDA_ERROR_INVALID_PTX, "variable %s is declared but not defined", v->name);
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
            return hw_refuse(CUDA_ERROR_INVALID_PTX, "the initial value of variable %s holds a bad address", v->name);
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
            return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "variable %s of %llu bytes does not fit into device memory", v->name, (unsigned long long)v->bytes);
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
    /* What is wrong is in the diagnostics too, with its place. */
    static const struct { CUresult rc; const char *why; } rows[] = {
        [PTX_OK] = { CUDA_SUCCESS, "" },
        [PTX_BAD_IMAGE] = { CUDA_ERROR_INVALID_IMAGE, "the image is neither PTX nor a fatbin, or it is damaged" },
        [PTX_BAD_PTX] = { CUDA_ERROR_INVALID_PTX, "the PTX has an error" },
        [PTX_BAD_VERSION] = { CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the PTX is of a newer version than is known" },
        [PTX_NO_MEMORY] = { CUDA_ERROR_OUT_OF_MEMORY, "no memory to read the image" },
        [PTX_NO_PTX] = { CUDA_ERROR_NO_BINARY_FOR_GPU, "the image holds machine code only, and no PTX that this device runs; nvcc -arch=sm_80 puts it in" },
    };
    if (status == PTX_OK)
        return CUDA_SUCCESS;
    return hw_refuse(rows[status].rc, "%s", rows[status].why);
}

/* The PTX in an image that fits the context's device best; hw_free() it. */
static CUresult module_image_text(struct ctx *ctx, const void *image, size_t max_bytes, struct diag *diag, char **out_text, size_t *out_bytes)
{
    return module_status_code(ptx_image_text(image, max_bytes, device_code_cc(ctx->dev), diag, out_text, out_bytes));
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
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the image is NULL");
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
        return hw_refuse(errno == ENOENT || errno == ENOTDIR ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_SOURCE, "%s cannot be read: %s", path, strerror(errno));
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

CUresult module_unload(CUmodule handle)
{
    struct module *m = module_get(handle);
    if (!m)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no module, or it was unloaded");
    CUresult rc = ctx_synchronize(m->ctx);
    module_close(m);
    module_unref(m);
    return rc;
}
