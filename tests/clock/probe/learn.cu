// SPDX-License-Identifier: Apache-2.0
// Kernels of linear algebra, learning and images, as everyday programs have them. No rule of the model was made with them.
#include "probe.h"
#include <cuda_fp16.h>
#include <mma.h>

#define I (blockIdx.x * blockDim.x + threadIdx.x)
static int blocks(size_t n, int t) { return (int)((n + t - 1) / t); }
__device__ float warp_sum(float v) { for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o); return v; }

__global__ void dot_grid(const float *a, const float *b, float *out, int n)
{
    __shared__ float part[8];
    float s = 0;
    for (int i = I; i < n; i += gridDim.x * blockDim.x) s += a[i] * b[i];
    s = warp_sum(s);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) { float t = 0; for (int w = 0; w < 8; w++) t += part[w]; atomicAdd(out, t); }
}
__global__ void norm_tree(const double *a, double *out, int n)
{
    __shared__ double t[256];
    int i = I;
    t[threadIdx.x] = i < n ? a[i] * a[i] : 0;
    __syncthreads();
    for (int o = 128; o; o /= 2) { if ((int)threadIdx.x < o) t[threadIdx.x] += t[threadIdx.x + o]; __syncthreads(); }
    if (threadIdx.x == 0) out[blockIdx.x] = sqrt(t[0]);
}
__global__ void argmax_rows(const float *a, int *out, int cols)
{
    int r = I / 32, lane = threadIdx.x % 32, at = 0;
    float best = -1e30f;
    for (int c = lane; c < cols; c += 32) { float v = a[(size_t)r * cols + c]; if (v > best) { best = v; at = c; } }
    for (int o = 16; o; o /= 2) { float v = __shfl_down_sync(~0u, best, o); int k = __shfl_down_sync(~0u, at, o); if (v > best) { best = v; at = k; } }
    if (!lane) out[r] = at;
}
__global__ void softmax_online(const float *in, float *out, int cols)
{
    __shared__ float ms[256], ss[256];
    const float *p = in + (size_t)blockIdx.x * cols;
    float m = -1e30f, s = 0;
    for (int c = threadIdx.x; c < cols; c += 256) { float v = p[c], k = fmaxf(m, v); s = s * expf(m - k) + expf(v - k); m = k; }
    ms[threadIdx.x] = m; ss[threadIdx.x] = s;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if ((int)threadIdx.x < o) { float k = fmaxf(ms[threadIdx.x], ms[threadIdx.x + o]); ss[threadIdx.x] = ss[threadIdx.x] * expf(ms[threadIdx.x] - k) + ss[threadIdx.x + o] * expf(ms[threadIdx.x + o] - k); ms[threadIdx.x] = k; }
        __syncthreads();
    }
    for (int c = threadIdx.x; c < cols; c += 256) out[(size_t)blockIdx.x * cols + c] = expf(p[c] - ms[0]) / ss[0];
}
__global__ void batch_mean(const float *x, float *mean, float *var, int batch, int channels, int plane)
{
    __shared__ float s1[256], s2[256];
    float s = 0, q = 0;
    for (int b = 0; b < batch; b++)
        for (int i = threadIdx.x; i < plane; i += 256) { float v = x[((size_t)b * channels + blockIdx.x) * plane + i]; s += v; q += v * v; }
    s1[threadIdx.x] = s; s2[threadIdx.x] = q;
    __syncthreads();
    for (int o = 128; o; o /= 2) { if ((int)threadIdx.x < o) { s1[threadIdx.x] += s1[threadIdx.x + o]; s2[threadIdx.x] += s2[threadIdx.x + o]; } __syncthreads(); }
    if (!threadIdx.x) { float m = s1[0] / (batch * plane); mean[blockIdx.x] = m; var[blockIdx.x] = s2[0] / (batch * plane) - m * m; }
}
__global__ void embedding(const float *table, const int *token, float *out, int width, int n) { int i = I; if (i < n) out[i] = table[(size_t)token[i / width] * width + i % width]; }
__global__ void embedding_grad(float *table, const int *token, const float *grad, int width, int n) { int i = I; if (i < n) atomicAdd(&table[(size_t)token[i / width] * width + i % width], grad[i]); }
__global__ void bias_gelu(const float *x, const float *bias, float *y, int cols, int n) { int i = I; if (i < n) { float v = x[i] + bias[i % cols]; y[i] = 0.5f * v * (1 + erff(v * 0.70710678f)); } }
__global__ void dropout(const float *x, float *y, int n, unsigned seed) { int i = I; if (i < n) { unsigned h = i * 747796405u + seed; h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u; h ^= h >> 22; y[i] = (h & 0xffff) < 0x4000 ? 0 : x[i] * 1.3333f; } }
__global__ void adam(float *w, const float *g, float *m, float *v, int n, float rate)
{
    int i = I;
    if (i >= n) return;
    float d = g[i], a = 0.9f * m[i] + 0.1f * d, b = 0.999f * v[i] + 0.001f * d * d;
    m[i] = a; v[i] = b; w[i] -= rate * a / (sqrtf(b) + 1e-8f);
}
__global__ void max_pool(const float *in, float *out, int w, int h)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    const float *p = in + ((size_t)z * h + 2 * y) * w + 2 * x;
    out[((size_t)z * (h / 2) + y) * (w / 2) + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[w], p[w + 1]));
}
__constant__ float taps9[9];
__global__ void conv1d(const float *in, float *out, int n) { int i = I; if (i < 4 || i >= n - 4) return; float s = 0; for (int k = 0; k < 9; k++) s += taps9[k] * in[i + k - 4]; out[i] = s; }
__global__ void conv_channels(const float *in, const float *w, float *out, int c, int size)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
    if (x < 1 || y < 1 || x >= size - 1 || y >= size - 1) return;
    float s = 0;
    for (int k = 0; k < c; k++)
        for (int v = 0; v < 3; v++)
            for (int u = 0; u < 3; u++) s += in[((size_t)k * size + y + v - 1) * size + x + u - 1] * w[((o * c + k) * 3 + v) * 3 + u];
    out[((size_t)o * size + y) * size + x] = fmaxf(s, 0.0f);
}
__global__ void depthwise(const float *in, const float *w, float *out, int size)
{
    __shared__ float t[20][36];
    int z = blockIdx.z, x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 16 - 2;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 720; k += 512) {
        int x = x0 + k % 36, y = y0 + k / 36;
        t[k / 36][k % 36] = x >= 0 && y >= 0 && x < size && y < size ? in[((size_t)z * size + y) * size + x] : 0;
    }
    __syncthreads();
    float s = 0;
    for (int v = 0; v < 5; v++) for (int u = 0; u < 5; u++) s += t[threadIdx.y + v][threadIdx.x + u] * w[z * 25 + v * 5 + u];
    out[((size_t)z * size + y0 + 2 + threadIdx.y) * size + x0 + 2 + threadIdx.x] = s;
}
__global__ void im2col(const float *in, float *out, int size, int n)
{
    int i = I;
    if (i >= n) return;
    int x = i % size, y = i / size % size, c = i / (size * size);
    for (int k = 0; k < 9; k++) { int u = x + k % 3 - 1, v = y + k / 3 - 1; out[((size_t)c * 9 + k) * size * size + y * size + x] = u >= 0 && v >= 0 && u < size && v < size ? in[(size_t)c * size * size + v * size + u] : 0; }
}
__global__ void attention_scores(const float *q, const float *k, float *s, int n, int d)
{
    int j = I, i = blockIdx.y;
    float a = 0;
    for (int c = 0; c < d; c += 4) { float4 u = *(const float4 *)&q[(size_t)i * d + c], v = *(const float4 *)&k[(size_t)j * d + c]; a += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w; }
    s[(size_t)i * n + j] = j <= i ? a * 0.125f : -1e9f;
}
__global__ void matmul_transposed(const float *a, const float *b, float *c, int n) { int x = I, y = blockIdx.y * blockDim.y + threadIdx.y; float s = 0; for (int k = 0; k < n; k++) s += a[y * n + k] * b[x * n + k]; c[y * n + x] = s; }
__global__ void matmul_tile32(const float *a, const float *b, float *c, int n)
{
    __shared__ float p[32][33], q[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    float s[4] = {};
    for (int t = 0; t < n; t += 32) {
        for (int k = 0; k < 32; k += 8) { p[ty + k][tx] = a[(y + k) * n + t + tx]; q[ty + k][tx] = b[(t + ty + k) * n + x]; }
        __syncthreads();
        for (int k = 0; k < 32; k++) for (int r = 0; r < 4; r++) s[r] += p[ty + 8 * r][k] * q[k][tx];
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) c[(y + 8 * r) * n + x] = s[r];
}
__global__ void gemm_int8(const int *a, const int *b, int *c, int n, int k4) { int x = I, y = blockIdx.y * blockDim.y + threadIdx.y; int s = 0; for (int k = 0; k < k4; k++) s = __dp4a(a[y * k4 + k], b[k * n + x], s); c[y * n + x] = s; }
__global__ void gemm_half2(const __half2 *a, const __half2 *b, __half2 *c, int n)       // columns in pairs
{
    __shared__ __half2 q[16][32];
    int x = I, y = blockIdx.y * 8 + threadIdx.y;
    __half2 s = __float2half2_rn(0);
    for (int t = 0; t < n; t += 16) {
        q[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * (n / 2) + x];
        q[threadIdx.y + 8][threadIdx.x] = b[(t + threadIdx.y + 8) * (n / 2) + x];
        __syncthreads();
        for (int k = 0; k < 16; k += 2) { __half2 v = a[(y * n + t + k) / 2]; s = __hfma2(__low2half2(v), q[k][threadIdx.x], s); s = __hfma2(__high2half2(v), q[k + 1][threadIdx.x], s); }
        __syncthreads();
    }
    c[y * (n / 2) + x] = s;
}
__global__ void wmma_tiles(const __half *a, const __half *b, float *c, int n)           // 64x64 of a block of four warps, through shared memory
{
    using namespace nvcuda::wmma;
    __shared__ __half p[64][16 + 8], q[16][64 + 8];
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc[4];
    int w = threadIdx.x / 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    for (int j = 0; j < 4; j++) fill_fragment(fc[j], 0.0f);
    for (int t = 0; t < n; t += 16) {
        for (int k = threadIdx.x; k < 1024; k += 128) { p[k / 16][k % 16] = a[(row0 + k / 16) * n + t + k % 16]; q[k / 64][k % 64] = b[(t + k / 64) * n + col0 + k % 64]; }
        __syncthreads();
        load_matrix_sync(fa, &p[w * 16][0], 24);
        for (int j = 0; j < 4; j++) { load_matrix_sync(fb, &q[0][j * 16], 72); mma_sync(fc[j], fa, fb, fc[j]); }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) store_matrix_sync(c + (row0 + w * 16) * n + col0 + j * 16, fc[j], n, mem_row_major);
}
__global__ void solve_lower(const float *l, float *x, int n)                            // one block: a triangle
{
    __shared__ float b[512];
    int i = threadIdx.x;
    float v = x[i];
    for (int k = 0; k < n; k++) {
        if (i == k) b[k] = v / l[k * n + k];
        __syncthreads();
        if (i > k) v -= l[i * n + k] * b[k];
    }
    x[i] = b[i];
}
__global__ void cholesky_batch(float *a, int n)                                          // 8x8 of each thread, entry k of matrix i at k * n + i
{
    int i = I;
    float m[36];
    if (i >= n) return;
    for (int k = 0; k < 36; k++) m[k] = a[k * n + i];
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int c = 0; c <= r; c++) {
            float s = m[r * (r + 1) / 2 + c];
#pragma unroll
            for (int k = 0; k < c; k++) s -= m[r * (r + 1) / 2 + k] * m[c * (c + 1) / 2 + k];
            m[r * (r + 1) / 2 + c] = r == c ? sqrtf(fmaxf(s, 1e-6f)) : s / m[c * (c + 1) / 2 + c];
        }
    for (int k = 0; k < 36; k++) a[k * n + i] = m[k];
}
__global__ void rank_one(float *a, const float *x, const float *y, int n) { int c = I, r = blockIdx.y; if (c < n) a[(size_t)r * n + c] += x[r] * y[c]; }
__global__ void triad_double2(const double2 *a, const double2 *b, double2 *c, int n) { int i = I; if (i < n) { double2 u = a[i], v = b[i]; c[i] = make_double2(u.x + 3 * v.x, u.y + 3 * v.y); } }
__global__ void cumsum_columns(const float *a, float *b, int rows, int cols) { int c = I; if (c >= cols) return; float s = 0; for (int r = 0; r < rows; r++) { s += a[(size_t)r * cols + c]; b[(size_t)r * cols + c] = s; } }

