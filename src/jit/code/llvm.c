/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading the system's libLLVM takes 12 ms, more than all else that a small program does whose kernels are in the cache. So nothing is linked with it: each of its
 * functions that jit/ calls is a jump through a pointer, which llvm_load() sets. Beside our libraries there is one with what we need of LLVM (link_llvm.py),
 * which takes 2.5 ms; where it was not built, the system's will do.
 */
#define _GNU_SOURCE
#include "jit/code/llvm.h"

#include "base/log.h"
#include "base/os.h"
#include "base/str.h"

#include <dlfcn.h>
#include <pthread.h>

#if defined(__x86_64__)
#define JUMP(name) "\tjmp *hw_at_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name) "\tadrp x16, hw_at_" #name "\n\tldr x16, [x16, :lo12:hw_at_" #name "]\n\tbr x16\n"
#else
#error "no jump is known for this CPU"
#endif

#define LLVM(name) \
    __attribute__((visibility("hidden"), used)) void *hw_at_##name; \
    __asm__(".text\n\t.globl " #name "\n\t.hidden " #name "\n\t.type " #name ", STT_FUNC\n" #name ":\n" JUMP(name) "\t.size " #name ", . - " #name "\n");
#include "jit/code/llvm.def"
#undef LLVM

#define LLVM(name) { #name, &hw_at_##name },
static const struct {
    const char *name;
    void **at;
} functions[] = {
#include "jit/code/llvm.def"
};
#undef LLVM

#define OWN "libhostwarp-llvm.so"
static const char *const files[] = { "libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so", HW_LLVM_FOLDER "/libLLVM.so.19.1", HW_LLVM_FOLDER "/libLLVM-19.so" };

static const char *missing;      /* NULL: all is there */
static bool stays;

static void *open_own(void)
{
    Dl_info info;
    const char *slash = dladdr((void *)(uintptr_t)open_own, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    char *path = slash ? hw_sprintf("%.*s/" OWN, (int)(slash - info.dli_fname), info.dli_fname) : NULL;
    void *lib = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    hw_free(path);
    return lib;
}

static void load(void)
{
    uint64_t begin = hw_now_ns();
    void *lib = open_own();
    for (size_t k = 0; k < HW_LEN(files) && !lib; k++)
        lib = dlopen(files[k], RTLD_LAZY | RTLD_LOCAL);
    missing = lib ? NULL : "libLLVM 19";
    for (size_t k = 0; k < HW_LEN(functions) && !missing; k++)
        if (!(*functions[k].at = dlsym(lib, functions[k].name)))
            missing = functions[k].name;
    stays = lib && dlsym(lib, "hw_llvm_stays");
    hw_debug("loaded LLVM in %.1f ms", (double)(hw_now_ns() - begin) / 1e6);
}

bool llvm_load(struct diag *diag)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (missing)
        diag_error(diag, 0, 0, "kernels cannot be compiled: %s is not found (is the package libllvm19 installed?)", missing);
    return !missing;
}

bool llvm_stays(void) { return stays; }
