/* SPDX-License-Identifier: Apache-2.0 */
/* A million random calls of the runtime's table, in the library beside this program. */
#define _GNU_SOURCE
#include "fuzz_table.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static struct fuzz_row rows[] = {
#define API(base, sym, lib, pt, flags, params, args) {#sym, #params, NULL},
#define STUB(base, sym, lib, pt, flags, params, args) {#sym, #params, NULL},
#define SAME(base, sym, other, lib, pt, flags, params, args) {#sym, #params, NULL},
#define HAND(base, sym, lib, pt, flags, params, args)
#include "runtime/runtime.def"
#undef API
#undef STUB
#undef SAME
#undef HAND
};

/* Calls that run a function of ours, name variables and kernels of a program, or belong to others' tests; and rectangles, whose
   sizes are not for the little memory that pointers point at. */
static bool left_out(const char *name)
{
    static const char *const words[] = {"Callback", "HostFunc", "UserObject", "Graph", "Launch", "Func", "Symbol", "Kernel", "Library", "Capture",
                                        "EntryPoint", "ExportTable", "Logs", "Batch", "Memcpy2D", "Memcpy3D", "Occupancy", "SetDouble"};
    for (size_t i = 0; i < HW_LEN(words); i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static void nothing(void)
{
}

static bool wild(const struct fuzz_row *row)
{
    return !strstr(row->params, "**") && !strstr(row->params, "Parms");
}

int main(int argc, char **argv)
{
    const struct fuzz_table table = {rows, (int)HW_LEN(rows), nothing, wild};
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    if (n <= 0)
        return 2;
    path[n] = 0;
    *strrchr(path, '/') = 0;
    strcat(path, "/../src/runtime/libcudart.so.12");
    if (access(path, R_OK)) {
        printf("ok # SKIP this build has no runtime library\n");
        return 0;
    }
    void *lib = dlopen(path, RTLD_NOW);
    if (!lib) {
        printf("not ok the library loads: %s\n", dlerror());
        return 1;
    }
    for (size_t i = 0; i < HW_LEN(rows); i++)
        rows[i].fn = left_out(rows[i].name) ? NULL : dlsym(lib, rows[i].name);
    return fuzz_run(&table, "fuzz_runtime", argc, argv);
}
