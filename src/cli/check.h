/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a checked program: the messages of check/report.c as structs, and one writer for each format. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/source_line.h"

#include <stdio.h>

enum check_place_kind { CHECK_HOST, CHECK_DEVICE, CHECK_NOTE };

struct check_place {
    enum check_place_kind kind;
    char *role, *text;
    struct source_frames frames; /* the innermost first; a note has none */
    size_t shown;                /* the frame that people know; frames.v.n: none */
    char *place;                 /* "file.cu:12" of it, or "" */
    char *source;                /* that line itself, or NULL */
    char *around;                /* with the lines around it, as they are; NULL: none */
    unsigned first;              /* the number of the first of these */
};

/* A command of a hazard's drawing. */
struct check_step {
    char *line, *text, *place;
    bool meets;
};

struct check_report {
    char *id;                    /* process and number */
    char *name, *title, *advice;
    uint64_t times;
    bool failed, looked;         /* a call that failed: shown if its answer was dropped; the program asked for its last error */
    char *caller, *stack;        /* of such a call, for dropped.h */
    HW_VEC(struct check_place) places;
    HW_VEC(struct check_step) steps;
};

/* All that was shown, for the files that are written at the end. */
struct check_log {
    HW_VEC(struct check_report *) reports;
    unsigned hidden;
    int status;                  /* the program's */
    int argc;
    char **argv;                 /* the program and its arguments */
};

/* check_places.c: lines of the source. */
struct check_sources {
    struct hw_map stacks;        /* "module+0x12 ..." -> struct source_frames */
    struct hw_map files;         /* path -> its text, or "" */
};
void check_place_host(struct check_sources *s, struct check_place *p, const char *stack);
void check_place_device(struct check_sources *s, struct check_place *p, const char *frames);

/* check_suppress.c: patterns of a name, or of a name and a place. */
struct check_suppressions {
    HW_VEC(char *) patterns;
};
bool check_suppressions_read(struct check_suppressions *s, const char *path);    /* false after saying what is wrong */
bool check_is_suppressed(const struct check_suppressions *s, const struct check_report *r);
void check_suppression_for(struct hw_str *out, const struct check_report *r);    /* the pattern that hides it */

/* check_read.c */
struct check_reader {
    const struct check_suppressions *suppressions;
    struct check_log *log;
    struct check_sources sources;
    struct check_report *now;    /* being read, or NULL */
    HW_VEC(struct check_report *) held;  /* failed calls: whether they are reports is known at the end */
};
void check_read(struct check_reader *r, int fd);                 /* until its end; shows reports as they come */
void check_settle(struct check_reader *r);                       /* the program has ended, log->status says how: shows what was held */

/* check_text.c: for people. */
void check_text_report(FILE *out, const struct check_report *r);
void check_text_summary(FILE *out, const struct check_log *log);

/* Files for others: false after saying what is wrong. */
bool check_write_json(const struct check_log *log, const char *path);
bool check_write_xml(const struct check_log *log, const char *path);
bool check_write_html(const struct check_log *log, const char *path);

#endif
