/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the runtime API: one line `ok` or `not ok` for each rule. The same programs must pass on a real GPU. */
#ifndef RUNTIME_CHECK_H
#define RUNTIME_CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures;

static void check_line(int ok, const char *rule, const char *file, int line)
{
    printf("%sok %s", ok ? "" : "not ", rule);
    if (!ok)
        printf(" (%s:%d)", file, line);
    printf("\n");
    check_failures += !ok;
}

/* The rule holds when the condition does. */
#define CHECK(rule, condition) check_line((condition) != 0, rule, __FILE__, __LINE__)

/* The call answers `want`; both are shown when it does not. The last error is cleared, so that rules stay independent. */
#define CHECK_ERR(rule, call, want)                                                                       \
    do {                                                                                                  \
        cudaError_t got_ = (call);                                                                        \
        cudaGetLastError();                                                                               \
        check_line(got_ == (want), rule, __FILE__, __LINE__);                                             \
        if (got_ != (want))                                                                               \
            printf("# %s answers %s, not %s\n", #call, cudaGetErrorName(got_), cudaGetErrorName(want));   \
    } while (0)
#define CHECK_OK(rule, call) CHECK_ERR(rule, call, cudaSuccess)

/* A known gap: must hold on a GPU, and must not hold here. When it does, the mark is to go. */
__attribute__((unused)) static int check_on_hostwarp(void)
{
    struct cudaDeviceProp p;
    return cudaGetDeviceProperties(&p, 0) == cudaSuccess && strncmp(p.name, "hostwarp", 8) == 0;
}
#define CHECK_TODO(rule, condition)                                                                     \
    do {                                                                                                \
        int holds_ = (condition) != 0, here_ = check_on_hostwarp();                                     \
        check_line(holds_ != here_, here_ ? rule " (a known gap; passing means: remove the mark)" : rule, __FILE__, __LINE__); \
    } while (0)

/* Set-up that must work for the rest to mean anything. */
#define NEED(call)                                                                          \
    do {                                                                                    \
        cudaError_t got_ = (call);                                                          \
        if (got_ != cudaSuccess) {                                                          \
            printf("not ok %s: %s (%s:%d)\n", #call, cudaGetErrorName(got_), __FILE__, __LINE__); \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

#endif
