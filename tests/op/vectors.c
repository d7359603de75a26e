/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the test vectors (*.tv) through the driver API, at SIMD widths 1, 8 and 16: each case becomes a small kernel whose
 * results must be the expected ones, and the same at every width. README.md describes the files.
 *
 * usage: vectors [--lib LIBCUDA] [--width W] [--only NAME] [--module PTX] [--record] [--times] [--show] [FILE.tv...]
 *   --lib     which driver; a real one works too. Without it, the build that this program belongs to
 *   --width   only this one
 *   --module  take kernels case_0, case_1, ... from this PTX file instead of making them
 *   --record  print the files' rows and sweeps again with the results of this driver
 *   --times   print how long each sweep takes, in ns for 16 elements, at the best of some tries: with HOSTWARP_THREADS=1 and --width 16 those
 *             stand out that are done lane by lane
 *   --show    print the kernels and stop
 */
#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tv.h"

/* ---- the few driver functions needed, found at run time so that any libcuda will do ---- */

typedef int CUresult, CUdevice;
typedef struct opaque *CUcontext, *CUmodule, *CUfunction;
typedef uint64_t CUdeviceptr;
static struct {
    CUresult (*cuInit)(unsigned);
    CUresult (*cuDeviceGet)(CUdevice *, int);
    CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *, CUdevice);
    CUresult (*cuCtxSetCurrent)(CUcontext);
    CUresult (*cuCtxSynchronize)(void);
    CUresult (*cuModuleLoadDataEx)(CUmodule *, const void *, unsigned, int *, void **);
    CUresult (*cuModuleUnload)(CUmodule);
    CUresult (*cuModuleGetFunction)(CUfunction *, CUmodule, const char *);
    CUresult (*cuMemAlloc_v2)(CUdeviceptr *, size_t);
    CUresult (*cuMemcpyHtoD_v2)(CUdeviceptr, const void *, size_t);
    CUresult (*cuMemcpyDtoH_v2)(void *, CUdeviceptr, size_t);
    CUresult (*cuLaunchKernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
    CUresult (*cuGetErrorName)(CUresult, const char **);
} cu;
enum { JIT_ERROR_LOG_BUFFER = 5, JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

enum { MAX_WIDTHS = 3, MAX_MESSAGE = 400 };

/* What one case gave at one width; in memory that the children share. */
enum status { NOT_RUN, RUNNING, PASSED, FAILED, NOT_LOADED };
struct outcome {
    enum status status;
    uint64_t hash;               /* of all results */
    char message[MAX_MESSAGE];
};

static struct {
    const char *lib, *only, *module;
    bool record, times, show;
    struct tv_case **cases;
    const char **files;          /* of each case */
    unsigned n_cases;
    struct outcome *outcomes;    /* [width][case] */
} run;

static const char *error_name(CUresult rc)
{
    const char *name = NULL;

    if (cu.cuGetErrorName)
        cu.cuGetErrorName(rc, &name);
    return name ? name : "unknown error";
}

static void must(CUresult rc, const char *what)
{
    if (rc) {
        fprintf(stderr, "%s: %s\n", what, error_name(rc));
        exit(3);
    }
}

static void driver_open(void)
{
    void *lib = dlopen(run.lib, RTLD_NOW);
    CUdevice dev;
    CUcontext ctx;

    if (!lib) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
#define FIND(name)                                                \
    if (!(*(void **)&cu.name = dlsym(lib, #name))) {              \
        fprintf(stderr, "%s has no %s\n", run.lib, #name);        \
        exit(3);                                                  \
    }
    FIND(cuInit) FIND(cuDeviceGet) FIND(cuDevicePrimaryCtxRetain) FIND(cuCtxSetCurrent) FIND(cuCtxSynchronize) FIND(cuModuleLoadDataEx)
    FIND(cuModuleUnload) FIND(cuModuleGetFunction) FIND(cuMemAlloc_v2) FIND(cuMemcpyHtoD_v2) FIND(cuMemcpyDtoH_v2)
    FIND(cuLaunchKernel) FIND(cuGetErrorName)
#undef FIND
    must(cu.cuInit(0), "cuInit");
    must(cu.cuDeviceGet(&dev, 0), "cuDeviceGet");
    must(cu.cuDevicePrimaryCtxRetain(&ctx, dev), "cuDevicePrimaryCtxRetain");
    must(cu.cuCtxSetCurrent(ctx), "cuCtxSetCurrent");
}

/* ---- one case ---- */

static int show_kernels(void)
{
    static char text[TV_MAX_KERNEL];

    for (unsigned i = 0; i < run.n_cases; i++) {
        tv_kernel_text(run.cases[i], text, sizeof text);
        printf("// %s:%u %s\n%s\n", run.files[i], run.cases[i]->line, run.cases[i]->name, text);
    }
    return 0;
}

static CUdeviceptr buffers[TV_MAX_ARGS + 1];

static bool load(const struct tv_case *c, unsigned index, struct outcome *o, CUmodule *mod, CUfunction *fn)
{
    static char text[TV_MAX_KERNEL];
    static char *file_text;
    char log[MAX_MESSAGE - 100] = "", name[32];
    int options[] = { JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)(uintptr_t)sizeof log };
    CUresult rc;

    if (run.module && !file_text) {
        FILE *f = fopen(run.module, "r");

        file_text = calloc(1, 64 << 20);
        if (!f || !fread(file_text, 1, (64 << 20) - 1, f)) {
            fprintf(stderr, "cannot read %s\n", run.module);
            exit(3);
        }
        fclose(f);
    }
    tv_kernel_text(c, text, sizeof text);
    snprintf(name, sizeof name, run.module ? "case_%u" : "case", index);
    rc = cu.cuModuleLoadDataEx(mod, run.module ? file_text : text, 2, options, values);
    if (!rc)
        rc = cu.cuModuleGetFunction(fn, *mod, name);
    if (rc) {
        snprintf(o->message, sizeof o->message, "does not load: %s: %s", error_name(rc), log);
        o->status = NOT_LOADED;
    }
    return !rc;
}

/* Runs n elements of in[] and leaves the results in out. */
static bool launch(const struct tv_case *c, struct outcome *o, CUfunction fn, void *const *in, unsigned n, unsigned block, void *out)
{
    uint32_t count = n;
    void *params[] = { &buffers[0], &buffers[1], &buffers[2], &buffers[3], &buffers[4], &count };
    CUresult rc = 0;

    memset(out, 0x5a, (size_t)n * c->result->bytes);
    rc = cu.cuMemcpyHtoD_v2(buffers[0], out, (size_t)n * c->result->bytes);
    for (unsigned k = 0; k < c->n_args && !rc; k++)
        rc = cu.cuMemcpyHtoD_v2(buffers[1 + k], in[k], (size_t)n * c->arg[k]->bytes);
    if (!rc)
        rc = cu.cuLaunchKernel(fn, (n + block - 1) / block, 1, 1, block, 1, 1, 0, NULL, params, NULL);
    if (!rc)
        rc = cu.cuCtxSynchronize();
    if (!rc)
        rc = cu.cuMemcpyDtoH_v2(out, buffers[0], (size_t)n * c->result->bytes);
    if (rc) {
        snprintf(o->message, sizeof o->message, "does not run: %s", error_name(rc));
        o->status = FAILED;
    }
    return !rc;
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The last launch again. */
static void time_sweep(const struct tv_case *c, CUfunction fn)
{
    enum { TRIES = 7 };
    uint32_t count = TV_SWEEP;
    void *params[] = { &buffers[0], &buffers[1], &buffers[2], &buffers[3], &buffers[4], &count };
    double best = 1e18;

    for (int k = 0; k < TRIES; k++) {
        double begin = now_ns();

        if (cu.cuLaunchKernel(fn, TV_SWEEP / 128, 1, 1, 128, 1, 1, 0, NULL, params, NULL) || cu.cuCtxSynchronize())
            return;
        best = now_ns() - begin < best ? now_ns() - begin : best;
    }
    printf("# %9.2f ns  %s\n", best / (TV_SWEEP / 16), c->name);
}

static void note(struct outcome *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void note(struct outcome *o, const char *fmt, ...)
{
    size_t used = strlen(o->message);
    va_list args;

    va_start(args, fmt);
    vsnprintf(o->message + used, sizeof o->message - used, fmt, args);
    va_end(args);
}

static bool row_matches(const struct tv_case *c, uint64_t got, uint64_t want)
{
    double g = tv_value(c->result, got), w = tv_value(c->result, want);

    if (tv_ulps(c->result, got, want) <= c->ulp)
        return true;
    return (c->relative > 0 || c->absolute > 0) && fabs(g - w) <= c->relative * fabs(w) + c->absolute;
}

static void *inputs[TV_MAX_ARGS];
static uint64_t results[TV_SWEEP];

static void run_rows(const struct tv_case *c, struct outcome *o, CUfunction fn)
{
    unsigned n = (unsigned)c->n_rows, n_bad = 0;

    for (unsigned k = 0; k < c->n_args; k++)
        for (unsigned i = 0; i < n; i++)
            memcpy((char *)inputs[k] + (size_t)i * c->arg[k]->bytes, &c->rows[i].arg[k], c->arg[k]->bytes);
    if (!launch(c, o, fn, inputs, n, 32, results))
        return;
    o->hash ^= tv_hash(c->result, results, n, TV_OWN_SEEDS);
    for (unsigned i = 0; i < n; i++) {
        uint64_t got = tv_load(c->result, results, i);

        if (row_matches(c, got, c->rows[i].want))
            continue;
        o->status = FAILED;
        if (n_bad++ == 0)
            note(o, " line %u: got 0x%llx, want 0x%llx", c->rows[i].line, (unsigned long long)got, (unsigned long long)c->rows[i].want);
    }
    if (n_bad > 1)
        note(o, " (and %u more rows)", n_bad - 1);
}

static void run_sweep(const struct tv_case *c, struct outcome *o, CUfunction fn)
{
    uint64_t rng, hash;

    tv_sweep_seed(c->sweep_seed, &rng);
    for (unsigned k = 0; k < c->n_args; k++)
        tv_sweep_fill(&rng, c->arg[k], (int)k, inputs[k]);
    if (!launch(c, o, fn, inputs, TV_SWEEP, 128, results))
        return;
    if (run.times)
        time_sweep(c, fn);
    hash = tv_hash(c->result, results, TV_SWEEP, c->sweep_seed);
    o->hash ^= hash * 31;
    if (run.record)
        printf("# %s: sweep %llu = %016llx\n", c->name, (unsigned long long)c->sweep_seed, (unsigned long long)hash);
    if (hash != c->sweep_hash) {
        note(o, " sweep: %016llx, want %016llx", (unsigned long long)hash, (unsigned long long)c->sweep_hash);
        o->status = FAILED;
    }
}

static void record_rows(const struct tv_case *c)
{
    printf("op %s\n", c->name);
    for (size_t i = 0; i < c->n_rows; i++) {
        printf("row");
        for (unsigned k = 0; k < c->n_args; k++)
            printf(" 0x%llx", (unsigned long long)c->rows[i].arg[k]);
        printf(" = 0x%llx\n", (unsigned long long)tv_load(c->result, results, i));
    }
}

static void run_case(unsigned index, struct outcome *o)
{
    const struct tv_case *c = run.cases[index];
    CUmodule mod = NULL;
    CUfunction fn;

    o->status = RUNNING;
    if (load(c, index, o, &mod, &fn)) {
        if (c->n_rows)
            run_rows(c, o, fn);
        if (c->n_rows && run.record)
            record_rows(c);
        if (c->has_sweep && o->status == RUNNING)
            run_sweep(c, o, fn);
        if (o->status == RUNNING)
            o->status = PASSED;
    }
    if (mod)
        cu.cuModuleUnload(mod);
}

/* A child's life: all cases from first on. A case that poisons the context ends it; the parent starts another behind it. */
static void child(unsigned first, struct outcome *outcomes)
{
    driver_open();
    for (unsigned i = 0; i <= TV_MAX_ARGS; i++) {
        must(cu.cuMemAlloc_v2(&buffers[i], TV_SWEEP * 8), "cuMemAlloc");
        if (i < TV_MAX_ARGS)
            inputs[i] = malloc(TV_SWEEP * 8);
    }
    for (unsigned i = first; i < run.n_cases; i++) {
        alarm(110);                              /* each: how long all of them take depends on the machine */
        run_case(i, &outcomes[i]);
        if (!strncmp(outcomes[i].message, "does not run", 12))
            _exit(4);
    }
    fflush(stdout);
    _exit(0);
}

static bool run_width(unsigned width, struct outcome *outcomes)
{
    unsigned next = 0;

    while (next < run.n_cases) {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            char text[8];

            snprintf(text, sizeof text, "%u", width);
            if (width)
                setenv("HOSTWARP_WIDTH", text, 1);
            child(next, outcomes);
        }
        waitpid(pid, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
            return false;
        while (next < run.n_cases && outcomes[next].status != NOT_RUN && outcomes[next].status != RUNNING)
            next++;
        if (next < run.n_cases && outcomes[next].status == RUNNING) {
            outcomes[next].status = FAILED;
            snprintf(outcomes[next].message, MAX_MESSAGE, "ends the process (status 0x%x)", status);
            next++;
        } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && next < run.n_cases) {
            return false;
        }
    }
    return true;
}

/* ---- the report ---- */

static bool report_case(unsigned i, const unsigned *widths, unsigned n_widths)
{
    const struct tv_case *c = run.cases[i];
    bool passed = true, agree = true;
    const struct outcome *first = &run.outcomes[i], *wrong = NULL;
    unsigned wrong_width = 0;

    for (unsigned w = 0; w < n_widths; w++) {
        const struct outcome *o = &run.outcomes[w * run.n_cases + i];

        if (o->status != PASSED && !wrong) {
            wrong = o;
            wrong_width = widths[w];
        }
        passed &= o->status == PASSED;
        agree &= o->hash == first->hash;
    }
    if (c->has_todo) {
        printf("%s %s:%u %s: %s\n", passed && agree ? "not ok" : "ok", run.files[i], c->line, c->name,
               passed && agree ? "passes: take its todo away" : "todo");
        return !(passed && agree);
    }
    if (passed && agree) {
        printf("ok %s:%u %s\n", run.files[i], c->line, c->name);
        return true;
    }
    printf("not ok %s:%u %s", run.files[i], c->line, c->name);
    if (wrong)
        printf(": width %u: %s", wrong_width, wrong->message);
    if (!agree)
        printf(": results depend on the width");
    printf("\n");
    return false;
}

static void add_file(const char *path)
{
    for (struct tv_case *c = tv_read(path); c; c = c->next) {
        if (run.only && strcmp(run.only, c->name))
            continue;
        run.cases = realloc(run.cases, (run.n_cases + 1) * sizeof *run.cases);
        run.files = realloc(run.files, (run.n_cases + 1) * sizeof *run.files);
        run.files[run.n_cases] = path;
        run.cases[run.n_cases++] = c;
    }
}

/* BUILD/meson/tests/op-vectors is this program, BUILD/lib/libcuda.so.1 its driver. */
static const char *own_library(void)
{
    static char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);

    path[n < 0 ? 0 : n] = 0;
    for (int up = 0; up < 3; up++)
        *(strrchr(path, '/') ? strrchr(path, '/') : path) = 0;
    strcat(path, "/lib/libcuda.so.1");
    return path;
}

int main(int argc, char **argv)
{
    static const unsigned all_widths[MAX_WIDTHS] = { 1, 8, 16 };
    unsigned widths[MAX_WIDTHS], n_widths = 0, n_bad = 0;
    static glob_t found;         /* cases keep pointers into it */

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--lib") && i + 1 < argc)
            run.lib = argv[++i];
        else if (!strcmp(argv[i], "--width") && i + 1 < argc)
            widths[n_widths = 0] = (unsigned)strtoul(argv[++i], NULL, 10), n_widths = 1;
        else if (!strcmp(argv[i], "--only") && i + 1 < argc)
            run.only = argv[++i];
        else if (!strcmp(argv[i], "--module") && i + 1 < argc)
            run.module = argv[++i];
        else if (!strcmp(argv[i], "--record"))
            run.record = true;
        else if (!strcmp(argv[i], "--times"))
            run.times = true;
        else if (!strcmp(argv[i], "--show"))
            run.show = true;
        else
            add_file(argv[i]);
    }
    if (run.show)
        return show_kernels();
    if (!run.lib && access(run.lib = own_library(), R_OK)) {
        printf("no %s to test\n", run.lib);
        return 77;
    }
    if (!run.n_cases && !glob("tests/op/*.tv", 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_file(found.gl_pathv[i]);
    if (!run.n_cases) {
        fprintf(stderr, "no cases: run in the top folder or name files\n");
        return 2;
    }
    if (!n_widths)
        memcpy(widths, all_widths, sizeof widths), n_widths = MAX_WIDTHS;
    run.outcomes = mmap(NULL, n_widths * run.n_cases * sizeof *run.outcomes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(stdout);
    for (unsigned w = 0; w < n_widths; w++)
        if (!run_width(widths[w], &run.outcomes[w * run.n_cases]))
            return 2;
    for (unsigned i = 0; i < run.n_cases; i++)
        n_bad += !report_case(i, widths, n_widths);
    printf("# %u of %u cases wrong\n", n_bad, run.n_cases);
    return n_bad != 0;
}
