/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latency: what the calls themselves cost: 1000 launches queued (a launch is also submitted: OpenCL's twin flushes for
 * launch_submitted), 1000 queued and then waited for together, 1000 each waited for, 1000 event records, 1000 copies of 4
 * bytes, and 1000 kernels as 100 launches of a graph of ten.
 *
 * CUDA variant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cuda_runtime.h>

#define N 1000
#define CHECK(call) check((call), #call)

static void check(cudaError_t err, const char *what)
{
    if (err != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(err));
        exit(1);
    }
}

__global__ void count(int *n) { *n += 1; }

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int *d;
static cudaEvent_t event;
static cudaGraphExec_t graph;

static void launch_queued(void)
{
    for (int i = 0; i < N; i++)
        count<<<1, 1>>>(d);
}

static void launch_batch(void)
{
    launch_queued();
    CHECK(cudaDeviceSynchronize());
}

static void launch_waited(void)
{
    for (int i = 0; i < N; i++) {
        count<<<1, 1>>>(d);
        CHECK(cudaDeviceSynchronize());
    }
}

static void event_queued(void)
{
    for (int i = 0; i < N; i++)
        CHECK(cudaEventRecord(event, 0));
}

static void copy_waited(void)
{
    static int value = 1;
    for (int i = 0; i < N; i++)
        CHECK(cudaMemcpy(d + 1, &value, sizeof value, cudaMemcpyHostToDevice));
}

static void graph_queued(void)
{
    for (int i = 0; i < N / 10; i++)
        CHECK(cudaGraphLaunch(graph, 0));
}

static void make_graph(void)
{
    cudaStream_t s;
    cudaGraph_t g;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 10; i++)
        count<<<1, 1, 0, s>>>(d);
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphInstantiate(&graph, g, 0));
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaStreamDestroy(s));
}

/* The time of the calls alone; what they queued is waited for outside of it. */
static void measure(const char *name, void (*calls)(void), int reps)
{
    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        calls();
        t = now() - t;
        CHECK(cudaDeviceSynchronize());
        if (r > 0 && t < best)
            best = t;
    }
    int n = 0;
    CHECK(cudaMemset(d, 0, sizeof(int)));
    launch_queued();
    CHECK(cudaMemcpy(&n, d, sizeof n, cudaMemcpyDeviceToHost));
    printf("latency.%s cuda seconds=%.9f check=%d work=%d unit=Mcall/s\n", name, best, n, N);
    if (n != N)
        exit(1);
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    CHECK(cudaMalloc(&d, 2 * sizeof(int)));
    CHECK(cudaMemset(d, 0, 2 * sizeof(int)));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    make_graph();
    measure("launch_queued", launch_queued, reps);
    measure("launch_submitted", launch_queued, reps);
    measure("launch_batch", launch_batch, reps);
    measure("launch_waited", launch_waited, reps);
    measure("event_queued", event_queued, reps);
    measure("copy4_waited", copy_waited, reps);
    measure("graph_queued", graph_queued, reps);
    return 0;
}
