/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compact: those of 2^23 numbers that are below a limit, half of them, put together.  A warp counts its own with a ballot, the
 * block adds its warps up and asks for its place with one atomic; blocks come in any order.  Work counts the bytes read.
 *
 * CUDA variant.
 */
#include "../common.h"

enum { N = 1 << 23, BLOCK = 256, ITEMS = 4 };
static const size_t bytes = sizeof(uint32_t) * N;
static const uint32_t limit = 1u << 31;

static void make_input(uint32_t *in)
{
    for (int i = 0; i < N; i++)
        in[i] = rnd_u32();
}

/* A sum that does not depend on the order, of numbers that hardly ever add up to the same. */
static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static int report(const char *variant, double seconds, const uint32_t *in, const uint32_t *out, int n)
{
    uint32_t want = 0, check = 0;
    int kept = 0;
    for (int i = 0; i < N; i++)
        if (in[i] < limit) {
            kept++;
            want += mix(in[i]);
        }
    for (int i = 0; i < n && i < N; i++)
        check += mix(out[i]);
    printf("compact %s seconds=%.9f check=%u work=%.0f unit=GB/s\n", variant, seconds, check, (double)bytes);
    if (n != kept || check != want) {
        fprintf(stderr, "compact %s: %d numbers, want %d; sum %u, want %u\n", variant, n, kept, check, want);
        return 1;
    }
    return 0;
}

__global__ void compact(const uint32_t *in, uint32_t *out, int *n, uint32_t limit)
{
    __shared__ int start[BLOCK / 32 * ITEMS];   /* first what each warp has, then where that goes */
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
    uint32_t x[ITEMS], rank[ITEMS];
    bool keep[ITEMS];
    for (int k = 0; k < ITEMS; k++) {
        x[k] = in[first + k * BLOCK];
        keep[k] = x[k] < limit;
        uint32_t votes = __ballot_sync(~0u, keep[k]);
        rank[k] = __popc(votes & ((1u << lane) - 1));
        if (lane == 0)
            start[k * (BLOCK / 32) + warp] = __popc(votes);
    }
    __syncthreads();
    if (warp == 0) {                            /* there are 32 numbers: BLOCK / 32 * ITEMS */
        int mine = start[lane], sum = mine, base = 0;
        for (int d = 1; d < 32; d *= 2) {
            int below = __shfl_up_sync(~0u, sum, d);
            if (lane >= d)
                sum += below;
        }
        if (lane == 31)
            base = atomicAdd(n, sum);
        base = __shfl_sync(~0u, base, 31);
        start[lane] = base + sum - mine;
    }
    __syncthreads();
    for (int k = 0; k < ITEMS; k++)
        if (keep[k])
            out[start[k * (BLOCK / 32) + warp] + rank[k]] = x[k];
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10, n = 0;
    uint32_t *in = (uint32_t *)host_alloc(bytes), *out = (uint32_t *)host_alloc(bytes);
    uint32_t *d_in, *d_out;
    int *d_n;
    make_input(in);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMalloc(&d_n, sizeof(int)));
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        CHECK(cudaMemsetAsync(d_n, 0, sizeof(int)));
        compact<<<N / (BLOCK * ITEMS), BLOCK>>>(d_in, d_out, d_n, limit);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&n, d_n, sizeof n, cudaMemcpyDeviceToHost));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, in, out, n);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_n));
    return rc;
}
