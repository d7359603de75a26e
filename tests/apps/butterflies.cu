// SPDX-License-Identifier: Apache-2.0
// Butterflies in shared memory, of all distances: pairs that fill each other's gaps and such that do not, either one first, alone, with a store
// between two loads, of words and of twice as wide ones. The host says what must come out.
#include "app.h"

enum { BLOCK = 128, WORDS = 4 * BLOCK };

enum kind { LOW_FIRST, HIGH_FIRST, APART, LOADS, STORES, BETWEEN, THREE, KINDS };
static const char *const names[KINDS] = { "low first", "high first", "apart", "loads", "stores", "a store between", "three" };

// What thread t does at this distance. No other touches its words.
template <class T> __host__ __device__ inline void step(enum kind kind, T *s, int t, int distance)
{
    int i = 2 * t - (t & (distance - 1)), far = i + 2 * BLOCK;
    T x, y, z;
    switch (kind) {
    case LOW_FIRST:
        x = s[i];
        y = s[i + distance];
        s[i] = x * 3 + y;
        s[i + distance] = x - (y >> 1);
        break;
    case HIGH_FIRST:
        y = s[i + distance];
        x = s[i];
        s[i + distance] = x * 5 + y;
        s[i] = x ^ (y >> 3);
        break;
    case APART:
        x = s[i];
        y = s[far];
        s[i] = x + 7 * y;
        s[far] = y - x;
        break;
    case LOADS:                                  // the last one reads up to where shared memory ends
        x = s[far + distance];
        s[t] = x + t;
        break;
    case STORES:
        x = s[t];
        s[far + distance] = x * 9 + t;
        break;
    case BETWEEN:
        x = s[i];
        s[i + distance] = x + 1;
        y = s[i + distance];
        s[i] = y * 3;
        s[i + distance] = y + 11;
        break;
    default:
        x = s[i];
        y = s[i + distance];
        z = s[far];
        s[far] = x + y;
        s[i] = z - x;
        s[i + distance] = z * 3 + y;
        break;
    }
}

template <class T, enum kind K> __global__ void exchange(const T *in, T *out, int from, int to)
{
    __shared__ T s[WORDS];
    int t = threadIdx.x;
    for (int i = t; i < WORDS; i += BLOCK)
        s[i] = in[i];
    for (int distance = from; distance <= to; distance *= 2) {
        __syncthreads();
        step<T>(K, s, t, distance);
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
    for (int i = 0; i < WORDS; i++)
        d.want[i] = d.in[i];
    for (int distance = from; distance <= to; distance *= 2)
        for (int t = 0; t < BLOCK; t++)
            step<T>(kind, d.want, t, distance);
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
    bad += check<T, LOW_FIRST>(d) + check<T, HIGH_FIRST>(d) + check<T, APART>(d) + check<T, LOADS>(d) + check<T, STORES>(d) + check<T, BETWEEN>(d) + check<T, THREE>(d);
    return bad;
}

int main()
{
    int bad = check_all<uint32_t>() + check_all<uint64_t>();
    printf("%d kinds, %d wrong\n", KINDS, bad);
    return bad != 0;
}
