// SPDX-License-Identifier: Apache-2.0
// A flag of cuda::atomic_ref is stored relaxed, so the data before it is not released.
#include <cstdio>
#include <cuda/atomic>
#ifdef BUG
constexpr auto order = cuda::memory_order_relaxed;
#else
constexpr auto order = cuda::memory_order_release;
#endif
__global__ void pass(int *flag, int *data, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 0) {
        *data = 42; /*THERE*/
        f.store(1, order);
    } else {
        for (int i = 0; i < 10000; i++) {
            if (f.load(cuda::memory_order_acquire)) {
                *out = *data; /*HERE*/
                return;
            }
            __nanosleep(100);
        }
    }
}
int main() {
    int *p;
    cudaMalloc(&p, 384);
    cudaMemset(p, 0, 384);
    pass<<<2, 1>>>(p, p + 32, p + 64);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(p);
    puts("done");
    return e != cudaSuccess;
}
