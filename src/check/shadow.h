/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells of memory at places that are computed: for each piece of the address space that somebody touches, addresses are reserved, and the system gives
 * memory where cells are written. A cell is for 1, 2, 4, 8 or 16 bytes, as the kernel's smallest access wants it.
 */
#ifndef CHECK_SHADOW_H
#define CHECK_SHADOW_H

#include "base/base.h"

enum { SHADOW_PIECE = 28, SHADOW_GRAINS = 5, SHADOW_LINE = 7 };   /* logarithms: 256 MiB, cells of up to 2^4 bytes, lines of 128 */

/* Who wrote and who read last (race_key.h), and where: the site and what is known of it (race.c). */
struct shadow_cells {
    uint64_t *writes, *reads;
    uint32_t *write_info, *read_info;
};

/* What commands touch: the command in the high half, in the low half words of the line; and the place in the kernel. */
struct shadow_line {
    _Alignas(64) _Atomic uint64_t read, write, atomic;
    const char *_Atomic read_place, *_Atomic write_place, *_Atomic atomic_place;
    _Atomic bool beside;         /* touch.c: more is known of it than fits here */
};

/* Of 64 bytes: rows of lanes that wrote and read them (race_strips.h). One line of the machine's own cache. */
struct shadow_strip {
    _Alignas(64) uint64_t write, read;           /* keys of the lanes at the first words of: */
    uint16_t write_mask, read_mask;              /* 4 bytes a bit */
    uint32_t write_info, read_info;
    uint16_t cells;              /* whose accesses are in cells instead */
    uint8_t held;
    uint16_t values[16];         /* of what was written: its hash */
};

/* The cells from `address` on, up to the end of its piece; false: there is no memory for them, or no such address. Any thread. */
bool shadow_cells(uint64_t address, unsigned grain, struct shadow_cells *out);
struct shadow_strip *shadow_strip(uint64_t address);             /* NULL: the same */
struct shadow_line *shadow_line(uint64_t address);               /* NULL: the same */
struct shadow_line *shadow_line_if(uint64_t address);            /* NULL too where nothing of the piece was ever touched */
/* Every cell and strip is nobody's again. */
void shadow_forget(void);

#endif
