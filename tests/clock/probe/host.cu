// SPDX-License-Identifier: Apache-2.0
// What calls of the host, copies and managed memory take. The first rows must be the process's first work of their kind: the order matters.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t rc_ = (call); if (rc_ != cudaSuccess) { std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_)); std::exit(1); } } while (0)
static double now() { return 1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static void say(const char *what, const std::string &how, double us) { std::printf("host,%s,%s,%.3f\n", what, how.c_str(), us); std::fflush(stdout); }
static std::string size(size_t b) { return b >= 1 << 20 ? std::to_string(b >> 20) + " MiB" : std::to_string(b >> 10) + " KiB"; }
template <class F> static double once(F f) { double t = now(); f(); return now() - t; }
template <class F> static double middle(int n, F f) { std::vector<double> v; for (int k = 0; k < n; k++) v.push_back(once(f)); std::sort(v.begin(), v.end()); return v[n / 2]; }

__global__ void nothing() {}
__global__ void touch_all(float4 *p, size_t n, float *out, int write)
{
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (write) p[i] = make_float4(1, 2, 3, 4); else s += p[i].x;
    if (s == -1.0f) *out = s;
}
__global__ void touch_pages(char *p, size_t n, size_t step, float *out) { size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * step; if (i < n && p[i] == 77) *out = 1; }
__global__ void touch_again(float4 *p, size_t n, float *out, int times) { float s = 0; for (int t = 0; t < times; t++) for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += p[i].x; if (s == -1.0f) *out = s; }
__global__ void spin(long long cycles) { long long t = clock64(); while (clock64() - t < cycles) ; }

static void first_things()
{
    say("first cudaFree(0): the context", "", once([] { CHECK(cudaFree(0)); }));
    char *host = (char *)std::malloc(64 << 20), *device;
    std::memset(host, 1, 64 << 20);
    say("first cudaMalloc", "64 MiB", once([&] { CHECK(cudaMalloc((void **)&device, 64 << 20)); }));
    for (int k = 0; k < 4; k++) say("pageable copy in, from the process's first", std::to_string(k) + " 1 MiB", once([&] { CHECK(cudaMemcpy(device, host, 1 << 20, cudaMemcpyHostToDevice)); }));
    for (int k = 0; k < 4; k++) say("pageable copy out, from the process's first", std::to_string(k) + " 1 MiB", once([&] { CHECK(cudaMemcpy(host, device, 1 << 20, cudaMemcpyDeviceToHost)); }));
    for (int k = 0; k < 3; k++) say("pageable copy in", std::to_string(k) + " 64 MiB", once([&] { CHECK(cudaMemcpy(device, host, 64 << 20, cudaMemcpyHostToDevice)); }));
    for (int k = 0; k < 3; k++) say("pageable copy out", std::to_string(k) + " 64 MiB", once([&] { CHECK(cudaMemcpy(host, device, 64 << 20, cudaMemcpyDeviceToHost)); }));
    for (int k = 0; k < 3; k++) say("kernel and wait, from the process's first", std::to_string(k), once([&] { nothing<<<1, 32>>>(); CHECK(cudaDeviceSynchronize()); }));
    char *fresh = (char *)std::malloc(16 << 20);
    say("pageable copy out to untouched memory", "16 MiB", once([&] { CHECK(cudaMemcpy(fresh, device, 16 << 20, cudaMemcpyDeviceToHost)); }));
    say("pageable copy out to touched memory", "16 MiB", once([&] { CHECK(cudaMemcpy(fresh, device, 16 << 20, cudaMemcpyDeviceToHost)); }));
    std::free(fresh);
    for (size_t b : {4096, 16384, 65536, 131072, 262144, 1 << 20, 4 << 20, 16 << 20, 64 << 20}) {
        say("pageable in", size(b), middle(9, [&] { CHECK(cudaMemcpy(device, host, b, cudaMemcpyHostToDevice)); }));
        say("pageable out", size(b), middle(9, [&] { CHECK(cudaMemcpy(host, device, b, cudaMemcpyDeviceToHost)); }));
        cudaStream_t s;
        CHECK(cudaStreamCreate(&s));
        say("pageable in async, call alone", size(b), middle(9, [&] { CHECK(cudaMemcpyAsync(device, host, b, cudaMemcpyHostToDevice, s)); }));
        CHECK(cudaStreamDestroy(s));
    }
    CHECK(cudaFree(device));
    std::free(host);
}

static void memory_calls()
{
    for (size_t b : {4096, 65536, 1 << 20, 2 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30}) {
        void *p;
        std::vector<double> t[8];
        for (int k = 0; k < 5; k++) {
            t[0].push_back(once([&] { CHECK(cudaMalloc(&p, b)); }));
            t[1].push_back(once([&] { CHECK(cudaFree(p)); }));
            if (b > (size_t)256 << 20) continue;
            t[2].push_back(once([&] { CHECK(cudaHostAlloc(&p, b, 0)); }));
            t[3].push_back(once([&] { CHECK(cudaFreeHost(p)); }));
            p = std::aligned_alloc(4096, b);
            std::memset(p, 1, b);
            t[4].push_back(once([&] { CHECK(cudaHostRegister(p, b, 0)); }));
            t[5].push_back(once([&] { CHECK(cudaHostUnregister(p)); }));
            std::free(p);
            t[6].push_back(once([&] { CHECK(cudaMallocManaged(&p, b)); }));
            t[7].push_back(once([&] { CHECK(cudaFree(p)); }));
        }
        static const char *const names[] = {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaFreeHost", "cudaHostRegister", "cudaHostUnregister", "cudaMallocManaged", "cudaFree of managed"};
        for (int k = 0; k < 8; k++)
            if (!t[k].empty()) { say((std::string("first ") + names[k]).c_str(), size(b), t[k][0]); std::sort(t[k].begin(), t[k].end()); say(names[k], size(b), t[k][t[k].size() / 2]); }
    }
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    for (size_t b : {65536, 1 << 20, 64 << 20}) {
        void *p;
        for (int k = 0; k < 3; k++) {
            say("cudaMallocAsync", std::to_string(k) + " " + size(b), once([&] { CHECK(cudaMallocAsync(&p, b, s)); }));
            say("cudaFreeAsync", std::to_string(k) + " " + size(b), once([&] { CHECK(cudaFreeAsync(p, s)); }));
            CHECK(cudaStreamSynchronize(s));
        }
    }
    CHECK(cudaStreamDestroy(s));
}

static void calls()
{
    cudaStream_t s, other;
    cudaEvent_t e, f;
    cudaDeviceProp prop;
    int v;
    say("cudaStreamCreate", "first", once([&] { CHECK(cudaStreamCreate(&s)); }));
    say("cudaStreamCreate", "second", once([&] { CHECK(cudaStreamCreate(&other)); }));
    say("cudaEventCreate", "first", once([&] { CHECK(cudaEventCreate(&e)); }));
    say("cudaEventCreate", "second", once([&] { CHECK(cudaEventCreate(&f)); }));
    say("cudaEventRecord", "", middle(51, [&] { CHECK(cudaEventRecord(e, s)); }));
    say("cudaEventQuery", "", middle(51, [&] { cudaEventQuery(e); }));
    say("cudaStreamWaitEvent", "", middle(51, [&] { CHECK(cudaStreamWaitEvent(other, e, 0)); }));
    say("cudaStreamSynchronize, idle", "", middle(51, [&] { CHECK(cudaStreamSynchronize(s)); }));
    say("cudaDeviceSynchronize, idle", "", middle(51, [&] { CHECK(cudaDeviceSynchronize()); }));
    say("cudaStreamQuery, idle", "", middle(51, [&] { CHECK(cudaStreamQuery(s)); }));
    say("cudaGetDeviceProperties", "", middle(5, [&] { CHECK(cudaGetDeviceProperties(&prop, 0)); }));
    say("cudaDeviceGetAttribute", "", middle(51, [&] { CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0)); }));
    say("cudaSetDevice", "", middle(51, [&] { CHECK(cudaSetDevice(0)); }));
    say("cudaGetLastError", "", middle(51, [&] { cudaGetLastError(); }));
    say("launch, call alone", "", middle(101, [&] { nothing<<<1, 32, 0, s>>>(); }));
    CHECK(cudaDeviceSynchronize());
    for (int n : {1, 10, 100, 1000, 4000}) say("launches in a row, each", std::to_string(n), middle(5, [&] { for (int k = 0; k < n; k++) nothing<<<1, 32, 0, s>>>(); CHECK(cudaStreamSynchronize(s)); }) / n);
    for (int n : {4, 16}) {
        std::vector<cudaStream_t> many(n);
        for (auto &one : many) CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
        say("launches over streams, each", std::to_string(n), middle(5, [&] { for (int k = 0; k < 1000; k++) nothing<<<1, 32, 0, many[k % n]>>>(); CHECK(cudaDeviceSynchronize()); }) / 1000);
        say("spin 100 us beside each other", std::to_string(n), middle(5, [&] { for (auto &one : many) spin<<<1, 32, 0, one>>>(198000); CHECK(cudaDeviceSynchronize()); }));
        for (auto &one : many) CHECK(cudaStreamDestroy(one));
    }
    float ms;
    CHECK(cudaEventRecord(e, s)); CHECK(cudaEventRecord(f, s)); CHECK(cudaEventSynchronize(f)); CHECK(cudaEventElapsedTime(&ms, e, f));
    say("two events, idle stream", "", 1000 * ms);
    spin<<<1, 32, 0, s>>>(200000);
    CHECK(cudaEventRecord(e, s)); CHECK(cudaEventRecord(f, s)); CHECK(cudaEventSynchronize(f)); CHECK(cudaEventElapsedTime(&ms, e, f));
    say("two events, busy stream", "", 1000 * ms);
    for (int n : {1, 2, 3, 10}) {
        spin<<<1, 32, 0, s>>>(400000);
        CHECK(cudaEventRecord(e, s)); for (int k = 0; k < n; k++) nothing<<<1, 32, 0, s>>>();
        CHECK(cudaEventRecord(f, s)); CHECK(cudaEventSynchronize(f)); CHECK(cudaEventElapsedTime(&ms, e, f));
        say("events around empty kernels, busy stream", std::to_string(n), 1000 * ms);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(e, s)); nothing<<<1, 32, 0, s>>>(); CHECK(cudaEventRecord(f, s)); CHECK(cudaEventSynchronize(f)); CHECK(cudaEventElapsedTime(&ms, e, f));
    say("events around an empty kernel, idle stream", "", 1000 * ms);
    say("cudaLaunchHostFunc and wait", "", middle(21, [&] { CHECK(cudaLaunchHostFunc(s, [](void *) {}, nullptr)); CHECK(cudaStreamSynchronize(s)); }));
    cudaGraph_t g;
    cudaGraphExec_t x;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < 20; k++) nothing<<<1, 32, 0, s>>>();
    CHECK(cudaStreamEndCapture(s, &g));
    say("cudaGraphInstantiate", "20 kernels", once([&] { CHECK(cudaGraphInstantiate(&x, g, 0)); }));
    say("cudaGraphLaunch, first and wait", "20 kernels", once([&] { CHECK(cudaGraphLaunch(x, s)); CHECK(cudaStreamSynchronize(s)); }));
    say("cudaGraphLaunch, call alone", "20 kernels", middle(21, [&] { CHECK(cudaGraphLaunch(x, s)); }));
    CHECK(cudaStreamSynchronize(s));
    say("cudaGraphLaunch and wait", "20 kernels", middle(21, [&] { CHECK(cudaGraphLaunch(x, s)); CHECK(cudaStreamSynchronize(s)); }));
    char *d, *h;
    CHECK(cudaMalloc((void **)&d, 256 << 20));
    CHECK(cudaMallocHost((void **)&h, 64 << 20));
    for (size_t b : {4096, 65536, 1 << 20, 16 << 20, 64 << 20}) {
        say("memset async, and wait", size(b), middle(9, [&] { CHECK(cudaMemsetAsync(d, 0, b, s)); CHECK(cudaStreamSynchronize(s)); }));
        say("copy inside the device async, and wait", size(b), middle(9, [&] { CHECK(cudaMemcpyAsync(d + (128 << 20), d, b, cudaMemcpyDeviceToDevice, s)); CHECK(cudaStreamSynchronize(s)); }));
        say("pinned in async, call alone", size(b), middle(9, [&] { CHECK(cudaMemcpyAsync(d, h, b, cudaMemcpyHostToDevice, s)); }));
        CHECK(cudaStreamSynchronize(s));
        say("pinned in async, and wait", size(b), middle(9, [&] { CHECK(cudaMemcpyAsync(d, h, b, cudaMemcpyHostToDevice, s)); CHECK(cudaStreamSynchronize(s)); }));
        say("pinned out async, and wait", size(b), middle(9, [&] { CHECK(cudaMemcpyAsync(h, d, b, cudaMemcpyDeviceToHost, s)); CHECK(cudaStreamSynchronize(s)); }));
        spin<<<1, 32, 0, s>>>(400000);
        CHECK(cudaEventRecord(e, s)); CHECK(cudaMemcpyAsync(d, h, b, cudaMemcpyHostToDevice, s)); CHECK(cudaEventRecord(f, s)); CHECK(cudaEventSynchronize(f)); CHECK(cudaEventElapsedTime(&ms, e, f));
        say("events around a pinned copy in, busy stream", size(b), 1000 * ms);
        spin<<<1, 32, 0, s>>>(400000);
        CHECK(cudaEventRecord(e, s)); CHECK(cudaMemsetAsync(d, 0, b, s)); CHECK(cudaEventRecord(f, s)); CHECK(cudaEventSynchronize(f)); CHECK(cudaEventElapsedTime(&ms, e, f));
        say("events around memset, busy stream", size(b), 1000 * ms);
        spin<<<1, 32, 0, s>>>(400000);
        CHECK(cudaEventRecord(e, s)); CHECK(cudaMemcpyAsync(d + (128 << 20), d, b, cudaMemcpyDeviceToDevice, s)); CHECK(cudaEventRecord(f, s)); CHECK(cudaEventSynchronize(f)); CHECK(cudaEventElapsedTime(&ms, e, f));
        say("events around a device copy, busy stream", size(b), 1000 * ms);
    }
    for (int rows : {64, 1024}) say("2D copy, rows of 1 KiB, pinned in", std::to_string(rows), middle(9, [&] { CHECK(cudaMemcpy2D(d, 2048, h, 1024, 1024, rows, cudaMemcpyHostToDevice)); }));
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));
}

