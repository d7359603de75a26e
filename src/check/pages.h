/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages somebody has ever touched. The system gives a page of fresh memory its place when it is first read or written: one that has none was written by
 * nobody. That is all that is known of writes of host code, which nobody tells.
 */
#ifndef CHECK_PAGES_H
#define CHECK_PAGES_H

#include "base/base.h"

void pages_init(void);                           /* where the system does not tell, every page counts as touched */
/* Of n pages from this one on. Taken in signal handlers too. */
enum { PAGES_AT_ONCE = 64 };
void pages_touched(uint64_t first, unsigned n, bool *out);

#endif
