// SPDX-License-Identifier: Apache-2.0
// Streams really run at the same time: a kernel waits for what a later copy in another stream brings, and the reverse; the
// pipeline of copies and kernels queued depth first and breadth first, with a timeline of each.
#include "runtime_check.h"
#include <unistd.h>

__global__ void wait_for(volatile int *flag, int *out)
{
    while (*flag == 0) { }
    *out = *flag;
}
__global__ void set(int *p, int v) { *p = v; }
__global__ void work(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = p[i];
        for (int k = 0; k < 200; k++)
            v = v * 0.5f + 1.0f;
        p[i] = v;
    }
}

static cudaStream_t a, b;

static void kernel_waits_for_a_later_copy(void)
{
    int *flag, *out, *one, got = 0;
    NEED(cudaMalloc(&flag, 4));
    NEED(cudaMalloc(&out, 4));
    NEED(cudaHostAlloc(&one, 4, 0));
    NEED(cudaMemset(flag, 0, 4));
    NEED(cudaDeviceSynchronize());
    *one = 9;
    wait_for<<<1, 1, 0, a>>>(flag, out);
    usleep(20000);
    CHECK("the_kernel_waits", cudaStreamQuery(a) == cudaErrorNotReady);
    NEED(cudaMemcpyAsync(flag, one, 4, cudaMemcpyHostToDevice, b));
    CHECK_OK("a_later_copy_in_another_stream_lets_it_go", cudaStreamSynchronize(a));
    NEED(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    CHECK("and_it_saw_the_copied_value", got == 9);
    NEED(cudaFree(flag));
    NEED(cudaFree(out));
    NEED(cudaFreeHost(one));
}

static void CUDART_CB until_set(void *flag)
{
    while (*(volatile int *)flag == 0)
        usleep(100);
}

static void a_fill_waits_for_a_later_kernel(void)
{
    int *flag, *out;
    NEED(cudaHostAlloc(&flag, 4, cudaHostAllocMapped));
    NEED(cudaHostAlloc(&out, 4, 0));
    *out = *flag = 0;
    NEED(cudaLaunchHostFunc(a, until_set, flag));
    NEED(cudaMemsetAsync(out, 5, 1, a));
    usleep(20000);
    CHECK("the_fill_waits", cudaStreamQuery(a) == cudaErrorNotReady && *(volatile int *)out == 0);
    set<<<1, 1, 0, b>>>(flag, 5);
    CHECK_OK("a_later_kernel_in_another_stream_lets_it_go", cudaStreamSynchronize(a));
    CHECK("and_what_was_behind_it_ran", *out == 5);
    NEED(cudaFreeHost(flag));
    NEED(cudaFreeHost(out));
}

enum { PARTS = 4, STAGES = 3, N = 1 << 16 };

static void print_lane(const char *name, float from, float to, float all)
{
    char bar[61];
    memset(bar, '.', 60);
    bar[60] = 0;
    int first = (int)(from / all * 59), last = (int)(to / all * 59);
    for (int i = first < 0 ? 0 : first; i <= last && i < 60; i++)
        bar[i] = '#';
    printf("#   %-10s |%s| %7.3f to %7.3f ms\n", name, bar, from, to);
}

/* depth first: copy, kernel, copy of one part after another; breadth first: all copies in, all kernels, all copies out. */
static void pipeline(int breadth)
{
    static const char *const stage_names[STAGES] = {"copy in", "kernel", "copy out"};
    float *h, *d;
    cudaStream_t s[PARTS];
    cudaEvent_t start, from[PARTS][STAGES], to[PARTS][STAGES];
    const int part = N / PARTS;
    NEED(cudaHostAlloc(&h, N * sizeof(float), 0));
    NEED(cudaMalloc(&d, N * sizeof(float)));
    for (int i = 0; i < N; i++)
        h[i] = (float)i;
    NEED(cudaEventCreate(&start));
    for (int p = 0; p < PARTS; p++) {
        NEED(cudaStreamCreate(&s[p]));
        for (int g = 0; g < STAGES; g++) {
            NEED(cudaEventCreate(&from[p][g]));
            NEED(cudaEventCreate(&to[p][g]));
        }
    }
    NEED(cudaEventRecord(start, 0));
    for (int k = 0; k < PARTS * STAGES; k++) {
        int p = breadth ? k % PARTS : k / STAGES, g = breadth ? k / PARTS : k % STAGES;
        NEED(cudaEventRecord(from[p][g], s[p]));
        if (g == 0)
            NEED(cudaMemcpyAsync(d + p * part, h + p * part, part * sizeof(float), cudaMemcpyHostToDevice, s[p]));
        else if (g == 1)
            work<<<(part + 255) / 256, 256, 0, s[p]>>>(d + p * part, part);
        else
            NEED(cudaMemcpyAsync(h + p * part, d + p * part, part * sizeof(float), cudaMemcpyDeviceToHost, s[p]));
        NEED(cudaEventRecord(to[p][g], s[p]));
    }
    NEED(cudaDeviceSynchronize());
    int right = 1, ordered = 1;
    for (int i = 0; i < N; i++)
        right &= h[i] > 1.9f && h[i] < 2.1f;
    float all = 0, t0, t1, before;
    for (int p = 0; p < PARTS; p++) {
        NEED(cudaEventElapsedTime(&t1, start, to[p][STAGES - 1]));
        all = t1 > all ? t1 : all;
    }
    printf("# %s first, %d streams:\n", breadth ? "breadth" : "depth", PARTS);
    for (int p = 0; p < PARTS; p++) {
        before = 0;
        for (int g = 0; g < STAGES; g++) {
            char name[32];
            NEED(cudaEventElapsedTime(&t0, start, from[p][g]));
            NEED(cudaEventElapsedTime(&t1, start, to[p][g]));
            ordered &= t0 >= before && t1 >= t0;
            before = t1;
            snprintf(name, sizeof name, "%d %s", p, stage_names[g]);
            print_lane(name, t0, t1, all);
        }
    }
    CHECK(breadth ? "breadth_first_is_right" : "depth_first_is_right", right);
    CHECK(breadth ? "breadth_first_keeps_the_order_of_each_stream" : "depth_first_keeps_the_order_of_each_stream", ordered);
    for (int p = 0; p < PARTS; p++)
        NEED(cudaStreamDestroy(s[p]));
    NEED(cudaFreeHost(h));
    NEED(cudaFree(d));
}

/* The first launch of a kernel loads it, and the first fill of host memory a kernel of the driver's: a real driver may wait for
   everything that runs before it does that. */
static void load_kernels(void)
{
    int *flag;
    float *d;
    NEED(cudaHostAlloc(&flag, 4, 0));
    NEED(cudaMalloc(&d, sizeof *d));
    set<<<1, 1>>>(flag, 1);
    wait_for<<<1, 1>>>(flag, flag);
    work<<<1, 1>>>(d, 1);
    NEED(cudaMemsetAsync(flag, 0, 1, a));
    NEED(cudaDeviceSynchronize());
    NEED(cudaFreeHost(flag));
    NEED(cudaFree(d));
}

int main()
{
    NEED(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    NEED(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    load_kernels();
    kernel_waits_for_a_later_copy();
    a_fill_waits_for_a_later_kernel();
    pipeline(0);
    pipeline(1);
    return check_failures != 0;
}
