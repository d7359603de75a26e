/* SPDX-License-Identifier: Apache-2.0 */
/* A translation unit that asked for the per-thread default stream: stream 0 is the thread's own. */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "driver_check.h"

#include <pthread.h>
#include <time.h>

static CUcontext ctx;
static CUresult here = CUDA_ERROR_UNKNOWN, legacy = CUDA_ERROR_UNKNOWN, mine = CUDA_ERROR_UNKNOWN;

static void sleeper(void *data)
{
    struct timespec t = {0, 300 * 1000000L};

    (void)data;
    nanosleep(&t, NULL);
}

static void *other_thread(void *data)
{
    (void)data;
    cuCtxSetCurrent(ctx);
    here = cuStreamQuery(NULL);
    legacy = cuStreamQuery(CU_STREAM_LEGACY);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    unsigned flags = 9;
    void *found = NULL;

    ctx = check_start();
    NEED(cuLaunchHostFunc(NULL, sleeper, NULL));
    mine = cuStreamQuery(NULL);
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    check_result("stream 0 of this thread is busy", mine, CUDA_ERROR_NOT_READY);
    check_result("it is the stream called per-thread", cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
    check_result("stream 0 of another thread is another stream", here, CUDA_SUCCESS);
    check_result("the legacy stream waits for it", legacy, CUDA_ERROR_NOT_READY);
    check_result("waiting", cuStreamSynchronize(NULL), CUDA_SUCCESS);
    check_result("it has flags", cuStreamGetFlags(NULL, &flags), CUDA_SUCCESS);
    check_value("of a blocking stream", flags, 0);
    NEED(cuGetProcAddress("cuStreamQuery", &found, 12000, 0, NULL));
    check_true("lookups find the per-thread function", found == (void *)cuStreamQuery);
    return n_failed != 0;
}
