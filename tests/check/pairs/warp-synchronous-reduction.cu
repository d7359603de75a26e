// SPDX-License-Identifier: Apache-2.0
// bug: class=race-shared line=/*HERE*/ second=/*THERE*/ kind=warp-synchronous-reduction what="the last steps of a reduction rely on a warp running in lockstep, with no __syncwarp between steps"
#include <cstdio>

__global__ void sum(const float *in, float *out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        __syncwarp();
        for (int d = 16; d > 0; d /= 2) {
#ifdef BUG
            if (t < d) s[t] += s[t + d]; /*HERE*/ /*THERE*/
#else
            if (t < d) s[t] += s[t + d];
            __syncwarp();
#endif
        }
        if (t == 0) out[blockIdx.x] = s[0];
    }
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 4 * 128 * sizeof(float));
    cudaMalloc(&out, 4 * sizeof(float));
    cudaMemset(in, 0, 4 * 128 * sizeof(float));
    sum<<<4, 128>>>(in, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
