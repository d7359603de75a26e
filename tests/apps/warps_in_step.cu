// SPDX-License-Identifier: Apache-2.0
// Rows of a tile, warp by warp: for (r = threadIdx.y; r < limit; r += step), each turn one long chain. Warps go in step where all of a group take the same
// turns: limits at which they do and at which they do not, limits of each warp's own, beginnings below zero and around the largest number; blocks of
// rows, of layers, of half and of double rows. Compared with the same code on the host.
#include "app.h"
#include <math.h>
#include <string.h>
#include <vector>

enum { PITCH = 48, ROWS = 96, ABOVE = 16, MOST = 6 };      /* ABOVE: rows before row 0; MOST: turns that are noted */

struct thread {
    int x, y, z, t, n;                                     /* t: the thread's number, of n */
};

/* Where a thread begins, whether it goes on, where it goes on; R: the row's type */
template <int LIMIT, int STEP> struct below {
    typedef int R;
    __host__ __device__ static R begin(thread i, int) { return i.y; }
    __host__ __device__ static bool goes(R r, thread, int) { return r < LIMIT; }
    __host__ __device__ static R next(R r) { return r + STEP; }
};
template <int LIMIT, int STEP> struct below_unsigned {
    typedef unsigned R;
    __host__ __device__ static R begin(thread i, int) { return i.y; }
    __host__ __device__ static bool goes(R r, thread, int) { return r < LIMIT; }
    __host__ __device__ static R next(R r) { return r + STEP; }
};
template <int STEP> struct below_parameter : below<0, STEP> {
    __host__ __device__ static bool goes(int r, thread, int n) { return r < n; }
};
template <int FIRST, int LIMIT> struct negative : below<LIMIT, 8> {
    __host__ __device__ static int begin(thread i, int) { return i.y + FIRST; }
};
template <unsigned FIRST, unsigned LIMIT> struct wraps : below_unsigned<LIMIT, 8> {         /* some warps' rows are around zero: those above it stop */
    __host__ __device__ static unsigned begin(thread i, int) { return i.y + FIRST; }
};
struct wraps_parameter : below_unsigned<20, 8> {
    __host__ __device__ static unsigned begin(thread i, int n) { return i.y + (unsigned)n; }
};
struct own_limit : below<0, 8> {
    __host__ __device__ static bool goes(int r, thread i, int) { return r < 12 + 5 * i.y; }
};
struct downwards : below<0, 8> {
    __host__ __device__ static int begin(thread i, int) { return 40 - i.y; }
    __host__ __device__ static bool goes(int r, thread, int) { return r > 2; }
    __host__ __device__ static int next(int r) { return r - 8; }
};
struct by_twos : below<32, 16> {
    __host__ __device__ static int begin(thread i, int) { return i.y * 2; }
};
struct halves : below<24, 4> {
    __host__ __device__ static int begin(thread i, int) { return i.y >> 1; }
};
struct exchanged : below<30, 8> {
    __host__ __device__ static int begin(thread i, int) { return i.y ^ 1; }
};
struct layers : below<26, 8> {
    __host__ __device__ static int begin(thread i, int) { return i.z; }
};
struct threads : below<40, 8> {
    __host__ __device__ static int begin(thread i, int) { return i.t / 32; }
};

template <class C> __host__ __device__ __forceinline__ void work(const float *s, const float *bias, float *out, float *rows, thread i, int n, int width)
{
    int turn = 0;
    for (typename C::R r = C::begin(i, n); C::goes(r, i, n); r = C::next(r)) {
        float sum = bias[r + ABOVE];
        if (i.x < width) {
#pragma unroll
            for (int j = 0; j < 7; j++)
#pragma unroll
                for (int k = 0; k < 5; k++)
                    sum = fmaf(s[(r + ABOVE + j) * PITCH + i.x % 32 + k], 0.03125f * (j * 5 + k + 1), sum);
        }
        rows[(r + ABOVE) * PITCH + i.x % 32] = sum;        /* where several write here, all write the same */
        if (turn < MOST)
            out[turn * i.n + i.t] = sum + r;
        turn++;
    }
}