// --- images
__global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    const unsigned char *p = in + y * w + x;
    int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1], gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
    out[y * w + x] = (unsigned char)min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}
__global__ void gauss_rows(const float *in, float *out, int w)
{
    __shared__ float t[256 + 16];
    int x = I, y = blockIdx.y;
    t[threadIdx.x + 8] = in[y * w + x];
    if (threadIdx.x < 8) { t[threadIdx.x] = in[y * w + max(x - 8, 0)]; t[threadIdx.x + 264] = in[y * w + min(x + 256, w - 1)]; }
    __syncthreads();
    float s = 0;
    for (int k = -8; k <= 8; k++) s += t[threadIdx.x + 8 + k] * __expf(-0.05f * k * k);
    out[y * w + x] = s;
}
__global__ void box_running(const float *in, float *out, int w, int h)                   // a thread for each row
{
    int y = I;
    if (y >= h) return;
    const float *p = in + (size_t)y * w;
    float s = 0;
    for (int x = 0; x < 9; x++) s += p[x];
    for (int x = 9; x < w; x++) { out[(size_t)y * w + x - 5] = s * (1 / 9.0f); s += p[x] - p[x - 9]; }
}
__global__ void histogram_rgb(const uchar4 *in, int *bins, int n) { int i = I; if (i < n) { uchar4 p = in[i]; atomicAdd(&bins[p.x], 1); atomicAdd(&bins[256 + p.y], 1); atomicAdd(&bins[512 + p.z], 1); } }
__global__ void histogram_warps(const int *in, int *bins, int n)
{
    __shared__ int h[8][64];
    for (int k = threadIdx.x; k < 512; k += 256) h[k / 64][k % 64] = 0;
    __syncthreads();
    for (int i = I; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[threadIdx.x / 32][in[i] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) { int s = 0; for (int w = 0; w < 8; w++) s += h[w][threadIdx.x]; atomicAdd(&bins[threadIdx.x], s); }
}
__global__ void dilate(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y, m = 0;
    for (int v = max(y - 2, 0); v <= min(y + 2, h - 1); v++) for (int u = max(x - 2, 0); u <= min(x + 2, w - 1); u++) m = max(m, (int)in[v * w + u]);
    out[y * w + x] = (unsigned char)m;
}
__global__ void resize_rgb(const uchar3 *in, uchar3 *out, int w, int h, int ow)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;
    float fx = x * 0.5f, fy = y * 0.5f;
    int ix = min((int)fx, w - 2), iy = min((int)fy, h - 2);
    float ax = fx - ix, ay = fy - iy;
    uchar3 a = in[iy * w + ix], b = in[iy * w + ix + 1], c = in[(iy + 1) * w + ix], d = in[(iy + 1) * w + ix + 1];
#define MIX(f) (unsigned char)((a.f * (1 - ax) + b.f * ax) * (1 - ay) + (c.f * (1 - ax) + d.f * ax) * ay)
    out[y * ow + x] = make_uchar3(MIX(x), MIX(y), MIX(z));
}
__global__ void gray_vectors(const uchar4 *in, float4 *out, int n) { int i = I; if (i < n) { float4 r; float *q = &r.x; for (int k = 0; k < 4; k++) { uchar4 p = in[4 * i + k]; q[k] = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z; } out[i] = r; } }
__global__ void rotate_image(const float *in, float *out, int w, float angle)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;
    float c = cosf(angle), s = sinf(angle), u = c * (x - w / 2) - s * (y - w / 2) + w / 2, v = s * (x - w / 2) + c * (y - w / 2) + w / 2;
    out[y * w + x] = u >= 0 && v >= 0 && u < w && v < w ? in[(int)v * w + (int)u] : 0;
}
__global__ void integral_rows(const float *in, float *out, int w)                         // a block for each row
{
    __shared__ float sums[8];
    __shared__ float carry;
    int lane = threadIdx.x % 32, k = threadIdx.x / 32;
    if (threadIdx.x == 0) carry = 0;
    for (int x = threadIdx.x; x < w; x += 256) {
        float v = in[(size_t)blockIdx.x * w + x];
        for (int o = 1; o < 32; o *= 2) { float t = __shfl_up_sync(~0u, v, o); if (lane >= o) v += t; }
        if (lane == 31) sums[k] = v;
        __syncthreads();
        float before = carry;
        for (int j = 0; j < k; j++) before += sums[j];
        out[(size_t)blockIdx.x * w + x] = v + before;
        __syncthreads();
        if (threadIdx.x == 255) carry = v + before;
        __syncthreads();
    }
}
__global__ void label_spread(const int *in, int *out, const unsigned char *mask, int w, int h, int *changed)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y, at = y * w + x, v = in[at];
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1 && mask[at] > 127) {
        int m = min(min(in[at - 1], in[at + 1]), min(in[at - w], in[at + w]));
        if (m < v) { v = m; *changed = 1; }
    }
    out[at] = v;
}
__global__ void dct_blocks(const float *in, float *out, int w)
{
    __shared__ float t[8][8 * 4 + 1], c[8][8];
    int tx = threadIdx.x, ty = threadIdx.y, x = I, y = blockIdx.y * 8 + ty;
    if (tx < 8) c[ty][tx] = (ty ? 0.5f : 0.35355339f) * cosf((2 * tx + 1) * ty * 0.19634954f);
    t[ty][tx] = in[y * w + x];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 8; k++) s += c[ty][k] * t[k][tx];
    __syncthreads();
    t[ty][tx] = s;
    __syncthreads();
    s = 0;
    for (int k = 0; k < 8; k++) s += t[ty][tx / 8 * 8 + k] * c[tx % 8][k];
    out[y * w + x] = s;
}

