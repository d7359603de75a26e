// SPDX-License-Identifier: Apache-2.0
// Kernels of simulation, graphs, text, sorting and number theory, as everyday programs have them. No rule of the model was made with them.
#include "probe.h"

#define I (blockIdx.x * blockDim.x + threadIdx.x)
static int blocks(size_t n, int t) { return (int)((n + t - 1) / t); }
__device__ unsigned step(unsigned &s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }

// --- simulation
__global__ void wave_double(const double *a, const double *b, double *c, int w)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * w + x;
    if (x < 1 || y < 1 || x >= w - 1 || y >= w - 1) return;
    c[i] = 2 * b[i] - a[i] + 0.2 * (b[i - 1] + b[i + 1] + b[i - w] + b[i + w] - 4 * b[i]);
}
__global__ void lattice_boltzmann(const float *f, float *g, int w, int h)
{
    const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }, cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    const float wt[9] = { 4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f };
    int x = I, y = blockIdx.y, n = w * h;
    float v[9], rho = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; k++) { v[k] = f[k * n + ((y - cy[k] + h) % h) * w + (x - cx[k] + w) % w]; rho += v[k]; ux += cx[k] * v[k]; uy += cy[k] * v[k]; }
    ux /= rho; uy /= rho;
    for (int k = 0; k < 9; k++) { float cu = 3 * (cx[k] * ux + cy[k] * uy); g[k * n + y * w + x] = v[k] + 0.6f * (wt[k] * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy)) - v[k]); }
}
__global__ void cell_count(const float4 *p, int *count, int *cell, int n, int cells)
{
    int i = I;
    if (i >= n) return;
    float4 q = p[i];
    int c = ((int)(q.x * cells) * cells + (int)(q.y * cells)) * cells + (int)(q.z * cells);
    cell[i] = c;
    atomicAdd(&count[c], 1);
}
__global__ void forces_list(const float4 *p, const int *list, float4 *f, int n, int each)
{
    int i = I;
    if (i >= n) return;
    float4 q = p[i];
    float ax = 0, ay = 0, az = 0;
    for (int k = 0; k < each; k++) {
        float4 o = p[list[k * n + i]];
        float dx = o.x - q.x, dy = o.y - q.y, dz = o.z - q.z, r2 = dx * dx + dy * dy + dz * dz + 0.01f, i2 = 1 / r2, i6 = i2 * i2 * i2, s = i6 * (i6 - 0.5f) * i2;
        ax += dx * s; ay += dy * s; az += dz * s;
    }
    f[i] = make_float4(ax, ay, az, 0);
}
__global__ void pendulums(float2 *state, int n, int steps)
{
    int i = I;
    if (i >= n) return;
    float a = state[i].x, v = state[i].y;
    for (int k = 0; k < steps; k++) {
        float k1 = -sinf(a), k2 = -sinf(a + 0.005f * v), k3 = -sinf(a + 0.005f * (v + 0.005f * k1)), k4 = -sinf(a + 0.01f * (v + 0.005f * k2));
        a += 0.01f * (v + (k1 + k2 + k3) * 0.01f / 6); v += 0.01f * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    }
    state[i] = make_float2(a, v);
}
__global__ void ising(signed char *spin, int w, int parity, unsigned seed)
{
    int x = 2 * I, y = blockIdx.y;
    x += (y + parity) & 1;
    int s = spin[y * w + x], sum = spin[((y + 1) % w) * w + x] + spin[((y + w - 1) % w) * w + x] + spin[y * w + (x + 1) % w] + spin[y * w + (x + w - 1) % w];
    unsigned r = (y * w + x) * 2654435761u + seed;
    step(r);
    if (2 * s * sum <= 0 || step(r) * 0x1p-32f < __expf(-0.88f * s * sum)) spin[y * w + x] = (signed char)-s;
}
__global__ void random_walks(const unsigned char *map, int *out, int w, int steps)
{
    unsigned r = I * 747796405u + 1;
    int x = (int)(I % w), y = (int)(I / w % w), hits = 0;
    for (int k = 0; k < steps; k++) { unsigned d = step(r) >> 30; x = (x + (d == 0) - (d == 1) + w) % w; y = (y + (d == 2) - (d == 3) + w) % w; hits += map[y * w + x] > 200; }
    out[I] = hits;
}
__global__ void binomial_option(float *out, int steps)
{
    __shared__ float v[513];
    float s0 = 20 + 0.1f * blockIdx.x;
    int i = threadIdx.x;
    v[i] = fmaxf(s0 * expf(0.02f * (2 * i - steps)) - 30, 0.0f);
    __syncthreads();
    for (int k = steps - 1; k >= 0; k--) {
        float t = i <= k ? 0.5049f * v[i + 1] + 0.4948f * v[i] : 0;
        __syncthreads();
        if (i <= k) v[i] = t;
        __syncthreads();
    }
    if (i == 0) out[blockIdx.x] = v[0];
}
__global__ void march_planes(const float *a, float *b, int w, int h, int d)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    size_t plane = (size_t)w * h, i = plane + (size_t)y * w + x;
    float below = a[i - plane], here = a[i];
    for (int z = 1; z < d - 1; z++, i += plane) { float above = a[i + plane]; b[i] = 0.5f * here + 0.08f * (below + above + a[i - 1] + a[i + 1] + a[i - w] + a[i + w]); below = here; here = above; }
}
__global__ void tridiagonal(const double *a, const double *b, const double *c, double *d, double *t, int m, int n)
{
    int i = I;
    if (i >= m) return;
    double beta = b[i], last = d[i] / beta;
    d[i] = last;
    for (int k = 1; k < n; k++) { int at = k * m + i; t[at] = c[at - m] / beta; beta = b[at] - a[at] * t[at]; last = (d[at] - a[at] * last) / beta; d[at] = last; }
    for (int k = n - 2; k >= 0; k--) { int at = k * m + i; last = d[at] - t[at + m] * last; d[at] = last; }
}
__global__ void life(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = I, y = blockIdx.y * blockDim.y + threadIdx.y, n = 0;
    for (int v = -1; v <= 1; v++) for (int u = -1; u <= 1; u++) n += in[((y + v) & (h - 1)) * w + ((x + u) & (w - 1))] & 1;
    int alive = in[y * w + x] & 1;
    out[y * w + x] = n == 3 || (alive && n == 4);
}

