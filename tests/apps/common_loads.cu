// SPDX-License-Identifier: Apache-2.0
// Loads that are the same for all warps of a block, which may be done once, and such that only look like it. The host says what must come out.
#include "app.h"

enum { BLOCK = 256, ROUNDS = 3 };

static __host__ __device__ uint32_t mix(uint32_t a, uint32_t b) { return (a ^ b) * 0x9e3779b1u + (a >> 7); }

// Between barriers the table only is read; at each round's end it is written anew.
__global__ void tables(uint32_t *table, const uint32_t *__restrict__ fixed, uint32_t *out, uint32_t add)
{
    __shared__ uint32_t s[BLOCK];
    uint32_t t = threadIdx.x, x = t;
    for (int round = 0; round < ROUNDS; round++) {
        s[t] = x;
        __syncthreads();
        x = mix(s[t ^ 33], table[t % 16]);
        x = mix(x, table[16 + 4 * (t & 3)]);
        x = mix(x, table[t & 31]);
        x = mix(x, table[(t + add) % 8]);
        x = mix(x, table[t & 63]);              // two warps' worth: not the same for all
        x = mix(x, table[t / 32]);
        x = mix(x, fixed[blockIdx.x + (t & 7)]);
        __syncthreads();
        if (t < 64)
            table[t] += x;
        __syncthreads();
    }
    out[t] = x;
}

// Each thread reads what it has just written itself, as others have to the same place.
__global__ void rewrites(uint32_t *table, uint32_t *out)
{
    __shared__ uint32_t s[BLOCK];
    uint32_t t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    uint32_t x = table[t % 16];
    table[32 + t % 16] = t % 16 * 5 + 1;
    x = mix(x, table[32 + t % 16]) + s[t ^ 1];
    __syncthreads();
    out[t] = x + s[t];
}

static uint32_t table[64], fixed[64], want[BLOCK], got[BLOCK];

static void host_tables(uint32_t add)
{
    uint32_t x[BLOCK], y[BLOCK];
    for (uint32_t t = 0; t < BLOCK; t++)
        x[t] = t;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t t = 0; t < BLOCK; t++) {
            uint32_t v = mix(x[t ^ 33], table[t % 16]);
            v = mix(v, table[16 + 4 * (t & 3)]);
            v = mix(v, table[t & 31]);
            v = mix(v, table[(t + add) % 8]);
            v = mix(v, table[t & 63]);
            v = mix(v, table[t / 32]);
            y[t] = mix(v, fixed[t & 7]);
        }
        for (uint32_t t = 0; t < BLOCK; t++) {
            x[t] = y[t];
            if (t < 64)
                table[t] += y[t];
        }
    }
    for (uint32_t t = 0; t < BLOCK; t++)
        want[t] = x[t];
}

static int compare(const char *what, const uint32_t *d_out)
{
    CUDA(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    for (uint32_t t = 0; t < BLOCK; t++)
        if (got[t] != want[t]) {
            printf("%s: thread %u has %x, not %x\n", what, t, got[t], want[t]);
            return 1;
        }
    printf("%s: right\n", what);
    return 0;
}

int main()
{
    uint32_t *d_table, *d_fixed, *d_out;
    CUDA(cudaMalloc(&d_table, sizeof table));
    CUDA(cudaMalloc(&d_fixed, sizeof fixed));
    CUDA(cudaMalloc(&d_out, sizeof got));
    for (uint32_t i = 0; i < 64; i++) {
        table[i] = app_random(i + 1);
        fixed[i] = app_random(i + 100);
    }
    CUDA(cudaMemcpy(d_table, table, sizeof table, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_fixed, fixed, sizeof fixed, cudaMemcpyHostToDevice));
    tables<<<1, BLOCK>>>(d_table, d_fixed, d_out, 3);
    host_tables(3);
    int bad = compare("tables", d_out);
    rewrites<<<1, BLOCK>>>(d_table, d_out);
    for (uint32_t t = 0; t < BLOCK; t++)
        want[t] = mix(table[t % 16], t % 16 * 5 + 1) + (t ^ 1) + t;
    bad += compare("rewrites", d_out);

    freopen("/dev/null", "w", stderr);          // which says where
    tables<<<1, BLOCK>>>(nullptr, d_fixed, d_out, 3);
    cudaError_t rc = cudaDeviceSynchronize();
    printf("no table: %s\n", cudaGetErrorName(rc));
    return bad || rc != cudaErrorIllegalAddress;
}
