/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a hostile kernel in a process of its own, between things that it must not touch. */
#ifndef ESCAPE_RUN_H
#define ESCAPE_RUN_H

#include "escape_gen.h"

/* What a kernel must not bring about. */
enum {
    ESCAPE_LEAK = 1,             /* a secret of the host is in the kernel's output */
    ESCAPE_PRINTED = 2,          /* ... in what was printed */
    ESCAPE_WRITE = 4,            /* memory of the host has changed */
    ESCAPE_CALLED = 8,           /* a function of the host was called */
    ESCAPE_CRASH = 16,
    ESCAPE_HANG = 32,
    ESCAPE_UNWELL = 64,          /* no error, but a plain kernel does not run after it */
};

struct escape_verdict {
    unsigned found;              /* bits above */
    int load_error, run_error;   /* CUresult */
    unsigned word, part;         /* LEAK: which word of the output, and which part of the secret it is */
    char text[256];              /* where it was found */
};

/* Finds the driver, and loads what it will load, so that each process need not; the driver itself reads its settings when it is loaded. */
bool escape_open(const char *lib);

/* secret: which of two values the host's memory holds. */
struct escape_verdict escape_run(const struct escape_kernel *k, unsigned secret, double seconds);

/* Twice, with different secrets: what is only found once was chance. */
struct escape_verdict escape_run_twice(const struct escape_kernel *k);

/* "LEAK WRITE": in a buffer that the next call reuses. */
const char *escape_names(unsigned found);

#endif
