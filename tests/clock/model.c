/* SPDX-License-Identifier: Apache-2.0 */
/* Times of kernels that were counted before (HOSTWARP_CLOCK_OUT), with any profile: for crossval.py. usage: model PROFILE FILE... */
#define _GNU_SOURCE
#include "gpu/kernel.h"

#include <stdio.h>

static void print_times(const struct gpu_profile *p, FILE *f, const char *file)
{
    static char line[65536];
    while (fgets(line, sizeof line, f)) {
        char name[512], grid[64], block[64], *at;
        double values[sizeof(struct gpu_counts) / sizeof(double)];
        struct gpu_counts c;
        struct gpu_result r;
        int n;
        if (sscanf(line, "counts %511s %63s %63s%n", name, grid, block, &n) != 3)
            continue;
        at = line + n;
        for (size_t k = 0; k < HW_LEN(values); k++)
            values[k] = strtod(at, &at);
        memcpy(&c, values, sizeof c);
        gpu_kernel_time(p, &c, &r);
        printf("%s %s %s %s %.0f", file, name, grid, block, r.ns);
        for (int k = 0; k < GPU_LIMIT_COUNT; k++)
            if (r.part[k] > 0.1 * r.ns && k != GPU_LIMIT_START)
                printf(" %s=%.1f", gpu_limit_names[k], r.part[k] / 1e3);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    struct gpu_profile p;
    struct hw_str error = { 0 };
    if (argc < 2 || !gpu_profile_load(NULL, argv[1], &p, &error)) {
        fprintf(stderr, "%s\n", error.s ? error.s : "usage: model PROFILE FILE...");
        return 2;
    }
    for (int a = 2; a < argc; a++) {
        FILE *f = fopen(argv[a], "r");
        if (!f)
            return 2;
        print_times(&p, f, argv[a]);
        fclose(f);
    }
    return 0;
}
