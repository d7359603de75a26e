/* SPDX-License-Identifier: Apache-2.0 */
/* Links separately compiled device code through cuLink. */
#include "runtime/registry_link.h"

#include <stdio.h>

/* The fields used here; cc_fatbin.c writes them all. */
struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};
struct fatbin_entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t padded_bytes;
    uint32_t compressed_bytes;
};
#define FATBIN_MAGIC 0xba55ed50u
enum { FATBIN_KIND_PTX = 1 };

/* The first PTX text of a fatbin, or NULL. */
static const char *find_ptx(const void *fatbin)
{
    struct fatbin_header header;
    memcpy(&header, fatbin, sizeof header);
    if (header.magic != FATBIN_MAGIC)
        return NULL;
    const char *p = (const char *)fatbin + header.header_bytes, *end = p + header.bytes;
    while (p + sizeof(struct fatbin_entry) <= end) {
        struct fatbin_entry entry;
        memcpy(&entry, p, sizeof entry);
        if (entry.kind == FATBIN_KIND_PTX && !entry.compressed_bytes)
            return p + entry.header_bytes;
        p += entry.header_bytes + entry.padded_bytes;
    }
    return NULL;
}

CUresult registry_link(const void *first, const void *const *more, size_t n_more, unsigned n_options, CUjit_option *options,
                       void **values, CUmodule *out)
{
    CUlinkState state;
    void *image;
    size_t bytes;
    CUresult rc = cuLinkCreate(2, options, values, &state);

    if (rc)
        return rc;
    for (size_t i = 0; i <= n_more && !rc; i++) {
        const char *ptx = find_ptx(i ? more[i - 1] : first);
        if (!ptx) {
            snprintf(values[0], 200, "part %zu holds no plain PTX: compile it with hostwarp cc -dc", i);
            rc = CUDA_ERROR_NO_BINARY_FOR_GPU;
        } else {
            rc = cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, strlen(ptx) + 1, "", 0, NULL, NULL);
        }
    }
    if (!rc && !(rc = cuLinkComplete(state, &image, &bytes)))
        rc = cuModuleLoadDataEx(out, image, n_options, options, values);
    cuLinkDestroy(state);
    return rc;
}
