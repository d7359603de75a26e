/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmeans: 4 rounds of clustering 2^17 points of 8 dimensions around 16 centres.  A thread finds the centre nearest to its
 * point; each block adds its points up in shared memory with atomics, then adds that to the sums of all.  A second kernel makes
 * them the new centres.  Work counts the distances.
 *
 * CUDA variant.
 */
#include "../common.h"

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

__global__ void assign(const float *at, const float *centre, float *sum, int *count)
{
    __shared__ float s_centre[CENTRES * DIMS], s_sum[CENTRES * DIMS];
    __shared__ int s_count[CENTRES];
    for (int i = threadIdx.x; i < CENTRES * DIMS; i += BLOCK) {
        s_centre[i] = centre[i];
        s_sum[i] = 0.0f;
    }
    if (threadIdx.x < CENTRES)
        s_count[threadIdx.x] = 0;
    __syncthreads();

    int first = blockIdx.x * BLOCK * POINTS + threadIdx.x;
    for (int i = first; i < first + BLOCK * POINTS; i += BLOCK) {
        float x[DIMS], least = INFINITY;
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
            atomicAdd(&s_sum[best * DIMS + d], x[d]);
        atomicAdd(&s_count[best], 1);
    }
    __syncthreads();

    for (int i = threadIdx.x; i < CENTRES * DIMS; i += BLOCK)
        atomicAdd(&sum[i], s_sum[i]);
    if (threadIdx.x < CENTRES)
        atomicAdd(&count[threadIdx.x], s_count[threadIdx.x]);
}

/* One block: a thread for each coordinate. */
__global__ void move_centres(float *centre, float *sum, int *count)
{
    int n = count[threadIdx.x / DIMS];
    if (n > 0)
        centre[threadIdx.x] = sum[threadIdx.x] / n;
    sum[threadIdx.x] = 0.0f;
    __syncthreads();
    if (threadIdx.x < CENTRES)
        count[threadIdx.x] = 0;
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *at = (float *)host_alloc(bytes), *start = (float *)host_alloc(centre_bytes), *centre = (float *)host_alloc(centre_bytes);
    float *d_at, *d_centre, *d_sum;
    int *d_count;
    make_input(at, start);
    CHECK(cudaMalloc(&d_at, bytes));
    CHECK(cudaMalloc(&d_centre, centre_bytes));
    CHECK(cudaMalloc(&d_sum, centre_bytes));
    CHECK(cudaMalloc(&d_count, CENTRES * sizeof(int)));
    CHECK(cudaMemcpy(d_at, at, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_sum, 0, centre_bytes));
    CHECK(cudaMemset(d_count, 0, CENTRES * sizeof(int)));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        CHECK(cudaMemcpy(d_centre, start, centre_bytes, cudaMemcpyHostToDevice));
        double t = now();
        for (int k = 0; k < ROUNDS; k++) {
            assign<<<N / (BLOCK * POINTS), BLOCK>>>(d_at, d_centre, d_sum, d_count);
            move_centres<<<1, CENTRES * DIMS>>>(d_centre, d_sum, d_count);
        }
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(centre, d_centre, centre_bytes, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, at, start, centre);
    CHECK(cudaFree(d_at));
    CHECK(cudaFree(d_centre));
    CHECK(cudaFree(d_sum));
    CHECK(cudaFree(d_count));
    return rc;
}
