// SPDX-License-Identifier: Apache-2.0
// printf in kernels: conversions, order within a thread, what reaches the program's output when.
#include "app.h"

__global__ void formats(const char *text)
{
    printf("%d %i %u %x %X %o|%5d|%-5d|%05d|%+d\n", -5, 7, 4000000000u, 255, 255, 8, 42, 42, 42, 42);
    printf("%f %.2f %10.3e %g %c %s %%\n", 1.5, 2.25, 12345.678, 0.0001, 'x', "literal");
    printf("%lld %llu %hd %p\n", -(1ll << 40), 1ull << 63, (short)-3, (void *)0x1234);
    if (text)
        printf("not printed\n");
}

__global__ void by_thread(int who)
{
    if (threadIdx.x == (unsigned)who)
        printf("thread %d of block %d, %s\n", (int)threadIdx.x, (int)blockIdx.x, who & 1 ? "odd" : "even");
}

int main()
{
    formats<<<1, 1>>>(NULL);
    CUDA(cudaDeviceSynchronize());
    for (int who = 0; who < 70; who += 23)
        by_thread<<<1, 96>>>(who);
    CUDA(cudaDeviceSynchronize());
    printf("host after the kernels\n");
    return 0;
}
