// SPDX-License-Identifier: Apache-2.0
// Grid-stride loops in several spellings: every element is visited once, by the thread it belongs to, in that thread's order.
#include "runtime_check.h"

template <class T> __global__ void count(T n, int *hits) { for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) hits[i]++; }
__global__ void inclusive(int n, int *hits) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n - 1; i += blockDim.x * gridDim.x) atomicAdd(&hits[i], 1); }
// No test before the first iteration.
__global__ void at_least_once(int n, int *hits) { int i = blockIdx.x * blockDim.x + threadIdx.x; do { atomicAdd(&hits[i], 1); i += gridDim.x * blockDim.x; } while (i < n); }
// Each thread reads what it wrote an iteration ago.
__global__ void chain(int n, int *v) { int s = gridDim.x * blockDim.x; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += s) v[i] = i < s ? 1 : v[i - s] + 1; }
// Leaves early, and sums: these stay loops.
__global__ void leaves(int n, const int *stop, int *hits) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { if (stop[i]) break; hits[i]++; } }
__global__ void sums(int n, const int *v, int *out) { int t = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) t += v[i]; atomicAdd(out, t); }
int main(void)
{
    enum { N = 10007 };
    static int host[N], twos[N];
    int *d, *e;
    NEED(cudaMalloc(&d, sizeof host));
    NEED(cudaMalloc(&e, sizeof host));
    const int grids[][2] = { { 1, 32 }, { 3, 96 }, { 7, 256 }, { 40, 256 }, { 5, 33 }, { 64, 1 } };
    for (int g = 0; g < 6; g++) {
        int threads = grids[g][0] * grids[g][1];
        for (int n = N; n > 0; n = n == N ? threads : n == threads ? threads + 1 : n == threads + 1 ? 31 : 0) {
            if (n > N)
                continue;
            for (int kind = 0; kind < 6; kind++) {
                int wrong = 0;
                NEED(cudaMemset(d, 0, sizeof host));
                switch (kind) {
                case 0: count<int><<<grids[g][0], grids[g][1]>>>(n, d); break;
                case 1: count<unsigned><<<grids[g][0], grids[g][1]>>>(n, d); break;
                case 2: count<size_t><<<grids[g][0], grids[g][1]>>>(n, d); break;
                case 3: inclusive<<<grids[g][0], grids[g][1]>>>(n, d); break;
                case 4: chain<<<grids[g][0], grids[g][1]>>>(n, d); break;
                case 5: if (threads <= N) at_least_once<<<grids[g][0], grids[g][1]>>>(n, d); break;
                }
                NEED(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
                for (int i = 0; i < N; i++) {
                    int want = kind == 4 ? i / threads + 1 : 1;
                    if (kind == 5 ? threads > N || (i >= n && i >= threads) : i >= n)
                        want = 0;
                    wrong += host[i] != want;
                }
                CHECK("each_element_once", wrong == 0);
            }
        }
        int wrong = 0, sum = 0;
        for (int i = 0; i < N; i++)
            twos[i] = i % 1000 == 999;
        NEED(cudaMemcpy(e, twos, sizeof twos, cudaMemcpyHostToDevice));
        NEED(cudaMemset(d, 0, sizeof host));
        leaves<<<grids[g][0], grids[g][1]>>>(N, e, d);
        NEED(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
        for (int t = 0; t < threads; t++)
            for (int i = t, on = 1; i < N; i += threads) {
                on = on && !twos[i];
                wrong += host[i] != on;
            }
        CHECK("who_leaves_stays_away", wrong == 0);
        NEED(cudaMemset(d, 0, sizeof host));
        sums<<<grids[g][0], grids[g][1]>>>(N, e, d);
        NEED(cudaMemcpy(&sum, d, sizeof sum, cudaMemcpyDeviceToHost));
        CHECK("sums_are_kept", sum == N / 1000);
    }
    NEED(cudaFree(d));
    NEED(cudaFree(e));
    return check_failures != 0;
}
