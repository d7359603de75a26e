/* SPDX-License-Identifier: Apache-2.0 */
/* Some lanes are off: gathers of words, pairs and doubles by index and by address, in global, shared and local memory, lists of what is kept, and rows of which a part is
   stored, for masks of every kind; and fminf and fmaxf with constants and without, bit for bit. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 4096, T = 256 };
static unsigned keep_of(unsigned i, unsigned kind) { return kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? i % 2 : kind == 3 ? i % 37 == 5 : kind == 4 ? i * 2654435761u >> 31 : i % 32 < 11; }
__device__ unsigned keep_here(unsigned i, unsigned kind) { return kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? i % 2 : kind == 3 ? i % 37 == 5 : kind == 4 ? i * 2654435761u >> 31 : i % 32 < 11; }

__global__ void gathers(const int *index, const int *word, const int2 *pair, const double *real, int *const *at, double *out, unsigned kind)
{
    __shared__ int tile[T];
    int i = blockIdx.x * blockDim.x + threadIdx.x, local[8];
    tile[threadIdx.x] = word[i];
    for (int k = 0; k < 8; k++)
        local[k] = word[(i + k) % N];
    __syncthreads();
    if (keep_here((unsigned)i, kind)) {
        int j = index[i];
        int2 p = pair[j];
        out[i] = word[j] + 2.0 * p.x + 3.0 * p.y + real[j] + 5.0 * *at[j] + 7.0 * tile[j % T] + 11.0 * local[j % 8];
    }
}

__global__ void lists(const int *word, int *out, const int *start, unsigned kind)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, votes = __ballot_sync(~0u, keep_here(i, kind));
    if (keep_here(i, kind))
        out[start[i / 32] + __popc(votes & ((1u << lane) - 1))] = word[i];
}

/* Nothing but the lanes that are on changes: others write beside them. */
__global__ void parts(char *c, short *s, int *w, double *d, unsigned kind)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (keep_here(i, kind)) {
        c[i] += 3;
        s[i] += 5;
        w[i] += 7;
        d[i] += 9;
    }
}

__global__ void limits(const float *a, const float *b, const double *c, float *out, double *far)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = b[i];
    float all[] = { fminf(x, 1.0f), fmaxf(x, 1.0f), fminf(2.5f, x), fmaxf(-2.5f, x), fminf(x, 0.0f), fmaxf(x, 0.0f), fminf(x, -0.0f), fmaxf(x, -0.0f), fminf(x, y), fmaxf(x, y),
                    fminf(x + 0.0f, y), fmaxf(x * 1.0f, y), fminf(x, INFINITY), fmaxf(x, -INFINITY), fminf(x, NAN), fmaxf(NAN, x) };
    for (int k = 0; k < 16; k++)
        out[k * N + i] = all[k];
    double z = c[i], w = y;
    double pick[] = { fmin(z, 1.0), fmax(z, 0.0), fmin(z, -0.0), fmin(z, 0.0), fmax(z, -0.0), fmin(z, w), fmax(w, z), fmax(3.0, z) };
    for (int k = 0; k < 8; k++)
        far[k * N + i] = pick[k];
}

/* Of a NaN and a number the number, of zeros the one below or above: as IEEE's minimumNumber. What a NaN's bits are is not asked. */
template <class F> static F pick(F a, F b, bool min)
{
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) ? b : a;
    if (a == b)
        return std::signbit(a) == min ? a : b;
    return (a < b) == min ? a : b;
}

template <class F> static bool same(F a, F b) { return (std::isnan(a) && std::isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

static int *word, *index_, *start_, *list, **at;
static int2 *pair_;
static double *real_, *sum, *d;
static char *c;
static short *s;
static int *w;

static int check_gathers(unsigned kind)
{
    memset(sum, 0, N * sizeof *sum);
    gathers<<<N / T, T>>>(index_, word, pair_, real_, at, sum, kind);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < N; i++) {
        int j = index_[i];
        double want = word[j] + 2.0 * pair_[j].x + 3.0 * pair_[j].y + real_[j] + 5.0 * *at[j] + 7.0 * word[i / T * T + j % T] + 11.0 * word[(i + j % 8) % N];
        if (sum[i] != (keep_of(i, kind) ? want : 0)) {
            printf("not ok gathers, kind %u: [%u] is %g, not %g\n", kind, i, sum[i], want);
            return 1;
        }
    }
    return 0;
}

static int check_lists(unsigned kind)
{
    int n = 0, at = 0;
    for (unsigned i = 0; i < N; i++) {
        if (i % 32 == 0)
            start_[i / 32] = n;
        n += (int)keep_of(i, kind);
    }
    memset(list, 0xff, (N + 64) * sizeof *list);
    lists<<<N / T, T>>>(word, list, start_, kind);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < N; i++)
        if (keep_of(i, kind) && list[at++] != word[i]) {
            printf("not ok lists, kind %u: [%d] is %d, not %d\n", kind, at - 1, list[at - 1], word[i]);
            return 1;
        }
    for (; at < N + 64; at++)
        if (list[at] != -1) {
            printf("not ok lists, kind %u: [%d] behind the end is %d\n", kind, at, list[at]);
            return 1;
        }
    return 0;
}

