/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: page-locking 1 GiB; copies from page-locked memory to the device of 4 KiB (again and again the same, and walking
 * through 64 MiB), 1 MiB and 256 MiB; pairs of a small allocation and its release; a million allocations and releases of random sizes in random order.
 *
 * CUDA variant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cuda_runtime.h>

#define CHECK(call) check((call), #call)
#define GIB ((size_t)1 << 30)

static void check(cudaError_t err, const char *what)
{
    if (err != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(err));
        exit(2);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void report(const char *name, double seconds, long check, double work, const char *unit)
{
    printf("memory.%s cuda seconds=%.9f check=%ld work=%.0f unit=%s\n", name, seconds, check, work, unit);
}

/* The first round does not count: a virtual machine may have given the memory back to its host, which is then slow to return it. */
static void page_lock(int reps)
{
    double best = 1e9;
    for (int r = -1; r < reps; r++) {
        void *p;
        double t = now();
        CHECK(cudaHostAlloc(&p, GIB, cudaHostAllocDefault));
        t = now() - t;
        best = r >= 0 && t < best ? t : best;
        CHECK(cudaFreeHost(p));
    }
    report("page_lock_1g", best, 1, (double)GIB, "GB/s");
}

static void copies(const char *name, size_t bytes, int n, int reps)
{
    char *host, *dev;
    double best = 1e9;
    CHECK(cudaHostAlloc((void **)&host, bytes, cudaHostAllocDefault));
    CHECK(cudaMalloc((void **)&dev, bytes));
    memset(host, 3, bytes);
    CHECK(cudaMemcpy(dev, host, bytes, cudaMemcpyDefault));
    for (int r = 0; r < reps; r++) {
        double t = now();
        for (int i = 0; i < n; i++)
            CHECK(cudaMemcpy(dev, host, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        best = t < best ? t : best;
    }
    memset(host, 0, bytes);
    CHECK(cudaMemcpy(host, dev, bytes, cudaMemcpyDeviceToHost));
    report(name, best, host[0] + host[bytes - 1], (double)bytes * n, "GB/s");
    CHECK(cudaFree(dev));
    CHECK(cudaFreeHost(host));
}

/* Pieces of 4 KiB one after the other, as programs copy that have more than fits into the cache. */
static void walk(int reps)
{
    const size_t all = (size_t)64 << 20, piece = 4096;
    char *host, *dev;
    double best = 1e9;
    CHECK(cudaHostAlloc((void **)&host, all, cudaHostAllocDefault));
    CHECK(cudaMalloc((void **)&dev, all));
    memset(host, 3, all);
    CHECK(cudaMemset(dev, 0, all));
    CHECK(cudaDeviceSynchronize());
    for (int r = 0; r < reps; r++) {
        double t = now();
        for (size_t at = 0; at < all; at += piece)
            CHECK(cudaMemcpy(dev + at, host + at, piece, cudaMemcpyHostToDevice));
        t = now() - t;
        best = t < best ? t : best;
    }
    memset(host, 0, all);
    CHECK(cudaMemcpy(host, dev, all, cudaMemcpyDeviceToHost));
    report("copy_4k_walk", best, host[0] + host[all - 1], (double)all, "GB/s");
    CHECK(cudaFree(dev));
    CHECK(cudaFreeHost(host));
}

static void pairs(int reps)
{
    const int n = 10000;
    double best = 1e9;
    for (int r = 0; r < reps; r++) {
        double t = now();
        for (int i = 0; i < n; i++) {
            void *p;
            CHECK(cudaMalloc(&p, 1024));
            CHECK(cudaFree(p));
        }
        t = now() - t;
        best = t < best ? t : best;
    }
    report("alloc_free_pairs", best, n, n, "calls/s");
}

/* A million in all, with up to 4096 alive; how much more than asked for is taken at the worst moment is shown, not measured. */
static void random_sizes(void)
{
    enum { ALIVE = 4096 };
    static void *slot[ALIVE];
    static size_t size[ALIVE];
    size_t free0, free1, total, asked = 0, most = 0, taken = 0;
    unsigned long long seed = 7;
    CHECK(cudaMemGetInfo(&free0, &total));
    double t = now();
    for (int i = 0; i < 1000000; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        unsigned k = (unsigned)(seed >> 40) % ALIVE;
        if (slot[k]) {
            CHECK(cudaFree(slot[k]));
            asked -= size[k];
            slot[k] = NULL;
        } else {
            size[k] = (size_t)1 << (seed >> 33) % 15;
            size[k] += (seed >> 20) % size[k];
            CHECK(cudaMalloc(&slot[k], size[k]));
            asked += size[k];
        }
        if (asked > most && i % 1000 == 0) {
            most = asked;
            CHECK(cudaMemGetInfo(&free1, &total));
            taken = free0 - free1;
        }
    }
    t = now() - t;
    for (int k = 0; k < ALIVE; k++)
        CHECK(cudaFree(slot[k]));
    CHECK(cudaMemGetInfo(&free1, &total));
    fprintf(stderr, "memory.random_sizes: %zu bytes asked for took %zu; %zu not given back\n", most, taken, free0 - free1);
    report("random_sizes", t, 1000000, 1e6, "calls/s");
    if (free0 - free1 > (4u << 20))              /* one spare slab may stay */
        exit(1);
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 5;
    CHECK(cudaFree(NULL));
    page_lock(reps < 3 ? reps : 3);
    copies("copy_4k", 4096, 10000, reps);
    walk(reps);
    copies("copy_1m", (size_t)1 << 20, 200, reps);
    copies("copy_256m", (size_t)256 << 20, 2, reps);
    pairs(reps);
    random_sizes();
    return 0;
}
