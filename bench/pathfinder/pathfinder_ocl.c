/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pathfinder: the cheapest way from the top of a grid of 97 rows of 2^17 cells to each cell of its last row; each step goes
 * down, straight or to a neighbour.  16 rows to a launch: a block keeps 256 cells of a row in shared memory, of which one more at
 * each end is lost with every row.  Work counts the cells.
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

enum { COLS = 1 << 17, ROWS = 97, BLOCK = 256, HEIGHT = 16, WIDTH = BLOCK - 2 * HEIGHT };
static const size_t row_bytes = sizeof(int) * COLS, bytes = sizeof(int) * COLS * ROWS;

static void make_input(int *grid)
{
    for (int i = 0; i < COLS * ROWS; i++)
        grid[i] = rnd_u32() % 100;
}

static int report(const char *variant, double seconds, const int *grid, const int *out)
{
    int *want = (int *)host_alloc(row_bytes), *old = (int *)host_alloc(row_bytes), wrong = -1;
    uint32_t check = 0;
    memcpy(want, grid, row_bytes);
    for (int r = 1; r < ROWS; r++) {
        memcpy(old, want, row_bytes);
        for (int c = 0; c < COLS; c++) {
            int least = old[c];
            if (c > 0 && old[c - 1] < least)
                least = old[c - 1];
            if (c < COLS - 1 && old[c + 1] < least)
                least = old[c + 1];
            want[c] = least + grid[r * COLS + c];
        }
    }
    for (int c = 0; c < COLS; c++) {
        check = check * 31 + out[c];
        if (out[c] != want[c] && wrong < 0)
            wrong = c;
    }
    printf("pathfinder %s seconds=%.9f check=%u work=%d unit=Gcells/s\n", variant, seconds, check, COLS * ROWS);
    if (wrong >= 0)
        fprintf(stderr, "pathfinder %s: column %d: got %d, want %d\n", variant, wrong, out[wrong], want[wrong]);
    free(want);
    free(old);
    return wrong >= 0;
}

static const char *text = TEXT(
__kernel void pathfinder(__global const int *grid, __global const int *from, __global int *to, int row)
{
    __local int cost[2][BLOCK];
    int t = get_local_id(0);
    int c = get_group_id(0) * WIDTH + t - HEIGHT;
    bool inside = c >= 0 && c < COLS;
    int mine = inside ? from[c] : 0x7fffffff;
    cost[0][t] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < HEIGHT; i++) {
        __local const int *old = cost[i & 1];
        if (inside) {
            int left = old[max(t - 1, 0)];
            int right = old[min(t + 1, BLOCK - 1)];
            mine = min(min(left, right), old[t]) + grid[(row + i) * COLS + c];
        }
        cost[~i & 1][t] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (inside && t >= HEIGHT && t < BLOCK - HEIGHT)
        to[c] = mine;
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    int *grid = host_alloc(bytes), *out = host_alloc(row_bytes);
    char options[96];
    make_input(grid);
    ocl_open();
    snprintf(options, sizeof options, "-DCOLS=%d -DBLOCK=%d -DHEIGHT=%d -DWIDTH=%d", COLS, BLOCK, HEIGHT, WIDTH);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "pathfinder");
    cl_mem d_grid = ocl_buffer(bytes, grid), d_cost[2] = { ocl_buffer(row_bytes, NULL), ocl_buffer(row_bytes, NULL) };
    ARG(kernel, 0, d_grid);

    double best = 1e30;
    int last = 0;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        cl_mem from = d_grid;
        for (cl_int row = 1; row < ROWS; row += HEIGHT) {
            ARG(kernel, 1, from);
            ARG(kernel, 2, d_cost[last ^ 1]);
            ARG(kernel, 3, row);
            ocl_launch(kernel, 1, (size_t)(COLS + WIDTH - 1) / WIDTH * BLOCK, 1, BLOCK, 1);
            last ^= 1;
            from = d_cost[last];
        }
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_cost[last], out, row_bytes);
    return report("ocl", best, grid, out);
}
