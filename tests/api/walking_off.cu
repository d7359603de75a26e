// SPDX-License-Identifier: Apache-2.0
// Pointers that step through a loop and leave what they may touch: from device memory, from registered host memory into memory beside it that
// is not, and from an address that is not aligned. Each in a process of its own, since a fault is the end of a context.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add_up(const float *p, int n, float *out)
{
    p += threadIdx.y * 8;                        // another row for each group of lanes
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += p[k];
    out[threadIdx.y * blockDim.x + threadIdx.x] = sum;
}

__global__ void fill(float *p, int n, int step)
{
    p += threadIdx.x;
    for (int k = 0; k < n; k++, p += 64)
        *p = k + step;
}

static int failures;
static void check(const char *what, cudaError_t got, cudaError_t want)
{
    printf("%s - %s: %s\n", got == want ? "ok" : "not ok", what, cudaGetErrorName(got));
    failures += got != want;
}

template <class F> static void apart(F f)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        f();
        fflush(stdout);
        _exit(failures);
    }
    int status;
    waitpid(child, &status, 0);
    failures += status != 0;
}

int main()
{
    const size_t page = 65536;
    const dim3 shapes[] = { dim3(16, 16), dim3(32, 8), dim3(256) };
    for (dim3 shape : shapes) {
        apart([=] {
            float *in, *out, host[256];
            cudaMalloc(&in, 4096 * 4);
            cudaMalloc(&out, 1024);
            for (int k = 0; k < 4096; k++)
                host[k % 256] = 1, k % 256 == 255 ? (void)cudaMemcpy(in + k - 255, host, 1024, cudaMemcpyHostToDevice) : (void)0;
            add_up<<<1, shape>>>(in, 1000, out);
            check("inside", cudaDeviceSynchronize(), cudaSuccess);
            cudaMemcpy(host, out, 1024, cudaMemcpyDeviceToHost);
            printf("%s - the sum\n", host[255] == 1000 ? "ok" : "not ok"), failures += host[255] != 1000;
            add_up<<<1, shape>>>(in, 1 << 30, out);
            check("off device memory", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        });
        apart([=] {
            float *out, *in = (float *)mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *there;
            cudaMalloc(&out, 1024);
            for (size_t k = 0; k < page; k++)
                in[k] = 2;
            check("register", cudaHostRegister(in, page, cudaHostRegisterMapped), cudaSuccess);
            cudaHostGetDevicePointer(&there, in, 0);
            float host[256];
            add_up<<<1, shape>>>(there, int(page / 4) - 128, out);
            check("inside registered memory", cudaDeviceSynchronize(), cudaSuccess);
            cudaMemcpy(host, out, 1024, cudaMemcpyDeviceToHost);
            printf("%s - its sum\n", host[255] == 2 * (float(page) / 4 - 128) ? "ok" : "not ok"), failures += host[255] != 2 * (float(page) / 4 - 128);
            add_up<<<1, shape>>>(there, int(page / 2), out);
            check("off registered memory, into memory that is not", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        });
        apart([=] {
            char *in;
            float *out;
            cudaMalloc(&in, 65536);
            cudaMalloc(&out, 1024);
            add_up<<<1, shape>>>((float *)(in + 2), 1000, out);
            check("not aligned", cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
        });
    }
    apart([=] {
        float *in = (float *)mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *there;
        check("register", cudaHostRegister(in, page, cudaHostRegisterMapped), cudaSuccess);
        cudaHostGetDevicePointer(&there, in, 0);
        fill<<<1, 64>>>(there, int(page / 256), 1);
        check("rows in registered memory", cudaDeviceSynchronize(), cudaSuccess);
        fill<<<1, 64>>>(there, int(page / 256) + 1, 7);
        check("rows off registered memory", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        printf("%s - nothing is written behind it\n", in[page / 4] == 0 ? "ok" : "not ok");
        failures += in[page / 4] != 0;
    });
    return failures != 0;
}
