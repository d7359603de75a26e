/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile kernels against the promise that no kernel leaves its own memory: each runs in a process of its own, between canaries of the host that hold a
 * secret. The kernel must not change them, bring the secret to its output or to the terminal, end the process or hold it up.
 *
 *   --width W       vector width, 1, 4, 8 or 16; 0: any
 *   --only NAME     one kind of try: access, sweep, walk, image, call, service, launch, stack, barrier
 *   --lib FILE      the driver to try, instead of this build's
 *   --files FILE    a kernel that was kept, instead of new ones
 *   --show 1        print the kernels, run nothing
 *   --minimise 1    make what is found smaller: leaves out lines as long as it is still found
 *   --keep FOLDER   write what is found to FOLDER/escape-SEED-CASE.ptx
 */
#include "escape_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *width = "0", *only, *lib, *file, *show, *minimise, *keep;
static const struct fuzz_option options[] = {
    { "width", "1, 4, 8, 16; 0: any", &width }, { "only", "access, sweep, walk, image, call, service, launch, stack or barrier", &only },
        { "lib", "the driver to try", &lib },
    { "files", "a kernel that was kept", &file }, { "show", "1: print the kernels only", &show },
        { "minimise", "1: leave out lines of what is found", &minimise },
    { "keep", "folder for what is found", &keep }, { 0 },
};
enum { MAX_TOLD = 12, MAX_LINES = 512, MINIMISE_S = 60 };

static struct escape_kernel kernel, smaller;

static bool read_kernel(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    memset(&kernel, 0, sizeof kernel);
    size_t n = fread(kernel.text, 1, sizeof kernel.text - 1, f);
    kernel.text[n] = 0;
    fclose(f);
    unsigned *b = kernel.block, *g = kernel.grid;
    return sscanf(kernel.text, "// block %u %u %u grid %u %u %u shared %u width %u", &b[0], &b[1], &b[2], &g[0], &g[1], &g[2],
        &kernel.shared, &kernel.width) == 8;
}

/* --- smaller --- */

static char *lines[MAX_LINES];
static bool left_out[MAX_LINES];

static void join(unsigned n)
{
    char *to = smaller.text;
    for (unsigned i = 0; i < n; i++)
        if (!left_out[i])
            to = stpcpy(stpcpy(to, lines[i]), "\n");
    *to = 0;
}

/* Without lines i to end. */
static bool still_found(unsigned i, unsigned end, unsigned n, unsigned found)
{
    bool before[MAX_LINES];
    memcpy(before, left_out, sizeof before);
    for (unsigned k = i; k < end; k++)
        left_out[k] = true;
    join(n);
    if (escape_run(&smaller, 0, 8).found & found)
        return true;
    memcpy(left_out, before, sizeof before);
    return false;
}

static void make_small(unsigned found)
{
    static char text[ESCAPE_TEXT];
    unsigned n = 0;
    strcpy(text, kernel.text);
    for (char *line = strtok(text, "\n"); line && n < MAX_LINES; line = strtok(NULL, "\n"))
        lines[n++] = line;
    memset(left_out, 0, sizeof left_out);
    smaller = kernel;
    double end = fuzz_now() + MINIMISE_S;        /* a hang takes long to show */
    for (unsigned piece = n / 4; piece; piece = piece > 1 ? piece / 2 : 0)
        for (unsigned i = 1; i < n; i += piece)  /* the first says how it is launched */
            if (!left_out[i] && fuzz_now() < end)
                still_found(i, i + piece < n ? i + piece : n, n, found);
    join(n);
    if (escape_run_twice(&smaller).found & found)
        kernel = smaller;
}

/* --- reports --- */

static void write_kept(uint64_t number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/escape-%llu-%llu.ptx", keep, (unsigned long long)fuzz_plan.seed, (unsigned long long)number);
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(kernel.text, f);
        fclose(f);
    }
}

static void report(uint64_t number, struct escape_verdict v)
{
    static unsigned told;
    fuzz_bad("case %llu %s: %s (%s)", (unsigned long long)number, escape_names(v.found), v.text, kernel.label);
    if (!file)
        printf("# again: fuzz-escape --seed %llu --from %llu --cases 1%s%s%s%s\n", (unsigned long long)fuzz_plan.seed,
            (unsigned long long)number, atoi(width) ? " --width " : "", atoi(width) ? width : "", only ? " --only " : "",
               only ? only : "");
    if (minimise)
        make_small(v.found);
    if (keep)
        write_kept(number);
    else if (told++ < MAX_TOLD)
        printf("%s", kernel.text);
    fflush(stdout);
}

static struct {
    unsigned not_loaded, ended, errors, unsteady;
} kinds;

static void one_case(uint64_t number)
{
    struct escape_verdict v = escape_run_twice(&kernel);
    if (v.found)
        report(number, v);
    if (v.load_error && !kinds.not_loaded)
        printf("# case %llu does not load: %s\n", (unsigned long long)number, v.text);
    kinds.not_loaded += v.load_error != 0;
    kinds.ended += !v.load_error && !v.run_error;
    kinds.errors += v.run_error != 0;
}

int main(int argc, char **argv)
{
    uint64_t number;
    fuzz_begin((struct fuzz_plan){ .name = "escape", .seed = 1, .cases = 150, .seconds = 10 }, argc, argv, options);
    if (!escape_open(lib ? lib : fuzz_own_library())) {
        printf("ok # SKIP this build has no driver library\n");
        return 0;
    }
    if (only && !escape_only(only)) {
        fprintf(stderr, "--only %s: there is nothing of that name\n", only);
        return 2;
    }
    if (file)
        fuzz_plan.cases = 1;
    while (fuzz_more(&number)) {
        if (!file)
            escape_kernel(fuzz_plan.seed, number, (unsigned)atoi(width), &kernel);
        else if (!read_kernel(file)) {
            fprintf(stderr, "%s: not a kernel that was kept\n", file);
            return 2;
        }
        if (show)
            printf("%s", kernel.text);
        else
            one_case(number);
    }
    printf("# %u kernels ended well, %u with an error, %u did not load\n", kinds.ended, kinds.errors, kinds.not_loaded);
    return fuzz_end();
}