template <class C> __global__ void kernel(const float *in, const float *bias, float *out, float *rows, int n, int width)
{
    __shared__ float s[ROWS * PITCH];
    thread i = { (int)threadIdx.x, (int)threadIdx.y, (int)threadIdx.z, 0, (int)(blockDim.x * blockDim.y * blockDim.z) };
    i.t = (i.z * blockDim.y + i.y) * blockDim.x + i.x;
    for (int k = i.t; k < ROWS * PITCH; k += i.n)
        s[k] = in[k];
    __syncthreads();
    work<C>(s, bias, out, rows, i, n, width);
}

/* The same without a barrier: two warps at a time, whose turns may be as many as each has */
template <class C> __host__ __device__ __forceinline__ void compute(const float *bias, float *out, float *rows, thread i, int n, int width)
{
    int turn = 0;
    for (typename C::R r = C::begin(i, n); C::goes(r, i, n); r = C::next(r)) {
        float v = bias[r + ABOVE] + i.x % 32;
#pragma unroll
        for (int k = 0; k < 64; k++)
            v = fmaf(v, 0.875f, (float)k);
        if (i.x < width)
            rows[(r + ABOVE) * PITCH + i.x % 32] = v;
        if (turn < MOST)
            out[turn * i.n + i.t] = v - r;
        turn++;
    }
}

template <class C> __global__ void kernel_alone(const float *bias, float *out, float *rows, int n, int width)
{
    thread i = { (int)threadIdx.x, (int)threadIdx.y, (int)threadIdx.z, 0, (int)(blockDim.x * blockDim.y * blockDim.z) };
    i.t = (i.z * blockDim.y + i.y) * blockDim.x + i.x;
    compute<C>(bias, out, rows, i, n, width);
}

/* A border is read as zero: rows above it have numbers that wrap around when they become addresses */
__global__ void border(const float *in, float *out, unsigned height)
{
    __shared__ float s[40 * 32];
    for (unsigned j = threadIdx.y; j < 38; j += 8) {
        unsigned y = blockIdx.y * 32 + j - 3;
        s[j * 32 + threadIdx.x] = y < height ? in[y * 32 + threadIdx.x] : 0.0f;
    }
    __syncthreads();
    for (unsigned r = threadIdx.y; r < 32; r += 8) {
        float sum = 0;
#pragma unroll
        for (int j = 0; j < 7; j++)
#pragma unroll
            for (int k = 0; k < 7; k++)
                sum = fmaf(s[(r + j) * 32 + threadIdx.x], 0.125f * (j * 7 + k + 1), sum);
        if (blockIdx.y * 32 + r < height)
            out[(blockIdx.y * 32 + r) * 32 + threadIdx.x] = sum;
    }
}

/* Warps go one by one, then in step, then one by one again: what they keep at the barriers is of every kind */
struct kept {
    float sum, own;
    double wide;
    int of_warp, of_half;
    const float *at;
    bool odd;
};
__host__ __device__ __forceinline__ void keep(kept &k, const float *in, const int *table, thread i)
{
    k.own = in[i.t];
    k.wide = k.own * 3.0 + i.t;
    k.of_warp = table[i.y];
    k.of_half = table[i.x / 16 + 2 * (i.y % 4)];
    k.at = in + i.y * PITCH + i.x;
    k.odd = table[i.y] & 1;
    k.sum = 0;
    for (int j = i.y; j < 37; j += 8) {                    /* not in step */
        k.at += PITCH;
        k.of_warp += j;
    }
}
__host__ __device__ __forceinline__ void chain(kept &k, const float *s, thread i)
{
    for (int r = i.y; r < 32; r += 8) {
        float sum = k.own;
#pragma unroll
        for (int j = 0; j < 49; j++)
            sum = fmaf(s[(r + j / 7) * PITCH + i.x + j % 7], 0.015625f * (j + 1), sum);
        k.sum += sum;
        k.of_warp += 3;
        k.at++;
    }
    k.wide += k.sum;
}
__host__ __device__ __forceinline__ float use(const kept &k, thread i)
{
    float sum = k.sum + (float)k.wide + *k.at;
    for (int j = i.y; j < 29; j += 8)
        sum += k.odd ? k.of_warp : k.of_half;
    return sum;
}
__global__ void keeps(const float *in, const int *table, float *out)
{
    __shared__ float s[ROWS * PITCH];
    thread i = { (int)threadIdx.x, (int)threadIdx.y, 0, (int)(threadIdx.y * 32 + threadIdx.x), 256 };
    kept k;
    for (int j = i.t; j < ROWS * PITCH; j += 256)
        s[j] = in[j];
    keep(k, in, table, i);
    __syncthreads();
    chain(k, s, i);
    __syncthreads();
    s[i.t] = k.sum;
    out[blockIdx.x * 256 + i.t] = use(k, i);
}

