// SPDX-License-Identifier: Apache-2.0
// Kernels of everyday kinds, none of which the model of a kernel's time was made with.
#include "probe.h"
#include <cuda_fp16.h>
#include <mma.h>

#define I (blockIdx.x * blockDim.x + threadIdx.x)
static int blocks(size_t n, int t) { return (int)((n + t - 1) / t); }

// --- element by element
__global__ void vec_add_double(const double *a, const double *b, double *c, int n) { int i = I; if (i < n) c[i] = a[i] + b[i]; }
__global__ void axpy_half2(const __half2 *x, __half2 *y, int n) { int i = I; if (i < n) y[i] = __hfma2(__float2half2_rn(1.5f), x[i], y[i]); }
__global__ void soa_force(const float *x, const float *y, const float *z, float *fx, float *fy, float *fz, int n)
{
    int i = I;
    if (i >= n) return;
    float r2 = x[i] * x[i] + y[i] * y[i] + z[i] * z[i] + 0.01f, s = rsqrtf(r2) / r2;
    fx[i] = x[i] * s; fy[i] = y[i] * s; fz[i] = z[i] * s;
}
struct body { float x, y, z, vx, vy, vz, mass, age; };
__global__ void aos_step(body *b, int n) { int i = I; if (i < n) { b[i].x += 0.01f * b[i].vx; b[i].y += 0.01f * b[i].vy; b[i].z += 0.01f * b[i].vz; } }
__global__ void swish(const float *x, float *y, int n) { for (int i = I; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] / (1.0f + __expf(-x[i])); }
__global__ void erf_double(const double *x, double *y, int n) { int i = I; if (i < n) y[i] = 0.5 * x[i] * (1.0 + erf(x[i] * 0.7071067811865476)); }
__global__ void rgb_to_yuv(const uchar3 *in, uchar3 *out, int n)
{
    int i = I;
    if (i >= n) return;
    uchar3 p = in[i];
    float y = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
    out[i] = make_uchar3((unsigned char)y, (unsigned char)(0.492f * (p.z - y) + 128), (unsigned char)(0.877f * (p.x - y) + 128));
}

// --- rows and reductions
__global__ void gemv_warp(const float *a, const float *x, float *y, int rows, int cols)
{
    int r = (int)(I / 32), lane = threadIdx.x % 32;
    if (r >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += 32) s += a[(size_t)r * cols + c] * x[c];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (!lane) y[r] = s;
}
__global__ void gemv_thread(const float *a, const float *x, float *y, int rows, int cols)
{
    int r = I;
    if (r >= rows) return;
    float s = 0;
    for (int c = 0; c < cols; c++) s += a[(size_t)r * cols + c] * x[c];
    y[r] = s;
}
__global__ void gemv_columns(const float *a, const float *x, float *y, int rows, int cols)
{
    int c = I;
    if (c >= cols) return;
    float s = 0;
    for (int r = 0; r < rows; r++) s += a[(size_t)r * cols + c] * x[r];
    y[c] = s;
}
__global__ void layer_norm(const float *in, float *out, const float *gain, int cols)
{
    __shared__ float part[32];
    __shared__ float mean, scale;
    const float *p = in + (size_t)blockIdx.x * cols;
    float s = 0, q = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) { s += p[c]; q += p[c] * p[c]; }
    for (int k = 0; k < 2; k++) {
        float v = k ? q : s;
        for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
        __syncthreads();
        if (threadIdx.x == 0) {
            float t = 0;
            for (unsigned w = 0; w < blockDim.x / 32; w++) t += part[w];
            if (k) scale = rsqrtf(t / cols - mean * mean + 1e-5f); else mean = t / cols;
        }
        __syncthreads();
    }
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[(size_t)blockIdx.x * cols + c] = (p[c] - mean) * scale * gain[c];
}
__global__ void sum_one_block(const float *x, float *out, int n)
{
    __shared__ float m[1024];
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[i];
    m[threadIdx.x] = s;
    __syncthreads();
    for (unsigned o = blockDim.x / 2; o; o /= 2) { if (threadIdx.x < o) m[threadIdx.x] += m[threadIdx.x + o]; __syncthreads(); }
    if (!threadIdx.x) *out = m[0];
}
__global__ void max_atomic(const int *x, int *out, int n) { int i = I; if (i < n) atomicMax(out, x[i]); }
__global__ void block_scan(const int *in, int *out, int n)
{
    __shared__ int sums[32];
    int i = I, lane = threadIdx.x % 32, w = threadIdx.x / 32, v = i < n ? in[i] : 0;
    for (int o = 1; o < 32; o *= 2) { int t = __shfl_up_sync(~0u, v, o); if (lane >= o) v += t; }
    if (lane == 31) sums[w] = v;
    __syncthreads();
    if (w == 0) { int t = lane < (int)blockDim.x / 32 ? sums[lane] : 0; for (int o = 1; o < 32; o *= 2) { int u = __shfl_up_sync(~0u, t, o); if (lane >= o) t += u; } sums[lane] = t; }
    __syncthreads();
    if (i < n) out[i] = v + (w ? sums[w - 1] : 0);
}

