// SPDX-License-Identifier: Apache-2.0
// Devices: choosing, asking, resetting; programs go on after a reset.
#include "runtime_check.h"
#include <string.h>
#include <thread>

__device__ int counter = 5;
__global__ void count(int *out) { *out = atomicAdd(&counter, 1); }

int main()
{
    int n = 0, device = 99, value = 0, *d, got = 0;
    cudaDeviceProp p;

    CHECK_OK("devices_can_be_counted", cudaGetDeviceCount(&n));
    CHECK("there_is_at_least_one", n >= 1);
    CHECK("the_first_is_the_default", cudaGetDevice(&device) == cudaSuccess && device == 0);
    CHECK_ERR("there_is_no_such_device", cudaSetDevice(n), cudaErrorInvalidDevice);
    CHECK_OK("a_device_can_be_chosen", cudaSetDevice(n - 1));
    CHECK("and_stays_chosen", cudaGetDevice(&device) == cudaSuccess && device == n - 1);
    std::thread([] {
        int other = 99;
        CHECK("a_choice_is_per_thread", cudaGetDevice(&other) == cudaSuccess && other == 0);
    }).join();
    NEED(cudaSetDevice(0));

    memset(&p, 0x55, sizeof p);
    CHECK_OK("devices_have_properties", cudaGetDeviceProperties(&p, 0));
    CHECK("a_name", p.name[0] != 0 && strlen(p.name) < sizeof p.name);
    CHECK("a_warp_of_32", p.warpSize == 32);
    CHECK("memory", p.totalGlobalMem > 0);
    CHECK_ERR("others_have_not", cudaGetDeviceProperties(&p, n), cudaErrorInvalidDevice);
    NEED(cudaGetDeviceProperties(&p, 0));
    static const struct { const char *rule; cudaDeviceAttr attr; int want; } cases[] = {
        {"threads_per_block_agree", cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {"capability_agrees", cudaDevAttrComputeCapabilityMajor, p.major},
        {"multiprocessors_agree", cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {"shared_memory_agrees", cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)p.sharedMemPerBlockOptin},
        {"mapping_agrees", cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
        {"grid_width_agrees", cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
    };
    for (auto &c : cases)
        CHECK(c.rule, cudaDeviceGetAttribute(&value, c.attr, 0) == cudaSuccess && value == c.want);

    size_t limit = 0;
    CHECK("limits_can_be_set", cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4 << 20) == cudaSuccess &&
                                   cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize) == cudaSuccess && limit >= 4 << 20);

    NEED(cudaMalloc(&d, 4));
    count<<<1, 1>>>(d);
    count<<<1, 1>>>(d);
    NEED(cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost));
    CHECK("variables_keep_their_values", got == 6);
    CHECK_OK("a_device_can_be_reset", cudaDeviceReset());
    NEED(cudaMalloc(&d, 4));
    count<<<1, 1>>>(d);
    CHECK_OK("kernels_launch_after_a_reset", cudaGetLastError());
    NEED(cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost));
    CHECK("variables_start_anew_after_a_reset", got == 5);
    std::thread([] { CHECK_OK("other_threads_go_on_after_a_reset", cudaDeviceSynchronize()); }).join();
    return check_failures != 0;
}
