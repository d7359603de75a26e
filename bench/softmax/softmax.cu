/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softmax: of every row of 8192 x 1024 floats.  A block for each row: its 256 threads keep 4 numbers each in registers, and
 * find the maximum and the sum together.  Work counts one read and one write, 8 bytes a number.
 *
 * CUDA variant.  Reductions by shuffles, then over the warps.
 */
#include "../common.h"

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

template<typename OP>
__device__ float block_reduce(float x, OP op)
{
    __shared__ float part[BLOCK / 32];
    for (int d = 16; d > 0; d /= 2)
        x = op(x, __shfl_xor_sync(~0u, x, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    x = part[0];
    for (int w = 1; w < BLOCK / 32; w++)
        x = op(x, part[w]);
    return x;
}

struct larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct plus {
    __device__ float operator()(float a, float b) const { return a + b; }
};

__global__ void softmax(const float *in, float *out)
{
    const float *x = in + (size_t)blockIdx.x * COLS;
    float *y = out + (size_t)blockIdx.x * COLS;
    float v[ITEMS], top = -INFINITY, sum = 0.0f;
    for (int k = 0; k < ITEMS; k++) {
        v[k] = x[threadIdx.x + k * BLOCK];
        top = fmaxf(top, v[k]);
    }
    top = block_reduce(top, larger());
    for (int k = 0; k < ITEMS; k++) {
        v[k] = expf(v[k] - top);
        sum += v[k];
    }
    float scale = 1.0f / block_reduce(sum, plus());
    for (int k = 0; k < ITEMS; k++)
        y[threadIdx.x + k * BLOCK] = v[k] * scale;
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = (float *)host_alloc(bytes), *out = (float *)host_alloc(bytes);
    float *d_in, *d_out;
    make_input(in);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        softmax<<<ROWS, BLOCK>>>(d_in, d_out);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, in, out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return rc;
}
