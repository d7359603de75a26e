/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random kernels at vector widths 1, 4, 8 and 16, and at 16 without what LLVM is promised: all must give the same bits. One process per way runs all cases.
 *
 * usage: random_kernels [--cases N] [--seconds T] [--from CASE] [--seed S] [--kind soup|shape] [--widths LIST] [--threads LIST] [--lib LIBCUDA] [--gpu LIBCUDA] [--entered 0] [--limit S] [--show CASE] [--minimise CASE]
 *        random_kernels [--widths LIST] ... --files KERNEL.ptx...
 *   --widths    others than 1,4,8,16,16-; a minus behind a width: LLVM is promised nothing (HOSTWARP_PROMISES=0)
 *   --threads   of the engine, one number for each width; the last goes for the rest: 1,2,7,1,2
 *   --lib       the driver to try, instead of this build's
 *   --gpu       a real GPU's driver, which must give the same bits too
 *   --entered   0: soups without loops that are entered in the middle, which are what --gpu makes of a seed
 *   --limit     seconds of processor time that a case may take, 60
 *   --show      print kernel number CASE of this seed
 *   --minimise  leave out statements of kernel CASE as long as the widths still disagree, and print what is left
 *   --files     kernels that --show or --minimise printed; the last option
 */
#include "gen_soup.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "random_gen.h"

typedef int CUresult, CUdevice;
typedef struct opaque *CUcontext, *CUmodule, *CUfunction;
typedef uint64_t CUdeviceptr;
static struct {
    CUresult (*cuInit)(unsigned);
    CUresult (*cuDeviceGet)(CUdevice *, int);
    CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *, CUdevice);
    CUresult (*cuCtxSetCurrent)(CUcontext);
    CUresult (*cuModuleLoadData)(CUmodule *, const void *);
    CUresult (*cuModuleUnload)(CUmodule);
    CUresult (*cuModuleGetFunction)(CUfunction *, CUmodule, const char *);
    CUresult (*cuMemAlloc_v2)(CUdeviceptr *, size_t);
    CUresult (*cuMemcpyHtoD_v2)(CUdeviceptr, const void *, size_t);
    CUresult (*cuMemcpyDtoH_v2)(void *, CUdeviceptr, size_t);
    CUresult (*cuLaunchKernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
} cu;

enum { MAX_WAYS = 9, OUT_WORDS = GEN_OUTPUT_WORDS, ATOM_WORDS = GEN_ATOMIC_WORDS, CHUNK = 20, MAX_TOLD = 50 };
#define MOST_CASES ((size_t)1 << 24)
enum { NOT_RUN, RUNNING, DONE, FAILED };

struct result {
    int status, error;
    uint64_t hash;
};

/* A way to run a kernel: hostwarp at a width with some threads, or a GPU (width 0). */
struct way {
    unsigned width, threads;
    const char *lib;
    bool bare;                   /* without promises to LLVM */
};

static struct {
    const char *lib;
    unsigned n_ways, limit_s;
    struct way ways[MAX_WAYS];
    const bool *skip;
    char **files;                /* kernels that were kept, instead of new ones */
    unsigned n_files;
    enum { ANY, SOUP, SHAPE } kind;
} run = { .limit_s = 60 };

static uint32_t in[GEN_INPUT_WORDS], *outs[MAX_WAYS], *out;      /* outs: shared with the children; the last case's results */
static struct gen_kernel kernel;
static CUdeviceptr buffers[GEN_BUFFERS];

/* Odd ones have the shape of real kernels. */
static uint64_t case_seed(unsigned i) { return run.kind == ANY ? fuzz_plan.seed * 1000003u + i : (fuzz_plan.seed * 1000003u + i) * 2 + (run.kind == SHAPE); }

static void must(CUresult rc, const char *what)
{
    if (rc) {
        fprintf(stderr, "%s: error %d\n", what, rc);
        _exit(3);
    }
}

static void driver_open(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW);
    CUdevice dev;
    CUcontext ctx;
    if (!lib) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(3);
    }
#define FIND(name) must(!(*(void **)&cu.name = dlsym(lib, #name)), #name);
    FIND(cuInit) FIND(cuDeviceGet) FIND(cuDevicePrimaryCtxRetain) FIND(cuCtxSetCurrent) FIND(cuModuleLoadData) FIND(cuModuleUnload)
    FIND(cuModuleGetFunction) FIND(cuMemAlloc_v2) FIND(cuMemcpyHtoD_v2) FIND(cuMemcpyDtoH_v2) FIND(cuLaunchKernel)
