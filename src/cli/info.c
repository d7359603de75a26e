/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp info`: the devices as programs see them, and what this machine gives them. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include "base/options.h"
#include "base/os.h"

#include <cuda.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void help(void)
{
    printf("usage: hostwarp info [--json | --gpus]\n\nShows the devices that programs see, this machine's CPU, memory and limits, where files are kept, and every\n"
           "HOSTWARP_* variable with its value, and the CUDA_* variables that are set. --json: the same for programs to read.\n"
           "--gpus: the GPUs whose times can be computed (HOSTWARP_GPU).\n");
}

/* Bytes with the largest unit that keeps at least one whole. */
static const char *size_text(uint64_t bytes, char out[32])
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < HW_LEN(units))
        value /= 1024, unit++;
    snprintf(out, 32, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return out;
}

/* The calls used here, looked up at run time: the command must start even where the library does not. */
struct driver {
    CUresult (*init)(unsigned flags);
    CUresult (*count)(int *n);
    CUresult (*name)(char *name, int len, CUdevice dev);
    CUresult (*total)(size_t *bytes, CUdevice dev);
    CUresult (*attribute)(int *value, CUdevice_attribute attr, CUdevice dev);
    CUresult (*version)(int *version);
};

static bool find_driver(struct driver *d)
{
    char *path = cli_path("lib/libcuda.so.1");
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    hw_free(path);
    if (!lib) {
        printf("Devices       none: %s\n", dlerror());
        return false;
    }
    const struct { const char *name; void **slot; } symbols[] = {
        { "cuInit", (void **)&d->init },
        { "cuDeviceGetCount", (void **)&d->count },
        { "cuDeviceGetName", (void **)&d->name },
        { "cuDeviceTotalMem_v2", (void **)&d->total },
        { "cuDeviceGetAttribute", (void **)&d->attribute },
        { "cuDriverGetVersion", (void **)&d->version },
    };
    for (size_t i = 0; i < HW_LEN(symbols); i++) {
        *symbols[i].slot = dlsym(lib, symbols[i].name);
        if (!*symbols[i].slot) {
            printf("Devices       none: libcuda.so.1 has no %s\n", symbols[i].name);
            return false;
        }
    }
    return true;
}

static bool show_device(const struct driver *d, int dev)
{
    char name[256] = "", size[32];
    size_t bytes = 0;
    int major = 0, minor = 0, sms = 0, warp = 0, threads = 0;
    CUresult rc = d->name(name, sizeof name, dev);
    if (rc == CUDA_SUCCESS)
        rc = d->total(&bytes, dev);
    const struct { CUdevice_attribute attr; int *out; } wanted[] = {
        { CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major }, { CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor },
        { CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &sms },       { CU_DEVICE_ATTRIBUTE_WARP_SIZE, &warp },
        { CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &threads },
    };
    for (size_t i = 0; i < HW_LEN(wanted) && rc == CUDA_SUCCESS; i++)
        rc = d->attribute(wanted[i].out, wanted[i].attr, dev);
    if (rc != CUDA_SUCCESS) {
        printf("Device %-6d cannot be asked: error %d\n", dev, (int)rc);
        return false;
    }
    printf("Device %-6d %s\n", dev, name);
    printf("              compute capability %d.%d, %s of memory, %d multiprocessors, warps of %d, up to %d threads a block\n",
           major, minor, size_text(bytes, size), sms, warp, threads);
    return true;
}

static bool show_devices(void)
{
    struct driver d;
    int n = 0, version = 0;
    if (!find_driver(&d))
        return false;
    CUresult rc = d.init(0);
    if (rc == CUDA_SUCCESS)
        rc = d.count(&n);
    if (rc != CUDA_SUCCESS) {
        printf("Devices       none: cuInit answers error %d\n", (int)rc);
        return false;
    }
    bool ok = n > 0;
    for (int i = 0; i < n; i++)
        ok = show_device(&d, i) && ok;
    if (d.version(&version) == CUDA_SUCCESS)
        printf("CUDA          level %d.%d\n", version / 1000, version % 1000 / 10);
    return ok;
}

static const char *simd_name(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        return "AVX-512 (16 lanes of 32 bits)";
    if (__builtin_cpu_supports("avx2"))
        return "AVX2 (8 lanes of 32 bits)";
    return "SSE (4 lanes of 32 bits)";
#else
    return "as the compiler finds it";
#endif
}

static void show_machine(void)
{
    char size[32];
    printf("CPU           %s, %u CPUs for this process, %s\n", hw_cpu_name(), hw_cpu_count(), simd_name());
    printf("Memory        %s\n", size_text(hw_memory_bytes(), size));
}

/* Tries it: capabilities and containers make the limit alone a poor witness. */
static void show_page_lock(void)
{
    struct rlimit limit;
    char size[32];
    size_t bytes = 16 * hw_page_bytes();
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        limit.rlim_cur = 0;
    const char *text = limit.rlim_cur == RLIM_INFINITY ? "no limit" : size_text(limit.rlim_cur, size);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool works = p != MAP_FAILED && mlock(p, bytes) == 0;
    int error = errno;
    if (p != MAP_FAILED)
        munmap(p, bytes);
    bool privileged = false;
    if (works && limit.rlim_cur != RLIM_INFINITY) {
        size_t more = (size_t)limit.rlim_cur + bytes;
        void *q = more < hw_memory_bytes() / 4 ? mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
        privileged = q != MAP_FAILED && mlock(q, more) == 0;
        if (q != MAP_FAILED)
            munmap(q, more);
    }
    if (!works)
        printf("Page locking  does not work here (%s; limit %s): pinned memory is resident but not locked\n", strerror(error), text);
    else if (privileged)
        printf("Page locking  works, also past the limit of %s (this process is privileged)\n", text);
    else if (limit.rlim_cur == RLIM_INFINITY)
        printf("Page locking  works, no limit\n");
    else
        printf("Page locking  works up to %s (ulimit -l); pinned memory past that is resident but not locked\n", text);
}

static void show_files(void)
{
    char *cache = hw_cache_dir("");
    printf("Files         command and libraries in %s\n", cli_root());
    printf("Cache         %s\n", cache ? cache : "off");
    hw_free(cache);
}

static void show_options(void)
{
    printf("\nVariables (set ones are marked with *)\n");
    for (size_t i = 0; i < hw_n_option_rows; i++) {
        const struct hw_option_row *row = &hw_option_rows[i];
        const char *set = getenv(row->variable);
        bool has = set && *set;
        printf("%s %-24s %-8s %s\n", has ? "*" : " ", row->variable, has ? set : row->dflt, row->help);
    }
}

/* Those of the driver are many, and rarely set: only what is. */
static void show_cuda_env(void)
{
    for (size_t i = 0; i < hw_n_cuda_env_rows; i++) {
        const struct hw_cuda_env_row *row = &hw_cuda_env_rows[i];
        const char *set = getenv(row->variable);
        if (set)
            printf("* %-24s %-8s %s%s\n", row->variable, set, row->idle ? "no effect: " : "", row->meaning);
    }
}

int cmd_info(int argc, char **argv)
{
    if (argc == 1 && strcmp(argv[0], "--json") == 0)
        return info_json();
    if (argc == 1 && strcmp(argv[0], "--gpus") == 0)
        return info_gpus();
    if (argc > 0) {
        bool asked = strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0;
        if (!asked)
            cli_error("unknown argument %s", argv[0]);
        else
            help();
        return asked ? CLI_OK : CLI_USAGE;
    }
    printf("hostwarp      %s\n", CLI_VERSION);
    bool ok = show_devices();
    show_machine();
    show_page_lock();
    show_files();
    show_options();
    show_cuda_env();
    return ok ? CLI_OK : CLI_FAIL;
}
