/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a fatbin, one by one. */
#ifndef PTX_FATBIN_H
#define PTX_FATBIN_H

#include "ptx/ptx.h"

struct ptx_entry {
    bool is_ptx, is_elf;
    unsigned sm;                 /* 80 */
    uint64_t bytes;              /* in the file */
    const char *packing;         /* "zstd", "LZ4", NULL: none */
    char *text;                  /* its PTX, until the function returns; NULL: it has none */
};
typedef void ptx_entry_fn(void *data, const struct ptx_entry *entry);

enum ptx_status ptx_fatbin_each(const void *image, size_t bytes, struct diag *diag, ptx_entry_fn *each, void *data);

#endif
