/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that failed. Where somebody listens (core/hooks.h), what is known of a failure goes out with the hook. In ordinary runs failures are kept, and what is
 * left unseen when the program ends is given to the `hostwarp` command, which knows lines and whether the program looked at the answer (cli/unseen.c).
 */
#ifndef DRIVER_UNSEEN_H
#define DRIVER_UNSEEN_H

#include "core/hooks.h"

#include <cuda.h>

/* For the hook that comes next on this thread. error: the answer in words, NULL: the driver's own; args and why are taken. */
void unseen_keep(const char *error, char *args, char *why);
void unseen_tell(struct hook_call *call);        /* hook_api_leave(), with what was kept */

/* Nobody listens. args and why are taken. */
void unseen_driver(const char *name, const void *caller, CUresult rc, char *args, char *why);
void unseen_runtime(const char *name, const void *caller, int rc, const char *error, char *args, char *why);
void unseen_seen(void);                          /* this thread's program has asked for its last error */

#endif
