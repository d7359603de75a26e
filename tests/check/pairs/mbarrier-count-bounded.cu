// SPDX-License-Identifier: Apache-2.0
// An mbarrier is made for one arrival more than there are threads; the waits give up.
#include <cstdio>
__global__ void meet(int *out) {
    __shared__ alignas(8) unsigned long long bar;
    __shared__ int s[64];
    unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
    int t = threadIdx.x;
    unsigned long long token;
    unsigned done = 0;
#ifdef BUG
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(65) : "memory"); /*THERE*/
#else
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(64) : "memory");
#endif
    __syncthreads();
    s[t] = t;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(b) : "memory");
    for (int i = 0; i < 1000 && !done; i++)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" /*HERE*/
                     : "=r"(done) : "r"(b), "l"(token) : "memory");
    out[t] = done ? s[63 - t] : -1;
}
int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    meet<<<1, 64>>>(out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
