/* SPDX-License-Identifier: Apache-2.0 */
/* Links separately compiled device code through cuLink. */
#include "runtime/registry_link.h"

#include <stdio.h>

/* Bytes of a fatbin with its header, 0 for something else. */
static size_t fatbin_bytes(const void *fatbin)
{
    struct { uint32_t magic; uint16_t version, header_bytes; uint64_t bytes; } header;
    memcpy(&header, fatbin, sizeof header);
    return header.magic == 0xba55ed50u ? header.header_bytes + header.bytes : 0;
}

CUresult registry_link(const void *const *parts, size_t n_parts, unsigned n_options, CUjit_option *options, void **values, CUmodule *out)
{
    CUlinkState state;
    char reason[512] = "";                       /* why the first part without PTX is none */
    void *image;
    size_t bytes, n_with_ptx = 0;
    CUresult rc = cuLinkCreate(2, options, values, &state), no_ptx = CUDA_SUCCESS;

    if (rc)
        return rc;
    for (size_t i = 0; i < n_parts && !rc; i++) {
        rc = cuLinkAddData(state, CU_JIT_INPUT_FATBINARY, (void *)(uintptr_t)parts[i], fatbin_bytes(parts[i]), "", 0, NULL, NULL);
        n_with_ptx += rc == CUDA_SUCCESS;
        /* nvcc links its libcudadevrt.a to everything, which has machine code only. Who calls something in such a part, and it is
           none of what we define ourselves, hears of it as a name that is not there. */
        if (rc == CUDA_ERROR_NO_BINARY_FOR_GPU) {
            if (!no_ptx)
                snprintf(reason, sizeof reason, "%s", (char *)values[0]);
            no_ptx = rc;
            rc = CUDA_SUCCESS;
        }
    }
    if (!rc && !n_with_ptx) {
        snprintf(values[0], (size_t)(uintptr_t)values[1], "%s", reason);
        rc = no_ptx;
    }
    if (!rc && !(rc = cuLinkComplete(state, &image, &bytes)))
        rc = cuModuleLoadDataEx(out, image, n_options, options, values);
    cuLinkDestroy(state);
    return rc;
}
