/* SPDX-License-Identifier: Apache-2.0 */
/* Places in a program's code and the lines of its source. */
#ifndef CLI_SOURCE_LINE_H
#define CLI_SOURCE_LINE_H

#include "base/vec.h"

struct source_frame {
    char *path, *function;       /* function: as the source has it; NULL: not known */
    unsigned line;
};
struct source_frames {
    HW_VEC(struct source_frame) v;       /* the innermost first */
};
void source_frames_fini(struct source_frames *f);

/* A stack "module+0x12 module+0x34 ...": the lines of the program's own modules, with what was inlined. Libraries of ours and of the language are left out. */
void source_of_stack(const char *stack, struct source_frames *out);
/* The end of the first entry of a stack, NULL: there is none. plus: where its address begins. */
const char *source_entry_end(const char *stack, const char **plus);
bool source_is_library(const char *module, size_t n);

/* Is this line one of ours or of the language, between the program and the API? */
bool source_is_between(const struct source_frame *f);

#endif
