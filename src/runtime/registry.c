/* SPDX-License-Identifier: Apache-2.0 */
/* Images of device code, loaded into each context when something of theirs is first used there. */
#include "runtime/registry.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/vec.h"
#include "runtime/context.h"
#include "runtime/registration.h"
#include "runtime/registry_link.h"

#include <stdatomic.h>

/* An image in one context. */
struct registry_instance {
    CUcontext ctx;
    CUmodule module;
    cudaError_t error;                           /* why it could not be loaded; said once, answered ever after */
    CUfunction *functions;                       /* by registry_function_row.index, NULL until asked for */
    size_t n_functions;
};

/*
 * One registered image with the names in it.
 * Lifetime  From __cudaRegisterFatBinary to __cudaUnregisterFatBinary.
 * Locks     mu guards the instances, and is held while the driver loads one, so that two threads do not both. It is a
 *           plain mutex, since the driver takes locks of its own below it. lock comes before it.
 * Threads   Registration runs in constructors, lookups on any thread.
 */
struct registry_image {
    const void *code;                            /* fatbin or PTX, in the program */
    HW_VEC(const void *) parts;                  /* of separately compiled code: used in place of code; const after registration */
    pthread_mutex_t mu;
    HW_VEC(struct registry_instance) instances;
    HW_VEC(struct registry_row *) rows;          /* kernels and variables, owned; const after registration */
    size_t n_functions;
    bool has_managed;
};

/* A kernel or a variable: what the host calls it, what the device calls it. */
struct registry_row {
    struct registry_image *image;
    const void *host;
    char *name;
    size_t index;                                /* kernels: place in registry_instance.functions */
    size_t bytes;                                /* variables */
    bool is_kernel;
    bool is_host_storage;                        /* managed, and the host's variable is the memory */
    void **managed;                              /* managed: where the host keeps its address, NULL for others */
};

/* An address range of a program or library that holds its managed variables. */
struct registry_section {
    const char *start, *stop;
};

static struct hw_mutex lock = HW_MUTEX_INIT(HW_RANK_TABLE);
static struct hw_map kernels, variables;         /* host address -> registry_row; lock */
static HW_VEC(struct registry_image *) images;   /* lock */
static HW_VEC(struct registry_section) sections; /* lock */

/*
 * The kernels that a thread launched last, so that launching one again takes no lock. Void when the epoch has risen: an image or
 * a context is gone.
 */
enum { CACHE_ROWS = 4 };
static _Atomic unsigned epoch;
static _Thread_local struct {
    unsigned epoch;
    struct { const void *host; CUcontext ctx; CUfunction fn; } rows[CACHE_ROWS];
} cache;

/* --- registration --- */

struct registry_image *registry_add_image(const void *code)
{
    struct registry_image *image = hw_alloc(sizeof *image);

    image->code = code;
    pthread_mutex_init(&image->mu, NULL);
    hw_lock(&lock);
    hw_vec_push(&images, image);
    hw_unlock(&lock);
    return image;
}

void registry_add_part(struct registry_image *image, const void *code)
{
    hw_lock(&lock);
    hw_vec_push(&image->parts, code);
    hw_unlock(&lock);
}

void registry_add_kernel(struct registry_image *image, const void *host, const char *name)
{
    struct registry_row *row = hw_alloc(sizeof *row);

    row->image = image;
    row->host = host;
    row->name = hw_strdup(name);
    row->is_kernel = true;
    hw_lock(&lock);
    row->index = image->n_functions++;
    hw_vec_push(&image->rows, row);
    hw_map_set_ptr(&kernels, host, row);
    hw_unlock(&lock);
}

static bool in_managed_section(const char *p)
{
    for (size_t i = 0; i < sections.n; i++)
        if (p >= sections.v[i].start && p < sections.v[i].stop)
            return true;
    return false;
}

void registry_add_variable(struct registry_image *image, const void *host, const char *name, size_t bytes, void **managed)
{
    struct registry_row *row = hw_alloc(sizeof *row);

    row->image = image;
    row->host = host;
    row->name = hw_strdup(name);
    row->bytes = bytes;
    row->managed = managed;
    hw_lock(&lock);
    row->is_host_storage = in_managed_section(host);
    if (managed || row->is_host_storage)
        image->has_managed = true;
    hw_vec_push(&image->rows, row);
    hw_map_set_ptr(&variables, host, row);
    hw_unlock(&lock);
}

void registry_add_managed_section(const void *start, const void *stop)
{
    struct registry_section s = {start, stop};

    hw_lock(&lock);
    if (!in_managed_section(start))
        hw_vec_push(&sections, s);
    hw_unlock(&lock);
}

