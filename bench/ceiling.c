/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a machine's cores give beside each other, no kernel involved: multiply-adds in registers. `latency`: each waits for the one
 * before it. `full`: as many as the units take. No program of that kind scales better than this. `slow_cores`: how many did
 * less than 0.7 of what the best one did meanwhile. Cores of a virtual machine may be two threads of one core.
 *
 * usage: ceiling THREADS     prints a line `NAME seconds=S slow_cores=N` each
 */
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
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
#pragma GCC unroll 16                            /* a loop would keep the sums in memory */
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
#pragma GCC unroll 12
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
static struct { double begin, end; int pieces; char pad[40]; } seen[MOST];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void *work(void *arg)
{
    int self = (int)(intptr_t)arg, pieces = 0;
    arrived++;
    while (arrived < threads)
        ;
    seen[self].begin = now();
    for (; left-- > 0; pieces++)
        piece(STEPS);
    seen[self].end = now();
    seen[self].pieces = pieces;
    return NULL;
}

/* From the first to begin until the last is done. */
static double one_round(void)
{
    pthread_t t[MOST];
    arrived = 0;
    left = PIECES;
    for (int i = 1; i < threads; i++)
        if (pthread_create(&t[i], NULL, work, (void *)(intptr_t)i)) {
            perror("pthread_create");
            exit(1);
        }
    work(NULL);
    double begin = seen[0].begin, end = seen[0].end;
    for (int i = 1; i < threads; i++) {
        pthread_join(t[i], NULL);
        begin = seen[i].begin < begin ? seen[i].begin : begin;
        end = seen[i].end > end ? seen[i].end : end;
    }
    return end - begin;
}

/* Of the last round. */
static int slow_cores(void)
{
    int most = 0, n = 0;
    for (int i = 0; i < threads; i++)
        most = seen[i].pieces > most ? seen[i].pieces : most;
    for (int i = 0; i < threads; i++)
        n += seen[i].pieces < 0.7 * most;
    return n;
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
        int slow = 0;
        piece = kinds[k].fn;
        for (int round = 0; round < 10; round++) {
            double s = one_round();
            if (s < best) {
                best = s;
                slow = slow_cores();
            }
        }
        printf("%s seconds=%.9f slow_cores=%d\n", kinds[k].name, best, slow);
    }
    return 0;
}
