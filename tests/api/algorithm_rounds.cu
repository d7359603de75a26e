// SPDX-License-Identifier: Apache-2.0
// run: -O1
// Thrust's keyed, scanning, sorting, partitioning and merging algorithms, and CUB's of the same kinds, again and again on sizes up to --most:
// their blocks pass sums on through status words, so what is wrong with the order of memory shows as a lost or doubled group.
// usage: algorithm_rounds [--rounds N] [--most N] [--seed S]. Builds with Debian's Thrust and CUB and with CCCL 3.
#if __has_include(<thrust/version.h>)
#include <thrust/version.h>
#endif
#if !defined THRUST_VERSION || (THRUST_VERSION >= 200000 && !__has_include(<cuda/std/detail/__config>))
int main() { return 77; }
#else
#include "runtime_check.h"
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

typedef unsigned word;
typedef std::vector<word> words;
typedef thrust::device_vector<word> device_words;

struct is_odd {
    __host__ __device__ bool operator()(word x) const { return x & 1; }
};
/* Not an order that radix sort knows: Thrust merges instead. */
struct by_low_bits {
    __host__ __device__ bool operator()(word x, word y) const { return (x & 0xffff) < (y & 0xffff); }
};

/* What n random elements must become; made once, compared in every round. */
struct answers {
    words keys, values, ordered, group_keys, group_sums, group_first, group_sizes, key_scan, scan, odd, even, stable, merged, common, sorted_values;

    answers(size_t n, std::mt19937 &random) : keys(n), values(n)
    {
        word run = 1 + random() % 60, key = 0;
        for (size_t i = 0; i < n; i++) {
            key += random() % run == 0 ? 1 + random() % 3 : 0;
            keys[i] = key;
            values[i] = random();
        }
        scan.resize(n);
        std::partial_sum(values.begin(), values.end(), scan.begin());
        groups();
        std::copy_if(values.begin(), values.end(), std::back_inserter(odd), is_odd());
        std::copy_if(values.begin(), values.end(), std::back_inserter(even), [](word x) { return !(x & 1); });
        ordered = stable = values;
        std::sort(ordered.begin(), ordered.end());
        std::stable_sort(stable.begin(), stable.end(), by_low_bits());
        std::merge(ordered.begin(), ordered.end(), keys.begin(), keys.end(), std::back_inserter(merged));
        std::set_intersection(ordered.begin(), ordered.end(), keys.begin(), keys.end(), std::back_inserter(common));
        std::vector<size_t> index(n);
        std::iota(index.begin(), index.end(), 0);
        std::stable_sort(index.begin(), index.end(), [&](size_t a, size_t b) { return (values[a] & 255) < (values[b] & 255); });
        for (size_t i : index)
            sorted_values.push_back(values[i]);
    }

    void groups()
    {
        for (size_t i = 0; i < keys.size(); i++) {
            if (i && keys[i] == keys[i - 1]) {
                group_sums.back() += values[i];
                group_sizes.back()++;
                key_scan.push_back(key_scan.back() + values[i]);
            } else {
                group_keys.push_back(keys[i]);
                group_sums.push_back(values[i]);
                group_first.push_back(values[i]);
                group_sizes.push_back(1);
                key_scan.push_back(values[i]);
            }
        }
    }
};

static bool same(const device_words &got, size_t count, const words &want)
{
    if (count != want.size())
        return false;
    words host(count);
    thrust::copy(got.begin(), got.begin() + count, host.begin());
    return host == want;
}

