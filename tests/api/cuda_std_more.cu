// SPDX-License-Identifier: Apache-2.0
// cuda::std and cuda:: on both sides: one function makes the same numbers on host and device, and they are the right ones.
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/bit>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/latch>
#include <cuda/mdspan>
#include <cuda/semaphore>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/cassert>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/cstdlib>
#include <cuda/std/expected>
#include <cuda/std/latch>
#include <cuda/std/numbers>
#include <cuda/std/numeric>
#include <cuda/std/string_view>
#include <cuda/std/variant>
#include <cuda/stream_ref>
#include <cuda/version>

#include <cstdio>

namespace cs = cuda::std;

__host__ __device__ cs::expected<int, const char *> root_of(int x)
{
    for (int r = 0; r * r <= x; r++)
        if (r * r == x)
            return r;
    return cs::unexpected("no square");
}

enum { COUNT = 40 };

__host__ __device__ int all(double *out)
{
    int n = 0;
    cs::array<int, 8> a = {{5, 3, 8, 1, 9, 2, 7, 4}};
    int store[12];
    out[n++] = cs::accumulate(a.begin(), a.end(), 0);                                      // 39
    out[n++] = cs::inner_product(a.begin(), a.end(), a.begin(), 0);                        // 249
    cs::sort(a.begin(), a.end());
    out[n++] = cs::is_sorted(a.begin(), a.end()) && a[0] == 1 && a[7] == 9;                // 1
    out[n++] = (double)(cs::lower_bound(a.begin(), a.end(), 5) - a.begin());               // 4
    out[n++] = (double)(cs::upper_bound(a.begin(), a.end(), 5) - a.begin());               // 5
    out[n++] = cs::binary_search(a.begin(), a.end(), 6);                                   // 0
    cs::sort(a.begin(), a.end(), [](int x, int y) { return x > y; });
    out[n++] = a[0] * 10 + a[7];                                                           // 91
    cs::iota(store, store + 12, 1);
    cs::rotate(store, store + 5, store + 12);
    out[n++] = store[0] * 100 + store[11];                                                 // 605
    out[n++] = (double)cs::count_if(store, store + 12, [](int x) { return x % 3 == 0; });  // 4
    cs::transform(store, store + 12, store, [](int x) { return x * x; });
    out[n++] = *cs::max_element(store, store + 12);                                        // 144
    out[n++] = cs::reduce(store, store + 12);                                              // 650
    cs::partial_sum(store, store + 3, store);
    out[n++] = store[2];                                                                   // 36 + 49 + 64 = 149
    // complex
    cs::complex<double> z(3, 4), w = cs::polar(2.0, 0.5);
    out[n++] = cs::abs(z);                                                                 // 5
    out[n++] = cs::norm(z * cs::conj(z));                                                  // 625
    out[n++] = cs::arg(w);                                                                 // 0.5
    out[n++] = cs::exp(cs::complex<double>(0, cs::numbers::pi)).real();                    // -1
    out[n++] = (cs::sqrt(cs::complex<double>(-4, 0)) / cs::complex<double>(0, 1)).real();  // 2
    cs::complex<float> zf(1.0f, 2.0f);
    zf *= cs::complex<float>(0.0f, 1.0f);
    out[n++] = zf.real() * 10 + zf.imag();                                                 // -19
    // mdspan
    double grid[12];
    for (int i = 0; i < 12; i++)
        grid[i] = i;
    cs::mdspan<double, cs::extents<int, cs::dynamic_extent, 4>> rows(grid, 3);
    cs::mdspan<double, cs::dextents<size_t, 2>, cs::layout_left> columns(grid, 3, 4);
    out[n++] = rows(2, 1) * 100 + columns(2, 1);                                           // 905
    out[n++] = (double)(rows.extent(0) * 1000 + rows.size() * 10 + rows.rank());           // 3122
    cs::layout_stride::mapping<cs::dextents<int, 2>> map(cs::dextents<int, 2>(2, 2), cs::array<int, 2>{{4, 2}});
    cs::mdspan<double, cs::dextents<int, 2>, cs::layout_stride> spread(grid, map);
    out[n++] = spread(1, 1) * 10 + map.required_span_size();                               // 67
    // expected, variant, string_view
    out[n++] = root_of(49).value() + root_of(50).value_or(-100);                           // -93
    out[n++] = root_of(36).transform([](int x) { return x + 0.5; }).value();               // 6.5
    out[n++] = root_of(2).error()[3] == 's';                                               // 1
    cs::string_view text("device code", 11);
    cs::variant<int, double> either(2.5);
    out[n++] = (double)text.size() + (text[3] == 'i') + (double)either.index();            // 13
    // cuda::
    out[n++] = cuda::ceil_div(10, 4) * 100 + cuda::round_up(10, 4) * 10 + cuda::ilog2(40u);// 3 * 100 + 120 + 5
    out[n++] = cuda::bitfield_extract(0xabcdu, 4, 8);                                      // 0xbc
    out[n++] = cuda::bit_reverse((unsigned char)1);                                        // 128
    out[n++] = cuda::maximum<>()(2, 3.5) + cuda::minimum<int>()(4, 7);                     // 7.5
    out[n++] = cuda::proclaim_return_type<double>([](int x) { return x / 2.0; })(5);       // 2.5
    // synchronisation, by one thread
    cuda::latch<cuda::thread_scope_device> latch(2);
    latch.count_down();
    out[n++] = latch.try_wait();                                                           // 0
    latch.arrive_and_wait();
    cuda::counting_semaphore<cuda::thread_scope_block> permits(1);
    permits.acquire();
    out[n++] = permits.try_acquire();                                                      // 0
    permits.release();
    out[n++] = permits.try_acquire();                                                      // 1
    cuda::atomic<short> narrow(5);
    narrow.fetch_add(3);
    short expected = 8;
    out[n++] = narrow.compare_exchange_strong(expected, 11) * 100 + narrow.exchange(2);    // 111
    cuda::std::atomic_flag flag;
    out[n++] = flag.test_and_set() * 10 + flag.test_and_set();                             // 1
    cuda::atomic<int *> pointer(store);
    out[n++] = (double)(pointer.fetch_add(3) == store && pointer.load() == store + 3);     // 1
    volatile cuda::atomic<int> often(4);
    often++;
    out[n++] = often.fetch_or(8) * 100 + often;                                            // 513
    cuda::annotated_ptr<double, cuda::access_property::streaming> annotated(grid);
    out[n++] = annotated[7];                                                               // 7
    auto start = cs::chrono::high_resolution_clock::now();
    out[n++] = cs::chrono::duration_cast<cs::chrono::seconds>(cs::chrono::system_clock::now() - start).count() < 100; // 1
    return n;
}

