// SPDX-License-Identifier: Apache-2.0
// A flag in shared memory is read by lanes of another warp behind a warp vote.
#include <cstdio>
__global__ void any(const int *v, int *out) {
    __shared__ int found[4];
    int w = threadIdx.x / 32;
    unsigned m = __ballot_sync(0xffffffffu, v[threadIdx.x] < 0);
    if (threadIdx.x % 32 == 0) found[w] = __popc(m); /*THERE*/
#ifdef BUG
    __syncwarp();
#else
    __syncthreads();
#endif
    int total = 0;
    for (int i = 0; i < 4; i++) total += found[i]; /*HERE*/
    out[threadIdx.x] = total;
}
int main() {
    int *v, *out;
    cudaMalloc(&v, 512); cudaMalloc(&out, 512);
    cudaMemset(v, 0xff, 512);
    any<<<1, 128>>>(v, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(v); cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
