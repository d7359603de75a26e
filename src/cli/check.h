/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a checked program: the messages of check/report.c, read and shown. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"

struct check_place {
    char *role, *place, *text;   /* place: "file.cu:12", or "" */
};
struct check_report {
    char *name, *title, *advice;
    HW_VEC(struct check_place) places;
};

struct check_reader {
    HW_VEC(char *) suppressed;   /* patterns: of a name, or of a name and a place */
    struct check_report now;
    struct hw_map lines;         /* places of host code that were looked up: "module+0x12 ..." -> "file.cu:12" */
    struct hw_map by_name;       /* how many of each name were shown */
    unsigned shown, hidden;
};

bool check_reader_init(struct check_reader *r, const char *suppressions);    /* false after saying what is wrong */
void check_read(struct check_reader *r, int fd);                 /* until its end */
unsigned check_summary(struct check_reader *r);                  /* says how many there were, and returns it */

#endif
