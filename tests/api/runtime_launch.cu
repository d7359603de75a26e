// SPDX-License-Identifier: Apache-2.0
// Launches: arguments of all kinds, limits, attributes, occupancy.
#include "runtime_check.h"
#include <string.h>

struct big {
    char c;
    double d;
    int v[5];
};

__global__ void take_all(double *out, char c, short s, int i, long long l, float f, double d, big b, const int *p)
{
    out[0] = c;
    out[1] = s;
    out[2] = i;
    out[3] = (double)l;
    out[4] = f;
    out[5] = d;
    out[6] = b.c + b.d + b.v[4];
    out[7] = p[0];
}
template <int Scale, class T> __global__ void scaled(T *p) { p[threadIdx.x] = (T)(threadIdx.x * Scale); }
__global__ void add(int *p, int v) { atomicAdd(p, v); }
__global__ void use_shared(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void __launch_bounds__(64) small() {}
__global__ void nothing() {}

static int *counter;
static int launches_too(int v)
{
    add<<<1, 1>>>(counter, 100);
    return v;
}

static void arguments(void)
{
    double *out, got[8];
    int *p, seven = 7;
    big b = {1, 2.5, {0, 0, 0, 0, 40}};
    NEED(cudaMalloc(&out, sizeof got));
    NEED(cudaMalloc(&p, 4));
    NEED(cudaMemcpy(p, &seven, 4, cudaMemcpyHostToDevice));
    take_all<<<1, 1>>>(out, 'a', (short)-5, 1 << 30, 1ll << 40, 0.5f, 1e100, b, p);
    NEED(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK("arguments_of_all_sizes_arrive", got[0] == 'a' && got[1] == -5 && got[2] == 1 << 30 && got[3] == 1099511627776.0 &&
                                               got[4] == 0.5 && got[5] == 1e100 && got[6] == 43.5 && got[7] == 7);

    char c = 3;
    short s = 4;
    int i = 5;
    long long l = 6;
    float f = 7;
    double d = 8;
    void *args[] = {&out, &c, &s, &i, &l, &f, &d, &b, &p};
    CHECK_OK("a_kernel_can_be_launched_by_its_address", cudaLaunchKernel(take_all, dim3(1), dim3(1), args, 0, 0));
    NEED(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK("with_its_arguments", got[0] == 3 && got[1] == 4 && got[2] == 5 && got[3] == 6 && got[4] == 7 && got[5] == 8);

    cudaLaunchConfig_t config;
    memset(&config, 0, sizeof config);
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    int *ints, back[32];
    NEED(cudaMalloc(&ints, sizeof back));
    CHECK_OK("or_with_a_configuration", cudaLaunchKernelEx(&config, scaled<3, int>, ints));
    NEED(cudaMemcpy(back, ints, sizeof back, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int k = 0; k < 32; k++)
        wrong += back[k] != 3 * k;
    CHECK("a_template_is_a_kernel_too", wrong == 0);

    NEED(cudaMalloc(&counter, 4));
    NEED(cudaMemset(counter, 0, 4));
    add<<<launches_too(1), launches_too(2)>>>(counter, launches_too(3));
    int sum = 0;
    NEED(cudaMemcpy(&sum, counter, 4, cudaMemcpyDeviceToHost));
    CHECK("a_launch_inside_the_arguments_of_another", sum == 300 + 2 * 3);
    NEED(cudaFree(ints));
    NEED(cudaFree(counter));
    NEED(cudaFree(out));
    NEED(cudaFree(p));
}

static bool bad_shape(cudaError_t e) { return e == cudaErrorInvalidConfiguration || e == cudaErrorInvalidValue; }

static void limits(void)
{
    static const struct { const char *rule; dim3 grid, block; size_t shared; bool ok; } cases[] = {
        {"1024_threads_are_allowed", dim3(1), dim3(1024), 0, true},
        {"1025_are_not", dim3(1), dim3(1025), 0, false},
        {"nor_33_times_32", dim3(1), dim3(33, 32), 0, false},
        {"64_layers_are_allowed", dim3(1), dim3(1, 1, 64), 0, true},
        {"65_are_not", dim3(1), dim3(1, 1, 65), 0, false},
        {"a_grid_is_not_empty", dim3(0), dim3(1), 0, false},
        {"a_block_is_not_empty", dim3(1), dim3(0), 0, false},
        {"a_grid_is_not_taller_than_65535", dim3(1, 65536), dim3(1), 0, false},
        {"48_KiB_of_shared_memory_are_allowed", dim3(1), dim3(1), 48 * 1024, true},
        {"more_are_not_without_asking", dim3(1), dim3(1), 48 * 1024 + 4, false},
    };
    for (auto &c : cases) {
        nothing<<<c.grid, c.block, c.shared>>>();
        cudaError_t e = cudaGetLastError();
        CHECK(c.rule, c.ok ? e == cudaSuccess : bad_shape(e));
    }
    small<<<1, 65>>>();
    cudaError_t e = cudaGetLastError();
    CHECK("launch_bounds_are_kept", e != cudaSuccess);
    NEED(cudaDeviceSynchronize());

    int *p, got[64];
    NEED(cudaMalloc(&p, sizeof got));
    CHECK_OK("more_shared_memory_can_be_asked_for", cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    use_shared<<<1, 64, 100 * 1024>>>(p);
    CHECK_OK("and_used", cudaGetLastError());
    NEED(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong += got[i] != 63 - i;
    CHECK("dynamic_shared_memory_works", wrong == 0);
    NEED(cudaFree(p));
}

static int not_a_kernel(void) { return 0; }

static void questions(void)
{
    cudaFuncAttributes a;
    int blocks = 0, grid = 0, block = 0;
    CHECK_OK("a_kernel_has_attributes", cudaFuncGetAttributes(&a, small));
    CHECK("launch_bounds_are_one_of_them", a.maxThreadsPerBlock == 64);
    CHECK("other_functions_have_none", cudaFuncGetAttributes(&a, (const void *)not_a_kernel) != cudaSuccess);
    cudaGetLastError();
    CHECK_ERR("null_is_no_kernel", cudaLaunchKernel((const void *)NULL, dim3(1), dim3(1), NULL, 0, 0), cudaErrorInvalidDeviceFunction);
    CHECK("blocks_fit_on_a_multiprocessor", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 256, 0) == cudaSuccess && blocks >= 1);
    CHECK("a_good_block_size_is_a_legal_one", cudaOccupancyMaxPotentialBlockSize(&grid, &block, small) == cudaSuccess && block >= 32 && block <= 64 && grid >= 1);
}

int main()
{
    arguments();
    limits();
    questions();
    return check_failures != 0;
}
