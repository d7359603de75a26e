// SPDX-License-Identifier: Apache-2.0
// Neighbours in falling order, a[n - 1 - i]: loads and stores of all sizes, in global and shared memory, all lanes or some, the last block in part.
// Columns of tiles that are read right after they were written, and a table in constant memory that each lane looks up elsewhere.
#include "app.h"
#include <math.h>
#include <vector>

enum { BLOCK = 96, N = 1000, TABLE = 24 };

template <typename T> __global__ void reverse(const T *in, T *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[n - 1 - i] = in[i];
}

template <typename T> __global__ void reverse_some(const T *in, T *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    T x = in[n - 1 - i];
    if ((int)x % 3 == 0)
        x += in[n - 1 - i / 2];
    if ((int)x % 4)
        out[n - 1 - i] = x;
}

template <typename T> __global__ void reverse_block(const T *in, T *out)
{
    __shared__ T s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t] = in[i];
    __syncthreads();
    T x = s[BLOCK - 1 - t];
    __syncthreads();
    if (t % 5)
        s[BLOCK - 1 - t] = x + 1;
    __syncthreads();
    out[i] = s[t];
}

/* A wave goes over a tile: each thread has a column, and is one row behind its left neighbour. */
__constant__ int table[TABLE * TABLE];
__global__ void wave(const int *in, int *out)
{
    __shared__ int s[33][33];
    int t = threadIdx.x, mine = in[t] % TABLE;
    s[0][t + 1] = in[t + 32];
    s[t + 1][0] = in[t + 64];
    if (t == 0)
        s[0][0] = 7;
    __syncthreads();
    for (int d = 0; d < 63; d++) {
        int i = d - t;
        if (i >= 0 && i < 32)
            s[i + 1][t + 1] = max(s[i][t] + table[in[96 + i] % TABLE * TABLE + mine], max(s[i][t + 1], s[i + 1][t]) - 3);
        __syncthreads();
    }
    for (int i = 0; i < 32; i++)
        out[i * 32 + t] = s[i + 1][t + 1];
}

/* A triangle solved by columns: what one round stores the next one reads, at constant distances. */
__global__ void columns(const float *in, float *out)
{
    __shared__ float s[32][33];
    int t = threadIdx.x;
    for (int i = 0; i < 32; i++)
        s[i][t] = in[i * 32 + t];
    s[t][32] = in[t];
    __syncthreads();
    for (int j = 0; j < 32; j++) {
        float x = s[t][j];
        for (int k = 0; k < j; k++)
            x -= s[t][k] * s[k][32];
        s[t][j] = x;
    }
    __syncthreads();
    for (int i = 0; i < 32; i++)
        out[i * 32 + t] = s[i][t];
}

static int report(const char *name, int bytes, int wrong)
{
    printf("%s, %d bytes: %d wrong\n", name, bytes, wrong);
    return wrong;
}

