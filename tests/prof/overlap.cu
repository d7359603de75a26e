// SPDX-License-Identifier: Apache-2.0
// Two streams whose copies and kernels overlap, an event between them, ranges: what the timeline is tested with.
#include <cstdio>
#include <nvtx3/nvToolsExt.h>

__global__ void churn(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0;
    for (int k = 0; k < 100; k++)
        v = v * 0.5f + 1.0f;
    if (i < n)
        x[i] = v;
}

int main()
{
    const int part = 1 << 19, chunks = 8;
    float *host, *device;
    cudaStream_t s[2];
    cudaEvent_t half;
    cudaHostAlloc((void **)&host, sizeof(float) * part * chunks, cudaHostAllocDefault);
    cudaMalloc(&device, sizeof(float) * part * chunks);
    cudaEventCreate(&half);
    for (cudaStream_t &one : s)
        cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    churn<<<1, 256, 0, s[0]>>>(device, 256);             // compiles it, so that the picture below is of the work alone
    cudaDeviceSynchronize();
    nvtxRangePush("pipeline");
    for (int c = 0; c < chunks; c++) {
        float *h = host + c * part, *d = device + c * part;
        cudaStream_t to = s[c % 2];
        nvtxRangePush("chunk");
        if (c == chunks / 2)                             // the second half begins when the other stream has done its first
            cudaStreamWaitEvent(to, half, 0);
        cudaMemcpyAsync(d, h, part * sizeof(float), cudaMemcpyHostToDevice, to);
        churn<<<part / 256, 256, 0, to>>>(d, part);
        cudaMemcpyAsync(h, d, part * sizeof(float), cudaMemcpyDeviceToHost, to);
        if (c == chunks / 2 - 1)
            cudaEventRecord(half, to);
        nvtxRangePop();
    }
    cudaDeviceSynchronize();
    nvtxRangePop();
    nvtxMark("done");
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
