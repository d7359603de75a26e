/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes have been written since they were given out: one bit for each byte of device memory, of a block's shared memory and of its threads' local
 * memory. Memory whose first contents a program may rely on (variables, host memory) is not asked about.
 */
#ifndef CHECK_INIT_H
#define CHECK_INIT_H

#include "base/base.h"

struct cmd;
struct mem_info;

void init_start(void);                           /* once; without room for the bits nothing is said, and everything counts as written */
void init_given(uint64_t base, uint64_t bytes);  /* device memory that nobody has written since it was given out */

/* Device memory. */
void init_write(uint64_t addr, uint64_t bytes);
bool init_any_written(uint64_t addr, uint64_t bytes);
bool init_all_written(uint64_t addr, uint64_t bytes);
void init_learn(uint64_t addr, uint64_t bytes);  /* memory that host code may write: pages that somebody has touched are written */
/* The written bytes around that one, or some hundred thousand of them; within [*low, *high). False: it is not written itself. */
bool init_around(uint64_t addr, uint64_t *low, uint64_t *high);
/* A copy or fill begins, all before it is done: what it writes, and what it reads that nobody has written. Reports. */
void init_copy(const struct cmd *c);

/* The newest copy from the host that brought this byte although nobody had written it there, or NULL. Lives on. */
struct trace_call;
bool init_brought(uint64_t addr, struct trace_call *out);

/* The same for memory of a block: bits of our own, by offset. */
struct init_bits {
    uint64_t *words, bytes;
};
void init_bits_new(struct init_bits *b, uint64_t bytes);
void init_bits_forget(struct init_bits *b);
void init_bits_free(struct init_bits *b);
void init_bits_write(struct init_bits *b, uint64_t at, uint64_t bytes);
bool init_bits_any(const struct init_bits *b, uint64_t at, uint64_t bytes);
bool init_bits_all(const struct init_bits *b, uint64_t at, uint64_t bytes);
bool init_bits_around(const struct init_bits *b, uint64_t at, uint64_t *low, uint64_t *high);

#endif
