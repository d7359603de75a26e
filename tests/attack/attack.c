/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs kernels that try to leave their sandbox, in a process apart, and says which did. README.md tells the rules; run.py writes the kernels.
 *
 * usage: attack LIBCUDA LIST      LIST has a line for each kernel k: NAME FILE BLOCKS THREADS SHARED ARGUMENT EXPECT
 *
 * The kernel gets the address of memory of its own, the address of a secret of this program, that of a variable on its stack, and ARGUMENT.
 * EXPECT: held    host memory is neither read nor changed, and this process lives on; an error is as good as none
 *         error   and the kernel ends with one
 *         runs    it does nothing forbidden: it ends without an error and leaves 1 in its memory
 *         load    held, or the module is refused
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECRET = 64 * 1024, OUT = 1 << 20, SECONDS = 60, MAX_TEXT = 64 << 20, MOST = 4096 };
static const char pattern[8] = "TOPSECR!";
static char secret[SECRET] __attribute__((aligned(4096)));

typedef uint64_t CUdeviceptr;
static struct {
    int (*cuInit)(unsigned);
    int (*cuDeviceGet)(int *, int);
    int (*cuCtxCreate_v2)(void **, unsigned, int);
    int (*cuCtxDestroy_v2)(void *);
    int (*cuCtxSynchronize)(void);
    int (*cuModuleLoadDataEx)(void **, const void *, unsigned, int *, void **);
    int (*cuModuleGetFunction)(void **, void *, const char *);
    int (*cuMemHostAlloc)(void **, size_t, unsigned);
    int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
} cu;

struct attack {
    char name[128], file[512], expect[16];
    unsigned blocks, threads, shared;
    unsigned long long argument;
};

