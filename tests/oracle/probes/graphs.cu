// SPDX-License-Identifier: Apache-2.0
// What stream capture forbids, what it answers, and how a capture ends.
#include "probe.h"
#include <thread>
cudaStream_t s, t; cudaEvent_t e, f; cudaGraph_t g, w; int *d, *h; void *m; char K[64];
#define Q(x, c) { sprintf(K, "%s.%s", k, x); R(K, c); }
#define BC(q, m) cudaStreamBeginCapture(q, (cudaStreamCaptureMode)m)
#define EC cudaStreamEndCapture
#define WE cudaStreamWaitEvent
#define C(n, md, ...) { const char *k = n; w = 0; cudaStreamCreate(&s); cudaStreamCreate(&t); cudaEventCreate(&e); cudaEventCreate(&f); cudaEventRecord(f, t); Q("begin", BC(s, md)) __VA_ARGS__; g = 0; Q("end", EC(s, &g)) size_t n_ = 0; if (g) cudaGraphGetNodes(g, 0, &n_); printf("%s.nodes = %zu\n", n, n_); EC(t, &w); cudaGetLastError(); }
#define X(c) Q("x", c)
#define N(q) store<<<1, 1, 0, q>>>(d, 1)
#define ER cudaEventRecord(e, s)
#define F ER; WE(t, e, 0)
#define M X(cudaMalloc(&m, 9))
#define L(x) Q(x, cudaGetLastError())
#define T(c) std::thread([&] { c }).join()
int main() {
    cudaMalloc(&d, 4096); cudaHostAlloc(&h, 64, 0);
    C("query", 0, X(cudaStreamQuery(s)) N(s); L("launch")) C("devsync", 2, X(cudaDeviceSynchronize())) C("twice", 0, X(BC(s, 0)))
    C("malloc1", 1, M) C("malloc2", 2, M) C("other0", 0, T(M)) C("other1", 1, T(M))
    C("memcpy", 2, X(cudaMemcpy(d, h, 4, cudaMemcpyDefault))) C("legacy", 2, N(0); L("x")) C("outside", 0, X(WE(s, f, 0)))
    C("record", 0, N(s); X(ER) Q("query", cudaEventQuery(e)) Q("sync", cudaEventSynchronize(e))) C("legwait", 0, ER; X(WE(0, e, 0)))
    C("idle", 0, N(s); F) C("unjoined", 0, F; N(t)) C("forked", 0, F; X(EC(t, &w))) C("thread", 0, T(X(EC(s, &w))))
    C("merge", 0, BC(t, 0); cudaEventRecord(e, t); X(WE(s, e, 0)))
}
