// SPDX-License-Identifier: Apache-2.0
// bug: class=memcheck line=/*HERE*/ kind=misaligned-float4 what="a float4 load from an address that is 4 and not 16 bytes aligned"
#include <cstdio>

__global__ void sum4(const float *in, float *out, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
#ifdef BUG
    const float *p = in + 1; // skips a header of one float
#else
    const float *p = in + 4; // the header is padded to a whole float4
#endif
    float4 v = reinterpret_cast<const float4 *>(p)[i]; /*HERE*/
    out[i] = v.x + v.y + v.z + v.w;
}

int main() {
    const int n4 = 96;
    float *in, *out;
    cudaMalloc(&in, (n4 + 1) * sizeof(float4));
    cudaMalloc(&out, n4 * sizeof(float));
    cudaMemset(in, 0, (n4 + 1) * sizeof(float4));
    sum4<<<3, 32>>>(in, out, n4);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
