/* SPDX-License-Identifier: Apache-2.0 */
/* Puts object files into memory, without LLVM. Private to jit/. */
#ifndef JIT_LOAD_H
#define JIT_LOAD_H

#include "base/hash.h"

/* An ELF object file, as LLVM makes them of kernels; its functions are added by their names. It stays for the life of the process.
   False: it has something that is not known here; nothing is left behind. */
bool load_object(const void *file, size_t bytes, void *(*address_of)(const char *symbol), struct hw_map *functions);

#endif
