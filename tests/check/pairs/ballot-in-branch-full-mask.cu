// SPDX-License-Identifier: Apache-2.0
// A vote in a branch names all lanes, half of which go another way and meet later.
#include <cstdio>
__global__ void vote(const int *v, unsigned *out) {
    int t = threadIdx.x;
    unsigned m = 0;
    if (v[t] > 3) {
#ifdef BUG
        m = __ballot_sync(0xffffffffu, v[t] > 8); /*HERE*/
#else
        m = __ballot_sync(__activemask(), v[t] > 8);
#endif
    }
    __syncwarp();
    out[t] = m;
}
int main() {
    int h[32], *v;
    unsigned *out;
    for (int i = 0; i < 32; i++) h[i] = i % 12;
    cudaMalloc(&v, 128); cudaMalloc(&out, 128);
    cudaMemcpy(v, h, 128, cudaMemcpyHostToDevice);
    vote<<<1, 32>>>(v, out);
    cudaDeviceSynchronize();
    cudaFree(v); cudaFree(out);
    puts("done");
    return 0;
}
