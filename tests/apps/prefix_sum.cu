// SPDX-License-Identifier: Apache-2.0
// Prefix sums of any length: blocks scan their part in shared memory, then the sums of the parts are scanned likewise.
#include "app.h"
#include <vector>

enum { BLOCK = 256 };

__global__ void scan_parts(const uint32_t *in, uint32_t *out, uint32_t *sums, int n)
{
    __shared__ uint32_t a[2][BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x, side = 0;
    a[0][threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int reach = 1; reach < BLOCK; reach *= 2, side ^= 1) {
        uint32_t v = a[side][threadIdx.x];
        if (threadIdx.x >= (unsigned)reach)
            v += a[side][threadIdx.x - reach];
        a[side ^ 1][threadIdx.x] = v;
        __syncthreads();
    }
    if (i < n)
        out[i] = a[side][threadIdx.x];
    if (threadIdx.x == BLOCK - 1 && sums)
        sums[blockIdx.x] = a[side][threadIdx.x];
}

__global__ void add_sums(uint32_t *out, const uint32_t *sums, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}

static void scan(const uint32_t *in, uint32_t *out, int n)
{
    int blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks == 1) {
        scan_parts<<<1, BLOCK>>>(in, out, NULL, n);
        return;
    }
    uint32_t *sums, *scanned;
    CUDA(cudaMalloc(&sums, blocks * sizeof *sums));
    CUDA(cudaMalloc(&scanned, blocks * sizeof *scanned));
    scan_parts<<<blocks, BLOCK>>>(in, out, sums, n);
    scan(sums, scanned, blocks);
    add_sums<<<blocks, BLOCK>>>(out, scanned, n);
    CUDA(cudaFree(sums));
    CUDA(cudaFree(scanned));
}

int main()
{
    int failures = 0;
    for (int n : {1, 255, 256, 257, 70000, 1000003}) {
        std::vector<uint32_t> in(n), got(n), want(n);
        uint32_t sum = 0, *d_in, *d_out;
        for (int i = 0; i < n; i++) {
            in[i] = app_random((uint32_t)i) % 1000;
            want[i] = sum += in[i];
        }
        CUDA(cudaMalloc(&d_in, n * sizeof *d_in));
        CUDA(cudaMalloc(&d_out, n * sizeof *d_out));
        CUDA(cudaMemcpy(d_in, in.data(), n * sizeof *d_in, cudaMemcpyHostToDevice));
        scan(d_in, d_out, n);
        CUDA(cudaMemcpy(got.data(), d_out, n * sizeof *d_out, cudaMemcpyDeviceToHost));
        printf("%d numbers: %s, the last is %u\n", n, got == want ? "right" : "wrong", got[n - 1]);
        failures += got != want;
        CUDA(cudaFree(d_in));
        CUDA(cudaFree(d_out));
    }
    return failures;
}
