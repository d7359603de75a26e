// SPDX-License-Identifier: Apache-2.0
// The first CUDA program: add two vectors. Memory on the device, copies there and back, one kernel.
//
//   hostwarp run 01_vector_add.cu
#include <cstdio>
#include <cstdlib>
#include <vector>

// Every CUDA call answers an error code; a program that looks at none of them fails somewhere else, later.
#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t rc = (call);                                                           \
        if (rc != cudaSuccess) {                                                           \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc)); \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

// Runs once for every thread of the grid. Each thread adds one pair of numbers.
__global__ void add(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)                      // the last block has threads to spare
        sum[i] = a[i] + b[i];
}

int main()
{
    const int n = 1000000;
    const size_t bytes = n * sizeof(float);
    std::vector<float> a(n), b(n), sum(n);
    for (int i = 0; i < n; i++) {
        a[i] = float(i);
        b[i] = float(2 * i);
    }

    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    std::printf("device 0 is \"%s\", compute capability %d.%d\n", prop.name, prop.major, prop.minor);

    float *d_a, *d_b, *d_sum;       // d_: these addresses belong to the device
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_sum, bytes));
    CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));

    const int block = 256, grid = (n + block - 1) / block;
    add<<<grid, block>>>(d_a, d_b, d_sum, n);
    CHECK(cudaGetLastError());      // was the launch itself acceptable?
    CHECK(cudaMemcpy(sum.data(), d_sum, bytes, cudaMemcpyDeviceToHost));    // waits for the kernel

    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += sum[i] != a[i] + b[i];
    std::printf("%d blocks of %d threads added %d pairs: %d + %d = %.0f, %d wrong\n", grid, block, n, 1000, 2000, sum[1000], wrong);

    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_sum));
    return wrong != 0;
}
