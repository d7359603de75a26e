/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HOSTWARP_VERIFY: before a launch runs, two copies of the process run it: one as plain scalar code, thread by thread (the reference), one as
 * it will run. What they have written is compared byte by byte. Both begin with the same memory, and what they do is seen by nobody: neither
 * what they print, allocate or launch, nor their faults. The launch itself runs afterwards, in its turn, as if nothing had been.
 */
#ifndef CORE_VERIFY_H
#define CORE_VERIFY_H

#include "base/base.h"

void verify_init(void);                          /* core_init() calls it: with HOSTWARP_VERIFY it becomes the verifier of launches (launch.h) */
/* The program ends: one line about all launches. */
void verify_summary(void);

#endif
