// SPDX-License-Identifier: Apache-2.0
// NVTX in C and C++: ranges nest, marks and names are taken, in any order of their attributes.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>

static int function_with_a_range()
{
    NVTX3_FUNC_RANGE();
    nvtx3::scoped_range inner{"inner", nvtx3::rgb{255, 0, 0}, nvtx3::payload{int64_t{5}}, nvtx3::category{2}};
    nvtx3::mark("here", nvtx3::color{0xff00ff00});
    return 7;
}

int main()
{
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    nvtxNameCudaStreamA(stream, "copies");
    nvtxNameCudaEventA(event, "copied");
    nvtxNameCudaDevice(0, "first");
    nvtxNameCuStreamA(stream, "copies");
    nvtxResourceAttributes_t resource = {NVTX_VERSION, NVTX_RESOURCE_ATTRIB_STRUCT_SIZE, NVTX_RESOURCE_TYPE_GENERIC_POINTER, {&event},
                                         NVTX_MESSAGE_TYPE_ASCII, {"mutex"}};
    nvtxDomainResourceDestroy(nvtxDomainResourceCreate(nullptr, &resource));
    const int outer = nvtxRangePushA("outer"), inner = nvtxRangePushA("inner");
    const int inner_end = nvtxRangePop(), outer_end = nvtxRangePop();
    bool good = function_with_a_range() == 7;
    // Without a profiler there is no depth to tell.
    good = good && (outer == NVTX_NO_PUSH_POP_TRACKING || (inner == outer + 1 && inner_end == inner && outer_end == outer));
    {
        nvtx3::unique_range range{std::string("unique")};
        nvtx3::unique_range moved = std::move(range);
        nvtx3::end_range(nvtx3::start_range("started"));
    }
    return good ? 0 : 1;
}
