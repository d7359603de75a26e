// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate and free, captured and made by hand.
#include "runtime_check.h"

#include <unistd.h>

__global__ void square(int *p) { p[threadIdx.x] = threadIdx.x * threadIdx.x; }
__global__ void sum(const int *p, int *out)
{
    int s = 0;
    for (int i = 0; i < 32; i++)
        s += p[i];
    *out = s;
}

static void captured(void)
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    int *p = NULL, *out, got = 0;
    unsigned long long used = 1, reserved = 1;
    NEED(cudaStreamCreate(&s));
    NEED(cudaMalloc(&out, 4));
    NEED(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK_OK("allocating_can_be_captured", cudaMallocAsync(&p, 4 << 20, s));
    CHECK("and_the_address_is_there_at_once", p != NULL);
    square<<<1, 32, 0, s>>>(p);
    sum<<<1, 1, 0, s>>>(p, out);
    CHECK_OK("freeing_too", cudaFreeAsync(p, s));
    NEED(cudaStreamEndCapture(s, &g));
    NEED(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++)
        NEED(cudaGraphLaunch(x, s));
    NEED(cudaStreamSynchronize(s));
    NEED(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    CHECK("launches_use_the_memory", got == 31 * 32 * 63 / 6);
    cudaGraph_t other;
    cudaGraphExec_t second;
    CHECK_ERR("such_a_graph_has_no_copies", cudaGraphClone(&other, g), cudaErrorNotSupported);
    CHECK_ERR("and_one_executable_graph_at_a_time", cudaGraphInstantiate(&second, g, 0), cudaErrorNotSupported);
    NEED(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK("launched_memory_is_used", used >= 4 << 20);
    NEED(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &reserved));
    CHECK("which_was_reserved", reserved >= 4 << 20);
    NEED(cudaGraphLaunch(x, s));
    CHECK_OK("an_executable_graph_may_end_before_its_launch", cudaGraphExecDestroy(x));
    NEED(cudaGraphDestroy(g));
    CHECK_OK("which_ends_well", cudaStreamSynchronize(s));
    for (int i = 0; i < 10000; i++) {            /* the end of a launch gives it back: soon, not before it is waited for */
        NEED(cudaDeviceGraphMemTrim(0));
        NEED(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
        NEED(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
        if (used == 0 && reserved == 0)
            break;
        usleep(1000);
    }
    CHECK("the_memory_comes_back", used == 0 && reserved == 0);
    NEED(cudaFree(out));
    NEED(cudaStreamDestroy(s));
}

static void given_out(void)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t alloc, fill;
    cudaMemAllocNodeParams a = {}, back;
    cudaMemsetParams f = {};
    int word = 0;
    a.poolProps.allocType = cudaMemAllocationTypePinned;
    a.poolProps.location.type = cudaMemLocationTypeDevice;
    a.bytesize = 4096;
    NEED(cudaGraphCreate(&g, 0));
    CHECK_OK("a_node_that_allocates", cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
    CHECK("says_where", a.dptr != NULL);
    NEED(cudaGraphMemAllocNodeGetParams(alloc, &back));
    CHECK("and_says_it_again", back.dptr == a.dptr && back.bytesize == 4096);
    f.dst = a.dptr;
    f.value = 7;
    f.elementSize = 4;
    f.width = 16;
    f.height = 1;
    NEED(cudaGraphAddMemsetNode(&fill, g, &alloc, 1, &f));
    NEED(cudaGraphInstantiate(&x, g, 0));
    CHECK_ERR("before_a_launch_it_cannot_be_freed", cudaFree(a.dptr), cudaErrorInvalidValue);
    NEED(cudaGraphLaunch(x, 0));
    NEED(cudaMemcpy(&word, (char *)a.dptr + 60, 4, cudaMemcpyDeviceToHost));
    CHECK("what_a_graph_does_not_free_is_the_programs", word == 7);
    CHECK_ERR("which_must_free_it_before_the_next_launch", cudaGraphLaunch(x, 0), cudaErrorInvalidValue);
    CHECK_OK("so_it_does", cudaFreeAsync(a.dptr, 0));
    CHECK_OK("and_the_launch_is_possible", cudaGraphLaunch(x, 0));
    CHECK_OK("with_cudaFree_too", cudaFree(a.dptr));
    CHECK_ERR("once", cudaFree(a.dptr), cudaErrorInvalidValue);
    NEED(cudaGraphExecDestroy(x));
    NEED(cudaGraphDestroy(g));
}

int main(void)
{
    captured();
    given_out();
    return check_failures != 0;
}
