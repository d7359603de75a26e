// SPDX-License-Identifier: Apache-2.0
// An event is used after it was destroyed.
#include <cstdio>
int main() {
    cudaStream_t s;
    cudaEvent_t e;
    cudaStreamCreate(&s);
    cudaEventCreate(&e);
    cudaEventRecord(e, s);
    cudaEventSynchronize(e);
#ifdef BUG
    cudaEventDestroy(e); /*THERE*/
    cudaEventRecord(e, s); /*HERE*/
#else
    cudaEventRecord(e, s);
    cudaEventDestroy(e);
#endif
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    puts("done");
    return 0;
}
