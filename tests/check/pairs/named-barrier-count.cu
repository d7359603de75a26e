// SPDX-License-Identifier: Apache-2.0
// bug: class=race-shared line=/*HERE*/ second=/*THERE*/ kind=named-barrier-count what="two producer and two consumer warps meet at a named barrier that is counted for two warps, not four"
#include <cstdio>

#ifdef BUG
constexpr int parties = 64;
#else
constexpr int parties = 128;
#endif

__global__ void pass(const int *in, int *out) {
    __shared__ int s[64];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    int half = 32 * (w / 2); // warps 0 and 2 produce a half each, 1 and 3 consume
    if (w % 2 == 0) {
        if (w == 2) __nanosleep(20000); // the second producer is the slower one
        s[half + lane] = in[half + lane]; /*THERE*/
        asm volatile("bar.arrive 1, %0;" ::"n"(parties) : "memory");
    } else {
        asm volatile("bar.sync 1, %0;" ::"n"(parties) : "memory");
        out[half + lane] = s[lane] + s[lane + 32]; /*HERE*/
    }
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    pass<<<1, 128>>>(in, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