#undef FIND
    must(cu.cuInit(0), "cuInit");
    must(cu.cuDeviceGet(&dev, 0), "cuDeviceGet");
    must(cu.cuDevicePrimaryCtxRetain(&ctx, dev), "cuDevicePrimaryCtxRetain");
    must(cu.cuCtxSetCurrent(ctx), "cuCtxSetCurrent");
    must(cu.cuMemAlloc_v2(&buffers[GEN_INPUT], sizeof in), "cuMemAlloc");
    must(cu.cuMemAlloc_v2(&buffers[GEN_OUTPUT], 4 * OUT_WORDS), "cuMemAlloc");
    must(cu.cuMemAlloc_v2(&buffers[GEN_ATOMIC], 4 * ATOM_WORDS), "cuMemAlloc");
    for (unsigned i = 0; i < GEN_INPUT_WORDS; i++)
        in[i] = gen_input(i);
    must(cu.cuMemcpyHtoD_v2(buffers[GEN_INPUT], in, sizeof in), "cuMemcpyHtoD");
}

/* A kernel as --show and --minimise print it: comments say how it is launched. */
static bool read_kernel(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[512], where[16];
    unsigned k, word;
    long long offset;
    if (!f)
        return false;
    memset(&kernel, 0, sizeof kernel);
    for (k = 0; k < GEN_PARAM_BYTES / 4; k++)
        kernel.params[0].words[k] = gen_struct(k);
    kernel.n_params = 1;
    while (fgets(line, sizeof line, f)) {
        unsigned *b = kernel.block, *g = kernel.grid;
        sscanf(line, "// block %u %u %u grid %u %u %u shared %u", &b[0], &b[1], &b[2], &g[0], &g[1], &g[2], &kernel.shared_bytes);
        if (sscanf(line, "// p_%u: %15[a-z] + %lld", &k, where, &offset) == 3 && k < GEN_MAX_PARAMS)
            kernel.params[k] = (struct gen_param){ .pointer = true, .buffer = where[0] == 'i' ? GEN_INPUT : where[0] == 'o' ? GEN_OUTPUT : GEN_ATOMIC, .offset = offset };
        else if (sscanf(line, "// p_%u: %u", &k, &word) == 2 && k < GEN_MAX_PARAMS)
            kernel.params[k] = (struct gen_param){ .words = { word } };
        else
            k = 0;
        kernel.n_params = k >= kernel.n_params ? k + 1 : kernel.n_params;
        if (strlen(kernel.text) + strlen(line) < GEN_TEXT)
            strcat(kernel.text, line);
    }
    fclose(f);
    return true;
}

static void make_case(unsigned i)
{
    if (!run.files)
        gen_kernel(case_seed(i), run.skip, &kernel);
    else
        must(!read_kernel(run.files[i]), run.files[i]);
}

/* Of processor time; other programs take some of the rest. */
static void set_limit(void)
{
    struct itimerval t = { .it_value = { .tv_sec = run.limit_s } };
    setitimer(ITIMER_PROF, &t, NULL);
    alarm(5 * run.limit_s);
}

static void run_case(unsigned i, struct result *r)
{
    CUmodule mod = NULL;
    CUfunction fn;
    void *params[GEN_MAX_PARAMS];
    CUdeviceptr pointers[GEN_MAX_PARAMS];
    uint64_t h = 0xcbf29ce484222325u;
    CUresult rc;

    r->status = RUNNING;
    set_limit();
    make_case(i);
    for (unsigned k = 0; k < kernel.n_params; k++) {
        struct gen_param *p = &kernel.params[k];
        pointers[k] = buffers[p->buffer] + (uint64_t)p->offset;
        params[k] = p->pointer ? (void *)&pointers[k] : p->words;
    }
    memset(out, 0, 4 * (OUT_WORDS + ATOM_WORDS));
    if (!(rc = cu.cuModuleLoadData(&mod, kernel.text)) && !(rc = cu.cuModuleGetFunction(&fn, mod, "random")) &&
        !(rc = cu.cuMemcpyHtoD_v2(buffers[GEN_OUTPUT], out, 4 * OUT_WORDS)) && !(rc = cu.cuMemcpyHtoD_v2(buffers[GEN_ATOMIC], out, 4 * ATOM_WORDS)) &&
        !(rc = cu.cuLaunchKernel(fn, kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0], kernel.block[1], kernel.block[2], kernel.shared_bytes, NULL, params, NULL)) &&
        !(rc = cu.cuMemcpyDtoH_v2(out, buffers[GEN_OUTPUT], 4 * OUT_WORDS)))
        rc = cu.cuMemcpyDtoH_v2(out + OUT_WORDS, buffers[GEN_ATOMIC], 4 * ATOM_WORDS);
    for (unsigned k = 0; k < OUT_WORDS + ATOM_WORDS; k++)
        h = (h ^ out[k]) * 0x100000001b3u;
    r->hash = h;
    r->error = rc;
    r->status = rc ? FAILED : DONE;
    if (mod)
        cu.cuModuleUnload(mod);
}

