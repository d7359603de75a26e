// SPDX-License-Identifier: Apache-2.0
// A download is called with the kind of an upload.
#include <cstdio>
int main() {
    int h[16] = {}, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 1, sizeof h);
#ifdef BUG
    cudaMemcpy(h, d, sizeof h, cudaMemcpyHostToDevice); /*HERE*/
#else
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
#endif
    cudaFree(d);
    puts("done");
    return 0;
}
