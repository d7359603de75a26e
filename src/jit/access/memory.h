/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share of loads and stores. Private to jit/access. */
#ifndef JIT_ACCESS_MEMORY_H
#define JIT_ACCESS_MEMORY_H

#include "jit/emit.h"

struct access;

/* address.c */
LLVMValueRef tag_access(struct emit *e, const struct ir_inst *i, LLVMValueRef access);      /* says which memory it touches, where that is known; returns the access */
LLVMValueRef address_i64(struct emit *e, LLVMValueRef a, unsigned lanes);
bool address_is_offset(const struct ir_inst *i);
unsigned address_bits(const struct ir_inst *i);
LLVMValueRef block_memory(struct emit *e, uint8_t space);                 /* where offsets count from */
LLVMValueRef offset_ptr(struct emit *e, LLVMValueRef p, uint64_t bytes);

/* elements.c: of one thread, as many as the instruction says */
void load_elements(struct emit *e, const struct ir_inst *i, LLVMValueRef p, LLVMValueRef *out);
void store_elements(struct emit *e, const struct ir_inst *i, LLVMValueRef p, LLVMValueRef *v);
void scalar_store(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef ptr);
/* of the lanes of a chunk, n for each; lanes that are off load zeros */
LLVMValueRef wide_load(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, unsigned chunk, unsigned n);
void wide_store(struct emit *e, const struct ir_inst *i, LLVMValueRef value, LLVMValueRef ptr, unsigned chunk, unsigned n);
LLVMValueRef falling_row(struct emit *e, const struct ir_inst *i, const struct shape *s, unsigned chunk, LLVMValueRef value);
LLVMValueRef deinterleave(struct emit *e, LLVMValueRef wide, unsigned n, unsigned k);
LLVMValueRef interleave(struct emit *e, LLVMValueRef *v, unsigned n);
bool in_pairs(const struct ir_inst *i, unsigned n);
void split_pairs(struct emit *e, const struct ir_inst *i, LLVMValueRef pairs, LLVMValueRef *out);
LLVMValueRef make_pairs(struct emit *e, LLVMValueRef *v);

/* gather.c */
bool load_table(struct emit *e, const struct ir_inst *i);                 /* false: nothing done */
void load_scattered(struct emit *e, const struct ir_inst *i, unsigned chunk);
void store_scattered(struct emit *e, const struct ir_inst *i, LLVMValueRef *v, unsigned chunk);

/* strided.c */
void load_strided(struct emit *e, const struct ir_inst *i, const struct access *a, unsigned chunk);
void store_strided(struct emit *e, const struct ir_inst *i, const struct access *a, LLVMValueRef *v, unsigned chunk);

/* prefetch.c */
void prefetch_rows(struct emit *e, const struct ir_inst *i);
void prefetch_ahead(struct emit *e, const struct ir_inst *i, LLVMValueRef row, unsigned n, unsigned chunk);
void prefetch_next(struct emit *e, const struct ir_inst *i, LLVMValueRef row, unsigned n, unsigned chunk);

#endif
