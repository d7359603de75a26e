// SPDX-License-Identifier: Apache-2.0
// Zero copy: kernels that work on host memory directly, with no cudaMemcpy anywhere.
//
//   hostwarp run 03_zero_copy.cu
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t rc = (call);                                                           \
        if (rc != cudaSuccess) {                                                           \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc)); \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

__global__ void square(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * in[i];
}

int main()
{
    const int n = 4096;
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    if (!prop.canMapHostMemory) {
        std::printf("this device cannot map host memory\n");
        return 1;
    }

    // One way: ask for page-locked memory that is mapped into the device's address space.
    int *in;
    CHECK(cudaHostAlloc(&in, n * sizeof *in, cudaHostAllocMapped));
    // The other: take memory that is already there, and register it.
    int *out = static_cast<int *>(std::calloc(n, sizeof *out));
    CHECK(cudaHostRegister(out, n * sizeof *out, cudaHostRegisterMapped));

    int *d_in, *d_out;              // the same memory, by the name the device has for it
    CHECK(cudaHostGetDevicePointer(&d_in, in, 0));
    CHECK(cudaHostGetDevicePointer(&d_out, out, 0));
    for (int i = 0; i < n; i++)
        in[i] = i;

    square<<<n / 256, 256>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    // Nothing waits by itself, because nothing is copied: without this line the host might look too early.
    CHECK(cudaDeviceSynchronize());

    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += out[i] != i * i;
    std::printf("squares written straight into host memory: %d %d %d %d ... %d, %d wrong\n", out[0], out[1], out[2], out[3], out[n - 1], wrong);

    // What the system knows about a pointer, and about one it has never seen.
    cudaPointerAttributes attr;
    int local = 0;
    CHECK(cudaPointerGetAttributes(&attr, in));
    std::printf("the mapped pointer is %s memory", attr.type == cudaMemoryTypeHost ? "page-locked host" : "some other");
    CHECK(cudaPointerGetAttributes(&attr, &local));
    std::printf(", a local variable is %s\n", attr.type == cudaMemoryTypeUnregistered ? "unknown to CUDA" : "known?");

    CHECK(cudaHostUnregister(out));
    std::free(out);
    CHECK(cudaFreeHost(in));
    return wrong != 0;
}
