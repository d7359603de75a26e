// SPDX-License-Identifier: Apache-2.0
// A matrix product in tiles, for sizes that are no multiple of the tile, in three types.
#include "app.h"
#include <vector>

enum { TILE = 16 };

template <class T> __global__ void product(const T *a, const T *b, T *c, int m, int k, int n)
{
    __shared__ T sa[TILE][TILE], sb[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    T sum = 0;
    for (int t = 0; t < k; t += TILE) {
        sa[threadIdx.y][threadIdx.x] = row < m && t + (int)threadIdx.x < k ? a[row * k + t + threadIdx.x] : T(0);
        sb[threadIdx.y][threadIdx.x] = col < n && t + (int)threadIdx.y < k ? b[(t + threadIdx.y) * n + col] : T(0);
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

/* Small whole numbers: every sum is exact in every type, whatever the order. */
template <class T> static int test(const char *type, int m, int k, int n)
{
    std::vector<T> a(m * k), b(k * n), c(m * n), want(m * n);
    for (int i = 0; i < m * k; i++)
        a[i] = (T)(int)(app_random((uint32_t)i) % 17) - 8;
    for (int i = 0; i < k * n; i++)
        b[i] = (T)(int)(app_random((uint32_t)i + 999) % 13) - 6;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                want[i * n + j] += a[i * k + l] * b[l * n + j];
    T *da, *db, *dc;
    CUDA(cudaMalloc(&da, a.size() * sizeof(T)));
    CUDA(cudaMalloc(&db, b.size() * sizeof(T)));
    CUDA(cudaMalloc(&dc, c.size() * sizeof(T)));
    CUDA(cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice));
    product<T><<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(da, db, dc, m, k, n);
    CUDA(cudaMemcpy(c.data(), dc, c.size() * sizeof(T), cudaMemcpyDeviceToHost));
    printf("%s %dx%d times %dx%d: %s, last element %g\n", type, m, k, k, n, c == want ? "right" : "wrong", (double)c[m * n - 1]);
    CUDA(cudaFree(da));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dc));
    return c != want;
}

int main()
{
    return test<float>("float", 100, 50, 70) + test<double>("double", 33, 64, 17) + test<int>("int", 1, 200, 129);
}
