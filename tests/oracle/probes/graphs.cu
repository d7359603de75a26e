// What stream capture forbids and how a capture ends; what graphs and values in streams refuse.
#include "probe.h"
#include <thread>
cudaStream_t s, t; cudaEvent_t e, f; cudaGraph_t g, w; int *d, *h, *p; void *m; char K[64];
#define Q(x, c) { sprintf(K, "%s.%s", k, x); R(K, c); }
#define A(x) Q(#x, x)
#define C(n, md, ...) { const char *k = n; cudaStreamCreate(&s); cudaStreamCreate(&t); cudaEventCreate(&e); cudaEventCreate(&f); cudaEventRecord(f, t); Q("begin", cudaStreamBeginCapture(s, (cudaStreamCaptureMode)md)) __VA_ARGS__; g = 0; Q("end", cudaStreamEndCapture(s, &g)) size_t n_ = 0; if (g) cudaGraphGetNodes(g, 0, &n_); printf("%s.nodes = %zu\n", n, n_); cudaStreamEndCapture(t, &w); cudaGetLastError(); }
#define X(c) Q("x", c)
#define N(q) store<<<1, 1, 0, q>>>(d, 1)
#define F cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0)
int main() {
    cudaMalloc(&d, 4096); cudaHostAlloc(&h, 64, 0); p = (int *)malloc(64);
    C("query", 0, X(cudaStreamQuery(s)) N(s); X(cudaGetLastError())) C("devsync", 2, X(cudaDeviceSynchronize())) C("twice", 0, X(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)))
    C("malloc1", 1, X(cudaMalloc(&m, 9))) C("malloc2", 2, X(cudaMalloc(&m, 9))) C("other0", 0, std::thread([&] { X(cudaMalloc(&m, 9)) }).join()) C("other1", 1, std::thread([&] { X(cudaMalloc(&m, 9)) }).join())
    C("memcpy", 2, X(cudaMemcpy(d, h, 4, cudaMemcpyHostToDevice))) C("legacy", 2, N(0); X(cudaGetLastError())) C("outside", 0, X(cudaStreamWaitEvent(s, f, 0)))
    C("record", 0, N(s); X(cudaEventRecord(e, s)) X(cudaEventQuery(e)) X(cudaEventSynchronize(e))) C("legwait", 0, cudaEventRecord(e, s); X(cudaStreamWaitEvent(0, e, 0)))
    C("idle", 0, N(s); F) C("unjoined", 0, F; N(t)) C("forked", 0, F; X(cudaStreamEndCapture(t, &w))) C("thread", 0, std::thread([&] { X(cudaStreamEndCapture(s, &w)) }).join())
    C("merge", 0, cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal); cudaEventRecord(e, t); X(cudaStreamWaitEvent(s, e, 0))) C("destroy", 0, N(s); X(cudaStreamDestroy(s))) C("callback", 0, X(cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void *) {}, 0, 0)))
    C("ok", 0, X(cudaMemcpyAsync(p, d, 4, cudaMemcpyDeviceToHost, s)) X(cudaMemcpyAsync(d, h, 0, cudaMemcpyDefault, s)) X(cudaStreamCreate(&t)) X(cudaEventCreate(&e)))
}
