// SPDX-License-Identifier: Apache-2.0
// cudaDeviceReset beside threads that work: CUDA leaves open what their calls answer, here none may crash, hang or take the device away. Kernels touch
// no memory that a reset may have given to somebody else.
#include "runtime_check.h"
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

enum { THREADS = 6, RESETS = 60 };
__device__ int variable;
__global__ void nothing() {}
__global__ void counts() { atomicAdd(&variable, 1); }

static std::atomic<bool> stop;
static std::atomic<long> good, refused;
static std::mutex lock;
static std::map<cudaError_t, long> answers;

static bool note(cudaError_t e)
{
    if (e == cudaSuccess) {
        good++;
        return true;
    }
    refused++;
    std::lock_guard<std::mutex> hold(lock);
    answers[e]++;
    cudaGetLastError();
    return false;
}

static void CUDART_CB called(void *p) { ++*static_cast<std::atomic<long> *>(p); }

static void work(int id)
{
    static std::atomic<long> calls;
    for (int n = id; !stop; n++) {
        cudaStream_t s = nullptr;
        cudaEvent_t e = nullptr;
        void *p = nullptr, *h = nullptr;
        int value;
        note(cudaMalloc(&p, 4096));
        note(cudaMallocHost(&h, 4096));
        if (note(cudaStreamCreate(&s)) && note(cudaEventCreate(&e))) {
            nothing<<<4, 64, 0, s>>>();
            note(cudaGetLastError());
            counts<<<1, 32, 0, s>>>();
            note(cudaGetLastError());
            note(cudaMemsetAsync(p, 1, 4096, s));
            note(cudaLaunchHostFunc(s, called, &calls));
            note(cudaEventRecord(e, s));
            note(cudaMemcpyFromSymbol(&value, variable, sizeof value));
            note(n % 2 ? cudaStreamSynchronize(s) : cudaEventSynchronize(e));
        }
        if (e)
            note(cudaEventDestroy(e));
        if (s)
            note(cudaStreamDestroy(s));
        if (n % 16 == 0)
            note(cudaDeviceSynchronize());
    }
}

int main()
{
    std::vector<std::thread> threads;
    int resets = 0;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back(work, i);
    for (int i = 0; i < RESETS; i++) {
        resets += cudaDeviceReset() == cudaSuccess;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    stop = true;
    for (auto &t : threads)
        t.join();
    CHECK("device_reset_works_beside_other_threads", resets == RESETS);
    CHECK("calls_go_on_between_resets", good > RESETS);
    bool known = true;
    for (auto &a : answers)
        if (a.first != cudaErrorContextIsDestroyed && a.first != cudaErrorInvalidResourceHandle && a.first != cudaErrorInvalidValue && a.first != cudaErrorDeviceUninitialized
            && a.first != cudaErrorInvalidSymbol && a.first != cudaErrorInvalidDeviceFunction) {
            printf("# %s: %ld\n", cudaGetErrorName(a.first), a.second);
            known = false;
        }
    CHECK("answers_say_that_the_context_went", known);
    int value = -1;
    CHECK_OK("a_reset_leaves_a_fresh_device", cudaDeviceReset());
    counts<<<1, 32>>>();
    CHECK_OK("kernels_run_afterwards", cudaMemcpyFromSymbol(&value, variable, sizeof value));
    CHECK("variables_begin_anew", value == 32);
    return check_failures != 0;
}
