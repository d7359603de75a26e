/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checker, inside the checked program: it listens to core's hooks and tells `hostwarp check`, through a pipe, what is wrong. Places in host code go
 * out as addresses in modules; the command turns them into lines of the source (cli/check*.c).
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/base.h"

#define CHECK_TOOLS(ROW)                                                                     \
    ROW(MEMORY, "memory") ROW(INIT, "init") ROW(LEAK, "leak") ROW(API, "api") ROW(RACE, "race") ROW(HAZARD, "hazard") ROW(SYNC, "sync")
enum check_tool_index {
#define ROW(id, name) CHECK_INDEX_##id,
    CHECK_TOOLS(ROW)
#undef ROW
    CHECK_TOOL_COUNT
};
enum check_tool {
#define ROW(id, name) CHECK_##id = 1 << CHECK_INDEX_##id,
    CHECK_TOOLS(ROW)
#undef ROW
};

/* What is said only where it is asked for: races in which all write the same value; races of volatile accesses, which PTX takes for relaxed ones and C++ for plain ones. */
#define CHECK_EXTRAS(ROW) ROW(SAME_VALUE, "same-value") ROW(VOLATILE, "volatile")
enum check_extra_index {
#define ROW(id, name) CHECK_EXTRA_INDEX_##id,
    CHECK_EXTRAS(ROW)
#undef ROW
    CHECK_EXTRA_COUNT
};
enum check_extra {
#define ROW(id, name) CHECK_EXTRA_##id = 1 << CHECK_EXTRA_INDEX_##id,
    CHECK_EXTRAS(ROW)
#undef ROW
};

/* Const after check_init(), but for children of a fork: they check nothing. */
extern unsigned check_tools, check_extras;
void check_init(void);

#endif
