/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convolution: 2048 x 2048 floats with a 7 x 7 filter, zero outside.  A block of 32 x 8 threads makes 32 x 32 results from a
 * tile with its border in shared memory, 4 rows to a thread.  Work counts 98 operations per result.
 *
 * OpenCL variant, on the CPU device (POCL).
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

enum { W = 2048, H = 2048, R = 3, K = 2 * R + 1, TX = 32, TY = 32, BY = 8, SX = TX + 2 * R, SY = TY + 2 * R };
static const size_t bytes = sizeof(float) * W * H;

static void make_input(float *in, float *filter)
{
    for (int i = 0; i < W * H; i++)
        in[i] = rnd();
    for (int i = 0; i < K * K; i++)
        filter[i] = rnd() - 0.25f;
}

/* Checks the border and every 17th of the other rows against double precision. */
static int report(const char *variant, double seconds, const float *in, const float *filter, const float *out)
{
    double sum = 0, worst = 0;
    for (int i = 0; i < W * H; i++)
        sum += out[i];
    for (int y = 0; y < H; y += y < R || y >= H - R - 1 ? 1 : 17)
        for (int x = 0; x < W; x++) {
            double want = 0;
            for (int j = 0; j < K; j++)
                for (int i = 0; i < K; i++)
                    if (y + j >= R && y + j < H + R && x + i >= R && x + i < W + R)
                        want += (double)filter[j * K + i] * in[(y + j - R) * W + x + i - R];
            worst = fmax(worst, fabs(want - out[y * W + x]));
        }
    printf("convolution %s seconds=%.9f check=%.6e work=%.0f unit=GFLOP/s\n", variant, seconds, sum, 2.0 * K * K * W * H);
    if (!(worst <= 1e-4)) {
        fprintf(stderr, "convolution %s: max error %g\n", variant, worst);
        return 1;
    }
    return 0;
}

static const char *text = TEXT(
__kernel void convolution(__global const float *in, __constant const float *filter, __global float *out, int w, int h)
{
    __local float s[SY][SX];
    int tx = get_local_id(0);
    int ty = get_local_id(1);
    int x0 = get_group_id(0) * TX - R;
    int y0 = get_group_id(1) * TY - R;
    for (int j = ty; j < SY; j += BY)
        for (int i = tx; i < SX; i += TX) {
            int x = x0 + i;
            int y = y0 + j;
            s[j][i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.0f;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_group_id(0) * TX + tx;
    for (int r = ty; r < TY; r += BY) {
        int y = get_group_id(1) * TY + r;
        float sum = 0.0f;
        __attribute__((opencl_unroll_hint))
        for (int j = 0; j < K; j++)
            __attribute__((opencl_unroll_hint))
            for (int i = 0; i < K; i++)
                sum += filter[j * K + i] * s[r + j][tx + i];
        if (x < w && y < h)
            out[y * w + x] = sum;
    }
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = host_alloc(bytes), *out = host_alloc(bytes), filter[K * K];
    char options[128];
    make_input(in, filter);
    ocl_open();
    snprintf(options, sizeof options, "-DR=%d -DK=%d -DTX=%d -DTY=%d -DBY=%d -DSX=%d -DSY=%d", R, K, TX, TY, BY, SX, SY);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "convolution");
    cl_mem d_in = ocl_buffer(bytes, in), d_filter = ocl_buffer(sizeof filter, filter), d_out = ocl_buffer(bytes, NULL);
    cl_int w = W, h = H;
    ARG(kernel, 0, d_in);
    ARG(kernel, 1, d_filter);
    ARG(kernel, 2, d_out);
    ARG(kernel, 3, w);
    ARG(kernel, 4, h);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        ocl_launch(kernel, 2, W, H / (TY / BY), TX, BY);
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_out, out, bytes);
    return report("ocl", best, in, filter, out);
}
