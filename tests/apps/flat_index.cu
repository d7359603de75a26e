// SPDX-License-Identifier: Apache-2.0
// Rows, columns and planes from one flat index, in the spellings of real programs: groups of lanes that lie in one row and those that lie across its end, numbers
// of all types, divisors that are constants or not, negative and wrapping indices, neighbours that are limited or periodic, in loops and before barriers.
#include "app.h"
#include <cstddef>
#include <vector>

enum { N = 5000, FAR = 16384, KINDS = 17 };

template <int KIND> __host__ __device__ void split(long long k, int w, int h, int *x, int *y, int *z)
{
    int i = (int)k;
    unsigned u = (unsigned)k;
    size_t s = (size_t)k;
    *x = *y = *z = 0;
    if constexpr (KIND == 0) { *x = i % w; *y = i / w; }
    if constexpr (KIND == 1) { *x = u % (unsigned)w; *y = u / (unsigned)w; }
    if constexpr (KIND == 2) { *x = (int)(s % (size_t)w); *y = (int)(s / (size_t)w); }
    if constexpr (KIND == 3) { *x = (int)(k % w); *y = (int)(k / w); }
    if constexpr (KIND == 4) { *x = i % w; *y = i / w % h; *z = i / (w * h); }
    if constexpr (KIND == 5) { *z = i / (w * h); int r = i - *z * w * h; *y = r / w; *x = r - *y * w; }
    if constexpr (KIND == 6) { *x = i % 100; *y = i / 100; *z = i / 641; }
    if constexpr (KIND == 7) { *x = u % 100; *y = u / 7; *z = u / 1000; }
    if constexpr (KIND == 8) { *x = i % 1024; *y = i / 1024; *z = (i + 5) / 64; }
    if constexpr (KIND == 9) { *x = (u + 3) & 127; *y = (u + 3) >> 7; *z = u + 9 & ~63u; }
    if constexpr (KIND == 10) { *x = (i - 900) % w; *y = (i - 900) / w; }                  /* some are negative */
    if constexpr (KIND == 11) { *x = (i - 900) % -w; *y = (i - 900) / -w; }
    if constexpr (KIND == 12) { *x = (u - 900) % (unsigned)w; *y = (u - 900) / 1000003u; } /* some wrap around */
    if constexpr (KIND == 13) { int c = i % w; *x = (c + 1) % w; *y = (c + w - 1) % w; *z = c ? c - 1 : w - 1; }
    if constexpr (KIND == 14) { int c = i % w; *x = c > 0 ? c - 1 : 0; *y = c + 1 < w ? c + 1 : w - 1; *z = c + 2 >= w ? c + 2 - w : c + 2; }
    if constexpr (KIND == 15) { int c = i % w; *x = c == 0 ? w - 1 : c - 1; *y = c != w - 1 ? c + 1 : 0; *z = i / w; }
    if constexpr (KIND == 16) { size_t c = s * 3 % (size_t)w; *x = (int)c; *y = (int)(s * 3 / (size_t)w); *z = (int)(s / 1000); }
}

__host__ __device__ int value(const int *in, int x, int y, int z) { return in[x] * 3 + in[y] * 5 + in[z] * 7; }

template <int KIND> __global__ void guarded(int *out, const int *in, int w, int h, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, x, y, z;
    if (k >= n)
        return;
    split<KIND>(k, w, h, &x, &y, &z);
    out[k] = value(in, x, y, z);
}

template <int KIND> __global__ void strided(int *out, const int *in, int w, int h, size_t n)
{
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        int x, y, z;
        split<KIND>((long long)k, w, h, &x, &y, &z);
        out[k] = value(in, x, y, z);
    }
}

/* A barrier after it, and a branch that depends on the row. */
template <int KIND> __global__ void shared(int *out, const int *in, int w, int h, int n)
{
    __shared__ int t[256];
    int k = blockIdx.x * blockDim.x + threadIdx.x, x, y, z;
    split<KIND>(k, w, h, &x, &y, &z);
    t[threadIdx.x] = k < n ? value(in, x, y, z) : 0;
    if (y & 1)
        t[threadIdx.x] += x;
    __syncthreads();
    if (k < n)
        out[k] = t[blockDim.x - 1 - threadIdx.x] + (x ^ y);
}

template <int KIND> static int one(int *out, const int *in, const int *host, int w, int h, int threads)
{
    std::vector<int> want(N), got(N);
    int blocks = (N + threads - 1) / threads, bad = 0;
    for (int form = 0; form < (threads != 256 ? 1 : KIND < 6 ? 3 : 2); form++) {
        if (form == 0)
            guarded<KIND><<<blocks, threads>>>(out, in, w, h, N);
        else if (form == 1)
            strided<KIND><<<3, threads>>>(out, in, w, h, N);
        else
            shared<KIND><<<blocks, threads>>>(out, in, w, h, N);
        cudaMemcpy(got.data(), out, sizeof(int) * N, cudaMemcpyDefault);
        for (int k = 0; k < N; k++) {
            int x, y, z;
            int m = form == 2 ? k / threads * threads + threads - 1 - k % threads : k;
            split<KIND>(m, w, h, &x, &y, &z);
            want[k] = m < N ? value(host, x, y, z) : 0;
            if (form == 2) {
                want[k] += y & 1 ? x : 0;
                split<KIND>(k, w, h, &x, &y, &z);
                want[k] += x ^ y;
            }
            if (want[k] != got[k] && !bad++)
                printf("kind %d form %d, width %d, %d threads: %d is %d, not %d\n", KIND, form, w, threads, k, got[k], want[k]);
        }
    }
    return bad;
}

template <int KIND> static int all(int *out, const int *in, const int *host)
{
    static const int widths[] = { 1, 3, 16, 31, 32, 33, 100, 128, 1000, 5000 }, threads[] = { 256, 100 };
    int bad = 0;
    for (int w : widths)
        for (int t : threads)
            bad += one<KIND>(out, in, host, w, 5, t);
    if constexpr (KIND + 1 < KINDS)
        bad += all<KIND + 1>(out, in, host);
    return bad;
}

int main()
{
    std::vector<int> host(2 * FAR);
    for (int k = 0; k < 2 * FAR; k++)
        host[k] = (int)(app_random(k) >> 8);
    int *in, *out;
    cudaMalloc(&in, sizeof(int) * host.size());
    cudaMalloc(&out, sizeof(int) * N);
    cudaMemcpy(in, host.data(), sizeof(int) * host.size(), cudaMemcpyDefault);
    int bad = all<0>(out, in + FAR, host.data() + FAR);
    printf("%d wrong: %s\n", bad, cudaGetErrorString(cudaGetLastError()));
    return bad != 0;
}
