// SPDX-License-Identifier: Apache-2.0
// A graph with two branches, launched three times: what it does must look like what streams do.
#include <cstdio>

__global__ void twice(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void plus(int *p, const int *q) { p[blockIdx.x * blockDim.x + threadIdx.x] += q[blockIdx.x * blockDim.x + threadIdx.x]; }

int main()
{
    const int n = 1 << 16;
    int *host, *a, *b;
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaHostAlloc((void **)&host, n * sizeof(int), 0);
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(t, fork, 0);
    cudaMemcpyAsync(a, host, n * sizeof(int), cudaMemcpyHostToDevice, s);
    twice<<<n / 256, 256, 0, s>>>(a);
    cudaMemsetAsync(b, 1, n * sizeof(int), t);
    twice<<<n / 256, 256, 0, t>>>(b);
    cudaEventRecord(join, t);
    cudaStreamWaitEvent(s, join, 0);
    plus<<<n / 256, 256, 0, s>>>(a, b);
    cudaMemcpyAsync(host, a, n * sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 3; i++)
        cudaGraphLaunch(exec, i == 2 ? 0 : s);           // the last one in the default stream
    cudaDeviceSynchronize();
    printf("%d %s\n", host[1], cudaGetErrorName(cudaGetLastError()));
    return 0;
}