// --- graphs
__global__ void rank_pull(const int *first, const int *from, const float *rank, const float *degree, float *out, int n) { int v = I; if (v >= n) return; float s = 0; for (int e = first[v]; e < first[v + 1]; e++) { int u = from[e]; s += rank[u] / degree[u]; } out[v] = 0.15f + 0.85f * s; }
__global__ void rank_push(const int *first, const int *to, const float *rank, float *out, int n) { int v = I; if (v >= n) return; float s = rank[v] / (first[v + 1] - first[v] + 1); for (int e = first[v]; e < first[v + 1]; e++) atomicAdd(&out[to[e]], s); }
__global__ void relax_edges(const int *from, const int *to, const int *weight, int *dist, int m, int *changed) { int e = I; if (e >= m) return; int d = dist[from[e]] + weight[e]; if (d < dist[to[e]]) { atomicMin(&dist[to[e]], d); *changed = 1; } }
__global__ void hook_roots(const int *from, const int *to, const int *parent, int *out, int m) { int e = I; if (e >= m) return; int a = parent[from[e]], b = parent[to[e]]; while (a != parent[a]) a = parent[a]; while (b != parent[b]) b = parent[b]; if (a != b) atomicMin(&out[max(a, b)], min(a, b)); }
__global__ void triangles(const int *first, const int *to, int *out, int n)
{
    int v = I, found = 0;
    if (v >= n) return;
    for (int e = first[v]; e < first[v + 1]; e++) {
        int u = to[e], i = first[v], j = first[u];
        while (i < first[v + 1] && j < first[u + 1]) { int a = to[i], b = to[j]; found += a == b; i += a <= b; j += b <= a; }
    }
    out[v] = found;
}

