// SPDX-License-Identifier: Apache-2.0
// bug: class=memcheck line=/*HERE*/ kind=shared-static-past-end what="a tile for 16x16 threads is written by a block of 20x16"
#include <cstdio>

#ifdef BUG
constexpr int tile_size = 16 * 16;
#else
constexpr int tile_size = 20 * 16;
#endif

__global__ void tiled(const float *in, float *out) {
    __shared__ float tile[tile_size];
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    tile[i] = in[i]; /*HERE*/
    __syncthreads();
    int j = blockDim.x * blockDim.y - 1 - i;
    out[i] = j < tile_size ? 2.0f * tile[j] : 0.0f;
}

int main() {
    const int n = 20 * 16;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    tiled<<<1, dim3(20, 16)>>>(in, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
