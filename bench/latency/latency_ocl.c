/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latency: what the calls themselves cost: 1000 launches queued, 1000 queued and each submitted by a flush, 1000 queued and
 * then waited for together, 1000 each waited for, 1000 markers, 1000 copies of 4 bytes.
 *
 * OpenCL variant, on the CPU device (POCL).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define N 1000
#define CHECK(call) check((call), #call)

static cl_device_id device;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem d;

static void check(cl_int err, const char *what)
{
    if (err != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, (int)err);
        exit(1);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void launch(void)
{
    size_t one = 1;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
}

static void launch_queued(void)
{
    for (int i = 0; i < N; i++)
        launch();
}

static void launch_submitted(void)
{
    for (int i = 0; i < N; i++) {
        launch();
        CHECK(clFlush(queue));
    }
}

static void launch_batch(void)
{
    launch_queued();
    CHECK(clFinish(queue));
}

static void launch_waited(void)
{
    for (int i = 0; i < N; i++) {
        launch();
        CHECK(clFinish(queue));
    }
}

static void event_queued(void)
{
    for (int i = 0; i < N; i++) {
        cl_event e;
        CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &e));
        CHECK(clReleaseEvent(e));
    }
}

static void copy_waited(void)
{
    static int value = 1;
    for (int i = 0; i < N; i++)
        CHECK(clEnqueueWriteBuffer(queue, d, CL_TRUE, sizeof(int), sizeof value, &value, 0, NULL, NULL));
}

static void measure(const char *name, void (*calls)(void), int reps)
{
    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        calls();
        t = now() - t;
        CHECK(clFinish(queue));
        if (r > 0 && t < best)
            best = t;
    }
    int n = 0;
    CHECK(clEnqueueWriteBuffer(queue, d, CL_TRUE, 0, sizeof n, &n, 0, NULL, NULL));
    launch_queued();
    CHECK(clEnqueueReadBuffer(queue, d, CL_TRUE, 0, sizeof n, &n, 0, NULL, NULL));
    printf("latency.%s ocl seconds=%.9f check=%d work=%d unit=Mcall/s\n", name, best, n, N);
    if (n != N)
        exit(1);
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    const char *text = "__kernel void count(__global int *n) { *n += 1; }";
    cl_platform_id platform[16];
    cl_uint n = 0;
    cl_int err;
    CHECK(clGetPlatformIDs(16, platform, &n));
    for (cl_uint i = 0; i < n && i < 16 && !device; i++)
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    if (!device) {
        fprintf(stderr, "no OpenCL CPU device\n");
        return 1;
    }
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    kernel = clCreateKernel(program, "count", &err);
    check(err, "clCreateKernel");
    d = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * sizeof(int), NULL, &err);
    check(err, "clCreateBuffer");
    CHECK(clSetKernelArg(kernel, 0, sizeof d, &d));
    measure("launch_queued", launch_queued, reps);
    measure("launch_submitted", launch_submitted, reps);
    measure("launch_batch", launch_batch, reps);
    measure("launch_waited", launch_waited, reps);
    measure("event_queued", event_queued, reps);
    measure("copy4_waited", copy_waited, reps);
    return 0;
}
