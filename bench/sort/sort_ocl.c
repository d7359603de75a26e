/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort: 2^20 unsigned integers, bitonic.  Stages whose partners are less than 2048 apart run in shared memory, many in one
 * launch; the others are one launch each over global memory.  Work counts the keys.
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

enum { N = 1 << 20, BLOCK = 512, TILE = 2048 };
static const size_t bytes = sizeof(uint32_t) * N;

static void make_input(uint32_t *in)
{
    for (int i = 0; i < N; i++)
        in[i] = rnd_u32();
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int report(const char *variant, double seconds, const uint32_t *in, const uint32_t *out)
{
    uint32_t *want = (uint32_t *)host_alloc(bytes), check = 0;
    memcpy(want, in, bytes);
    qsort(want, N, sizeof *want, compare);
    for (int i = 0; i < N; i++)
        check = check * 31 + out[i];
    int rc = memcmp(want, out, bytes) != 0;
    printf("sort %s seconds=%.9f check=%u work=%d unit=Mkeys/s\n", variant, seconds, check, N);
    if (rc)
        fprintf(stderr, "sort %s: not the sorted input\n", variant);
    free(want);
    return rc;
}

static const char *text = TEXT(
int lower_of_pair(int t, int distance)
{
    return 2 * t - (t & (distance - 1));
}

__kernel void bitonic_tile(__global uint *data, int first, int last)
{
    __local uint s[TILE];
    int base = get_group_id(0) * TILE;
    for (int i = get_local_id(0); i < TILE; i += BLOCK)
        s[i] = data[base + i];
    for (int size = first; size <= last; size *= 2)
        for (int distance = min(size, TILE) / 2; distance > 0; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int t = get_local_id(0); t < TILE / 2; t += BLOCK) {
                int i = lower_of_pair(t, distance);
                uint x = s[i];
                uint y = s[i + distance];
                bool up = ((base + i) & size) == 0;
                s[i] = up ? min(x, y) : max(x, y);
                s[i + distance] = up ? max(x, y) : min(x, y);
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < TILE; i += BLOCK)
        data[base + i] = s[i];
}

__kernel void bitonic_global(__global uint *data, int size, int distance)
{
    int i = lower_of_pair(get_global_id(0), distance);
    uint x = data[i];
    uint y = data[i + distance];
    bool up = (i & size) == 0;
    data[i] = up ? min(x, y) : max(x, y);
    data[i + distance] = up ? max(x, y) : min(x, y);
}
);

static void tile_stage(cl_kernel kernel, cl_mem d, cl_int first, cl_int last)
{
    ARG(kernel, 0, d);
    ARG(kernel, 1, first);
    ARG(kernel, 2, last);
    ocl_launch(kernel, 1, (size_t)N / TILE * BLOCK, 1, BLOCK, 1);
}

static void global_stage(cl_kernel kernel, cl_mem d, cl_int size, cl_int distance)
{
    ARG(kernel, 0, d);
    ARG(kernel, 1, size);
    ARG(kernel, 2, distance);
    ocl_launch(kernel, 1, N / 2, 1, BLOCK, 1);
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t *in = host_alloc(bytes), *out = host_alloc(bytes);
    char options[64];
    make_input(in);
    ocl_open();
    snprintf(options, sizeof options, "-DBLOCK=%d -DTILE=%d", BLOCK, TILE);
    cl_program program = ocl_build(text, options);
    cl_kernel tile = ocl_kernel(program, "bitonic_tile"), global = ocl_kernel(program, "bitonic_global");
    cl_mem d = ocl_buffer(bytes, in);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        CHECK(clEnqueueWriteBuffer(queue, d, CL_TRUE, 0, bytes, in, 0, NULL, NULL));
        double t = now();
        tile_stage(tile, d, 2, TILE);
        for (int size = 2 * TILE; size <= N; size *= 2) {
            for (int distance = size / 2; distance >= TILE; distance /= 2)
                global_stage(global, d, size, distance);
            tile_stage(tile, d, size, size);
        }
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d, out, bytes);
    return report("ocl", best, in, out);
}
