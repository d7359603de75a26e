/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random libraries and modules: loading, kernels and variables by name, attributes, launches, unloading, and all of it again with names that are not there, handles that
 * are dead or were never given out, and program text that is broken. A model knows what is loaded and what the variables hold.
 */
#define _GNU_SOURCE
#include "fuzz_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LOADED = 5, KERNELS = 4, VARIABLES = 3, VARIABLE_BYTES = 200, OPERATIONS = 40, DEAD = 32, TEXT = 8192, PAGE = 4096 };

/* A library, or a module. */
struct loaded {
    bool alive, module;
    CUlibrary library;
    CUmodule mod;
    unsigned n_kernels, n_variables, bytes[VARIABLES], value;
    unsigned char model[VARIABLES][VARIABLE_BYTES];
};

static struct loaded all[LOADED];
static void *dead[DEAD];         /* handles that were something once */
static void *reused;             /* and a kernel's, which may be something again */
static unsigned n_dead;
static CUdeviceptr out;
static char *page_end;           /* no memory behind it */
static struct fuzz_random r;
static uint64_t number;

static unsigned pick(unsigned n) { return fuzz_below(&r, n); }

#define FOUND(...) fuzz_bad_in(number, __VA_ARGS__)

static void died(void *handle) { dead[n_dead < DEAD ? n_dead++ : pick(DEAD)] = handle; }

/* Handles of libraries are addresses, which come again. */
static void lives(void *handle)
{
    for (unsigned i = 0; i < n_dead; i++)
        if (dead[i] == handle)
            dead[i--] = dead[--n_dead];
}

/* A handle that must not be taken for one: dead, or never given out. A library's address may be a kernel's later. */
static void *no_handle(bool kernel)
{
    if (reused && pick(4) == 0)
        return reused;
    if (n_dead && !kernel && pick(2))
        return dead[pick(n_dead)];
    return (void *)(uintptr_t)fuzz_odd(&r);
}

/* --- loading --- */

static void make_text(const struct loaded *l, char *text)
{
    char *to = text + sprintf(text, ".version 7.0\n.target sm_70\n.address_size 64\n");
    for (unsigned k = 0; k < l->n_variables; k++)
        to += sprintf(to, ".visible .%s .align 8 .b8 g%u[%u] = {%u, %u};\n", k == 1 ? "const" : "global", k, l->bytes[k], k + 1, l->value & 255);
    for (unsigned k = 0; k < l->n_kernels; k++)
        to += sprintf(to, ".visible .entry k%u(.param .u64 p) { .reg .b64 %%d; .reg .b32 %%r; ld.param.u64 %%d, [p]; mov.u32 %%r, %u; "
            "st.global.u32 [%%d], %%r; ret; }\n", k, l->value + k);
}

static void load(struct loaded *l)
{
    static char text[TEXT];
    char log[64];
    CUjit_option options[] = { CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)(uintptr_t)sizeof log };
    unsigned n = pick(2) * 2;
    *l = (struct loaded){ .module = pick(2), .n_kernels = 1 + pick(KERNELS), .n_variables = pick(VARIABLES + 1), .value = pick(1000) };
    for (unsigned k = 0; k < l->n_variables; k++) {
        l->bytes[k] = 2 + pick(VARIABLE_BYTES - 2);
        l->model[k][0] = (unsigned char)(k + 1);
        l->model[k][1] = (unsigned char)l->value;
    }
    make_text(l, text);
    fuzz_doing("loading");
    l->alive = l->module ? GOOD(number, cuModuleLoadDataEx(&l->mod, text, n, options, values))
        : GOOD(number, cuLibraryLoadData(&l->library, text, options, values, n, NULL, NULL, 0));
    lives(l->module ? (void *)l->mod : (void *)l->library);
    memset(text, 0, sizeof text);                /* it has its own copy, or does not need it any more */
}

static void unload(struct loaded *l)
{
    if (!l->alive)
        return;
    l->alive = false;
    fuzz_doing("unloading");
    if (l->module ? GOOD(number, cuModuleUnload(l->mod)) : GOOD(number, cuLibraryUnload(l->library)))
        died(l->module ? (void *)l->mod : (void *)l->library);
}

/* Text with something wrong, at the end of a page. */
static void load_broken(void)
{
    static char text[TEXT];
    struct loaded l = { .n_kernels = 1 + pick(KERNELS), .n_variables = 2, .bytes = { 20, 30 } };
    CUmodule mod;
    CUlibrary lib;
    make_text(&l, text);
    size_t n = strlen(text) + 1;
    if (pick(3) == 0)
        n = 1 + pick((unsigned)n - 1);           /* cut */
    fuzz_mutate(&r, text, n - 1);
    if (pick(4) == 0)
        memcpy(text, (unsigned[]){ 0x464c457f, 0x50ed55ba, 0x466243b1 } + 1 * pick(2), 4);     /* an ELF file, a fatbin */
    text[n - 1] = 0;
    char *at = memcpy(page_end - n, text, n);
    if (n < 64 || memcmp(at, "\x50\xed\x55\xba", 4) == 0 || memcmp(at, "\x7f" "ELF", 4) == 0)
        return;                  /* says itself how long it is */
    fuzz_doing("loading what is broken");
    if (pick(2)) {
        if (cuModuleLoadData(&mod, at) == CUDA_SUCCESS)
            GOOD(number, cuModuleUnload(mod));
    } else if (cuLibraryLoadData(&lib, at, NULL, NULL, 0, NULL, NULL, 0) == CUDA_SUCCESS) {
        lives(lib);
        GOOD(number, cuLibraryUnload(lib));
    }
}

