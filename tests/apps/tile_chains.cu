// SPDX-License-Identifier: Apache-2.0
// Loops that read tiles, stop at a barrier and compute long chains with them: several warps are computed side by side, and the next turn's tiles are
// fetched meanwhile. Blocks of one to 32 warps, counters that move before and behind the barriers, one turn and none.
#include "app.h"
#include <math.h>
#include <vector>

template <int TX, int TY> __global__ void product(const float *a, const float *b, float *c, int n, int turns)
{
    __shared__ float sa[TY][TX], sb[TX][TX];
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    float sum = 0.0f;
    for (int t = 0; t < turns; t++) {
        sa[threadIdx.y][threadIdx.x] = a[y * n + t * TX + threadIdx.x];
#pragma unroll
        for (int j = 0; j < TX / TY; j++)
            sb[j * TY + threadIdx.y][threadIdx.x] = b[(t * TX + j * TY + threadIdx.y) * n + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TX; k++)
            sum = fmaf(sa[threadIdx.y][k], sb[k][threadIdx.x], sum);
        __syncthreads();
    }
    c[y * n + x] = sum;
}

/* The pointer moves on before the first barrier, the counter behind it; each block has its own columns. */
template <int THREADS> __global__ void walk(const float *in, float *out, int n, int turns)
{
    __shared__ float s[THREADS];
    const float *p = in + blockIdx.x * THREADS + threadIdx.x;
    float sum = 0.0f;
    while (turns > 0) {
        s[threadIdx.x] = *p;
        p += n;
        __syncthreads();
        turns--;
#pragma unroll
        for (int k = 0; k < 24; k++)
            sum = fmaf(s[threadIdx.x ^ k], 0.75f, sum);
        __syncthreads();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

enum { N = 128 };
static std::vector<float> a(N * N), b(N * N), c(N * N);
static float *da, *db, *dc;

template <int TX, int TY> static int test_product(int turns)
{
    int wrong = 0;
    product<TX, TY><<<dim3(N / TX, N / TY), dim3(TX, TY)>>>(da, db, dc, N, turns);
    CUDA(cudaMemcpy(c.data(), dc, N * N * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            float sum = 0;
            for (int k = 0; k < turns * TX; k++)
                sum = fmaf(a[y * N + k], b[k * N + x], sum);
            wrong += sum != c[y * N + x];
        }
    printf("product %dx%d, %d turns: %d wrong\n", TX, TY, turns, wrong);
    return wrong;
}

template <int THREADS> static int test_walk(int turns)
{
    int wrong = 0, blocks = N / THREADS ? N / THREADS : 1;
    walk<THREADS><<<blocks, THREADS>>>(da, dc, N, turns);
    CUDA(cudaMemcpy(c.data(), dc, blocks * THREADS * sizeof(float), cudaMemcpyDeviceToHost));
    for (int x = 0; x < blocks * THREADS; x++) {
        float sum = 0;
        for (int t = 0; t < turns; t++)
            for (int k = 0; k < 24; k++)
                sum = fmaf(a[t * N + x / THREADS * THREADS + (x % THREADS ^ k)], 0.75f, sum);
        wrong += sum != c[x];
    }
    printf("walk %d, %d turns: %d wrong\n", THREADS, turns, wrong);
    return wrong;
}

int main()
{
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(app_random((uint32_t)i) % 1000) / 7;
        b[i] = (float)(app_random((uint32_t)i + 77777) % 1000) / 11;
    }
    CUDA(cudaMalloc(&da, N * N * sizeof(float)));
    CUDA(cudaMalloc(&db, N * N * sizeof(float)));
    CUDA(cudaMalloc(&dc, N * N * sizeof(float)));
    CUDA(cudaMemcpy(da, a.data(), N * N * sizeof(float), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b.data(), N * N * sizeof(float), cudaMemcpyHostToDevice));
    int wrong = test_product<16, 16>(8) + test_product<16, 16>(1) + test_product<16, 16>(0) + test_product<32, 32>(4) + test_product<16, 8>(8)
        + test_product<16, 4>(3) + test_product<16, 2>(8) + test_product<32, 2>(2);
    wrong += test_walk<32>(100) + test_walk<64>(3) + test_walk<128>(128) + test_walk<128>(1) + test_walk<128>(0);
    return wrong != 0;
}
