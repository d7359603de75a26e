// SPDX-License-Identifier: Apache-2.0
// A program may end while a kernel still runs: nobody waits for it.
#include "runtime_check.h"
#include <sys/wait.h>
#include <unistd.h>

__managed__ int unused; /* an image with managed variables is loaded before main(), and its destructor runs early */
__device__ volatile int stop;
__global__ void forever() { while (!stop) { } }

int main(int argc, char **argv)
{
    if (argc > 1) {
        forever<<<1, 1>>>();
        return cudaGetLastError() == cudaSuccess ? 42 : 1;
    }
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execl(argv[0], argv[0], "child", (char *)NULL);
        _exit(1);
    }
    alarm(30);
    waitpid(child, &status, 0);
    CHECK("the_program_ends_with_its_own_status", WIFEXITED(status) && WEXITSTATUS(status) == 42);
    return check_failures != 0;
}
