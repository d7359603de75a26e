/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softmax: of every row of 8192 x 1024 floats.  A block for each row: its 256 threads keep 4 numbers each in registers, and
 * find the maximum and the sum together.  Work counts one read and one write, 8 bytes a number.
 *
 * OpenCL variant, on the CPU device (POCL).  OpenCL 1.2 has no shuffles: the
 * reductions are trees in local memory.
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
static inline float rnd(void)                   /* [0, 1) */
{
    return (rnd_u32() >> 8) * (1.0f / 16777216.0f);
}

enum { ROWS = 8192, COLS = 1024, BLOCK = 256, ITEMS = COLS / BLOCK };
static const size_t bytes = sizeof(float) * ROWS * COLS;

static void make_input(float *in)
{
    for (int i = 0; i < ROWS * COLS; i++)
        in[i] = 8.0f * rnd() - 4.0f;
}

/* Checks every 7th row against double precision. */
static int report(const char *variant, double seconds, const float *in, const float *out)
{
    double sum = 0, worst = 0;
    for (int i = 0; i < ROWS * COLS; i++)
        sum += out[i] * (i % COLS);
    for (int r = 0; r < ROWS; r += 7) {
        const float *x = in + (size_t)r * COLS, *y = out + (size_t)r * COLS;
        double total = 0;
        for (int c = 0; c < COLS; c++)
            total += exp(x[c]);
        for (int c = 0; c < COLS; c++)
            worst = fmax(worst, fabs(y[c] * total / exp(x[c]) - 1));
    }
    printf("softmax %s seconds=%.9f check=%.6e work=%.0f unit=GB/s\n", variant, seconds, sum, 2.0 * bytes);
    if (!(worst <= 1e-5)) {
        fprintf(stderr, "softmax %s: max relative error %g\n", variant, worst);
        return 1;
    }
    return 0;
}

static const char *text = TEXT(
__kernel void softmax(__global const float *in, __global float *out)
{
    __local float part[BLOCK];
    int tid = get_local_id(0);
    __global const float *x = in + (size_t)get_group_id(0) * COLS;
    __global float *y = out + (size_t)get_group_id(0) * COLS;
    float v[ITEMS];
    float top = -INFINITY;
    float sum = 0.0f;
    for (int k = 0; k < ITEMS; k++) {
        v[k] = x[tid + k * BLOCK];
        top = fmax(top, v[k]);
    }
    part[tid] = top;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (tid < d)
            part[tid] = fmax(part[tid], part[tid + d]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    top = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < ITEMS; k++) {
        v[k] = exp(v[k] - top);
        sum += v[k];
    }
    part[tid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (tid < d)
            part[tid] += part[tid + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float scale = 1.0f / part[0];
    for (int k = 0; k < ITEMS; k++)
        y[tid + k * BLOCK] = v[k] * scale;
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = host_alloc(bytes), *out = host_alloc(bytes);
    char options[64];
    make_input(in);
    ocl_open();
    snprintf(options, sizeof options, "-DBLOCK=%d -DCOLS=%d -DITEMS=%d", BLOCK, COLS, ITEMS);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "softmax");
    cl_mem d_in = ocl_buffer(bytes, in), d_out = ocl_buffer(bytes, NULL);
    ARG(kernel, 0, d_in);
    ARG(kernel, 1, d_out);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        ocl_launch(kernel, 1, (size_t)ROWS * BLOCK, 1, BLOCK, 1);
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_out, out, bytes);
    return report("ocl", best, in, out);
}
