/* SPDX-License-Identifier: Apache-2.0 */
/* Notes: what PTX says and code without a checker need not know (IR_NOTE). */
#ifndef KABI_NOTE_H
#define KABI_NOTE_H

#include "base/base.h"

/* An address (src[0] and an offset, in inst->space) and a number (src[1], or in imm), where the kind has them. */
enum note_kind {
    NOTE_NONE,
    NOTE_ASYNC_COPY,             /* cp.async: what is stored next, there, is not there before it is waited for; so many bytes */
    NOTE_ASYNC_COMMIT,
    NOTE_ASYNC_WAIT,             /* for all groups but the newest, so many */
    NOTE_ASYNC_DONE,             /* for all copies, or somebody else waits for them */
    NOTE_MBARRIER_INIT,          /* so many arrivals */
    NOTE_MBARRIER_INVAL,
    NOTE_MBARRIER_ARRIVE,        /* so many */
    NOTE_MBARRIER_WAIT,          /* is this phase over, 0 or 1? */
    NOTE_MBARRIER_USE,           /* any other operation on one */
};

/* imm: the kind in bits 0..7, the number in bits 8..31, the offset above. */
static inline int64_t note_pack(enum note_kind kind, uint32_t number, int64_t offset) { return (int64_t)((uint64_t)kind | (uint64_t)(number & 0xffffff) << 8 | (uint64_t)offset << 32); }
static inline enum note_kind note_kind_of(int64_t imm) { return (enum note_kind)(imm & 0xff); }
static inline uint32_t note_number_of(int64_t imm) { return (uint32_t)(imm >> 8 & 0xffffff); }
static inline int64_t note_offset_of(int64_t imm) { return imm >> 32; }

#endif
