// SPDX-License-Identifier: Apache-2.0
// Arrays in shared memory that lanes cross, by columns and by both diagonals, in elements of all sizes: they may lie the other way round. Beside them what must
// see them as the program wrote them: rows, single places, pointers that walk, indices that data give, other arrays. And arrays that must stay as they
// are: with atomics, with accesses of two sizes, reached through a generic address or one of two arrays.
#include "app.h"
#include <vector>

enum { SIDE = 32, TURNS = 5 };

/* Columns: lanes are SIDE elements apart. */
template <typename T> __global__ void columns(const T *in, T *out, const int *index)
{
    __shared__ T row[SIDE], tile[SIDE * SIDE];
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < SIDE; i++)
        tile[i * SIDE + t] = in[i * SIDE + t];
    row[t] = in[t];
    __syncthreads();
    T *walk = tile + t * SIDE;
    for (int n = 0; n < TURNS; n++)
        for (int j = 1; j < SIDE; j++)
            if ((t + j) % 7) {
                tile[t * SIDE + j] = tile[t * SIDE + j] + tile[t * SIDE + j - 1];
                walk[j] = walk[j] + row[j];
            }
    __syncthreads();
    if (t == 0)
        tile[77] = tile[5] + row[3];
    __syncthreads();
    T x = tile[index[t] % (SIDE * SIDE)];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < SIDE; i++)
        out[i * SIDE + t] = tile[i * SIDE + t] + x;
}

template <typename T> static void columns_host(const T *in, T *out, const int *index)
{
    std::vector<T> tile(in, in + SIDE * SIDE);
    for (int t = 0; t < SIDE; t++)
        for (int n = 0; n < TURNS; n++)
            for (int j = 1; j < SIDE; j++)
                if ((t + j) % 7) {
                    tile[t * SIDE + j] = tile[t * SIDE + j] + tile[t * SIDE + j - 1];
                    tile[t * SIDE + j] = tile[t * SIDE + j] + in[j];
                }
    tile[77] = tile[5] + in[3];
    for (int i = 0; i < SIDE * SIDE; i++)
        out[i] = tile[i] + tile[index[i % SIDE] % (SIDE * SIDE)];
}

/* A wave along one diagonal or the other: SIDE + 1 in a row, so that lanes are SIDE elements apart, backward; or SIDE - 1, forward. */
template <typename T, int PITCH> __global__ void wave(const T *in, T *out)
{
    __shared__ T s[(SIDE + 1) * PITCH + SIDE];
    int t = threadIdx.x;
    s[t] = in[t];                                /* the first row, and the column in front of the others or behind them */
    s[(t + 1) * PITCH + (PITCH > SIDE ? -1 : SIDE)] = in[SIDE + t];
    __syncthreads();
#pragma unroll 1
    for (int d = 0; d < 2 * SIDE - 1; d++) {
        int i = PITCH > SIDE ? d - t : d - (SIDE - 1 - t);
        if (i >= 0 && i < SIDE)
            s[(i + 1) * PITCH + t] = s[i * PITCH + t] + s[(i + 1) * PITCH + t + (PITCH > SIDE ? -1 : 1)];
        __syncthreads();
    }
#pragma unroll 1
    for (int i = 0; i < SIDE; i++)
        out[i * SIDE + t] = s[(i + 1) * PITCH + t];
}

template <typename T, int PITCH> static void wave_host(const T *in, T *out)
{
    std::vector<T> s((SIDE + 1) * PITCH + SIDE);
    for (int t = 0; t < SIDE; t++) {
        s[t] = in[t];
        s[(t + 1) * PITCH + (PITCH > SIDE ? -1 : SIDE)] = in[SIDE + t];
    }
    for (int d = 0; d < 2 * SIDE - 1; d++) {
        std::vector<T> old = s;
        for (int t = 0; t < SIDE; t++) {
            int i = PITCH > SIDE ? d - t : d - (SIDE - 1 - t);
            if (i >= 0 && i < SIDE)
                s[(i + 1) * PITCH + t] = old[i * PITCH + t] + old[(i + 1) * PITCH + t + (PITCH > SIDE ? -1 : 1)];
        }
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        out[i] = s[(i / SIDE + 1) * PITCH + i % SIDE];
}

/* What must not be turned round, or must be seen to be. */
enum kind { ATOMICS, TWO_SIZES, GENERIC, EITHER, KINDS };
__device__ __noinline__ int sum_of(const int *p)
{
    int s = 0;
    for (int i = 0; i < 4; i++)
        s += p[i];
    return s;
}

template <int KIND> __global__ void stays(const int *in, int *out)
{
    __shared__ __align__(16) int tile[SIDE * SIDE], second[SIDE * SIDE];
    int t = threadIdx.x, got = 0;
#pragma unroll 1
    for (int i = 0; i < SIDE; i++) {
        tile[i * SIDE + t] = in[i * SIDE + t];
        if (KIND == EITHER)
            second[i * SIDE + t] = in[i * SIDE + t] + 1;
    }
    __syncthreads();
    for (int j = 1; j < SIDE; j++)
        tile[t * SIDE + j] += tile[t * SIDE + j - 1];
    if (KIND == ATOMICS)
        atomicAdd(&tile[t * SIDE + t / 2], 3);
    if (KIND == TWO_SIZES)
        got = ((const int4 *)tile)[t * SIDE / 4 + 1].z + ((const short *)tile)[t * SIDE * 2 + 6];
    if (KIND == GENERIC)
        got = sum_of(tile + t * SIDE + 3);
    if (KIND == EITHER)
        got = (in[t] & 1 ? tile : second)[t * SIDE + 9];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < SIDE; i++)
        out[i * SIDE + t] = tile[i * SIDE + t] + got;
}

