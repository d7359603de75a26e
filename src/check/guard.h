/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page-locked, registered and managed memory that a queued command uses, guarded: its pages are protected until the host has waited for the command. An
 * access of host code faults, is looked at byte by byte, and is let through by a single step. The engines copy past the protection (/proc/self/mem); kernels
 * step over it as the host does.
 */
#ifndef CHECK_GUARD_H
#define CHECK_GUARD_H

#include "check/area.h"
#include "core/mem/mem.h"

struct cmd;

bool guard_init(void);                           /* false: this system does not let us; nothing is guarded then */
void guard_off(void);                            /* in the child of a fork: every page is open again */

/* The program has threads of its own: one may be in a system call on memory that lies in the same page as some that is guarded. */
void guard_not_alone(void);

/* Memory that may be guarded comes and goes. */
void guard_range_added(const struct mem_info *info);
void guard_range_dropped(const struct mem_info *info);

/* Commands, when they are queued: a copy with what it touches, a kernel with its parameters. Then, when they are over, and what the host has waited for. */
void guard_copy_queued(uint32_t number, const struct area *areas, unsigned n);
/* It is about to run. Where the program has threads of its own, the first of these wait a moment: what another thread does meanwhile shows then. No lock held. */
void guard_copy_begins(uint32_t number);
void guard_kernel_queued(uint32_t number, const void *params, size_t bytes);
void guard_kernel_over(uint32_t number);
void guard_host_waited(void);

/* A kernel touches this byte. Is it memory that may be guarded? *out_from, *out_to: the bytes around it for which the same question need not be asked again. */
bool guard_kernel_touches(uint32_t number, uint64_t address, uint64_t *out_from, uint64_t *out_to);
void guard_kernel_talks(uint32_t number);        /* it reads or writes words that host code may wait for: what it touches is in an order that we do not see */
bool guard_has_talked(uint32_t number);

/* A host function begins or is over, on its own thread. 0: over. */
void guard_function(uint32_t number);
/* The calling thread comes into the API. */
void guard_call(void);

/* Moves bytes whether their pages are protected or not. */
void guard_copy(void *dst, const void *src, size_t bytes);

/* Commands that touch [from, to) and that the host has not waited for: copies and fills; kernels that may. Locks nothing that anybody allocates under. */
enum { GUARD_FOUND = 16 };
struct guard_found {
    uint32_t copies[GUARD_FOUND], kernels[GUARD_FOUND];
    bool copy_writes[GUARD_FOUND];
    unsigned n_copies, n_kernels;
};
void guard_find(uint64_t from, uint64_t to, bool writes, struct guard_found *out);
/* The same for host code that runs here now: a host function is in order with some. */
void guard_find_here(uint64_t from, uint64_t to, bool writes, struct guard_found *out);
/* Opens the pages of [from, to) until the next command is queued there: the system is to read or write them. */
void guard_open(uint64_t from, uint64_t to);
void guard_close(uint64_t from, uint64_t to);    /* as they should be again */

#endif
