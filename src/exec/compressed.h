/* SPDX-License-Identifier: Apache-2.0 */
/* Texels that are compressed in blocks of 4 by 4: what one of them is. */
#ifndef EXEC_COMPRESSED_H
#define EXEC_COMPRESSED_H

#include "base/base.h"

enum exec_blocks { EXEC_NO_BLOCKS, EXEC_BC1, EXEC_BC2, EXEC_BC3, EXEC_BC4U, EXEC_BC4S, EXEC_BC5U, EXEC_BC5S, EXEC_BC6U, EXEC_BC6S, EXEC_BC7 };
enum { BLOCK_SIDE = 4 };

static inline unsigned blocks_bytes(enum exec_blocks kind)
{
    return kind == EXEC_NO_BLOCKS ? 0 : kind == EXEC_BC1 || kind == EXEC_BC4U || kind == EXEC_BC4S ? 8 : 16;
}

/* The channels of texel x, y (each 0 to 3) of a block: bytes; of BC4 and BC5 words, signed ones as negative numbers; of BC6H the bits of
   halves. What a format does not have is not written. */
void blocks_texel(enum exec_blocks kind, const void *block, unsigned x, unsigned y, uint32_t out[4]);

#endif
