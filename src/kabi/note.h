/* SPDX-License-Identifier: Apache-2.0 */
/* Notes: what PTX says and code without a checker need not know (IR_NOTE). */
#ifndef KABI_NOTE_H
#define KABI_NOTE_H

#include "base/base.h"

/* imm of IR_NOTE: the kind, and from bit 8 on a number. src[0]: an address in shared memory, or what else is said. */
enum note_kind {
    NOTE_NONE,
    NOTE_ASYNC_COPY,             /* cp.async: the store that follows is not done before it is waited for; the number: bytes */
    NOTE_ASYNC_COMMIT,
    NOTE_ASYNC_WAIT,             /* for all but the newest groups, as many as src[0] says */
    NOTE_ASYNC_WAIT_ALL,
    NOTE_MBARRIER_INIT,          /* the address; arrivals (src[1]) */
    NOTE_MBARRIER_INVAL,
    NOTE_MBARRIER_ARRIVE,        /* the address; arrivals */
    NOTE_MBARRIER_USE,           /* any other operation of one */
};

static inline int64_t note_pack(enum note_kind kind, uint32_t number) { return (int64_t)kind | (int64_t)number << 8; }
static inline enum note_kind note_kind_of(int64_t imm) { return (enum note_kind)(imm & 0xff); }
static inline uint32_t note_number_of(int64_t imm) { return (uint32_t)(imm >> 8); }

#endif
