/* SPDX-License-Identifier: Apache-2.0 */
/* Bookkeeping allocation that does not return NULL. */
#define _GNU_SOURCE
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>

static HW_NORETURN void out_of_memory(size_t bytes)
{
    fprintf(stderr, "hostwarp: the host heap is exhausted (%zu bytes asked for)\n", bytes);
    abort();
}

void *hw_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void *hw_realloc(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

char *hw_strndup(const char *s, size_t n)
{
    char *copy = hw_alloc(n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *hw_strdup(const char *s)
{
    return hw_strndup(s, strlen(s));
}

char *hw_sprintf(const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0)
        out_of_memory(0);
    return text;
}