/* --- kernels --- */

static CUresult get_kernel(struct loaded *l, const char *name, CUfunction *f)
{
    CUkernel k;
    CUmodule m;
    CUresult rc;
    if (l->module)
        return cuModuleGetFunction(f, l->mod, name);
    switch (pick(3)) {
    case 0: rc = cuLibraryGetKernel(&k, l->library, name); *f = (CUfunction)(void *)k; return rc;
    case 1: rc = cuLibraryGetKernel(&k, l->library, name); return rc ? rc : cuKernelGetFunction(f, k);
    default: rc = cuLibraryGetModule(&m, l->library); return rc ? rc : cuModuleGetFunction(f, m, name);
    }
}

static void use_kernel(struct loaded *l)
{
    unsigned k = pick(l->n_kernels), got = 0;
    char name[16];
    CUfunction f;
    void *params[] = { &out };
    snprintf(name, sizeof name, "k%u", k);
    fuzz_doing("a kernel by name");
    if (!driver_good(get_kernel(l, name, &f), "a kernel by name", number))
        return;
    if (pick(8) == 0) {          /* the one that is unloaded takes its kernels with it */
        unload(l);
        reused = f;              /* a later kernel may come to lie there */
        return;
    }
    if (GOOD(number, cuLaunchKernel(f, 1, 1, 1, 1 + 32 * pick(2), 1, 1, 0, NULL, params, NULL)) && GOOD(number, cuMemcpyDtoH(&got, out, 4)) &&
        got != l->value + k)
        FOUND("kernel %u stores %u, not %u", k, got, l->value + k);
}

static void wrong_names(struct loaded *l)
{
    static const char *const names[] = { "", "k", "k99", "g0", "K0", "k0 ", "table", "%s%n", "k0\n" };
    char name[64];
    CUfunction f;
    CUdeviceptr p;
    size_t bytes;
    snprintf(name, sizeof name, "%s", FUZZ_ANY(&r, names));
    fuzz_doing("a name that is not there");
    if (get_kernel(l, name, &f) == CUDA_SUCCESS)
        FOUND("there is a kernel '%s'", name);
    if (name[0] != 'g' && (l->module ? cuModuleGetGlobal(&p, &bytes, l->mod, name) : cuLibraryGetGlobal(&p, &bytes, l->library,
        name)) == CUDA_SUCCESS)
        FOUND("there is a variable '%s'", name);
}

static void count_kernels(struct loaded *l)
{
    unsigned n = 0;
    CUkernel kernels[KERNELS + 2] = { 0 };
    CUfunction functions[KERNELS + 2] = { 0 };
    fuzz_doing("counting kernels");
    if (l->module ? !GOOD(number, cuModuleGetFunctionCount(&n, l->mod)) : !GOOD(number, cuLibraryGetKernelCount(&n, l->library)))
        return;
    if (n != l->n_kernels)
        FOUND("%u kernels, not %u", n, l->n_kernels);
    unsigned ask = 1 + pick(l->n_kernels);
    if (l->module ? !GOOD(number, cuModuleEnumerateFunctions(functions, ask, l->mod)) : !GOOD(number,
        cuLibraryEnumerateKernels(kernels, ask, l->library)))
        return;
    for (unsigned k = 0; k < KERNELS + 2; k++) {
        const char *name = NULL;
        bool there = l->module ? functions[k] != NULL : kernels[k] != NULL;
        if (there != (k < ask))
            FOUND("place %u of %u kernels is %s", k, ask, there ? "written" : "empty");
        if (there && (l->module ? GOOD(number, cuFuncGetName(&name, functions[k])) : GOOD(number, cuKernelGetName(&name, kernels[k]))) &&
            name[0] != 'k')
            FOUND("a kernel named '%s'", name);
    }
}

/* --- variables --- */

