// SPDX-License-Identifier: Apache-2.0
// The runtime API in kernels that launch nothing: errors have the host's names and texts, the device is the one that the host sees.
#include <cuda_device_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

// As in the macros that many programs have around every call, in functions for both sides.
__host__ __device__ inline bool succeeded(cudaError_t rc)
{
    if (rc != cudaSuccess)
        printf("%s: %s\n", cudaGetErrorName(rc), cudaGetErrorString(rc));
    return rc == cudaSuccess;
}

struct answers {
    char name[128], text[256];
    int error_after, device, count, warp, bad_attribute, bad_device, version, allocated;
};

__device__ void copy(char *to, const char *from)
{
    while ((*to++ = *from++))
        ;
}

__global__ void ask(const int *codes, answers *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    answers *a = out + i;
    copy(a->name, cudaGetErrorName((cudaError_t)codes[i]));
    copy(a->text, cudaGetErrorString((cudaError_t)codes[i]));
    succeeded(cudaGetDevice(&a->device));
    succeeded(cudaGetDeviceCount(&a->count));
    succeeded(cudaDeviceGetAttribute(&a->warp, cudaDevAttrWarpSize, a->device));
    a->bad_attribute = cudaDeviceGetAttribute(&a->warp, (cudaDeviceAttr)9999, a->device);
    a->bad_device = cudaDeviceGetAttribute(&a->warp, cudaDevAttrWarpSize, 77);
    succeeded(cudaRuntimeGetVersion(&a->version));
    cudaGridDependencySynchronize();
}

__global__ void allocate(answers *a)
{
    int *p = nullptr;
    a->allocated = succeeded(cudaMalloc(&p, 64)) && p && (p[3] = 5) == 5 && succeeded(cudaFree(p));
    a->error_after = cudaMalloc(&p, (size_t)1 << 60) == cudaErrorMemoryAllocation && cudaPeekAtLastError() == cudaErrorMemoryAllocation &&
                     cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess;
}

int main()
{
    std::vector<int> every;
    for (int code = 0; code < 1001; code++)
        every.push_back(code);
    const int n = (int)every.size();
    int *codes, device, count, bad = 0;
    answers *out;
    // The host's functions are still found where nothing says which side is meant.
    std::unique_ptr<void, decltype(&cudaFree)> owner(nullptr, &cudaFree);
    cudaError_t (*host)(int *) = cudaGetDevice;
    bad += host(&device) != cudaSuccess;
    cudaGetDeviceCount(&count);
    cudaMallocManaged(&codes, n * sizeof *codes);
    cudaMallocManaged(&out, n * sizeof *out);
    memcpy(codes, every.data(), n * sizeof *codes);
    ask<<<(n + 63) / 64, 64>>>(codes, out, n);
    allocate<<<1, 1>>>(out);
    bad += !succeeded(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        const answers &a = out[i];
        if (strcmp(a.name, cudaGetErrorName((cudaError_t)i)) || strcmp(a.text, cudaGetErrorString((cudaError_t)i)))
            if (bad++ < 5)
                printf("%d is \"%s\": \"%s\"\n", i, a.name, a.text);
        bad += a.device != device || a.count != count || a.warp != 32 || a.version != CUDART_VERSION;
        bad += a.bad_attribute != cudaErrorInvalidValue || a.bad_device != cudaErrorInvalidDevice;
    }
    bad += !out[0].allocated || !out[0].error_after;
    printf("%s\n", bad ? "bad" : "good");
    return bad != 0;
}
