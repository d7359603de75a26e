// SPDX-License-Identifier: Apache-2.0
// Programs that include the APIs inside extern "C": the C++ parts of the headers stay C++.
extern "C" {
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <channel_descriptor.h>
#include <cuComplex.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <vector_functions.h>
}

#include <cstdio>

int main()
{
    float *p = nullptr;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float2>();
    bool good = cudaMalloc(&p, 64) == cudaSuccess && cudaFree(p) == cudaSuccess && desc.x == 32 && desc.y == 32 && desc.z == 0;
    printf("%s\n", good ? "good" : "bad");
    return !good;
}
