// SPDX-License-Identifier: Apache-2.0
// The last error: who sets it, who clears it, whose it is.
#include "runtime_check.h"
#include <string.h>
#include <thread>

__global__ void wait_for(volatile int *flag) { while (*flag == 0) { } }
__global__ void nothing() {}

int main()
{
    void *p = NULL;
    int *flag, *dflag;

    CHECK("a_fresh_thread_has_no_error", cudaPeekAtLastError() == cudaSuccess);
    CHECK("a_failing_call_answers_its_error", cudaMalloc((void **)NULL, 16) == cudaErrorInvalidValue);
    CHECK("success_does_not_clear_the_last_error", cudaMalloc(&p, 16) == cudaSuccess && cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK("peek_does_not_clear", cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK("get_answers_and_clears", cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);

    cudaSetDevice(-1);
    cudaMemcpy(p, p, 1, (enum cudaMemcpyKind)99);
    CHECK("the_newest_error_wins", cudaGetLastError() == cudaErrorInvalidMemcpyDirection);

    cudaSetDevice(-1);
    std::thread([] { CHECK("errors_are_per_thread", cudaPeekAtLastError() == cudaSuccess); cudaFree((void *)64); }).join();
    CHECK("another_threads_error_is_not_ours", cudaGetLastError() == cudaErrorInvalidDevice);

    nothing<<<1, 4096>>>();
    cudaError_t bad_shape = cudaGetLastError();
    CHECK("a_bad_launch_shows_as_last_error", bad_shape == cudaErrorInvalidConfiguration || bad_shape == cudaErrorInvalidValue);
    nothing<<<1, 1>>>();
    CHECK("a_bad_launch_breaks_nothing", cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess);

    NEED(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped));
    NEED(cudaHostGetDevicePointer((void **)&dflag, flag, 0));
    *(volatile int *)flag = 0;
    wait_for<<<1, 1>>>(dflag);
    CHECK("a_busy_stream_is_not_ready", cudaStreamQuery(0) == cudaErrorNotReady);
    CHECK("not_ready_is_not_an_error_to_remember", cudaPeekAtLastError() == cudaSuccess);
    *(volatile int *)flag = 1;
    NEED(cudaDeviceSynchronize());

    CHECK("names_are_the_enumerators", !strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
    CHECK("texts_are_readable", !strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    CHECK("unknown_codes_have_a_name_too", !strcmp(cudaGetErrorName((cudaError_t)4242), "unrecognized error code"));
    return check_failures != 0;
}
