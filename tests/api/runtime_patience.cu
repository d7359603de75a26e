// SPDX-License-Identifier: Apache-2.0
// Threads that look for what others do, and give up after some looks: on a device others get on meanwhile, so nobody gives up without reason.
#include "runtime_check.h"

enum { MANY = 100, LOOKS = 1000 };

__device__ bool sees(int *flag, int looks)
{
    for (int i = 0; i < looks; i++) {
        if (atomicAdd(flag, 0))
            return true;
        __nanosleep(200);
    }
    return false;
}

__device__ bool sees_plainly(const volatile int *flag, int looks)
{
    bool seen = false;
    for (int i = 0; i < looks && !seen; i++) {
        seen = *flag;
        __nanosleep(200);
    }
    return seen;
}

// The last block is the first to set its flag; each of the others waits for the one behind it. The first thread of a block waits.
__global__ void backwards(int *flags, int *gave_up, bool plainly)
{
    if (threadIdx.x)
        return;
    int next = blockIdx.x + 1;
    if (next < gridDim.x && !(plainly ? sees_plainly(flags + next, LOOKS) : sees(flags + next, LOOKS)))
        atomicAdd(gave_up, 1);
    atomicExch(flags + blockIdx.x, 1);
}

// Who sets the flag has something to do before.
__global__ void slow(int *flag, int *gave_up, unsigned turns, unsigned *sink)
{
    if (blockIdx.x) {
        unsigned x = 1;
        for (unsigned k = 0; k < turns; k++)
            x = x * 1664525u + 1013904223u;
        *sink = x;
        __threadfence();
        atomicExch(flag, 1);
    } else if (!sees(flag, 20 * LOOKS)) {
        atomicAdd(gave_up, 1);
    }
}

// Nobody ever sets it.
__global__ void in_vain(int *flag, int *gave_up, int looks)
{
    if (!sees(flag, looks))
        atomicAdd(gave_up, 1);
}

static int *memory, *host;

static int gave_up(void)
{
    NEED(cudaMemcpy(host, memory, sizeof(int), cudaMemcpyDeviceToHost));
    NEED(cudaMemset(memory, 0, 4096));
    return host[0];
}

int main(void)
{
    NEED(cudaMalloc(&memory, 4096));
    NEED(cudaMallocHost(&host, 64));
    NEED(cudaMemset(memory, 0, 4096));
    for (int threads = 1; threads <= 64; threads *= 64)
        for (int plainly = 0; plainly < 2; plainly++) {
            backwards<<<MANY, threads>>>(memory + 8, memory, plainly);
            CHECK("blocks that have not begun come before a look in vain", gave_up() == 0);
        }
    slow<<<2, 1>>>(memory + 8, memory, 2000000, (unsigned *)memory + 16);
    CHECK("so does a block that takes a while", gave_up() == 0);
    in_vain<<<4, 32>>>(memory + 8, memory, 20 * LOOKS);
    CHECK("who waits for nobody gives up", gave_up() == 128);
    NEED(cudaFreeHost(host));
    NEED(cudaFree(memory));
    return check_failures != 0;
}
