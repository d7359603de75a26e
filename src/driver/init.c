/* SPDX-License-Identifier: Apache-2.0 */
/* Starting the library, its version, the names and texts of errors. */
#include "base/log.h"
#include "base/options.h"
#include "core/core.h"
#include "driver/bodies.h"

#include <stdio.h>

static const struct {
    CUresult code;
    const char *name, *text;
} errors[] = {
#define ERROR_BOTH(code, name, runtime, sticky, text) {name, #name, text},
#define ERROR_DRIVER ERROR_BOTH
#include <hostwarp/errors.def>
};

#define ERROR_BOTH(code, name, runtime, sticky, text) static_assert((int)name == code, #name);
#define ERROR_DRIVER ERROR_BOTH
#include <hostwarp/errors.def>

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
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pStr is NULL");
    *pStr = error_find(error, true);
    return *pStr ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no error %d", (int)error);
}

CUresult do_cuGetErrorString(CUresult error, const char **pStr)
{
    if (!pStr)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pStr is NULL");
    *pStr = error_find(error, false);
    return *pStr ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no error %d", (int)error);
}

CUresult do_cuInit(unsigned int Flags)
{
    if (Flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "Flags are 0x%x; they must be 0", (unsigned)Flags);
    return core_init(Flags);
}

/* "12.4": 12040. What cannot be is said once and not followed. */
int driver_version(void)
{
    static _Atomic int known;
    int major = 0, minor = 0, version = known;
    char rest;
    const char *level = hw_options()->driver;
    if (version)
        return version;
    version = DRIVER_NEWEST;
    if (level[0]) {
        int given = sscanf(level, "%d.%d%c", &major, &minor, &rest) == 2 && minor >= 0 && minor < 10 && major < 100 ? major * 1000 + minor * 10 : 0;
        if (given >= DRIVER_OLDEST && given <= DRIVER_NEWEST)
            version = given;
        else
            hw_warn("HOSTWARP_DRIVER=%s is no level between %d.%d and %d.%d", level, DRIVER_OLDEST / 1000, DRIVER_OLDEST % 1000 / 10, DRIVER_NEWEST / 1000, DRIVER_NEWEST % 1000 / 10);
    }
    known = version;
    return version;
}

CUresult do_cuDriverGetVersion(int *driverVersion)
{
    if (!driverVersion)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "driverVersion is NULL");
    *driverVersion = driver_version();
    return CUDA_SUCCESS;
}
