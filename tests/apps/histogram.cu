// SPDX-License-Identifier: Apache-2.0
// A histogram: atomics in shared memory for each block, then in global memory.
#include "app.h"
#include <vector>

enum { BINS = 64 };

__global__ void histogram(const uint32_t *data, int n, unsigned *bins)
{
    __shared__ unsigned mine[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[data[i] % BINS], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&bins[i], mine[i]);
}

/* Fields of words: bytes, counted in a table for each warp; six bits each, in other operations; and a word that changes in between. */
__global__ void fields(const uint2 *data, int n, unsigned *out)
{
    __shared__ unsigned table[4][256], more[5][64];
    unsigned *mine = table[threadIdx.x / 32];
    for (int i = threadIdx.x; i < 4 * 256; i += blockDim.x)
        table[i / 256][i % 256] = 0;
    for (int i = threadIdx.x; i < 5 * 64; i += blockDim.x)
        more[i / 64][i % 64] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint2 v = data[i];
        for (int turn = 0; turn < 2; turn++) {
            atomicAdd(&mine[v.x & 255], 1u);
            atomicAdd(&mine[v.x >> 8 & 255], 3u);
            atomicAdd(&mine[v.x >> 16 & 255], 1u);
            atomicAdd(&mine[v.x >> 24], 2u);
            v.x = v.x * 5 + 1;
        }
        atomicAdd(&more[0][v.y & 63], 1u);
        atomicOr(&more[1][v.y >> 6 & 63], 5u);
        atomicMax(&more[2][v.y >> 12 & 63], 9u);
        atomicXor(&more[3][v.y >> 18 & 63], 3u);
        atomicAdd(&more[4][v.y >> 24 & 60], 1u << (v.y & 7));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&out[i], table[0][i] + table[1][i] + table[2][i] + table[3][i]);
    for (int i = threadIdx.x; i < 5 * 64; i += blockDim.x)
        atomicAdd(&out[256 + i], more[i / 64][i % 64]);
}

/* All fields, and another word, lead a lane to one place: its operations keep their order. */
__global__ void in_order(const unsigned *data, unsigned *out)
{
    __shared__ unsigned table[128];
    unsigned t = threadIdx.x;
    table[t] = t;
    __syncthreads();
    unsigned w = data[t], place = data[t + 128];
    atomicAdd(&table[w & 127], 3u);
    atomicAdd(&table[w >> 8 & 127], 5u);
    atomicOr(&table[place], 36u);
    atomicAdd(&table[w >> 24], 7u);
    atomicAdd(&table[w >> 8 & 127], 2u);
    atomicXor(&table[place], 21u);
    atomicAdd(&table[w >> 16 & 127], 11u);
    __syncthreads();
    out[t] = table[t];
}

static void count_in_order()
{
    unsigned data[256], got[128], *d, *out;
    bool right = true;
    for (unsigned t = 0; t < 128; t++) {
        data[t + 128] = t * 5 % 128;
        data[t] = data[t + 128] * 0x01010101u;
    }
    CUDA(cudaMalloc(&d, sizeof data));
    CUDA(cudaMalloc(&out, sizeof got));
    CUDA(cudaMemcpy(d, data, sizeof data, cudaMemcpyHostToDevice));
    in_order<<<1, 128>>>(d, out);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < 128; t++)
        right &= got[t] == ((((t + 8) | 36) + 9) ^ 21) + 11;
    printf("in order: %s\n", right ? "right" : "wrong");
    CUDA(cudaFree(d));
    CUDA(cudaFree(out));
}

static std::vector<unsigned> fields_of(const std::vector<uint2> &data, int blocks, int threads)
{
    std::vector<unsigned> want(256 + 5 * 64);
    for (int b = 0; b < blocks; b++) {
        unsigned more[5][64] = {};
        for (int t = 0; t < threads; t++)
            for (size_t i = b * threads + t; i < data.size(); i += blocks * threads) {
                uint2 v = data[i];
                for (int turn = 0; turn < 2; turn++, v.x = v.x * 5 + 1)
                    for (int k = 0; k < 4; k++)
                        want[v.x >> 8 * k & 255] += k == 1 ? 3 : k == 3 ? 2 : 1;
                more[0][v.y & 63]++;
                more[1][v.y >> 6 & 63] |= 5;
                more[2][v.y >> 12 & 63] = 9;
                more[3][v.y >> 18 & 63] ^= 3;
                more[4][v.y >> 24 & 60] += 1u << (v.y & 7);
            }
        for (int i = 0; i < 5 * 64; i++)
            want[256 + i] += more[i / 64][i % 64];
    }
    return want;
}

static void count_fields()
{
    std::vector<uint2> data(20011);
    std::vector<unsigned> got(256 + 5 * 64);
    for (size_t i = 0; i < data.size(); i++)
        data[i] = make_uint2(app_random((uint32_t)i), app_random((uint32_t)i + 99999));
    uint2 *d;
    unsigned *out;
    CUDA(cudaMalloc(&d, data.size() * sizeof *d));
    CUDA(cudaMalloc(&out, got.size() * sizeof *out));
    CUDA(cudaMemcpy(d, data.data(), data.size() * sizeof *d, cudaMemcpyHostToDevice));
    for (int threads : {32, 100, 128}) {
        CUDA(cudaMemset(out, 0, got.size() * sizeof *out));
        fields<<<5, threads>>>(d, (int)data.size(), out);
        CUDA(cudaMemcpy(got.data(), out, got.size() * sizeof *out, cudaMemcpyDeviceToHost));
        printf("fields, blocks of %d: %s\n", threads, got == fields_of(data, 5, threads) ? "right" : "wrong");
    }
    CUDA(cudaFree(d));
    CUDA(cudaFree(out));
}

int main()
{
    count_fields();
    count_in_order();
    const int n = 300007;
    std::vector<uint32_t> data(n);
    std::vector<unsigned> got(BINS), want(BINS);
    for (int i = 0; i < n; i++) {
        data[i] = app_random((uint32_t)i) >> (i % 20);
        want[data[i] % BINS]++;
    }
    uint32_t *d;
    unsigned *bins;
    CUDA(cudaMalloc(&d, n * sizeof *d));
    CUDA(cudaMalloc(&bins, BINS * sizeof *bins));
    CUDA(cudaMemcpy(d, data.data(), n * sizeof *d, cudaMemcpyHostToDevice));
    for (int block : {32, 100, 256}) {
        CUDA(cudaMemset(bins, 0, BINS * sizeof *bins));
        histogram<<<13, block>>>(d, n, bins);
        CUDA(cudaMemcpy(got.data(), bins, BINS * sizeof *bins, cudaMemcpyDeviceToHost));
        printf("blocks of %d: %s, bins 0 to 7: %u %u %u %u %u %u %u %u\n", block, got == want ? "right" : "wrong", got[0], got[1], got[2],
               got[3], got[4], got[5], got[6], got[7]);
    }
    return got != want;
}
