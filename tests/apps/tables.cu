// SPDX-License-Identifier: Apache-2.0
// Rows of different lengths that look numbers up in a table: indices that are neighbours and that are not, in both halves of a warp or in one,
// rows that end anywhere in a warp, tables in registered host memory; and loops whose counters end in every kind of comparison, where they wrap
// around too.
#include "app.h"
#include <climits>
#include <cstring>
#include <vector>

enum { ROWS = 200, TABLE = 3000 };

/* skip: lanes that take no part, so that the first lane may be off while others go round. */
__global__ void rows(const int *start, const int *index, const unsigned *value, const unsigned *table, unsigned *out, unsigned skip)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned sum = 0;
    if (row >= ROWS)
        return;
    if (!(skip >> lane & 1))
        for (int k = start[row] + lane; k < start[row + 1]; k += 32)
            sum += value[k] * table[index[k]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        out[row] = sum;
}

enum { HIGH = INT_MAX - 40 };    /* where the table of the last kind begins: its indices are almost the largest there are */

/* How the index of an entry comes about. */
static int index_of(int kind, int row, int k)
{
    int lane = k % 32, half = lane / 16;
    switch (kind) {
    case 0: return (int)(app_random((uint32_t)(row * 131 + k)) % TABLE);
    case 1: return (row * 7 + k) % (TABLE / 2);                                       /* neighbours, but for the wrap */
    case 2: return half ? (int)(app_random((uint32_t)k) % TABLE) : 40 + lane;         /* only in the first half */
    case 3: return half ? 70 + lane : (int)(app_random((uint32_t)k) % TABLE);
    case 4: return 5 + lane % 16;                                                     /* both halves the same */
    default: return HIGH + k % 41;
    }
}

static bool look_up(int kind, bool registered, unsigned skip, unsigned *out_hash)
{
    const int from = kind == 5 ? HIGH : 0;
    std::vector<int> start(ROWS + 1), index;
    std::vector<unsigned> value, table(TABLE), got(ROWS), want(ROWS);
    for (int i = 0; i < TABLE; i++)
        table[i] = app_random((uint32_t)i + 77);
    for (int r = 0; r < ROWS; r++) {
        int n = r % 97;                                                              /* none, one, ..., three turns and one lane */
        start[r + 1] = start[r] + n;
        for (int k = 0; k < n; k++) {
            index.push_back(index_of(kind, r, k));
            value.push_back(app_random((uint32_t)(start[r] + k)));
            if (!(skip >> k % 32 & 1))
                want[r] += value.back() * table[index.back() - from];
        }
    }
    int *d_start, *d_index;
    unsigned *d_value, *d_table, *d_out;
    CUDA(cudaMalloc(&d_start, start.size() * sizeof(int)));
    CUDA(cudaMalloc(&d_index, index.size() * sizeof(int)));
    CUDA(cudaMalloc(&d_value, value.size() * sizeof(int)));
    CUDA(cudaMalloc(&d_out, ROWS * sizeof(int)));
    CUDA(cudaMemcpy(d_start, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_index, index.data(), index.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_value, value.data(), value.size() * sizeof(int), cudaMemcpyHostToDevice));
    if (registered) {
        CUDA(cudaHostRegister(table.data(), TABLE * sizeof(int), cudaHostRegisterMapped));
        CUDA(cudaHostGetDevicePointer((void **)&d_table, table.data(), 0));
    } else {
        CUDA(cudaMalloc(&d_table, TABLE * sizeof(int)));
        CUDA(cudaMemcpy(d_table, table.data(), TABLE * sizeof(int), cudaMemcpyHostToDevice));
    }
    const unsigned *begin = (const unsigned *)((uintptr_t)d_table - from * sizeof(unsigned));
    rows<<<(ROWS + 3) / 4, 128>>>(d_start, d_index, d_value, begin, d_out, skip);
    CUDA(cudaMemcpy(got.data(), d_out, ROWS * sizeof(int), cudaMemcpyDeviceToHost));
    if (registered)
        CUDA(cudaHostUnregister(table.data()));
    else
        CUDA(cudaFree(d_table));
    CUDA(cudaFree(d_start));
    CUDA(cudaFree(d_index));
    CUDA(cudaFree(d_value));
    CUDA(cudaFree(d_out));
    *out_hash = (unsigned)app_hash(got.data(), ROWS * sizeof(int));
    return got == want;
}

