/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL for the benchmarks: the CPU device, programs, buffers, launches. Every error ends the program. */
#ifndef BENCH_OCL_H
#define BENCH_OCL_H

#include "common.h"

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

#endif
