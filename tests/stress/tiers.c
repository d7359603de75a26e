/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large kernels begin with code that is made quickly and go on with better code. Threads load such kernels, launch them while their code is exchanged, and
 * unload them before it is: every result is what the program says. At the end the process ends while some are still being compiled.
 */
#include "base/str.h"
#include "driver/api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LANES = 96, BLOCKS = 4, STEPS = 40, THREADS = 3, MODULES = 3, LAUNCHES = 4, LEFT_BEHIND = 2 };

static CUcontext ctx;
static _Atomic int failures;

static void must(CUresult rc, const char *what)
{
    if (rc) {
        printf("# %s answers %d\n", what, (int)rc);
        atomic_fetch_add(&failures, 1);
    }
}
#define MUST(call) must((call), #call)

static uint32_t number(uint32_t salt, uint32_t step) { return (salt * 77 + step) * 2654435761u >> 8; }

/* Half of the steps on either side of a barrier, where each thread takes its neighbour's number. */
static void steps(struct hw_str *s, uint32_t salt, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        hw_str_printf(s,
                      "mad.lo.u32 %%r1, %%r1, %u, %u;\nshr.u32 %%r3, %%r1, 7;\nxor.b32 %%r1, %%r1, %%r3;\nand.b32 %%r3, %%r1, 3;\n"
                      "setp.gt.u32 %%p, %%r3, 1;\n@%%p bra E%u;\nadd.u32 %%r1, %%r1, %u;\nbra L%u;\nE%u:\nxor.b32 %%r1, %%r1, %%r2;\nL%u:\n",
                      number(salt, i) | 1, i, i, number(salt, i + STEPS), i, i, i);
}

static char *source(uint32_t salt)
{
    struct hw_str s = { 0 };
    hw_str_puts(&s, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %p;\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n"
                    ".shared .align 4 .b8 place[512];\nld.param.u64 %rd1, [out];\nmov.u32 %r2, %tid.x;\nmov.u32 %r4, %ctaid.x;\n");
    hw_str_printf(&s, "mad.lo.u32 %%r1, %%r4, %d, %%r2;\nmul.wide.u32 %%rd2, %%r1, 4;\nadd.u64 %%rd1, %%rd1, %%rd2;\n", LANES);
    steps(&s, salt, 0, STEPS / 2);
    hw_str_printf(&s, "mov.u32 %%r5, place;\nmad.lo.u32 %%r3, %%r2, 4, %%r5;\nst.shared.u32 [%%r3], %%r1;\nbar.sync 0;\nadd.u32 %%r3, %%r2, 1;\nrem.u32 %%r3, %%r3, %d;\n"
                      "mad.lo.u32 %%r3, %%r3, 4, %%r5;\nld.shared.u32 %%r1, [%%r3];\n", LANES);
    steps(&s, salt, STEPS / 2, STEPS);
    hw_str_puts(&s, "st.global.u32 [%rd1], %r1;\nret;\n}\n");
    return s.s;
}

static uint32_t run_steps(uint32_t x, uint32_t lane, uint32_t salt, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        x = x * (number(salt, i) | 1) + i;
        x ^= x >> 7;
        x = (x & 3) > 1 ? x ^ lane : x + number(salt, i + STEPS);
    }
    return x;
}

static uint32_t expected(uint32_t block, uint32_t lane, uint32_t salt)
{
    uint32_t next = (lane + 1) % LANES;
    return run_steps(run_steps(block * LANES + next, next, salt, 0, STEPS / 2), lane, salt, STEPS / 2, STEPS);
}

static void launch_and_compare(CUfunction f, CUdeviceptr out, uint32_t salt)
{
    uint32_t got[BLOCKS * LANES];
    void *params[] = { &out };
    MUST(cuMemsetD32_v2(out, 0, BLOCKS * LANES));
    MUST(cuLaunchKernel(f, BLOCKS, 1, 1, LANES, 1, 1, 0, NULL, params, NULL));
    MUST(cuMemcpyDtoH_v2(got, out, sizeof got));
    for (uint32_t i = 0; i < BLOCKS * LANES; i++)
        if (got[i] != expected(i / LANES, i % LANES, salt)) {
            printf("# kernel %u: thread %u has %u\n", salt, i, got[i]);
            atomic_fetch_add(&failures, 1);
            return;
        }
}

static CUmodule load(uint32_t salt, CUfunction *f)
{
    CUmodule m = NULL;
    char *text = source(salt);
    MUST(cuModuleLoadData(&m, text));
    MUST(cuModuleGetFunction(f, m, "k"));
    hw_free(text);
    return m;
}

static void *load_and_unload(void *arg)
{
    uint32_t id = (uint32_t)(uintptr_t)arg;
    CUdeviceptr out = 0;
    MUST(cuCtxSetCurrent(ctx));
    MUST(cuMemAlloc_v2(&out, BLOCKS * LANES * 4));
    for (uint32_t k = 0; k < MODULES; k++) {
        uint32_t salt = k == 0 ? 1 : id * MODULES + k + 1;       /* the first is the same for all threads */
        CUfunction f;
        CUmodule m = load(salt, &f);
        for (int i = 0; i < (k % 2 ? 1 : LAUNCHES); i++)         /* every other one is gone before its best code is there */
            launch_and_compare(f, out, salt);
        MUST(cuModuleUnload(m));
    }
    MUST(cuMemFree_v2(out));
    return NULL;
}

/* Longer than it takes to make the best code of one kernel. */
static void launch_for_a_while(void)
{
    time_t end = time(NULL) + 3;
    CUdeviceptr out = 0;
    CUfunction f;
    CUmodule m = load(100, &f);
    MUST(cuMemAlloc_v2(&out, BLOCKS * LANES * 4));
    while (time(NULL) < end)
        launch_and_compare(f, out, 100);
    MUST(cuMemFree_v2(out));
    MUST(cuModuleUnload(m));
}

static void leave_some(void)
{
    CUdeviceptr out = 0;
    MUST(cuMemAlloc_v2(&out, BLOCKS * LANES * 4));
    for (uint32_t k = 0; k < LEFT_BEHIND; k++) {
        CUfunction f;
        load(200 + k, &f);
        launch_and_compare(f, out, 200 + k);
    }
}

int main(void)
{
    pthread_t threads[THREADS];
    CUdevice dev;
    setenv("HOSTWARP_CACHE", "off", 1);
    MUST(cuInit(0));
    MUST(cuDeviceGet(&dev, 0));
    MUST(cuDevicePrimaryCtxRetain(&ctx, dev));
    MUST(cuCtxSetCurrent(ctx));
    for (uintptr_t k = 0; k < THREADS; k++)
        pthread_create(&threads[k], NULL, load_and_unload, (void *)k);
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    launch_for_a_while();
    leave_some();
    printf("%s results are the same while code is exchanged and modules go\n", failures ? "not ok" : "ok");
    return failures != 0;
}
