/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan: inclusive prefix sums of 2^24 unsigned integers.  Three launches: sums of chunks of 1024, a scan of those sums by one
 * block, then a scan of every chunk that starts at the sum before it.  Work counts 3 passes over memory, 12 bytes an element.
 *
 * OpenCL variant, on the CPU device (POCL).  OpenCL 1.2 has no shuffles: the
 * threads of a block are scanned in local memory, log2(256) steps with two barriers each.
 */
#include "../ocl.h"

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

static const char *text = TEXT(
uint block_scan(uint x, __local uint *part, int tid, int n)
{
    part[tid] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < n; d *= 2) {
        uint y = tid >= d ? part[tid - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[tid] += y;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return part[tid];
}

__kernel void chunk_sums(__global const uint4 *in, __global uint *sums)
{
    __local uint part[BLOCK];
    int tid = get_local_id(0);
    uint4 v = in[get_global_id(0)];
    part[tid] = v.x + v.y + v.z + v.w;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (tid < d)
            part[tid] += part[tid + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        sums[get_group_id(0)] = part[0];
}

__kernel void scan_sums(__global uint *sums, int n)
{
    __local uint part[1024];
    uint carry = 0;
    for (int first = 0; first < n; first += 1024) {
        int i = first + get_local_id(0);
        uint x = sums[i];
        sums[i] = carry + block_scan(x, part, get_local_id(0), 1024) - x;
        carry += part[1023];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void scan_chunks(__global const uint4 *in, __global const uint *sums, __global uint4 *out)
{
    __local uint part[BLOCK];
    int i = get_global_id(0);
    uint4 v = in[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    uint before = sums[get_group_id(0)] + block_scan(v.w, part, get_local_id(0), BLOCK) - v.w;
    out[i] = v + before;
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t *in = host_alloc(bytes), *out = host_alloc(bytes);
    char options[64];
    make_input(in);
    ocl_open();
    snprintf(options, sizeof options, "-DBLOCK=%d", BLOCK);
    cl_program program = ocl_build(text, options);
    cl_kernel chunk_sums = ocl_kernel(program, "chunk_sums"), scan_sums = ocl_kernel(program, "scan_sums");
    cl_kernel scan_chunks = ocl_kernel(program, "scan_chunks");
    cl_mem d_in = ocl_buffer(bytes, in), d_out = ocl_buffer(bytes, NULL), d_sums = ocl_buffer(CHUNKS * sizeof(uint32_t), NULL);
    cl_int n = CHUNKS;
    ARG(chunk_sums, 0, d_in);
    ARG(chunk_sums, 1, d_sums);
    ARG(scan_sums, 0, d_sums);
    ARG(scan_sums, 1, n);
    ARG(scan_chunks, 0, d_in);
    ARG(scan_chunks, 1, d_sums);
    ARG(scan_chunks, 2, d_out);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        ocl_launch(chunk_sums, 1, N / ITEMS, 1, BLOCK, 1);
        ocl_launch(scan_sums, 1, 1024, 1, 1024, 1);
        ocl_launch(scan_chunks, 1, N / ITEMS, 1, BLOCK, 1);
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_out, out, bytes);
    return report("ocl", best, in, out);
}