// --- matrices and images
__global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
    c[y * n + x] = s;
}
__global__ void dgemm_tile(const double *a, const double *b, double *c, int n)
{
    __shared__ double p[16][16], q[16][16];
    int x = I, y = blockIdx.y * 16 + threadIdx.y;
    double s = 0;
    for (int t = 0; t < n; t += 16) {
        p[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
        q[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; k++) s += p[threadIdx.y][k] * q[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = s;
}
__global__ void sgemm_registers(const float *a, const float *b, float *c, int n)     // 64x64 tiles, 4x4 each thread
{
    __shared__ float p[16][64 + 4], q[16][64 + 4];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float s[4][4] = {};
    for (int t = 0; t < n; t += 16) {
        for (int k = threadIdx.x; k < 1024; k += 256) {
            p[k % 16][k / 16] = a[(row0 + k / 16) * n + t + k % 16];
            q[k / 64][k % 64] = b[(t + k / 64) * n + col0 + k % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float u[4], v[4];
            for (int i = 0; i < 4; i++) { u[i] = p[k][ty * 4 + i]; v[i] = q[k][tx * 4 + i]; }
            for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) s[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) c[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = s[i][j];
}
__global__ void wmma_half(const __half *a, const __half *b, float *c, int n)
{
    using namespace nvcuda::wmma;
    int tile_x = (int)(I / 32) % (n / 16), tile_y = (int)(I / 32) / (n / 16);
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(fa, a + tile_y * 16 * n + k, n);
        load_matrix_sync(fb, b + k * n + tile_x * 16, n);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(c + tile_y * 16 * n + tile_x * 16, fc, n, mem_row_major);
}
__global__ void transpose_plain(const float *a, float *b, int n) { int x = I, y = blockIdx.y * blockDim.y + threadIdx.y; b[x * n + y] = a[y * n + x]; }
__global__ void heat3d(const float *a, float *b, int nx, int ny, int nz)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    size_t c = ((size_t)z * ny + y) * nx + x, line = nx, plane = (size_t)nx * ny;
    b[c] = 0.4f * a[c] + 0.1f * (a[c - 1] + a[c + 1] + a[c - line] + a[c + line] + a[c - plane] + a[c + plane]);
}
__global__ void jacobi_tile(const float *a, float *b, int n)
{
    __shared__ float t[18][34];
    int x = I, y = blockIdx.y * 16 + threadIdx.y, lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    auto at = [&](int v, int u) { return a[min(max(v, 0), n - 1) * n + min(max(u, 0), n - 1)]; };
    t[ly][lx] = at(y, x);
    if (threadIdx.x == 0) t[ly][0] = at(y, x - 1);
    if (threadIdx.x == 31) t[ly][33] = at(y, x + 1);
    if (threadIdx.y == 0) t[0][lx] = at(y - 1, x);
    if (threadIdx.y == 15) t[17][lx] = at(y + 1, x);
    __syncthreads();
    b[y * n + x] = 0.25f * (t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx]);
}
__global__ void bilateral(const float *in, float *out, int n)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;
    float centre = in[y * n + x], sum = 0, weight = 0;
    for (int v = -3; v <= 3; v++)
        for (int u = -3; u <= 3; u++) {
            float p = in[min(max(y + v, 0), n - 1) * n + min(max(x + u, 0), n - 1)], d = p - centre, w = expf(-(float)(u * u + v * v) * 0.05f - d * d * 8.0f);
            sum += w * p; weight += w;
        }
    out[y * n + x] = sum / weight;
}
__global__ void median3(const unsigned char *in, unsigned char *out, int n)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    unsigned char v[9];
    for (int k = 0; k < 9; k++) v[k] = in[(y + k / 3 - 1) * n + x + k % 3 - 1];
    for (int i = 0; i < 5; i++) for (int j = i + 1; j < 9; j++) { unsigned char lo = min(v[i], v[j]), hi = max(v[i], v[j]); v[i] = lo; v[j] = hi; }
    out[y * n + x] = v[4];
}
__global__ void texture_zoom(cudaTextureObject_t tex, float *out, int n, float scale)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * n + x] = tex2D<float>(tex, x * scale + 0.5f, y * scale + 0.5f);
}
__constant__ float filter_taps[64];
__global__ void fir(const float *in, float *out, int n, int taps) { int i = I; if (i + taps > n) return; float s = 0; for (int k = 0; k < taps; k++) s += filter_taps[k] * in[i + k]; out[i] = s; }