static const double right[COUNT] = {39, 249, 1, 4, 5, 0, 91, 605, 4, 144, 650, 149, 5, 625, 0.5, -1, 2, -19, 905, 3122, 67, -93, 6.5, 1, 13, 425, 0xbc, 128, 7.5,
                                    2.5, 0, 0, 1, 111, 1, 1, 513, 7, 1};

__global__ void on_device(double *out, int *n) { *n = all(out); }

// Many threads, and the host, at one set of atomics.
__global__ void count(cuda::atomic<unsigned char> *bytes, cuda::atomic<float> *sum, cuda::std::latch *done, cuda::binary_semaphore<> *mutex, int *guarded)
{
    bytes[threadIdx.x % 4].fetch_add(1);
    sum->fetch_add(0.25f);
    if (threadIdx.x % 32 == 0) {
        mutex->acquire();
        *guarded += 1;
        mutex->release();
    }
    done->count_down();
}

int main()
{
    double *out, host[COUNT];
    int *numbers, bad = 0;
    cudaMallocManaged(&out, sizeof host);
    cudaMallocManaged(&numbers, 2 * sizeof *numbers);
    numbers[1] = 0;
    on_device<<<1, 1>>>(out, numbers);
    cuda::stream_ref(cudaStream_t(0)).wait();
    const int n = all(host);
    bad += numbers[0] != n;
    for (int i = 0; i < n; i++)
        if (fabs(host[i] - right[i]) > 1e-12 || fabs(out[i] - right[i]) > 1e-12)
            if (++bad < 10)
                printf("%d: host %g, device %g, right is %g\n", i, host[i], out[i], right[i]);

    cuda::atomic<unsigned char> *bytes;
    cuda::atomic<float> *sum;
    cuda::std::latch *done;
    cuda::binary_semaphore<> *mutex;
    cudaMallocManaged(&bytes, 4);
    cudaMallocManaged(&sum, sizeof *sum);
    cudaMallocManaged(&done, sizeof *done);
    cudaMallocManaged(&mutex, sizeof *mutex);
    new (sum) cuda::atomic<float>(0);
    new (done) cuda::std::latch(4 * 128);
    new (mutex) cuda::binary_semaphore<>(1);
    for (int i = 0; i < 4; i++)
        bytes[i] = 7;
    count<<<4, 128>>>(bytes, sum, done, mutex, numbers + 1);
    done->wait();
    bad += cudaDeviceSynchronize() != cudaSuccess || sum->load() != 128 || numbers[1] != 16;
    for (int i = 0; i < 4; i++)
        bad += bytes[i].load() != 7 + 128;
    printf("%s\n", bad ? "bad" : "good");
    return bad != 0;
}
