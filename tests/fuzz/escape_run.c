/* SPDX-License-Identifier: Apache-2.0 */
/* Canaries, a launch between them, and a look at what became of them. */
#define _GNU_SOURCE
#include "escape_run.h"

#include <cuda.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                                                       \
    X(cuInit, (unsigned))                                                                                                  \
    X(cuDeviceGet, (CUdevice *, int))                                                                                      \
    X(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                                                   \
    X(cuCtxSetCurrent, (CUcontext))                                                                                        \
    X(cuCtxSynchronize, (void))                                                                                            \
    X(cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, CUjit_option *, void **))                                   \
    X(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                                                         \
    X(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                                                              \
    X(cuMemsetD8_v2, (CUdeviceptr, unsigned char, size_t))                                                                 \
    X(cuMemHostAlloc, (void **, size_t, unsigned))                                                                         \
    X(cuMemHostRegister_v2, (void *, size_t, unsigned))                                                                    \
    X(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **))

static struct {
#define X(name, params) CUresult (*name) params;
    FUNCTIONS(X)
#undef X
} cu;

enum { SPRAY = 1500, PAGE = 4096, STATIC_BYTES = 1 << 16 };

/* Readable letters: printf shall be able to show them. */
static const uint32_t secrets[] = { 0x4a7a516b, 0x5667586e };

static struct {
    const char *lib;
    const struct escape_kernel *k;
    uint32_t secret;
    int output;                  /* what the process prints */
    struct verdict_shared {
        struct escape_verdict v;
        volatile int called, over;
    } *shared;
    char *spray[SPRAY];
    unsigned spray_bytes[SPRAY];
    char *pages[TARGETS];
} now;

static char fixed[STATIC_BYTES] __attribute__((aligned(4096)));

bool escape_open(const char *lib)
{
    char beside[4096];
    if (access(lib, R_OK))
        return false;
    now.lib = lib;
    snprintf(beside, sizeof beside, "%.*s/libhostwarp-llvm.so", (int)(strrchr(lib, '/') ? strrchr(lib, '/') - lib : 0), lib);
    if (!dlopen(beside, RTLD_NOW | RTLD_LOCAL))  /* a debug build has none, and loads LLVM by its own name */
        dlopen("libLLVM-19.so.1", RTLD_LAZY | RTLD_LOCAL);
    now.shared = mmap(NULL, sizeof *now.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return now.shared != MAP_FAILED;
}

static void load_driver(void)
{
    void *driver = dlopen(now.lib, RTLD_NOW);
    if (!driver) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(9);
    }
#define X(name, params) if (!(*(void **)&cu.name = dlsym(driver, #name))) _exit(9);
    FUNCTIONS(X)
#undef X
}

/* --- canaries --- */

static void fill(char *p, size_t bytes)
{
    for (size_t i = 0; i + 4 <= bytes; i += 4)
        memcpy(p + i, &now.secret, 4);
}

static void look(const char *p, size_t bytes, const char *name)
{
    struct escape_verdict *v = &now.shared->v;
    for (size_t i = 0; i + 4 <= bytes; i += 4)
        if (memcmp(p + i, &now.secret, 4)) {
            v->found |= ESCAPE_WRITE;
            snprintf(v->text, sizeof v->text, "%s memory of the host changed at +%zu", name, i);
            return;
        }
}

/* A function that no kernel may call. */
static void forbidden(void) { now.shared->called = 1; }

/* Small pieces all over the heap; half are free again, so that what the driver allocates comes to lie between the others. */
static void spray(void)
{
    struct fuzz_random r = { 99 };
    for (unsigned i = 0; i < SPRAY; i++) {
        now.spray_bytes[i] = 24u << fuzz_below(&r, 9);
        now.spray[i] = malloc(now.spray_bytes[i]);
        fill(now.spray[i], now.spray_bytes[i]);
    }
    for (unsigned i = 0; i < SPRAY; i += 2) {
        memset(now.spray[i], 0, now.spray_bytes[i]);
        free(now.spray[i]);
        now.spray[i] = NULL;
    }
}

static char *page_at(uintptr_t at)
{
    char *p = mmap((void *)at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fill(p, PAGE);
    return p;
}

static void lay_out(char *stack)
{
    fill(fixed, sizeof fixed);
    fill(stack, ESCAPE_SPAN);
    spray();
    char *row = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fill(row, 3 * PAGE);
    memset(row + PAGE, 0x11, PAGE);
    char *all[TARGETS] = { fixed, malloc(ESCAPE_SPAN), stack, page_at(0x1ffffffff000), page_at(0x300000000000), row, row + 2 * PAGE,
        (char *)(uintptr_t)forbidden };
    fill(all[TARGET_HEAP], ESCAPE_SPAN);
    memcpy(now.pages, all, sizeof all);
}

static void look_at_all(void)
{
    static const char *const names[TARGETS] = { "static", "heap", "stack", "mapped (under the window)", "mapped (over the window)",
        "mapped (before the registered page)", "mapped (behind the registered page)", "code" };
    for (unsigned t = 0; t < TARGET_CODE; t++)
        look(now.pages[t], t == TARGET_STATIC ? sizeof fixed : ESCAPE_SPAN, names[t]);
    for (unsigned i = 0; i < SPRAY; i++)
        if (now.spray[i])
            look(now.spray[i], now.spray_bytes[i] & ~3u, "heap");
}

/* Which part of the secret a word is that a thread read: 1 all of it, then halves and bytes; 0: none. */
static unsigned part_of_secret(uint32_t word)
{
    uint32_t s = now.secret, parts[] = { s, s & 0xffff, s >> 16, s & 0xff, s >> 8 & 0xff, s >> 16 & 0xff, s >> 24 };
    for (unsigned k = 0; k < 7; k++)
        if (word == parts[k])
            return k + 1;
    return 0;
}

static void look_for_secrets(const uint32_t *out)
{
    struct escape_verdict *v = &now.shared->v;
    for (unsigned i = 0; i < ESCAPE_OUT / 4; i++) {
        bool slot = i >= ESCAPE_SLOTS / 4 && i < ESCAPE_SWEEPS / 4;
        unsigned part = out[i] ? part_of_secret(out[i]) : 0;
        if (part == 1 || (part && slot)) {
            v->found |= ESCAPE_LEAK;
            v->word = i;
            v->part = part;
            snprintf(v->text, sizeof v->text, "output word %u is 0x%x, %s the host's secret", i, out[i], part == 1 ? "all of" : "part of");
            return;
        }
    }
}

/* --- the process --- */

static void must(CUresult rc, const char *what)
{
    if (rc) {
        fprintf(stderr, "%s: error %d\n", what, rc);
        _exit(9);
    }
}

static CUresult load(const char *text, const char *name, CUfunction *out)
{
    static char log[4096];
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)(uintptr_t)sizeof log };
    CUmodule m;
    CUresult rc = cu.cuModuleLoadDataEx(&m, text, 2, options, values);
    if (rc)
        snprintf(now.shared->v.text, sizeof now.shared->v.text, "%.255s", log);
    return rc ? rc : cu.cuModuleGetFunction(out, m, name);
}

