/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: loading PTX and fatbins, finding kernels and variables. */
#include "base/log.h"
#include "core/module/load.h"
#include "core/module/module.h"

#include "base/options.h"
#include "core/device/ctx.h"
#include "driver/bodies.h"
#include "driver/jit.h"
#include "driver/texref.h"

/* CU_JIT_GLOBAL_SYMBOL_*: device variables that are variables of the host program. */
static CUresult bindings_read(const struct jit_options *jit, struct module_binding **out)
{
    *out = NULL;
    for (size_t i = 0; i < jit->n_bound; i++)
        if (!jit->bound_names[i] || !jit->bound_addresses[i])
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "symbol %zu to be bound has no name or no address", i);
    if (jit->n_bound)
        *out = hw_alloc(jit->n_bound * sizeof **out);
    for (size_t i = 0; i < jit->n_bound; i++) {
        (*out)[i].name = jit->bound_names[i];
        (*out)[i].address = jit->bound_addresses[i];
    }
    return CUDA_SUCCESS;
}

CUresult do_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
                               void **optionValues)
{
    struct module_binding *bindings;
    struct jit_options jit;
    struct diag diag = {0};
    CUresult rc;

    if (!module || !image)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of module and image is NULL");
    if ((rc = jit_options_read(&jit, numOptions, options, optionValues)))
        return rc;
    if ((rc = bindings_read(&jit, &bindings)))
        return rc;
    rc = module_load_bound(ctx_current(), image, SIZE_MAX, bindings, jit.n_bound, &diag, module);
    hw_free(bindings);
    jit_options_finish(&jit, &diag, rc);
    diag_fini(&diag);
    return rc;
}

CUresult do_cuModuleLoadData(CUmodule *module, const void *image) { return do_cuModuleLoadDataEx(module, image, 0, NULL, NULL); }

CUresult do_cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    return do_cuModuleLoadDataEx(module, fatCubin, 0, NULL, NULL);
}

CUresult do_cuModuleLoad(CUmodule *module, const char *fname)
{
    struct jit_options jit;
    struct diag diag = {.file = fname};
    CUresult rc;

    if (!module || !fname)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of module and fname is NULL");
    if ((rc = jit_options_read(&jit, 0, NULL, NULL)))
        return rc;
    rc = module_load_file(ctx_current(), fname, &diag, module);
    jit_options_finish(&jit, &diag, rc);
    diag_fini(&diag);
    return rc;
}

CUresult do_cuModuleUnload(CUmodule hmod)
{
    CUresult rc = module_unload(hmod);

    if (!rc)
        texref_module_gone(hmod);
    return rc;
}

/* Kernels are compiled when first launched, whatever CUDA_MODULE_LOADING says. */
CUresult do_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (!mode)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "mode is NULL");
    const char *wanted = hw_cuda_env()->module_loading;
    *mode = wanted && strcmp(wanted, "EAGER") == 0 ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUresult do_cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    struct module *m;
    CUresult rc;

    if (!hfunc || !name)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of hfunc and name is NULL");
    if (!(m = module_get(hmod)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no module, or it was unloaded");
    rc = module_function(m, name, hfunc);
    module_unref(m);
    return rc;
}

CUresult do_cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    struct module *m;

    if (!count)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "count is NULL");
    if (!(m = module_get(mod)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no module, or it was unloaded");
    *count = (unsigned)module_function_count(m);
    module_unref(m);
    return CUDA_SUCCESS;
}

CUresult do_cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod)
{
    struct module *m;
    CUresult rc;

    if (!functions || numFunctions == 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no room for functions");
    if (!(m = module_get(mod)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no module, or it was unloaded");
    rc = module_functions(m, functions, (unsigned)hw_min_u64(numFunctions, module_function_count(m)));
    module_unref(m);
    return rc;
}

CUresult do_cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
    struct module *m;
    CUresult rc;

    if ((!dptr && !bytes) || !name)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "name is NULL, or dptr and bytes both are");
    if (!(m = module_get(hmod)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no module, or it was unloaded");
    rc = module_global(m, name, dptr, bytes);
    module_unref(m);
    return rc;
}