/* No warps: what lanes of half a warp have in common begins in the middle of what whole ones have */
__global__ void halves_of_warps(int *out)
{
    int t = threadIdx.x, first, v;
    asm("and.b32 %0, %1, -16;" : "=r"(first) : "r"(t));
    asm("sub.s32 %0, %1, %2;" : "=r"(v) : "r"(t), "r"(first));
    asm("mad.lo.s32 %0, %1, 2, %2;" : "=r"(v) : "r"(v), "r"(first));
    asm("and.b32 %0, %1, 31;" : "=r"(v) : "r"(v));
    out[t] = v;
}

static std::vector<float> in(ROWS * PITCH), bias(ROWS), out, want, rows(ROWS * PITCH), want_rows(ROWS * PITCH);
static float *d_in, *d_bias, *d_out, *d_rows;
static int all_wrong;

template <class C> static int wrong_of(bool alone, dim3 b, int n, int width)
{
    int size = b.x * b.y * b.z, wrong = 0;
    out.assign(size * MOST, -1.0f);
    want = out;
    rows.assign(ROWS * PITCH, -1.0f);
    want_rows = rows;
    CUDA(cudaMemcpy(d_out, out.data(), out.size() * 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_rows, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice));
    if (alone)
        kernel_alone<C><<<1, b>>>(d_bias, d_out, d_rows, n, width);
    else
        kernel<C><<<1, b>>>(d_in, d_bias, d_out, d_rows, n, width);
    CUDA(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(rows.data(), d_rows, rows.size() * 4, cudaMemcpyDeviceToHost));
    for (int t = 0; t < size; t++) {
        thread i = { t % (int)b.x, t / (int)b.x % (int)b.y, t / (int)(b.x * b.y), t, size };
        if (alone)
            compute<C>(bias.data(), want.data(), want_rows.data(), i, n, width);
        else
            work<C>(in.data(), bias.data(), want.data(), want_rows.data(), i, n, width);
    }
    for (size_t k = 0; k < out.size(); k++)
        wrong += out[k] != want[k];
    for (size_t k = 0; k < rows.size(); k++)
        wrong += rows[k] != want_rows[k];
    return wrong;
}

template <class C> static void test(const char *name, dim3 b, int n = 0, int width = 1000)
{
    int tile = wrong_of<C>(false, b, n, width), alone = wrong_of<C>(true, b, n, width);
    printf("%s, %ux%ux%u: %d and %d wrong\n", name, b.x, b.y, b.z, tile, alone);
    all_wrong += tile + alone;
}

static void test_border(unsigned height)
{
    int wrong = 0;
    CUDA(cudaMemset(d_rows, 0, rows.size() * 4));
    border<<<dim3(1, (height + 31) / 32), dim3(32, 8)>>>(d_in, d_rows, height);
    CUDA(cudaMemcpy(rows.data(), d_rows, rows.size() * 4, cudaMemcpyDeviceToHost));
    for (unsigned y = 0; y < height; y++)
        for (int x = 0; x < 32; x++) {
            float sum = 0;
            for (int j = 0; j < 7; j++)
                for (int k = 0; k < 7; k++)
                    sum = fmaf(y + j - 3 < height ? in[(y + j - 3) * 32 + x] : 0.0f, 0.125f * (j * 7 + k + 1), sum);
            wrong += rows[y * 32 + x] != sum;
        }
    printf("border, %u rows: %d wrong\n", height, wrong);
    all_wrong += wrong;
}

static void test_keeps()
{
    int wrong = 0, table[8], *d_table = (int *)d_bias;
    for (int k = 0; k < 8; k++)
        table[k] = (int)(app_random(77 + k) % 1000);
    CUDA(cudaMemcpy(d_table, table, sizeof table, cudaMemcpyHostToDevice));
    keeps<<<3, dim3(32, 8)>>>(d_in, d_table, d_out);
    out.resize(3 * 256);
    CUDA(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 3 * 256; t++) {
        thread i = { t % 32, t % 256 / 32, 0, t % 256, 256 };
        kept k;
        keep(k, in.data(), table, i);
        chain(k, in.data(), i);
        wrong += out[t] != use(k, i);
    }
    printf("keeps: %d wrong\n", wrong);
    all_wrong += wrong;
}

