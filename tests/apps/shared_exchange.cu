// SPDX-License-Identifier: Apache-2.0
// Exchanges through shared memory in the patterns that code is made specially for: records, runs of lanes, strides, atomics, and
// loops over a size with a barrier inside, for sizes that are multiples of a warp and for others.
#include "app.h"

enum { BLOCK = 256 };

// Thread t fills the record t; some fields depend on others, and a second array lies between the stores.
__global__ void records(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t a[4 * BLOCK], b[2 * BLOCK];
    int t = threadIdx.x;
    uint32_t x = in[t];
    a[4 * t] = x;
    b[2 * t] = x * 3;
    a[4 * t + 1] = x + 1;
    a[4 * t + 2] = x ^ 0x55;
    b[2 * t + 1] = x * 5;
    a[4 * t + 3] = x >> 3;
    __syncthreads();
    for (int i = t; i < 4 * BLOCK; i += BLOCK)
        out[i] = a[i];
    for (int i = t; i < 2 * BLOCK; i += BLOCK)
        out[4 * BLOCK + i] = b[i];
}

// The same word twice in a row: the later store stays.
__global__ void overwrites(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t a[2 * BLOCK];
    int t = threadIdx.x;
    a[2 * t] = in[t];
    a[2 * t] = in[t] + 7;
    a[2 * t + 1] = in[t] + 9;
    __syncthreads();
    out[t] = a[2 * t] * 3 + a[2 * t + 1];
}

// Butterflies: partners `distance` apart; lanes go in runs of that length.
__global__ void butterflies(const uint32_t *in, uint32_t *out, int active)
{
    __shared__ uint32_t s[2 * BLOCK];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + BLOCK] = in[t] * 17;
    for (int distance = 1; distance <= BLOCK; distance *= 2) {
        __syncthreads();
        if (t < active) {
            int i = 2 * t - (t & (distance - 1));
            uint32_t x = s[i], y = s[i + distance];
            s[i] = x + y;
            s[i + distance] = x * 31 ^ y;
        }
    }
    __syncthreads();
    out[t] = s[t];
    out[t + BLOCK] = s[t + BLOCK];
}

// Atomics on shared memory: few and many collisions, with and without their results, some threads off.
__global__ void atomics(const uint32_t *in, uint32_t *out, int active)
{
    __shared__ uint32_t table[64], order[BLOCK];
    int t = threadIdx.x;
    if (t < 64)
        table[t] = 0;
    __syncthreads();
    order[t] = 0;
    if (t < active && in[t] % 3) {
        atomicAdd(&table[in[t] % 61], in[t] & 15);
        atomicMax(&table[62], in[t]);
        order[t] = atomicAdd(&table[63], 1) + 1;
    }
    __syncthreads();
    uint32_t seen = 0;                           // the order is the machine's own; that each number comes once is not
    for (int i = 0; i < BLOCK; i++)
        seen += order[i] == (uint32_t)t + 1;
    out[t] = seen;
    if (t < 64)
        out[BLOCK + t] = table[t];
}

// Atomics whose results nobody wants, several in a row on one word, between loads and stores of it: their order shows.
__global__ void rows_of_atomics(const uint32_t *in, uint32_t *out, int active)
{
    __shared__ uint32_t table[BLOCK];
    int t = threadIdx.x, i = t ^ 37;
    table[i] = in[t];
    if (t < active) {
        atomicAdd(&table[i], in[t + 1]);
        atomicXor(&table[i], in[t + 2]);
        atomicMin(&table[i], in[t + 3]);
        uint32_t x = table[i];
        atomicAdd(&table[i], x ^ 99);
        for (int k = 0; k < 12; k++) {
            atomicXor(&table[i], in[t + k] & 0xffff);
            atomicAdd(&table[i], 3 * k + 1);
        }
        table[i] = table[i] * 7;
        atomicMax(&table[i], 0x40000000u);
    }
    __syncthreads();
    out[t] = table[t];
}

// A running sum over n elements, BLOCK at a time, with barriers that only the threads still in the loop reach.
__global__ void carried(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t last;
    uint32_t carry = 1;
    for (int i = threadIdx.x; i < n; i += BLOCK) {
        out[i] = in[i] * carry;
        __syncthreads();
        if (threadIdx.x == 0)
            last = out[i] + 1;
        __syncthreads();
        carry = last;
    }
}

static uint64_t run(void (*launch)(const uint32_t *, uint32_t *), size_t words)
{
    static uint32_t host[4096];
    uint32_t *in, *out;
    for (uint32_t i = 0; i < 4096; i++)
        host[i] = app_random(i + 1);
    CUDA(cudaMalloc(&in, sizeof host));
    CUDA(cudaMalloc(&out, sizeof host));
    CUDA(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(out, 0, sizeof host));
    launch(in, out);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    return app_hash(host, words * sizeof *host);
}

int main()
{
    printf("records      %016llx\n", (unsigned long long)run([](const uint32_t *i, uint32_t *o) { records<<<1, BLOCK>>>(i, o); }, 6 * BLOCK));
    printf("overwrites   %016llx\n", (unsigned long long)run([](const uint32_t *i, uint32_t *o) { overwrites<<<1, BLOCK>>>(i, o); }, BLOCK));
    printf("butterflies  %016llx\n", (unsigned long long)run([](const uint32_t *i, uint32_t *o) { butterflies<<<1, BLOCK>>>(i, o, BLOCK); }, 2 * BLOCK));
    printf("  some off   %016llx\n", (unsigned long long)run([](const uint32_t *i, uint32_t *o) { butterflies<<<1, BLOCK>>>(i, o, 100); }, 2 * BLOCK));
    printf("atomics      %016llx\n", (unsigned long long)run([](const uint32_t *i, uint32_t *o) { atomics<<<1, BLOCK>>>(i, o, BLOCK); }, BLOCK + 64));
    printf("  some off   %016llx\n", (unsigned long long)run([](const uint32_t *i, uint32_t *o) { atomics<<<1, BLOCK>>>(i, o, 77); }, BLOCK + 64));
    printf("in a row     %016llx\n", (unsigned long long)run([](const uint32_t *i, uint32_t *o) { rows_of_atomics<<<1, BLOCK>>>(i, o, BLOCK); }, BLOCK));
    printf("  some off   %016llx\n", (unsigned long long)run([](const uint32_t *i, uint32_t *o) { rows_of_atomics<<<1, BLOCK>>>(i, o, 91); }, BLOCK));
    printf("carried      %016llx\n", (unsigned long long)run([](const uint32_t *i, uint32_t *o) { carried<<<1, BLOCK>>>(i, o, 3 * BLOCK); }, 4 * BLOCK));
    printf("  in part    %016llx\n", (unsigned long long)run([](const uint32_t *i, uint32_t *o) { carried<<<1, BLOCK>>>(i, o, 3 * BLOCK - 57); }, 4 * BLOCK));
    return 0;
}
