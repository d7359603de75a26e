/* SPDX-License-Identifier: Apache-2.0 */
/* A second clock, of a GPU that is only computed (clock/): where there is one, events and the profiler read it. */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include "base/base.h"

struct event;

struct core_clock {
    uint64_t (*host_ns)(void);                                   /* the calling thread's time */
    bool (*elapsed)(const struct event *start, const struct event *end, double *ns);     /* both are over; false: it knows nothing of them */
    bool (*kernel_ns)(uint64_t *ns);                             /* on a thread that runs a kernel which reads a clock: what it reads. False: it does not know */
};
/* NULL: time is the machine's. Set once, when the library is loaded. */
extern const struct core_clock *core_clock;

#endif
