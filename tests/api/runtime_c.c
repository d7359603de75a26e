/* SPDX-License-Identifier: Apache-2.0 */
/* The headers and the runtime from plain C, with no device code. */
#include "runtime_check.h"
#include <cuda_profiler_api.h>
#include <string.h>

int main(void)
{
    struct cudaDeviceProp prop;
    cudaStream_t stream;
    cudaEvent_t event;
    char out[64], in[64];
    void *device = NULL, *host = NULL;
    dim3 shape = {1, 2, 3};
    float4 v = {1, 2, 3, 4};

    CHECK("vector_types_are_structs_in_c", shape.z == 3 && v.w == 4 && sizeof v == 16);
    CHECK_OK("properties", cudaGetDeviceProperties(&prop, 0));
    CHECK_OK("device_memory", cudaMalloc(&device, sizeof in));
    CHECK_OK("page_locked_memory", cudaMallocHost(&host, sizeof in));
    CHECK_OK("a_stream", cudaStreamCreate(&stream));
    CHECK_OK("an_event", cudaEventCreate(&event));
    memset(host, 0x5a, sizeof in);
    memset(in, 0x5a, sizeof in);
    CHECK_OK("there", cudaMemcpyAsync(device, host, sizeof in, cudaMemcpyHostToDevice, stream));
    CHECK_OK("mark", cudaEventRecord(event, stream));
    CHECK_OK("wait", cudaEventSynchronize(event));
    CHECK_OK("and_back", cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    CHECK("the_same_bytes", memcmp(in, out, sizeof in) == 0);
    CHECK_OK("profiling_can_be_started", cudaProfilerStart());
    CHECK_OK("and_stopped", cudaProfilerStop());
    NEED(cudaEventDestroy(event));
    NEED(cudaStreamDestroy(stream));
    NEED(cudaFreeHost(host));
    NEED(cudaFree(device));
    return check_failures != 0;
}
