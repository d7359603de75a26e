// SPDX-License-Identifier: Apache-2.0
// Indices without a sign, below, around and above 2^31: loads, stores and lists through a pointer that lies so far in front of the memory.
#include "app.h"
#include <vector>

enum { BLOCK = 128, N = 4096 };

/* Everything lies from index `first` on. */
template <typename T> __global__ void places(const T *in, T *out, T *list, unsigned *n, const unsigned *index, unsigned first)
{
    __shared__ unsigned start;
    unsigned i = blockIdx.x * BLOCK + threadIdx.x, to = index[i] + first;
    T x = in[to];
    out[to ^ 1] = x + (T)1;
    bool keep = index[i] % 3 == 0;
    unsigned votes = __ballot_sync(~0u, keep), lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        start = atomicAdd(n, BLOCK);             /* a part of the list for each block, and of that for each warp */
    __syncthreads();
    if (keep)
        list[first + start + threadIdx.x / 32 * 32 + __popc(votes & ((1u << lane) - 1))] = x;
}

template <typename T> static int test(unsigned first)
{
    std::vector<T> in(N), out(N), want(N), list(N);
    std::vector<unsigned> index(N);
    T *d_in, *d_out, *d_list;
    unsigned *d_n, *d_index;
    int wrong = 0;
    long kept = 0, listed = 0;
    for (int i = 0; i < N; i++) {
        in[i] = (T)(app_random((uint32_t)i) % 100 + 1);
        index[i] = i % 256 < 128 ? (unsigned)(i ^ 2) : (unsigned)(i / 256 * 256 + 128 + (i * 37) % 128);
    }
    CUDA(cudaMalloc(&d_in, N * sizeof(T)));
    CUDA(cudaMalloc(&d_out, N * sizeof(T)));
    CUDA(cudaMalloc(&d_list, N * sizeof(T)));
    CUDA(cudaMalloc(&d_n, sizeof *d_n));
    CUDA(cudaMalloc(&d_index, N * sizeof *d_index));
    CUDA(cudaMemset(d_n, 0, sizeof *d_n));
    CUDA(cudaMemset(d_list, 0, N * sizeof(T)));
    CUDA(cudaMemset(d_out, 0, N * sizeof(T)));
    CUDA(cudaMemcpy(d_in, in.data(), N * sizeof(T), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_index, index.data(), N * sizeof *d_index, cudaMemcpyHostToDevice));
    uintptr_t back = (uintptr_t)first * sizeof(T);
    places<<<N / BLOCK, BLOCK>>>((const T *)((uintptr_t)d_in - back), (T *)((uintptr_t)d_out - back), (T *)((uintptr_t)d_list - back), d_n, d_index, first);
    CUDA(cudaMemcpy(out.data(), d_out, N * sizeof(T), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(list.data(), d_list, N * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        want[index[i] ^ 1] = in[index[i]] + (T)1;
        kept += index[i] % 3 == 0 ? (long)in[index[i]] : 0;
        listed += (long)list[i];
    }
    for (int i = 0; i < N; i++)
        wrong += out[i] != want[i];
    for (int w = 0; w < N / 32; w++)             /* no gaps in a warp's part */
        for (int l = 1; l < 32; l++)
            wrong += list[w * 32 + l] != 0 && list[w * 32 + l - 1] == 0;
    wrong += kept != listed;
    printf("from %u, %zu bytes: %d wrong\n", first, sizeof(T), wrong);
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_out));
    CUDA(cudaFree(d_list));
    CUDA(cudaFree(d_n));
    CUDA(cudaFree(d_index));
    return wrong;
}

template <typename T> static int test_all()
{
    return test<T>(0) + test<T>(0x7ffff800u) + test<T>(0x80000000u) + test<T>(0xfffff000u);
}

int main()
{
    return test_all<short>() + test_all<int>() + test_all<float>() + test_all<double>() != 0;
}
