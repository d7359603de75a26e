/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels: PTX whose results depend on nothing but its input, so that every build of it must agree. */
#ifndef RANDOM_GEN_H
#define RANDOM_GEN_H

#include <stdbool.h>
#include <stdint.h>

enum { GEN_TEXT = 1 << 17, GEN_IN_WORDS = 1024, GEN_ATOMS = 8, GEN_TABLE = 256, GEN_WORDS = 11, GEN_RECORD = 16, GEN_OUT = GEN_WORDS + GEN_RECORD, GEN_MAX_SKIP = 256 };

/* What a kernel's pointers point into, in words. The soup uses the first GEN_IN_WORDS of the input. */
enum gen_buffer { GEN_INPUT, GEN_OUTPUT, GEN_ATOMIC, GEN_BUFFERS };
enum { GEN_INPUT_WORDS = 1 << 16, GEN_OUTPUT_WORDS = 1 << 15, GEN_ATOMIC_WORDS = GEN_ATOMS + GEN_TABLE };
enum { GEN_MAX_PARAMS = 64, GEN_PARAM_BYTES = 64 };

/* A parameter: an address in a buffer, or bytes. */
struct gen_param {
    bool pointer;
    enum gen_buffer buffer;
    int64_t offset;              /* of the address, in bytes from the buffer's start; may lie outside of it */
    uint32_t words[GEN_PARAM_BYTES / 4];
};

struct gen_kernel {
    char text[GEN_TEXT];
    unsigned block[3], grid[3], shared_bytes;
    unsigned n_statements;       /* numbered in the order they are made; each can be left out */
    unsigned n_params;
    struct gen_param params[GEN_MAX_PARAMS];
    bool valid;                  /* false: without what was left out the kernel would have a race, or read what nobody wrote */
};

/* The kernel of this seed, named `random`; the same one every time. Statements whose number is set in skip are left out: how a
   failing kernel is made smaller. skip may be NULL: then it is valid. Half of the kernels are a soup of all instructions
   (gen_soup.c), half have the shape of real ones (gen_shape.h). */
void gen_kernel(uint64_t seed, const bool *skip, struct gen_kernel *out);

/* Word i of the input. All other memory is zero before a kernel runs. */
uint32_t gen_input(unsigned i);

/* Word i of the structure that is the first parameter of a kernel with the shape of real ones. */
uint32_t gen_struct(unsigned i);

/* The two kinds. */
void gen_soup(uint64_t seed, const bool *skip, struct gen_kernel *out);
void gen_shape(uint64_t seed, const bool *skip, struct gen_kernel *out);

#endif
