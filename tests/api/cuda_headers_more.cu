// SPDX-License-Identifier: Apache-2.0
// run: -std=c++17 -DLIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
// Headers of CUDA C++ that few programs use: shuffles of any size, casts that tell, vectors in place, views of matrices, sources of memory, old barriers.
#include "runtime_check.h"
#include <cuda/barrier>
#include <cuda/memory_resource>
#include <cuda/numeric>
#include <cuda/std/inplace_vector>
#include <cuda/std/linalg>
#include <cuda/type_traits>
#include <cuda/warp>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>
#include <cuda_awbarrier.h>
#include <cuda_awbarrier_primitives.h>
#include <vector>

struct three {
    double a;
    int b;
};

static __global__ void shuffles(int *bad)
{
    int t = (int)threadIdx.x, lane = t % 32;
    three mine = { t * 0.5, -t };
    three up = cuda::device::warp_shuffle_up(mine, 2);
    auto down = cuda::device::warp_shuffle_down<8>(mine, 1);
    three first = cuda::device::warp_shuffle_idx(mine, 3);
    char other = cuda::device::warp_shuffle_xor((char)lane, 16);
    int from = lane < 2 ? t : t - 2;
    if (up.a != from * 0.5 || up.b != -from || first.b != -(t - lane + 3) || other != (lane ^ 16))
        atomicAdd(bad, 1);
    if (down.pred != (lane % 8 != 7) || down.data.b != -(lane % 8 == 7 ? t : t + 1))
        atomicAdd(bad, 1);
}

static_assert(!cuda::overflow_cast<int>(1LL << 30).overflow && cuda::overflow_cast<int>(1LL << 31).overflow, "");
static_assert(cuda::overflow_cast<unsigned>(-1).overflow && cuda::overflow_cast<short>(70000).value == 4464, "");
static_assert(cuda::is_floating_point<__half>::value && !cuda::is_floating_point<int>::value && cuda::is_floating_point<const double>::value, "");

static_assert(!__nv_is_extended_device_lambda_closure_type(int) && !__nv_is_extended_host_device_lambda_closure_type(three) &&
                  !__nv_is_extended_device_lambda_with_preserved_return_type(cuda::std::extents<int, 2, 3>), "");

static __host__ __device__ bool vector_in_place()
{
    cuda::std::inplace_vector<int, 8> v = { 5, 1, 4 };
    v.push_back(9);
    v.insert(v.begin() + 1, 7);
    bool right = v.size() == 5 && v[0] == 5 && v[1] == 7 && v[2] == 1 && v.back() == 9;
    v.erase(v.begin());
    right = right && v.size() == 4 && v.front() == 7;
    v.resize(8, 3);
    right = right && v.try_push_back(1) == nullptr && v.size() == v.capacity() && v[7] == 3;
    cuda::std::inplace_vector<int, 8> w(v);
    return right && w == v && !(w < v);
}

static __host__ __device__ bool views()
{
    int data[6] = { 1, 2, 3, 4, 5, 6 };
    cuda::std::mdspan<int, cuda::std::extents<int, 2, 3>> m(data);
    auto t = cuda::std::linalg::transposed(m);
    auto s = cuda::std::linalg::scaled(10, m);
    return t.extent(0) == 3 && t.extent(1) == 2 && t(2, 1) == 6 && t(0, 1) == 4 && s(1, 0) == 40;
}

static __global__ void on_the_device(int *bad)
{
    if (!vector_in_place())
        atomicAdd(bad, 1);
    if (!views())
        atomicAdd(bad, 1);
}

struct device_memory {
    int live = 0;
    void *allocate(size_t bytes, size_t)
    {
        void *p = nullptr;
        live++;
        return cudaMalloc(&p, bytes) == cudaSuccess ? p : nullptr;
    }
    void deallocate(void *p, size_t, size_t)
    {
        live--;
        cudaFree(p);
    }
    bool operator==(const device_memory &o) const { return this == &o; }
    bool operator!=(const device_memory &o) const { return this != &o; }
    friend void get_property(const device_memory &, cuda::mr::device_accessible) {}
};
static_assert(cuda::mr::resource<device_memory>, "");
static_assert(cuda::mr::resource_with<device_memory, cuda::mr::device_accessible>, "");
static_assert(!cuda::mr::resource_with<device_memory, cuda::mr::host_accessible>, "");
static_assert(!cuda::mr::async_resource<device_memory>, "");

