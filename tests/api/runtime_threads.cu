// SPDX-License-Identifier: Apache-2.0
// Many threads: the first use of the runtime, of a module, and of streams may come from all at once.
#include "runtime_check.h"
#include <atomic>
#include <thread>
#include <vector>

__device__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__global__ void mix(int *p, int n, int seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = p[i] * 3 + table[(i + seed) & 7];
}

enum { THREADS = 8, ROUNDS = 20, N = 1000 };
static std::atomic<int> wrong, failed;

static void body(int id)
{
    cudaStream_t s;
    int *d, *h;
    if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) || cudaMalloc(&d, N * 4) || cudaMallocHost(&h, N * 4)) {
        failed++;
        return;
    }
    std::vector<int> want(N);
    for (int i = 0; i < N; i++)
        want[i] = h[i] = i + id;
    failed += cudaMemcpyAsync(d, h, N * 4, cudaMemcpyHostToDevice, s) != cudaSuccess;
    for (int r = 0; r < ROUNDS; r++) {
        mix<<<(N + 127) / 128, 128, 0, s>>>(d, N, r + id);
        for (int i = 0; i < N; i++)
            want[i] = want[i] * 3 + ((i + r + id) & 7) + 1;
    }
    failed += cudaMemcpyAsync(h, d, N * 4, cudaMemcpyDeviceToHost, s) != cudaSuccess;
    failed += cudaStreamSynchronize(s) != cudaSuccess;
    for (int i = 0; i < N; i++)
        wrong += h[i] != want[i];
    failed += cudaStreamDestroy(s) || cudaFree(d) || cudaFreeHost(h);
}

int main()
{
    std::vector<std::thread> t;
    for (int i = 0; i < THREADS; i++)
        t.emplace_back(body, i);
    for (auto &x : t)
        x.join();
    CHECK("no_call_fails", failed == 0);
    CHECK("every_thread_gets_its_own_result", wrong == 0);
    return check_failures != 0;
}
