/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of things that can be made again (hw_cache_dir() in os.h). */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include "base/base.h"

void hw_cache_used(const char *path);            /* this file was of use just now */
/* A plain file that nobody else can have put there or changed? What is none is taken away. */
bool hw_cache_fit(const char *path);
char *hw_cache_read(const char *path, size_t *out_bytes);        /* as hw_file_read(), of a file that is fit: NULL, there is none */
bool hw_cache_write(const char *path, const void *data, size_t bytes);       /* as hw_file_write(); says once that it could not */
/* When the files of a folder take more than limit bytes, those not used for the longest time go. 0: no limit. */
void hw_cache_trim(const char *dir, uint64_t limit);
uint64_t hw_cache_limit(void);                   /* what HOSTWARP_CACHE_MIB says, in bytes */
/* Of compiled kernels, which the real driver has variables for, too: the folder as from hw_cache_dir(), and its limit. */
char *hw_cache_kernels(void);
uint64_t hw_cache_kernels_limit(void);

#endif