static int check_parts(unsigned kind)
{
    for (int i = 0; i < N; i++) {
        c[i] = (char)i;
        s[i] = (short)i;
        w[i] = i;
        d[i] = i;
    }
    parts<<<N / T, T>>>(c, s, w, d, kind);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < N; i++) {
        unsigned k = keep_of(i, kind);
        if (c[i] != (char)(i + 3 * k) || s[i] != (short)(i + 5 * k) || w[i] != (int)(i + 7 * k) || d[i] != i + 9 * k) {
            printf("not ok parts, kind %u: [%u] is %d %d %d %g\n", kind, i, c[i], s[i], w[i], d[i]);
            return 1;
        }
    }
    return 0;
}

static int check_limits()
{
    static const float kinds[] = { 0.0f, -0.0f, 1.0f, -1.0f, 2.5f, -2.5f, 3.0f, 1e-42f, -1e-42f, INFINITY, -INFINITY, NAN, -NAN };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    float *a, *b, *out;
    double *far, *z;
    cudaMallocManaged(&a, N * sizeof *a); cudaMallocManaged(&b, N * sizeof *b); cudaMallocManaged(&out, 16 * N * sizeof *out);
    cudaMallocManaged(&z, N * sizeof *z); cudaMallocManaged(&far, 8 * N * sizeof *far);
    for (int i = 0; i < N; i++) {
        a[i] = kinds[i % KINDS];
        b[i] = kinds[i / KINDS % KINDS];
        z[i] = a[i];
    }
    limits<<<N / T, T>>>(a, b, z, out, far);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) {
        float x = a[i], y = b[i];
        float want[] = { pick(x, 1.0f, true), pick(x, 1.0f, false), pick(2.5f, x, true), pick(-2.5f, x, false), pick(x, 0.0f, true), pick(x, 0.0f, false), pick(x, -0.0f, true), pick(x, -0.0f, false),
                         pick(x, y, true), pick(x, y, false), pick(x + 0.0f, y, true), pick(x, y, false), pick(x, INFINITY, true), pick(x, -INFINITY, false), x, x };
        double v = z[i], u = y;
        double wide[] = { pick(v, 1.0, true), pick(v, 0.0, false), pick(v, -0.0, true), pick(v, 0.0, true), pick(v, -0.0, false), pick(v, u, true), pick(u, v, false), pick(3.0, v, false) };
        for (int k = 0; k < 16; k++)
            if (!same(out[k * N + i], want[k])) {
                printf("not ok limits %d of %g and %g: %g, not %g\n", k, x, y, out[k * N + i], want[k]);
                return 1;
            }
        for (int k = 0; k < 8; k++)
            if (!same(far[k * N + i], wide[k])) {
                printf("not ok wide limits %d of %g and %g: %g, not %g\n", k, v, u, far[k * N + i], wide[k]);
                return 1;
            }
    }
    return 0;
}

int main()
{
    int bad = 0;
    cudaMallocManaged(&word, N * sizeof *word); cudaMallocManaged(&index_, N * sizeof *index_); cudaMallocManaged(&pair_, N * sizeof *pair_); cudaMallocManaged(&real_, N * sizeof *real_);
    cudaMallocManaged(&sum, N * sizeof *sum); cudaMallocManaged(&at, N * sizeof *at); cudaMallocManaged(&list, (N + 64) * sizeof *list); cudaMallocManaged(&start_, N / 32 * sizeof *start_);
    cudaMallocManaged(&c, N); cudaMallocManaged(&s, N * sizeof *s); cudaMallocManaged(&w, N * sizeof *w); cudaMallocManaged(&d, N * sizeof *d);
    for (int i = 0; i < N; i++) {
        word[i] = i * 7919 % 10007;
        index_[i] = i * 2741 % N;
        pair_[i] = make_int2(i * 3 % 1009, i * 5 % 1013);
        real_[i] = i * 0.5;
        at[i] = &word[i * 11 % N];
    }
    for (unsigned kind = 0; kind < 6; kind++)
        bad += check_gathers(kind) + check_lists(kind) + check_parts(kind);
    bad += check_limits();
    if (!bad)
        printf("ok\n");
    return bad != 0;
}
