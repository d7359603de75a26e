/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory is closed to host code. Its pages are inaccessible while nothing of ours uses them: a kernel or a copy that begins opens them all, any other
 * access of ours opens them by its fault, and they are closed again when a call returns, or the last command is over. Host code that comes to them is reported,
 * and finds them open until then. What host code does while a kernel runs is not seen.
 */
#ifndef CHECK_WALL_H
#define CHECK_WALL_H

#include "core/mem/mem.h"

void wall_init(void);            /* behind guard_init() */
void wall_off(void);             /* in the child of a fork: everything is open */

/* Device memory comes and goes; the map's lock is held. */
void wall_range_added(const struct mem_info *info);
void wall_range_dropped(const struct mem_info *info);

/* A command that uses device memory begins, or is over. */
void wall_command(uint64_t seq, bool begins);
void wall_call_over(void);       /* a call of the program returns */
void wall_drain(void);           /* tells what was seen; no lock held */

#endif