template <typename T> static int test_rows()
{
    enum { ROOM = (N + BLOCK - 1) / BLOCK * BLOCK };
    std::vector<T> in(ROOM), out(ROOM), want(ROOM);
    T *d_in, *d_out;
    CUDA(cudaMalloc(&d_in, ROOM * sizeof(T)));
    CUDA(cudaMalloc(&d_out, ROOM * sizeof(T)));
    for (int i = 0; i < ROOM; i++)
        in[i] = (T)(app_random((uint32_t)i) % 61);
    CUDA(cudaMemcpy(d_in, in.data(), ROOM * sizeof(T), cudaMemcpyHostToDevice));
    int total = 0;
    for (int kind = 0; kind < 3; kind++) {
        int wrong = 0;
        CUDA(cudaMemset(d_out, 0, ROOM * sizeof(T)));
        for (int i = 0; i < ROOM; i++)
            want[i] = 0;
        if (kind == 0) {
            reverse<<<ROOM / BLOCK, BLOCK>>>(d_in, d_out, N);
            for (int i = 0; i < N; i++)
                want[N - 1 - i] = in[i];
        } else if (kind == 1) {
            reverse_some<<<ROOM / BLOCK, BLOCK>>>(d_in, d_out, N);
            for (int i = 0; i < N; i++) {
                T x = in[N - 1 - i];
                if ((int)x % 3 == 0)
                    x += in[N - 1 - i / 2];
                if ((int)x % 4)
                    want[N - 1 - i] = x;
            }
        } else {
            reverse_block<<<ROOM / BLOCK, BLOCK>>>(d_in, d_out);
            for (int i = 0; i < ROOM; i++) {
                int t = i % BLOCK, base = i - t, u = BLOCK - 1 - t;      /* thread u writes place t */
                want[i] = u % 5 ? (T)(in[base + t] + 1) : in[base + t];
            }
        }
        CUDA(cudaMemcpy(out.data(), d_out, ROOM * sizeof(T), cudaMemcpyDeviceToHost));
        for (int i = 0; i < ROOM; i++)
            wrong += out[i] != want[i];
        static const char *const names[] = { "reverse", "some", "block" };
        total += report(names[kind], (int)sizeof(T), wrong);
    }
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_out));
    return total;
}

static int test_wave()
{
    std::vector<int> in(128), out(1024), pairs(TABLE * TABLE);
    int s[33][33] = { { 7 } }, wrong = 0, *d_in, *d_out;
    for (int i = 0; i < 128; i++)
        in[i] = (int)(app_random((uint32_t)i) % 97);
    for (int i = 0; i < TABLE * TABLE; i++)
        pairs[i] = (int)(app_random((uint32_t)i + 999) % 17) - 8;
    CUDA(cudaMalloc(&d_in, 128 * sizeof(int)));
    CUDA(cudaMalloc(&d_out, 1024 * sizeof(int)));
    CUDA(cudaMemcpy(d_in, in.data(), 128 * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyToSymbol(table, pairs.data(), sizeof table));
    wave<<<1, 32>>>(d_in, d_out);
    CUDA(cudaMemcpy(out.data(), d_out, 1024 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        s[0][i + 1] = in[i + 32];
        s[i + 1][0] = in[i + 64];
    }
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) {
            int gap = (s[i][j + 1] > s[i + 1][j] ? s[i][j + 1] : s[i + 1][j]) - 3, pair = s[i][j] + pairs[in[96 + i] % TABLE * TABLE + in[j] % TABLE];
            s[i + 1][j + 1] = pair > gap ? pair : gap;
            wrong += s[i + 1][j + 1] != out[i * 32 + j];
        }
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_out));
    return report("wave", 4, wrong);
}

static int test_columns()
{
    std::vector<float> a(1024), out(1024);
    float *d_in, *d_out;
    int wrong = 0;
    for (int i = 0; i < 1024; i++)
        a[i] = (float)(app_random((uint32_t)i) % 3) - 1;
    CUDA(cudaMalloc(&d_in, 1024 * sizeof(float)));
    CUDA(cudaMalloc(&d_out, 1024 * sizeof(float)));
    CUDA(cudaMemcpy(d_in, a.data(), 1024 * sizeof(float), cudaMemcpyHostToDevice));
    columns<<<1, 32>>>(d_in, d_out);
    CUDA(cudaMemcpy(out.data(), d_out, 1024 * sizeof(float), cudaMemcpyDeviceToHost));
    for (int t = 0; t < 32; t++)
        for (int j = 0; j < 32; j++) {
            float x = a[t * 32 + j];
            for (int k = 0; k < j; k++)
                x = fmaf(-out[t * 32 + k], a[k], x);
            wrong += x != out[t * 32 + j];
        }
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_out));
    return report("columns", 4, wrong);
}

int main()
{
    int wrong = test_rows<unsigned char>() + test_rows<short>() + test_rows<int>() + test_rows<float>() + test_rows<double>() + test_rows<long long>();
    wrong += test_wave() + test_columns();
    return wrong != 0;
}
