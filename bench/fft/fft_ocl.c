/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fft: 4096 complex transforms of 1024 points, radix 4, Stockham order (no bit reversal).  A block of 256 threads for each
 * transform, 5 stages, exchanged through shared memory; the roots of unity come from a table.  Work counts 5 n log2(n).
 *
 * OpenCL variant, on the CPU device (POCL).
 */
#include "../ocl.h"

enum { BATCH = 4096, N = 1024, BLOCK = N / 4 };
static const size_t bytes = sizeof(float) * 2 * BATCH * N;

static void make_input(float *in, float *root)
{
    for (int i = 0; i < 2 * BATCH * N; i++)
        in[i] = rnd() - 0.5f;
    for (int i = 0; i < N; i++) {
        root[2 * i] = cos(-2 * M_PI * i / N);
        root[2 * i + 1] = sin(-2 * M_PI * i / N);
    }
}

/* Checks every 97th transform at every 31st frequency against the definition in double precision. */
static int report(const char *variant, double seconds, const float *in, const float *out)
{
    static double c[N], s[N];
    double sum = 0, worst = 0;
    for (int i = 0; i < N; i++) {
        c[i] = cos(-2 * M_PI * i / N);
        s[i] = sin(-2 * M_PI * i / N);
    }
    for (size_t i = 0; i < (size_t)2 * BATCH * N; i++)
        sum += fabs(out[i]);
    for (int b = 0; b < BATCH; b += 97)
        for (int f = 0; f < N; f += 31) {
            const float *x = in + (size_t)2 * b * N, *y = out + (size_t)2 * b * N;
            double re = 0, im = 0;
            for (int i = 0; i < N; i++) {
                int k = i * f % N;
                re += x[2 * i] * c[k] - x[2 * i + 1] * s[k];
                im += x[2 * i] * s[k] + x[2 * i + 1] * c[k];
            }
            worst = fmax(worst, fmax(fabs(re - y[2 * f]), fabs(im - y[2 * f + 1])));
        }
    printf("fft %s seconds=%.9f check=%.6e work=%.0f unit=GFLOP/s\n", variant, seconds, sum, 5.0 * 10 * N * BATCH);
    if (!(worst <= 1e-4)) {
        fprintf(stderr, "fft %s: max error %g\n", variant, worst);
        return 1;
    }
    return 0;
}

static const char *text = TEXT(
float2 product(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

void butterfly(float2 *v)
{
    float2 a = v[0] + v[2];
    float2 b = v[0] - v[2];
    float2 c = v[1] + v[3];
    float2 d = v[1] - v[3];
    float2 turned = (float2)(d.y, -d.x);
    v[0] = a + c;
    v[1] = b + turned;
    v[2] = a - c;
    v[3] = b - turned;
}

__kernel void fft(__global const float2 *in, __global const float2 *root, __global float2 *out)
{
    __local float re[N];
    __local float im[N];
    int j = get_local_id(0);
    __global const float2 *x = in + (size_t)get_group_id(0) * N;
    __global float2 *y = out + (size_t)get_group_id(0) * N;
    float2 v[4];
    for (int r = 0; r < 4; r++)
        v[r] = x[j + r * BLOCK];
    butterfly(v);
    __attribute__((opencl_unroll_hint))
    for (int s = 4; s <= BLOCK; s *= 4) {
        int q = s / 4;
        int k = j % q;
        int to = (j - k) * 4 + k;
        for (int r = 0; r < 4; r++) {
            re[to + r * q] = v[r].x;
            im[to + r * q] = v[r].y;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int step = N / (4 * s) * (j % s);
        for (int r = 0; r < 4; r++)
            v[r] = (float2)(re[j + r * BLOCK], im[j + r * BLOCK]);
        for (int r = 1; r < 4; r++)
            v[r] = product(v[r], root[r * step]);
        butterfly(v);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 4; r++)
        y[j + r * BLOCK] = v[r];
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = host_alloc(bytes), *out = host_alloc(bytes), root[2 * N];
    char options[64];
    make_input(in, root);
    ocl_open();
    snprintf(options, sizeof options, "-DN=%d -DBLOCK=%d", N, BLOCK);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "fft");
    cl_mem d_in = ocl_buffer(bytes, in), d_root = ocl_buffer(sizeof root, root), d_out = ocl_buffer(bytes, NULL);
    ARG(kernel, 0, d_in);
    ARG(kernel, 1, d_root);
    ARG(kernel, 2, d_out);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        ocl_launch(kernel, 1, (size_t)BATCH * BLOCK, 1, BLOCK, 1);
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_out, out, bytes);
    return report("ocl", best, in, out);
}
