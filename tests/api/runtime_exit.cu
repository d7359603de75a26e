// SPDX-License-Identifier: Apache-2.0
// A program may end while work is pending, whatever kind it is: nobody waits for it, and the program's status is its own.
// run: -lcuda
#include "runtime_check.h"
#include <cuda.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

__managed__ int unused; /* an image with managed variables is loaded before main(), and its destructor runs early */
__device__ volatile int stop;
__global__ void forever() { while (!stop) { } }
__global__ void nothing() { }

static void CUDART_CB never_returns(void *) { for (;;) pause(); }
static void *waits(void *) { cudaDeviceSynchronize(); return NULL; }

static void kernel(void) { forever<<<1, 1>>>(); }

static void queue(void)
{
    cudaStream_t s, t;
    cudaEvent_t e;
    void *d, *h;
    NEED(cudaStreamCreate(&s));
    NEED(cudaStreamCreate(&t));
    NEED(cudaEventCreate(&e));
    NEED(cudaMalloc(&d, 1 << 20));
    NEED(cudaHostAlloc(&h, 1 << 20, 0));
    nothing<<<1, 1>>>();
    NEED(cudaDeviceSynchronize());
    forever<<<1, 1, 0, s>>>();
    for (int i = 0; i < 100; i++) {
        NEED(cudaMemcpyAsync(d, h, 1 << 20, cudaMemcpyHostToDevice, s));
        NEED(cudaEventRecord(e, s));
        NEED(cudaStreamWaitEvent(t, e, 0));
        nothing<<<1, 1, 0, t>>>();
    }
}

static void graph(void)
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    NEED(cudaStreamCreate(&s));
    NEED(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    forever<<<1, 1, 0, s>>>();
    nothing<<<1, 1, 0, s>>>();
    NEED(cudaStreamEndCapture(s, &g));
    NEED(cudaGraphInstantiate(&x, g, 0));
    NEED(cudaGraphLaunch(x, s));
}

static void thread(void)
{
    pthread_t t;
    forever<<<1, 1>>>();
    pthread_create(&t, NULL, waits, NULL);
    usleep(20000);
}

static void value(void)
{
    cudaStream_t s;
    void *d;
    NEED(cudaStreamCreate(&s));
    NEED(cudaMalloc(&d, 4));
    NEED(cudaMemset(d, 0, 4));
    NEED(cudaDeviceSynchronize());
    if (cuStreamWaitValue32((CUstream)s, (CUdeviceptr)d, 1, CU_STREAM_WAIT_VALUE_EQ) != CUDA_SUCCESS)
        _exit(1);
    nothing<<<1, 1, 0, s>>>();
}

static void function(void) { NEED(cudaLaunchHostFunc(0, never_returns, NULL)); }

/* Only here: a real driver may well wait for a function that it has called. */
static const struct { const char *name; void (*fn)(void); bool only_here; } cases[] = {
    {"a_kernel", kernel, false}, {"a_queue", queue, false}, {"a_graph", graph, false}, {"a_thread_that_waits", thread, false},
    {"a_value", value, true}, {"a_host_function", function, true},
};

int main(int argc, char **argv)
{
    if (argc > 1) {
        cases[atoi(argv[1])].fn();
        return cudaGetLastError() == cudaSuccess ? 42 : 1;
    }
    bool here = check_on_hostwarp();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char number[8];
        int status = 0;
        if (cases[i].only_here && !here)
            continue;
        snprintf(number, sizeof number, "%zu", i);
        pid_t child = fork();
        if (child == 0) {
            alarm(40);
            execl(argv[0], argv[0], number, (char *)NULL);
            _exit(1);
        }
        waitpid(child, &status, 0);
        CHECK(cases[i].name, WIFEXITED(status) && WEXITSTATUS(status) == 42);
    }
    return check_failures != 0;
}
