/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmeans: 4 rounds of clustering 2^17 points of 8 dimensions around 16 centres.  A thread finds the centre nearest to its
 * point; each block adds its points up in shared memory with atomics, then adds that to the sums of all.  A second kernel makes
 * them the new centres.  Work counts the distances.
 *
 * OpenCL variant, on the CPU device (POCL).  OpenCL 1.2 has no atomic addition
 * of floats: a loop of compare-and-exchange.
 */
#include "../ocl.h"

enum { N = 1 << 17, DIMS = 8, CENTRES = 16, ROUNDS = 4, BLOCK = 256, POINTS = 4 };
static const size_t bytes = sizeof(float) * N * DIMS, centre_bytes = sizeof(float) * CENTRES * DIMS;

/* Coordinate d of point i is at[d * N + i].  The points lie around 16 places. */
static void make_input(float *at, float *centre)
{
    float middle[CENTRES][DIMS];
    for (int c = 0; c < CENTRES; c++)
        for (int d = 0; d < DIMS; d++)
            middle[c][d] = rnd();
    for (int i = 0; i < N; i++) {
        int c = rnd_u32() % CENTRES;
        for (int d = 0; d < DIMS; d++)
            at[d * N + i] = middle[c][d] + 0.6f * (rnd() - 0.5f);
    }
    for (int c = 0; c < CENTRES; c++)
        for (int d = 0; d < DIMS; d++)
            centre[c * DIMS + d] = at[d * N + c];
}

/* The reference, in double precision: a point between two centres may go to either, which moves them by very little. */
static void reference(const float *at, const float *start, double (*centre)[DIMS])
{
    for (int c = 0; c < CENTRES; c++)
        for (int d = 0; d < DIMS; d++)
            centre[c][d] = start[c * DIMS + d];
    for (int r = 0; r < ROUNDS; r++) {
        double sum[CENTRES][DIMS] = { { 0 } };
        int count[CENTRES] = { 0 };
        for (int i = 0; i < N; i++) {
            double least = 1e30;
            int best = 0;
            for (int c = 0; c < CENTRES; c++) {
                double far = 0;
                for (int d = 0; d < DIMS; d++)
                    far += (at[d * N + i] - centre[c][d]) * (at[d * N + i] - centre[c][d]);
                if (far < least) {
                    least = far;
                    best = c;
                }
            }
            count[best]++;
            for (int d = 0; d < DIMS; d++)
                sum[best][d] += at[d * N + i];
        }
        for (int c = 0; c < CENTRES; c++)
            for (int d = 0; d < DIMS && count[c]; d++)
                centre[c][d] = sum[c][d] / count[c];
    }
}

static int report(const char *variant, double seconds, const float *at, const float *start, const float *centre)
{
    double want[CENTRES][DIMS], sum = 0, worst = 0;
    reference(at, start, want);
    for (int c = 0; c < CENTRES; c++)
        for (int d = 0; d < DIMS; d++) {
            sum += (c + d + 1) * centre[c * DIMS + d];
            worst = fmax(worst, fabs(centre[c * DIMS + d] - want[c][d]));
        }
    printf("kmeans %s seconds=%.9f check=%.6e work=%.0f unit=Gdistances/s\n", variant, seconds, sum, (double)N * CENTRES * ROUNDS);
    if (!(worst <= 1e-4)) {
        fprintf(stderr, "kmeans %s: a centre is off by %g\n", variant, worst);
        return 1;
    }
    return 0;
}

static const char *text = TEXT(
void add_local(__local float *p, float x)
{
    uint old = *(volatile __local uint *)p;
    for (;;) {
        uint seen = atomic_cmpxchg((volatile __local uint *)p, old, as_uint(as_float(old) + x));
        if (seen == old)
            break;
        old = seen;
    }
}

void add_global(__global float *p, float x)
{
    uint old = *(volatile __global uint *)p;
    for (;;) {
        uint seen = atomic_cmpxchg((volatile __global uint *)p, old, as_uint(as_float(old) + x));
        if (seen == old)
            break;
        old = seen;
    }
}

__kernel void assign(__global const float *at, __global const float *centre, __global float *sum, __global int *count)
{
    __local float s_centre[CENTRES * DIMS];
    __local float s_sum[CENTRES * DIMS];
    __local int s_count[CENTRES];
    int tid = get_local_id(0);
    for (int i = tid; i < CENTRES * DIMS; i += BLOCK) {
        s_centre[i] = centre[i];
        s_sum[i] = 0.0f;
    }
    if (tid < CENTRES)
        s_count[tid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    int first = get_group_id(0) * BLOCK * POINTS + tid;
    for (int i = first; i < first + BLOCK * POINTS; i += BLOCK) {
        float x[DIMS];
        float least = INFINITY;
        int best = 0;
        for (int d = 0; d < DIMS; d++)
            x[d] = at[d * N + i];
        for (int c = 0; c < CENTRES; c++) {
            float far = 0.0f;
            for (int d = 0; d < DIMS; d++) {
                float diff = x[d] - s_centre[c * DIMS + d];
                far += diff * diff;
            }
            if (far < least) {
                least = far;
                best = c;
            }
        }
        for (int d = 0; d < DIMS; d++)
            add_local(&s_sum[best * DIMS + d], x[d]);
        atomic_inc(&s_count[best]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = tid; i < CENTRES * DIMS; i += BLOCK)
        add_global(&sum[i], s_sum[i]);
    if (tid < CENTRES)
        atomic_add(&count[tid], s_count[tid]);
}

__kernel void move_centres(__global float *centre, __global float *sum, __global int *count)
{
    int tid = get_local_id(0);
    int n = count[tid / DIMS];
    if (n > 0)
        centre[tid] = sum[tid] / n;
    sum[tid] = 0.0f;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (tid < CENTRES)
        count[tid] = 0;
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *at = host_alloc(bytes), *start = host_alloc(centre_bytes), *centre = host_alloc(centre_bytes);
    char options[128];
    const float none[CENTRES * DIMS] = { 0 };
    const int empty[CENTRES] = { 0 };
    make_input(at, start);
    ocl_open();
    snprintf(options, sizeof options, "-DN=%d -DDIMS=%d -DCENTRES=%d -DBLOCK=%d -DPOINTS=%d", N, DIMS, CENTRES, BLOCK, POINTS);
    cl_program program = ocl_build(text, options);
    cl_kernel assign = ocl_kernel(program, "assign"), move = ocl_kernel(program, "move_centres");
    cl_mem d_at = ocl_buffer(bytes, at), d_centre = ocl_buffer(centre_bytes, start);
    cl_mem d_sum = ocl_buffer(centre_bytes, none), d_count = ocl_buffer(sizeof empty, empty);
    ARG(assign, 0, d_at);
    ARG(assign, 1, d_centre);
    ARG(assign, 2, d_sum);
    ARG(assign, 3, d_count);
    ARG(move, 0, d_centre);
    ARG(move, 1, d_sum);
    ARG(move, 2, d_count);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        CHECK(clEnqueueWriteBuffer(queue, d_centre, CL_TRUE, 0, centre_bytes, start, 0, NULL, NULL));
        double t = now();
        for (int k = 0; k < ROUNDS; k++) {
            ocl_launch(assign, 1, N / POINTS, 1, BLOCK, 1);
            ocl_launch(move, 1, CENTRES * DIMS, 1, CENTRES * DIMS, 1);
        }
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_centre, centre, centre_bytes);
    return report("ocl", best, at, start, centre);
}
