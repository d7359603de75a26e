/* SPDX-License-Identifier: Apache-2.0 */
/* For the driver API's tests: one line per rule, `ok - rule` or `not ok - rule`, and what was answered instead. */
#ifndef DRIVER_CHECK_H
#define DRIVER_CHECK_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_failed;

static inline const char *result_name(CUresult rc)
{
    const char *name = NULL;

    cuGetErrorName(rc, &name);
    return name ? name : "an unknown code";
}

static inline int check_true(const char *rule, int good)
{
    printf("%s - %s\n", good ? "ok" : "not ok", rule);
    n_failed += !good;
    return good;
}

static inline int check_result(const char *rule, CUresult got, CUresult want)
{
    if (!check_true(rule, got == want))
        printf("#   got %s, want %s\n", result_name(got), result_name(want));
    return got == want;
}

static inline int check_value(const char *rule, long long got, long long want)
{
    if (!check_true(rule, got == want))
        printf("#   got %lld, want %lld\n", got, want);
    return got == want;
}

/* For steps a test cannot go on without. */
#define NEED(call)                                                             \
    do {                                                                       \
        CUresult need_rc = (call);                                             \
        if (need_rc != CUDA_SUCCESS) {                                         \
            printf("not ok - %s\n#   got %s\n", #call, result_name(need_rc)); \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static inline CUcontext check_start(void)
{
    CUcontext ctx = NULL;
    CUdevice dev;

    NEED(cuInit(0));
    NEED(cuDeviceGet(&dev, 0));
    NEED(cuDevicePrimaryCtxRetain(&ctx, dev));
    NEED(cuCtxSetCurrent(ctx));
    return ctx;
}

#endif
