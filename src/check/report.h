/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: a name that suppressions know, a title, the places, one sentence that says what is missing. Each is one message through the pipe of
 * `hostwarp check`, or text on standard error where nobody reads one. The same report again is counted: the count goes out when it has doubled, and at the end.
 */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include "base/str.h"

struct ledger_entry;

struct report {
    struct hw_str text, key;
    const char *name;            /* static text */
};

void report_begin(struct report *r, const char *name, const char *fmt, ...) HW_PRINTF(3, 4);
/* A place in host code (trace.h) or in device code (explain_frames(): "a.cu:12 in f < a.cu:30"); fmt: what stands there. */
void report_host(struct report *r, const char *role, uint32_t trace, const char *fmt, ...) HW_PRINTF(4, 5);
void report_device(struct report *r, const char *role, const char *place, const char *fmt, ...) HW_PRINTF(4, 5);
/* A fact that has no place: an address, what a stream was waiting for. */
void report_note(struct report *r, const char *role, const char *fmt, ...) HW_PRINTF(3, 4);
/* The memory that it is about: where it was made, and where freed if it was. Part of no key. */
void report_memory(struct report *r, const struct ledger_entry *e);
/* One command of the drawing that pages have of a hazard, in the order of time: the line that it stands in ("stream 2", "host"), and whether it is one of
   the two that nothing orders. Part of no key. */
void report_step(struct report *r, const char *line, bool meets, uint32_t trace, const char *fmt, ...) HW_PRINTF(5, 6);
void report_advice(struct report *r, const char *fmt, ...) HW_PRINTF(2, 3);
void report_end(struct report *r);
/* A report about a call that failed, instead of report_end(): it is shown at the end, if the program's code dropped the answer. caller: where the API was called
   from. What it answers is for report_looked(). */
uint32_t report_end_failed(struct report *r, const void *caller);
void report_looked(uint32_t number);             /* the program has asked for its last error */
void report_counts(void);        /* at the end of the process: how often each came */

#endif
