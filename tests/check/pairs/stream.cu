// SPDX-License-Identifier: Apache-2.0
// bug: class=leak line=/*HERE*/ kind=stream what="of four streams that are created only three are destroyed"
#include <cstdio>

int main() {
    const int n = 4;
    cudaStream_t s[n];
    float *d;
    cudaMalloc(&d, n * 1024 * sizeof(float));
    for (int i = 0; i < n; i++) {
        if (cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking) != cudaSuccess) /*HERE*/
            return 1;
        cudaMemsetAsync(d + i * 1024, 0, 1024 * sizeof(float), s[i]);
    }
    cudaError_t e = cudaDeviceSynchronize();
#ifdef BUG
    for (int i = 1; i < n; i++) cudaStreamDestroy(s[i]);
#else
    for (int i = 0; i < n; i++) cudaStreamDestroy(s[i]);
#endif
    cudaFree(d);
    cudaDeviceReset();
    puts("done");
    return e != cudaSuccess;
}
