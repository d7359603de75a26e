// SPDX-License-Identifier: Apache-2.0
// A struct is copied to the device, but the pointer in it still points to the host.
#include <cstdio>
#include <vector>
struct Table { int n; const int *keys; };
__global__ void find(const Table *t, int key, int *found) {
    if (threadIdx.x < t->n && t->keys[threadIdx.x] == key) *found = threadIdx.x; /*HERE*/
}
int main() {
    std::vector<int> keys(32);
    for (int i = 0; i < 32; i++) keys[i] = 3 * i;
    int *dk, *found;
    Table h{32, keys.data()}, *d;
    cudaMalloc(&dk, 32 * sizeof(int));
    cudaMalloc(&found, sizeof(int));
    cudaMalloc(&d, sizeof(Table));
    cudaMemcpy(dk, keys.data(), 32 * sizeof(int), cudaMemcpyHostToDevice);
#ifndef BUG
    h.keys = dk;
#endif
    cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
    find<<<1, 32>>>(d, 21, found);
    cudaDeviceSynchronize();
    cudaFree(dk); cudaFree(found); cudaFree(d);
    puts("done");
    return 0;
}
