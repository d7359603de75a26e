// SPDX-License-Identifier: Apache-2.0
// cuda_occupancy.h computes what the runtime answers for its own device, and knows other architectures.
#include "runtime_check.h"
#include <cuda_occupancy.h>

__global__ void plain(int *p) { p[threadIdx.x]++; }
__global__ void shares(float *p)
{
    __shared__ float s[3000];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
__global__ void __launch_bounds__(256) bounded(double *p)
{
    double v[24];
    for (int i = 0; i < 24; i++)
        v[i] = p[i * blockDim.x + threadIdx.x];
    for (int i = 0; i < 24; i++)
        p[i * blockDim.x + threadIdx.x] = v[(i * 7) % 24] * v[23 - i];
}

template <class K> static int differences(K kernel, const cudaDeviceProp &device)
{
    cudaFuncAttributes attributes;
    cudaOccDeviceState state;
    int wrong = 0, block, grid, block_here, grid_here;
    NEED(cudaFuncGetAttributes(&attributes, kernel));
    cudaOccDeviceProp p = device;
    cudaOccFuncAttributes f = attributes;
    for (int threads = 1; threads <= 1024; threads += 31) {
        for (size_t dynamic : {0, 1000, 16384, 60000}) {
            cudaOccResult r;
            int blocks = -1;
            NEED(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic));
            wrong += cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, threads, dynamic) != CUDA_OCC_SUCCESS ||
                     r.activeBlocksPerMultiprocessor != blocks;
        }
    }
    NEED(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0));
    wrong += cudaOccMaxPotentialOccupancyBlockSize(&grid_here, &block_here, &p, &f, &state, 0, 0) != CUDA_OCC_SUCCESS || grid_here != grid ||
             block_here != block;
    return wrong;
}

int main()
{
    cudaDeviceProp device;
    NEED(cudaGetDeviceProperties(&device, 0));
    CHECK("a_plain_kernel", differences(plain, device) == 0);
    CHECK("one_with_shared_memory", differences(shares, device) == 0);
    CHECK("one_with_bounds", differences(bounded, device) == 0);

    static const struct { const char *rule; int major, minor, threads_sm, regs, threads; size_t shared; int want; unsigned limits; } rows[] = {
        { "turing_holds_16_blocks", 7, 5, 1024, 32, 32, 0, 16, OCC_LIMIT_BLOCKS },
        { "ada_holds_24_blocks", 8, 9, 1536, 32, 64, 0, 24, OCC_LIMIT_WARPS | OCC_LIMIT_BLOCKS },
        { "registers_limit_by_partition", 8, 0, 2048, 40, 96, 0, 16, OCC_LIMIT_REGISTERS },
        { "shared_memory_limits", 8, 0, 2048, 32, 128, 40 * 1024, 4, OCC_LIMIT_SHARED_MEMORY },
        { "too_many_registers_for_one_block", 8, 0, 2048, 255, 1024, 0, 0, OCC_LIMIT_REGISTERS },
    };
    for (auto &row : rows) {
        cudaOccDeviceProp p = device;
        cudaOccFuncAttributes f;
        cudaOccDeviceState state;
        cudaOccResult r;
        p.computeMajor = row.major, p.computeMinor = row.minor, p.maxThreadsPerMultiprocessor = row.threads_sm;
        p.regsPerBlock = p.regsPerMultiprocessor = 65536, p.sharedMemPerMultiprocessor = 164 * 1024, p.reservedSharedMemPerBlock = 1024;
        p.sharedMemPerBlockOptin = 163 * 1024;
        f.maxThreadsPerBlock = 1024, f.numRegs = row.regs, f.sharedSizeBytes = row.shared, f.numBlockBarriers = 1;
        cudaOccError rc = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, row.threads, 0);
        CHECK(row.rule, rc == CUDA_OCC_SUCCESS && r.activeBlocksPerMultiprocessor == row.want && r.limitingFactors == row.limits);
    }
    cudaOccDeviceProp none;
    cudaOccFuncAttributes f;
    cudaOccDeviceState state;
    cudaOccResult r;
    CHECK("nothing_is_no_device", cudaOccMaxActiveBlocksPerMultiprocessor(&r, &none, &f, &state, 32, 0) == CUDA_OCC_ERROR_INVALID_INPUT);
    return check_failures != 0;
}
