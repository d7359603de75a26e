// SPDX-License-Identifier: Apache-2.0
// run: -std=c++20
// Class templates of the C++ library whose arguments are deduced, in kernels and in functions for both sides.
#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

__host__ __device__ int sum()
{
    std::array a{1, 2, 3};
    std::tuple t(a[0], 2.5f, 'c');
    std::pair p{4, 5.0};
    std::optional o(7);
    int plain[] = {8, 9};
    std::span s(plain);
    std::span of_array(a);
    std::span part(plain, 1);
    static_assert(decltype(s)::extent == 2 && decltype(of_array)::extent == 3 && sizeof a == 12, "deduced");
    auto [first, second] = p;
    return a[2] + std::get<0>(t) + first + (int)second + *o + s[1] + of_array[1] + (int)part.size() + (int)std::tuple_size<decltype(t)>::value;
}

__global__ void kernel(int *out)
{
    std::array squares{1, 4, 9};
    std::tuple pair_of(std::pair{10, 20});
    *out = sum() + squares[2] + std::get<1>(pair_of);
}

int main()
{
    int *out;
    cudaMallocManaged(&out, sizeof *out);
    kernel<<<1, 1>>>(out);
    return cudaDeviceSynchronize() == cudaSuccess && sum() == 35 && *out == sum() + 29 ? 0 : 1;
}
