/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convolution: 2048 x 2048 floats with a 7 x 7 filter, zero outside.  A block of 32 x 8 threads makes 32 x 32 results from a
 * tile with its border in shared memory, 4 rows to a thread.  Work counts 98 operations per result.
 *
 * CUDA variant.  The filter is in constant memory.
 */
#include "../common.h"
#ifndef GROW
#define GROW 1                                  /* larger problems for many cores: bench/scaling --grow */
#endif
enum { W = 2048 * GROW, H = 2048 * GROW, R = 3, K = 2 * R + 1, TX = 32, TY = 32, BY = 8, SX = TX + 2 * R, SY = TY + 2 * R };
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

__constant__ float c_filter[K * K];

__global__ void convolution(const float *in, float *out, int w, int h)
{
    __shared__ float s[SY][SX];
    int x0 = blockIdx.x * TX - R, y0 = blockIdx.y * TY - R;
    for (int j = threadIdx.y; j < SY; j += BY)
        for (int i = threadIdx.x; i < SX; i += TX) {
            int x = x0 + i, y = y0 + j;
            s[j][i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.0f;
        }
    __syncthreads();
    int x = blockIdx.x * TX + threadIdx.x;
    for (int r = threadIdx.y; r < TY; r += BY) {
        int y = blockIdx.y * TY + r;
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < K; j++)
#pragma unroll
            for (int i = 0; i < K; i++)
                sum += c_filter[j * K + i] * s[r + j][threadIdx.x + i];
        if (x < w && y < h)
            out[y * w + x] = sum;
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = (float *)host_alloc(bytes), *out = (float *)host_alloc(bytes), filter[K * K];
    float *d_in, *d_out;
    make_input(in, filter);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(c_filter, filter, sizeof filter));

    dim3 block(TX, BY), grid((W + TX - 1) / TX, (H + TY - 1) / TY);
    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        convolution<<<grid, block>>>(d_in, d_out, W, H);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, in, filter, out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return rc;
}
