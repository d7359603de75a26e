// SPDX-License-Identifier: Apache-2.0
// Variables whose addresses are handed to functions: sincosf(x, &s, &c) and the like, written in some lanes only, in loops, as vectors, with two sizes.
#include "app.h"
#include <math.h>
#include <string.h>
#include <vector>

enum { BLOCK = 96, N = 96 * 64 };                /* three warps: the last one of a group of two is alone */

/* Some lanes write, in some turns; the others keep what was there. */
__host__ __device__ __noinline__ void gather_up(uint32_t x, int *n, uint32_t *sum, uint64_t *product)
{
    if (x & 1) {
        ++*n;
        *sum += x;
    }
    if (x % 5 != 0)
        *product = *product * (x | 1) + (uint32_t)*n;
}

__host__ __device__ __noinline__ void spread(float x, float4 *v)
{
    *v = make_float4(x, 2 * x, 3 * x, v->w);
    if (x > 50)
        v->y = v->x + v->z;
}

/* The same bytes as one word of 64 bits and as two of 32. */
union both {
    uint64_t whole;
    uint32_t part[2];
};

__host__ __device__ __noinline__ void turn(union both *b, uint32_t x)
{
    uint32_t first = b->part[0];
    b->part[0] = b->part[1] ^ x;
    b->part[1] = first;
    b->whole += x;
}

__host__ __device__ __noinline__ uint32_t pick(const uint32_t *a, uint32_t k)
{
    return a[k & 3];
}

struct result {
    int n, exponent;
    uint32_t sum, picked;
    uint64_t product, turned;
    float4 v;
    float whole, part, fraction;
};

__host__ __device__ void all(uint32_t i, struct result *out)
{
    int n = 0, exponent;
    uint32_t sum = 7;
    uint64_t product = i;
    float whole, x = (float)(app_random(i) % 1000) / 8;
    float4 v = make_float4(0, 0, 0, 5);
    union both b;
    b.whole = i;
    for (uint32_t k = 0; k < i % 9; k++) {
        gather_up(app_random(i * 16 + k), &n, &sum, &product);
        spread(x + k, &v);
        turn(&b, app_random(k));
    }
    uint32_t four[4] = { i, sum, ~i, 3 };
    four[i & 3] += 1;
    out->part = modff(x, &whole);
    out->fraction = frexpf(x + 1, &exponent);
    out->n = n;
    out->exponent = exponent;
    out->sum = sum;
    out->picked = pick(four, i / 4);
    out->product = product;
    out->turned = b.whole;
    out->v = v;
    out->whole = whole;
}

__global__ void run(struct result *out)
{
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    all(i, &out[i]);
}

/* Few variables, none of which anybody else can reach: these are registers. */
__global__ void pairs(const float *in, float2 *out, float *sums)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float s, c, sum = 0;
    sincosf(in[i], &s, &c);
    out[i] = make_float2(s, c);
    for (int k = 0; k < i % 7; k++) {
        if ((i + k) % 3)
            sincosf(0.25f * k * (i % 32), &s, &c);
        sum += s * 2 + c;                        /* the last ones where there are no new ones */
    }
    sums[i] = sum;
}

static double error_in_ulps(float got, double want)
{
    int e;
    if (isnan(want))
        return isnan(got) ? 0 : 1e9;
    frexp(want, &e);
    return fabs((double)got - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

static float argument(int i)
{
    static const float special[] = { 0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, -1e-30f, 0x1.921fb6p+0f, 0x1.921fb4p+1f, 105615.0f, 105615.01f, -105616.0f, 3e38f,
                                     0x1.9a48dep+15f, 0x1.27f2a6p+16f, 1e6f, 0.7853981f, 0.78539825f };
    uint32_t bits = app_random((uint32_t)i);
    float x;
    if (i < (int)(sizeof special / sizeof *special))
        return special[i];
    memcpy(&x, &bits, sizeof x);
    return i % 3 == 0 ? x : i % 3 == 1 ? (float)((int32_t)bits) / 0x1p20f : (float)((int32_t)bits) / 0x1p15f;
}

int main()
{
    std::vector<struct result> got(N);
    std::vector<float> in(N), sums(N);
    std::vector<float2> trig(N);
    struct result *d_out, want;
    float *d_in, *d_sums;
    float2 *d_trig;
    int wrong = 0;
    double worst = 0, worst_sum = 0;
    for (int i = 0; i < N; i++)
        in[i] = argument(i);
    CUDA(cudaMalloc(&d_out, N * sizeof *d_out));
    CUDA(cudaMalloc(&d_in, N * sizeof *d_in));
    CUDA(cudaMalloc(&d_sums, N * sizeof *d_sums));
    CUDA(cudaMalloc(&d_trig, N * sizeof *d_trig));
    CUDA(cudaMemset(d_out, 0, N * sizeof *d_out));
    CUDA(cudaMemcpy(d_in, in.data(), N * sizeof *d_in, cudaMemcpyHostToDevice));
    run<<<N / BLOCK, BLOCK>>>(d_out);
    pairs<<<N / BLOCK, BLOCK>>>(d_in, d_trig, d_sums);
    CUDA(cudaMemcpy(got.data(), d_out, N * sizeof *d_out, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(trig.data(), d_trig, N * sizeof *d_trig, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(sums.data(), d_sums, N * sizeof *d_sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        memset(&want, 0, sizeof want);
        all((uint32_t)i, &want);
        if (memcmp(&want, &got[i], sizeof want) != 0 && wrong++ < 5)
            printf("thread %d: n %d (%d), sum %u (%u), product %llx (%llx), turned %llx (%llx), picked %u (%u), v.y %g (%g), whole %g (%g)\n", i, got[i].n, want.n, got[i].sum,
                   want.sum, (unsigned long long)got[i].product, (unsigned long long)want.product, (unsigned long long)got[i].turned,
                   (unsigned long long)want.turned, got[i].picked, want.picked, got[i].v.y, want.v.y, got[i].whole, want.whole);
        double s = sin((double)in[i]), c = cos((double)in[i]), sum = 0, e = fmax(error_in_ulps(trig[i].x, s), error_in_ulps(trig[i].y, c));
        worst = fmax(worst, e);
        if ((e > 2 || (in[i] == 0 && signbit(in[i]) != signbit(trig[i].x))) && wrong++ < 5)
            printf("sincosf(%a) = %a, %a, want %a, %a\n", in[i], trig[i].x, trig[i].y, s, c);
        for (int k = 0; k < i % 7; k++) {
            if ((i + k) % 3) {
                s = sin(0.25 * k * (i % 32));
                c = cos(0.25 * k * (i % 32));
            }
            sum += s * 2 + c;
        }
        worst_sum = fmax(worst_sum, isnan(sum) && isnan(sums[i]) ? 0 : fabs(sum - sums[i]));
    }
    if (!(worst_sum < 1e-5)) {
        printf("sums differ by %g\n", worst_sum);
        wrong++;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