// --- text
__constant__ char pattern[16];
__global__ void find_text(const char *text, int *count, int n) { int i = I; if (i + 16 > n) return; int k = 0; while (k < 16 && text[i + k] == pattern[k]) k++; if (k == 16) atomicAdd(count, 1); }
__global__ void base64(const unsigned char *in, char *out, int n)
{
    const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int i = I;
    if (i >= n) return;
    unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    for (int k = 0; k < 4; k++) out[4 * i + k] = digits[v >> (18 - 6 * k) & 63];
}
__global__ void count_lines(const uint4 *text, int *count, int n)
{
    int s = 0;
    for (int i = I; i < n; i += gridDim.x * blockDim.x) { uint4 q = text[i]; s += __popc(__vcmpeq4(q.x, 0x0a0a0a0a)) + __popc(__vcmpeq4(q.y, 0x0a0a0a0a)) + __popc(__vcmpeq4(q.z, 0x0a0a0a0a)) + __popc(__vcmpeq4(q.w, 0x0a0a0a0a)); }
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) atomicAdd(count, s / 8);
}
__global__ void upper_case(const char *text, char *out, int n) { int i = I; if (i < n) { char c = text[i]; if (c >= 'a' && c <= 'z') out[i] = c - 32; } }
__global__ void hash_strings(const char *text, unsigned *out, int n, int length) { int i = I; if (i >= n) return; unsigned h = 2166136261u; for (int k = 0; k < length; k++) h = (h ^ (unsigned char)text[i * length + k]) * 16777619u; out[i] = h; }
__global__ void common_subsequence(const unsigned char *a, const unsigned char *b, int *out)     // a block for each pair of 128 and 128
{
    __shared__ short d[3][129];
    __shared__ unsigned char s[256];
    int i = threadIdx.x;
    s[i] = a[blockIdx.x * 128 + i]; s[i + 128] = b[blockIdx.x * 128 + i];
    for (int k = 0; k < 3; k++) { d[k][i + 1] = 0; if (i == 0) d[k][0] = 0; }
    __syncthreads();
    for (int t = 0; t < 255; t++) {
        int j = t - i;
        if (j >= 0 && j < 128) d[t % 3][i + 1] = (s[i] & 3) == (s[128 + j] & 3) ? d[(t + 1) % 3][i] + 1 : max(d[(t + 2) % 3][i], d[(t + 2) % 3][i + 1]);
        __syncthreads();
    }
    if (i == 0) out[blockIdx.x] = d[254 % 3][128];
}
__global__ void bloom_insert(const unsigned *key, unsigned *bits, int n, unsigned mask) { int i = I; if (i >= n) return; unsigned h = key[i]; for (int k = 0; k < 3; k++) { step(h); atomicOr(&bits[h >> 5 & mask], 1u << (h & 31)); } }

// --- sorting and selecting
__global__ void digit_counts(const unsigned *in, int *counts, int n, int shift)
{
    __shared__ int c[16];
    if (threadIdx.x < 16) c[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) { int i = blockIdx.x * 1024 + k * 256 + threadIdx.x; if (i < n) atomicAdd(&c[in[i] >> shift & 15], 1); }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}
__global__ void digit_scatter(const unsigned *in, unsigned *out, int *next, int n, int shift) { int i = I; if (i >= n) return; unsigned v = in[i]; out[atomicAdd(&next[v >> shift & 255], 1) & (n - 1)] = v; }
__global__ void merge_pieces(const int *a, const int *b, int *out, int n)                    // each thread 8 of the result
{
    int k = I * 8, lo = max(0, k - n), hi = min(k, n);
    if (k >= 2 * n) return;
    while (lo < hi) { int m = (lo + hi) / 2; if (a[m] <= b[k - 1 - m]) lo = m + 1; else hi = m; }
    int i = lo, j = k - lo;
    for (int c = 0; c < 8; c++) out[k + c] = j >= n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}
