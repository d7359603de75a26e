// SPDX-License-Identifier: Apache-2.0
// Small kernels, each cut down from a real program that went wrong.
#include "runtime_check.h"

#include <vector>

// A 16-bit copy of threadIdx.x is as regular as threadIdx.x itself, and is widened to 32 bits, not to an address.
__global__ void narrow_index(unsigned *out)
{
    unsigned x;
    asm("{ .reg .b16 h; .reg .b32 t; mov.u32 t, %%tid.x; cvt.u16.u32 h, t; cvt.u32.u16 %0, h; }" : "=r"(x));
    out[threadIdx.y * blockDim.x + x] = x + 100 * threadIdx.y;
}

// Half of the first warp works, so that a whole vector is off; its lanes must not decide whether the rest of the code runs.
__global__ void permute_by_half_a_warp(const int *where, const float *in, float *out)
{
    __shared__ float3 s[16];
    __shared__ int to[16];
    int i = threadIdx.x;
    if (i < 16) {
        s[i] = make_float3(in[i], 2 * in[i], 3 * in[i]);
        to[i] = where[i];
        __syncwarp(0xffff);
        float3 mine = s[i];
        __syncwarp(0xffff);
        s[to[i]] = mine;
    }
    __syncthreads();
    if (i < 16) {
        out[3 * i] = s[i].x;
        out[3 * i + 1] = s[i].y;
        out[3 * i + 2] = s[i].z;
    }
}

// What clang makes of it has registers of its own in a nested block, %p1 and %p2, which hide the kernel's.
__global__ void vote_between(int *out, int limit)
{
    bool above = (int)threadIdx.x * 3 > limit;
    int any = __syncthreads_or(threadIdx.x == 5), all = __syncthreads_and(threadIdx.x < 1000), n = __syncthreads_count(threadIdx.x < 7);
    out[threadIdx.x] = (above ? 1000 : 2000) + any * 100 + all * 10 + n;
}

// Two halves that go together: who reads while another block writes sees both of one write.
__global__ void write_and_watch(ulonglong2 *pairs, int *torn)
{
    ulonglong2 *pair = &pairs[threadIdx.x * 7 % 32];
    for (unsigned long long i = 1; i <= 1000000; i++) {
        if (blockIdx.x == 0) {
            asm volatile("st.global.cg.v2.u64 [%0], {%1, %2};" ::"l"(pair), "l"(i), "l"(~i) : "memory");
        } else {
            unsigned long long x, y;
            asm volatile("ld.global.cg.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(pair) : "memory");
            if (y != ~x)
                atomicAdd(torn, 1);
        }
    }
}

template <class T> static T *managed(size_t n)
{
    T *p;
    NEED(cudaMallocManaged(&p, n * sizeof *p));
    memset(p, 0, n * sizeof *p);
    return p;
}

static void narrow_indices_are_regular()
{
    unsigned *out = managed<unsigned>(32 * 4);
    int bad = 0;
    narrow_index<<<1, dim3(32, 4)>>>(out);
    CHECK_OK("a 16-bit index compiles", cudaDeviceSynchronize());
    for (unsigned i = 0; i < 32 * 4; i++)
        bad += out[i] != i % 32 + 100 * (i / 32);
    CHECK("a 16-bit index is what it was", bad == 0);
    cudaFree(out);
}

static void half_a_warp_works_alone()
{
    int *where = managed<int>(16), bad = 0;
    float *in = managed<float>(16), *out = managed<float>(48);
    for (int i = 0; i < 16; i++)
        in[i] = (float)i, where[i] = (5 * i + 3) % 16;
    permute_by_half_a_warp<<<1, 64>>>(where, in, out);
    CHECK_OK("half a warp runs", cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 3; k++)
            bad += out[3 * where[i] + k] != (float)((k + 1) * i);
    CHECK("half a warp permutes all parts of a struct", bad == 0);
    cudaFree(where);
    cudaFree(in);
    cudaFree(out);
}

static void votes_keep_their_registers_apart()
{
    int *out = managed<int>(64), bad = 0;
    vote_between<<<1, 64>>>(out, 50);
    CHECK_OK("a vote of the block runs", cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        bad += out[i] != (i * 3 > 50 ? 1000 : 2000) + 117;
    CHECK("a predicate outlives a vote of the block", bad == 0);
    cudaFree(out);
}

/* Every third thread takes some places of a queue, in global and in shared memory. */
__global__ void take_places(unsigned *count, unsigned *first, unsigned *in_block)
{
    __shared__ unsigned here;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        here = 7;
    __syncthreads();
    if (i % 3 != 1) {
        first[i] = atomicAdd(count, i % 5);
        in_block[i] = atomicAdd(&here, 1);
    }
}

static void places_are_taken_once()
{
    enum { BLOCKS = 3, THREADS = 80, N = BLOCKS * THREADS };
    unsigned *count = managed<unsigned>(1), *first = managed<unsigned>(N), *in_block = managed<unsigned>(N), wanted = 0, bad = 0;
    take_places<<<BLOCKS, THREADS>>>(count, first, in_block);
    CHECK_OK("a queue is filled", cudaDeviceSynchronize());
    std::vector<int> taken(2 * N), local(BLOCKS * (THREADS + 7));
    for (unsigned i = 0; i < N; i++)
        if (i % 3 != 1) {
            wanted += i % 5;
            for (unsigned k = 0; k < i % 5; k++)
                bad += first[i] + k >= 2 * N || taken[first[i] + k]++ > 0;
            bad += in_block[i] < 7 || in_block[i] >= THREADS + 7 || local[i / THREADS * (THREADS + 7) + in_block[i]]++ > 0;
        }
    CHECK("each place of a queue has one owner", bad == 0 && *count == wanted);
    cudaFree(count);
    cudaFree(first);
    cudaFree(in_block);
}

static void pairs_are_not_torn()
{
    ulonglong2 *pairs = managed<ulonglong2>(32);
    int *torn = managed<int>(1);
    for (int i = 0; i < 32; i++)
        pairs[i].y = ~0ull;
    write_and_watch<<<2, 32>>>(pairs, torn);
    CHECK_OK("two blocks meet in pairs", cudaDeviceSynchronize());
    CHECK("16 bytes past the first cache go in one piece", *torn == 0 && pairs[9].x == 1000000 && pairs[31].y == ~1000000ull);
    cudaFree(pairs);
    cudaFree(torn);
}

int main()
{
    places_are_taken_once();
    pairs_are_not_torn();
    votes_keep_their_registers_apart();
    narrow_indices_are_regular();
    half_a_warp_works_alone();
    return check_failures != 0;
}
