// SPDX-License-Identifier: Apache-2.0
// Reads of what nobody wrote. With -DBUG every marked line is wrong; without, what looks like it is right.
#include <cstdio>

#ifdef BUG
#define BUGGY 1
#else
#define BUGGY 0
#endif

struct Padded {
    char tag;
    int value;
    double weight;
    char last;
};

__global__ void make(Padded *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].tag = 'x', p[i].value = i, p[i].weight = 0.5, p[i].last = 'y';
}

__global__ void move(Padded *to, const Padded *from, int n) {
    int i = threadIdx.x;
    if (i < n) to[i] = from[i];                  // with what lies between
}

__global__ void vectors(float4 *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x = p[i].y = p[i].z = i;
}

__global__ void use_vectors(const float4 *p, float *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    float4 v = p[i]; // [init.read]
    out[i] = v.x + v.y + v.z + (BUGGY ? v.w : 0);
}

__global__ void copy(const int *in, int *out, int n) {
    int i = threadIdx.x;
    if (i < n)
        out[i] = in[i]; // [init.read]
}

__global__ void count(int *counter) {
    atomicAdd(counter, 1); // [init.read]
}

__global__ void take(int *slot, int *out) { *out = atomicExch(slot, 7); }
__global__ void put(int *slot) { atomicExch(slot, 7); }

__global__ void shared_parts(const int *in, int *out, int n) {
    __shared__ int s[64], flag;
    extern __shared__ int d[];
    int t = threadIdx.x;
    if (t == 0) flag = in[0];
    if (t < n) s[t] = in[t], d[t] = in[t];
    __syncthreads();
    int v = 0;
    if (t < n + BUGGY)
        v = s[t] * 2; // [init.read]
    int w = t < n ? d[t] : flag;                 // of one that is written
    if (t < n + BUGGY)
        w += d[t]; // [init.read]
    out[t] = v + w;
}

__global__ void heap_piece(int *out, int k) {
    int *p = static_cast<int *>(malloc(16 * sizeof(int)));
    if (!p) return;
    for (int i = 0; i < 8; i++) p[i] = i;
    out[0] = p[k]; // [init.read]
    free(p);
}

__global__ void half(unsigned char *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[2 * i] = 1;
}

__global__ void some(int *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i] = i;
}

int main() {
    const int n = 64;
    static int host[1024];
    Padded records[n], *p, *q;
    float4 *v;
    int *in, *out, *counter, *fresh, *part;
    unsigned char *bytes;
    cudaMalloc(&p, sizeof records);
    cudaMalloc(&q, sizeof records);
    make<<<1, n>>>(p, n);
    move<<<1, n>>>(q, p, n);
    cudaMemcpy(records, q, sizeof records, cudaMemcpyDeviceToHost);      // with padding

    cudaMalloc(&v, n * sizeof *v);
    cudaMalloc(&out, 1024 * sizeof(int));
    vectors<<<1, n>>>(v, n);
    use_vectors<<<1, n>>>(v, reinterpret_cast<float *>(out), n);

    cudaMalloc(&in, n * sizeof(int));
    cudaMemcpy(in, host, (n - BUGGY) * sizeof(int), cudaMemcpyHostToDevice);
    copy<<<1, n>>>(in, out, n);
    cudaMemcpy(in, host, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMalloc(&counter, sizeof(int));
    if (!BUGGY) cudaMemset(counter, 0, sizeof(int));
    count<<<1, 1>>>(counter);
    cudaMalloc(&fresh, sizeof(int));
    put<<<1, 1>>>(fresh);                        // what was there does not matter
    take<<<1, 1>>>(fresh, out);

    shared_parts<<<1, n, n * sizeof(int)>>>(in, out, n - 1);
    heap_piece<<<1, 1>>>(out, BUGGY ? 9 : 3);

    // a buffer that is larger than what is in it; every other byte; one that grows
    cudaMalloc(&part, 1024 * sizeof(int));
    some<<<1, n>>>(part, n);
    cudaMemcpy(host, part, 1024 * sizeof(int), cudaMemcpyDeviceToHost);
    some<<<1, 1024>>>(part, 1024 - BUGGY);
    cudaMemcpy(host, part, 1024 * sizeof(int), cudaMemcpyDeviceToHost); // [init.copy]
    cudaMalloc(&bytes, 256);
    half<<<1, 128>>>(bytes, 128);
    cudaMemcpy(host, bytes, 255, cudaMemcpyDeviceToHost);
    int *grown;
    cudaMalloc(&grown, 2048 * sizeof(int));
    cudaMemcpy(grown, part, 1024 * sizeof(int), cudaMemcpyDeviceToDevice);
    copy<<<1, 64>>>(grown, out, 64);

    // memory of a pool, given back and out again in the order of a stream, long before the kernels run
    cudaStream_t s;
    cudaStreamCreate(&s);
    for (int turn = 0; turn < 3; turn++) {
        int *pool;
        cudaMallocAsync(&pool, n * sizeof(int), s);
        if (!BUGGY || turn < 2) cudaMemsetAsync(pool, 0, n * sizeof(int), s);
        copy<<<1, n, 0, s>>>(pool, out, n);
        cudaFreeAsync(pool, s);
    }
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    cudaDeviceSynchronize();
    cudaFree(p);
    cudaFree(q);
    cudaFree(v);
    cudaFree(in);
    cudaFree(out);
    cudaFree(counter);
    cudaFree(fresh);
    cudaFree(part);
    cudaFree(bytes);
    cudaFree(grown);
    puts("done");
}
