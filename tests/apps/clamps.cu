// SPDX-License-Identifier: Apache-2.0
// Neighbours that are limited to an image: in the middle the lanes lie side by side, at the edges they do not. Signed and unsigned numbers, limits
// that are parameters, lower and upper ones together, numbers that wrap around, in shared memory and where some lanes are off.
#include "app.h"
#include <algorithm>
#include <vector>

enum { W = 300, H = 9, BLOCK = 128 };

__global__ void image(const int *in, int *out, int w, int h)
{
    int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    int left = max(x - 3, 0), right = min(x + 5, w - 1), up = max(y - 1, 0), down = min(y + 1, h - 1);
    out[y * w + x] = in[y * w + left] + 3 * in[y * w + right] + 5 * in[up * w + x] + 7 * in[down * w + right];
}

/* Both limits of one number, which begins left of the image. */
__global__ void both(const int *in, int *out, int n, int shift)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    out[i] = in[min(max(i - shift, 0), n - 1)] + 2 * in[max(min(i + shift, n - 1), 7)];
}

/* i + shift may be past 2^32, or past 2^31: then it is small, or below zero. */
__global__ void wrapping(const int *in, int *out, unsigned n, unsigned shift)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    out[i] = in[min(i + shift, n - 1)] + 2 * in[min(max((int)(i + shift), 0), (int)n - 1)] + 4 * in[max(min(i - shift, n - 1), 3u)];
}

__global__ void shared_rows(const int *in, int *out, int rounds, int least)
{
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, mine = in[i];
    s[0][t] = mine;
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        const int *old = s[k & 1];
        if (mine % 5 != k % 5)
            mine = (old[max(t - 1, 0)] + old[t] + old[min(t + 1, BLOCK - 1)] + old[max(t - 17, least)]) & 0xffff;
        s[~k & 1][t] = mine;
        __syncthreads();
    }
    out[i] = mine;
}

enum { N = 2048 };
static std::vector<int> in(W *H > N ? W * H : N), out(W *H > N ? W * H : N), want(W *H > N ? W * H : N);
static int *d_in, *d_out;

static int compare(const char *name, int n)
{
    int wrong = 0;
    CUDA(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += out[i] != want[i];
    printf("%s: %d wrong\n", name, wrong);
    return wrong;
}

static int clamp(int x, int least, int most) { return std::min(std::max(x, least), most); }

static int test_image(int w, int h)
{
    image<<<dim3((w + BLOCK - 1) / BLOCK, h), BLOCK>>>(d_in, d_out, w, h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int left = std::max(x - 3, 0), right = std::min(x + 5, w - 1);
            want[y * w + x] = in[y * w + left] + 3 * in[y * w + right] + 5 * in[std::max(y - 1, 0) * w + x] + 7 * in[std::min(y + 1, h - 1) * w + right];
        }
    return compare("image", w * h);
}

static int test_both(int n, int shift)
{
    both<<<N / BLOCK, BLOCK>>>(d_in, d_out, n, shift);
    for (int i = 0; i < N; i++)
        want[i] = in[clamp(i - shift, 0, n - 1)] + 2 * in[std::max(std::min(i + shift, n - 1), 7)];
    return compare("both", N);
}

static int test_wrapping(unsigned n, unsigned shift)
{
    wrapping<<<N / BLOCK, BLOCK>>>(d_in, d_out, n, shift);
    for (unsigned i = 0; i < N; i++)
        want[i] = in[std::min(i + shift, n - 1)] + 2 * in[clamp((int)(i + shift), 0, (int)n - 1)] + 4 * in[std::max(std::min(i - shift, n - 1), 3u)];
    return compare("wrapping", N);
}

static int test_shared(int rounds, int least)
{
    shared_rows<<<N / BLOCK, BLOCK>>>(d_in, d_out, rounds, least);
    std::copy(in.begin(), in.begin() + N, want.begin());
    for (int k = 0; k < rounds; k++) {
        std::vector<int> old = want;
        for (int i = 0; i < N; i++) {
            const int *row = &old[i / BLOCK * BLOCK];
            int t = i % BLOCK;
            if (want[i] % 5 != k % 5)
                want[i] = (row[std::max(t - 1, 0)] + row[t] + row[std::min(t + 1, BLOCK - 1)] + row[std::max(t - 17, least)]) & 0xffff;
        }
    }
    return compare("shared rows", N);
}

int main()
{
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (int)(app_random((uint32_t)i) % 100000);
    CUDA(cudaMalloc(&d_in, in.size() * sizeof(int)));
    CUDA(cudaMalloc(&d_out, in.size() * sizeof(int)));
    CUDA(cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
    int wrong = test_image(W, H) + test_image(32, 4) + test_image(33, 1) + test_image(1, 3);
    wrong += test_both(N, 0) + test_both(N, 1) + test_both(N, 40) + test_both(1000, 33) + test_both(8, 5000);
    wrong += test_wrapping(N, 0) + test_wrapping(N, 5) + test_wrapping(1000, 0x7fffffff - 600) + test_wrapping(N, 0xffffffff - 700) + test_wrapping(64, 0x80000000u);
    wrong += test_shared(1, 0) + test_shared(12, 0) + test_shared(12, 40);
    return wrong != 0;
}
