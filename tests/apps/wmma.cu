// SPDX-License-Identifier: Apache-2.0
// Products of matrices with nvcuda::wmma, in every type and shape, against the same product on the CPU. All numbers are small
// integers, so every sum is exact in whatever order a device adds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mma.h>
#include <vector>

using namespace nvcuda;

enum { TILES = 3 };

/* Each warp computes a tile of D = 2 * (A * B + C), of depth TILES * K. */
template <int M, int N, int K, class T, class Mem, class Acc, class LA, class LB>
__global__ void product(const Mem *a, const Mem *b, const Acc *c, Acc *d)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Acc> sum;
    const bool a_col = __is_same(LA, wmma::col_major), b_col = __is_same(LB, wmma::col_major);
    const wmma::layout_t how = a_col ? wmma::mem_col_major : wmma::mem_row_major;
    const int depth = TILES * K, warp = threadIdx.x / 32;
    wmma::load_matrix_sync(sum, c + warp * M * N, a_col ? M : N, how);
#pragma unroll 1
    for (int k = 0; k < depth; k += K) {
        wmma::load_matrix_sync(fa, a + warp * M * depth + (a_col ? k * M : k), a_col ? M : depth);
        wmma::load_matrix_sync(fb, b + warp * N * depth + (b_col ? k : k * N), b_col ? depth : N);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; i++)           // an operation on every element, wherever it is
        sum.x[i] = sum.x[i] + sum.x[i];
    wmma::store_matrix_sync(d + warp * M * N, sum, a_col ? M : N, how);
}

/* The same of half, all in shared memory, at places that only memory knows. */
__global__ void in_shared(const half *a, const half *b, half *d, const int *at)
{
    __shared__ __align__(32) half sa[512], sb[512], sd[512];
    const int skip = at[threadIdx.x];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
    for (int i = threadIdx.x; i < 256; i += 32)
        sa[i + skip] = a[i], sb[i] = b[i];
    __syncthreads();
    wmma::load_matrix_sync(fa, sa + skip, 16 + skip - at[0]);
    wmma::load_matrix_sync(fb, sb, 16);
    wmma::fill_fragment(sum, __float2half(0.0f));
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(sd + skip, sum, 16, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 32)
        d[i] = sd[i + skip];
}

static unsigned seed = 1;
static int next(int span)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)(seed >> 16) % span;
}

static int failures;

template <int M, int N, int K, class T, class Mem, class Acc, class LA, class LB>
static void check(const char *name, bool negative = true)
{
    const int depth = TILES * K, warps = 2;
    const bool a_col = __is_same(LA, wmma::col_major), b_col = __is_same(LB, wmma::col_major), row = !a_col;
    std::vector<int> a(warps * M * depth), b(warps * N * depth), c(warps * M * N);
    Mem *pa, *pb;
    Acc *pc, *pd;
    cudaMallocManaged(&pa, a.size() * sizeof *pa);
    cudaMallocManaged(&pb, b.size() * sizeof *pb);
    cudaMallocManaged(&pc, c.size() * sizeof *pc);
    cudaMallocManaged(&pd, c.size() * sizeof *pd);
    for (auto *m : { &a, &b, &c })
        for (int &x : *m)
            x = next(9) - (negative ? 4 : 0);
    for (int w = 0; w < warps; w++) {
        for (int i = 0; i < M; i++)
            for (int k = 0; k < depth; k++)
                pa[w * M * depth + (a_col ? k * M + i : i * depth + k)] = (Mem)(float)a[(w * M + i) * depth + k];
        for (int k = 0; k < depth; k++)
            for (int j = 0; j < N; j++)
                pb[w * N * depth + (b_col ? j * depth + k : k * N + j)] = (Mem)(float)b[(w * depth + k) * N + j];
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                pc[w * M * N + (row ? i * N + j : j * M + i)] = (Acc)(float)c[(w * M + i) * N + j];
    }
    product<M, N, K, T, Mem, Acc, LA, LB><<<1, 32 * warps>>>(pa, pb, pc, pd);
    cudaError_t rc = cudaDeviceSynchronize();
    int wrong = 0;
    for (int w = 0; w < warps && rc == cudaSuccess; w++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                int want = c[(w * M + i) * N + j];
                for (int k = 0; k < depth; k++)
                    want += a[(w * M + i) * depth + k] * b[(w * depth + k) * N + j];
                wrong += (double)(float)pd[w * M * N + (row ? i * N + j : j * M + i)] != 2.0 * want;
            }
    printf("%-28s %dx%dx%d A %s B %s C %s: %s\n", name, M, N, K, a_col ? "col" : "row", b_col ? "col" : "row", row ? "row" : "col",
           rc != cudaSuccess ? cudaGetErrorName(rc) : wrong ? "WRONG" : "right");
    failures += rc != cudaSuccess || wrong;
    cudaFree(pa);
    cudaFree(pb);
    cudaFree(pc);
    cudaFree(pd);
}

