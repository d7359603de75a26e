// SPDX-License-Identifier: Apache-2.0
// Small copies, thousands of them: each is right, comes after the work before it, and knows when something has changed.
#include "runtime_check.h"

#include <thread>
#include <vector>

__global__ void fill(unsigned char *p, int n, unsigned char value)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] = value;
}

__global__ void write_nowhere(int *p) { *p = 1; }

static const int SPACE = 20000;

static int differ(const unsigned char *a, const unsigned char *b, size_t n) { return memcmp(a, b, n) != 0; }

static void all_sizes(unsigned char *host, const char *rule)
{
    unsigned char *dev, back[SPACE];
    int wrong = 0;
    NEED(cudaMalloc(&dev, SPACE));
    for (int i = 0; i < SPACE; i++)
        host[i] = (unsigned char)(i * 13 + i / 256);
    for (int n = 1; n < SPACE; n += n < 300 ? 1 : 977) {
        int from = n % 61, to = n % 37;
        if (from + n > SPACE || to + n > SPACE)
            break;
        NEED(cudaMemcpy(dev + to, host + from, n, n & 1 ? cudaMemcpyHostToDevice : cudaMemcpyDefault));
        memset(back, 0, sizeof back);
        NEED(cudaMemcpy(back + 1, dev + to, n, n & 2 ? cudaMemcpyDeviceToHost : cudaMemcpyDefault));
        wrong += differ(back + 1, host + from, n) || back[0] || back[n + 1];
    }
    CHECK(rule, wrong == 0);
    NEED(cudaFree(dev));
}

static void order(unsigned char *pinned)
{
    unsigned char *dev;
    cudaStream_t s;
    int wrong = 0;
    NEED(cudaMalloc(&dev, 4096));
    NEED(cudaStreamCreate(&s));
    for (int i = 0; i < 500; i++) {
        fill<<<1, 64, 0, s>>>(dev, 4096, (unsigned char)i);
        NEED(cudaMemcpy(pinned, dev, 4096, cudaMemcpyDeviceToHost));
        wrong += pinned[0] != (unsigned char)i || pinned[4095] != (unsigned char)i;
    }
    CHECK("a_copy_comes_after_work_in_blocking_streams", wrong == 0);
    NEED(cudaStreamDestroy(s));
    NEED(cudaFree(dev));
}

static void changes(unsigned char *pinned)
{
    unsigned char *dev, *other, stack[64];
    NEED(cudaMalloc(&dev, 4096));
    NEED(cudaMemcpy(dev, pinned, 4096, cudaMemcpyHostToDevice));
    CHECK_ERR("one_byte_too_many", cudaMemcpy(dev + 1, pinned, 4096, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_ERR("to_nowhere", cudaMemcpy(NULL, pinned, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_ERR("from_nowhere", cudaMemcpy(dev, NULL, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_OK("nothing_from_anywhere", cudaMemcpy(dev, NULL, 0, cudaMemcpyHostToDevice));
    CHECK_ERR("a_kind_there_is_not", cudaMemcpy(dev, pinned, 64, (cudaMemcpyKind)5), cudaErrorInvalidMemcpyDirection);
    CHECK_ERR("a_destination_that_is_not_on_the_device", cudaMemcpy(stack, pinned, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_ERR("a_source_that_is_not_on_the_device", cudaMemcpy(pinned, stack, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    CHECK_OK("host_to_host", cudaMemcpy(pinned, stack, 64, cudaMemcpyHostToHost));
    NEED(cudaMalloc(&other, 4096));
    CHECK_OK("after_another_allocation", cudaMemcpy(dev, pinned, 4096, cudaMemcpyHostToDevice));
    NEED(cudaFree(dev));
    CHECK_ERR("freed_memory_is_gone", cudaMemcpy(dev, pinned, 4096, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    NEED(cudaMemcpy(other, pinned, 4096, cudaMemcpyHostToDevice));
    int wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; t++)                  /* the map changes while others look */
        threads.emplace_back([&wrong, t] {
            unsigned char *mine, in[512], out[512];
            memset(in, t + 1, sizeof in);
            for (int i = 0; i < 300; i++) {
                if (cudaMalloc(&mine, 512) || cudaMemcpy(mine, in, 512, cudaMemcpyHostToDevice)
                    || cudaMemcpy(out, mine, 512, cudaMemcpyDeviceToHost) || differ(in, out, 512) || cudaFree(mine))
                    __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
            }
        });
    for (auto &t : threads)
        t.join();
    CHECK("threads_copy_while_memory_comes_and_goes", wrong == 0);
    NEED(cudaFree(other));
}

static void CUDART_CB inside(void *data)
{
    void **p = (void **)data;
    p[2] = (void *)(size_t)cudaMemcpy(p[0], p[1], 64, cudaMemcpyHostToDevice);
}

static void unusual(unsigned char *pinned)
{
    unsigned char *dev;
    cudaStream_t s;
    cudaGraph_t g = NULL;
    NEED(cudaMalloc(&dev, 4096));
    NEED(cudaMemcpy(dev, pinned, 64, cudaMemcpyHostToDevice));
    NEED(cudaStreamCreate(&s));
    void *call[3] = {dev, pinned, NULL};
    NEED(cudaLaunchHostFunc(s, inside, call));
    NEED(cudaStreamSynchronize(s));
    CHECK("not_inside_a_host_function", (cudaError_t)(size_t)call[2] == cudaErrorNotPermitted);
    NEED(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK_ERR("not_while_a_stream_captures", cudaMemcpy(dev, pinned, 64, cudaMemcpyHostToDevice), cudaErrorStreamCaptureImplicit);
    CHECK_ERR("which_ends_the_capture", cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    CHECK_OK("then_again", cudaMemcpy(dev, pinned, 64, cudaMemcpyHostToDevice));
    NEED(cudaStreamDestroy(s));
    write_nowhere<<<1, 1>>>((int *)16);
    CHECK_ERR("a_broken_context", cudaMemcpy(dev, pinned, 64, cudaMemcpyHostToDevice), cudaErrorIllegalAddress);
    CHECK_ERR("stays_broken", cudaMemcpy(dev, pinned, 64, cudaMemcpyHostToDevice), cudaErrorIllegalAddress);
}

int main()
{
    unsigned char *pinned, *pageable = (unsigned char *)malloc(SPACE);
    NEED(cudaHostAlloc(&pinned, SPACE, cudaHostAllocDefault));
    all_sizes(pinned, "all_sizes_from_page_locked_memory");
    all_sizes(pageable, "all_sizes_from_pageable_memory");
    order(pinned);
    changes(pinned);
    unusual(pinned);
    free(pageable);
    return check_failures != 0;
}