bool registry_has_managed(const struct registry_image *image) { return image->has_managed; }

void registry_remove_image(struct registry_image *image)
{
    hw_lock(&lock);
    for (size_t i = 0; i < image->rows.n; i++) {
        struct registry_row *row = image->rows.v[i];
        struct hw_map *map = row->is_kernel ? &kernels : &variables;
        if (hw_map_get_ptr(map, row->host) == row)
            hw_map_del_ptr(map, row->host);
    }
    for (size_t i = 0; i < images.n; i++)
        if (images.v[i] == image) {
            images.v[i] = images.v[--images.n];
            break;
        }
    epoch++;
    hw_unlock(&lock);
    for (size_t i = 0; i < image->instances.n; i++) {
        /* For a library that is unloaded. Not at exit: unloading would wait for kernels that nobody waits for any more. */
        if (image->instances.v[i].module && !api_exiting())
            cuModuleUnload(image->instances.v[i].module);
        hw_free(image->instances.v[i].functions);
    }
    for (size_t i = 0; i < image->rows.n; i++) {
        hw_free(image->rows.v[i]->name);
        hw_free(image->rows.v[i]);
    }
    hw_vec_fini(&image->rows);
    hw_vec_fini(&image->parts);
    hw_vec_fini(&image->instances);
    pthread_mutex_destroy(&image->mu);
    hw_free(image);
}

void registry_forget(CUcontext ctx)
{
    hw_lock(&lock);
    for (size_t i = 0; i < images.n; i++) {
        struct registry_image *image = images.v[i];
        pthread_mutex_lock(&image->mu);
        for (size_t k = 0; k < image->instances.n; k++)
            if (image->instances.v[k].ctx == ctx) {
                hw_free(image->instances.v[k].functions);
                image->instances.v[k--] = image->instances.v[--image->instances.n];
            }
        pthread_mutex_unlock(&image->mu);
    }
    epoch++;
    hw_unlock(&lock);
}

/* --- loading --- */

/* Managed variables whose memory is the host's own variable: the driver binds the device's symbol to it. */
static void bindings(struct registry_image *image, const char ***names, void ***addresses, size_t *n)
{
    *n = 0;
    *names = NULL;
    *addresses = NULL;
    if (!image->has_managed)
        return;
    *names = hw_alloc((image->rows.n + 1) * sizeof **names);
    *addresses = hw_alloc((image->rows.n + 1) * sizeof **addresses);
    for (size_t i = 0; i < image->rows.n; i++)
        if (image->rows.v[i]->is_host_storage) {
            (*names)[*n] = image->rows.v[i]->name;
            (*addresses)[(*n)++] = (void *)image->rows.v[i]->host;
        }
}

static CUresult load(struct registry_image *image, CUmodule *out)
{
    char log[4096] = "";
    CUjit_option options[5] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[5] = {log, (void *)(uintptr_t)sizeof log};
    unsigned n_options = 2;
    const char **names;
    void **addresses;
    size_t n;
    CUresult rc;

    bindings(image, &names, &addresses, &n);
    if (n) {
        options[2] = CU_JIT_GLOBAL_SYMBOL_NAMES;
        values[2] = names;
        options[3] = CU_JIT_GLOBAL_SYMBOL_ADDRESSES;
        values[3] = addresses;
        options[4] = CU_JIT_GLOBAL_SYMBOL_COUNT;
        values[4] = (void *)n;
        n_options = 5;
    }
    if (image->parts.n)
        rc = registry_link(image->parts.v, image->parts.n, n_options, options, values, out);
    else
        rc = cuModuleLoadDataEx(out, image->code, n_options, options, values);
    if (rc != CUDA_SUCCESS && log[0])
        hw_error("this program's device code does not load: %s", log);
    hw_free(names);
    hw_free(addresses);
    return rc;
}

/* Tells the host where its managed variables are. */
static void set_managed(struct registry_image *image, CUmodule module)
{
    for (size_t i = 0; i < image->rows.n; i++) {
        struct registry_row *row = image->rows.v[i];
        CUdeviceptr ptr;
        if (row->managed && cuModuleGetGlobal(&ptr, NULL, module, row->name) == CUDA_SUCCESS)
            *row->managed = (void *)(uintptr_t)ptr;
    }
}

/* Not the image's fault: a host function called, the context went meanwhile, memory was short. It may load next time. */
static bool is_passing(cudaError_t error)
{
    return error == cudaErrorNotPermitted || error == cudaErrorContextIsDestroyed || error == cudaErrorDeviceUninitialized
           || error == cudaErrorMemoryAllocation || error == cudaErrorCudartUnloading;
}

