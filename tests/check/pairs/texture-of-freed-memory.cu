// SPDX-License-Identifier: Apache-2.0
// A texture object outlives the linear memory behind it.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <atomic>
#include <cooperative_groups.h>

__global__ void get(cudaTextureObject_t t, int *o) { o[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x); }
int main() {
    int *d, *o;
    cudaMalloc(&d, 256); cudaMalloc(&o, 256);
    cudaMemset(d, 0, 256);
    cudaResourceDesc r = {}; r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d; r.res.linear.desc = cudaCreateChannelDesc<int>(); r.res.linear.sizeInBytes = 256;
    cudaTextureDesc td = {}; td.readMode = cudaReadModeElementType;
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &r, &td, nullptr);
#ifdef BUG
    cudaFree(d); /*THERE*/
    get<<<1, 64>>>(t, o); /*HERE*/
    cudaDeviceSynchronize();
#else
    get<<<1, 64>>>(t, o);
    cudaDeviceSynchronize();
    cudaFree(d);
#endif
    cudaDestroyTextureObject(t);
    cudaFree(o);
    puts("done");
}
