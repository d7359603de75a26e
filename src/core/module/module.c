/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: life, finding functions and variables. load.c makes them. */
#include "core/module/module.h"

#include "base/log.h"
#include "core/device/ctx.h"
#include "core/internal.h"
#include "core/mem/mem.h"
#include "jit/jit.h"

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

struct module *module_new(struct ctx *ctx, size_t n_functions)
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

/* --- finding things --- */

CUresult module_function(struct module *m, const char *name, CUfunction *out)
{
    if (!name || !*name)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the name is empty");
    for (size_t i = 0; i < m->n_functions; i++) {
        if (strcmp(m->functions[i]->name, name) == 0) {
            *out = function_handle(m->functions[i]);
            return CUDA_SUCCESS;
        }
    }
    return hw_refuse(CUDA_ERROR_NOT_FOUND, "the module has no kernel %s", name);
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
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the name is NULL");
    if (!m->ir)
        return hw_refuse(CUDA_ERROR_NOT_FOUND, "the module has no variable %s", name);
    size_t i = find_global(m, name);
    if (i == m->ir->vars.n) {                    /* nvcc leaves the names of static variables as they are, clang writes _ZL1x for x */
        char *mangled = hw_sprintf("_ZL%zu%s", strlen(name), name);
        i = find_global(m, mangled);
        hw_free(mangled);
    }
    if (i == m->ir->vars.n)
        return hw_refuse(CUDA_ERROR_NOT_FOUND, "the module has no variable %s", name);
    if (m->ir->vars.v[i]->texture || m->ir->vars.v[i]->surface)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%s is a texture or a surface, no variable", name);
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
    return hw_refuse(CUDA_ERROR_NOT_FOUND, "the module has no %s reference %s", surface ? "surface" : "texture", name);
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