/* The image in this context, loaded if it is not yet. The caller holds image->mu; the answer is good while it does. NULL: *why. */
static struct registry_instance *instance_locked(struct registry_image *image, CUcontext ctx, cudaError_t *why)
{
    struct registry_instance made = {.ctx = ctx};

    for (size_t i = 0; i < image->instances.n; i++)
        if (image->instances.v[i].ctx == ctx)
            return &image->instances.v[i];
    made.error = api_error(load(image, &made.module));
    if (is_passing(made.error)) {
        *why = made.error;
        return NULL;
    }
    if (!made.error && image->has_managed)
        set_managed(image, made.module);
    hw_vec_push(&image->instances, made);
    return &image->instances.v[image->instances.n - 1];
}

cudaError_t registry_load(struct registry_image *image)
{
    CUcontext ctx = context_current();
    struct registry_instance *in;
    cudaError_t rc;

    pthread_mutex_lock(&image->mu);
    in = instance_locked(image, ctx, &rc);
    rc = in ? in->error : rc;
    pthread_mutex_unlock(&image->mu);
    return rc;
}

/* --- lookups --- */

static struct registry_row *find(struct hw_map *map, const void *host)
{
    struct registry_row *row;

    hw_lock(&lock);
    row = hw_map_get_ptr(map, host);
    hw_unlock(&lock);
    return row;
}

bool registry_is_kernel(const void *host) { return find(&kernels, host) != NULL; }

static cudaError_t function_locked(struct registry_row *row, CUfunction *out)
{
    cudaError_t why;
    struct registry_instance *in = instance_locked(row->image, context_current(), &why);
    CUresult rc;

    if (!in)
        return why;
    if (in->error)
        return in->error;
    if (row->index >= in->n_functions) {
        size_t n = row->image->n_functions;
        in->functions = hw_realloc(in->functions, n * sizeof *in->functions);
        memset(in->functions + in->n_functions, 0, (n - in->n_functions) * sizeof *in->functions);
        in->n_functions = n;
    }
    if (!in->functions[row->index]) {
        rc = cuModuleGetFunction(&in->functions[row->index], in->module, row->name);
        if (rc != CUDA_SUCCESS) {
            in->functions[row->index] = NULL;
            return rc != CUDA_ERROR_NOT_FOUND ? api_error(rc) : hw_refuse(cudaErrorInvalidDeviceFunction, "the program's device code has no kernel %s", row->name);
        }
    }
    *out = in->functions[row->index];
    return cudaSuccess;
}

cudaError_t registry_function(const void *host, CUfunction *out)
{
    unsigned now = atomic_load_explicit(&epoch, memory_order_acquire), at = (unsigned)((uintptr_t)host >> 4) % CACHE_ROWS;
    struct registry_row *row;
    cudaError_t rc;

    if (!host)
        return hw_refuse(cudaErrorInvalidDeviceFunction, "the kernel is NULL");
    if (cache.epoch != now)
        memset(&cache, 0, sizeof cache);
    cache.epoch = now;
    if (hw_likely(cache.rows[at].host == host && cache.rows[at].ctx == context_bound())) {
        *out = cache.rows[at].fn;
        return cudaSuccess;
    }
    if (!(row = find(&kernels, host)))
        return hw_refuse(cudaErrorInvalidResourceHandle, "no kernel of this program has that address: is it in a file that hostwarp cc (or nvcc) compiled, and declared __global__?");
    pthread_mutex_lock(&row->image->mu);
    rc = function_locked(row, out);
    pthread_mutex_unlock(&row->image->mu);
    if (!rc) {
        cache.rows[at].host = host;
        cache.rows[at].ctx = context_bound();
        cache.rows[at].fn = *out;
    }
    return rc;
}

cudaError_t registry_variable(const void *host, CUdeviceptr *out, size_t *out_bytes)
{
    struct registry_row *row;
    struct registry_instance *in;
    cudaError_t rc;

    if (!host || !(row = find(&variables, host)))
        return hw_refuse(cudaErrorInvalidSymbol, "no variable of this program has that address: a __device__ or __constant__ variable is named itself, not by a string or a device pointer");
    pthread_mutex_lock(&row->image->mu);
    in = instance_locked(row->image, context_current(), &rc);
    rc = in ? in->error : rc;
    if (!rc) {
        CUresult cu = cuModuleGetGlobal(out, out_bytes, in->module, row->name);
        rc = cu != CUDA_ERROR_NOT_FOUND ? api_error(cu) : hw_refuse(cudaErrorInvalidSymbol, "the program's device code has no variable %s", row->name);
    }
    pthread_mutex_unlock(&row->image->mu);
    return rc;
}