// --- indices, counting, searching
__global__ void gather_far(const float *table, const int *index, float *out, int n) { int i = I; if (i < n) out[i] = table[index[i]]; }
__global__ void scatter_far(const float *in, const int *index, float *out, int n) { int i = I; if (i < n) out[index[i]] = in[i]; }
__global__ void lower_bound(const int *sorted, int n, const int *want, int *out, int m)
{
    int i = I;
    if (i >= m) return;
    int lo = 0, hi = n, w = want[i];
    while (lo < hi) { int mid = (lo + hi) / 2; if (sorted[mid] < w) lo = mid + 1; else hi = mid; }
    out[i] = lo;
}
__global__ void bins_global(const unsigned char *in, int *bins, int n) { int i = I; if (i < n) atomicAdd(&bins[in[i]], 1); }
__global__ void bins_large(const unsigned *in, int *bins, int n, unsigned mask) { int i = I; if (i < n) atomicAdd(&bins[in[i] & mask], 1); }
__global__ void bins_shared(const unsigned char *in, int *bins, int n)
{
    __shared__ int h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = I; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[in[i]], 1);
    __syncthreads();
    if (h[threadIdx.x]) atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}
__global__ void csr_thread(const int *first, const int *column, const float *value, const float *x, float *y, int rows)
{
    int r = I;
    if (r >= rows) return;
    float s = 0;
    for (int k = first[r]; k < first[r + 1]; k++) s += value[k] * x[column[k]];
    y[r] = s;
}
__global__ void csr_warp(const int *first, const int *column, const float *value, const float *x, float *y, int rows)
{
    int r = (int)(I / 32), lane = threadIdx.x % 32;
    if (r >= rows) return;
    float s = 0;
    for (int k = first[r] + lane; k < first[r + 1]; k += 32) s += value[k] * x[column[k]];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (!lane) y[r] = s;
}
__global__ void filter_ballot(const int *in, int *out, int *count, int n, int limit)
{
    int i = I, lane = threadIdx.x % 32, v = i < n ? in[i] : limit, base = 0;
    unsigned kept = __ballot_sync(~0u, v < limit);
    if (lane == 0) base = atomicAdd(count, __popc(kept));
    base = __shfl_sync(~0u, base, 0);
    if (v < limit) out[base + __popc(kept & ((1u << lane) - 1))] = v;
}
__global__ void list_walk(const int *next, const int *head, int *out, int n, int steps) { int i = I; if (i >= n) return; int p = head[i]; for (int k = 0; k < steps; k++) p = next[p]; out[i] = p; }
__global__ void hash_insert(const unsigned *keys, unsigned *table, int n, unsigned mask)
{
    int i = I;
    if (i >= n) return;
    unsigned key = keys[i] | 1, at = (key * 2654435761u) & mask;
    for (int k = 0; k < 64; k++) { unsigned old = atomicCAS(&table[at], 0u, key); if (old == 0 || old == key) return; at = (at + 1) & mask; }
}