/* All cases one way. A case that ends the process or poisons the context is noted, and a new process goes on behind it. */
static pid_t start_way(unsigned w, unsigned first, unsigned last, struct result *results)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char text[8];
    snprintf(text, sizeof text, "%u", run.ways[w].width);
    setenv("HOSTWARP_WIDTH", text, 1);
    setenv("HOSTWARP_CACHE", "off", 1);
    snprintf(text, sizeof text, "%u", run.ways[w].threads);
    setenv("HOSTWARP_THREADS", text, 1);
    setenv("HOSTWARP_PROMISES", run.ways[w].bare ? "0" : "1", 1);
    out = outs[w];
    driver_open(run.ways[w].lib);
    for (unsigned i = first; i < last; i++) {
        run_case(i, &results[i]);
        fuzz_count(1);
        if (results[i].status == FAILED)
            _exit(4);
    }
    _exit(0);
}

static bool run_range(unsigned first, unsigned last, struct result *results[MAX_WAYS])
{
    pid_t pids[MAX_WAYS];
    unsigned next[MAX_WAYS], left = run.n_ways;
    for (unsigned w = 0; w < run.n_ways; w++)
        pids[w] = start_way(w, next[w] = first, last, results[w]);
    while (left) {
        int status;
        pid_t pid = wait(&status);
        unsigned w = 0;
        while (w < run.n_ways && pids[w] != pid)
            w++;
        if (w == run.n_ways)
            return false;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
            return false;
        while (next[w] < last && results[w][next[w]].status == DONE)
            next[w]++;
        if (next[w] < last) {
            results[w][next[w]].error = results[w][next[w]].status == FAILED ? results[w][next[w]].error : -1;
            results[w][next[w]++].status = FAILED;
        }
        if (next[w] < last)
            pids[w] = start_way(w, next[w], last, results[w]);
        else
            left--;
    }
    return true;
}

static bool agrees(unsigned i, struct result *results[MAX_WAYS])
{
    bool same = true;
    for (unsigned w = 0; w < run.n_ways; w++)
        same &= results[w][i].status == DONE && results[w][i].hash == results[0][i].hash;
    return same;
}

static void report(unsigned i, struct result *results[MAX_WAYS])
{
    if (run.files)
        printf("# %s:", run.files[i]);
    else
        printf("# seed %llu case %u:", (unsigned long long)fuzz_plan.seed, i);
    for (unsigned w = 0; w < run.n_ways; w++) {
        const struct result *r = &results[w][i];
        char name[16];
        snprintf(name, sizeof name, run.ways[w].width ? "w%u%s" : "gpu", run.ways[w].width, run.ways[w].bare ? "-" : "");
        if (r->status == DONE)
            printf(" %s %016llx", name, (unsigned long long)r->hash);
        else
            printf(" %s %s %d", name, r->error < 0 ? "ends the process" : "error", r->error);
    }
    printf("\n");
}

/* The first words that differ from those of width 1. */
static void differences(void)
{
    unsigned shown = 0;
    for (unsigned k = 0; k < OUT_WORDS + ATOM_WORDS && shown < 8; k++) {
        bool same = true;
        for (unsigned w = 1; w < run.n_ways; w++)
            same &= outs[w][k] == outs[0][k];
        if (same)
            continue;
        printf("// word %u (of thread %u word %u, if it is not in a record):", k, k / GEN_WORDS, k % GEN_WORDS);
        for (unsigned w = 0; w < run.n_ways; w++)
            printf(" %08x", outs[w][k]);
        printf("\n");
        shown++;
    }
}

static void show_kernel(void)
{
    printf("// block %u %u %u grid %u %u %u shared %u\n", kernel.block[0], kernel.block[1], kernel.block[2], kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.shared_bytes);
    for (unsigned k = 0; k < kernel.n_params; k++) {
        static const char *const names[] = { "input", "output", "atoms" };
        char name[16];
        snprintf(name, sizeof name, "p_%u", k);
        if (kernel.params[k].pointer && strstr(kernel.text, name))
            printf("// %s: %s + %lld\n", name, names[kernel.params[k].buffer], (long long)kernel.params[k].offset);
        else if (k && strstr(kernel.text, name))
            printf("// %s: %u\n", name, kernel.params[k].words[0]);
    }
    printf("%s", kernel.text);
}

