// SPDX-License-Identifier: Apache-2.0
// run: --extended-lambda
// Modern C++ in kernels: templates, lambdas, constexpr of the standard library, classes with operators, function objects.
#include "app.h"
#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

template <class T, class F> __global__ void transform(T *p, int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = f(p[i], i);
}

struct rational {
    int n, d;
    __host__ __device__ rational(int n_ = 0, int d_ = 1) : n(n_), d(d_) {}
    __host__ __device__ rational operator+(const rational &o) const { return reduced(n * o.d + o.n * d, d * o.d); }
    __host__ __device__ rational operator*(const rational &o) const { return reduced(n * o.n, d * o.d); }
    __host__ __device__ static rational reduced(int n, int d)
    {
        int a = n < 0 ? -n : n, b = d;
        while (b) {
            int t = a % b;
            a = b;
            b = t;
        }
        return rational(n / a, d / a);
    }
};

template <class Op> __global__ void fold(const rational *in, rational *out, int n, Op op)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        rational r = in[0];
        for (int i = 1; i < n; i++)
            r = op(r, in[i]);
        *out = r;
    }
}

struct times {
    __host__ __device__ rational operator()(const rational &a, const rational &b) const { return a * b; }
};

template <int N> struct power {
    static __host__ __device__ constexpr long long of(long long x) { return x * power<N - 1>::of(x); }
};
template <> struct power<0> {
    static __host__ __device__ constexpr long long of(long long) { return 1; }
};

int main()
{
    const int n = 500;
    std::vector<int> v(n);
    for (int i = 0; i < n; i++)
        v[i] = i - 250;
    int *d, low = -100, high = 120;
    CUDA(cudaMalloc(&d, n * sizeof *d));
    CUDA(cudaMemcpy(d, v.data(), n * sizeof *d, cudaMemcpyHostToDevice));
    transform<<<4, 128>>>(d, n, [=] __device__(int x, int) { return std::min(std::max(x, low), high); });
    transform<<<4, 128>>>(d, n, [] __device__(int x, int i) { return x + (int)power<3>::of(i % 5); });
    transform<<<4, 128>>>(d, n, [] __device__(int x, int) { return std::is_signed<int>::value ? x : std::numeric_limits<int>::max(); });
    CUDA(cudaMemcpy(v.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += v[i] != std::min(std::max(i - 250, low), high) + (i % 5) * (i % 5) * (i % 5);
    printf("lambdas: %d wrong\n", wrong);

    rational r[4] = {rational(1, 2), rational(2, 3), rational(3, 4), rational(-10, 7)}, *dr, got;
    CUDA(cudaMalloc(&dr, 5 * sizeof *dr));
    CUDA(cudaMemcpy(dr, r, sizeof r, cudaMemcpyHostToDevice));
    fold<<<1, 32>>>(dr, dr + 4, 4, times());
    CUDA(cudaMemcpy(&got, dr + 4, sizeof got, cudaMemcpyDeviceToHost));
    printf("product: %d/%d\n", got.n, got.d);
    fold<<<1, 32>>>(dr, dr + 4, 4, [] __device__(const rational &a, const rational &b) { return a + b; });
    CUDA(cudaMemcpy(&got, dr + 4, sizeof got, cudaMemcpyDeviceToHost));
    printf("sum: %d/%d\n", got.n, got.d);
    return wrong != 0;
}
