/* SPDX-License-Identifier: Apache-2.0 */
/* Telling whether files have changed since something was made of them. */
#ifndef BASE_STAMPS_H
#define BASE_STAMPS_H

#include "base/hash.h"
#include "base/str.h"

void stamps_hash_identity(struct hw_hash *h, const char *path);           /* its name, size and time */
void stamps_of_depfile(const char *depfile, struct hw_str *out);          /* one line for each file that a compiler's list names */
bool stamps_hold(const char *list_path);                                  /* every file in such a list is as it was */

#endif
