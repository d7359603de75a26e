// SPDX-License-Identifier: Apache-2.0
/*
 * An index without a sign that wraps around between two threads of a warp, and an array that begins 2^32 elements behind the pointer, so that the threads
 * before the wrap are the ones that are right. Elements of every size, indices that rise and fall, a pointer that walks on from there.
 */
#include "app.h"

#include <stdint.h>

enum { THREADS = 64, OFF = 19, TURNS = 5 };

template <typename T> __host__ __device__ unsigned sum(T v) { return (unsigned)v; }
template <> __host__ __device__ unsigned sum(uint4 v) { return v.x + 3 * v.y + 5 * v.z + 7 * v.w; }
template <> __host__ __device__ unsigned sum(ushort4 v) { return v.x + 3u * v.y + 5u * v.z + 7u * v.w; }

/* first: the threads before OFF are on, with indices from 2^32 - OFF on. */
template <typename T> __global__ void rises(const T *far, const T *near, unsigned *out, bool first)
{
    unsigned t = threadIdx.x, b = blockIdx.x * THREADS;
    if (first) {
        if (t < OFF)
            out[b + t] = sum(far[t - OFF]);
    } else {
        if (t >= OFF)
            out[b + t] = sum(near[t - OFF]);
    }
}

/* last: the threads behind OFF are on, with indices down from 2^32 - 1. */
template <typename T> __global__ void falls(const T *far, const T *near, unsigned *out, bool last)
{
    unsigned t = threadIdx.x, b = blockIdx.x * THREADS;
    if (last) {
        if (t > OFF)
            out[b + t] = sum(far[OFF - t]);
    } else {
        if (t <= OFF)
            out[b + t] = sum(near[OFF - t]);
    }
}

template <typename T> __global__ void walks(const T *far, unsigned *out, unsigned pitch, int turns)
{
    unsigned t = threadIdx.x, s = 0;
    if (t < OFF) {
        const T *p = far + (t - OFF);
        for (int k = 0; k < turns; k++, p += pitch)
            s = s * 31 + sum(*p);
        out[blockIdx.x * THREADS + t] = s;
    }
}

/* What thread t finds: the array itself is behind `far`, from its first element on. */
template <typename T> static unsigned expected(const T *array, int which, unsigned t)
{
    unsigned s = 0;
    switch (which) {
    case 0: return t < OFF ? sum(array[t]) : 0;
    case 1: return t >= OFF ? sum(array[t - OFF]) : 0;
    case 2: return t > OFF ? sum(array[THREADS - (t - OFF)]) : 0;
    case 3: return t <= OFF ? sum(array[OFF - t]) : 0;
    default:
        for (int k = 0; t < OFF && k < TURNS; k++)
            s = s * 31 + sum(array[t + k * THREADS]);
        return s;
    }
}

template <typename T> static bool right(const T *array, const unsigned *d, int which)
{
    unsigned h[2 * THREADS];
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 2 * THREADS; i++)
        if (h[i] != expected(array, which, i % THREADS))
            return false;
    return true;
}

template <typename T> static void with(const char *name)
{
    enum { N = THREADS * (TURNS + 1) };
    static T h[N];
    unsigned char *bytes = (unsigned char *)h;
    for (unsigned i = 0; i < sizeof h; i++)
        bytes[i] = (unsigned char)(i * 37 + i / 251);
    T *in;
    unsigned *out;
    CUDA(cudaMalloc(&in, sizeof h));
    CUDA(cudaMalloc(&out, 2 * THREADS * sizeof *out));
    CUDA(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    /* what element 2^32 - OFF or 2^32 - THREADS of `far` is, is the first of the array */
    const T *far = (const T *)((uintptr_t)in - (((uintptr_t)1 << 32) - OFF) * sizeof(T));
    const T *below = (const T *)((uintptr_t)in - (((uintptr_t)1 << 32) - THREADS) * sizeof(T));
    printf("%s:", name);
    for (int k = 0; k < 5; k++) {
        CUDA(cudaMemset(out, 0, 2 * THREADS * sizeof *out));
        switch (k) {
        case 0: rises<<<2, THREADS>>>(far, in, out, true); break;
        case 1: rises<<<2, THREADS>>>(far, in, out, false); break;
        case 2: falls<<<2, THREADS>>>(below, in, out, true); break;
        case 3: falls<<<2, THREADS>>>(below, in, out, false); break;
        default: walks<<<2, THREADS>>>(far, out, THREADS, TURNS); break;
        }
        CUDA(cudaDeviceSynchronize());
        printf(" %s", right(h, out, k) ? "right" : "wrong");
    }
    printf("\n");
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

int main(void)
{
    with<unsigned char>("1 byte");
    with<unsigned short>("2 bytes");
    with<unsigned>("4 bytes");
    with<ushort4>("8 bytes");
    with<uint4>("16 bytes");
    return 0;
}
