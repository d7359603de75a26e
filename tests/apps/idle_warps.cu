// SPDX-License-Identifier: Apache-2.0
// Between two barriers only some warps have something to do, those that the thread's place in the block tells, or only seem so. All keep what they
// had. The host says what must come out.
#include "app.h"

enum { MOST = 1024, STEPS = 9 };

static __host__ __device__ uint32_t mix(uint32_t a, uint32_t b) { return (a ^ b) * 0x9e3779b1u + (a >> 7); }

// A tree, and numbers that live through it: one of each thread, one of the block.
__global__ void tree(const uint32_t *in, uint32_t *out, uint32_t seed)
{
    __shared__ uint32_t s[MOST];
    uint32_t n = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x, mine = in[blockIdx.x * n + t], all = in[blockIdx.x] * seed;
    s[t] = mine;
    __syncthreads();
    if (t < 128 && t + 128 < n)
        s[t] += s[t + 128];
    __syncthreads();
    if (t < 64)
        s[t] = mix(s[t], s[t + 64]);
    __syncthreads();
    if (t < 16)
        s[t] = mix(s[t], s[t + 16]);
    __syncthreads();
    if (!(t > 3))
        s[t] += s[t + 4];
    __syncthreads();
    if (t == 0)
        s[0] = mix(s[0] + s[1], s[2] + s[3]);
    __syncthreads();
    out[blockIdx.x * n + t] = mix(s[0], mine) + all;
}

// Those that skip a step keep a number that the others change; the last warps work, not the first; a row, a column, every other warp.
__global__ void steps(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t s[MOST];
    uint32_t n = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x, x = in[blockIdx.x * n + t];
    s[t] = x;
    __syncthreads();
    if (t < 48)
        x = mix(x, s[(t + 5) % n]);
    __syncthreads();
    if (t >= n - 16)
        s[t] = mix(s[t], s[0]);
    __syncthreads();
    if (threadIdx.y == 0)
        s[t] ^= s[n - 1];
    __syncthreads();
    if (threadIdx.x == 0)
        s[t] += 3;
    __syncthreads();
    if (t / 32 % 2 == 1)
        s[t] = mix(s[t], 7);
    int any = __syncthreads_or(t == 40 && x & 1);
    if (t < 32)
        s[t] += any ? 11 : 13;
    __syncthreads();
    if ((int)t < -1)                            // nobody
        s[t] = 0;
    __syncthreads();
    x = mix(x, s[(t + 33) % n]);
    if (t < 32)
        return;
    out[blockIdx.x * n + t] = x;
}

// The same in a loop: how many work in a step is a number of the block; limits of all kinds, some of them below and above all threads.
__global__ void loop(const uint32_t *in, uint32_t *out, int first, int step)
{
    __shared__ uint32_t s[MOST];
    uint32_t n = blockDim.x, t = threadIdx.x, x = in[blockIdx.x * n + t], rounds = 0;
    s[t] = x;
    __syncthreads();
    for (uint32_t half = n / 2; half > 0; half >>= 1) {
        if (t < half)
            s[t] = mix(s[t], s[t + half]);
        __syncthreads();
        rounds++;
    }
    for (int k = 0; k < STEPS; k++) {
        int limit = first + k * step + (int)blockIdx.x;
        if ((int)t <= limit)
            s[t] = mix(s[t], rounds + k);
        __syncthreads();
        if ((uint32_t)limit > t)
            x = mix(x, s[(t + 1) % n]);
        __syncthreads();
        if (t == n - 1)                         // before the others, in the same step
            s[1] += 5;
        if (t < (uint32_t)limit / 4)
            s[t] ^= t == 1 ? 0 : 77;
        __syncthreads();
        rounds += limit;
    }
    if (t < rounds % 7 * 64)
        s[t] += rounds;
    __syncthreads();
    out[blockIdx.x * n + t] = mix(x, s[t]);
}

static uint32_t in[2 * MOST], want[2 * MOST], got[2 * MOST];

static void host_tree(uint32_t b, uint32_t n, uint32_t seed)
{
    uint32_t s[MOST + 128] = { 0 };
    for (uint32_t t = 0; t < n; t++)
        s[t] = in[b * n + t];
    for (uint32_t t = 0; t < 128 && t + 128 < n; t++)
        s[t] += s[t + 128];
    for (uint32_t t = 0; t < 64; t++)
        s[t] = mix(s[t], s[t + 64]);
    for (uint32_t t = 0; t < 16; t++)
        s[t] = mix(s[t], s[t + 16]);
    for (uint32_t t = 0; t < 4; t++)
        s[t] += s[t + 4];
    s[0] = mix(s[0] + s[1], s[2] + s[3]);
    for (uint32_t t = 0; t < n; t++)
        want[b * n + t] = mix(s[0], in[b * n + t]) + in[b] * seed;
}

