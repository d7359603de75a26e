/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp info --json`: devices, machine and settings for programs to read. */
#define _GNU_SOURCE
#include "cli/cli.h"
#include "cli/prof.h"

#include "base/options.h"
#include "base/os.h"

#include <cuda.h>

#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* What programs ask for most. */
static const struct { const char *name; CUdevice_attribute attr; } attributes[] = {
    { "compute_capability_major", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR },
    { "compute_capability_minor", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR },
    { "multiprocessors", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT },
    { "warp_size", CU_DEVICE_ATTRIBUTE_WARP_SIZE },
    { "max_threads_per_block", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK },
    { "max_threads_per_multiprocessor", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR },
    { "max_shared_memory_per_block", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK },
    { "max_registers_per_block", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK },
    { "copy_engines", CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT },
    { "concurrent_kernels", CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS },
    { "can_map_host_memory", CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY },
    { "managed_memory", CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY },
};

struct driver {
    CUresult (*init)(unsigned flags);
    CUresult (*count)(int *n);
    CUresult (*name)(char *name, int len, CUdevice dev);
    CUresult (*total)(size_t *bytes, CUdevice dev);
    CUresult (*attribute)(int *value, CUdevice_attribute attr, CUdevice dev);
    CUresult (*version)(int *version);
};

/* NULL, or why there is no driver. */
static const char *find_driver(struct driver *d)
{
    char *path = cli_path("lib/libcuda.so.1");
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    hw_free(path);
    if (!lib)
        return dlerror();
    const struct { const char *name; void **slot; } symbols[] = {
        { "cuInit", (void **)&d->init },          { "cuDeviceGetCount", (void **)&d->count },
        { "cuDeviceGetName", (void **)&d->name }, { "cuDeviceTotalMem_v2", (void **)&d->total },
        { "cuDeviceGetAttribute", (void **)&d->attribute }, { "cuDriverGetVersion", (void **)&d->version },
    };
    for (size_t i = 0; i < HW_LEN(symbols); i++)
        if (!(*symbols[i].slot = dlsym(lib, symbols[i].name)))
            return symbols[i].name;
    return NULL;
}

static void put_device(const struct driver *d, int dev)
{
    char name[256] = "";
    size_t bytes = 0;
    d->name(name, sizeof name, dev);
    d->total(&bytes, dev);
    printf("%s\n    {\"name\": ", dev ? "," : "");
    prof_json_string(stdout, name);
    printf(", \"memory_bytes\": %zu", bytes);
    for (size_t i = 0; i < HW_LEN(attributes); i++) {
        int value = 0;
        if (d->attribute(&value, attributes[i].attr, dev) == CUDA_SUCCESS)
            printf(", \"%s\": %d", attributes[i].name, value);
    }
    printf("}");
}

/* As `hostwarp info` does: tried, since the limit alone is a poor witness. */
static bool can_lock(void)
{
    size_t bytes = 16 * hw_page_bytes();
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool works = p != MAP_FAILED && mlock(p, bytes) == 0;
    if (p != MAP_FAILED)
        munmap(p, bytes);
    return works;
}

static void put_machine(void)
{
    struct rlimit limit;
    char *cache = hw_cache_dir("");
    printf("  \"cpu\": ");
    prof_json_string(stdout, hw_cpu_name());
    printf(",\n  \"cpus\": %u,\n  \"memory_bytes\": %llu,\n  \"page_locking\": %s,\n", hw_cpu_count(), (unsigned long long)hw_memory_bytes(),
           can_lock() ? "true" : "false");
    bool endless = getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY;
    if (endless)
        printf("  \"page_lock_limit_bytes\": null,\n");
    else
        printf("  \"page_lock_limit_bytes\": %llu,\n", (unsigned long long)limit.rlim_cur);
    printf("  \"root\": ");
    prof_json_string(stdout, cli_root());
    printf(",\n  \"cache\": ");
    if (cache)
        prof_json_string(stdout, cache);
    else
        printf("null");
    hw_free(cache);
    printf(",\n");
}

/* The table writes default texts with their quotes. */
static void put_value(const char *text)
{
    size_t n = strlen(text);
    bool quoted = n >= 2 && text[0] == '"' && text[n - 1] == '"';
    char *plain = hw_strndup(text + quoted, n - 2 * quoted);
    prof_json_string(stdout, plain);
    hw_free(plain);
}

static void put_options(void)
{
    printf("  \"variables\": [");
    for (size_t i = 0; i < hw_n_option_rows; i++) {
        const struct hw_option_row *row = &hw_option_rows[i];
        const char *set = getenv(row->variable);
        printf("%s\n    {\"name\": \"%s\", \"set\": %s, \"value\": ", i ? "," : "", row->variable, set && *set ? "true" : "false");
        put_value(set && *set ? set : row->dflt);
        printf(", \"help\": ");
        prof_json_string(stdout, row->help);
        printf("}");
    }
    printf("],\n");
}

static void put_cuda_env(void)
{
    printf("  \"driver_variables\": [");
    for (size_t i = 0; i < hw_n_cuda_env_rows; i++) {
        const struct hw_cuda_env_row *row = &hw_cuda_env_rows[i];
        const char *set = getenv(row->variable);
        printf("%s\n    {\"name\": \"%s\", \"effect\": %s, \"value\": ", i ? "," : "", row->variable, row->idle ? "false" : "true");
        if (set)
            prof_json_string(stdout, set);
        else
            printf("null");
        printf("}");
    }
    printf("]\n");
}

int info_json(void)
{
    struct driver d;
    const char *why = find_driver(&d);
    int n = 0, version = 0;
    bool ok = !why && d.init(0) == CUDA_SUCCESS && d.count(&n) == CUDA_SUCCESS && n > 0;
    printf("{\n  \"hostwarp\": \"%s\",\n", CLI_VERSION);
    if (!why && d.version(&version) == CUDA_SUCCESS)
        printf("  \"cuda_level\": \"%d.%d\",\n", version / 1000, version % 1000 / 10);
    printf("  \"devices\": [");
    for (int i = 0; ok && i < n; i++)
        put_device(&d, i);
    printf("],\n");
    put_machine();
    put_options();
    put_cuda_env();
    printf("}\n");
    return ok ? CLI_OK : CLI_FAIL;
}
