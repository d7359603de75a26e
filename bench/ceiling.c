/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a machine's cores give beside each other, no kernel involved: multiply-adds in registers. `latency`: each waits for the one
 * before it. `full`: as many as the units take. No program of that kind scales better than this.
 *
 * usage: ceiling THREADS     prints a line `NAME seconds=S` each
 */
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PIECES = 4000, STEPS = 5000, MOST = 256 };

#define WIDE __attribute__((target("avx512f")))
#define NARROW __attribute__((target("avx2,fma")))

static WIDE void latency(int n)
{
    __m512 a = _mm512_set1_ps(1), b = _mm512_set1_ps(0.5f);
    for (int i = 0; i < n; i++) {
        a = _mm512_fmadd_ps(a, b, b);
        __asm__ volatile("" : "+v"(a));
    }
}

static WIDE void full_512(int n)
{
    __m512 a[16], b = _mm512_set1_ps(0.5f);
    for (int j = 0; j < 16; j++)
        a[j] = b;
    for (int i = 0; i < n / 4; i++)
#pragma GCC unroll 16
        for (int j = 0; j < 16; j++) {
            a[j] = _mm512_fmadd_ps(a[j], b, b);
            __asm__ volatile("" : "+v"(a[j]));
        }
}

static NARROW void full_256(int n)
{
    __m256 a[12], b = _mm256_set1_ps(0.5f);
    for (int j = 0; j < 12; j++)
        a[j] = b;
    for (int i = 0; i < n / 3; i++)
#pragma GCC unroll 12
        for (int j = 0; j < 12; j++) {
            a[j] = _mm256_fmadd_ps(a[j], b, b);
            __asm__ volatile("" : "+x"(a[j]));
        }
}

static const struct { const char *name; void (*fn)(int); int wide; } kinds[] = {
    { "fma512_latency", latency, 1 },
    { "fma512_full", full_512, 1 },
    { "fma256_full", full_256, 0 },
};

static int threads;
static void (*piece)(int);
static atomic_int arrived, left;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void *work(void *arg)
{
    double *begin = arg;
    arrived++;
    while (arrived < threads)
        ;
    if (begin)
        *begin = now();
    while (left-- > 0)
        piece(STEPS);
    return NULL;
}

int main(int argc, char **argv)
{
    threads = argc == 2 ? atoi(argv[1]) : 0;
    if (threads < 1 || threads > MOST) {
        fprintf(stderr, "usage: ceiling THREADS (1 to %d)\n", MOST);
        return 2;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (kinds[k].wide ? !__builtin_cpu_supports("avx512f") : !__builtin_cpu_supports("avx2"))
            continue;
        double best = 1e9;
        piece = kinds[k].fn;
        for (int round = 0; round < 10; round++) {
            pthread_t t[MOST];
            double begin = 0;
            arrived = 0;
            left = PIECES;
            for (int i = 1; i < threads; i++)
                if (pthread_create(&t[i], NULL, work, NULL)) {
                    perror("pthread_create");
                    return 1;
                }
            work(&begin);
            for (int i = 1; i < threads; i++)
                pthread_join(t[i], NULL);
            double s = now() - begin;
            best = s < best ? s : best;
        }
        printf("%s seconds=%.9f\n", kinds[k].name, best);
    }
    return 0;
}
