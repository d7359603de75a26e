/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram: counts of the 256 values of 2^25 bytes.  Every block counts its part of the input in shared memory with atomics,
 * one table for each warp, then adds the tables to the result in global memory.  Work counts the bytes read.
 *
 * OpenCL variant, on the CPU device (POCL).  A table for every 32
 * work-items, as in the CUDA variant.
 */
#include "../ocl.h"

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

static const char *text = TEXT(
void count_word(__local uint *table, uint w)
{
    atomic_inc(&table[w & 255]);
    atomic_inc(&table[w >> 8 & 255]);
    atomic_inc(&table[w >> 16 & 255]);
    atomic_inc(&table[w >> 24]);
}

__kernel void histogram(__global const uint4 *in, __global uint *count, int words)
{
    __local uint table[BLOCK / 32 * BINS];
    int tid = get_local_id(0);
    __local uint *mine = table + tid / 32 * BINS;
    for (int b = tid % 32; b < BINS; b += 32)
        mine[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < words; i += get_global_size(0)) {
        uint4 v = in[i];
        count_word(mine, v.x);
        count_word(mine, v.y);
        count_word(mine, v.z);
        count_word(mine, v.w);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = tid; b < BINS; b += BLOCK) {
        uint sum = 0;
        for (int w = 0; w < BLOCK / 32; w++)
            sum += table[w * BINS + b];
        atomic_add(&count[b], sum);
    }
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint8_t *in = host_alloc(N);
    uint32_t count[BINS] = { 0 };
    char options[64];
    make_input(in);
    ocl_open();
    snprintf(options, sizeof options, "-DBLOCK=%d -DBINS=%d", BLOCK, BINS);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "histogram");
    cl_mem d_in = ocl_buffer(N, in), d_count = ocl_buffer(sizeof count, count);
    cl_int words = WORDS;
    ARG(kernel, 0, d_in);
    ARG(kernel, 1, d_count);
    ARG(kernel, 2, words);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        memset(count, 0, sizeof count);
        CHECK(clEnqueueWriteBuffer(queue, d_count, CL_TRUE, 0, sizeof count, count, 0, NULL, NULL));
        double t = now();
        ocl_launch(kernel, 1, BLOCKS * BLOCK, 1, BLOCK, 1);
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_count, count, sizeof count);
    return report("ocl", best, in, count);
}
