/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for bench/everyday/bench.h when its kernels are timed or counted as the other probes are: a copy of the family's .cu beside this file under that name. */
#include "common.h"
#include "probe.h"

struct spelling {
    const char *kernel, *name;
    void (*launch)(struct data x);
};

#define BLOCKS(n, t) (((n) + (t) - 1) / (t))
#define I (blockIdx.x * blockDim.x + threadIdx.x)

static int run(const struct spelling *table, int n, int argc, char **argv)
{
    struct data x;
    std::vector<int> order(N);
    probe_begin(argc, argv);
    for (int i = 0; i < N; i++)
        order[i] = i;
    for (int i = N - 1; i > 0; i--)
        std::swap(order[i], order[next_random() % (uint32_t)(i + 1)]);
    for (float **p : { &x.a, &x.b, &x.c })
        *p = on_device<float>(N, [](size_t) { return next_float(); });
    x.d = on_device<double>(N, [](size_t) { return 0.5 + next_float(); });
    x.key = on_device<int>(N, [](size_t) { return (int)(next_random() % N); });
    x.byte = on_device<unsigned char>(N, [](size_t) { return (unsigned char)(next_random() >> 13); });
    x.idx = on_device<int>(N, [&](size_t i) { return order[i]; });
    x.out = zeros<float>(N);
    x.num = zeros<int>(N);
    for (int k = 0; k < n; k++)
        row(table[k].kernel, table[k].name, [&] { table[k].launch(x); });
    return 0;
}

#define SPELL(kernel, name, floats, ints, tolerance, ...) { #kernel, #name, [](struct data x) { (void)x; __VA_ARGS__; } }
#define MAIN(table) int main(int argc, char **argv) { return run(table, sizeof table / sizeof *table, argc, argv); }
