// SPDX-License-Identifier: Apache-2.0
// bug: class=hazard-stream line=/*HERE*/ second=/*THERE*/ kind=two-instances-of-a-graph what="one graph is instantiated twice and launched in two streams; the twin launches one instance, which never runs beside itself"
#include <cstdio>
__global__ void inc(int *p, int n) {
    long long t0 = clock64();
    while (clock64() - t0 < 5000000) continue;
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i]++; /*HERE*/ /*THERE*/
}
int main() {
    const int n = 1024;
    int *p;
    cudaStream_t a, b;
    cudaGraph_t g;
    cudaGraphExec_t x, y;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaMalloc(&p, n * sizeof(int));
    cudaMemset(p, 0, n * sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    inc<<<1, 64, 0, a>>>(p, n); /*HERE*/ /*THERE*/
    cudaStreamEndCapture(a, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphInstantiate(&y, g, 0);
    cudaGraphLaunch(x, a); /*THERE*/
#ifdef BUG
    cudaGraphLaunch(y, b); /*HERE*/
#else
    cudaGraphLaunch(x, b);
#endif
    cudaError_t err = cudaDeviceSynchronize();
    cudaGraphExecDestroy(x);
    cudaGraphExecDestroy(y);
    cudaGraphDestroy(g);
    cudaFree(p);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    puts("done");
    return err != cudaSuccess;
}
