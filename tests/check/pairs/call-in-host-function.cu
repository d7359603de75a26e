// SPDX-License-Identifier: Apache-2.0
// bug: class=api line=/*HERE*/ second=/*THERE*/ kind=call-in-host-function what="a host function in a stream makes a CUDA call, which is forbidden there"
#include <atomic>
#include <cstdio>

struct Job {
    char *d;
    cudaStream_t next;
    std::atomic<bool> ready;
};

static void CUDART_CB after(void *p) {
    Job *j = static_cast<Job *>(p);
#ifdef BUG
    cudaMemsetAsync(j->d, 1, 1024, j->next); /*HERE*/
#endif
    j->ready = true;
}

int main() {
    cudaStream_t s;
    Job j{nullptr, nullptr, {false}};
    cudaStreamCreate(&s);
    cudaStreamCreate(&j.next);
    cudaMalloc(&j.d, 1024);
    cudaMemsetAsync(j.d, 0, 1024, s);
    cudaLaunchHostFunc(s, after, &j); /*THERE*/
    cudaStreamSynchronize(s);
#ifndef BUG
    if (j.ready) cudaMemsetAsync(j.d, 1, 1024, j.next); // the host thread goes on, not the function
#endif
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(j.d);
    cudaStreamDestroy(s);
    cudaStreamDestroy(j.next);
    puts("done");
    return e != cudaSuccess;
}
