/* SPDX-License-Identifier: Apache-2.0 */
/* What host code did to memory while commands were pending that may touch it: kept until the kernels among them have run, and reported. */
#ifndef CHECK_HOST_ACCESS_H
#define CHECK_HOST_ACCESS_H

#include "check/guard.h"

/* In a signal handler, on the thread that made the access: allocates nothing, waits for nobody who does. True: this instruction did the same to the same command
   before. context: the handler's. */
bool host_access_note(uint64_t from, uint64_t to, bool writes, const struct guard_found *found, void *context);
/* The interrupted function and its callers, for trace_of(): in a handler; pc: of the interrupted instruction. */
int host_access_frames(uint64_t pc, void **out, int most);
/* A call of the C library in which the system moved bytes; caller: who called it. */
void host_access_call(uint64_t from, uint64_t to, bool writes, const void *caller);
/* A call that ends the life of memory: what, e.g. "cudaFreeHost". */
void host_access_freed(uint64_t from, uint64_t to, const char *what);

/* Reports what there is to report. Where nothing was noted since, one load. */
void host_access_drain(void);

/* The accesses that a kernel must be compared with, from the index *next on. False: no more. */
struct host_seen {
    uint64_t from, to;
    bool writes;
    unsigned index;
};
uint64_t host_access_generation(void);
bool host_access_next(uint32_t kernel, unsigned *next, struct host_seen *out);
void host_access_met(unsigned index, uint32_t kernel, bool kernel_writes, const char *place, uint64_t address);

#endif
