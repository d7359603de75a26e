// SPDX-License-Identifier: Apache-2.0
// Memory of cudaMallocAsync is not given back.
#include <cstdio>
int main() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    void *a, *b;
    cudaMallocAsync(&a, 1000, s);
    cudaMallocAsync(&b, 2000, s); /*HERE*/
    cudaMemsetAsync(b, 0, 2000, s);
    cudaFreeAsync(a, s);
#ifndef BUG
    cudaFreeAsync(b, s);
#endif
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    cudaDeviceReset();
    puts("done");
    return 0;
}
