// SPDX-License-Identifier: Apache-2.0
// Two processes: memory, events and pools that one makes and the other opens. The program starts itself as the other one.
#include "runtime_check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *p, int n, int by)
{
    if (threadIdx.x < n)
        p[threadIdx.x] += by;
}
__global__ void wait_for(volatile int *flag, int *out)
{
    while (!*flag)
        ;
    *out = 5;
}

struct message {
    cudaIpcMemHandle_t big, small, flag;
    cudaIpcEventHandle_t event;
    cudaMemPoolPtrExportData pooled;
    int pool_fd;
};

static int other_process(int in)
{
    message m;
    int *big, *small, *flag, *pooled, host[8], one = 1;
    cudaEvent_t event;
    cudaMemPool_t pool;
    cudaStream_t s;
    if (read(in, &m, sizeof m) != (ssize_t)sizeof m)
        return 9;
    NEED(cudaIpcOpenMemHandle((void **)&big, m.big, cudaIpcMemLazyEnablePeerAccess));
    NEED(cudaIpcOpenMemHandle((void **)&small, m.small, cudaIpcMemLazyEnablePeerAccess));
    NEED(cudaIpcOpenMemHandle((void **)&flag, m.flag, cudaIpcMemLazyEnablePeerAccess));
    NEED(cudaIpcOpenEventHandle(&event, m.event));
    NEED(cudaMemcpy(host, small, sizeof host, cudaMemcpyDeviceToHost));
    CHECK("the_other_process_sees_the_memory", host[0] == 10 && host[7] == 17);
    NEED(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    /* A kernel is loaded when it is first launched, and that may wait for all of the context: before anything waits for us. */
    add<<<1, 8, 0, s>>>(big, 0, 0);
    NEED(cudaStreamSynchronize(s));
    CHECK_ERR("and_that_the_event_is_not_over", cudaEventQuery(event), cudaErrorNotReady);
    NEED(cudaStreamWaitEvent(s, event, 0));
    add<<<1, 8, 0, s>>>(big, 8, 100);            /* after the first process's kernel, which waits for our flag */
    CHECK_ERR("so_the_stream_waits", cudaStreamQuery(s), cudaErrorNotReady);
    NEED(cudaMemcpy(flag, &one, sizeof one, cudaMemcpyHostToDevice));        /* a memset may be a kernel */
    NEED(cudaStreamSynchronize(s));
    NEED(cudaEventSynchronize(event));
    CHECK_OK("until_it_is", cudaEventQuery(event));
    NEED(cudaMemcpy(host, big, 4, cudaMemcpyDeviceToHost));
    CHECK("in_order", host[0] == 105);
    NEED(cudaMemPoolImportFromShareableHandle(&pool, (void *)(size_t)m.pool_fd, cudaMemHandleTypePosixFileDescriptor, 0));
    NEED(cudaMemPoolImportPointer((void **)&pooled, pool, &m.pooled));
    add<<<1, 8>>>(pooled, 8, 1);
    CHECK_OK("pooled_memory_too", cudaDeviceSynchronize());
    NEED(cudaFreeAsync(pooled, 0));
    NEED(cudaMemPoolDestroy(pool));
    NEED(cudaIpcCloseMemHandle(big));
    NEED(cudaIpcCloseMemHandle(small));
    NEED(cudaIpcCloseMemHandle(flag));
    CHECK_ERR("closed_is_closed", cudaIpcCloseMemHandle(small), cudaErrorInvalidValue);
    NEED(cudaEventDestroy(event));
    return check_failures != 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return other_process(atoi(argv[1]));
    int pipes[2], start[8] = {10, 11, 12, 13, 14, 15, 16, 17}, back[8], status = 0, *big, *small, *flag, *pooled;
    if (pipe(pipes))
        return 1;
    message m;
    memset(&m, 0, sizeof m);
    NEED(cudaMalloc((void **)&big, 8 << 20));
    NEED(cudaMalloc((void **)&small, sizeof start));
    NEED(cudaMalloc((void **)&flag, 64));
    NEED(cudaMemset(big, 0, 64));
    NEED(cudaMemset(flag, 0, 64));
    NEED(cudaMemcpy(small, start, sizeof start, cudaMemcpyHostToDevice));
    NEED(cudaIpcGetMemHandle(&m.big, big));
    NEED(cudaIpcGetMemHandle(&m.small, small));
    NEED(cudaIpcGetMemHandle(&m.flag, flag));
    NEED(cudaMemcpy(back, small, sizeof back, cudaMemcpyDeviceToHost));
    CHECK("shared_memory_keeps_its_contents", memcmp(back, start, sizeof back) == 0);
    cudaEvent_t event;
    NEED(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    NEED(cudaIpcGetEventHandle(&m.event, event));
    cudaMemPoolProps props;
    cudaMemPool_t pool;
    cudaStream_t s;
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    props.location.type = cudaMemLocationTypeDevice;
    NEED(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    NEED(cudaMemPoolCreate(&pool, &props));
    NEED(cudaMallocFromPoolAsync((void **)&pooled, 4096, pool, s));
    NEED(cudaMemcpyAsync(pooled, start, sizeof start, cudaMemcpyHostToDevice, s));
    NEED(cudaStreamSynchronize(s));
    int fd;
    CHECK_ERR("a_pool_goes_before_its_memory", cudaMemPoolExportPointer(&m.pooled, pooled), cudaErrorInvalidValue);
    NEED(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    NEED(cudaMemPoolExportPointer(&m.pooled, pooled));
    m.pool_fd = fd;
    wait_for<<<1, 1>>>(flag, big);               /* last: while it runs, a GPU promises little of other calls */
    NEED(cudaEventRecord(event, 0));
    if (write(pipes[1], &m, sizeof m) != (ssize_t)sizeof m)
        return 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {                            /* it has the pipe and the pool's descriptor */
        execl("/proc/self/exe", argv[0], std::to_string(pipes[0]).c_str(), (char *)NULL);
        _exit(8);
    }
    waitpid(child, &status, 0);
    CHECK("the_other_process_ends_well", WIFEXITED(status) && WEXITSTATUS(status) == 0);
    NEED(cudaDeviceSynchronize());
    NEED(cudaMemcpy(back, big, 4, cudaMemcpyDeviceToHost));
    CHECK("and_its_kernel_wrote_here", back[0] == 105);
    NEED(cudaMemcpyAsync(back, pooled, sizeof back, cudaMemcpyDeviceToHost, s));
    NEED(cudaStreamSynchronize(s));
    CHECK("into_the_pool_too", back[0] == 11 && back[7] == 18);
    CHECK_OK("freed_as_any_other", cudaFree(big));
    CHECK_OK("small_ones_too", cudaFree(small));
    NEED(cudaFree(flag));
    NEED(cudaFreeAsync(pooled, s));
    NEED(cudaMemPoolDestroy(pool));
    NEED(cudaEventDestroy(event));
    return check_failures != 0;
}
