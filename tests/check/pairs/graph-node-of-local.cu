// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static volatile int sink;
static void nap(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }

static void make(cudaGraph_t g)
{
#ifdef BUG
    int value = 5;
#else
    static int value = 5;
#endif
    cudaGraphNode_t node;
    cudaHostNodeParams p = {};
    p.fn = [](void *v) { sink = *static_cast<volatile int *>(v); /*HERE*/ };
    p.userData = &value;
    cudaGraphAddHostNode(&node, g, nullptr, 0, &p);
}
int main()
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamCreate(&s);
    cudaGraphCreate(&g, 0);
    make(g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s); /*THERE*/
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
    return 0;
}
