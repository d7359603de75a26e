// SPDX-License-Identifier: Apache-2.0
// bug: class=hazard-stream line=/*HERE*/ second=/*THERE*/ kind=graph-missing-edge what="two kernel nodes of a graph write and read one buffer, with no edge between them"
#include <cstdio>

__global__ void produce(int *p, int n) {
    long long t0 = clock64();
    while (clock64() - t0 < 5000000) continue;
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i; /*THERE*/
}

__global__ void consume(int *p, int *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = p[n - 1 - i]; /*HERE*/
}

int main() {
    int n = 1024, *p, *out;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t first, second;
    cudaStreamCreate(&s);
    cudaMalloc(&p, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(p, 0, n * sizeof(int));
    cudaDeviceSynchronize();
    cudaGraphCreate(&g, 0);
    void *a1[] = {&p, &n}, *a2[] = {&p, &out, &n};
    cudaKernelNodeParams k1 = {}, k2 = {};
    k1.func = reinterpret_cast<void *>(produce);
    k2.func = reinterpret_cast<void *>(consume);
    k1.gridDim = k2.gridDim = dim3(1);
    k1.blockDim = k2.blockDim = dim3(128);
    k1.kernelParams = a1;
    k2.kernelParams = a2;
    cudaGraphAddKernelNode(&first, g, nullptr, 0, &k1); /*THERE*/
#ifdef BUG
    cudaGraphAddKernelNode(&second, g, nullptr, 0, &k2); /*HERE*/
#else
    cudaGraphAddKernelNode(&second, g, &first, 1, &k2);
#endif
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaError_t e = cudaStreamSynchronize(s);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    cudaFree(p);
    cudaFree(out);
    cudaStreamDestroy(s);
    puts("done");
    return e != cudaSuccess;
}
