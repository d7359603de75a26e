// SPDX-License-Identifier: Apache-2.0
// A pipeline over several streams: pinned memory, copies both ways, kernels, events between streams, a callback for each part.
#include "app.h"
#include <atomic>

enum { PARTS = 6, PART = 20000, STREAMS = 3 };

__global__ void square_and_add(const int *in, int *out, int n, int add)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * in[i] + add;
}

static std::atomic<int> parts_done;
static void CUDART_CB part_done(cudaStream_t, cudaError_t status, void *) { parts_done += status == cudaSuccess; }

int main()
{
    cudaStream_t s[STREAMS];
    cudaEvent_t done[PARTS];
    int *in, *out, *d_in, *d_out, wrong = 0;
    CUDA(cudaMallocHost(&in, PARTS * PART * sizeof *in));
    CUDA(cudaHostAlloc(&out, PARTS * PART * sizeof *out, cudaHostAllocDefault));
    CUDA(cudaMalloc(&d_in, PARTS * PART * sizeof *d_in));
    CUDA(cudaMalloc(&d_out, PARTS * PART * sizeof *d_out));
    for (int i = 0; i < STREAMS; i++)
        CUDA(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    for (int i = 0; i < PARTS * PART; i++)
        in[i] = i % 1000;
    for (int p = 0; p < PARTS; p++) {
        int at = p * PART;
        cudaStream_t stream = s[p % STREAMS];
        CUDA(cudaEventCreateWithFlags(&done[p], cudaEventDisableTiming));
        CUDA(cudaMemcpyAsync(d_in + at, in + at, PART * sizeof *in, cudaMemcpyHostToDevice, stream));
        if (p > 0) /* each part reads one result of the part before it */
            CUDA(cudaStreamWaitEvent(stream, done[p - 1], 0));
        square_and_add<<<16, 128, 0, stream>>>(d_in + at, d_out + at, PART, p);
        if (p > 0)
            CUDA(cudaMemcpyAsync(d_out + at, d_out + at - 1, sizeof(int), cudaMemcpyDeviceToDevice, stream));
        CUDA(cudaEventRecord(done[p], stream));
        CUDA(cudaMemcpyAsync(out + at, d_out + at, PART * sizeof *out, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamAddCallback(stream, part_done, NULL, 0));
    }
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < PARTS * PART; i++) {
        int k = i % PART == 0 && i > 0 ? i - 1 : i;
        wrong += out[i] != (k % 1000) * (k % 1000) + k / PART;
    }
    printf("%d parts done, %d numbers wrong\n", parts_done.load(), wrong);
    return wrong || parts_done != PARTS;
}
