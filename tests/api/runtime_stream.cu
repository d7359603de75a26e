// SPDX-License-Identifier: Apache-2.0
// Streams, events, callbacks: what waits for what.
#include "runtime_check.h"
#include <atomic>
#include <unistd.h>

__global__ void wait_for(volatile int *flag) { while (*flag == 0) { } }
__global__ void set(int *p, int v) { *p = v; }
__global__ void append(int *log, int *n, int v) { log[atomicAdd(n, 1)] = v; }

static int *flag, *dflag;

static std::atomic<int> calls;
static cudaError_t status_seen, inside;
static void CUDART_CB on_done(cudaStream_t, cudaError_t status, void *data)
{
    status_seen = status;
    *(int *)data = ++calls;
}
static void CUDART_CB calls_cuda(void *)
{
    void *p;
    inside = cudaMalloc(&p, 16);
}

static void order(void)
{
    cudaStream_t a, b;
    cudaEvent_t e;
    int *log, *n, got[4] = {0, 0, 0, 0};
    NEED(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    NEED(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    NEED(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    NEED(cudaMalloc(&log, 16));
    NEED(cudaMalloc(&n, 4));
    NEED(cudaMemset(n, 0, 4));
    NEED(cudaDeviceSynchronize());
    *(volatile int *)flag = 0;
    wait_for<<<1, 1, 0, a>>>(dflag);
    append<<<1, 1, 0, a>>>(log, n, 1);
    NEED(cudaEventRecord(e, a));
    NEED(cudaStreamWaitEvent(b, e, 0));
    append<<<1, 1, 0, b>>>(log, n, 2);
    CHECK("work_behind_an_event_waits", cudaStreamQuery(b) == cudaErrorNotReady && cudaEventQuery(e) == cudaErrorNotReady);
    *(volatile int *)flag = 1;
    NEED(cudaStreamSynchronize(b));
    CHECK("what_waited_for_an_event_ran_after_it", cudaEventQuery(e) == cudaSuccess);
    NEED(cudaMemcpy(got, log, 8, cudaMemcpyDeviceToHost));
    CHECK("in_that_order", got[0] == 1 && got[1] == 2);

    *(volatile int *)flag = 0;
    wait_for<<<1, 1, 0, a>>>(dflag);
    set<<<1, 1, 0, a>>>(log, 77);
    CHECK_OK("a_busy_stream_can_be_destroyed", cudaStreamDestroy(a));
    *(volatile int *)flag = 1;
    NEED(cudaDeviceSynchronize());
    NEED(cudaMemcpy(got, log, 4, cudaMemcpyDeviceToHost));
    CHECK("and_its_work_is_still_done", got[0] == 77);
    CHECK_ERR("the_default_stream_cannot_be_destroyed", cudaStreamDestroy(0), cudaErrorInvalidResourceHandle);
    NEED(cudaStreamDestroy(b));
    NEED(cudaEventDestroy(e));
    NEED(cudaFree(log));
    NEED(cudaFree(n));
}

static void events(void)
{
    cudaEvent_t start, stop, plain;
    float ms = -1;
    NEED(cudaEventCreate(&start));
    NEED(cudaEventCreate(&stop));
    NEED(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    CHECK_OK("an_event_that_was_never_recorded_is_complete", cudaEventQuery(start));
    CHECK_ERR("but_has_no_time", cudaEventElapsedTime(&ms, start, stop), cudaErrorInvalidResourceHandle);
    NEED(cudaEventRecord(start));
    *(volatile int *)flag = 0;
    wait_for<<<1, 1>>>(dflag);
    NEED(cudaEventRecord(stop));
    CHECK_ERR("no_time_before_both_are_done", cudaEventElapsedTime(&ms, start, stop), cudaErrorNotReady);
    usleep(30000);
    *(volatile int *)flag = 1;
    NEED(cudaEventSynchronize(stop));
    NEED(cudaEventElapsedTime(&ms, start, stop));
    CHECK("time_is_in_milliseconds", ms >= 25 && ms < 20000);
    NEED(cudaEventRecord(plain));
    NEED(cudaEventSynchronize(plain));
    CHECK_ERR("an_event_without_timing_has_no_time", cudaEventElapsedTime(&ms, start, plain), cudaErrorInvalidResourceHandle);
    NEED(cudaEventDestroy(start));
    NEED(cudaEventDestroy(stop));
    NEED(cudaEventDestroy(plain));
}

static void callbacks(void)
{
    cudaStream_t s;
    int first = 0, second = 0;
    NEED(cudaStreamCreate(&s));
    *(volatile int *)flag = 0;
    wait_for<<<1, 1, 0, s>>>(dflag);
    NEED(cudaStreamAddCallback(s, on_done, &first, 0));
    NEED(cudaStreamAddCallback(s, on_done, &second, 0));
    usleep(20000);
    CHECK("a_callback_waits_for_the_work_before_it", calls == 0);
    *(volatile int *)flag = 1;
    NEED(cudaStreamSynchronize(s));
    CHECK("callbacks_run_in_order_and_before_the_stream_is_done", first == 1 && second == 2);
    CHECK("a_callback_sees_the_streams_status", status_seen == cudaSuccess);
    NEED(cudaLaunchHostFunc(s, calls_cuda, NULL));
    NEED(cudaStreamSynchronize(s));
    CHECK("a_host_function_may_not_call_cuda", inside == cudaErrorNotPermitted);
    CHECK_ERR("no_callback_without_a_function", cudaStreamAddCallback(s, NULL, NULL, 0), cudaErrorInvalidValue);
    NEED(cudaStreamDestroy(s));
}

static void priorities(void)
{
    int least = 99, greatest = 99, got = 99;
    unsigned flags = 99;
    cudaStream_t s;
    NEED(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK("a_lower_number_is_a_higher_priority", least >= greatest && least == 0);
    NEED(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest - 1000));
    CHECK("priorities_are_clamped", cudaStreamGetPriority(s, &got) == cudaSuccess && got == greatest);
    CHECK("flags_are_remembered", cudaStreamGetFlags(s, &flags) == cudaSuccess && flags == cudaStreamNonBlocking);
    NEED(cudaStreamDestroy(s));
    CHECK_ERR("flags_are_checked", cudaStreamCreateWithFlags(&s, 77), cudaErrorInvalidValue);
}

int main()
{
    NEED(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    NEED(cudaHostGetDevicePointer(&dflag, flag, 0));
    order();
    events();
    callbacks();
    priorities();
    return check_failures != 0;
}
