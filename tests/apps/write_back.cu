// SPDX-License-Identifier: Apache-2.0
// `if (x < d[i]) d[i] = x`: no lane, some or all of a warp store, in global and shared memory, at a kernel's end, in loops that lanes leave one by
// one, behind another test, and where each lane stores what others read next.
#include "app.h"
#include <algorithm>
#include <vector>

enum { N = 4096, BLOCK = 128, TURNS = 9 };

__global__ void at_end(int *d, const int *x)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (x[i] < d[i])
        d[i] = x[i];
}

__global__ void behind_a_test(int *d, const int *x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n || x[i] % 3 == 0)
        return;
    int twice = 2 * x[i];
    if (twice < d[i])
        d[i] = twice + 1;
    d[i + N] = twice;
}

/* Lane i leaves after x[i] % TURNS turns. */
__global__ void in_a_loop(int *d, const int *x)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, counted = 0;
    for (int k = 0; k < x[i] % TURNS; k++) {
        int y = x[i] / (k + 1);
        if (y < d[i]) {
            d[i] = y;
            counted++;
        }
    }
    d[i + N] = counted;
}

__global__ void in_shared_memory(float *d, const float *x)
{
    __shared__ float s[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    s[threadIdx.x] = d[i];
    for (int k = 1; k < BLOCK; k *= 2) {
        __syncthreads();
        float y = s[threadIdx.x ^ k] + x[i];
        __syncthreads();
        if (y > s[threadIdx.x])
            s[threadIdx.x] = y;
    }
    d[i] = s[threadIdx.x];
}

static int *d, *dx;
static std::vector<int> x(N), got(2 * N), want(2 * N);

/* What d begins with lets none (0), some or all (2) of the first numbers in. */
static void begin(int kind)
{
    for (int i = 0; i < N; i++) {
        x[i] = (int)(app_random((uint32_t)i) % 1000);
        want[i] = kind == 0 ? -1 : kind == 2 ? 1 << 20 : (int)(app_random((uint32_t)(i + N)) % 1000);
        want[i + N] = -7;
    }
    CUDA(cudaMemcpy(dx, x.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d, want.data(), 2 * N * sizeof(int), cudaMemcpyHostToDevice));
}

static int end(const char *name, int kind)
{
    int wrong = 0;
    CUDA(cudaMemcpy(got.data(), d, 2 * N * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * N; i++)
        wrong += got[i] != want[i];
    printf("%s, %s: %d wrong\n", name, kind == 0 ? "none" : kind == 1 ? "some" : "all", wrong);
    return wrong;
}

static int test(int kind)
{
    int wrong = 0;
    begin(kind);
    at_end<<<N / BLOCK, BLOCK>>>(d, dx);
    for (int i = 0; i < N; i++)
        want[i] = std::min(want[i], x[i]);
    wrong += end("at the end", kind);

    begin(kind);
    behind_a_test<<<N / BLOCK, BLOCK>>>(d, dx, N - 77);
    for (int i = 0; i < N - 77; i++)
        if (x[i] % 3) {
            want[i] = 2 * x[i] < want[i] ? 2 * x[i] + 1 : want[i];
            want[i + N] = 2 * x[i];
        }
    wrong += end("behind a test", kind);

    begin(kind);
    in_a_loop<<<N / BLOCK, BLOCK>>>(d, dx);
    for (int i = 0; i < N; i++) {
        want[i + N] = 0;
        for (int k = 0; k < x[i] % TURNS; k++)
            if (x[i] / (k + 1) < want[i]) {
                want[i] = x[i] / (k + 1);
                want[i + N]++;
            }
    }
    wrong += end("in a loop", kind);

    std::vector<float> f(N), y(N), old(N), out(N);
    for (int i = 0; i < N; i++) {
        f[i] = (float)(app_random((uint32_t)i + 5) % 1000);
        y[i] = kind == 0 ? -2000.0f : kind == 2 ? 2000.0f : (float)(app_random((uint32_t)i + 9) % 400) - 200;
    }
    CUDA(cudaMemcpy(dx, y.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d, f.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    in_shared_memory<<<N / BLOCK, BLOCK>>>((float *)d, (float *)dx);
    CUDA(cudaMemcpy(out.data(), d, N * sizeof(float), cudaMemcpyDeviceToHost));
    for (int k = 1; k < BLOCK; k *= 2) {
        old = f;
        for (int i = 0; i < N; i++)
            f[i] = std::max(old[i], old[i ^ k] + y[i]);
    }
    int wrong_shared = 0;
    for (int i = 0; i < N; i++)
        wrong_shared += f[i] != out[i];
    printf("in shared memory, %d: %d wrong\n", kind, wrong_shared);
    return wrong + wrong_shared;
}

int main()
{
    CUDA(cudaMalloc(&d, 2 * N * sizeof(int)));
    CUDA(cudaMalloc(&dx, N * sizeof(int)));
    return test(0) + test(1) + test(2) != 0;
}
