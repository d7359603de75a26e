/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Was the answer of a call looked at? The code behind the call says: an answer is dropped if on every way from there eax is written, or made void by another
 * call, before it is read. A ret goes on behind the caller's call. Ways that cannot be followed count as looked at.
 */
#ifndef CLI_DROPPED_H
#define CLI_DROPPED_H

#include "base/base.h"

/* stack: "module+0x12 module+0x34 ...", each one less than a return address; caller: the one of the call whose answer it is, in the same form; "": the first that is
   not in a library of ours. */
bool dropped_answer(const char *stack, const char *caller);

#endif
