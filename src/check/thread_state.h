/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the checker keeps for each thread of the program. It is not thread-local memory of libcuda itself: a library that is loaded while the program runs has
 * room for some hundred bytes of that, and does not load with more (tests/cli asks).
 */
#ifndef CHECK_THREAD_STATE_H
#define CHECK_THREAD_STATE_H

#include "check/ledger.h"
#include "check/patience.h"

/* A thread whose next instruction may use these pages; and pages that it has the rest of an instruction to use. */
enum { CHECK_STEP_PAGES = 8 };
struct check_stepping {
    unsigned n, n_later;
    uint64_t pages[CHECK_STEP_PAGES], later[CHECK_STEP_PAGES];
    uint64_t same_pc, same_addr;
    unsigned same;
    uint32_t function;           /* the host function that runs here, or 0 */
};

enum { CHECK_RANGES = 8, CHECK_PENDING = 64 };
struct check_thread {
    struct check_stepping step;                          /* guard_fault.c */
    struct ledger_range ranges[CHECK_RANGES];            /* ledger.c: the last answers */
    unsigned next_range;
    uint32_t failed[CHECK_PENDING];                      /* api.c: failed calls whose answers may still be asked for */
    unsigned n_failed;
    struct patience patience;
    struct check_thread *next;                           /* among those whose threads have ended */
};

struct check_thread *check_thread(void);                 /* never NULL; also in handlers of signals */

#endif
