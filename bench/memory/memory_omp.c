/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory, OpenMP variant: the best that this system gives a program. Huge pages, touched by all threads or populated by the system
 * for them, and then locked; memcpy, or stores that go past the cache, by all threads where that is faster; malloc and free.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define GIB ((size_t)1 << 30)

static void report(const char *name, double seconds, long check, double work, const char *unit)
{
    printf("memory.%s omp seconds=%.9f check=%ld work=%.0f unit=%s\n", name, seconds, check, work, unit);
}

static void page_lock(int reps)
{
    const size_t piece = (size_t)4 << 20;
    double best = 1e9;
    for (int r = -1; r < 2 * reps; r++) {        /* the first does not count, as in the CUDA variant */
        double t = omp_get_wtime();
        char *p = mmap(NULL, GIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            exit(2);
        madvise(p, GIB, MADV_HUGEPAGE);
#pragma omp parallel for schedule(dynamic)
        for (size_t at = 0; at < GIB; at += piece)
            if (r % 2 == 0 || madvise(p + at, piece, MADV_POPULATE_WRITE))
                for (size_t i = 0; i < piece; i += 4096)
                    p[at + i] = 0;
        mlock(p, GIB);                           /* where the limit forbids it, touching is all that can be had */
        t = omp_get_wtime() - t;
        best = r >= 0 && t < best ? t : best;
        munmap(p, GIB);
    }
    report("page_lock_1g", best, 1, (double)GIB, "GB/s");
}

/* Past the cache. */
static void stream(char *dst, const char *src, size_t bytes)
{
#ifdef __SSE2__
    for (; bytes >= 64; bytes -= 64, dst += 64, src += 64)
        for (int i = 0; i < 64; i += 16)
            _mm_stream_si128((__m128i *)(dst + i), _mm_loadu_si128((const __m128i *)(src + i)));
    _mm_sfence();
#endif
    memcpy(dst, src, bytes);
}

static char *huge(size_t bytes)
{
    size_t align = bytes >= (2u << 20) ? 2u << 20 : 4096;
    char *p = aligned_alloc(align, bytes);
    if (!p)
        exit(2);
    madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

static void parallel_copy(char *dst, const char *src, size_t bytes, void (*copy)(char *dst, const char *src, size_t bytes))
{
#pragma omp parallel
    {
        size_t n = (size_t)omp_get_num_threads(), part = (bytes / n + 4095) & ~(size_t)4095, at = part * (size_t)omp_get_thread_num();
        if (at < bytes)
            copy(dst + at, src + at, bytes - at < part ? bytes - at : part);
    }
}

static void plain(char *dst, const char *src, size_t bytes)
{
    memcpy(dst, src, bytes);
}

static void copies(const char *name, size_t bytes, int n, int reps)
{
    char *src = huge(bytes), *dst = huge(bytes);
    double best = 1e9;
    memset(src, 3, bytes);
    memset(dst, 0, bytes);
    for (int way = 0; way < 4; way++) {
        for (int r = 0; r < reps; r++) {
            double t = omp_get_wtime();
            for (int i = 0; i < n; i++) {
                if (way > 1)
                    parallel_copy(dst, src, bytes, way == 2 ? plain : stream);
                else if (way == 1)
                    stream(dst, src, bytes);
                else
                    memcpy(dst, src, bytes);
                __asm__ volatile("" : : "r"(dst) : "memory");
            }
            t = omp_get_wtime() - t;
            best = t < best ? t : best;
        }
    }
    report(name, best, dst[0] + dst[bytes - 1], (double)bytes * n, "GB/s");
    free(src);
    free(dst);
}

static void walk(int reps)
{
    const size_t all = (size_t)64 << 20, piece = 4096;
    char *src = huge(all), *dst = huge(all);
    double best = 1e9;
    memset(src, 3, all);
    memset(dst, 0, all);
    for (int r = 0; r < reps; r++) {
        double t = omp_get_wtime();
        for (size_t at = 0; at < all; at += piece) {
            memcpy(dst + at, src + at, piece);
            __asm__ volatile("" : : "r"(dst) : "memory");
        }
        t = omp_get_wtime() - t;
        best = t < best ? t : best;
    }
    report("copy_4k_walk", best, dst[0] + dst[all - 1], (double)all, "GB/s");
    free(src);
    free(dst);
}

static void pairs(int reps)
{
    const int n = 10000;
    double best = 1e9;
    for (int r = 0; r < reps; r++) {
        double t = omp_get_wtime();
        for (int i = 0; i < n; i++) {
            void *p = malloc(1024);
            __asm__ volatile("" : : "r"(p) : "memory");
            free(p);
        }
        t = omp_get_wtime() - t;
        best = t < best ? t : best;
    }
    report("alloc_free_pairs", best, n, n, "calls/s");
}

static void random_sizes(void)
{
    enum { ALIVE = 4096 };
    static void *slot[ALIVE];
    unsigned long long seed = 7;
    double t = omp_get_wtime();
    for (int i = 0; i < 1000000; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        unsigned k = (unsigned)(seed >> 40) % ALIVE;
        if (slot[k]) {
            free(slot[k]);
            slot[k] = NULL;
        } else {
            size_t size = (size_t)1 << (seed >> 33) % 15;
            slot[k] = malloc(size + (seed >> 20) % size);
        }
    }
    t = omp_get_wtime() - t;
    for (int k = 0; k < ALIVE; k++)
        free(slot[k]);
    report("random_sizes", t, 1000000, 1e6, "calls/s");
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 5;
    page_lock(reps < 3 ? reps : 3);
    copies("copy_4k", 4096, 10000, reps);
    walk(reps);
    copies("copy_1m", (size_t)1 << 20, 200, reps);
    copies("copy_256m", (size_t)256 << 20, 2, reps);
    pairs(reps);
    random_sizes();
    return 0;
}