static void thrust_round(const answers &a, const device_words &keys, const device_words &values)
{
    size_t n = keys.size();
    device_words k(n), v(n), both(2 * n);

    auto sums = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), k.begin(), v.begin());
    CHECK("thrust_reduce_by_key", same(k, sums.first - k.begin(), a.group_keys) && same(v, sums.second - v.begin(), a.group_sums));
    k = keys, v = values;
    auto first = thrust::unique_by_key(k.begin(), k.end(), v.begin());
    CHECK("thrust_unique_by_key", same(k, first.first - k.begin(), a.group_keys) && same(v, first.second - v.begin(), a.group_first));
    thrust::inclusive_scan_by_key(keys.begin(), keys.end(), values.begin(), v.begin());
    CHECK("thrust_inclusive_scan_by_key", same(v, n, a.key_scan));
    thrust::inclusive_scan(values.begin(), values.end(), v.begin());
    CHECK("thrust_inclusive_scan", same(v, n, a.scan));
    CHECK("thrust_copy_if", same(k, thrust::copy_if(values.begin(), values.end(), k.begin(), is_odd()) - k.begin(), a.odd));
    v = values;
    CHECK("thrust_remove_if", same(v, thrust::remove_if(v.begin(), v.end(), is_odd()) - v.begin(), a.even));
    v = values;
    size_t odd = thrust::stable_partition(v.begin(), v.end(), is_odd()) - v.begin();
    k.assign(v.begin() + odd, v.end());
    CHECK("thrust_stable_partition", same(v, odd, a.odd) && same(k, k.size(), a.even));
    v = values;
    thrust::sort(v.begin(), v.end());
    CHECK("thrust_sort", same(v, n, a.ordered));
    size_t end = thrust::merge(v.begin(), v.end(), keys.begin(), keys.end(), both.begin()) - both.begin();
    CHECK("thrust_merge", same(both, end, a.merged));
    end = thrust::set_intersection(v.begin(), v.end(), keys.begin(), keys.end(), both.begin()) - both.begin();
    CHECK("thrust_set_intersection", same(both, end, a.common));
    v = values;
    thrust::stable_sort(v.begin(), v.end(), by_low_bits());
    CHECK("thrust_stable_sort_by_merging", same(v, n, a.stable));
}

/* Calls once for the size of the temporary memory, and again with it. */
template <class F> static void with_scratch(F call)
{
    size_t bytes = 0;
    NEED(call((void *)nullptr, bytes));
    thrust::device_vector<char> scratch(bytes + 1);
    NEED(call((void *)thrust::raw_pointer_cast(scratch.data()), bytes));
    NEED(cudaDeviceSynchronize());
}

static void cub_round(const answers &a, device_words &keys, device_words &values)
{
    int n = (int)keys.size();
    device_words k(n), v(n), low(n), count(1);
    word *dk = thrust::raw_pointer_cast(keys.data()), *dv = thrust::raw_pointer_cast(values.data()), *ok = thrust::raw_pointer_cast(k.data()),
         *ov = thrust::raw_pointer_cast(v.data()), *oc = thrust::raw_pointer_cast(count.data());

    with_scratch([&](void *t, size_t &b) { return cub::DeviceRunLengthEncode::Encode(t, b, dk, ok, ov, oc, n); });
    CHECK("cub_run_lengths", same(k, count[0], a.group_keys) && same(v, count[0], a.group_sizes));
    with_scratch([&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, dv, ov, n); });
    CHECK("cub_scan", same(v, n, a.scan));
    with_scratch([&](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, dv, ov, oc, n, is_odd()); });
    CHECK("cub_select", same(v, count[0], a.odd));
    with_scratch([&](void *t, size_t &b) { return cub::DevicePartition::If(t, b, dv, ov, oc, n, is_odd()); });
    size_t odd = count[0];
    words rest(v.size() - odd);
    thrust::copy(v.begin() + odd, v.end(), rest.begin());
    std::reverse(rest.begin(), rest.end());
    CHECK("cub_partition", same(v, odd, a.odd) && rest == a.even);
    with_scratch([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, dv, ov, n); });
    CHECK("cub_radix_sort", same(v, n, a.ordered));
    with_scratch([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, dv, ok, dv, ov, n, 0, 8); });
    CHECK("cub_radix_sort_pairs", same(v, n, a.sorted_values));
}

int main(int argc, char **argv)
{
    size_t rounds = 2, most = 70000;
    word seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rounds"))
            rounds = strtoul(argv[i + 1], nullptr, 0);
        else if (!strcmp(argv[i], "--most"))
            most = strtoul(argv[i + 1], nullptr, 0);
        else if (!strcmp(argv[i], "--seed"))
            seed = (word)strtoul(argv[i + 1], nullptr, 0);
    }
    std::mt19937 random(seed);
    for (size_t n = 1; n; n = n == most ? 0 : std::min(most, n * 40 + random() % 40)) {
        answers a(n, random);
        device_words keys = a.keys, values = a.values;
        for (size_t i = 0; i < rounds && !check_failures; i++) {
            thrust_round(a, keys, values);
            cub_round(a, keys, values);
        }
        printf("# %zu elements, %zu rounds\n", n, rounds);
        fflush(stdout);
    }
    return check_failures != 0;
}
#endif
