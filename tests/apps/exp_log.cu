// SPDX-License-Identifier: Apache-2.0
// expf and logf are written into kernels: within 1 ulp over all floats (a sample), and the same bits at every vector width.
#include "app.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20, STEP = 4099 };               // a prime step through all bit patterns

__global__ void both(float *e, float *l)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = __uint_as_float(i * STEP);
    e[i] = expf(x);
    l[i] = logf(x);
}

static double ulps(float got, double want)
{
    int e;
    if (isnan(want))
        return isnan(got) ? 0 : 1e9;
    if (isinf((float)want) || want == 0)
        return got == (float)want ? 0 : 1e9;
    frexp(want, &e);
    return fabs(got - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

int main()
{
    float *e, *l, *d;
    CUDA(cudaMalloc(&d, 2 * N * sizeof(float)));
    both<<<N / 256, 256>>>(d, d + N);
    e = (float *)malloc(2 * N * sizeof(float));
    l = e + N;
    CUDA(cudaMemcpy(e, d, 2 * N * sizeof(float), cudaMemcpyDeviceToHost));
    double worst_exp = 0, worst_log = 0;
    uint32_t hash = 0;
    for (uint32_t i = 0; i < N; i++) {
        float x;
        uint32_t bits = i * STEP, word;
        memcpy(&x, &bits, sizeof x);
        worst_exp = fmax(worst_exp, ulps(e[i], exp((double)x)));
        worst_log = fmax(worst_log, ulps(l[i], log((double)x)));
        if (x == x) {
            memcpy(&word, &e[i], sizeof word);
            hash = hash * 31 + word;
            memcpy(&word, &l[i], sizeof word);
            hash = hash * 31 + (l[i] == l[i] ? word : 0);
        }
    }
    printf("expf within 1 ulp: %s\nlogf within 1 ulp: %s\n", worst_exp <= 1 ? "yes" : "no", worst_log <= 1 ? "yes" : "no");
    printf("bits %08x\n", hash);
    return 0;
}
