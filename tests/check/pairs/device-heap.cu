// SPDX-License-Identifier: Apache-2.0
// Nodes on the device heap are made by one kernel, used by the next, and never freed.
#include <cstdio>
__global__ void make(int **items) {
    items[threadIdx.x] = static_cast<int *>(malloc(16 * sizeof(int))); /*HERE*/
    for (int i = 0; items[threadIdx.x] && i < 16; i++) items[threadIdx.x][i] = i;
}
__global__ void use(int **items, int *out) {
    int s = 0;
    for (int i = 0; items[threadIdx.x] && i < 16; i++) s += items[threadIdx.x][i];
    out[threadIdx.x] = s;
#ifndef BUG
    free(items[threadIdx.x]);
#endif
}
int main() {
    int **items, *out;
    cudaMalloc(&items, 32 * sizeof(int *));
    cudaMalloc(&out, 32 * sizeof(int));
    make<<<1, 32>>>(items);
    use<<<1, 32>>>(items, out);
    cudaDeviceSynchronize();
    cudaFree(out); cudaFree(items);
    cudaDeviceReset();
    puts("done");
    return 0;
}
