// SPDX-License-Identifier: Apache-2.0
// Textures over plain memory: their limits, and what a fetch past the memory does.
// run: -lcuda
#include "runtime_check.h"

#include <cuda.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void fetch(cudaTextureObject_t t, float x, float y, unsigned *out) { *out = tex2D<unsigned>(t, x, y); }

static CUresult make(CUdeviceptr p, size_t width, size_t height, size_t pitch, CUtexObject *out)
{
    CUDA_RESOURCE_DESC r = {};
    CUDA_TEXTURE_DESC t = {};
    r.resType = CU_RESOURCE_TYPE_PITCH2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT32;
    r.res.pitch2D.numChannels = 1;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    t.flags = CU_TRSF_READ_AS_INTEGER;
    return cuTexObjectCreate(out, &r, &t, nullptr);
}

static void limits(CUdeviceptr p)
{
    static const struct { const char *rule; size_t width, height, pitch; CUresult want; } rows[] = {
        { "as_large_as_the_memory", 1024, 1024, 4096, CUDA_SUCCESS },
        { "larger_than_the_memory", 1024, 65000, 4096, CUDA_SUCCESS },
        { "no_more_than_65000_rows", 16, 65001, 64, CUDA_ERROR_INVALID_VALUE },
        { "as_wide_as_can_be", 131072, 2, 524288, CUDA_SUCCESS },
        { "no_wider", 131073, 2, 524320, CUDA_ERROR_INVALID_VALUE },
        { "the_largest_pitch", 16, 2, 2097120, CUDA_SUCCESS },
        { "no_larger_pitch", 16, 2, 4 << 20, CUDA_ERROR_INVALID_VALUE },
        { "nor_with_one_row", 16, 1, (size_t)1 << 40, CUDA_ERROR_INVALID_VALUE },
        { "nor_backwards", 16, 2, (size_t)-32, CUDA_ERROR_INVALID_VALUE },
        { "an_odd_pitch", 16, 2, 100, CUDA_ERROR_INVALID_VALUE },
    };
    CUtexObject t;
    for (const auto &row : rows)
        CHECK(row.rule, make(p, row.width, row.height, row.pitch, &t) == row.want);
}

// In a process of its own: it breaks the context.
static int fetch_error(bool host, float y)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        const size_t page = 4096;
        CUtexObject t = 0;
        CUdeviceptr p = 0;
        unsigned *out;
        cudaFree(nullptr);
        cudaMallocManaged(&out, 4);
        if (host) {                                              // what lies behind it is the program's, and no kernel's
            char *two = (char *)mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            memset(two, 0x77, 2 * page);
            cudaHostRegister(two, page, cudaHostRegisterMapped);
            cuMemHostGetDevicePointer(&p, two, 0);
        } else {
            cuMemAlloc(&p, page);
        }
        if (make(p, 16, host ? 128 : 65000, host ? 64 : 2097120, &t))
            _exit(255);
        fetch<<<1, 1>>>(t, 3, y, out);
        _exit(cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 1 : 0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main()
{
    CHECK("within_device_memory", fetch_error(false, 0) == 0);
    CHECK("far_past_device_memory", fetch_error(false, 64000) == 1);
    CHECK("within_memory_of_the_host", fetch_error(true, 63) == 0);
    CHECK("past_memory_of_the_host", fetch_error(true, 64) == 1);
    CUdeviceptr p;
    NEED(cudaFree(nullptr));
    cuMemAlloc(&p, 4 << 20);
    limits(p);
    return check_failures != 0;
}
