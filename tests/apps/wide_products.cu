// SPDX-License-Identifier: Apache-2.0
// Both halves of 32-bit products, with and without a sign, of numbers that lanes share or not; one half alone; and Philox, which is made of them.
#include "app.h"
#include <vector>

enum { BLOCK = 128, N = 128 * 32, RESULTS = 8 };

__global__ void products(const uint32_t *a, const uint32_t *b, uint32_t *out, uint32_t common)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    uint32_t x = a[i], y = b[i], *o = out + (size_t)i * RESULTS;
    o[0] = x * y;
    o[1] = __umulhi(x, y);
    o[2] = (uint32_t)__mulhi((int)x, (int)y);
    o[3] = x * common;
    o[4] = __umulhi(common, x);
    o[5] = __umulhi(y, 0xcd9e8d57u);
    uint32_t c0 = x, c1 = y, c2 = 1, c3 = common, k = 0x12345678u;
    for (int r = 0; r < 7; r++) {
        uint32_t high = __umulhi(0xd2511f53u, c0), low = 0xd2511f53u * c0, high2 = __umulhi(0xcd9e8d57u, c2), low2 = 0xcd9e8d57u * c2;
        if (i % 3 != 1 || r < 5) {               /* some lanes stop earlier */
            c0 = high2 ^ c1 ^ k;
            c1 = low2;
            c2 = high ^ c3 ^ (k + 1);
            c3 = low;
        }
        k += 0x9e3779b9u;
    }
    o[6] = c0 ^ c1;
    o[7] = c2 ^ c3;
}

static uint32_t high(uint32_t x, uint32_t y) { return (uint32_t)((uint64_t)x * y >> 32); }

static void reference(int i, uint32_t x, uint32_t y, uint32_t common, uint32_t *o)
{
    o[0] = x * y;
    o[1] = high(x, y);
    o[2] = (uint32_t)((int64_t)(int32_t)x * (int32_t)y >> 32);
    o[3] = x * common;
    o[4] = high(x, common);
    o[5] = high(y, 0xcd9e8d57u);
    uint32_t c[4] = { x, y, 1, common }, k = 0x12345678u;
    for (int r = 0; r < 7; r++, k += 0x9e3779b9u) {
        uint32_t n[4] = { high(0xcd9e8d57u, c[2]) ^ c[1] ^ k, 0xcd9e8d57u * c[2], high(0xd2511f53u, c[0]) ^ c[3] ^ (k + 1), 0xd2511f53u * c[0] };
        for (int j = 0; j < 4 && (i % 3 != 1 || r < 5); j++)
            c[j] = n[j];
    }
    o[6] = c[0] ^ c[1];
    o[7] = c[2] ^ c[3];
}

int main()
{
    static const uint32_t edge[] = { 0, 1, 2, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu, 0xfffffffeu, 0x10000u, 0xffffu };
    enum { EDGES = sizeof edge / sizeof *edge };
    std::vector<uint32_t> a(N), b(N), out((size_t)N * RESULTS);
    uint32_t *d_a, *d_b, *d_out;
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        a[i] = i < EDGES * EDGES ? edge[i / EDGES] : app_random((uint32_t)i);
        b[i] = i < EDGES * EDGES ? edge[i % EDGES] : app_random((uint32_t)(i + N));
    }
    CUDA(cudaMalloc(&d_a, N * sizeof *d_a));
    CUDA(cudaMalloc(&d_b, N * sizeof *d_b));
    CUDA(cudaMalloc(&d_out, out.size() * sizeof *d_out));
    CUDA(cudaMemcpy(d_a, a.data(), N * sizeof *d_a, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_b, b.data(), N * sizeof *d_b, cudaMemcpyHostToDevice));
    products<<<N / BLOCK, BLOCK>>>(d_a, d_b, d_out, 0xdeadbeefu);
    CUDA(cudaMemcpy(out.data(), d_out, out.size() * sizeof *d_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        uint32_t want[RESULTS];
        reference(i, a[i], b[i], 0xdeadbeefu, want);
        for (int k = 0; k < RESULTS; k++)
            if (out[(size_t)i * RESULTS + k] != want[k] && wrong++ < 5)
                printf("thread %d: %08x * %08x: result %d is %08x, want %08x\n", i, a[i], b[i], k, out[(size_t)i * RESULTS + k], want[k]);
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
