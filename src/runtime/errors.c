/* SPDX-License-Identifier: Apache-2.0 */
/* Names and texts of errors, and the calls about the last one. */
#include "runtime/bodies.h"

#include <stdio.h>

struct error_row {
    int code;
    const char *name, *text;
};

static const struct error_row rows[] = {
#define ERROR_BOTH(code, driver, name, sticky, text) {code, #name, text},
#define ERROR_RUNTIME(code, name, text) {code, #name, text},
#include <hostwarp/errors.def>
};

/* Rows are in rising order of codes. */
static const struct error_row *find(int code)
{
    size_t lo = 0, hi = HW_LEN(rows);

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (rows[mid].code == code)
            return &rows[mid];
        if (rows[mid].code < code)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/* What only the driver has. */
static cudaError_t of_driver(CUresult rc)
{
    switch ((int)rc) {
#define ERROR_DRIVER(code, driver, runtime, sticky, text) case code: return (cudaError_t)runtime;
#include <hostwarp/errors.def>
    }
    return cudaErrorUnknown;
}

/* Every driver error that the runtime knows has the same number there. */
cudaError_t api_error(CUresult rc)
{
    if (hw_likely(rc == CUDA_SUCCESS))
        return cudaSuccess;
    return find((int)rc) ? (cudaError_t)rc : of_driver(rc);
}

HW_EXPORT const char *cudaGetErrorName(cudaError_t error)
{
    const struct error_row *row = find((int)error);

    return row ? row->name : "unrecognized error code";
}

HW_EXPORT const char *cudaGetErrorString(cudaError_t error)
{
    const struct error_row *row = find((int)error);

    return row ? row->text : "unrecognized error code";
}

cudaError_t do_cudaGetLastError(void) { return api_last_error(true); }
cudaError_t do_cudaPeekAtLastError(void) { return api_last_error(false); }
