// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

void twice(int *p, int n);

int main()
{
    int h[4] = {1, 2, 3, 4}, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    twice(d, 4);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("make %d %d %d %d\n", h[0], h[1], h[2], h[3]);
    return cudaGetLastError() != cudaSuccess;
}