// --- computing
__global__ void collatz_steps(int *out, int n) { int i = I; if (i >= n) return; unsigned long long v = i + 1; int k = 0; while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; k++; } out[i] = k; }
__global__ void edit_distance(const unsigned char *a, const unsigned char *b, int *out, int n)
{
    int i = I;
    unsigned char row[33];
    if (i >= n) return;
    for (int k = 0; k <= 32; k++) row[k] = k;
    for (int y = 0; y < 32; y++) {
        unsigned char left = y + 1, up = y, c = a[i * 32 + y];
        for (int x = 0; x < 32; x++) { unsigned char old = row[x + 1], v = min(min(old + 1, left + 1), up + (b[i * 32 + x] != c)); up = old; row[x] = left; left = v; }
        row[32] = left;
    }
    out[i] = row[32];
}
__global__ void sort_private(const float *in, float *out, int n)           // insertion sort in local memory
{
    int i = I;
    float v[48];
    if (i >= n) return;
    for (int k = 0; k < 48; k++) { float x = in[k * n + i]; int j = k; while (j > 0 && v[j - 1] > x) { v[j] = v[j - 1]; j--; } v[j] = x; }
    for (int k = 0; k < 48; k++) out[k * n + i] = v[k];
}
__global__ void mod_power(const unsigned long long *in, unsigned long long *out, int n, unsigned long long m)
{
    int i = I;
    if (i >= n) return;
    unsigned long long r = 1, b = in[i] % m;
    for (unsigned e = 65537; e; e /= 2) { if (e & 1) r = r * b % m; b = b * b % m; }
    out[i] = r;
}
__global__ void crc32_bits(const unsigned char *in, unsigned *out, int n, int length)
{
    int i = I;
    if (i >= n) return;
    unsigned c = ~0u;
    for (int k = 0; k < length; k++) { c ^= in[i * length + k]; for (int b = 0; b < 8; b++) c = c >> 1 ^ (c & 1 ? 0xEDB88320u : 0); }
    out[i] = ~c;
}
__global__ void pi_samples(unsigned *out, int rounds)
{
    unsigned s = I * 747796405u + 2891336453u, hits = 0;
    for (int k = 0; k < rounds; k++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; float x = (s >> 16) * (1 / 65536.0f), y = (s & 65535) * (1 / 65536.0f); hits += x * x + y * y < 1; }
    atomicAdd(out, hits);
}
__global__ void spheres(const float4 *s, int n, float *out, int w)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;
    float dx = x / (float)w - 0.5f, dy = y / (float)w - 0.5f, best = 1e9f, il = rsqrtf(dx * dx + dy * dy + 1);
    for (int k = 0; k < n; k++) {
        float4 c = s[k];
        float b = (dx * c.x + dy * c.y + c.z) * il, d = b * b - (c.x * c.x + c.y * c.y + c.z * c.z) + c.w * c.w;
        if (d > 0) { float t = b - sqrtf(d); if (t > 0 && t < best) best = t; }
    }
    out[y * w + x] = best;
}
__global__ void lorenz_double(double *x, int n, int steps)
{
    int i = I;
    if (i >= n) return;
    double a = x[i], b = 1, c = 1;
    for (int k = 0; k < steps; k++) { double da = 10 * (b - a), db = a * (28 - c) - b, dc = a * b - 8.0 / 3.0 * c; a += 1e-3 * da; b += 1e-3 * db; c += 1e-3 * dc; }
    x[i] = a + b + c;
}
__global__ void bitonic_shared(int *x)
{
    __shared__ int t[1024];
    int i = threadIdx.x;
    t[i] = x[I];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j; j /= 2) { __syncthreads(); int p = i ^ j; if (p > i && (t[i] > t[p]) == ((i & k) == 0)) { int v = t[i]; t[i] = t[p]; t[p] = v; } }
    __syncthreads();
    x[I] = t[i];
}
__global__ void one_thread_sum(const float *x, float *out, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; *out = s; }
__global__ void knn(const float *points, const float *query, int *out, int n, int m)
{
    int q = I;
    if (q >= m) return;
    float x = query[2 * q], y = query[2 * q + 1], best = 1e30f;
    int at = 0;
    for (int k = 0; k < n; k++) { float u = points[2 * k] - x, v = points[2 * k + 1] - y, d = u * u + v * v; if (d < best) { best = d; at = k; } }
    out[q] = at;
}

