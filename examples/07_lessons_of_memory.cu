// SPDX-License-Identifier: Apache-2.0
// What tutorials say about the behaviour of page-locked and mapped memory, tried. docs/lessons.md tells which of it is true.
//
//   hostwarp run 07_lessons_of_memory.cu
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                            \
    do {                                                                                       \
        cudaError_t rc = (call);                                                               \
        if (rc != cudaSuccess) {                                                               \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc)); \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)

__global__ void count(int *n) { atomicAdd(n, 1); }

__global__ void wait_until(volatile int *flag)
{
    while (*flag == 0)
        ;
}

static void say(const char *what, bool is) { std::printf("%-86s %s\n", what, is ? "yes" : "no"); }

int main()
{
    // page-locked memory is ordinary memory for the CPU
    float *pinned;
    CHECK(cudaMallocHost((void **)&pinned, 100));
    pinned[0] = 123;
    float first = pinned[0];
    CHECK(cudaMemset(pinned, 0, 4));                     // with unified addresses the pointer is the device's too
    CHECK(cudaDeviceSynchronize());
    say("the CPU reads and writes page-locked memory", first == 123 && pinned[0] == 0);

    // no cudaSetDeviceFlags(cudaDeviceMapHost), and no cudaHostAllocMapped, has been there
    int *seen;
    say("memory of cudaMallocHost is mapped without asking for it", cudaHostGetDevicePointer((void **)&seen, pinned, 0) == cudaSuccess && (void *)seen == (void *)pinned);
    say("cudaSetDeviceFlags(cudaDeviceMapHost) is accepted after the first call", cudaSetDeviceFlags(cudaDeviceMapHost) == cudaSuccess);

    // atomics of many blocks on mapped memory, among themselves
    *seen = 0;
    count<<<64, 256>>>(seen);
    CHECK(cudaDeviceSynchronize());
    say("atomics of one GPU on mapped memory are atomic among themselves", *seen == 64 * 256);

    // flags
    unsigned flags = 0;
    void *portable;
    CHECK(cudaHostAlloc(&portable, 4096, cudaHostAllocPortable | cudaHostAllocWriteCombined));
    CHECK(cudaHostGetFlags(&flags, portable));
    say("portable memory is mapped as well (flags say so)", (flags & cudaHostAllocMapped) != 0);

    // who waits: a kernel holds the stream until the flag is set
    int *flag;
    cudaStream_t s, other;
    char *host = (char *)std::calloc(1 << 20, 1), *device;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&device, 2 << 20));
    CHECK(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped));
    *flag = 0;
    wait_until<<<1, 1, 0, s>>>(flag);
    CHECK(cudaMemcpyAsync(device, host, 1 << 20, cudaMemcpyHostToDevice, s));
    say("an asynchronous copy of 1 MiB of pageable memory returns before its turn", cudaStreamQuery(s) == cudaErrorNotReady);
    CHECK(cudaMemsetAsync(device + (1 << 20), 0, 1 << 10, other));
    void *more;
    CHECK(cudaHostAlloc(&more, 1 << 16, 0));
    CHECK(cudaStreamSynchronize(other));
    say("page-locked memory is allocated, and another stream goes on, while a kernel waits", cudaStreamQuery(s) == cudaErrorNotReady);
    *flag = 1;
    CHECK(cudaStreamSynchronize(s));
    return 0;
}
