/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as objects: attributes, names, parameters. */
#include "base/log.h"
#include "core/module/module.h"
#include "driver/bodies.h"

CUresult do_cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    struct function *f;
    CUresult rc;

    if (!pi)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pi is NULL");
    if (!(f = api_function(hfunc)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    rc = function_attribute(f, (int)attrib, pi);
    function_put(f);
    return rc;
}

CUresult do_cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
    struct function *f = api_function(hfunc);
    CUresult rc;

    if (!f)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    rc = function_set_attribute(f, (int)attrib, value);
    function_put(f);
    return rc;
}

CUresult do_cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
    struct function *f = api_function(hfunc);

    if (!f)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    if ((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL)
        f->cache_config = (int)config;
    function_put(f);
    return (unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no cache preference %d", (int)config);
}

/* The width of a bank is fixed: a right value is accepted and changes nothing, as on every GPU since Maxwell. */
CUresult do_cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
    struct function *f = api_function(hfunc);

    if (!f)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    function_put(f);
    return (unsigned)config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no bank size %d", (int)config);
}

CUresult do_cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
    struct function *f;

    if (!hmod || !hfunc)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of hmod and hfunc is NULL");
    if (!(f = api_function(hfunc)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    *hmod = (CUmodule)f->module->obj.handle;
    function_put(f);
    return CUDA_SUCCESS;
}

CUresult do_cuFuncGetName(const char **name, CUfunction hfunc)
{
    struct function *f;

    if (!name || !hfunc)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of name and hfunc is NULL");
    if (!(f = api_function(hfunc)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    *name = f->name;
    function_put(f);
    return CUDA_SUCCESS;
}

CUresult do_cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    struct function *f;
    CUresult rc;

    if (!paramOffset || !func)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of paramOffset and func is NULL");
    if (!(f = api_function(func)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    rc = function_param_info(f, paramIndex, paramOffset, paramSize);
    function_put(f);
    return rc;
}

CUresult do_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    struct function *f;

    if (!state)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "state is NULL");
    if (!(f = api_function(function)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    function_put(f);
    return CUDA_SUCCESS;
}

CUresult do_cuFuncLoad(CUfunction function)
{
    struct function *f = api_function(function);

    if (!f)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    function_put(f);
    return CUDA_SUCCESS;
}