static void minimise(unsigned i, struct result *results[MAX_WAYS])
{
    static bool skip[GEN_MAX_SKIP];
    gen_kernel(case_seed(i), NULL, &kernel);
    unsigned n = kernel.n_statements;
    run.skip = skip;
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (unsigned s = 0; s < n; s++) {
            if (skip[s])
                continue;
            unsigned before = (unsigned)strlen((gen_kernel(case_seed(i), skip, &kernel), kernel.text));
            skip[s] = true;
            gen_kernel(case_seed(i), skip, &kernel);
            if (strlen(kernel.text) == before)
                continue;                                    /* inside something already left out */
            if (!kernel.valid) {
                skip[s] = false;
                continue;
            }
            for (unsigned w = 0; w < run.n_ways; w++)
                results[w][i] = (struct result){ 0 };
            if (run_range(i, i + 1, results) && agrees(i, results))
                skip[s] = false;
            else
                smaller = true;
        }
    }
    gen_kernel(case_seed(i), skip, &kernel);
    for (unsigned w = 0; w < run.n_ways; w++)
        results[w][i] = (struct result){ 0 };
    if (run_range(i, i + 1, results))
        differences();
    show_kernel();
}

static const char *widths = "1,4,8,16,16-", *threads = "1,2,7,1,2", *gpu, *show, *small, *limit, *kind, *entered;
static const struct fuzz_option options[] = {
    { "widths", "1,4,8,16,16-: a minus means without promises to LLVM", &widths }, { "threads", "1,2,7,1,2: of the engine, for each width", &threads },
    { "limit", "60: seconds of processor time that a case may take", &limit }, { "kind", "soup or shape", &kind }, { "gpu", "a real GPU's driver", &gpu },
    { "entered", "1: soups have loops that are entered in the middle; 0: the kernels that --gpu makes", &entered },
    { "lib", "the driver to try", &run.lib }, { "show", "print kernel number CASE", &show }, { "minimise", "make kernel number CASE smaller", &small }, { 0 },
};

static void choose_ways(void)
{
    char *end;
    for (const char *w = widths; *w && run.n_ways < MAX_WAYS - 1; w = *end ? end + 1 : end) {
        struct way *way = &run.ways[run.n_ways++];
        *way = (struct way){ (unsigned)strtoul(w, &end, 10), 1, run.lib, false };
        way->bare = *end == '-';
        end += way->bare;
    }
    for (unsigned k = 0; *threads && k < run.n_ways; k++, threads = *end ? end + 1 : threads)
        run.ways[k].threads = (unsigned)strtoul(threads, &end, 10);
    if (gpu)
        run.ways[run.n_ways++] = (struct way){ 0, 1, gpu, false };
}

/* Kernels that were kept come last. */
static int take_files(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--files")) {
            run.files = argv + i + 1;
            run.n_files = (unsigned)(argc - i - 1);
            return i;
        }
    return argc;
}

/* What is wrong is told early. */
static bool run_all(struct result *results[MAX_WAYS])
{
    uint64_t at, n;
    unsigned told = 0;
    while ((n = fuzz_take(CHUNK, &at))) {
        unsigned i = (unsigned)at, end = i + (unsigned)n;
        if (end > MOST_CASES || !run_range(i, end, results))
            return false;
        for (; i < end; i++)
            if (!agrees(i, results)) {
                fuzz_bad("case %u differs between widths", i);
                if (told++ < MAX_TOLD)
                    report(i, results);
            }
        fflush(stdout);
    }
    return true;
}

int main(int argc, char **argv)
{
    struct result *results[MAX_WAYS];
    fuzz_begin((struct fuzz_plan){ .name = "random_kernels", .seed = 1, .cases = 16, .things = "runs" }, take_files(argc, argv), argv, options);
    if (!run.lib)
        run.lib = fuzz_own_library();
    if (run.files)
        fuzz_plan.cases = run.n_files;
    if (limit)
        run.limit_s = (unsigned)strtoul(limit, NULL, 10);
    if (kind)
        run.kind = strcmp(kind, "shape") ? SOUP : SHAPE;
    soup_enters_loops = !gpu && (!entered || strcmp(entered, "0") != 0);
    if (show) {
        gen_kernel(case_seed((unsigned)strtoul(show, NULL, 10)), NULL, &kernel);
        show_kernel();
        return 0;
    }
    choose_ways();
    for (unsigned w = 0; w < run.n_ways; w++) {
        outs[w] = mmap(NULL, 4 * (OUT_WORDS + ATOM_WORDS), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        results[w] = mmap(NULL, MOST_CASES * sizeof *results[w], PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (outs[w] == MAP_FAILED || results[w] == MAP_FAILED)
            return 2;
    }
    if (small) {
        minimise((unsigned)strtoul(small, NULL, 10), results);
        return 0;
    }
    if (!run_all(results))
        return 2;
    printf("# widths %s%s\n", widths, gpu ? " and the GPU" : "");
    return fuzz_end();
}
