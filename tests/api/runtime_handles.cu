// SPDX-License-Identifier: Apache-2.0
// Streams and events that are gone, forged, or another device's; the child of a fork; calls from static destructors.
#include "runtime_check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void set(int *p, int v) { *p = v; }

static void forged(void)
{
    int local = 0;
    const size_t values[] = {3, 0x100, 0xdeadbeefcafeull, (size_t)&local};
    int refused = 1;
    if (!check_on_hostwarp()) /* a real driver may follow such a pointer */
        return;
    for (size_t v : values) {
        refused &= cudaStreamQuery((cudaStream_t)v) == cudaErrorInvalidResourceHandle;
        refused &= cudaStreamSynchronize((cudaStream_t)v) == cudaErrorInvalidResourceHandle;
        refused &= cudaEventQuery((cudaEvent_t)v) == cudaErrorInvalidResourceHandle;
        refused &= cudaStreamBeginCapture((cudaStream_t)v, cudaStreamCaptureModeGlobal) == cudaErrorInvalidResourceHandle;
        refused &= cudaGraphLaunch((cudaGraphExec_t)v, 0) == cudaErrorInvalidValue;
        refused &= cudaGraphDestroy((cudaGraph_t)v) == cudaErrorInvalidValue;
        set<<<1, 1, 0, (cudaStream_t)v>>>(&local, 1);
        refused &= cudaGetLastError() == cudaErrorInvalidResourceHandle;
    }
    CHECK("forged_handles_are_refused", refused && local == 0);
    cudaStream_t s;
    cudaEvent_t e;
    NEED(cudaStreamCreate(&s));
    NEED(cudaEventCreate(&e));
    CHECK_ERR("a_stream_is_no_event", cudaEventQuery((cudaEvent_t)s), cudaErrorInvalidResourceHandle);
    CHECK_ERR("an_event_is_no_stream", cudaStreamQuery((cudaStream_t)e), cudaErrorInvalidResourceHandle);
    NEED(cudaStreamDestroy(s));
    NEED(cudaEventDestroy(e));
    CHECK_ERR("a_destroyed_stream_is_gone", cudaStreamQuery(s), cudaErrorInvalidResourceHandle);
    CHECK_ERR("and_is_destroyed_once", cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
    CHECK_ERR("a_destroyed_event_is_gone", cudaEventRecord(e, 0), cudaErrorInvalidResourceHandle);
}

/* A child has the memory but not the threads: it must be told, not left hanging. */
static void child_of_a_fork(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        void *p;
        _exit(cudaMalloc(&p, 16) == cudaSuccess || cudaDeviceSynchronize() == cudaSuccess);
    }
    waitpid(child, &status, 0);
    CHECK("the_child_of_a_fork_gets_an_error", WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_OK("and_the_parent_goes_on", cudaDeviceSynchronize());
}

/* Destroyed after main(): made before the runtime was first used, so the driver is gone when its turn comes. */
struct late {
    cudaStream_t stream = nullptr;
    bool active = false;
    ~late()
    {
        if (!active)
            return;
        cudaError_t rc = cudaStreamQuery(stream);
        cudaStreamDestroy(stream);
        cudaDeviceSynchronize();
        _exit(rc == cudaSuccess || rc == cudaErrorCudartUnloading || rc == cudaErrorNotReady ? 7 : 8);
    }
};
static late at_the_end;

int main(int argc, char **argv)
{
    if (argc > 1) {
        alarm(20);
        NEED(cudaStreamCreate(&at_the_end.stream));
        at_the_end.active = true;
        return 0;
    }
    int *d, status = 0;
    NEED(cudaMalloc(&d, 4));
    set<<<1, 1>>>(d, 1);
    NEED(cudaDeviceSynchronize());
    forged();
    child_of_a_fork();
    pid_t child = fork();
    if (child == 0) {
        execl(argv[0], argv[0], "child", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    CHECK("a_static_destructor_may_still_call", WIFEXITED(status) && WEXITSTATUS(status) == 7);
    return check_failures != 0;
}