static void host_steps(uint32_t b, uint32_t n, uint32_t row)
{
    uint32_t s[MOST], x[MOST];
    for (uint32_t t = 0; t < n; t++)
        s[t] = x[t] = in[b * n + t];
    for (uint32_t t = 0; t < 48; t++)
        x[t] = mix(x[t], s[(t + 5) % n]);
    for (uint32_t t = n - 16; t < n; t++)
        s[t] = mix(s[t], s[0]);
    for (uint32_t t = 0, last = s[n - 1]; t < row; t++)
        s[t] ^= last;
    for (uint32_t t = 0; t < n; t += row)
        s[t] += 3;
    for (uint32_t t = 0; t < n; t++)
        s[t] = t / 32 % 2 ? mix(s[t], 7) : s[t];
    for (uint32_t t = 0; t < 32; t++)
        s[t] += x[40] & 1 ? 11 : 13;
    for (uint32_t t = 0; t < n; t++)
        want[b * n + t] = t < 32 ? 0 : mix(x[t], s[(t + 33) % n]);
}

static void host_loop(uint32_t b, uint32_t n, int first, int step)
{
    uint32_t s[MOST], x[MOST], rounds = 0;
    for (uint32_t t = 0; t < n; t++)
        s[t] = x[t] = in[b * n + t];
    for (uint32_t half = n / 2; half > 0; half >>= 1, rounds++)
        for (uint32_t t = 0; t < half; t++)
            s[t] = mix(s[t], s[t + half]);
    for (int k = 0; k < STEPS; k++) {
        int limit = first + k * step + (int)b;
        for (int t = 0; t < (int)n && t <= limit; t++)
            s[t] = mix(s[t], rounds + k);
        for (uint32_t t = 0; t < n && t < (uint32_t)limit; t++)
            x[t] = mix(x[t], s[(t + 1) % n]);
        s[1] += 5;
        for (uint32_t t = 0; t < n && t < (uint32_t)limit / 4; t++)
            s[t] ^= t == 1 ? 0 : 77;
        rounds += limit;
    }
    for (uint32_t t = 0; t < n && t < rounds % 7 * 64; t++)
        s[t] += rounds;
    for (uint32_t t = 0; t < n; t++)
        want[b * n + t] = mix(x[t], s[t]);
}

static int compare(const char *what, dim3 block, const uint32_t *d_out)
{
    uint32_t n = block.x * block.y;
    CUDA(cudaMemcpy(got, d_out, 2 * n * sizeof *got, cudaMemcpyDeviceToHost));
    for (uint32_t t = 0; t < 2 * n; t++)
        if (got[t] != want[t]) {
            printf("%s, %u x %u: thread %u has %x, not %x\n", what, block.x, block.y, t, got[t], want[t]);
            return 1;
        }
    printf("%s, %u x %u: right\n", what, block.x, block.y);
    return 0;
}

int main()
{
    static const dim3 blocks[] = { { 256 }, { 16, 16 }, { 128 }, { 200 }, { 100, 3 }, { 64, 16 }, { 1024 } };
    static const struct { int first, step; } limits[] = { { 2000, -250 }, { -64, 31 }, { 0, 32 }, { 31, 1 }, { 900, -16 } };
    uint32_t *d_in, *d_out;
    int bad = 0;
    CUDA(cudaMalloc(&d_in, sizeof in));
    CUDA(cudaMalloc(&d_out, sizeof got));
    for (uint32_t i = 0; i < 2 * MOST; i++)
        in[i] = app_random(i + 1);
    CUDA(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        uint32_t n = blocks[k].x * blocks[k].y;
        tree<<<2, blocks[k]>>>(d_in, d_out, 5);
        for (uint32_t b = 0; b < 2; b++)
            host_tree(b, n, 5);
        bad += compare("tree", blocks[k], d_out);
        CUDA(cudaMemset(d_out, 0, sizeof got));
        steps<<<2, blocks[k]>>>(d_in, d_out);
        for (uint32_t b = 0; b < 2; b++)
            host_steps(b, n, blocks[k].x);
        bad += compare("steps", blocks[k], d_out);
        if (blocks[k].y > 1)
            continue;
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            loop<<<2, blocks[k]>>>(d_in, d_out, limits[l].first, limits[l].step);
            for (uint32_t b = 0; b < 2; b++)
                host_loop(b, n, limits[l].first, limits[l].step);
            bad += compare("loop", blocks[k], d_out);
        }
    }
    return bad;
}
