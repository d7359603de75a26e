// SPDX-License-Identifier: Apache-2.0
// run: -O1
// CUB (Debian's libcub-dev) against the standard library: whole-device and segmented operations on random data.
#if __has_include(<cub/version.cuh>)
#include <cub/version.cuh>
#endif
#if !defined CUB_VERSION || (CUB_VERSION >= 200000 && !__has_include(<cuda/std/detail/__config>))   // CUB 2 is built on a C++ library that not every system packs with it
int main() { return 77; }
#else
#include "runtime_check.h"
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

template <class T> static T *shared_copy(const std::vector<T> &v)
{
    T *p;
    NEED(cudaMallocManaged(&p, (v.size() + 1) * sizeof *p));
    std::copy(v.begin(), v.end(), p);
    return p;
}

/* Calls once for the size of the temporary memory, and again with it. */
template <class Call> static void run(const char *rule, Call call)
{
    size_t bytes = 0;
    void *temporary = NULL;
    NEED(call(temporary, bytes));
    NEED(cudaMalloc(&temporary, bytes + 1));
    CHECK_OK(rule, call(temporary, bytes));
    NEED(cudaDeviceSynchronize());
    cudaFree(temporary);
}

static void whole(int n, std::mt19937 &random)
{
    std::vector<unsigned> keys(n), order(n), out(n);
    for (int i = 0; i < n; i++)
        keys[i] = random(), order[i] = (unsigned)i;
    unsigned *k = shared_copy(keys), *v = shared_copy(order), *k2 = shared_copy(out), *v2 = shared_copy(out), *count = shared_copy(out);

    run("a sort by radix runs", [=](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, k, k2, v, v2, n); });
    std::stable_sort(order.begin(), order.end(), [&](unsigned x, unsigned y) { return keys[x] < keys[y]; });
    std::vector<unsigned> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    CHECK("keys are sorted", std::equal(sorted.begin(), sorted.end(), k2));
    CHECK("values went with them, in order", std::equal(order.begin(), order.end(), v2));

    run("a scan runs", [=](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, k, k2, n); });
    out[0] = 0;
    std::partial_sum(keys.begin(), keys.end() - 1, out.begin() + 1);
    CHECK("scan", std::equal(out.begin(), out.end(), k2));
    run("a reduction runs", [=](void *t, size_t &b) { return cub::DeviceReduce::Max(t, b, k, count, n); });
    CHECK("reduce", *count == *std::max_element(keys.begin(), keys.end()));

    for (int i = 0; i < n; i++)
        k[i] = keys[i] = keys[i] % 3;
    run("unique runs", [=](void *t, size_t &b) { return cub::DeviceSelect::Unique(t, b, k, k2, count, n); });
    keys.resize(std::unique(keys.begin(), keys.end()) - keys.begin());
    CHECK("unique", *count == keys.size() && std::equal(keys.begin(), keys.end(), k2));
    for (unsigned *p : {k, v, k2, v2, count})
        cudaFree(p);
}

static void segmented(int n, std::mt19937 &random)
{
    std::vector<int> keys(n), ends = {0}, sums, least;
    for (int i = 0; i < n; i++)
        keys[i] = (int)(random() % 20000) - 10000;
    while (ends.back() < n)                      /* some segments are empty */
        ends.push_back(std::min(n, ends.back() + (int)(random() % 700)));
    for (size_t i = 1; i < ends.size(); i++) {
        sums.push_back(std::accumulate(keys.begin() + ends[i - 1], keys.begin() + ends[i], 0));
        least.push_back(std::accumulate(keys.begin() + ends[i - 1], keys.begin() + ends[i], INT_MAX, [](int a, int b) { return std::min(a, b); }));
    }
    int segments = (int)sums.size(), *k = shared_copy(keys), *out = shared_copy(sums), *e = shared_copy(ends);

    run("sums of segments run", [=](void *t, size_t &b) { return cub::DeviceSegmentedReduce::Sum(t, b, k, out, segments, e, e + 1); });
    CHECK("each segment has its sum", std::equal(sums.begin(), sums.end(), out));
    run("the least of segments runs", [=](void *t, size_t &b) { return cub::DeviceSegmentedReduce::Min(t, b, k, out, segments, e, e + 1); });
    CHECK("each segment has its least", std::equal(least.begin(), least.end(), out));
    for (int *p : {k, out, e})
        cudaFree(p);
}

int main()
{
    std::mt19937 random(2);
    whole(40000, random);
    segmented(20000, random);
    return check_failures != 0;
}
#endif
