/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan: inclusive prefix sums of 2^24 unsigned integers.  Three launches: sums of chunks of 1024, a scan of those sums by one
 * block, then a scan of every chunk that starts at the sum before it.  Work counts 3 passes over memory, 12 bytes an element.
 *
 * CUDA variant.  A thread scans 4 neighbours, a warp scans its threads by shuffles, one warp scans the warps.
 */
#include "../common.h"

enum { N = 1 << 24, BLOCK = 256, ITEMS = 4, CHUNK = BLOCK * ITEMS, CHUNKS = N / CHUNK };
static const size_t bytes = sizeof(uint32_t) * N;

static void make_input(uint32_t *in)
{
    for (int i = 0; i < N; i++)
        in[i] = rnd_u32() >> 20;
}

static int report(const char *variant, double seconds, const uint32_t *in, const uint32_t *out)
{
    uint32_t sum = 0, check = 0;
    int wrong = -1;
    for (int i = 0; i < N; i++) {
        sum += in[i];
        check ^= out[i] + i;
        if (out[i] != sum && wrong < 0)
            wrong = i;
    }
    printf("scan %s seconds=%.9f check=%u work=%.0f unit=GB/s\n", variant, seconds, check, 3.0 * bytes);
    if (wrong >= 0) {
        fprintf(stderr, "scan %s: element %d is wrong\n", variant, wrong);
        return 1;
    }
    return 0;
}

__device__ uint32_t warp_scan(uint32_t x, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        uint32_t y = __shfl_up_sync(~0u, x, d);
        if (lane >= d)
            x += y;
    }
    return x;
}

/* Inclusive scan of one value per thread, and the block's total. */
template<int THREADS>
__device__ uint32_t block_scan(uint32_t x, uint32_t *total)
{
    __shared__ uint32_t part[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    x = warp_scan(x, lane);
    if (lane == 31)
        part[warp] = x;
    __syncthreads();
    if (warp == 0) {
        uint32_t p = warp_scan(lane < THREADS / 32 ? part[lane] : 0, lane);
        if (lane < THREADS / 32)
            part[lane] = p;
    }
    __syncthreads();
    *total = part[THREADS / 32 - 1];
    return x + (warp ? part[warp - 1] : 0);
}

__global__ void chunk_sums(const uint4 *in, uint32_t *sums)
{
    __shared__ uint32_t part[BLOCK / 32];
    uint4 v = in[blockIdx.x * BLOCK + threadIdx.x];
    uint32_t x = v.x + v.y + v.z + v.w;
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_down_sync(~0u, x, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < BLOCK / 32; w++)
            x += part[w];
        sums[blockIdx.x] = x;
    }
}

/* One block of 1024 threads: sums[i] becomes the sum of all before i. */
__global__ void scan_sums(uint32_t *sums, int n)
{
    uint32_t carry = 0, total;
    for (int i = threadIdx.x; i < n; i += 1024) {
        uint32_t x = sums[i];
        sums[i] = carry + block_scan<1024>(x, &total) - x;
        carry += total;
        __syncthreads();
    }
}

__global__ void scan_chunks(const uint4 *in, const uint32_t *sums, uint4 *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    uint4 v = in[i];
    uint32_t total;
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    uint32_t before = sums[blockIdx.x] + block_scan<BLOCK>(v.w, &total) - v.w;
    out[i] = make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t *in = (uint32_t *)host_alloc(bytes), *out = (uint32_t *)host_alloc(bytes);
    uint32_t *d_in, *d_out, *d_sums;
    make_input(in);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMalloc(&d_sums, CHUNKS * sizeof(uint32_t)));
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        chunk_sums<<<CHUNKS, BLOCK>>>((const uint4 *)d_in, d_sums);
        scan_sums<<<1, 1024>>>(d_sums, CHUNKS);
        scan_chunks<<<CHUNKS, BLOCK>>>((const uint4 *)d_in, d_sums, (uint4 *)d_out);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, in, out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_sums));
    return rc;
}