template <int KIND> static void stays_host(const int *in, int *out)
{
    std::vector<int> tile(in, in + SIDE * SIDE), got(SIDE);
    for (int t = 0; t < SIDE; t++) {
        int *mine = &tile[t * SIDE];
        for (int j = 1; j < SIDE; j++)
            mine[j] += mine[j - 1];
        if (KIND == ATOMICS)
            mine[t / 2] += 3;
        if (KIND == TWO_SIZES)
            got[t] = mine[6] + (short)mine[3];
        if (KIND == GENERIC)
            got[t] = mine[3] + mine[4] + mine[5] + mine[6];
        if (KIND == EITHER)
            got[t] = in[t] & 1 ? mine[9] : in[t * SIDE + 9] + 1;
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        out[i] = tile[i] + got[i % SIDE];
}

template <typename T> struct data {
    std::vector<T> in, out, want;
    T *d_in, *d_out;
    data() : in(SIDE * SIDE), out(SIDE * SIDE), want(SIDE * SIDE)
    {
        for (size_t i = 0; i < in.size(); i++)
            in[i] = (T)(app_random((uint32_t)i) % 3);
        CUDA(cudaMalloc(&d_in, in.size() * sizeof(T)));
        CUDA(cudaMalloc(&d_out, in.size() * sizeof(T)));
        CUDA(cudaMemcpy(d_in, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    int check(const char *name)
    {
        int wrong = 0;
        CUDA(cudaMemcpy(out.data(), d_out, out.size() * sizeof(T), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < out.size(); i++)
            wrong += out[i] != want[i];
        printf("%s, %zu bytes: %d wrong\n", name, sizeof(T), wrong);
        return wrong;
    }
    ~data()
    {
        CUDA(cudaFree(d_in));
        CUDA(cudaFree(d_out));
    }
};

template <typename T> static int test(const int *index, const int *d_index)
{
    data<T> d;
    int wrong = 0;
    columns<<<1, SIDE>>>(d.d_in, d.d_out, d_index);
    columns_host(d.in.data(), d.want.data(), index);
    wrong += d.check("columns");
    wave<T, SIDE + 1><<<1, SIDE>>>(d.d_in, d.d_out);
    wave_host<T, SIDE + 1>(d.in.data(), d.want.data());
    wrong += d.check("backward");
    wave<T, SIDE - 1><<<1, SIDE>>>(d.d_in, d.d_out);
    wave_host<T, SIDE - 1>(d.in.data(), d.want.data());
    wrong += d.check("forward");
    return wrong;
}

template <int KIND> static int test_stays(const char *name)
{
    data<int> d;
    stays<KIND><<<1, SIDE>>>(d.d_in, d.d_out);
    stays_host<KIND>(d.in.data(), d.want.data());
    return d.check(name);
}

int main()
{
    int index[SIDE], *d_index, wrong = 0;
    for (int i = 0; i < SIDE; i++)
        index[i] = (int)(app_random((uint32_t)i + 77) % 1000);
    CUDA(cudaMalloc(&d_index, sizeof index));
    CUDA(cudaMemcpy(d_index, index, sizeof index, cudaMemcpyHostToDevice));
    wrong += test<unsigned char>(index, d_index);
    wrong += test<short>(index, d_index);
    wrong += test<int>(index, d_index);
    wrong += test<float>(index, d_index);
    wrong += test<double>(index, d_index);
    wrong += test_stays<ATOMICS>("atomics");
    wrong += test_stays<TWO_SIZES>("two sizes");
    wrong += test_stays<GENERIC>("generic");
    wrong += test_stays<EITHER>("either");
    CUDA(cudaFree(d_index));
    return wrong != 0;
}
