// SPDX-License-Identifier: Apache-2.0
// A consumer thread reads the download as soon as it was queued, told by a condition variable.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
__global__ void slow(int *p) {
    long long t0 = clock64();
    while (clock64() - t0 < 10000000) continue;
    p[threadIdx.x] = threadIdx.x;
}
int main() {
    int *h, *d;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&h, 256);
    cudaMalloc(&d, 256);
    std::mutex m;
    std::condition_variable cv;
    bool ready = false;
    int sum = 0;
    std::thread consumer([&] {
        std::unique_lock<std::mutex> l(m);
        cv.wait(l, [&] { return ready; });
        for (int i = 0; i < 64; i++) sum += h[i]; /*HERE*/
    });
    slow<<<1, 64, 0, s>>>(d);
    cudaMemcpyAsync(h, d, 256, cudaMemcpyDeviceToHost, s); /*THERE*/
#ifndef BUG
    cudaStreamSynchronize(s);
#endif
    {
        std::lock_guard<std::mutex> l(m);
        ready = true;
    }
    cv.notify_one();
    consumer.join();
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    cudaFreeHost(h); cudaFree(d);
    puts(sum == 1 ? "x" : "done");
    return 0;
}
