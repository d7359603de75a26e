// SPDX-License-Identifier: Apache-2.0
// Page-locked ("pinned") memory against ordinary memory: how long copies take, and who waits for them.
//
//   hostwarp run 02_pinned_vs_pageable.cu [MiB]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t rc = (call);                                                           \
        if (rc != cudaSuccess) {                                                           \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc)); \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

static double now_ms()
{
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

struct Times {
    float copy_ms;      // on the device's clock, between two events
    double call_ms;     // how long cudaMemcpyAsync itself kept the caller
};

// Copies `bytes` to the device and back five times; the best of each counts.
static Times measure(char *host, char *device, size_t bytes, cudaMemcpyKind kind)
{
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    Times best = { 1e9f, 1e9 };
    for (int i = 0; i < 5; i++) {
        bool up = kind == cudaMemcpyHostToDevice;
        CHECK(cudaEventRecord(start));
        double before = now_ms();
        CHECK(cudaMemcpyAsync(up ? device : host, up ? host : device, bytes, kind, 0));
        double call = now_ms() - before;
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));      // elapsed time is known only when the event has happened
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        best.copy_ms = std::min(best.copy_ms, ms);
        best.call_ms = std::min(best.call_ms, call);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return best;
}

static void report(const char *what, Times t, size_t bytes)
{
    std::printf("  %-28s %7.2f ms  %6.1f GB/s   the call returned after %6.3f ms\n", what, t.copy_ms, bytes / t.copy_ms / 1e6, t.call_ms);
}

int main(int argc, char **argv)
{
    const size_t mib = argc > 1 ? std::max(1, std::atoi(argv[1])) : 32, bytes = mib << 20;
    char *pageable = static_cast<char *>(std::malloc(bytes)), *pinned, *device;
    CHECK(cudaMallocHost(&pinned, bytes));      // these pages stay where they are: the device may read them at any time
    CHECK(cudaMalloc(&device, bytes));
    std::memset(pageable, 1, bytes);
    std::memset(pinned, 2, bytes);

    std::printf("copying %zu MiB, best of five:\n", mib);
    report("pageable, to the device", measure(pageable, device, bytes, cudaMemcpyHostToDevice), bytes);
    report("pageable, from the device", measure(pageable, device, bytes, cudaMemcpyDeviceToHost), bytes);
    report("page-locked, to the device", measure(pinned, device, bytes, cudaMemcpyHostToDevice), bytes);
    report("page-locked, from the device", measure(pinned, device, bytes, cudaMemcpyDeviceToHost), bytes);
    std::printf("a copy of page-locked memory runs behind the caller's back, so the call returns at once;\n"
                "ordinary memory may be paged out or freed, so the call must keep the caller.\n");

    // pinned went up and down last: both must hold twos, and pageable still ones.
    bool ok = pinned[0] == 2 && pinned[bytes - 1] == 2 && pageable[0] == 1 && pageable[bytes - 1] == 1;
    char last = 0;
    CHECK(cudaMemcpy(&last, device + bytes - 1, 1, cudaMemcpyDeviceToHost));
    ok = ok && last == 2;
    std::printf("contents after all copies: %s\n", ok ? "right" : "WRONG");
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    std::free(pageable);
    return !ok;
}
