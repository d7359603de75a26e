/* SPDX-License-Identifier: Apache-2.0 */
/* HOSTWARP_DRIVER: the level that the driver reports, and the functions that programs of that level are given. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int level_is(int expect)
{
    int version = 0;
    void *fn = NULL;
    CUdriverProcAddressQueryResult found;
    if (cuDriverGetVersion(&version) != CUDA_SUCCESS || version != expect)
        return printf("the version is %d, not %d\n", version, expect), 1;
    if (cuGetProcAddress("cuDeviceGetUuid", &fn, expect, 0, &found) != CUDA_SUCCESS || !fn || found != CU_GET_PROC_ADDRESS_SUCCESS)
        return printf("a function of the level is not given\n"), 1;
    if (cuGetProcAddress("cuDeviceGetUuid", &fn, expect + 10, 0, &found) != CUDA_ERROR_INVALID_VALUE)
        return printf("a newer level than the driver's was taken\n"), 1;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct { const char *text; int version; } levels[] = { { "", 13000 }, { "12.4", 12040 }, { "11.8", 11080 }, { "13.0", 13000 }, { "9.1", 13000 }, { "no", 13000 } };
    const size_t n = sizeof levels / sizeof *levels;
    size_t at = argc > 1 ? (size_t)atoi(argv[1]) : 0;
    const char *now = getenv("HOSTWARP_DRIVER");
    char next[8];
    if (argc > 1 && at < n && now && strcmp(now, levels[at].text) == 0) {
        if (level_is(levels[at].version))
            return 1;
        at++;
    }
    if (at >= n)
        return 0;
    setenv("HOSTWARP_DRIVER", levels[at].text, 1);           /* read when the library is loaded: the program begins again */
    snprintf(next, sizeof next, "%zu", at);
    execl(argv[0], argv[0], next, (char *)NULL);
    return 1;
}