__global__ void odd_even(const int *x, int *y)
{
    __shared__ int t[512];
    int i = threadIdx.x;
    t[i] = x[I];
    __syncthreads();
    for (int k = 0; k < 128; k++) { int p = i * 2 + (k & 1); if (p + 1 < 512 && t[p] > t[p + 1]) { int v = t[p]; t[p] = t[p + 1]; t[p + 1] = v; } __syncthreads(); }
    y[I] = t[i];
}
__global__ void mark_runs(const int *in, int *flag, int n) { int i = I; if (i < n) flag[i] = i == 0 || (in[i] >> 20) != (in[i - 1] >> 20); }
__global__ void sum_by_key(const int *key, const float *v, float *out, int n) { int i = I; if (i < n) atomicAdd(&out[key[i]], v[i]); }
__global__ void top_four(const float *in, float *out, int rows, int cols)
{
    int r = I;
    if (r >= rows) return;
    float a = -1, b = -1, c = -1, d = -1;
    for (int k = 0; k < cols; k++) {
        float v = in[k * rows + r];
        if (v > d) { d = v; if (d > c) { float t = c; c = d; d = t; } if (c > b) { float t = b; b = c; c = t; } if (b > a) { float t = a; a = b; b = t; } }
    }
    out[r] = a; out[rows + r] = b; out[2 * rows + r] = c; out[3 * rows + r] = d;
}
__global__ void quantize(const float4 *in, char4 *out, int n, float scale) { int i = I; if (i < n) { float4 v = in[i]; out[i] = make_char4((signed char)max(-127, min(127, __float2int_rn(v.x * scale))), (signed char)max(-127, min(127, __float2int_rn(v.y * scale))), (signed char)max(-127, min(127, __float2int_rn(v.z * scale))), (signed char)max(-127, min(127, __float2int_rn(v.w * scale)))); } }
__global__ void pack_bits(const float *in, unsigned *out, int n) { int i = I; unsigned b = __ballot_sync(~0u, i < n && in[i] > 0.5f); if (i % 32 == 0) out[i / 32] = b; }
__global__ void unpack_bits(const unsigned *in, float *out, int n) { int i = I; if (i < n) out[i] = (in[i / 32] >> (i % 32) & 1) ? 1.0f : -1.0f; }
__global__ void fill_random(unsigned *out, int each) { unsigned s = I * 2654435761u + 12345; int n = gridDim.x * blockDim.x; for (int k = 0; k < each; k++) out[k * n + I] = step(s); }
__global__ void nhwc(const float *in, float *out, int c, int hw, int n) { int i = I; if (i >= n) return; int ch = i % c, p = i / c % hw, b = i / (c * hw); out[i] = in[((size_t)b * c + ch) * hw + p]; }
__global__ void pack_rows(const float *in, float *out, int width, int pitch, int n) { int i = I; if (i < n) out[i] = in[(size_t)(i / width) * pitch + i % width]; }

