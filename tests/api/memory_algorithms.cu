// SPDX-License-Identifier: Apache-2.0
// What programs build on the memory model: scans that look back, locks, sequence locks, the last block, and talk between host and device.
// run: -O2 -- --seconds 4 --threads 2
//
// usage: memory_algorithms [--seconds N] [--threads N] [--seed N] [--only NAME]
#include "memory_check.h"

#include <atomic>

typedef unsigned long long u64;

static void report(const char *name, long rounds, long bad, const char *what)
{
    printf("%s - %s: %ld rounds, %ld %s\n", bad ? "not ok" : "ok", name, rounds, bad, what);
    failures += bad != 0;
}

// Runs `round` for its part of the time; it answers how many things were wrong.
template <class F> static void repeat(const char *name, const char *what, double seconds, F round)
{
    long rounds = 0, bad = 0;
    if (!wanted(name))
        return;
    for (double end = now() + seconds; rounds < 2 || now() < end; rounds++)
        bad += round((unsigned)rounds + options.seed);
    report(name, rounds, bad, what);
}

// ---- scans that look back: state of a tile: a flag and a value side by side, one access ----

enum { INVALID = 0, PARTIAL = 1, INCLUSIVE = 2, TILE = 32, TILES = 2000 };

struct state16 {
    u64 flag, value;
    __device__ void store(void *p) const { asm volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %2};" : : "l"(p), "l"(value), "l"(flag) : "memory"); }
    __device__ void load(void *p) { asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(value), "=l"(flag) : "l"(p) : "memory"); }
};
struct state8 {
    unsigned flag, value;
    __device__ void store(void *p) const { asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %2};" : : "l"(p), "r"(value), "r"(flag) : "memory"); }
    __device__ void load(void *p) { asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(value), "=r"(flag) : "l"(p) : "memory"); }
};
struct state16v {
    u64 flag, value;
    __device__ void store(void *p) const { asm volatile("st.volatile.v4.u32 [%0], {%1, %2, %3, %3};" : : "l"(p), "r"((unsigned)value), "r"((unsigned)(value >> 32)), "r"((unsigned)flag) : "memory"); }
    __device__ void load(void *p)
    {
        unsigned a, b, c, d;
        asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
        value = (u64)b << 32 | a, flag = c == d ? c : 99;
    }
};
// Flag and value apart: the value is written before, and fences keep it there.
struct state_fenced {
    u64 flag, value;
    __device__ void store(void *p) const
    {
        volatile u64 *q = (volatile u64 *)p;
        q[flag] = value;                                      // 1: partial, 2: inclusive
        __threadfence();
        *(volatile unsigned *)p = (unsigned)flag;
    }
    __device__ void load(void *p)
    {
        flag = *(volatile unsigned *)p;
        __threadfence();
        value = flag ? ((volatile u64 *)p)[flag] : 0;
    }
};

// Each block takes a ticket, adds up its tile and looks back until a tile knows all before it; the warp looks at 32 at once.
template <class State> __global__ void look_back(const unsigned *in, u64 *out, char *states, unsigned *ticket, unsigned stride)
{
    __shared__ unsigned tile;
    __shared__ u64 before;
    unsigned lane = threadIdx.x;
    if (lane == 0)
        tile = atomicAdd(ticket, 1u), before = 0;
    __syncthreads();
    u64 mine = in[tile * TILE + lane], sum = mine;
    for (unsigned d = 1; d < 32; d *= 2) {
        u64 other = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? other : 0;
    }
    u64 total = __shfl_sync(~0u, sum, 31);
    State s;
    if (lane == 0) {
        s.flag = tile ? PARTIAL : INCLUSIVE, s.value = total;
        s.store(states + (size_t)tile * stride);
    }
    if (tile) {
        u64 prefix = 0;
        int at = (int)tile - 1 - (int)lane;
        for (bool go = true; go; at -= 32) {
            State t;
            t.flag = INCLUSIVE, t.value = 0;
            do {
                if (at >= 0)
                    t.load(states + (size_t)at * stride);
            } while (__any_sync(~0u, t.flag == INVALID));
            unsigned known = __ballot_sync(~0u, t.flag == INCLUSIVE), first = __ffs(known) - 1;
            u64 v = known && lane > first ? 0 : t.value;
            for (int d = 16; d; d /= 2)
                v += __shfl_down_sync(~0u, v, d);
            prefix += __shfl_sync(~0u, v, 0);
            go = !known;
        }
        if (lane == 0) {
            s.flag = INCLUSIVE, s.value = prefix + total;
            s.store(states + (size_t)tile * stride);
            before = prefix;
        }
    }
    __syncthreads();
    out[tile * TILE + lane] = before + sum;
}

struct scan_memory { unsigned *in, *ticket; u64 *out; char *states; };

