/* SPDX-License-Identifier: Apache-2.0 */
/* Options and checks of the programs that try the memory model. */
#ifndef MEMORY_CHECK_H
#define MEMORY_CHECK_H

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static struct { double seconds; unsigned seed; const char *only; } options = {4, 1, ""};
static int failures;

#define CHECK(call)                                                                                                                                                                                    \
    do {                                                                                                                                                                                               \
        cudaError_t e_ = (call);                                                                                                                                                                       \
        if (e_ != cudaSuccess) {                                                                                                                                                                       \
            printf("not ok - line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(e_));                                                                                                             \
            exit(1);                                                                                                                                                                                   \
        }                                                                                                                                                                                              \
    } while (0)

static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static bool wanted(const char *name) { return strstr(name, options.only) != NULL; }

/* Before any call of CUDA: the engine's threads are counted once. */
static void parse_options(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seconds")) options.seconds = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--threads")) setenv("HOSTWARP_THREADS", argv[i + 1], 1);
        else if (!strcmp(argv[i], "--seed")) options.seed = (unsigned)atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--only")) options.only = argv[i + 1];
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# seed %u\n", options.seed);
}

#endif