/* The driver must still work where it said nothing. */
static void plain_kernel(uint32_t *out)
{
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry plain(.param .u64 p) { .reg .b64 %p; "
        ".reg .b32 %t; ld.param.u64 %p, [p]; mov.u32 %t, %tid.x;"
                               " add.u32 %t, %t, 42; st.global.u32 [%p], %t; ret; }\n";
    CUfunction f;
    void *params[] = { &out };
    out[0] = 0;
    if (load(text, "plain", &f) || cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL) || cu.cuCtxSynchronize() || out[0] != 42) {
        now.shared->v.found |= ESCAPE_UNWELL;
        snprintf(now.shared->v.text, sizeof now.shared->v.text, "a plain kernel fails afterwards");
    }
}

static void settings(void)
{
    char width[8];
    snprintf(width, sizeof width, "%u", now.k->width);
    setenv("HOSTWARP_WIDTH", width, 1);
    setenv("HOSTWARP_CACHE", "off", 1);
    setenv("HOSTWARP_TIMEOUT", "2", 1);
    setenv("HOSTWARP_THREADS", "2", 1);
    setenv("HOSTWARP_MEMORY", "256M", 1);
    setenv("HOSTWARP_CC", "90", 1);
    setenv("HOSTWARP_LOG", "error", 1);
}

