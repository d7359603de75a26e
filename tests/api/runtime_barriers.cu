// SPDX-License-Identifier: Apache-2.0
// cuda::barrier, cuda::pipeline, cuda::atomic, memcpy_async and random numbers: what the threads of a block tell each other.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void halves(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int tile[128], primitive[128];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    if (t == 0)
        init(&bar, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, tile, in, sizeof tile, bar);
    bar.arrive_and_wait();
    __pipeline_memcpy_async(&primitive[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    auto token = bar.arrive();
    bar.wait(static_cast<decltype(token) &&>(token));
    int sum = tile[(t + 1) % 128] + primitive[127 - t];
    block.sync();
    cg::memcpy_async(block, tile, in + 128, sizeof tile);
    cg::wait(block);
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    int own;
    cuda::memcpy_async(&own, &tile[127 - t], sizeof own, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[t] = sum + own;
}

__global__ void count(cuda::atomic<int, cuda::thread_scope_device> *a, float *f)
{
    a->fetch_add(2);
    a->fetch_max(1);
    cuda::atomic_ref<float, cuda::thread_scope_device>(*f).fetch_add(0.5f);
}

template <class State> __global__ void draw(double *sums)
{
    State s;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(42, t, 0, &s);
    double u = 0, n = 0, n2 = 0, p = 0;
    for (int i = 0; i < 64; i++) {
        double x = curand_normal(&s);
        u += curand_uniform(&s);
        n += x;
        n2 += x * x;
        p += curand_poisson(&s, 3.0);
    }
    atomicAdd(sums, u);
    atomicAdd(sums + 1, n);
    atomicAdd(sums + 2, n2);
    atomicAdd(sums + 3, p);
}

__global__ void philox(unsigned *out)
{
    curandStatePhilox4_32_10_t s;
    curand_init(0, 0, 0, &s);
    for (int i = 0; i < 4; i++)
        out[i] = curand(&s);
}

template <class State> static int moments(const char *name)
{
    double *s;
    const double n = 16 * 128 * 64;
    cudaMallocManaged(&s, 32);
    s[0] = s[1] = s[2] = s[3] = 0;
    draw<State><<<16, 128>>>(s);
    bool ok = cudaDeviceSynchronize() == cudaSuccess && fabs(s[0] / n - 0.5) < 0.01 && fabs(s[1] / n) < 0.02 &&
              fabs(s[2] / n - 1) < 0.03 && fabs(s[3] / n - 3) < 0.05;
    if (!ok)
        printf("%s: means %g %g %g %g\n", name, s[0] / n, s[1] / n, s[2] / n, s[3] / n);
    return !ok;
}

/* One warp fills stages, the others use them: what is used must be of its stage, however the warps run. */
__global__ void stages(const int *in, int *out, int n)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int buffer[2][32];
    auto block = cooperative_groups::this_thread_block();
    bool fills = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (fills) {
            pipe.producer_acquire();
            cuda::memcpy_async(&buffer[i % 2][threadIdx.x], &in[i % 8 * 32 + threadIdx.x], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum = sum * 3 + buffer[i % 2][(threadIdx.x + i) % 32];
            pipe.consumer_release();
        }
    }
    out[threadIdx.x] = sum;
}

static int wrong_stages(const int *in, int *out)
{
    int wrong = 0;
    stages<<<1, 96>>>(in, out, 50);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (int t = 32; t < 96; t++) {
        int sum = 0;
        for (int i = 0; i < 50; i++)
            sum = (int)((unsigned)sum * 3u + (unsigned)in[i % 8 * 32 + (t + i) % 32]);
        wrong += out[t] != sum;
    }
    return wrong;
}

/* What CUDA 13's own header gives for this seed, to the last digits but one. */
__global__ void mrg_normals(double *o)
{
    curandStateMRG32k3a_t s;
    curand_init(1234, 5, 10, &s);
    for (int i = 0; i < 5; i++)
        o[i] = curand_normal_double(&s);
    o[5] = curand_log_normal_double(&s, 0, 1);
}

static int wrong_normals()
{
    static const double want[] = { -1.3894197462679021, 1.06338510715839, -0.57735570945527903, 0.93826897314065838, 1.6248108212090726, 0.57724075657379115 };
    double *o;
    int wrong = 0;
    cudaMallocManaged(&o, sizeof want);
    mrg_normals<<<1, 1>>>(o);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (int i = 0; i < 6; i++)
        wrong += !(fabs(o[i] - want[i]) < 1e-14);
    return wrong;
}

int main()
{
    int *in, *out, bad = 0;
    cuda::atomic<int, cuda::thread_scope_device> *a;
    float *f;
    unsigned *w;
    cudaMallocManaged(&in, 1024);
    cudaMallocManaged(&out, 512);
    cudaMallocManaged(&a, sizeof *a);
    cudaMallocManaged(&f, 4);
    cudaMallocManaged(&w, 16);
    for (int i = 0; i < 256; i++)
        in[i] = i * i;
    halves<<<1, 128>>>(in, out);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    for (int t = 0; t < 128; t++)
        bad += out[t] != in[(t + 1) % 128] + in[127 - t] + in[128 + 127 - t];
    printf("barriers %d\n", bad);
    bad += wrong_stages(in, out);
    printf("stages %d\n", bad);
    *(int *)a = 0;
    *f = 0;
    count<<<4, 64>>>(a, f);
    bad += cudaDeviceSynchronize() != cudaSuccess || *(int *)a != 512 || *f != 128;
    // The published test vector of Philox4x32-10 for counter and key zero.
    philox<<<1, 1>>>(w);
    bad += cudaDeviceSynchronize() != cudaSuccess || w[0] != 0x6627e8d5 || w[1] != 0xe169c58d || w[2] != 0xbc57ac4c || w[3] != 0x9b00dbd8;
    bad += moments<curandStateXORWOW_t>("xorwow") + moments<curandStatePhilox4_32_10_t>("philox") + moments<curandStateMRG32k3a_t>("mrg");
    bad += wrong_normals();
    printf("%s\n", bad ? "bad" : "good");
    return bad != 0;
}
