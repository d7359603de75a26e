/* SPDX-License-Identifier: Apache-2.0 */
/* Telling debuggers and profilers which code was put into memory. Private to jit/. */
#ifndef JIT_GDB_H
#define JIT_GDB_H

#include "base/base.h"

/* An object, as a file, whose section k lies at addresses[k] (0: nowhere). For gdb_remove(); NULL: nobody wants to know. */
void *gdb_add(const void *file, size_t bytes, const uint64_t *addresses, size_t n);
void gdb_remove(void *entry);
bool perf_wanted(void);
void perf_add(const void *code, size_t bytes, const char *name);  /* HOSTWARP_PERF: a line in /tmp/perf-PID.map */

#endif
