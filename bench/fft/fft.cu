/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fft: 4096 complex transforms of 1024 points, radix 4, Stockham order (no bit reversal).  A block of 256 threads for each
 * transform, 5 stages, exchanged through shared memory; the roots of unity come from a table.  Work counts 5 n log2(n).
 *
 * CUDA variant.
 */
#include "../common.h"

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

__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__device__ void butterfly(float2 v[4])
{
    float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
    float2 turned = make_float2(d.y, -d.x);     /* d * -i */
    v[0] = a + c;
    v[1] = b + turned;
    v[2] = a - c;
    v[3] = b - turned;
}

__global__ void fft(const float2 *in, const float2 *root, float2 *out)
{
    __shared__ float re[N], im[N];              /* apart: no bank conflicts */
    int j = threadIdx.x;
    const float2 *x = in + (size_t)blockIdx.x * N;
    float2 *y = out + (size_t)blockIdx.x * N, v[4];
    for (int r = 0; r < 4; r++)
        v[r] = x[j + r * BLOCK];
    butterfly(v);
#pragma unroll
    for (int s = 4; s <= BLOCK; s *= 4) {       /* the stage before joined transforms of s / 4 into transforms of s */
        int q = s / 4, k = j % q, to = (j - k) * 4 + k;
        for (int r = 0; r < 4; r++) {
            re[to + r * q] = v[r].x;
            im[to + r * q] = v[r].y;
        }
        __syncthreads();
        int step = N / (4 * s) * (j % s);
        for (int r = 0; r < 4; r++)
            v[r] = make_float2(re[j + r * BLOCK], im[j + r * BLOCK]);
        for (int r = 1; r < 4; r++)
            v[r] = v[r] * root[r * step];
        butterfly(v);
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        y[j + r * BLOCK] = v[r];
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = (float *)host_alloc(bytes), *out = (float *)host_alloc(bytes), root[2 * N];
    float2 *d_in, *d_root, *d_out;
    make_input(in, root);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_root, sizeof root));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_root, root, sizeof root, cudaMemcpyHostToDevice));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        fft<<<BATCH, BLOCK>>>(d_in, d_root, d_out);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, in, out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_root));
    CHECK(cudaFree(d_out));
    return rc;
}
