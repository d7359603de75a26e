/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP in host code. clang's code calls libomp, which may be installed without its headers or belong to another version of LLVM; it has the functions of
 * gcc's libgomp as well. omp.h may be gcc's: it declares the same functions.
 */
#include "cli/cc.h"

#include <glob.h>
#include <stdio.h>

#define OPENMP_VERSION "201511"          /* what gcc defines _OPENMP as: clang's omp.h has pragmas for newer ones, which device code lacks */

/* The first that is there. */
static char *find_first(const char *const *patterns, size_t n)
{
    char *found = NULL;
    for (size_t i = 0; i < n && !found; i++) {
        glob_t g;
        if (glob(patterns[i], 0, NULL, &g) == 0)
            found = hw_strdup(g.gl_pathv[g.gl_pathc - 1]);
        globfree(&g);
    }
    return found;
}

static char *find_library(void)
{
    static const char *const places[] = {
        "/usr/lib/llvm-19/lib/libomp.so", "/usr/lib/llvm-[12]?/lib/libomp.so", "/usr/lib/*-linux-gnu/libomp.so.5", "/usr/lib/llvm-[12]?/lib/libomp.so.5",
        "/usr/lib64/libomp.so", "/usr/lib/libomp.so", "/usr/local/lib/libomp.so",
    };
    return find_first(places, HW_LEN(places));
}

static char *find_header(void)
{
    static const char *const places[] = {
        "/usr/lib/llvm-19/lib/clang/19*/include/omp.h", "/usr/lib/llvm-[12]?/lib/clang/*/include/omp.h", "/usr/lib/gcc/*-linux-gnu/*/include/omp.h",
        "/usr/lib64/clang/*/include/omp.h", "/usr/lib/clang/*/include/omp.h", "/usr/include/omp.h", "/usr/local/include/omp.h",
    };
    return find_first(places, HW_LEN(places));
}

/* Device code sees the macro, and leaves the pragmas alone. gcc finds omp.h without being asked for OpenMP, and programs include it so. */
void cc_openmp_compile(struct cli_args *args, const struct cc_job *job, bool host)
{
    char *header = find_header();
    if (header) {                                                /* not its folder: that holds other headers of its compiler too */
        cli_addf(args, "-idirafter%s/include/hostwarp/omp", cli_root());
        cli_addf(args, "-DHOSTWARP_OMP_H=\"%s\"", header);
    }
    if (job->openmp)
        cli_add(args, host ? "-fopenmp=libomp" : "-D_OPENMP=" OPENMP_VERSION);
    if (job->openmp && host) {                                   /* what an older libomp lacks */
        cli_add(args, "-include");
        cli_addf(args, "%s/include/hostwarp/openmp.h", cli_root());
    }
    hw_free(header);
}

bool cc_openmp_link(struct cli_args *args)
{
    char *library = find_library();
    if (library)
        cli_add(args, library);
    else
        cli_error("OpenMP needs clang's library libomp, which is not installed (Debian's package: libomp-19-dev)");
    bool found = library;
    hw_free(library);
    return found;
}

bool cc_openmp_is_library(const char *word) { return strcmp(word, "-lgomp") == 0 || strcmp(word, "-lomp") == 0 || strcmp(word, "-liomp5") == 0; }
