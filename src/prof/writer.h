/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of the record file, and names that are written once. */
#ifndef PROF_WRITER_H
#define PROF_WRITER_H

#include "prof/record.h"

bool writer_open(const char *pattern);           /* %p in it is the process id; false after saying why */
void writer_close_in_child(void);                /* after fork: the file is the parent's */

/* A slot of zeros, or NULL when nothing is recorded (any more). writer_commit() makes it valid. */
struct prof_record *writer_take(void);
void writer_commit(struct prof_record *r, enum prof_type type);
uint64_t writer_now(void);                       /* the time, as records have it */
uint64_t writer_slot(const struct prof_record *r);               /* its number; 0 for NULL */
struct prof_record *writer_record(uint64_t slot);                /* back again */

uint32_t writer_name(const char *text);                          /* any text */
uint32_t writer_name_static(const char *text);                   /* one that stays where it is: found by address */
uint32_t writer_caller(const void *address);                     /* "file+0xoffset" */

/* What a thread keeps for itself. */
enum { RECENT = 64, RANGE_DEPTH = 64 };
struct writer_thread {
    struct recent {
        const void *address;
        const char *text;        /* our copy, or NULL: the address alone says it */
        uint32_t id;
    } recent[RECENT];            /* names asked for lately, by address */
    uint64_t ranges[RANGE_DEPTH];                /* slots of the ranges that are open */
    int n_ranges;
};
struct writer_thread *writer_thread(void);

#endif
