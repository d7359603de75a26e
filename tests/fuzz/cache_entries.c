/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of compiled kernels that somebody has been at: entries with other bytes, cut, made longer, exchanged, empty, unreadable, somebody else's; pipes, folders, links and devices in
 * their place. Kernels must run and be right, in time, as if the entry were not there; and leave a cache that works.
 *
 *   --lib FILE   the driver to try, instead of this build's
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <cuda.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES = 64, WORDS = 64, LARGEST = 1 << 20, LIMIT_S = 30, NOBODY = 65534 };

static const char *lib;
static char folder[64], kernels[128];            /* the cache, and its part for kernels */
static char *names[ENTRIES];
static unsigned n_names;
static struct fuzz_random r;

static unsigned pick(unsigned n) { return fuzz_below(&r, n); }

/* --- a program that runs two kernels --- */

static const char *const texts[] = {
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b64 %d<3>; .reg .b32 %r<3>; "
        "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4;"
    " add.u64 %d1, %d1, %d2; mad.lo.u32 %r2, %r1, 3, 5; st.global.u32 [%d1], %r2; ret; }\n",
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b64 %d<3>; .reg .b32 %r<4>; "
        ".shared .align 4 .u32 s[64]; ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4;"
    " add.u64 %d1, %d1, %d2; mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 4, %r2; st.shared.u32 [%r2], %r1; bar.sync 0; xor.b32 %r2, %r1, 1; "
        "mov.u32 %r3, s; mad.lo.u32 %r2, %r2, 4, %r3; ld.shared.u32 %r3, [%r2];"
    " st.global.u32 [%d1], %r3; ret; }\n",
};

static uint32_t expected(unsigned kernel, uint32_t i) { return kernel ? i ^ 1 : i * 3 + 5; }

#define CALL(name, type) ((type)need(dlsym(driver, name)))
static void *need(void *p)
{
    if (!p)
        _exit(20);
    return p;
}

static void program(void *unused)
{
    CUdevice dev;
    CUcontext ctx;
    CUdeviceptr out;
    uint32_t got[WORDS];
    (void)unused;
    freopen("/dev/null", "w", stderr);
    setenv("HOSTWARP_CACHE", folder, 1);
    setenv("HOSTWARP_THREADS", "1", 1);
    void *driver = need(dlopen(lib, RTLD_NOW));
    if (CALL("cuInit", CUresult (*)(unsigned))(0) || CALL("cuDeviceGet", CUresult (*)(CUdevice *, int))(&dev, 0) ||
        CALL("cuDevicePrimaryCtxRetain", CUresult (*)(CUcontext *, CUdevice))(&ctx, dev) || CALL("cuCtxSetCurrent", CUresult (*)(CUcontext))(ctx) ||
        CALL("cuMemAlloc_v2", CUresult (*)(CUdeviceptr *, size_t))(&out, sizeof got))
        _exit(21);
    for (unsigned k = 0; k < 2; k++) {
        CUmodule m;
        CUfunction f;
        void *params[] = { &out };
        if (CALL("cuModuleLoadData", CUresult (*)(CUmodule *, const void *))(&m, texts[k]) ||
            CALL("cuModuleGetFunction", CUresult (*)(CUfunction *, CUmodule, const char *))(&f, m, "k"))
            _exit(22);
        if (CALL("cuLaunchKernel", CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
            void **, void **))(f, 1, 1, 1, WORDS, 1, 1, 0, NULL, params, NULL) ||
            CALL("cuMemcpyDtoH_v2", CUresult (*)(void *, CUdeviceptr, size_t))(got, out, sizeof got))
            _exit(23);
        for (uint32_t i = 0; i < WORDS; i++)
            if (got[i] != expected(k, i))
                _exit(24);
    }
}

static const char *meaning(struct fuzz_ending e)
{
    static const char *const texts_of[] = { "the driver does not load", "the driver does not start", "a kernel does not load",
        "a kernel does not run", "a kernel is wrong" };
    return e.status >= 20 && e.status < 25 ? texts_of[e.status - 20] : fuzz_ending_text(e);
}

/* --- what is done to it --- */

static void list_entries(void)
{
    DIR *d = opendir(kernels);
    for (unsigned k = 0; k < n_names; k++)
        free(names[k]);
    n_names = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' && n_names < ENTRIES && asprintf(&names[n_names], "%s/%s", kernels, e->d_name) > 0)
            n_names++;
    if (d)
        closedir(d);
}

static size_t read_entry(const char *path, char *data)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : read(fd, data, LARGEST);
    if (fd >= 0)
        close(fd);
    return n < 0 ? 0 : (size_t)n;
}

