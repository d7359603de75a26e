/* SPDX-License-Identifier: Apache-2.0 */
/* Places in host code: stacks of return addresses, each kept once and known by a number. */
#ifndef CHECK_TRACE_H
#define CHECK_TRACE_H

#include "base/base.h"
#include "base/str.h"

/* A call of the program into the API, from its outermost function on. Lives on as long as the call. */
struct trace_call {
    const char *name;            /* NULL: no call */
    uint32_t trace;
    uint64_t sp;                 /* the caller's stack pointer, 0: unknown */
    bool told;                   /* a report says already why it fails */
};

uint32_t trace_of(void *const *frames, int n);  /* return addresses; the first is not shown */
uint32_t trace_from(const void *caller);         /* the stack from that return address on */
uint32_t trace_call(const void *caller, uint64_t *sp);           /* the same, from the caller's frame on, with its stack pointer */
uint32_t trace_here(void);                       /* the calling thread's stack; 0: none */
void trace_print(struct hw_str *to, uint32_t trace);             /* "module+0x12 module+0x34 ...", the innermost first */

/* The thread's call. */
struct trace_call *trace_current(void);

#endif
