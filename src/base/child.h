/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that let a command of ours do the work, in a process and a folder of its own. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include "base/base.h"

/* ROOT/RELATIVE of the tree that the library with this symbol lies in, if that is a program; else NULL. hw_free it. */
char *hw_find_command(const void *symbol, const char *relative);
int hw_run(char **argv, const char *log);        /* what it says goes to the file log. Exit status, or -1 */
void hw_remove_tree(const char *dir);

#endif
