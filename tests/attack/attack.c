/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs kernels that try to leave their sandbox, each in a process of its own, and says which did. README.md tells the rules; run.py writes the kernels.
 *
 * usage: attack LIBCUDA LIST      LIST has a line for each kernel k: NAME FILE BLOCKS THREADS SHARED ARGUMENT EXPECT
 *
 * The kernel gets the address of memory of its own, the address of a secret of this program, that of a variable on its stack, and ARGUMENT.
 * EXPECT: held    host memory is neither read nor changed, and this process lives on; an error is as good as none
 *         error   and the kernel ends with one
 *         runs    it does nothing forbidden: it ends without an error and leaves 1 in its memory
 *         load    held, or the module is refused
 */
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

enum { SECRET = 64 * 1024, OUT = 1 << 20, SECONDS = 60, MAX_TEXT = 4 << 20 };
static const char pattern[8] = "TOPSECR!";
static char secret[SECRET] __attribute__((aligned(4096)));

typedef uint64_t CUdeviceptr;
static struct {
    int (*cuInit)(unsigned);
    int (*cuDeviceGet)(int *, int);
    int (*cuCtxCreate_v2)(void **, unsigned, int);
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

static void driver_open(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW);
    if (!lib) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
#define FIND(name)                                              \
    if (!(*(void **)&cu.name = dlsym(lib, #name))) {            \
        fprintf(stderr, "%s has no %s\n", path, #name);         \
        exit(3);                                                \
    }
    FIND(cuInit) FIND(cuDeviceGet) FIND(cuCtxCreate_v2) FIND(cuCtxSynchronize) FIND(cuModuleLoadDataEx) FIND(cuModuleGetFunction)
    FIND(cuMemHostAlloc) FIND(cuLaunchKernel)
#undef FIND
}

static char *read_file(const char *path, size_t *out_n)
{
    int fd = open(path, O_RDONLY);
    char *text = calloc(1, MAX_TEXT);
    ssize_t n = fd >= 0 && text ? read(fd, text, MAX_TEXT - 1) : -1;
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

/* In the child. Its exit status: 0 held, 1 not; what it prints says more. */
static int run_one(const struct attack *a)
{
    void *module, *function, *ctx;
    volatile uint64_t on_stack[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    size_t n;
    char *ptx = read_file(a->file, &n);
    uint64_t *out;
    int device, rc;
    for (size_t i = 0; i < SECRET; i++)
        secret[i] = pattern[i % sizeof pattern];
    must(cu.cuInit(0), "cuInit");
    must(cu.cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cu.cuCtxCreate_v2(&ctx, 0, device), "cuCtxCreate");
    must(cu.cuMemHostAlloc((void **)&out, OUT, 0), "cuMemHostAlloc");
    memset(out, 0, OUT);
    rc = cu.cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL);
    if (rc) {
        printf("# the module does not load: error %d\n", rc);
        return strcmp(a->expect, "load") != 0;
    }
    must(cu.cuModuleGetFunction(&function, module, "k"), "cuModuleGetFunction");
    uint64_t args[] = { (uint64_t)(uintptr_t)out, (uint64_t)(uintptr_t)secret, (uint64_t)(uintptr_t)on_stack, a->argument };
    void *params[] = { &args[0], &args[1], &args[2], &args[3] };
    rc = cu.cuLaunchKernel(function, a->blocks, 1, 1, a->threads, 1, 1, a->shared, NULL, params, NULL);
    int end = cu.cuCtxSynchronize();
    rc = rc ? rc : end;
    bool held = true;
    if (leaked((char *)out, OUT, false))
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
    return !held;
}

/* What the child prints is searched for the secret. */
static bool holds(const struct attack *a, const char *scratch)
{
    int status = 0, fd = open(scratch, O_RDWR | O_CREAT | O_TRUNC, 0600);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(SECONDS);
        dup2(fd, 1);
        dup2(fd, 2);
        int rc = run_one(a);
        fflush(NULL);
        _exit(rc);
    }
    close(fd);
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return false;
    size_t n;
    char *text = read_file(scratch, &n);
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFSIGNALED(status))
        printf("# killed by signal %d\n", WTERMSIG(status));
    if (leaked(text, n, true)) {
        puts("# it printed the secret");
        good = false;
    }
    for (char *line = strtok(text, "\n"); !good && line; line = strtok(NULL, "\n"))
        printf("# %.200s\n", line[0] == '#' ? line + 2 : line);
    free(text);
    return good;
}

int main(int argc, char **argv)
{
    struct attack a;
    char scratch[] = "/tmp/hostwarp-attack-XXXXXX";
    unsigned n = 0, bad = 0;
    FILE *list = argc == 3 ? fopen(argv[2], "r") : NULL;
    if (!list) {
        fprintf(stderr, "usage: attack LIBCUDA LIST\n");
        return 2;
    }
    close(mkstemp(scratch));
    driver_open(argv[1]);
    while (fscanf(list, "%127s %511s %u %u %u %llu %15s", a.name, a.file, &a.blocks, &a.threads, &a.shared, &a.argument, a.expect) == 7) {
        fflush(stdout);
        bool good = holds(&a, scratch);
        bad += !good;
        printf("%s %u - %s\n", good ? "ok" : "not ok", ++n, a.name);
    }
    printf("1..%u\n", n);
    unlink(scratch);
    fclose(list);
    return bad != 0;
}
