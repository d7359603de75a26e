/* SPDX-License-Identifier: Apache-2.0 */
/* The places of an instrumented kernel (kabi/details.h): made with its code, and kept on disk with it. Private to jit/. */
#ifndef JIT_DETAILS_TABLE_H
#define JIT_DETAILS_TABLE_H

#include "base/hash.h"
#include "base/str.h"
#include "kabi/details.h"

struct ir_func;

/* Takes the sites and their places. */
struct details_table *details_table_new(struct details_site *sites, uint32_t n, uint32_t n_windows);
void details_table_free(struct details_table *t);                /* NULL is fine */

/* As bytes, and back; NULL: they are none. */
void details_table_pack(const struct details_table *t, struct hw_str *out);
struct details_table *details_table_unpack(const char *bytes, size_t n);

/* What a table says beyond the kernel's code: lines of the source, and where arrays lie. */
void details_table_hash(struct hw_hash *h, const struct ir_func *f);

#endif
