/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels: PTX whose results depend on nothing but its input, so that every build of it must agree. */
#ifndef RANDOM_GEN_H
#define RANDOM_GEN_H

#include <stdbool.h>
#include <stdint.h>

enum { GEN_TEXT = 1 << 17, GEN_IN_WORDS = 1024, GEN_ATOMS = 8, GEN_TABLE = 256, GEN_WORDS = 11, GEN_RECORD = 16, GEN_OUT = GEN_WORDS + GEN_RECORD, GEN_MAX_SKIP = 256 };

struct gen_kernel {
    char text[GEN_TEXT];
    unsigned block[3], grid;
    unsigned n_statements;       /* numbered in the order they are made; each can be left out */
};

/* The kernel of this seed; the same one every time. Statements whose number is set in skip are left out: how a failing
   kernel is made smaller. skip may be NULL. Kernel: random(in, out, atoms), in: GEN_IN_WORDS words, out: GEN_WORDS words per
   thread, then up to GEN_RECORD words per thread that it keeps records in, atoms: GEN_ATOMS words and GEN_TABLE more that are only added to. */
void gen_kernel(uint64_t seed, const bool *skip, struct gen_kernel *out);

#endif
