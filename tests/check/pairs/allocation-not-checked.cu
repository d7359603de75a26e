// SPDX-License-Identifier: Apache-2.0
// bug: class=api line=/*HERE*/ second=/*THERE*/ kind=allocation-not-checked what="an allocation fails, nobody looks, and the null pointer goes into a later call that fails as well"
#include <cstdio>

int main() {
    char *p = nullptr;
#ifdef BUG
    size_t n = size_t(1) << 50;
    cudaMalloc(&p, n);       /*HERE*/
    cudaMemset(p, 0, 4096);  /*THERE*/
    cudaDeviceSynchronize();
#else
    size_t n = size_t(1) << 20;
    if (cudaMalloc(&p, n) != cudaSuccess) return 1;
    if (cudaMemset(p, 0, 4096) != cudaSuccess) return 1;
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
#endif
    cudaFree(p);
    puts("done");
    return 0;
}
