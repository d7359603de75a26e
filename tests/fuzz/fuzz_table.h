/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls of a table of functions. */
#ifndef FUZZ_TABLE_H
#define FUZZ_TABLE_H

#include "base/base.h"

struct fuzz_row {
    const char *name, *params;   /* params: as they are written in the table, "(int a, void *b)" */
    void *fn;                    /* NULL: left out */
};

struct fuzz_table {
    const struct fuzz_row *rows;
    int n;
    void (*now_and_then)(void);  /* puts back what calls like cuCtxSetCurrent have changed */
    bool (*wild)(const struct fuzz_row *row);    /* may the contents behind its pointers be handles and addresses? */
};

/* The main of a fuzzer of this table: processes with many calls each; their number added to --seed gives the calls. */
int fuzz_run(const struct fuzz_table *table, const char *name, int argc, char **argv);

#endif