static void use_variable(struct loaded *l)
{
    unsigned k = pick(l->n_variables);
    char name[16];
    CUdeviceptr p = 0;
    size_t bytes = 0;
    unsigned char now[VARIABLE_BYTES];
    if (!l->n_variables)
        return;
    snprintf(name, sizeof name, "g%u", k);
    fuzz_doing("a variable by name");
    if (!driver_good(l->module ? cuModuleGetGlobal(&p, &bytes, l->mod, name) : cuLibraryGetGlobal(&p, &bytes, l->library, name),
        "a variable by name", number))
        return;
    if (bytes != l->bytes[k]) {
        FOUND("variable %u has %zu bytes, not %u", k, bytes, l->bytes[k]);
        return;
    }
    if (!GOOD(number, cuMemcpyDtoH(now, p, bytes)))
        return;
    if (memcmp(now, l->model[k], bytes))
        FOUND("variable %u of %u bytes does not hold what was stored", k, l->bytes[k]);
    unsigned at = pick(l->bytes[k]), n = 1 + pick(l->bytes[k] - at);
    memset(l->model[k] + at, (int)pick(256), n);
    GOOD(number, cuMemcpyHtoD(p + at, l->model[k] + at, n));
    if (pick(4) == 0 && cuMemcpyHtoD(p + at, now, (size_t)1 << (40 + pick(20))) == CUDA_SUCCESS)
        FOUND("a copy of %u TiB to a variable is accepted", 1u);
}

/* --- handles that are none --- */

static void wrong_handles(void)
{
    unsigned what = pick(18);
    void *h = no_handle((what >= 5 && what <= 10) || (what >= 14 && what <= 16)), *params[] = { &out }, *fptr;
    CUkernel k;
    CUmodule m;
    CUfunction f;
    CUlibrary lib;
    CUdeviceptr p;
    size_t bytes, offset;
    unsigned n;
    int value;
    const char *name;
    CUresult rc;
    fuzz_doing("a handle that is none");
    switch (what) {
    case 0: rc = cuLibraryGetKernel(&k, h, "k0"); break;
    case 1: rc = cuLibraryGetModule(&m, h); break;
    case 2: rc = cuLibraryGetGlobal(&p, &bytes, h, "g0"); break;
    case 3: rc = cuLibraryGetKernelCount(&n, h); break;
    case 4: rc = cuLibraryUnload(h); break;
    case 5: rc = cuKernelGetFunction(&f, h); break;
    case 6: rc = cuKernelGetLibrary(&lib, h); break;
    case 7: rc = cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, h, 0); break;
    case 8: rc = cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, h, 0); break;
    case 9: rc = cuKernelGetName(&name, h); break;
    case 10: rc = cuKernelGetParamInfo(h, 0, &offset, &bytes); break;
    case 11: rc = cuModuleGetFunction(&f, h, "k0"); break;
    case 12: rc = cuModuleGetGlobal(&p, &bytes, h, "g0"); break;
    case 13: rc = cuModuleUnload(h); break;
    case 14: rc = cuLaunchKernel(h, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL); break;
    case 15: rc = cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, h); break;
    case 16: rc = cuFuncGetModule(&m, h); break;
    default: rc = cuLibraryGetUnifiedFunction(&fptr, h, "k0"); break;
    }
    if (rc == CUDA_SUCCESS && h != reused)
        FOUND("%p is taken for a handle", h);
}

static void odd_attributes(struct loaded *l)
{
    CUkernel k;
    int value;
    size_t offset, bytes;
    if (l->module || cuLibraryGetKernel(&k, l->library, "k0"))
        return;
    fuzz_doing("odd attributes");
    cuKernelGetAttribute(&value, (CUfunction_attribute)fuzz_odd(&r), k, (CUdevice)pick(3) - 1);
    cuKernelSetAttribute((CUfunction_attribute)(8 + pick(9)), (int)fuzz_odd(&r), k, 0);
    cuKernelSetCacheConfig(k, (CUfunc_cache)fuzz_odd(&r), 0);
    cuKernelGetParamInfo(k, (size_t)fuzz_odd(&r), &offset, &bytes);
    cuLibraryEnumerateKernels(&k, 0, l->library);
}

/* --- cases --- */

static void before(void)
{
    driver_start();
    NEED(cuMemAlloc(&out, 256));
    char *pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 3 * PAGE, PAGE, PROT_NONE);
    page_end = pages + 3 * PAGE;
}

static void one(uint64_t n)
{
    static void (*const uses[])(struct loaded *) = { use_kernel, use_kernel, use_variable, use_variable, wrong_names, count_kernels,
        odd_attributes, unload };
    r = fuzz_random(fuzz_plan.seed, number = n);
    for (unsigned i = 0; i < OPERATIONS; i++) {
        struct loaded *l = &all[pick(LOADED)];
        unsigned kind = pick(12);
        if (kind == 0)
            load_broken();
        else if (kind == 1)
            wrong_handles();
        else if (!l->alive)
            load(l);
        else
            FUZZ_ANY(&r, uses)(l);
        fuzz_count(1);
    }
    for (unsigned i = 0; i < LOADED; i++)
        unload(&all[i]);
    if (!GOOD(number, cuCtxSynchronize()))
        fuzz_fresh();
}

int main(int argc, char **argv)
{
    driver_settings(argv);
    fuzz_begin((struct fuzz_plan){ .name = "libraries", .seed = 1, .seconds = 3, .things = "operations" }, argc, argv, NULL);
    return fuzz_cases(before, one, 20, 10);
}