template <class State> static void scan(const scan_memory &m, const char *name, double seconds, unsigned stride, u64 modulus)
{
    std::vector<unsigned> in(TILES * TILE);
    std::vector<u64> out(TILES * TILE);
    repeat(name, "wrong sums", seconds, [&](unsigned seed) {
        long bad = 0;
        u64 want = 0;
        for (unsigned i = 0; i < TILES * TILE; i++)
            in[i] = (i * 2654435761u + seed * 40503u) >> 16;
        CHECK(cudaMemcpy(m.in, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
        CHECK(cudaMemset(m.states, 0, TILES * 64));
        CHECK(cudaMemset(m.ticket, 0, 4));
        look_back<State><<<TILES, TILE>>>(m.in, m.out, m.states, m.ticket, stride);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out.data(), m.out, out.size() * 8, cudaMemcpyDeviceToHost));
        for (unsigned i = 0; i < TILES * TILE; i++) {
            want += in[i];
            bad += (out[i] - want) % modulus != 0;
        }
        return bad;
    });
}

// ---- locks: what they guard is weak memory ----

struct guarded { unsigned lock, served; u64 count, twice; };

__device__ void spin_enter(guarded *g) { while (atomicCAS(&g->lock, 0u, 1u)) continue; __threadfence(); }
__device__ void spin_leave(guarded *g) { __threadfence(); atomicExch(&g->lock, 0u); }
__device__ void ticket_enter(guarded *g)
{
    unsigned mine = atomicAdd(&g->lock, 1u), now;
    do
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(&g->served) : "memory");
    while (now != mine);
}
__device__ void ticket_leave(guarded *g) { asm volatile("{ .reg .u32 t; ld.relaxed.gpu.u32 t, [%0]; add.u32 t, t, 1; st.release.gpu.u32 [%0], t; }" : : "l"(&g->served) : "memory"); }

template <bool Ticket> __global__ void locked(guarded *g, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        Ticket ? ticket_enter(g) : spin_enter(g);
        u64 n = g->count;
        g->count = n + 1, g->twice = 2 * n + 2;
        Ticket ? ticket_leave(g) : spin_leave(g);
    }
}

// ---- a sequence lock: readers never see half of a write ----

__global__ void sequence(unsigned *seq, unsigned *data, unsigned turns, unsigned *bad, unsigned *good)
{
    for (unsigned i = 1; i <= turns; i++) {
        if (blockIdx.x == 0) {
            unsigned s = 2 * i - 1;
            asm volatile("st.relaxed.gpu.u32 [%0], %1;" : : "l"(seq), "r"(s) : "memory");
            __threadfence();
            for (int k = 0; k < 6; k++)
                asm volatile("st.relaxed.gpu.u32 [%0], %1;" : : "l"(data + 9 * k), "r"(i) : "memory");
            asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(seq), "r"(s + 1) : "memory");
        } else {
            unsigned before, after, v[6];
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(before) : "l"(seq) : "memory");
            for (int k = 0; k < 6; k++)
                asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v[k]) : "l"(data + 9 * k) : "memory");
            __threadfence();
            asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(after) : "l"(seq) : "memory");
            if (before == after && before % 2 == 0) {
                bool same = true;
                for (int k = 0; k < 6; k++)
                    same &= v[k] == before / 2;
                atomicAdd(same ? good : bad, 1u);
            }
        }
    }
}

// ---- the last block adds up what all have written ----

__global__ void last_block(unsigned *parts, unsigned *arrived, u64 *sum, unsigned seed)
{
    __shared__ bool last;
    parts[blockIdx.x * blockDim.x + threadIdx.x] = seed + blockIdx.x * 31 + threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    u64 s = 0;
    __threadfence();
    for (unsigned i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x)
        s += parts[i];
    atomicAdd(sum, s);
}

// ---- a queue between warps of a block, in shared memory; flags of cta scope ----

__global__ void warp_queue(unsigned turns, unsigned *bad)
{
    __shared__ unsigned data[32], full;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, wrong = 0, f;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    for (unsigned i = 1; i <= turns; i++) {
        do {
            asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; ld.acquire.cta.shared.u32 %0, [a]; }" : "=r"(f) : "l"(&full) : "memory");
        } while (f % 2 != warp);
        if (warp == 0)
            data[lane] = i * 32 + lane;
        else
            wrong += data[31 - lane] != i * 32 + 31 - lane;
        __syncwarp();
        if (lane == 0)
            asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %0; st.release.cta.shared.u32 [a], %1; }" : : "l"(&full), "r"(f + 1) : "memory");
        __syncwarp();
    }
    atomicAdd(bad, wrong);
}

// ---- host and device by mapped memory: a ball goes to and fro, and brings words along ----

