// SPDX-License-Identifier: Apache-2.0
// Butterflies in shared memory, of all distances: pairs that fill each other's gaps and such that do not, either one first, alone, with a store
// between two loads, of words and of twice as wide ones. The host says what must come out.
#include "app.h"

enum { BLOCK = 128, WORDS = 4 * BLOCK };

enum kind { LOW_FIRST, HIGH_FIRST, APART, LOADS, STORES, BETWEEN, FAR, KINDS };
static const char *const names[KINDS] = { "low first", "high first", "apart", "loads", "stores", "a store between", "far" };

template <class T> struct thread {
    T x, y, z;
};

// What thread t does at this distance, in two steps with a barrier between.
template <class T> __host__ __device__ inline void first(enum kind kind, T *s, int t, int distance, thread<T> &v)
{
    int i = 2 * t - (t & (distance - 1));
    v.x = v.y = v.z = (T)t;
    switch (kind) {
    case LOW_FIRST: case STORES: case BETWEEN:
        v.x = s[i];
        v.y = s[i + distance];
        break;
    case HIGH_FIRST:
        v.y = s[i + distance];
        v.x = s[i];
        break;
    case APART:
        v.x = s[i];
        v.y = s[i + 2 * BLOCK];
        break;
    case LOADS: v.x = s[WORDS - 2 * BLOCK + i + distance]; break;
    case FAR:
        v.x = s[i];
        v.y = s[i + 2 * distance < WORDS - 2 * BLOCK ? i + 2 * distance : i];
        break;
    default: break;
    }
}

template <class T> __host__ __device__ inline void second(enum kind kind, T *s, int t, int distance, thread<T> &v)
{
    int i = 2 * t - (t & (distance - 1));
    switch (kind) {
    case LOW_FIRST: case LOADS:
        s[i] = v.x * 3 + v.y;
        s[i + distance] = v.x - (v.y >> 1);
        break;
    case HIGH_FIRST: case FAR:
        s[i + distance] = v.x * 5 + v.y;
        s[i] = v.x ^ (v.y >> 3);
        break;
    case APART:
        s[i] = v.x + 7 * v.y;
        s[i + 2 * BLOCK] = v.y - v.x;
        break;
    case STORES: s[WORDS - 2 * BLOCK + i + distance] = v.x + v.y * 9; break;
    case BETWEEN:
        v.x = s[i];
        s[i + distance] = v.x + 1;
        v.y = s[i + distance];
        s[i] = v.y * 3;
        s[i + distance] = v.y + 11;
        break;
    default: break;
    }
}

template <class T, enum kind K> __global__ void exchange(const T *in, T *out, int from, int to)
{
    __shared__ T s[WORDS];
    int t = threadIdx.x;
    for (int i = t; i < WORDS; i += BLOCK)
        s[i] = in[i];
    for (int distance = from; distance <= to; distance *= 2) {
        thread<T> v;
        __syncthreads();
        first<T>(K, s, t, distance, v);
        __syncthreads();
        second<T>(K, s, t, distance, v);
    }
    __syncthreads();
    for (int i = t; i < WORDS; i += BLOCK)
        out[i] = s[i];
}

// Both steps at once: each pair belongs to one thread.
template <class T> __global__ void at_once(const T *in, T *out, int from, int to)
{
    __shared__ T s[WORDS];
    int t = threadIdx.x;
    for (int i = t; i < WORDS; i += BLOCK)
        s[i] = in[i];
    for (int distance = from; distance <= to; distance *= 2) {
        thread<T> v;
        __syncthreads();
        first<T>(LOW_FIRST, s, t, distance, v);
        second<T>(LOW_FIRST, s, t, distance, v);
    }
    __syncthreads();
    for (int i = t; i < WORDS; i += BLOCK)
        out[i] = s[i];
}

template <class T> struct data {
    T in[WORDS], got[WORDS], want[WORDS];
    T *d_in, *d_out;
};

template <class T> static int compare(data<T> &d, const char *name, int from)
{
    CUDA(cudaMemcpy(d.got, d.d_out, sizeof d.got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < WORDS; i++)
        if (d.got[i] != d.want[i]) {
            printf("%d bytes, %s, from %d: word %d is %llx, not %llx\n", (int)sizeof(T), name, from, i, (unsigned long long)d.got[i], (unsigned long long)d.want[i]);
            return 1;
        }
    return 0;
}

template <class T> static void model(data<T> &d, enum kind kind, int from, int to)
{
    static thread<T> v[BLOCK];
    for (int i = 0; i < WORDS; i++)
        d.want[i] = d.in[i];
    for (int distance = from; distance <= to; distance *= 2) {
        for (int t = 0; t < BLOCK; t++)
            first<T>(kind, d.want, t, distance, v[t]);
        for (int t = 0; t < BLOCK; t++)
            second<T>(kind, d.want, t, distance, v[t]);
    }
}

template <class T, enum kind K> static int check(data<T> &d)
{
    int bad = 0;
    for (int from = 1; from <= BLOCK; from *= 2)
        for (int to = from; to <= BLOCK; to *= 2) {
            model(d, K, from, to);
            exchange<T, K><<<1, BLOCK>>>(d.d_in, d.d_out, from, to);
            bad += compare(d, names[K], from);
        }
    return bad;
}

template <class T> static int check_all(void)
{
    static data<T> d;
    int bad = 0;
    for (int i = 0; i < WORDS; i++)
        d.in[i] = (T)app_random(i + 1) * (T)0x100000001ull;
    CUDA(cudaMalloc(&d.d_in, sizeof d.in));
    CUDA(cudaMalloc(&d.d_out, sizeof d.in));
    CUDA(cudaMemcpy(d.d_in, d.in, sizeof d.in, cudaMemcpyHostToDevice));
    bad += check<T, LOW_FIRST>(d) + check<T, HIGH_FIRST>(d) + check<T, APART>(d) + check<T, LOADS>(d) + check<T, STORES>(d) + check<T, BETWEEN>(d) + check<T, FAR>(d);
    for (int from = 1; from <= BLOCK; from *= 2) {
        model(d, LOW_FIRST, from, BLOCK);
        at_once<T><<<1, BLOCK>>>(d.d_in, d.d_out, from, BLOCK);
        bad += compare(d, "at once", from);
    }
    return bad;
}

int main()
{
    int bad = check_all<uint32_t>() + check_all<uint64_t>();
    printf("%d kinds, %d wrong\n", KINDS, bad);
    return bad != 0;
}
