/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules that are all different are loaded, run and unloaded, one after the other and by several threads, some while their kernels still
 * run: what they took is given back, code and all. Threads that load the same module share its code.
 *
 * usage: modules [--modules N]
 */
#define _GNU_SOURCE
#include "driver/api.h"

#include "base/str.h"

#include <cuda.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3, WARM = 20 };
static CUcontext ctx;
static _Atomic int next_module, bad;
static int n_modules = 400;

static char *ptx_of(int number)
{
    return hw_sprintf(".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .u32 variable = %d;\n"
                      ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<3>;\n.reg .b64 %%d<2>;\n"
                      "ld.param.u64 %%d1, [p];\nmov.u32 %%r1, %d;\nld.global.u32 %%r2, [variable];\nadd.u32 %%r1, %%r1, %%r2;\nst.global.u32 [%%d1], %%r1;\nret;\n}\n",
                      number, number * 3);
}

/* Loads module `number`, has it write, and unloads it before or after that is over. */
static void use(int number, CUdeviceptr p, bool wait)
{
    CUmodule m;
    CUfunction f;
    char *ptx = ptx_of(number);
    unsigned got = 0;
    void *args[] = {&p};
    if (cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&f, m, "k") || cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, args, NULL))
        bad++;
    if (wait && cuStreamSynchronize(CU_STREAM_PER_THREAD))
        bad++;
    if (cuModuleUnload(m) || cuStreamSynchronize(CU_STREAM_PER_THREAD) || cuMemcpyDtoH_v2(&got, p, sizeof got) || got != (unsigned)number * 4)
        bad++;
    hw_free(ptx);
}

static void *work(void *unused)
{
    CUdeviceptr p;
    (void)unused;
    if (cuCtxSetCurrent(ctx) || cuMemAlloc_v2(&p, 4))
        bad++;
    for (int k; !bad && (k = atomic_fetch_add(&next_module, 1)) < n_modules;) {
        use(k, p, k % 2);
        use(7, p, k % 3);                        /* everybody's */
    }
    if (cuMemFree_v2(p))
        bad++;
    return NULL;
}

/* Pieces of memory with code in them that belongs to no file. */
static int code_pieces(void)
{
    char line[512];
    int n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) {
        char mode[5] = "", path[256] = "";
        sscanf(line, "%*s %4s %*s %*s %*s %255s", mode, path);
        n += mode[2] == 'x' && !path[0];
    }
    if (f)
        fclose(f);
    return n;
}

static void run_up_to(int n)
{
    pthread_t threads[THREADS];
    n_modules = n;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    malloc_trim(0);
}

int main(int argc, char **argv)
{
    int all = argc > 2 && strcmp(argv[1], "--modules") == 0 ? atoi(argv[2]) : n_modules;
    setenv("HOSTWARP_CACHE", "off", 1);
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&ctx, 0) || cuCtxSetCurrent(ctx))
        return 2;
    run_up_to(WARM);
    int before = code_pieces();
    size_t used_before = mallinfo2().uordblks;
    run_up_to(all);
    int after = code_pieces();
    long long grown = (long long)mallinfo2().uordblks - (long long)used_before;
    bool good = !bad && after <= before && grown < 200ll * (all - WARM) + (256 << 10);
    printf("%s modules: %d, after which there are %d more pieces of code, and %lld bytes more in use%s\n", good ? "ok" : "not ok", all, after - before, grown,
           bad ? "; some did not work" : "");
    return !good;
}
