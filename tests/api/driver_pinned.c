/* SPDX-License-Identifier: Apache-2.0 */
/* Page-locked memory is locked and resident while it lives, and let go afterwards. Where the system forbids locking, it is skipped. */
#define _GNU_SOURCE
#include "driver_check.h"
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

static long locked_kb(void)
{
    char line[256];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmLck: %ld", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

static int resident(void *p, size_t bytes)
{
    static unsigned char state[1 << 16];

    if (mincore(p, bytes, state))
        return 0;
    for (size_t i = 0; i < bytes / 4096; i++)
        if (!(state[i] & 1))
            return 0;
    return 1;
}

int main(void)
{
    const size_t bytes = 4 << 20;
    struct rlimit limit;
    CUcontext ctx;
    void *p, *mine;
    long before;

    if (cuInit(0) || cuDevicePrimaryCtxRetain(&ctx, 0) || cuCtxSetCurrent(ctx))
        return 1;
    before = locked_kb();
    check_result("allocate", cuMemHostAlloc(&p, bytes, 0), CUDA_SUCCESS);
    check_true("all of it is in memory", resident(p, bytes));
    if (locked_kb() == before && !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur < before * 1024 + 2 * bytes)
        return n_failed ? 1 : 77;                /* the system does not let us */
    check_true("and locked there", locked_kb() >= before + (long)(bytes >> 10));
    check_result("free", cuMemFreeHost(p), CUDA_SUCCESS);
    check_value("then nothing of it is locked", locked_kb(), before);

    if (posix_memalign(&mine, 4096, bytes))
        return 1;
    check_result("register", cuMemHostRegister(mine, bytes, 0), CUDA_SUCCESS);
    check_true("locks the program's own pages", locked_kb() >= before + (long)(bytes >> 10));
    check_result("unregister", cuMemHostUnregister(mine), CUDA_SUCCESS);
    check_value("unlocks them", locked_kb(), before);
    free(mine);
    return n_failed != 0;
}