// --- numbers and pictures
__global__ void xtea(uint2 *v, int n, uint4 key)
{
    int i = I;
    if (i >= n) return;
    unsigned a = v[i].x, b = v[i].y, sum = 0, k[4] = { key.x, key.y, key.z, key.w };
    for (int r = 0; r < 32; r++) { a += ((b << 4 ^ b >> 5) + b) ^ (sum + k[sum & 3]); sum += 0x9E3779B9u; b += ((a << 4 ^ a >> 5) + a) ^ (sum + k[sum >> 11 & 3]); }
    v[i] = make_uint2(a, b);
}
__global__ void gcd_pairs(const unsigned *a, const unsigned *b, unsigned *out, int n) { int i = I; if (i >= n) return; unsigned x = a[i], y = b[i] | 1; while (y) { unsigned t = x % y; x = y; y = t; } out[i] = x; }
__global__ void is_prime(int *out, int first, int n) { int i = I; if (i >= n) return; int v = first + 2 * i, ok = 1; for (int d = 3; d * d <= v; d += 2) if (v % d == 0) { ok = 0; break; } out[i] = ok; }
__global__ void julia_double(unsigned char *out, int w, int most)
{
    int px = I, py = blockIdx.y * blockDim.y + threadIdx.y, k = 0;
    double x = 3.0 * px / w - 1.5, y = 3.0 * py / w - 1.5;
    while (k < most && x * x + y * y < 4) { double t = x * x - y * y - 0.8; y = 2 * x * y + 0.156; x = t; k++; }
    out[py * w + px] = (unsigned char)k;
}
__global__ void value_noise(const unsigned char *perm, float *out, int w)
{
    int px = I, py = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0, amp = 0.5f, f = 1 / 64.0f;
    for (int o = 0; o < 5; o++, amp *= 0.5f, f *= 2) {
        float x = px * f, y = py * f, fx = x - floorf(x), fy = y - floorf(y);
        int ix = (int)x & 255, iy = (int)y & 255, a = perm[ix] + iy, b = perm[(ix + 1) & 255] + iy;
        float u = fx * fx * (3 - 2 * fx), v = fy * fy * (3 - 2 * fy), p = perm[a & 255], q = perm[b & 255], r = perm[(a + 1) & 255], s = perm[(b + 1) & 255];
        sum += amp * ((p + u * (q - p)) * (1 - v) + (r + u * (s - r)) * v);
    }
    out[py * w + px] = sum * (1 / 255.0f);
}
__global__ void ray_march(float *out, int w)
{
    int px = I, py = blockIdx.y * blockDim.y + threadIdx.y, k;
    float dx = px / (float)w - 0.5f, dy = py / (float)w - 0.5f, il = rsqrtf(dx * dx + dy * dy + 1), t = 0;
    for (k = 0; k < 64; k++) {
        float x = dx * il * t, y = dy * il * t, z = il * t - 3, d = fminf(sqrtf(x * x + y * y + z * z) - 1, y + 1.2f), q = sqrtf((x - 1) * (x - 1) + y * y + z * z) - 0.5f;
        d = fminf(d, q);
        if (d < 1e-3f || t > 20) break;
        t += d;
    }
    out[py * w + px] = t + k;
}
__constant__ float matrix4[16];
__global__ void transform_points(const float4 *in, float4 *out, int n)
{
    int i = I;
    if (i >= n) return;
    float4 p = in[i], r;
    float *q = &r.x;
    for (int k = 0; k < 4; k++) q[k] = matrix4[4 * k] * p.x + matrix4[4 * k + 1] * p.y + matrix4[4 * k + 2] * p.z + matrix4[4 * k + 3] * p.w;
    out[i] = make_float4(r.x / r.w, r.y / r.w, r.z / r.w, 1);
}
__global__ void tree_search(const float *tree, const float *want, int *out, int n, int depth) { int i = I; if (i >= n) return; float w = want[i]; int at = 1; for (int k = 0; k < depth; k++) at = 2 * at + (w > tree[at]); out[i] = at; }
__global__ void moving_average(const float *in, float *out, int series, int length) { int s = I; if (s >= series) return; float m = in[s]; for (int k = 0; k < length; k++) { m = 0.9f * m + 0.1f * in[k * series + s]; out[k * series + s] = m; } }
__global__ void hadamard(float *x)
{
    __shared__ float t[1024];
    int i = threadIdx.x;
    for (int k = 0; k < 4; k++) t[i + 256 * k] = x[blockIdx.x * 1024 + i + 256 * k];
    for (int h = 1; h < 1024; h *= 2) {
        __syncthreads();
        for (int k = i; k < 512; k += 256) { int a = k / h * 2 * h + k % h; float u = t[a], v = t[a + h]; t[a] = u + v; t[a + h] = u - v; }
    }
    __syncthreads();
    for (int k = 0; k < 4; k++) x[blockIdx.x * 1024 + i + 256 * k] = t[i + 256 * k];
}
__global__ void fft8_batch(float2 *x, int n)                                                // eight of each thread, in registers
{
    int i = I;
    if (i >= n) return;
    float2 v[8];
    for (int k = 0; k < 8; k++) v[k] = x[k * n + i];
#pragma unroll
    for (int h = 4; h; h /= 2)
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (!(k & h)) {
                float2 a = v[k], b = v[k + h], d = make_float2(a.x - b.x, a.y - b.y);
                float c = cosf(-3.14159265f * (k % h) / h), s = sinf(-3.14159265f * (k % h) / h);
                v[k] = make_float2(a.x + b.x, a.y + b.y);
                v[k + h] = make_float2(d.x * c - d.y * s, d.x * s + d.y * c);
            }
    for (int k = 0; k < 8; k++) x[k * n + i] = v[k];
}

