// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other, and do not. With -DBUG every marked line is wrong; without, what looks like it is right.
#include <cstdio>
#include <cuda_pipeline.h>

#ifdef BUG
#define BUGGY 1
#else
#define BUGGY 0
#endif

// Sums whose first lane depends on no lane that is missing; the last lanes read from nobody.
__global__ void sums(const int *in, int *out, int n) {
    int t = threadIdx.x, v = in[t];
    if (t < 16) {
        for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffff, v, d);
    } else if (t < 16 + n) {
        for (int d = 8; d > 0; d /= 2)
            v += __shfl_down_sync(0xffff0000, v, d); // [sync.shuffle] [sync.mask]
    }
    out[t] = v;
}

__global__ void masks(const int *in, int *out, int n) {
    int t = threadIdx.x, v = in[t];
    unsigned all = __ballot_sync(0xffffffff, t < n);
    if (t < n) {
        v += __shfl_xor_sync(all, v, 1);
        v += __shfl_sync(all, v, BUGGY ? 30 : 0); // [sync.shuffle]
        __syncwarp(all);
    }
    if (t % 2)
        __syncwarp(0xffffffff);
    else
        __syncwarp(0xffffffff);                  // the other half, elsewhere
    if (t < n)
        v += __any_sync(BUGGY ? 0xffffffff : all, v > 3); // [sync.mask]
    v += in[31 - t];
    if (t >= 8)
        v += __reduce_add_sync(BUGGY ? 0xff : 0xffffff00, v); // [sync.mask]
    out[t] = v;
}

// Threads that have left need not come; nor lanes that there are not.
__global__ void leavers(const int *in, int *out, int n) {
    int t = threadIdx.x;
    __shared__ int s[96];
    if (t >= n) return;
    s[t] = in[t % 32];
    __syncwarp();
    __syncthreads();
    for (int i = t; i < 3 * n; i += n) {
        out[t] = s[(i + 1) % n];
        __syncthreads();
    }
}

__global__ void passed(const int *in, int *out, int n) {
    int t = threadIdx.x;
    __shared__ int s[96];
    s[t] = in[t % 32];
    if (t < n)
        __syncthreads(); // [sync.barrier]
    out[t % 64] = s[t];
}

__global__ void counted(const int *in, int *out) {
    int t = threadIdx.x;
    out[t] = in[t % 32];
    if (t < 64)
        asm volatile("bar.sync 1, %0;" ::"r"(BUGGY ? 60 : 64) : "memory"); // [sync.barrier]
}

__global__ void mbarriers(int *out) {
    __shared__ alignas(8) unsigned long long bar, other;
    unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&bar)), o = static_cast<unsigned>(__cvta_generic_to_shared(&other));
    unsigned long long token;
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(32) : "memory");
        if (!BUGGY) {
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(o), "r"(2) : "memory");
            asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(o) : "memory");
        }
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(BUGGY ? b : o), "r"(32) : "memory"); // [sync.mbarrier]
    }
    __syncthreads();
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(b) : "memory");
    out[t] = (int)token;
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(b) : "memory");
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(BUGGY ? b : o) : "memory"); // [sync.mbarrier]
        out[0] = (int)token;
    }
}

// Two groups of copies: the older one has come.
__global__ void copies(const int4 *in, int4 *out) {
    __shared__ int4 s[2][32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(int4));
    __pipeline_commit();
    __pipeline_memcpy_async(&s[1][t], &in[t + 32], sizeof(int4));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int4 v = s[0][31 - t];
    if (!BUGGY) __pipeline_wait_prior(0);
    __syncthreads();
    v.x += s[1][31 - t].x; // [race.async]
    out[t] = v;
}

int main() {
    int host[256] = {1, 2, 3}, *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sums<<<1, 32>>>(in, out, BUGGY ? 9 : 16);
    sums<<<1, 16>>>(in, out, 0);
    masks<<<1, 32>>>(in, out, 20);
    leavers<<<1, 96>>>(in, out, 70);
    leavers<<<1, 20>>>(in, out, 20);
    passed<<<1, 64>>>(in, out, BUGGY ? 32 : 64);
    passed<<<1, 64>>>(in, out, 0);
    counted<<<1, 64>>>(in, out);
    mbarriers<<<1, 32>>>(out);
    copies<<<1, 32>>>(reinterpret_cast<int4 *>(in), reinterpret_cast<int4 *>(out));
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    puts("done");
}
