/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a family's kernels, each in several spellings, and the program that checks and times them beside the plain loop. */
#include "common.h"

#include <cstdio>
#include <ctime>
#include <cuda_runtime.h>

struct spelling {
    const char *kernel, *name;
    void (*launch)(struct data x);
    void (*plain)(const struct data *x);
    int floats, ints;            /* results in out and num */
    float tolerance;
};

/* EVERYDAY_CLOCK=cpu: the process's time on the CPUs, for machines on which others work too; compare with one thread on both sides. */
static double seconds()
{
    static const char *clock = getenv("EVERYDAY_CLOCK");
    struct timespec t;
    clock_gettime(clock && strcmp(clock, "cpu") == 0 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

#define BLOCKS(n, t) (((n) + (t) - 1) / (t))
#define I (blockIdx.x * blockDim.x + threadIdx.x)

static struct data allocate(void *(*get)(size_t))
{
    struct data x;
    x.a = (float *)get(4 * N); x.b = (float *)get(4 * N); x.c = (float *)get(4 * N); x.out = (float *)get(4 * N); x.d = (double *)get(8 * N);
    x.idx = (int *)get(4 * N); x.key = (int *)get(4 * N); x.num = (int *)get(4 * N); x.byte = (unsigned char *)get(N);
    return x;
}
static void *on_host(size_t n) { void *p = aligned_alloc(64, n); memset(p, 0, n); return p; }
static void *on_device(size_t n) { void *p = NULL; if (cudaMalloc(&p, n) != cudaSuccess) exit(2); cudaMemset(p, 0, n); return p; }

static void fill(struct data *x)
{
    uint32_t s = 2463534242u;
    auto next = [&s]() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
    for (int i = 0; i < N; i++) {
        x->a[i] = (next() >> 8) * 0x1p-24f; x->b[i] = (next() >> 8) * 0x1p-24f; x->c[i] = (next() >> 8) * 0x1p-24f;
        x->d[i] = 0.5 + x->a[i]; x->key[i] = (int)(next() % N); x->byte[i] = (unsigned char)(next() >> 13); x->idx[i] = i;
    }
    for (int i = N - 1; i > 0; i--) { int k = (int)(next() % (uint32_t)(i + 1)), t = x->idx[i]; x->idx[i] = x->idx[k]; x->idx[k] = t; }
}

static bool same(const struct spelling *k, const struct data *host, struct data device)
{
    static float f[N];
    static int q[N];
    cudaMemcpy(f, device.out, 4 * (size_t)k->floats, cudaMemcpyDefault);
    cudaMemcpy(q, device.num, 4 * (size_t)k->ints, cudaMemcpyDefault);
    for (int i = 0; i < k->floats; i++)
        if (!(fabsf(f[i] - host->out[i]) <= k->tolerance * (1 + fabsf(host->out[i])))) { fprintf(stderr, "%s %s: out[%d] is %g, not %g\n", k->kernel, k->name, i, f[i], host->out[i]); return false; }
    for (int i = 0; i < k->ints; i++)
        if (q[i] != host->num[i]) { fprintf(stderr, "%s %s: num[%d] is %d, not %d\n", k->kernel, k->name, i, q[i], host->num[i]); return false; }
    return true;
}

/* Both sides in turn, so that what disturbs one disturbs the other. */
static bool measure(const struct spelling *k, const struct data *host, struct data device, int rounds)
{
    double best[2] = { 1e9, 1e9 };
    memset(host->out, 0, 4 * N); memset(host->num, 0, 4 * N);
    cudaMemset(device.out, 0, 4 * N); cudaMemset(device.num, 0, 4 * N);
    k->plain(host);
    k->launch(device);
    if (cudaDeviceSynchronize() != cudaSuccess || !same(k, host, device)) { printf("%s %s WRONG\n", k->kernel, k->name); return false; }
    for (int r = 0; r < rounds; r++)
        for (int side = 0; side < 2; side++) {
            double t = seconds();
            if (side) { k->launch(device); cudaDeviceSynchronize(); } else k->plain(host);
            t = seconds() - t;
            best[side] = t < best[side] ? t : best[side];
        }
    printf("%s %s cuda=%.6f omp=%.6f ratio=%.3f\n", k->kernel, k->name, best[1] * 1e3, best[0] * 1e3, best[0] / best[1]);
    fflush(stdout);
    return true;
}

/* PROGRAM ROUNDS [KERNEL] */
static int run(const struct spelling *table, int n, int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10, bad = 0;
    struct data host = allocate(on_host), device = allocate(on_device);
    fill(&host);
    cudaMemcpy(device.a, host.a, 4 * N, cudaMemcpyDefault); cudaMemcpy(device.b, host.b, 4 * N, cudaMemcpyDefault); cudaMemcpy(device.c, host.c, 4 * N, cudaMemcpyDefault);
    cudaMemcpy(device.d, host.d, 8 * N, cudaMemcpyDefault); cudaMemcpy(device.idx, host.idx, 4 * N, cudaMemcpyDefault); cudaMemcpy(device.key, host.key, 4 * N, cudaMemcpyDefault);
    cudaMemcpy(device.byte, host.byte, N, cudaMemcpyDefault);
    for (int k = 0; k < n; k++)
        if (argc < 3 || strcmp(argv[2], table[k].kernel) == 0)
            bad += !measure(&table[k], &host, device, rounds);
    return bad ? 1 : 0;
}

/* A spelling of a kernel: SPELL(kernel, spelling, floats, ints, tolerance, launch) */
#define SPELL(kernel, name, floats, ints, tolerance, ...) { #kernel, #name, [](struct data x) { (void)x; __VA_ARGS__; }, omp_##kernel, floats, ints, tolerance }
#define MAIN(table) int main(int argc, char **argv) { return run(table, sizeof table / sizeof *table, argc, argv); }
