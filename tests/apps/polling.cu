// SPDX-License-Identifier: Apache-2.0
// Threads that wait by plain loads past the first cache (ld.cg) between fences, as libraries' scans do: nothing in the load says that it waits.
// More blocks than any machine has threads, and each may wait for one that has not begun.
#include "app.h"

enum { THREADS = 128, TILES = 700, LATER = 400, PARTIES = 60 };

__device__ unsigned look(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ void put(unsigned *p, unsigned v)
{
    __threadfence();
    asm volatile("st.global.cg.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}

// Sums of all tiles before, 32 at a time. A tile's word is empty, or its own sum and 1, or the sum of all up to it and 2.
__global__ void scan(const unsigned *in, unsigned *tiles, unsigned *out)
{
    __shared__ unsigned warps[THREADS / 32], before;
    unsigned t = threadIdx.x, lane = t % 32, b = blockIdx.x, x = in[b * THREADS + t], sum = x;
    for (unsigned k = 1; k < 32; k *= 2) {
        unsigned y = __shfl_up_sync(0xffffffffu, sum, k);
        sum += lane >= k ? y : 0;
    }
    if (lane == 31)
        warps[t / 32] = sum;
    __syncthreads();
    unsigned own = 0, whole = 0;
    for (unsigned w = 0; w < THREADS / 32; w++) {
        own += w < t / 32 ? warps[w] : 0;
        whole += warps[w];
    }
    if (t < 32) {
        unsigned earlier = 0;
        if (t == 0)
            put(tiles + b, whole * 4 + (b ? 1 : 2));
        for (int first = (int)b - 1; first >= 0; first -= 32) {
            int mine = first - (int)lane;
            unsigned word;
            do {
                __threadfence_block();
                word = mine < 0 ? 2 : look(tiles + mine);
            } while (__any_sync(0xffffffffu, word == 0));
            unsigned last = __ballot_sync(0xffffffffu, (word & 3) == 2);
            bool counts = !last || lane < (unsigned)__ffs(last);
            unsigned part = counts ? word / 4 : 0;
            for (int k = 16; k; k /= 2)
                part += __shfl_xor_sync(0xffffffffu, part, k);
            earlier += part;
            if (last)
                break;
        }
        if (t == 0) {
            if (b)
                put(tiles + b, (earlier + whole) * 4 + 2);
            before = earlier;
        }
    }
    __syncthreads();
    out[b * THREADS + t] = before + own + sum;
}

// Each block waits for the one behind it. The place is looked up anew every time, as in code that keeps it in memory.
__global__ void later_first(unsigned *const *where, unsigned *flags, unsigned *out)
{
    unsigned b = blockIdx.x, got = 0;
    if (b + 1 < gridDim.x)
        do {
            got = look(where[0] + b + 1);
            __threadfence();
        } while (got == 0);
    out[b * 32 + threadIdx.x] = got + threadIdx.x;
    __syncwarp();
    if (threadIdx.x == 0)
        put(flags + b, got + 1);
}

// Two blocks hand a number back and forth, and rest between two looks.
__global__ void ping_pong(unsigned *ball, unsigned *out, unsigned n)
{
    if (threadIdx.x == 0)
        for (unsigned i = blockIdx.x; i < n; i += 2) {
            unsigned tries = 0;
            while (look(ball) != i && ++tries)
                __nanosleep(20);
            put(ball, i + 1);
        }
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = look(ball) >= n - 1;
}

// All blocks meet many times.
__global__ void meet(unsigned *count, unsigned *cells, unsigned *out, unsigned rounds)
{
    unsigned b = blockIdx.x, n = gridDim.x, x = b;
    for (unsigned r = 1; r <= rounds; r++) {
        if (threadIdx.x == 0) {
            put(cells + (r & 1) * n + b, x);
            __threadfence();
            atomicAdd(count, 1);
            while (look(count) < r * n)
                __threadfence();
        }
        __syncthreads();
        x = x * 3 + look(cells + (r & 1) * n + (b + 1) % n) + threadIdx.x * 0;
    }
    out[b * 32 + threadIdx.x] = x;
}

// Lanes of one warp wait for each other.
__global__ void lanes(unsigned *turn, unsigned *out)
{
    unsigned t = threadIdx.x, now;
    do {
        now = look(turn);
        __threadfence();
    } while (now != t);
    out[t] = now * 5 + 1;
    put(turn, t + 1);
}

int main()
{
    enum { WORDS = TILES * THREADS };
    static unsigned host[WORDS], result[WORDS];
    unsigned *in, *flags, *out, **where;
    CUDA(cudaMalloc(&in, sizeof host));
    CUDA(cudaMalloc(&out, sizeof host));
    CUDA(cudaMalloc(&flags, 1 << 16));
    CUDA(cudaMalloc(&where, sizeof *where));
    for (unsigned i = 0; i < WORDS; i++)
        host[i] = app_random(i) % 100;
    CUDA(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(where, &flags, sizeof flags, cudaMemcpyHostToDevice));
    auto show = [&](const char *name, unsigned n) {
        CUDA(cudaMemcpy(result, out, n * sizeof *result, cudaMemcpyDeviceToHost));
        printf("%-11s %016llx %u\n", name, (unsigned long long)app_hash(result, n * sizeof *result), result[n - 1]);
        CUDA(cudaMemset(flags, 0, 1 << 16));
        CUDA(cudaMemset(out, 0, sizeof host));
    };
    CUDA(cudaMemset(flags, 0, 1 << 16));
    scan<<<TILES, THREADS>>>(in, flags, out);
    CUDA(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
    unsigned sum = 0, wrong = 0;
    for (unsigned i = 0; i < WORDS; i++)
        wrong += result[i] != (sum += host[i]);
    printf("scan        %u wrong, %u\n", wrong, result[WORDS - 1]);
    CUDA(cudaMemset(flags, 0, 1 << 16));
    later_first<<<LATER, 32>>>(where, flags, out);
    show("later_first", LATER * 32);
    ping_pong<<<2, 32>>>(flags, out, 2000);
    show("ping_pong", 64);
    meet<<<PARTIES, 32>>>(flags, flags + 1, out, 50);
    show("meet", PARTIES * 32);
    lanes<<<1, 96>>>(flags, out);
    show("lanes", 96);
    return 0;
}