int main(int argc, char **argv)
{
    const int n = 1 << 20, w = 1024;
    probe_begin(argc, argv);
    float *fa = on_device<float>(n * 12, [](size_t) { return 0.01f + 0.98f * next_float(); }), *fb = zeros<float>(n * 12);
    double *da = on_device<double>(n, [](size_t) { return 0.1 + next_float(); }), *db = on_device<double>(n, [](size_t) { return 3.0 + next_float(); }), *dc = zeros<double>(n), *dd = zeros<double>(n);
    int *ib = zeros<int>(n * 4), *small = zeros<int>(4096), *parent = on_device<int>(n, [](size_t i) { return (int)(i & 255 ? i & (i - 1) : i); }), *self = on_device<int>(n, [](size_t i) { return (int)i; }), *near = on_device<int>(n, [](size_t i) { return (int)(i % 32768 + next_random() % 64) & 32767; });
    unsigned *ua = on_device<unsigned>(n * 2, [](size_t) { return next_random(); });
    unsigned char *bytes = on_device<unsigned char>(n * 8, [](size_t) { return (unsigned char)(next_random() >> 13); }), *bytes_out = zeros<unsigned char>(n * 8);
    std::vector<int> f(1 << 16 | 1), e;
    for (int v = 0; v < 1 << 16; v++) { f[v] = (int)e.size(); int d = 2 + (int)(next_random() % 15); for (int k = 0; k < d; k++) e.push_back((int)(next_random() % 65536)); std::sort(e.end() - d, e.end()); }
    f[1 << 16] = (int)e.size();
    int *first = on_device<int>(f.size(), [&](size_t i) { return f[i]; }), m = (int)e.size(), *to = on_device<int>(e.size(), [&](size_t i) { return e[i]; }), *from = on_device<int>(e.size(), [](size_t) { return (int)(next_random() % 65536); });
    const dim3 t8(32, 8), g8(w / 32, w / 8);
    row("wave_double", "1024x1024", [&] { wave_double<<<g8, t8>>>(da, db, dc, w); });
    row("lattice_boltzmann", "1024x1024", [&] { lattice_boltzmann<<<dim3(4, 1024), 256>>>(fa, fb, w, w); });
    row("cell_count", "n=1048576 cells=32768", [&] { cell_count<<<blocks(n, 256), 256>>>((float4 *)fa, ib, ib + n, n, 32); });
    row("forces_list", "n=32768 each=32", [&] { forces_list<<<256, 128>>>((float4 *)fa, near, (float4 *)fb, 32768, 32); });
    row("pendulums", "n=65536 steps=64", [&] { pendulums<<<256, 256>>>((float2 *)fb, 65536, 64); });
    row("ising", "2048x2048", [&] { ising<<<dim3(4, 2048), 256>>>((signed char *)bytes_out, 2048, 0, 77); });
    row("random_walks", "n=65536 steps=128", [&] { random_walks<<<256, 256>>>(bytes, ib, w, 128); });
    row("binomial_option", "256 of 511 steps", [&] { binomial_option<<<256, 512>>>(fb, 511); });
    row("march_planes", "256x256x48", [&] { march_planes<<<dim3(8, 32), t8>>>(fa, fb, 256, 256, 48); });
    row("tridiagonal", "8192 of 64", [&] { tridiagonal<<<64, 128>>>(da, db, da, dc, dd, 8192, 64); });
    row("life", "2048x2048", [&] { life<<<dim3(64, 256), t8>>>(bytes, bytes_out, 2048, 2048); });
    row("rank_pull", "65536 of 2..16", [&] { rank_pull<<<256, 256>>>(first, to, fa, fa + n, fb, 65536); });
    row("rank_push", "65536 of 2..16", [&] { rank_push<<<256, 256>>>(first, to, fa, fb, 65536); });
    row("relax_edges", "589000 edges", [&] { relax_edges<<<blocks(m, 256), 256>>>(from, to, from, ib, m, small); });
    row("hook_roots", "589000 edges", [&] { hook_roots<<<blocks(m, 256), 256>>>(from, to, parent, ib, m); });
    row("triangles", "65536 of 2..16", [&] { triangles<<<512, 128>>>(first, to, ib, 65536); });
    row("find_text", "n=8388608", [&] { find_text<<<blocks(8 * n, 256), 256>>>((char *)bytes, small, 8 * n); });
    row("base64", "n=2097152", [&] { base64<<<blocks(2 * n, 256), 256>>>(bytes, (char *)bytes_out, 2 * n); });
    row("count_lines", "MiB=8 grid=264", [&] { count_lines<<<264, 256>>>((uint4 *)bytes, small, n / 2); });
    row("upper_case", "n=8388608", [&] { upper_case<<<blocks(8 * n, 256), 256>>>((char *)bytes, (char *)bytes_out, 8 * n); });
    row("hash_strings", "131072 of 32", [&] { hash_strings<<<512, 256>>>((char *)bytes, (unsigned *)ib, 131072, 32); });
    row("common_subsequence", "1024 pairs of 128", [&] { common_subsequence<<<1024, 128>>>(bytes, bytes + n, ib); });
    row("bloom_insert", "n=1048576 bits=8388608", [&] { bloom_insert<<<blocks(n, 256), 256>>>(ua, (unsigned *)ib, n, (1 << 18) - 1); });
    row("digit_counts", "n=2097152", [&] { digit_counts<<<2048, 256>>>(ua, ib, 2 * n, 4); });
    row("digit_scatter", "n=1048576", [&] { digit_scatter<<<blocks(n, 256), 256>>>(ua, (unsigned *)fb, small, n, 8); });
    row("merge_pieces", "2 of 1048576", [&] { merge_pieces<<<blocks(n / 4, 256), 256>>>(self, self, ib, n); });
    row("odd_even", "512 blocks", [&] { odd_even<<<512, 512>>>((int *)ua, ib); });
    row("mark_runs", "n=2097152", [&] { mark_runs<<<blocks(2 * n, 256), 256>>>((int *)ua, ib, 2 * n); });
    row("sum_by_key", "n=1048576 of=32768", [&] { sum_by_key<<<blocks(n, 256), 256>>>(near, fa, fb, n); });
    row("top_four", "16384 of 256", [&] { top_four<<<128, 128>>>(fa, fb, 16384, 256); });
    row("quantize", "n=8388608", [&] { quantize<<<blocks(2 * n, 256), 256>>>((float4 *)fa, (char4 *)bytes_out, 2 * n, 127.0f); });
    row("pack_bits", "n=8388608", [&] { pack_bits<<<blocks(8 * n, 256), 256>>>(fa, (unsigned *)ib, 8 * n); });
    row("unpack_bits", "n=8388608", [&] { unpack_bits<<<blocks(8 * n, 256), 256>>>(ua, fb, 8 * n); });
    row("fill_random", "65536 times 64", [&] { fill_random<<<256, 256>>>((unsigned *)fb, 64); });
    row("nhwc", "8x64x4096", [&] { nhwc<<<blocks(2 * n, 256), 256>>>(fa, fb, 64, 4096, 2 * n); });
    row("pack_rows", "4096 of 100 in 128", [&] { pack_rows<<<blocks(409600 * 4, 256), 256>>>(fa, fb, 100, 128, 409600 * 4); });
    row("xtea", "n=1048576", [&] { xtea<<<blocks(n, 256), 256>>>((uint2 *)ib, n, make_uint4(1, 2, 3, 4)); });
    row("gcd_pairs", "n=262144", [&] { gcd_pairs<<<1024, 256>>>(ua, ua + n, (unsigned *)ib, n / 4); });
    row("is_prime", "n=65536 from 1000001", [&] { is_prime<<<512, 128>>>(ib, 1000001, 65536); });
    row("julia_double", "1024x1024 most=64", [&] { julia_double<<<dim3(64, 64), dim3(16, 16)>>>(bytes_out, w, 64); });
    row("value_noise", "1024x1024", [&] { value_noise<<<g8, t8>>>(bytes, fb, w); });
    row("ray_march", "1024x1024", [&] { ray_march<<<dim3(64, 64), dim3(16, 16)>>>(fb, w); });
    row("transform_points", "n=2097152", [&] { transform_points<<<blocks(2 * n, 256), 256>>>((float4 *)fa, (float4 *)fb, 2 * n); });
    row("tree_search", "n=1048576 depth=18", [&] { tree_search<<<blocks(n, 256), 256>>>(fa, fa + 2 * n, ib, n, 18); });
    row("moving_average", "8192 of 256", [&] { moving_average<<<64, 128>>>(fa, fb, 8192, 256); });
    row("hadamard", "2048 of 1024", [&] { hadamard<<<2048, 256>>>(fb); });
    row("fft8_batch", "n=262144", [&] { fft8_batch<<<1024, 256>>>((float2 *)fb, n / 4); });
    return 0;
}
