// SPDX-License-Identifier: Apache-2.0
// Threads that wait for others by looking at memory: of their own warp, of other warps, of other blocks. Warp operations and
// reductions follow when they have come together.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int THREADS = 96, BLOCKS = 7;

__device__ int look(const int *p) { return *(const volatile int *)p; }
__device__ void put(int *p, int v)
{
    __threadfence();
    *(volatile int *)p = v;
}

// Each thread waits for the one before it, which is in its own warp but for the first: lanes leave the loop one by one.
__global__ void in_order(int *turn, int *sum, int *out)
{
    int t = threadIdx.x;
    while (look(turn) != t) {
    }
    int s = *(volatile int *)sum + t;
    *(volatile int *)sum = s;
    put(turn, t + 1);
    double wide = s * 0.5;
    long long far = (long long)s << 33 | t;
    bool odd = s & 1;
    __syncthreads();
    int other = __shfl_xor_sync(0xffffffffu, s, 1);
    unsigned odds = __ballot_sync(0xffffffffu, odd);
    out[t] = s ^ other ^ (int)odds ^ (int)(far >> 33) ^ (int)(wide * 2.0) ^ (int)far;
}

// One side of a branch waits for the other, whichever is first in the code.
__global__ void two_sides(int *flags, int *out)
{
    int t = threadIdx.x, lane = t % 32;
    int *mine = flags + t, *partner = flags + (t ^ 1);
    int got = 0;
    if ((lane & 1) == (t / 32 & 1)) {
        while (look(partner) == 0) {
        }
        got = look(partner) + 1;
        put(mine, 7);
    } else {
        put(mine, 100 + t);
        while (look(partner) != 7) {
        }
        got = 3;
    }
    int n = __syncthreads_count(got == 3);
    out[t] = got * 1000 + n;
}

// The last lane of a warp sets what the others wait for, and some have left before.
__global__ void some_leave(int *flag, int *out, int n)
{
    int t = threadIdx.x;
    if (t >= n)
        return;
    if (t % 32 == 5) {
        out[t] = -1;
        return;
    }
    if (t == n - 1)
        put(flag, 1);
    while (look(flag) == 0) {
    }
    out[t] = t;
}

// A warp at a time: what one makes the next takes.
__global__ void hand_on(int *slots, int *out, int rounds)
{
    int t = threadIdx.x, warp = t / 32, warps = blockDim.x / 32;
    int value = t;
    for (int r = 0; r < rounds; r++) {
        int step = r * warps + warp;
        if (t % 32 == 0)
            while (look(slots + 32) != step) {
            }
        __syncwarp();
        value += look(slots + t % 32) + r;
        slots[t % 32] = value;
        __threadfence();
        __syncwarp();
        if (t % 32 == 0)
            put(slots + 32, step + 1);
    }
    out[t] = value;
}

// A sum over all blocks before, as scans take it: blocks have tickets, and look back while others are still at work.
__global__ void look_back(int *ticket, int *state, int *out)
{
    __shared__ int mine, before[THREADS];
    int t = threadIdx.x;
    if (t == 0)
        mine = atomicAdd(ticket, 1);
    __syncthreads();
    int b = mine, own = b * 3 + t + 1;
    put(state + b * THREADS + t, own * 4 + 1);
    int sum = 0;
    unsigned members = 0xffffffffu;
    for (int k = b - 1; k >= 0; k--) {
        int s;
        do {
            s = look(state + k * THREADS + t);
        } while (s == 0);
        sum += s >> 2;
        bool more = (s & 3) == 1;
        members = __ballot_sync(members, more);
        if (!more)
            break;
    }
    put(state + b * THREADS + t, (sum + own) * 4 + 2);
    before[t] = sum;
    __syncthreads();
    int whole = before[t] + before[THREADS - 1 - t];
    for (int k = 16; k; k /= 2)
        whole += __shfl_down_sync(0xffffffffu, whole, k);
    out[b * THREADS + t] = before[t] * 2 + (t % 32 == 0 ? whole : 0);
}

static int *memory, *out;

static void show(const char *name, int n)
{
    cudaError_t rc = cudaDeviceSynchronize();
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 31 % 1000003 + out[i];
    printf("%-10s %s %lld\n", name, cudaGetErrorName(rc), sum);
    cudaMemset(memory, 0, 1 << 16);
    cudaMemset(out, 0, 1 << 16);
    cudaDeviceSynchronize();
}

int main()
{
    cudaMallocManaged(&memory, 1 << 16);
    cudaMallocManaged(&out, 1 << 16);
    show("nothing", 16);
    in_order<<<1, THREADS>>>(memory, memory + 1, out);
    show("in_order", THREADS);
    two_sides<<<1, THREADS>>>(memory, out);
    show("two_sides", THREADS);
    some_leave<<<1, THREADS>>>(memory, out, THREADS - 10);
    show("some_leave", THREADS);
    some_leave<<<1, 50>>>(memory, out, 50);
    show("of_50", 50);
    hand_on<<<1, THREADS>>>(memory, out, 5);
    show("hand_on", THREADS);
    for (int i = 0; i < 3; i++) {
        look_back<<<BLOCKS, THREADS>>>(memory, memory + 64, out);
        show("look_back", BLOCKS * THREADS);
    }
    return 0;
}
