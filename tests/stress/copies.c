/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small copies take no lock where nothing has to be waited for. Threads that queue work in streams of their own and copy its results
 * in the default stream find them there; and memory that is given a file for other processes, while threads copy into it,
 * loses none of what they write.
 */
#include "driver/api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 3, WORDS = 1024, ROUNDS = 400, SHARED_ROUNDS = 20, COPIES = 8, SHARED_BYTES = 4 << 20 };

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

static int all_are(const uint32_t *v, uint32_t value)
{
    for (int i = 0; i < WORDS; i++)
        if (v[i] != value)
            return 0;
    return 1;
}

static int check(int good, const char *rule)
{
    printf("%s %s\n", good ? "ok" : "not ok", rule);
    return !good;
}

/* --- order --- */

static void *queue_and_copy(void *arg)
{
    uint32_t in[WORDS], out[WORDS], salt = (uint32_t)(uintptr_t)arg << 16;
    CUdeviceptr p = 0, q = 0;
    CUstream s = NULL;
    int wrong = 0;
    MUST(cuCtxSetCurrent(ctx));
    MUST(cuMemAlloc_v2(&p, sizeof in));
    MUST(cuMemAlloc_v2(&q, sizeof in));
    MUST(cuStreamCreate(&s, CU_STREAM_DEFAULT));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        MUST(cuMemsetD32Async(p, salt + i, WORDS, s));
        MUST(cuMemcpyDtoH_v2(out, p, sizeof out));               /* waits for the blocking stream */
        wrong += !all_are(out, salt + i);
        for (int k = 0; k < WORDS; k++)
            in[k] = salt + i + 1;
        MUST(cuMemcpyHtoD_v2(p, in, sizeof in));
        MUST(cuMemcpyDtoD_v2(q, p, sizeof in));
        MUST(cuMemcpyDtoHAsync_v2(out, q, sizeof out, s));       /* comes after both */
        MUST(cuStreamSynchronize(s));
        wrong += !all_are(out, salt + i + 1);
    }
    MUST(cuStreamDestroy_v2(s));
    MUST(cuMemFree_v2(p));
    MUST(cuMemFree_v2(q));
    atomic_fetch_add(&failures, wrong);
    return NULL;
}

/* --- memory that moves --- */

static _Atomic uint64_t target;                  /* where to copy to; 1: end */
static _Atomic uint32_t copies[THREADS];
static _Atomic uint64_t working[THREADS];        /* the target that a thread uses */

static void *copy_into(void *arg)
{
    uint32_t me = (uint32_t)(uintptr_t)arg, in[WORDS], out[WORDS], value = 0;
    MUST(cuCtxSetCurrent(ctx));
    for (uint64_t p; (p = target) != 1;) {
        working[me] = p;
        if (!p || target != p)
            continue;
        p += me * sizeof in;
        value++;
        for (int k = 0; k < WORDS; k++)
            in[k] = value;
        MUST(cuMemcpyHtoD_v2(p, in, sizeof in));
        MUST(cuMemcpyDtoH_v2(out, p, sizeof out));
        if (!all_are(out, value))
            atomic_fetch_add(&failures, 1);
        copies[me]++;
    }
    return NULL;
}

static void let_them_copy(void)
{
    for (int t = 0; t < THREADS; t++)
        for (uint32_t until = copies[t] + COPIES; (int32_t)(copies[t] - until) < 0;)
            sched_yield();
}

static void share_while_they_copy(void)
{
    for (int i = 0; i < SHARED_ROUNDS; i++) {
        CUipcMemHandle handle;
        CUdeviceptr p = 0;
        MUST(cuMemAlloc_v2(&p, SHARED_BYTES));
        target = p;
        let_them_copy();
        MUST(cuIpcGetMemHandle(&handle, p));
        let_them_copy();
        target = 0;
        for (int t = 0; t < THREADS; t++)
            while (working[t] == p)
                sched_yield();
        MUST(cuMemFree_v2(p));
    }
    target = 1;
}

static void on_threads(void *(*fn)(void *), void (*meanwhile)(void))
{
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, fn, (void *)(uintptr_t)t))
            atomic_fetch_add(&failures, 1);
    if (meanwhile)
        meanwhile();
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
}

int main(void)
{
    int bad = 0;
    setenv("HOSTWARP_MEMORY", "256M", 1);
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&ctx, 0) || cuCtxSetCurrent(ctx))
        return 2;
    on_threads(queue_and_copy, NULL);
    bad += check(failures == 0, "copies_wait_for_what_came_before");
    failures = 0;
    on_threads(copy_into, share_while_they_copy);
    bad += check(failures == 0, "memory_that_becomes_shared_loses_nothing");
    return bad != 0;
}
