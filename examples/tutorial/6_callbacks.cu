// SPDX-License-Identifier: Apache-2.0
// Host functions: the host's part of a stream's work. They run in order, on a thread of hostwarp's, and may not call CUDA.
#include "check.h"

static void say(void *data) { std::printf("part %d is done\n", *(int *)data); }

__global__ void nothing() {}

int main()
{
    cudaStream_t stream;
    int part[3] = {1, 2, 3};
    CHECK(cudaStreamCreate(&stream));
    for (int &p : part) {
        nothing<<<1, 32, 0, stream>>>();
        CHECK(cudaLaunchHostFunc(stream, say, &p));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}