__global__ void play_ball(unsigned *ball, unsigned *words, unsigned turns, unsigned *bad)
{
    unsigned wrong = 0, b;
    for (unsigned i = 0; i < turns; i++) {
        do
            asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(b) : "l"(ball) : "memory");
        while (b != 2 * i + 1);
        for (unsigned k = 0; k < 8; k++)
            wrong += words[k] != i + k;
        for (unsigned k = 0; k < 8; k++)
            words[8 + k] = i * 3 + k;
        asm volatile("st.release.sys.u32 [%0], %1;" : : "l"(ball), "r"(2 * i + 2) : "memory");
    }
    *bad = wrong;
}

static long ball_round()
{
    enum { TURNS = 500 };
    unsigned *host, *dev;
    long wrong = 0;
    CHECK(cudaHostAlloc(&host, 4096, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&dev, host, 0));
    memset(host, 0, 4096);
    auto *ball = (std::atomic<unsigned> *)host;
    play_ball<<<1, 1>>>(dev, dev + 64, TURNS, dev + 512);
    CHECK(cudaGetLastError());
    for (unsigned i = 0; i < TURNS; i++) {
        for (unsigned k = 0; k < 8; k++)
            host[64 + k] = i + k;
        ball->store(2 * i + 1, std::memory_order_release);
        while (ball->load(std::memory_order_acquire) != 2 * i + 2)
            if (cudaStreamQuery(0) == cudaSuccess)
                break;
        for (unsigned k = 0; k < 8; k++)
            wrong += host[72 + k] != i * 3 + k;
    }
    CHECK(cudaDeviceSynchronize());
    wrong += host[512];
    CHECK(cudaFreeHost(host));
    return wrong;
}

template <bool Ticket> static long lock_round(guarded *g)
{
    enum { BLOCKS = 8, TURNS = 200 };
    guarded h;
    CHECK(cudaMemset(g, 0, sizeof *g));
    locked<Ticket><<<BLOCKS, 1>>>(g, TURNS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&h, g, sizeof h, cudaMemcpyDeviceToHost));
    return h.count != BLOCKS * TURNS || h.twice != 2 * BLOCKS * TURNS;
}

static long last_block_round(unsigned *words, unsigned seed)
{
    enum { BLOCKS = 40, THREADS = 64 };
    u64 sum = 0, want = 0;
    CHECK(cudaMemset(words, 0, 64));
    last_block<<<BLOCKS, THREADS>>>(words + 64, words, (u64 *)(words + 8), seed);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, words + 8, 8, cudaMemcpyDeviceToHost));
    for (unsigned b = 0; b < BLOCKS; b++)
        for (unsigned t = 0; t < THREADS; t++)
            want += seed + b * 31 + t;
    return sum != want;
}

static long sequence_round(unsigned *words)
{
    unsigned h[2];
    CHECK(cudaMemset(words, 0, 4096));
    sequence<<<2, 1>>>(words, words + 16, 20000, words + 512, words + 513);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, words + 512, sizeof h, cudaMemcpyDeviceToHost));
    return h[0];
}

static long queue_round(unsigned *words)
{
    unsigned h;
    CHECK(cudaMemset(words, 0, 4));
    warp_queue<<<3, 64>>>(200, words);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&h, words, 4, cudaMemcpyDeviceToHost));
    return h;
}

int main(int argc, char **argv)
{
    scan_memory m;
    guarded *g;
    unsigned *words;
    parse_options(argc, argv);
    double each = options.seconds / 10;
    CHECK(cudaMalloc(&m.in, TILES * TILE * 4));
    CHECK(cudaMalloc(&m.out, TILES * TILE * 8));
    CHECK(cudaMalloc(&m.states, TILES * 64));
    CHECK(cudaMalloc(&m.ticket, 4));
    CHECK(cudaMalloc(&g, sizeof *g));
    CHECK(cudaMalloc(&words, 1 << 16));
    scan<state16>(m, "look-back scan, relaxed 16 bytes", each, 16, ~0ull);
    scan<state8>(m, "look-back scan, relaxed 8 bytes", each, 8, 1ull << 32);
    scan<state16v>(m, "look-back scan, volatile 16 bytes", each, 16, ~0ull);
    scan<state_fenced>(m, "look-back scan, flag and fences", each, 32, ~0ull);
    repeat("spin lock", "wrong counts", each, [&](unsigned) { return lock_round<false>(g); });
    repeat("ticket lock", "wrong counts", each, [&](unsigned) { return lock_round<true>(g); });
    repeat("sequence lock", "torn reads", each, [&](unsigned) { return sequence_round(words); });
    repeat("last block", "wrong sums", each, [&](unsigned seed) { return last_block_round(words, seed); });
    repeat("queue between warps", "wrong words", each, [&](unsigned) { return queue_round(words); });
    repeat("host and device", "wrong words", each, [&](unsigned) { return ball_round(); });
    return failures != 0;
}
