// SPDX-License-Identifier: Apache-2.0
// Streams: copies and kernels of two queues run side by side; callbacks, host functions, events and priorities.
//
//   hostwarp run 04_two_streams.cu
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t rc = (call);                                                           \
        if (rc != cudaSuccess) {                                                           \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc)); \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

const int N = 1 << 20, CHUNKS = 8;

// Enough arithmetic that the kernel takes about as long as the copies around it.
__global__ void churn(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    for (int k = 0; k < 64; k++)
        v = v * 0.5f + 1.0f;        // goes to 2, whatever it starts from
    x[i] = v;
}

static std::atomic<int> chunks_done;

// Runs on a thread of the system when all that stands before it in its stream is done. It must make no CUDA call.
static void count_chunk(void *)
{
    chunks_done++;
}

static void CUDART_CB say_done(cudaStream_t, cudaError_t status, void *name)
{
    std::printf("  callback: stream %s is through, status %d\n", static_cast<const char *>(name), int(status));
}

// All chunks through the given streams, round robin.
static void run(cudaStream_t *streams, int n_streams, float *host, float *device, const char *note)
{
    cudaEvent_t start, stop, joined;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    const int part = N / CHUNKS;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(start, streams[0]));
    for (int i = 1; i < n_streams; i++)                         // nobody starts before the clock
        CHECK(cudaStreamWaitEvent(streams[i], start, 0));
    for (int c = 0; c < CHUNKS; c++) {
        cudaStream_t s = streams[c % n_streams];
        float *h = host + c * part, *d = device + c * part;
        CHECK(cudaMemcpyAsync(d, h, part * sizeof(float), cudaMemcpyHostToDevice, s));
        churn<<<part / 256, 256, 0, s>>>(d, part);
        CHECK(cudaMemcpyAsync(h, d, part * sizeof(float), cudaMemcpyDeviceToHost, s));
        CHECK(cudaLaunchHostFunc(s, count_chunk, nullptr));
    }
    for (int i = 1; i < n_streams; i++) {                       // the first stream waits for the others, then stops the clock
        CHECK(cudaEventRecord(joined, streams[i]));
        CHECK(cudaStreamWaitEvent(streams[0], joined, 0));
    }
    CHECK(cudaEventRecord(stop, streams[0]));
    bool pending = cudaEventQuery(stop) == cudaErrorNotReady;   // an answer, not an error
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    std::printf("  %d stream%s: %6.2f ms%s; when all was queued, the work %s\n", n_streams, n_streams == 1 ? " " : "s", ms, note,
                pending ? "was still going on" : "was already done");
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaEventDestroy(joined));
}

int main()
{
    float *host, *device;
    CHECK(cudaMallocHost(&host, N * sizeof *host));             // only page-locked memory is copied in the background
    CHECK(cudaMalloc(&device, N * sizeof *device));
    std::fill(host, host + N, 100.0f);

    int low, high;                                              // lower numbers are more urgent
    CHECK(cudaDeviceGetStreamPriorityRange(&low, &high));
    cudaStream_t streams[2];
    CHECK(cudaStreamCreateWithPriority(&streams[0], cudaStreamNonBlocking, high));
    CHECK(cudaStreamCreateWithPriority(&streams[1], cudaStreamNonBlocking, low));
    int got;
    CHECK(cudaStreamGetPriority(streams[0], &got));
    std::printf("priorities go from %d (least) to %d (most urgent); stream 0 has %d\n", low, high, got);

    std::printf("%d chunks, each: copy in, kernel, copy out, host function\n", CHUNKS);
    run(streams, 1, host, device, " with the kernel's compilation");
    run(streams, 1, host, device, "");
    run(streams, 2, host, device, "");
    static char names[2][2] = { "0", "1" };
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamAddCallback(streams[i], say_done, names[i], 0));
        CHECK(cudaStreamSynchronize(streams[i]));
    }

    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += host[i] < 1.9999f || host[i] > 2.0001f;
    std::printf("%d host functions ran, %d of %d numbers wrong\n", chunks_done.load(), wrong, N);
    bool ok = wrong == 0 && chunks_done == 3 * CHUNKS && got == high;
    CHECK(cudaStreamDestroy(streams[0]));
    CHECK(cudaStreamDestroy(streams[1]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return !ok;
}