/* With the compiler's library, which each process would load for itself else. */
static void driver_open(const char *path)
{
    char other[1024];
    void *lib = dlopen(path, RTLD_NOW);
    snprintf(other, sizeof other, "%.*s/libhostwarp-llvm.so", (int)(strrchr(path, '/') ? strrchr(path, '/') - path : 0), path);
    dlopen(other, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
#define FIND(name)                                              \
    if (!(*(void **)&cu.name = dlsym(lib, #name))) {            \
        fprintf(stderr, "%s has no %s\n", path, #name);         \
        exit(3);                                                \
    }
    FIND(cuInit) FIND(cuDeviceGet) FIND(cuCtxCreate_v2) FIND(cuCtxDestroy_v2) FIND(cuCtxSynchronize) FIND(cuModuleLoadDataEx) FIND(cuModuleGetFunction)
    FIND(cuMemHostAlloc) FIND(cuLaunchKernel)
#undef FIND
}

static char *read_file(const char *path, size_t *out_n)
{
    int fd = open(path, O_RDONLY);
    off_t bytes = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
    char *text = bytes >= 0 && bytes < MAX_TEXT ? calloc(1, (size_t)bytes + 1) : NULL;
    ssize_t n = text ? pread(fd, text, (size_t)bytes, 0) : -1;
    if (n < 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(3);
    }
    close(fd);
    *out_n = (size_t)n;
    return text;
}

/* Any four bytes of the secret in a row, as they are or as hexadecimal digits. */
static bool leaked(const char *data, size_t n, bool text)
{
    for (unsigned k = 0; k < sizeof pattern; k++) {
        char four[4], hex[9];
        for (unsigned j = 0; j < 4; j++)
            four[j] = pattern[(k + j) % sizeof pattern];
        snprintf(hex, sizeof hex, "%02x%02x%02x%02x", four[3], four[2], four[1], four[0]);
        if (memmem(data, n, four, 4) || (text && memmem(data, n, hex, 8)))
            return true;
    }
    return false;
}

static bool changed(void)
{
    for (size_t i = 0; i < SECRET; i++)
        if (secret[i] != pattern[i % sizeof pattern])
            return true;
    return false;
}

static void must(int rc, const char *what)
{
    if (rc) {
        printf("# %s: error %d\n", what, rc);
        fflush(stdout);
        _exit(4);
    }
}

/* False: something got out; what is printed says more. */
static bool judge(const struct attack *a, const uint64_t *out, const volatile uint64_t *on_stack, int rc)
{
    bool held = true;
    if (leaked((const char *)out, OUT, false))
        held = false, puts("# it read the secret");
    if (changed())
        held = false, puts("# it wrote host memory");
    for (int i = 0; i < 8; i++)
        if (on_stack[i] != (uint64_t)i + 1)
            held = false, puts("# it wrote the stack");
    if (strcmp(a->expect, "error") == 0 && !rc)
        held = false, puts("# it ended without an error");
    if (strcmp(a->expect, "runs") == 0 && (rc || out[0] != 1))
        held = false, printf("# error %d, result %llu\n", rc, (unsigned long long)out[0]);
    return held;
}

/* *failed: an error stays with the process, as on a device. */
static bool run_one(const struct attack *a, bool *failed)
{
    void *module, *function, *ctx;
    volatile uint64_t on_stack[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    size_t n;
    char *ptx = read_file(a->file, &n);
    uint64_t *out;
    int device, rc;
    for (size_t i = 0; i < SECRET; i++)
        secret[i] = pattern[i % sizeof pattern];
    must(cu.cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cu.cuCtxCreate_v2(&ctx, 0, device), "cuCtxCreate");
    must(cu.cuMemHostAlloc((void **)&out, OUT, 0), "cuMemHostAlloc");
    memset(out, 0, OUT);
    rc = cu.cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL);
    free(ptx);
    bool held = strcmp(a->expect, "load") == 0;
    if (rc) {
        if (!held)
            printf("# the module does not load: error %d\n", rc);
    } else {
        must(cu.cuModuleGetFunction(&function, module, "k"), "cuModuleGetFunction");
        uint64_t args[] = { (uint64_t)(uintptr_t)out, (uint64_t)(uintptr_t)secret, (uint64_t)(uintptr_t)on_stack, a->argument };
        void *params[] = { &args[0], &args[1], &args[2], &args[3] };
        rc = cu.cuLaunchKernel(function, a->blocks, 1, 1, a->threads, 1, 1, a->shared, NULL, params, NULL);
        int end = cu.cuCtxSynchronize();
        rc = rc ? rc : end;
        *failed = rc != 0;
        held = judge(a, out, on_stack, rc);
    }
    if (!*failed)
        must(cu.cuCtxDestroy_v2(ctx), "cuCtxDestroy");
    return held;
}

/* What the process that runs them has come to; it may die any time. */
struct progress {
    unsigned at;
    bool held[MOST];
};

/* It loads the library itself: a child of a process that had it would have no checker and no profiler. */
static void child(const struct attack *all, unsigned n, struct progress *p, const char *lib, const char *scratch)
{
    int fd = open(scratch, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(fd, 1);
    dup2(fd, 2);
    driver_open(lib);
    must(cu.cuInit(0), "cuInit");
    for (bool failed = false; p->at < n && !failed; p->at++) {
        alarm(SECONDS);
        printf("@%u\n", p->at);
        p->held[p->at] = run_one(&all[p->at], &failed);
        fflush(NULL);
    }
    _exit(0);
}

/* Of what was printed, the part of one of them: searched for the secret, and shown if something is wrong. */
static bool judge_text(char *text, unsigned at, bool held)
{
    char from[16], to[16];
    snprintf(from, sizeof from, "@%u\n", at);
    snprintf(to, sizeof to, "@%u\n", at + 1);
    char *begin = strstr(text, from), *end = begin ? strstr(begin, to) : NULL;
    if (!begin)
        return held;
    size_t n = end ? (size_t)(end - begin) : strlen(begin);
    if (leaked(begin, n, true)) {
        puts("# it printed the secret");
        held = false;
    }
    for (char *line = begin, *stop; !held && line < begin + n; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(begin + n - line));
        stop = stop ? stop : begin + n;
        printf("# %.*s\n", (int)(stop - line < 200 ? stop - line : 200), line);
    }
    return held;
}

static unsigned run_all(const struct attack *all, unsigned n, struct progress *p, const char *lib)
{
    char scratch[] = "/tmp/hostwarp-attack-XXXXXX";
    unsigned bad = 0;
    close(mkstemp(scratch));
    while (p->at < n) {
        unsigned from = p->at;
        int status = 0;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0)
            child(all, n, p, lib, scratch);
        if (pid < 0 || waitpid(pid, &status, 0) < 0)
            break;
        bool died = !WIFEXITED(status) || WEXITSTATUS(status);
        size_t bytes;
        char *text = read_file(scratch, &bytes);
        for (unsigned k = from; k < p->at + died; k++) {
            if (died && k == p->at)
                printf(WIFSIGNALED(status) ? "# killed by signal %d\n" : "# ended with status %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            bool good = judge_text(text, k, p->held[k] && !(died && k == p->at));
            bad += !good;
            printf("%s %u - %s\n", good ? "ok" : "not ok", k + 1, all[k].name);
        }
        free(text);
        p->at += died;
    }
    unlink(scratch);
    return bad + (n - p->at);
}

int main(int argc, char **argv)
{
    static struct attack all[MOST];
    unsigned n = 0;
    FILE *list = argc == 3 ? fopen(argv[2], "r") : NULL;
    struct progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!list || p == MAP_FAILED) {
        fprintf(stderr, "usage: attack LIBCUDA LIST\n");
        return 2;
    }
    for (struct attack *a = all; n < MOST && fscanf(list, "%127s %511s %u %u %u %llu %15s", a->name, a->file, &a->blocks, &a->threads, &a->shared, &a->argument, a->expect) == 7; a++)
        n++;
    fclose(list);
    unsigned bad = run_all(all, n, p, argv[1]);
    printf("1..%u\n", n);
    return bad != 0;
}
