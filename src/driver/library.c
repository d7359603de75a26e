/* SPDX-License-Identifier: Apache-2.0 */
/* cuLibrary* and cuKernel*: a library is an image, and one module per context that has used it. */
#include "base/log.h"
#include "driver/library.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/os.h"
#include "base/vec.h"
#include "core/module/load.h"
#include "core/context/context.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/module/module.h"
#include "driver/bodies.h"
#include "driver/image.h"
#include "driver/jit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* The library as one context has it. Ids of contexts are not used again, so entries of dead ones are never found. */
struct library_module {
    uint64_t ctx_id;
    CUmodule module;
};

/* What a CUkernel points to. Freed with its library. */
struct kernel {
    struct library *lib;
    char *name;
};

/*
 * A library.
 * Lifetime  The handle owns one reference, every call in progress one more.
 * Locks     mu below guards the vectors, and the maps that say which handles are alive.
 */
struct library {
    atomic_int refs;
    void *image;
    size_t bytes;
    bool own_image;                              /* ours to free; else the program keeps it, as it promised */
    HW_VEC(struct library_module) modules;
    HW_VEC(struct kernel *) kernels;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_MEM);
static struct hw_map libraries HW_GUARDED_BY(mu);
static struct hw_map kernels HW_GUARDED_BY(mu);

static void library_unref(struct library *lib)
{
    if (!lib || atomic_fetch_sub(&lib->refs, 1) != 1)
        return;
    for (size_t i = 0; i < lib->kernels.n; i++) {
        hw_free(lib->kernels.v[i]->name);
        hw_free(lib->kernels.v[i]);
    }
    hw_vec_fini(&lib->kernels);
    hw_vec_fini(&lib->modules);
    if (lib->own_image)
        hw_free(lib->image);
    hw_free(lib);
}

static struct library *library_get(CUlibrary handle)
{
    struct library *lib;

    hw_lock(&mu);
    lib = handle ? hw_map_get_ptr(&libraries, handle) : NULL;
    if (lib)
        atomic_fetch_add(&lib->refs, 1);
    hw_unlock(&mu);
    return lib;
}

/* Where a library is looked at while no context is current: its kernels have names, parameters and attributes without one. It is nobody's current context
   but for the moment that it is made, and stays. */
static CUresult library_own_ctx(struct ctx **out)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;   /* around all others: it has no rank */
    static CUcontext own;
    CUresult rc = CUDA_SUCCESS;

    pthread_mutex_lock(&making);
    if (!own && !(rc = ctx_create(device_peek(0), 0, &own)))
        rc = ctx_pop(NULL);
    pthread_mutex_unlock(&making);
    if (!rc && !(*out = ctx_get(own)))
        rc = hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "no context is current, and the libraries' own was destroyed");
    return rc;
}

static CUresult library_module_in(struct ctx *ctx, struct library *lib, struct diag *diag, CUmodule *out);

/* The library's module in the current context. */
static CUresult library_module(struct library *lib, struct diag *diag, CUmodule *out)
{
    struct ctx *own = NULL;
    CUresult rc = ctx_current() ? CUDA_SUCCESS : library_own_ctx(&own);

    if (!rc)
        rc = library_module_in(own ? own : ctx_current(), lib, diag, out);
    ctx_unref(own);
    return rc;
}

static CUresult library_module_in(struct ctx *ctx, struct library *lib, struct diag *diag, CUmodule *out)
{
    struct library_module mine = {ctx->id, NULL};
    CUmodule found = NULL;
    CUresult rc;

    hw_lock(&mu);
    for (size_t i = 0; i < lib->modules.n; i++) {
        if (lib->modules.v[i].ctx_id == ctx->id)
            found = lib->modules.v[i].module;
    }
    hw_unlock(&mu);
    if (!found) {
        if ((rc = module_load(ctx, lib->image, lib->bytes, diag, &mine.module)))
            return rc;
        /* Somebody else may have been faster; then theirs counts. */
        hw_lock(&mu);
        for (size_t i = 0; i < lib->modules.n; i++) {
            if (lib->modules.v[i].ctx_id == ctx->id)
                found = lib->modules.v[i].module;
        }
        if (!found)
            hw_vec_push(&lib->modules, mine);
        hw_unlock(&mu);
        if (found)
            module_unload(mine.module);
        else
            found = mine.module;
    }
    *out = found;
    return CUDA_SUCCESS;
}