static void launch_between(void)
{
    CUdevice dev;
    CUcontext ctx;
    CUfunction f;
    CUdeviceptr in;
    void *out = NULL;
    uint64_t arg = 77, hosts[TARGETS], registered;
    static uint64_t big[8];
    must(cu.cuInit(0), "cuInit");
    must(cu.cuDeviceGet(&dev, 0), "cuDeviceGet");
    must(cu.cuDevicePrimaryCtxRetain(&ctx, dev), "cuDevicePrimaryCtxRetain");
    must(cu.cuCtxSetCurrent(ctx), "cuCtxSetCurrent");
    must(cu.cuMemAlloc_v2(&in, ESCAPE_IN), "cuMemAlloc");
    must(cu.cuMemsetD8_v2(in, 0x11, ESCAPE_IN), "cuMemsetD8");
    must(cu.cuMemHostAlloc(&out, ESCAPE_OUT, 0), "cuMemHostAlloc");
    memset(out, 0, ESCAPE_OUT);
    registered = (uint64_t)(uintptr_t)now.pages[TARGET_BEFORE] + PAGE;
    must(cu.cuMemHostRegister_v2((void *)(uintptr_t)registered, PAGE, 0), "cuMemHostRegister");
    for (unsigned t = 0; t < TARGETS; t++)
        hosts[t] = (uint64_t)(uintptr_t)now.pages[t];
    void *params[] = { &out, &in, &hosts[0], &hosts[1], &hosts[2], &hosts[3], &hosts[4], &hosts[5], &hosts[6], &hosts[7], &registered, &arg, big };
    struct escape_verdict *v = &now.shared->v;
    const struct escape_kernel *k = now.k;
    v->load_error = load(k->text, "k", &f);
    if (v->load_error)
        return;
    v->run_error = cu.cuLaunchKernel(f, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->shared, NULL, params, NULL);
    if (!v->run_error)
        v->run_error = cu.cuCtxSynchronize();
    look_for_secrets(out);
    if (!v->run_error)
        plain_kernel(out);
}

static void child(void *unused)
{
    char stack[ESCAPE_SPAN] __attribute__((aligned(4096)));
    (void)unused;
    dup2(now.output, STDOUT_FILENO);
    dup2(now.output, STDERR_FILENO);
    settings();
    lay_out(stack);
    load_driver();
    launch_between();
    look_at_all();
    if (now.shared->called)
        now.shared->v.found |= ESCAPE_CALLED;
    now.shared->over = 1;
    exit(0);                     /* what the driver does at exit belongs to it */
}

/* The secret as text: as it is, and as the number that %x and %d make of it. */
static bool printed(void)
{
    static char text[1 << 20];
    char ways[4][32];
    ssize_t n = pread(now.output, text, sizeof text - 1, 0);
    uint64_t twice = (uint64_t)now.secret << 32 | now.secret;
    text[n < 0 ? 0 : n] = 0;
    snprintf(ways[0], 32, "%.4s%.4s", (const char *)&now.secret, (const char *)&now.secret);
    snprintf(ways[1], 32, "%x", now.secret);
    snprintf(ways[2], 32, "%u", now.secret);
    snprintf(ways[3], 32, "%llu", (unsigned long long)twice);
    for (unsigned k = 0; k < 4 && n > 0; k++)
        if (memmem(text, (size_t)n, ways[k], strlen(ways[k])))
            return true;
    return false;
}

struct escape_verdict escape_run(const struct escape_kernel *k, unsigned secret, double seconds)
{
    memset(now.shared, 0, sizeof *now.shared);
    now.k = k;
    now.secret = secrets[secret % 2];
    now.output = memfd_create("output", MFD_CLOEXEC);
    struct fuzz_ending e = fuzz_apart(child, NULL, seconds);
    struct escape_verdict v = now.shared->v;
    if (printed()) {
        v.found |= ESCAPE_PRINTED;
        snprintf(v.text, sizeof v.text, "the host's secret is in the output");
    }
    close(now.output);
    if (e.late || !fuzz_good(e)) {
        v.found |= e.late ? ESCAPE_HANG : ESCAPE_CRASH;
        snprintf(v.text, sizeof v.text, "%s%s", fuzz_ending_text(e), now.shared->over ? ", while the process was ending" : "");
    }
    return v;
}

struct escape_verdict escape_run_twice(const struct escape_kernel *k)
{
    struct escape_verdict one = escape_run(k, 0, 15), two;
    if (!one.found)
        return one;
    two = escape_run(k, 1, one.found & ESCAPE_HANG ? 60 : 20);
    two.found &= one.found;
    if (one.part > 1 && (one.word != two.word || one.part != two.part))
        two.found &= ~(unsigned)ESCAPE_LEAK;     /* a small number that happens to be the same as a byte */
    return two;
}

const char *escape_names(unsigned found)
{
    static const char *const names[] = { "LEAK", "PRINTED", "WRITE", "CALLED", "CRASH", "HANG", "UNWELL" };
    static char text[80];
    text[0] = 0;
    for (unsigned k = 0; k < 7; k++)
        if (found >> k & 1)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? " " : "", names[k]);
    return text;
}