static void test_halves_of_warps()
{
    int wrong = 0, host[128];
    halves_of_warps<<<1, 128>>>((int *)d_out);
    CUDA(cudaMemcpy(host, d_out, sizeof host, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 128; t++)
        wrong += host[t] != ((t & -16) + 2 * (t % 16)) % 32;
    printf("halves of warps: %d wrong\n", wrong);
    all_wrong += wrong;
}

int main()
{
    for (size_t k = 0; k < in.size(); k++)
        in[k] = (int)(app_random((uint32_t)k) % 2001 - 1000) / 512.0f;
    for (size_t k = 0; k < bias.size(); k++)
        bias[k] = (int)k - 40;
    CUDA(cudaMalloc(&d_in, in.size() * 4));
    CUDA(cudaMalloc(&d_bias, bias.size() * 4));
    CUDA(cudaMalloc(&d_out, 1024 * MOST * 4));
    CUDA(cudaMalloc(&d_rows, rows.size() * 4));
    CUDA(cudaMemcpy(d_in, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_bias, bias.data(), bias.size() * 4, cudaMemcpyHostToDevice));

    test<below<32, 8>>("below 32", dim3(32, 8));
    test<below<32, 8>>("below 32, 20 columns", dim3(32, 8), 0, 20);
    test<below<29, 8>>("below 29", dim3(32, 8));
    test<below<30, 8>>("below 30", dim3(32, 8));
    test<below<3, 8>>("below 3", dim3(32, 8));
    test<below<8, 8>>("below 8", dim3(32, 8));
    test<below<32, 4>>("below 32", dim3(32, 4));
    test<below<32, 6>>("below 32", dim3(32, 6));
    test<below<36, 6>>("below 36", dim3(32, 6));
    test<below<32, 2>>("below 32", dim3(32, 2));
    test<below<32, 5>>("below 32", dim3(32, 5));
    test<below<32, 8>>("below 32", dim3(32, 8, 2));
    test<below<33, 3>>("below 33", dim3(32, 3, 4));
    test<below<32, 16>>("below 32", dim3(16, 16));
    test<below<32, 4>>("below 32", dim3(64, 4));
    test<below_unsigned<32, 8>>("unsigned, below 32", dim3(32, 8));
    test<below_unsigned<27, 8>>("unsigned, below 27", dim3(32, 8));
    test<below_parameter<8>>("below a parameter, 32", dim3(32, 8), 32);
    test<below_parameter<8>>("below a parameter, 21", dim3(32, 8), 21);
    test<below_parameter<8>>("below a parameter, -3", dim3(32, 8), -3);
    test<negative<-8, 24>>("from -8 to 24", dim3(32, 8));
    test<negative<-5, 20>>("from -5 to 20", dim3(32, 8));
    test<negative<-6, 20>>("from -6 to 20", dim3(32, 8));
    test<wraps<0xfffffffcu, 16>>("from 2^32 - 4", dim3(32, 8));
    test<wraps<0xfffffffau, 16>>("from 2^32 - 6", dim3(32, 8));
    test<wraps<0xfffffffdu, 17>>("from 2^32 - 3", dim3(32, 8));
    test<wraps_parameter>("from a parameter, -3", dim3(32, 8), -3);
    test<wraps_parameter>("from a parameter, 4", dim3(32, 8), 4);
    test<own_limit>("limits of their own", dim3(32, 8));
    test<downwards>("downwards", dim3(32, 8));
    test<by_twos>("by twos", dim3(32, 8));
    test<halves>("halves", dim3(32, 8));
    test<exchanged>("exchanged", dim3(32, 8));
    test<layers>("layers", dim3(8, 4, 8));
    test<layers>("layers", dim3(32, 1, 8));
    test<layers>("layers", dim3(16, 4, 8));
    test<threads>("warps of a line", dim3(256));
    for (unsigned height : { 32u, 37u, 64u, 70u })
        test_border(height);
    test_keeps();
    test_halves_of_warps();
    printf("%s\n", all_wrong ? "WRONG" : "right");
    return all_wrong != 0;
}
