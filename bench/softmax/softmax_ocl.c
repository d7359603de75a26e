/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softmax: of every row of 8192 x 1024 floats.  A block for each row: its 256 threads keep 4 numbers each in registers, and
 * find the maximum and the sum together.  Work counts one read and one write, 8 bytes a number.
 *
 * OpenCL variant, on the CPU device (POCL).  OpenCL 1.2 has no shuffles: the
 * reductions are trees in local memory.
 */
#include "../ocl.h"

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
