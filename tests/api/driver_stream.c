/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events: questions, waiting, order, callbacks. A host function that sleeps stands for long work. */
#include "driver_check.h"

#include <pthread.h>
#include <time.h>

static int order[64], n_order, status_seen = -1, inside_callback = -1, inside_function = -1, elsewhere;
static pthread_t main_thread;

static void nap(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&t, NULL);
}

static void sleeper(void *data)
{
    (void)data;
    nap(200);
}

static void note(void *data) { order[n_order++] = (int)(size_t)data; }

static void callback(CUstream s, CUresult status, void *data)
{
    (void)s;
    status_seen = (int)status;
    elsewhere = !pthread_equal(main_thread, pthread_self());
    note(data);
}

static void calls_inside(void *data)
{
    CUdeviceptr p;

    (void)data;
    inside_function = (int)cuMemAlloc(&p, 16);
}

static void callback_calls(CUstream s, CUresult status, void *data)
{
    (void)s, (void)status, (void)data;
    inside_callback = (int)cuCtxSynchronize();
}

static void life(void)
{
    CUstream s;
    unsigned flags = 9;
    int priority = 9, least, greatest;
    CUcontext ctx, of;

    check_result("a stream is made", cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    cuStreamGetFlags(s, &flags);
    check_value("it knows its flags", flags, CU_STREAM_NON_BLOCKING);
    cuStreamGetPriority(s, &priority);
    check_value("and its priority", priority, 0);
    cuStreamGetCtx(s, &of);
    cuCtxGetCurrent(&ctx);
    check_true("and its context", of == ctx);
    check_result("an idle stream is ready", cuStreamQuery(s), CUDA_SUCCESS);
    check_result("it is destroyed", cuStreamDestroy(s), CUDA_SUCCESS);
    check_result("unknown flags", cuStreamCreate(&s, 77), CUDA_ERROR_INVALID_VALUE);
    check_result("no place for the handle", cuStreamCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result("the default stream is not destroyed", cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result("nor by its name", cuStreamDestroy(CU_STREAM_LEGACY), CUDA_ERROR_INVALID_HANDLE);
    check_result("nor the thread's", cuStreamDestroy(CU_STREAM_PER_THREAD), CUDA_ERROR_INVALID_HANDLE);
    NEED(cuCtxGetStreamPriorityRange(&least, &greatest));
    NEED(cuStreamCreateWithPriority(&s, 0, -1000));
    cuStreamGetPriority(s, &priority);
    check_value("priorities are brought into the range", priority, greatest);
    NEED(cuStreamDestroy(s));
}

static void waiting(void)
{
    CUstream busy, other, plain;
    CUevent e, never, untimed;
    float ms = -1;

    NEED(cuStreamCreate(&busy, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamCreate(&plain, 0));
    NEED(cuEventCreate(&e, 0));
    NEED(cuEventCreate(&never, 0));
    NEED(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    check_result("an event that was never recorded has passed", cuEventQuery(never), CUDA_SUCCESS);
    check_result("waiting for it ends at once", cuEventSynchronize(never), CUDA_SUCCESS);
    check_result("but it has no time", cuEventElapsedTime(&ms, never, never), CUDA_ERROR_INVALID_HANDLE);
    NEED(cuLaunchHostFunc(busy, sleeper, NULL));
    check_result("a busy stream is not ready", cuStreamQuery(busy), CUDA_ERROR_NOT_READY);
    check_result("an idle one beside it is", cuStreamQuery(other), CUDA_SUCCESS);
    check_result("nor does a non-blocking one hold up the default stream", cuStreamQuery(NULL), CUDA_SUCCESS);
    NEED(cuEventRecord(e, busy));
    check_result("an event behind work has not passed", cuEventQuery(e), CUDA_ERROR_NOT_READY);
    check_result("and has no time yet", cuEventElapsedTime(&ms, e, e), CUDA_ERROR_NOT_READY);
    check_result("a stream may wait for it", cuStreamWaitEvent(other, e, 0), CUDA_SUCCESS);
    NEED(cuLaunchHostFunc(other, note, NULL));
    check_result("then it is not ready either", cuStreamQuery(other), CUDA_ERROR_NOT_READY);
    check_result("an event is destroyed under way", cuEventDestroy(never), CUDA_SUCCESS);
    check_result("waiting for the event", cuEventSynchronize(e), CUDA_SUCCESS);
    check_result("it has passed", cuEventQuery(e), CUDA_SUCCESS);
    NEED(cuCtxSynchronize());
    check_result("all is done", cuStreamQuery(other), CUDA_SUCCESS);

    CUevent start, end;
    NEED(cuEventCreate(&start, 0));
    NEED(cuEventCreate(&end, 0));
    NEED(cuEventRecord(start, busy));
    NEED(cuLaunchHostFunc(busy, sleeper, NULL));
    NEED(cuEventRecord(end, busy));
    NEED(cuEventRecord(untimed, busy));
    NEED(cuStreamSynchronize(busy));
    check_result("the time between two events", cuEventElapsedTime(&ms, start, end), CUDA_SUCCESS);
    check_true("is that of the work between them", ms > 150 && ms < 5000);
    check_result("an event without timing has none", cuEventElapsedTime(&ms, start, untimed), CUDA_ERROR_INVALID_HANDLE);

    NEED(cuLaunchHostFunc(plain, sleeper, NULL));
    check_result("a blocking stream holds up the default stream", cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    check_result("a busy stream is destroyed", cuStreamDestroy(plain), CUDA_SUCCESS);
    check_result("and the default stream waits for its work", cuStreamSynchronize(NULL), CUDA_SUCCESS);
    check_result("unknown flags of an event", cuEventCreate(&e, 0x100), CUDA_ERROR_INVALID_VALUE);
    check_result("no event", cuEventRecord(NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void callbacks(void)
{
    CUstream s;
    int good;

    NEED(cuStreamCreate(&s, 0));
    n_order = 0;
    for (size_t i = 0; i < 16; i++) {
        if (i & 1)
            NEED(cuLaunchHostFunc(s, note, (void *)i));
        else
            NEED(cuStreamAddCallback(s, callback, (void *)i, 0));
    }
    NEED(cuStreamSynchronize(s));
    good = n_order == 16;
    for (int i = 0; i < n_order; i++)
        good &= order[i] == i;
    check_true("callbacks and host functions run in order", good);
    check_value("a callback is told that all is well", status_seen, CUDA_SUCCESS);
    check_true("on a thread of the driver", elsewhere);
    NEED(cuStreamAddCallback(s, callback_calls, NULL, 0));
    NEED(cuLaunchHostFunc(s, calls_inside, NULL));
    NEED(cuStreamSynchronize(s));
    check_result("a callback may not call in", (CUresult)inside_callback, CUDA_ERROR_NOT_PERMITTED);
    check_result("nor may a host function", (CUresult)inside_function, CUDA_ERROR_NOT_PERMITTED);
    check_result("there must be a callback", cuStreamAddCallback(s, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result("callbacks have no flags", cuStreamAddCallback(s, callback, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    check_result("there must be a host function", cuLaunchHostFunc(s, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    NEED(cuStreamDestroy(s));
}

int main(void)
{
    main_thread = pthread_self();
    check_start();
    life();
    waiting();
    callbacks();
    return n_failed != 0;
}
