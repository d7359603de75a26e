// SPDX-License-Identifier: Apache-2.0
// run: -arch=sm_90 -std=c++17
// cuda::ptx: one function for each instruction. A launch without a cluster is one of one block, also on a GPU.
#include "runtime_check.h"
#include <cuda/ptx>
#include <unistd.h>

namespace ptx = cuda::ptx;

static __device__ void wait_for(uint64_t *bar, uint32_t parity)
{
    while (!ptx::mbarrier_try_wait_parity(bar, parity))
        ;
}

// A block's part comes in by a bulk copy that a barrier counts, and goes out by another.
static __global__ void through_shared(const int *in, int *out, int *sums)
{
    __shared__ alignas(16) int part[256];
    __shared__ alignas(16) int ones[256];
    __shared__ uint64_t bar;
    int t = (int)threadIdx.x;
    ones[t] = 1;
    if (t == 0) {
        ptx::mbarrier_init(&bar, blockDim.x);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    uint64_t state;
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, part, in + blockIdx.x * 256, (uint32_t)sizeof(part), &bar);
        state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, (uint32_t)sizeof(part));
    } else {
        state = ptx::mbarrier_arrive(&bar);
    }
    while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, &bar, state))
        ;
    part[t] *= 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 256, part, (uint32_t)sizeof(part));
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, part, (uint32_t)sizeof(part));
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_or_op, (unsigned *)sums + 256, (const unsigned *)ones, (uint32_t)sizeof(ones));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

static void bulk_copies_come_in_and_go_out()
{
    enum { BLOCKS = 8, N = BLOCKS * 256 };
    int *in, *out, *sums;
    cudaMallocManaged(&in, N * sizeof(int));
    cudaMallocManaged(&out, N * sizeof(int));
    cudaMallocManaged(&sums, 512 * sizeof(int));
    for (int k = 0; k < N; k++)
        in[k] = k, out[k] = -1;
    for (int k = 0; k < 512; k++)
        sums[k] = 0;
    through_shared<<<BLOCKS, 256>>>(in, out, sums);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int k = 0; k < N; k++)
        right &= out[k] == 2 * k;
    for (int k = 0; k < 256; k++) {
        right &= sums[k] == 2 * (BLOCKS * k + 256 * (BLOCKS * (BLOCKS - 1) / 2));
        right &= sums[256 + k] == 1;
    }
    CHECK("bulk copies come in and go out, and reduce", right);
    cudaFree(in);
    cudaFree(out);
    cudaFree(sums);
}

// Stores and reductions whose bytes a barrier counts: who waits sees all of them.
static __global__ void counted_stores(int *out)
{
    __shared__ alignas(16) int slots[64];
    __shared__ alignas(16) int quad[4];
    __shared__ alignas(8) long long pair[2];
    __shared__ alignas(16) int copied[64];
    __shared__ unsigned total, wrapped;
    __shared__ uint64_t bar;
    int t = (int)threadIdx.x;
    if (t == 0) {
        total = 0;
        wrapped = 3;
        ptx::mbarrier_init(&bar, 1);
        ptx::fence(ptx::sem_acq_rel, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, &bar, 64 * 8 + 4 + 16 + 16);
    }
    __syncthreads();
    ptx::st_async(&slots[t], t * t, &bar);
    ptx::red_async(ptx::op_add, &total, (uint32_t)t, &bar);
    if (t == 1)
        ptx::red_async(ptx::op_inc, &wrapped, 3u, &bar);
    if (t == 2)
        ptx::st_async(quad, { 5, 6, 7, 8 }, &bar);
    if (t == 3)
        ptx::st_async(pair, { 1LL << 40, -2LL }, &bar);
    wait_for(&bar, 0);
    out[t] = slots[t];
    if (t == 0) {
        out[64] = (int)total;
        out[65] = (int)wrapped;
        out[66] = quad[0] * 1000 + quad[1] * 100 + quad[2] * 10 + quad[3];
        out[67] = pair[0] == 1LL << 40 && pair[1] == -2;
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, copied, slots, (uint32_t)sizeof(slots), &bar);
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, (uint32_t)sizeof(slots));
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar);
    }
    wait_for(&bar, 1);
    out[68 + t] = copied[t];
}

static void barriers_count_the_bytes_of_stores()
{
    int *out;
    cudaMallocManaged(&out, 132 * sizeof(int));
    counted_stores<<<1, 64>>>(out);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int t = 0; t < 64; t++) {
        right &= out[t] == t * t;
        right &= out[68 + t] == t * t;
    }
    right &= out[64] == 64 * 63 / 2;
    right &= out[65] == 0;
    right &= out[66] == 5678;
    right &= out[67] == 1;
    CHECK("barriers count the bytes of stores and reductions", right);
    cudaFree(out);
}

