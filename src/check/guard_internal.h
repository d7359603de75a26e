/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the guard share. */
#ifndef CHECK_GUARD_INTERNAL_H
#define CHECK_GUARD_INTERNAL_H

#include "check/guard.h"

#include <stdatomic.h>

/* Taken in signal handlers too: nobody allocates, or touches what is guarded, while he has it. */
void guard_lock(void);
void guard_unlock(void);
extern _Atomic uint64_t guard_epoch;             /* another one with each command that is queued, and each wait of the host */

/* With the lock. */
uint64_t guard_page(uint64_t addr);
uint64_t guard_page_bytes(void);
bool guard_knows_page(uint64_t page);            /* it is one of memory that may be guarded */
int guard_need(uint64_t page);                   /* PROT_*: as it should be now */
void guard_settle(uint64_t first, uint64_t end); /* makes it so */
void guard_find_locked(uint64_t from, uint64_t to, bool writes, struct guard_found *out);
void guard_open_around_locked(uint64_t page);

bool guard_signals_init(void);                   /* guard_fault.c */

#endif