static bool memory_of_a_resource()
{
    device_memory source, other;
    cuda::mr::resource_ref<cuda::mr::device_accessible> ref(source), again(source), second(other);
    void *p = ref.allocate(1000);
    bool right = p && source.live == 1 && cudaMemset(p, 1, 1000) == cudaSuccess && ref == again && ref != second;
    ref.deallocate(p, 1000);
    return right && source.live == 0;
}

// A barrier object of the block, and the same as single instructions: all values of a round are there after the wait.
static __global__ void barriers(int *bad)
{
    __shared__ nvcuda::experimental::awbarrier object;
    __shared__ __mbarrier_t word;
    __shared__ cuda::barrier<cuda::thread_scope_block> block;
    __shared__ int slots[3][64];
    int t = (int)threadIdx.x, other = 63 - t;
    if (t == 0) {
        init(&object, blockDim.x);
        init(&block, blockDim.x);
        __mbarrier_init(&word, blockDim.x);
    }
    __syncthreads();
    for (int round = 1; round < 4; round++) {
        slots[0][t] = round;
        auto token = object.arrive();
        object.wait(token);
        slots[1][t] = slots[0][other];
        __mbarrier_token_t mine = __mbarrier_arrive(&word);
        while (!__mbarrier_test_wait(&word, mine))
            ;
        slots[2][t] = slots[1][other];
        block.wait(block.arrive());
        if (slots[2][other] != round)
            atomicAdd(bad, 1);
        block.arrive_and_wait();
    }
    static_assert(sizeof(block) == 8, "as large as the instructions want it");
    if (t == 0 && cuda::device::barrier_native_handle(block) != (uint64_t *)&block)
        atomicAdd(bad, 1);
}

// The same object in global memory.
static __global__ void global_barrier(cuda::barrier<cuda::thread_scope_block> *block, int *slots, int *bad)
{
    int t = (int)threadIdx.x;
    if (t == 0)
        init(block, blockDim.x);
    __syncthreads();
    for (int round = 1; round < 5; round++) {
        slots[t] = round * 100 + t;
        block->arrive_and_wait();
        if (slots[63 - t] != round * 100 + 63 - t)
            atomicAdd(bad, 1);
        block->arrive_and_wait();
    }
}

static int count_of(int *bad)
{
    int n = -1;
    NEED(cudaMemcpy(&n, bad, sizeof(n), cudaMemcpyDeviceToHost));
    NEED(cudaMemset(bad, 0, sizeof(n)));
    return n;
}

static __global__ void parameters(const __grid_constant__ three t, int *bad)
{
    __shared__ int s;
    int l = (int)threadIdx.x;
    const three *same = (const three *)__cvta_grid_constant_to_generic(__cvta_generic_to_grid_constant(&t));
    if (__isGridConstant(&s) || __isGridConstant(bad) || __isGridConstant(&l) || (__isGridConstant(&t) && (same->a != 1.5 || same->b != 7)))
        atomicAdd(bad, 1);
}

int main()
{
    int *bad, *slots;
    void *object;
    NEED(cudaMalloc(&bad, sizeof(int)));
    NEED(cudaMalloc(&slots, 64 * sizeof(int)));
    NEED(cudaMalloc(&object, 64));
    NEED(cudaMemset(bad, 0, sizeof(int)));
    shuffles<<<2, 64>>>(bad);
    CHECK("warp_shuffle moves values of any size", count_of(bad) == 0);
    on_the_device<<<1, 32>>>(bad);
    CHECK("inplace_vector and linalg on the device", count_of(bad) == 0);
    CHECK("inplace_vector and linalg on the host", vector_in_place() && views());
    CHECK("resource_ref hides its resource", memory_of_a_resource());
    barriers<<<4, 64>>>(bad);
    CHECK("awbarrier, its primitives and cuda::barrier of a block", count_of(bad) == 0);
    global_barrier<<<1, 64>>>((cuda::barrier<cuda::thread_scope_block> *)object, slots, bad);
    CHECK("cuda::barrier of a block in global memory", count_of(bad) == 0);
    parameters<<<1, 32>>>(three{ 1.5, 7 }, bad);
    CHECK("only a kernel's parameters are in that space", count_of(bad) == 0);
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK_OK("a function of the driver by its name", cudaGetDriverEntryPointByVersion("cuDriverGetVersion", &entry, 12000, cudaEnableDefault, &found));
    int version = 0;
    CHECK("cudaTypedefs.h has its type", entry && ((PFN_cuDriverGetVersion_v2020)entry)(&version) == CUDA_SUCCESS && version >= 12000);
    PFN_cuProfilerStart_v4000 start = nullptr;
    (void)start;
    return check_failures != 0;
}
