/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed all at once: what a parse or a compile makes lives in one arena. */
#ifndef HW_ARENA_H
#define HW_ARENA_H

#include "base/base.h"

struct hw_arena_chunk;
struct hw_arena {
    struct hw_arena_chunk *chunks;
    char *at;
    char *end;
};

void *hw_arena_alloc(struct hw_arena *arena, size_t bytes);                    /* zeroed, aligned to 16 */
void *hw_arena_dup(struct hw_arena *arena, const void *data, size_t bytes);
char *hw_arena_strndup(struct hw_arena *arena, const char *s, size_t n);
char *hw_arena_strdup(struct hw_arena *arena, const char *s);
char *hw_arena_printf(struct hw_arena *arena, const char *fmt, ...) HW_PRINTF(2, 3);
void hw_arena_fini(struct hw_arena *arena);

#define hw_arena_new(arena, type) ((type *)hw_arena_alloc((arena), sizeof(type)))
#define hw_arena_array(arena, type, n) ((type *)hw_arena_alloc((arena), sizeof(type) * (n)))

#endif
