/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that compilers put into programs: registration before main(), and around launches. */
#include "runtime/registration.h"

#include "base/log.h"
#include "runtime/bodies.h"
#include "runtime/context.h"
#include "runtime/registry.h"

#include <hostwarp.h>

/* What __cudaRegisterFatBinary is given: the wrapper that nvcc and clang put into the section .nvFatBinSegment. */
struct fatbin_wrapper {
    uint32_t magic, version;
    const void *code;                            /* VERSION_LINKED: machine code that nvlink made of the parts, or an empty fatbin */
    const void *const *parts;                    /* VERSION_LINKED: the fatbins of separately compiled files, NULL at the end */
};
enum { FATBIN_WRAPPER_MAGIC = 0x466243b1, VERSION_LINKED = 2 };

void **__cudaRegisterFatBinary(void *fatCubin);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun, const char *deviceName, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize);
void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName, int ext, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress, char *deviceAddress, const char *deviceName, int ext,
                              size_t size, int constant, int global);
void __cudaRegisterHostVar(void **handle, const char *deviceName, char *hostVar, size_t size);
void __cudaRegisterUnifiedTable(void *table, size_t size);
void __cudaRegisterTexture(void **handle, const void *hostVar, const void **deviceAddress, const char *deviceName, int dim,
                           int norm, int ext);
void __cudaRegisterSurface(void **handle, const void *hostVar, const void **deviceAddress, const char *deviceName, int dim,
                           int ext);
char __cudaInitModule(void **handle);
void hostwarp_managed_section(void *start, void *stop);
void hostwarp_register_linked(void ***group, void (*names)(void **), void *fatCubin);

/* Weak: a driver library that is not hostwarp's does without. */
#pragma weak hostwarp_program_holds

static void tell_driver(const void *fatbin)
{
    if (hostwarp_program_holds)
        hostwarp_program_holds(fatbin);
}

/* The handle points at a word that points at the image: compilers only pass it back. */
HW_EXPORT void **__cudaRegisterFatBinary(void *fatCubin)
{
    const struct fatbin_wrapper *w = fatCubin;
    void **handle = hw_alloc(sizeof *handle);

    if (!w || w->magic != FATBIN_WRAPPER_MAGIC) {
        hw_error("this program registers device code in an unknown format; its kernels will not launch");
        return handle;
    }
    struct registry_image *image = registry_add_image(w->code);
    tell_driver(w->code);
    for (const void *const *part = w->version == VERSION_LINKED ? w->parts : NULL; part && *part; part++) {
        registry_add_part(image, *part);
        tell_driver(*part);
    }
    *handle = image;
    return handle;
}

/* A program may touch its managed variables before any CUDA call, so their memory and first values must be there now.
   Other images wait for their first use. */
HW_EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
    if (handle && *handle && registry_has_managed(*handle) && context_bind() == cudaSuccess)
        registry_load(*handle);
}

HW_EXPORT void __cudaUnregisterFatBinary(void **handle)
{
    if (!handle)
        return;
    if (*handle)
        registry_remove_image(*handle);
    hw_free(handle);
}

HW_EXPORT void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun, const char *deviceName,
                                      int thread_limit, uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize)
{
    if (handle && *handle && hostFun && deviceName)
        registry_add_kernel(*handle, hostFun, deviceName);
}

HW_EXPORT void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName, int ext,
                                 size_t size, int constant, int global)
{
    if (handle && *handle && hostVar && deviceName)
        registry_add_variable(*handle, hostVar, deviceName, size, NULL);
}

HW_EXPORT void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress, char *deviceAddress, const char *deviceName,
                                        int ext, size_t size, int constant, int global)
{
    if (handle && *handle && hostVarPtrAddress && deviceName)
        registry_add_variable(*handle, hostVarPtrAddress, deviceName, size, hostVarPtrAddress);
}

/* nvcc: called before the first use of a managed variable in a file. */
HW_EXPORT char __cudaInitModule(void **handle)
{
    cudaError_t rc = cudaErrorInvalidResourceHandle;

    if (handle && *handle && !(rc = context_bind()))
        rc = registry_load(*handle);
    api_latch(rc);
    return rc == cudaSuccess;
}

HW_EXPORT void hostwarp_managed_section(void *start, void *stop) { registry_add_managed_section(start, stop); }

/* Called from what `hostwarp cc` adds when it links separately compiled device code, once for each file that takes part.
   The files of one program or library share a group, and with it one image. */
HW_EXPORT void hostwarp_register_linked(void ***group, void (*names)(void **), void *fatCubin)
{
    const struct fatbin_wrapper *w = fatCubin;

    if (!*group)
        *group = __cudaRegisterFatBinary(fatCubin);
    if (**group && w->magic == FATBIN_WRAPPER_MAGIC)
        registry_add_part(**group, w->code);
    names(*group);
}

/* --- what we know by name only: said once, so that a later failure is no riddle --- */

static void unsupported(const char *what, const char *name)
{
    hw_warn("%s '%s' is not supported yet", what, name ? name : "?");
}

HW_EXPORT void __cudaRegisterHostVar(void **handle, const char *deviceName, char *hostVar, size_t size)
{
    unsupported("a host variable for device code,", deviceName);
}

HW_EXPORT void __cudaRegisterUnifiedTable(void *table, size_t size) { unsupported("a unified function table,", NULL); }

HW_EXPORT void __cudaRegisterTexture(void **handle, const void *hostVar, const void **deviceAddress, const char *deviceName,
                                     int dim, int norm, int ext)
{
    unsupported("texture reference", deviceName);
}

HW_EXPORT void __cudaRegisterSurface(void **handle, const void *hostVar, const void **deviceAddress, const char *deviceName,
                                     int dim, int ext)
{
    unsupported("surface reference", deviceName);
}