static void write_entry(const char *path, const char *data, size_t n)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0 && write(fd, data, n) >= 0)
        close(fd);
}

static const char *spoil_bytes(const char *path)
{
    static char data[LARGEST + 4096];
    size_t n = read_entry(path, data);
    const char *what;
    switch (pick(5)) {
    case 0: n = n ? pick((unsigned)n) : 0; what = "cut"; break;
    case 1: memset(data + n, 0x55, 4096); n += 1 + pick(4000); what = "longer"; break;
    case 2: fuzz_mutate(&r, data, n < 256 ? n : 256); what = "other bytes at its beginning"; break;
    case 3: data[n ? pick((unsigned)(n < 200 ? n : 200)) : 0] ^= (char)(1u << pick(8)); what = "another bit at its beginning"; break;
    default: fuzz_mutate(&r, data, n); what = "other bytes"; break;
    }
    write_entry(path, data, n);
    return what;
}

static const char *spoil_kind(const char *path)
{
    static const char *const links[] = { "/dev/zero", "/dev/full", "/proc/self/mem", "/nowhere", "/dev/stdin", "." };
    static char data[LARGEST];
    const char *link;
    switch (pick(6)) {
    case 0: unlink(path); return mkfifo(path, 0600) ? "gone" : "a pipe";
    case 1: unlink(path); return mkdir(path, 0700) ? "gone" : "a folder";
    case 2: unlink(path); link = FUZZ_ANY(&r, links); return symlink(link, path) ? "gone" : link;
    case 3: chmod(path, pick(2) ? 0 : 0666); return "another mode";
    case 4: return chown(path, NOBODY, NOBODY) ? "as it was" : "somebody else's";
    default: write_entry(path, data, read_entry(names[pick(n_names)], data)); return "another entry's bytes";
    }
}

static const char *spoil_folder(void)
{
    switch (pick(4)) {
    case 0: chmod(kernels, 0777); return "a folder that all may write to";
    case 1: return chown(kernels, NOBODY, NOBODY) ? "as it was" : "somebody else's folder";
    case 2: chmod(kernels, 0); return "a folder that is closed";
    default: {
        char other[160];
        snprintf(other, sizeof other, "%s-file", kernels);
        rename(kernels, other);
        write_entry(kernels, "x", 1);
        return "a file where the folder was";
    }
    }
}

/* --- cases --- */

static void remove_all(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char at[512];
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        snprintf(at, sizeof at, "%s/%s", path, e->d_name);
        struct stat st;
        if (!lstat(at, &st) && S_ISDIR(st.st_mode)) {
            chmod(at, 0700);
            remove_all(at);
            rmdir(at);
        } else {
            unlink(at);
        }
    }
    if (d)
        closedir(d);
}

static void run_program(uint64_t number, const char *what)
{
    struct fuzz_ending e = fuzz_apart(program, NULL, LIMIT_S);
    fuzz_count(1);
    if (!fuzz_good(e))
        fuzz_bad_in(number, "entry is %s: %s", what, meaning(e));
}

static void one(uint64_t number)
{
    const char *what = "new";
    r = fuzz_random(fuzz_plan.seed, number);
    remove_all(folder);
    run_program(number, what);
    list_entries();
    if (!n_names) {
        fuzz_bad_in(number, "the cache stays empty");
        return;
    }
    if (pick(8) == 0)
        what = spoil_folder();
    else
        for (unsigned k = 0; k < n_names; k++)
            if (pick(3))
                what = pick(2) ? spoil_bytes(names[k]) : spoil_kind(names[k]);
    run_program(number, what);
    run_program(number, "what the one before left");
}

int main(int argc, char **argv)
{
    const struct fuzz_option options[] = { { "lib", "the driver to try", &lib }, { 0 } };
    uint64_t number;
    fuzz_begin((struct fuzz_plan){ .name = "cache_entries", .seed = 1, .cases = 10, .seconds = 10, .things = "runs" }, argc, argv, options);
    lib = lib ? lib : fuzz_own_library();
    if (access(lib, R_OK)) {
        printf("ok # SKIP this build has no driver library\n");
        return 0;
    }
    strcpy(folder, "/tmp/hostwarp-fuzz-XXXXXX");
    if (!mkdtemp(folder))
        return 2;
    snprintf(kernels, sizeof kernels, "%s/kernels", folder);
    while (fuzz_more(&number))
        one(number);
    remove_all(folder);
    rmdir(folder);
    return fuzz_end();
}
