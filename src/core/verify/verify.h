/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HOSTWARP_VERIFY: before a launch runs, two copies of the process run it: one as plain scalar code, thread by thread (the reference), one as
 * it will run. What they have written is compared byte by byte. Both begin with the same memory, and what they do is seen by nobody: neither
 * what they print, allocate or launch, nor their faults. The launch itself runs afterwards, in its turn, as if nothing had been.
 */
#ifndef CORE_VERIFY_H
#define CORE_VERIFY_H

#include "base/base.h"

struct cmd;
struct function;
struct verify;

extern bool verify_enabled;                      /* const after core_init() */
static inline bool verify_on(void) { return verify_enabled; }

void verify_init(void);
/* The launch is complete but not queued: the reference is compiled. */
void verify_prepare(struct cmd *c, struct function *f, const uint32_t block[3]);
/* Its turn has come: verified by a thread of ours, which hands it to sched_submit(). */
void verify_start(struct cmd *c);
/* The program ends: one line about all launches. */
void verify_summary(void);

#endif
