// SPDX-License-Identifier: Apache-2.0
// For tests of tables of device functions: a row is what the device computes and what the host knows it to be, for arguments a, b, c of one type.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

static int rows_bad;

// All results go through 64 bits: integers extended, floats as their bits, NaNs as one.
template <class T> __host__ __device__ inline unsigned long long bits64(T v) { return (unsigned long long)(long long)v; }
template <> __host__ __device__ inline unsigned long long bits64(unsigned int v) { return v; }
template <> __host__ __device__ inline unsigned long long bits64(unsigned long long v) { return v; }
template <> __host__ __device__ inline unsigned long long bits64(float v)
{
    unsigned int u;
    memcpy(&u, &v, sizeof u);
    return v != v ? 0x7fffffffu : u;
}
template <> __host__ __device__ inline unsigned long long bits64(double v)
{
    unsigned long long u;
    memcpy(&u, &v, sizeof u);
    return v != v ? 0x7fffffffffffffffull : u;
}

template <class T> struct row_arguments {
    T a, b, c;
};

// want(row, arguments) is the host's; close() is asked where bits differ.
template <class T, class Kernel, class Want> static void run_rows(const char *group, const std::vector<T> &values, int rows, const char *const *names,
                                                                  Kernel kernel, Want want)
{
    std::vector<row_arguments<T>> all;
    const size_t m = values.size();
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            all.push_back({values[i], values[j], values[(i * 7 + j * 3) % m]});
    const int n = (int)all.size();
    row_arguments<T> *in;
    unsigned long long *out;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, (size_t)n * rows * sizeof *out);
    memcpy(in, all.data(), n * sizeof *in);
    kernel<<<(n + 63) / 64, 64>>>(in, out, n);
    cudaError_t rc = cudaDeviceSynchronize();
    if (rc != cudaSuccess) {
        printf("%s: %s\n", group, cudaGetErrorString(rc));
        rows_bad++;
        return;
    }
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < n; i++)
            if (!want(row, in[i], out[(size_t)row * n + i]) && rows_bad++ < 20)
                printf("%s: %s of (%llx, %llx, %llx) gives %llx\n", group, names[row], bits64(in[i].a), bits64(in[i].b), bits64(in[i].c),
                       out[(size_t)row * n + i]);
    cudaFree(in);
    cudaFree(out);
}

// One operation of the host in another rounding mode.
template <class F> static auto rounded(int mode, F f) -> decltype(f())
{
    fesetround(mode);
    auto r = f();
    fesetround(FE_TONEAREST);
    return r;
}

// Conversions to integers on the device: NaN is 0, or the largest negative number where the source has 64 bits; what does not fit is clamped.
template <class Int, class F> static Int to_integer(F f, int mode)
{
    const bool is_signed = std::numeric_limits<Int>::is_signed;
    if (f != f)
        return sizeof(F) == 8 || sizeof(Int) == 8 ? (Int)((Int)1 << (sizeof(Int) * 8 - 1)) : 0;
    long double r = mode == FE_TOWARDZERO ? truncl(f) : mode == FE_DOWNWARD ? floorl(f) : mode == FE_UPWARD ? ceill(f) : rintl(f);
    if (r >= ldexpl(1, sizeof(Int) * 8 - is_signed))
        return std::numeric_limits<Int>::max();
    if (r < (long double)std::numeric_limits<Int>::min())
        return std::numeric_limits<Int>::min();
    return (Int)r;
}
