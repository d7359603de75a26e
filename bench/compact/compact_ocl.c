/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compact: those of 2^23 numbers that are below a limit, half of them, put together.  A warp counts its own with a ballot, the
 * block adds its warps up and asks for its place with one atomic; blocks come in any order.  Work counts the bytes read.
 *
 * OpenCL variant, on the CPU device (POCL).  OpenCL 1.2 has no ballots: the
 * places within the block come from a scan in local memory.
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
