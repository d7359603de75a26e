// SPDX-License-Identifier: Apache-2.0
// Calls a device function of another file, and sets variables from the host: another file's, and a static one of this.
#include "parts.h"

#include <cstdio>

static __constant__ int table[4];
static __device__ __noinline__ int local(int x) { return x + 1; }

__global__ void call(int *p) { *p = helper(local(*p)) + counter + table[2]; }
__global__ void look(int *p) { *p = table[0] + table[1]; }

static int launch(void (*kernel)(int *))
{
    int h = 1, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
    kernel<<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    return h;
}

int main()
{
    int values[4] = {1, 20, 3, 4}, hundred = 100;
    cudaMemcpyToSymbol(table, values, sizeof values);
    int first = launch(call);
    cudaMemcpyToSymbol(counter, &hundred, sizeof hundred);
    int second = launch(call);
    std::printf("rdc %d %d %d\n", first, second, launch(look));
    return cudaGetLastError() != cudaSuccess;
}
