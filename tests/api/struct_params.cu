// SPDX-License-Identifier: Apache-2.0
// Structures and arrays that are passed by value: fields at known places, and elements chosen by a number of all threads, of each thread, in rows and backwards.
#include "runtime_check.h"

enum { N = 64, BLOCKS = 3 };
struct table {
    char tag;
    short half[3];
    double scale;
    int v[N];
    struct { float x, y; } pair[4];
    const int *in;
    int *out;
    unsigned char bytes[32];
};

__global__ void fields(struct table t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        t.out[i] = t.in[i] + t.tag + t.half[2] + (int)t.scale + t.v[63] + (int)t.pair[3].y + t.bytes[31];
}

__global__ void chosen(struct table t, int n, int k)
{
    int i = threadIdx.x, sum = 0;
    for (int j = 0; j < k; j++)
        sum += t.v[(j * 5 + k) % N] + t.bytes[j % 32];                   // one for all
    sum += 3 * t.v[i % N] + 5 * t.v[N - 1 - i % N] + 7 * t.v[(i * i + k) % N] + (int)t.pair[i % 4].x;
    for (int j = 0; j < 4; j++)
        sum += t.v[(i + j * 16) % N] * (j + 1);
    if (blockIdx.x * blockDim.x + i < n)
        t.out[blockIdx.x * blockDim.x + i] = sum + t.in[blockIdx.x * blockDim.x + i];
}

static int expected(const struct table &t, const int *in, int at, int i, int k)
{
    int sum = 0;
    for (int j = 0; j < k; j++)
        sum += t.v[(j * 5 + k) % N] + t.bytes[j % 32];
    sum += 3 * t.v[i % N] + 5 * t.v[N - 1 - i % N] + 7 * t.v[(i * i + k) % N] + (int)t.pair[i % 4].x;
    for (int j = 0; j < 4; j++)
        sum += t.v[(i + j * 16) % N] * (j + 1);
    return sum + in[at];
}

int main(void)
{
    const int threads[] = { 1, 32, 48, 96, 200 };
    static int in[BLOCKS * 200], out[BLOCKS * 200];
    struct table t = {};
    t.tag = 3, t.half[2] = -500, t.scale = 4096.5, t.pair[3].y = 77.0f;
    for (int j = 0; j < N; j++)
        t.v[j] = j * j - 100;
    for (int j = 0; j < 32; j++)
        t.bytes[j] = (unsigned char)(200 + j);
    for (int j = 0; j < 4; j++)
        t.pair[j].x = (float)(j * 1000);
    for (int j = 0; j < BLOCKS * 200; j++)
        in[j] = 7 * j;
    int *d;
    NEED(cudaMalloc(&d, sizeof in + sizeof out));
    t.in = d, t.out = d + BLOCKS * 200;
    NEED(cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice));
    for (int s = 0; s < 5; s++) {
        int n = BLOCKS * threads[s] - 1, wrong = 0;
        fields<<<BLOCKS, threads[s]>>>(t, n);
        NEED(cudaMemcpy(out, t.out, sizeof out, cudaMemcpyDeviceToHost));
        for (int j = 0; j < n; j++)
            wrong += out[j] != in[j] + t.tag + t.half[2] + (int)t.scale + t.v[63] + (int)t.pair[3].y + t.bytes[31];
        CHECK("parameters_by_value", wrong == 0);
        chosen<<<BLOCKS, threads[s]>>>(t, n, 9);
        NEED(cudaMemcpy(out, t.out, sizeof out, cudaMemcpyDeviceToHost));
        for (int j = 0; j < n; j++)
            wrong += out[j] != expected(t, in, j, j % threads[s], 9);
        CHECK("parameters_by_value", wrong == 0);
    }
    NEED(cudaFree(d));
    return check_failures != 0;
}
