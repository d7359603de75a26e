// SPDX-License-Identifier: Apache-2.0
// Sums of floats that threads collect in copies: every table's sum is right, the signs of zeros too, also beside memory that the kernel reads.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add_f(float *sum, const float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(&sum[i % 1000], x[i]); }
__global__ void add_d(double *sum, const float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(&sum[i / 64], (double)x[i]); }
__global__ void add_one(float *sum, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(sum, 1.0f); }
__global__ void add_zero(float *sum, float zero, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(&sum[i % 32], zero); }

#define CHECK(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, #c); return 1; } } while (0)

int main()
{
    enum { N = 200000, T = 1000 };
    static float x[N], f[T], z[64];
    static double d[N / 64 + 1];
    float *dx, *df, *dz;
    double *dd;
    cudaMalloc(&dx, sizeof x); cudaMalloc(&df, sizeof f); cudaMalloc(&dd, sizeof d); cudaMalloc(&dz, sizeof z);
    for (int i = 0; i < N; i++) x[i] = (float)(i % 17) - 8;          /* integers: exact in any order */
    for (int i = 0; i < T; i++) f[i] = (float)i;
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(df, f, sizeof f, cudaMemcpyHostToDevice);
    cudaMemset(dd, 0, sizeof d);
    for (int r = 0; r < 3; r++) {
        add_f<<<(N + 255) / 256, 256>>>(df, dx, N);
        add_d<<<(N + 255) / 256, 256>>>(dd, dx, N);
    }
    cudaMemcpy(f, df, sizeof f, cudaMemcpyDeviceToHost);
    cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost);
    static double want_f[T], want_d[N / 64 + 1];
    for (int i = 0; i < T; i++) want_f[i] = i;
    for (int i = 0; i < N; i++) { want_f[i % T] += 3 * (double)x[i]; want_d[i / 64] += 3 * (double)x[i]; }
    for (int i = 0; i < T; i++) CHECK(f[i] == want_f[i]);
    for (int i = 0; i < N / 64; i++) CHECK(d[i] == want_d[i]);
    cudaMemset(df, 0, 4);
    add_one<<<(N + 127) / 128, 128>>>(df, N);
    cudaMemcpy(f, df, 4, cudaMemcpyDeviceToHost);
    CHECK(f[0] == N);
    for (int i = 0; i < 64; i++) z[i] = -0.0f;
    cudaMemcpy(dz, z, sizeof z, cudaMemcpyHostToDevice);
    add_zero<<<400, 128>>>(dz, -0.0f, 51200);
    cudaMemcpy(z, dz, sizeof z, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) CHECK(z[i] == 0 && std::signbit(z[i]));
    add_zero<<<400, 128>>>(dz, 0.0f, 51200);
    cudaMemcpy(z, dz, sizeof z, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) CHECK(z[i] == 0 && std::signbit(z[i]) == (i >= 32));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    return 0;
}