int main(int argc, char **argv)
{
    const int n = 1 << 22, w = 2048;
    probe_begin(argc, argv);
    float *fa = on_device<float>(n * 2, [](size_t) { return next_float(); }), *fb = on_device<float>(n, [](size_t) { return next_float(); }), *fc = zeros<float>(n * 4), *fd = zeros<float>(n);
    double *da = on_device<double>(n, [](size_t) { return (double)next_float(); }), *db = zeros<double>(n), *dc = zeros<double>(n);
    int *token = on_device<int>(1 << 16, [](size_t) { return (int)(next_random() % 32000); }), *ia = on_device<int>(n, [](size_t) { return (int)next_random(); }), *ib = zeros<int>(n), *small = zeros<int>(4096);
    unsigned char *bytes = on_device<unsigned char>(n * 4, [](size_t) { return (unsigned char)(next_random() >> 13); }), *bytes_out = zeros<unsigned char>(n * 4);
    const dim3 t8(32, 8), g8(w / 32, w / 8);
    row("dot_grid", "n=4194304 grid=264", [&] { dot_grid<<<264, 256>>>(fa, fb, fc, n); });
    row("norm_tree", "n=2097152", [&] { norm_tree<<<8192, 256>>>(da, dc, n / 2); });
    row("argmax_rows", "8192x512", [&] { argmax_rows<<<1024, 256>>>(fa, ib, 512); });
    row("softmax_online", "2048x2048", [&] { softmax_online<<<2048, 256>>>(fa, fc, 2048); });
    row("batch_mean", "16x64x3136", [&] { batch_mean<<<64, 256>>>(fa, fc, fd, 16, 64, 3136); });
    row("embedding", "32768x64 of 32000", [&] { embedding<<<blocks(n / 2, 256), 256>>>(fa, token, fc, 64, n / 2); });
    row("embedding_grad", "16384x64 of 32000", [&] { embedding_grad<<<blocks(n / 4, 256), 256>>>(fc, token, fb, 64, n / 4); });
    row("bias_gelu", "4096x1024", [&] { bias_gelu<<<blocks(n, 256), 256>>>(fa, fb, fc, 1024, n); });
    row("dropout", "n=4194304", [&] { dropout<<<blocks(n, 256), 256>>>(fa, fc, n, 12345); });
    row("adam", "n=2097152", [&] { adam<<<blocks(n / 2, 256), 256>>>(fc, fb, fd, fc + n, n / 2, 1e-3f); });
    row("max_pool", "64x256x256", [&] { max_pool<<<dim3(4, 16, 64), t8>>>(fa, fc, 256, 256); });
    row("conv1d", "n=4194304", [&] { conv1d<<<blocks(n, 256), 256>>>(fa, fc, n); });
    row("conv_channels", "16x16 of 128x128", [&] { conv_channels<<<dim3(4, 16, 16), t8>>>(fa, fb, fc, 16, 128); });
    row("depthwise", "64 of 128x128", [&] { depthwise<<<dim3(4, 8, 64), dim3(32, 16)>>>(fa, fb, fc, 128); });
    row("im2col", "32 of 128x128", [&] { im2col<<<blocks(32 * 16384, 256), 256>>>(fa, fc, 128, 32 * 16384); });
    row("attention_scores", "1024 d=64", [&] { attention_scores<<<dim3(8, 1024), 128>>>(fa, fb, fc, 1024, 64); });
    row("matmul_transposed", "n=384", [&] { matmul_transposed<<<dim3(12, 48), t8>>>(fa, fb, fc, 384); });
    row("matmul_tile32", "n=768", [&] { matmul_tile32<<<dim3(24, 24), t8>>>(fa, fb, fc, 768); });
    row("gemm_int8", "n=512", [&] { gemm_int8<<<dim3(16, 64), t8>>>(ia, ia + n / 2, ib, 512, 128); });
    row("gemm_half2", "n=512", [&] { gemm_half2<<<dim3(8, 64), t8>>>((__half2 *)fa, (__half2 *)fb, (__half2 *)fc, 512); });
    row("wmma_tiles", "n=768", [&] { wmma_tiles<<<dim3(12, 12), 128>>>((__half *)fa, (__half *)fb, fc, 768); });
    row("solve_lower", "n=512", [&] { solve_lower<<<1, 512>>>(fa, fd, 512); });
    row("cholesky_batch", "n=65536", [&] { cholesky_batch<<<512, 128>>>(fc, 65536); });
    row("rank_one", "2048x2048", [&] { rank_one<<<dim3(8, 2048), 256>>>(fc, fa, fb, 2048); });
    row("triad_double2", "n=1048576", [&] { triad_double2<<<blocks(n / 4, 128), 128>>>((double2 *)da, (double2 *)db, (double2 *)dc, n / 4); });
    row("cumsum_columns", "512x4096", [&] { cumsum_columns<<<32, 128>>>(fa, fc, 512, 4096); });
    row("sobel", "2048x2048", [&] { sobel<<<g8, t8>>>(bytes, bytes_out, w, w); });
    row("gauss_rows", "2048x2048", [&] { gauss_rows<<<dim3(8, 2048), 256>>>(fa, fc, w); });
    row("box_running", "2048 of 1024", [&] { box_running<<<32, 64>>>(fa, fc, 1024, 2048); });
    row("histogram_rgb", "n=1048576", [&] { histogram_rgb<<<4096, 256>>>((uchar4 *)bytes, small, 1 << 20); });
    row("histogram_warps", "n=4194304 grid=264", [&] { histogram_warps<<<264, 256>>>(ia, small, n); });
    row("dilate", "2048x2048", [&] { dilate<<<g8, t8>>>(bytes, bytes_out, w, w); });
    row("resize_rgb", "1024x1024 to 2048x2048", [&] { resize_rgb<<<g8, t8>>>((uchar3 *)bytes, (uchar3 *)bytes_out, 1024, 1024, w); });
    row("gray_vectors", "n=4194304", [&] { gray_vectors<<<blocks(n / 4, 256), 256>>>((uchar4 *)bytes, (float4 *)fc, n / 4); });
    row("rotate_image", "2048x2048", [&] { rotate_image<<<g8, t8>>>(fa, fc, w, 0.4f); });
    row("integral_rows", "2048x2048", [&] { integral_rows<<<2048, 256>>>(fa, fc, w); });
    row("label_spread", "2048x2048", [&] { label_spread<<<g8, t8>>>(ia, ib, bytes, w, w, small); });
    row("dct_blocks", "2048x2048", [&] { dct_blocks<<<g8, t8>>>(fa, fc, w); });
    return 0;
}
