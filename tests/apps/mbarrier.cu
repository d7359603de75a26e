// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other at barriers in shared memory, through PTX: arrive and wait apart, producers and consumers in one
// warp and in several, asynchronous copies, threads that leave.
// run: -O2
#include "app.h"

typedef unsigned long long word;

static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ void init(word *b, unsigned n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory"); }
static __device__ word arrive(word *b)
{
    word s;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(b)) : "memory");
    return s;
}
static __device__ void drop(word *b)
{
    word s;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(b)) : "memory");
}
static __device__ bool done(word *b, word state)
{
    unsigned r;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "r"(at(b)), "l"(state) : "memory");
    return r;
}
static __device__ bool done_parity(word *b, unsigned parity)
{
    unsigned r;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "r"(at(b)), "r"(parity) : "memory");
    return r;
}
static __device__ void wait(word *b, word state)
{
    while (!done(b, state))
        ;
}
static __device__ void wait_parity(word *b, unsigned parity)
{
    while (!done_parity(b, parity))
        ;
}

// Every thread passes its number to its neighbour, round by round.
__global__ void round_trip(unsigned *out, int rounds)
{
    __shared__ word bar;
    __shared__ unsigned slot[256];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    unsigned mine = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        slot[threadIdx.x] = mine;
        wait(&bar, arrive(&bar));
        mine = slot[(threadIdx.x + 1) % blockDim.x] + 1;
        wait(&bar, arrive(&bar));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

// Even lanes of each warp produce, odd ones consume: neither side can run to its end first.
__global__ void halves(unsigned *out, int items)
{
    __shared__ word full, empty;
    __shared__ unsigned slot[64];
    unsigned pair = threadIdx.x / 2, pairs = blockDim.x / 2, sum = 0;
    if (threadIdx.x == 0) {
        init(&full, pairs);
        init(&empty, pairs);
    }
    __syncthreads();
    if (threadIdx.x % 2 == 0) {
        for (int i = 0; i < items; i++) {
            if (i)
                wait_parity(&empty, (i - 1) & 1);
            slot[pair] = pair * 1000 + i;
            arrive(&full);
        }
    } else {
        for (int i = 0; i < items; i++) {
            wait_parity(&full, i & 1);
            sum += slot[(pair + i) % pairs];
            arrive(&empty);
        }
        out[pair] = sum;
    }
}

// Copies that a barrier waits for.
__global__ void copies(const unsigned *in, unsigned *out)
{
    __shared__ word bar;
    __shared__ __align__(16) unsigned tile[128];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&tile[threadIdx.x])), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
    wait_parity(&bar, 0);
    out[threadIdx.x] = tile[127 - threadIdx.x];
}

// Thread t takes part in t % 4 + 1 rounds and is counted no more.
__global__ void leavers(unsigned *out)
{
    __shared__ word bar;
    __shared__ unsigned rounds[5];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    if (threadIdx.x < 5)
        rounds[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned r = 0; r <= threadIdx.x % 4; r++) {
        atomicAdd(&rounds[r], 1u);
        if (r == threadIdx.x % 4)
            drop(&bar);
        else
            wait(&bar, arrive(&bar));
    }
    __syncthreads();
    if (threadIdx.x < 4)
        out[threadIdx.x] = rounds[threadIdx.x];
}

int main()
{
    unsigned *in, *out;
    CUDA(cudaMallocManaged(&in, 4096));
    CUDA(cudaMallocManaged(&out, 4096));
    round_trip<<<2, 96>>>(out, 5);
    CUDA(cudaDeviceSynchronize());
    int wrong = 0;
    for (unsigned t = 0; t < 192; t++)
        wrong += out[t] != (t % 96 + 5) % 96 + 5;
    printf("round trip: %d wrong\n", wrong);

    halves<<<1, 128>>>(out, 6);
    CUDA(cudaDeviceSynchronize());
    wrong = 0;
    for (unsigned p = 0; p < 64; p++) {
        unsigned want = 0;
        for (unsigned i = 0; i < 6; i++)
            want += (p + i) % 64 * 1000 + i;
        wrong += out[p] != want;
    }
    printf("producers and consumers: %d wrong\n", wrong);

    for (unsigned i = 0; i < 128; i++)
        in[i] = app_random(i);
    copies<<<1, 128>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    wrong = 0;
    for (unsigned i = 0; i < 128; i++)
        wrong += out[i] != in[127 - i];
    printf("copies: %d wrong\n", wrong);

    leavers<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    printf("rounds: %u %u %u %u\n", out[0], out[1], out[2], out[3]);
    return 0;
}
