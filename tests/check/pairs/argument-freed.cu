// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static volatile int sink;
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }

static void use(void *p) { nap(nullptr); sink = *static_cast<int *>(p);
#ifndef BUG
    free(p);
#endif
}
int main()
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    int *p = static_cast<int *>(malloc(64));
    *p = 3;
    cudaLaunchHostFunc(s, nap, nullptr);
    cudaLaunchHostFunc(s, use, p); /*THERE*/
#ifdef BUG
    free(p); /*HERE*/
#endif
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    return 0;
}