int main(int argc, char **argv)
{
    const int n = 1 << 22, w = 2048;
    probe_begin(argc, argv);
    float *fa = on_device<float>(n * 4, [](size_t) { return next_float(); }), *fb = on_device<float>(n * 4, [](size_t) { return next_float(); }), *fc = zeros<float>(n * 4);
    double *da = on_device<double>(n, [](size_t) { return (double)next_float(); }), *db = on_device<double>(n, [](size_t) { return (double)next_float(); }), *dc = zeros<double>(n);
    int *ia = on_device<int>(n, [](size_t) { return (int)(next_random() % (1u << 22)); }), *ib = zeros<int>(n), *sorted = on_device<int>(n, [](size_t i) { return (int)i; }), *small = zeros<int>(1024);
    int *far = on_device<int>(n, [](size_t) { return (int)(next_random() % (1u << 24)); });
    unsigned char *bytes = on_device<unsigned char>(n * 4, [](size_t) { return (unsigned char)(next_random() >> 13); }), *bytes_out = zeros<unsigned char>(n * 4);
    row("vec_add_double", "n=4194304", [&] { vec_add_double<<<blocks(n, 256), 256>>>(da, db, dc, n); });
    row("axpy_half2", "n=8388608", [&] { axpy_half2<<<blocks(2 * n, 256), 256>>>((__half2 *)fa, (__half2 *)fc, 2 * n); });
    row("soa_force", "n=2097152", [&] { soa_force<<<blocks(n / 2, 128), 128>>>(fa, fa + n / 2, fa + n, fc, fc + n / 2, fc + n, n / 2); });
    row("aos_step", "n=1048576", [&] { aos_step<<<blocks(n / 4, 256), 256>>>((body *)fc, n / 4); });
    row("swish", "n=16777216 grid=528", [&] { swish<<<528, 256>>>(fa, fc, 4 * n); });
    row("swish", "n=262144 grid=132", [&] { swish<<<132, 256>>>(fa, fc, n / 16); });
    row("erf_double", "n=4194304", [&] { erf_double<<<blocks(n, 256), 256>>>(da, dc, n); });
    row("rgb_to_yuv", "n=4194304", [&] { rgb_to_yuv<<<blocks(n, 256), 256>>>((uchar3 *)bytes, (uchar3 *)bytes_out, n); });
    row("gemv_warp", "4096x4096", [&] { gemv_warp<<<512, 256>>>(fa, fb, fc, 4096, 4096); });
    row("gemv_thread", "4096x1024", [&] { gemv_thread<<<32, 128>>>(fa, fb, fc, 4096, 1024); });
    row("gemv_columns", "1024x4096", [&] { gemv_columns<<<32, 128>>>(fa, fb, fc, 1024, 4096); });
    row("layer_norm", "4096x1024", [&] { layer_norm<<<4096, 256>>>(fa, fc, fb, 1024); });
    row("sum_one_block", "n=262144", [&] { sum_one_block<<<1, 1024>>>(fa, fc, 1 << 18); });
    row("max_atomic", "n=1048576", [&] { max_atomic<<<blocks(n / 4, 256), 256>>>(ia, small, n / 4); });
    row("block_scan", "n=4194304", [&] { block_scan<<<blocks(n, 512), 512>>>(ia, ib, n); });
    row("matmul_naive", "n=768", [&] { matmul_naive<<<dim3(24, 96), dim3(32, 8)>>>(fa, fb, fc, 768); });
    row("dgemm_tile", "n=512", [&] { dgemm_tile<<<dim3(32, 32), dim3(16, 16)>>>(da, db, dc, 512); });
    row("sgemm_registers", "n=1024", [&] { sgemm_registers<<<dim3(16, 16), 256>>>(fa, fb, fc, 1024); });
    row("wmma_half", "n=512", [&] { wmma_half<<<128, 256>>>((__half *)fa, (__half *)fb, fc, 512); });
    row("transpose_plain", "n=2048", [&] { transpose_plain<<<dim3(64, 256), dim3(32, 8)>>>(fa, fc, w); });
    row("heat3d", "256x256x128", [&] { heat3d<<<dim3(8, 32, 128), dim3(32, 8)>>>(fa, fc, 256, 256, 128); });
    row("jacobi_tile", "n=2048", [&] { jacobi_tile<<<dim3(64, 128), dim3(32, 16)>>>(fa, fc, w); });
    row("bilateral", "n=1024", [&] { bilateral<<<dim3(64, 64), dim3(16, 16)>>>(fa, fc, 1024); });
    row("median3", "n=2048", [&] { median3<<<dim3(64, 256), dim3(32, 8)>>>(bytes, bytes_out, w); });
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaTextureObject_t tex;
    CHECK(cudaMallocArray(&array, &format, w, w));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, fa, w * 4, w * 4, w, cudaMemcpyDeviceToDevice));
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    CHECK(cudaCreateTextureObject(&tex, &resource, &how, nullptr));
    row("texture_zoom", "n=2048 scale=0.7", [&] { texture_zoom<<<dim3(128, 128), dim3(16, 16)>>>(tex, fc, w, 0.7f); });
    row("fir", "n=4194304 taps=32", [&] { fir<<<blocks(n, 256), 256>>>(fa, fc, n, 32); });
    row("gather_far", "n=4194304 of 64 MiB", [&] { gather_far<<<blocks(n, 256), 256>>>(fa, far, fc, n); });
    row("gather_far", "n=4194304 of 16 MiB", [&] { gather_far<<<blocks(n, 256), 256>>>(fa, ia, fc, n); });
    row("scatter_far", "n=4194304 to 64 MiB", [&] { scatter_far<<<blocks(n, 256), 256>>>(fa, far, fc, n); });
    row("lower_bound", "n=4194304 m=1048576", [&] { lower_bound<<<blocks(n / 4, 256), 256>>>(sorted, n, ia, ib, n / 4); });
    row("bins_global", "n=4194304 bins=256", [&] { bins_global<<<blocks(n, 256), 256>>>(bytes, small, n); });
    row("bins_large", "n=4194304 bins=1048576", [&] { bins_large<<<blocks(n, 256), 256>>>((unsigned *)bytes, ib, n, (1u << 20) - 1); });
    row("bins_shared", "n=16777216 grid=264", [&] { bins_shared<<<264, 256>>>(bytes, small, 4 * n); });
    {
        const int rows = 1 << 17;
        std::vector<int> first(rows + 1, 0), column;
        for (int r = 0; r < rows; r++) { first[r] = (int)column.size(); int k = 4 + (int)(next_random() % 40); while (k--) column.push_back((int)(next_random() % rows)); }
        first[rows] = (int)column.size();
        int *df = on_device<int>(rows + 1, [&](size_t i) { return first[i]; }), *dcol = on_device<int>(column.size(), [&](size_t i) { return column[i]; });
        row("csr_thread", "rows=131072 of 4..43", [&] { csr_thread<<<blocks(rows, 128), 128>>>(df, dcol, fa, fb, fc, rows); });
        row("csr_warp", "rows=131072 of 4..43", [&] { csr_warp<<<blocks(rows * 32, 256), 256>>>(df, dcol, fa, fb, fc, rows); });
    }
    row("filter_ballot", "n=4194304 half", [&] { filter_ballot<<<blocks(n, 256), 256>>>(ia, ib, small + 512, 1 << 20, 1 << 21); });
    row("list_walk", "n=65536 steps=32", [&] { list_walk<<<blocks(65536, 128), 128>>>(ia, sorted, ib, 65536, 32); });
    row("hash_insert", "n=1048576 of 4194304", [&] { hash_insert<<<blocks(n / 4, 256), 256>>>((unsigned *)bytes, (unsigned *)ib, n / 4, n - 1); });
    row("collatz_steps", "n=1048576", [&] { collatz_steps<<<blocks(n / 4, 256), 256>>>(ib, n / 4); });
    row("edit_distance", "n=65536", [&] { edit_distance<<<blocks(65536, 128), 128>>>(bytes, bytes + n, ib, 65536); });
    row("sort_private", "n=65536", [&] { sort_private<<<blocks(65536, 128), 128>>>(fa, fc, 65536); });
    row("mod_power", "n=262144", [&] { mod_power<<<blocks(n / 16, 256), 256>>>((unsigned long long *)da, (unsigned long long *)dc, n / 16, 4294967291ull); });
    row("crc32_bits", "n=131072 length=64", [&] { crc32_bits<<<blocks(131072, 256), 256>>>(bytes, (unsigned *)ib, 131072, 64); });
    row("pi_samples", "threads=131072 rounds=256", [&] { pi_samples<<<512, 256>>>((unsigned *)small, 256); });
    row("spheres", "n=256 w=1024", [&] { spheres<<<dim3(64, 64), dim3(16, 16)>>>((float4 *)fb, 256, fc, 1024); });
    row("lorenz_double", "n=65536 steps=500", [&] { lorenz_double<<<512, 128>>>(dc, 65536, 500); });
    row("bitonic_shared", "n=1048576", [&] { bitonic_shared<<<1024, 1024>>>(ib); });
    row("one_thread_sum", "n=16384", [&] { one_thread_sum<<<1, 1>>>(fa, fc, 16384); });
    row("knn", "n=2048 m=32768", [&] { knn<<<blocks(32768, 128), 128>>>(fa, fb, ib, 2048, 32768); });
    row("spheres", "n=64 blocks=133", [&] { spheres<<<dim3(133, 1), dim3(32, 32)>>>((float4 *)fb, 64, fc, 4256); });
    return 0;
}