static CUresult library_load(void *image, size_t bytes, bool own_image, const char *file, CUjit_option *options, void **values,
                             unsigned n_options, CUlibrary *out)
{
    struct library *lib = hw_alloc(sizeof *lib);
    struct diag diag = {.file = file};
    struct jit_options jit;
    CUmodule module;
    CUresult rc;

    atomic_init(&lib->refs, 1);
    lib->image = image;
    lib->bytes = bytes;
    lib->own_image = own_image;
    if ((rc = jit_options_read(&jit, n_options, options, values)))
        goto out;
    rc = library_module(lib, &diag, &module);
    jit_options_finish(&jit, &diag, rc);
    if (rc)
        goto out;
    hw_lock(&mu);
    hw_map_set_ptr(&libraries, lib, lib);
    hw_unlock(&mu);
    *out = (CUlibrary)lib;
    lib = NULL;
out:
    diag_fini(&diag);
    library_unref(lib);
    return rc;
}

CUresult do_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
                              unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
                              unsigned int numLibraryOptions)
{
    bool keep = true;
    size_t bytes;

    if (!library || !code || (numLibraryOptions && !libraryOptions))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of library, code and libraryOptions is NULL");
    for (unsigned i = 0; i < numLibraryOptions; i++) {
        if ((unsigned)libraryOptions[i] >= CU_LIBRARY_NUM_OPTIONS)
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no library option %d", (int)libraryOptions[i]);
        if (libraryOptions[i] == CU_LIBRARY_BINARY_IS_PRESERVED)
            keep = false;
    }
    if (!image_find(&code, &bytes))
        return hw_refuse(CUDA_ERROR_INVALID_IMAGE, "the code is neither PTX nor a fatbin");
    void *image = (void *)code;
    if (keep) {
        if (!(image = hw_try_alloc(bytes + 1)))
            return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a copy of %zu bytes of code", bytes);
        memcpy(image, code, bytes);
    }
    return library_load(image, bytes, keep, NULL, jitOptions, jitOptionsValues, numJitOptions, library);
}

CUresult do_cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions, void **jitOptionsValues,
                                  unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                  unsigned int numLibraryOptions)
{
    size_t bytes;
    void *image;

    if (!library || !fileName || (numLibraryOptions && !libraryOptions))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of library, fileName and libraryOptions is NULL");
    if (!(image = hw_file_read(fileName, &bytes)))
        return hw_refuse(CUDA_ERROR_FILE_NOT_FOUND, "%s cannot be read", fileName);
    return library_load(image, bytes, true, fileName, jitOptions, jitOptionsValues, numJitOptions, library);
}

CUresult do_cuLibraryUnload(CUlibrary library)
{
    struct library *lib;

    hw_lock(&mu);
    lib = library ? hw_map_del_ptr(&libraries, library) : NULL;
    for (size_t i = 0; lib && i < lib->kernels.n; i++)
        hw_map_del_ptr(&kernels, lib->kernels.v[i]);
    hw_unlock(&mu);
    if (!lib)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no library, or it was unloaded");
    /* Out of the maps: the vector changes no more. A module whose context is gone went with it. */
    for (size_t i = 0; i < lib->modules.n; i++)
        module_unload(lib->modules.v[i].module);
    library_unref(lib);
    return CUDA_SUCCESS;
}

CUresult do_cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
    struct library *lib;
    CUresult rc;

    if (!pMod)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pMod is NULL");
    if (!(lib = library_get(library)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no library, or it was unloaded");
    rc = library_module(lib, NULL, pMod);
    library_unref(lib);
    return rc;
}

/* A variable of the library in the current context; managed: it must be one. */
CUresult do_cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    CUmodule module;
    CUresult rc;

    if ((!dptr && !bytes) || !name)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "name is NULL, or dptr and bytes both are");
    if ((rc = do_cuLibraryGetModule(&module, library)))
        return rc;
    return do_cuModuleGetGlobal_v2(dptr, bytes, module, name);
}

CUresult do_cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    CUdeviceptr ptr = 0;
    int managed = 0;
    CUresult rc;

    if ((rc = do_cuLibraryGetGlobal(&ptr, bytes, library, name)))
        return rc;
    if (do_cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, ptr) || !managed)
        return hw_refuse(CUDA_ERROR_NOT_FOUND, "%s is no managed variable", name);
    if (dptr)
        *dptr = ptr;
    return CUDA_SUCCESS;
}

/* --- kernels --- */

static struct kernel *kernel_get(CUkernel handle)
{
    struct kernel *k;

    hw_lock(&mu);
    k = handle ? hw_map_get_ptr(&kernels, handle) : NULL;
    if (k)
        atomic_fetch_add(&k->lib->refs, 1);
    hw_unlock(&mu);
    return k;
}

static void kernel_put(struct kernel *k) { library_unref(k->lib); }

