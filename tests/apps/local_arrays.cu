// SPDX-License-Identifier: Apache-2.0
// Arrays of each thread, indexed by numbers that only show at run time: the same for all, one for each lane, in divergent code, across barriers;
// of words, of 8 bytes, of vectors, of bytes, and with their address given away.
#include "app.h"

enum { N = 300, THREADS = 75, LENGTH = 16 };

template<class T>
__host__ __device__ T mixed(unsigned x)
{
    return (T)(app_random(x) % 1000);
}

template<class T>
__host__ __device__ void work(T *a, const unsigned *order, unsigned t, unsigned rounds)
{
    for (unsigned i = 0; i < LENGTH; i++)
        a[i] = mixed<T>(t * LENGTH + i);
    for (unsigned r = 0; r < rounds; r++) {
        unsigned same = order[r % LENGTH], own = (same + t) % LENGTH;
        a[same] = a[same] + a[(same + r) % LENGTH];
        if ((t + r) % 3)
            a[own] = a[own] + a[same] + (T)1;
        for (unsigned i = 0; i < (t ^ r) % 5; i++)
            a[(own + i) % LENGTH] = a[i] + (T)2;
    }
}

template<class T>
__global__ void in_kernel(const unsigned *order, unsigned rounds, T *out)
{
    T a[LENGTH];
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    work(a, order, t, rounds);
    __syncthreads();
    for (unsigned i = 0; i < LENGTH; i++)
        out[t * LENGTH + i] = a[order[i]];
}


__global__ void vectors(const unsigned *order, unsigned rounds, float *out)
{
    float4 a[4];
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = 0; i < 4; i++)
        a[i] = make_float4((float)i, (float)t, (float)(i ^ t), 1);
    for (unsigned r = 0; r < rounds; r++) {
        float4 &to = a[order[r % LENGTH] % 4], from = a[(order[r % LENGTH] + t) % 4];
        to = make_float4(from.w, to.x + 1, from.y, to.z + from.x);
    }
    for (unsigned i = 0; i < 4; i++)
        *(float4 *)(out + t * LENGTH + i * 4) = a[order[i] % 4];
}

__device__ __noinline__ unsigned long long sum_of(const unsigned *a, unsigned n)
{
    return n == 0 ? 0 : a[n - 1] + sum_of(a, n - 1);
}

__global__ void given_away(const unsigned *order, unsigned rounds, unsigned *out)
{
    unsigned a[LENGTH];
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    work(a, order, t, rounds);
    for (unsigned i = 0; i < LENGTH; i++)
        out[t * LENGTH + i] = (unsigned)sum_of(a + order[i] / 2, i / 2);
}

static unsigned *order;
static void *out;
enum { ROUNDS = 23 };

template<class T>
static void check(const char *name)
{
    static T want[N * LENGTH], got[N * LENGTH];
    in_kernel<T><<<N / THREADS, THREADS>>>(order, ROUNDS, (T *)out);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned t = 0; t < N; t++) {
        T a[LENGTH];
        work(a, order, t, ROUNDS);
        for (unsigned i = 0; i < LENGTH; i++)
            wrong += (want[t * LENGTH + i] = a[order[i]]) != got[t * LENGTH + i];
    }
    printf("%-10s %u wrong, %016llx\n", name, wrong, (unsigned long long)app_hash(got, sizeof got));
}

int main()
{
    static unsigned words[N * LENGTH];
    CUDA(cudaMallocManaged(&order, LENGTH * sizeof *order));
    CUDA(cudaMalloc(&out, N * LENGTH * 8));
    for (unsigned i = 0; i < LENGTH; i++)
        order[i] = i * 7 % LENGTH;
    check<unsigned>("words");
    check<float>("floats");
    check<double>("doubles");
    check<unsigned long long>("long");
    check<unsigned char>("bytes");
    check<unsigned short>("shorts");
    vectors<<<N / THREADS, THREADS>>>(order, ROUNDS, (float *)out);
    CUDA(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
    printf("vectors    %016llx\n", (unsigned long long)app_hash(words, sizeof words));
    given_away<<<N / THREADS, THREADS>>>(order, ROUNDS, (unsigned *)out);
    CUDA(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned t = 0; t < N; t++) {
        unsigned a[LENGTH];
        work(a, order, t, ROUNDS);
        for (unsigned i = 0; i < LENGTH; i++) {
            unsigned sum = 0;
            for (unsigned k = 0; k < i / 2; k++)
                sum += a[order[i] / 2 + k];
            wrong += sum != words[t * LENGTH + i];
        }
    }
    printf("given away %u wrong\n", wrong);
    return 0;
}