template <int M, int N, int K, class T, class Mem, class Acc> static void layouts(const char *name)
{
    check<M, N, K, T, Mem, Acc, wmma::row_major, wmma::col_major>(name);
    check<M, N, K, T, Mem, Acc, wmma::col_major, wmma::row_major>(name);
}

static void check_shared()
{
    half *a, *b, *d;
    int wrong = 0, *at;
    cudaMallocManaged(&at, 32 * sizeof *at);
    for (int i = 0; i < 32; i++)
        at[i] = 128;
    cudaMallocManaged(&a, 512);
    cudaMallocManaged(&b, 512);
    cudaMallocManaged(&d, 512);
    for (int i = 0; i < 256; i++)
        a[i] = (half)(float)(next(9) - 4), b[i] = (half)(float)(next(9) - 4);
    in_shared<<<1, 32>>>(a, b, d, at);
    cudaError_t rc = cudaDeviceSynchronize();
    for (int i = 0; i < 256 && rc == cudaSuccess; i++) {
        float want = 0;
        for (int k = 0; k < 16; k++)
            want += (float)a[i / 16 * 16 + k] * (float)b[16 * k + i % 16];
        wrong += (float)d[i] != want;
    }
    printf("shared memory: %s\n", rc != cudaSuccess ? cudaGetErrorName(rc) : wrong ? "WRONG" : "right");
    failures += rc != cudaSuccess || wrong;
}

/* Bits: matching ones of A and B counted; and four-bit numbers. */
__global__ void narrow(const unsigned *a, const unsigned *b, int *d)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> a1;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> b1;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> d1;
    wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::s4, wmma::row_major> a4;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, wmma::experimental::precision::s4, wmma::col_major> b4;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> d4;
    wmma::load_matrix_sync(a1, a, 128);
    wmma::load_matrix_sync(b1, b, 128);
    wmma::fill_fragment(d1, 1);
    wmma::bmma_sync(d1, a1, b1, d1, wmma::experimental::bmmaBitOpXOR);
    wmma::bmma_sync(d1, a1, b1, d1, wmma::experimental::bmmaBitOpAND);
    wmma::store_matrix_sync(d, d1, 8, wmma::mem_row_major);
    wmma::load_matrix_sync(a4, a, 32);
    wmma::load_matrix_sync(b4, b, 32);
    wmma::fill_fragment(d4, 1);
    wmma::mma_sync(d4, a4, b4, d4);
    wmma::store_matrix_sync(d + 64, d4, 8, wmma::mem_row_major);
}

static void check_narrow()
{
    unsigned *a, *b;
    int *d, wrong = 0;
    cudaMallocManaged(&a, 32 * 4);
    cudaMallocManaged(&b, 32 * 4);
    cudaMallocManaged(&d, 128 * 4);
    for (int i = 0; i < 32; i++)
        a[i] = (unsigned)next(65536) << 16 | next(65536), b[i] = (unsigned)next(65536) << 16 | next(65536);
    narrow<<<1, 32>>>(a, b, d);
    cudaError_t rc = cudaDeviceSynchronize();
    for (int i = 0; i < 8 && rc == cudaSuccess; i++)
        for (int j = 0; j < 8; j++) {
            int bits = 1, sum = 1;
            for (int k = 0; k < 4; k++)
                bits += __builtin_popcount(a[4 * i + k] ^ b[4 * j + k]) + __builtin_popcount(a[4 * i + k] & b[4 * j + k]);
            for (int k = 0; k < 32; k++)
                sum += ((int)(a[4 * i + k / 8] << (28 - 4 * (k % 8))) >> 28) * ((int)(b[4 * j + k / 8] << (28 - 4 * (k % 8))) >> 28);
            wrong += d[8 * i + j] != bits || d[64 + 8 * i + j] != sum;
        }
    printf("bits and four-bit numbers: %s\n", rc != cudaSuccess ? cudaGetErrorName(rc) : wrong ? "WRONG" : "right");
    failures += rc != cudaSuccess || wrong;
}

int main()
{
    using wmma::row_major;
    using wmma::col_major;
    layouts<16, 16, 16, half, half, float>("half, float");
    layouts<32, 8, 16, half, half, float>("half, float");
    layouts<8, 32, 16, half, half, float>("half, float");
    check<16, 16, 16, half, half, half, row_major, row_major>("half, half");
    check<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, row_major, col_major>("bfloat16");
    check<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, col_major, col_major>("bfloat16");
    check<16, 16, 16, signed char, signed char, int, row_major, col_major>("signed char");
    check<32, 8, 16, signed char, signed char, int, col_major, row_major>("signed char");
    check<8, 32, 16, unsigned char, unsigned char, int, row_major, col_major>("unsigned char", false);
    layouts<16, 16, 8, wmma::precision::tf32, float, float>("tf32");
    layouts<8, 8, 4, double, double, double>("double");
    check_shared();
    check_narrow();
    return failures != 0;
}