/* Loops that end by each comparison; the counter is computed without signs, so that it may wrap around. */
template<int KIND>
__host__ __device__ bool stays(unsigned i, unsigned limit)
{
    return KIND == 0 ? (int)i < (int)limit : KIND == 1 ? (int)i <= (int)limit : KIND == 2 ? i < limit : KIND == 3 ? limit >= i : (int)i > (int)limit;
}

template<int KIND>
__host__ __device__ unsigned turns(unsigned i, unsigned step, unsigned limit)
{
    unsigned n = 0;
    do {
        n = n * 3 + (i & 31) + 1;
        i += step;
    } while (stays<KIND>(i, limit));
    return n;
}

template<int KIND>
__global__ void counting(unsigned first, unsigned step, unsigned limit, unsigned skip, unsigned *out)
{
    unsigned t = threadIdx.x;
    out[t] = 7;
    if (!(skip >> t % 32 & 1))
        out[t] = turns<KIND>(first + t, step, limit);
}

template<int KIND>
static bool count(unsigned first, unsigned step, unsigned limit)
{
    enum { THREADS = 96 };
    unsigned got[THREADS], *d;
    bool right = true;
    CUDA(cudaMalloc(&d, sizeof got));
    for (unsigned skip : {0u, 1u, 0xffffu, 0xffff0000u, 0xfffffffeu}) {
        counting<KIND><<<1, THREADS>>>(first, step, limit, skip, d);
        CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
        for (unsigned t = 0; t < THREADS; t++)
            right &= got[t] == (skip >> t % 32 & 1 ? 7 : turns<KIND>(first + t, step, limit));
    }
    CUDA(cudaFree(d));
    return right;
}

/* Atomics at places in a table of each half warp's own. */
__global__ void marks(int *table, const int *index, long apart)
{
    int t = threadIdx.x, *own = table + (long)(t >> 4) * apart;
    atomicMax(&own[index[t]], t);
    if (index[t] & 1)
        atomicAdd(&own[index[t]], 1000);
}

static bool mark()
{
    enum { THREADS = 96, APART = 40 };
    int index[THREADS], got[THREADS / 16 * APART], want[THREADS / 16 * APART] = {}, *d_index, *d_table;
    for (int t = 0; t < THREADS; t++) {
        index[t] = t * 7 % 16;
        int &w = want[t / 16 * APART + index[t]];
        w = t + (index[t] & 1 ? 1000 : 0);
    }
    CUDA(cudaMalloc(&d_index, sizeof index));
    CUDA(cudaMalloc(&d_table, sizeof got));
    CUDA(cudaMemset(d_table, 0, sizeof got));
    CUDA(cudaMemcpy(d_index, index, sizeof index, cudaMemcpyHostToDevice));
    marks<<<1, THREADS>>>(d_table, d_index, APART);
    CUDA(cudaMemcpy(got, d_table, sizeof got, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(d_index));
    CUDA(cudaFree(d_table));
    return memcmp(got, want, sizeof got) == 0;
}

int main()
{
    for (int kind = 0; kind < 6; kind++) {
        unsigned hash[4];
        bool right = true;
        for (int k = 0; k < 4; k++)
            right &= look_up(kind, k == 3, k == 1 ? 1u : k == 2 ? 0xffffu : 0u, &hash[k]);
        printf("rows, indices of kind %d: %s, %08x %08x %08x %08x\n", kind, right ? "right" : "wrong", hash[0], hash[1], hash[2], hash[3]);
    }
    const unsigned step = 96, edge = INT_MAX - step - 15u;      /* from the edge the first lanes' next number is large, the others' negative */
    printf("signed, below: %d %d %d\n", count<0>(0, step, 1000), count<0>(-500u, step, 37), count<0>(edge, step, (unsigned)INT_MIN + 5));
    printf("signed, up to: %d %d %d\n", count<1>(0, step, 1000), count<1>(-500u, step, 96), count<1>(edge, step, (unsigned)INT_MIN + 5));
    printf("unsigned, below: %d %d %d\n", count<2>(0, step, 1000), count<2>(5, step, 0x100), count<2>(0u - step - 16u, step, 5));
    printf("unsigned, limit first: %d %d %d\n", count<3>(0, step, 1000), count<3>(5, step, 96), count<3>(0u - step - 16u, step, 5));
    printf("signed, above, downwards: %d %d %d\n", count<4>(1000, -step, 0), count<4>(500, -step, -37u), count<4>((unsigned)INT_MIN + 90, -step, 40));
    printf("a table of each half warp's own: %d\n", mark());
    return 0;
}
