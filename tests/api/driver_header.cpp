// SPDX-License-Identifier: Apache-2.0
// cuda.h as C++ sees it: sizes and values that binaries rely on, and which symbol a plain name means.
#include <cuda.h>

#include <cstddef>
#include <cstdio>
#include <type_traits>

template <class A, class B> constexpr bool same = std::is_same<A, B>::value;

static_assert(CUDA_VERSION >= 12000, "the level of CUDA 12");
static_assert(same<CUdeviceptr, unsigned long long>, "a device pointer is 64 bits wide");
static_assert(sizeof(CUDA_MEMCPY2D) == 128 && sizeof(CUDA_MEMCPY3D) == 200 && sizeof(CUDA_MEMCPY3D_PEER) == 200, "copies");
static_assert(offsetof(CUDA_MEMCPY2D, WidthInBytes) == 112, "the width follows both sides");
static_assert(sizeof(CUlaunchConfig) == 56 && sizeof(CUlaunchAttribute) == 72, "launches");
static_assert(sizeof(CUipcMemHandle) == 64 && sizeof(CUuuid) == 16, "opaque bytes");
static_assert(sizeof(CUgraphNodeParams) == 256 && alignof(CUtensorMap) >= 64, "graphs and tensor maps");
static_assert(CUDA_ERROR_NOT_READY == 600 && CUDA_ERROR_ILLEGAL_ADDRESS == 700 && CUDA_ERROR_UNKNOWN == 999, "results");
static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR == 75 && CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT == 16, "attributes");
static_assert(CU_JIT_ERROR_LOG_BUFFER == 5 && CU_MEMORYTYPE_UNIFIED == 4 && CU_STREAM_NON_BLOCKING == 1, "options");

int main()
{
    // The plain names are macros; taking an address shows what they stand for.
    bool good = (void *)cuMemAlloc == (void *)cuMemAlloc_v2 && (void *)cuMemcpyHtoD == (void *)cuMemcpyHtoD_v2
        && (void *)cuStreamDestroy == (void *)cuStreamDestroy_v2 && (void *)cuGraphInstantiate == (void *)cuGraphInstantiateWithFlags;
    std::printf("%s - plain names mean the newest functions\n", good ? "ok" : "not ok");
    return good ? 0 : 1;
}
