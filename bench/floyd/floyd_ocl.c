/* SPDX-License-Identifier: Apache-2.0 */
/*
 * floyd: the shortest ways between all pairs of 512 vertices by Floyd and Warshall, a launch for each vertex that ways may lead
 * through.  Work counts the sums compared.
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

enum { N = 512, BLOCK_X = 32, BLOCK_Y = 8, FAR = 1 << 29 };
static const size_t bytes = sizeof(int) * N * N;

/* One edge in ten is there. */
static void make_input(int *edge)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int length = 1 + rnd_u32() % 1000;
            edge[i * N + j] = i == j ? 0 : rnd_u32() % 10 == 0 ? length : FAR;
        }
}

static int report(const char *variant, double seconds, const int *edge, const int *out)
{
    int *want = (int *)host_alloc(bytes), wrong = -1;
    uint32_t check = 0;
    memcpy(want, edge, bytes);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (want[i * N + k] + want[k * N + j] < want[i * N + j])
                    want[i * N + j] = want[i * N + k] + want[k * N + j];
    for (int i = 0; i < N * N; i++) {
        check = check * 31 + out[i];
        if (out[i] != want[i] && wrong < 0)
            wrong = i;
    }
    printf("floyd %s seconds=%.9f check=%u work=%.0f unit=Gsums/s\n", variant, seconds, check, (double)N * N * N);
    if (wrong >= 0)
        fprintf(stderr, "floyd %s: from %d to %d: got %d, want %d\n", variant, wrong / N, wrong % N, out[wrong], want[wrong]);
    free(want);
    return wrong >= 0;
}

static const char *text = TEXT(
__kernel void floyd_step(__global int *distance, int k)
{
    int i = get_global_id(1);
    int j = get_global_id(0);
    int through = distance[i * N + k] + distance[k * N + j];
    if (through < distance[i * N + j])
        distance[i * N + j] = through;
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    int *edge = host_alloc(bytes), *out = host_alloc(bytes);
    char options[64];
    make_input(edge);
    ocl_open();
    snprintf(options, sizeof options, "-DN=%d", N);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "floyd_step");
    cl_mem d = ocl_buffer(bytes, edge);
    ARG(kernel, 0, d);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        CHECK(clEnqueueWriteBuffer(queue, d, CL_TRUE, 0, bytes, edge, 0, NULL, NULL));
        double t = now();
        for (cl_int k = 0; k < N; k++) {
            ARG(kernel, 1, k);
            ocl_launch(kernel, 2, N, N, BLOCK_X, BLOCK_Y);
        }
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d, out, bytes);
    return report("ocl", best, edge, out);
}
