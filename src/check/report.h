/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: a name that suppressions know, a title, the places, one sentence that says what is missing. Each is one message through the pipe of
 * `hostwarp check`, or text on standard error where nobody reads one. The same report again is not sent.
 */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include "base/str.h"

struct report {
    struct hw_str text, key;
};

void report_begin(struct report *r, const char *name, const char *fmt, ...) HW_PRINTF(3, 4);
/* A place in host code (trace.h) or in device code ("file.cu:12"); fmt: what stands there. */
void report_host(struct report *r, const char *role, uint32_t trace, const char *fmt, ...) HW_PRINTF(4, 5);
void report_device(struct report *r, const char *role, const char *place, const char *fmt, ...) HW_PRINTF(4, 5);
void report_advice(struct report *r, const char *fmt, ...) HW_PRINTF(2, 3);
void report_end(struct report *r);

#endif
