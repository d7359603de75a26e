/* SPDX-License-Identifier: Apache-2.0 */
/* Which kind of kernel a seed stands for, and what all kernels read. */
#include "random_gen.h"

/* Small numbers meet more often; the second half is floats of one order of magnitude and short indices. */
uint32_t gen_input(unsigned i)
{
    uint32_t x = (i + 12345u) * 2654435761u;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    x ^= x >> 12;
    if (i < GEN_INPUT_WORDS / 2)
        return i % 3 ? x : x % 50;
    if (i < GEN_INPUT_WORDS / 4 * 3)
        return (127u + x % 4) << 23 | (x & 0x80700000u);
    return x % 64;
}

uint32_t gen_struct(unsigned i) { return gen_input(3 * i + 1); }

void gen_kernel(uint64_t seed, const bool *skip, struct gen_kernel *out)
{
    out->n_statements = out->n_params = out->shared_bytes = 0;
    out->text[0] = 0;
    out->valid = true;
    if (seed % 2)
        gen_shape(seed, skip, out);
    else
        gen_soup(seed, skip, out);
}
