/* SPDX-License-Identifier: Apache-2.0 */
/* Starting the library, its version, the names and texts of errors. */
#include "core/core.h"
#include "driver/bodies.h"

static const struct {
    CUresult code;
    const char *name, *text;
} errors[] = {
#define ERROR(code, name, cudart, sticky, text) {name, #name, text},
#include "driver/errors.def"
#undef ERROR
};

#define ERROR(code, name, cudart, sticky, text) static_assert((int)name == code, #name);
#include "driver/errors.def"
#undef ERROR

static const char *error_find(CUresult error, bool want_name)
{
    for (size_t i = 0; i < HW_LEN(errors); i++) {
        if (errors[i].code == error)
            return want_name ? errors[i].name : errors[i].text;
    }
    return NULL;
}

CUresult do_cuGetErrorName(CUresult error, const char **pStr)
{
    if (!pStr)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = error_find(error, true);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult do_cuGetErrorString(CUresult error, const char **pStr)
{
    if (!pStr)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = error_find(error, false);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult do_cuInit(unsigned int Flags)
{
    if (Flags)
        return CUDA_ERROR_INVALID_VALUE;
    return core_init(Flags);
}

CUresult do_cuDriverGetVersion(int *driverVersion)
{
    if (!driverVersion)
        return CUDA_ERROR_INVALID_VALUE;
    *driverVersion = DRIVER_VERSION;
    return CUDA_SUCCESS;
}
