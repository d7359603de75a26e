// SPDX-License-Identifier: Apache-2.0
// run: -O1
// Thrust (Debian's libthrust-dev) against the standard library, on random data of sizes that fill warps and blocks and do not.
#if __has_include(<thrust/version.h>)
#include <thrust/version.h>
#endif
#if !defined THRUST_VERSION || (THRUST_VERSION >= 200000 && !__has_include(<cuda/std/detail/__config>))   // Thrust 2 is built on a C++ library that not every system packs with it
int main() { return 77; }
#else
#include "runtime_check.h"
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

typedef std::vector<int> ints;
typedef thrust::device_vector<int> device_ints;

static bool same(const device_ints &got, const ints &want)
{
    return got.size() == want.size() && thrust::host_vector<int>(got) == want;
}

struct affine {
    int k;
    __host__ __device__ int operator()(int x, int y) const { return k * x - y; }
};
struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};

static void algorithms(int n, std::mt19937 &random)
{
    ints a(n), b(n), want(n);
    for (int i = 0; i < n; i++)
        a[i] = (int)(random() % 1000), b[i] = (int)(random() % 1000);
    device_ints da = a, db = b, out(n);

    thrust::transform(da.begin(), da.end(), db.begin(), out.begin(), affine{7});
    std::transform(a.begin(), a.end(), b.begin(), want.begin(), affine{7});
    CHECK("transform", same(out, want));
    CHECK("reduce", thrust::reduce(da.begin(), da.end()) == std::accumulate(a.begin(), a.end(), 0));
    CHECK("reduce_to_the_greatest", thrust::reduce(da.begin(), da.end(), -1, thrust::maximum<int>()) == *std::max_element(a.begin(), a.end()));
    thrust::inclusive_scan(da.begin(), da.end(), out.begin());
    std::partial_sum(a.begin(), a.end(), want.begin());
    CHECK("inclusive_scan", same(out, want));

    device_ints odd(n);
    odd.resize(thrust::copy_if(da.begin(), da.end(), odd.begin(), is_odd()) - odd.begin());
    want.resize(std::copy_if(a.begin(), a.end(), want.begin(), is_odd()) - want.begin());
    CHECK("copy_if", same(odd, want));

    device_ints sorted = da;
    std::sort(a.begin(), a.end());
    if (n <= 1000) {                             /* larger ones go through a kernel that cub_device.cu tests */
        thrust::sort(sorted.begin(), sorted.end());
        CHECK("sort", same(sorted, a));
    }
    sorted = a;
    device_ints keys(n), sums(n);
    auto ends = thrust::reduce_by_key(sorted.begin(), sorted.end(), db.begin(), keys.begin(), sums.begin());
    keys.resize(ends.first - keys.begin());
    sums.resize(ends.second - sums.begin());
    ints want_sums;
    for (int i = 0; i < n; i++) {
        if (i == 0 || a[i] != a[i - 1])
            want_sums.push_back(0);
        want_sums.back() += b[i];
    }
    CHECK("reduce_by_key", same(sums, want_sums));
    sorted.resize(thrust::unique(sorted.begin(), sorted.end()) - sorted.begin());
    a.resize(std::unique(a.begin(), a.end()) - a.begin());
    CHECK("unique", same(sorted, a));
    CHECK("and_its_keys", same(keys, a));
}

int main()
{
    std::mt19937 random(1);
    for (int n : {1, 33, 1000, 50021})
        algorithms(n, random);
    return check_failures != 0;
}
#endif
