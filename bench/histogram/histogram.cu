/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram: counts of the 256 values of 2^25 bytes.  Every block counts its part of the input in shared memory with atomics,
 * one table for each warp, then adds the tables to the result in global memory.  Work counts the bytes read.
 *
 * CUDA variant.
 */
#include "../common.h"

enum { N = 1 << 25, BLOCK = 256, BLOCKS = 128, BINS = 256, WORDS = N / 16 };

static void make_input(uint8_t *in)
{
    for (int i = 0; i < N; i++)                 /* the sum of two numbers: the middle values are the most frequent */
        in[i] = (rnd_u32() >> 25) + (rnd_u32() >> 25);
}

static int report(const char *variant, double seconds, const uint8_t *in, const uint32_t *count)
{
    static uint32_t want[BINS];
    uint32_t check = 0;
    for (int i = 0; i < N; i++)
        want[in[i]]++;
    for (int b = 0; b < BINS; b++)
        check = check * 31 + count[b];
    printf("histogram %s seconds=%.9f check=%u work=%.0f unit=GB/s\n", variant, seconds, check, (double)N);
    for (int b = 0; b < BINS; b++)
        if (count[b] != want[b]) {
            fprintf(stderr, "histogram %s: bin %d: got %u, want %u\n", variant, b, count[b], want[b]);
            return 1;
        }
    return 0;
}

__device__ void count_word(uint32_t *table, uint32_t w)
{
    atomicAdd(&table[w & 255], 1);
    atomicAdd(&table[w >> 8 & 255], 1);
    atomicAdd(&table[w >> 16 & 255], 1);
    atomicAdd(&table[w >> 24], 1);
}

__global__ void histogram(const uint4 *in, uint32_t *count, int words)
{
    __shared__ uint32_t table[BLOCK / 32][BINS];
    uint32_t *mine = table[threadIdx.x / 32];
    for (int b = threadIdx.x % 32; b < BINS; b += 32)
        mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < words; i += gridDim.x * BLOCK) {
        uint4 v = in[i];
        count_word(mine, v.x);
        count_word(mine, v.y);
        count_word(mine, v.z);
        count_word(mine, v.w);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        uint32_t sum = 0;
        for (int w = 0; w < BLOCK / 32; w++)
            sum += table[w][b];
        atomicAdd(&count[b], sum);
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint8_t *in = (uint8_t *)host_alloc(N);
    uint32_t count[BINS], *d_count;
    uint4 *d_in;
    make_input(in);
    CHECK(cudaMalloc(&d_in, N));
    CHECK(cudaMalloc(&d_count, sizeof count));
    CHECK(cudaMemcpy(d_in, in, N, cudaMemcpyHostToDevice));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        CHECK(cudaMemset(d_count, 0, sizeof count));
        CHECK(cudaDeviceSynchronize());
        double t = now();
        histogram<<<BLOCKS, BLOCK>>>(d_in, d_count, WORDS);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(count, d_count, sizeof count, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, in, count);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_count));
    return rc;
}