/* The one kernel object of this name. */
static CUkernel library_kernel(struct library *lib, const char *name)
{
    struct kernel *k = NULL;

    hw_lock(&mu);
    for (size_t i = 0; i < lib->kernels.n && !k; i++) {
        if (strcmp(lib->kernels.v[i]->name, name) == 0)
            k = lib->kernels.v[i];
    }
    if (!k) {
        k = hw_alloc(sizeof *k);
        k->lib = lib;
        k->name = hw_strdup(name);
        hw_vec_push(&lib->kernels, k);
        hw_map_set_ptr(&kernels, k, k);
    }
    hw_unlock(&mu);
    return (CUkernel)k;
}

/* Only to ask about it where there is no current context. */
static CUresult kernel_function(CUkernel kernel, CUfunction *out)
{
    struct kernel *k = kernel_get(kernel);
    CUmodule module;
    CUresult rc;

    if (!k)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel of a library, or it was unloaded");
    if (!(rc = library_module(k->lib, NULL, &module)))
        rc = do_cuModuleGetFunction(out, module, k->name);
    kernel_put(k);
    return rc;
}

CUresult library_kernel_function(CUkernel kernel, CUfunction *out)
{
    struct kernel *k = ctx_current() ? NULL : kernel_get(kernel);

    if (k) {
        kernel_put(k);
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "no context is current; a kernel needs one to become a function");
    }
    return kernel_function(kernel, out);
}

CUresult do_cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    CUmodule module;
    CUfunction f;
    CUresult rc;

    if (!pKernel || !name)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of pKernel and name is NULL");
    if ((rc = do_cuLibraryGetModule(&module, library)) || (rc = do_cuModuleGetFunction(&f, module, name)))
        return rc;
    *pKernel = library_kernel((struct library *)library, name);
    return CUDA_SUCCESS;
}

CUresult do_cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
    CUmodule module;
    CUresult rc;

    if (!count)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "count is NULL");
    if ((rc = do_cuLibraryGetModule(&module, lib)))
        return rc;
    return do_cuModuleGetFunctionCount(count, module);
}

CUresult do_cuLibraryEnumerateKernels(CUkernel *out, unsigned int numKernels, CUlibrary lib)
{
    CUmodule module;
    unsigned count;
    CUresult rc;

    if (!out || numKernels == 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no room for kernels");
    if ((rc = do_cuLibraryGetModule(&module, lib)) || (rc = do_cuModuleGetFunctionCount(&count, module)))
        return rc;
    count = count < numKernels ? count : numKernels;
    if (count == 0)
        return CUDA_SUCCESS;
    CUfunction *functions = hw_alloc(count * sizeof *functions);
    rc = do_cuModuleEnumerateFunctions(functions, count, module);
    for (unsigned i = 0; i < count && !rc; i++) {
        const char *name;
        if (!(rc = do_cuFuncGetName(&name, functions[i])))
            out[i] = library_kernel((struct library *)lib, name);
    }
    hw_free(functions);
    return rc;
}

CUresult do_cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
    if (!pFunc)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pFunc is NULL");
    return library_kernel_function(kernel, pFunc);
}

CUresult do_cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
    struct kernel *k;

    if (!pLib)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pLib is NULL");
    if (!(k = kernel_get(kernel)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel of a library, or it was unloaded");
    *pLib = (CUlibrary)k->lib;
    kernel_put(k);
    return CUDA_SUCCESS;
}

CUresult do_cuKernelGetName(const char **name, CUkernel hfunc)
{
    struct kernel *k;

    if (!name || !hfunc)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of name and hfunc is NULL");
    if (!(k = kernel_get(hfunc)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel of a library, or it was unloaded");
    *name = k->name;
    kernel_put(k);
    return CUDA_SUCCESS;
}

CUresult do_cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev)
{
    CUfunction f;
    CUresult rc;

    if (!device_peek(dev))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    if ((rc = kernel_function(kernel, &f)))
        return rc;
    return do_cuFuncGetAttribute(pi, attrib, f);
}

CUresult do_cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev)
{
    CUfunction f;
    CUresult rc;

    if (!device_peek(dev))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    if ((rc = library_kernel_function(kernel, &f)))
        return rc;
    return do_cuFuncSetAttribute(f, attrib, val);
}

CUresult do_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    CUfunction f;
    CUresult rc;

    if (!device_peek(dev))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    if ((rc = library_kernel_function(kernel, &f)))
        return rc;
    return do_cuFuncSetCacheConfig(f, config);
}

CUresult do_cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    CUfunction f;
    CUresult rc;

    if (!kernel)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "kernel is NULL");
    if ((rc = library_kernel_function(kernel, &f)))
        return rc;
    return do_cuFuncGetParamInfo(f, paramIndex, paramOffset, paramSize);
}
