/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convolution: 2048 x 2048 floats with a 7 x 7 filter, zero outside.  A block of 32 x 8 threads makes 32 x 32 results from a
 * tile with its border in shared memory, 4 rows to a thread.  Work counts 98 operations per result.
 *
 * OpenCL variant, on the CPU device (POCL).
 */
#include "../ocl.h"

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
