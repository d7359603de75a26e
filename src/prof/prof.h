/* SPDX-License-Identifier: Apache-2.0 */
/* The profiler inside the driver library: listens to core's hooks and writes records. */
#ifndef PROF_PROF_H
#define PROF_PROF_H

#include "base/base.h"

/* Once, when the library is loaded: begins where HOSTWARP_PROF names a file. */
void prof_init(void);
/* cuProfilerStart and cuProfilerStop. */
void prof_switch(bool on);

/* Ranges and marks of the program (NVTX). Depth as NVTX counts: of the range begun or ended, negative when there is none. */
int prof_range_push(const char *text);
int prof_range_pop(void);
uint64_t prof_range_start(const char *text);
void prof_range_end(uint64_t range);
void prof_mark(const char *text);

#endif
