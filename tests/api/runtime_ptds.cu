// SPDX-License-Identifier: Apache-2.0
// run: --default-stream per-thread
// Compiled for per-thread default streams: stream 0 is the calling thread's own.
#include "runtime_check.h"
#include <thread>

__global__ void wait_for(volatile int *flag) { while (*flag == 0) { } }
__global__ void set(int *p, int v) { *p = v; }

int main()
{
    int *flag, *dflag, *d, got = 0;
    NEED(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    NEED(cudaHostGetDevicePointer(&dflag, flag, 0));
    NEED(cudaMalloc(&d, sizeof *d));
    set<<<1, 1>>>(d, 1);
    NEED(cudaStreamSynchronize(0));

    *(volatile int *)flag = 0;
    wait_for<<<1, 1>>>(dflag);
    CHECK("our_own_default_stream_is_busy", cudaStreamQuery(0) == cudaErrorNotReady && cudaStreamQuery(cudaStreamPerThread) == cudaErrorNotReady);
    std::thread([&] {
        CHECK("another_threads_default_stream_is_not", cudaStreamQuery(0) == cudaSuccess);
        set<<<1, 1>>>(d, 42);
        cudaError_t rc = cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost);
        CHECK("it_works_beside_ours", rc == cudaSuccess && got == 42);
    }).join();
    CHECK("while_ours_is_still_busy", cudaStreamQuery(0) == cudaErrorNotReady);
    *(volatile int *)flag = 1;
    CHECK_OK("until_it_is_done", cudaStreamSynchronize(0));
    return check_failures != 0;
}
