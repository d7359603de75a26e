// SPDX-License-Identifier: Apache-2.0
// Memory that another stream frees and the pool gives back while a kernel still reduces into it: a mistake of the program, which ends as a kernel's fault, or
// not at all, and never as the program's own.
#include "runtime_check.h"

__global__ void reduce(unsigned *t, unsigned rounds)
{
    for (unsigned k = 0; k < rounds; k++)
        atomicAdd(&t[(threadIdx.x + k) % 1000], 1u);
}

int main()
{
    cudaStream_t a, b;
    cudaMemPool_t pool;
    unsigned *d;
    CHECK_ERR("one stream", cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaSuccess);
    CHECK_ERR("another stream", cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking), cudaSuccess);
    CHECK_ERR("the pool", cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    CHECK_ERR("memory", cudaMallocAsync(&d, 4 << 20, a), cudaSuccess);
    CHECK_ERR("it is there", cudaStreamSynchronize(a), cudaSuccess);
    reduce<<<2000, 256, 0, a>>>(d, 2000);
    CHECK_ERR("freed under the kernel", cudaFreeAsync(d, b), cudaSuccess);
    CHECK_ERR("the other stream is done", cudaStreamSynchronize(b), cudaSuccess);
    CHECK_ERR("the pool gives back", cudaMemPoolTrimTo(pool, 0), cudaSuccess);
    cudaError_t e = cudaStreamSynchronize(a);
    if (e != cudaSuccess && e != cudaErrorIllegalAddress) {
        printf("the kernel ends with %s\n", cudaGetErrorName(e));
        return 1;
    }
    printf("%s\n", cudaGetErrorName(e));
    return check_failures != 0;
}
