/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan: inclusive prefix sums of 2^24 unsigned integers.  Three launches: sums of chunks of 1024, a scan of those sums by one
 * block, then a scan of every chunk that starts at the sum before it.  Work counts 3 passes over memory, 12 bytes an element.
 *
 * OpenCL variant, on the CPU device (POCL).  OpenCL 1.2 has no shuffles: the
 * threads of a block are scanned in local memory, log2(256) steps with two barriers each.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define TEXT(...) #__VA_ARGS__
#define CHECK(call) check((call), #call)
#define ARG(kernel, index, value) CHECK(clSetKernelArg(kernel, index, sizeof(value), &(value)))

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static inline void check(cl_int err, const char *what)
{
    if (err != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, (int)err);
        exit(1);
    }
}

static inline void ocl_open(void)               /* the first CPU device of any platform */
{
    cl_platform_id platform[16];
    cl_uint n = 0;
    cl_int err;
    CHECK(clGetPlatformIDs(16, platform, &n));
    for (cl_uint i = 0; i < n && i < 16 && !device; i++)
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    if (!device) {
        fprintf(stderr, "no OpenCL CPU device\n");
        exit(1);
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
}

static inline cl_program ocl_build(const char *text, const char *options)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    err = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (err != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(err, "clBuildProgram");
    return program;
}

static inline cl_kernel ocl_kernel(cl_program program, const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    check(err, name);
    return kernel;
}

static inline cl_mem ocl_buffer(size_t bytes, const void *init)
{
    cl_int err;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (init ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem mem = clCreateBuffer(context, flags, bytes, (void *)init, &err);
    check(err, "clCreateBuffer");
    return mem;
}

static inline void ocl_read(cl_mem mem, void *to, size_t bytes)
{
    CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

static inline void ocl_launch(cl_kernel kernel, cl_uint dims, size_t gx, size_t gy, size_t lx, size_t ly)
{
    size_t global[2] = { gx, gy }, local[2] = { lx, ly };
    CHECK(clEnqueueNDRangeKernel(queue, kernel, dims, NULL, global, local, 0, NULL, NULL));
}

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static inline void *host_alloc(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) {
        perror("host_alloc");
        exit(1);
    }
    return p;
}

/* Input generator, the same in the three variants: xorshift32. */
static uint32_t seed = 2463534242u;
static inline uint32_t rnd_u32(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

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
