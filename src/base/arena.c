/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocation in chunks. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>

enum { CHUNK_BYTES = 64 * 1024 };

struct hw_arena_chunk {
    struct hw_arena_chunk *next;
    _Alignas(16) char data[];
};

void *hw_arena_alloc(struct hw_arena *arena, size_t bytes)
{
    bytes = hw_align_up(bytes ? bytes : 1, 16);
    if ((size_t)(arena->end - arena->at) < bytes) {
        size_t size = hw_max_u64(bytes, CHUNK_BYTES);
        struct hw_arena_chunk *chunk = hw_alloc(sizeof(*chunk) + size);
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->at = chunk->data;
        arena->end = chunk->data + size;
    }
    void *p = arena->at;
    arena->at += bytes;
    return p;
}

void *hw_arena_dup(struct hw_arena *arena, const void *data, size_t bytes)
{
    void *p = hw_arena_alloc(arena, bytes);
    if (bytes)
        memcpy(p, data, bytes);
    return p;
}

char *hw_arena_strndup(struct hw_arena *arena, const char *s, size_t n)
{
    char *copy = hw_arena_alloc(arena, n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *hw_arena_strdup(struct hw_arena *arena, const char *s)
{
    return hw_arena_strndup(arena, s, strlen(s));
}

char *hw_arena_printf(struct hw_arena *arena, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *text = hw_arena_alloc(arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

void hw_arena_fini(struct hw_arena *arena)
{
    while (arena->chunks) {
        struct hw_arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        hw_free(chunk);
    }
    arena->at = arena->end = NULL;
}
