// SPDX-License-Identifier: Apache-2.0
// Lanes that reach shared memory in an order that only shows at run time, in small windows and beyond them. The host says what must come out.
#include "app.h"

enum { BLOCK = 128, WORDS = 1024 };          // WORDS * 4 bytes: up to where shared memory ends

struct order {
    const char *name;
    uint32_t times, flip, plus, low;         // word (t * times ^ flip) + plus, where the bits of t below `low` come twice as far apart
};

__host__ __device__ inline uint32_t word_of(const struct order &o, uint32_t t)
{
    return (((2 * t - (t & (o.low - 1))) * o.times) ^ o.flip) + o.plus;
}

__global__ void reads(const uint32_t *in, uint32_t *out, struct order o, uint32_t on)
{
    __shared__ uint32_t s[WORDS];
    uint32_t t = threadIdx.x;
    for (uint32_t i = t; i < WORDS; i += BLOCK)
        s[i] = in[i];
    __syncthreads();
    uint32_t w = word_of(o, t), x = 7;
    if (t < on)
        x = s[w] + 3 * s[w ^ 1] + 5 * s[w ^ 16];
    out[t] = x;
}

__global__ void writes(const uint32_t *in, uint32_t *out, struct order o, uint32_t on)
{
    __shared__ uint32_t s[WORDS];
    uint32_t t = threadIdx.x;
    for (uint32_t i = t; i < WORDS; i += BLOCK)
        s[i] = i;
    __syncthreads();
    if (t < on)
        s[word_of(o, t)] = in[t];
    __syncthreads();
    for (uint32_t i = t; i < WORDS; i += BLOCK)
        out[i] = s[i];
}

// The same through floats: their bits pass untouched.
__global__ void floats(const float *in, float *out, struct order o)
{
    __shared__ float s[WORDS];
    uint32_t t = threadIdx.x;
    s[word_of(o, t)] = in[t];
    __syncthreads();
    out[t] = s[word_of(o, t ^ 5)];
}

// Regular addresses for distances of a vector and more, others below; all threads take part.
__global__ void stages(const uint32_t *in, uint32_t *out, int first, int last)
{
    __shared__ uint32_t s[2 * BLOCK];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + BLOCK] = in[t + BLOCK];
    for (int distance = first; distance <= last; distance *= 2) {
        __syncthreads();
        int low = t & (distance - 1), i = 2 * t - low;
        uint32_t x = s[i], y = s[i + distance];
        s[i] = x * 3 + y;
        s[i + distance] = x ^ (y >> 1) ^ low;
    }
    __syncthreads();
    out[t] = s[t];
    out[t + BLOCK] = s[t + BLOCK];
}

static uint32_t in[WORDS], got[WORDS], want[WORDS], *d_in, *d_out;

static int compare(const char *what, const char *name, uint32_t n)
{
    CUDA(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < n; i++)
        if (got[i] != want[i]) {
            printf("%s, %s: word %u is %x, not %x\n", what, name, i, got[i], want[i]);
            return 1;
        }
    return 0;
}

int main()
{
    static const struct order orders[] = {
        { "neighbours", 1, 0, 0, 256 },        { "neighbours, not aligned", 1, 0, 5, 256 }, { "pairs swapped", 1, 1, 0, 256 },
        { "turned round", 1, 15, 0, 256 },     { "turned round in 32", 1, 31, 64, 256 },    { "far partners", 1, 64, 0, 256 },
        { "half partners", 1, 16, 0, 256 },    { "every other word", 1, 0, 0, 1 },          { "odd words", 1, 0, 1, 1 },
        { "every other pair", 1, 0, 0, 2 },    { "pairs, not aligned", 1, 0, 3, 2 },        { "every other four", 1, 0, 0, 4 },
        { "every other eight", 1, 0, 8, 8 },   { "sixteens", 1, 0, 0, 16 },                 { "swapped and spread", 1, 3, 0, 1 },
        { "every third", 3, 0, 0, 256 },       { "every fifth", 5, 0, 1, 256 },             { "the end", 1, 0, WORDS - BLOCK, 256 },
        { "the end, spread", 1, 0, WORDS - 2 * BLOCK, 1 }, { "the end, swapped", 1, 2, WORDS - BLOCK, 256 }, { "the end, pairs", 1, 0, WORDS - 2 * BLOCK + 2, 2 },
        { "stirred", 7, 9, 2, 256 },
    };
    static const uint32_t ons[] = { BLOCK, 77, 16 };
    int bad = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = app_random(i + 1);
    in[3] = 0x7f800001;                          // a signalling NaN, if it is taken for a float
    CUDA(cudaMalloc(&d_in, sizeof in));
    CUDA(cudaMalloc(&d_out, sizeof in));
    CUDA(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    for (const struct order &o : orders) {
        for (uint32_t on : ons) {
            for (uint32_t t = 0; t < BLOCK; t++) {
                uint32_t w = word_of(o, t);
                want[t] = t < on ? in[w] + 3 * in[w ^ 1] + 5 * in[w ^ 16] : 7;
            }
            reads<<<1, BLOCK>>>(d_in, d_out, o, on);
            bad += compare("reads", o.name, BLOCK);
            for (uint32_t i = 0; i < WORDS; i++)
                want[i] = i;
            for (uint32_t t = 0; t < on; t++)
                want[word_of(o, t)] = in[t];
            writes<<<1, BLOCK>>>(d_in, d_out, o, on);
            bad += compare("writes", o.name, WORDS);
        }
        for (uint32_t t = 0; t < BLOCK; t++)
            want[t] = in[t ^ 5];
        floats<<<1, BLOCK>>>((const float *)d_in, (float *)d_out, o);
        bad += compare("floats", o.name, BLOCK);
    }
    for (int first = 1; first <= BLOCK; first *= 2) {
        for (int i = 0; i < 2 * BLOCK; i++)
            want[i] = in[i];
        for (int distance = first; distance <= BLOCK; distance *= 2)
            for (int t = 0; t < BLOCK; t++) {
                int low = t & (distance - 1), i = 2 * t - low;
                uint32_t x = want[i], y = want[i + distance];
                want[i] = x * 3 + y;
                want[i + distance] = x ^ (y >> 1) ^ low;
            }
        stages<<<1, BLOCK>>>(d_in, d_out, first, BLOCK);
        bad += compare("stages", "from a distance on", 2 * BLOCK);
    }
    printf("%d orders, %d wrong\n", (int)(sizeof orders / sizeof orders[0]), bad);
    return bad != 0;
}
