/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that are refused in many threads at once: what is kept of them for the end of the program is kept once, also where the last place is
 * taken meanwhile. The sanitizers tell what gets lost.
 */
#include <cuda.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 8, PLACES = 24, ROUNDS = 4 };   /* more places in the program than are kept */

static _Atomic unsigned there, n_wrong;

/* All of them go on in the same moment. */
static void meet(unsigned *times)
{
    atomic_fetch_add(&there, 1);
    for (++*times; atomic_load(&there) < *times * THREADS;) {}
}

#define PLACE meet(&times); n_wrong += cuMemFree(8) != CUDA_ERROR_INVALID_VALUE;
#define FOUR PLACE PLACE PLACE PLACE
#define PLACES_24 FOUR FOUR FOUR FOUR FOUR FOUR

static void *work(void *unused)
{
    unsigned times = 0;
    (void)unused;
    for (unsigned k = 0; k < ROUNDS; k++) {
        PLACES_24
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    CUcontext context;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) {
        printf("not ok - no context\n");
        return 1;
    }
    for (unsigned k = 0; k < THREADS; k++)
        if (pthread_create(&threads[k], NULL, work, NULL))
            return 1;
    for (unsigned k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    cuDevicePrimaryCtxRelease(0);
    printf("%s - %u places, %u threads, %u times\n", n_wrong ? "not ok" : "ok", PLACES, THREADS, ROUNDS);
    return n_wrong != 0;
}
