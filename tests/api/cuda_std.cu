// SPDX-License-Identifier: Apache-2.0
// cuda::std on both sides: traits, tuples, optional, arrays, spans, bits, limits and function objects.
#include "runtime_check.h"
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/climits>
#include <cuda/std/cmath>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

static_assert(cuda::std::is_same<cuda::std::remove_cvref_t<const int &>, int>::value, "traits");

enum { ARRAY, TUPLE, PAIR, OPTIONAL, EMPTY, SPAN, BITS, FLOAT_BITS, ROTATED, LIMIT, IDENTITY, PLUS, ROOT, COUNT };

__host__ __device__ cuda::std::optional<int> half_of_even(int x)
{
    return x % 2 ? cuda::std::optional<int>() : cuda::std::optional<int>(x / 2);
}

__host__ __device__ void fill(cuda::std::uint32_t *out, cuda::std::uint32_t seed)
{
    cuda::std::array<cuda::std::uint32_t, 4> a = { { seed, 2 * seed, 3 * seed, 4 * seed } };
    auto t = cuda::std::make_tuple(seed, 7u);
    auto p = cuda::std::make_pair(seed + 1, 5u);
    cuda::std::swap(p.first, p.second);
    cuda::std::span<cuda::std::uint32_t> all(a.data(), a.size()), middle = all.subspan(1, 2);
    cuda::std::uint32_t sum = 0;
    for (auto v : middle)
        sum += v;
    out[ARRAY] = a[0] + a[1] + a[2] + a[3];
    out[TUPLE] = cuda::std::get<0>(t) * cuda::std::get<1>(t);
    out[PAIR] = p.first * 1000 + p.second;
    out[OPTIONAL] = (cuda::std::uint32_t)half_of_even(2 * (int)seed).value_or(-1);
    out[EMPTY] = half_of_even(2 * (int)seed + 1).has_value();
    out[SPAN] = sum;
    out[BITS] = (cuda::std::uint32_t)(cuda::std::popcount(seed) * 100 + cuda::std::countl_zero(seed));
    out[FLOAT_BITS] = cuda::std::bit_cast<cuda::std::uint32_t>((float)seed);
    out[ROTATED] = cuda::std::rotl(seed, 30);
    out[LIMIT] = (cuda::std::uint32_t)cuda::std::numeric_limits<int>::max() - seed;
    out[IDENTITY] = cuda::std::identity()(seed);
    out[PLUS] = cuda::std::plus<cuda::std::uint32_t>()(seed, 1u);
    out[ROOT] = (cuda::std::uint32_t)cuda::std::sqrt((double)(seed * seed));
}

__global__ void on_device(cuda::std::uint32_t *out) { fill(out, 12); }

__global__ void count(unsigned int *at)
{
    cuda::std::atomic_ref<unsigned int> cell(*at);
    cell.fetch_add(2);
}

int main()
{
    static const struct { const char *rule; cuda::std::uint32_t want; } cases[COUNT] = {
        { "array", 120 }, { "tuple", 84 }, { "pair_swapped", 5013 }, { "optional", 12 }, { "empty_optional", 0 }, { "span", 60 },
        { "popcount_and_leading_zeros", 228 }, { "bit_cast", 0x41400000 }, { "rotl", 3 }, { "limits", 2147483635 }, { "identity", 12 },
        { "plus", 13 }, { "sqrt", 12 },
    };
    cuda::std::uint32_t *d = NULL, device[COUNT], host[COUNT];
    CHECK_OK("memory", cudaMalloc(&d, sizeof device));
    on_device<<<1, 1>>>(d);
    CHECK_OK("device", cudaMemcpy(device, d, sizeof device, cudaMemcpyDefault));
    fill(host, 12);
    for (int i = 0; i < COUNT; i++) {
        printf("# %u %u\n", host[i], device[i]);
        CHECK(cases[i].rule, host[i] == cases[i].want && device[i] == cases[i].want);
    }
    CHECK_OK("zero", cudaMemset(d, 0, 4));
    count<<<3, 64>>>(d);
    CHECK_OK("count", cudaMemcpy(device, d, 4, cudaMemcpyDefault));
    CHECK("atomic_ref_counts_every_thread", device[0] == 384);
    return check_failures != 0;
}
