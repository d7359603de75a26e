/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compact: those of 2^23 numbers that are below a limit, half of them, put together.  A warp counts its own with a ballot, the
 * block adds its warps up and asks for its place with one atomic; blocks come in any order.  Work counts the bytes read.
 *
 * OpenCL variant, on the CPU device (POCL).  OpenCL 1.2 has no ballots: the
 * places within the block come from a scan in local memory.
 */
#include "../ocl.h"

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

static const char *text = TEXT(
__kernel void compact(__global const uint *in, __global uint *out, __global int *n, uint limit)
{
    __local int count[BLOCK];
    __local int base;
    int tid = get_local_id(0);
    int first = get_group_id(0) * BLOCK * ITEMS + tid;
    uint x[ITEMS];
    int mine = 0;
    for (int k = 0; k < ITEMS; k++) {
        x[k] = in[first + k * BLOCK];
        mine += x[k] < limit;
    }
    count[tid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < BLOCK; d *= 2) {
        int below = tid >= d ? count[tid - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        count[tid] += below;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == BLOCK - 1)
        base = atomic_add(n, count[tid]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = base + count[tid] - mine;
    for (int k = 0; k < ITEMS; k++)
        if (x[k] < limit)
            out[at++] = x[k];
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t *in = host_alloc(bytes), *out = host_alloc(bytes);
    char options[64];
    cl_int n = 0;
    make_input(in);
    ocl_open();
    snprintf(options, sizeof options, "-DBLOCK=%d -DITEMS=%d", BLOCK, ITEMS);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "compact");
    cl_mem d_in = ocl_buffer(bytes, in), d_out = ocl_buffer(bytes, NULL), d_n = ocl_buffer(sizeof n, NULL);
    ARG(kernel, 0, d_in);
    ARG(kernel, 1, d_out);
    ARG(kernel, 2, d_n);
    ARG(kernel, 3, limit);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        const cl_int zero = 0;
        double t = now();
        CHECK(clEnqueueFillBuffer(queue, d_n, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
        ocl_launch(kernel, 1, N / ITEMS, 1, BLOCK, 1);
        ocl_read(d_n, &n, sizeof n);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_out, out, bytes);
    return report("ocl", best, in, out, n);
}