// Values are handed over between the arrival and the wait of the cluster's barrier.
static __global__ void cluster_barrier(int *out)
{
    __shared__ int slots[128];
    int t = (int)threadIdx.x;
    for (int round = 0; round < 3; round++) {
        slots[t] = t + round;
        ptx::barrier_cluster_arrive(ptx::sem_release);
        int own = t * 7;
        ptx::barrier_cluster_wait(ptx::sem_acquire);
        out[round * 128 + t] = slots[127 - t] + own;
        ptx::barrier_cluster_arrive();
        ptx::barrier_cluster_wait();
    }
}

static void the_cluster_meets()
{
    int *out;
    cudaMallocManaged(&out, 384 * sizeof(int));
    cluster_barrier<<<1, 128>>>(out);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int k = 0; k < 384; k++)
        right &= out[k] == 127 - k % 128 + k / 128 + k % 128 * 7;
    CHECK("a cluster of one block meets", right);
    cudaFree(out);
}

static __global__ void values(unsigned *out, const int *in)
{
    unsigned t = threadIdx.x;
    unsigned bad = 0;
    bad |= ptx::get_sreg_tid_x() != t;
    bad |= (ptx::get_sreg_ntid_x() != blockDim.x) << 1;
    bad |= (ptx::get_sreg_ctaid_x() != blockIdx.x || ptx::get_sreg_clusterid_x() != blockIdx.x) << 2;
    bad |= (ptx::get_sreg_nctaid_x() != gridDim.x) << 3;
    bad |= (ptx::get_sreg_laneid() != t % 32) << 4;
    bad |= (ptx::get_sreg_lanemask_lt() != (1u << t % 32) - 1) << 5;
    bad |= (ptx::get_sreg_cluster_ctarank() != 0 || ptx::get_sreg_cluster_nctarank() != 1) << 6;
    bad |= (ptx::get_sreg_is_explicit_cluster()) << 7;
    bad |= (ptx::get_sreg_clock64() == 0 || ptx::get_sreg_globaltimer() == 0) << 8;
    bad |= (ptx::bfind((uint32_t)in[0]) != 4 || ptx::bfind_shiftamt((uint32_t)in[0]) != 27 || ptx::bfind((int64_t)-1) != 0xffffffff) << 9;
    bad |= (ptx::bmsk_clamp(4u, (uint32_t)in[1]) != 0xf0) << 10;
    bad |= (ptx::prmt(0x33221100u, 0x77665544u, (uint32_t)in[2]) != 0x00554400u + 0x77000000u) << 11;
    bad |= (ptx::shl((uint32_t)in[0], 32u) != 0 || ptx::shr((int32_t)-in[0], 40u) != -1 || ptx::shr((uint64_t)1 << 40, 40u) != 1) << 12;
    bool inside;
    bad |= (ptx::shfl_sync_down((int)t, inside, 1u, 0x1fu, 0xffffffffu) != (int)(t % 32 == 31 ? t : t + 1) || inside != (t % 32 != 31)) << 13;
    bad |= (ptx::shfl_sync_bfly((float)t, 1u, 0x1fu, 0xffffffffu) != (float)(t ^ 1)) << 14;
    __shared__ int here;
    bad |= (ptx::getctarank(ptx::space_cluster, &here) != 0) << 15;
    out[blockIdx.x * blockDim.x + t] = bad;
}

static void registers_and_bits()
{
    unsigned *out;
    int *in;
    cudaMallocManaged(&out, 192 * sizeof(unsigned));
    cudaMallocManaged(&in, 3 * sizeof(int));
    in[0] = 17, in[1] = 4, in[2] = 0x7540;
    values<<<3, 64>>>(out, in);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int k = 0; k < 192; k++)
        right &= out[k] == 0;
    CHECK("special registers, bits and shuffles", right);
    cudaFree(out);
    cudaFree(in);
}

int main(int, char **argv)
{
    // These instructions are not for less, and the device is made when libraries are loaded; a GPU does not care.
    if (!getenv("HOSTWARP_CC") && setenv("HOSTWARP_CC", "90", 1) == 0)
        execv("/proc/self/exe", argv);
    bulk_copies_come_in_and_go_out();
    barriers_count_the_bytes_of_stores();
    the_cluster_meets();
    registers_and_bits();
    return check_failures != 0;
}