static void managed()
{
    float *out;
    cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0};
    (void)gpu, (void)cpu;
#if CUDART_VERSION >= 13000 && !defined HOSTWARP_VERSION
#define PREFETCH(p, b, to_gpu) CHECK(cudaMemPrefetchAsync(p, b, to_gpu ? gpu : cpu, 0, 0))
#else
#define PREFETCH(p, b, to_gpu) CHECK(cudaMemPrefetchAsync(p, b, to_gpu ? 0 : cudaCpuDeviceId, 0))
#endif
    CHECK(cudaMalloc((void **)&out, 4096));
    volatile long long sum = 0;
    for (size_t b : {1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20}) {
        float4 *p;
        auto kernel = [&](int write) { return once([&] { touch_all<<<1056, 256>>>(p, b / 16, out, write); CHECK(cudaDeviceSynchronize()); }); };
        auto host_reads = [&] { return once([&] { for (size_t k = 0; k < b; k += 4096) sum += ((volatile char *)p)[k]; }); };
        auto host_writes = [&] { return once([&] { for (size_t k = 0; k < b; k += 4096) ((volatile char *)p)[k] = 1; }); };
        for (int round = 0; round < 2; round++) {
            std::string how = size(b) + (round ? " again" : "");
            CHECK(cudaMallocManaged((void **)&p, b));
            say("managed: kernel writes, fresh", how, kernel(1));
            say("managed: kernel reads, on the GPU", how, kernel(0));
            say("managed: host reads after the GPU", how, host_reads());
            say("managed: host reads again", how, host_reads());
            say("managed: host writes after reading", how, host_writes());
            say("managed: kernel reads after the host wrote", how, kernel(0));
            say("managed: kernel reads again", how, kernel(0));
            say("managed: host reads after the GPU read", how, host_reads());
            say("managed: kernel reads after the host read", how, kernel(0));
            say("managed: host writes after the GPU read", how, host_writes());
            say("managed: kernel writes after the host wrote", how, kernel(1));
            say("managed: prefetch to the host", how, once([&] { PREFETCH(p, b, 0); CHECK(cudaDeviceSynchronize()); }));
            say("managed: host reads after prefetch", how, host_reads());
            host_writes();
            say("managed: prefetch to the GPU", how, once([&] { PREFETCH(p, b, 1); CHECK(cudaDeviceSynchronize()); }));
            say("managed: kernel reads after prefetch", how, kernel(0));
            say("managed: prefetch to the GPU, there already", how, once([&] { PREFETCH(p, b, 1); CHECK(cudaDeviceSynchronize()); }));
            host_writes();
            say("managed: kernel touches a byte of each page", how, once([&] { touch_pages<<<(int)(b / 4096 + 255) / 256, 256>>>((char *)p, b, 4096, out); CHECK(cudaDeviceSynchronize()); }));
            host_writes();
            say("managed: kernel touches a byte of each 64 KiB", how, once([&] { touch_pages<<<(int)(b / 65536 + 255) / 256, 256>>>((char *)p, b, 65536, out); CHECK(cudaDeviceSynchronize()); }));
            host_writes();
            say("managed: cudaMemcpy from it to the device", how, once([&] { void *d; CHECK(cudaMalloc(&d, b)); double t = now(); CHECK(cudaMemcpy(d, p, b, cudaMemcpyDefault)); say("managed: of this the copy", how, now() - t); CHECK(cudaFree(d)); }));
            CHECK(cudaFree(p));
            CHECK(cudaMallocManaged((void **)&p, b));
            say("managed: host writes, fresh", how, host_writes());
            say("managed: kernel reads a quarter after the host wrote", how, once([&] { touch_all<<<1056, 256>>>(p, b / 64, out, 0); CHECK(cudaDeviceSynchronize()); }));
            say("managed: kernel reads the rest", how, once([&] { touch_all<<<1056, 256>>>(p + b / 64, b / 16 - b / 64, out, 0); CHECK(cudaDeviceSynchronize()); }));
            host_writes();
            say("managed: one block reads after the host wrote", how, once([&] { touch_all<<<1, 256>>>(p, b / 16, out, 0); CHECK(cudaDeviceSynchronize()); }));
            host_writes();
            say("managed: kernel reads four times after the host wrote", how, once([&] { touch_again<<<1056, 256>>>(p, b / 16, out, 4); CHECK(cudaDeviceSynchronize()); }));
            CHECK(cudaFree(p));
        }
    }
}

int main()
{
    first_things();
    memory_calls();
    calls();
    managed();
    return 0;
}
