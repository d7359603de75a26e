/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort: 2^20 unsigned integers, bitonic.  Stages whose partners are less than 2048 apart run in shared memory, many in one
 * launch; the others are one launch each over global memory.  Work counts the keys.
 *
 * CUDA variant.
 */
#include "../common.h"

enum { N = 1 << 20, BLOCK = 512, TILE = 2048 };
static const size_t bytes = sizeof(uint32_t) * N;

static void make_input(uint32_t *in)
{
    for (int i = 0; i < N; i++)
        in[i] = rnd_u32();
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int report(const char *variant, double seconds, const uint32_t *in, const uint32_t *out)
{
    uint32_t *want = (uint32_t *)host_alloc(bytes), check = 0;
    memcpy(want, in, bytes);
    qsort(want, N, sizeof *want, compare);
    for (int i = 0; i < N; i++)
        check = check * 31 + out[i];
    int rc = memcmp(want, out, bytes) != 0;
    printf("sort %s seconds=%.9f check=%u work=%d unit=Mkeys/s\n", variant, seconds, check, N);
    if (rc)
        fprintf(stderr, "sort %s: not the sorted input\n", variant);
    free(want);
    return rc;
}

/* Element i of the pair that thread t exchanges at this distance; its partner is i + distance. */
__device__ int lower_of_pair(int t, int distance)
{
    return 2 * t - (t & (distance - 1));
}

__device__ void exchange(uint32_t *a, uint32_t *b, bool up)
{
    uint32_t x = *a, y = *b;
    *a = up ? min(x, y) : max(x, y);
    *b = up ? max(x, y) : min(x, y);
}

/* All stages from (size, distance) on that stay within a tile: up to size "last". */
__global__ void bitonic_tile(uint32_t *data, int first, int last)
{
    __shared__ uint32_t s[TILE];
    int base = blockIdx.x * TILE;
    for (int i = threadIdx.x; i < TILE; i += BLOCK)
        s[i] = data[base + i];
    for (int size = first; size <= last; size *= 2)
        for (int distance = min(size, TILE) / 2; distance > 0; distance /= 2) {
            __syncthreads();
            for (int t = threadIdx.x; t < TILE / 2; t += BLOCK) {
                int i = lower_of_pair(t, distance);
                exchange(&s[i], &s[i + distance], ((base + i) & size) == 0);
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < TILE; i += BLOCK)
        data[base + i] = s[i];
}

__global__ void bitonic_global(uint32_t *data, int size, int distance)
{
    int i = lower_of_pair(blockIdx.x * BLOCK + threadIdx.x, distance);
    exchange(&data[i], &data[i + distance], (i & size) == 0);
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t *in = (uint32_t *)host_alloc(bytes), *out = (uint32_t *)host_alloc(bytes);
    uint32_t *d;
    make_input(in);
    CHECK(cudaMalloc(&d, bytes));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        CHECK(cudaMemcpy(d, in, bytes, cudaMemcpyHostToDevice));
        double t = now();
        bitonic_tile<<<N / TILE, BLOCK>>>(d, 2, TILE);
        for (int size = 2 * TILE; size <= N; size *= 2) {
            for (int distance = size / 2; distance >= TILE; distance /= 2)
                bitonic_global<<<N / 2 / BLOCK, BLOCK>>>(d, size, distance);
            bitonic_tile<<<N / TILE, BLOCK>>>(d, size, size);
        }
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(out, d, bytes, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, in, out);
    CHECK(cudaFree(d));
    return rc;
}
