// SPDX-License-Identifier: Apache-2.0
// A correct program that does all it can around memory in use: it must do the same with the checker as without, and hear nothing.
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }
static sigjmp_buf out;
static volatile sig_atomic_t caught;
static void on_fault(int) { caught = caught + 1; siglongjmp(out, 1); }

__global__ void twice(int *v, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v[i] *= 2;
}

#define MUST(x) do { if (!(x)) { fprintf(stderr, "line %d: %s\n", __LINE__, #x); return 1; } } while (0)

int main()
{
    const int n = 20000;
    int *h, *d, *m, *other;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMallocHost(&h, 2 * n * sizeof(int));
    cudaMalloc(&d, n * sizeof(int));
    cudaMallocManaged(&m, 3 * n * sizeof(int));
    cudaMallocManaged(&other, 64);
    for (int i = 0; i < 2 * n; i++) h[i] = i;

    // reads of a source in flight, writes beside it, system calls on both
    int pipes[2];
    char byte;
    MUST(pipe(pipes) == 0);
    cudaLaunchHostFunc(s, nap, nullptr);
    cudaMemcpyAsync(d, h, n * sizeof(int), cudaMemcpyHostToDevice, s);
    long sum = 0;
    for (int i = 0; i < n; i++) sum += h[i];
    memset(h + n, 0, n * sizeof(int));
    for (int i = n; i < 2 * n; i++) h[i] = -i;
    MUST(sum == (long)n * (n - 1) / 2 && write(pipes[1], h, 8) == 8 && read(pipes[0], h + n, 8) == 8 && h[n + 1] == 1);
    MUST(write(pipes[1], h + n - 1, 1) == 1 && read(pipes[0], &byte, 1) == 1);

    // a child of its own, which has the memory as it is
    pid_t child = fork();
    if (child == 0) {
        h[0] = 5;
        _exit(h[0] == 5 && h[1] == 1 ? 0 : 1);
    }
    int status;
    MUST(waitpid(child, &status, 0) == child && status == 0);

    // a handler of the program, for a fault of its own; then another thread that blocks every signal
    struct sigaction mine = {}, old;
    mine.sa_handler = on_fault;
    mine.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &mine, &old);
    void *hole = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sigsetjmp(out, 1) == 0) *static_cast<volatile int *>(hole) = 1;
    sigaction(SIGSEGV, &old, nullptr);
    munmap(hole, 4096);
    MUST(caught == 1);
    std::thread deaf([h] {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        h[n + 5] = 9;
    });
    deaf.join();
    cudaStreamSynchronize(s);

    // managed memory: what the kernel does not touch is the host's
    for (int i = 0; i < 3 * n; i++) m[i] = i;
    twice<<<4, 64, 0, s>>>(m + n, n);
    for (int i = 0; i < n; i++) m[i] = 7;
    *other = 3;
    memset(m + 2 * n, 0, n * sizeof(int));
    cudaStreamSynchronize(s);
    for (int i = 0; i < n; i++) MUST(m[i] == 7 && m[n + i] == 2 * (n + i) && m[2 * n + i] == 0);

    // down again, with a second buffer in flight
    cudaMemcpyAsync(h + n, d, n * sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaEventRecord(e, s);
    cudaLaunchHostFunc(s, nap, nullptr);
    cudaMemcpyAsync(h, m, n * sizeof(int), cudaMemcpyDefault, s);
    cudaEventSynchronize(e);
    for (int i = 0; i < n; i++) MUST(h[n + i] == i);
    cudaStreamSynchronize(s);
    MUST(h[0] == 7 && h[n - 1] == 7);
    cudaEventDestroy(e);
    cudaFreeHost(h);
    cudaFree(d);
    cudaFree(m);
    cudaFree(other);
    cudaStreamDestroy(s);
    puts("done");
    return 0;
}
