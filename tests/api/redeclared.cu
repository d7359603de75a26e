// SPDX-License-Identifier: Apache-2.0
// Functions of which one declaration says __host__ __device__ and another nothing: nvcc warns, and takes them for both sides.
#include "runtime_check.h"

struct total {
    float sum; total(); total &operator+=(float a); volatile total &operator+=(float a) volatile;
    int twice(int x) const;
    static int
    three();
};
inline __host__ __device__ total::total() : sum(0) {}
inline __host__ __device__ total &total::operator+=(float a)
{
    sum += a;
    return *this;
}
inline __host__ __device__ volatile total &total::operator+=(float a) volatile
{
    sum += 10 * a;
    return *this;
}
__host__ __device__ int total::twice(int x) const { return 2 * x; }
__host__ __device__ int total::three() { return 3; }

int plain_first(int);
__host__ __device__ int plain_first(int x) { return x + 1; }
__host__ __device__ int plain_last(int);
int plain_last(int x) { return x + 2; }
template <class T> struct box { T held; T open(T more); };
template <class T> __host__ __device__ T box<T>::open(T more) { return held + more; }

__host__ __device__ int all()
{
    total a;
    volatile total b;
    a += 1;
    b += 2;
    box<int> c = { 5 };
    return (int)a.sum + (int)b.sum + a.twice(4) + total::three() + plain_first(100) + plain_last(1000) + c.open(10000);
}

__global__ void on_device(int *out) { *out = all(); }

int main()
{
    int *out;
    NEED(cudaMallocManaged(&out, sizeof *out));
    on_device<<<1, 1>>>(out);
    CHECK_OK("kernels call what one declaration says is theirs", cudaDeviceSynchronize());
    CHECK("on the device", *out == 11140);
    CHECK("on the host", all() == 11140);
    return check_failures != 0;
}
