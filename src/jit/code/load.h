/* SPDX-License-Identifier: Apache-2.0 */
/* Puts object files into memory, without LLVM. Private to jit/. */
#ifndef JIT_LOAD_H
#define JIT_LOAD_H

#include "base/hash.h"

/* Where an object lies. */
struct loaded {
    void *at;
    size_t bytes;
    void *told;                  /* gdb.h */
};

/* An ELF object file, as LLVM makes them of the kernel `name`; its functions are added by their names. It stays until out is unloaded.
   False: it has something that is not known here; nothing is left behind. */
bool load_object(const void *file, size_t bytes, const char *name, void *(*address_of)(const char *symbol), struct hw_map *functions, struct loaded *out);
void load_drop(struct loaded *l);                /* nobody is in its code, or ever will be */

#endif
