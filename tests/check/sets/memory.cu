// SPDX-License-Identifier: Apache-2.0
// Accesses one element too far, or too late. With -DBUG every marked line is wrong; without, what looks like it is right.
#include <cstdio>

#ifdef BUG
#define BUGGY 1
#else
#define BUGGY 0
#endif

__constant__ int table[8], behind_table[8];
__device__ int var[16], behind_var[16];

__global__ void fill(int *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i; // [memory.bounds]
}

__global__ void pooled(double *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i; // [memory.bounds]
}

__global__ void stale(const int *p, int *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = p[i]; // [memory.freed]
}

// Pointers that begin in the middle, behind the end and before the beginning; one of two.
__global__ void odd_pointers(int *middle, int *end, int *one_based, int *other, int n, long which) {
    int i = threadIdx.x;
    int *p = which ? middle : other;
    if (i < n) p[i - n / 2 * (int)which] += 1, end[-1 - i] += 1, one_based[i + 1] += 1;
    long apart = other - middle;
    if (i < n) (middle + apart)[i] += 1;
}

__global__ void shared_arrays(const int *in, int *out, int k) {
    __shared__ int a[32], b[32];
    extern __shared__ int dynamic[];
    int t = threadIdx.x;
    a[t] = b[t] = dynamic[t] = in[t];
    __syncthreads();
    int *p = k > 2 ? a : b;                      // both are meant
    p[(t + k) % 32] += 1;
    __syncthreads();
    int v = a[in[t] % (32 + BUGGY)]; // [memory.shared-bounds]
    int w = dynamic[t + BUGGY]; // [memory.shared-bounds]
    out[t] = v + w + b[t];
}

__global__ void local_arrays(const int *in, int *out, int n) {
    int a[6], b[6];
    for (int i = 0; i < 6; i++) a[i] = in[i], b[i] = in[i] * 3;
    for (int i = 1; i < n + BUGGY; i++)
        a[in[i - 1] + 1] += i; // [memory.local-bounds]
    for (int i = 1; i < n; i++) b[6 - i] += a[i - 1];
    out[threadIdx.x] = a[in[2]] + b[in[3]];
}

__global__ void variables(const int *in, int *out, int n) {
    int t = threadIdx.x;
    if (t < 16) var[t] = t;
    __syncthreads();
    if (t < n)
        out[t] = table[in[t]]; // [memory.bounds]
    if (t < n)
        out[t] += var[in[t] + 8]; // [memory.bounds]
}

__global__ void heap(int **keep) {
    int *p = static_cast<int *>(malloc(64 * sizeof(int))), *q = static_cast<int *>(malloc(64 * sizeof(int)));
    if (!p || !q) return;
    for (int i = 0; i < 64 + BUGGY; i++)
        p[i] = i; // [memory.bounds]
    for (int i = 0; i < 64; i++) q[i] = p[i];
    free(p);
    int *r = static_cast<int *>(malloc(64 * sizeof(int)));
    if (r) r[0] = 1;
    *keep = q;
    free(r);
}

__global__ void drop(int **keep) { free(*keep); }
__global__ void late(int **keep, int *out) {
    out[0] = (*keep)[1]; // [memory.freed]
}

int main() {
    const int n = 1024;
    int host[2 * n], *a, *b, *c, *out, **keep;
    for (int i = 0; i < 2 * n; i++) host[i] = i % 33;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    fill<<<1, 128>>>(a, n + BUGGY);
    fill<<<1, 128>>>(b, n);
    odd_pointers<<<1, 64>>>(a + 32, a + n, a - 1, b, 64, 1);
    odd_pointers<<<1, 64>>>(a + 32, a + n, a - 1, b, 64, 0);
    cudaMemcpyToSymbol(table, host, sizeof table);
    cudaMemcpy(a, host, n * sizeof(int), cudaMemcpyHostToDevice);
    shared_arrays<<<1, 32, 32 * sizeof(int)>>>(a + 1, out, 3); // in[31] is 32
    shared_arrays<<<1, 32, 32 * sizeof(int)>>>(a, out, 1);
    local_arrays<<<1, 32>>>(a, out, 6);
    variables<<<1, 16>>>(a, out, 8 + BUGGY);
    cudaMalloc(&keep, sizeof *keep);
    heap<<<1, 1>>>(keep);
    if (!BUGGY) late<<<1, 1>>>(keep, out);
    drop<<<1, 1>>>(keep);
    if (BUGGY) late<<<1, 1>>>(keep, out);

    cudaStream_t s;
    cudaStreamCreate(&s);
    double *x, *y;
    cudaMallocAsync(&x, 64 * sizeof(double), s);
    cudaMallocAsync(&y, 64 * sizeof(double), s);
    pooled<<<1, 64, 0, s>>>(x, 64 + BUGGY);
    pooled<<<1, 64, 0, s>>>(y, 64);
    cudaFreeAsync(x, s);                         // behind the kernels
    cudaFreeAsync(y, s);
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);

    cudaMalloc(&c, n * sizeof(int));
    fill<<<1, 128>>>(c, n);
    cudaDeviceSynchronize();
    if (BUGGY) {
        int *again;
        cudaFree(c);
        cudaMalloc(&again, n * sizeof(int));
        cudaMemset(again, 0, n * sizeof(int));
        stale<<<1, 128>>>(c, out, n);
        cudaDeviceSynchronize();
        cudaFree(c); // [memory.double-free]
        cudaMemset(c, 0, 4); // [memory.freed]
        c = again;
    } else {
        stale<<<1, 128>>>(c, out, n);
    }
    cudaMemset(out, 0, n * sizeof(int) + BUGGY); // [memory.copy]
    cudaMemcpy2D(out, 512, host, 512, 400, 8 + BUGGY, cudaMemcpyHostToDevice); // [memory.copy]
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(out);
    cudaFree(keep);
    puts("done");
}
